//! The time of a smoothing spline with GCV, and of ridge regression and Gaussian processes along a
//! line, from 10³ to 10⁶ points: growth is linear.
//!
//! `cargo run --release --example spline_speed [-- LARGEST]`

use std::time::Instant;

use mercer::learn::spline::SmoothingSpline;
use mercer::learn::{GaussianProcess, Ridge};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array1, Axis};

fn main() -> Result<()> {
    let largest = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let compute = Compute::new();
    println!(
        "{:>9} {:>12} {:>7} {:>10} {:>10} {:>12}",
        "n", "spline gcv", "passes", "ridge 3/2", "ridge 5/2", "gp 3/2, best"
    );
    for n in (3..).map(|p| 10_usize.pow(p)).take_while(|n| *n <= largest) {
        let (x, y) = data(n);
        let (spline, fit) = timed(|| SmoothingSpline::default().fit(x.view(), y.view(), None, &compute))?;
        let (table, column) = (x.view().insert_axis(Axis(1)), y.view().insert_axis(Axis(1)));
        let ridge = |text: &str| {
            let ridge = Ridge::new(text.parse::<Kernel>()?, 0.09);
            timed(|| ridge.fit(table, column, None, &compute)).map(|(seconds, _)| seconds)
        };
        let (three, five) = (ridge("matern(nu=3/2)")?, ridge("matern(nu=5/2)")?);
        let process = GaussianProcess::new("1*matern(nu=3/2, lengthscale=1)".parse()?, 1.0);
        let (seconds, best) = timed(|| process.fit(table, y.view(), &compute))?;
        let evaluations = best.optimization().map_or(0, |o| o.evaluations);
        println!(
            "{n:>9} {spline:>10.4} s {:>7} {three:>8.4} s {five:>8.4} s {seconds:>8.3} s ({evaluations})",
            fit.passes()
        );
    }
    Ok(())
}

/// A wave with noise, at places in no order.
fn data(n: usize) -> (Array1<f64>, Array1<f64>) {
    let mut stream = Seed(1).stream("spline speed", 0);
    let x = Array1::from_shape_fn(n, |_| 10.0 * stream.uniform());
    let y = x.mapv(|v| (2.0 * v).sin() + 0.3 * stream.normal());
    (x, y)
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = Instant::now();
    let found = work()?;
    Ok((start.elapsed().as_secs_f64(), found))
}
