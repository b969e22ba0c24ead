//! The golden cases c02: every key to its tolerance.

use crate::common::{assert_close, centered_half, naive_gram};
use mercer::definiteness::{CheckOptions, check, check_matrix, check_negative};
use mercer::kernel::Property;
use mercer::solve::eigenvalues;
use mercer::{Compute, Kernel, Points};
use ndarray::Array2;
use serde_json::Value;

struct Case(Value);

impl Case {
    fn load(name: &str) -> Self {
        let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    fn input(&self, key: &str) -> &Value {
        &self.0["inputs"][key]
    }

    fn expected(&self, key: &str) -> &Value {
        &self.0["expected"][key]
    }

    /// The tolerance of a key of the expected values.
    fn tolerance(&self, key: &str) -> (f64, f64) {
        let own = &self.0["tolerance_by_key"][key];
        let read = |name: &str| own[name].as_f64().or(self.0[name].as_f64()).unwrap();
        (read("rtol"), read("atol"))
    }

    fn close(&self, key: &str, found: f64, expected: &Value) {
        let (rtol, atol) = self.tolerance(key);
        assert_close(found, number(expected), rtol, atol, key);
    }

    fn close_matrix(&self, key: &str, found: &Array2<f64>, expected: &Value) {
        for ((i, j), value) in found.indexed_iter() {
            self.close(key, *value, &expected[i][j]);
        }
    }

    /// Eigenvalues, given in descending order.
    fn close_spectrum(&self, key: &str, matrix: &Array2<f64>, expected: &Value) {
        let found = eigenvalues(matrix.view(), &Compute::new()).unwrap();
        assert_eq!(found.len(), numbers(expected).len());
        for (i, value) in found.iter().rev().enumerate() {
            self.close(key, *value, &expected[i]);
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn column(value: &Value) -> Array2<f64> {
    let x = numbers(value);
    Array2::from_shape_fn((x.len(), 1), |(i, _)| x[i])
}

fn rows(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn gram(text: &str, x: &Array2<f64>) -> Array2<f64> {
    naive_gram(&kernel(text), x).unwrap()
}

/// Whether the matrix is PSD up to rounding, as the check says.
fn is_psd(matrix: &Array2<f64>) -> bool {
    check_matrix(matrix.view(), &Compute::new()).unwrap().as_option().is_none()
}

fn psd_by_check(text: &str, x: &Array2<f64>) -> Option<bool> {
    check(&kernel(text), Some(Points::from(x)), &CheckOptions::default(), &Compute::new()).unwrap().as_option()
}

fn nsd_by_check(text: &str, x: &Array2<f64>) -> Option<bool> {
    check_negative(&kernel(text), Some(Points::from(x)), &CheckOptions::default(), &Compute::new()).unwrap().as_option()
}

#[test]
fn difference_of_gaussians() {
    let case = Case::load("c02_difference_of_gaussians");
    for key in ["indefinite", "psd"] {
        let (input, expected) = (case.input(key), case.expected(key));
        let (l1, l2, b) = (number(&input["l1"]), number(&input["l2"]), number(&input["b"]));
        let text = format!("minus(gaussian(lengthscale={l1}), {b}*gaussian(lengthscale={l2}))");
        let x = column(&input["X"]);
        let k = gram(&text, &x);
        case.close_matrix(key, &k, &expected["gram"]);
        case.close_spectrum(key, &k, &expected["eigenvalues_descending"]);
        let checked = check(&kernel(&text), Some(Points::from(&x)), &CheckOptions::default(), &Compute::new()).unwrap();
        case.close(key, checked.min_eigenvalue, &expected["min_eigenvalue"]);
        assert_eq!(is_psd(&k), expected["gram_is_psd"].as_bool().unwrap());
        // A difference is never proven; it is refuted exactly when it is not PSD.
        assert_eq!(checked.as_option() == Some(false), !expected["kernel_is_psd_on_R"].as_bool().unwrap(), "{text}");
        case.close(key, l1 / l2, &expected["threshold_b"]);

        let grid = &expected["grid"];
        let (n, h) = (number(&grid["N"]) as usize, number(&grid["h"]));
        let values =
            eigenvalues(gram(&text, &Array2::from_shape_fn((n, 1), |(i, _)| i as f64 * h)).view(), &Compute::new())
                .unwrap();
        case.close(key, values[0], &grid["min_eigenvalue"]);
        case.close(key, values[n - 1], &grid["max_eigenvalue"]);
    }
}

#[test]
fn indicator() {
    let case = Case::load("c02_indicator_not_psd");
    let text = format!("ball(radius={})", number(case.input("eps")));
    for (points, matrix, spectrum, verdict) in
        [("x3", "gram3", "eigenvalues3_descending", "is_psd3"), ("x5", "gram5", "eigenvalues5_descending", "is_psd5")]
    {
        let x = column(case.input(points));
        let k = gram(&text, &x);
        case.close_matrix(matrix, &k, case.expected(matrix));
        case.close_spectrum(spectrum, &k, case.expected(spectrum));
        assert_eq!(is_psd(&k), case.expected(verdict).as_bool().unwrap());
        assert_eq!(psd_by_check(&text, &x), Some(false));
    }
    let k = gram(&text, &column(case.input("x3")));
    case.close("min_eigenvalue3", eigenvalues(k.view(), &Compute::new()).unwrap()[0], case.expected("min_eigenvalue3"));
    let c = numbers(case.expected("witness3"));
    let form: f64 = k.indexed_iter().map(|((i, j), v)| c[i] * c[j] * v).sum();
    case.close("witness3_quadratic_form", form, case.expected("witness3_quadratic_form"));
}

#[test]
fn distance_powers() {
    let case = Case::load("c02_nds_distance_powers");
    let x = column(case.input("x"));
    for (i, p) in numbers(case.input("powers")).into_iter().enumerate() {
        let expected = &case.expected("powers")[i];
        assert_eq!(number(&expected["p"]), p);
        let text = format!("distance(power={p})");
        let s = centered_half(&gram(&text, &x));
        case.close_spectrum("powers", &s, &expected["S_eigenvalues_descending"]);
        let nds = expected["is_nds"].as_bool().unwrap();
        assert_eq!(nsd_by_check(&text, &x), Some(nds), "{text}");
        assert_eq!(is_psd(&s), nds, "{text}");
        assert_eq!(kernel(&text).property(Property::NegativeSemidefinite).as_option(), Some(nds));
    }
    let k = gram("distance(power=3)", &column(case.input("cube_x")));
    let c = numbers(case.input("cube_c"));
    let form: f64 = k.indexed_iter().map(|((i, j), v)| c[i] * c[j] * v).sum();
    case.close("cube_quadratic_form", form, case.expected("cube_quadratic_form"));
}

#[test]
fn logarithm_and_verdicts() {
    let case = Case::load("c02_nds_log_and_products");
    let x = rows(case.input("X"));
    let log = centered_half(&gram("log_distance()", &x));
    case.close_spectrum("log_S_eigenvalues_descending", &log, case.expected("log_S_eigenvalues_descending"));
    assert_eq!(nsd_by_check("log_distance()", &x), case.expected("log_is_nds").as_bool());
    for (i, t) in numbers(case.input("t")).into_iter().enumerate() {
        let text = format!("schoenberg(log_distance(), t={t})");
        let lowest = eigenvalues(gram(&text, &x).view(), &Compute::new()).unwrap()[0];
        let key = "exp_minus_t_psi_min_eigenvalue";
        case.close(key, lowest, &case.expected(key)[i]);
        assert_eq!(psd_by_check(&text, &x), Some(true));
    }

    let s = column(case.input("s"));
    let a = number(case.input("sinc_a"));
    let max = Array2::from_shape_fn((5, 5), |(i, j)| s[[i, 0]].max(s[[j, 0]]));
    let cos = Array2::from_shape_fn((5, 5), |(i, j)| (s[[i, 0]] - s[[j, 0]]).cos());
    let sinc = format!("sinc(bandlimit={a})");
    let matrices = [
        ("min", gram("wiener()", &s)),
        ("max", max.clone()),
        ("sinc", gram(&sinc, &s)),
        ("cos", cos),
        ("absdiff_nds", centered_half(&gram("distance(power=1)", &s))),
        ("max_nds", centered_half(&max)),
        ("one_minus_sinc_nds", centered_half(&gram(&format!("minus(constant(value=1), {sinc})"), &s))),
        ("min_nds", centered_half(&gram("wiener()", &s))),
    ];
    for (key, matrix) in matrices {
        let expected = case.expected(key);
        case.close_spectrum(key, &matrix, &expected["eigenvalues_descending"]);
        assert_eq!(is_psd(&matrix), expected["verdict"].as_bool().unwrap(), "{key}");
    }
    // The same verdicts for the kernels themselves; max(s, t) = min(s, t) + |s − t|.
    assert_eq!(psd_by_check("wiener()", &s), Some(true));
    assert_eq!(psd_by_check("wiener() + distance(power=1)", &s), Some(false));
    assert_eq!(psd_by_check(&sinc, &s), Some(true));
    assert_eq!(nsd_by_check(&format!("minus(constant(value=1), {sinc})"), &s), Some(true));
    assert_eq!(nsd_by_check("wiener()", &s), Some(false));
    assert_ne!(nsd_by_check("wiener() + distance(power=1)", &s), Some(false));
}

#[test]
fn squared_distance_and_schoenberg() {
    let case = Case::load("c02_nds_squared_distance_schoenberg");
    let x = rows(case.input("X"));
    let d = gram("sqdist()", &x);
    case.close_matrix("D", &d, case.expected("D"));
    let s = centered_half(&d);
    case.close_matrix("S", &s, case.expected("S"));
    let key = "S_eigenvalues_descending";
    case.close_spectrum(key, &s, case.expected(key));
    let key = "D_eigenvalues_descending";
    case.close_spectrum(key, &d, case.expected(key));
    let rank = eigenvalues(s.view(), &Compute::new()).unwrap().iter().filter(|v| v.abs() > 1e-12).count();
    assert_eq!(rank as f64, number(case.expected("S_rank")));
    let positive = eigenvalues(d.view(), &Compute::new()).unwrap().iter().filter(|v| **v > 1e-12).count();
    assert_eq!(positive as f64, number(case.expected("D_number_of_positive_eigenvalues")));
    assert_eq!(is_psd(&s), case.expected("S_is_psd").as_bool().unwrap());
    assert_eq!(nsd_by_check("sqdist()", &x), case.expected("D_is_nds").as_bool());
    for (i, t) in numbers(case.input("t")).into_iter().enumerate() {
        let text = format!("schoenberg(sqdist(), t={t})");
        let key = "exp_minus_tD_min_eigenvalue";
        case.close(key, eigenvalues(gram(&text, &x).view(), &Compute::new()).unwrap()[0], &case.expected(key)[i]);
        assert_eq!(psd_by_check(&text, &x), Some(true));
    }
    // The embedding: half of the base-point kernel at the center of mass is the centered Gram
    // matrix.
    let center = x.mean_axis(ndarray::Axis(0)).unwrap().to_vec();
    let embedded = naive_gram(&kernel("sqdist()").hilbert_embedding(center).unwrap(), &x).unwrap();
    case.close_matrix("S", &embedded, case.expected("S"));
}

#[test]
fn hyperbolic_tangent() {
    let case = Case::load("c02_tanh_not_psd");
    for (input, expected) in
        case.input("examples").as_array().unwrap().iter().zip(case.expected("examples").as_array().unwrap())
    {
        let text = format!("tanh(scale={}, offset={})", number(&input["c"]), number(&input["d"]));
        let x = rows(&input["X"]);
        let k = gram(&text, &x);
        case.close_matrix("examples", &k, &expected["gram"]);
        case.close_spectrum("examples", &k, &expected["eigenvalues_descending"]);
        let found = check(&kernel(&text), Some(Points::from(&x)), &CheckOptions::default(), &Compute::new()).unwrap();
        assert_eq!(found.as_option(), expected["is_psd"].as_bool());
        case.close("examples", found.min_eigenvalue, &expected["min_eigenvalue"]);
        let vector = mercer::solve::symmetric_eigen(k.view(), &Compute::new()).unwrap().vectors.column(0).to_vec();
        let largest = vector.iter().fold(0.0_f64, |m, v| if v.abs() > m.abs() { *v } else { m });
        for (v, witness) in vector.iter().zip(numbers(&expected["witness_scaled_to_max_1"])) {
            assert_close(v / largest, witness, 1e-11, 1e-12, "witness");
        }
        assert_eq!(k.diag().iter().all(|v| *v >= 0.0), expected["diagonal_nonnegative"].as_bool().unwrap());
    }
}
