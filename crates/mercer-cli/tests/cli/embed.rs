//! `mercer embed`.

use super::common::{assert_close, example, file, mercer, path_in};
use mercer::features::{FeatureMap, RandomFourier};
use mercer::{Compute, Seed};
use ndarray::array;

#[test]
fn fourier_features_are_the_library_s_and_state_their_error() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "x.csv", b"a,b\n0,0\n3,4\n1,0\n");
    let words = ["embed", "fourier", &data, "--kernel", "gaussian(lengthscale=2)", "--components", "40", "--seed", "7"];
    let compute = Compute::new().with_seed(Seed(7));
    let map = RandomFourier::new("gaussian(lengthscale=2)".parse().unwrap(), 40).draw(2, &compute).unwrap();
    let expected = map.transform(array![[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]].view(), &compute).unwrap();
    for name in ["z.npy", "z.csv"] {
        let out = path_in(&folder, name);
        let output = mercer(&[&words[..], &["-o", &out]].concat()).done().out;
        assert!(output.contains("3 × 40") && output.contains("root mean square") && output.contains(&out), "{output}");
        let table = mercer::io::read_table(out.as_ref(), &Default::default(), &Compute::new()).unwrap();
        let found = mercer::points::Encoding::default().fit(&table).unwrap().apply(&table).unwrap().matrix;
        assert_eq!(found, expected, "{name}");
    }
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    assert_eq!((json["frequencies"].as_u64(), json["features"].as_array().map(Vec::len)), (Some(20), Some(3)));
    assert_close(&json["features"][1][0], expected[[1, 0]], 0.0);
    assert_close(&json["bound"], 1.0, 0.0);
    assert!(json["error"]["largest"].as_f64().unwrap() < 1.0);
}

#[test]
fn the_picture_of_errors_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (picture, iris) = (path_in(&folder, "errors.svg"), example("iris.csv"));
    let words = ["embed", "fourier", &iris, "--columns", "0-3", "--components", "128", "--plot", &picture, "--json"];
    let json = mercer(&words).json();
    let errors: Vec<f64> = json["decay"]["errors"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    let counts: Vec<u64> =
        json["decay"]["frequencies"].as_array().unwrap().iter().map(|e| e.as_u64().unwrap()).collect();
    assert_eq!(counts, [4, 8, 16, 32, 64, 128, 256]);
    // The error falls by √64 = 8 from first to last.
    assert!((errors[0] / errors[6] / 8.0).ln().abs() < 0.5, "{errors:?}");
    let text = std::fs::read_to_string(&picture).unwrap();
    assert!(text.contains("√D") && text.contains("measured"), "{text}");
}

#[test]
fn nystrom_features_report_the_trace_that_they_miss() {
    let iris = example("iris.csv");
    let words = ["embed", "nystrom", &iris, "--columns", "0-3", "--components", "30", "--json"];
    let mut errors = Vec::new();
    for landmarks in ["rpcholesky", "uniform", "kmeans", "leverage", "greedy"] {
        let json = mercer(&[&words[..], &["--landmarks", landmarks]].concat()).json();
        assert_eq!(json["trace"].as_f64(), Some(150.0), "{landmarks}");
        errors.push(json["trace_error"].as_f64().unwrap());
    }
    assert!(errors.iter().all(|e| *e >= 0.0 && *e < 1.5), "{errors:?}");
    let loose = mercer(&[&words[..], &["--tolerance", "0.1"]].concat()).json();
    assert!(loose["landmarks"].as_u64().unwrap() < 20);
}

#[test]
fn binning_gives_a_cell_per_row_and_grid() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (file(&folder, "x.csv", b"a\n0\n0\n9\n"), path_in(&folder, "cells.npy"));
    let words = ["embed", "binning", &data, "--kernel", "laplacian(norm=l1)", "--components", "50", "--buckets", "64"];
    mercer(&[&words[..], &["-o", &out]].concat()).done();
    let cells = mercer::io::read_npy(out.as_ref(), &Compute::new()).unwrap();
    assert_eq!(cells.dim(), (3, 50));
    assert_eq!(cells.row(0), cells.row(1));
    assert!(cells.indexed_iter().all(|((_, grid), c)| (*c / 64.0).floor() == grid as f64));
    assert!(cells.row(0).iter().zip(cells.row(2)).filter(|(a, b)| a == b).count() < 10);
}

#[test]
fn wrong_requests_are_refused_with_the_reason() {
    let iris = example("iris.csv");
    let run = |words: &[&str]| mercer(&[&["embed"], words].concat());
    run(&["fourier", &iris, "--columns", "0-3", "--kernel", "linear()"]).fails(1, &["not shift-invariant"]);
    run(&["fourier", &iris, "--columns", "0-3", "--components", "0"]).fails(1, &["components"]);
    run(&["binning", &iris, "--columns", "0-3"]).fails(1, &["not a product over the columns"]);
    run(&["nystrom", &iris, "--columns", "0-3", "-o", "z.txt"]).fails(1, &["--output", ".npy or .csv"]);
    run(&["nystrom", &iris, "--columns", "0-3", "--tolerance", "2"]).fails(1, &["tolerance"]);
}
