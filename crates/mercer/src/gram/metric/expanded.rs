//! Squared distances as inner products: `‖x‖² + ‖y‖² − 2xᵀy` on centered points.
//!
//! The norms are two coordinates more: the inner product of `(‖x‖², 1, −2x)` with `(1, ‖y‖², y)` is
//! the squared distance, so that nothing is left to do after the product, and swapping `x` and `y`
//! changes no bit. What is near for its size has lost digits and is computed again from the
//! original data.

use std::ops::Range;

use super::MetricKind;
use super::columns::Columns;
use super::packed::CHUNK;
use crate::compute::Workers;
use crate::gram::Rows;
use crate::gram::coordinates::Coordinates;
use crate::gram::simd::pairs::{self, Panels, Term};
use crate::gram::simd::zeroed;

/// From this many coordinates on the product is faster than the sum of squared differences, in
/// spite of the norms and the search for near pairs.
const FEWEST: usize = 32;
/// `θ`: a squared distance below `θ(‖x‖² + ‖y‖²)` is computed again.
/// Three bits are lost at most by a pair above it.
pub(super) const THRESHOLD: f64 = 0.125;
/// Pairs that are used to see whether the points lie in clusters.
/// It decides the speed and no value: any few hundred would do.
const SAMPLE: usize = 512;

/// Whether the product is the faster way for this kind and dimension.
pub(super) fn pays(kind: MetricKind, dims: usize) -> bool {
    kind == MetricKind::SquaredEuclidean && dims >= FEWEST
}

/// Centered and weighted column points with their norms: `(1, ‖y‖², y)`.
#[derive(Debug)]
pub(super) struct ExpandedColumns {
    panels: Panels<f64>,
    /// `θ‖y‖²`.
    pub(super) limits: Vec<f64>,
}

impl ExpandedColumns {
    /// `None` where squared differences are better: few coordinates, numbers whose squares leave
    /// the range, or clusters so tight that many pairs would be computed twice.
    pub(super) fn new(columns: &Columns, workers: Workers<'_>) -> Option<Self> {
        let (n, dims) = columns.points.dim();
        if !pays(columns.kind, dims) {
            return None;
        }
        let change = columns.change();
        let mut norms = vec![0.0; n];
        workers.each_chunk(&mut norms, CHUNK, |at, chunk| {
            let mut point = vec![0.0; dims];
            for (i, norm) in chunk.iter_mut().enumerate() {
                change.write(columns.points.point(at * CHUNK + i), &mut point);
                *norm = squared_norm(&point);
            }
        });
        if norms.iter().any(|&norm| too_large(norm)) || clustered(columns, &norms) {
            return None;
        }
        let panels = Panels::written(n, dims + 2, workers, |j, packed: &mut [f64]| {
            (packed[0], packed[1]) = (1.0, norms[j]);
            change.write(columns.points.point(j), &mut packed[2..]);
        });
        Some(Self { panels, limits: limits(&norms) })
    }
}

/// Centered and weighted row points with their norms: `(‖x‖², 1, −2x)`.
#[derive(Debug)]
pub(super) struct ExpandedRows {
    depth: usize,
    points: Vec<f64>,
    /// `θ‖x‖²`.
    pub(super) limits: Vec<f64>,
}

impl ExpandedRows {
    /// `None` where squares leave the range of the numbers.
    pub(super) fn new(points: &Coordinates, columns: &Columns, workers: Workers<'_>) -> Option<Self> {
        let (n, dims) = points.dim();
        let (depth, change) = (dims + 2, columns.change());
        let mut extended = zeroed(n * depth);
        workers.each_chunk(&mut extended, CHUNK * depth, |at, chunk| {
            for (i, row) in chunk.chunks_exact_mut(depth).enumerate() {
                change.write(points.point(at * CHUNK + i), &mut row[2..]);
                (row[0], row[1]) = (squared_norm(&row[2..]), 1.0);
                row[2..].iter_mut().for_each(|x| *x *= -2.0);
            }
        });
        let norms: Vec<f64> = extended.iter().step_by(depth).copied().collect();
        let fits = !norms.iter().any(|&norm| too_large(norm));
        fits.then(|| Self { depth, points: extended, limits: limits(&norms) })
    }

    /// Writes a tile. Values below the sum of their limits are not good enough.
    pub(super) fn fill(&self, columns: &ExpandedColumns, rows: &Rows<'_>, range: Range<usize>, out: &mut [f64]) {
        let mut buffer = Vec::new();
        let points = rows.of(&self.points, self.depth, &mut buffer);
        pairs::fill(Term::Product, points, &columns.panels, range.start, range.len(), out);
    }
}

fn limits(norms: &[f64]) -> Vec<f64> {
    norms.iter().map(|norm| THRESHOLD * norm).collect()
}

/// Whether sums of such squares could leave the range of the numbers; NaN could.
fn too_large(norm: f64) -> bool {
    norm.is_nan() || norm >= f64::MAX / 16.0
}

/// `‖x‖²`, summed by halves: the error is below `(32 + log₂ d)` units for any dimension.
fn squared_norm(x: &[f64]) -> f64 {
    if x.len() <= 32 {
        return x.iter().map(|x| x * x).sum();
    }
    let (left, right) = x.split_at(x.len() / 2);
    squared_norm(left) + squared_norm(right)
}

/// Whether more than a sixteenth of a sample of pairs of the column points is near. The sample
/// depends on the number of points alone.
fn clustered(columns: &Columns, norms: &[f64]) -> bool {
    let n = norms.len();
    if n == 0 {
        return false;
    }
    // Two odd strides without a common factor walk through the points at different speeds.
    let pairs = (0..SAMPLE).map(|k| (k * 7919 % n, (k * 104_729 + n / 2) % n)).filter(|(i, j)| i != j);
    let distance = |i: usize, j: usize| columns.value(columns.points.point(i), columns.points.point(j));
    let near = pairs.filter(|&(i, j)| distance(i, j) < THRESHOLD * (norms[i] + norms[j]));
    near.count() > SAMPLE / 16
}
