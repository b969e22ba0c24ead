//! Learners on grids: Toeplitz and Kronecker structure against the dense solve.

use crate::common::assert_arrays_close;
use mercer::learn::Ridge;
use mercer::learn::ridge::{RidgeMethod, RidgeSolver};
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
    for text in ["gaussian()", "matern(nu=3/2)"] {
        for weights in [None, Some(weights.view()), Some(Array1::from_elem(x.nrows(), 2.0).view())] {
            let ridge = Ridge { intercept: true, solver: RidgeSolver::Grid, ..Ridge::new(kernel(text), 0.01) };
            let fit = ridge.fit(x.view(), y.view(), weights, &compute).unwrap();
            let RidgeMethod::Grid { cells, .. } = fit.method() else { panic!("{:?}", fit.method()) };
            assert_eq!(cells, 12 * 11, "{text}");
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
