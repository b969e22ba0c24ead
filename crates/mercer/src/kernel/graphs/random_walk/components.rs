//! Strongly connected components, by Tarjan's algorithm without recursion.

use crate::points::GraphView;

/// The number of the strongly connected component of every vertex; edges of weight 0 do not
/// connect. In undirected graphs these are the connected components. `O(vertices + arcs)`.
pub(super) fn components(graph: &GraphView) -> Vec<u32> {
    let n = graph.vertices();
    let mut search = Search { order: vec![0; n], low: vec![0; n], component: vec![u32::MAX; n], ..Search::default() };
    for root in 0..n {
        if search.order[root] == 0 {
            search.explore(graph, root);
        }
    }
    search.component
}

#[derive(Default)]
struct Search {
    /// The order of discovery, from 1; 0 is undiscovered.
    order: Vec<u32>,
    /// The first discovered vertex that can be reached within the open component.
    low: Vec<u32>,
    component: Vec<u32>,
    open: Vec<usize>,
    discovered: u32,
    components: u32,
}

impl Search {
    fn explore(&mut self, graph: &GraphView, root: usize) {
        self.discover(root);
        let mut path = vec![(root, 0)];
        while let Some((vertex, place)) = path.last_mut() {
            let (from, next) = (*vertex, *place);
            *place += 1;
            match graph.neighbors(from).get(next) {
                Some(_) if graph.weights(from).is_some_and(|w| w[next] == 0.0) => {}
                Some(&end) if self.order[end as usize] == 0 => {
                    self.discover(end as usize);
                    path.push((end as usize, 0));
                }
                Some(&end) if self.component[end as usize] == u32::MAX => {
                    self.low[from] = self.low[from].min(self.order[end as usize]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    self.finish(from, path.last().map(|parent| parent.0));
                }
            }
        }
    }

    fn discover(&mut self, vertex: usize) {
        self.discovered += 1;
        (self.order[vertex], self.low[vertex]) = (self.discovered, self.discovered);
        self.open.push(vertex);
    }

    /// Closes the component of a vertex from which nothing discovered before can be reached.
    fn finish(&mut self, vertex: usize, parent: Option<usize>) {
        if self.low[vertex] == self.order[vertex] {
            while let Some(member) = self.open.pop() {
                self.component[member] = self.components;
                if member == vertex {
                    break;
                }
            }
            self.components += 1;
        }
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[vertex]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::test_support::{pairs, random_sample};
    use super::*;

    #[test]
    fn vertices_that_reach_each_other_share_a_component() {
        for (seed, directed) in (0..20).flat_map(|s| [(s, false), (s, true)]) {
            let graphs = random_sample(seed, 1, directed, false, false);
            let (graph, n) = (graphs.graph(0), graphs.vertices(0));
            let mut reach = vec![vec![false; n]; n];
            (0..n).for_each(|v| reach[v][v] = true);
            (0..n).for_each(|v| graph.neighbors(v).iter().for_each(|&end| reach[v][end as usize] = true));
            for k in 0..n {
                pairs(n).for_each(|(i, j)| reach[i][j] |= reach[i][k] && reach[k][j]);
            }
            let found = components(&graph);
            pairs(n).for_each(|(i, j)| assert_eq!(found[i] == found[j], reach[i][j] && reach[j][i], "seed {seed}"));
        }
    }
}
