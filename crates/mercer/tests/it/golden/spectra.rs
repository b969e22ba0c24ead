//! Golden numbers of Mercer spectra (c04): closed forms on an interval and under a normal law,
//! samples and their limits.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::function::{Measure, Spectrum};
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2, Axis};
use serde_json::Value;

fn column(values: &[f64]) -> Array2<f64> {
    Array1::from(values.to_vec()).insert_axis(Axis(1))
}

fn spectrum(text: &str, measure: &Measure, count: usize) -> Spectrum {
    let kernel: Kernel = text.parse().unwrap();
    Spectrum::new(&kernel, measure, count, &Compute::new()).unwrap()
}

fn check(golden: &Golden, key: &str, found: &Spectrum, expected: &Value, x: &[f64]) {
    golden.check_all(key, "eigenvalues", found.eigenvalues(), &numbers(&expected["lambda"]));
    let modes = found.eigenfunctions(column(x).view(), &Compute::new()).unwrap();
    let values = matrix(&expected["phi_at_x"]);
    for (j, row) in values.rows().into_iter().enumerate() {
        golden.check_all(key, &format!("mode {j}"), &modes.column(j).to_vec(), &row.to_vec());
    }
    golden.check(key, "trace", found.trace(), number(&expected["sum_lambda"]));
}

#[test]
fn closed_forms_on_an_interval() {
    let golden = Golden::load("c04_mercer_closed_forms_interval");
    let x = numbers(golden.input("x"));
    for (key, text) in [
        ("brownian_motion", "wiener()"),
        ("brownian_motion", "sobolev(order=1, null_space=false)"),
        ("brownian_bridge", "bridge()"),
        ("one_plus_min", "constant(value=1) + wiener()"),
        ("one_plus_min", "sobolev(order=1)"),
    ] {
        check(&golden, key, &spectrum(text, &Measure::UNIFORM, 10), &golden.expected()[key], &x);
    }
    let laplacian = golden.input("laplacian");
    let (length, half) = (number(&laplacian["l"]), number(&laplacian["a"]));
    let found = spectrum(&format!("laplacian(lengthscale={length})"), &Measure::Interval { from: -half, to: half }, 10);
    check(&golden, "laplacian", &found, &golden.expected()["laplacian"], &numbers(golden.input("laplacian_x")));
}

#[test]
fn the_gaussian_kernel_under_a_normal_distribution() {
    let golden = Golden::load("c04_mercer_gaussian_measure");
    let (length, deviation) = (number(golden.input("l")), number(golden.input("sigma")));
    let found = spectrum(&format!("gaussian(lengthscale={length})"), &Measure::Gaussian { deviation }, 8);
    let expected = Value::Object(golden.expected().clone());
    check(&golden, "lambda", &found, &expected, &numbers(golden.input("x")));
}

#[test]
fn regular_grids() {
    let golden = Golden::load("c04_mercer_discrete_grids");
    for n in [5_usize, 20] {
        let key = format!("n{n}");
        let grid = |step: f64| Measure::Sample(Array2::from_shape_fn((n, 1), |(i, _)| (i + 1) as f64 * step).into());
        for (name, text, step) in [
            ("brownian_motion_K_over_n", "wiener()", 1.0 / n as f64),
            ("brownian_bridge_K_over_n", "bridge()", 1.0 / (n + 1) as f64),
        ] {
            let found = spectrum(text, &grid(step), n);
            golden.check_all(&key, name, found.eigenvalues(), &numbers(&golden.expected()[&key][name]));
        }
    }
}

#[test]
fn estimates_from_a_sample() {
    let golden = Golden::load("c04_nystrom_eigen_estimates");
    let t = numbers(golden.input("t"));
    for n in [10_usize, 20, 40, 80] {
        let key = format!("n{n}");
        let x = Array2::from_shape_fn((n, 1), |(i, _)| (i as f64 + 0.5) / n as f64);
        let found = spectrum("wiener()", &Measure::Sample(x.into()), 4);
        let expected = &golden.expected()[&key];
        golden.check_all(&key, "eigenvalues", found.eigenvalues(), &numbers(&expected["lambda_hat"]));
        let modes = found.eigenfunctions(column(&t).view(), &Compute::new()).unwrap();
        for (j, row) in matrix(&expected["phi_hat_at_t"]).rows().into_iter().enumerate() {
            golden.check_all(&key, &format!("mode {j}"), &modes.column(j).to_vec(), &row.to_vec());
        }
    }
}
