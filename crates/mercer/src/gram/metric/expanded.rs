//! Squared distances as inner products: `‖x‖² + ‖y‖² − 2xᵀy` on centered points.
//!
//! The norms are two coordinates more: the inner product of `(‖x‖², 1, −2x)` with `(1, ‖y‖², y)` is
//! the squared distance, so that nothing is left to do after the product, and swapping `x` and `y`
//! changes no bit. What is near for its size has lost digits and is computed again from the
//! original data.

use std::ops::Range;

use super::packed::{Change, PointRows};
use super::{Metric, MetricKind};
use crate::gram::Rows;
use crate::gram::simd::pairs::{self, Panels, Term};
use crate::gram::simd::reserved;

/// From this many coordinates on the product is faster than the sum of squared differences, in
/// spite of the norms and the search for near pairs.
const FEWEST: usize = 32;
/// `θ`: a squared distance below `θ(‖x‖² + ‖y‖²)` is computed again.
/// Three bits are lost at most by a pair above it.
pub(super) const THRESHOLD: f64 = 0.125;
/// Pairs that are used to see whether the points lie in clusters.
/// It decides the speed and no value: any few hundred would do.
const SAMPLE: usize = 512;

/// Centered and weighted points with their norms.
#[derive(Debug)]
pub(super) struct Expanded {
    depth: usize,
    rows: Vec<f64>,
    panels: Panels<f64>,
    /// `θ‖x‖²` of the row points.
    pub(super) row_limits: Vec<f64>,
    /// `θ‖y‖²` of the column points.
    pub(super) column_limits: Vec<f64>,
}

impl Expanded {
    /// Whether the product is the faster way for this kind and dimension.
    pub(super) fn pays(kind: MetricKind, dims: usize) -> bool {
        kind == MetricKind::SquaredEuclidean && dims >= FEWEST
    }

    /// `None` where squared differences are better: few coordinates, numbers whose squares leave
    /// the range, or clusters so tight that many pairs would be computed twice.
    pub(super) fn new(metric: &Metric) -> Option<Self> {
        let dims = metric.dims;
        if !Self::pays(metric.kind, dims) {
            return None;
        }
        let change = Change { shift: Some(metric.means()), weights: metric.weights.as_deref() };
        let side = |points: &PointRows| {
            let (rows, norms) = extended(points, dims, &change);
            norms.iter().all(|&norm| norm < f64::MAX / 16.0).then_some((rows, norms))
        };
        let (rows, row_norms) = side(&metric.rows)?;
        let other = match &metric.columns {
            Some(columns) => Some(side(columns)?),
            None => None,
        };
        let (columns, column_norms) = other.as_ref().map_or((&rows, &row_norms), |(x, norms)| (x, norms));
        if clustered(metric, &row_norms, column_norms) {
            return None;
        }
        let depth = dims + 2;
        let panels = Panels::written(column_norms.len(), depth, |j, packed| {
            let column = &columns[j * depth..(j + 1) * depth];
            (packed[0], packed[1]) = (column[1], column[0]);
            packed[2..].iter_mut().zip(&column[2..]).for_each(|(y, x)| *y = -0.5 * x);
        });
        let limits = |norms: &[f64]| norms.iter().map(|norm| THRESHOLD * norm).collect();
        Some(Self { depth, panels, row_limits: limits(&row_norms), column_limits: limits(column_norms), rows })
    }

    /// Writes a tile. Values below the sum of their limits are not good enough.
    pub(super) fn fill(&self, rows: &Rows<'_>, columns: Range<usize>, out: &mut [f64]) {
        let mut buffer = Vec::new();
        let points = rows.of(&self.rows, self.depth, &mut buffer);
        pairs::fill(Term::Product, points, &self.panels, columns.start, columns.len(), out);
    }
}

/// `‖x‖²`, summed by halves: the error is below `(32 + log₂ d)` units for any dimension.
fn squared_norm(x: &[f64]) -> f64 {
    if x.len() <= 32 {
        return x.iter().map(|x| x * x).sum();
    }
    let (left, right) = x.split_at(x.len() / 2);
    squared_norm(left) + squared_norm(right)
}

/// `(‖x‖², 1, −2x)` of the changed points, and `‖x‖²`.
fn extended(points: &PointRows, dims: usize, change: &Change<'_>) -> (Vec<f64>, Vec<f64>) {
    let mut extended = reserved(points.n * (dims + 2));
    let norms = (0..points.n).map(|i| {
        let start = extended.len();
        extended.extend([0.0, 1.0]);
        extended.extend(change.row::<f64>(points.row(i, dims)));
        let norm = squared_norm(&extended[start + 2..]);
        extended[start] = norm;
        extended[start + 2..].iter_mut().for_each(|x| *x *= -2.0);
        norm
    });
    let norms = norms.collect();
    (extended, norms)
}

/// Whether more than a sixteenth of a sample of pairs is near. The sample depends on the number of
/// points alone.
fn clustered(metric: &Metric, row_norms: &[f64], column_norms: &[f64]) -> bool {
    let (n, m) = (row_norms.len(), column_norms.len());
    if n == 0 || m == 0 {
        return false;
    }
    // Two odd strides without a common factor walk through the rows and the columns at different
    // speeds.
    let pairs = (0..SAMPLE).map(|k| (k * 7919 % n, (k * 104_729 + m / 2) % m));
    let pairs = pairs.filter(|&(i, j)| metric.columns.is_some() || i != j);
    let near = pairs.filter(|&(i, j)| metric.pair(i, j) < THRESHOLD * (row_norms[i] + column_norms[j]));
    near.count() > SAMPLE / 16
}
