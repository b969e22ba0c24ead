//! Centers as a solver of ridge regression, logistic regression and smooth losses: the dense
//! answers where every point is a center, plans with their reasons, model files, and bad requests.

use crate::common::assert_arrays_close;
use crate::common::models::round_trip;
use mercer::features::Landmarks;
use mercer::learn::centers::{Centers, EarlyStopping};
use mercer::learn::ridge::{IntervalTarget, RidgeMethod, RidgeSolver};
use mercer::learn::{KernelMachine, LogisticRegression, Loss, Ridge, logistic, machine};
use mercer::model::{Inputs, Model};
use mercer::solve::Stopped;
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, s};

fn kernel() -> Kernel {
    "matern(nu=3/2, lengthscale=1.5)".parse().unwrap()
}

fn compute() -> Compute {
    Compute::new().with_seed(Seed(4))
}

/// Points in the plane, two smooth targets with noise, and three classes.
fn data(n: usize) -> (Array2<f64>, Array2<f64>, Vec<usize>) {
    let mut stream = Seed(9).stream("data", 0);
    let x = Array2::from_shape_fn((n, 2), |_| 4.0 * stream.uniform() - 2.0);
    let y = Array2::from_shape_fn((n, 2), |(i, j)| {
        let noise = 0.1 * stream.normal();
        if j == 0 { (x[[i, 0]] * 2.0).sin() + 1.5 + noise } else { x[[i, 0]] * x[[i, 1]] + noise }
    });
    let classes = (0..n).map(|i| if y[[i, 1]] > 0.5 { 2 } else { usize::from(y[[i, 0]] > 1.5) }).collect();
    (x, y, classes)
}

/// Every row is a center, and the answer is exact to many digits.
fn everything(n: usize) -> Centers {
    let landmarks = Landmarks::Rows((0..n).collect());
    Centers { landmarks, tolerance: 1e-13, max_iterations: 5000, ..Centers::new(n) }
}

#[test]
fn ridge_on_all_points_as_centers_is_exact() {
    let (x, y, _) = data(120);
    let weights = Array1::from_shape_fn(120, |i| 0.5 + (i % 3) as f64);
    for intercept in [false, true] {
        let exact = Ridge { intercept, ..Ridge::new(kernel(), 0.2) };
        let expected = exact.fit(x.view(), y.view(), Some(weights.view()), &compute()).unwrap();
        let spec = Ridge { solver: RidgeSolver::Centers, centers: Some(everything(120)), ..exact };
        let fit = spec.fit(x.view(), y.view(), Some(weights.view()), &compute()).unwrap();
        assert_arrays_close(&fit.fitted().to_owned(), &expected.fitted().to_owned(), 1e-8, "fitted");
        assert_arrays_close(&fit.residuals().to_owned(), &expected.residuals().to_owned(), 1e-7, "residuals");
        assert_arrays_close(&fit.dual_coefficients().to_owned(), &expected.dual_coefficients().to_owned(), 1e-5, "α");
        let norms = [fit.norms().to_owned().insert_axis(Axis(0)), expected.norms().to_owned().insert_axis(Axis(0))];
        assert_arrays_close(&norms[0], &norms[1], 1e-7, "norms");
        assert_eq!(fit.intercept().is_some(), intercept);
        let RidgeMethod::Centers { centers: 120, converged: true, missed, .. } = fit.method() else {
            panic!("{:?}", fit.method())
        };
        assert!(missed.abs() < 1e-10, "{missed}");
    }
}

#[test]
fn few_centers_miss_something_and_report_how_much() {
    let (x, y, _) = data(400);
    let share = |count: usize| {
        let ridge = Ridge { centers: Some(Centers::new(count)), ..Ridge::new(kernel(), 0.1) };
        match ridge.fit(x.view(), y.view(), None, &compute()).unwrap().method() {
            RidgeMethod::Centers { missed, .. } => missed,
            other => panic!("{other:?}"),
        }
    };
    let shares = [share(5), share(20), share(80)];
    assert!(shares[0] > shares[1] && shares[1] > shares[2] && shares[2] > 0.0 && shares[0] < 1.0, "{shares:?}");
}

#[test]
fn logistic_regression_on_all_points_as_centers_is_exact() {
    let (x, _, classes) = data(90);
    let sides: Vec<usize> = classes.iter().map(|&c| usize::from(c == 2)).collect();
    for (labels, name) in [(&sides, "two"), (&classes, "three")] {
        for intercept in [false, true] {
            let exact = LogisticRegression { intercept, ..LogisticRegression::new(kernel(), 0.3) };
            let expected = exact.fit(x.view(), labels, None, &compute()).unwrap();
            let centers = Some(Centers { tolerance: 1e-14, ..everything(90) });
            let spec = LogisticRegression { solver: logistic::LossSolver::Centers, centers, ..exact };
            let fit = spec.fit(x.view(), labels, None, &compute()).unwrap();
            let (found, requested) = (fit.evidence(), expected.evidence());
            assert_close!(found.objective, requested.objective, abs = 1e-9 * requested.objective, "{name} {intercept}");
            assert!(found.stopped == Stopped::Converged && found.gap < 1e-6 * found.objective, "{found:?}");
            assert_close!(found.loss, requested.loss, abs = 1e-5 * requested.loss, "{found:?} {requested:?}");
            let at = [fit.probabilities(x.view(), &compute()), expected.probabilities(x.view(), &compute())];
            let [found, requested] = at.map(|p| p.unwrap());
            assert_arrays_close(&found, &requested, 1e-5, name);
            assert_arrays_close(&fit.fitted_probabilities(), &found, 1e-12, "fitted");
        }
    }
}

#[test]
fn smooth_losses_run_on_centers_and_kinked_ones_are_refused() {
    let (x, y, classes) = data(100);
    let sides: Array1<f64> = classes.iter().map(|&c| if c == 2 { 1.0 } else { -1.0 }).collect();
    for (loss, y) in [(Loss::SquaredHinge, &sides), (Loss::LogCosh, &y.column(0).to_owned())] {
        let exact = KernelMachine::new(loss, kernel(), 0.1);
        let expected = exact.fit(x.view(), y.view(), None, &compute()).unwrap();
        let spec = KernelMachine { centers: Some(everything(100)), ..exact };
        let fit = spec.fit(x.view(), y.view(), None, &compute()).unwrap();
        assert_eq!(fit.plan().solver, machine::LossSolver::Centers);
        let [found, requested] = [fit.evidence().objective, expected.evidence().objective];
        assert_close!(found, requested, abs = 1e-9 * requested, "{loss}: {found} ≠ {requested}");
    }
    let hinge =
        KernelMachine { solver: machine::LossSolver::Centers, ..KernelMachine::new(Loss::Hinge, kernel(), 0.1) };
    assert!(hinge.fit(x.view(), sides.view(), None, &compute()).unwrap_err().to_string().contains("kinks"));
}

#[test]
fn the_plan_takes_centers_where_all_pairs_are_too_many() {
    let ridge = Ridge::new(kernel(), 0.1);
    let tight = compute().with_memory(2 << 30);
    assert_eq!(ridge.plan(20_000, 8, 1, &tight).unwrap().solver, RidgeSolver::ConjugateGradients);
    let plan = ridge.plan(1_000_000, 20, 1, &tight).unwrap();
    assert!(plan.solver == RidgeSolver::Centers && plan.centers == 5000 && plan.bytes <= 2 << 30, "{plan}");
    assert!(plan.reason.contains("all points") && plan.approximation().is_some(), "{plan}");
    // Exact again where an approximation is not possible.
    assert_ne!(Ridge { lambda: 0.0, ..ridge.clone() }.plan(5000, 8, 1, &tight).unwrap().solver, RidgeSolver::Centers);
    let logistic = LogisticRegression::new(kernel(), 0.1);
    let plan = logistic.plan(1_000_000, 20, 3, &tight).unwrap();
    assert!(plan.solver == logistic::LossSolver::Centers && plan.bytes <= 2 << 30, "{plan}");
}

#[test]
fn a_time_limit_takes_fewer_centers_and_is_reported() {
    let ridge = Ridge::new(kernel(), 0.1);
    let slow = compute().with_memory(8 << 30).with_speed(1e9);
    let plan = ridge.plan(8000, 10, 1, &slow).unwrap();
    assert_eq!(plan.solver, RidgeSolver::Cholesky);
    assert_close!(plan.seconds.unwrap(), plan.flops / 1e9, abs = 1e-9);
    let hurried = slow.clone().with_time(0.5);
    let plan = ridge.plan(8000, 10, 1, &hurried).unwrap();
    assert!(plan.solver == RidgeSolver::Centers && plan.seconds.unwrap() <= 0.5, "{plan}");
    assert!(plan.to_string().contains("the time limit") && plan.centers < 447, "{plan}");
    // Without a clock there is no time to keep.
    assert_eq!(ridge.plan(8000, 10, 1, &compute().with_time(0.5)).unwrap().solver, RidgeSolver::Cholesky);
}

#[test]
fn models_come_back_from_their_bytes() {
    let (x, y, classes) = data(150);
    let few = Some(Centers::new(20));
    let ridge = Ridge { intercept: true, centers: few.clone(), ..Ridge::new(kernel(), 0.2) };
    let fit = ridge.fit(x.view(), y.view(), None, &compute()).unwrap();
    let back = round_trip(&Model::new(fit.clone(), Inputs::vectors(2, 2)).unwrap())
        .into_fitted()
        .take::<mercer::learn::RidgeFit>()
        .expect("another kind");
    let at = |fit: &mercer::learn::RidgeFit| fit.predict(x.view(), &compute()).unwrap();
    assert_eq!((at(&back), back.fitted(), back.method()), (at(&fit), fit.fitted(), fit.method()));
    assert_eq!((back.plan().solver, back.plan().centers), (fit.plan().solver, fit.plan().centers));
    let spec = LogisticRegression { centers: few.clone(), ..LogisticRegression::new(kernel(), 0.2) };
    let fit = spec.fit(x.view(), &classes, None, &compute()).unwrap();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let model = Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap().with_classes(names).unwrap();
    let back = round_trip(&model).into_fitted().take::<mercer::learn::LogisticFit>().expect("another kind");
    assert_eq!((back.fitted(), back.evidence()), (fit.fitted(), fit.evidence()));
    assert_eq!((back.plan().solver, back.plan().centers), (fit.plan().solver, fit.plan().centers));
    let spec = KernelMachine { centers: few, ..KernelMachine::new(Loss::LogCosh, kernel(), 0.2) };
    let fit = spec.fit(x.view(), y.column(0), None, &compute()).unwrap();
    let back = round_trip(&Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap())
        .into_fitted()
        .take::<mercer::learn::KernelMachineFit>()
        .expect("another kind");
    assert_eq!((back.fitted(), back.evidence()), (fit.fitted(), fit.evidence()));
    assert_eq!((back.plan().solver, back.plan().centers), (fit.plan().solver, fit.plan().centers));
}

#[test]
fn odd_data_is_fitted() {
    let (x, y, _) = data(60);
    let with = |count: usize, x: &Array2<f64>| {
        let ridge = Ridge { intercept: true, centers: Some(Centers::new(count)), ..Ridge::new(kernel(), 0.1) };
        ridge.fit(x.view(), y.view(), None, &compute()).unwrap()
    };
    // More centers than rows are all rows.
    assert_eq!(with(1000, &x).points().len(), 60);
    // Every point twice: K_mm is singular.
    let twice = ndarray::concatenate(Axis(0), &[x.slice(s![..30, ..]), x.slice(s![..30, ..])]).unwrap();
    let exact = Ridge { intercept: true, ..Ridge::new(kernel(), 0.1) };
    let expected = exact.fit(twice.view(), y.view(), None, &compute()).unwrap();
    assert_arrays_close(&with(60, &twice).fitted().to_owned(), &expected.fitted().to_owned(), 1e-4, "twice");
    // One point sixty times: the mean.
    let constant = Array2::from_elem((60, 2), 0.5);
    let means = y.mean_axis(Axis(0)).unwrap();
    let fit = with(10, &constant);
    for row in fit.fitted().rows() {
        assert_close!(row.iter(), &means, each = 1e-6, "{row} ≠ {means}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let (x, y, _) = data(40);
    let plain = Ridge { centers: Some(Centers::new(10)), ..Ridge::new(kernel(), 0.1) };
    let error = |spec: &Ridge, compute: &Compute| spec.fit(x.view(), y.view(), None, compute).unwrap_err();
    let with = |centers: Centers| Ridge { centers: Some(centers), ..plain.clone() };
    assert!(error(&with(Centers::new(0)), &compute()).to_string().contains("centers"));
    assert!(error(&with(Centers { tolerance: 0.0, ..Centers::new(5) }), &compute()).to_string().contains("tolerance"));
    assert!(error(&with(Centers { max_iterations: 0, ..Centers::new(5) }), &compute()).to_string().contains("max"));
    let held_out = Some(EarlyStopping { share: 1.5, patience: 2 });
    assert!(error(&with(Centers { held_out, ..Centers::new(5) }), &compute()).to_string().contains("held_out"));
    for lambda in [0.0, -1.0, f64::NAN] {
        assert!(error(&Ridge { lambda, ..plain.clone() }, &compute()).to_string().contains("lambda"));
    }
    assert!(matches!(error(&plain, &compute().with_memory(1000)), Error::Memory { .. }));
    let given = Ridge { kernel: "precomputed()".parse().unwrap(), ..plain.clone() };
    assert!(error(&given, &compute()).to_string().contains("precomputed"));
    let mut broken = x.clone();
    broken[[3, 1]] = f64::NAN;
    assert!(matches!(plain.fit(broken.view(), y.view(), None, &compute()).unwrap_err(), Error::Value { row: 3, .. }));
    let basis = plain.fit_with_null_space(x.view(), x.view(), y.view(), None, &compute());
    assert!(basis.unwrap_err().to_string().contains("unpenalized"));
    let fit = plain.fit(x.view(), y.view(), None, &compute()).unwrap();
    assert!(
        fit.standard_errors(x.view(), IntervalTarget::Function, &compute())
            .unwrap_err()
            .to_string()
            .contains("centers")
    );
}

#[test]
fn rows_kept_apart_stop_several_classes() {
    let (x, _, classes) = data(500);
    let held_out = Some(EarlyStopping { share: 0.2, patience: 3 });
    let centers = Some(Centers { held_out, ..Centers::new(60) });
    let spec = LogisticRegression { centers, ..LogisticRegression::new(kernel(), 1e-6) };
    let fit = spec.fit(x.view(), &classes, None, &compute()).unwrap();
    let right = fit.predict(x.view(), &compute()).unwrap().iter().zip(&classes).filter(|(a, b)| a == b).count();
    assert!(right > 430, "{right}");
    assert_eq!(fit.fitted().nrows(), 500);
}
