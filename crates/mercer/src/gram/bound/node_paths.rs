//! The shortest path kernel with a kernel on the vectors of the vertices: values of that kernel for
//! the vertices of two graphs at a time.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, s};

use super::Bound;
use super::bind::bind_vectors;
use crate::gram::Tiles;
use crate::kernel::Kernel;
use crate::kernel::graphs::node_paths::{NodePaths, mask_node_values, node_path_value};
use crate::kernel::object::{ObjectPairs, ObjectTiles};
use crate::points::Graphs;
use crate::{Compute, Error, Result};

/// The graphs of one sample.
#[derive(Debug)]
struct Side {
    /// The kernel on the vertices of this sample.
    bound: Bound<'static>,
    paths: Vec<NodePaths>,
    vertices: Vec<Range<usize>>,
    /// The labels of the vertices, numbered in common for both samples, where they count.
    codes: Option<Vec<u32>>,
}

/// Row graphs and column graphs, and a kernel on their vertices.
#[derive(Debug)]
pub(super) struct NodePathTiles {
    rows: Side,
    /// The columns where they are not the rows, with the kernel between the vertices of both.
    cols: Option<(Side, Bound<'static>)>,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

/// The kernel on graphs, with medians resolved.
pub(super) fn bind_graphs(
    labels: bool,
    kernel: &Kernel,
    pairs: ObjectPairs<'_>,
    compute: &Compute,
) -> Result<NodePathTiles> {
    let (rows, cols) = pairs.graphs()?;
    let graphs = cols.map_or_else(|| Ok(rows.clone()), |cols| rows.pooled(cols))?;
    let vectors = vertex_vectors(&graphs)?;
    let cut: usize = (0..rows.len()).map(|i| graphs.vertices(i)).sum();
    let (first, second) = (vectors.slice(s![..cut, ..]), vectors.slice(s![cut.., ..]));
    let side = |graphs: &Graphs, range: Range<usize>, vectors: ArrayView2<'_, f64>| -> Result<Side> {
        let paths =
            compute.try_map_tasks(range.len(), |at| NodePaths::new(&graphs.graph(range.start + at), compute))?;
        let from = graphs.graph_start(range.start);
        let shifted = |i: usize| graphs.graph_start(i) - from..graphs.graph_start(i + 1) - from;
        let vertices: Vec<_> = range.map(shifted).collect();
        let codes = graphs.vertex_labels().filter(|_| labels);
        let codes = codes.map(|labels| labels.codes()[from..from + vectors.nrows()].to_vec());
        Ok(Side { bound: bind_vectors(kernel, vectors, None, compute)?, paths, vertices, codes })
    };
    let row_side = side(&graphs, 0..rows.len(), first)?;
    let cols = match cols {
        None => None,
        Some(_) => {
            let between = bind_vectors(kernel, first, Some(second), compute)?;
            Some((side(&graphs, rows.len()..graphs.len(), second)?, between))
        }
    };
    let own = |side: &Side| {
        compute.try_map_tasks(side.paths.len(), |i| {
            compute.check_canceled()?;
            Ok(Pair { rows: side, cols: side, bound: &side.bound, i, j: i }.value())
        })
    };
    let diagonals = (own(&row_side)?, cols.as_ref().map(|(side, _)| own(side)).transpose()?);
    Ok(NodePathTiles { rows: row_side, cols, diagonals })
}

/// The vectors of all vertices. Graphs without vertices have vectors of any length.
pub(in crate::gram) fn vertex_vectors(graphs: &Graphs) -> Result<Array2<f64>> {
    match graphs.all_vectors() {
        Some(vectors) => Ok(vectors.to_owned()),
        None if graphs.total_vertices() == 0 => Ok(Array2::zeros((0, 1))),
        None => Err(Error::wrong_points(
            "shortest_path(nodes=…)",
            "graphs with vertex vectors",
            "graphs without vertex vectors",
        )),
    }
}

/// Two graphs and the kernel between their vertices.
struct Pair<'t> {
    rows: &'t Side,
    cols: &'t Side,
    bound: &'t Bound<'static>,
    i: usize,
    j: usize,
}

impl Pair<'_> {
    fn value(&self) -> f64 {
        let values = self.masked(|r, c, out| self.bound.fill(r, c, out));
        self.sum(&values, &values)
    }

    /// The product rule for the values at the starts and at the ends.
    fn derivative(&self, parameter: usize) -> f64 {
        let values = self.masked(|r, c, out| self.bound.fill(r, c, out));
        let slopes = self.masked(|r, c, out| {
            // The parameter is one of the kernel.
            self.bound.fill_derivative(parameter, r, c, out).unwrap_or_else(|_| out.fill(0.0));
        });
        self.sum(&slopes, &values) + self.sum(&values, &slopes)
    }

    /// Numbers for the pairs of vertices, 0 where their labels differ.
    fn masked(&self, fill: impl Fn(Range<usize>, Range<usize>, &mut [f64])) -> Vec<f64> {
        let (rows, cols) = (self.rows.vertices[self.i].clone(), self.cols.vertices[self.j].clone());
        let mut values = vec![0.0; rows.len() * cols.len()];
        if !values.is_empty() {
            fill(rows.clone(), cols.clone(), &mut values);
        }
        if let (Some(codes), Some(others)) = (&self.rows.codes, &self.cols.codes) {
            mask_node_values(&codes[rows], &others[cols], &mut values);
        }
        values
    }

    fn sum(&self, starts: &[f64], ends: &[f64]) -> f64 {
        node_path_value(&self.rows.paths[self.i], &self.cols.paths[self.j], starts, ends)
    }
}

impl NodePathTiles {
    /// A row graph and a column graph; of one sample always in the same order.
    fn pair(&self, i: usize, j: usize) -> Pair<'_> {
        match &self.cols {
            Some((cols, bound)) => Pair { rows: &self.rows, cols, bound, i, j },
            None => Pair { rows: &self.rows, cols: &self.rows, bound: &self.rows.bound, i: i.min(j), j: i.max(j) },
        }
    }

    fn each(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64], value: impl Fn(Pair<'_>) -> f64) {
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            cols.clone().zip(line).for_each(|(j, out)| *out = value(self.pair(i, j)));
        }
    }
}

impl ObjectTiles for NodePathTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.each(rows, cols, out, |pair| pair.value());
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    /// Of a kernel that is not positive semi-definite nothing is known before its values.
    fn largest(&self) -> f64 {
        let diagonal = self.diagonals.0.iter().chain(self.diagonals.1.iter().flatten());
        if self.rows.bound.is_proven_psd() {
            diagonal.fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { v.max(m) })
        } else {
            f64::INFINITY
        }
    }

    fn operations(&self) -> usize {
        let mean = self.rows.bound.shape().0 / self.rows.paths.len().max(1) + 1;
        mean * mean * (self.rows.bound.operations() + 2 * mean)
    }

    fn fill_derivative(&self, own: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.each(rows, cols, out, |pair| pair.derivative(own));
    }

    fn diagonal_derivatives(&self, own: usize) -> (Vec<f64>, Vec<f64>) {
        let of = |side: &Side| -> Vec<f64> {
            let pair = |i: usize| Pair { rows: side, cols: side, bound: &side.bound, i, j: i };
            (0..side.paths.len()).map(|i| pair(i).derivative(own)).collect()
        };
        (of(&self.rows), of(self.cols.as_ref().map_or(&self.rows, |(side, _)| side)))
    }
}
