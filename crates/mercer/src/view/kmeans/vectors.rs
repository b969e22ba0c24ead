//! k-means on vectors: features of points, or rows of an embedding.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};

use super::means::smallest;
use super::options::{KMeansInit, Search};
use super::partition::{Sizes, order_of_appearance, renamed};
use crate::features::seeding::{plus_plus, weighted};
use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Rows of a task. It never depends on the number of threads, so that the bytes do not either. Not
/// tuned.
const ROWS: usize = 256;
/// Rows among which the first means are chosen: more give better means at linear cost. Not tuned.
const CANDIDATES: usize = 10_000;
/// Rounding of a squared distance, relative to the largest squared norm: differences below are ties.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Clusters of vectors, numbered by first appearance.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::view) struct VectorClusters {
    pub(in crate::view) labels: Vec<usize>,
    /// A row per cluster.
    pub(in crate::view) centers: Array2<f64>,
    /// `Σ wᵢ‖xᵢ − c‖²`.
    pub(in crate::view) objective: f64,
    pub(in crate::view) iterations: usize,
    pub(in crate::view) converged: bool,
    /// `‖xᵢ − c‖²` of the own cluster.
    pub(in crate::view) squared_distances: Vec<f64>,
    /// The objective of every start.
    pub(in crate::view) starts: Vec<f64>,
}

/// The best of several starts, each improved by Lloyd's steps and then by moves of single points.
///
/// # Errors
/// [`Error::TooFew`](crate::Error::TooFew) for fewer distinct rows of positive weight than clusters,
/// [`Error::Canceled`](crate::Error::Canceled).
pub(in crate::view) fn cluster(
    mut x: Array2<f64>,
    weights: &[f64],
    search: Search,
    compute: &Compute,
) -> Result<VectorClusters> {
    search.check()?;
    // Distances are the same, and have more digits.
    let total: f64 = weights.iter().sum();
    let mean = multiply_weights(x.view(), weights) / total;
    x -= &mean;
    let problem = Problem::new(x, weights, search, compute);
    let starts = compute.try_map_tasks(search.starts, |start| problem.run(start))?;
    let objectives: Vec<f64> = starts.iter().map(|start| start.objective).collect();
    let best = smallest(ArrayView1::from(&objectives));
    let start = starts.into_iter().nth(best).expect("there is at least one start");
    let order = order_of_appearance(&start.labels, search.clusters);
    Ok(VectorClusters {
        labels: renamed(&start.labels, &order),
        squared_distances: (0..start.labels.len()).map(|i| problem.squared(i, &start, start.labels[i])).collect(),
        centers: start.centers.select(Axis(0), &order) + &mean,
        objective: start.objective,
        iterations: start.iterations,
        converged: start.converged,
        starts: objectives,
    })
}

fn multiply_weights(x: ArrayView2<f64>, weights: &[f64]) -> Array1<f64> {
    ArrayView1::from(weights).dot(&x)
}

struct Problem<'p> {
    x: Array2<f64>,
    squared_norms: Vec<f64>,
    weights: &'p [f64],
    search: Search,
    slack: f64,
    compute: &'p Compute,
}

/// A partition with the means of its clusters.
struct Start {
    labels: Vec<usize>,
    centers: Array2<f64>,
    sizes: Sizes,
    objective: f64,
    iterations: usize,
    converged: bool,
}

/// What a pass over some rows gives: their labels, and the weighted sums of their clusters.
struct Part {
    labels: Vec<usize>,
    sums: Array2<f64>,
}

impl<'p> Problem<'p> {
    fn new(x: Array2<f64>, weights: &'p [f64], search: Search, compute: &'p Compute) -> Self {
        let x = if x.is_standard_layout() { x } else { x.as_standard_layout().into_owned() };
        let squared_norms: Vec<f64> = x.rows().into_iter().map(|row| row.dot(&row)).collect();
        let slack = ROUNDING * squared_norms.iter().fold(0.0_f64, |m, v| m.max(*v));
        Self { x, squared_norms, weights, search, slack, compute }
    }

    /// `‖xᵢ − c‖²`.
    fn squared(&self, point: usize, start: &Start, cluster: usize) -> f64 {
        squared_distance(self.x.row(point), start.centers.row(cluster))
    }

    fn run(&self, start: usize) -> Result<Start> {
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

    /// Rows far from each other, or at random.
    fn first_centers(&self, start: usize) -> Result<Array2<f64>> {
        let stream = &mut self.compute.seed().stream("k-means", start as u64);
        let n = self.x.nrows();
        let mut rows: Vec<usize> = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
        if rows.len() > CANDIDATES {
            let order = stream.permutation(rows.len());
            rows = order[..CANDIDATES].iter().map(|&at| rows[at]).collect();
            rows.sort_unstable();
        }
        let mut seeds = self.far_apart(&rows, stream)?;
        if seeds.len() < self.search.clusters && rows.len() < n {
            rows = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
            seeds = self.far_apart(&rows, stream)?;
        }
        if seeds.len() < self.search.clusters {
            return Err(self.search.too_few(seeds.len()));
        }
        if self.search.init == KMeansInit::Random {
            let mut chances: Vec<f64> = rows.iter().map(|&i| self.weights[i]).collect();
            for seed in &mut seeds {
                *seed = weighted(&chances, stream);
                chances[*seed] = 0.0;
            }
        }
        let seeds: Vec<usize> = seeds.into_iter().map(|at| rows[at]).collect();
        Ok(self.x.select(Axis(0), &seeds))
    }

    fn far_apart(&self, rows: &[usize], stream: &mut crate::Stream) -> Result<Vec<usize>> {
        let x = self.x.select(Axis(0), rows);
        let weights: Vec<f64> = rows.iter().map(|&i| self.weights[i]).collect();
        let distances = |row: usize, out: &mut [f64]| {
            let own = x.row(row);
            for (other, out) in x.rows().into_iter().zip(out) {
                let squared = squared_distance(own, other);
                *out = if squared <= self.slack { 0.0 } else { squared };
            }
            Ok(())
        };
        plus_plus(&weights, self.search.clusters, self.search.trials(), &distances, stream, self.compute)
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
            let value = |c: usize| norms[c] - 2.0 * products[c];
            let best = (1..clusters).fold(0, |best, c| if value(c) < value(best) { c } else { best });
            let keeps = !first && value(best) >= value(start.labels[i]) - self.slack;
            let label = if keeps { start.labels[i] } else { best };
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

    /// Moves single rows where that improves the objective; whether one moved. Rows whose move would
    /// improve it now are found in parallel, and looked at again one by one.
    fn move_points(&self, start: &mut Start) -> Result<bool> {
        start.iterations += 1;
        let norms = squared_norms(&start.centers);
        let parts = self.compute.try_map_tasks(self.x.nrows().div_ceil(ROWS), |at| {
            self.compute.check_canceled()?;
            Ok(self.candidates(at, start, &norms))
        })?;
        let mut moved = false;
        for point in parts.into_iter().flatten() {
            let squared = |c: usize| self.squared(point, start, c);
            if let Some(to) = self.better_cluster(start, point, &squared) {
                self.move_point(start, point, to);
                moved = true;
            }
        }
        Ok(moved)
    }

    fn candidates(&self, at: usize, start: &Start, norms: &[f64]) -> Vec<usize> {
        let rows = at * ROWS..self.x.nrows().min((at + 1) * ROWS);
        let products = products(self.x.slice(s![rows.clone(), ..]), start.centers.view());
        let improves = |(i, products): &(usize, ArrayView1<f64>)| {
            let squared = |c: usize| self.squared_norms[*i] + norms[c] - 2.0 * products[c];
            self.better_cluster(start, *i, &squared).is_some()
        };
        rows.zip(products.rows()).filter(improves).map(|(i, _)| i).collect()
    }

    fn better_cluster(&self, start: &Start, point: usize, squared: &dyn Fn(usize) -> f64) -> Option<usize> {
        start.sizes.better(self.weights[point], start.labels[point], self.slack, squared)
    }

    fn move_point(&self, start: &mut Start, point: usize, to: usize) {
        let (w, from, row) = (self.weights[point], start.labels[point], self.x.row(point));
        start.sizes.shift(w, from, to);
        for (cluster, w) in [(from, -w), (to, w)] {
            let step = w / start.sizes.mass[cluster];
            let mut center = start.centers.row_mut(cluster);
            center.zip_mut_with(&row, |c, x| *c += step * (x - *c));
        }
        start.labels[point] = to;
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

fn squared_norms(rows: &Array2<f64>) -> Vec<f64> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// `XCᵀ`.
fn products(x: ArrayView2<f64>, centers: ArrayView2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((x.nrows(), centers.nrows()));
    let target: ArrayViewMut2<f64> = out.view_mut();
    matmul(target, Target::Replace, x, centers.reversed_axes(), 1.0);
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
