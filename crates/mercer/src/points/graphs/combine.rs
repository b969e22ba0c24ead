//! Parts of samples and unions of samples.

use std::ops::Range;

use super::{Graphs, Labels, Vectors};
use crate::{Error, Result};

impl Graphs {
    /// The graphs with these numbers, in this order; a number may occur more than once. Every
    /// number must be below the number of graphs.
    pub(crate) fn select(&self, indices: &[usize]) -> Self {
        let vertices: Vec<Range<usize>> = indices.iter().map(|&i| self.graph(i).vertex_range()).collect();
        let arcs: Vec<Range<usize>> =
            vertices.iter().map(|r| self.neighbor_starts[r.start]..self.neighbor_starts[r.end]).collect();
        let degrees =
            vertices.iter().flat_map(|r| r.clone()).map(|v| self.neighbor_starts[v + 1] - self.neighbor_starts[v]);
        let selected = Self {
            directed: self.directed,
            graph_starts: cumulative(vertices.iter().map(|r| r.len())),
            neighbor_starts: cumulative(degrees),
            neighbors: gather(&self.neighbors, &arcs),
            vertex_labels: self.vertex_labels.as_ref().map(|l| l.select(&vertices)),
            vertex_vectors: self.vertex_vectors.as_ref().map(|v| v.select(&vertices)),
            edge_labels: self.edge_labels.as_ref().map(|l| l.select(&arcs)),
            edge_weights: self.edge_weights.as_ref().map(|w| gather(w, &arcs)),
        };
        selected.without_empty_attributes()
    }

    /// The graphs of both, those of the other at the end.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both are directed or both undirected, with the same labels and vectors
    /// (graphs without vertices or edges fit any), [`Error::Shape`] for vertex vectors of different
    /// lengths. Edges without weights have weight 1 beside a sample with weights.
    pub(crate) fn pooled(&self, other: &Self) -> Result<Self> {
        let (first, second) = (self, other);
        let vertices = [first.total_vertices(), second.total_vertices()];
        let arcs = [first.total_arcs(), second.total_arcs()];
        if first.directed != second.directed && arcs[0].min(arcs[1]) > 0 {
            let word = |graphs: &Self| if graphs.directed { "directed graphs" } else { "undirected graphs" };
            return Err(differ(word(first), word(second), "give both as graphs of one kind"));
        }
        let append = |a: &[usize], b: &[usize]| -> Vec<usize> {
            let end = a[a.len() - 1];
            a.iter().copied().chain(b[1..].iter().map(|start| start + end)).collect()
        };
        Ok(Self {
            directed: if arcs[0] > 0 { first.directed } else { second.directed },
            graph_starts: append(&first.graph_starts, &second.graph_starts),
            neighbor_starts: append(&first.neighbor_starts, &second.neighbor_starts),
            neighbors: [first.neighbors.as_slice(), &second.neighbors].concat(),
            vertex_labels: join(&first.vertex_labels, &second.vertex_labels, vertices, "vertex labels", join_labels)?,
            vertex_vectors: join(
                &first.vertex_vectors,
                &second.vertex_vectors,
                vertices,
                "vertex vectors",
                join_vectors,
            )?,
            edge_labels: join(&first.edge_labels, &second.edge_labels, arcs, "edge labels", join_labels)?,
            edge_weights: join_weights(&first.edge_weights, &second.edge_weights, arcs),
        })
    }

    /// Drops attributes that have no items left, so that equal samples compare equal.
    fn without_empty_attributes(mut self) -> Self {
        if self.total_vertices() == 0 {
            (self.vertex_labels, self.vertex_vectors) = (None, None);
        }
        if self.total_arcs() == 0 {
            (self.edge_labels, self.edge_weights) = (None, None);
        }
        self
    }
}

impl Vectors {
    fn select(&self, vertices: &[Range<usize>]) -> Self {
        let values: Vec<Range<usize>> = vertices.iter().map(|r| r.start * self.width..r.end * self.width).collect();
        Self { width: self.width, values: gather(&self.values, &values) }
    }
}

/// 0 and the running totals.
fn cumulative(counts: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut total = 0;
    std::iter::once(0)
        .chain(counts.map(|count| {
            total += count;
            total
        }))
        .collect()
}

/// The values of these ranges, in this order.
fn gather<T: Copy>(values: &[T], ranges: &[Range<usize>]) -> Vec<T> {
    ranges.iter().flat_map(|r| &values[r.clone()]).copied().collect()
}

/// One attribute of two samples: both have it, neither has it, or the one without has no items.
fn join<T: Clone>(
    first: &Option<T>,
    second: &Option<T>,
    items: [usize; 2],
    what: &str,
    both: impl Fn(&T, &T) -> Result<T>,
) -> Result<Option<T>> {
    match (first, second) {
        (None, None) => Ok(None),
        (Some(a), Some(b)) => both(a, b).map(Some),
        (Some(a), None) if items[1] == 0 => Ok(Some(a.clone())),
        (None, Some(b)) if items[0] == 0 => Ok(Some(b.clone())),
        (Some(_), None) => Err(differ(what, &format!("no {what}"), "give them for both or for none")),
        (None, Some(_)) => Err(differ(&format!("no {what}"), what, "give them for both or for none")),
    }
}

/// The weights of the arcs of two samples, 1 for those of a sample without; `None` where neither has any.
fn join_weights(first: &Option<Vec<f64>>, second: &Option<Vec<f64>>, arcs: [usize; 2]) -> Option<Vec<f64>> {
    let all = |weights: &Option<Vec<f64>>, count| weights.clone().unwrap_or_else(|| vec![1.0; count]);
    (first.is_some() || second.is_some()).then(|| [all(first, arcs[0]), all(second, arcs[1])].concat())
}

fn differ(first: &str, second: &str, remedy: &str) -> Error {
    let (first, second) = (format!("the first has {first}"), format!("the second {second}"));
    Error::mismatch("two samples of graphs differ", first, second, remedy)
}

fn join_labels(first: &Labels, second: &Labels) -> Result<Labels> {
    Ok(first.pooled(second))
}

fn join_vectors(first: &Vectors, second: &Vectors) -> Result<Vectors> {
    if first.width != second.width {
        return Err(Error::shape("length of the vertex vectors of the second sample", first.width, second.width));
    }
    Ok(Vectors { width: first.width, values: [first.values.as_slice(), &second.values].concat() })
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::*;

    fn graphs() -> Vec<Graph> {
        let full = |labels: [&str; 2], weight: f64| {
            Graph::new(2, vec![(0, 1)])
                .with_vertex_labels(labels)
                .with_vertex_vectors(vec![vec![weight, 1.0], vec![2.0, 3.0]])
                .with_edge_labels([weight as i64])
                .with_edge_weights(vec![weight])
        };
        vec![full(["b", "a"], 4.0), Graph::default(), full(["c", "b"], 7.0)]
    }

    #[test]
    fn selection_and_pooling_equal_building() {
        let (g, all) = (graphs(), Graphs::from_graphs(graphs(), false).unwrap());
        let reordered = Graphs::from_graphs(vec![g[2].clone(), g[0].clone(), g[2].clone()], false).unwrap();
        assert_eq!(all.select(&[2, 0, 2]), reordered);
        assert_eq!(all.select(&[1]), Graphs::from_graphs(vec![Graph::default()], false).unwrap());
        for cut in 0..=3 {
            let ends = [(0..cut).collect::<Vec<_>>(), (cut..3).collect()].map(|i| all.select(&i));
            assert_eq!(ends[0].pooled(&ends[1]).unwrap(), all);
        }
    }

    #[test]
    fn a_sample_without_weights_has_weights_of_one_beside_another() {
        let edge = || Graph::new(2, vec![(0, 1)]);
        let (ones, half) = (edge().with_edge_weights(vec![1.0]), edge().with_edge_weights(vec![0.5]));
        let sample = |graphs: &[&Graph]| Graphs::from_graphs(graphs.iter().copied().cloned().collect(), false).unwrap();
        let (plain, weighted) = (sample(&[&edge()]), sample(&[&half]));
        assert_eq!(plain.pooled(&weighted).unwrap(), sample(&[&ones, &half]));
        assert_eq!(weighted.pooled(&plain).unwrap(), sample(&[&half, &ones]));
        assert_eq!(plain.pooled(&plain).unwrap().edge_weights(), None);
    }

    #[test]
    fn samples_of_different_kinds_are_refused() {
        let plain = Graphs::from_graphs(vec![Graph::new(2, vec![(0, 1)])], false).unwrap();
        let directed = Graphs::from_graphs(vec![Graph::new(2, vec![(0, 1)])], true).unwrap();
        let all = Graphs::from_graphs(graphs(), false).unwrap();
        let error = |a: &Graphs, b: &Graphs| a.pooled(b).unwrap_err().to_string();
        assert_eq!(
            error(&plain, &directed),
            "two samples of graphs differ: the first has undirected graphs, and the second directed graphs; \
             give both as graphs of one kind"
        );
        assert!(error(&plain, &all).contains("the first has no vertex labels, and the second vertex labels"));
        assert!(error(&all, &plain).contains("the first has vertex labels, and the second no vertex labels"));
    }
}
