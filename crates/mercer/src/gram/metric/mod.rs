//! Distances and inner products of all pairs of two lists of points, tile by tile.
//!
//! Squared distances are sums of squared differences in few dimensions and in single precision,
//! inner products of centered points with their norms ([`expanded`]) in many, and in single
//! precision sums over few coordinates where all others are 0 ([`sparse`]).

mod columns;
mod expanded;
mod packed;
mod sparse;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::ArrayView2;

use self::columns::Columns;
use self::expanded::{ExpandedRows, THRESHOLD};
pub(crate) use self::packed::Stored;
use self::packed::{PackedRows, near_ratio};
use self::sparse::SparseRows;
use crate::compute::{Workers, filled};
use crate::gram::Rows;
use crate::gram::coordinates::Coordinates;
use crate::gram::simd::pairs::{self, Term};
use crate::gram::simd::{Element, count_near};
use crate::{Compute, Error, Precision, Result};

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
    dims: usize,
    rows: Arc<Coordinates>,
    symmetric: bool,
    /// The column points, packed: they may be those of other metrics of the same kind and weights.
    columns: Arc<Columns>,
    expanded: OnceLock<Option<ExpandedRows>>,
    sparse: OnceLock<Option<SparseRows>>,
    double: OnceLock<PackedRows<f64>>,
    single: OnceLock<PackedRows<f32>>,
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
        Ok(Self::of(kind, Coordinates::copied(rows), columns.map(Coordinates::copied), weights))
    }

    /// The same of points with as many coordinates each, which are not copied.
    pub(crate) fn of(
        kind: MetricKind,
        rows: Arc<Coordinates>,
        columns: Option<Arc<Coordinates>>,
        weights: Option<Vec<f64>>,
    ) -> Self {
        let symmetric = columns.is_none();
        let columns = Columns::new(kind, columns.unwrap_or_else(|| rows.clone()), weights);
        Self { symmetric, ..Self::beside(rows, Arc::new(columns)) }
    }

    /// The metric between row points and column points that another metric has packed.
    pub(crate) fn beside(rows: Arc<Coordinates>, columns: Arc<Columns>) -> Self {
        Self {
            dims: rows.ncols(),
            rows,
            symmetric: false,
            columns,
            expanded: OnceLock::new(),
            sparse: OnceLock::new(),
            double: OnceLock::new(),
            single: OnceLock::new(),
        }
    }

    /// The column points, packed.
    pub(crate) fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    /// Packs the points of both sides ahead of the first tile, by all threads.
    pub(crate) fn prepare(&self, precision: Precision, compute: &Compute) {
        self.columns.prepare(precision, compute);
        let workers = Workers::All(compute);
        match precision {
            Precision::Double if self.columns.expanded().is_some() => {
                filled(&self.expanded, || ExpandedRows::new(&self.rows, &self.columns, workers));
            }
            Precision::Double => {
                filled(&self.double, || PackedRows::new(&self.rows, &self.columns, workers));
            }
            Precision::SingleTiles if self.columns.sparse().is_some() => {}
            Precision::SingleTiles => {
                filled(&self.single, || PackedRows::new(&self.rows, &self.columns, workers));
            }
        }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.nrows(), self.columns.points.nrows())
    }

    /// What is measured.
    pub fn kind(&self) -> MetricKind {
        self.columns.kind
    }

    /// Whether the column points are the row points.
    pub fn symmetric(&self) -> bool {
        self.symmetric
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
        let (packed_rows, packed_columns) = T::packed(self);
        let all_rows = packed_rows.points.as_deref().or_else(|| T::same(self.rows.as_slice())).unwrap_or_default();
        let mut buffer = Vec::new();
        let points = rows.of(all_rows, self.dims, &mut buffer);
        pairs::fill(self.term(), points, &packed_columns.panels, columns.start, columns.len(), out);
        if !packed_columns.limits.is_empty() {
            self.renew_near(&packed_rows.limits, &packed_columns.limits, rows, columns, out);
        }
    }

    /// The value of one pair, from the original data.
    pub fn pair(&self, row: usize, column: usize) -> f64 {
        self.columns.value(self.rows.point(row), self.columns.points.point(column))
    }

    /// The values of the row points with themselves.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.nrows()).map(|i| self.columns.value(self.rows.point(i), self.rows.point(i))).collect()
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
        let weighted = self.columns.weights.is_some();
        let roundings = if double && weighted { 2.0 } else { 1.0 };
        if double && expanded::pays(self.kind(), self.dims) {
            let moved = 8_f64.sqrt() * roundings / THRESHOLD.sqrt();
            return ((2.0 * steps + 64.0) / THRESHOLD + moved) * T::UNIT_ROUNDOFF;
        }
        let changed = match self.kind() {
            _ if double && !weighted => 0.0,
            MetricKind::SquaredEuclidean => 8_f64.sqrt() * roundings / near_ratio::<T>(),
            MetricKind::Manhattan => roundings / near_ratio::<T>(),
            MetricKind::Dot => 2.0 * roundings,
        };
        (steps + changed) * T::UNIT_ROUNDOFF
    }

    fn term(&self) -> Term {
        match self.kind() {
            MetricKind::SquaredEuclidean => Term::Square,
            MetricKind::Manhattan => Term::Absolute,
            MetricKind::Dot => Term::Product,
        }
    }

    /// Computes the distances of near points again, from the original data: their difference is
    /// exact, that of the centered and rounded points is not.
    fn renew_near<T: Element>(
        &self,
        row_limits: &[T],
        column_limits: &[T],
        rows: &Rows<'_>,
        columns: Range<usize>,
        out: &mut [T],
    ) {
        let mut buffer = Vec::new();
        let limits = (rows.of(row_limits, 1, &mut buffer), &column_limits[columns.clone()]);
        let near = count_near(out, limits.0, limits.1);
        if T::UNIT_ROUNDOFF > 1e-12 && total(&near) > out.len() / 16 {
            return self.round_double(rows, columns, out);
        }
        self.renew(&near, limits, (rows, columns.start), out);
    }

    /// The tile by inner products; `false` when this many pairs are near that squared differences
    /// are cheaper.
    fn fill_expanded(&self, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f64]) -> bool {
        let Some(packed) = self.columns.expanded() else { return false };
        let Some(expanded) = self.expanded.get_or_init(|| ExpandedRows::new(&self.rows, &self.columns, Workers::One))
        else {
            return false;
        };
        expanded.fill(packed, rows, columns.clone(), out);
        let mut buffer = Vec::new();
        let limits = (rows.of(&expanded.limits, 1, &mut buffer), &packed.limits[columns.clone()]);
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
        self.sparse().map_or(self.dims, SparseRows::mean_count)
    }

    /// The nonzero coordinates of the row points, where both sides are sparse.
    fn sparse(&self) -> Option<&SparseRows> {
        self.columns.sparse()?;
        self.sparse.get_or_init(|| SparseRows::new(&self.rows)).as_ref()
    }

    /// The tile by the nonzero coordinates; `false` when the points are not sparse, or the products
    /// not exact.
    fn fill_sparse(&self, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f32]) -> bool {
        let (Some(sparse), Some(packed)) = (self.sparse(), self.columns.sparse()) else { return false };
        sparse.fill(packed, rows, columns.clone(), out);
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
}

fn total(counts: &[u32]) -> usize {
    counts.iter().map(|&n| n as usize).sum()
}

/// Whether a value is below its limit; NaN is.
fn is_near<T: Element>(value: T, limit: T) -> bool {
    !matches!(value.partial_cmp(&limit), Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal))
}
