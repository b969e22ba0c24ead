//! Golden numbers of hypothesis tests (c12, c13): exact permutation p-values, thresholds, gamma and
//! spectral null laws, KCI.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::hypothesis::{
    ConditionalIndependence, ConditionalMethod, ConditionalSmoothing, Independence, IndependenceMethod, Interaction,
    JointIndependence, TestOutcome, TwoSample, TwoSampleMethod,
};
use mercer::measure::{Estimator, HsicEstimator};
use mercer::{Compute, Kernel};
use ndarray::{Array2, Axis};
use serde_json::Value;

fn gaussian(length: &Value) -> Kernel {
    Kernel::gaussian(number(length)).unwrap()
}

/// The statistics of all relabelings, the observed one included, and what the file says of them.
fn check_enumeration(golden: &Golden, key: &str, outcome: &TestOutcome, expected: &Value) {
    let null = outcome.null.as_ref().unwrap();
    let all: Vec<f64> = null.iter().copied().chain([outcome.statistic]).collect();
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n;
    let one = |name: &str, found: f64| {
        if let Some(value) = expected[name].as_f64() {
            golden.check(key, name, found, value);
        }
    };
    one("observed", outcome.statistic);
    one("p_value", outcome.p_value);
    one("count_ge", (outcome.p_value * n).round());
    one("critical_95", outcome.threshold.unwrap());
    one("mean_over_splits", mean);
    one("mean", mean);
    one("variance", all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n);
    one("min", all.iter().copied().fold(f64::INFINITY, f64::min));
    one("max", all.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    assert!(outcome.exact);
}

#[test]
fn exact_two_sample_tests() {
    let golden = Golden::load("c12_mmd_permutation_exact");
    let kernel = gaussian(golden.input("l"));
    for case in ["strong", "weak"] {
        let (x, y) = (matrix(&golden.input(case)["x"]), matrix(&golden.input(case)["y"]));
        for (name, estimator) in [("biased", Estimator::Biased), ("unbiased", Estimator::Unbiased)] {
            for method in [TwoSampleMethod::Exact, TwoSampleMethod::Permutation] {
                let test = TwoSample { method, estimator, ..TwoSample::permutation(kernel.clone()) };
                let outcome = test.test(&x, &y, &Compute::new()).unwrap();
                assert_eq!(outcome.permutations, 251);
                check_enumeration(&golden, case, &outcome, &golden.expected()[case][name]);
            }
        }
    }
}

#[test]
fn exact_independence_tests() {
    let golden = Golden::load("c13_hsic_permutation_exact");
    let (x, y) = (matrix(golden.input("x")), matrix(golden.input("y")));
    for (name, estimator) in [("biased", HsicEstimator::Biased), ("unbiased", HsicEstimator::Unbiased)] {
        let test = Independence {
            kernel_x: Some(gaussian(golden.input("lx"))),
            kernel_y: Some(gaussian(golden.input("ly"))),
            estimator,
            ..Independence::with_method(IndependenceMethod::Exact)
        };
        let outcome = test.test(&x, &y, &Compute::new()).unwrap();
        assert_eq!(outcome.permutations, 719);
        check_enumeration(&golden, name, &outcome, &golden.expected()[name]);
    }
}

#[test]
fn gamma_and_spectral_null_distribution_of_mmd() {
    let golden = Golden::load("c12_mmd_thresholds_and_null");
    let (x, y) = (matrix(golden.input("X")), matrix(golden.input("Y")));
    let kernel = gaussian(golden.input("l"));
    let run =
        |method| TwoSample { method, ..TwoSample::permutation(kernel.clone()) }.test(&x, &y, &Compute::new()).unwrap();
    let outcome = run(TwoSampleMethod::Gamma);
    let expected = &golden.expected()["gamma"];
    for (name, detail) in [
        ("m_mmd2_biased", "scaled_statistic"),
        ("null_mean_of_mmd2", "null_mean"),
        ("null_var_of_mmd2", "null_variance"),
        ("shape", "shape"),
        ("scale", "scale"),
    ] {
        golden.check("gamma", name, outcome.detail(detail).unwrap(), number(&expected[name]));
    }
    golden.check("gamma", "p_value", outcome.p_value, number(&expected["p_value"]));
    let outcome = run(TwoSampleMethod::Spectral);
    for (j, value) in numbers(&golden.expected()["spectrum_top5"]).iter().enumerate() {
        let found = outcome.detail(&format!("eigenvalue_{}", j + 1)).unwrap();
        golden.check("spectrum_top5", &j.to_string(), found, *value);
    }
}

/// The thresholds do not depend on the data, only on `m = n` and the level; that on the biased
/// statistic is given for its root.
#[test]
fn distribution_free_thresholds() {
    let golden = Golden::load("c12_mmd_thresholds_and_null");
    let sizes = numbers(golden.input("m"));
    let levels = numbers(golden.input("alpha"));
    for (i, m) in sizes.iter().enumerate() {
        let x = Array2::from_shape_fn((*m as usize, 1), |(i, _)| (i as f64).sin());
        for (j, level) in levels.iter().enumerate() {
            let threshold = |method| {
                let test =
                    TwoSample { method, level: *level, ..TwoSample::permutation(Kernel::gaussian(1.0).unwrap()) };
                test.test(&x, &x, &Compute::new()).unwrap().threshold.unwrap()
            };
            let expected = |key: &str| number(&golden.expected()[key][i][j]);
            let biased = threshold(TwoSampleMethod::BiasedBound).sqrt();
            golden.check("thr_biased", "", biased, expected("thr_biased"));
            golden.check("thr_unbiased", "", threshold(TwoSampleMethod::UnbiasedBound), expected("thr_unbiased"));
        }
    }
}

#[test]
fn gamma_null_distribution_of_hsic() {
    let golden = Golden::load("c13_hsic_gamma_null");
    let (x, y) = (matrix(golden.input("x")), matrix(golden.input("y")));
    let test = Independence {
        kernel_x: Some(gaussian(golden.input("lx"))),
        kernel_y: Some(gaussian(golden.input("ly"))),
        ..Independence::with_method(IndependenceMethod::Gamma)
    };
    let outcome = test.test(&x, &y, &Compute::new()).unwrap();
    let expected = &golden.expected()["gretton2007"];
    for (name, detail) in [
        ("test_stat", "scaled_statistic"),
        ("mu_x", "mu_x"),
        ("mu_y", "mu_y"),
        ("null_mean_of_hsic_b", "null_mean"),
        ("null_var_of_hsic_b", "null_variance"),
        ("shape", "shape"),
        ("scale", "scale"),
    ] {
        golden.check("gretton2007", name, outcome.detail(detail).unwrap(), number(&expected[name]));
    }
    golden.check("gretton2007", "p_value", outcome.p_value, number(&expected["p_value"]));
}

#[test]
fn kernel_conditional_independence() {
    let golden = Golden::load("c13_kci_conditional");
    let [x, y, z] = ["x", "y", "z"].map(|key| matrix(golden.input(key)));
    let smoothing =
        ConditionalSmoothing::Fixed { kernel: gaussian(golden.input("sz")), ridge: number(golden.input("eps")) };
    let test = ConditionalIndependence {
        kernel_x: Some(gaussian(golden.input("sx"))),
        kernel_y: Some(gaussian(golden.input("sy"))),
        smoothing,
        method: ConditionalMethod::Gamma,
        ..ConditionalIndependence::default()
    };
    let outcome = test.test(&x, &y, &z, &Compute::new()).unwrap();
    let check = |name: &str, found: f64| golden.check(name, "", found, number(&golden.expected()[name]));
    check("statistic", outcome.statistic);
    check("null_mean", outcome.detail("null_mean").unwrap());
    check("null_var", outcome.detail("null_variance").unwrap());
    check("shape", outcome.detail("shape").unwrap());
    check("scale", outcome.detail("scale").unwrap());
    check("p_value", outcome.p_value);
    let resampled = ConditionalIndependence { method: ConditionalMethod::Permutation, ..test };
    let outcome = resampled.test(&x, &y, &z, &Compute::new()).unwrap();
    check("statistic", outcome.statistic);
    assert!(outcome.p_value < 0.005, "{}", outcome.p_value);
}

#[test]
fn statistics_of_interaction_and_joint_independence() {
    let golden = Golden::load("c13_lancaster_and_dhsic");
    let kernels = ["lx", "ly", "lz"].map(|key| gaussian(golden.input(key)));
    for case in ["small", "large"] {
        let [x, y, z] = ["x", "y", "z"].map(|key| matrix(&golden.input(case)[key]));
        let expected = &golden.expected()[case];
        let compute = Compute::new();
        let test = Interaction { kernels: Some(kernels.clone()), permutations: 99, ..Interaction::default() };
        let outcome = test.test([(&x).into(), (&y).into(), (&z).into()], &compute).unwrap();
        golden.check(case, "lancaster", outcome.statistic, number(&expected["lancaster"]));
        let largest = ["p_x", "p_y", "p_z"].map(|p| outcome.detail(p).unwrap()).into_iter().fold(0.0, f64::max);
        assert_eq!(outcome.p_value, largest);
        let test =
            JointIndependence { kernels: Some(kernels.to_vec()), permutations: 99, ..JointIndependence::default() };
        let outcome = test.test(&[(&x).into(), (&y).into(), (&z).into()], &compute).unwrap();
        golden.check(case, "dhsic", outcome.statistic, number(&expected["dhsic"]));
    }
}

/// A constant condition is no condition: the p-values are those of the unconditional test, to the
/// last bit.
#[test]
fn a_constant_condition_is_none() {
    let golden = Golden::load("c13_kci_conditional");
    let (x, y) = (matrix(golden.input("x")), matrix(golden.input("y")));
    let z = Array2::from_elem((x.len_of(Axis(0)), 2), 3.0);
    for (method, plain) in [
        (ConditionalMethod::Gamma, IndependenceMethod::Gamma),
        (ConditionalMethod::Permutation, IndependenceMethod::Permutation),
    ] {
        let test = ConditionalIndependence { method, permutations: 199, ..ConditionalIndependence::default() };
        let found = test.test(&x, &y, &z, &Compute::new()).unwrap();
        let expected = Independence { permutations: 199, ..Independence::with_method(plain) };
        assert_eq!(found, expected.test(&x, &y, &Compute::new()).unwrap());
    }
}
