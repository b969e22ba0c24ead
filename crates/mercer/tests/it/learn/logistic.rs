//! Kernel logistic regression: stationarity, duality, limits, solvers against each other, wrong
//! input.

use crate::common::assert_arrays_close;
use std::sync::Arc;

use mercer::error::Remedy;
use mercer::learn::logistic::LossSolver;
use mercer::learn::{LogisticFit, LogisticRegression};
use mercer::select::{log_grid, logistic_path};
use mercer::solve::Stopped;
use mercer::{Cancel, Compute, Error, Kernel, Progress, Seed};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Overlapping clouds, one per class, and weights.
struct Clouds {
    x: Array2<f64>,
    labels: Vec<usize>,
    weights: Array1<f64>,
}

fn clouds(n: usize, classes: usize) -> Clouds {
    let mut stream = Seed(7).stream("clouds", (n * classes) as u64);
    let labels: Vec<usize> =
        (0..n).map(|i| if i < 2 * classes { i % classes } else { stream.below(classes) }).collect();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let angle = labels[i] as f64 * 2.0 + j as f64 * 1.3;
        stream.normal() + 1.2 * angle.sin()
    });
    let weights = Array1::from_shape_fn(n, |_| 0.2 + 2.0 * stream.uniform());
    Clouds { x, labels, weights }
}

fn spec(lambda: f64) -> LogisticRegression {
    LogisticRegression::new(kernel("gaussian(lengthscale=1.2)"), lambda)
}

/// Where the gap cancels or overflows, the penalty is named and not the kernel.
#[test]
fn penalties_that_are_lost_in_rounding_are_named() {
    let d = clouds(60, 3);
    for lambda in [1e-300, 1e-200, 1e-150, 1e-100, 1e-50, 1e-20] {
        let found = spec(lambda).fit(d.x.view(), &d.labels, None, &Compute::new());
        let named = matches!(&found, Err(Error::Singular { remedy, .. }) if *remedy == Remedy::larger("lambda"));
        assert!(named, "{lambda:e}: {:?}", found.err());
    }
}

/// `λA_ic = wᵢ(1[yᵢ = c] − p_ic)` and `Σᵢ A_ic = 0`.
fn check_stationary(fit: &LogisticFit, d: &Clouds, intercept: bool) {
    let (p, alpha) = (fit.fitted_probabilities(), fit.dual_coefficients());
    for (i, row) in alpha.rows().into_iter().enumerate() {
        for (c, a) in row.iter().enumerate() {
            let class = if fit.classes() == 2 { 1 } else { c };
            let expected = d.weights[i] * (f64::from(u8::from(d.labels[i] == class)) - p[[i, class]]);
            assert_close!(fit.lambda() * a, expected, abs = 1e-9, "point {i}, class {c}");
        }
    }
    if intercept {
        assert!(alpha.sum_axis(Axis(0)).iter().all(|s| s.abs() < 1e-9 / fit.lambda()));
        assert!(fit.intercept().len() == 1 || fit.intercept().sum().abs() < 1e-12);
    }
}

/// The entropies of the probabilities that belong to the coefficients, less the penalty.
fn dual_value(fit: &LogisticFit, d: &Clouds, compute: &Compute) -> f64 {
    let mut value = 0.0;
    for (i, row) in fit.dual_coefficients().rows().into_iter().enumerate() {
        let w = d.weights[i];
        let share = |a: f64, own: bool| (f64::from(u8::from(own)) - fit.lambda() * a / w).clamp(0.0, 1.0);
        let p: Vec<f64> = if row.len() == 1 {
            let p = share(row[0], d.labels[i] == 1);
            vec![p, 1.0 - p]
        } else {
            row.iter().enumerate().map(|(c, a)| share(*a, d.labels[i] == c)).collect()
        };
        value -= w * p.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>();
    }
    let norms: f64 =
        (0..fit.intercept().len()).map(|c| fit.function(c, compute).unwrap().squared_norm(compute).unwrap()).sum();
    value - 0.5 * fit.lambda() * norms
}

#[test]
fn stationarity_duality_and_solvers() {
    let compute = Compute::new();
    for classes in [2, 4] {
        let d = clouds(130, classes);
        for intercept in [false, true] {
            for lambda in [1e-3, 0.3, 50.0] {
                let exact = LogisticRegression { intercept, solver: LossSolver::Newton, ..spec(lambda) };
                let fit = exact.fit(d.x.view(), &d.labels, Some(d.weights.view()), &compute).unwrap();
                assert_eq!(fit.evidence().stopped, Stopped::Converged, "{classes} {intercept} {lambda}");
                check_stationary(&fit, &d, intercept);
                let dual = dual_value(&fit, &d, &compute);
                assert_close!(fit.evidence().dual_objective, dual, 1e-8);
                let other = LogisticRegression { solver: LossSolver::NewtonConjugateGradients, ..exact };
                // The second limit leaves no room for the matrix, and for few columns of the
                // preconditioner.
                for compute in [compute.clone(), compute.clone().with_threads(2).unwrap().with_memory(2_500_000)] {
                    let found = other.fit(d.x.view(), &d.labels, Some(d.weights.view()), &compute).unwrap();
                    let what = format!("{classes} classes, {intercept}, λ = {lambda}, {}", found.plan());
                    assert_arrays_close(&found.fitted(), &fit.fitted(), 1e-8, &what);
                    assert_close!(found.evidence().objective, fit.evidence().objective, 1e-12);
                    assert!(found.evidence().gap <= 1e-15 * fit.evidence().objective, "{what}: {:?}", found.evidence());
                }
            }
        }
    }
}

#[test]
fn memory_limits_change_the_plan_and_not_the_answer() {
    let d = clouds(700, 3);
    let roomy = Compute::new();
    let tight = roomy.clone().with_threads(1).unwrap().with_memory(3_000_000);
    let small = spec(0.5).plan(700, 2, 3, &tight).unwrap();
    assert_eq!((small.solver, small.stored), (LossSolver::NewtonConjugateGradients, false));
    let fit = |compute: &Compute| spec(0.5).fit(d.x.view(), &d.labels, None, compute).unwrap();
    assert_arrays_close(&fit(&tight).fitted(), &fit(&roomy).fitted(), 1e-8, "tight");
    let none = Compute::new().with_memory(1000);
    assert!(matches!(spec(0.5).fit(d.x.view(), &d.labels, None, &none), Err(Error::Memory { .. })));
}

#[test]
fn with_an_intercept_the_mean_probability_is_the_share() {
    let d = clouds(150, 3);
    let fit = spec(0.4).fit(d.x.view(), &d.labels, None, &Compute::new()).unwrap();
    for (c, p) in fit.mean_probabilities().iter().enumerate() {
        let share = d.labels.iter().filter(|l| **l == c).count() as f64 / 150.0;
        assert_close!(*p, share, 1e-12);
    }
}

#[test]
fn a_large_penalty_leaves_the_log_odds() {
    let (d, compute) = (clouds(60, 2), Compute::new());
    let fit = spec(1e9).fit(d.x.view(), &d.labels, None, &compute).unwrap();
    let ones = d.labels.iter().sum::<usize>() as f64;
    assert_close!(fit.intercept()[0], (ones / (60.0 - ones)).ln(), 1e-6);
    assert!(fit.evidence().squared_norm < 1e-12);
}

#[test]
fn weights_count_points() {
    let compute = Compute::new();
    for classes in [2, 3] {
        let d = clouds(40, classes);
        let mut weights = Array1::ones(40);
        (weights[10], weights[11], weights[12]) = (2.0, 0.0, 3.0);
        let fit = spec(0.2).fit(d.x.view(), &d.labels, Some(weights.view()), &compute).unwrap();
        let rows: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
        let labels: Vec<usize> = rows.iter().map(|&i| d.labels[i]).collect();
        let repeated = spec(0.2).fit(d.x.select(Axis(0), &rows).view(), &labels, None, &compute).unwrap();
        let t = clouds(9, 2).x;
        let at = |fit: &LogisticFit| fit.probabilities(t.view(), &compute).unwrap();
        assert_arrays_close(&at(&fit).view(), &at(&repeated).view(), 1e-9, "repetition");
        assert_close!(fit.evidence().objective, repeated.evidence().objective, 1e-12);
    }
}

#[test]
fn class_weights_are_weights() {
    let (d, compute) = (clouds(50, 3), Compute::new());
    let factors = vec![0.5, 2.0, 3.0];
    let by_row: Array1<f64> = d.labels.iter().zip(&d.weights).map(|(&c, w)| w * factors[c]).collect();
    let fit = LogisticRegression { class_weights: Some(factors), ..spec(0.2) };
    let fit = fit.fit(d.x.view(), &d.labels, Some(d.weights.view()), &compute).unwrap();
    let expected = spec(0.2).fit(d.x.view(), &d.labels, Some(by_row.view()), &compute).unwrap();
    assert_eq!(fit.dual_coefficients(), expected.dual_coefficients());
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    for (classes, solver) in
        [(2, LossSolver::Newton), (2, LossSolver::NewtonConjugateGradients), (3, LossSolver::NewtonConjugateGradients)]
    {
        let d = clouds(450, classes);
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap().with_memory(1 << 30);
            let spec = LogisticRegression { solver, ..spec(0.1) };
            spec.fit(d.x.view(), &d.labels, None, &compute).unwrap().dual_coefficients().to_owned()
        };
        assert_eq!(run(1), run(2), "{classes} {solver}");
    }
}

#[test]
fn a_path_is_its_fits_and_takes_fewer_steps() {
    let (d, compute) = (clouds(120, 2), Compute::new());
    let lambdas = log_grid(10.0, 1e-3, 9).unwrap();
    let path = spec(1.0).path(&lambdas, d.x.view(), &d.labels, None, &compute).unwrap();
    let alone: Vec<LogisticFit> =
        lambdas.iter().map(|&l| spec(l).fit(d.x.view(), &d.labels, None, &compute).unwrap()).collect();
    for (warm, cold) in path.iter().zip(&alone) {
        assert_arrays_close(&warm.fitted(), &cold.fitted(), 1e-8, "path");
    }
    let steps = |fits: &[LogisticFit]| fits.iter().map(|f| f.evidence().iterations).sum::<u64>();
    assert!(steps(&path) < steps(&alone), "{} {}", steps(&path), steps(&alone));
}

#[test]
fn leave_one_out_is_close_to_refits() {
    let (d, compute) = (clouds(80, 2), Compute::new());
    let spec = LogisticRegression { leave_one_out: true, ..spec(0.5) };
    let fit = spec.fit(d.x.view(), &d.labels, None, &compute).unwrap();
    let estimate = fit.leave_one_out().unwrap();
    let (mut worst, mut plain, mut loss) = (0.0_f64, 0.0_f64, 0.0);
    for i in 0..80 {
        let rows: Vec<usize> = (0..80).filter(|&r| r != i).collect();
        let labels: Vec<usize> = rows.iter().map(|&r| d.labels[r]).collect();
        let refit = spec.fit(d.x.select(Axis(0), &rows).view(), &labels, None, &compute).unwrap();
        let exact = refit.decision(d.x.slice(s![i..i + 1, ..]), &compute).unwrap()[[0, 0]];
        worst = worst.max((estimate.decisions[i] - exact).abs());
        plain = plain.max((fit.fitted()[[i, 0]] - exact).abs());
        let y = if d.labels[i] == 1 { 1.0 } else { -1.0 };
        loss += (1.0 + (-y * exact).exp()).ln() / 80.0;
    }
    assert!(worst < 0.2 * plain, "worst error {worst}, of the fit itself {plain}");
    assert_close!(estimate.log_loss, loss, 0.01);
}

#[test]
fn folds_choose_a_sensible_penalty() {
    let compute = Compute::new();
    for classes in [2, 3] {
        let d = clouds(120, classes);
        let lambdas = log_grid(1e-4, 1e4, 9).unwrap();
        let path = logistic_path(&spec(1.0), &lambdas, 5, d.x.view(), &d.labels, None, &compute).unwrap();
        let best = path.best().unwrap();
        assert!(best > 0 && best < 8, "λ = {}", lambdas[best]);
        // Far too much penalty: the shares of the classes.
        let shares: f64 = (0..classes)
            .map(|c| d.labels.iter().filter(|l| **l == c).count() as f64 / 120.0)
            .map(|p| -p * p.ln())
            .sum();
        assert_close!(path.log_loss[8], shares, 0.02);
        assert!(path.error[best] < path.error[8]);
        // A matrix of values gives the same folds and the same scores.
        let k = mercer::gram::dense(
            &spec(1.0).kernel.bind(mercer::gram::Pairs::within(d.x.view()), &compute).unwrap(),
            &compute,
        )
        .unwrap();
        let given = LogisticRegression::new(kernel("precomputed()"), 1.0);
        let same = logistic_path(&given, &lambdas, 5, k.view(), &d.labels, None, &compute).unwrap();
        assert_close!(same.log_loss.iter(), &path.log_loss, each = 1e-9);
    }
}

#[test]
fn separable_data_has_a_finite_answer() {
    let compute = Compute::new();
    let x = array![[-3.0], [-2.0], [2.0], [3.0]];
    let spec = LogisticRegression::new(kernel("linear()"), 1e-8);
    let fit = spec.fit(x.view(), &[0, 0, 1, 1], None, &compute).unwrap();
    assert_eq!(fit.predict(x.view(), &compute).unwrap(), [0, 0, 1, 1]);
    assert!(fit.probabilities(x.view(), &compute).unwrap().iter().all(|p| p.is_finite()));
    assert!(fit.evidence().gap <= 1e-12, "{:?}", fit.evidence());
}

#[test]
fn values_made_elsewhere_give_the_same_fit() {
    let (d, compute) = (clouds(50, 2), Compute::new());
    let fit = spec(0.3).fit(d.x.view(), &d.labels, None, &compute).unwrap();
    let bound = spec(0.3).kernel;
    let k =
        mercer::gram::dense(&bound.bind(mercer::gram::Pairs::within(d.x.view()), &compute).unwrap(), &compute).unwrap();
    let given = LogisticRegression::new(kernel("precomputed()"), 0.3).fit(k.view(), &d.labels, None, &compute).unwrap();
    assert_arrays_close(&given.dual_coefficients(), &fit.dual_coefficients(), 1e-10, "precomputed");
    assert_arrays_close(&given.decision(k.view(), &compute).unwrap().view(), &fit.fitted(), 1e-10, "precomputed");
    // An indefinite matrix is refused.
    let indefinite = k - Array2::<f64>::eye(50) * 3.0;
    let refused =
        LogisticRegression::new(kernel("precomputed()"), 0.3).fit(indefinite.view(), &d.labels, None, &compute);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })), "{refused:?}");
}

/// Raises a flag after some reports of Newton steps.
struct StopAfter {
    cancel: Cancel,
    left: std::sync::atomic::AtomicU64,
}

impl Progress for StopAfter {
    fn report(&self, work: &str, _: u64, _: u64) {
        if work == "Newton steps" && self.left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 1 {
            self.cancel.cancel();
        }
    }
}

#[test]
fn a_canceled_fit_is_a_model_with_a_true_gap() {
    let d = clouds(100, 3);
    let best = spec(0.1).fit(d.x.view(), &d.labels, None, &Compute::new()).unwrap().evidence().objective;
    for stop in 1..5 {
        let cancel = Cancel::default();
        let listener = StopAfter { cancel: cancel.clone(), left: std::sync::atomic::AtomicU64::new(stop) };
        let compute = Compute::new().with_cancel(cancel).with_progress(Arc::new(listener));
        let fit = spec(0.1).fit(d.x.view(), &d.labels, None, &compute).unwrap();
        let evidence = fit.evidence();
        assert_eq!((evidence.stopped, evidence.iterations), (Stopped::Canceled, stop - 1));
        assert!(evidence.objective >= best * (1.0 - 1e-14) && evidence.dual_objective <= best * (1.0 + 1e-14));
    }
}

#[test]
fn wrong_input_is_refused() {
    let (d, compute) = (clouds(20, 2), Compute::new());
    let fit = |spec: &LogisticRegression, labels: &[usize]| spec.fit(d.x.view(), labels, None, &compute);
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(fit(&spec(lambda), &d.labels), Err(Error::Parameter { .. })), "{lambda}");
    }
    let message = fit(&spec(1.0), &[0; 20]).unwrap_err().to_string();
    assert!(message.contains("one class"), "{message}");
    let mut gap = d.labels.clone();
    gap.iter_mut().for_each(|c| *c *= 2);
    assert!(fit(&spec(1.0), &gap).unwrap_err().to_string().contains("class 1 has no rows"));
    assert!(matches!(fit(&spec(1.0), &d.labels[1..]), Err(Error::Shape { .. })));
    let no_ones: Array1<f64> = d.labels.iter().map(|&c| 1.0 - c as f64).collect();
    assert!(matches!(
        spec(1.0).fit(d.x.view(), &d.labels, Some(no_ones.view()), &compute),
        Err(Error::OneClass { .. })
    ));
    let negative = Array1::from_elem(20, -1.0);
    assert!(matches!(spec(1.0).fit(d.x.view(), &d.labels, Some(negative.view()), &compute), Err(Error::Value { .. })));
    let factors = |f: Vec<f64>| LogisticRegression { class_weights: Some(f), ..spec(1.0) };
    assert!(matches!(fit(&factors(vec![1.0]), &d.labels), Err(Error::Shape { .. })));
    assert!(matches!(fit(&factors(vec![1.0, 0.0]), &d.labels), Err(Error::Parameter { .. })));
    let tanh = LogisticRegression::new(kernel("tanh()"), 1.0);
    assert!(matches!(fit(&tanh, &d.labels), Err(Error::NotPositiveDefinite { .. })));
    let dual = LogisticRegression { solver: LossSolver::Dual, ..spec(1.0) };
    assert!(matches!(fit(&dual, &d.labels), Err(Error::Unsupported { .. })));
    assert!(matches!(spec(1.0).fit(Array2::zeros((0, 2)).view(), &[], None, &compute), Err(Error::TooFew { .. })));
    let mut x = d.x.clone();
    x[[3, 1]] = f64::NAN;
    assert!(matches!(spec(1.0).fit(x.view(), &d.labels, None, &compute), Err(Error::Value { .. })));
    let folds = |k: usize| logistic_path(&spec(1.0), &[1.0], k, d.x.view(), &d.labels, None, &compute).is_err();
    assert!(folds(1) && folds(21) && !folds(2));
}

#[test]
fn duplicated_points_are_no_trouble() {
    let (d, compute) = (clouds(30, 2), Compute::new());
    let x = concatenate(Axis(0), &[d.x.view(), d.x.view()]).unwrap();
    // Every point once in each class: nothing can be told apart.
    let labels: Vec<usize> = (0..60).map(|i| i / 30).collect();
    let fit = spec(1e-6).fit(x.view(), &labels, None, &compute).unwrap();
    assert!(fit.fitted().iter().all(|f| f.abs() < 1e-9));
    assert_close!(fit.evidence().objective, 60.0 * 2.0_f64.ln(), 1e-12);
}
