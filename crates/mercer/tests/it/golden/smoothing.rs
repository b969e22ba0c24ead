//! The golden cases of smoothing splines (c07, c18) and local smoothers (c11): every key to its
//! tolerance.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::Compute;
use mercer::learn::smoother::{Bandwidth, LocalLinear, NadarayaWatson};
use mercer::learn::spline::{Smoothing, SmoothingSpline, SplineFit};
use ndarray::{Array1, ArrayView1};
use serde_json::Value;

const CASES: [&str; 4] = [
    "c07_smoothing_spline_cars",
    "c07_smoothing_spline_mcycle",
    "c07_smoothing_spline_synthetic",
    "c07_smoothing_spline_synthetic_weighted",
];

fn array(value: &Value) -> Array1<f64> {
    Array1::from(numbers(value))
}

fn fit(golden: &Golden, smoothing: Smoothing) -> SplineFit {
    let (x, y) = (array(golden.input("x")), array(golden.input("y")));
    let weights = golden.input("w_normalised_used");
    let weights = weights.is_array().then(|| array(weights));
    let spline = SmoothingSpline { smoothing, ..SmoothingSpline::default() };
    spline.fit(x.view(), y.view(), weights.as_ref().map(|w| w.view()), &Compute::new()).unwrap()
}

/// `Σ` of the leverages of the observations at each knot.
fn pooled(fit: &SplineFit, x: &Array1<f64>, knots: &[f64]) -> Vec<f64> {
    let at = |knot: f64| x.iter().zip(fit.leverages()).filter(move |(v, _)| **v == knot).map(|(_, h)| *h).sum();
    knots.iter().map(|&knot| at(knot)).collect()
}

#[test]
fn splines_at_given_lambda() {
    for name in CASES {
        let golden = Golden::load(name);
        let x = array(golden.input("x"));
        for expected in golden.expected()["fits"].as_array().unwrap() {
            let fit = fit(&golden, Smoothing::Lambda(number(&expected["lambda_raw"])));
            let check = |key: &str, found: f64| golden.check("fits", key, found, number(&expected[key]));
            let all = |key: &str, found: &[f64]| golden.check_all("fits", key, found, &numbers(&expected[key]));
            let knots = numbers(&expected["unique_x"]);
            let at =
                |derivative: usize, positions: ArrayView1<f64>| fit.predict(positions, derivative).unwrap().to_vec();
            all("fitted_at_unique_x", &at(0, ArrayView1::from(&knots)));
            all("second_derivative_at_unique_x", &at(2, ArrayView1::from(&knots)));
            all("leverage_at_unique_x", &pooled(&fit, &x, &knots));
            let t = array(golden.input("t"));
            all("predictions", &at(0, t.view()));
            all("derivative", &at(1, t.view()));
            check("df", fit.degrees_of_freedom());
            check("gcv", fit.gcv());
            check("loo_cv", fit.loo_score());
            check("lambda_raw", fit.lambda());
            check("weighted_rss", fit.residual_sum_of_squares());
            check("penalty_int_f2_squared", fit.roughness());
            check("objective", fit.residual_sum_of_squares() + fit.lambda() * fit.roughness());
        }
    }
}

#[test]
fn splines_by_gcv() {
    for name in CASES {
        let golden = Golden::load(name);
        let fit = fit(&golden, Smoothing::Gcv);
        let expected = &golden.expected()["gcv_optimum"];
        let check = |key: &str, found: f64| golden.check("gcv_optimum", key, found, number(&expected[key]));
        check("lambda_raw", fit.lambda());
        check("df", fit.degrees_of_freedom());
        check("criterion", fit.gcv());
        let fitted = fit.predict(fit.knots().view(), 0).unwrap().to_vec();
        golden.check_all("gcv_optimum", "fitted", &fitted, &numbers(&expected["fitted_at_unique_x"]));
    }
}

#[test]
fn degrees_of_freedom_find_their_lambda() {
    for name in CASES {
        let golden = Golden::load(name);
        let expected = &golden.expected()["gcv_optimum"];
        let fit = fit(&golden, Smoothing::DegreesOfFreedom(number(&expected["df"])));
        golden.check("gcv_optimum", "lambda_raw", fit.lambda(), number(&expected["lambda_raw"]));
        assert_close!(fit.degrees_of_freedom(), number(&expected["df"]), abs = 1e-9);
    }
}

#[test]
fn the_printed_example_of_cars() {
    let golden = Golden::load("c18_published_cars_smooth_spline");
    let fit = fit(&golden, Smoothing::Lambda(number(golden.input("lambda_raw"))));
    let check = |key: &str, found: f64| golden.check(key, key, found, number(&golden.expected()[key]));
    check("exact_df", fit.degrees_of_freedom());
    check("printed_df", fit.degrees_of_freedom());
    check("exact_gcv", fit.gcv());
    check("printed_gcv", fit.gcv());
    let (key, knots) = ("exact_fitted_at_unique_x", fit.knots());
    let fitted = fit.predict(knots.view(), 0).unwrap().to_vec();
    golden.check_all(key, key, &fitted, &numbers(&golden.expected()[key]));
    check("printed_pen_crit", residual_of_means(&golden, &knots, &fitted));
}

/// `Σ n_j(ȳ_j − f(x_j))²` over the tie groups.
fn residual_of_means(golden: &Golden, knots: &Array1<f64>, fitted: &[f64]) -> f64 {
    let (x, y) = (numbers(golden.input("x")), numbers(golden.input("y")));
    let group = |knot: f64| x.iter().zip(&y).filter(|(v, _)| **v == knot).map(|(_, y)| *y).collect::<Vec<f64>>();
    let term = |(knot, f): (&f64, &f64)| {
        let (size, sum) = (group(*knot).len() as f64, group(*knot).iter().sum::<f64>());
        size * (sum / size - f).powi(2)
    };
    knots.iter().zip(fitted).map(term).sum()
}

#[test]
fn splines_at_the_best_leave_one_out() {
    for name in CASES {
        let golden = Golden::load(name);
        let expected = &golden.expected()["loo_cv_optimum"];
        let fit = fit(&golden, Smoothing::Lambda(number(&expected["lambda_raw"])));
        golden.check("loo_cv_optimum", "df", fit.degrees_of_freedom(), number(&expected["df"]));
        golden.check("loo_cv_optimum", "criterion", fit.loo_score(), number(&expected["criterion"]));
    }
}

#[test]
fn local_smoothers() {
    let golden = Golden::load("c11_local_regression_mcycle");
    let (x, t) = (matrix(golden.input("x")), matrix(golden.input("t")));
    let (y, compute) = (array(golden.input("y")), Compute::new());
    for h in numbers(golden.input("h")) {
        let key = format!("h{h}");
        let expected = &golden.expected()[&key];
        let check = |name: &str, found: f64| golden.check(&key, name, found, number(&expected[name]));
        let all = |name: &str, found: &[f64]| golden.check_all(&key, name, found, &numbers(&expected[name]));
        let bandwidth = Bandwidth::Fixed(h);
        let mean = NadarayaWatson { bandwidth, ..Default::default() }.fit(x.view(), y.view(), &compute).unwrap();
        let line = LocalLinear { bandwidth, ..Default::default() }.fit(x.view(), y.view(), &compute).unwrap();
        for (name, fit) in [("nw", &mean), ("local_linear", &line)] {
            all(name, &fit.predict(t.view(), &compute).unwrap().to_vec());
            all(&format!("{name}_at_first_5_data_points"), &fit.fitted().to_vec()[..5]);
            check(&format!("{name}_trace"), fit.degrees_of_freedom());
            check(&format!("{name}_loo_mse"), fit.loo_score());
        }
        all("local_linear_slope", &line.slopes(t.view(), &compute).unwrap().to_vec());
    }
}
