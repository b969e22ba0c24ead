//! How long logistic regression and other losses take, by size and solver:
//! `cargo run --release -p mercer --example logistic_speed [largest number of rows]`.

use std::time::Instant;

use mercer::learn::logistic::{LossEvidence, LossPlan, LossSolver};
use mercer::learn::{KernelMachine, LogisticRegression, Loss};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array1, Array2};

const COLUMNS: usize = 10;

/// Points around one center per class, with overlap.
fn clouds(n: usize, classes: usize) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(1).stream("clouds", n as u64);
    let labels: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let x = Array2::from_shape_fn((n, COLUMNS), |(i, j)| {
        stream.normal() + if j == labels[i] % COLUMNS { 1.5 } else { 0.0 }
    });
    (x, labels)
}

fn print(what: &str, n: usize, seconds: f64, plan: &LossPlan, evidence: &LossEvidence) {
    println!(
        "{what:<34} n={n:<6} {seconds:>8.3} s {:>7} steps, objective {:.6e}, gap {:.1e}, {:?}; {}",
        evidence.iterations, evidence.objective, evidence.gap, evidence.stopped, plan.solver
    );
}

fn logistic(n: usize, classes: usize, solver: LossSolver, kernel: &Kernel) -> Result<()> {
    let (x, labels) = clouds(n, classes);
    let spec = LogisticRegression { solver, ..LogisticRegression::new(kernel.clone(), 1.0) };
    let start = Instant::now();
    let fit = spec.fit(x.view(), &labels, None, &Compute::new())?;
    print(&format!("logistic, {classes} classes"), n, start.elapsed().as_secs_f64(), fit.plan(), fit.evidence());
    Ok(())
}

fn machine(n: usize, loss: Loss, kernel: &Kernel) -> Result<()> {
    let (x, labels) = clouds(n, 2);
    let mut stream = Seed(1).stream("noise", n as u64);
    let y: Array1<f64> = match loss {
        loss if loss.is_classification() => labels.iter().map(|&c| 2.0 * c as f64 - 1.0).collect(),
        Loss::Poisson => x.rows().into_iter().map(|r| (r[0] + r[1]).exp().min(50.0).floor()).collect(),
        _ => x.rows().into_iter().map(|r| r[0].sin() + r[1] + 0.3 * stream.normal()).collect(),
    };
    let spec = KernelMachine::new(loss, kernel.clone(), 0.5);
    let start = Instant::now();
    let fit = spec.fit(x.view(), y.view(), None, &Compute::new())?;
    print(&loss.to_string(), n, start.elapsed().as_secs_f64(), fit.plan(), fit.evidence());
    Ok(())
}

fn main() -> Result<()> {
    let largest = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(10_000);
    let kernel: Kernel = "gaussian(lengthscale=3)".parse()?;
    for n in [500, 1000, 2000, 5000, 10_000, 20_000, 50_000].into_iter().filter(|n| *n <= largest) {
        for classes in [2, 3, 10] {
            for solver in [LossSolver::Newton, LossSolver::NewtonConjugateGradients] {
                if solver == LossSolver::NewtonConjugateGradients || n * if classes > 2 { classes } else { 1 } <= 5000 {
                    logistic(n, classes, solver, &kernel)?;
                }
            }
        }
        for loss in [
            Loss::Huber { delta: 0.3 },
            Loss::SquaredHinge,
            Loss::Poisson,
            Loss::Quantile { level: 0.9 },
            Loss::Absolute,
            Loss::Hinge,
        ] {
            machine(n, loss, &kernel)?;
        }
    }
    Ok(())
}
