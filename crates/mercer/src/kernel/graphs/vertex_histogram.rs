//! The vertex histogram kernel.

use super::features::{Features, count_codes, pool};
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::points::Graphs;

/// Vertex histogram kernel on graphs.
///
/// # Formula
/// `k(g, h) = Σ_l n_l(g) n_l(h)`, where `n_l(g)` is the number of vertices of `g` with label `l`.
/// Graphs without labels have one common label, so that `k` is the product of the numbers of
/// vertices.
///
/// # Theory
/// An inner product of counts: positive semi-definite, with one feature per label. Edges do not
/// count: it is the baseline that a kernel on graphs has to beat.
///
/// # Cost
/// A sort of the vertices of every graph, then the labels that two graphs have in common.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::{Graph, Graphs}};
/// let water = Graph::new(3, vec![(0, 1), (0, 2)]).with_vertex_labels(["O", "H", "H"]);
/// let peroxide = Graph::new(4, vec![(0, 1), (1, 2), (2, 3)]).with_vertex_labels(["H", "O", "O", "H"]);
/// let graphs = Graphs::from_graphs(vec![water, peroxide], false)?;
/// let (k, compute): (Kernel, _) = ("vertex_histogram()".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&graphs).into()), &compute)?, &compute)?;
/// // 2 · 2 for hydrogen and 1 · 2 for oxygen.
/// assert_eq!(gram[[0, 1]], 6.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexHistogram;

impl Leaf for VertexHistogram {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts::counts("an inner product of counts of vertex labels")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for VertexHistogram {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.graphs()?;
        Ok(vertex_histogram(rows, cols, compute)?.tiles())
    }

    fn has_features(&self) -> bool {
        true
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "vertex_histogram",
    family: Family::Graphs,
    formula: "Σ_l n_l(g) n_l(h), vertices with label l",
    domain: Domain::Graphs,
    parameters: &[],
    theory: "An inner product of counts of vertex labels: positive semi-definite; it ignores edges.",
    cost: "the labels in common",
    examples: &["vertex_histogram()", "normalized(vertex_histogram())"],
    build: |_| Ok(VertexHistogram.into()),
};

/// How many vertices have each label: column `j` counts the `j`-th label of both samples in
/// ascending order of the texts.
fn vertex_histogram(rows: &Graphs, cols: Option<&Graphs>, compute: &Compute) -> Result<Features> {
    let graphs = pool(rows, cols)?;
    let (codes, width) = start_codes(&graphs);
    Ok(Features::split(count_codes(&graphs, &codes, width, compute)?, rows.len(), cols.is_some()))
}

/// The codes of the vertex labels, and how many there are; one common label if there are none.
pub(super) fn start_codes(graphs: &Graphs) -> (Vec<u32>, usize) {
    match graphs.vertex_labels() {
        Some(labels) => (labels.codes().to_vec(), labels.table().len()),
        None => (vec![0; graphs.total_vertices()], usize::from(graphs.total_vertices() > 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{assert_values, golden, golden_graphs, gram, gram_of};
    use super::*;
    use crate::points::Graph;

    #[test]
    fn golden_values() {
        let features = vertex_histogram(&golden_graphs(), None, &Compute::new()).unwrap();
        assert_values(&gram(&features), &golden("vertex_histogram"), 0.0);
    }

    #[test]
    fn unlabeled_empty_and_unknown() {
        let plain = |n: usize| Graph::new(n, vec![]);
        let graphs = Graphs::from_graphs(vec![plain(3), plain(0), plain(2)], false).unwrap();
        let features = vertex_histogram(&graphs, None, &Compute::new()).unwrap();
        assert_eq!(gram(&features), [[9., 0., 6.], [0., 0., 0.], [6., 0., 4.]]);
        let rows = Graphs::from_graphs(vec![plain(2).with_vertex_labels(["a", "b"])], false).unwrap();
        let cols = Graphs::from_graphs(vec![plain(3).with_vertex_labels(["c", "b", "b"])], false).unwrap();
        assert_eq!(gram_of(|r, c| vertex_histogram(r, c, &Compute::new()), &rows, &cols), [[2.0]]);
    }
}
