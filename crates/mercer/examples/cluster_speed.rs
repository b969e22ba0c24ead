//! How long kernel k-means and spectral clustering take:
//! `cargo run --release -p mercer --example cluster_speed [largest number of points]`.

use std::time::Instant;

use mercer::view::{ClusterSolver, KernelKMeans, SpectralClustering, adjusted_rand_index};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::Array2;

const COLUMNS: usize = 10;
const CLUSTERS: usize = 8;

/// Points around one center per cluster, with overlap.
fn clouds(n: usize) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(1).stream("clouds", 0);
    let centers = Array2::from_shape_fn((CLUSTERS, COLUMNS), |_| 2.0 * stream.normal());
    let of: Vec<usize> = (0..n).map(|i| i % CLUSTERS).collect();
    let x = Array2::from_shape_fn((n, COLUMNS), |(i, j)| centers[[of[i], j]] + stream.normal());
    (x, of)
}

fn means(n: usize, solver: ClusterSolver, kernel: &Kernel) -> Result<()> {
    let (x, of) = clouds(n);
    let start = Instant::now();
    let fit =
        KernelKMeans { solver, ..KernelKMeans::new(kernel.clone(), CLUSTERS) }.fit(x.view(), None, &Compute::new())?;
    let (seconds, evidence) = (start.elapsed().as_secs_f64(), fit.evidence());
    println!(
        "kernel k-means n={n:<7} {seconds:>8.3} s objective {:.6} after {} iterations (10 starts), index {:.3}; {}",
        evidence.objective,
        evidence.iterations,
        adjusted_rand_index(fit.labels(), &of)?,
        fit.plan()
    );
    Ok(())
}

fn spectral(n: usize, solver: ClusterSolver, kernel: &Kernel) -> Result<()> {
    let (x, of) = clouds(n);
    let start = Instant::now();
    let spec = SpectralClustering { solver, ..SpectralClustering::new(kernel.clone(), CLUSTERS) };
    let fit = spec.fit(x.view(), &Compute::new())?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "spectral       n={n:<7} {seconds:>8.3} s eigenvalue {} is {:.6}, index {:.3}; {}",
        CLUSTERS,
        fit.eigenvalues()[CLUSTERS - 1],
        adjusted_rand_index(fit.labels(), &of)?,
        fit.plan()
    );
    Ok(())
}

fn main() -> Result<()> {
    let largest = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(5000);
    let kernel: Kernel = "gaussian(lengthscale=3)".parse()?;
    let exact = [ClusterSolver::Stored, ClusterSolver::StoredSingle, ClusterSolver::Tiles, ClusterSolver::Landmarks];
    for n in [2000, 5000].into_iter().filter(|n| *n <= largest) {
        for solver in exact {
            means(n, solver, &kernel)?;
        }
        for solver in exact {
            spectral(n, solver, &kernel)?;
        }
    }
    for n in [20_000, 100_000].into_iter().filter(|n| *n <= largest) {
        means(n, ClusterSolver::Auto, &kernel)?;
        spectral(n, ClusterSolver::Auto, &kernel)?;
    }
    Ok(())
}
