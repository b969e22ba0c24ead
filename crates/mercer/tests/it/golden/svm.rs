//! Golden numbers of support vector machines (c08): optima certified with 320-bit arithmetic.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::learn::svm::{Classes, OneClass, Svc, SvcFit, Svr, Tube};
use mercer::solve::DualOptions;
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2, Axis};
use serde_json::Value;

/// Much nearer to the optimum than the golden tolerances ask for.
const TIGHT: DualOptions = DualOptions { tolerance: 1e-9, max_steps: None, working_set: 512 };

fn kernel(case: &Value) -> Kernel {
    let parameter = |name: &str| number(&case["params"][name]);
    let text = match case["kernel"].as_str().expect("a kernel") {
        "gaussian" => format!("gaussian(lengthscale={:?})", parameter("l")),
        "laplacian" => format!("laplacian(lengthscale={:?})", parameter("l")),
        "linear" => "linear()".into(),
        "polynomial" => {
            let (scale, offset) = (parameter("scale"), parameter("c"));
            format!("polynomial(degree={}, scale={scale:?}, offset={offset:?})", parameter("m"))
        }
        other => panic!("unknown kernel {other}"),
    };
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn gaussian(length: &Value) -> Kernel {
    format!("gaussian(lengthscale={:?})", number(length)).parse().unwrap()
}

fn standardized(x: &Array2<f64>) -> Array2<f64> {
    let centered = x - &x.mean_axis(Axis(0)).unwrap();
    let sd = (&centered * &centered).mean_axis(Axis(0)).unwrap().mapv(f64::sqrt);
    centered / sd
}

/// `α` of every row: 0 where there is no support vector.
fn alphas(fit: &SvcFit, rows: usize) -> Vec<f64> {
    let mut alpha = vec![0.0; rows];
    fit.support().iter().zip(fit.dual_coefficients().column(0)).for_each(|(&i, c)| alpha[i] = c.abs());
    alpha
}

/// Labels 1 and −1, with 1 as the first class.
fn signed(labels: &[f64]) -> Classes {
    let of = labels.iter().map(|&y| usize::from(y < 0.0)).collect();
    Classes::from_indices(of, vec!["plus".into(), "minus".into()]).unwrap()
}

/// Everything that the file holds of a classifier of two classes.
fn check(golden: &Golden, key: &str, expected: &Value, fit: &SvcFit, x: &Array2<f64>) {
    let compute = Compute::new();
    let alpha = alphas(fit, x.nrows());
    if expected["alpha"].is_array() {
        golden.check_all(key, "alpha", &alpha, &numbers(&expected["alpha"]));
    }
    if let Some(nonzero) = expected["alpha_nonzero"].as_object() {
        assert_eq!(fit.support().len(), nonzero.len(), "{key}");
        nonzero.iter().for_each(|(row, a)| golden.check(key, row, alpha[row.parse::<usize>().unwrap()], number(a)));
    }
    let machine = &fit.binary()[0];
    golden.check(key, "b", machine.offset, number(&expected["b"]));
    golden.check(key, "objective", machine.evidence.objective, number(&expected["dual_objective"]));
    assert!(machine.evidence.converged() && machine.evidence.gap >= 0.0 && machine.evidence.gap < 1e-6, "{key}");
    assert_eq!(machine.support as f64, number(&expected["n_support"]), "{key}");
    assert_eq!(machine.bounded as f64, number(&expected["n_bounded"]), "{key}");
    let values = fit.values(x.view(), &compute).unwrap().column(0).to_vec();
    golden.check_all(key, "decisions", &values, &numbers(&expected["decision_train"]));
}

#[test]
fn toy_problems_with_four_kernels() {
    let golden = Golden::load("c08_csvc_toy");
    let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
    let classes = signed(&numbers(golden.input("y")));
    for (key, expected) in golden.expected() {
        let svc = Svc { solver: TIGHT, ..Svc::new(kernel(expected), number(&expected["C"])) };
        let fit = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap();
        check(&golden, key, expected, &fit, &x);
        let found = fit.values(t.view(), &Compute::new()).unwrap().column(0).to_vec();
        golden.check_all(key, "decision_t", &found, &numbers(&expected["decision_t"]));
    }
}

#[test]
fn class_weights() {
    let golden = Golden::load("c08_csvc_class_weights");
    let x = matrix(golden.input("X"));
    let expected = &golden.expected()["fit"];
    let weights = golden.input("class_weight");
    let class_weights = Some(vec![number(&weights["1"]), number(&weights["-1"])]);
    let svc = Svc { solver: TIGHT, class_weights, ..Svc::new(kernel(expected), number(golden.input("C"))) };
    let fit = svc.fit(x.view(), &signed(&numbers(golden.input("y"))), None, &Compute::new()).unwrap();
    check(&golden, "fit", expected, &fit, &x);
}

#[test]
fn pairs_of_iris() {
    let golden = Golden::load("c08_csvc_iris_pairs");
    let (x, target) = (matrix(golden.input("X")), numbers(golden.input("target")));
    for (key, expected) in golden.expected() {
        let classes: Vec<f64> = key.split('_').filter_map(|word| word.parse().ok()).collect();
        let rows: Vec<usize> = (0..target.len()).filter(|&i| classes.contains(&target[i])).collect();
        let part = x.select(Axis(0), &rows);
        let of = Classes::from_numbers(rows.iter().map(|&i| target[i]).collect::<Array1<f64>>().view()).unwrap();
        let svc = Svc { solver: TIGHT, ..Svc::new(kernel(expected), number(&expected["C"])) };
        let fit = svc.fit(part.view(), &of, None, &Compute::new()).unwrap();
        check(&golden, key, expected, &fit, &part);
    }
}

#[test]
fn breast_cancer() {
    let golden = Golden::load("c08_csvc_breast_cancer");
    let x = standardized(&matrix(golden.input("X_raw")));
    let labels: Vec<f64> = numbers(golden.input("target")).iter().map(|t| 2.0 * t - 1.0).collect();
    for (key, expected) in golden.expected() {
        let svc = Svc { solver: TIGHT, ..Svc::new(kernel(expected), number(&expected["C"])) };
        let fit = svc.fit(x.view(), &signed(&labels), None, &Compute::new()).unwrap();
        check(&golden, key, expected, &fit, &x);
        let values = fit.values(x.view(), &Compute::new()).unwrap();
        let errors = values.column(0).iter().zip(&labels).filter(|(f, y)| (**f > 0.0) != (**y > 0.0)).count();
        assert_eq!(errors as f64, number(&expected["training_errors"]));
    }
}

#[test]
fn three_classes_by_votes() {
    let golden = Golden::load("c08_multiclass_ovo_iris");
    let x = matrix(golden.input("X"));
    let target = numbers(golden.input("target"));
    let classes = Classes::from_numbers(Array1::from(target.clone()).view()).unwrap();
    let kernel = gaussian(&golden.input("params")["l"]);
    let svc = Svc { solver: TIGHT, ..Svc::new(kernel, number(golden.input("C"))) };
    let compute = Compute::new();
    let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
    for machine in fit.binary() {
        let key = format!("pair_{}_{}", machine.first, machine.second.unwrap());
        let expected = &golden.expected()[&key];
        golden.check(&key, "b", machine.offset, number(&expected["b"]));
        golden.check(&key, "objective", machine.evidence.objective, number(&expected["dual_objective"]));
        assert_eq!(machine.support as f64, number(&expected["n_support"]), "{key}");
        assert_eq!(machine.bounded as f64, number(&expected["n_bounded"]), "{key}");
    }
    let expected = matrix(&golden.expected()["decision_ovo"]);
    let found = fit.values(x.view(), &compute).unwrap();
    golden.check_all("decision_ovo", "all", found.as_slice().unwrap(), expected.as_slice().unwrap());
    let predicted: Vec<f64> = fit.predict(x.view(), &compute).unwrap().iter().map(|&c| c as f64).collect();
    assert_eq!(predicted, numbers(&golden.expected()["predicted"]));
    let errors = predicted.iter().zip(&target).filter(|(p, t)| p != t).count();
    assert_eq!(errors as f64, number(&golden.expected()["training_errors"]));
    assert_eq!(fit.support().len() as f64, number(&golden.expected()["n_support_union"]));
}

#[test]
fn nu_classifier() {
    let golden = Golden::load("c08_nu_svc");
    let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
    let classes = signed(&numbers(golden.input("y")));
    let kernel = gaussian(golden.input("l"));
    let svc = Svc { solver: TIGHT, ..Svc::nu(kernel.clone(), number(golden.input("nu"))) };
    let compute = Compute::new();
    let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
    let expected = &golden.expected()["libsvm_scaling"];
    golden.check_all("libsvm_scaling", "alpha", &alphas(&fit, x.nrows()), &numbers(&expected["alpha"]));
    golden.check("libsvm_scaling", "b", fit.binary()[0].offset, number(&expected["b"]));
    for (points, key) in [(&x, "decision_train"), (&t, "decision_t")] {
        let found = fit.values(points.view(), &compute).unwrap().column(0).to_vec();
        golden.check_all("libsvm_scaling", key, &found, &numbers(&expected[key]));
    }
    assert_eq!(fit.binary()[0].support as f64, number(&golden.expected()["n_support"]));
    assert_eq!(fit.binary()[0].bounded as f64, number(&golden.expected()["n_bounded"]));
    // The same machine as a C-classifier, with the same objective.
    let twin = Svc { solver: TIGHT, ..Svc::new(kernel, number(&expected["equivalent_C"])) };
    let twin = twin.fit(x.view(), &classes, None, &compute).unwrap();
    golden.check("libsvm_scaling", "objective", fit.evidence().objective, twin.evidence().objective);
    assert!(fit.evidence().gap >= 0.0 && fit.evidence().gap < 1e-6);
}

/// `β` of every row.
fn betas(support: &[usize], coefficients: &[f64], rows: usize) -> Vec<f64> {
    let mut beta = vec![0.0; rows];
    support.iter().zip(coefficients).for_each(|(&i, c)| beta[i] = *c);
    beta
}

#[test]
fn epsilon_regression() {
    let golden = Golden::load("c08_svr");
    for case in ["toy", "data"] {
        let (input, expected) = (golden.input(case), &golden.expected()[case]);
        let (kernel, x) = if case == "toy" {
            (gaussian(&input["l"]), matrix(&input["x"]))
        } else {
            (kernel(input), standardized(&matrix(&input["X_raw"])))
        };
        let y = Array1::from(numbers(&input["y"]));
        let solver = DualOptions { tolerance: 1e-8, ..TIGHT };
        let svr = Svr { solver, ..Svr::new(kernel, number(&input["C"]), number(&input["eps"])) };
        let fit = svr.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
        let beta = betas(fit.support(), fit.dual_coefficients(), x.nrows());
        golden.check_all(case, "beta", &beta, &numbers(&expected["beta"]));
        golden.check(case, "b", fit.offset(), number(&expected["b"]));
        golden.check(case, "objective", fit.evidence().objective, number(&expected["dual_objective"]));
        assert_eq!(fit.support().len() as f64, number(&expected["n_support"]));
        golden.check_all(case, "fitted", fit.fitted(), &numbers(&expected["fitted"]));
        if case == "toy" {
            let found = fit.predict(matrix(&input["t"]).view(), &Compute::new()).unwrap();
            golden.check_all(case, "predictions_t", &found, &numbers(&expected["predictions_t"]));
        }
    }
}

#[test]
fn nu_regression() {
    let golden = Golden::load("c08_nu_svr");
    let (x, y) = (matrix(golden.input("x")), Array1::from(numbers(golden.input("y"))));
    let (c, nu) = (number(golden.input("C")), number(golden.input("nu")));
    let svr = Svr { solver: TIGHT, ..Svr::nu(gaussian(golden.input("l")), c, nu) };
    let fit = svr.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let expected = |key: &str| &golden.expected()[key];
    let beta = betas(fit.support(), fit.dual_coefficients(), x.nrows());
    golden.check_all("beta", "all", &beta, &numbers(expected("beta")));
    golden.check("b", "", fit.offset(), number(expected("b")));
    golden.check("eps", "", fit.epsilon(), number(expected("eps")));
    golden.check_all("fitted", "all", fit.fitted(), &numbers(expected("fitted")));
    assert_eq!(fit.support().len() as f64, number(expected("n_support")));
    // The ε-regression with the width that was found is the same machine.
    let twin = Svr { tube: Tube::Epsilon(fit.epsilon()), ..svr };
    let twin = twin.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    golden.check("eps", "objective", fit.evidence().objective, twin.evidence().objective);
}

#[test]
fn one_class() {
    let golden = Golden::load("c08_one_class");
    let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
    let spec = OneClass { solver: TIGHT, ..OneClass::new(gaussian(golden.input("l")), number(golden.input("nu"))) };
    let fit = spec.fit(x.view(), None, &Compute::new()).unwrap();
    let expected = &golden.expected()["libsvm_scaling"];
    let key = "libsvm_scaling";
    let alpha = betas(fit.support(), fit.dual_coefficients(), x.nrows());
    golden.check_all(key, "alpha", &alpha, &numbers(&expected["alpha"]));
    golden.check(key, "rho", -fit.offset(), number(&expected["rho"]));
    golden.check(key, "objective", -fit.evidence().objective, number(&expected["objective"]));
    golden.check_all(key, "decision_train", fit.fitted(), &numbers(&expected["decision_train"]));
    let found = fit.decisions(t.view(), &Compute::new()).unwrap();
    golden.check_all(key, "decision_t", &found, &numbers(&expected["decision_t"]));
}
