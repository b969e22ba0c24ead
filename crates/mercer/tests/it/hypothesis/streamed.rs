//! Tests through features: the same outcome however rows are cut, the statistic by its definition,
//! the level.

use mercer::features::{FeatureMap, MeanStatistics};
use mercer::hypothesis::{StreamedIndependence, StreamedTwoSample, TestStream};
use mercer::{Compute, Error, Seed};
use ndarray::{Array2, ArrayView2, Axis, s};

fn normal(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("points", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

const CUTS: [&[usize]; 4] =
    [&[], &[2999], &[1, 1, 2048, 2049, 4000, 6500], &[5, 6, 7, 8, 2047, 4096, 4097, 4097, 5000, 5001, 6143, 6999]];

fn in_parts(start: &TestStream, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>, ends: &[usize]) -> TestStream {
    let compute = Compute::new();
    let mut all = start.without_rows(0);
    let mut parts = Vec::new();
    let mut from = 0;
    for &to in ends.iter().chain([&x.nrows()]) {
        let mut part = start.without_rows(from as u64);
        let own = y.as_ref().map(|y| y.slice(s![from..to, ..]));
        part.update(x.slice(s![from..to, ..]), own, &compute).unwrap();
        parts.push(TestStream::from_bytes(&part.to_bytes()).unwrap());
        from = to;
    }
    parts.iter().rev().for_each(|part| all.merge(part, &compute).unwrap());
    all
}

#[test]
fn outcomes_do_not_depend_on_how_rows_are_cut() {
    let (x, compute) = (normal(7000, 2, 1), Compute::new());
    let y = x.map_axis(Axis(1), |row| row[0] * row[1]).insert_axis(Axis(1)) + normal(7000, 1, 2);
    let two = StreamedTwoSample { components: 40, draws: 99, ..Default::default() };
    let two = two.start(3100, x.view(), &compute).unwrap();
    let pairs = StreamedIndependence { components: 20, draws: 99, ..Default::default() };
    let pairs = pairs.start(x.view(), y.view(), &compute).unwrap();
    let one = Compute::new().with_threads(1).unwrap();
    for (start, y) in [(two, None), (pairs, Some(y.view()))] {
        let mut whole = start.clone();
        whole.update(x.view(), y, &one).unwrap();
        let expected = whole.finish(&one).unwrap();
        for cut in CUTS {
            let all = in_parts(&start, x.view(), y, cut);
            assert_eq!(all.finish(&compute).unwrap(), expected, "{cut:?}");
        }
    }
}

#[test]
fn the_statistics_are_those_of_their_definitions() {
    let (x, compute) = (normal(900, 2, 3), Compute::new());
    let test = StreamedTwoSample { components: 32, draws: 99, ..Default::default() };
    let mut stream = test.start(400, x.view(), &compute).unwrap();
    stream.update(x.view(), None, &compute).unwrap();
    let z = stream.features()[0].transform(x.view(), &compute).unwrap();
    let (mut first, mut second) = (MeanStatistics::new(32), MeanStatistics::new(32));
    first.update(z.slice(s![..400, ..])).unwrap();
    second.update(z.slice(s![400.., ..])).unwrap();
    let outcome = stream.finish(&compute).unwrap();
    assert_close!(outcome.statistic, first.squared_mmd(&second).unwrap(), 1e-10);
    // The mean of the null distribution is the trace of the covariance over mn/(m + n).
    let null = outcome.null.as_ref().unwrap();
    let mean = null.iter().sum::<f64>() / null.len() as f64;
    let center = z.mean_axis(Axis(0)).unwrap();
    let trace = z.rows().into_iter().map(|row| (&row - &center).mapv(|v| v * v).sum()).sum::<f64>() / 898.0;
    assert_close!(mean, trace * 900.0 / (400.0 * 500.0), 0.25);

    let y = x.mapv(|v| v * v);
    let test = StreamedIndependence { components: 16, draws: 99, ..Default::default() };
    let mut stream = test.start(x.view(), y.view(), &compute).unwrap();
    stream.update(x.view(), Some(y.view()), &compute).unwrap();
    let maps = stream.features();
    let (z, u) = (maps[0].transform(x.view(), &compute).unwrap(), maps[1].transform(y.view(), &compute).unwrap());
    let mut both = mercer::features::CovarianceStatistics::new(16, 16);
    both.update(z.view(), u.view()).unwrap();
    let outcome = stream.finish(&compute).unwrap();
    assert_close!(outcome.statistic, both.hsic().unwrap(), 1e-9);
    assert!(outcome.reject);
}

/// At a level of 10 %: of 150 true hypotheses more than 30 are rejected with a probability of 1e-4.
#[test]
fn the_level_holds_for_some_hundred_rows() {
    let compute = Compute::new();
    let (mut two, mut pairs) = (0, 0);
    for seed in 0..150 {
        let compute = compute.clone().with_seed(Seed(seed));
        let x = normal(700, 2, 100 + seed);
        let test = StreamedTwoSample { components: 50, draws: 199, level: 0.1, ..Default::default() };
        let mut stream = test.start(300, x.view(), &compute).unwrap();
        stream.update(x.view(), None, &compute).unwrap();
        two += usize::from(stream.finish(&compute).unwrap().reject);
        let y = normal(700, 1, 1000 + seed);
        let test = StreamedIndependence { components: 16, draws: 199, level: 0.1, ..Default::default() };
        let mut stream = test.start(x.view(), y.view(), &compute).unwrap();
        stream.update(x.view(), Some(y.view()), &compute).unwrap();
        pairs += usize::from(stream.finish(&compute).unwrap().reject);
    }
    assert!((3..=30).contains(&two) && (3..=30).contains(&pairs), "{two} and {pairs} of 150");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let (x, compute) = (normal(300, 2, 7), Compute::new());
    let test = StreamedTwoSample { components: 10, draws: 19, ..Default::default() };
    let start = test.start(100, x.view(), &compute).unwrap();
    let reason = |result: mercer::Result<()>| result.unwrap_err().to_string();
    let mut part = start.clone();
    assert!(reason(part.update(x.view(), Some(x.view()), &compute)).contains("samples of a chunk"));
    assert!(reason(part.update(x.slice(s![.., ..1]), None, &compute)).contains("columns"));
    let mut bad = x.clone();
    bad[[7, 1]] = f64::INFINITY;
    assert!(reason(part.update(bad.view(), None, &compute)).contains("row 7"));
    assert_eq!(part, start);
    part.update(x.view(), None, &compute).unwrap();
    assert!(reason(part.clone().merge(&part, &compute)).contains("in both parts"));
    let other = StreamedTwoSample { level: 0.01, ..test.clone() }.start(100, x.view(), &compute).unwrap();
    assert!(reason(part.merge(&other, &compute)).contains("not of the same pass"));
    assert!(matches!(test.start(1, x.view(), &compute), Err(Error::TooFew { .. })));
    // All rows are those of the first sample.
    let mut few = test.start(300, x.view(), &compute).unwrap();
    few.update(x.view(), None, &compute).unwrap();
    assert!(matches!(few.finish(&compute), Err(Error::TooFew { .. })));
    let constant = Array2::ones((300, 2));
    let fixed = StreamedTwoSample { kernel: Some("gaussian()".parse().unwrap()), ..test };
    let mut stream = fixed.start(100, constant.view(), &compute).unwrap();
    stream.update(constant.view(), None, &compute).unwrap();
    assert!(matches!(stream.finish(&compute), Err(Error::AllEqual { .. })), "{:?}", stream.finish(&compute));
    assert!(TestStream::from_bytes(&part.to_bytes()[..300]).is_err());
}

/// Rows of files give the outcome of rows in memory, resumed or not.
#[test]
fn tests_of_files_are_those_of_their_rows() {
    use mercer::io::{Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, SurveyedFile};
    use mercer::points::{Encoding, Scaling};
    // Several chunks per file.
    let (folder, compute) = (tempfile::tempdir().unwrap(), Compute::new().with_memory(30_000_000));
    let (x, y) = (normal(30_000, 2, 11), normal(25_000, 2, 12) * 2.0);
    let write = |name: &str, x: &Array2<f64>| {
        let rows: String = x.rows().into_iter().map(|row| format!("{},{}\n", row[0], row[1])).collect();
        let path = folder.path().join(name);
        std::fs::write(&path, format!("a,b\n{rows}")).unwrap();
        path
    };
    let (first, second) = (write("x.csv", &x), write("y.csv", &y));
    let open = |path: &std::path::Path| ChunkedFile::open(path, &ReadOptions::default(), &compute).unwrap();
    let roles = Roles { inputs: vec!["a".into(), "b".into()], targets: Vec::new(), weights: None };
    let encoding = Encoding { scaling: Scaling::Standardize, ..Encoding::default() };
    let rules = FileRules { roles, encoding, leave_out: false, sample: 10_000 };
    let [a, b] = SurveyedFile::of_samples([open(&first), open(&second)], &rules, &compute).unwrap();
    assert_eq!((a.rows(), b.rows(), a.encoding()), (30_000, 25_000, b.encoding()));
    // Scales are those of both files together.
    let both = ndarray::concatenate(Axis(0), &[x.view(), y.view()]).unwrap();
    let mean = both.mean_axis(Axis(0)).unwrap();
    let deviation = both.std_axis(Axis(0), 0.0);
    let scaled = (&both - &mean) / &deviation;
    let spec =
        StreamedTwoSample { kernel: Some("gaussian()".parse().unwrap()), components: 30, draws: 99, level: 0.05 };
    let found = a.test_two_samples(&b, &spec, None, &compute).unwrap();
    let mut stream = spec.start(30_000, scaled.view(), &compute).unwrap();
    stream.update(scaled.view(), None, &compute).unwrap();
    let expected = stream.finish(&compute).unwrap();
    assert_close!(found.outcome.statistic, expected.statistic, 1e-9);
    assert!(found.outcome.reject && found.resumed_at.is_none());
    // A checkpoint in the second file goes on to the same bytes.
    let checkpoint = Checkpoint::new(folder.path().join("state"), 1);
    let again = a.test_two_samples(&b, &spec, Some(&checkpoint), &compute).unwrap();
    assert_eq!(again.outcome, found.outcome);
    let resumed = a.test_two_samples(&b, &spec, Some(&checkpoint), &compute).unwrap();
    assert_eq!(resumed.outcome, found.outcome);
    assert!(
        matches!(resumed.resumed_at, Some(Resumed::Row(row)) if row > 30_000 && row <= 55_000),
        "{:?}",
        resumed.resumed_at
    );
    let other = StreamedTwoSample { level: 0.1, ..spec };
    assert!(a.test_two_samples(&b, &other, Some(&checkpoint), &compute).is_err());

    let file = SurveyedFile::of_points(open(&first), rules, &compute).unwrap();
    let spec = StreamedIndependence { components: 20, draws: 199, ..Default::default() };
    let found = file.test_independence(&spec, 1, None, &compute).unwrap();
    assert!(found.outcome.p_value > 0.001, "{}", found.outcome.p_value);
    for columns in [0, 2] {
        assert!(matches!(file.test_independence(&spec, columns, None, &compute), Err(Error::Parameter { .. })));
    }
    assert!(spec.plan(30_000, 2, &compute).bytes > 0);
}
