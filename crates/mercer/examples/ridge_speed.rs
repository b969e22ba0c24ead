//! How fast the exact dense methods are on this machine:
//! `cargo run --release -p mercer --example ridge_speed [ridge|factor|search|process|predict|peak]`.

use std::hint::black_box;
use std::time::Instant;

use mercer::gram::simd::Element;
use mercer::gram::simd::matmul::{Target, matmul};
use mercer::gram::{Pairs, dense, dense_single, multiply};
use mercer::learn::{GaussianProcess, Ridge};
use mercer::select::{RidgeSearch, log_grid};
use mercer::solve::{Factored, SingleFactor, factor, symmetric_eigen};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array1, Array2};

/// The time of a piece of work, in seconds.
#[derive(Clone, Copy)]
struct Time {
    wall: f64,
    /// Of all threads: what to look at when others use the machine too.
    processor: f64,
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} s ({:.2} s of processor)", self.wall, self.processor)
    }
}

/// Seconds of processor that the threads of this process have had, if the operating system provides
/// it.
fn processor_seconds() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let files = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    files.filter_map(|text| text.split(' ').next()?.parse::<f64>().ok()).sum::<f64>() * 1e-9
}

/// The best of some runs, and what the last of them gave.
fn best<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(Time, T)> {
    let (mut least, mut last) = (Time { wall: f64::INFINITY, processor: f64::INFINITY }, None);
    for _ in 0..runs {
        drop(last.take());
        let (start, before) = (Instant::now(), processor_seconds());
        let found = black_box(work()?);
        least.wall = least.wall.min(start.elapsed().as_secs_f64());
        least.processor = least.processor.min(processor_seconds() - before);
        last = Some(found);
    }
    Ok((least, last.expect("at least one run")))
}

/// The best of some runs of a work that uses up its input.
fn best_of<A: Clone, T>(runs: usize, input: &A, work: impl Fn(A) -> Result<T>) -> Result<(Time, T)> {
    let mut least = Time { wall: f64::INFINITY, processor: f64::INFINITY };
    let mut last = None;
    for _ in 0..runs {
        drop(last.take());
        let mut once = Some(input.clone());
        let (time, found) = best(1, || work(once.take().expect("one run")))?;
        least = Time { wall: least.wall.min(time.wall), processor: least.processor.min(time.processor) };
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

fn rate(name: &str, flops: f64, time: Time) {
    let (wall, processor) = (flops / time.wall / 1e9, flops / time.processor / 1e9);
    println!("{name:<30} {time}: {wall:.1} GFLOP/s, {processor:.1} per processor");
}

/// A large matrix product on one thread.
fn peak<T: Element>(name: &str, one: T) -> Result<()> {
    const N: usize = 2048;
    let a = Array2::from_elem((N, N), one);
    let mut c = a.clone();
    let product = || -> Result<()> {
        matmul(c.view_mut(), Target::Replace, a.view(), a.view(), one);
        Ok(())
    };
    rate(&format!("{name} product"), 2.0 * (N as f64).powi(3), best(5, product)?.0);
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
    let (seconds, mut single) = best(2, || dense_single(&bound, compute))?;
    println!("Gram matrix in f32 {seconds}");
    single.diag_mut().mapv_inplace(|v| v + 0.1);
    let (time, kept) = best_of(3, &single, |matrix| SingleFactor::new(matrix, compute))?;
    rate("Cholesky factor in f32", third, time);
    let column = y.view().insert_axis(ndarray::Axis(1));
    if let Some(kept) = kept {
        println!("solve in f32 {}", best(3, || kept.solve(column, compute))?.0);
    }
    println!("K·v in f64 {}", best(3, || multiply(&bound, column, compute))?.0);
    let (seconds, mut double) = best(2, || dense(&bound, compute))?;
    println!("Gram matrix in f64 {seconds}");
    double.diag_mut().mapv_inplace(|v| v + 0.1);
    let (time, kept) = best_of(2, &double, |matrix| factor(matrix, compute))?;
    rate("Cholesky factor in f64", third, time);
    if let Factored::Definite(kept) = kept {
        println!("condition {}", best(1, || kept.condition(compute))?.0);
        rate("diagonal of the inverse", third, best(2, || kept.inverse_diagonal(compute))?.0);
    }
    Ok(())
}

fn measure_ridge(compute: &Compute) -> Result<()> {
    let (x, y) = sample(8000, 50);
    let column = y.view().insert_axis(ndarray::Axis(1));
    let ridge = Ridge { diagnostics: false, ..Ridge::new("gaussian(lengthscale=7)".parse()?, 0.1) };
    let (seconds, fit) = best(3, || ridge.fit(x.view(), column, None, compute))?;
    println!("ridge 8000 × 50: {seconds}, {:?}", fit.method());
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
    println!("20 λ × 10 lengthscales at 2000 × 10: {seconds}, {:?} {:.12e}", found.best, found.best_score);
    let bound = found.fit.kernel().bind(Pairs::within(x.view()), compute)?;
    let matrix = dense(&bound, compute)?;
    println!("eigendecomposition at 2000: {}", best(2, || symmetric_eigen(matrix.view(), &Compute::new()))?.0);
    Ok(())
}

fn measure_process(compute: &Compute) -> Result<()> {
    let (x, y) = sample(1000, 5);
    for text in ["1*gaussian(lengthscale=1)", "1*gaussian(lengthscale=[1, 1, 1, 1, 1])"] {
        let process = GaussianProcess::new(text.parse()?, 1.0);
        let (seconds, fit) = best(3, || process.fit(x.view(), y.view(), compute))?;
        let steps = fit.optimization().map_or(0, |o| o.evaluations);
        println!(
            "Gaussian process 1000 × 5: {seconds}, {steps} evaluations, {:.6} at {}, noise {:.6}",
            fit.log_marginal_likelihood(),
            fit.kernel(),
            fit.noise()
        );
    }
    Ok(())
}

fn measure_predict(compute: &Compute) -> Result<()> {
    let (x, y) = sample(20_000, 50);
    let (centers, new) = x.view().split_at(ndarray::Axis(0), 10_000);
    let kernel: Kernel = "gaussian(lengthscale=7)".parse()?;
    let dual = y.slice(ndarray::s![..10_000]).insert_axis(ndarray::Axis(1)).to_owned();
    let predict = || multiply(&kernel.bind(Pairs::between(new, centers), compute)?, dual.view(), compute);
    println!("10 000 rows from 10 000 centers, d = 50: {}", best(5, predict)?.0);
    Ok(())
}

/// One part of the program.
type Measure = fn(&Compute) -> Result<()>;

fn main() -> Result<()> {
    let requested = std::env::args().nth(1).unwrap_or_default();
    let compute = match std::env::args().nth(2) {
        Some(threads) => Compute::new().with_threads(threads.parse().unwrap_or(1))?,
        None => Compute::new(),
    };
    let parts: [(&str, Measure); 6] = [
        ("peak", |_| measure_peak()),
        ("factor", measure_factor),
        ("ridge", measure_ridge),
        ("search", measure_search),
        ("process", measure_process),
        ("predict", measure_predict),
    ];
    for (name, measure) in parts {
        if name.starts_with(&requested) {
            measure(&compute)?;
        }
    }
    Ok(())
}
