//! `mercer fit multiple-ridge|multiple-svm|multiple-one-class` on bundled data: weights, accuracies
//! and predictions are those of the library.

use super::common::{assert_close, example, mercer, path_in};
use mercer::learn::multiple::{MultipleKernelOneClass, MultipleKernelRidge, MultipleKernelSvc, MultipleKernels};
use mercer::learn::svm::Classes;
use mercer::{Compute, Kernel, io};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value;

const KERNELS: &str = "gaussian(lengthscale=1); linear(); on([3], gaussian(lengthscale=0.5))";

fn kernels() -> Vec<Kernel> {
    KERNELS.split(';').map(|text| text.trim().parse().unwrap()).collect()
}

/// The columns of numbers of the irises, and the name of every species.
fn irises() -> (Array2<f64>, Vec<String>) {
    let path = example("iris.csv");
    let table = io::read_table(path.as_ref(), &Default::default(), &Compute::new()).unwrap();
    let part = table.select(0..4_usize).unwrap();
    let x = mercer::points::Encoding::default().fit(&part).unwrap().apply(&part).unwrap().matrix;
    let text = std::fs::read_to_string(path).unwrap();
    let species = text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned());
    (x, species.collect())
}

fn assert_list(found: &Value, expected: &[f64]) {
    assert_eq!(found.as_array().map(Vec::len), Some(expected.len()), "{found}");
    expected.iter().enumerate().for_each(|(at, value)| assert_close(&found[at], *value, 0.0));
}

fn sum(found: &Value) -> f64 {
    found.as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).sum()
}

#[test]
fn a_regression_with_several_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, model) = (example("iris.csv"), path_in(&folder, "m.st"));
    // The fourth column is the target: the kernel of column 2 is that of the petal length.
    let words = ["fit", "multiple-ridge", &iris, "--target", "petal_width", "--drop", "species", "--lambda", "0.1"];
    let more = ["--kernels", "gaussian(lengthscale=1)", "--kernels", "on([petal_length], linear())", "--intercept"];
    let json = mercer(&[&words[..], &more, &["-o", &model, "--json"]].concat()).json();
    let (all, _) = irises();
    let (x, y) = (all.slice(s![.., ..3]), all.slice(s![.., 3..]));
    let named = ["gaussian(lengthscale=1)", "on([2], linear())"].map(|text| text.parse::<Kernel>().unwrap());
    let spec =
        MultipleKernelRidge { intercept: true, ..MultipleKernelRidge::new(MultipleKernels::new(named.to_vec()), 0.1) };
    let fit = spec.fit(x, y, None, &Compute::new()).unwrap();
    assert_list(&json["weights"], fit.weights().weights());
    assert_close(&sum(&json["weights"]).into(), 1.0, 1e-12);
    assert!(json["quality"][0]["r2"].as_f64().unwrap() > 0.93, "{}", json["quality"]);
    assert!(json["duality_gap"].as_f64().unwrap() >= 0.0);
    let predicted = mercer(&["predict", &model, &iris, "--json"]).json();
    let expected: Vec<f64> =
        mercer::learner::Fitted::predict(&fit, x.into(), &Compute::new()).unwrap().iter().copied().collect();
    assert_list(&predicted["targets"][0]["prediction"], &expected);
}

#[test]
fn three_classes_with_several_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, model) = (example("iris.csv"), path_in(&folder, "m.st"));
    let words = ["fit", "multiple-svm", &iris, "--target", "species", "--kernels", KERNELS, "-o", &model, "--json"];
    let (x, species) = irises();
    let classes = Classes::from_texts(species.iter().map(String::as_str));
    for (method, more) in [("simple", vec!["--C", "10"]), ("alignment", vec!["--C", "10", "--method", "alignment"])] {
        let json = mercer(&[&words[..], &more].concat()).json();
        let mut parts = MultipleKernels::new(kernels());
        parts.method = mercer::learn::multiple::WeightMethod::Simple;
        if method == "alignment" {
            parts.method = mercer::learn::multiple::WeightMethod::Alignment;
        }
        let fit = MultipleKernelSvc::new(parts, 10.0).fit(&x, &classes, None, &Compute::new()).unwrap();
        assert_list(&json["weights"], fit.weights().weights());
        assert_close(&sum(&json["weights"]).into(), 1.0, 1e-12);
        let found = mercer::learner::Fitted::predict_classes(&fit, (&x).into(), &Compute::new()).unwrap();
        let right = found.iter().zip(classes.of()).filter(|(a, b)| a == b).count() as f64 / 150.0;
        assert_close(&json["accuracy"], right, 1e-12);
        assert!(right > 0.97, "{method}: {right}");
        let predicted = mercer(&["predict", &model, &iris, "--json"]).json();
        assert_close(&predicted["test"][0]["accuracy"], right, 1e-12);
    }
}

#[test]
fn weights_of_rows_and_a_region_with_several_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, model) = (example("iris.csv"), path_in(&folder, "m.st"));
    let words = ["fit", "multiple-one-class", &iris, "--drop", "species", "--kernels", KERNELS, "--nu", "0.1"];
    let json = mercer(&[&words[..], &["--norm", "2", "-o", &model, "--json"]].concat()).json();
    let (x, _) = irises();
    let spec = MultipleKernelOneClass::new(MultipleKernels { norm: 2.0, ..MultipleKernels::new(kernels()) }, 0.1);
    let fit = spec.fit(&x, None, &Compute::new()).unwrap();
    assert_list(&json["weights"], fit.weights().weights());
    let squares: f64 = fit.weights().weights().iter().map(|w| w * w).sum();
    assert_close(&squares.into(), 1.0, 1e-12);
    let inside = mercer::learner::Fitted::predict(&fit, (&x).into(), &Compute::new()).unwrap();
    let predicted = mercer(&["predict", &model, &iris, "--json"]).json();
    assert_list(&predicted["targets"][0]["prediction"], &inside.iter().copied().collect::<Vec<f64>>());
    let outside = inside.iter().filter(|v| **v < 0.0).count();
    assert!((5..=20).contains(&outside), "{outside} of 150 outside with nu = 0.1");
    mercer(&[&words[..], &["--method", "alignment"]].concat()).fails(1, &["alignment", "no targets"]);
    // A column of ones as weights changes nothing, other weights do.
    let lines = std::fs::read_to_string(&iris).unwrap();
    let weighted = |name: &str, weight: fn(usize) -> f64| {
        let rows = lines.lines().enumerate().map(|(at, line)| match at {
            0 => format!("{line},w\n"),
            _ => format!("{line},{}\n", weight(at)),
        });
        super::common::file(&folder, name, rows.collect::<String>().as_bytes())
    };
    let ridge = |data: &str, more: &[&str]| {
        let words = ["fit", "multiple-ridge", data, "--target", "petal_width", "--columns", "0-2", "--json"];
        let words = [&words[..], &["--kernels", "gaussian(lengthscale=1); linear()"], more].concat();
        mercer(&words).json()["weights"].clone()
    };
    let ones = weighted("ones.csv", |_| 1.0);
    assert_eq!(ridge(&ones, &["--weights", "w"]), ridge(&iris, &[]));
    let doubled = weighted("doubled.csv", |at| 1.0 + (at % 2) as f64);
    let found = ridge(&doubled, &["--weights", "w"]);
    let parts = MultipleKernels::new(["gaussian(lengthscale=1)", "linear()"].map(|t| t.parse().unwrap()).to_vec());
    let weights = Array1::from_shape_fn(150, |row| 1.0 + ((row + 1) % 2) as f64);
    let (part, y) = (x.slice(s![.., ..3]), x.column(3).insert_axis(Axis(1)));
    let fit = MultipleKernelRidge::new(parts, 1.0).fit(part, y, Some(weights.view()), &Compute::new()).unwrap();
    assert_list(&found, fit.weights().weights());
    assert_ne!(found, ridge(&iris, &[]));
}
