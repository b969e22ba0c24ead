//! How long kernel principal components take, by size and solver:
//! `cargo run --release -p mercer --example pca_speed [largest number of rows]`.

use std::time::Instant;

use mercer::gram::{self, Pairs};
use mercer::view::pca::{EigenSolver, KernelPca};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::Array2;

/// Points around 30 centers in the unit cube, as images of digits are.
fn clouds(n: usize, d: usize) -> Array2<f64> {
    let mut stream = Seed(1).stream("clouds", (n * d) as u64);
    let centers = Array2::from_shape_fn((30, d), |_| stream.uniform());
    Array2::from_shape_fn((n, d), |(i, j)| centers[[i % 30, j]] + 0.3 * stream.normal())
}

fn run(n: usize, d: usize, spec: &KernelPca, compute: &Compute) -> Result<()> {
    let x = clouds(n, d);
    let start = Instant::now();
    let fit = spec.fit(x.view(), compute)?;
    let seconds = start.elapsed().as_secs_f64();
    let evidence = fit.evidence();
    println!(
        "n={n:<6} d={d:<4} q={:<3} {seconds:>7.3} s, {} products, residual {:.0e}, trace missed {:.2e}, μ {:.6e} … {:.6e}; {}",
        fit.components(),
        evidence.products,
        evidence.residual,
        evidence.trace_missed,
        fit.eigenvalues()[0],
        fit.eigenvalues()[fit.components() - 1],
        fit.plan(),
    );
    Ok(())
}

fn main() -> Result<()> {
    let largest = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(5000);
    let (wide, narrow): (Kernel, Kernel) = ("gaussian(lengthscale=8)".parse()?, "gaussian(lengthscale=2)".parse()?);
    let compute = Compute::new();
    for (n, q) in [(400, 2), (800, 2), (800, 20), (1500, 20), (3000, 20)].into_iter().filter(|(n, _)| *n <= largest) {
        for solver in [EigenSolver::Dense, EigenSolver::Leading] {
            run(n, 10, &KernelPca { solver, ..KernelPca::new(narrow.clone(), Some(q)) }, &compute)?;
        }
    }
    if largest >= 5000 {
        let x = clouds(5000, 784);
        let start = Instant::now();
        gram::dense(&wide.bind(Pairs::within(x.view()), &compute)?, &compute)?;
        println!("the Gram matrix of 5000 × 784 alone: {:.3} s", start.elapsed().as_secs_f64());
        run(5000, 784, &KernelPca::new(wide.clone(), Some(20)), &compute)?;
        run(5000, 784, &KernelPca { landmarks: Some(1000), ..KernelPca::new(wide, Some(20)) }, &compute)?;
    }
    if largest >= 50_000 {
        let limited = Compute::new().with_memory(1_000_000_000);
        for landmarks in [None, Some(2000)] {
            run(50_000, 50, &KernelPca { landmarks, ..KernelPca::new(narrow.clone(), Some(20)) }, &limited)?;
        }
        let exact = KernelPca { solver: EigenSolver::Leading, ..KernelPca::new(narrow, Some(20)) };
        run(50_000, 50, &exact, &limited)?;
    }
    Ok(())
}
