//! Model files: same bytes of prediction after a round trip, for every kind of fit.

use std::path::Path;

use crate::common::models::{bits, round_trip};
use mercer::features::{FeatureSpec, Nystrom, RandomFourier};
use mercer::learn::centers::Centers;
use mercer::learn::gaussian_process::sparse::{Approximation, Inducing};
use mercer::learn::machine;
use mercer::learn::ridge::{RidgeMethod, RidgePlan, RidgeSolver};
use mercer::learn::smoother::{Bandwidth, LocalLinear, LocalWeight, NadarayaWatson};
use mercer::learn::spline::{Smoothing, SmoothingSpline};
use mercer::learn::svm::{Calibration, Classes, OneClass, Penalty, Svc, Svr};
use mercer::learn::{
    GaussianProcess, KernelMachine, LogisticRegression, Loss, QuantileCurves, Ridge, SharedGaussianProcess,
    SparseGaussianProcess, StreamedRidge,
};
use mercer::learner::{FitInput, Goal, Targets};
use mercer::model::{Features, Inputs, Model, Target};
use mercer::points::{Affine, Column, Encoding, Missing, Scaling, Table};
use mercer::settings::{Setting, Settings};
use mercer::{Compute, Error, Points, Seed, io};
use ndarray::{Array1, Array2, Axis, array, s};

fn data(n: usize, d: usize, outputs: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(3).stream("model files", 0);
    let x = Array2::from_shape_fn((n, d), |_| 2.0 * stream.uniform());
    let y = Array2::from_shape_fn((n, outputs), |(i, j)| (x[[i, 0]] * (j + 2) as f64).sin() + 0.1 * stream.normal());
    (x, y)
}

/// Same bits of predictions (and intervals, where there are some) before and after, for one and two
/// threads.
fn assert_same_predictions(model: &Model, x: &Array2<f64>) {
    let loaded = round_trip(model);
    let two = Compute::new().with_threads(2).unwrap();
    let expected = model.predict(x.view(), &Compute::new()).unwrap();
    assert_eq!(bits(&expected), bits(&loaded.predict(x.view(), &two).unwrap()));
    match model.predict_interval(x.view(), 0.9, &Compute::new()) {
        Ok(expected) => {
            let found = loaded.predict_interval(x.view(), 0.9, &two).unwrap();
            assert_eq!(bits(&expected.mean), bits(&found.mean));
            assert_eq!(bits(&expected.lower), bits(&found.lower));
            assert_eq!(bits(&expected.upper), bits(&found.upper));
        }
        Err(error) => {
            let same = loaded.predict_interval(x.view(), 0.9, &two).unwrap_err();
            assert_eq!(error.to_string(), same.to_string());
        }
    }
}

#[test]
fn ridge_by_every_solver() {
    let compute = Compute::new();
    let (x, y) = data(60, 3, 2);
    let weights = Array1::from_shape_fn(60, |i| 1.0 + (i % 3) as f64);
    for solver in [
        RidgeSolver::Auto,
        RidgeSolver::Cholesky,
        RidgeSolver::Mixed,
        RidgeSolver::Eigen,
        RidgeSolver::ConjugateGradients,
    ] {
        for intercept in [false, true] {
            let kernel = "2*gaussian(lengthscale=[0.1, 0.3333333333333333, 7]) + matern(nu=3/2, lengthscale=median)";
            let spec = Ridge { intercept, solver, ..Ridge::new(kernel.parse().unwrap(), 0.01) };
            let fit = spec.fit(x.view(), y.view(), Some(weights.view()), &compute).unwrap();
            let model = Model::new(fit.clone(), Inputs::vectors(3, 2)).unwrap();
            assert_same_predictions(&model, &data(25, 3, 1).0);
            let loaded = round_trip(&model).into_fitted().take::<mercer::learn::RidgeFit>().expect("another kind");
            assert_eq!(loaded.kernel(), fit.kernel());
            assert_eq!(loaded.method(), fit.method());
            let used = |plan: &RidgePlan| (plan.solver, plan.rank, plan.centers);
            assert_eq!(used(loaded.plan()), used(fit.plan()));
            assert_eq!(loaded.plan().to_string(), format!("{}; read from a model file", fit.plan().solver));
            assert_eq!(loaded.diagnostics(), fit.diagnostics());
            assert_eq!(loaded.condition(), fit.condition());
            assert_eq!(loaded.residuals(), fit.residuals());
            assert_eq!(loaded.intercept(), fit.intercept());
        }
    }
}

#[test]
fn learners_on_grids() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((30 * 20, 2), |(i, j)| if j == 0 { (i / 20) as f64 * 0.5 } else { (i % 20) as f64 });
    let y = Array2::from_shape_fn((600, 1), |(i, _)| (0.1 * i as f64).sin());
    let new = ndarray::concatenate(Axis(0), &[x.slice(s![..9, ..]), (&x.slice(s![..5, ..]) + 0.1).view()]).unwrap();
    // Complete, and without some cells.
    for rows in [600, 550] {
        let (x, y) = (x.slice(s![..rows, ..]), y.slice(s![..rows, ..]));
        let kernel: mercer::Kernel = "gaussian(lengthscale=2)".parse().unwrap();
        let spec = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel.clone(), 0.1) };
        let fit = spec.fit(x, y, None, &compute).unwrap();
        assert_eq!(fit.plan().solver, RidgeSolver::Grid);
        let model = Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap();
        let loaded = round_trip(&model).into_fitted().take::<mercer::learn::RidgeFit>().expect("another kind");
        assert_eq!((loaded.method(), loaded.residuals()), (fit.method(), fit.residuals()));
        assert_eq!(
            bits(&loaded.predict(new.view(), &compute).unwrap()),
            bits(&fit.predict(new.view(), &compute).unwrap())
        );
        let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel, 0.1) };
        let fit = process.fit(x, y.column(0), &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap();
        let loaded =
            round_trip(&model).into_fitted().take::<mercer::learn::GaussianProcessFit>().expect("another kind");
        assert_eq!(loaded.log_marginal_likelihood(), fit.log_marginal_likelihood());
        assert_eq!(loaded.predict(new.view(), &compute).unwrap(), fit.predict(new.view(), &compute).unwrap());
    }
}

#[test]
fn ridge_of_minimum_norm_with_a_null_space_and_on_precomputed_values() {
    let compute = Compute::new();
    let (x, y) = data(20, 1, 1);
    let doubled = ndarray::concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let targets = ndarray::concatenate(Axis(0), &[y.view(), (&y + 0.5).view()]).unwrap();
    let fit = Ridge::new("linear()".parse().unwrap(), 0.0).fit(doubled.view(), targets.view(), None, &compute).unwrap();
    assert!(matches!(fit.method(), RidgeMethod::MinimumNorm { .. }));
    assert_same_predictions(&Model::new(fit, Inputs::vectors(1, 1)).unwrap(), &x);

    let spec = Ridge { intercept: true, ..Ridge::new("gaussian()".parse().unwrap(), 0.1) };
    let fit = spec.fit_with_null_space(x.view(), x.view(), y.view(), None, &compute).unwrap();
    let loaded = round_trip(&Model::new(fit.clone(), Inputs::vectors(1, 1)).unwrap())
        .into_fitted()
        .take::<mercer::learn::RidgeFit>()
        .expect("another kind");
    let predict = |f: &mercer::learn::RidgeFit| f.predict_with_null_space(x.view(), x.view(), &compute).unwrap();
    assert_eq!(bits(&predict(&fit)), bits(&predict(&loaded)));

    let gram = x.dot(&x.t());
    let fit = Ridge::new("precomputed()".parse().unwrap(), 0.1).fit(gram.view(), y.view(), None, &compute).unwrap();
    assert_same_predictions(&Model::new(fit, Inputs::vectors(20, 1)).unwrap(), &gram.slice(s![..5, ..]).to_owned());
}

#[test]
fn gaussian_processes() {
    let compute = Compute::new();
    let (x, y) = data(50, 2, 1);
    for optimize in [false, true] {
        let kernel = "1*gaussian(lengthscale=0.7) + 0.1*periodic(period=1.3)".parse().unwrap();
        let process = GaussianProcess { optimize, restarts: 1, ..GaussianProcess::new(kernel, 0.1) };
        let fit = process.fit(x.view(), y.column(0), &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap();
        assert_same_predictions(&model, &data(600, 2, 1).0);
        let loaded =
            round_trip(&model).into_fitted().take::<mercer::learn::GaussianProcessFit>().expect("another kind");
        assert_eq!(loaded.log_marginal_likelihood(), fit.log_marginal_likelihood());
        assert_eq!(loaded.optimization(), fit.optimization());
        assert_eq!(loaded.leave_one_out(&compute).unwrap(), fit.leave_one_out(&compute).unwrap());
        assert_eq!(loaded.sample(x.view(), 2, &compute).unwrap(), fit.sample(x.view(), 2, &compute).unwrap());
        let gradient = |f: &mercer::learn::GaussianProcessFit| f.log_marginal_likelihood_gradient(&compute).unwrap();
        assert_eq!(gradient(&loaded), gradient(&fit));
    }
}

#[test]
fn sparse_gaussian_processes() {
    let compute = Compute::new();
    let (x, y) = data(80, 2, 1);
    for approximation in [Approximation::Sor, Approximation::Dtc, Approximation::Fitc, Approximation::Variational] {
        let kernel = "1*gaussian(lengthscale=0.7)".parse().unwrap();
        let process =
            SparseGaussianProcess { approximation, ..SparseGaussianProcess::new(kernel, 0.1, Inducing::Greedy(12)) };
        let fit = process.fit(x.view(), y.column(0), &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap();
        assert_same_predictions(&model, &data(1500, 2, 1).0);
        let loaded =
            round_trip(&model).into_fitted().take::<mercer::learn::SparseGaussianProcessFit>().expect("another kind");
        assert_eq!(loaded.log_marginal_likelihood(), fit.log_marginal_likelihood());
        assert_eq!((loaded.dropped(), loaded.approximation()), (fit.dropped(), approximation));
        assert_eq!(loaded.sample(x.view(), 2, &compute).unwrap(), fit.sample(x.view(), 2, &compute).unwrap());
        assert!(fit.log_marginal_likelihood_gradient(&compute).is_ok());
        assert!(matches!(loaded.log_marginal_likelihood_gradient(&compute), Err(Error::Unsupported { .. })));
    }
}

#[test]
fn gaussian_processes_of_several_targets() {
    let compute = Compute::new();
    let (x, y) = data(80, 2, 3);
    let process = SharedGaussianProcess::new("1*gaussian(lengthscale=0.7)".parse().unwrap());
    for noise in [Array1::from_elem(80, 0.1), Array1::from_shape_fn(80, |i| 0.1 + i as f64)] {
        let fit = process.fit(x.view(), y.view(), noise.view(), &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::vectors(2, 3)).unwrap();
        let at = data(600, 2, 1).0;
        let loaded = round_trip(&model);
        assert_eq!(loaded.predict(at.view(), &compute).unwrap(), model.predict(at.view(), &compute).unwrap());
        let interval = |model: &Model| model.predict_interval(at.view(), 0.9, &compute);
        match fit.common_noise() {
            Some(_) => assert_eq!(interval(&loaded).unwrap(), interval(&model).unwrap()),
            None => assert!(matches!(interval(&loaded), Err(Error::Undetermined { .. }))),
        }
        let loaded = loaded.into_fitted().take::<mercer::learn::SharedGaussianProcessFit>().expect("another kind");
        assert_eq!(loaded.log_marginal_likelihood(), fit.log_marginal_likelihood());
        assert_eq!(loaded.variance(at.view(), &compute).unwrap(), fit.variance(at.view(), &compute).unwrap());
    }
}

/// Fits along a line are solved in the state space; after loading they still are.
#[test]
fn processes_and_ridge_along_a_line() {
    let compute = Compute::new();
    let (x, y) = data(70, 1, 1);
    let at = Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 15.0 - 0.5);
    for kernel in ["matern(nu=3/2, lengthscale=0.5)", "laplacian() + 0.2*linear()"] {
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel.parse().unwrap(), 0.1) };
        let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
        assert!(matches!(fit.method(), RidgeMethod::StateSpace { .. }));
        assert_same_predictions(&Model::new(fit, Inputs::vectors(1, 1)).unwrap(), &at);
        let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel.parse().unwrap(), 0.1) };
        let fit = process.fit(x.view(), y.column(0), &compute).unwrap();
        assert_same_predictions(&Model::new(fit, Inputs::vectors(1, 1)).unwrap(), &at);
    }
}

#[test]
fn splines_of_every_order_open_and_closed() {
    let (x, y) = data(40, 1, 1);
    let weights = Array1::from_shape_fn(40, |i| f64::from(u8::from(i != 7)));
    let at = Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 20.0 - 0.5);
    for order in 1..=3 {
        for period in [None, Some(2.5)] {
            let spline = SmoothingSpline { order, smoothing: Smoothing::Lambda(1e-3), period };
            let fit = spline.fit(x.column(0), y.column(0), Some(weights.view()), &Compute::new()).unwrap();
            let model = Model::new(fit.clone(), Inputs::vectors(1, 1)).unwrap();
            assert_same_predictions(&model, &at);
            let loaded =
                round_trip(&model).into_fitted().take::<mercer::learn::spline::SplineFit>().expect("another kind");
            assert_eq!(loaded.period(), period);
            assert_eq!((loaded.lambda(), loaded.gcv(), loaded.reml()), (fit.lambda(), fit.gcv(), fit.reml()));
            assert_eq!(loaded.roughness(), fit.roughness());
            assert_eq!(loaded.loo_residuals(), fit.loo_residuals());
            assert_eq!(loaded.knots(), fit.knots());
            assert_eq!(loaded.predict(at.column(0), 1).unwrap(), fit.predict(at.column(0), 1).unwrap());
        }
    }
}

#[test]
fn local_smoothers_of_every_weight() {
    let (x, y) = data(40, 1, 1);
    let compute = Compute::new();
    let weights = [
        LocalWeight::Gaussian,
        LocalWeight::Epanechnikov,
        LocalWeight::Tricube,
        LocalWeight::Uniform,
        LocalWeight::Biweight,
    ];
    for weights in weights {
        let bandwidth = Bandwidth::Fixed(0.6);
        let mean = NadarayaWatson { bandwidth, weights }.fit(x.view(), y.column(0), &compute).unwrap();
        let line = LocalLinear { bandwidth, weights }.fit(x.view(), y.column(0), &compute).unwrap();
        for fit in [mean, line] {
            let model = Model::new(fit.clone(), Inputs::vectors(1, 1)).unwrap();
            assert_same_predictions(&model, &x);
            let loaded =
                round_trip(&model).into_fitted().take::<mercer::learn::smoother::LocalFit>().expect("another kind");
            assert_eq!((loaded.weights(), loaded.is_linear()), (fit.weights(), fit.is_linear()));
            assert_eq!(loaded.loo_residuals(), fit.loo_residuals());
        }
    }
}

/// A table with a category, a constant column, a missing value, scaling, a target in other units,
/// notes.
fn table_model() -> (Model, Table) {
    let column = |name: &str, f: fn(usize) -> f64| Column::numbers(name, (0..12).map(f).collect());
    let kinds = ["red", "green, \"dark\"", "Ω"];
    let table = Table::from_columns(vec![
        column("size", |i| if i == 4 { f64::NAN } else { i as f64 / 3.0 }),
        Column::categories("kind", (0..12).map(|i| Some(kinds[i % 3]))),
        column("always", |_| 0.1),
    ])
    .unwrap();
    let rules = Encoding { missing: Missing::Mean, scaling: Scaling::Standardize };
    let encoding = rules.fit(&table).unwrap();
    let x = encoding.apply(&table).unwrap().matrix;
    let y = Array1::from_shape_fn(12, |i| (i as f64).sqrt() - 1.0);
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new("gaussian()".parse().unwrap(), 0.1) };
    let fit = process.fit(x.view(), y.view(), &Compute::new()).unwrap();
    let mut inputs = Inputs::columns(encoding, ["price"]);
    inputs.targets[0].map = Affine { shift: 10.0, scale: -3.0 };
    inputs.unused = vec!["id".into()];
    (Model::new(fit, inputs).unwrap().with_note("made by", "a test"), table)
}

#[test]
fn encodings_targets_and_notes_come_back() {
    let (model, table) = table_model();
    let loaded = round_trip(&model);
    assert_eq!(loaded.inputs(), model.inputs());
    assert_eq!(loaded.notes()["made by"], "a test");
    let compute = Compute::new();
    let expected = model.predict_table(&table, &compute).unwrap();
    assert_eq!(bits(&expected.values), bits(&loaded.predict_table(&table, &compute).unwrap().values));
    assert_eq!((expected.filled, expected.kept_rows.len()), (1, 12));
    // In the units of the target: 10 − 3f, and an interval that is not turned around.
    let x = model.inputs().encode(&table).unwrap().matrix;
    let fit = model.fit::<mercer::learn::GaussianProcessFit>().expect("another kind");
    assert_close!(expected.values[[5, 0]], 10.0 - 3.0 * fit.mean(x.view(), &compute).unwrap()[5], 1e-15);
    let interval = model.predict_interval(x.view(), 0.5, &compute).unwrap();
    assert!(interval.lower.iter().zip(&interval.upper).all(|(l, u)| l < u));
    let variance = fit.predict(x.view(), &compute).unwrap().variance[0] + 0.1;
    assert_close!(interval.upper[[0, 0]] - interval.mean[[0, 0]], 3.0 * 0.6744897501960817 * variance.sqrt(), 1e-13);
}

#[test]
fn models_whose_parts_do_not_fit_are_refused() {
    let (x, y) = data(10, 2, 1);
    let fit = Ridge::new("gaussian()".parse().unwrap(), 0.1).fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    assert!(matches!(Model::new(fit.clone(), Inputs::vectors(3, 1)), Err(Error::Shape { .. })));
    assert!(matches!(Model::new(fit.clone(), Inputs::vectors(2, 2)), Err(Error::Shape { .. })));
    let mut inputs = Inputs::vectors(2, 1);
    inputs.features = Features::Vectors { dimension: 2, names: Some(vec!["a".into(), "a".into()]) };
    assert!(Model::new(fit.clone(), inputs).is_err());
    let mut inputs = Inputs::vectors(2, 1);
    inputs.targets = vec![Target { name: None, map: Affine { shift: 0.0, scale: 0.0 } }];
    assert!(matches!(Model::new(fit.clone(), inputs), Err(Error::Parameter { .. })));
    let model = Model::new(fit, Inputs::vectors(2, 1)).unwrap();
    assert!(matches!(model.predict(array![[1.0]].view(), &Compute::new()), Err(Error::Shape { .. })));
    for level in [0.0, 1.0, f64::NAN, 95.0] {
        let refused = model.predict_interval(x.view(), level, &Compute::new());
        assert!(matches!(refused, Err(Error::Parameter { .. })));
    }
}

/// A fit of every kind, with the settings it was requested, by this computer.
type Learner = (&'static str, Box<dyn Fn(&Compute) -> (Model, Settings)>);

/// Every kind of model, by every way of solving that the bytes could depend on.
fn every_learner() -> Vec<Learner> {
    let (x, y) = data(350, 2, 2);
    let (long, targets) = data(1100, 3, 1);
    let line = x.slice(s![.., ..1]).to_owned();
    let labels: Vec<&str> = y.column(0).iter().map(|v| ["low", "mid", "high"][(1.5 + 1.4 * v) as usize % 3]).collect();
    let classes = Classes::from_texts(labels);
    let kernel = || "1.5*gaussian(lengthscale=median)".parse().unwrap();
    let mut all: Vec<Learner> = Vec::new();
    macro_rules! learner {
        ($name:expr, $spec:expr, $outputs:expr, |$s:ident, $compute:ident| $fit:expr, $x:expr) => {{
            let (spec, x, y, classes) = ($spec, $x.clone(), y.clone(), classes.clone());
            let (long, targets) = (long.clone(), targets.clone());
            all.push((
                $name,
                Box::new(move |$compute: &Compute| {
                    let $s = (&spec, x.view(), y.view(), &classes, long.view(), targets.view());
                    let fit = $fit.unwrap();
                    let model = Model::new(fit, Inputs::vectors(x.ncols(), $outputs)).unwrap();
                    (model, spec.settings())
                }),
            ));
        }};
    }
    for solver in [RidgeSolver::Auto, RidgeSolver::Eigen, RidgeSolver::ConjugateGradients] {
        let spec = Ridge { intercept: true, solver, ..Ridge::new(kernel(), 0.01) };
        learner!("ridge", spec, 2, |s, compute| s.0.fit(s.1, s.2, None, compute), x);
    }
    let quick = Ridge { diagnostics: false, ..Ridge::new(kernel(), 0.01) };
    learner!("ridge", quick.clone(), 1, |s, compute| s.0.fit(s.4, s.5, None, compute), long);
    let few = Some(Centers::new(25));
    let centers = Ridge { centers: few.clone(), ..quick };
    learner!("ridge", centers, 2, |s, compute| s.0.fit(s.1, s.2, None, compute), x);
    learner!(
        "ridge",
        Ridge::new("matern(nu=3/2)".parse().unwrap(), 0.1),
        2,
        |s, compute| s.0.fit(s.1, s.2, None, compute),
        line
    );
    let process = GaussianProcess { restarts: 1, ..GaussianProcess::new(kernel(), 0.1) };
    learner!("gaussian_process", process, 1, |s, compute| s.0.fit(s.1, s.2.column(0), compute), x);
    let sparse =
        SparseGaussianProcess { optimize: false, ..SparseGaussianProcess::new(kernel(), 0.1, Inducing::Random(12)) };
    learner!("sparse_gaussian_process", sparse, 1, |s, compute| s.0.fit(s.1, s.2.column(0), compute), x);
    let spline = SmoothingSpline { smoothing: Smoothing::Reml, ..SmoothingSpline::default() };
    learner!("spline", spline, 1, |s, compute| s.0.fit(s.1.column(0), s.2.column(0), None, compute), line);
    let smoother = NadarayaWatson { bandwidth: Bandwidth::LeaveOneOut, weights: LocalWeight::Tricube };
    learner!("local", smoother, 1, |s, compute| s.0.fit(s.1, s.2.column(0), compute), x);
    let linear = LocalLinear { bandwidth: Bandwidth::Fixed(0.4), weights: LocalWeight::Gaussian };
    learner!("local", linear, 1, |s, compute| s.0.fit(s.1, s.2.column(0), compute), line);
    let svc = Svc {
        class_weights: Some(vec![1.0, 2.0, 0.5]),
        calibration: Some(Calibration::Isotonic { folds: 3 }),
        ..Svc::new(kernel(), 7.0)
    };
    learner!("svc", svc.clone(), 1, |s, compute| s.0.fit(s.1, s.3, None, compute), x);
    let nu = Svc { penalty: Penalty::Nu(0.1), class_weights: None, calibration: None, ..svc };
    learner!("svc", nu, 1, |s, compute| s.0.fit(s.1, s.3, None, compute), x);
    learner!("svr", Svr::new(kernel(), 3.0, 0.05), 1, |s, compute| s.0.fit(s.1, s.2.column(0), None, compute), x);
    learner!("svr", Svr::nu(kernel(), 3.0, 0.3), 1, |s, compute| s.0.fit(s.1, s.2.column(0), None, compute), x);
    learner!("one_class", OneClass::new(kernel(), 0.2), 1, |s, compute| s.0.fit(s.1, None, compute), x);
    let logistic =
        LogisticRegression { class_weights: Some(vec![1.0, 1.5, 2.0]), ..LogisticRegression::new(kernel(), 0.3) };
    learner!("logistic", logistic.clone(), 1, |s, compute| s.0.fit(s.1, s.3.of(), None, compute), x);
    let iterative = LogisticRegression { solver: machine::LossSolver::NewtonConjugateGradients, ..logistic.clone() };
    learner!("logistic", iterative, 1, |s, compute| s.0.fit(s.1, s.3.of(), None, compute), x);
    let centers = LogisticRegression { centers: few.clone(), ..logistic };
    learner!("logistic", centers, 1, |s, compute| s.0.fit(s.1, s.3.of(), None, compute), x);
    for loss in [Loss::Huber { delta: 0.3 }, Loss::Absolute] {
        let machine = KernelMachine::new(loss, kernel(), 0.2);
        learner!("kernel_machine", machine, 1, |s, compute| s.0.fit(s.1, s.2.column(0), None, compute), x);
    }
    let machine = KernelMachine { centers: few, ..KernelMachine::new(Loss::LogCosh, kernel(), 0.2) };
    learner!("kernel_machine", machine, 1, |s, compute| s.0.fit(s.1, s.2.column(0), None, compute), x);
    let curves = QuantileCurves::new(&[0.2, 0.8], kernel(), 0.1);
    learner!("quantiles", curves, 1, |s, compute| s.0.fit(s.1, s.2.column(0), None, compute), x);
    for features in
        [FeatureSpec::Nystrom(Nystrom::new(kernel(), 20)), FeatureSpec::Fourier(RandomFourier::new(kernel(), 20))]
    {
        let spec = StreamedRidge { lambdas: vec![0.1, 1.0], ..StreamedRidge::new(features, 0.1) };
        learner!(
            "streamed_ridge",
            spec,
            2,
            |s, compute| {
                let mut stream = s.0.start(s.1, 2, compute).unwrap();
                stream.update(s.1, s.2, None, compute).unwrap();
                stream.into_fit(compute)
            },
            x
        );
    }
    all
}

fn written(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, model).unwrap();
    bytes
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let with = |threads| Compute::new().with_threads(threads).unwrap();
    for (i, (kind, learner)) in every_learner().into_iter().enumerate() {
        let expected = written(&learner(&with(1)).0);
        for compute in [with(2), with(8), with(2).with_memory(1 << 30), with(1).with_speed(1e9)] {
            assert!(written(&learner(&compute).0) == expected, "{kind} ({i}), {} threads", compute.threads());
        }
    }
}

#[test]
fn every_learner_keeps_its_settings() {
    let compute = Compute::new().with_seed(Seed(12));
    let mut kinds = std::collections::BTreeSet::new();
    for (kind, learner) in every_learner() {
        let (model, requested) = learner(&compute);
        assert_eq!(model.fitted().kind(), kind);
        kinds.insert(kind);
        let loaded = round_trip(&model);
        assert_eq!(loaded.fitted().settings(), model.fitted().settings(), "{kind}");
        for (name, value) in requested.iter() {
            assert_eq!(loaded.fitted().settings().get(name), Some(value), "{kind}: {name}");
        }
        let more: Vec<&str> =
            loaded.fitted().settings().iter().map(|(n, _)| n).filter(|n| requested.get(n).is_none()).collect();
        assert!(more.is_empty() || more == ["seed"], "{kind}: {more:?}");
        if more == ["seed"] {
            assert_eq!(loaded.fitted().settings().get("seed"), Some(&Setting::Text("12".into())));
        }
        if let Some(kernel) = requested.get("kernel") {
            assert_eq!(*kernel, Setting::Text(kernel.to_string()));
            assert!(kernel.to_string().contains("median") || kernel.to_string().contains("matern"), "as it was given");
        }
    }
    // All kinds are here, and on the page.
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model.md")).unwrap();
    let learners = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/learners.md");
    let learners = std::fs::read_to_string(learners).unwrap();
    assert_eq!(kinds.len(), 12);
    let all: Vec<&str> = mercer::model::LEARNERS.iter().map(|entry| entry.name).collect();
    assert!(kinds.iter().all(|kind| all.contains(&&**kind)), "{kinds:?}");
    for kind in all {
        let rows = page.lines().filter(|line| line.starts_with('|') && line.contains(&format!("`{kind}`"))).count();
        assert!(rows >= 1, "docs/model.md has {rows} rows on `{kind}`: its arrays");
        assert!(learners.contains(&format!("## `{kind}`")), "docs/learners.md has no settings of `{kind}`");
    }
}

/// Files that hold damaged settings are refused.
#[test]
fn damaged_settings_are_refused() {
    let (x, y) = data(10, 1, 1);
    let fit = Ridge::new("gaussian()".parse().unwrap(), 0.1).fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let bytes = written(&Model::new(fit, Inputs::vectors(1, 1)).unwrap());
    let whole = String::from_utf8_lossy(&bytes).into_owned();
    assert!(whole.contains("setting.kernel") && whole.contains("setting.lambda"));
    let wrong = bytes.windows(6).position(|w| w == b"\"true\"").unwrap();
    let mut damaged = bytes.clone();
    damaged[wrong + 1..wrong + 5].copy_from_slice(b"none");
    assert!(matches!(io::read_model(&damaged, "m", &Compute::new()), Err(Error::Format { .. })));
}

#[test]
fn free_choices_of_gaussian_processes_are_kept() {
    let (x, y) = data(12, 1, 1);
    let kernel = "matern(nu=3/2, lengthscale=0.7)".parse().unwrap();
    let process = GaussianProcess { free: vec!["nu".into()], ..GaussianProcess::new(kernel, 0.1) };
    let fit = process.fit(x.view(), y.column(0), &Compute::new()).unwrap();
    let names = fit.parameter_names();
    let again = round_trip(&Model::new(fit, Inputs::vectors(1, 1)).unwrap());
    let again = again.fit::<mercer::learn::GaussianProcessFit>().expect("another kind");
    assert!(names.iter().any(|name| name.ends_with("nu")));
    assert_eq!(again.parameter_names(), names);
}

/// Every file of every released version loads and predicts what it did.
#[test]
fn fixtures_of_old_versions_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    if std::env::var_os("MERCER_NEW_FIXTURES").is_some() {
        new_fixtures(&folder);
    }
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let models: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "safetensors")).collect();
    assert!(models.len() >= 54, "{} fixtures", models.len());
    for path in models {
        let model = io::load_model(&path, &Compute::new()).unwrap();
        let numbers = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let numbers: serde_json::Value = serde_json::from_str(&numbers).unwrap();
        let table = io::read_table(&folder.join("points.csv"), &io::ReadOptions::default(), &Compute::new()).unwrap();
        let x = model.inputs().encode(&table.select(columns_of(&model)).unwrap()).unwrap().matrix;
        let stored =
            |key: &str| numbers[key].as_array().map(|v| v.iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>());
        let compare = |found: &Array2<f64>, key: &str| {
            let stored = stored(key).unwrap();
            assert_eq!(found.len(), stored.len());
            found.iter().zip(stored).for_each(|(f, s)| assert_close!(*f, s, 1e-11));
        };
        compare(&model.predict(x.view(), &Compute::new()).unwrap(), "prediction");
        let old = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("v1-"));
        assert_eq!(model.fitted().settings().is_empty(), old, "{}", path.display());
        if stored("lower").is_some() {
            let interval = model.predict_interval(x.view(), 0.95, &Compute::new()).unwrap();
            compare(&interval.lower, "lower");
            compare(&interval.upper, "upper");
        }
        if stored("probabilities").is_some() {
            compare(&model.probabilities(x.view(), &Compute::new()).unwrap(), "probabilities");
        }
        if stored("decision").is_some() {
            compare(&model.decision_values(x.view(), &Compute::new()).unwrap(), "decision");
        }
        for view in 0..model.views().len() {
            let key = format!("transform{}", view + 1);
            if stored(&key).is_some() {
                compare(&transformed(&model, view, &table).unwrap(), &key);
            }
        }
    }
    for (name, _) in CATALOGUE_FIXTURES {
        let file = format!("v3-{}.safetensors", name.replace('_', "-"));
        assert!(folder.join(&file).exists(), "{file} is missing");
    }
}

/// The coordinates of the table of the fixtures as a view.
fn transformed(model: &Model, view: usize, table: &Table) -> mercer::Result<Array2<f64>> {
    let (sample, _, _) = model.encode(view, table)?;
    model.transform(view, &sample, &Compute::new())
}

/// Learners of the catalogue with a fixture that their settings make.
const CATALOGUE_FIXTURES: &[(&str, &[(&str, &str)])] = &[
    ("pca", &[("kernel", "gaussian(lengthscale=1.5)"), ("components", "2")]),
    ("kmeans", &[("kernel", "gaussian(lengthscale=1.5)"), ("clusters", "3")]),
    ("spectral", &[("kernel", "gaussian(lengthscale=1.5)"), ("clusters", "2")]),
    ("cca", &[("kernels", "gaussian(lengthscale=1.5); linear()"), ("components", "1"), ("kappa", "0.1")]),
    ("ica", &[("components", "2")]),
    (
        "coupled",
        &[
            ("kernel_low", "gaussian(lengthscale=2)"),
            ("kernel_high", "linear()"),
            ("components", "1"),
            ("affinity", "pairs"),
        ],
    ),
    ("scaling", &[("kernel", "sqdist()"), ("components", "2")]),
    ("multiple_ridge", &[("kernels", "gaussian(lengthscale=0.8); linear()"), ("lambda", "0.1")]),
    ("multiple_svm", &[("kernels", "gaussian(lengthscale=0.8); linear()"), ("C", "10")]),
    ("multiple_one_class", &[("kernels", "gaussian(lengthscale=0.8); linear()"), ("nu", "0.3"), ("norm", "2")]),
];

/// The inputs of a model of these columns, and their numbers.
fn inputs_of(table: &Table, columns: &[usize]) -> (Inputs, Array2<f64>) {
    let part = table.select(columns.iter().copied()).unwrap();
    let encoding = Encoding { scaling: Scaling::Standardize, ..Encoding::default() }.fit(&part).unwrap();
    let numbers = encoding.apply(&part).unwrap().matrix;
    let others = (0..table.columns().len()).filter(|column| !columns.contains(column));
    let unused = others.map(|column| table.columns()[column].name.clone()).collect();
    (Inputs { unused, ..Inputs::columns(encoding, [""; 0]) }, numbers)
}

/// The model of a learner of the catalogue on the table of the fixtures.
fn model_of_settings(name: &str, given: &[(&str, &str)], table: &Table, y: &Array2<f64>) -> Model {
    let entry = mercer::model::learner(name).unwrap();
    let mut settings = Settings::new();
    given.iter().for_each(|(name, text)| settings.insert(name, entry.parse(name, text).unwrap()));
    // Two views, numbers alone for sources, or all columns.
    let columns: &[&[usize]] = match name {
        "cca" | "coupled" => &[&[0, 1], &[2]],
        "ica" => &[&[0, 2]],
        _ => &[&[0, 1, 2]],
    };
    let (mut inputs, numbers): (Vec<Inputs>, Vec<Array2<f64>>) =
        columns.iter().map(|columns| inputs_of(table, columns)).unzip();
    let sides: Vec<&str> = y.column(0).iter().map(|v| if *v > 1.0 { "high" } else { "low" }).collect();
    let classes = Classes::from_texts(sides);
    let targets = match entry.goal {
        Goal::Values => Targets::Values(y.view()),
        Goal::Classes => Targets::Classes(classes.of(), classes.names()),
        _ => Targets::None,
    };
    let input = FitInput::views(numbers.iter().map(Points::from).collect()).with_targets(targets);
    let fit = entry.build(&settings).unwrap().fit(&input, &Compute::new()).unwrap();
    inputs[0].targets = (0..fit.targets()).map(|_| Target::named("wave")).collect();
    Model::of_views(fit, inputs).unwrap()
}

fn columns_of(model: &Model) -> Vec<usize> {
    (0..if model.inputs().coordinate_names().is_some() { 3 } else { model.inputs().dimension() }).collect()
}

/// Writes the fixtures that are not there yet; a fixture that is there is never written again.
fn new_fixtures(folder: &Path) {
    let compute = Compute::new();
    let table = io::read_table(&folder.join("points.csv"), &io::ReadOptions::default(), &compute).unwrap();
    let encoding = Encoding { scaling: Scaling::Standardize, ..Encoding::default() }.fit(&table).unwrap();
    let encoded = encoding.apply(&table).unwrap().matrix;
    let plain = Encoding::default().fit(&table.select([0]).unwrap()).unwrap().apply(&table.select([0]).unwrap());
    let line = plain.unwrap().matrix;
    let y = line.mapv(|v| (3.0 * v).sin() + v);
    let two = ndarray::concatenate(Axis(1), &[y.view(), line.view()]).unwrap();
    let kernel = || "gaussian(lengthscale=0.8) + 0.5*matern(nu=3/2, lengthscale=2)".parse().unwrap();
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel(), 0.05) }.fit(encoded.view(), two.view(), None, &compute);
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel(), 0.02) };
    let process = process.fit(encoded.view(), y.column(0), &compute);
    let sparse = SparseGaussianProcess::new(kernel(), 0.02, Inducing::Points(encoded.slice(s![..5, ..]).to_owned()));
    let sparse = SparseGaussianProcess { optimize: false, ..sparse }.fit(encoded.view(), y.column(0), &compute);
    let markov = Ridge::new("matern(nu=3/2)".parse().unwrap(), 0.05).fit(line.view(), y.view(), None, &compute);
    let cubic = SmoothingSpline { smoothing: Smoothing::Lambda(1e-3), ..SmoothingSpline::default() };
    let round = SmoothingSpline { period: Some(4.0), ..cubic };
    let bandwidth = Bandwidth::Fixed(0.7);
    let mean = NadarayaWatson { bandwidth, weights: LocalWeight::Gaussian }.fit(line.view(), y.column(0), &compute);
    let local = LocalLinear { bandwidth, weights: LocalWeight::Tricube }.fit(line.view(), y.column(0), &compute);
    let spline = |s: SmoothingSpline| s.fit(line.column(0), y.column(0), None, &compute).unwrap();
    let sides: Vec<&str> = y.column(0).iter().map(|v| if *v > 1.0 { "high" } else { "low" }).collect();
    let classes = Classes::from_texts(sides.iter().copied());
    let svc = Svc { calibration: Some(Calibration::Sigmoid { folds: 3 }), ..Svc::new(kernel(), 10.0) };
    let svc = svc.fit(encoded.view(), &classes, None, &compute);
    let svr = Svr::new(kernel(), 10.0, 0.1).fit(encoded.view(), y.column(0), None, &compute);
    let region = OneClass::new(kernel(), 0.3).fit(encoded.view(), None, &compute);
    let logistic = LogisticRegression::new(kernel(), 0.1).fit(encoded.view(), classes.of(), None, &compute);
    let huber = KernelMachine::new(Loss::Huber { delta: 0.5 }, kernel(), 0.1);
    let huber = huber.fit(encoded.view(), y.column(0), None, &compute);
    let curves = QuantileCurves::new(&[0.25, 0.75], kernel(), 0.1).fit(line.view(), y.column(0), None, &compute);
    let spec = StreamedRidge::new(FeatureSpec::Nystrom(Nystrom::new(kernel(), 6)), 0.05);
    let mut stream = spec.start(encoded.view(), 1, &compute).unwrap();
    stream.update(encoded.view(), y.view(), None, &compute).unwrap();
    let named = |targets: &[&str]| Inputs::columns(encoding.clone(), targets.iter().copied());
    let models = [
        ("v3-ridge", Model::new(ridge.unwrap(), named(&["wave", "line"]))),
        ("v3-gaussian-process", Model::new(process.unwrap(), named(&["wave"]))),
        ("v3-sparse-gaussian-process", Model::new(sparse.unwrap(), named(&["wave"]))),
        ("v3-ridge-state-space", Model::new(markov.unwrap(), Inputs::vectors(1, 1))),
        ("v3-spline", Model::new(spline(cubic), Inputs::vectors(1, 1))),
        ("v3-periodic-spline", Model::new(spline(round), Inputs::vectors(1, 1))),
        ("v3-nadaraya-watson", Model::new(mean.unwrap(), Inputs::vectors(1, 1))),
        ("v3-local-linear", Model::new(local.unwrap(), Inputs::vectors(1, 1))),
        ("v3-svc", Model::new(svc.unwrap(), named(&["side"]))),
        ("v3-svr", Model::new(svr.unwrap(), named(&["wave"]))),
        ("v3-one-class", Model::new(region.unwrap(), named(&["inside"]))),
        (
            "v3-logistic",
            Model::new(logistic.unwrap(), named(&["side"])).and_then(|m| m.with_classes(classes.names().to_vec())),
        ),
        ("v3-huber", Model::new(huber.unwrap(), named(&["wave"]))),
        ("v3-quantiles", Model::new(curves.unwrap(), Inputs::vectors(1, 1))),
        ("v3-streamed-ridge", Model::new(stream.into_fit(&compute).unwrap(), named(&["wave"]))),
    ];
    let models = models.into_iter().map(|(name, model)| (name.to_owned(), model.unwrap()));
    let declared = CATALOGUE_FIXTURES
        .iter()
        .map(|(name, given)| (format!("v3-{}", name.replace('_', "-")), model_of_settings(name, given, &table, &y)));
    for (name, model) in models.chain(declared) {
        let file = format!("{name}.safetensors");
        if folder.join(&file).exists() {
            continue;
        }
        let x = match model.inputs().coordinate_names() {
            Some(_) => &model.inputs().encode(&table).unwrap().matrix,
            None => &line,
        };
        let list = |a: &Array2<f64>| a.iter().copied().collect::<Vec<f64>>();
        let mut entry = serde_json::json!({ "prediction": list(&model.predict(x.view(), &compute).unwrap()) });
        if let Ok(interval) = model.predict_interval(x.view(), 0.95, &compute) {
            entry["lower"] = list(&interval.lower).into();
            entry["upper"] = list(&interval.upper).into();
        }
        if let Ok(probabilities) = model.probabilities(x.view(), &compute) {
            entry["probabilities"] = list(&probabilities).into();
        }
        if let Ok(decisions) = model.decision_values(x.view(), &compute) {
            entry["decision"] = list(&decisions).into();
        }
        for view in 0..model.views().len() {
            if let Ok(coordinates) = transformed(&model, view, &table) {
                entry[format!("transform{}", view + 1)] = list(&coordinates).into();
            }
        }
        std::fs::write(folder.join(format!("{name}.json")), format!("{entry}\n")).unwrap();
        io::save_model(&folder.join(&file), &model).unwrap();
    }
}
