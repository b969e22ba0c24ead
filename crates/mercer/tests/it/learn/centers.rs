//! Learning on a few centers: the answers of the dense methods where all points are centers, the
//! same bytes for any number of threads.

use crate::common::assert_arrays_close;
use mercer::features::Landmarks;
use mercer::gram::{self, Pairs};
use mercer::learn::centers::EarlyStopping;
use mercer::learn::{CenterMachine, KernelMachine, Loss, Ridge};
use mercer::solve::solve_positive;
use mercer::{Compute, Kernel, Precision, Seed};
use ndarray::{Array1, Array2, s};

const KERNEL: &str = "matern(nu=3/2, lengthscale=1.5)";

fn kernel() -> Kernel {
    KERNEL.parse().unwrap()
}

fn compute() -> Compute {
    Compute::new().with_seed(Seed(4))
}

/// Points in the plane, two smooth targets with noise, and classes.
fn data(n: usize) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
    let mut stream = Seed(9).stream("data", 0);
    let x = Array2::from_shape_fn((n, 2), |_| 4.0 * stream.uniform() - 2.0);
    let y = Array2::from_shape_fn((n, 2), |(i, j)| {
        let noise = 0.1 * stream.normal();
        if j == 0 { (x[[i, 0]] * 2.0).sin() + 1.5 + noise } else { x[[i, 0]] * x[[i, 1]] + noise }
    });
    let classes = y.slice(s![.., 1..2]).mapv(|v| if v + 0.3 > 0.0 { 1.0 } else { -1.0 });
    (x, y, classes)
}

fn everything(n: usize, loss: Loss, lambda: f64) -> CenterMachine {
    let landmarks = Landmarks::Rows((0..n).collect());
    CenterMachine { loss, landmarks, tolerance: 1e-13, max_iterations: 2000, ..CenterMachine::new(kernel(), lambda, n) }
}

#[test]
fn with_all_points_as_centers_it_is_ridge_regression() {
    let (x, y, _) = data(120);
    let new = data(30).0.mapv(|v| 0.9 * v);
    let weights = Array1::from_shape_fn(120, |i| 0.5 + (i % 3) as f64);
    for intercept in [false, true] {
        for weights in [None, Some(weights.view())] {
            let ridge = Ridge { intercept, ..Ridge::new(kernel(), 0.2) };
            let expected = ridge.fit(x.view(), y.view(), weights, &compute()).unwrap();
            let machine = CenterMachine { intercept, ..everything(120, Loss::Squared, 0.2) };
            let found = machine.fit(x.view(), y.view(), weights, &compute()).unwrap();
            assert!(found.evidence().converged() && found.evidence().jitter == 0.0, "{:?}", found.evidence());
            let both =
                [found.predict(new.view(), &compute()).unwrap(), expected.predict(new.view(), &compute()).unwrap()];
            assert_arrays_close(&both[0], &both[1], 1e-8, "ridge");
        }
    }
}

#[test]
fn with_all_points_as_centers_smooth_losses_are_those_of_the_kernel_machine() {
    let (x, y, classes) = data(100);
    let counts = y.slice(s![.., ..1]).mapv(|v| v.max(0.0).round());
    let amounts = y.slice(s![.., ..1]).mapv(|v| v.abs() + 0.2);
    for (loss, targets) in [
        (Loss::Logistic, &classes),
        (Loss::SquaredHinge, &classes),
        (Loss::Poisson, &counts),
        (Loss::Gamma, &amounts),
        (Loss::Tweedie { power: 1.5 }, &counts),
    ] {
        for intercept in [false, true] {
            let dense = KernelMachine { intercept, ..KernelMachine::new(loss, kernel(), 0.05) };
            let expected = dense.fit(x.view(), targets.column(0), None, &compute()).unwrap();
            let machine = CenterMachine { intercept, ..everything(100, loss, 0.05) };
            let found = machine.fit(x.view(), targets.view(), None, &compute()).unwrap();
            let objective = expected.evidence().objective;
            assert_close!(found.evidence().objective, objective, abs = 1e-9 * objective.abs(), "{loss} {intercept}");
            let values = expected.decision(x.view(), &compute()).unwrap().insert_axis(ndarray::Axis(1));
            assert_arrays_close(&found.predict(x.view(), &compute()).unwrap(), &values, 1e-4, &loss.to_string());
        }
    }
}

#[test]
fn tiles_and_stored_matrices_agree_in_both_precisions() {
    let (x, y, _) = data(900);
    let machine = CenterMachine { intercept: true, ..CenterMachine::new(kernel(), 0.1, 40) };
    let run = |compute: Compute| {
        let fit = machine.fit(x.view(), y.view(), None, &compute).unwrap();
        (fit.plan().stored, fit.predict(x.view(), &compute.with_precision(Precision::Double)).unwrap())
    };
    let (stored, expected) = run(compute());
    assert!(stored);
    let needed = machine.plan(900, 2, 2, &compute()).unwrap().bytes;
    for (precision, tolerance) in [(Precision::Double, 1e-6), (Precision::SingleTiles, 1e-3)] {
        let (stored, found) = run(compute().with_precision(precision));
        assert!(stored);
        assert_arrays_close(&found, &expected, tolerance, "stored");
        let (stored, found) = run(compute().with_precision(precision).with_memory(needed - 8 * 900 * 40 + 1000));
        assert!(!stored);
        assert_arrays_close(&found, &expected, tolerance, "tiles");
    }
    assert!(machine.plan(900, 2, 2, &compute().with_memory(1000)).is_err());
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y, classes) = data(700);
    for (loss, y) in [(Loss::Squared, &y), (Loss::Logistic, &classes)] {
        let machine = CenterMachine { loss, intercept: true, ..CenterMachine::new(kernel(), 0.1, 50) };
        let with = |threads: usize| {
            let fit = machine.fit(x.view(), y.view(), None, &compute().with_threads(threads).unwrap()).unwrap();
            fit.coefficients().to_owned()
        };
        assert_eq!(with(1), with(2), "{loss}");
    }
}

#[test]
fn the_preconditioner_keeps_the_iterations_few() {
    let (x, y, _) = data(3000);
    let machine = CenterMachine::new(kernel(), 1e-3, 100);
    let fit = machine.fit(x.view(), y.view(), None, &compute()).unwrap();
    assert!(fit.evidence().converged() && fit.evidence().iterations <= 60, "{:?}", fit.evidence());
    // The normal equations (K_mn K_nm + λK_mm)α = K_mn y, solved directly.
    let gram = |a: &Array2<f64>, b: &Array2<f64>| {
        let bound = kernel().bind(Pairs::between(a.view(), b.view()), &compute()).unwrap();
        gram::dense(&bound, &compute()).unwrap()
    };
    let centers = fit.centers().vectors().unwrap().to_owned();
    let (cross, square) = (gram(&x, &centers), gram(&centers, &centers));
    let matrix = cross.t().dot(&cross) + square * 1e-3;
    let alpha = solve_positive(matrix.view(), cross.t().dot(&y).view()).unwrap().solution;
    assert_arrays_close(&fit.predict(x.view(), &compute()).unwrap(), &cross.dot(&alpha), 1e-5, "normal equations");
}

#[test]
fn rows_kept_apart_stop_the_work_and_choose_the_best() {
    let (x, y, _) = data(400);
    let held_out = Some(EarlyStopping { share: 0.25, patience: 2 });
    let machine = CenterMachine { held_out, ..CenterMachine::new(kernel(), 1e-9, 200) };
    let fit = machine.fit(x.view(), y.view(), None, &compute()).unwrap();
    let scores = &fit.evidence().held_out_scores;
    assert_eq!(scores.len(), fit.evidence().iterations);
    assert!(scores.iter().all(|s| s.is_finite()));
    let wrong = CenterMachine { held_out: Some(EarlyStopping { share: 1.5, patience: 2 }), ..machine };
    assert!(wrong.fit(x.view(), y.view(), None, &compute()).is_err());
}

#[test]
fn repeated_centers_are_counted_in_the_evidence() {
    let (x, y, _) = data(60);
    let landmarks = Landmarks::Rows([(0..30).collect::<Vec<_>>(), (0..30).collect()].concat());
    let machine = CenterMachine { landmarks, ..CenterMachine::new(kernel(), 0.1, 60) };
    let fit = machine.fit(x.view(), y.view(), None, &compute()).unwrap();
    assert!(fit.evidence().jitter > 0.0);
    let once = CenterMachine { landmarks: Landmarks::Rows((0..30).collect()), ..machine };
    let expected = once.fit(x.view(), y.view(), None, &compute()).unwrap().predict(x.view(), &compute()).unwrap();
    assert_arrays_close(&fit.predict(x.view(), &compute()).unwrap(), &expected, 1e-4, "twice");
}

#[test]
fn wrong_requests_are_refused() {
    let (x, y, classes) = data(20);
    let plain = CenterMachine::new(kernel(), 0.1, 5);
    let error = |machine: CenterMachine, y: &Array2<f64>| {
        machine.fit(x.view(), y.view(), None, &compute()).unwrap_err().to_string()
    };
    assert!(error(CenterMachine { lambda: 0.0, ..plain.clone() }, &y).contains("lambda"));
    assert!(error(CenterMachine { centers: 0, ..plain.clone() }, &y).contains("centers"));
    assert!(error(CenterMachine { loss: Loss::Hinge, ..plain.clone() }, &classes).contains("kinks"));
    assert!(error(CenterMachine { loss: Loss::LogCosh, ..plain.clone() }, &y).contains("one output"));
    assert!(
        error(CenterMachine { loss: Loss::Logistic, ..plain.clone() }, &y.slice(s![.., ..1]).to_owned())
            .contains("class")
    );
    assert!(error(CenterMachine { kernel: "tanh()".parse().unwrap(), ..plain.clone() }, &y).contains("semi-definite"));
    assert!(plain.fit(x.view(), y.slice(s![..7, ..]), None, &compute()).is_err());
}
