//! The features at points: kernel values with the landmarks, then a product.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};

use crate::features::FeatureMap;
use crate::features::fourier::{check, rows_in_parallel, try_rows_in_parallel};
use crate::features::measured::{MeasuredError, error_of};
use crate::features::nystrom::landmarks::uniform;
use crate::gram::simd::Element;
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::{self, Bound, KeptCenters, Pairs, Tiles};
use crate::solve::{Factored, factor, symmetric_eigen};
use crate::{Compute, Error, Kernel, Points, Precision, Result, Sample};

/// Points that one task works on. It never depends on the number of threads, so that the bytes do
/// not either. 64 and 1024 differ by less than the noise of 20 % (5000 points, 500 landmarks).
const ROWS: usize = 256;
/// Points on which the trace that is missed is measured: the standard error is 1/23 of its spread. All of 20 000 points would take four times as long as the rest of a fit with 500
/// landmarks.
const MEASURED: usize = 512;
/// Features that are computed together: those of a triangular map need no landmark behind them. With
/// 500 landmarks 5000 points take 37 ms, with 32 as long, with 128 45 ms, with 256 50 ms.
const COLUMNS: usize = 64;
/// Largest condition number of the Cholesky factor of the landmarks: beyond, eigenvectors keep more
/// digits.
const LARGEST_CONDITION: f64 = 1e10;

/// Nyström features with their landmarks. Equal ones give the same features, wherever their
/// landmarks come from.
#[derive(Clone, Debug)]
pub struct NystromFeatures {
    kernel: Kernel,
    points: Sample,
    /// `z(x) = Mᵀk(Z, x)`.
    map: Array2<f64>,
    /// Whether `M` is upper triangular, so that half of its products are 0.
    upper: bool,
    trace: f64,
    trace_error: f64,
    /// Which rows of the sample the landmarks are.
    rows: Option<Vec<usize>>,
    kept: KeptCenters,
}

impl PartialEq for NystromFeatures {
    fn eq(&self, other: &Self) -> bool {
        let traces = |f: &Self| (f.trace, f.trace_error);
        self.kernel == other.kernel
            && self.points == other.points
            && self.map == other.map
            && traces(self) == traces(other)
    }
}

impl NystromFeatures {
    /// Features of these landmarks: `M = L^{−T}` of `K_ZZ = LLᵀ`; where that is nearly singular, or
    /// fewer are requested, `M = UΛ^{−1/2}` without the directions in which `K_ZZ` is rounding, at
    /// most `rank` of them. Both give `k(x, Z) K_ZZ⁻¹ k(Z, y)` as inner product.
    pub(super) fn of_points(kernel: Kernel, points: Sample, rank: Option<usize>, compute: &Compute) -> Result<Self> {
        let matrix = gram::dense(&kernel.bind(Pairs::Within(points.as_points()), compute)?, compute)?;
        let m = matrix.nrows();
        if rank.is_none_or(|rank| rank >= m)
            && let Some(map) = inverse_factor(&matrix, compute)?
        {
            return Ok(Self::with_map(kernel, points, map));
        }
        let eigen = symmetric_eigen(matrix.view(), compute)?;
        let threshold = m as f64 * f64::EPSILON * eigen.values.last().copied().unwrap_or(0.0);
        let kept = eigen.values.iter().filter(|v| **v > threshold).count().min(rank.unwrap_or(m));
        if kept == 0 {
            return Err(Error::all_zero(
                format!("value of {kernel} at the landmarks"),
                "it has no features there; choose other landmarks or another kernel",
            ));
        }
        // The largest eigenvalue first.
        let order: Vec<usize> = (m - kept..m).rev().collect();
        let scales: Array1<f64> = order.iter().map(|&j| 1.0 / eigen.values[j].sqrt()).collect();
        let map = eigen.vectors.select(Axis(1), &order) * &scales;
        Ok(Self::with_map(kernel, points, map))
    }

    /// Features `z(x) = Mᵀk(Z, x)` with a given `M`.
    pub(super) fn with_map(kernel: Kernel, points: Sample, map: Array2<f64>) -> Self {
        let map = if map.is_standard_layout() { map } else { map.as_standard_layout().into_owned() };
        let upper = map.indexed_iter().all(|((i, j), v)| i <= j || *v == 0.0);
        Self {
            kept: Default::default(),
            kernel,
            points,
            map,
            upper,
            trace: f64::NAN,
            trace_error: f64::NAN,
            rows: None,
        }
    }

    /// From its parts, as they were saved.
    ///
    /// # Errors
    /// [`Error::Shape`] when they do not fit together.
    pub(crate) fn from_parts(
        kernel: Kernel,
        points: Sample,
        map: Array2<f64>,
        (trace, trace_error): (f64, f64),
    ) -> Result<Self> {
        if map.nrows() != points.len() {
            return Err(Error::shape("rows of the map of landmarks", points.len(), map.nrows()));
        }
        Ok(Self { trace, trace_error, ..Self::with_map(kernel, points, map) })
    }

    /// The same features with `tr K` and `tr(K − K̂)` of a sample, estimated from a part of a large
    /// one.
    pub(super) fn measured_on(mut self, x: Points<'_>, compute: &Compute) -> Result<Self> {
        let mut rows: Vec<usize> = (0..x.len()).collect();
        if x.len() > MEASURED {
            rows = uniform(x.len(), MEASURED, &mut compute.seed().stream("measured rows", 0));
            rows.sort_unstable();
        }
        let part = Sample::select_new(x, &rows, &(0..x.len()).collect::<Vec<_>>());
        let diagonal = match x {
            // The values of a point with itself are among those with all points.
            Points::Precomputed(_) => self.kernel.bind(Pairs::Within(x), compute)?.diagonal()?.select(Axis(0), &rows),
            _ => self.kernel.bind(Pairs::Within(part.as_points()), compute)?.diagonal()?,
        };
        let factor = x.len() as f64 / rows.len() as f64;
        let measured = part.as_points();
        let z = self.features_at(measured, compute)?;
        let left = z.rows().into_iter().zip(&diagonal).map(|(z, k)| (k - z.dot(&z)).max(0.0));
        (self.trace, self.trace_error) = (factor * diagonal.sum(), factor * left.sum::<f64>());
        Ok(self)
    }

    /// The same features, whose landmarks are these rows of the sample.
    pub(super) fn with_rows(mut self, rows: Option<Vec<usize>>) -> Self {
        self.rows = rows;
        self
    }

    /// Which rows of the sample the landmarks are; unknown for given points and for features from a
    /// file.
    pub fn rows(&self) -> Option<&[usize]> {
        self.rows.as_deref()
    }

    /// `Z`: the landmarks, one row each.
    pub fn landmarks(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// `M` in `z(x) = Mᵀk(Z, x)`.
    pub fn map(&self) -> ArrayView2<'_, f64> {
        self.map.view()
    }

    /// `tr K` of the sample; of more than 512 points an estimate from so many of them.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// `tr(K − K̂)` of the sample: what the landmarks miss, and a bound on every eigenvalue of it. Of
    /// more than 512 points an estimate from so many of them, drawn from the seed: its standard
    /// error is 1/23 of the spread of what is missed over the points.
    pub fn trace_error(&self) -> f64 {
        self.trace_error
    }

    /// The features of points, one row each.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns; as [`Kernel::bind`].
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.features_at(x.into(), compute)
    }

    /// The error of the features, measured on at most so many points of a sample, drawn from the
    /// seed.
    ///
    /// # Errors
    /// [`Error::TooFew`] for an empty sample; as [`NystromFeatures::transform`].
    pub fn measured_error<'x>(
        &self,
        x: impl Into<Points<'x>>,
        points: usize,
        compute: &Compute,
    ) -> Result<MeasuredError> {
        error_of(&self.kernel, x.into(), points, &|x| self.features_at(x, compute), compute)
    }

    fn features_at(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        if let Points::Vectors(x) = x {
            return self.of_vectors(x, compute, |bound, rows, out| self.fill(bound, rows, out));
        }
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        bound.prepare(Precision::Double, compute);
        rows_in_parallel((x.len(), self.components()), ROWS, compute, |rows, out| self.fill(&bound, rows, out))
    }

    /// Features of vectors, a block of rows bound at a time: the copies that binding makes of all of
    /// them would be on fresh pages, which take longer than the values (2000 points in 784 columns
    /// and 100 landmarks).
    fn of_vectors<T: Element>(
        &self,
        x: ArrayView2<f64>,
        compute: &Compute,
        fill: impl Fn(&Bound<'_>, Range<usize>, &mut [T]) + Sync,
    ) -> Result<Array2<T>> {
        let shape = (x.nrows(), self.components());
        let bind =
            |rows: Range<usize>| self.kept.bind(&self.kernel, x.slice(s![rows, ..]).into(), &self.points, compute);
        // Makes what is kept, once.
        let known = x.nrows() > ROWS && bind(0..1).is_ok() && self.kept.holds();
        if !known {
            check(x, self.columns())?;
            let bound = bind(0..x.nrows())?;
            bound.prepare(precision_of::<T>(), compute);
            return rows_in_parallel(shape, ROWS, compute, |rows, out| fill(&bound, rows, out));
        }
        let blocks = try_rows_in_parallel(shape, ROWS, compute, |rows, out| {
            let count = rows.len();
            fill(&bind(rows)?, 0..count, out);
            Ok(())
        });
        blocks.or_else(|error| match error {
            Error::Canceled | Error::Memory { .. } => Err(error),
            // Errors name rows of a block: those of all points name the right ones.
            _ => check(x, self.columns()).and_then(|()| bind(0..x.nrows()).map(drop)).and(Err(error)),
        })
    }

    fn fill(&self, bound: &Bound<'_>, rows: Range<usize>, out: &mut [f64]) {
        let mut values = vec![0.0; rows.len() * self.map.nrows()];
        bound.fill(rows, 0..self.map.nrows(), &mut values);
        self.multiply(&values, self.map.as_slice().expect("a matrix of its own"), out);
    }

    /// `values · M`, with `M` in the precision of the values.
    fn multiply<T: Element>(&self, values: &[T], map: &[T], out: &mut [T]) {
        let (m, components) = self.map.dim();
        let rows = values.len() / m.max(1);
        let shaped = |values, shape| ArrayView2::from_shape(shape, values).expect("as many values as the shape has");
        let (values, map) = (shaped(values, (rows, m)), shaped(map, (m, components)));
        let mut out = ArrayViewMut2::from_shape((rows, components), out).expect("a row of features per point");
        for start in (0..components).step_by(COLUMNS) {
            let width = COLUMNS.min(components - start);
            let depth = if self.upper { m.min(start + width) } else { m };
            let columns = start..start + width;
            let (left, right) = (values.slice(s![.., ..depth]), map.slice(s![..depth, columns.clone()]));
            matmul(out.slice_mut(s![.., columns]), Target::Replace, left, right, T::from_f64(1.0));
        }
    }
}

/// The precision of tiles of these values.
fn precision_of<T: Element>() -> Precision {
    if size_of::<T>() == size_of::<f32>() { Precision::SingleTiles } else { Precision::Double }
}

/// `L^{−T}` of `K = LLᵀ`; `None` for a matrix that is nearly singular.
fn inverse_factor(matrix: &Array2<f64>, compute: &Compute) -> Result<Option<Array2<f64>>> {
    let Factored::Definite(factor) = factor(matrix.clone(), compute)? else { return Ok(None) };
    if factor.condition(compute)? > LARGEST_CONDITION {
        return Ok(None);
    }
    let mut map = factor.half_solve_transposed(Array2::eye(matrix.nrows()).view(), compute)?;
    map.indexed_iter_mut().filter(|((i, j), _)| i > j).for_each(|(_, v)| *v = 0.0);
    Ok(Some(map))
}

impl FeatureMap for NystromFeatures {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn columns(&self) -> usize {
        self.points.as_points().columns()
    }

    fn components(&self) -> usize {
        self.map.ncols()
    }

    fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.features_at(x.into(), compute)
    }

    fn transform_single(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f32>> {
        let m = self.map.nrows();
        let map: Vec<f32> = self.map.iter().map(|v| *v as f32).collect();
        self.of_vectors(x, compute, |bound, rows, out| {
            let mut values = vec![0.0_f32; rows.len() * m];
            bound.fill_single(rows, 0..m, &mut values);
            self.multiply(&values, &map, out);
        })
    }
}
