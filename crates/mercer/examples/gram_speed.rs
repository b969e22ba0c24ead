//! How fast the tile engine is on this machine, and where the time goes:
//! `cargo run --release -p mercer --example gram_speed [part of a kernel's text]`.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use mercer::gram::simd::Element;
use mercer::gram::simd::matmul::{Target, matmul};
use mercer::gram::{Metric, MetricKind, Pairs, Tiles, dense, dense_single, multiply};
use mercer::{Compute, Kernel, Precision, Result};
use ndarray::Array2;

/// Rows and columns of the tiles of the library.
const BLOCK: usize = 192;

/// Kernels of 10 000 × 50 and 5 000 × 784, with the metric they share their time with.
const KERNELS: [(&str, Option<MetricKind>); 11] = [
    ("gaussian(lengthscale=3)", Some(MetricKind::SquaredEuclidean)),
    ("laplacian(lengthscale=3)", Some(MetricKind::SquaredEuclidean)),
    ("matern(nu=3/2, lengthscale=3)", Some(MetricKind::SquaredEuclidean)),
    ("matern(nu=5/2, lengthscale=3)", Some(MetricKind::SquaredEuclidean)),
    ("rational_quadratic(lengthscale=3, shape=0.7)", Some(MetricKind::SquaredEuclidean)),
    ("polynomial(degree=3)", Some(MetricKind::Dot)),
    ("linear()", Some(MetricKind::Dot)),
    ("laplacian(lengthscale=9, norm=l1)", Some(MetricKind::Manhattan)),
    ("cauchy(lengthscale=3)", None),
    (
        "gaussian(lengthscale=3) + matern(nu=3/2, lengthscale=3) + rational_quadratic(lengthscale=3)",
        Some(MetricKind::SquaredEuclidean),
    ),
    ("gaussian(lengthscale=3) + gaussian(lengthscale=2) + gaussian(lengthscale=5)", Some(MetricKind::SquaredEuclidean)),
];

/// A matrix of nothing: what it costs to store one.
struct Nothing {
    shape: (usize, usize),
    symmetric: bool,
}

impl Tiles for Nothing {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }
    fn symmetric(&self) -> bool {
        self.symmetric
    }
    fn fill(&self, _: Range<usize>, _: Range<usize>, _: &mut [f64]) {}
    fn fill_single(&self, _: Range<usize>, _: Range<usize>, _: &mut [f32]) {}
    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(vec![0.0; self.shape.0])
    }
}

/// The best of five runs, in seconds.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..5).map(time).fold(f64::INFINITY, f64::min)
}

fn points(n: usize, d: usize) -> Array2<f64> {
    let mut state = 88_172_645_463_325_252_u64;
    Array2::from_shape_simple_fn((n, d), || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// Multiplications and additions per second (in units of 10⁹) of large matrix products, one per thread.
fn gemm_peak(threads: usize) -> f64 {
    const N: usize = 1536;
    let a = Array2::from_shape_fn((N, N), |(i, j)| ((i * 7 + j) % 11) as f64);
    let mut products = vec![Array2::<f64>::zeros((N, N)); threads];
    let seconds = best(|| {
        std::thread::scope(|scope| {
            for c in &mut products {
                scope.spawn(|| matmul(c.view_mut(), Target::Replace, a.view(), a.view(), 1.0));
            }
        });
    });
    2.0 * (N as f64).powi(3) * threads as f64 / seconds / 1e9
}

/// One measured job.
struct Line<'a> {
    name: &'a str,
    /// Pairs that are computed.
    pairs: f64,
    dims: usize,
    peak: f64,
}

impl Line<'_> {
    fn print(&self, what: &str, seconds: f64) {
        let rate = 2.0 * self.pairs * self.dims as f64 / seconds / 1e9;
        println!(
            "{:<30.30} {what:<12} d={:<4} {seconds:>7.3} s {:>7.2} ns/pair {rate:>6.1} GFLOP/s {:>4.0} % of f64 GEMM",
            self.name,
            self.dims,
            seconds / self.pairs * 1e9,
            100.0 * rate / self.peak,
        );
    }
}

/// Nanoseconds per value of one thread on tiles in the cache: the best of many short runs, whatever
/// else is running.
fn per_value<T: Element>(shape: (usize, usize), fill: impl Fn(Range<usize>, Range<usize>, &mut [T])) -> f64 {
    let (rows, cols) = (BLOCK.min(shape.0), BLOCK.min(shape.1));
    let mut tile = vec![T::default(); rows * cols];
    let mut one = |at: usize| {
        let first = at % 8 * cols % (shape.1 - cols + 1);
        let start = Instant::now();
        fill(shape.0 - rows..shape.0, first..first + cols, &mut tile);
        black_box(&mut tile);
        start.elapsed().as_secs_f64()
    };
    (0..200).map(&mut one).fold(f64::INFINITY, f64::min) / (rows * cols) as f64 * 1e9
}

/// One thread: the metric alone, and the whole tile.
fn parts(metric: Option<&Metric>, tiles: &dyn Tiles, d: usize, core: f64) {
    let shape = tiles.shape();
    let report = |precision: &str, metric: Option<f64>, whole: f64| match metric {
        Some(metric) => println!(
            "    one thread, {precision}: metric {metric:.2} ns/value ({:.0} % of f64 GEMM), profile {:.2} ns/value",
            100.0 * 2.0 * d as f64 / metric / core,
            whole - metric
        ),
        None => println!("    one thread, {precision}: tile {whole:.2} ns/value"),
    };
    let double = metric.map(|m| per_value::<f64>(shape, |r, c, out| m.fill(r, c, out)));
    report("f64", double, per_value::<f64>(shape, |r, c, out| tiles.fill(r, c, out)));
    let single = metric.map(|m| per_value::<f32>(shape, |r, c, out| m.fill(r, c, out)));
    report("f32", single, per_value::<f32>(shape, |r, c, out| tiles.fill_single(r, c, out)));
}

fn measure(text: &str, kind: Option<MetricKind>, (n, d): (usize, usize), peaks: (f64, f64)) -> Result<()> {
    let (compute, x) = (Compute::new(), points(n, d));
    let single = compute.clone().with_precision(Precision::SingleTiles);
    let kernel: Kernel = text.parse()?;
    let tiles = kernel.bind(Pairs::within(x.view()), &compute)?;
    let metric = kind.map(|kind| Metric::new(kind, x.view(), None, None)).transpose()?;
    let line = Line { name: text, pairs: (n * (n + 1) / 2) as f64, dims: d, peak: peaks.1 };
    let v = points(n, 1);
    line.print("f64", best(|| dense(&tiles, &compute)));
    line.print("f32", best(|| dense_single(&tiles, &compute)));
    line.print("K·v f64", best(|| multiply(&tiles, v.view(), &compute)));
    line.print("K·v f32", best(|| multiply(&tiles, v.view(), &single)));
    parts(metric.as_ref(), &tiles, d, peaks.0);
    Ok(())
}

fn measure_cross(text: &str, (n, m, d): (usize, usize, usize), peak: f64) -> Result<()> {
    let (compute, x, y) = (Compute::new(), points(n, d), points(m, d));
    let kernel: Kernel = text.parse()?;
    let tiles = kernel.bind(Pairs::between(x.view(), y.view()), &compute)?;
    let line = Line { name: text, pairs: (n * m) as f64, dims: d, peak };
    line.print("cross f64", best(|| dense(&tiles, &compute)));
    line.print("cross f32", best(|| dense_single(&tiles, &compute)));
    Ok(())
}

/// Memory alone, and what binding costs.
fn measure_rest() -> Result<()> {
    let compute = Compute::new();
    for (shape, symmetric) in [((10_000, 10_000), true), ((20_000, 2_000), false)] {
        let nothing = Nothing { shape, symmetric };
        let (double, single) = (best(|| dense(&nothing, &compute)), best(|| dense_single(&nothing, &compute)));
        println!("storing {shape:?} alone: f64 {double:.3} s, f32 {single:.3} s");
    }
    let (x, kernel): (_, Kernel) = (points(20_000, 784), "gaussian(lengthscale=3)".parse()?);
    let bind = best(|| kernel.bind(Pairs::within(x.view()), &compute));
    println!("binding 20 000 × 784: {bind:.3} s");
    Ok(())
}

fn main() -> Result<()> {
    let requested = std::env::args().nth(1).unwrap_or_default();
    let threads = Compute::new().threads();
    let peaks = (gemm_peak(1), gemm_peak(threads));
    println!("f64 GEMM: {:.1} GFLOP/s on one thread, {:.1} on {threads}", peaks.0, peaks.1);
    println!("2 operations per coordinate and pair, each pair once");
    measure_rest()?;
    for (text, kind) in KERNELS.into_iter().filter(|(text, _)| text.contains(&requested)) {
        measure(text, kind, (10_000, 50), peaks)?;
        measure_cross(text, (20_000, 2_000, 50), peaks.1)?;
        measure(text, kind, (5_000, 784), peaks)?;
    }
    Ok(())
}
