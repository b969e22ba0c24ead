//! Spectral radii of adjacency matrices.

use super::super::features::BLOCK;
use super::components::components;
use crate::points::{GraphView, Graphs};
use crate::{Compute, Result};

/// Iterations for every graph, after which most are known to have a smaller radius than another.
const FIRST_ITERATIONS: usize = 8;
/// Iterations for the graphs that remain. A path of 1000 vertices stops here, with an upper bound
/// that is larger than its radius by a factor of 1 + 1e-6.
const MAX_ITERATIONS: usize = 5000;
const TOLERANCE: f64 = 1e-12;

/// The largest spectral radius of the adjacency matrices of the graphs; 0 if there are none.
///
/// By power iteration with the bounds of Collatz and Wielandt, `min (Aw)_v / w_v ≤ ρ(A) ≤
/// max (Aw)_v / w_v` for positive vectors `w` on a strongly connected component. Graphs whose
/// upper bound is below the lower bound of another are left out after a few iterations. The result
/// is an upper bound, with a relative error of 1e-12 where the iteration converges.
pub(super) fn spectral_radius(graphs: &Graphs, compute: &Compute) -> Result<f64> {
    let blocks = compute.try_map_tasks(graphs.len().div_ceil(BLOCK), |block| {
        let range = block * BLOCK..graphs.len().min((block + 1) * BLOCK);
        range.map(|i| Power::new(graphs.graph(i)).run(FIRST_ITERATIONS, compute)).collect::<Result<Vec<_>>>()
    })?;
    let bounds: Vec<(f64, f64)> = blocks.into_iter().flatten().collect();
    let known = bounds.iter().map(|b| b.0).fold(0.0, f64::max);
    let open: Vec<usize> = (0..graphs.len()).filter(|&i| bounds[i].1 > known).collect();
    let radii =
        compute.try_map_tasks(open.len(), |i| Power::new(graphs.graph(open[i])).run(MAX_ITERATIONS, compute))?;
    Ok(radii.iter().map(|b| b.1).fold(known, f64::max))
}

/// Power iteration on all strongly connected components of a graph at once.
struct Power<'a> {
    graph: GraphView<'a>,
    component: Vec<u32>,
    vector: Vec<f64>,
    /// The bounds per component.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl<'a> Power<'a> {
    fn new(graph: GraphView<'a>) -> Self {
        let component = components(&graph);
        let count = component.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
        let vector = vec![1.0; graph.vertices()];
        Self { graph, component, vector, low: vec![0.0; count], high: vec![f64::INFINITY; count] }
    }

    /// Bounds of the spectral radius after at most this many iterations.
    fn run(mut self, iterations: usize, compute: &Compute) -> Result<(f64, f64)> {
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        for _ in 0..iterations {
            compute.check_canceled()?;
            self.iterate();
            if largest(&self.high) - largest(&self.low) <= TOLERANCE * largest(&self.high) {
                break;
            }
        }
        Ok((largest(&self.low), largest(&self.high)))
    }

    /// Multiplies by `A + s I`, where the shift `s` of half the radius damps negative eigenvalues.
    fn iterate(&mut self) {
        let image: Vec<f64> = (0..self.vector.len()).map(|v| self.row(v)).collect();
        let (mut low, mut high) = (vec![f64::INFINITY; self.low.len()], vec![0.0; self.high.len()]);
        for (v, &c) in self.component.iter().enumerate() {
            let ratio = image[v] / self.vector[v];
            low[c as usize] = ratio.min(low[c as usize]);
            high[c as usize] = ratio.max(high[c as usize]);
        }
        self.low.iter_mut().zip(low).for_each(|(old, new)| *old = old.max(new));
        self.high.iter_mut().zip(high).for_each(|(old, new)| *old = old.min(new));
        let mut scale = vec![f64::MIN_POSITIVE; self.high.len()];
        for (v, &c) in self.component.iter().enumerate() {
            self.vector[v] = image[v] + 0.5 * self.high[c as usize] * self.vector[v];
            scale[c as usize] = self.vector[v].max(scale[c as usize]);
        }
        for (v, &c) in self.component.iter().enumerate() {
            self.vector[v] = (self.vector[v] / scale[c as usize]).max(f64::MIN_POSITIVE);
        }
    }

    /// Entry `v` of the product with the part of the adjacency matrix within components.
    fn row(&self, v: usize) -> f64 {
        let weights = self.graph.weights(v);
        let ends = self.graph.neighbors(v).iter().enumerate();
        let inside = ends.filter(|(_, end)| self.component[**end as usize] == self.component[v]);
        inside.map(|(place, &end)| weights.map_or(1.0, |w| w[place]) * self.vector[end as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::test_support::*;
    use super::*;
    use crate::points::Graph;

    fn radius(graph: Graph, directed: bool) -> f64 {
        spectral_radius(&Graphs::from_graphs(vec![graph], directed).unwrap(), &Compute::new()).unwrap()
    }

    #[test]
    fn known_radii() {
        let path = |n: u32| Graph::new(n as usize, (1..n).map(|v| (v - 1, v)).collect());
        assert_close(radius(path(6), false), 2.0 * (std::f64::consts::PI / 7.0).cos(), 1e-11);
        assert_eq!(radius(path(6), true), 0.0);
        let star = Graph::new(10, (1..10).map(|v| (0, v)).collect());
        assert_close(radius(star, false), 3.0, 1e-11);
        let cycle = Graph::new(3, vec![(0, 1), (1, 2), (2, 0)]);
        assert_close(radius(cycle.clone(), true), 1.0, 1e-11);
        assert_close(radius(cycle.with_edge_weights(vec![2.0, 4.0, 8.0]), true), 4.0, 1e-11);
        assert_eq!(radius(Graph::new(2, vec![(0, 0)]), false), 1.0);
        assert_eq!((radius(Graph::default(), false), radius(Graph::new(3, vec![]), false)), (0.0, 0.0));
        assert_eq!(radius(Graph::new(2, vec![(0, 1)]).with_edge_weights(vec![0.0]), false), 0.0);
    }
}
