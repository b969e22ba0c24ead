//! Model files that are broken in every way: an error with the reason, no panic, no huge
//! allocation.

use std::path::Path;

use mercer::learn::gaussian_process::sparse::Inducing;
use mercer::learn::smoother::{Bandwidth, NadarayaWatson};
use mercer::learn::spline::{Smoothing, SmoothingSpline};
use mercer::learn::svm::{Calibration, Classes, OneClass, Svc, Svr};
use mercer::learn::{
    GaussianProcess, KernelMachine, LogisticRegression, Loss, QuantileCurves, Ridge, SharedGaussianProcess,
    SparseGaussianProcess,
};
use mercer::model::{Inputs, Model};
use mercer::{Compute, Error, io};
use ndarray::{Array2, array};
use serde_json::Value;

fn models() -> Vec<Model> {
    let compute = Compute::new();
    let (x, y) = (array![[0.0], [1.0], [2.0], [3.5]], array![[1.0], [2.0], [0.5], [1.0]]);
    let ridge = Ridge { intercept: true, ..Ridge::new("gaussian()".parse().unwrap(), 0.1) };
    let process = GaussianProcess { restarts: 1, ..GaussianProcess::new("gaussian()".parse().unwrap(), 0.1) };
    let sparse = SparseGaussianProcess::new("gaussian()".parse().unwrap(), 0.1, Inducing::Greedy(3));
    let shared = SharedGaussianProcess::new("gaussian()".parse().unwrap());
    let rows = array![0.1, 0.2, 0.1, 0.3];
    let spline = SmoothingSpline { smoothing: Smoothing::Lambda(0.1), ..SmoothingSpline::default() };
    let round = SmoothingSpline { period: Some(5.0), ..spline };
    let local = NadarayaWatson { bandwidth: Bandwidth::Fixed(1.0), ..NadarayaWatson::default() };
    let (line, values) = (x.column(0), y.column(0));
    let kernel = || "gaussian()".parse().unwrap();
    let classes = Classes::from_texts(["a", "b", "c", "a"]);
    let svc = |calibration| Svc { calibration: Some(calibration), ..Svc::new(kernel(), 1.0) };
    let sigmoids = svc(Calibration::Sigmoid { folds: 2 });
    let steps = svc(Calibration::Isotonic { folds: 2 });
    let logistic = LogisticRegression { leave_one_out: true, ..LogisticRegression::new(kernel(), 1.0) };
    let huber = KernelMachine::new(Loss::Huber { delta: 0.5 }, kernel(), 1.0);
    let curves = QuantileCurves::new(&[0.25, 0.75], kernel(), 1.0);
    let inputs = || Inputs::vectors(1, 1);
    vec![
        Model::new(ridge.fit(x.view(), y.view(), None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(process.fit(x.view(), values, &compute).unwrap(), inputs()).unwrap(),
        Model::new(sparse.fit(x.view(), values, &compute).unwrap(), inputs()).unwrap(),
        Model::new(shared.fit(x.view(), y.view(), rows.view(), &compute).unwrap(), inputs()).unwrap(),
        Model::new(spline.fit(line, values, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(round.fit(line, values, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(local.fit(x.view(), values, &compute).unwrap(), inputs()).unwrap(),
        Model::new(sigmoids.fit(x.view(), &classes, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(steps.fit(x.view(), &classes, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(Svr::new(kernel(), 1.0, 0.1).fit(x.view(), values, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(OneClass::new(kernel(), 0.5).fit(x.view(), None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(logistic.fit(x.view(), &[0, 1, 0, 1], None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(huber.fit(x.view(), values, None, &compute).unwrap(), inputs()).unwrap(),
        Model::new(curves.fit(x.view(), values, None, &compute).unwrap(), inputs()).unwrap(),
    ]
}

fn bytes(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    io::write_model(&mut out, model).unwrap();
    out
}

/// The header and the numbers.
fn open(file: &[u8]) -> (Value, Vec<u8>) {
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&file[8..8 + length]).unwrap(), file[8 + length..].to_vec())
}

fn close(header: &Value, data: &[u8]) -> Vec<u8> {
    let text = header.to_string();
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), data].concat()
}

/// The reason that is given for a file.
fn reason(file: &[u8]) -> String {
    match io::read_model(file, "m.safetensors", &Compute::new()) {
        Err(Error::Format { path, reason, .. }) => {
            assert_eq!(path, Path::new("m.safetensors"));
            reason
        }
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("the file was taken"),
    }
}

/// The file with one text changed.
fn with_text(model: &Model, name: &str, text: &str) -> Vec<u8> {
    let (mut header, data) = open(&bytes(model));
    header["__metadata__"][name] = text.into();
    close(&header, &data)
}

#[test]
fn versions_formats_and_kinds() {
    let model = &models()[0];
    assert!(reason(&with_text(model, "version", "4")).contains("newer Mercer"));
    assert!(reason(&with_text(model, "version", "one")).contains("version"));
    assert!(reason(&with_text(model, "format", "pt")).contains("not written by Mercer"));
    assert!(reason(&with_text(model, "kind", "svm")).contains("svm"));
    assert!(reason(&with_text(model, "kind", "spline")).contains("missing"));
    assert!(reason(&with_text(model, "kernel", "gausian()")).contains("gaussian"));
    assert!(reason(&with_text(model, "kernel", &"exp(".repeat(100_000))).contains("nest"));
    assert!(reason(&with_text(model, "inputs", "{")).contains("inputs"));
    assert!(reason(&with_text(model, "inputs", "[]")).contains("inputs"));
    assert!(reason(&with_text(model, "method", "magic")).contains("magic"));
    let two = r#"{"features":{"dimension":2,"names":null},"targets":[null],"unused":[]}"#;
    assert!(reason(&with_text(model, "inputs", two)).contains("coordinates"));
}

#[test]
fn a_file_that_is_cut_or_no_model_at_all() {
    for model in models() {
        let whole = bytes(&model);
        for length in (0..whole.len()).step_by(7) {
            reason(&whole[..length]);
        }
    }
    assert!(reason(b"").contains("cut short"));
    assert!(reason(b"speed,dist\n4,2\n7,4\n").contains("no safetensors"));
}

/// Every array in turn: left out, turned into another shape, with a NaN inside. Either the file is
/// refused, with the name of the array, or (for what predictions do not need) the model predicts
/// without a panic.
#[test]
fn arrays_that_are_missing_misshapen_or_not_finite() {
    let x = Array2::from_shape_fn((9, 1), |(i, _)| i as f64 / 2.0 - 0.5);
    let mut refused = 0;
    for model in models() {
        let (header, data) = open(&bytes(&model));
        let names: Vec<String> = header.as_object().unwrap().keys().filter(|k| *k != "__metadata__").cloned().collect();
        for name in names {
            for change in 0..4 {
                let (mut header, mut data) = (header.clone(), data.clone());
                let begin = header[&name]["data_offsets"][0].as_u64().unwrap() as usize;
                let length = header[&name]["data_offsets"][1].as_u64().unwrap() as usize - begin;
                match change {
                    0 => {
                        header[format!("other {name}")] = header[&name].clone();
                        header.as_object_mut().unwrap().remove(&name);
                    }
                    1 => header[&name]["shape"] = serde_json::json!([length / 8, 1]),
                    2 => header[&name]["shape"] = serde_json::json!([length / 8]),
                    _ if length > 0 => data[begin..begin + 8].copy_from_slice(&f64::NAN.to_le_bytes()),
                    _ => {}
                }
                match io::read_model(&close(&header, &data), "m", &Compute::new()) {
                    Err(Error::Format { reason, .. }) => {
                        assert!(
                            reason.contains(&name) || reason.contains("coordinates") || reason.contains("null_"),
                            "{name}: {reason}"
                        );
                        refused += 1;
                    }
                    Err(other) => panic!("{name}: another error: {other}"),
                    Ok(model) => {
                        let values = model.predict(x.view(), &Compute::new()).unwrap();
                        assert!(values.iter().all(|v| v.is_finite()), "{name}");
                        let _ = model.predict_interval(x.view(), 0.9, &Compute::new());
                    }
                }
            }
        }
    }
    assert!(refused > 100, "only {refused} were refused");
}

/// Every byte of the numbers and every eighth bit of the header, turned.
#[test]
fn turned_bits_never_panic() {
    let x = Array2::from_shape_fn((5, 1), |(i, _)| i as f64 / 2.0 - 0.5);
    for model in models() {
        let whole = bytes(&model);
        for at in (0..whole.len()).step_by(3) {
            let mut file = whole.clone();
            file[at] ^= 1 << (at % 8);
            if let Ok(model) = io::read_model(&file, "m", &Compute::new()) {
                let _ = model.predict(x.view(), &Compute::new());
                let _ = model.predict_interval(x.view(), 0.9, &Compute::new());
            }
        }
    }
}

#[test]
fn files_that_cannot_be_written_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let model = &models()[0];
    let nowhere = folder.path().join("no/such/model.safetensors");
    assert!(matches!(io::save_model(&nowhere, model), Err(Error::File { .. })));
    assert!(matches!(io::load_model(&nowhere, &Compute::new()), Err(Error::File { .. })));
    assert!(matches!(io::load_model(folder.path(), &Compute::new()), Err(Error::File { .. })));
    let path = folder.path().join("model.safetensors");
    io::save_model(&path, model).unwrap();
    let small = Compute::new().with_memory(1000);
    assert!(matches!(io::load_model(&path, &small), Err(Error::Memory { .. })));
    if cfg!(target_os = "linux") {
        let full = io::save_model(Path::new("/dev/full"), model);
        assert!(matches!(full, Err(Error::File { source, .. }) if source.kind() == std::io::ErrorKind::StorageFull));
    }
}
