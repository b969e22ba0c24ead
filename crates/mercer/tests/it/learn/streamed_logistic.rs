//! Logistic regression on features in passes: the minimum, parts, chunks, files, checkpoints.

use std::path::PathBuf;

use mercer::features::{FeatureMap, FeatureSpec, Nystrom, RandomFourier};
use mercer::io::{self, Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, SurveyedFile};
use mercer::learn::streamed::{LogisticStep, LogisticStream};
use mercer::learn::{LogisticRegression, StreamedLogistic, StreamedLogisticFit};
use mercer::model::{Inputs, Model};
use mercer::points::{Encoding, Missing, Scaling};
use mercer::{Compute, Error, Seed};
use ndarray::{Array1, Array2, Axis, s};
use tempfile::TempDir;

const ROWS: usize = 5000;

/// Points in the plane, and a class by the angle, with some noise.
fn data(classes: usize) -> (Array2<f64>, Vec<usize>, Array1<f64>) {
    let mut stream = Seed(5).stream("classes", 0);
    let x = Array2::from_shape_fn((ROWS, 2), |_| stream.normal());
    let of = (0..ROWS).map(|i| {
        let angle = x[[i, 1]].atan2(x[[i, 0]]) + 0.3 * stream.normal();
        (angle.rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU * classes as f64) as usize % classes
    });
    let of: Vec<usize> = of.collect();
    let weights = Array1::from_shape_fn(ROWS, |_| 0.5 + stream.uniform());
    (x, of, weights)
}

fn fourier(components: usize) -> FeatureSpec {
    FeatureSpec::Fourier(RandomFourier::new("gaussian(lengthscale=1)".parse().unwrap(), components))
}

fn labels(of: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn((of.len(), 1), |(i, _)| of[i] as f64)
}

/// At the minimum `Zᵀv(p − y) + λw = 0`, and the residuals of every class have sum 0.
#[test]
fn the_gradient_is_zero_at_the_end() {
    let compute = Compute::new();
    for classes in [2, 3, 5] {
        let (x, of, weights) = data(classes);
        let spec = StreamedLogistic { tolerance: 1e-16, ..StreamedLogistic::new(fourier(40), 0.5) };
        let fit = spec.fit(x.view(), &of, Some(weights.view()), classes, &compute).unwrap();
        assert!(fit.converged(), "{classes} classes: {} after {} passes", fit.decrease(), fit.passes());
        let z = fit.features().transform(x.view(), &compute).unwrap();
        let p = fit.probabilities(x.view(), &compute).unwrap();
        let columns: Vec<usize> = if classes == 2 { vec![1] } else { (0..classes).collect() };
        for (f, &c) in columns.iter().enumerate() {
            let left = Array1::from_shape_fn(ROWS, |i| weights[i] * (p[[i, c]] - f64::from(of[i] == c)));
            let gradient = z.t().dot(&left) + &fit.weights().column(f) * 0.5;
            let largest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            assert!(largest < 1e-4, "{classes} classes: {largest}");
            assert!(left.sum().abs() < 1e-4, "{}", left.sum());
        }
        let right = fit.predict(x.view(), &compute).unwrap().iter().zip(&of).filter(|(a, b)| a == b).count();
        assert!(right > 7 * ROWS / 10, "{right}");
    }
}

/// With every point a landmark the features lose nothing: the answer is that of the kernel.
#[test]
fn landmarks_at_every_point_give_kernel_logistic_regression() {
    let compute = Compute::new();
    let kernel: mercer::Kernel = "gaussian(lengthscale=1)".parse().unwrap();
    for classes in [2, 3] {
        let (x, of, _) = data(classes);
        let (x, of) = (x.slice(s![..90, ..]).to_owned(), &of[..90]);
        let spec = StreamedLogistic {
            tolerance: 1e-14,
            ..StreamedLogistic::new(FeatureSpec::Nystrom(Nystrom::new(kernel.clone(), 90)), 1.0)
        };
        let fit = spec.fit(x.view(), of, None, classes, &compute).unwrap();
        let exact = LogisticRegression::new(kernel.clone(), 1.0).fit(x.view(), of, None, &compute).unwrap();
        let (found, expected) =
            (fit.probabilities(x.view(), &compute).unwrap(), exact.probabilities(x.view(), &compute).unwrap());
        assert_close!(&found, &expected, each = 1e-4);
    }
}

/// One pass in parts, in some order.
fn pass(stream: LogisticStream, cuts: &[usize], classes: usize, compute: &Compute) -> LogisticStep {
    let (x, of, weights) = data(classes);
    let y = labels(&of);
    let ends: Vec<usize> = cuts.iter().copied().chain([ROWS]).collect();
    let mut from = 0;
    let mut parts = Vec::new();
    for to in ends {
        let mut part = stream.without_rows(from as u64);
        let rows = s![from..to, ..];
        let v = weights.slice(s![from..to]);
        part.update(x.slice(rows), y.slice(rows), Some(v), compute).unwrap();
        parts.push(LogisticStream::from_bytes(&part.to_bytes()).unwrap());
        from = to;
    }
    let mut all = parts.pop().unwrap();
    parts.iter().for_each(|part| all.merge(part, compute).unwrap());
    let twice = all.rows() > 0 && parts.first().is_some_and(|part| part.rows() > 0);
    if twice {
        assert!(matches!(all.merge(&parts[0], compute), Err(Error::Mismatch { .. })));
    }
    all.next(compute).unwrap()
}

fn model_bytes(fit: StreamedLogisticFit) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &Model::new(fit, Inputs::vectors(2, 1)).unwrap()).unwrap();
    bytes
}

#[test]
fn bytes_do_not_depend_on_parts_or_threads() {
    for classes in [2, 3] {
        let (x, of, weights) = data(classes);
        let spec = StreamedLogistic { max_passes: 6, ..StreamedLogistic::new(fourier(30), 0.5) };
        let one = Compute::new().with_threads(1).unwrap();
        let expected = model_bytes(spec.fit(x.view(), &of, Some(weights.view()), classes, &one).unwrap());
        for cuts in [&[][..], &[1301], &[0, 1, 2047, 2048, 2048, 4999]] {
            let compute = Compute::new();
            let mut stream = spec.start(x.view(), classes, &compute).unwrap();
            let fit = loop {
                match pass(stream, cuts, classes, &compute) {
                    LogisticStep::Again(next) => stream = *next,
                    LogisticStep::Done(fit) => break *fit,
                }
            };
            assert!(model_bytes(fit) == expected, "{classes} classes, {cuts:?}");
        }
    }
}

#[test]
fn wrong_requests_are_refused() {
    let compute = Compute::new();
    let (x, of, _) = data(2);
    let start = |spec: StreamedLogistic, classes| spec.start(x.view(), classes, &compute).map(|_| ());
    let plain = || StreamedLogistic::new(fourier(10), 1.0);
    assert!(matches!(start(StreamedLogistic { lambda: 0.0, ..plain() }, 2), Err(Error::Parameter { .. })));
    assert!(matches!(start(StreamedLogistic { max_passes: 0, ..plain() }, 2), Err(Error::Parameter { .. })));
    assert!(matches!(start(plain(), 1), Err(Error::TooFew { .. })));
    let mut stream = plain().start(x.view(), 2, &compute).unwrap();
    let before = stream.clone();
    let mut y = labels(&of);
    y[[17, 0]] = 2.0;
    assert!(matches!(stream.update(x.view(), y.view(), None, &compute), Err(Error::Value { row: 17, .. })));
    y[[17, 0]] = 0.5;
    assert!(matches!(stream.update(x.view(), y.view(), None, &compute), Err(Error::Value { row: 17, .. })));
    assert_eq!(stream, before);
    assert!(matches!(stream.clone().next(&compute), Err(Error::TooFew { .. })));
    let mut late = stream.without_rows(100);
    late.update(x.view(), labels(&of).view(), None, &compute).unwrap();
    let error = late.next(&compute).unwrap_err().to_string();
    assert!(error.contains("the rows 0 to 99 are missing"), "{error}");
    let bytes = stream.to_bytes();
    for length in [0, 9, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(LogisticStream::from_bytes(&bytes[..length]), Err(Error::Record { .. })), "{length}");
    }
}

/// A file with a category as the class.
fn write_csv(folder: &TempDir) -> PathBuf {
    let (x, of, weights) = data(3);
    let mut text = String::from("a,b,color,w\n");
    for i in 0..ROWS {
        let gap = if i % 89 == 3 { "NA".to_owned() } else { x[[i, 1]].to_string() };
        text += &format!("{},{gap},{},{}\n", x[[i, 0]], ["red", "green", "blue"][of[i]], weights[i]);
    }
    let path = folder.path().join("data.csv");
    std::fs::write(&path, text).unwrap();
    path
}

fn surveyed(path: &std::path::Path, compute: &Compute) -> SurveyedFile {
    let roles =
        Roles { inputs: vec!["a".into(), "b".into()], targets: vec!["color".into()], weights: Some("w".into()) };
    let encoding = Encoding { missing: Missing::DropRows, scaling: Scaling::Standardize };
    let rules = FileRules { roles, encoding, leave_out: true, sample: 800 };
    let file = ChunkedFile::open(path, &ReadOptions::default(), compute).unwrap();
    SurveyedFile::of_classes(file, rules, compute).unwrap()
}

fn bytes_of(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, model).unwrap();
    bytes
}

#[test]
fn files_resume_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder);
    let compute = Compute::new().with_memory(30 << 20);
    let file = surveyed(&path, &compute);
    assert_eq!(file.classes().unwrap(), ["blue", "green", "red"]);
    let spec = StreamedLogistic { tolerance: 1e-6, ..StreamedLogistic::new(fourier(24), 0.5) };
    let whole = file.fit_logistic(&spec, None, &compute).unwrap();
    let fit = whole.model.fit::<StreamedLogisticFit>().unwrap();
    assert!(fit.converged() && fit.passes() > 3);
    let table = io::read_table(&path, &ReadOptions::default(), &compute).unwrap();
    let complete: Vec<usize> = (0..ROWS).filter(|i| i % 89 != 3).collect();
    let table = table.select_rows(&complete).unwrap();
    let (_, of, _) = data(3);
    let names = ["red", "green", "blue"];
    let predicted = whole.model.predict_table(&table, &compute).unwrap().values;
    let right = complete
        .iter()
        .zip(predicted.index_axis(Axis(1), 0))
        .filter(|(row, class)| whole.model.classes().unwrap()[**class as usize] == names[of[**row]]);
    assert!(right.count() > 7 * ROWS / 10);
    // Stopped after two passes by a limit that is not part of the checkpoint's facts: a kill.
    let checkpoint = Checkpoint::new(folder.path().join("checkpoint"), 0);
    let stop = mercer::Cancel::default();
    let stopping = compute.clone().with_cancel(stop.clone()).with_progress(stop_in("pass 3", stop));
    assert!(matches!(file.fit_logistic(&spec, Some(&checkpoint), &stopping), Err(Error::Canceled)));
    let resumed = file.fit_logistic(&spec, Some(&checkpoint), &compute.clone().with_threads(1).unwrap()).unwrap();
    assert!(matches!(resumed.resumed_at, Some(Resumed::Passes(2))), "{:?}", resumed.resumed_at);
    assert!(bytes_of(&resumed.model) == bytes_of(&whole.model));
    let other = StreamedLogistic { lambda: 2.0, ..spec };
    let error = file.fit_logistic(&other, Some(&checkpoint), &compute).err().unwrap().to_string();
    assert!(error.contains("lambda"), "{error}");
}

/// Cancels as soon as this work is reported.
fn stop_in(work: &'static str, stop: mercer::Cancel) -> std::sync::Arc<dyn mercer::Progress> {
    struct Stop(&'static str, mercer::Cancel);
    impl mercer::Progress for Stop {
        fn report(&self, work: &str, _: u64, _: u64) {
            if work == self.0 {
                self.1.cancel();
            }
        }
    }
    std::sync::Arc::new(Stop(work, stop))
}
