//! Distances and inner products of all pairs of two lists of points, tile by tile.
//!
//! Squared distances are sums of squared differences in few dimensions and in single precision,
//! inner products of centered points with their norms ([`expanded`]) in many, and in single
//! precision sums over few coordinates where all others are 0 ([`sparse`]).

mod expanded;
mod packed;
mod sparse;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use ndarray::ArrayView2;

use self::expanded::{Expanded, THRESHOLD};
pub(crate) use self::packed::Stored;
use self::packed::{Change, Packed, PointRows, near_ratio};
use self::sparse::Sparse;
use crate::gram::Rows;
use crate::gram::simd::pairs::{self, Term};
use crate::gram::simd::reserved;
use crate::gram::simd::{Element, count_near};
use crate::{Error, Result};

pub use crate::kernel::MetricKind;

/// The matrix of a metric between row points and column points, computed tile by tile.
///
/// # Accuracy
/// Distances have the relative error [`Metric::relative_error`], for any offset of the data and for
/// points as near as they come; the distance of equal points is exactly 0. Single precision,
/// weights, and squared distances of 32 and more coordinates work on the centered points; pairs
/// that are near for their size are taken again from the original `f64` data.
///
/// # Cost
/// `O(d)` per pair; memory: the original points and two packed copies in each precision that was
/// used.
///
/// # Example
/// ```
/// use mercer::gram::{Metric, MetricKind};
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [3.0, 4.0]];
/// let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, None)?;
/// let mut tile = [0.0_f64; 4];
/// metric.fill(0..2, 0..2, &mut tile);
/// assert_eq!(tile, [0.0, 25.0, 25.0, 0.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Metric {
    kind: MetricKind,
    dims: usize,
    rows: PointRows,
    columns: Option<PointRows>,
    weights: Option<Vec<f64>>,
    expanded: OnceLock<Option<Expanded>>,
    sparse: OnceLock<Option<Sparse>>,
    double: OnceLock<Packed<f64>>,
    single: OnceLock<Packed<f32>>,
}

impl Metric {
    /// The metric between the rows of two matrices; without `columns` between the rows of the
    /// first.
    ///
    /// `weights` has one factor per coordinate (`1/ℓⱼ` for a lengthscale per coordinate).
    ///
    /// # Errors
    /// [`Error::Shape`] when the numbers of coordinates differ.
    pub fn new(
        kind: MetricKind,
        rows: ArrayView2<'_, f64>,
        columns: Option<ArrayView2<'_, f64>>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self> {
        let dims = rows.ncols();
        if let Some(columns) = &columns
            && columns.ncols() != dims
        {
            return Err(Error::shape("coordinates of the column points", dims, columns.ncols()));
        }
        if let Some(weights) = &weights
            && weights.len() != dims
        {
            return Err(Error::shape("weights of the coordinates", dims, weights.len()));
        }
        let values = |view: ArrayView2<'_, f64>| {
            let mut values = reserved(view.len());
            match view.as_slice() {
                Some(slice) => values.extend_from_slice(slice),
                None => values.extend(&view),
            }
            values
        };
        let points = |view: ArrayView2<'_, f64>| PointRows { n: view.nrows(), values: values(view) };
        Ok(Self {
            kind,
            dims,
            rows: points(rows),
            columns: columns.map(points),
            weights: weights.filter(|w| w.iter().any(|&w| w != 1.0)),
            expanded: OnceLock::new(),
            sparse: OnceLock::new(),
            double: OnceLock::new(),
            single: OnceLock::new(),
        })
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.n, self.columns().n)
    }

    /// What is measured.
    pub fn kind(&self) -> MetricKind {
        self.kind
    }

    /// Whether the column points are the row points.
    pub fn symmetric(&self) -> bool {
        self.columns.is_none()
    }

    /// Writes the values of `rows × columns` to `out`, row after row.
    ///
    /// # Panics
    /// When a range leaves the shape, or `out` has not `rows.len() · columns.len()` places.
    pub fn fill<T: Element>(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [T]) {
        self.fill_rows(&Rows::Range(rows), columns, out);
    }

    /// The same for rows in any order.
    pub(crate) fn fill_rows<T: Element>(&self, rows: &Rows<'_>, columns: Range<usize>, out: &mut [T]) {
        let (n, m) = self.shape();
        assert!(rows.within(n) && columns.end <= m, "the tile {rows:?} × {columns:?} leaves the {n} × {m} matrix");
        assert_eq!(out.len(), rows.len() * columns.len(), "the tile has another size than its ranges");
        if T::fill_expanded(self, rows, &columns, out) {
            return;
        }
        let packed = T::packed(self);
        let all_rows = packed.rows.as_deref().or_else(|| T::same(&self.rows.values)).unwrap_or_default();
        let mut buffer = Vec::new();
        let points = rows.of(all_rows, self.dims, &mut buffer);
        pairs::fill(self.term(), points, &packed.panels, columns.start, columns.len(), out);
        if !packed.row_limits.is_empty() {
            self.renew_near(packed, rows, columns, out);
        }
    }

    /// The value of one pair, from the original data.
    pub fn pair(&self, row: usize, column: usize) -> f64 {
        let (x, y) = (self.rows.row(row, self.dims), self.columns().row(column, self.dims));
        self.value(x, y)
    }

    /// The values of the row points with themselves.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.n).map(|i| self.value(self.rows.row(i, self.dims), self.rows.row(i, self.dims))).collect()
    }

    /// A bound of the relative error of every value that [`Metric::fill`] writes in the precision
    /// `T`, where the numbers stay inside its range; for the inner product relative to
    /// `Σ wⱼ²|xⱼyⱼ|`.
    ///
    /// With `u` the unit roundoff and `s = min(d, 256) + ⌈d/256⌉ + 4`, it is `s·u` for points that
    /// are used as they are, and `(s + 2√2·c/ρ)·u` (squared distance) or `(s + c/ρ)·u` (Manhattan)
    /// for centered ones: in single precision `c = 1`, `ρ = 1/8`, in double precision with weights
    /// `c = 2`, `ρ = 1/32`.
    ///
    /// Squared distances in double precision and 32 or more dimensions: the terms of
    /// `‖x‖² + ‖y‖² − 2xᵀy` are at most `2(‖x‖² + ‖y‖²)` on the way, so that the bound is
    /// `((2s + 64)/θ + 2√2·c/√θ)·u` with `θ = 1/8` (`c = 1` without weights).
    pub fn relative_error<T: Element>(&self) -> f64 {
        let steps = (self.dims.min(256) + self.dims.div_ceil(256) + 4) as f64;
        let double = T::UNIT_ROUNDOFF < 1e-12;
        let roundings = if double && self.weights.is_some() { 2.0 } else { 1.0 };
        if double && Expanded::pays(self.kind, self.dims) {
            let moved = 8_f64.sqrt() * roundings / THRESHOLD.sqrt();
            return ((2.0 * steps + 64.0) / THRESHOLD + moved) * T::UNIT_ROUNDOFF;
        }
        let changed = match self.kind {
            _ if double && self.weights.is_none() => 0.0,
            MetricKind::SquaredEuclidean => 8_f64.sqrt() * roundings / near_ratio::<T>(),
            MetricKind::Manhattan => roundings / near_ratio::<T>(),
            MetricKind::Dot => 2.0 * roundings,
        };
        (steps + changed) * T::UNIT_ROUNDOFF
    }

    fn columns(&self) -> &PointRows {
        self.columns.as_ref().unwrap_or(&self.rows)
    }

    fn term(&self) -> Term {
        match self.kind {
            MetricKind::SquaredEuclidean => Term::Square,
            MetricKind::Manhattan => Term::Absolute,
            MetricKind::Dot => Term::Product,
        }
    }

    fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let weight = |k: usize| self.weights.as_ref().map_or(1.0, |w| w[k]);
        let coordinates = x.iter().zip(y).enumerate();
        match self.kind {
            MetricKind::SquaredEuclidean => coordinates.map(|(k, (x, y))| ((x - y) * weight(k)).powi(2)).sum(),
            MetricKind::Manhattan => coordinates.map(|(k, (x, y))| ((x - y) * weight(k)).abs()).sum(),
            MetricKind::Dot => coordinates.map(|(k, (x, y))| (x * weight(k)) * (y * weight(k))).sum(),
        }
    }

    /// Computes the distances of near points again, from the original data: their difference is
    /// exact, that of the centered and rounded points is not.
    fn renew_near<T: Element>(&self, packed: &Packed<T>, rows: &Rows<'_>, columns: Range<usize>, out: &mut [T]) {
        let mut buffer = Vec::new();
        let limits = (rows.of(&packed.row_limits, 1, &mut buffer), &packed.column_limits[columns.clone()]);
        let near = count_near(out, limits.0, limits.1);
        if T::UNIT_ROUNDOFF > 1e-12 && total(&near) > out.len() / 16 {
            return self.round_double(rows, columns, out);
        }
        self.renew(&near, limits, (rows, columns.start), out);
    }

    /// The tile by inner products; `false` when this many pairs are near that squared differences
    /// are cheaper.
    fn fill_expanded(&self, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f64]) -> bool {
        let Some(expanded) = self.expanded.get_or_init(|| Expanded::new(self)) else {
            return false;
        };
        expanded.fill(rows, columns.clone(), out);
        let mut buffer = Vec::new();
        let limits = (rows.of(&expanded.row_limits, 1, &mut buffer), &expanded.column_limits[columns.clone()]);
        let near = count_near(out, limits.0, limits.1);
        // Every point is near itself.
        let few = total(&near) <= rows.len().min(columns.len()) + out.len() / 64;
        if few {
            self.renew(&near, limits, (rows, columns.start), out);
        }
        few
    }

    /// About how many multiplications a value in single precision takes.
    pub(in crate::gram) fn operations(&self) -> usize {
        let sparse = self.sparse.get_or_init(|| Sparse::new(self));
        sparse.as_ref().map_or(self.dims, Sparse::mean_count)
    }

    /// The tile by the nonzero coordinates; `false` when the points are not sparse, or the products
    /// not exact.
    fn fill_sparse(&self, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f32]) -> bool {
        let Some(sparse) = self.sparse.get_or_init(|| Sparse::new(self)) else {
            return false;
        };
        sparse.fill(rows, columns.clone(), out);
        true
    }

    /// Computes again what is below its limits, in the rows where there is any.
    fn renew<T: Element>(&self, near: &[u32], limits: (&[T], &[T]), corner: (&Rows<'_>, usize), out: &mut [T]) {
        let width = limits.1.len();
        for (r, _) in near.iter().enumerate().filter(|(_, n)| **n > 0) {
            for (c, value) in out[r * width..][..width].iter_mut().enumerate() {
                if is_near(*value, limits.0[r] + limits.1[c]) {
                    *value = T::from_f64(self.pair(corner.0.get(r), corner.1 + c));
                }
            }
        }
    }

    /// The whole tile in double precision, rounded: cheaper than many single pairs.
    fn round_double<T: Element>(&self, rows: &Rows<'_>, columns: Range<usize>, out: &mut [T]) {
        let mut double = vec![0.0_f64; out.len()];
        self.fill_rows(rows, columns, &mut double);
        out.iter_mut().zip(&double).for_each(|(o, &d)| *o = T::from_f64(d));
    }

    /// The points in `T`, packed at the first use.
    fn pack<T: Element>(&self) -> Packed<T> {
        let unchanged = if self.weights.is_none() { Packed::unchanged(self.columns(), self.dims) } else { None };
        unchanged.unwrap_or_else(|| {
            let shift = (self.kind != MetricKind::Dot).then(|| self.means());
            let change = Change { shift, weights: self.weights.as_deref() };
            Packed::changed(self.kind, &self.rows, self.columns.as_ref(), self.dims, &change)
        })
    }

    /// The mean of the row points, and of the column points if there are others.
    fn means(&self) -> Vec<f64> {
        let sides = [Some(&self.rows), self.columns.as_ref()];
        let count: usize = sides.iter().flatten().map(|p| p.n).sum();
        let mut means = vec![0.0; self.dims];
        for points in sides.into_iter().flatten() {
            for i in 0..points.n {
                means.iter_mut().zip(points.row(i, self.dims)).for_each(|(m, x)| *m += x / count as f64);
            }
        }
        means
    }
}

fn total(counts: &[u32]) -> usize {
    counts.iter().map(|&n| n as usize).sum()
}

/// Whether a value is below its limit; NaN is.
fn is_near<T: Element>(value: T, limit: T) -> bool {
    !matches!(value.partial_cmp(&limit), Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal))
}
