//! Kernels of the phases of points: slopes by lengthscales, period and bandlimit.

use std::f64::consts::TAU;
use std::ops::Range;

use super::TileGradient;
use super::profile::by_metric;
use crate::gram::bound::node::{Kind, Node};
use crate::gram::simd::{CircleSide, dot, sinc_column, weighted_phases};

impl TileGradient<'_> {
    /// `k = exp(−½ Σⱼ uⱼ/ℓⱼ²)` with `uⱼ = 4 sin²(π(xⱼ − yⱼ)/p)` the squared distance on circle `j`;
    /// returns `Σ w k`.
    pub(super) fn circles(
        &mut self,
        inner: &Node<'_>,
        (slot, period): (usize, f64),
        lengths: &[f64],
        parameters: &Range<usize>,
        w: &[f64],
        factor: f64,
    ) -> f64 {
        let Kind::Profile { base, metric, scale } = &inner.kind else { return self.values_total(inner, w) };
        let own = parameters.start;
        // The period comes after the lengthscales.
        let counted = parameters.len() - 1;
        let (mut weighted, _) = by_metric(base, *scale, false, self.tile.metric(*metric));
        weighted.iter_mut().zip(w).for_each(|(k, w)| *k *= w);
        // ∂k/∂ℓⱼ = k uⱼ/ℓⱼ³
        for (column, length) in lengths.iter().enumerate() {
            let parameter = own + column.min(counted - 1);
            if self.requested[parameter] {
                let distances = self.circle_distances(inner.slot, column, &weighted);
                self.sums[parameter] += factor * distances / (length * length * length);
            }
        }
        // ∂k/∂p = k 2π/p² Σⱼ (xⱼ − yⱼ) sin(2π(xⱼ − yⱼ)/p)/ℓⱼ²
        if self.requested[own + counted] {
            let phases = lengths
                .iter()
                .enumerate()
                .map(|(column, length)| self.phases(slot, inner.slot, column, &weighted) / (length * length));
            let sum: f64 = phases.sum();
            self.sums[own + counted] += factor * TAU / (period * period) * sum;
        }
        weighted.iter().sum()
    }

    fn values_total(&mut self, node: &Node<'_>, w: &[f64]) -> f64 {
        dot(w, &self.values(node))
    }

    /// `Σᵢⱼ wᵢⱼ u` on the circle of a column.
    fn circle_distances(&self, around: usize, column: usize, w: &[f64]) -> f64 {
        let part = |coordinate: usize| self.weighted_differences(around, coordinate, w, true);
        part(2 * column) + part(2 * column + 1)
    }

    /// `k = Πⱼ sin tⱼ/tⱼ` with `tⱼ = a(xⱼ − yⱼ)`, by the sines and cosines of both points; returns
    /// `Σ w k`.
    pub(super) fn band(
        &mut self,
        a: f64,
        (slot, around): (usize, usize),
        parameter: usize,
        w: &[f64],
        factor: f64,
    ) -> f64 {
        let columns = self.slots.points[slot].rows.ncols();
        let left: Vec<[Vec<f64>; 3]> = (0..columns).map(|column| self.row_phases(slot, around, column)).collect();
        let (width, mut slope, mut total) = (self.cols.len(), 0.0, 0.0);
        let (mut values, mut slopes) = (vec![0.0; width], vec![0.0; width]);
        for (i, w) in w.chunks_exact(width.max(1)).enumerate() {
            values.fill(1.0);
            slopes.fill(0.0);
            for (column, [position, cosine, sine]) in left.iter().enumerate() {
                let right = self.column_phases(slot, around, column);
                sinc_column(a, [position[i], cosine[i], sine[i]], &right, &mut values, &mut slopes);
            }
            total += dot(w, &values);
            slope += dot(w, &slopes);
        }
        self.add(parameter, factor * slope);
        total
    }

    /// `Σᵢⱼ wᵢⱼ (xᵢ − yⱼ) sin(2π(xᵢ − yⱼ)/p)` of a column.
    fn phases(&self, slot: usize, around: usize, column: usize, w: &[f64]) -> f64 {
        let [position, cosine, sine] = self.row_phases(slot, around, column);
        let left = CircleSide { position: &position, cosine: &cosine, sine: &sine };
        weighted_phases(w, &left, &self.column_phases(slot, around, column))
    }

    /// The row points of the tile along a column, and their cosines and sines.
    fn row_phases(&self, slot: usize, around: usize, column: usize) -> [Vec<f64>; 3] {
        let rows = |slot: usize, column: usize| -> Vec<f64> {
            self.rows.clone().map(|i| self.slots.points[slot].rows[[i, column]]).collect()
        };
        [rows(slot, column), rows(around, 2 * column), rows(around, 2 * column + 1)]
    }

    /// The same of the column points.
    fn column_phases(&self, slot: usize, around: usize, column: usize) -> CircleSide<'_> {
        let columns = |slot: usize, column: usize| {
            let points = self.slots.points[slot].transposed();
            &points.row(column).to_slice().unwrap_or_default()[self.cols.clone()]
        };
        CircleSide {
            position: columns(slot, column),
            cosine: columns(around, 2 * column),
            sine: columns(around, 2 * column + 1),
        }
    }
}
