//! Ridge regression on features in one pass: chunks, threads, merging, checkpoints.

use crate::common::assert_arrays_close;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::features::{FeatureMap, FeatureSpec, Landmarks, Nystrom, RandomFourier, RidgeStatistics};
use mercer::io::{self, Checkpoint, ChunkedFile, FileRules, PassOptions, ReadOptions, Resumed, Roles, SurveyedFile};
use mercer::learn::streamed::{ArrayRows, RowSource, TakeRows};
use mercer::learn::{Ridge, RidgeStream, StreamedRidge};
use mercer::model::{Inputs, Model};
use mercer::points::{Encoding, Missing, Scaling};
use mercer::{Cancel, Compute, Error, Progress, Result, Seed};
use ndarray::{Array1, Array2, Axis, s};
use tempfile::TempDir;

const ROWS: usize = 2500;

fn data() -> (Array2<f64>, Array2<f64>, Array1<f64>) {
    let mut stream = Seed(11).stream("data", 0);
    let x = Array2::from_shape_fn((ROWS, 3), |_| stream.normal());
    let y = Array2::from_shape_fn((ROWS, 2), |(i, j)| (x[[i, 0]] + j as f64).sin() + x[[i, 1]] * x[[i, 2]]);
    let noise = Array2::from_shape_fn((ROWS, 2), |_| 0.1 * stream.normal());
    let weights = Array1::from_shape_fn(ROWS, |_| stream.uniform());
    (x, y + noise, weights)
}

fn fourier(components: usize) -> FeatureSpec {
    FeatureSpec::Fourier(RandomFourier::new("gaussian(lengthscale=2)".parse().unwrap(), components))
}

fn chosen() -> StreamedRidge {
    StreamedRidge {
        lambdas: vec![1e-3, 1e-1, 10.0, 1000.0],
        folds: 4,
        intercept: true,
        ..StreamedRidge::new(fourier(60), 1.0)
    }
}

fn streamed(spec: &StreamedRidge, height: usize, compute: &Compute) -> RidgeStream {
    let (x, y, weights) = data();
    let mut stream = spec.start(x.slice(s![..500, ..]), 2, compute).unwrap();
    for start in (0..ROWS).step_by(height) {
        let rows = start..ROWS.min(start + height);
        let weights = weights.slice(s![rows.clone()]);
        stream.update(x.slice(s![rows.clone(), ..]), y.slice(s![rows, ..]), Some(weights), compute).unwrap();
    }
    stream
}

fn bytes_of(stream: &RidgeStream, compute: &Compute) -> Vec<u8> {
    let model = Model::new(stream.finish(compute).unwrap(), Inputs::vectors(3, 2)).unwrap();
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &model).unwrap();
    bytes
}

#[test]
fn the_answer_is_that_of_all_rows_at_once() {
    let (compute, (x, y, weights)) = (Compute::new(), data());
    let spec = StreamedRidge { intercept: true, ..StreamedRidge::new(fourier(60), 0.5) };
    let fit = streamed(&spec, 77, &compute).finish(&compute).unwrap();
    assert_eq!((fit.rows(), fit.lambda(), fit.scores().len()), (ROWS as u64, 0.5, 0));
    let mut all = RidgeStatistics::new(60, 2);
    let z = fit.features().transform(x.view(), &compute).unwrap();
    all.update(z.view(), y.view(), Some(weights.view()), &compute).unwrap();
    let expected = all.solve(0.5, true, &compute).unwrap();
    assert_arrays_close(&fit.weights().to_owned(), &expected.weights().to_owned(), 1e-9, "streamed");
    let predicted = fit.predict(x.view(), &compute).unwrap();
    let squares = ((&y - &predicted).mapv(|r| r * r) * weights.view().insert_axis(Axis(1))).sum_axis(Axis(0));
    for (found, expected) in fit.residual_squares().iter().zip(&squares) {
        assert_close!(*found, *expected, abs = 1e-9 * expected, "{found} {expected}");
    }
    let mean = (&y * &weights.view().insert_axis(Axis(1))).sum_axis(Axis(0)) / weights.sum();
    let total = ((&y - &mean).mapv(|r| r * r) * weights.view().insert_axis(Axis(1))).sum_axis(Axis(0));
    for (found, expected) in fit.total_squares().iter().zip(&total) {
        assert_close!(*found, *expected, abs = 1e-9 * expected, "{found} {expected}");
    }
}

/// More features than a block of the squares holds: the normal equations, written out.
#[test]
fn many_features_satisfy_the_normal_equations() {
    let (compute, (x, y, weights)) = (Compute::new(), data());
    let spec = StreamedRidge { intercept: true, ..StreamedRidge::new(fourier(150), 0.5) };
    let fit = streamed(&spec, 700, &compute).finish(&compute).unwrap();
    let z = fit.features().transform(x.view(), &compute).unwrap();
    let left = (&y - &fit.predict(x.view(), &compute).unwrap()) * weights.view().insert_axis(Axis(1));
    assert_arrays_close(&z.t().dot(&left), &(&fit.weights() * 0.5), 1e-8, "streamed");
    assert!(left.sum_axis(Axis(0)).iter().all(|sum| sum.abs() < 1e-8));
    let direct = fit.predict(x.view(), &compute).unwrap();
    let rows = ArrayRows { x: x.view(), y: y.view(), weights: Some(weights.view()) };
    let sample = (x.slice(s![..500, ..]), Some(weights.slice(s![..500])));
    let mut passes = spec.start_passes(sample.0, sample.1, 2, &compute).unwrap();
    while !passes.advance(&rows, 1e-10, &compute).unwrap() {
        assert!(passes.passes() < 60, "no convergence");
    }
    assert_arrays_close(&passes.finish().unwrap().predict(x.view(), &compute).unwrap(), &direct, 1e-6, "streamed");
}

/// With every point a landmark the projection loses nothing: the answer is kernel ridge regression.
#[test]
fn landmarks_at_every_point_give_kernel_ridge_regression() {
    let compute = Compute::new();
    let (x, y, _) = data();
    let (x, y) = (x.slice(s![..60, ..]).to_owned(), y.slice(s![..60, ..]).to_owned());
    let kernel: mercer::Kernel = "gaussian(lengthscale=1)".parse().unwrap();
    let landmarks = Landmarks::Points(x.clone());
    let spec = StreamedRidge::new(FeatureSpec::Nystrom(Nystrom { landmarks, ..Nystrom::new(kernel.clone(), 60) }), 0.1);
    let mut stream = spec.start(x.view(), 2, &compute).unwrap();
    stream.update(x.view(), y.view(), None, &compute).unwrap();
    let found = stream.finish(&compute).unwrap().predict(x.view(), &compute).unwrap();
    let exact = Ridge::new(kernel, 0.1).fit(x.view(), y.view(), None, &compute).unwrap();
    assert_arrays_close(&found, &exact.predict(x.view(), &compute).unwrap(), 1e-8, "streamed");
}

#[test]
fn bytes_depend_neither_on_chunks_nor_on_threads() {
    let spec = chosen();
    let one = Compute::new().with_threads(1).unwrap();
    let expected = bytes_of(&streamed(&spec, 1000, &one), &one);
    for (height, threads) in [(ROWS, 1), (1, 2), (7, 3), (1024, 2), (999, 1)] {
        let compute = Compute::new().with_threads(threads).unwrap();
        assert!(bytes_of(&streamed(&spec, height, &compute), &compute) == expected, "{height} rows, {threads} threads");
    }
    let other = one.clone().with_seed(Seed(1));
    assert!(bytes_of(&streamed(&spec, 1000, &other), &other) != expected);
}

#[test]
fn folds_are_scored_as_by_fits_without_them() {
    let (compute, (x, y, weights)) = (Compute::new(), data());
    let spec = chosen();
    let fit = streamed(&spec, 500, &compute).finish(&compute).unwrap();
    let z = fit.features().transform(x.view(), &compute).unwrap();
    for (score, &lambda) in fit.scores().iter().zip(&spec.lambdas) {
        let mut error = 0.0;
        for fold in 0..4 {
            let (own, others): (Vec<usize>, Vec<usize>) = (0..ROWS).partition(|i| i % 4 == fold);
            let mut rest = RidgeStatistics::new(60, 2);
            let pick = |m: &Array2<f64>, rows: &[usize]| m.select(Axis(0), rows);
            let v = weights.select(Axis(0), &others);
            rest.update(pick(&z, &others).view(), pick(&y, &others).view(), Some(v.view()), &compute).unwrap();
            let f = rest.solve(lambda, true, &compute).unwrap();
            let left = pick(&y, &own) - (pick(&z, &own).dot(&f.weights()) + f.intercept());
            error += (left.mapv(|r| r * r) * weights.select(Axis(0), &own).insert_axis(Axis(1))).sum();
        }
        let expected = error / (2.0 * weights.sum());
        assert_eq!(score.lambda, lambda);
        assert_close!(score.score, expected, abs = 1e-9 * expected, "λ = {lambda}: {} {expected}", score.score);
    }
    let best = fit.scores().iter().min_by(|a, b| a.score.total_cmp(&b.score)).unwrap();
    assert_eq!(fit.lambda(), best.lambda);
    assert!(fit.lambda() < 1000.0);
}

#[test]
fn streams_are_values() {
    let (compute, (x, y, weights)) = (Compute::new(), data());
    let spec = chosen();
    let whole = streamed(&spec, 600, &compute);
    // Half of the rows, through bytes, then the rest: the same bytes.
    let mut stream = spec.start(x.slice(s![..500, ..]), 2, &compute).unwrap();
    let mut other = stream.clone();
    let mut third = stream.without_rows(1300);
    let take = |stream: &mut RidgeStream, rows: std::ops::Range<usize>| {
        let v = weights.slice(s![rows.clone()]);
        stream.update(x.slice(s![rows.clone(), ..]), y.slice(s![rows, ..]), Some(v), &compute).unwrap();
    };
    take(&mut stream, 0..1300);
    assert_eq!(stream.rows(), 1300);
    let bytes = stream.to_bytes();
    stream = RidgeStream::from_bytes(&bytes).unwrap();
    take(&mut stream, 1300..ROWS);
    assert_eq!(stream, whole);
    // Two streams merged: the same stream, whichever of the two takes in the other.
    take(&mut other, 0..1300);
    take(&mut third, 1300..ROWS);
    let mut backwards = third.clone();
    backwards.merge(&other, &compute).unwrap();
    other.merge(&third, &compute).unwrap();
    assert_eq!(other, whole);
    assert_eq!(backwards, whole);
    assert_eq!(other.row_ranges(), [(0, ROWS as u64)]);
    let one = StreamedRidge { intercept: true, ..StreamedRidge::new(fourier(60), 0.5) };
    let mut a = one.start(x.view(), 2, &compute).unwrap();
    assert!(matches!(a.merge(&whole, &compute), Err(Error::Mismatch { .. })));
    for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(RidgeStream::from_bytes(&bytes[..length]), Err(Error::Record { .. })), "{length}");
    }
}

/// Rows of several blocks, with one output and weights.
fn long_data(rows: usize) -> (Array2<f64>, Array2<f64>, Array1<f64>) {
    let mut stream = Seed(12).stream("long data", 0);
    let x = Array2::from_shape_fn((rows, 2), |_| 3.0 * stream.normal());
    let y = Array2::from_shape_fn((rows, 1), |(i, _)| x[[i, 0]].sin() + 0.1 * x[[i, 1]] + 0.3 * stream.normal());
    let weights = Array1::from_shape_fn(rows, |_| stream.uniform());
    (x, y, weights)
}

/// However the rows are cut, and in whatever order the parts are merged, the bytes are those of one
/// machine: 1, 2, 7 and 13 uneven parts, some of them empty, with cuts inside of blocks.
#[test]
fn merged_parts_are_the_fit_of_one_computer() {
    const LONG: usize = 17_000;
    let compute = Compute::new();
    let (x, y, weights) = long_data(LONG);
    for folds in [1, 3] {
        let lambdas: Vec<f64> = (0..if folds == 1 { 1 } else { 9 }).map(|k| 10_f64.powi(k - 4)).collect();
        let spec =
            StreamedRidge { folds: folds.max(2), lambdas, intercept: true, ..StreamedRidge::new(fourier(20), 1.0) };
        let fresh = spec.start(x.slice(s![..500, ..]), 1, &compute).unwrap();
        let part = |rows: std::ops::Range<usize>| {
            let mut stream = fresh.without_rows(rows.start as u64);
            assert_eq!(stream.rows(), 0);
            let v = weights.slice(s![rows.clone()]);
            stream.update(x.slice(s![rows.clone(), ..]), y.slice(s![rows, ..]), Some(v), &compute).unwrap();
            RidgeStream::from_bytes(&stream.to_bytes()).unwrap()
        };
        let bytes = |stream: &RidgeStream| {
            let model = Model::new(stream.finish(&compute).unwrap(), Inputs::vectors(2, 1)).unwrap();
            (stream.to_bytes(), model_bytes(&model))
        };
        let expected = bytes(&part(0..LONG));
        let thirteen = [1, 1, 2047, 2048, 2049, 6000, 6144, 6144, 6145, 12_288, 12_289, 16_999];
        for cuts in [&[1301][..], &[6144], &[0, 5, 5, 9000, 9001, LONG], &thirteen] {
            let ends: Vec<usize> = cuts.iter().copied().chain([LONG]).collect();
            let starts = [0].into_iter().chain(ends.iter().copied());
            let parts: Vec<RidgeStream> = starts.zip(&ends).map(|(from, &to)| part(from..to)).collect();
            // From the left, from the right, and every second one first.
            let orders: [Vec<usize>; 3] = [
                (0..parts.len()).collect(),
                (0..parts.len()).rev().collect(),
                (0..parts.len()).step_by(2).chain((1..parts.len()).step_by(2)).collect(),
            ];
            for order in orders {
                let mut all = parts[order[0]].clone();
                order[1..].iter().for_each(|&next| all.merge(&parts[next], &compute).unwrap());
                assert!(bytes(&all) == expected, "{folds} folds, {cuts:?}, {order:?}");
                let before = all.clone();
                let last = parts.iter().rposition(|part| part.rows() > 0).unwrap();
                let error = all.merge(&parts[last], &compute).unwrap_err().to_string();
                assert!(error.contains("are in both parts"), "{error}");
                assert_eq!(all, before);
            }
            let mut gap = parts[0].clone();
            gap.merge(&parts[parts.len() - 1], &compute).unwrap();
            if gap.rows() > 0 && gap.rows() < LONG as u64 {
                let error = gap.finish(&compute).unwrap_err().to_string();
                assert!(error.contains("are missing"), "{error}");
            }
        }
    }
}

/// Exact sums keep the digits of plain ones: outputs of very different sizes too.
#[test]
fn outputs_of_different_sizes_keep_their_digits() {
    let compute = Compute::new();
    let (x, y, _) = long_data(5000);
    let both = ndarray::concatenate![Axis(1), y, &y * 1e-12];
    let spec = StreamedRidge::new(fourier(30), 1e-3);
    let mut stream = spec.start(x.slice(s![..500, ..]), 2, &compute).unwrap();
    stream.update(x.view(), both.view(), None, &compute).unwrap();
    let fit = stream.finish(&compute).unwrap();
    for (large, small) in fit.weights().column(0).iter().zip(fit.weights().column(1)) {
        assert_close!(small * 1e12, *large, 1e-9);
    }
    let huge = Array2::from_elem((5000, 2), 1e200);
    let mut stream = spec.start(x.slice(s![..500, ..]), 2, &compute).unwrap();
    assert!(matches!(stream.update(x.view(), huge.view(), None, &compute), Err(Error::Overflow { .. })));
}

/// Parts of a file, on several machines: the model of one.
#[test]
fn statistics_of_parts_of_a_file_merge_to_the_model_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 15_000);
    let compute = Compute::new();
    // Rows with gaps are dropped: the rows that count have other numbers than those of the file.
    let encoding = Encoding { missing: Missing::DropRows, ..rules().encoding };
    let rules = FileRules { encoding, ..rules() };
    let file = surveyed(&path, rules.clone(), &compute).unwrap();
    assert!(file.dropped() > 100);
    let expected = model_bytes(&file.fit(&nystrom(), None, &compute).unwrap().model);
    for count in [1, 2, 7, 13] {
        // Every machine looks at the file by itself, with its own memory and threads.
        let small = Compute::new().with_memory(60 << 20).with_threads(1).unwrap();
        let other = surveyed(&path, rules.clone(), &small).unwrap();
        let part = |i: usize| {
            let path = folder.path().join(format!("{i}.part"));
            let (file, compute) = if i.is_multiple_of(2) { (&file, &compute) } else { (&other, &small) };
            file.statistics(&nystrom(), io::RowPart::new(i, count).unwrap(), compute).unwrap().save(&path).unwrap();
            io::PartStatistics::load(&path, compute).unwrap()
        };
        let mut all = part(count);
        for i in (1..count).rev() {
            if i == 1 && count > 1 {
                let error = all.clone().into_model(&compute).err().unwrap().to_string();
                assert!(error.contains("are missing"), "{error}");
            }
            all.merge(&part(i), "a part", &compute).unwrap();
        }
        let error = all.merge(&part(1), "a part", &compute).unwrap_err().to_string();
        assert!(error.contains("are in both parts"), "{error}");
        assert!(model_bytes(&all.into_model(&compute).unwrap()) == expected, "{count} parts");
    }
    let part = |spec: &StreamedRidge, compute: &Compute| {
        file.statistics(spec, io::RowPart::new(1, 2).unwrap(), compute).unwrap()
    };
    let mut first = part(&nystrom(), &compute);
    let refused = |first: &mut io::PartStatistics, other: &io::PartStatistics| {
        first.merge(other, "other.part", &compute).unwrap_err().to_string()
    };
    let more = StreamedRidge { folds: nystrom().folds + 1, ..nystrom() };
    let error = refused(&mut first, &part(&more, &compute));
    assert!(error.contains("other.part is a part of another fit") && error.contains("folds"), "{error}");
    let error = refused(&mut first, &part(&nystrom(), &compute.clone().with_seed(Seed(9))));
    assert!(error.contains("seed = 9"), "{error}");
    let short = write_csv(&folder, 14_000);
    let other = surveyed(&short, rules, &compute).unwrap();
    let other = other.statistics(&nystrom(), io::RowPart::new(2, 2).unwrap(), &compute).unwrap();
    assert!(refused(&mut first, &other).contains("data differ"));
    let saved = folder.path().join("saved");
    first.save(&saved).unwrap();
    let bytes = std::fs::read(&saved).unwrap();
    let load = |bytes: &[u8]| {
        std::fs::write(&saved, bytes).unwrap();
        io::PartStatistics::load(&saved, &compute).err().unwrap().to_string()
    };
    let mut flipped = bytes.clone();
    let last = flipped.len() - 9;
    flipped[last] ^= 1;
    assert!(load(&flipped).contains("damaged"));
    assert!(load(&bytes[..bytes.len() / 2]).contains("no statistics can be read"));
    let text = String::from_utf8_lossy(&bytes[8..2000]).find("\"version\":\"1\"").unwrap() + 8;
    let mut newer = bytes.clone();
    newer[text + 11] = b'7';
    let error = load(&newer);
    assert!(error.contains("version"), "{error}");
}

#[test]
fn wrong_requests_and_chunks_are_refused() {
    let (compute, (x, y, _)) = (Compute::new(), data());
    let start = |spec: StreamedRidge, outputs| spec.start(x.view(), outputs, &compute).map(|_| ());
    assert!(matches!(start(StreamedRidge { lambdas: vec![], ..chosen() }, 1), Err(Error::Parameter { .. })));
    assert!(matches!(start(StreamedRidge { lambdas: vec![1.0, -1.0], ..chosen() }, 1), Err(Error::Parameter { .. })));
    assert!(matches!(start(StreamedRidge { folds: 1, ..chosen() }, 1), Err(Error::Parameter { .. })));
    assert!(matches!(start(chosen(), 0), Err(Error::Parameter { .. })));
    let small = compute.clone().with_memory(1000);
    assert!(matches!(chosen().start(x.view(), 1, &small), Err(Error::Memory { .. })));
    let mut stream = chosen().start(x.view(), 2, &compute).unwrap();
    assert!(matches!(stream.finish(&compute), Err(Error::Undetermined { .. })));
    let before = stream.clone();
    assert!(matches!(stream.update(x.slice(s![.., ..2]), y.view(), None, &compute), Err(Error::Shape { .. })));
    assert!(matches!(stream.update(x.view(), y.slice(s![..9, ..]), None, &compute), Err(Error::Shape { .. })));
    let mut bad = x.clone();
    bad[[17, 1]] = f64::NAN;
    assert!(matches!(stream.update(bad.view(), y.view(), None, &compute), Err(Error::Value { row: 17, .. })));
    let negative = Array1::from_elem(ROWS, -1.0);
    let updated = stream.update(x.view(), y.view(), Some(negative.view()), &compute);
    assert!(matches!(updated, Err(Error::Value { .. })));
    assert_eq!(stream, before);
}

/// A file of numbers, a category and gaps.
fn write_csv(folder: &TempDir, rows: usize) -> PathBuf {
    let mut stream = Seed(4).stream("file", 0);
    let mut text = String::from("id,a,b,kind,y,w\n");
    for i in 0..rows {
        let (a, b) = (stream.normal(), 5.0 + 3.0 * stream.normal());
        let kind = ["red", "green", "blue"][i % 3];
        let y = a.sin() + 0.1 * b + if kind == "red" { 1.0 } else { 0.0 } + 0.05 * stream.normal();
        let gap = if i % 97 == 5 { "NA".to_owned() } else { b.to_string() };
        text += &format!("{i},{a},{gap},{kind},{y},{}\n", stream.uniform());
    }
    let path = folder.path().join("data.csv");
    std::fs::write(&path, text).unwrap();
    path
}

fn rules() -> FileRules {
    FileRules {
        roles: Roles {
            inputs: ["a", "b", "kind"].map(String::from).to_vec(),
            targets: vec!["y".into()],
            weights: Some("w".into()),
        },
        encoding: Encoding { missing: Missing::Mean, scaling: Scaling::Standardize },
        leave_out: true,
        sample: 400,
    }
}

fn surveyed(path: &Path, rules: FileRules, compute: &Compute) -> Result<SurveyedFile> {
    SurveyedFile::new(ChunkedFile::open(path, &ReadOptions::default(), compute)?, rules, compute)
}

fn nystrom() -> StreamedRidge {
    let kernel = "gaussian(lengthscale=median)".parse().unwrap();
    StreamedRidge {
        lambdas: vec![1e-4, 1e-2, 1.0],
        intercept: true,
        ..StreamedRidge::new(FeatureSpec::Nystrom(Nystrom::new(kernel, 40)), 1.0)
    }
}

fn model_bytes(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, model).unwrap();
    bytes
}

/// Stops the work when it has come so far.
struct StopAt {
    cancel: Cancel,
    share: f64,
    recorded: AtomicUsize,
}

impl Progress for StopAt {
    fn report(&self, work: &str, done: u64, total: u64) {
        if work == "fitting" && done as f64 >= self.share * total as f64 {
            self.recorded.fetch_add(1, Ordering::Relaxed);
            self.cancel.cancel();
        }
    }
}

#[test]
fn a_fit_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 24_000);
    let compute = Compute::new().with_memory(20 << 20);
    let whole = surveyed(&path, rules(), &compute).unwrap().fit(&nystrom(), None, &compute).unwrap();
    assert_eq!(whole.resumed_at, None);
    let expected = model_bytes(&whole.model);
    let checkpoint = Checkpoint::new(folder.path().join("fit.checkpoint"), 200_000);
    for share in [0.3, 0.7] {
        let cancel = Cancel::default();
        let stop = Arc::new(StopAt { cancel: cancel.clone(), share, recorded: AtomicUsize::new(0) });
        let stopped = compute.clone().with_cancel(cancel).with_progress(stop.clone());
        let file = surveyed(&path, rules(), &stopped).unwrap();
        assert!(matches!(file.fit(&nystrom(), Some(&checkpoint), &stopped), Err(Error::Canceled)));
        assert!(stop.recorded.load(Ordering::Relaxed) > 0 && checkpoint.path.is_file());
    }
    // Another limit of the memory, other chunks, other threads.
    let other = Compute::new().with_memory(200 << 20).with_threads(1).unwrap();
    let resumed = surveyed(&path, rules(), &other).unwrap().fit(&nystrom(), Some(&checkpoint), &other).unwrap();
    assert!(matches!(resumed.resumed_at, Some(Resumed::Row(row)) if row > 12_000));
    assert!(model_bytes(&resumed.model) == expected);
}

/// A checkpoint in the middle of the file.
fn with_checkpoint(folder: &TempDir, path: &Path) -> Checkpoint {
    let checkpoint = Checkpoint::new(folder.path().join("fit.checkpoint"), 1000);
    let compute = Compute::new().with_memory(20 << 20);
    surveyed(path, rules(), &compute).unwrap().fit(&nystrom(), Some(&checkpoint), &compute).unwrap();
    checkpoint
}

#[test]
fn checkpoints_of_other_fits_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 6000);
    let checkpoint = with_checkpoint(&folder, &path);
    let compute = Compute::new();
    let reason = |rules: FileRules, spec: &StreamedRidge, checkpoint: &Checkpoint, compute: &Compute| {
        let file = surveyed(&path, rules, compute).unwrap();
        file.fit(spec, Some(checkpoint), compute).err().unwrap().to_string()
    };
    let spec = StreamedRidge { lambdas: vec![1.0], ..nystrom() };
    let found = reason(rules(), &spec, &checkpoint, &compute);
    assert!(found.contains("lambdas = [0.0001, 0.01, 1.0], and this fit has lambdas = [1.0]"), "{found}");
    let found = reason(rules(), &nystrom(), &checkpoint, &compute.clone().with_seed(Seed(1)));
    assert!(found.contains("seed = 0, and this fit has seed = 1"), "{found}");
    let unweighted = FileRules { roles: Roles { weights: None, ..rules().roles }, ..rules() };
    assert!(reason(unweighted, &nystrom(), &checkpoint, &compute).contains("weights = w"));
    let fresh = Checkpoint { resume: false, ..checkpoint.clone() };
    assert!(reason(rules(), &nystrom(), &fresh, &compute).contains("already"));
    let mut bytes = std::fs::read(&checkpoint.path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&checkpoint.path, &bytes).unwrap();
    assert!(reason(rules(), &nystrom(), &checkpoint, &compute).contains("no checkpoint can be read"));
    std::fs::write(&checkpoint.path, &bytes[..middle]).unwrap();
    assert!(reason(rules(), &nystrom(), &checkpoint, &compute).contains("no checkpoint can be read"));
}

#[test]
fn changed_data_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 6000);
    let checkpoint = with_checkpoint(&folder, &path);
    // A digit of a column that the fit does not even use.
    let text = std::fs::read_to_string(&path).unwrap().replace("\n4000,", "\n4001,");
    std::fs::write(&path, text).unwrap();
    let compute = Compute::new();
    let file = surveyed(&path, rules(), &compute).unwrap();
    let error = file.fit(&nystrom(), Some(&checkpoint), &compute).err().unwrap().to_string();
    assert!(error.contains("the data has changed"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_the_checkpoint_before_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 6000);
    let compute = Compute::new().with_memory(20 << 20);
    let file = surveyed(&path, rules(), &compute).unwrap();
    let full = Checkpoint::new("/dev/full", 1000);
    let Err(Error::File { path: found, .. }) = file.fit(&nystrom(), Some(&full), &compute) else {
        panic!("a file error")
    };
    assert_eq!(found, Path::new("/dev/full"));
    let nowhere = Checkpoint::new(folder.path().join("no/such/folder"), 1000);
    assert!(matches!(file.fit(&nystrom(), Some(&nowhere), &compute), Err(Error::File { .. })));
}

#[test]
fn errors_name_the_row_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 6000);
    let compute = Compute::new().with_memory(20 << 20);
    let strict = FileRules { encoding: Encoding::default(), leave_out: false, ..rules() };
    let row = |rules: FileRules| match surveyed(&path, rules, &compute) {
        Err(Error::Value { row, column, .. }) => (row, column),
        other => panic!("another answer: {:?}", other.map(|_| ()).unwrap_err()),
    };
    assert_eq!(row(strict.clone()), (5, "b".into()));
    let text = std::fs::read_to_string(&path).unwrap();
    let put = |from: &str, to: &str| std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let start = text.find("\n5017,").unwrap();
    let line = text[start + 1..].lines().next().unwrap().to_owned();
    let cells: Vec<&str> = line.split(',').collect();
    put(&line, &format!("5017,{},{},{},,{}", cells[1], cells[2], cells[3], cells[5]));
    assert_eq!(row(FileRules { leave_out: false, ..rules() }), (5017, "y".into()));
    assert_eq!(surveyed(&path, rules(), &compute).unwrap().without_target(), 1);
    put(&line, &format!("5017,inf,{},{},{},{}", cells[2], cells[3], cells[4], cells[5]));
    assert_eq!(row(rules()), (5017, "a".into()));
    put(&line, &format!("5017,{},{},{},{},-1", cells[1], cells[2], cells[3], cells[4]));
    let file = surveyed(&path, rules(), &compute).unwrap();
    let Err(Error::Value { row, .. }) = file.fit(&nystrom(), None, &compute) else { panic!("a negative weight") };
    assert_eq!(row, 5017);
}

#[test]
fn wrong_roles_and_empty_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 50);
    let compute = Compute::new();
    let reason = |change: &dyn Fn(&mut Roles)| {
        let mut rules = rules();
        change(&mut rules.roles);
        surveyed(&path, rules, &compute).err().unwrap().to_string()
    };
    assert!(reason(&|r| r.targets = vec!["z".into()]).contains("no column `z`"));
    let texts = |r: &mut Roles| (r.inputs, r.targets) = (vec!["a".into()], vec!["kind".into()]);
    assert!(reason(&texts).contains("categories"));
    assert!(reason(&|r| r.targets = vec!["a".into()]).contains("twice"));
    assert!(reason(&|r| r.inputs.clear()).contains("expected at least 1, found 0"));
    let header = folder.path().join("none.csv");
    std::fs::write(&header, "id,a,b,kind,y,w\n").unwrap();
    assert!(surveyed(&header, rules(), &compute).is_err());
}

/// The encoding, the sample and the model of a file are those of its table in memory.
#[test]
fn a_saved_model_predicts_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 3000);
    let compute = Compute::new();
    let file = surveyed(&path, rules(), &compute).unwrap();
    assert_eq!((file.rows(), file.filled(), file.dropped()), (3000, 31, 0));
    let model = file.fit(&nystrom(), None, &compute).unwrap().model;
    let saved = folder.path().join("model");
    io::save_model(&saved, &model).unwrap();
    let loaded = io::load_model(&saved, &compute).unwrap();
    let table = io::read_table(&path, &ReadOptions::default(), &compute).unwrap();
    let found = loaded.predict_table(&table, &compute).unwrap();
    assert_eq!(found.values, model.predict_table(&table, &compute).unwrap().values);
    let truth = table.column("y").unwrap();
    let mercer::points::ColumnData::Numbers(truth) = &truth.data else { panic!("numbers") };
    let error = found.values.column(0).iter().zip(truth).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / 3000.0;
    // The noise has variance 0.0025; gaps in b add a little.
    assert!(error < 0.006, "{error}");
    assert_eq!(loaded.fitted().kind(), "streamed_ridge");
}

/// Passes over the rows, in chunks of some height.
struct Chunked<'a> {
    rows: ArrayRows<'a>,
    height: usize,
}

impl RowSource for Chunked<'_> {
    fn each_chunk(&self, take: &mut TakeRows<'_>) -> Result<()> {
        for start in (0..self.rows.x.nrows()).step_by(self.height) {
            let rows = start..self.rows.x.nrows().min(start + self.height);
            let weights = self.rows.weights.as_ref().map(|w| w.slice(s![rows.clone()]));
            take(self.rows.x.slice(s![rows.clone(), ..]), self.rows.y.slice(s![rows, ..]), weights)?;
        }
        Ok(())
    }
}

#[test]
fn several_passes_come_to_the_answer_of_one() {
    let (compute, (x, y, weights)) = (Compute::new(), data());
    let kernel: mercer::Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    for features in [fourier(60), FeatureSpec::Nystrom(Nystrom::new(kernel, 50))] {
        for intercept in [false, true] {
            let spec = StreamedRidge { intercept, ..StreamedRidge::new(features.clone(), 0.3) };
            let direct = streamed(&spec, 800, &compute).finish(&compute).unwrap();
            let rows = ArrayRows { x: x.view(), y: y.view(), weights: Some(weights.view()) };
            let sample = (x.slice(s![..500, ..]), Some(weights.slice(s![..500])));
            let mut bytes = Vec::new();
            for height in [3000, 17] {
                let mut passes = spec.start_passes(sample.0, sample.1, 2, &compute).unwrap();
                while !passes.advance(&Chunked { rows, height }, 1e-10, &compute).unwrap() {
                    assert!(passes.passes() < 40, "no convergence");
                }
                let fit = passes.finish().unwrap();
                let evidence = fit.passes().unwrap();
                assert!(evidence.converged && evidence.residual <= 1e-10 && evidence.passes > 2);
                assert_arrays_close(
                    &fit.predict(x.view(), &compute).unwrap(),
                    &direct.predict(x.view(), &compute).unwrap(),
                    1e-7,
                    "streamed",
                );
                for (found, expected) in fit.residual_squares().iter().zip(direct.residual_squares()) {
                    assert_close!(*found, *expected, abs = 1e-6 * expected, "{found} {expected}");
                }
                assert_eq!((fit.rows(), fit.total_weight()), (direct.rows(), direct.total_weight()));
                let model = Model::new(fit, Inputs::vectors(3, 2)).unwrap();
                bytes.push(model_bytes(&model));
            }
            assert!(bytes[0] == bytes[1], "the cut into chunks matters");
        }
    }
    let several = StreamedRidge { lambdas: vec![1.0, 2.0], ..StreamedRidge::new(fourier(60), 1.0) };
    assert!(matches!(several.start_passes(x.view(), None, 2, &compute), Err(Error::Unsupported { .. })));
    let one = StreamedRidge::new(fourier(60), 1.0).start_passes(x.view(), None, 2, &compute).unwrap();
    assert!(matches!(one.finish(), Err(Error::TooFew { .. })));
}

#[test]
fn several_passes_over_a_file_resume_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_csv(&folder, 6000);
    let compute = Compute::new().with_memory(20 << 20);
    let spec = StreamedRidge { lambdas: vec![1e-2], ..nystrom() };
    let options = PassOptions { tolerance: 1e-9, max_passes: 40 };
    let file = surveyed(&path, rules(), &compute).unwrap();
    let whole = file.fit_by_passes(&spec, options, None, &compute).unwrap();
    let direct = file.fit(&spec, None, &compute).unwrap();
    let table = io::read_table(&path, &ReadOptions::default(), &compute).unwrap();
    let given = |model: &Model| model.predict_table(&table, &compute).unwrap().values;
    assert_arrays_close(&given(&whole.model), &given(&direct.model), 1e-6, "streamed");
    let checkpoint = Checkpoint::new(folder.path().join("passes.checkpoint"), 0);
    let few = PassOptions { max_passes: 4, ..options };
    let stopped = file.fit_by_passes(&spec, few, Some(&checkpoint), &compute).unwrap();
    let fit = stopped.model.fit::<mercer::learn::StreamedRidgeFit>().expect("another kind");
    assert!(!fit.passes().unwrap().converged && fit.passes().unwrap().passes == 4);
    let one = compute.clone().with_threads(1).unwrap();
    let resumed = file.fit_by_passes(&spec, options, Some(&checkpoint), &one).unwrap();
    assert!(matches!(resumed.resumed_at, Some(Resumed::Passes(1..))));
    assert!(model_bytes(&resumed.model) == model_bytes(&whole.model));
    let error = file.fit(&spec, Some(&checkpoint), &compute).err().unwrap().to_string();
    assert!(error.contains("solver = several passes"), "{error}");
}
