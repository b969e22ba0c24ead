//! How long tests take. Run with `cargo run --release --example test_speed`; with `large` also n =
//! m = 5000, with `million` also random features up to a million points in 1 GB.

use std::time::Instant;

use mercer::hypothesis::{Independence, IndependenceMethod, KernelWeights, TwoSample, TwoSampleMethod};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::Array2;

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("speed", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

/// The least of several times, which others disturbed least, and the mean of the processor time of
/// all threads.
fn timed(name: &str, repeats: usize, mut work: impl FnMut() -> Result<f64>) -> Result<()> {
    let (mut best, mut p) = (f64::INFINITY, 0.0);
    let before = processor_seconds();
    for _ in 0..repeats {
        let start = Instant::now();
        p = work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let busy = (processor_seconds() - before) / repeats as f64;
    println!("{name:<62} {best:>8.4} s   {busy:>8.4} CPU s   p = {p:.4}");
    Ok(())
}

/// The processor time of the process, if the operating system provides it: fields 14 and 15, in
/// hundredths of a second.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = text.split_whitespace().skip(13).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Random features: the time grows linearly with the number of points. The memory is the largest
/// that the process had.
fn million() -> Result<()> {
    let compute = Compute::new().with_memory(1 << 30);
    let method = TwoSampleMethod::Features(256);
    let two = TwoSample { permutations: 199, ..TwoSample::with_method(method) };
    let pair = Independence { permutations: 199, ..Independence::with_method(IndependenceMethod::Features(64)) };
    for n in [125_000, 250_000, 500_000, 1_000_000] {
        let (x, y) = (normal(11, n / 2, 10), normal(12, n / 2, 10));
        timed(&format!("256 features, {n} points, d = 10, 199 permutations"), 1, || {
            Ok(two.test(&x, &y, &compute)?.p_value)
        })?;
        let (x, y) = (normal(13, n, 10), normal(14, n, 10));
        timed(&format!("64 + 64 features, {n} pairs, d = 10, 199 permutations"), 1, || {
            Ok(pair.test(&x, &y, &compute)?.p_value)
        })?;
        println!("{:<62} {:>8} MB", "  memory so far", peak_megabytes());
    }
    Ok(())
}

/// The largest memory of the process, if the operating system provides it.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn main() -> Result<()> {
    if std::env::args().any(|a| a == "million") {
        return million();
    }
    let compute = Compute::new();
    let (x, y) = (normal(1, 500, 10), normal(2, 500, 10));
    let one = TwoSample { permutations: 500, ..TwoSample::permutation(Kernel::gaussian(3.0)?) };
    timed("MMD, n = m = 500, 500 permutations", 7, || Ok(one.test(&x, &y, &compute)?.p_value))?;
    let (a, b) = (normal(3, 2000, 10), normal(4, 2000, 10));
    timed("MMD, n = m = 2000, 500 permutations", 5, || Ok(one.test(&a, &b, &compute)?.p_value))?;
    let aggregated = TwoSample { permutations: 1000, ..TwoSample::default() };
    timed("aggregated, 20 kernels, n = m = 500, 1000 permutations", 5, || {
        Ok(aggregated.test(&x, &y, &compute)?.p_value)
    })?;
    let wild = TwoSampleMethod::Aggregated { weights: KernelWeights::Uniform, wild: true };
    let wild = TwoSample { permutations: 1000, ..TwoSample::with_method(wild) };
    timed("aggregated, 20 kernels, n = m = 500, 1000 wild bootstraps", 5, || Ok(wild.test(&x, &y, &compute)?.p_value))?;
    let independence = Independence { permutations: 500, ..Independence::default() };
    let (x, y) = (normal(5, 500, 1), normal(6, 500, 1));
    timed("HSIC, n = 500, 500 permutations", 5, || Ok(independence.test(&x, &y, &compute)?.p_value))?;
    let (x, y) = (normal(7, 2000, 1), normal(8, 2000, 1));
    timed("HSIC, n = 2000, 500 permutations", 3, || Ok(independence.test(&x, &y, &compute)?.p_value))?;
    if std::env::args().any(|a| a == "large") {
        let (x, y) = (normal(9, 5000, 100), normal(10, 5000, 100));
        timed("aggregated, n = m = 5000, d = 100, 1000 wild bootstraps", 1, || {
            Ok(wild.test(&x, &y, &compute)?.p_value)
        })?;
        timed("aggregated, n = m = 5000, d = 100, 1000 permutations", 1, || {
            Ok(aggregated.test(&x, &y, &compute)?.p_value)
        })?;
    }
    Ok(())
}
