//! How long kernel canonical correlation takes, for a comparison with a dense generalized
//! eigenproblem: `cargo run --release --example cca_speed -- [rows] [kernel] [kappa]`.
//!
//! The data are given by formulas, so that another program can make them: with `f` the fractional
//! part, `t = 2πf(0.618033988749895 i)` and `e(k) = f(43758.5453 sin(78.233 i + k)) − ½`, the views are
//! `(cos t + e(1), sin t + e(2))` and `(cos 2t + e(3), sin 2t + e(4))` for `i = 1, …, rows`.

use std::time::Instant;

use mercer::view::cca::{KernelCca, Rank};
use mercer::{Compute, Kernel, Result};
use ndarray::Array2;

fn view(rows: usize, times: f64, first: f64) -> Array2<f64> {
    let part = |v: f64| v - v.floor();
    Array2::from_shape_fn((rows, 2), |(i, j)| {
        let i = (i + 1) as f64;
        let t = times * std::f64::consts::TAU * part(0.618_033_988_749_895 * i);
        let noise = part(43758.5453 * (78.233 * i + first + j as f64).sin()) - 0.5;
        noise + if j == 0 { t.cos() } else { t.sin() }
    })
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = arguments.first().and_then(|word| word.parse().ok()).unwrap_or(2000);
    let kernel: Kernel = arguments.get(1).map_or("gaussian(lengthscale=0.5)", String::as_str).parse()?;
    let kappa = arguments.get(2).and_then(|word| word.parse().ok()).unwrap_or(0.02);
    let (x, y) = (view(rows, 1.0, 1.0), view(rows, 2.0, 3.0));
    let views = [(&x).into(), (&y).into()];
    let compute = Compute::new();
    for rank in [Rank::Auto, Rank::Exact] {
        let spec = KernelCca { rank, ..KernelCca::new(kernel.clone(), 3, kappa) };
        let clock = Instant::now();
        let fit = spec.fit(&views, &compute)?;
        let seconds = clock.elapsed().as_secs_f64();
        let evidence = fit.evidence();
        println!("{rank:?}: {seconds:.3} s, ranks {:?}, bound {:.1e}", evidence.ranks, evidence.error_bound);
        println!("  {:.12?}", fit.correlations());
    }
    let clock = Instant::now();
    let p = KernelCca::new(kernel, 3, kappa).p_values(&views, 199, &compute)?;
    println!("199 permutations: {:.3} s, p-values {p:?}", clock.elapsed().as_secs_f64());
    Ok(())
}
