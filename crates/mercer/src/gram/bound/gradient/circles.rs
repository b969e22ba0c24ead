//! Kernels of the phases of points: slopes by lengthscales, period and bandlimit.

use std::f64::consts::TAU;
use std::ops::Range;

use super::TileGradient;
use super::profile::by_metric;
use crate::gram::bound::node::{Band, Kind, Node};
use crate::gram::bound::slots::Slot;
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
        let (mut weighted, by_logarithm) = by_metric(base, *scale, true, self.tile.metric(*metric));
        weighted.iter_mut().zip(w).for_each(|(k, w)| *k *= w);
        // ∂k/∂ℓⱼ = k uⱼ/ℓⱼ³
        if counted == 1 {
            // One length for all columns: a power −2 in the metric.
            self.add(own, factor * -2.0 / lengths[0] * dot(w, &by_logarithm));
        } else {
            for (column, length) in lengths.iter().enumerate().filter(|(column, _)| self.requested[own + column]) {
                let distances = self.circle_distances(inner.slot, column, &weighted);
                self.sums[own + column] += factor * distances / (length * length * length);
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
    pub(super) fn band(&mut self, band: Band, slot: usize, parameter: usize, w: &[f64], factor: f64) -> f64 {
        let (points, waves) = (&self.slots.points[slot], &self.slots.points[band.waves]);
        let (width, mut slope, mut total) = (self.cols.len(), 0.0, 0.0);
        let (mut values, mut slopes) = (vec![0.0; width], vec![0.0; width]);
        for (i, w) in self.rows.clone().zip(w.chunks_exact(width.max(1))) {
            values.fill(1.0);
            slopes.fill(0.0);
            for column in 0..points.rows.ncols() {
                let left = row_phase(points, waves, column, i);
                let right = column_phases(points, waves, column, &self.cols);
                sinc_column(band.limit, left, &right, &mut values, &mut slopes);
            }
            total += dot(w, &values);
            slope += dot(w, &slopes);
        }
        self.add(parameter, factor * slope);
        total
    }

    /// `Σᵢⱼ wᵢⱼ (xᵢ − yⱼ) sin(2π(xᵢ − yⱼ)/p)` of a column.
    fn phases(&self, slot: usize, around: usize, column: usize, w: &[f64]) -> f64 {
        let (points, around) = (&self.slots.points[slot], &self.slots.points[around]);
        let rows =
            |slot: &Slot, column: usize| -> Vec<f64> { self.rows.clone().map(|i| slot.rows[[i, column]]).collect() };
        let (position, cosine, sine) = (rows(points, column), rows(around, 2 * column), rows(around, 2 * column + 1));
        let left = CircleSide { position: &position, cosine: &cosine, sine: &sine };
        weighted_phases(w, &left, &column_phases(points, around, column, &self.cols))
    }
}

/// A row point along a column, its cosine and its sine.
pub(in crate::gram::bound) fn row_phase(points: &Slot, waves: &Slot, column: usize, i: usize) -> [f64; 3] {
    let wave = waves.rows.point(i);
    [points.rows.point(i)[column], wave[2 * column], wave[2 * column + 1]]
}

/// The same of some column points.
pub(in crate::gram::bound) fn column_phases<'s>(
    points: &'s Slot,
    waves: &'s Slot,
    column: usize,
    cols: &Range<usize>,
) -> CircleSide<'s> {
    let columns =
        |slot: &'s Slot, column: usize| &slot.transposed().row(column).to_slice().unwrap_or_default()[cols.clone()];
    CircleSide {
        position: columns(points, column),
        cosine: columns(waves, 2 * column),
        sine: columns(waves, 2 * column + 1),
    }
}
