//! The time of weights of many kernels: `cargo run --release --example mkl_speed [rows] [kernels]
//! [learner]`.
//!
//! Gaussians of several lengthscales and polynomials on all columns and on single ones, on data of ten
//! columns of which two matter. The time includes the kernel matrices and the final fit.

use std::time::Instant;

use mercer::learn::multiple::{KernelWeights, MultipleKernelRidge, MultipleKernelSvc, MultipleKernels, WeightMethod};
use mercer::learn::svm::Classes;
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::Array2;

fn main() -> Result<()> {
    let argument = |at: usize, default: usize| {
        std::env::args().nth(at).map_or(default, |text| text.parse().expect("a whole number"))
    };
    let (rows, count) = (argument(1, 500), argument(2, 100));
    let (x, y) = data(rows, 1);
    let (new_x, new_y) = data(rows, 2);
    let classes = |y: &Array2<f64>| Classes::from_texts(y.iter().map(|v| if *v > 0.0 { "a" } else { "b" }));
    let kernels = kernels(count)?;
    // "svm simple" runs that alone.
    let only = std::env::args().nth(3).unwrap_or_default();
    let compute = Compute::new();
    println!("{rows} rows, {count} kernels");
    for (method, norm) in [
        (WeightMethod::Simple, 1.0),
        (WeightMethod::Simple, 2.0),
        (WeightMethod::Alignment, 1.0),
        (WeightMethod::Mean, 1.0),
    ] {
        let kernels = MultipleKernels { method, norm, ..MultipleKernels::new(kernels.clone()) };
        let runs = |learner: &str| format!("{learner} {}", method.name()).contains(&only);
        if runs("svm") {
            let start = Instant::now();
            let spec = MultipleKernelSvc::new(kernels.clone(), 1.0);
            let fit = spec.fit(x.view(), &classes(&y), None, &compute)?;
            let seconds = start.elapsed().as_secs_f64();
            let found = fit.predict(new_x.view(), &compute)?;
            let right = found.iter().zip(classes(&new_y).of()).filter(|(a, b)| a == b).count() as f64 / rows as f64;
            report("svm", method, norm, seconds, fit.weights(), &format!("accuracy {right:.3}"));
        }
        if runs("ridge") {
            let start = Instant::now();
            let spec = MultipleKernelRidge { intercept: true, ..MultipleKernelRidge::new(kernels, 1.0) };
            let fit = spec.fit(x.view(), y.view(), None, &compute)?;
            let seconds = start.elapsed().as_secs_f64();
            let error = (&fit.predict(new_x.view(), &compute)? - &new_y).mapv(|e| e * e).mean().unwrap_or(0.0).sqrt();
            report("ridge", method, norm, seconds, fit.weights(), &format!("error {error:.3}"));
        }
    }
    Ok(())
}

fn report(learner: &str, method: WeightMethod, norm: f64, seconds: f64, weights: &KernelWeights, quality: &str) {
    let evidence = weights.evidence();
    let (gap, iterations) = evidence.map_or((0.0, 0), |e| (e.relative_gap(), e.iterations));
    println!(
        "{learner:5} {:9} p={norm}: {seconds:.3} s, {quality}, {} kernels kept, {iterations} problems, relative gap {gap:.1e}",
        method.name(),
        weights.active().len()
    );
}

/// Ten columns, of which the first two matter.
fn data(rows: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(seed).stream("mkl", 0);
    let x = Array2::from_shape_fn((rows, 10), |_| stream.normal());
    let y = (0..rows).map(|i| (2.0 * x[[i, 0]]).sin() + 0.5 * x[[i, 1]] * x[[i, 1]] - 0.5 + 0.3 * stream.normal());
    let y: Vec<f64> = y.collect();
    let y = Array2::from_shape_vec((rows, 1), y).expect("one value per row");
    (x, y)
}

/// Six Gaussians and three polynomials, on all columns and then on each.
fn kernels(count: usize) -> Result<Vec<Kernel>> {
    let mut texts = Vec::new();
    let lengthscales = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0];
    texts.extend(lengthscales.map(|l| format!("gaussian(lengthscale={l})")));
    texts.extend((1..=3).map(|degree| format!("polynomial(degree={degree})")));
    for column in 0..10 {
        texts.extend(lengthscales.map(|l| format!("on([{column}], gaussian(lengthscale={l}))")));
        texts.extend((1..=3).map(|degree| format!("on([{column}], polynomial(degree={degree}))")));
    }
    let more = texts.len();
    (0..count).map(|i| texts[i % more].parse::<Kernel>()?.scaled(1.0 + (i / more) as f64)).collect()
}
