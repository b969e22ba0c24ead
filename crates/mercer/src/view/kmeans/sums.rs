//! The inner products of all points with the weighted sums of clusters, kept up to date.

use super::rows::Line;
use crate::gram::simd::{Element, add_rows};

/// Points of a block: the sums of a block for one start stay in the first-level cache with 16
/// clusters, those of all starts in the second. 1024 takes some 10 % more time for 5000 points in 8
/// clusters, and 15 to 60 % more in 30 clusters (one thread of a busy machine).
pub(super) const COLUMNS: usize = 256;

/// `Sᵢc = Σ_{j ∈ c} wⱼ k(xᵢ, xⱼ)`, in blocks of points, in each a row per cluster.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    values: Vec<f64>,
    clusters: usize,
    points: usize,
}

impl Sums {
    pub(super) fn new(points: usize, clusters: usize) -> Self {
        Self { values: vec![0.0; points * clusters], clusters, points }
    }

    /// `Sᵢc`.
    pub(super) fn get(&self, point: usize, cluster: usize) -> f64 {
        let start = point - point % COLUMNS;
        let width = COLUMNS.min(self.points - start);
        self.values[start * self.clusters + cluster * width + point - start]
    }

    /// The blocks of points: a row per cluster.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(COLUMNS * self.clusters)
    }

    /// The blocks of points, to be changed.
    pub(super) fn blocks_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_mut(COLUMNS * self.clusters)
    }

    /// A point of weight `w` with these kernel values goes from one cluster to another.
    pub(super) fn shift(&mut self, line: Line<'_>, w: f64, from: usize, to: usize) {
        match line {
            Line::Double(line) => self.shift_line(line, w, from, to),
            Line::Single(line) => self.shift_line(line, w, from, to),
        }
    }

    fn shift_line<T: Element>(&mut self, line: &[T], w: f64, from: usize, to: usize) {
        for (block, part) in self.values.chunks_mut(COLUMNS * self.clusters).zip(line.chunks(COLUMNS)) {
            let width = part.len();
            add_rows(&[(part, -w)], &mut block[from * width..(from + 1) * width]);
            add_rows(&[(part, w)], &mut block[to * width..(to + 1) * width]);
        }
    }
}
