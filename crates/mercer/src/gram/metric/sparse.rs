//! Squared distances of points with few nonzero coordinates, all of them integers: coded categories
//! and counts.
//!
//! As for the inner products of centered points, the norms are two coordinates more, but nothing is
//! centered: the products are integers that single precision holds exactly, so that no digit is
//! lost however near two points are.

use std::ops::Range;

use super::MetricKind;
use super::columns::Columns;
use crate::compute::Workers;
use crate::gram::Rows;
use crate::gram::coordinates::Coordinates;
use crate::gram::simd::pairs::Panels;
use crate::gram::simd::sparse::{fill_sparse, panels};

/// Fewer coordinates are summed as fast without a list of positions.
const FEWEST: usize = 16;
/// One coordinate of so many may be nonzero.
const DENSITY: usize = 4;
/// The largest `‖x‖²`: no sum on the way to `‖x‖² + ‖y‖² − 2xᵀy` exceeds four times this, up to
/// which single precision counts.
const LARGEST: f64 = (1 << 22) as f64;

/// Packed column points: `(1, ‖y‖², y)`.
#[derive(Debug)]
pub(super) struct SparseColumns {
    panels: Panels<f32>,
}

impl SparseColumns {
    /// `None` where the products would not be exact, or not be faster.
    pub(super) fn new(columns: &Columns, workers: Workers<'_>) -> Option<Self> {
        let (n, dims) = columns.points.dim();
        if columns.kind != MetricKind::SquaredEuclidean || columns.weights.is_some() || dims < FEWEST {
            return None;
        }
        if !suits(&columns.points) {
            return None;
        }
        let mut extended = Vec::with_capacity(n * (dims + 2));
        for point in columns.points.as_slice().chunks_exact(dims) {
            extended.extend([1.0, squared_norm(point) as f32]);
            extended.extend(point.iter().map(|x| *x as f32));
        }
        Some(Self { panels: panels(&extended, n, dims + 2, workers) })
    }
}

/// The nonzero coordinates of row points.
#[derive(Debug)]
pub(super) struct SparseRows {
    /// Where the coordinates of each row point begin; the last entry is where they end.
    starts: Vec<usize>,
    /// `(‖x‖², 1, −2x)` without zeros.
    entries: Vec<(u32, f32)>,
}

impl SparseRows {
    /// `None` where the products would not be exact, or not be faster.
    pub(super) fn new(points: &Coordinates) -> Option<Self> {
        suits(points).then(|| {
            let (starts, entries) = entries(points);
            Self { starts, entries }
        })
    }

    /// Nonzero coordinates of a row point on the average, with those for the norms.
    pub(super) fn mean_count(&self) -> usize {
        self.entries.len() / (self.starts.len() - 1).max(1)
    }

    /// Writes a tile of squared distances.
    pub(super) fn fill(&self, columns: &SparseColumns, rows: &Rows<'_>, range: Range<usize>, out: &mut [f32]) {
        let points: Vec<&[(u32, f32)]> =
            rows.iter().map(|i| &self.entries[self.starts[i]..self.starts[i + 1]]).collect();
        fill_sparse(&points, &columns.panels, range.start, range.len(), out);
    }
}

/// Whether the numbers are whole, few of them are not 0, and the norms are small.
fn suits(points: &Coordinates) -> bool {
    let (values, dims) = (points.as_slice(), points.ncols().max(1));
    let nonzero = values.iter().filter(|x| **x != 0.0).count();
    nonzero * DENSITY <= values.len()
        && values.iter().all(|x| x.trunc() == *x)
        && values.chunks_exact(dims).all(|point| squared_norm(point) <= LARGEST)
}

fn squared_norm(point: &[f64]) -> f64 {
    point.iter().map(|x| x * x).sum()
}

/// Where each point begins, and `(‖x‖², 1, −2x)` without zeros.
fn entries(points: &Coordinates) -> (Vec<usize>, Vec<(u32, f32)>) {
    let (mut starts, mut entries) = (vec![0], Vec::new());
    for point in points.as_slice().chunks_exact(points.ncols().max(1)) {
        entries.extend([(0, squared_norm(point) as f32), (1, 1.0)]);
        let nonzero = point.iter().zip(2..).filter(|(x, _)| **x != 0.0);
        entries.extend(nonzero.map(|(x, position)| (position, -2.0 * *x as f32)));
        starts.push(entries.len());
    }
    (starts, entries)
}
