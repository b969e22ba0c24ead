//! Views through features: the answers of the exact views, and the same bytes however rows are cut.

use mercer::features::{FeatureSpec, Nystrom, RandomFourier};
use mercer::io::{self, Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, SurveyedFile};
use mercer::model::{AnyFit, Inputs, Model};
use mercer::points::Encoding;
use mercer::settings::Settings;
use mercer::view::pca::KernelPca;
use mercer::view::streamed::{StreamedKMeans, StreamedPca, StreamedPcaFit, ViewStep, ViewStream};
use mercer::view::{KernelKMeans, adjusted_rand_index};
use mercer::{Cancel, Compute, Error, Kernel, Progress, Seed};
use ndarray::{Array1, Array2, Axis, s};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn nystrom(text: &str, count: usize) -> FeatureSpec {
    FeatureSpec::Nystrom(Nystrom::new(kernel(text), count))
}

fn fourier(count: usize) -> FeatureSpec {
    FeatureSpec::Fourier(RandomFourier::new(kernel("gaussian(lengthscale=2)"), count))
}

/// Three groups of points.
fn groups(rows: usize) -> Array2<f64> {
    let mut stream = Seed(5).stream("groups", 0);
    Array2::from_shape_fn((rows, 2), |(i, j)| [0.0, 4.0, 9.0][i % 3] * (j as f64 - 0.3) + 0.5 * stream.normal())
}

fn bytes(fit: &AnyFit) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &Model::new(fit.clone(), Inputs::of(&**fit)).unwrap()).unwrap();
    bytes
}

/// Passes over the rows, each in parts that end at these rows and are merged in this order.
fn in_parts(
    mut stream: ViewStream,
    x: &Array2<f64>,
    weights: Option<&Array1<f64>>,
    ends: &[usize],
    backwards: bool,
) -> AnyFit {
    let compute = Compute::new();
    loop {
        let mut parts = Vec::new();
        let mut from = 0;
        for &to in ends.iter().chain([&x.nrows()]) {
            let mut part = stream.without_rows(from as u64);
            let own = weights.map(|w| w.slice(s![from..to]));
            part.update(x.slice(s![from..to, ..]), own, &compute).unwrap();
            // A part travels as bytes.
            parts.push(ViewStream::from_bytes(&part.to_bytes()).unwrap());
            from = to;
        }
        if backwards {
            parts.reverse();
        }
        let mut all = stream.without_rows(0);
        parts.iter().for_each(|part| all.merge(part, &compute).unwrap());
        assert_eq!(all.rows(), x.nrows() as u64);
        assert_eq!(all.row_ranges(), [(0, x.nrows() as u64)]);
        match all.next(&compute).unwrap() {
            ViewStep::Again(next) => stream = *next,
            ViewStep::Done(fit) => return fit.into(),
        }
    }
}

/// One, two, seven and thirteen parts, some of them empty.
const CUTS: [&[usize]; 4] =
    [&[], &[2999], &[1, 1, 2048, 2049, 4000, 6500], &[5, 6, 7, 8, 2047, 4096, 4097, 4097, 5000, 5001, 6143, 6999]];

#[test]
fn components_do_not_depend_on_how_rows_are_cut() {
    let (x, compute) = (groups(7000), Compute::new());
    for features in [nystrom("gaussian(lengthscale=median)", 25), fourier(30)] {
        let spec = StreamedPca::new(features, Some(4));
        let expected = bytes(&AnyFit::from(spec.fit(x.view(), &compute.clone().with_threads(1).unwrap()).unwrap()));
        let start = spec.start(x.view(), &compute).unwrap();
        for (cut, backwards) in CUTS.iter().flat_map(|cut| [(cut, false), (cut, true)]) {
            assert!(bytes(&in_parts(start.clone(), &x, None, cut, backwards)) == expected, "{cut:?}");
        }
    }
}

#[test]
fn clusters_do_not_depend_on_how_rows_are_cut() {
    let (x, compute) = (groups(7000), Compute::new());
    let weights: Array1<f64> = (0..7000).map(|i| 0.5 + (i % 4) as f64).collect();
    for features in [nystrom("gaussian(lengthscale=median)", 25), fourier(30)] {
        // More clusters than groups, so that there are several passes.
        let spec = StreamedKMeans::new(features, 5);
        let fit = spec.fit(x.view(), Some(weights.view()), &compute.clone().with_threads(1).unwrap()).unwrap();
        assert!(fit.passes() > 1 && fit.converged(), "{}", fit.passes());
        assert_close!(fit.masses().sum(), weights.sum(), 1e-12);
        let expected = bytes(&AnyFit::from(fit));
        let start = spec.start(x.view(), Some(weights.view()), &compute).unwrap();
        for (cut, backwards) in CUTS.iter().flat_map(|cut| [(cut, false), (cut, true)]) {
            assert!(bytes(&in_parts(start.clone(), &x, Some(&weights), cut, backwards)) == expected, "{cut:?}");
        }
    }
}

#[test]
fn all_points_as_landmarks_give_the_components_of_the_kernel() {
    let (x, compute) = (groups(90), Compute::new());
    let k = "gaussian(lengthscale=3)";
    let exact = KernelPca::new(kernel(k), Some(3)).fit(x.view(), &compute).unwrap();
    let found = StreamedPca::new(nystrom(k, 90), Some(3)).fit(x.view(), &compute).unwrap();
    assert_close!(found.eigenvalues(), exact.eigenvalues(), each = 1e-8);
    assert_close!(found.trace(), exact.trace(), 1e-8);
    assert_close!(found.explained_variance_ratio(), exact.explained_variance_ratio(), each = 1e-8);
    let new = groups(200).slice(s![150.., ..]).mapv(|v| v + 0.1);
    let (a, b) = (found.transform(new.view(), &compute).unwrap(), exact.transform(new.view(), &compute).unwrap());
    for (a, b) in a.columns().into_iter().zip(b.columns()) {
        // Eigenvectors have a sign.
        let sign = a.dot(&b).signum();
        assert_close!(a.to_owned(), b.mapv(|v| sign * v), each = 1e-6);
    }
    let novelty = (found.novelty(new.view(), &compute).unwrap(), exact.novelty(new.view(), &compute).unwrap());
    assert_close!(novelty.0, novelty.1, each = 1e-6);
}

#[test]
fn points_far_from_the_origin_keep_their_digits() {
    // The variances along the axes are 2/3 and 8/3 of the number of rows.
    let x =
        Array2::from_shape_fn((3000, 2), |(i, j)| 1e5 + [[-1.0, 0.0, 1.0], [-2.0, 2.0, 0.0]][j][(i / (1 + 2 * j)) % 3]);
    let fit = StreamedPca::new(nystrom("linear()", 2), None).fit(x.view(), &Compute::new()).unwrap();
    let expected = x.axis_iter(Axis(1)).map(|c| c.mapv(|v| (v - c.mean().unwrap()).powi(2)).sum()).sum::<f64>();
    assert_close!(fit.eigenvalues().sum(), expected, 1e-4);
    assert_eq!(fit.rows(), 3000);
}

#[test]
fn the_linear_kernel_gives_ordinary_clusters() {
    let (x, compute) = (groups(900), Compute::new());
    let exact = KernelKMeans::new(kernel("linear()"), 3).fit(x.view(), None, &compute).unwrap();
    let fit = StreamedKMeans::new(nystrom("linear()", 2), 3).fit(x.view(), None, &compute).unwrap();
    assert_close!(fit.objective(), exact.evidence().objective, 1e-9);
    let labels = fit.predict(x.view(), &compute).unwrap();
    assert_close!(adjusted_rand_index(&labels, exact.labels()).unwrap(), 1.0, 1e-12);
    let (found, expected) = (fit.distances(x.view(), &compute).unwrap(), exact.distances(x.view(), &compute).unwrap());
    // Both number clusters by first appearance.
    assert_close!(found, expected, each = 1e-6);
    for cluster in 0..3 {
        let count = labels.iter().filter(|label| **label == cluster).count();
        assert_close!(fit.masses()[cluster], count as f64, 1e-12);
    }
}

#[test]
fn the_number_of_clusters_is_chosen_on_a_sample() {
    use mercer::view::{ClusterCount, CountRule};
    let x = groups(3000);
    let count = ClusterCount::Auto { max: 6, rule: CountRule::Eigengap };
    let fit = StreamedKMeans::new(nystrom("gaussian(lengthscale=2)", 30), count).fit(x.view(), None, &Compute::new());
    assert_eq!(fit.unwrap().clusters(), 3);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let (x, compute) = (groups(5000), Compute::new());
    let spec = StreamedPca::new(nystrom("gaussian()", 10), Some(2));
    let start = spec.start(x.view(), &compute).unwrap();
    let mut part = start.without_rows(0);
    part.update(x.slice(s![..3000, ..]), None, &compute).unwrap();
    let reason = |result: mercer::Result<()>| result.unwrap_err().to_string();
    let before = part.clone();
    assert!(reason(part.merge(&before, &compute)).contains("the rows 0 to 2999 are in both parts"));
    let other = StreamedPca::new(nystrom("gaussian()", 10), Some(3)).start(x.view(), &compute).unwrap();
    assert!(reason(part.merge(&other, &compute)).contains("not of the same pass"));
    let clusters = StreamedKMeans::new(nystrom("gaussian()", 10), 2).start(x.view(), None, &compute).unwrap();
    assert!(reason(part.merge(&clusters, &compute)).contains("two kinds of views"));
    let mut bad = x.slice(s![3000..3010, ..]).to_owned();
    bad[[4, 1]] = f64::NAN;
    assert!(reason(part.update(bad.view(), None, &compute)).contains("row 4"));
    assert!(reason(part.update(x.slice(s![.., ..1]), None, &compute)).contains("columns"));
    let ones = Array1::ones(2000);
    assert!(reason(part.update(x.slice(s![3000.., ..]), Some(ones.view()), &compute)).contains("weights"));
    assert_eq!(part, before);
    let late = start.without_rows(10);
    let mut gap = late.clone();
    gap.update(x.slice(s![10.., ..]), None, &compute).unwrap();
    assert!(gap.next(&compute).unwrap_err().to_string().contains("the rows 0 to 9 are missing"));
    assert!(matches!(start.without_rows(0).next(&compute), Err(Error::TooFew { .. })));
    let mut written = part.to_bytes();
    assert_eq!(ViewStream::from_bytes(&written).unwrap(), part);
    let version = find(&written, b"\"version\":\"1\"").unwrap();
    written[version + 11] = b'9';
    assert!(ViewStream::from_bytes(&written).unwrap_err().to_string().contains("of this version"));
    assert!(ViewStream::from_bytes(&part.to_bytes()[..500]).is_err());
    assert!(matches!(
        StreamedPca::new(nystrom("gaussian()", 10), Some(0)).start(x.view(), &compute),
        Err(Error::Parameter { .. })
    ));
    let few = Compute::new().with_memory(10_000);
    assert!(matches!(spec.start(x.view(), &few), Err(Error::Memory { .. })));
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|w| w == text)
}

/// Cancels when a report of this name comes for the first time.
struct StopAt(&'static str, Cancel);

impl Progress for StopAt {
    fn report(&self, work: &str, _done: u64, _total: u64) {
        if work == self.0 {
            self.1.cancel();
        }
    }
}

#[test]
fn files_resume_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.csv");
    let x = groups(9000);
    let line = |row: ndarray::ArrayView1<f64>| format!("{},{},{}\n", row[0], row[1], 1.0 + (row[0].abs() % 2.0));
    std::fs::write(&path, format!("a,b,w\n{}", x.rows().into_iter().map(line).collect::<String>())).unwrap();
    let compute = Compute::new().with_memory(30_000_000);
    let survey = |weights: Option<&str>| {
        let roles =
            Roles { inputs: vec!["a".into(), "b".into()], targets: Vec::new(), weights: weights.map(str::to_owned) };
        let rules = FileRules { roles, encoding: Encoding::default(), leave_out: false, sample: 2000 };
        let file = ChunkedFile::open(&path, &ReadOptions::default(), &compute).unwrap();
        SurveyedFile::of_points(file, rules, &compute).unwrap()
    };
    let file_bytes = |model: &Model| {
        let mut bytes = Vec::new();
        io::write_model(&mut bytes, model).unwrap();
        bytes
    };
    let common = Settings::new().with("kernel", "gaussian(lengthscale=median)").with("feature_count", 20_usize);
    let cases = [
        ("streamed_pca", common.clone().with("components", 3_usize), survey(None), "pass 1"),
        ("streamed_kmeans", common.with("clusters", 6_usize).with("tolerance", 0.0), survey(Some("w")), "pass 3"),
    ];
    for (learner, settings, file, stop) in cases {
        let whole = file.fit_view(learner, &settings, None, &compute).unwrap();
        assert!(whole.resumed_at.is_none());
        let checkpoint = Checkpoint::new(folder.path().join(learner), 1);
        let cancel = Cancel::default();
        let stopping =
            compute.clone().with_progress(std::sync::Arc::new(StopAt(stop, cancel.clone()))).with_cancel(cancel);
        assert!(matches!(file.fit_view(learner, &settings, Some(&checkpoint), &stopping), Err(Error::Canceled)));
        let one = compute.clone().with_threads(1).unwrap();
        let resumed = file.fit_view(learner, &settings, Some(&checkpoint), &one).unwrap();
        match resumed.resumed_at {
            Some(Resumed::Passes(passes)) => assert!(learner == "streamed_kmeans" && passes >= 2),
            Some(Resumed::Row(_)) => assert_eq!(learner, "streamed_pca"),
            None => assert_eq!(learner, "streamed_pca", "nothing was saved"),
        }
        assert!(file_bytes(&resumed.model) == file_bytes(&whole.model), "{learner}");
        // Another fit does not go on from it.
        let other = settings.clone().with("feature_count", 21_usize);
        let refused = file.fit_view(learner, &other, Some(&checkpoint), &compute);
        if checkpoint.path.exists() {
            assert!(matches!(refused, Err(Error::Mismatch { .. })));
        }
        let loaded = io::read_model(&file_bytes(&whole.model)[..], "a test", &compute).unwrap();
        assert_eq!(loaded.fitted().kind(), learner);
    }
    // Targets are no points.
    let roles = Roles { inputs: vec!["a".into()], targets: vec!["b".into()], weights: None };
    let rules = FileRules { roles, encoding: Encoding::default(), leave_out: false, sample: 100 };
    let file = ChunkedFile::open(&path, &ReadOptions::default(), &compute).unwrap();
    assert!(SurveyedFile::of_points(file, rules, &compute).is_err());
}

#[test]
fn fits_have_no_points_and_all_their_facts() {
    let x = groups(300);
    let fit = StreamedPca::new(nystrom("gaussian(lengthscale=1)", 30), Some(2)).fit(x.view(), &Compute::new()).unwrap();
    // Landmarks miss something, and it is part of what is left out.
    assert!(fit.trace_missed() > 0.0 && fit.reconstruction_error() > fit.trace_missed() * fit.trace());
    let any = AnyFit::from(fit);
    assert!(any.points(0).is_none() && any.dimension(0) == 2 && any.outputs() == 2);
    assert!(any.take::<StreamedPcaFit>().is_some());
}
