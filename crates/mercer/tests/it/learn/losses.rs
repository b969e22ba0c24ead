//! General losses: identities with ridge regression and with each other, stationarity, quantiles,
//! wrong input.

use crate::common::assert_all_close;
use mercer::learn::machine::LossSolver;
use mercer::learn::{KernelMachine, KernelMachineFit, Loss, QuantileCurves, Ridge};
use mercer::solve::Stopped;
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, array};

const REGRESSION: [Loss; 6] = [
    Loss::Squared,
    Loss::Huber { delta: 0.3 },
    Loss::LogCosh,
    Loss::Absolute,
    Loss::Quantile { level: 0.8 },
    Loss::EpsilonInsensitive { epsilon: 0.1 },
];
const CLASSIFICATION: [Loss; 3] = [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic];

fn kernel() -> Kernel {
    "gaussian(lengthscale=1)".parse().unwrap()
}

/// A smooth function with noise and outliers; targets for every kind of loss.
struct Sample {
    x: Array2<f64>,
    y: Array1<f64>,
    weights: Array1<f64>,
}

fn sample(n: usize) -> Sample {
    let mut stream = Seed(11).stream("losses", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| 1.5 * stream.normal());
    let y = Array1::from_shape_fn(n, |i| {
        let outlier = if i % 13 == 5 { 5.0 } else { 0.0 };
        (x[[i, 0]] + 0.3 * x[[i, 1]]).sin() + 0.3 * stream.normal() + 3.0 + outlier
    });
    let weights = Array1::from_shape_fn(n, |_| 0.2 + 2.0 * stream.uniform());
    Sample { x, y, weights }
}

impl Sample {
    fn targets(&self, loss: Loss) -> Array1<f64> {
        match loss {
            Loss::Poisson => self.y.mapv(|y| y.max(0.0).floor()),
            Loss::Gamma => self.y.mapv(|y| y.max(0.1)),
            Loss::Tweedie { .. } => self.y.mapv(|y| (y - 2.0).max(0.0)),
            loss if loss.is_classification() => self.y.mapv(|y| if y > 3.1 { 1.0 } else { -1.0 }),
            _ => self.y.clone(),
        }
    }

    fn fit(&self, machine: &KernelMachine) -> KernelMachineFit {
        let y = self.targets(machine.loss);
        machine.fit(self.x.view(), y.view(), Some(self.weights.view()), &Compute::new()).unwrap()
    }
}

fn all() -> impl Iterator<Item = Loss> {
    REGRESSION.into_iter().chain(CLASSIFICATION).chain([Loss::Poisson, Loss::Gamma, Loss::Tweedie { power: 1.4 }])
}

fn machine(loss: Loss, lambda: f64) -> KernelMachine {
    KernelMachine::new(loss, kernel(), lambda)
}

/// The slopes of the loss on the left and on the right of a place, with room for what the solver
/// leaves.
fn subgradient(loss: Loss, y: f64, f: f64, room: f64) -> (f64, f64) {
    (loss.slope(y, f - room), loss.slope(y, f + room))
}

#[test]
fn coefficients_are_subgradients() {
    let d = sample(90);
    for loss in all() {
        for intercept in [true, false] {
            for lambda in [0.02, 1.0] {
                let tolerance = if loss.is_smooth() { 1e-20 } else { 1e-9 };
                let spec = KernelMachine { intercept, tolerance, ..machine(loss, lambda) };
                let fit = d.fit(&spec);
                let what = format!("{loss}, λ = {lambda}, {intercept}: {:?}", fit.evidence());
                assert_eq!(fit.evidence().stopped, Stopped::Converged, "{what}");
                assert!(fit.evidence().gap <= 1e-8 * fit.evidence().objective.abs(), "{what}");
                let room = if loss.is_smooth() { 1e-9 } else { 1e-3 };
                let y = d.targets(loss);
                for i in 0..90 {
                    let g = -2.0 * lambda * fit.dual_coefficients()[i] / d.weights[i];
                    let (low, high) = subgradient(loss, y[i], fit.fitted()[i], room);
                    assert!(low - 1e-7 <= g && g <= high + 1e-7, "{what}: point {i}: {low} {g} {high}");
                }
                if intercept {
                    assert!(fit.dual_coefficients().sum().abs() < 1e-9, "{what}");
                } else {
                    assert_eq!(fit.intercept(), 0.0);
                }
                let again = fit.decision(d.x.view(), &Compute::new()).unwrap();
                assert_all_close(&again, fit.fitted(), 1e-10, &what);
            }
        }
    }
}

#[test]
fn the_objective_is_a_minimum() {
    let (d, compute) = (sample(40), Compute::new());
    let mut stream = Seed(3).stream("directions", 0);
    for loss in all() {
        let fit = d.fit(&machine(loss, 0.1));
        let (y, e) = (d.targets(loss), fit.evidence());
        let f = fit.function(&compute).unwrap();
        assert_close!(e.squared_norm, f.squared_norm(&compute).unwrap(), 1e-9);
        let total = |values: &Array1<f64>| -> f64 { (0..40).map(|i| d.weights[i] * loss.value(y[i], values[i])).sum() };
        assert_close!(e.objective, total(&fit.fitted().to_owned()) + 0.1 * e.squared_norm, 1e-12);
        assert_close!(e.dual_objective, e.objective - e.gap, 1e-12);
        for _ in 0..20 {
            let step = Array1::from_shape_fn(40, |_| 0.05 * stream.normal());
            let g = mercer::Expansion::new(&kernel(), d.x.view(), step.view(), &compute).unwrap();
            let moved = f.plus(&g).unwrap();
            let values = moved.evaluate(d.x.view(), &compute).unwrap() + fit.intercept() + 0.05 * stream.normal();
            let other = total(&values) + 0.1 * moved.squared_norm(&compute).unwrap();
            assert!(other >= e.dual_objective, "{loss}: {other} < {}", e.dual_objective);
        }
    }
}

#[test]
fn the_squared_loss_is_ridge_regression() {
    let (d, compute) = (sample(60), Compute::new());
    for intercept in [false, true] {
        let ridge = Ridge { intercept, ..Ridge::new(kernel(), 0.3) };
        let ridge = ridge.fit(d.x.view(), d.y.view().insert_axis(Axis(1)), Some(d.weights.view()), &compute).unwrap();
        // Huber's loss is r²/2 in the middle: ridge regression with twice the λ.
        for (loss, lambda) in [(Loss::Squared, 0.3), (Loss::Huber { delta: 1e6 }, 0.15)] {
            for solver in [LossSolver::Newton, LossSolver::NewtonConjugateGradients] {
                let fit = d.fit(&KernelMachine { intercept, solver, ..machine(loss, lambda) });
                let what = format!("{loss}, {intercept}, {solver}");
                assert_all_close(fit.dual_coefficients(), ridge.dual_coefficients().column(0), 1e-9, &what);
                assert_all_close(fit.fitted(), ridge.fitted().column(0), 1e-9, &what);
                assert!(fit.evidence().iterations <= 3, "{what}: {:?}", fit.evidence());
            }
        }
    }
}

#[test]
fn losses_that_are_the_same_fit_the_same() {
    let d = sample(70);
    let tight = |loss: Loss, lambda: f64| d.fit(&KernelMachine { tolerance: 1e-9, ..machine(loss, lambda) });
    let absolute = tight(Loss::Absolute, 0.2);
    let half = tight(Loss::Quantile { level: 0.5 }, 0.1);
    let tube = tight(Loss::EpsilonInsensitive { epsilon: 0.0 }, 0.2);
    assert_close!(2.0 * half.evidence().objective, absolute.evidence().objective, 1e-8);
    assert_close!(tube.evidence().objective, absolute.evidence().objective, 1e-8);
    assert_all_close(half.fitted(), absolute.fitted(), 1e-3, "quantile 0.5");
    assert_all_close(tube.fitted(), absolute.fitted(), 1e-3, "ε = 0");
}

/// `|r| − δ/2 ≤ huber(r)/δ ≤ |r|`: two solvers that share nothing bound each other.
#[test]
fn hubers_loss_tends_to_the_absolute_one() {
    let d = sample(70);
    let absolute = d.fit(&KernelMachine { tolerance: 1e-9, ..machine(Loss::Absolute, 0.2) }).evidence().objective;
    for delta in [0.1, 0.01, 0.001] {
        let fit = d.fit(&machine(Loss::Huber { delta }, 0.2 * delta));
        let huber = fit.evidence().objective / delta;
        let room = 0.5 * delta * d.weights.sum();
        assert!(huber <= absolute * (1.0 + 1e-8) && huber >= absolute - room, "δ = {delta}: {huber} {absolute}");
        assert_eq!(fit.evidence().stopped, Stopped::Converged, "δ = {delta}: {:?}", fit.evidence());
    }
}

#[test]
fn piecewise_quadratic_losses_end_after_few_steps() {
    let d = sample(300);
    for loss in [Loss::Huber { delta: 0.2 }, Loss::SquaredHinge] {
        for lambda in [1e-4, 1e-2, 1.0] {
            let fit = d.fit(&machine(loss, lambda));
            assert_eq!(fit.evidence().stopped, Stopped::Converged, "{loss} {lambda}: {:?}", fit.evidence());
            assert!(fit.evidence().iterations <= 40, "{loss} {lambda}: {:?}", fit.evidence());
        }
    }
}

#[test]
fn a_large_penalty_leaves_the_intercept() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((5, 1), |(i, _)| i as f64);
    let y = array![1.0, 2.0, 4.0, 8.0, 100.0];
    let constant = |loss: Loss| {
        let machine = KernelMachine { tolerance: 1e-12, ..KernelMachine::new(loss, kernel(), 1e8) };
        machine.fit(x.view(), y.view(), None, &compute).unwrap().predict(x.view(), &compute).unwrap()[2]
    };
    assert_close!(constant(Loss::Squared), 23.0, 1e-5);
    assert_close!(constant(Loss::Poisson), 23.0, 1e-5);
    assert_close!(constant(Loss::Gamma), 23.0, 1e-5);
    assert_close!(constant(Loss::Tweedie { power: 1.3 }), 23.0, 1e-5);
    assert_close!(constant(Loss::Absolute), 4.0, 1e-5);
    assert_close!(constant(Loss::Quantile { level: 0.7 }), 8.0, 1e-5);
    // Four residuals within δ and one beyond: 4b = 15 + δ.
    assert_close!(constant(Loss::Huber { delta: 9.0 }), 6.0, 1e-5);
}

#[test]
fn weights_count_points() {
    let (d, compute) = (sample(40), Compute::new());
    let weights = Array1::from_shape_fn(40, |i| (i % 4) as f64);
    let rows: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    for loss in all() {
        let spec = KernelMachine { tolerance: if loss.is_smooth() { 1e-20 } else { 1e-10 }, ..machine(loss, 0.1) };
        let y = d.targets(loss);
        let fit = spec.fit(d.x.view(), y.view(), Some(weights.view()), &compute).unwrap();
        let (x, y) = (d.x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        let repeated = spec.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_close!(fit.evidence().objective, repeated.evidence().objective, 1e-8);
        let tolerance = if loss.is_smooth() { 1e-8 } else { 1e-3 };
        let expected = repeated.decision(d.x.view(), &compute).unwrap();
        assert_all_close(&fit.decision(d.x.view(), &compute).unwrap(), &expected, tolerance, &loss.to_string());
    }
}

#[test]
fn counts_have_the_right_sum_and_are_positive() {
    let (d, compute) = (sample(80), Compute::new());
    let y = d.targets(Loss::Poisson);
    let fit = machine(Loss::Poisson, 0.05).fit(d.x.view(), y.view(), None, &compute).unwrap();
    let mean = fit.predict(d.x.view(), &compute).unwrap();
    assert_close!(mean.sum(), y.sum(), 1e-9);
    assert!(mean.iter().all(|m| *m > 0.0));
    // Large counts, far from exp(0).
    let large = y.mapv(|y| y * 1e6);
    let fit = machine(Loss::Poisson, 0.05).fit(d.x.view(), large.view(), None, &compute).unwrap();
    assert_close!(fit.predict(d.x.view(), &compute).unwrap().sum(), large.sum(), 1e-9);
    assert!(fit.evidence().gap <= 1e-12 * fit.evidence().objective.abs(), "{:?}", fit.evidence());
}

#[test]
fn the_share_below_a_quantile_is_its_level() {
    let (d, compute) = (sample(200), Compute::new());
    for level in [0.1, 0.5, 0.9] {
        let spec = KernelMachine { tolerance: 1e-9, ..machine(Loss::Quantile { level }, 0.5) };
        let fit = spec.fit(d.x.view(), d.y.view(), None, &compute).unwrap();
        let below = (0..200).filter(|&i| d.y[i] < fit.fitted()[i] - 1e-6).count() as f64;
        let reached = (0..200).filter(|&i| d.y[i] <= fit.fitted()[i] + 1e-6).count() as f64;
        assert!(below <= 200.0 * level && 200.0 * level <= reached, "{level}: {below} {reached}");
    }
}

#[test]
fn quantile_curves_do_not_cross() {
    let (d, compute) = (sample(60), Compute::new());
    let levels = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95];
    let spec = QuantileCurves::new(&levels, "gaussian(lengthscale=0.4)".parse().unwrap(), 1e-3);
    let curves = spec.fit(d.x.view(), d.y.view(), None, &compute).unwrap();
    assert!(curves.crossings() > 0, "the example is meant to cross before it is sorted");
    let t = sample(300).x;
    let (sorted, each) =
        (curves.predict(t.view(), &compute).unwrap(), curves.predict_each(t.view(), &compute).unwrap());
    assert!(sorted.rows().into_iter().all(|row| row.windows(2).into_iter().all(|w| w[0] <= w[1])));
    assert!(sorted.rows().into_iter().zip(each.rows()).any(|(a, b)| a != b));
    // At no point does sorting cost anything, whatever the target.
    let cost = |row: ndarray::ArrayView1<f64>, y: f64| -> f64 {
        row.iter().zip(levels).map(|(q, level)| Loss::Quantile { level }.value(y, *q)).sum()
    };
    for (a, b) in sorted.rows().into_iter().zip(each.rows()) {
        for y in [-1.0, 2.0, 3.5, 9.0] {
            assert!(cost(a, y) <= cost(b, y) + 1e-12);
        }
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let d = sample(400);
    for loss in [Loss::Huber { delta: 0.3 }, Loss::Quantile { level: 0.3 }, Loss::Poisson] {
        let y = d.targets(loss);
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap().with_memory(1 << 30);
            machine(loss, 0.1).fit(d.x.view(), y.view(), None, &compute).unwrap().dual_coefficients().to_owned()
        };
        assert_eq!(run(1), run(2), "{loss}");
    }
}

#[test]
fn a_path_is_its_fits() {
    let (d, compute) = (sample(50), Compute::new());
    for loss in [Loss::Huber { delta: 0.3 }, Loss::Absolute] {
        let path = machine(loss, 1.0).path(&[1.0, 0.1, 0.01], d.x.view(), d.y.view(), None, &compute).unwrap();
        for fit in &path {
            let alone = machine(loss, fit.lambda()).fit(d.x.view(), d.y.view(), None, &compute).unwrap();
            assert_close!(fit.evidence().objective, alone.evidence().objective, 1e-6);
        }
    }
}

#[test]
fn too_few_steps_are_reported() {
    let d = sample(80);
    for loss in [Loss::Logistic, Loss::Hinge] {
        let fit = d.fit(&KernelMachine { max_iterations: 1, ..machine(loss, 0.01) });
        assert_eq!((fit.evidence().stopped, fit.evidence().iterations), (Stopped::StepLimit, 1), "{loss}");
        let best = d.fit(&machine(loss, 0.01)).evidence().objective;
        assert!(fit.evidence().dual_objective <= best && fit.evidence().objective >= best * (1.0 - 1e-6), "{loss}");
    }
}

#[test]
fn wrong_input_is_refused() {
    let (d, compute) = (sample(20), Compute::new());
    let fit = |machine: KernelMachine, y: &Array1<f64>| machine.fit(d.x.view(), y.view(), None, &compute).map(|_| ());
    let parameter = |result: Result<(), Error>| matches!(result, Err(Error::Parameter { .. }));
    for lambda in [0.0, -1.0, f64::NAN] {
        assert!(parameter(fit(machine(Loss::Absolute, lambda), &d.y)));
    }
    for loss in [
        Loss::Huber { delta: 0.0 },
        Loss::Quantile { level: 0.0 },
        Loss::Quantile { level: 1.0 },
        Loss::Quantile { level: f64::NAN },
        Loss::EpsilonInsensitive { epsilon: -0.1 },
    ] {
        assert!(parameter(fit(machine(loss, 1.0), &d.y)), "{loss}");
    }
    assert!(parameter(fit(KernelMachine { tolerance: 0.0, ..machine(Loss::Squared, 1.0) }, &d.y)));
    assert!(parameter(fit(KernelMachine { max_iterations: 0, ..machine(Loss::Squared, 1.0) }, &d.y)));
    for loss in CLASSIFICATION {
        assert!(matches!(fit(machine(loss, 1.0), &d.y), Err(Error::Value { .. })), "{loss}");
        assert!(matches!(fit(machine(loss, 1.0), &Array1::ones(20)), Err(Error::OneClass { .. })), "{loss}");
    }
    let negative = Array1::from_elem(20, -1.0);
    let refused = fit(machine(Loss::Poisson, 1.0), &negative).unwrap_err().to_string();
    assert!(refused.contains("row 0") && refused.contains("count"), "{refused}");
    assert!(matches!(fit(machine(Loss::Poisson, 1.0), &Array1::zeros(20)), Err(Error::AllZero { .. })));
    assert!(matches!(fit(machine(Loss::Squared, 1.0), &array![1.0]), Err(Error::Shape { .. })));
    let mut bad = d.y.clone();
    bad[4] = f64::NAN;
    assert!(matches!(fit(machine(Loss::Absolute, 1.0), &bad), Err(Error::Value { row: 4, .. })));
    let solver = |loss, solver| fit(KernelMachine { solver, ..machine(loss, 1.0) }, &d.y);
    assert!(matches!(solver(Loss::Squared, LossSolver::Dual), Err(Error::Unsupported { .. })));
    assert!(matches!(solver(Loss::Absolute, LossSolver::Newton), Err(Error::Unsupported { .. })));
    let huber = machine(Loss::Squared, 1.0).fit(d.x.view(), d.y.view(), None, &compute).unwrap();
    assert!(huber.probabilities(d.x.view(), &compute).is_err());
    let levels = |l: &[f64]| QuantileCurves::new(l, kernel(), 1.0).fit(d.x.view(), d.y.view(), None, &compute).is_err();
    assert!(levels(&[]) && levels(&[0.5, 0.2]) && levels(&[0.5, 0.5]) && levels(&[0.0]) && !levels(&[0.5]));
}

#[test]
fn constant_targets_are_fitted_by_the_intercept() {
    let (d, compute) = (sample(20), Compute::new());
    for loss in REGRESSION {
        let fit = machine(loss, 0.1).fit(d.x.view(), Array1::from_elem(20, 7.0).view(), None, &compute).unwrap();
        assert_eq!(fit.evidence().stopped, Stopped::Converged, "{loss}: {:?}", fit.evidence());
        let room = if let Loss::EpsilonInsensitive { epsilon } = loss { epsilon } else { 0.0 };
        assert!(fit.fitted().iter().all(|f| (f - 7.0).abs() <= room + 1e-9), "{loss}: {}", fit.fitted());
    }
}

/// The gap is the square of an error, so that a tolerance of `1e-12` would give six digits: the
/// last Newton step makes the others.
#[test]
fn the_tolerance_gives_the_digits_that_it_states() {
    let sample = sample(80);
    for loss in all().filter(|loss| loss.is_smooth()) {
        for solver in [LossSolver::Newton, LossSolver::NewtonConjugateGradients] {
            let fit = |tolerance| {
                let machine = KernelMachine::new(loss, kernel(), 0.05);
                sample.fit(&KernelMachine { solver, tolerance, ..machine })
            };
            let (found, exact) = (fit(1e-12), fit(1e-26));
            assert_eq!(found.evidence().stopped, Stopped::Converged, "{loss:?}");
            for (f, e) in found.fitted().iter().zip(exact.fitted()) {
                assert_close!(*f, *e, abs = 1e-9 * e.abs().max(1.0), "{loss:?}, {solver:?}: {f} is not {e}");
            }
        }
    }
}

/// The deviance losses against their closed forms with a mean that is a constant, and large and
/// small targets far from exp(0).
#[test]
fn amounts_have_positive_means() {
    let (d, compute) = (sample(80), Compute::new());
    for loss in [Loss::Gamma, Loss::Tweedie { power: 1.5 }] {
        for factor in [1e-4, 1.0, 1e4] {
            let y = d.targets(loss).mapv(|y| factor * y);
            let fit = machine(loss, 0.05).fit(d.x.view(), y.view(), None, &compute).unwrap();
            let mean = fit.predict(d.x.view(), &compute).unwrap();
            assert!(mean.iter().all(|m| *m > 0.0), "{loss} {factor}");
            // The intercept makes the slopes sum to 0.
            let f = fit.decision(d.x.view(), &compute).unwrap();
            let slopes: Vec<f64> = y.iter().zip(&f).map(|(y, f)| loss.slope(*y, *f)).collect();
            let size: f64 = slopes.iter().map(|s| s.abs()).sum();
            assert_close!(slopes.iter().sum::<f64>() / size, 0.0, abs = 1e-8, "{loss} {factor}");
        }
    }
    let zero = Array1::zeros(20);
    let fit = |loss: Loss, y: &Array1<f64>| machine(loss, 1.0).fit(sample(20).x.view(), y.view(), None, &compute);
    assert!(matches!(fit(Loss::Gamma, &zero), Err(Error::Value { .. })));
    assert!(matches!(fit(Loss::Tweedie { power: 1.5 }, &zero), Err(Error::AllZero { .. })));
    assert!(matches!(fit(Loss::Tweedie { power: 2.5 }, &Array1::ones(20)), Err(Error::Parameter { .. })));
}
