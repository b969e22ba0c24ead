//! How fast the tile engine is on this machine: `cargo run --release -p mercer --example gram_speed`.

use std::ops::Range;
use std::time::Instant;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use mercer::gram::simd::{Element, Formula, map_in_place};
use mercer::gram::{Metric, MetricKind, Tiles, dense, dense_single, multiply};
use mercer::real::Real;
use mercer::{Compute, Precision, Result};
use ndarray::Array2;

/// `exp(−a s)`: the Gaussian of a squared distance, the Laplacian of a Manhattan distance.
struct Exponential(f64);

impl Formula for Exponential {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        (N::from_f64(-self.0) * s).exp()
    }
}

/// One metric, one formula.
struct Radial {
    metric: Metric,
    profile: Exponential,
}

impl Radial {
    fn tile<T: Element>(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [T]) {
        self.metric.fill(rows, cols, out);
        map_in_place(&self.profile, 1.0, out);
    }
}

impl Tiles for Radial {
    fn shape(&self) -> (usize, usize) {
        self.metric.shape()
    }
    fn symmetric(&self) -> bool {
        self.metric.symmetric()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        self.tile(rows, cols, out);
    }
    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        self.tile(rows, cols, out);
    }
    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(vec![1.0; self.metric.shape().0])
    }
}

/// The best of five runs, in seconds.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(work());
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

/// Multiplications and additions per second (in units of 10⁹) of a large matrix product on all threads.
fn gemm_peak(compute: &Compute) -> f64 {
    const N: usize = 1536;
    let a = Mat::<f64>::from_fn(N, N, |i, j| ((i * 7 + j) % 11) as f64);
    let mut c = Mat::<f64>::zeros(N, N);
    let seconds = best(|| {
        compute
            .install(|| matmul(c.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, Par::rayon(compute.threads())));
    });
    2.0 * (N as f64).powi(3) / seconds / 1e9
}

fn line(name: &str, n: usize, d: usize, seconds: f64, peak: f64) {
    let pairs = (n * (n + 1) / 2) as f64;
    let rate = 2.0 * pairs * d as f64 / seconds / 1e9;
    println!(
        "{name:<28} {n:>6} × {d:<4} {seconds:>8.3} s {:>8.3} ns/pair {rate:>8.1} GFLOP/s {:>5.0} % of f64 GEMM",
        seconds / pairs * 1e9,
        100.0 * rate / peak,
    );
}

fn main() -> Result<()> {
    let compute = Compute::new();
    let single = compute.clone().with_precision(Precision::SingleTiles);
    let peak = gemm_peak(&compute);
    println!(
        "{} threads, f64 GEMM {peak:.1} GFLOP/s; 2 operations per coordinate and pair, each pair once",
        compute.threads()
    );
    for (name, kind, n, d) in [
        ("gaussian", MetricKind::SquaredEuclidean, 10_000, 50),
        ("gaussian", MetricKind::SquaredEuclidean, 5_000, 784),
        ("l1 laplacian", MetricKind::Manhattan, 10_000, 50),
        ("exp of dot", MetricKind::Dot, 10_000, 50),
    ] {
        let metric = Metric::new(kind, points(n, d).view(), None, None)?;
        let tiles = Radial { metric, profile: Exponential(4.0 / d as f64) };
        let v = points(n, 1);
        line(&format!("{name} f64"), n, d, best(|| dense(&tiles, &compute)), peak);
        line(&format!("{name} f32"), n, d, best(|| dense_single(&tiles, &compute)), peak);
        line(&format!("{name} K·v f64"), n, d, best(|| multiply(&tiles, v.view(), &compute)), peak);
        line(&format!("{name} K·v f32"), n, d, best(|| multiply(&tiles, v.view(), &single)), peak);
    }
    Ok(())
}
