//! Random walks on product graphs with edge labels, without forming the product.

use super::super::node_paths::dot;
use super::WalkSeries;
use super::walks::needed_terms;
use crate::points::GraphView;

/// The arcs of a graph, grouped by their label.
#[derive(Debug)]
pub(super) struct LabeledArcs {
    vertices: usize,
    directed: bool,
    /// (label, start, end, weight), ascending.
    arcs: Vec<(u32, u32, u32, f64)>,
}

impl LabeledArcs {
    pub(super) fn new(graph: &GraphView) -> Self {
        let mut arcs = Vec::with_capacity(graph.arcs());
        for v in 0..graph.vertices() {
            for (place, &end) in graph.neighbors(v).iter().enumerate() {
                let label = graph.edge_codes(v).map_or(0, |codes| codes[place]);
                arcs.push((label, v as u32, end, graph.weights(v).map_or(1.0, |w| w[place])));
            }
        }
        arcs.sort_unstable_by_key(|arc| (arc.0, arc.1, arc.2));
        Self { vertices: graph.vertices(), directed: graph.is_directed(), arcs }
    }

    /// About how many operations a product with itself takes.
    pub(super) fn operations(&self) -> usize {
        2 * self.vertices * self.arcs.len()
    }

    fn with_label(&self, label: u32) -> &[(u32, u32, u32, f64)] {
        let start = self.arcs.partition_point(|arc| arc.0 < label);
        &self.arcs[start..start + self.arcs[start..].partition_point(|arc| arc.0 == label)]
    }
}

/// The product graph of two graphs: its adjacency matrix `A× = Σ_l A_l ⊗ A′_l` acts on
/// `n × n′` matrices as `X ↦ Σ_l A_l X A′_lᵀ`.
pub(super) struct Product<'a> {
    first: &'a LabeledArcs,
    second: &'a LabeledArcs,
}

impl<'a> Product<'a> {
    pub(super) fn new(first: &'a LabeledArcs, second: &'a LabeledArcs) -> Self {
        Self { first, second }
    }

    /// `1ᵀ(I − λA×)⁻¹1` or `1ᵀexp(λA×)1`, if `radius` bounds `λρ(A×)`, and whether the series
    /// converged. The terms of every length are a positive semi-definite kernel, so that by
    /// Cauchy–Schwarz a series converges for two graphs that converges for each with itself.
    ///
    /// The geometric kernel of undirected graphs takes conjugate gradients, other ones the power
    /// series. `O(n · arcs′ + n′ · arcs)` per iteration.
    pub(super) fn value(&self, series: WalkSeries, decay: f64, radius: f64) -> (f64, bool) {
        if series == WalkSeries::Geometric && !self.first.directed {
            (self.solve(decay), true)
        } else {
            self.sum_series(series, decay, radius)
        }
    }

    /// `out = A× x`.
    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        let m = self.second.vertices;
        let mut row = vec![0.0; m];
        out.fill(0.0);
        for ours in self.first.arcs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            row.fill(0.0);
            for &(_, _, end, weight) in ours {
                row.iter_mut().zip(&x[end as usize * m..][..m]).for_each(|(r, x)| *r += weight * x);
            }
            let out = &mut out[ours[0].1 as usize * m..][..m];
            for &(_, start, end, weight) in self.second.with_label(ours[0].0) {
                out[start as usize] += weight * row[end as usize];
            }
        }
    }

    /// The power series; its terms are not negative.
    fn sum_series(&self, series: WalkSeries, decay: f64, radius: f64) -> (f64, bool) {
        let mut x = vec![1.0; self.first.vertices * self.second.vertices];
        let mut image = x.clone();
        let mut total = x.len() as f64;
        // Directed graphs may need more terms than their radius implies.
        let largest = self.first.vertices.max(self.second.vertices);
        for k in 1..=needed_terms(series, radius) + 1000 + 100 * largest * largest {
            self.multiply(&x, &mut image);
            let factor = series.ratio(decay, k);
            x.iter_mut().zip(&image).for_each(|(x, image)| *x = factor * image);
            let term: f64 = x.iter().sum();
            total += term;
            if term <= 1e-17 * total * (1.0 - series.ratio(radius, k)) {
                return (total, true);
            }
        }
        (total, false)
    }

    /// `1ᵀx` with `(I − λA×) x = 1` by conjugate gradients; the matrix is positive definite.
    fn solve(&self, decay: f64) -> f64 {
        let size = self.first.vertices * self.second.vertices;
        let (mut x, mut residual) = (vec![0.0; size], vec![1.0; size]);
        let (mut direction, mut image) = (residual.clone(), vec![0.0; size]);
        let mut squared = size as f64;
        for _ in 0..10 * size + 100 {
            // The error of 1ᵀx is of the order of the squared residual.
            if squared <= 1e-24 * size as f64 {
                break;
            }
            self.multiply(&direction, &mut image);
            image.iter_mut().zip(&direction).for_each(|(image, d)| *image = d - decay * *image);
            let step = squared / dot(&direction, &image);
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            residual.iter_mut().zip(&image).for_each(|(r, image)| *r -= step * image);
            let next = dot(&residual, &residual);
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / squared * *d);
            squared = next;
        }
        x.iter().sum()
    }
}
