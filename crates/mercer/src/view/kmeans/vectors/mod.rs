//! k-means on vectors: features of points, or rows of an embedding.

mod moves;
mod seeds;
mod start;

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use self::start::Problem;
pub(in crate::view) use self::start::squared_distance;
use super::means::smallest;
use super::options::Search;
use super::partition::{order_of_appearance, renamed};
use crate::{Compute, Result};

/// Rows of a task. It never depends on the number of threads, so that the bytes do not either. Not
/// tuned.
const ROWS: usize = 256;
/// The name of the work in reports.
const WORK: &str = "starts of k-means";

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
/// [`Error::TooFew`](crate::Error::TooFew) for fewer distinct rows of positive weight than
/// clusters, [`Error::Canceled`](crate::Error::Canceled).
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
    let done = AtomicU64::new(0);
    let starts = compute.try_map_tasks(search.starts, |start| {
        let found = problem.run(start)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done < search.starts as u64 {
            compute.report(WORK, done, search.starts as u64);
        }
        Ok(found)
    })?;
    compute.report(WORK, search.starts as u64, search.starts as u64);
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
