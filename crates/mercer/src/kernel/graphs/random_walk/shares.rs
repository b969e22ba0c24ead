//! What walks of each length contribute to a random walk kernel.

use super::walks::Walks;

/// The parts of the sum of all kernel values that come from walks of length 0, 1, and more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WalkShares {
    /// Walks of length 0: products of the numbers of vertices.
    vertices: f64,
    /// Walks of length 1: products of the numbers (or total weights) of arcs.
    edges: f64,
    /// Walks of length 2 and more.
    longer: f64,
}

impl WalkShares {
    /// A text if the kernel hardly depends on more than the numbers of vertices and edges: walks
    /// of length 2 and more contribute less than 1 % of those of length 1, or walks of any length
    /// from 1 less than 1 % in total.
    pub(super) fn warning(&self) -> Option<String> {
        let (counted, others, share) = if self.edges + self.longer < 0.01 {
            ("vertices", "edges", self.edges + self.longer)
        } else if self.longer < 0.01 * self.edges {
            ("vertices and edges", "longer walks", self.longer)
        } else {
            return None;
        };
        let share = format!("{others} contribute {:.2} %", 100.0 * share);
        Some(format!("the random walk kernel counts {counted}: {share}; choose a larger decay"))
    }
}

impl WalkShares {
    /// The shares over all pairs of graphs with these walks. All 0 without vertices.
    pub(super) fn new(walks: &Walks) -> Self {
        let graphs = walks.terms.len() / walks.count;
        let sum = |k: usize| (0..graphs).map(|g| walks.of(g)[k]).sum::<f64>();
        let terms: Vec<f64> = (0..walks.count).map(|k| sum(k).powi(2)).collect();
        let total = terms.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let share = |k: usize| terms.get(k).copied().unwrap_or(0.0) / total;
        Self { vertices: share(0), edges: share(1), longer: terms.iter().skip(2).sum::<f64>() / total }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::test_support::{assert_close, golden_graphs};
    use super::super::{WalkSeries, spectral_radius, walks};
    use super::*;
    use crate::Compute;

    #[test]
    fn shares_and_warnings() {
        let (graphs, compute) = (golden_graphs(), Compute::new());
        let radius = spectral_radius(&graphs, &compute).unwrap();
        let shares = |decay: f64| {
            WalkShares::new(&walks(&graphs, decay, WalkSeries::Geometric, decay * radius * radius, &compute).unwrap())
        };
        assert!(shares(0.1).warning().is_none());
        assert!(shares(1e-3).warning().unwrap().contains("counts vertices: edges"));
        let few = WalkShares { vertices: 0.5, edges: 0.499, longer: 0.001 };
        assert!(few.warning().unwrap().contains("counts vertices and edges: longer walks contribute 0.10 %"));
        let one = shares(0.1);
        assert_close(one.vertices + one.edges + one.longer, 1.0, 1e-14);
        // 17 vertices and 30 arcs in the four graphs together.
        assert_close(one.edges / one.vertices, 0.1 * 900.0 / 289.0, 1e-13);
    }
}
