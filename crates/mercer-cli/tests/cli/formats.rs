//! The same table in every format gives the same numbers, for every command. The label of LIBSVM is
//! no feature.

use std::io::Write;

use mercer::Compute;
use mercer::io::{self, NpyNumber, ReadOptions};
use mercer::points::Table;
use ndarray::Array2;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{file, mercer, path_in};

const ROWS: usize = 24;

/// Three features and a label that depends on them; zeros are there, which LIBSVM leaves out.
fn row(i: usize) -> ([f64; 3], f64) {
    let x = [(i as f64 * 1.3).sin(), (i % 4) as f64 / 2.0, ((i * 7) % 11) as f64 - 5.0];
    (x, 100.0 + x[0] - 3.0 * x[1] + 0.1 * x[2])
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The table in all formats, the CSV file first; with the label as the column `target`, or without
/// it (but for LIBSVM, which always has one). NPY has no names, and so no label.
fn all_formats(folder: &TempDir, label: bool) -> Vec<String> {
    let names = if label { vec!["target", "x1", "x2", "x3"] } else { vec!["x1", "x2", "x3"] };
    let cells = |i: usize| {
        let ([a, b, c], t) = row(i);
        if label { vec![t, a, b, c] } else { vec![a, b, c] }
    };
    let line = |i: usize, by: &str| cells(i).iter().map(f64::to_string).collect::<Vec<_>>().join(by);
    let text = |by: &str| {
        let rows: String = (0..ROWS).map(|i| line(i, by) + "\n").collect();
        format!("{}\n{rows}", names.join(by))
    };
    let (csv, tsv) = (text(","), text("\t"));
    let sparse: String = (0..ROWS)
        .map(|i| {
            let (x, t) = row(i);
            let pairs = x.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(j, v)| format!(" {}:{v}", j + 1));
            format!("{t}{}\n", pairs.collect::<String>())
        })
        .collect();
    let stem = if label { "labeled" } else { "plain" };
    let name = |ending: &str| format!("{stem}.{ending}");
    let mut all = vec![
        file(folder, &name("csv"), csv.as_bytes()),
        file(folder, &name("tsv"), tsv.as_bytes()),
        file(folder, &name("csv.gz"), &packed(csv.as_bytes())),
        file(folder, &name("libsvm"), sparse.as_bytes()),
        file(folder, &name("svm.gz"), &packed(sparse.as_bytes())),
    ];
    let table: Table = io::read_table(all[0].as_ref(), &ReadOptions::default(), &Compute::new()).unwrap();
    all.push(path_in(folder, &name("parquet")));
    io::write_parquet(all[5].as_ref(), &table).unwrap();
    if !label {
        let matrix = Array2::from_shape_fn((ROWS, 3), |(i, j)| row(i).0[j]);
        all.push(path_in(folder, &name("npy")));
        io::write_npy(all[6].as_ref(), matrix.view(), NpyNumber::Double).unwrap();
    }
    all
}

/// The output of a command for every file, without names of columns and files.
fn assert_same(files: &[String], words: impl Fn(&str) -> Vec<String>, keys: &[&str]) {
    let run = |path: &str| {
        let words = words(path);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let json = mercer(&words).json();
        keys.iter().map(|key| json[*key].clone()).collect::<Vec<Value>>()
    };
    let expected = run(&files[0]);
    assert!(expected.iter().all(|value| !value.is_null()), "{keys:?}: {expected:?}");
    for path in &files[1..] {
        assert_eq!(run(path), expected, "{path}");
    }
}

fn words(text: &str, path: &str) -> Vec<String> {
    text.split(' ').map(|word| if word == "DATA" { path.to_owned() } else { word.to_owned() }).collect()
}

#[test]
fn every_command_without_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let files = all_formats(&folder, false);
    let commands: [(&str, &[&str]); 9] = [
        ("kernel gram gaussian(lengthscale=median) DATA", &["kernel", "shape", "matrix", "trace"]),
        ("kernel gram linear() DATA --against DATA", &["matrix"]),
        ("kernel spectrum gaussian() DATA --components 4", &["eigenvalues", "trace"]),
        ("kernel check tanh(scale=0.1,offset=-1) DATA", &["verdict", "rows_used", "points"]),
        ("embed fourier DATA --kernel gaussian(lengthscale=median) --components 4", &["kernel", "features"]),
        ("embed binning DATA --kernel laplacian(norm=l1) --components 4", &["kernel", "features"]),
        ("embed nystrom DATA --kernel gaussian() --components 4", &["features", "trace_error"]),
        ("test fit DATA --against normal()", &["statistic", "p_value"]),
        ("fit one-class DATA --nu 0.3 --kernel gaussian()", &["kernel", "support", "dual_objective"]),
    ];
    for (text, keys) in commands {
        assert_same(&files, |path| words(text, path), keys);
    }
    // Columns by number are the same columns, but for LIBSVM, where the label is column 0.
    let without: Vec<String> = files.iter().filter(|path| !path.contains("svm")).cloned().collect();
    assert_same(&without, |path| words("kernel gram linear() DATA --columns 0,2", path), &["matrix"]);
}

#[test]
fn two_samples_and_plans() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (files, more) = (all_formats(&folder, false), all_formats(&other, false));
    // A different second sample: the label is shifted far, the features are the same.
    let shifted = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| format!("9{line}\n")).collect::<String>()
    };
    std::fs::write(&more[3], shifted(&files[3])).unwrap();
    let tested = |(a, b): (&String, &String)| {
        let words = ["test", "two-sample", a, b, "--kernel", "gaussian()", "--method", "permutation", "--json"];
        let json = mercer(&words).json();
        (json["statistic"].clone(), json["p_value"].clone())
    };
    let found: Vec<_> = files.iter().zip(&more).map(tested).collect();
    assert!(found.iter().all(|one| *one == found[0] && one.0.is_number()), "{found:?}");
    assert_same(&files, |path| words("explain kernel gram gaussian() DATA", path), &["rows", "dimension", "bytes"]);
    // Files of different formats are one table.
    let (csv, sparse) = (&files[0], &files[3]);
    let json = mercer(&["kernel", "gram", "linear()", csv, "--against", sparse, "--json"]).json();
    assert_eq!(json["matrix"], mercer(&["kernel", "gram", "linear()", csv, "--json"]).json()["matrix"]);
}

#[test]
fn the_label_is_a_feature_where_it_is_requested_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, labeled) = (all_formats(&folder, false), all_formats(&folder, true));
    let gram = |path: &str, columns: &str| {
        mercer(&["kernel", "gram", "linear()", path, "--columns", columns, "--json"]).json()["matrix"].clone()
    };
    assert_eq!(gram(&plain[3], "target,x1"), gram(&labeled[0], "target,x1"));
    assert_eq!(gram(&plain[3], "x1"), gram(&labeled[0], "x1"));
    for (text, keys) in [
        ("test independence DATA --x target --y x2", ["statistic", "p_value"]),
        ("test conditional DATA --x target --y x2 --given x3", ["statistic", "p_value"]),
        ("test interaction DATA --x target --y x2 --z x3", ["statistic", "p_value"]),
        ("test joint DATA --variable target --variable x2 --variable x3", ["statistic", "p_value"]),
    ] {
        assert_same(&labeled, |path| words(text, path), &keys);
    }
    let json = mercer(&["data", "describe", &plain[3], "--json"]).json();
    assert_eq!(json["label"], "target");
    let described = |path: &str| {
        let json = mercer(&["data", "describe", path, "--json"]).json();
        json["columns"].as_array().unwrap().iter().filter(|c| c["name"] != "target").cloned().collect::<Vec<_>>()
    };
    for path in &labeled {
        assert_eq!(described(path), described(&labeled[0]), "{path}");
    }
}

#[test]
fn fits_and_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let (files, plain) = (all_formats(&folder, true), all_formats(&folder, false));
    let model = path_in(&folder, "m.safetensors");
    for text in [
        "fit ridge DATA --target target --kernel gaussian(lengthscale=2) --lambda 0.1 -o MODEL",
        "fit ridge DATA --target target --kernel gaussian() --lambda 0.1 --stream --components 8 -o MODEL",
        "fit svr DATA --target target --kernel linear() -C 2 -o MODEL",
        // The label is not among the features of another target either.
        "fit ridge DATA --target x1 --kernel linear() --lambda 0.1 -o MODEL",
        "fit auto DATA --target target -o MODEL",
    ] {
        let mut first = None;
        for path in &files {
            let words = words(text, path);
            let words: Vec<&str> = words.iter().map(|w| if w == "MODEL" { model.as_str() } else { w }).collect();
            let json = mercer(&[&words[..], &["--json"]].concat()).json();
            // Predictions for every format, with the truth where the format has it.
            let predicted: Vec<Value> = files
                .iter()
                .chain(&plain[3..5])
                .map(|path| mercer(&["predict", &model, path, "--json"]).json()["targets"].clone())
                .collect();
            assert!(predicted.iter().all(|p| *p == predicted[0]), "{text}: {path}");
            let found = (json["inputs"].clone(), json["rows"].clone(), predicted[0].clone());
            let expected = first.get_or_insert_with(|| found.clone());
            // On other targets the CSV file has one more feature: the column that LIBSVM knows to
            // be a label.
            if !text.contains("--target x1") {
                assert_eq!(found, *expected, "{text}: {path}");
            } else if path.contains("svm") {
                assert_eq!(found.0, json!(["x2", "x3"]), "{path}");
            }
        }
    }
    mercer(&["fit", "ridge", &plain[3]]).fails(1, &["--target", "the label of this file is `target`"]);
    let bare = file(&folder, "bare.libsvm", b"1\n2\n");
    mercer(&["kernel", "gram", "linear()", &bare]).fails(1, &["only its label"]);
    mercer(&["test", "fit", &bare, "--against", "normal()"]).fails(1, &["only its label"]);
    mercer(&["test", "two-sample", &bare, &bare]).fails(1, &["only its label"]);
    mercer(&["fit", "one-class", &bare]).fails(1, &["no column is left"]);
}

/// A model without names takes the features of a LIBSVM file.
#[test]
fn models_without_names() {
    use mercer::learn::Ridge;
    use mercer::model::{Inputs, Model};
    let folder = tempfile::tempdir().unwrap();
    let files = all_formats(&folder, false);
    let x = Array2::from_shape_fn((ROWS, 3), |(i, j)| row(i).0[j]);
    let y = Array2::from_shape_fn((ROWS, 1), |(i, _)| row(i).1);
    let fit = Ridge::new("linear()".parse().unwrap(), 1.0).fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let model = path_in(&folder, "m.safetensors");
    io::save_model(model.as_ref(), &Model::new(fit, Inputs::vectors(3, 1)).unwrap()).unwrap();
    assert_same(&files, |path| words(&format!("predict {model} DATA"), path), &["targets"]);
}
