//! Metrics on sparse vectors, tile by tile.

use std::ops::Range;
use std::sync::Arc;

use super::union::merge;
use crate::gram::MetricKind;
use crate::kernel::sparse_rows::{RunningSums, SparseColumns, SparseProducts, SparseRows};
use crate::points::Csr;
use crate::{Compute, Error, Result};

/// `θ`: a squared distance below `θ(‖x‖² + ‖y‖²)` is computed again from the differences, as dense
/// vectors do it. At most three bits are lost by a pair above it.
const THRESHOLD: f64 = 0.125;
/// Whole numbers with squared norms up to this have exact products and distances.
const EXACT: f64 = (1u64 << 50) as f64;
/// Dense columns take at most this part of the memory limit.
const PANEL_PART: u64 = 8;
/// Dense columns take at most this many bytes.
const PANEL_BYTES: u64 = 1 << 28;

/// Inner products and distances of sparse vectors.
///
/// # Formula
/// `⟨x, y⟩` over the common columns; `‖x − y‖₂² = ‖x‖² + ‖y‖² − 2⟨x, y⟩`, or `Σ(xⱼ − yⱼ)²` over the
/// columns of both where that is below `θ(‖x‖² + ‖y‖²)`; `‖x − y‖₁` over the columns of both.
///
/// # Accuracy
/// Norms and products are sums in the order of the columns, without fused operations: the distance of
/// equal vectors is 0, the matrix is symmetric to the last bit, and no value depends on its tile. With
/// `m` values in a row at most, the relative error of a squared distance is below `(2m + 4)u/θ`.
#[derive(Debug)]
pub(crate) struct SparseMetric {
    products: SparseProducts,
    /// `‖x‖²` of the row points; none where they are the column points.
    squares: Option<Vec<f64>>,
    columns: Arc<MetricColumns>,
    /// Whether products and squared distances have no rounding error: then no pair is renewed.
    exact: bool,
}

/// The column points of metrics on sparse vectors, each column times its weight.
#[derive(Debug)]
pub(crate) struct MetricColumns {
    points: Arc<SparseColumns>,
    squares: Vec<f64>,
    /// Whether all coordinates are whole numbers.
    whole: bool,
}

impl MetricColumns {
    fn new(points: SparseRows) -> Self {
        let (squares, whole) = (points.squared_norms(), is_whole(&points));
        Self { points: Arc::new(SparseColumns::new(points)), squares, whole }
    }

    /// The bytes that are held at most.
    pub(crate) fn bytes(&self, compute: &Compute) -> u64 {
        self.points.bytes(panel_bytes(compute)) + 8 * self.squares.len() as u64
    }
}

impl SparseMetric {
    /// The metrics of all pairs, each column times its weight.
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of columns or another number of weights.
    pub(crate) fn new(rows: &Csr, cols: Option<&Csr>, weights: Option<&[f64]>, compute: &Compute) -> Result<Arc<Self>> {
        check_widths(rows, cols.map_or(rows.width(), Csr::width), weights)?;
        let (rows, columns) = match cols {
            Some(cols) => (Some(features(rows, weights)), features(cols, weights)),
            None => (None, features(rows, weights)),
        };
        Ok(Arc::new(Self::of(rows, Arc::new(MetricColumns::new(columns)), compute)))
    }

    /// The metrics of new rows and column points that are kept, which have the same weights.
    ///
    /// # Errors
    /// As [`SparseMetric::new`].
    pub(crate) fn beside(
        rows: &Csr,
        columns: Arc<MetricColumns>,
        weights: Option<&[f64]>,
        compute: &Compute,
    ) -> Result<Arc<Self>> {
        check_widths(rows, columns.points.features().width, weights)?;
        let made = Self::of(Some(features(rows, weights)), columns, compute);
        made.products.prepare();
        Ok(Arc::new(made))
    }

    fn of(rows: Option<SparseRows>, columns: Arc<MetricColumns>, compute: &Compute) -> Self {
        let squares = rows.as_ref().map(SparseRows::squared_norms);
        let mut all = squares.iter().flatten().chain(&columns.squares);
        let exact = columns.whole && rows.as_ref().is_none_or(is_whole) && all.all(|norm| *norm <= EXACT);
        let products = SparseProducts::beside(panel_bytes(compute), rows, columns.points.clone());
        Self { products, squares, columns, exact }
    }

    /// The column points.
    pub(crate) fn columns(&self) -> &Arc<MetricColumns> {
        &self.columns
    }

    /// The row points and the column points.
    pub(crate) fn sides(&self) -> (&SparseRows, &SparseRows) {
        (self.products.rows(), self.products.columns())
    }

    /// `‖x‖²` of the row points and, where there are others, of the column points.
    pub(crate) fn squares(&self) -> (&[f64], Option<&[f64]>) {
        let columns = &self.columns.squares;
        self.squares.as_deref().map_or((columns, None), |rows| (rows, Some(columns)))
    }

    /// About how many operations a value takes.
    pub(crate) fn operations(&self) -> usize {
        self.products.operations()
    }

    /// The largest value of a metric that can occur, from the norms.
    pub(crate) fn largest(&self, kind: MetricKind) -> f64 {
        let longest = |squares: &[f64]| squares.iter().fold(0.0_f64, |m, v| m.max(*v)).sqrt();
        let (x, y) = (longest(self.squares().0), longest(&self.columns.squares));
        match kind {
            MetricKind::Dot => x * y,
            MetricKind::SquaredEuclidean => (x + y) * (x + y),
            // ‖z‖₁ ≤ √d ‖z‖₂.
            MetricKind::Manhattan => (x + y) * (self.products.rows().width as f64).sqrt(),
        }
    }

    /// Writes the values of these rows and columns, row after row. Kernels that share the metric
    /// find the inner products of the tile in `sums`.
    pub(crate) fn fill(
        self: &Arc<Self>,
        kind: MetricKind,
        rows: &[usize],
        cols: Range<usize>,
        sums: Option<&mut RunningSums>,
        out: &mut [f64],
    ) {
        if kind == MetricKind::Manhattan {
            return self.manhattan(rows, cols, out);
        }
        match sums {
            // Nobody else has it.
            Some(sums) if Arc::strong_count(self) > 1 => {
                let key = Arc::as_ptr(self) as usize;
                out.copy_from_slice(sums.products(key, || {
                    let mut values = vec![0.0; out.len()];
                    self.products.fill(rows, cols.clone(), &mut values);
                    values
                }));
            }
            _ => self.products.fill(rows, cols.clone(), out),
        }
        if kind == MetricKind::SquaredEuclidean {
            self.squared_distances(rows, cols, out);
        }
    }

    /// `⟨x, y⟩` to `‖x − y‖²`.
    fn squared_distances(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let (of_rows, of_cols) = (self.squares().0, &self.columns.squares[cols.clone()]);
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            let norm = of_rows[i];
            line.iter_mut().zip(of_cols).for_each(|(value, other)| *value = (norm + other) - 2.0 * *value);
            if !self.exact && is_any_near(line, norm, of_cols) {
                self.renew(i, cols.start, norm, of_cols, line);
            }
        }
    }

    /// Computes distances again that have lost digits.
    fn renew(&self, i: usize, first: usize, norm: f64, of_cols: &[f64], line: &mut [f64]) {
        let (rows, columns) = self.sides();
        for (j, (value, other)) in line.iter_mut().zip(of_cols).enumerate() {
            if *value < THRESHOLD * (norm + other) {
                let mut sum = 0.0;
                merge(rows.row(i), columns.row(first + j), |x, y| sum += (x - y) * (x - y));
                *value = sum;
            }
        }
    }

    fn manhattan(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let (of_rows, of_cols) = self.sides();
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            for (value, j) in line.iter_mut().zip(cols.clone()) {
                let mut sum = 0.0;
                merge(of_rows.row(i), of_cols.row(j), |x, y| sum += (x - y).abs());
                *value = sum;
            }
        }
    }
}

/// Whether a distance of a row has lost digits: without a branch per value, so that it becomes SIMD
/// code.
fn is_any_near(line: &[f64], norm: f64, others: &[f64]) -> bool {
    line.iter().zip(others).fold(false, |any, (value, other)| any | (*value < THRESHOLD * (norm + other)))
}

fn is_whole(rows: &SparseRows) -> bool {
    rows.values.iter().all(|value| value.trunc() == *value)
}

/// The bytes that dense columns take at most.
fn panel_bytes(compute: &Compute) -> f64 {
    PANEL_BYTES.min(compute.memory() / PANEL_PART) as f64
}

fn check_widths(rows: &Csr, columns: usize, weights: Option<&[f64]>) -> Result<()> {
    if columns != rows.width() {
        return Err(Error::shape("columns of the second sample", rows.width(), columns));
    }
    match weights.filter(|weights| weights.len() != rows.width()) {
        Some(weights) => Err(Error::shape("weights of the coordinates", rows.width(), weights.len())),
        None => Ok(()),
    }
}

/// The rows, each column times its weight.
fn features(rows: &Csr, weights: Option<&[f64]>) -> SparseRows {
    let (starts, columns, values) = rows.parts();
    let values = match weights {
        None => values.to_vec(),
        Some(weights) => columns.iter().zip(values).map(|(&column, value)| value * weights[column as usize]).collect(),
    };
    SparseRows { starts: starts.to_vec(), columns: columns.to_vec(), values, width: rows.width() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn filled(x: &Array2<f64>, kind: MetricKind) -> Vec<f64> {
        let csr = Csr::from_dense(x.view()).unwrap();
        let metric = SparseMetric::new(&csr, None, None, &Compute::new()).unwrap();
        let n = x.nrows();
        let mut out = vec![f64::NAN; n * n];
        metric.fill(kind, &(0..n).collect::<Vec<_>>(), 0..n, None, &mut out);
        out
    }

    #[test]
    fn near_points_keep_their_digits() {
        // Equal but for 1e-9 in one coordinate of 1000: the squared distance is 1e-18 to 15 digits.
        let mut x = Array2::from_elem((3, 50), 1e3);
        x[[1, 7]] += 1e-9;
        let found = filled(&x, MetricKind::SquaredEuclidean);
        let moved = x[[1, 7]] - 1e3;
        assert_eq!(found, [0.0, moved * moved, 0.0, moved * moved, 0.0, moved * moved, 0.0, moved * moved, 0.0]);
    }

    #[test]
    fn distances_are_those_of_the_differences() {
        let x = array![[1.5, 0.0, -2.0], [0.0, 0.0, 0.0], [1.5, 0.25, 0.0]];
        let squared = filled(&x, MetricKind::SquaredEuclidean);
        assert_eq!(squared, [0.0, 6.25, 4.0625, 6.25, 0.0, 2.3125, 4.0625, 2.3125, 0.0]);
        assert_eq!(filled(&x, MetricKind::Manhattan), [0.0, 3.5, 2.25, 3.5, 0.0, 1.75, 2.25, 1.75, 0.0]);
        assert_eq!(filled(&x, MetricKind::Dot)[..3], [6.25, 0.0, 2.25]);
    }
}
