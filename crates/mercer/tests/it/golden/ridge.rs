//! Golden numbers of ridge regression (c05): coefficients, fitted values, influence, the λ path,
//! weights, intercept.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::learn::ridge::RidgeSolver;
use mercer::learn::{Ridge, RidgeFit};
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2, Axis};
use serde_json::Value;

fn gaussian(length: &Value) -> Kernel {
    format!("gaussian(lengthscale={:?})", number(length)).parse().unwrap()
}

fn standardized(x: &Array2<f64>) -> Array2<f64> {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let centered = x - &mean;
    let sd = (&centered * &centered).mean_axis(Axis(0)).unwrap().mapv(f64::sqrt);
    centered / sd
}

fn column(values: &Value) -> Array2<f64> {
    Array1::from(numbers(values)).insert_axis(Axis(1))
}

/// Every quantity of a fit with one output that the file holds.
fn check_fit(golden: &Golden, what: &str, fit: &RidgeFit, expected: &Value) {
    let evidence = fit.diagnostics().expect("diagnostics are on by default");
    let list = |key: &str, found: Vec<f64>| {
        if !expected[key].is_null() {
            golden.check_all(what, key, &found, &numbers(&expected[key]));
        }
    };
    let one = |key: &str, found: f64| {
        if !expected[key].is_null() {
            golden.check(what, key, found, number(&expected[key]));
        }
    };
    list("alpha", fit.dual_coefficients().column(0).to_vec());
    list("fitted", fit.fitted().column(0).to_vec());
    list("hat_diagonal", evidence.hat_diagonal.to_vec());
    list("loo_residuals", evidence.loo_residuals.column(0).to_vec());
    let rss = fit.residuals().column(0).dot(&fit.residuals().column(0));
    let norm2 = fit.norms()[0].powi(2);
    one("df", evidence.degrees_of_freedom);
    one("rss", rss);
    one("loo_mse", evidence.loo_mean_square()[0]);
    one("gcv", evidence.gcv[0]);
    one("norm2", norm2);
    one("objective", rss + fit.lambda() * norm2);
}

#[test]
fn small_example() {
    let golden = Golden::load("c05_krr_small_example");
    let compute = Compute::new();
    let lambda = number(golden.input("lambda"));
    let kernels = [
        ("poly2", "polynomial(degree=2, offset=1)".to_string(), "x", "t"),
        ("one_plus_min_shifted", "1 + wiener()".into(), "x_shifted", "t_shifted"),
        // 1 + min(x, z) on x ≥ −½ is ½ + min(x + ½, z + ½).
        ("one_plus_min_unshifted", "0.5 + wiener()".into(), "x_shifted", "t_shifted"),
        ("gaussian", gaussian(&golden.input("extra_kernel")["params"]["l"]).to_string(), "x", "t"),
    ];
    for (key, text, x, t) in kernels {
        let (x, t) = (matrix(golden.input(x)), matrix(golden.input(t)));
        for (case, y) in [("noise_free", "y_noise_free"), ("noisy", "y_noisy")] {
            let expected = &golden.expected()[key][case];
            for solver in [RidgeSolver::Cholesky, RidgeSolver::Eigen] {
                let ridge = Ridge { solver, ..Ridge::new(text.parse().unwrap(), lambda) };
                let fit = ridge.fit(x.view(), column(golden.input(y)).view(), None, &compute).unwrap();
                check_fit(&golden, key, &fit, expected);
                let found = fit.predict(t.view(), &compute).unwrap().column(0).to_vec();
                golden.check_all(key, "predictions", &found, &numbers(&expected["predictions"]));
            }
        }
    }
}

#[test]
fn diabetes() {
    let golden = Golden::load("c05_krr_diabetes");
    let x = standardized(&matrix(golden.input("X_raw")));
    let y = column(golden.input("y_raw"));
    let mean = y.mean().unwrap();
    golden.check("y_mean", "", mean, number(&golden.expected()["y_mean"]));
    let ridge = Ridge::new(gaussian(&golden.input("kernel")["params"]["l"]), number(golden.input("lambda")));
    let fit = ridge.fit(x.view(), (y - mean).view(), None, &Compute::new()).unwrap();
    check_fit(&golden, "fit", &fit, &golden.expected()["fit"]);
}

#[test]
fn several_outputs() {
    let golden = Golden::load("c05_krr_multi_output");
    let x = standardized(&matrix(golden.input("X_raw")));
    let y = matrix(golden.input("Y_raw"));
    let y = &y - &y.mean_axis(Axis(0)).unwrap();
    let ridge = Ridge::new(gaussian(&golden.input("kernel")["params"]["l"]), number(golden.input("lambda")));
    let fit = ridge.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let evidence = fit.diagnostics().unwrap();
    let expected = golden.expected();
    let flat = |m: Array2<f64>| m.iter().copied().collect::<Vec<_>>();
    let check = |key: &str, found: Vec<f64>| golden.check_all(key, "", &found, &flat(matrix(&expected[key])));
    check("alpha", flat(fit.dual_coefficients().to_owned()));
    check("fitted", flat(fit.fitted().to_owned()));
    check("loo_residuals", flat(evidence.loo_residuals.clone()));
    check("gcv_per_output", evidence.gcv.to_vec());
    golden.check("df", "", evidence.degrees_of_freedom, number(&expected["df"]));
}

#[test]
fn path_weights_and_intercept() {
    let golden = Golden::load("c05_krr_lambda_path_and_variants");
    let compute = Compute::new();
    let (x, y, t) = (matrix(golden.input("x")), column(golden.input("y")), matrix(golden.input("t")));
    let kernel = gaussian(&golden.input("kernel")["params"]["l"]);
    let lambda = number(golden.input("lambda"));
    let weights = Array1::from(numbers(golden.input("weights")));
    for solver in [RidgeSolver::Cholesky, RidgeSolver::Eigen, RidgeSolver::ConjugateGradients] {
        let plain = Ridge { solver, ..Ridge::new(kernel.clone(), lambda) };
        let intercept = Ridge { intercept: true, ..plain.clone() };
        for (key, fit) in [
            ("weighted", plain.fit(x.view(), y.view(), Some(weights.view()), &compute).unwrap()),
            ("intercept", intercept.fit(x.view(), y.view(), None, &compute).unwrap()),
        ] {
            let expected = &golden.expected()[key];
            golden.check_all(key, "alpha", &fit.dual_coefficients().column(0).to_vec(), &numbers(&expected["alpha"]));
            let found = fit.predict(t.view(), &compute).unwrap().column(0).to_vec();
            golden.check_all(key, "predictions", &found, &numbers(&expected["predictions"]));
            if fit.diagnostics().is_some() {
                check_fit(&golden, key, &fit, expected);
            }
            if let Some(b) = fit.intercept() {
                golden.check(key, "b", b[0], number(&expected["b"]));
            }
        }
    }
    let path = &golden.expected()["path"];
    for solver in [RidgeSolver::Cholesky, RidgeSolver::Eigen] {
        for (i, lambda) in numbers(golden.input("lambdas")).into_iter().enumerate() {
            let fit = Ridge { solver, ..Ridge::new(kernel.clone(), lambda) };
            let fit = fit.fit(x.view(), y.view(), None, &compute).unwrap();
            let at = |key: &str| path[key][i].clone();
            let keys = ["df", "gcv", "loo_mse", "rss", "norm2"];
            let expected: serde_json::Map<String, Value> = keys.iter().map(|k| (k.to_string(), at(k))).collect();
            check_fit(&golden, "path", &fit, &Value::Object(expected));
        }
    }
}
