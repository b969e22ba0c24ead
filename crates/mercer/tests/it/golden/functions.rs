//! Golden numbers of RKHS functions (c03): inner products, closed-form norms, minimum-norm
//! interpolants.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::function::{bridge_norm, laplacian_norm, power_series_norm, sinc_norm, sobolev_norm};
use mercer::{Compute, Expansion, Kernel};
use ndarray::{Array1, Array2, array};
use serde_json::Value;

fn kernel_text(entry: &Value) -> String {
    let p = |name: &str| number(&entry["params"][name]);
    match entry["name"].as_str().expect("a name") {
        "gaussian" => format!("gaussian(lengthscale={:?})", p("l")),
        "laplacian" => format!("laplacian(lengthscale={:?})", p("l")),
        "polynomial" => format!("polynomial(degree={}, offset={:?}, scale={:?})", p("m"), p("c"), p("scale")),
        "matern32" => format!("matern(nu=3/2, lengthscale={:?})", p("l")),
        "exponential" => format!("exponential(scale={:?})", p("s")),
        other => panic!("unknown kernel {other}"),
    }
}

#[test]
fn inner_products_norms_and_values() {
    let golden = Golden::load("c03_expansions");
    let compute = Compute::new();
    let input = |key: &str| matrix(golden.input(key));
    let (x, z, t) = (input("x"), input("z"), input("t"));
    let coefficients = |key: &str| Array1::from(numbers(golden.input(key)));
    let cases =
        golden.input("kernels").as_array().unwrap().iter().zip(golden.expected()["kernels"].as_array().unwrap());
    for (entry, expected) in cases {
        let text = kernel_text(entry);
        let kernel: Kernel = text.parse().unwrap();
        let f = Expansion::new(&kernel, x.view(), coefficients("a").view(), &compute).unwrap();
        let g = Expansion::new(&kernel, z.view(), coefficients("b").view(), &compute).unwrap();
        let check =
            |key: &str, found: f64| golden.check("kernels", &format!("{text} {key}"), found, number(&expected[key]));
        check("inner_fg", f.inner(&g, &compute).unwrap());
        check("norm2_f", f.squared_norm(&compute).unwrap());
        check("norm2_g", g.norm(&compute).unwrap().powi(2));
        check("dist2_fg", f.distance(&g, &compute).unwrap().powi(2));
        let cosine = f.inner(&g, &compute).unwrap() / (f.norm(&compute).unwrap() * g.norm(&compute).unwrap());
        check("cos_fg", cosine);
        let all = |key: &str, found: Array1<f64>| {
            golden.check_all("kernels", key, &found.to_vec(), &numbers(&expected[key]));
        };
        all("f_at_t", f.evaluate(t.view(), &compute).unwrap());
        all("cauchy_schwarz_bound_at_t", f.bound(t.view(), &compute).unwrap());
        let section = |points: &Array2<f64>| {
            Expansion::new(&kernel, points.slice(ndarray::s![..1, ..]), array![1.0].view(), &compute).unwrap()
        };
        check("feature_distance_x0_z0", section(&x).distance(&section(&z), &compute).unwrap());
    }
}

#[test]
fn minimum_norm_interpolants() {
    let golden = Golden::load("c03_minimum_norm_interpolants");
    let compute = Compute::new();
    let (x, t) = (matrix(golden.input("x")), matrix(golden.input("t")));
    let y = Array1::from(numbers(golden.input("y")));
    let kernels = [
        ("sobolev1", "sobolev(order=1)".to_string()),
        ("spline2", "sobolev(order=2)".into()),
        ("gaussian", format!("gaussian(lengthscale={:?})", number(golden.input("gaussian_l")))),
        ("laplacian", format!("laplacian(lengthscale={:?})", number(golden.input("laplacian_l")))),
    ];
    for (key, text) in kernels {
        let expected = &golden.expected()[key];
        let (f, solved) = Expansion::interpolate(&text.parse().unwrap(), x.view(), y.view(), &compute).unwrap();
        assert_eq!(solved, mercer::solve::Solved::Cholesky, "{text}");
        golden.check_all(key, "alpha", &f.coefficients().to_vec(), &numbers(&expected["alpha"]));
        golden.check(key, "norm2", f.squared_norm(&compute).unwrap(), number(&expected["norm2"]));
        golden.check_all(
            key,
            "f_at_t",
            &f.evaluate(t.view(), &compute).unwrap().to_vec(),
            &numbers(&expected["f_at_t"]),
        );
        if !expected["df_at_t"].is_null() {
            let slopes = f.gradient(t.view(), &compute).unwrap();
            golden.check_all(key, "df_at_t", &slopes.column(0).to_vec(), &numbers(&expected["df_at_t"]));
        }
    }
}

type Slope = fn(f64) -> f64;
type Explicit = (&'static str, [Slope; 3]);

/// The functions of the golden file with their first two derivatives.
const EXPLICIT: [Explicit; 8] = [
    ("x^2", [|x| x * x, |x| 2.0 * x, |_| 2.0]),
    ("x^3", [|x| x * x * x, |x| 3.0 * x * x, |x| 6.0 * x]),
    ("exp(x)", [f64::exp, f64::exp, f64::exp]),
    ("sin(pi x)", [|x| (PI * x).sin(), |x| PI * (PI * x).cos(), |x| -PI * PI * (PI * x).sin()]),
    ("1", [|_| 1.0, |_| 0.0, |_| 0.0]),
    ("x", [|x| x, |_| 1.0, |_| 0.0]),
    ("1+2x-3x^2", [|x| 1.0 + 2.0 * x - 3.0 * x * x, |x| 2.0 - 6.0 * x, |_| -6.0]),
    ("cos(2x)", [|x| (2.0 * x).cos(), |x| -2.0 * (2.0 * x).sin(), |x| -4.0 * (2.0 * x).cos()]),
];
const PI: f64 = std::f64::consts::PI;

#[test]
fn closed_form_norms() {
    let golden = Golden::load("c03_closed_form_norms");
    let expected = golden.expected();
    let p = |name: &str| number(golden.input(name));
    for (name, [f, df, ddf]) in EXPLICIT {
        let first = sobolev_norm(&[f(0.0)], df);
        golden.check("sobolev1_norm2", name, first, number(&expected["sobolev1_norm2"][name]));
        let second = sobolev_norm(&[f(0.0), df(0.0)], ddf);
        golden.check("spline2_norm2", name, second, number(&expected["spline2_norm2"][name]));
    }
    let bridges: [(&str, Slope); 3] = [
        ("x(1-x)", |x| 1.0 - 2.0 * x),
        ("sin(pi x)", |x| PI * (PI * x).cos()),
        ("x^2(1-x)", |x| 2.0 * x - 3.0 * x * x),
    ];
    for (name, slope) in bridges {
        golden.check(
            "brownian_bridge_norm2",
            name,
            bridge_norm(slope),
            number(&expected["brownian_bridge_norm2"][name]),
        );
    }
    let polynomial: Kernel = "polynomial(degree=2, offset=1)".parse().unwrap();
    let quadratic = numbers(golden.input("quad_poly_a_b_c"));
    let norm = power_series_norm(&polynomial, &quadratic, &quadratic).unwrap();
    golden.check("poly2_norm2_of_quad_poly", "", norm, number(&expected["poly2_norm2_of_quad_poly"]));
    let inner = power_series_norm(&polynomial, &quadratic, &[0.0, 1.0, 0.0]).unwrap();
    golden.check("poly2_inner_of_quad_poly_with_x", "", inner, number(&expected["poly2_inner_of_quad_poly_with_x"]));
    let exponential: Kernel = format!("exponential(scale={:?})", p("exp_s")).parse().unwrap();
    let gaussian: Kernel = format!("gaussian(lengthscale={:?})", p("gauss_l")).parse().unwrap();
    for (kernel, key) in
        [(&exponential, "exponential_norm2_of_x_pow_n"), (&gaussian, "gaussian_norm2_of_x_pow_n_times_exp")]
    {
        for (n, &e) in numbers(&expected[key]).iter().enumerate() {
            let mut monomial = vec![0.0; n + 1];
            monomial[n] = 1.0;
            golden.check(key, &format!("n = {n}"), power_series_norm(kernel, &monomial, &monomial).unwrap(), e);
        }
    }
    let l = p("lap_l");
    let on_the_line = laplacian_norm(l, (-8.0, 8.0), |x| (-x * x).exp(), |x| -2.0 * x * (-x * x).exp());
    golden.check(
        "laplacian_R_norm2_of_exp_minus_x2",
        "",
        on_the_line,
        number(&expected["laplacian_R_norm2_of_exp_minus_x2"]),
    );
    let linear = laplacian_norm(l, (0.0, 1.0), |x| x, |_| 1.0);
    golden.check("laplacian_interval_norm2_of_x", "", linear, number(&expected["laplacian_interval_norm2_of_x"]));
    let constant = laplacian_norm(l, (0.0, 1.0), |_| 1.0, |_| 0.0);
    golden.check("laplacian_interval_norm2_of_1", "", constant, number(&expected["laplacian_interval_norm2_of_1"]));
    // k(·, 0) has norm k(0, 0), and sinc of half the band has the L² norm that the Paley–Wiener
    // space gives it.
    let a = p("sinc_a");
    let half_band = sinc_norm(a, (-0.5 * a, 0.5 * a), |_| 1.0 / a);
    golden.check("sinc_norm2_of_sinc_half_band", "", half_band, number(&expected["sinc_norm2_of_sinc_half_band"]));
    let sinc: Kernel = format!("sinc(bandlimit={:?})", p("sinc_a")).parse().unwrap();
    let section = Expansion::new(&sinc, array![[0.0]].view(), array![1.0].view(), &Compute::new()).unwrap();
    golden.check(
        "sinc_norm2_of_k0",
        "",
        section.squared_norm(&Compute::new()).unwrap(),
        number(&expected["sinc_norm2_of_k0"]),
    );
}

/// Interpolants on finer and finer grids have norms that grow to the norm of the function (x² in
/// the first-order space: `4/3 − h²/3`, exactly).
#[test]
fn norms_of_interpolants_grow_to_the_closed_form() {
    let compute = Compute::new();
    let kernel: Kernel = "sobolev(order=1)".parse().unwrap();
    for n in [2_usize, 5, 11, 41] {
        let h = 1.0 / (n - 1) as f64;
        let x = Array2::from_shape_fn((n, 1), |(i, _)| i as f64 * h);
        let y = x.column(0).mapv(|v| v * v);
        let (f, _) = Expansion::interpolate(&kernel, x.view(), y.view(), &compute).unwrap();
        assert_close!(f.squared_norm(&compute).unwrap(), 4.0 / 3.0 - h * h / 3.0, 1e-12);
    }
}
