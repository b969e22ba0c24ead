//! Learners on grids: Toeplitz and Kronecker structure against the dense solve.

use crate::common::assert_arrays_close;
use mercer::gram::{self, Pairs};
use mercer::learn::gaussian_process::{ProcessMethod, SharedGaussianProcess};
use mercer::learn::ridge::{RidgeMethod, RidgeSolver};
use mercer::learn::{GaussianProcess, Ridge};
use mercer::solve::{Factored, factor};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, array};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// All points of a product of axes, in random order, without a share of them.
fn grid(axes: &[Vec<f64>], missing: f64, seed: u64) -> Array2<f64> {
    let mut rows: Vec<Vec<f64>> = vec![Vec::new()];
    for axis in axes {
        rows = rows.iter().flat_map(|r| axis.iter().map(|v| [r.clone(), vec![*v]].concat())).collect();
    }
    let mut stream = Seed(seed).stream("grid", 0);
    let mut keyed: Vec<(f64, Vec<f64>)> = rows.into_iter().map(|r| (stream.uniform(), r)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let kept = keyed.len() - (missing * keyed.len() as f64) as usize;
    let flat: Vec<f64> = keyed[..kept].iter().flat_map(|(_, r)| r.clone()).collect();
    Array2::from_shape_vec((kept, axes.len()), flat).unwrap()
}

fn steps(count: usize, first: f64, step: f64) -> Vec<f64> {
    (0..count).map(|i| first + i as f64 * step).collect()
}

fn targets(x: &Array2<f64>, outputs: usize) -> Array2<f64> {
    let mut stream = Seed(5).stream("targets", x.nrows() as u64);
    Array2::from_shape_fn((x.nrows(), outputs), |(i, j)| {
        (x.row(i).sum() + j as f64).sin() + 1.0 + 0.1 * stream.normal()
    })
}

/// Axes, kernels on them, and whether the matrix is a Kronecker product.
fn cases() -> Vec<(Vec<Vec<f64>>, Vec<&'static str>)> {
    let line = vec![
        "gaussian(lengthscale=0.4)",
        "matern(nu=3/2, lengthscale=0.7)",
        "laplacian()",
        "periodic(period=3)",
        "gaussian() + 0.3*periodic(period=2)",
        "rational_quadratic(lengthscale=0.5)",
    ];
    let plane = vec![
        "gaussian(lengthscale=0.5)",
        "matern(nu=3/2, lengthscale=0.7)",
        "laplacian()",
        "2*on([0], matern(nu=3/2)) * on([1], periodic(period=2))",
        "gaussian(lengthscale=[0.4, 0.9]) + 0.2*matern(nu=1/2)",
        "transformed(matern(nu=5/2), by=matrix([[1, 0.6], [-0.3, 2]]))",
    ];
    let space =
        vec!["gaussian()", "matern(nu=5/2, lengthscale=2)", "on([0, 1], laplacian(norm=l1)) * on([2], cauchy())"];
    vec![
        (vec![steps(90, -3.0, 0.1)], line),
        (vec![steps(14, 0.5, 0.25), steps(9, -1.0, 0.3)], plane),
        (vec![steps(5, 0.0, 0.5), steps(6, 2.0, 0.5), steps(4, -7.0, 1.5)], space),
    ]
}

#[test]
fn grids_give_the_dense_solution() {
    let compute = Compute::new();
    for (axes, texts) in cases() {
        for missing in [0.0, 0.15, 0.5] {
            let x = grid(&axes, missing, 3);
            let y = targets(&x, 2);
            for text in &texts {
                for (lambda, intercept) in [(0.05, false), (1e-3, true)] {
                    let ridge = Ridge { intercept, solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), lambda) };
                    let what = format!("{text} on {} axes, {missing} missing, λ = {lambda}", axes.len());
                    let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert!(matches!(fit.method(), RidgeMethod::Grid { .. }), "{what}");
                    let dense = Ridge { solver: RidgeSolver::Cholesky, ..ridge.clone() };
                    let dense = dense.fit(x.view(), y.view(), None, &compute).unwrap();
                    assert_arrays_close(&fit.fitted(), &dense.fitted(), 1e-8, &what);
                    assert_arrays_close(&fit.dual_coefficients(), &dense.dual_coefficients(), 1e-8, &what);
                    assert_arrays_close(&fit.null_coefficients(), &dense.null_coefficients(), 1e-8, &what);
                    if let Some(found) = fit.diagnostics() {
                        assert_eq!(missing, 0.0, "{what}");
                        let expected = dense.diagnostics().unwrap();
                        assert_arrays_close(&found.loo_residuals, &expected.loo_residuals, 1e-8, &what);
                        assert_close!(found.degrees_of_freedom, expected.degrees_of_freedom, 1e-8);
                    }
                    // All cells, missing ones too, and points between them.
                    let all = grid(&axes, 0.0, 4);
                    let between = ndarray::concatenate![Axis(0), all, all.mapv(|v| 0.9 * v + 0.01)];
                    let (found, expected) = (
                        fit.predict(between.view(), &compute).unwrap(),
                        dense.predict(between.view(), &compute).unwrap(),
                    );
                    assert_arrays_close(&found, &expected, 1e-8, &what);
                }
            }
        }
    }
}

#[test]
fn weights_and_gaps_on_grids() {
    let compute = Compute::new();
    let full = grid(&[steps(12, 0.0, 0.25), steps(11, 1.0, 0.5)], 0.0, 8);
    // A hole, and a whole line of cells without rows.
    let kept: Vec<usize> =
        (0..full.nrows()).filter(|&i| !(full[[i, 0]] < 1.0 && full[[i, 1]] < 2.1) && full[[i, 0]] != 1.5).collect();
    let x = full.select(Axis(0), &kept);
    let y = targets(&x, 1);
    let mut stream = Seed(6).stream("weights", 0);
    let weights = Array1::from_shape_fn(x.nrows(), |i| if i % 7 == 0 { 0.0 } else { 0.5 + stream.uniform() });
    // A product over the columns needs no cells where no row is.
    for (text, expected) in [("gaussian()", 11 * 11), ("matern(nu=3/2)", 12 * 11)] {
        for weights in [None, Some(weights.view()), Some(Array1::from_elem(x.nrows(), 2.0).view())] {
            let ridge = Ridge { intercept: true, solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), 0.01) };
            let fit = ridge.fit(x.view(), y.view(), weights, &compute).unwrap();
            let RidgeMethod::Grid { cells, .. } = fit.method() else { panic!("{:?}", fit.method()) };
            assert_eq!(cells, expected, "{text}");
            let dense = Ridge { solver: RidgeSolver::Cholesky, ..ridge };
            let dense = dense.fit(x.view(), y.view(), weights, &compute).unwrap();
            assert_arrays_close(&fit.fitted(), &dense.fitted(), 1e-8, text);
            assert_arrays_close(&fit.dual_coefficients(), &dense.dual_coefficients(), 1e-8, text);
            assert_arrays_close(&fit.residuals(), &dense.residuals(), 1e-8, text);
        }
    }
}

#[test]
fn irregular_axes_need_a_product_of_columns() {
    let compute = Compute::new();
    let axes = [vec![0.0, 0.3, 0.31, 1.2, 4.0, 4.5], vec![-1.0, 2.0, 2.5, 7.0]];
    let x = grid(&axes, 0.2, 1);
    let y = targets(&x, 1);
    for text in ["gaussian()", "on([0], wiener()) * on([1], gaussian())"] {
        let x = if text.contains("wiener") { x.mapv(|v| v + 2.0) } else { x.clone() };
        let ridge = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), 0.1) };
        let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
        let dense = Ridge { solver: RidgeSolver::Cholesky, ..ridge }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_arrays_close(&fit.fitted(), &dense.fitted(), 1e-8, text);
    }
    let refused = |text: &str, x: &Array2<f64>| {
        let ridge = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), 0.1) };
        ridge.fit(x.view(), targets(x, 1).view(), None, &compute).unwrap_err()
    };
    assert!(matches!(refused("matern(nu=3/2)", &x), Error::Unsupported { .. }));
    assert!(matches!(refused("linear()", &x), Error::Unsupported { .. }));
    // Repeated rows, and points that are on no grid.
    let repeated = ndarray::concatenate![Axis(0), x, x.select(Axis(0), &[0])];
    assert!(matches!(refused("gaussian()", &repeated), Error::Unsupported { .. }));
    let mut stream = Seed(1).stream("points", 0);
    let scattered = Array2::from_shape_fn((40, 2), |_| stream.normal());
    assert!(matches!(refused("gaussian()", &scattered), Error::Unsupported { .. }));
    let zero = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel("gaussian()"), 0.0) };
    assert!(matches!(zero.fit(x.view(), y.view(), None, &compute), Err(Error::Parameter { .. })));
}

#[test]
fn small_grids() {
    let compute = Compute::new();
    for x in [array![[2.0]], array![[2.0], [3.0]], array![[1.0], [4.0], [2.0]]] {
        let y = targets(&x, 1);
        let ridge = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel("gaussian()"), 0.1) };
        let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
        let dense = Ridge { solver: RidgeSolver::Cholesky, ..ridge }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_arrays_close(&fit.fitted(), &dense.fitted(), 1e-12, "small");
    }
}

#[test]
fn the_plan_finds_the_grid() {
    let compute = Compute::new();
    let x = grid(&[steps(60, 0.0, 0.1), steps(50, 0.0, 0.1)], 0.0, 2);
    let ridge = Ridge::new(kernel("gaussian()"), 0.1);
    let plan = ridge.plan_on(x.view(), 1, &compute).unwrap();
    assert_eq!(plan.solver, RidgeSolver::Grid);
    assert!(plan.to_string().contains("60 × 50 cells"), "{plan}");
    let fit = ridge.fit(x.view(), targets(&x, 1).view(), None, &compute).unwrap();
    assert_eq!(fit.plan().solver, RidgeSolver::Grid);
    assert!(fit.diagnostics().is_some());
    // A quarter missing: no diagnostics on the grid, so that the matrix answers unless none are wanted.
    let x = grid(&[steps(60, 0.0, 0.1), steps(50, 0.0, 0.1)], 0.25, 2);
    assert_ne!(ridge.plan_on(x.view(), 1, &compute).unwrap().solver, RidgeSolver::Grid);
    let quick = Ridge { diagnostics: false, ..ridge };
    let plan = quick.plan_on(x.view(), 1, &compute).unwrap();
    assert_eq!(plan.solver, RidgeSolver::Grid);
    assert!(plan.reason.contains("25 % missing"), "{plan}");
    let tight = Compute::new().with_memory(10 << 20);
    assert_eq!(quick.plan_on(x.view(), 1, &tight).unwrap().solver, RidgeSolver::Grid);
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    for (axes, text) in [
        (vec![steps(700, 0.0, 0.1)], "gaussian()"),
        (vec![steps(30, 0.0, 0.1), steps(25, 0.0, 0.1)], "gaussian()"),
        (vec![steps(30, 0.0, 0.1), steps(25, 0.0, 0.1)], "matern(nu=3/2)"),
    ] {
        let x = grid(&axes, 0.2, 2);
        let y = targets(&x, 1);
        let ridge = Ridge { solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), 0.1) };
        let fits: Vec<_> = [1, 2, 8]
            .map(|threads| {
                let compute = Compute::new().with_threads(threads).unwrap();
                ridge.fit(x.view(), y.view(), None, &compute).unwrap()
            })
            .into();
        assert_eq!(fits[0].dual_coefficients(), fits[1].dual_coefficients());
        assert_eq!(fits[0].dual_coefficients(), fits[2].dual_coefficients());
    }
}

/// The log marginal likelihood by the definition.
fn likelihood(kernel: &Kernel, noise: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let compute = Compute::new();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let mut matrix = gram::dense(&bound, &compute).unwrap();
    matrix.diag_mut().mapv_inplace(|d| d + noise);
    let Factored::Definite(factor) = factor(matrix, &compute).unwrap() else { panic!("singular") };
    let alpha = factor.solve(y.view().insert_axis(Axis(1)), &compute).unwrap().column(0).to_owned();
    -0.5 * (y.dot(&alpha) + factor.log_determinant() + y.len() as f64 * (2.0 * std::f64::consts::PI).ln())
}

#[test]
fn processes_on_grids_equal_the_dense_ones() {
    let compute = Compute::new();
    for (axes, text) in [
        (vec![steps(24, 0.0, 0.25), steps(22, -1.0, 0.3)], "2*gaussian(lengthscale=[0.8, 1.5])"),
        (
            vec![
                steps(24, 0.0, 0.25),
                vec![
                    0.0, 0.1, 0.5, 2.0, 2.1, 2.2, 3.0, 3.5, 3.7, 4.0, 4.1, 4.4, 4.5, 4.9, 5.1, 5.3, 5.9, 6.0, 6.2, 6.5,
                    7.0, 7.5,
                ],
            ],
            "on([0], matern(nu=3/2)) * on([1], periodic(period=3))",
        ),
        (
            vec![steps(9, 0.0, 0.5), steps(8, 2.0, 0.5), steps(8, -7.0, 1.5)],
            "0.7*gaussian(lengthscale=1.3) * on([2], cauchy())",
        ),
        (vec![steps(2100, 0.0, 0.01)], "1.5*gaussian(lengthscale=0.3)"),
    ] {
        let (x, noise) = (grid(&axes, 0.0, 3), 0.04);
        let y = targets(&x, 1).column(0).mapv(|v| v - 1.0);
        let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel(text), noise) };
        let fit = process.fit(x.view(), y.view(), &compute).unwrap();
        assert_eq!(fit.method(), ProcessMethod::Grid { cells: x.nrows() }, "{text}");
        assert_close!(fit.log_marginal_likelihood(), likelihood(fit.kernel(), noise, &x, &y), 1e-8, "{text}");
        assert!(fit.log_marginal_likelihood_error() < 1e-6, "{text}");
        // The gradient by differences of the definition, in logarithms.
        let gradient = fit.log_marginal_likelihood_gradient(&compute).unwrap();
        let names = fit.parameter_names();
        let parameters: Vec<_> = fit.kernel().parameters();
        let h = 1e-4;
        for (name, found) in names.iter().zip(&gradient) {
            let at = |step: f64| {
                let values: Vec<f64> = parameters
                    .iter()
                    .map(|p| if p.name == *name { p.value * f64::exp(step) } else { p.value })
                    .collect();
                let noise = if name == "noise" { noise * f64::exp(step) } else { noise };
                likelihood(&fit.kernel().with_parameters(&values).unwrap(), noise, &x, &y)
            };
            // Differences of the long line take half a minute.
            if x.nrows() < 1000 || name == "noise" {
                let expected = (at(h) - at(-h)) / (2.0 * h);
                assert_close!(*found, expected, 1e-5, "{text}: {name}");
            }
        }
        // Predictions at cells and elsewhere against the dense process of the shared noise.
        let new = ndarray::concatenate![
            Axis(0),
            x.slice(ndarray::s![..20, ..]),
            x.slice(ndarray::s![..10, ..]).mapv(|v| 0.97 * v + 0.013)
        ];
        let shared = SharedGaussianProcess::new(kernel(text));
        let noises = Array1::from_elem(x.nrows(), noise);
        let dense = shared.fit(x.view(), y.view().insert_axis(Axis(1)), noises.view(), &compute).unwrap();
        let found = fit.predict(new.view(), &compute).unwrap();
        assert_arrays_close(&found.mean, &dense.mean(new.view(), &compute).unwrap().column(0), 1e-8, text);
        assert_arrays_close(&found.variance, &dense.variance(new.view(), &compute).unwrap(), 1e-8, text);
        assert_arrays_close(&fit.mean(new.view(), &compute).unwrap(), &found.mean, 1e-12, text);
    }
}

#[test]
fn parameters_are_chosen_on_grids() {
    let compute = Compute::new();
    let x = grid(&[steps(26, 0.0, 0.25), steps(24, -1.0, 0.3)], 0.0, 3);
    let y = targets(&x, 1).column(0).mapv(|v| v - 1.0);
    let process = GaussianProcess::new(kernel("1*gaussian(lengthscale=0.5)"), 0.1);
    let fit = process.fit(x.view(), y.view(), &compute).unwrap();
    assert!(fit.optimization().unwrap().converged);
    let (rough, slopes) = (likelihood(&process.kernel, 0.1, &x, &y), fit.log_marginal_likelihood_gradient(&compute));
    assert!(fit.log_marginal_likelihood() > rough + 10.0);
    assert!(slopes.unwrap().iter().all(|s| s.abs() < 1e-2 * x.nrows() as f64));
}

/// A thousand cells of a plane are missing, so that the determinant is estimated.
#[test]
fn estimated_likelihoods_have_an_error() {
    let compute = Compute::new();
    let x = grid(&[steps(130, 0.0, 0.1), steps(120, 0.0, 0.1)], 0.08, 3);
    let y = targets(&x, 1).column(0).mapv(|v| v - 1.0);
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel("gaussian()"), 0.04) };
    let fit = process.fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!(fit.method(), ProcessMethod::Grid { cells: 130 * 120 });
    assert!((1e-6..20.0).contains(&fit.log_marginal_likelihood_error()), "{}", fit.log_marginal_likelihood_error());
    assert!(matches!(fit.leave_one_out(&compute), Err(Error::Unsupported { .. })));
    let ridge = Ridge { diagnostics: false, ..Ridge::new(kernel("gaussian()"), 0.04) };
    let ridge = ridge.fit(x.view(), y.view().insert_axis(Axis(1)), None, &compute).unwrap();
    assert_arrays_close(&fit.dual_coefficients(), &ridge.dual_coefficients().column(0), 1e-9, "mean");
    let few = x.slice(ndarray::s![..2, ..]);
    assert!(fit.predict(few, &compute).unwrap().variance.iter().all(|v| (0.0..0.04).contains(v)));
}
