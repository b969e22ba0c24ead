//! Golden values of every kernel (c01), through the tile engine and through the reference
//! evaluation.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::gram::{Pairs, Tiles};
use mercer::{Compute, Kernel};
use ndarray::{Array2, ArrayView2};
use serde_json::Value;

fn tiles(kernel: &str, x: ArrayView2<f64>) -> Array2<f64> {
    let kernel: Kernel = kernel.parse().unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let bound = kernel.bind(Pairs::within(x), &Compute::new()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let n = x.nrows();
    let mut values = vec![0.0; n * n];
    bound.fill(0..n, 0..n, &mut values);
    Array2::from_shape_vec((n, n), values).unwrap()
}

/// Compares the tile and the reference evaluation with a golden Gram matrix.
fn check_gram(golden: &Golden, key: &str, kernel: &str, x: &Array2<f64>, expected: &Value) {
    let expected = matrix(expected);
    let found = tiles(kernel, x.view());
    let parsed: Kernel = kernel.parse().unwrap();
    for ((i, j), &e) in expected.indexed_iter() {
        let what = format!("{kernel} [{i}, {j}]");
        golden.check(key, &what, found[[i, j]], e);
        let reference = parsed.evaluate(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
        golden.check(key, &format!("reference {what}"), reference, e);
        let precise = parsed.evaluate_precisely(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
        golden.check(key, &format!("precise {what}"), mercer::real::Real::value(precise), e);
    }
}

/// The kernel text of a golden entry.
fn text_of(entry: &Value) -> String {
    let p = |name: &str| number(&entry["params"][name]);
    match entry["kernel"].as_str().expect("a name") {
        "gaussian" => format!("gaussian(lengthscale={:?})", p("l")),
        "laplacian" => format!("laplacian(lengthscale={:?})", p("l")),
        "laplacian_l1" => format!("laplacian(lengthscale={:?}, norm=l1)", p("l")),
        "exponential" => format!("exponential(scale={:?})", p("s")),
        "polynomial" => format!("polynomial(degree={}, offset={:?}, scale={:?})", p("m"), p("c"), p("scale")),
        "linear" => "linear()".into(),
        "rq" => format!("rational_quadratic(lengthscale={:?}, shape={:?})", p("l"), p("a")),
        "matern12" => format!("matern(nu=1/2, lengthscale={:?})", p("l")),
        "matern32" => format!("matern(nu=3/2, lengthscale={:?})", p("l")),
        "matern52" => format!("matern(nu=5/2, lengthscale={:?})", p("l")),
        "imq" => format!("inverse_multiquadric(offset={:?})", p("c")),
        "cauchy_product" => "cauchy(lengthscale=1)".into(),
        "tanh" => format!("tanh(scale={:?}, offset={:?})", p("c"), p("d")),
        "bm" => "wiener()".into(),
        "bb" => "bridge()".into(),
        "sinc" => format!("sinc(bandlimit={:?})", p("a")),
        "sobolev1" => "sobolev(order=1)".into(),
        "spline2" => "sobolev(order=2)".into(),
        "spline" => format!("sobolev(order={})", p("alpha")),
        "fbm" => format!("brownian(hurst={:?})", p("H")),
        "weighted_psd" => "weighted_sobolev()".into(),
        other => panic!("unknown golden kernel {other}"),
    }
}

#[test]
fn euclidean_and_one_dimensional_kernels() {
    for case in ["c01_kernel_values_euclidean", "c01_kernel_values_1d"] {
        let golden = Golden::load(case);
        let x = matrix(golden.input("X"));
        assert!(golden.expected().len() >= 9);
        for (key, entry) in golden.expected() {
            check_gram(&golden, key, &text_of(entry), &x, &entry["gram"]);
        }
    }
}

#[test]
fn fractional_brownian_covariance() {
    let golden = Golden::load("c01_kernel_values_fractional_brownian");
    for (key, entry) in golden.expected() {
        let x = matrix(golden.input(if key == "one_dimensional_H_half" { "t" } else { "X" }));
        check_gram(&golden, key, &text_of(entry), &x, &entry["gram"]);
    }
}

#[test]
fn weighted_sobolev_kernel() {
    let golden = Golden::load("c01_kernel_values_weighted");
    let x = matrix(golden.input("X"));
    check_gram(&golden, "psd", "weighted_sobolev()", &x, &golden.expected()["psd"]["gram"]);
}

#[test]
fn the_algebra() {
    let golden = Golden::load("c01_kernel_composition");
    let x = matrix(golden.input("X"));
    let p = |name: &str| number(golden.input(name));
    let (g1, g2) = (format!("gaussian(lengthscale={:?})", p("l")), format!("gaussian(lengthscale={:?})", p("l2")));
    let (e, lap) = (format!("exponential(scale={:?})", p("s")), format!("laplacian(lengthscale={:?})", p("l")));
    let poly = format!("polynomial(degree={}, offset={:?})", p("m"), p("c"));
    let cases = [
        ("normalised_exponential", format!("normalized({e})")),
        ("gaussian_with_l_sqrt_s", format!("gaussian(lengthscale={:?})", p("s").sqrt())),
        ("normalised_polynomial", format!("normalized({poly})")),
        ("sum_g1_p", format!("{g1} + {poly}")),
        ("weighted_sum_w1_g1_w2_g2", format!("{:?}*{g1} + {:?}*{g2}", p("w1"), p("w2"))),
        ("product_g1_lap", format!("{g1} * {lap}")),
        ("product_g1_g2", format!("{g1} * {g2}")),
        ("power_g1_to_m", format!("{g1}^{}", p("m"))),
        ("exp_of_t_times_g1", format!("exp({:?}*{g1})", p("t"))),
        ("conformal_f_f_g1", format!("conformal({g1}, by=quadratic())")),
        ("tensor_g1_on_0_times_lap_on_rest", format!("on([0], {g1}) * on([1, 2], {lap})")),
        ("direct_sum_g1_on_0_plus_lap_on_rest", format!("on([0], {g1}) + on([1, 2], {lap})")),
    ];
    for (key, kernel) in &cases {
        check_gram(&golden, key, kernel, &x, &golden.expected()[*key]);
    }
    let same =
        [("product_g1_g2", "product_g1_g2_is_gaussian_with_l"), ("power_g1_to_m", "power_g1_to_m_is_gaussian_with_l")];
    for (key, length) in same {
        let kernel = format!("gaussian(lengthscale={:?})", number(&golden.expected()[length]));
        check_gram(&golden, key, &kernel, &x, &golden.expected()[key]);
    }
    let (k, key) = (tiles(&poly, x.view()), "squared_kernel_distance_p");
    for ((i, j), &expected) in matrix(&golden.expected()[key]).indexed_iter() {
        golden.check(key, "distance", k[[i, i]] + k[[j, j]] - 2.0 * k[[i, j]], expected);
    }
}

/// The value of a kernel on the line, through a tile.
fn on_the_line(kernel: &str, x: f64, y: f64) -> f64 {
    tiles(kernel, ndarray::array![[x], [y]].view())[[0, 1]]
}

#[test]
fn numerically_awkward_points() {
    let golden = Golden::load("c01_kernel_numerical_edges");
    let l = number(golden.input("l"));
    let expected = |key: &str| numbers(&golden.expected()[key]);
    let check = |key: &str, found: Vec<f64>| golden.check_all(key, "", &found, &expected(key));
    let gaussian = format!("gaussian(lengthscale={l:?})");

    let used = expected("gaussian_large_offset_y_used");
    check("gaussian_large_offset", used.iter().map(|&y| on_the_line(&gaussian, 1e6, y)).collect());
    let far = expected("far_distance_used");
    check("gaussian_far", far.iter().map(|&d| on_the_line(&gaussian, 0.0, d)).collect());
    check(
        "laplacian_far",
        far.iter().map(|&d| on_the_line(&format!("laplacian(lengthscale={l:?})"), 0.0, d)).collect(),
    );

    let rational = |a: &f64| on_the_line(&format!("rational_quadratic(lengthscale={l:?}, shape={a:?})"), 0.0, 1.0);
    check("rq_large_a_at_distance_1", numbers(golden.input("a_big")).iter().map(rational).collect());

    let tiny = numbers(golden.input("tiny"));
    let near = |kernel: &str| tiny.iter().map(|&t| on_the_line(kernel, 0.0, t)).collect::<Vec<_>>();
    check("sinc_a3", near("sinc(bandlimit=3)"));
    check("one_minus_sinc_a3", near("sinc(bandlimit=3)").iter().map(|v| 1.0 - v).collect());
    check("matern32", near(&format!("matern(nu=3/2, lengthscale={l:?})")));
    check("matern52", near(&format!("matern(nu=5/2, lengthscale={l:?})")));
    check("imq_c1e-3", near("inverse_multiquadric(offset=0.001)"));
    let fractional = |t: &f64| on_the_line("brownian(hurst=0.3)", *t, 2.0 * t);
    check("fbm_H03_x_t_y_2t", tiny.iter().map(fractional).collect());
}
