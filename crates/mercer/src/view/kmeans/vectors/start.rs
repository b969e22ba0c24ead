//! Lloyd's steps on vectors.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::ROWS;
use crate::gram::simd::matmul::{Target, matmul};
use crate::view::kmeans::means::smallest;
use crate::view::kmeans::options::Search;
use crate::view::kmeans::partition::{Rounded, Sizes};
use crate::{Compute, Result};

/// k-means on the rows of a matrix.
pub(super) struct Problem<'p> {
    pub(super) x: Array2<f64>,
    pub(super) squared_norms: Vec<f64>,
    pub(super) weights: &'p [f64],
    pub(super) search: Search,
    pub(super) compute: &'p Compute,
}

/// A partition with the means of its clusters.
pub(super) struct Start {
    pub(super) labels: Vec<usize>,
    pub(super) centers: Array2<f64>,
    pub(super) sizes: Sizes,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// What a pass over some rows gives: their labels, and the weighted sums of their clusters.
struct Part {
    labels: Vec<usize>,
    sums: Array2<f64>,
}

impl<'p> Problem<'p> {
    pub(super) fn new(x: Array2<f64>, weights: &'p [f64], search: Search, compute: &'p Compute) -> Self {
        let x = if x.is_standard_layout() { x } else { x.as_standard_layout().into_owned() };
        let squared_norms: Vec<f64> = x.rows().into_iter().map(|row| row.dot(&row)).collect();
        Self { x, squared_norms, weights, search, compute }
    }

    /// `‖xᵢ − c‖²`.
    pub(super) fn squared(&self, point: usize, start: &Start, cluster: usize) -> f64 {
        squared_distance(self.x.row(point), start.centers.row(cluster))
    }

    pub(super) fn run(&self, start: usize) -> Result<Start> {
        let centers = self.first_centers(start)?;
        let n = self.x.nrows();
        let sizes = Sizes { mass: Vec::new(), members: Vec::new() };
        let mut start =
            Start { labels: vec![0; n], centers, sizes, objective: f64::INFINITY, iterations: 0, converged: false };
        self.step(&mut start, true)?;
        while start.iterations < self.search.max_iterations && self.step(&mut start, false)? {}
        while start.iterations < self.search.max_iterations && !start.converged {
            start.converged = !self.move_points(&mut start)?;
        }
        self.finish(&mut start)?;
        Ok(start)
    }

    /// A step of Lloyd; whether a label changed.
    fn step(&self, start: &mut Start, first: bool) -> Result<bool> {
        let (norms, clusters) = (squared_norms(&start.centers), self.search.clusters);
        let parts = self.compute.try_map_tasks(self.x.nrows().div_ceil(ROWS), |at| {
            self.compute.check_canceled()?;
            Ok(self.assign(at, start, &norms, first))
        })?;
        let labels: Vec<usize> = parts.iter().flat_map(|part| part.labels.iter().copied()).collect();
        let changed = first || labels != start.labels;
        start.iterations += usize::from(!first);
        start.labels = labels;
        start.sizes = Sizes::of(&start.labels, self.weights, clusters);
        let mut sums = Array2::zeros(start.centers.dim());
        parts.iter().for_each(|part| sums += &part.sums);
        self.open_empty(start, &mut sums);
        start.centers = sums / ArrayView1::from(&start.sizes.mass).insert_axis(Axis(1));
        Ok(changed)
    }

    /// The nearest centers of a block of rows, the present one unless another is nearer.
    fn assign(&self, at: usize, start: &Start, norms: &[f64], first: bool) -> Part {
        let rows = at * ROWS..self.x.nrows().min((at + 1) * ROWS);
        let (block, clusters) = (self.x.slice(s![rows.clone(), ..]), norms.len());
        let products = products(block, start.centers.view());
        let mut part = Part { labels: Vec::with_capacity(rows.len()), sums: Array2::zeros(start.centers.dim()) };
        for ((i, products), row) in rows.zip(products.rows()).zip(block.rows()) {
            let squared = |c: usize| Rounded::sum(norms[c], -2.0 * products[c], 0.0);
            let nearer = |best: usize, c: usize| if squared(c).value < squared(best).value { c } else { best };
            let best = (1..clusters).fold(0, nearer);
            let moves = first || squared(best).is_below(squared(start.labels[i]));
            let label = if moves { best } else { start.labels[i] };
            part.labels.push(label);
            if self.weights[i] > 0.0 {
                part.sums.row_mut(label).scaled_add(self.weights[i], &row);
            }
        }
        part
    }

    /// Clusters that became empty are opened by the farthest rows.
    fn open_empty(&self, start: &mut Start, sums: &mut Array2<f64>) {
        if start.sizes.members.iter().all(|count| *count > 0) {
            return;
        }
        let before = start.labels.clone();
        let squared = |i: usize| squared_distance(self.x.row(i), start.centers.row(before[i]));
        start.sizes.open_empty(&mut start.labels, self.weights, squared);
        for (i, (&from, &to)) in before.iter().zip(&start.labels).enumerate().filter(|(_, (from, to))| from != to) {
            sums.row_mut(from).scaled_add(-self.weights[i], &self.x.row(i));
            sums.row_mut(to).scaled_add(self.weights[i], &self.x.row(i));
        }
    }

    /// The means of the clusters and the objective, without what rounding left in the steps.
    fn finish(&self, start: &mut Start) -> Result<()> {
        self.compute.check_canceled()?;
        let mut sums = Array2::zeros(start.centers.dim());
        for (i, row) in self.x.rows().into_iter().enumerate().filter(|(i, _)| self.weights[*i] > 0.0) {
            sums.row_mut(start.labels[i]).scaled_add(self.weights[i], &row);
        }
        start.sizes = Sizes::of(&start.labels, self.weights, self.search.clusters);
        start.centers = sums / ArrayView1::from(&start.sizes.mass).insert_axis(Axis(1));
        start.objective = 0.0;
        for i in 0..self.x.nrows() {
            if self.weights[i] == 0.0 {
                let squared: Array1<f64> = (0..self.search.clusters).map(|c| self.squared(i, start, c)).collect();
                start.labels[i] = smallest(squared.view());
            }
            start.objective += self.weights[i] * self.squared(i, start, start.labels[i]);
        }
        Ok(())
    }
}

pub(super) fn squared_norms(rows: &Array2<f64>) -> Vec<f64> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// `XCᵀ`.
pub(super) fn products(x: ArrayView2<f64>, centers: ArrayView2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((x.nrows(), centers.nrows()));
    matmul(out.view_mut(), Target::Replace, x, centers.reversed_axes(), 1.0);
    out
}

pub(in crate::view) fn squared_distance(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => {
            let (chunks, rest) = a.as_chunks::<8>();
            let (others, other_rest) = b.as_chunks::<8>();
            let mut sums = [0.0; 8];
            for (a, b) in chunks.iter().zip(others) {
                for lane in 0..8 {
                    sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
                }
            }
            let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| (a - b) * (a - b)).sum();
            sums.iter().sum::<f64>() + rest
        }
        _ => a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum(),
    }
}
