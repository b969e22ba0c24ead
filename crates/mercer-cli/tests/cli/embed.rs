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
    // The Gaussian kernel has no random grids: another one is the default.
    run(&["binning", &iris, "--columns", "0-3", "--components", "4"]).done();
    run(&["binning", &iris, "--columns", "0-3", "--kernel", "gaussian()"])
        .fails(1, &["not a product over the columns", "laplacian(norm=l1)"]);
    run(&["nystrom", &iris, "--columns", "0-3", "-o", "z.txt"]).fails(1, &["--output", ".npy or .csv"]);
    run(&["nystrom", &iris, "--columns", "0-3", "--tolerance", "2"]).fails(1, &["tolerance"]);
}

/// The features of a model file are those that the command wrote; columns come in any order.
#[test]
fn models_of_features_transform_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |start: usize| -> String {
        let value = |i: usize, j: usize| ((i * 37 + j * 11) % 19) as f64 / 7.0;
        (start..start + 12).map(|i| format!("{},{},{}\n", value(i, 0), value(i, 1), ["u", "v"][i % 2])).collect()
    };
    let data = file(&folder, "x.csv", format!("a,b,kind\n{}", rows(0)).as_bytes());
    for (name, kernel, more) in [
        ("fourier", "gaussian(lengthscale=2)", &["--components", "10"][..]),
        ("binning", "laplacian(norm=l1)", &["--components", "7", "--buckets", "32"]),
        ("nystrom", "gaussian(lengthscale=median)", &["--components", "5"]),
        ("empirical", "gaussian(lengthscale=2)", &[]),
        ("explicit", "polynomial(degree=2)", &[]),
    ] {
        let (model, out, again) = (path_in(&folder, name), path_in(&folder, "z.csv"), path_in(&folder, "again.csv"));
        let words = ["embed", name, &data, "--kernel", kernel, "--columns", "a,b", "-o", &out, "--model", &model];
        let found = mercer(&[&words[..], more, &["--json"]].concat()).json();
        assert_eq!(found["model"], model, "{name}");
        mercer(&["transform", &model, &data, "-o", &again]).done();
        assert_eq!(std::fs::read_to_string(&out).unwrap(), std::fs::read_to_string(&again).unwrap(), "{name}");
        let new = file(&folder, "new.csv", b"b,a\n0.5,1\n2,0\n");
        mercer(&["transform", &model, &new, "-o", &again]).done();
        assert_eq!(std::fs::read_to_string(&again).unwrap().lines().count(), 3, "{name}");
        let loaded = mercer::io::load_model(model.as_ref(), &Compute::new()).unwrap();
        assert_eq!(loaded.fitted().kind(), name);
        assert_eq!(loaded.notes()["command"], format!("mercer embed {name}"));
        mercer(&["predict", &model, &data]).fails(1, &["mercer transform"]);
        mercer(&["transform", &model, &file(&folder, "c.csv", b"a\n1\n")]).fails(1, &["`b`"]);
    }
}

#[test]
fn models_on_random_grids_predict() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{},{}\n", i as f64 / 40.0, f64::from(i >= 40), ["low", "mid", "top"][i / 30]);
    let text: String = (0..90).map(line).collect();
    let data = file(&folder, "steps.csv", format!("x,y,class\n{text}").as_bytes());
    let (model, out) = (path_in(&folder, "model"), path_in(&folder, "p.csv"));
    let words = ["--kernel", "laplacian(norm=l1)", "--grids", "50", "--buckets", "64", "-o", &model, "--json"];
    let fit = ["fit", "binned", &data, "--target", "y", "--drop", "class", "--lambda", "0.01"];
    let found = mercer(&[&fit[..], &words].concat()).json();
    assert!(found["rmse"].as_f64().unwrap() < 0.2, "{found}");
    mercer(&["predict", &model, &data, "-o", &out]).done();
    for loss in ["softmax", "squared-hinge"] {
        let fit =
            ["fit", "binned-classes", &data, "--target", "class", "--drop", "y", "--lambda", "0.01", "--loss", loss];
        let found = mercer(&[&fit[..], &words].concat()).json();
        assert!(found["accuracy"].as_f64().unwrap() > 0.9, "{found}");
        let words = ["predict", &model, &data, "--proba", "-o", &out];
        match loss {
            "softmax" => {
                mercer(&words).done();
                assert!(std::fs::read_to_string(&out).unwrap().lines().next().unwrap().contains("top"));
            }
            _ => mercer(&words).fails(1, &["probabilities"]),
        }
    }
}
