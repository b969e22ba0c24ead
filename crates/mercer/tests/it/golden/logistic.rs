//! Golden numbers of kernel logistic regression (c09): two classes and several, with and without
//! intercept.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::learn::logistic::LossSolver;
use mercer::learn::{KernelMachine, LogisticFit, LogisticRegression, Loss};
use mercer::solve::Stopped;
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2};
use serde_json::Value;

/// A gap of `1e-12` is the square of an error: the last step makes all digits of it.
const RUNS: [(LossSolver, f64); 4] = [
    (LossSolver::Newton, 1e-20),
    (LossSolver::Newton, 1e-12),
    (LossSolver::NewtonConjugateGradients, 1e-20),
    (LossSolver::NewtonConjugateGradients, 1e-12),
];

fn kernel(name: &str, p: &Value) -> Kernel {
    let text = match name {
        "gaussian" => format!("gaussian(lengthscale={:?})", number(&p["l"])),
        "laplacian" => format!("laplacian(lengthscale={:?})", number(&p["l"])),
        "polynomial" => format!(
            "polynomial(degree={}, offset={:?}, scale={:?})",
            number(&p["m"]),
            number(&p["c"]),
            number(&p["scale"])
        ),
        other => panic!("unknown kernel {other}"),
    };
    text.parse().unwrap()
}

fn flat(m: &Array2<f64>) -> Vec<f64> {
    m.iter().copied().collect()
}

fn check_evidence(golden: &Golden, key: &str, fit: &LogisticFit, expected: &Value) {
    let evidence = fit.evidence();
    assert_eq!(evidence.stopped, Stopped::Converged, "{key}: {evidence:?}");
    assert!(evidence.gap >= 0.0 && evidence.gap <= 1e-18 * evidence.objective, "{key}: gap {}", evidence.gap);
    golden.check(key, "loss", evidence.loss, number(&expected["loss"]));
    golden.check(key, "objective", evidence.objective, number(&expected["objective"]));
    golden.check(key, "dual objective", evidence.dual_objective, number(&expected["objective"]));
}

#[test]
fn two_classes() {
    let golden = Golden::load("c09_klr_binary");
    let compute = Compute::new();
    let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
    let y = numbers(golden.input("y"));
    let labels: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.0)).collect();
    for (i, fit) in golden.input("fits").as_array().unwrap().iter().enumerate() {
        let name = fit["kernel"].as_str().unwrap();
        let (kernel, lambda) = (kernel(name, &fit["params"]), number(&fit["lambda"]));
        for (intercept, suffix) in [(false, "no_intercept"), (true, "intercept")] {
            let key = format!("fit{i}_{name}_{suffix}");
            let expected = &golden.expected()[&key];
            for (solver, tolerance) in RUNS {
                let spec = LogisticRegression::new(kernel.clone(), lambda);
                let spec = LogisticRegression { intercept, solver, tolerance, ..spec };
                let fit = spec.fit(x.view(), &labels, None, &compute).unwrap();
                let list =
                    |what: &str, found: Vec<f64>| golden.check_all(&key, what, &found, &numbers(&expected[what]));
                list("alpha", fit.dual_coefficients().column(0).to_vec());
                list("decision_train", fit.fitted().column(0).to_vec());
                list("prob_train", fit.fitted_probabilities().column(1).to_vec());
                list("decision_t", fit.decision(t.view(), &compute).unwrap().column(0).to_vec());
                golden.check(&key, "b", fit.intercept()[0], number(&expected["b"]));
                golden.check(&key, "norm2", fit.evidence().squared_norm, number(&expected["norm2"]));
                check_evidence(&golden, &key, &fit, expected);
            }
            // The general machine has λ where this one has λ/2.
            let machine =
                KernelMachine { intercept, ..KernelMachine::new(Loss::Logistic, kernel.clone(), 0.5 * lambda) };
            let fit = machine.fit(x.view(), Array1::from(y.clone()).view(), None, &compute).unwrap();
            golden.check_all(&key, "machine", &fit.dual_coefficients().to_vec(), &numbers(&expected["alpha"]));
            golden.check(&key, "machine", fit.evidence().objective, number(&expected["objective"]));
            let found = fit.probabilities(x.view(), &compute).unwrap().to_vec();
            golden.check_all(&key, "machine", &found, &numbers(&expected["prob_train"]));
        }
    }
}

#[test]
fn several_classes() {
    let golden = Golden::load("c09_klr_multinomial");
    let compute = Compute::new();
    let x = matrix(golden.input("X_raw"));
    let labels: Vec<usize> = numbers(golden.input("target")).iter().map(|c| *c as usize).collect();
    let (kernel, lambda) = (kernel("gaussian", golden.input("params")), number(golden.input("lambda")));
    for (intercept, key) in [(false, "no_intercept"), (true, "intercept")] {
        let expected = &golden.expected()[key];
        for (solver, tolerance) in RUNS {
            let spec = LogisticRegression::new(kernel.clone(), lambda);
            let spec = LogisticRegression { intercept, solver, tolerance, ..spec };
            let fit = spec.fit(x.view(), &labels, None, &compute).unwrap();
            let all = |what: &str, found: &Array2<f64>| {
                golden.check_all(key, what, &flat(found), &flat(&matrix(&expected[what])));
            };
            all("A", &fit.dual_coefficients().to_owned());
            all("decision_train", &fit.fitted().to_owned());
            all("prob_train", &fit.fitted_probabilities());
            golden.check_all(key, "b", &fit.intercept().to_vec(), &numbers(&expected["b"]));
            check_evidence(&golden, key, &fit, expected);
            let found = fit.probabilities(x.view(), &compute).unwrap();
            all("prob_train", &found);
        }
    }
}
