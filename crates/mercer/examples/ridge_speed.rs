//! How fast the exact dense methods are on this machine:
//! `cargo run --release -p mercer --example ridge_speed [ridge|factor|search|process|predict|peak]`.

use std::hint::black_box;
use std::time::Instant;

use faer::linalg::matmul::matmul;
use faer::traits::RealField;
use faer::{Accum, Mat, Par};
use mercer::gram::{Pairs, dense, dense_single, multiply};
use mercer::learn::{GaussianProcess, Ridge};
use mercer::select::{RidgeSearch, log_grid};
use mercer::solve::{Factored, SingleFactor, factor, symmetric_eigen};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array1, Array2};

/// The best of some runs, in seconds, and what the last of them gave.
fn best<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let (mut least, mut last) = (f64::INFINITY, None);
    for _ in 0..runs {
        drop(last.take());
        let start = Instant::now();
        let found = black_box(work()?);
        least = least.min(start.elapsed().as_secs_f64());
        last = Some(found);
    }
    Ok((least, last.expect("at least one run")))
}

/// Normal points, and a smooth function of the first coordinates with noise.
fn sample(n: usize, d: usize) -> (Array2<f64>, Array1<f64>) {
    let mut stream = Seed(1).stream("speed", 0);
    let x = Array2::from_shape_fn((n, d), |_| stream.normal());
    let y = x.rows().into_iter().map(|r| r[0].sin() + 0.5 * (r[1] * r[2 % d]).cos() + 0.1 * stream.normal()).collect();
    (x, y)
}

fn rate(name: &str, flops: f64, seconds: f64) {
    println!("{name:<44} {seconds:>8.3} s {:>7.1} GFLOP/s", flops / seconds / 1e9);
}

/// A large matrix product, on one thread and on all.
fn peak<T: RealField + Copy>(name: &str, one: T) -> Result<()> {
    const N: usize = 2048;
    let a = Mat::<T>::from_fn(N, N, |_, _| one);
    let mut c = Mat::<T>::zeros(N, N);
    for par in [Par::Seq, Par::rayon(0)] {
        let product = || -> Result<()> { Ok(matmul(c.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), one, par)) };
        rate(&format!("{name} product, {par:?}"), 2.0 * (N as f64).powi(3), best(5, product)?.0);
    }
    Ok(())
}

fn measure_peak() -> Result<()> {
    peak("f64", 1.0_f64)?;
    peak("f32", 1.0_f32)
}

fn measure_factor(compute: &Compute) -> Result<()> {
    let (n, d) = (8000, 50);
    let (x, y) = sample(n, d);
    let kernel: Kernel = "gaussian(lengthscale=7)".parse()?;
    let bound = kernel.bind(Pairs::within(x.view()), compute)?;
    let third = (n as f64).powi(3) / 3.0;
    let (seconds, mut single) = best(3, || dense_single(&bound, compute))?;
    println!("Gram matrix in f32 {seconds:.3} s");
    single.diag_mut().mapv_inplace(|v| v + 0.1);
    let time = |a: Array2<f32>| {
        let start = Instant::now();
        Ok::<_, mercer::Error>((SingleFactor::new(a, compute)?, start.elapsed().as_secs_f64()))
    };
    let mut least = f64::INFINITY;
    let mut kept = None;
    for _ in 0..3 {
        let (found, seconds) = time(single.clone())?;
        least = least.min(seconds);
        kept = found;
    }
    rate("Cholesky factor in f32", third, least);
    let column = y.view().insert_axis(ndarray::Axis(1));
    if let Some(kept) = kept {
        println!("solve in f32 {:.3} s", best(3, || kept.solve(column, compute))?.0);
    }
    println!("K·v in f64 {:.3} s", best(3, || multiply(&bound, column, compute))?.0);
    let (seconds, mut double) = best(2, || dense(&bound, compute))?;
    println!("Gram matrix in f64 {seconds:.3} s");
    double.diag_mut().mapv_inplace(|v| v + 0.1);
    let mut least = f64::INFINITY;
    let mut kept = None;
    for _ in 0..3 {
        let matrix = double.clone();
        let start = Instant::now();
        kept = Some(factor(matrix, compute)?);
        least = least.min(start.elapsed().as_secs_f64());
    }
    rate("Cholesky factor in f64", third, least);
    if let Some(Factored::Definite(kept)) = kept {
        println!("condition {:.3} s", best(1, || kept.condition(compute))?.0);
        rate("diagonal of the inverse", third, best(2, || kept.inverse_diagonal(compute))?.0);
    }
    Ok(())
}

fn measure_ridge(compute: &Compute) -> Result<()> {
    let (x, y) = sample(8000, 50);
    let column = y.view().insert_axis(ndarray::Axis(1));
    let ridge = Ridge { diagnostics: false, ..Ridge::new("gaussian(lengthscale=7)".parse()?, 0.1) };
    let (seconds, fit) = best(3, || ridge.fit(x.view(), column, None, compute))?;
    println!("ridge 8000 × 50: {seconds:.3} s, {:?}", fit.method());
    Ok(())
}

fn measure_search(compute: &Compute) -> Result<()> {
    let (x, y) = sample(2000, 10);
    let column = y.view().insert_axis(ndarray::Axis(1));
    let search = RidgeSearch {
        lengthscales: log_grid(0.5, 20.0, 10)?,
        lambdas: log_grid(1e-4, 10.0, 20)?,
        ..RidgeSearch::new(vec!["gaussian()".parse()?])
    };
    let (seconds, found) = best(3, || search.fit(x.view(), column, None, compute))?;
    println!("20 λ × 10 lengthscales at 2000 × 10: {seconds:.3} s, {:?} {:.12e}", found.best, found.best_score);
    let bound = found.fit.kernel().bind(Pairs::within(x.view()), compute)?;
    let matrix = dense(&bound, compute)?;
    println!("eigendecomposition at 2000: {:.3} s", best(2, || symmetric_eigen(matrix.view()))?.0);
    Ok(())
}

fn measure_process(compute: &Compute) -> Result<()> {
    let (x, y) = sample(1000, 5);
    for text in ["1*gaussian(lengthscale=1)", "1*gaussian(lengthscale=[1, 1, 1, 1, 1])"] {
        let process = GaussianProcess::new(text.parse()?, 1.0);
        let (seconds, fit) = best(3, || process.fit(x.view(), y.view(), compute))?;
        let steps = fit.optimisation().map_or(0, |o| o.evaluations);
        println!(
            "Gaussian process 1000 × 5: {seconds:.3} s, {steps} evaluations, {:.6} at {}, noise {:.6}",
            fit.log_marginal_likelihood(),
            fit.kernel(),
            fit.noise()
        );
    }
    Ok(())
}

fn measure_predict(compute: &Compute) -> Result<()> {
    let (x, y) = sample(20_000, 50);
    let (centres, new) = x.view().split_at(ndarray::Axis(0), 10_000);
    let kernel: Kernel = "gaussian(lengthscale=7)".parse()?;
    let dual = y.slice(ndarray::s![..10_000]).insert_axis(ndarray::Axis(1)).to_owned();
    let predict = || multiply(&kernel.bind(Pairs::between(new, centres), compute)?, dual.view(), compute);
    println!("10 000 rows from 10 000 centres, d = 50: {:.3} s", best(5, predict)?.0);
    Ok(())
}

fn main() -> Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let compute = match std::env::args().nth(2) {
        Some(threads) => Compute::new().with_threads(threads.parse().unwrap_or(1))?,
        None => Compute::new(),
    };
    let parts: [(&str, fn(&Compute) -> Result<()>); 6] = [
        ("peak", |_| measure_peak()),
        ("factor", measure_factor),
        ("ridge", measure_ridge),
        ("search", measure_search),
        ("process", measure_process),
        ("predict", measure_predict),
    ];
    for (name, measure) in parts {
        if name.starts_with(&wanted) {
            measure(&compute)?;
        }
    }
    Ok(())
}
