//! Graphs as named arrays of integers, numbers and bytes, for model files.

use super::{Graph, Graphs, Label, Labels, Vectors};
use crate::error::RecordProblem;
use crate::{Error, Result};

/// The arrays of a sample of graphs. Absent attributes are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GraphsParts {
    /// Whether edges have a direction.
    pub directed: bool,
    /// The first vertex of every graph, and the number of vertices at the end.
    pub graph_starts: Vec<i64>,
    /// The first arc of every vertex, and the number of arcs at the end.
    pub neighbor_starts: Vec<i64>,
    /// The end of every arc, counted within its graph.
    pub neighbors: Vec<i64>,
    /// One label per vertex.
    pub vertex_labels: Option<LabelParts>,
    /// The length of the vertex vectors and their values, row after row.
    pub vertex_vectors: Option<(i64, Vec<f64>)>,
    /// One label per arc.
    pub edge_labels: Option<LabelParts>,
    /// One weight per arc.
    pub edge_weights: Option<Vec<f64>>,
}

/// The arrays of a list of labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LabelParts {
    /// The place in the table for every item.
    pub codes: Vec<i64>,
    /// The texts of the table, one after the other, as UTF-8.
    pub bytes: Vec<u8>,
    /// The first byte of every text, and the number of bytes at the end.
    pub starts: Vec<i64>,
}

impl Graphs {
    /// The arrays of the sample.
    pub(crate) fn into_parts(self) -> GraphsParts {
        let integers = |values: Vec<usize>| values.into_iter().map(|v| v as i64).collect();
        GraphsParts {
            directed: self.directed,
            graph_starts: integers(self.graph_starts),
            neighbor_starts: integers(self.neighbor_starts),
            neighbors: self.neighbors.into_iter().map(i64::from).collect(),
            vertex_labels: self.vertex_labels.map(Labels::into_parts),
            vertex_vectors: self.vertex_vectors.map(|v| (v.width as i64, v.values)),
            edge_labels: self.edge_labels.map(Labels::into_parts),
            edge_weights: self.edge_weights,
        }
    }

    /// The sample of these arrays. They are checked as [`Graphs::from_graphs`] checks, and must be
    /// exactly what [`Graphs::into_parts`] gives.
    pub(crate) fn from_parts(parts: GraphsParts) -> Result<Self> {
        let vertices = offsets(&parts.graph_starts, parts.neighbor_starts.len().wrapping_sub(1), "graph starts")?;
        let arcs = offsets(&parts.neighbor_starts, parts.neighbors.len(), "neighbor starts")?;
        let columns = Columns {
            vertex_labels: parts
                .vertex_labels
                .as_ref()
                .map(|l| l.labels(parts.neighbor_starts.len() - 1))
                .transpose()?,
            edge_labels: parts.edge_labels.as_ref().map(|l| l.labels(parts.neighbors.len())).transpose()?,
            vectors: parts.vertex_vectors.clone().map(|v| vectors(v, parts.neighbor_starts.len() - 1)).transpose()?,
        };
        let weights = parts.edge_weights.as_ref().map_or(parts.neighbors.len(), Vec::len);
        if weights != parts.neighbors.len() {
            return Err(invalid("edge weights"));
        }
        let graphs = vertices.windows(2).map(|ends| parts.graph(ends[0]..ends[1], &arcs, &columns));
        let sample = Self::from_graphs(graphs.collect::<Result<_>>()?, parts.directed)?;
        if sample.clone().into_parts() != parts { Err(invalid("edges or labels")) } else { Ok(sample) }
    }
}

/// The attributes with checked sizes.
struct Columns {
    vertex_labels: Option<Vec<Label>>,
    edge_labels: Option<Vec<Label>>,
    vectors: Option<Vectors>,
}

impl GraphsParts {
    /// One graph; every stored arc is listed, so both directions of an undirected edge.
    fn graph(&self, range: std::ops::Range<usize>, arcs: &[usize], columns: &Columns) -> Result<Graph> {
        let (first, last) = (arcs[range.start], arcs[range.end]);
        let mut edges = Vec::with_capacity(last - first);
        for vertex in range.clone() {
            for &end in &self.neighbors[arcs[vertex]..arcs[vertex + 1]] {
                edges.push(((vertex - range.start) as u32, u32::try_from(end).map_err(|_| invalid("neighbors"))?));
            }
        }
        let row = |v: &Vectors, i: usize| v.values[i * v.width..(i + 1) * v.width].to_vec();
        Ok(Graph {
            vertices: range.len(),
            edges,
            vertex_labels: columns.vertex_labels.as_ref().map(|l| l[range.clone()].to_vec()),
            vertex_vectors: columns.vectors.as_ref().map(|v| range.clone().map(|i| row(v, i)).collect()),
            edge_labels: columns.edge_labels.as_ref().map(|l| l[first..last].to_vec()),
            edge_weights: self.edge_weights.as_ref().map(|w| w[first..last].to_vec()),
        })
    }
}

impl Labels {
    fn into_parts(self) -> LabelParts {
        let mut parts = LabelParts { starts: vec![0], ..LabelParts::default() };
        for text in self.table() {
            parts.bytes.extend_from_slice(text.as_bytes());
            parts.starts.push(parts.bytes.len() as i64);
        }
        parts.codes = self.codes().iter().map(|&code| i64::from(code)).collect();
        parts
    }
}

impl LabelParts {
    /// The label of every item, of which there must be `count`.
    fn labels(&self, count: usize) -> Result<Vec<Label>> {
        let starts = offsets(&self.starts, self.bytes.len(), "label starts")?;
        let texts = starts
            .windows(2)
            .map(|ends| std::str::from_utf8(&self.bytes[ends[0]..ends[1]]).map_err(|_| invalid("label texts")));
        let texts: Vec<&str> = texts.collect::<Result<_>>()?;
        if self.codes.len() != count {
            return Err(invalid("label codes"));
        }
        let label =
            |&code: &i64| usize::try_from(code).ok().and_then(|code| texts.get(code)).map(|&text| Label::from(text));
        self.codes.iter().map(|code| label(code).ok_or_else(|| invalid("label codes"))).collect()
    }
}

/// The vectors, if there is one of that width per vertex.
fn vectors((width, values): (i64, Vec<f64>), vertices: usize) -> Result<Vectors> {
    let width = usize::try_from(width).map_err(|_| invalid("vertex vectors"))?;
    if width.checked_mul(vertices) != Some(values.len()) {
        return Err(invalid("vertex vectors"));
    }
    Ok(Vectors { width, values })
}

/// Offsets that start at 0, never descend and end at `end`.
fn offsets(starts: &[i64], end: usize, what: &str) -> Result<Vec<usize>> {
    let offsets: Vec<usize> = starts.iter().filter_map(|&s| usize::try_from(s).ok()).collect();
    let bounded = offsets.first() == Some(&0) && offsets.last() == Some(&end) && offsets.is_sorted();
    if bounded && offsets.len() == starts.len() { Ok(offsets) } else { Err(invalid(what)) }
}

fn invalid(what: &str) -> Error {
    Error::record("sample of graphs", RecordProblem::Damaged(format!("the {what} do not fit")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(directed: bool) -> Graphs {
        let first = Graph::new(3, vec![(0, 1), (2, 1), (2, 2)]).with_vertex_labels(["é", "", "C"]);
        let first = first.with_edge_labels([1, 2, 1]).with_edge_weights(vec![1.0, 0.5, 3.0]);
        let first = first.with_vertex_vectors(vec![vec![1.0], vec![2.0], vec![3.0]]);
        Graphs::from_graphs(vec![first, Graph::default()], directed).unwrap()
    }

    #[test]
    fn parts_round_trip() {
        for graphs in [sample(false), sample(true), Graphs::from_graphs(vec![], false).unwrap()] {
            assert_eq!(Graphs::from_parts(graphs.clone().into_parts()).unwrap(), graphs);
        }
    }

    #[test]
    fn damaged_parts_are_refused() {
        let damages: [fn(&mut GraphsParts); 11] = [
            |p| p.graph_starts.clear(),
            |p| p.neighbor_starts.clear(),
            |p| p.graph_starts[1] = 99,
            |p| p.neighbor_starts[1] = -1,
            |p| p.neighbors[0] = 2,
            |p| p.neighbors[0] = i64::MAX,
            |p| p.edge_weights.as_mut().unwrap()[0] = 9.0,
            |p| p.edge_weights = Some(vec![]),
            |p| p.vertex_labels.as_mut().unwrap().codes[0] = 7,
            |p| p.vertex_labels.as_mut().unwrap().bytes[1] = 0xff,
            |p| p.vertex_vectors = Some((i64::MAX, vec![])),
        ];
        for (i, damage) in damages.iter().enumerate() {
            let mut parts = sample(false).into_parts();
            damage(&mut parts);
            assert!(Graphs::from_parts(parts).is_err(), "damage {i}");
        }
    }
}
