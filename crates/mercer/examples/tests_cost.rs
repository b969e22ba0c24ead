//! Times of hypothesis tests.
use std::time::Instant;

use mercer::hypothesis::*;
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array2, Axis};

fn normal(n: usize, d: usize, stream: u64) -> Array2<f64> {
    let mut random = Seed(7).stream("data", stream);
    Array2::from_shape_fn((n, d), |_| random.normal())
}

fn timed(name: &str, run: impl Fn() -> Result<TestOutcome>) {
    let start = Instant::now();
    match run() {
        Ok(o) => println!(
            "{name:<50} {:8.3} s  T {:.15e} p {} {:?}",
            start.elapsed().as_secs_f64(),
            o.statistic,
            o.p_value,
            o.details
                .iter()
                .filter(|d| !d.0.starts_with("p_") && !d.0.starts_with("weight"))
                .map(|d| format!("{}={:.6e}", d.0, d.1))
                .collect::<Vec<_>>()
        ),
        Err(e) => println!("{name:<50} {:8.3} s  {e}", start.elapsed().as_secs_f64()),
    }
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let compute = Compute::new();
    let case = |name: &str, run: &dyn Fn() -> Result<TestOutcome>| {
        if name.contains(&only) {
            timed(name, run);
        }
    };
    for n in [500, 2000] {
        for d in [49, 1] {
            let z = normal(n, d, 0);
            let x = normal(n, 1, 1) * 0.5 + &z.slice(ndarray::s![.., ..1]);
            let y = normal(n, 1, 2) * 0.5 + &z.slice(ndarray::s![.., ..1]).mapv(f64::sin);
            case(&format!("kci {n}x{d}"), &|| ConditionalIndependence::default().test(&x, &y, &z, &compute));
            case(&format!("kci gamma {n}x{d}"), &|| {
                ConditionalIndependence { method: ConditionalMethod::Gamma, ..Default::default() }
                    .test(&x, &y, &z, &compute)
            });
        }
    }
    for (n, d) in [(500, 10), (2000, 10), (2000, 1), (2000, 100)] {
        let (x, y) = (normal(n, d, 3), normal(n, d, 4));
        case(&format!("spectral {n}+{n}x{d}"), &|| {
            TwoSample::with_method(TwoSampleMethod::Spectral).test(&x, &y, &compute)
        });
    }
    for (n, d) in [(500, 50), (2000, 50), (2000, 1), (2000, 5)] {
        let (x, y) = (normal(n, d, 5), normal(n, d, 6));
        let y = y + &x.mapv(|v| 0.1 * v * v);
        case(&format!("aggregated {n}x{d}"), &|| {
            Independence::with_method(IndependenceMethod::Aggregated { wild: false }).test(&x, &y, &compute)
        });
        case(&format!("wild aggregated {n}x{d}"), &|| {
            Independence::with_method(IndependenceMethod::Aggregated { wild: true }).test(&x, &y, &compute)
        });
    }
    for (n, d) in [(500, 1), (2000, 1), (2000, 50)] {
        let (x, y, z) = (normal(n, d, 7), normal(n, d, 8), normal(n, d, 9));
        case(&format!("joint {n}x{d}x3"), &|| {
            JointIndependence::default().test(&[(&x).into(), (&y).into(), (&z).into()], &compute)
        });
    }
    let x = normal(2000, 1, 10);
    let y = normal(2000, 1, 11) + &x.mapv(|v| 0.1 * v * v);
    let x10 = ndarray::concatenate![Axis(1), x, normal(2000, 9, 12)];
    for text in [
        "gaussian(lengthscale=median)",
        "laplacian()",
        "matern(smoothness=1.5)",
        "rational_quadratic()",
        "polynomial(degree=3)",
        "periodic()",
    ] {
        let Ok(kernel) = text.parse::<Kernel>() else {
            println!("{text} ?");
            continue;
        };
        let test = Independence { kernel_x: Some(kernel), permutations: 199, ..Independence::default() };
        case(&format!("kernels 2000x1 {text}"), &|| test.test(&x, &y, &compute));
        case(&format!("kernels 2000x10 {text}"), &|| test.test(&x10, &y, &compute));
    }
}
