//! Equal points merged, against the solve with all of them.

use crate::common::assert_arrays_close;
use mercer::learn::Ridge;
use mercer::learn::ridge::{RidgeFit, RidgeMethod, RidgeSolver};
use mercer::points::Strings;
use mercer::{Compute, Points, Seed, assert_close};
use ndarray::{Array1, Array2, ArrayView1, array};

/// `rows` points, of which `distinct` are different.
fn repeated(rows: usize, distinct: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(3).stream("repeated", 0);
    let centers = Array2::from_shape_fn((distinct, 2), |_| stream.normal());
    let x = Array2::from_shape_fn((rows, 2), |(i, j)| centers[[(7 * i + i / distinct) % distinct, j]]);
    let y = Array2::from_shape_fn((rows, 2), |(i, j)| (x[[i, j]] * 2.0).sin() + 0.3 * stream.normal());
    (x, y)
}

fn both(ridge: &Ridge, x: Points<'_>, y: &Array2<f64>, weights: Option<ArrayView1<f64>>) -> [RidgeFit; 2] {
    [RidgeSolver::DistinctPoints, RidgeSolver::Cholesky].map(|solver| {
        let ridge = Ridge { solver, ..ridge.clone() };
        ridge.fit(x.reborrow(), y.view(), weights, &Compute::new()).unwrap()
    })
}

fn assert_same(found: &RidgeFit, expected: &RidgeFit, what: &str) {
    assert_arrays_close(&found.dual_coefficients(), &expected.dual_coefficients(), 1e-9, what);
    assert_arrays_close(&found.null_coefficients(), &expected.null_coefficients(), 1e-9, what);
    assert_arrays_close(&found.residuals(), &expected.residuals(), 1e-9, what);
    let (found, expected) = (found.diagnostics().unwrap(), expected.diagnostics().unwrap());
    assert_arrays_close(&found.loo_residuals, &expected.loo_residuals, 1e-9, what);
    assert_close!(found.degrees_of_freedom, expected.degrees_of_freedom, 1e-9);
    assert_close!(found.gcv[0], expected.gcv[0], 1e-9);
}

#[test]
fn merged_points_give_the_dense_solution() {
    let (x, y) = repeated(60, 17);
    let weights = Array1::from_shape_fn(60, |i| [0.0, 0.5, 2.0, 1.0][i % 4]);
    for text in ["gaussian()", "matern(nu=1/2, lengthscale=2)", "1 + delta()", "polynomial(degree=2)"] {
        for intercept in [false, true] {
            for weights in [None, Some(weights.view())] {
                let ridge = Ridge { intercept, ..Ridge::new(text.parse().unwrap(), 0.05) };
                let [found, expected] = both(&ridge, (&x).into(), &y, weights);
                assert_eq!(found.method(), RidgeMethod::DistinctPoints { points: 17 });
                assert_same(&found, &expected, text);
            }
        }
    }
}

#[test]
fn a_point_without_any_weight_is_merged_too() {
    let x = array![[0.0], [1.0], [1.0], [0.0], [2.0]];
    let y = array![[1.0], [2.0], [4.0], [0.0], [7.0]];
    let weights = array![1.0, 1.0, 3.0, 1.0, 0.0];
    let ridge = Ridge::new("gaussian()".parse().unwrap(), 0.5);
    let [found, expected] = both(&ridge, (&x).into(), &y, Some(weights.view()));
    assert_arrays_close(&found.residuals(), &expected.residuals(), 1e-12, "residuals");
    assert_arrays_close(&found.dual_coefficients(), &expected.dual_coefficients(), 1e-12, "coefficients");
}

#[test]
fn equal_strings_are_merged() {
    let words = ["acgt", "acg", "ttt", "acgtacgt", ""];
    let strings: Strings = (0..30).map(|i| words[i * i % 5]).collect();
    let y = Array2::from_shape_fn((30, 1), |(i, _)| (i as f64).sin());
    let ridge = Ridge::new("spectrum(length=2) + 1".parse().unwrap(), 0.1);
    let [found, expected] = both(&ridge, (&strings).into(), &y, None);
    assert_eq!(found.method(), RidgeMethod::DistinctPoints { points: 3 });
    assert_same(&found, &expected, "strings");
}

#[test]
fn points_are_merged_where_it_pays() {
    let ridge = Ridge::new("gaussian()".parse().unwrap(), 0.1);
    let compute = Compute::new();
    let (x, y) = repeated(300, 50);
    let plan = ridge.plan_on(x.view(), 2, &compute).unwrap();
    assert_eq!(plan.solver, RidgeSolver::DistinctPoints);
    assert!(plan.reason.contains("50 of 300"), "{}", plan.reason);
    assert_eq!(ridge.fit(x.view(), y.view(), None, &compute).unwrap().plan().solver, RidgeSolver::DistinctPoints);
    let (x, _) = repeated(300, 290);
    assert_eq!(ridge.plan_on(x.view(), 2, &compute).unwrap().solver, RidgeSolver::Cholesky);
    // Only the matrix of the distinct points has to fit.
    let (x, y) = repeated(4000, 40);
    let tight = Compute::new().with_memory(4 << 20);
    let fit = ridge.fit(x.view(), y.view(), None, &tight).unwrap();
    assert_eq!(fit.method(), RidgeMethod::DistinctPoints { points: 40 });
}

#[test]
fn a_singular_problem_is_refused_and_auto_goes_on() {
    let (x, y) = repeated(300, 30);
    let zero = Ridge { solver: RidgeSolver::DistinctPoints, ..Ridge::new("gaussian()".parse().unwrap(), 0.0) };
    let error = zero.fit(x.view(), y.view(), None, &Compute::new()).unwrap_err().to_string();
    assert!(error.contains("lambda"), "{error}");
    let auto = Ridge::new("gaussian(lengthscale=1e4)".parse().unwrap(), 1e-18);
    let fit = auto.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    assert!(fit.fitted().iter().all(|v| v.is_finite()));
}

#[test]
fn merged_fits_have_the_same_bytes_for_any_number_of_threads() {
    let (x, y) = repeated(700, 260);
    let ridge = Ridge { intercept: true, ..Ridge::new("gaussian()".parse().unwrap(), 0.01) };
    let fits = [1, 2, 5].map(|threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        ridge.fit(x.view(), y.view(), None, &compute).unwrap()
    });
    assert!(matches!(fits[0].method(), RidgeMethod::DistinctPoints { points: 260 }));
    for fit in &fits[1..] {
        assert_eq!(fit.dual_coefficients(), fits[0].dual_coefficients());
        assert_eq!(fit.diagnostics().unwrap().loo_residuals, fits[0].diagnostics().unwrap().loo_residuals);
    }
}
