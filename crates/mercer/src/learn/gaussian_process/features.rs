//! `A = K + σ²I` in the features of a kernel with few, in time linear in the rows.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::decomposition::DENSE_ROWS;
use super::likelihood::{Posterior, singular};
use crate::compute::filled;
use crate::error::MemoryPurpose;
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::gram::{Pairs, SparseRows};
use crate::learn::observations::check_points;
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::FeatureSystem;
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows from which features are tried: a matrix of fewer is decomposed in a millisecond.
const ROWS: usize = 96;
/// Rows per feature from which they are taken: the slopes of the likelihood take `4np²` operations
/// and those of the matrix `2n³`, which goes through faster products.
const ROWS_PER_FEATURE: usize = 4;
/// The step of differences of the features by the logarithm of a parameter: the error of a slope is
/// its square, and rounding by its reciprocal, both about 1e-11.
const STEP: f64 = 1e-5;
/// Points whose variances are computed together.
const STRIP: usize = 512;

/// A kernel without the factor in front of it, and that factor.
fn unscaled(kernel: &Kernel) -> (f64, &Kernel) {
    match kernel {
        Kernel::Scale(factor, inner) => (factor.get(), inner),
        other => (1.0, other),
    }
}

/// Where features come from.
#[derive(Debug)]
enum Source {
    /// A formula of the coordinates.
    Map(ExplicitFeatures),
    /// Counted in objects: the rows as they were counted.
    Counted(SparseRows),
}

impl Source {
    /// The features of a kernel that has few on these points.
    fn new(kernel: &Kernel, x: Points<'_>, compute: &Compute) -> Result<Option<Self>> {
        let source = match x {
            Points::Vectors(x) => ExplicitFeatures::new(kernel.clone(), x.ncols()).ok().map(Self::Map),
            _ if kernel.has_features_on(x.kind()) => {
                let bound = kernel.bind(Pairs::Within(x), compute)?;
                bound.features().map(|(rows, _)| Self::Counted(rows.among(&rows.used_columns())))
            }
            _ => None,
        };
        Ok(source.filter(|source| source.count() <= x.len() / ROWS_PER_FEATURE))
    }

    fn count(&self) -> usize {
        match self {
            Self::Map(map) => map.components(),
            Self::Counted(rows) => rows.width,
        }
    }

    fn features(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Map(map) => map.transform(x.vectors()?, compute),
            Self::Counted(rows) => Ok(rows.to_dense()),
        }
    }
}

/// The number of features, where the process is computed in them.
///
/// # Cost
/// Objects are bound to count their features.
///
/// # Errors
/// As [`Kernel::bind`].
pub(super) fn feature_count(kernel: &Kernel, noise: f64, x: Points<'_>, compute: &Compute) -> Result<Option<usize>> {
    let (scale, kernel) = unscaled(kernel);
    if !is_candidate(scale, noise, x) {
        return Ok(None);
    }
    Ok(Source::new(kernel, x, compute)?.map(|source| source.count()))
}

fn is_candidate(scale: f64, noise: f64, x: Points<'_>) -> bool {
    x.len() >= ROWS && noise > 0.0 && scale > 0.0
}

/// Bytes of a fit in features: `Z`, and for slopes the features on both sides and `ZM⁻¹`; five
/// matrices with a row and a column per feature.
pub(super) fn bytes(rows: usize, count: usize) -> u64 {
    let (rows, count) = (rows as u64, count as u64);
    8 * count * (4 * rows + 5 * count)
}

/// The features `Z` of the data by a kernel without its factor, and `ZᵀZ`.
#[derive(Debug)]
pub(super) struct FeatureRows {
    kernel: Kernel,
    source: Source,
    features: Arc<Array2<f64>>,
    gram: Array2<f64>,
}

impl FeatureRows {
    fn new(kernel: &Kernel, x: Points<'_>, compute: &Compute) -> Result<Option<Self>> {
        let Some(source) = Source::new(kernel, x, compute)? else { return Ok(None) };
        let needed = bytes(x.len(), source.count());
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, "features of a Gaussian process", needed, advice)?;
        let features = source.features(x, compute)?;
        let gram = multiply_transposed(features.view(), features.view(), compute)?;
        Ok(Some(Self { kernel: kernel.clone(), source, features: Arc::new(features), gram }))
    }
}

/// `A = aZZᵀ + σ²I = a(ZZᵀ + λI)` with `λ = σ²/a`, by `M = ZᵀZ + λI`.
#[derive(Debug)]
pub(super) struct InFeatures {
    rows: Arc<FeatureRows>,
    system: FeatureSystem,
    scale: f64,
    noise: f64,
    /// The weights of the posterior mean; made when they are first needed.
    weights: OnceLock<Array2<f64>>,
    /// The slopes of the parameters that were requested first.
    slopes: OnceLock<(Vec<bool>, Slopes)>,
}

/// What the derivatives of the likelihood are made of.
#[derive(Clone, Debug)]
struct Slopes {
    /// `½ tr((ααᵀ − A⁻¹) ∂A/∂ log θ)` for every parameter, the noise last; 0 where none was requested.
    gradient: Vec<f64>,
    /// `∂A/∂ log θ α`, a column per parameter that was requested.
    columns: Array2<f64>,
}

impl Slopes {
    fn add(&mut self, parameter: usize, gradient: f64, column: &Array1<f64>) -> Result<()> {
        self.gradient[parameter] = gradient;
        let rows = self.columns.nrows();
        self.columns.push_column(column.view()).map_err(|_| Error::shape("slopes", rows, column.len()))
    }
}

impl InFeatures {
    /// The decomposition, with the features of one `before` it where the kernel differs by its factor
    /// alone; `None` where there are not few features.
    ///
    /// # Errors
    /// [`Error::Singular`] where the noise leaves no right digit and the rows are too many for the
    /// matrix; [`Error::Memory`], [`Error::Canceled`], and as [`Kernel::bind`].
    pub(super) fn new(
        kernel: &Kernel,
        noise: f64,
        x: Points<'_>,
        before: Option<&Arc<FeatureRows>>,
        compute: &Compute,
    ) -> Result<Option<Self>> {
        let (scale, inner) = unscaled(kernel);
        if !is_candidate(scale, noise, x) {
            return Ok(None);
        }
        let rows = match before.filter(|before| before.kernel == *inner) {
            Some(before) => before.clone(),
            None => match FeatureRows::new(inner, x, compute)? {
                Some(rows) => Arc::new(rows),
                None => return Ok(None),
            },
        };
        let lambda = noise / scale;
        let trace = rows.gram.diag().sum();
        let system = FeatureSystem::new(rows.features.clone(), rows.gram.clone(), (lambda, trace), compute)?;
        match system {
            Some(system) => {
                Ok(Some(Self { rows, system, scale, noise, weights: OnceLock::new(), slopes: OnceLock::new() }))
            }
            None if x.len() > DENSE_ROWS => Err(singular(kernel, noise)),
            None => Ok(None),
        }
    }

    /// The features, for a decomposition with another noise or factor.
    pub(super) fn rows(&self) -> &Arc<FeatureRows> {
        &self.rows
    }

    pub(super) fn count(&self) -> usize {
        self.rows.features.ncols()
    }

    pub(super) fn solve(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(self.system.solve(right, compute)? / self.scale)
    }

    pub(super) fn log_determinant(&self) -> f64 {
        self.rows.features.nrows() as f64 * self.scale.ln() + self.system.log_determinant()
    }

    pub(super) fn inverse_diagonal(&self, compute: &Compute) -> Result<Vec<f64>> {
        Ok(self.system.leverages(compute)?.mapv(|h| (1.0 - h) / self.noise).to_vec())
    }

    /// `CᵀA⁻¹C`.
    pub(super) fn explained(&self, cross: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let product = cross.t().dot(&self.solve(cross, compute)?);
        Ok((&product + &product.t()) * 0.5)
    }

    /// The gradient by the logarithms of the parameters, the noise last.
    pub(super) fn gradient(
        &self,
        posterior: &Posterior,
        x: Points<'_>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        Ok(self.slopes(posterior, x, requested, compute)?.gradient)
    }

    /// `½ (∂A/∂θᵢ α)ᵀ A⁻¹ (∂A/∂θⱼ α)` of the parameters requested.
    pub(super) fn information(
        &self,
        posterior: &Posterior,
        x: Points<'_>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let columns = self.slopes(posterior, x, requested, compute)?.columns;
        Ok(0.5 * columns.t().dot(&self.solve(columns.view(), compute)?))
    }

    fn slopes(&self, posterior: &Posterior, x: Points<'_>, requested: &[bool], compute: &Compute) -> Result<Slopes> {
        if let Some((_, slopes)) = self.slopes.get().filter(|(known, _)| known == requested) {
            return Ok(slopes.clone());
        }
        let slopes = self.make_slopes(posterior, x, requested, compute)?;
        // Other parameters than the first time: what is kept is not touched.
        let _ = self.slopes.set((requested.to_vec(), slopes.clone()));
        Ok(slopes)
    }

    /// # Formula
    /// `½ (αᵀ∂Aα − tr A⁻¹∂A)`. For the factor `∂A = aZZᵀ`, and `tr A⁻¹∂A = p − λ tr M⁻¹` with `p`
    /// features; for the noise `∂A = σ²I`; for another parameter `∂A = a(∂Z Zᵀ + Z ∂Zᵀ)`, where
    /// `aA⁻¹Z = ZM⁻¹`.
    fn make_slopes(
        &self,
        posterior: &Posterior,
        x: Points<'_>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Slopes> {
        let z = self.system.features();
        let alpha = &posterior.alpha;
        let column = alpha.view().insert_axis(Axis(1));
        let weights = multiply_transposed(z.view(), column, compute)?;
        let inverse_trace = self.system.factor().inverse_diagonal(compute)?.iter().sum::<f64>();
        let outside = usize::from(matches!(posterior.kernel, Kernel::Scale(..)));
        let last = requested.len() - 1;
        let mut slopes = Slopes { gradient: vec![0.0; requested.len()], columns: Array2::zeros((z.nrows(), 0)) };
        let mut solved = None;
        for p in (0..requested.len()).filter(|&p| requested[p]) {
            if p == last {
                let trace = self.system.inverse_trace(compute)? / self.scale;
                slopes.add(p, 0.5 * self.noise * (alpha.dot(alpha) - trace), &(alpha * self.noise))?;
            } else if p < outside {
                let trace = self.count() as f64 - self.noise / self.scale * inverse_trace;
                let along = multiply(z.view(), weights.view(), compute)? * self.scale;
                let square = self.scale * (&weights * &weights).sum();
                slopes.add(p, 0.5 * (square - trace), &along.index_axis_move(Axis(1), 0))?;
            } else {
                let slope = self.derivative(p - outside, x, compute)?;
                let inner = multiply_transposed(slope.view(), column, compute)?;
                let scaled: &Array2<f64> = match &solved {
                    Some(scaled) => scaled,
                    None => solved.insert(self.system.factor().solve(z.t(), compute)?.reversed_axes()),
                };
                let trace: f64 = scaled.outer_iter().zip(slope.outer_iter()).map(|(a, b)| a.dot(&b)).sum();
                let along =
                    multiply(slope.view(), weights.view(), compute)? + multiply(z.view(), inner.view(), compute)?;
                let gradient = self.scale * (&inner * &weights).sum() - trace;
                slopes.add(p, gradient, &(along * self.scale).index_axis_move(Axis(1), 0))?;
            }
        }
        Ok(slopes)
    }

    /// `∂Z/∂ log θ` of one parameter (`∂Z/∂θ` where it may be negative), by central differences. NaN
    /// for a parameter by which features appear: the matrix has its slope.
    fn derivative(&self, p: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let kernel = &self.rows.kernel;
        let parameters = kernel.parameters();
        let at = |step: f64| {
            let mut values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
            values[p] = if parameters[p].positive { values[p] * step.exp() } else { values[p] + step };
            let Some(source) = Source::new(&kernel.with_parameters(&values)?, x, compute)? else { return Ok(None) };
            source.features(x, compute).map(Some)
        };
        let shape = self.rows.features.dim();
        match (at(STEP)?, at(-STEP)?) {
            (Some(above), Some(below)) if above.dim() == shape && below.dim() == shape => {
                Ok((above - below) / (2.0 * STEP))
            }
            _ => Ok(Array2::from_elem(shape, f64::NAN)),
        }
    }

    /// The mean at every row of `x`, for vectors, after the targets `y`: `f(x) = z(x)ᵀw` with
    /// `w = M⁻¹Zᵀy`.
    pub(super) fn mean(
        &self,
        (points, y): (ArrayView2<f64>, ArrayView1<f64>),
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        check_points(&self.rows.kernel, points.ncols(), x)?;
        let weights = match self.weights.get() {
            Some(weights) => weights,
            None => {
                let made = self.system.weights(y.insert_axis(Axis(1)), compute)?;
                filled(&self.weights, || made)
            }
        };
        let Source::Map(map) = &self.rows.source else {
            return Err(Error::unsupported("the mean in features", "objects", "they are counted", "use the points"));
        };
        Ok(multiply(map.transform(x, compute)?.view(), weights.view(), compute)?.index_axis_move(Axis(1), 0))
    }

    /// The variance at every row of `x`.
    ///
    /// # Formula
    /// `k(x, x) − k(x)ᵀA⁻¹k(x) = a‖u‖² + σ² fᵀM⁻¹f` with the features `f` of a new point that the data
    /// have and `u` that they have not.
    pub(super) fn variances(&self, points: Points<'_>, x: Points<'_>, compute: &Compute) -> Result<Array1<f64>> {
        let rows = match &self.rows.source {
            Source::Map(map) => {
                let x = x.vectors()?;
                check_points(&self.rows.kernel, points.columns(), x)?;
                let part = |rows: Range<usize>| map.transform(x.slice(s![rows, ..]), compute);
                return self.by_strips(&self.system, x.nrows(), part, compute);
            }
            Source::Counted(rows) => rows,
        };
        // Objects are counted together with those of the data: features may have other numbers then.
        let bound = self.rows.kernel.bind(Pairs::Between(x.reborrow(), points.reborrow()), compute)?;
        let Some((new, again)) = bound.features() else { return Ok(Array1::zeros(x.len())) };
        let used = again.used_columns();
        let (known, seen) = (again.among(&used), new.among(&used));
        let remade;
        let system = match known == *rows {
            true => &self.system,
            false => {
                remade = self.remade(&known, compute)?;
                &remade
            }
        };
        let part = |rows: Range<usize>| Ok(seen.select(&rows.collect::<Vec<_>>()).to_dense());
        let variances = self.by_strips(system, x.len(), part, compute)?;
        let unseen = new.squared_norms().into_iter().zip(seen.squared_norms());
        Ok(variances + unseen.map(|(all, seen)| self.scale * (all - seen).max(0.0)).collect::<Array1<f64>>())
    }

    /// `σ² fᵀM⁻¹f` for rows of features that are made in parts.
    fn by_strips(
        &self,
        system: &FeatureSystem,
        rows: usize,
        part: impl Fn(Range<usize>) -> Result<Array2<f64>>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let mut found = Array1::zeros(rows);
        for start in (0..rows).step_by(STRIP) {
            let range = start..rows.min(start + STRIP);
            let half = system.factor().half_solve(part(range.clone())?.t(), compute)?;
            found.slice_mut(s![range]).assign(&(half.mapv(|v| v * v).sum_axis(Axis(0)) * self.noise));
        }
        Ok(found)
    }

    /// The system of the same data whose features have other numbers.
    fn remade(&self, known: &SparseRows, compute: &Compute) -> Result<FeatureSystem> {
        let dense = known.to_dense();
        let gram = multiply_transposed(dense.view(), dense.view(), compute)?;
        let (lambda, trace) = (self.noise / self.scale, gram.diag().sum());
        FeatureSystem::new(Arc::new(dense), gram, (lambda, trace), compute)?
            .ok_or_else(|| singular(&self.rows.kernel, self.noise))
    }
}
