//! Tests and sketches by random features: linear in the number of points.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::effort;
use mercer::features::{
    FeatureMap, FeatureSpec, FourierForm, Landmarks, Nystrom, RandomBinning, RandomFourier, Sampling,
};
use mercer::hypothesis::{Independence, IndependenceMethod, JointIndependence, TwoSample, TwoSampleMethod};
use mercer::learn::smoother::{Bandwidth, LocalLinear, LocalWeight, NadarayaWatson};
use mercer::learn::{
    BinnedMachine, GaussianProcess, KernelMachine, LogisticRegression, Loss, OneClass, Ridge, StreamedRidge, Svr,
};
use mercer::measure::{EmbeddingSketch, Estimator, mmd};
use mercer::{Cancel, Compute, Error, Kernel, Result, Seed, gram, io};
use ndarray::{Array2, Axis, s};

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn two_sample(components: usize, permutations: usize) -> TwoSample {
    let method = TwoSampleMethod::Features(components);
    TwoSample { method, permutations, ..TwoSample::permutation(kernel("gaussian(lengthscale=1.3)")) }
}

/// The features' own kernel `z(x)ᵀz(y)`, given as values, must give the same statistic and the same
/// p-value.
#[test]
fn feature_tests_are_tests_with_the_kernel_of_the_features() {
    let compute = Compute::new();
    let (x, y) = (normal(1, 40, 3), normal(2, 55, 3) * 1.2);
    let pooled = ndarray::concatenate![Axis(0), x, y];
    let spec = RandomFourier::new(kernel("gaussian(lengthscale=1.3)"), 20);
    let z = spec.draw(3, &compute).unwrap().transform(pooled.view(), &compute).unwrap();
    let gram = z.dot(&z.t());
    let gram = (&gram + &gram.t()) * 0.5;
    let found = two_sample(20, 199).test(&x, &y, &compute).unwrap();
    let precomputed = TwoSample { permutations: 199, ..TwoSample::permutation(kernel("precomputed()")) };
    let expected = precomputed.test_pooled(&gram, 40, &compute).unwrap();
    assert_close!(found.statistic, expected.statistic, 1e-13);
    assert_eq!(found.p_value, expected.p_value);
    found.null.unwrap().iter().zip(expected.null.unwrap()).for_each(|(f, e)| assert_close!(*f, e, 1e-12));
}

/// `‖(1/n) Σ z̃(xᵢ)z̃(yᵢ)ᵀ‖²` is near HSIC for many features, and the order of p-values follows.
#[test]
fn dependence_by_features_is_near_hsic() {
    let compute = Compute::new();
    let x = normal(3, 300, 1);
    let y = x.mapv(f64::cos) + normal(4, 300, 1) * 0.5;
    let k = kernel("gaussian(lengthscale=1)");
    let test = |method| Independence {
        kernel_x: Some(k.clone()),
        kernel_y: Some(k.clone()),
        permutations: 199,
        ..Independence::with_method(method)
    };
    let exact = test(IndependenceMethod::Permutation).test(&x, &y, &compute).unwrap();
    let found = test(IndependenceMethod::Features(300)).test(&x, &y, &compute).unwrap();
    assert_close!(found.statistic / exact.statistic, 1.0, abs = 0.25, "{} {}", found.statistic, exact.statistic);
    assert_eq!((found.p_value, exact.p_value), (0.005, 0.005));
    let (share, expected) = (found.detail("normalized_hsic").unwrap(), exact.detail("normalized_hsic").unwrap());
    assert_close!(share / expected, 1.0, abs = 0.25, "{share} {expected}");
    let independent = test(IndependenceMethod::Features(40)).test(&x, &normal(5, 300, 1), &compute).unwrap();
    assert!(!independent.reject);
}

/// Rejections at 0.05 and 0.2 within three and a half standard deviations of their number.
#[test]
fn the_level_is_exact() {
    let trials = effort(300, 2000);
    let count = |level: f64, p: &[f64]| p.iter().filter(|p| **p <= level + 1e-12).count() as f64;
    let (mut two, mut pair) = (Vec::new(), Vec::new());
    for t in 0..trials {
        let compute = Compute::new().with_seed(Seed(t));
        let (x, y) = (normal(10_000 + 2 * t, 15, 2), normal(10_001 + 2 * t, 25, 2));
        two.push(two_sample(10, 99).test(&x, &y, &compute).unwrap().p_value);
        let test = Independence { permutations: 99, ..Independence::with_method(IndependenceMethod::Features(10)) };
        pair.push(test.test(&x, &y.slice(s![..15, ..]).to_owned(), &compute).unwrap().p_value);
    }
    for p in [two, pair] {
        for level in [0.05, 0.2] {
            let (mean, spread) = (trials as f64 * level, (trials as f64 * level * (1.0 - level)).sqrt());
            assert_close!(count(level, &p), mean, abs = 3.5 * spread, "{} at {level}", count(level, &p));
        }
    }
}

/// Several strips and batches: the same bytes for any number of threads, within a memory limit far
/// below that of a kernel matrix.
#[test]
fn many_points_in_little_memory() {
    let (x, y) = (normal(6, 20_000, 2), normal(7, 20_000, 2) + 0.05);
    let run = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap().with_memory(50_000_000);
        let two = two_sample(32, 49).test(&x, &y, &compute).unwrap();
        let test = Independence { permutations: 19, ..Independence::with_method(IndependenceMethod::Features(16)) };
        (two, test.test(&x, &y, &compute).unwrap())
    };
    let one = run(1);
    assert!(one.0.reject && !one.1.reject);
    assert_eq!(one, run(2));
}

#[test]
fn what_has_no_features_is_refused() {
    let compute = Compute::new();
    let (x, y) = (normal(8, 10, 1), normal(9, 10, 1));
    let linear = TwoSample { kernel: Some(kernel("linear()")), ..two_sample(10, 9) };
    assert!(matches!(linear.test(&x, &y, &compute), Err(Error::Unsupported { .. })));
    assert!(matches!(two_sample(0, 9).test(&x, &y, &compute), Err(Error::Parameter { .. })));
    // Of an odd number the last frequency has one component.
    assert!(two_sample(7, 9).test(&x, &y, &compute).unwrap().p_value > 0.0);
    let gram = Array2::eye(20);
    let given = TwoSample { kernel: Some(kernel("precomputed()")), ..two_sample(10, 9) };
    assert!(matches!(given.test_pooled(&gram, 10, &compute), Err(Error::Precomputed { .. })));
    // Nothing varies, nothing is rejected.
    let constant = Array2::from_elem((10, 1), 3.0);
    assert_eq!(two_sample(10, 9).test(&constant, &constant, &compute).unwrap().p_value, 1.0);
}

fn spec() -> RandomFourier {
    RandomFourier::new(kernel("gaussian(lengthscale=1)"), 4000)
}

#[test]
fn sketches_of_parts_are_the_sketch_of_the_whole() {
    let compute = Compute::new();
    let (x, y) = (normal(20, 9000, 2), normal(21, 300, 2) + 0.7);
    let sketch = |z: &Array2<f64>| {
        let mut sketch = EmbeddingSketch::new(&spec(), 2, &compute).unwrap();
        sketch.add(z.view(), &compute).unwrap();
        sketch
    };
    let whole = sketch(&x);
    // To the bit, however the points are cut and in whatever order they come.
    let mut parts = whole.empty();
    for (from, to) in [(4101, 9000), (2000, 4097), (0, 1), (4097, 4101), (1, 2000)] {
        parts.merge(&sketch(&x.slice(s![from..to, ..]).to_owned())).unwrap();
    }
    assert_eq!(parts, whole);
    assert_eq!(sketch(&x.slice(s![..;-1, ..]).to_owned()), whole);
    // The MMD of the sketches is that of the samples, up to the error of the features: some
    // 1/√2000.
    let small = x.slice(s![..300, ..]).to_owned();
    let exact = mmd(&small, &y, &spec().kernel, Estimator::Biased, &compute).unwrap();
    let found = sketch(&small).squared_mmd(&sketch(&y)).unwrap();
    assert_close!(found, exact, abs = 0.1 * exact, "{found} {exact}");
    let (a, b) = (sketch(&small), sketch(&y));
    let norms = a.inner(&a).unwrap() + b.inner(&b).unwrap() - 2.0 * a.inner(&b).unwrap();
    assert_close!(norms, found, 1e-12);
    let at = whole.evaluate(&Array2::zeros((1, 2)), &compute).unwrap()[0];
    // E exp(−‖X‖²/2) for a standard normal X in the plane is 1/2.
    assert_close!(at, 0.5, abs = 0.05, "{at}");
}

#[test]
fn sketches_come_back_from_files() {
    let compute = Compute::new().with_seed(Seed(u64::MAX));
    for (form, sampling) in [
        (FourierForm::Pair, Sampling::Iid),
        (FourierForm::Offset, Sampling::Orthogonal),
        (FourierForm::Pair, Sampling::QuasiMonteCarlo),
    ] {
        let spec = RandomFourier { form, sampling, components: 32, ..spec() };
        let mut sketch = EmbeddingSketch::new(&spec, 2, &compute).unwrap();
        sketch.add(normal(22, 10, 2).view(), &compute).unwrap();
        let mut bytes = Vec::new();
        io::write_sketch(&mut bytes, &sketch).unwrap();
        // The seed of the reader does not matter.
        let mut found = io::read_sketch(&bytes, "sketch", &Compute::new()).unwrap();
        assert_eq!(found, sketch);
        found.merge(&sketch).unwrap();
        assert_eq!(found.count(), 20);
        assert!(matches!(io::read_model(&bytes, "sketch", &compute), Err(Error::Format { .. })));
        let cut = &bytes[..bytes.len() - 8];
        assert!(matches!(io::read_sketch(cut, "sketch", &compute), Err(Error::Format { .. })));
    }
}

#[test]
fn sketches_that_do_not_fit_are_refused() {
    let compute = Compute::new();
    let mut sketch = EmbeddingSketch::new(&spec(), 2, &compute).unwrap();
    assert!(matches!(sketch.mean(), Err(Error::TooFew { .. })));
    assert!(matches!(sketch.add(normal(1, 3, 1).view(), &compute), Err(Error::Shape { .. })));
    let other = EmbeddingSketch::new(&spec(), 2, &compute.clone().with_seed(Seed(9))).unwrap();
    assert!(matches!(sketch.merge(&other), Err(Error::Mismatch { .. })));
    assert!(matches!(sketch.squared_mmd(&other), Err(Error::Mismatch { .. })));
    let mut bad = normal(1, 3, 2);
    bad[[1, 1]] = f64::NAN;
    assert!(matches!(sketch.add(bad.view(), &compute), Err(Error::Value { .. })));
    assert_eq!(sketch.count(), 0);
}

/// Multiplications, about, between two looks at the cancel flag: less than a tenth of a second of
/// one thread.
const STEP: f64 = 5e7;

/// A piece of work that can be canceled, with the least number of multiplications that it takes.
type Job<'j> = (&'j str, f64, Box<dyn Fn(&Compute) -> Result<()> + 'j>);

/// A computation whose cancel flag counts how often it is looked at, and is raised at the `stop`-th
/// look.
fn counted(compute: &Compute, stop: u64) -> (Compute, Arc<AtomicU64>) {
    let looks = Arc::new(AtomicU64::new(0));
    let counter = looks.clone();
    let hook = move || counter.fetch_add(1, Ordering::Relaxed) >= stop;
    (compute.clone().with_cancel(Cancel::when(hook)), looks)
}

fn jobs<'j>(x: &'j Array2<f64>, y: &'j ndarray::Array1<f64>) -> Vec<Job<'j>> {
    let (n, d) = (x.nrows() as f64, x.ncols() as f64);
    let gaussian = || kernel("gaussian(lengthscale=1)");
    let targets = || y.view().insert_axis(Axis(1));
    let labels: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.0)).collect();
    let line = || x.slice(s![.., ..1]);
    let some = || (x.slice(s![..400, ..1]), x.slice(s![..400, 1..2]));
    let (bandwidth, weights) = (Bandwidth::Fixed(1.0), LocalWeight::Gaussian);
    let mean = NadarayaWatson { bandwidth, weights };
    let grids = || RandomBinning { buckets: 64, ..RandomBinning::new(kernel("laplacian(norm=l1)"), 200) };
    let nystrom = move |landmarks| FeatureSpec::Nystrom(Nystrom { landmarks, ..Nystrom::new(gaussian(), 200) });
    let none = || Compute::new();
    vec![
        ("a local mean", 2.0 * n * n * d, Box::new(move |c| mean.fit(x.view(), y.view(), c).map(|_| ()))),
        (
            "predictions of a local mean",
            n * n * d,
            Box::new(move |c| mean.fit(x.view(), y.view(), &none())?.predict(x.view(), c).map(|_| ())),
        ),
        (
            "errors of a local mean",
            n * n * d,
            Box::new(move |c| mean.fit(x.view(), y.view(), &none())?.standard_errors(x.view(), c).map(|_| ())),
        ),
        (
            "local lines",
            2.0 * n * n,
            Box::new(move |c| LocalLinear { bandwidth, weights }.fit(line(), y.view(), c).map(|_| ())),
        ),
        (
            "support vector regression",
            n * n * d,
            Box::new(move |c| Svr::new(gaussian(), 1.0, 0.01).fit(x.view(), y.view(), None, c).map(|_| ())),
        ),
        ("a region", n * n * d, Box::new(move |c| OneClass::new(gaussian(), 0.5).fit(x.view(), None, c).map(|_| ()))),
        (
            "a fit on grids",
            10.0 * n * 200.0,
            Box::new(move |c| BinnedMachine::new(grids(), 0.1).fit(x.view(), targets(), None, c).map(|_| ())),
        ),
        (
            "cells of grids",
            n * 200.0 * d,
            Box::new(move |c| grids().fit(x.view(), &none())?.transform(x.view(), c).map(|_| ())),
        ),
        (
            "a streamed fit",
            n * 200.0 * 200.0,
            Box::new(move |c| {
                let mut stream = StreamedRidge::new(nystrom(Landmarks::KMeans), 0.1).start(x.view(), 1, c)?;
                stream.update(x.view(), targets(), None, c)?;
                stream.finish(c).map(|_| ())
            }),
        ),
        (
            "ridge regression",
            n * n * n / 3.0,
            Box::new(move |c| Ridge::new(gaussian(), 0.1).fit(x.view(), targets(), None, c).map(|_| ())),
        ),
        (
            "a Gaussian process",
            400.0 * 400.0 * 400.0 / 3.0,
            Box::new(move |c| {
                let spec = GaussianProcess { optimize: false, ..GaussianProcess::new(gaussian(), 0.1) };
                spec.fit(x.slice(s![..400, ..]), y.slice(s![..400]), c).map(|_| ())
            }),
        ),
        (
            "logistic regression",
            600.0 * 600.0 * d,
            Box::new(move |c| {
                LogisticRegression::new(gaussian(), 1.0)
                    .fit(x.slice(s![..600, ..]), &labels[..600], None, c)
                    .map(|_| ())
            }),
        ),
        (
            "quantile regression",
            600.0 * 600.0 * d,
            Box::new(move |c| {
                let machine = KernelMachine::new(Loss::Quantile { level: 0.3 }, gaussian(), 0.1);
                machine.fit(x.slice(s![..600, ..]), y.slice(s![..600]), None, c).map(|_| ())
            }),
        ),
        (
            "a matrix",
            1200.0 * 1200.0 * d / 2.0,
            Box::new(move |c| {
                gram::dense(&gaussian().bind(gram::Pairs::within(x.slice(s![..1200, ..])), c)?, c).map(|_| ())
            }),
        ),
        (
            "a two-sample test",
            800.0 * 800.0 * 500.0 / 8.0,
            Box::new(move |c| {
                let test = TwoSample { permutations: 500, ..TwoSample::permutation(gaussian()) };
                test.test(x.slice(s![..400, ..]), x.slice(s![400..800, ..]), c).map(|_| ())
            }),
        ),
        (
            "a test of independence",
            400.0 * 400.0 * 2000.0 / 2.0,
            Box::new(move |c| {
                let test = Independence::with_method(IndependenceMethod::Aggregated { wild: false });
                test.test(some().0, some().1, c).map(|_| ())
            }),
        ),
        (
            "a joint test",
            400.0 * 400.0 * 500.0 * 3.0,
            Box::new(move |c| {
                let test = JointIndependence { permutations: 500, ..JointIndependence::default() };
                let points = [some().0, some().1, x.slice(s![..400, 2..3])].map(mercer::Points::from);
                test.test(&points, c).map(|_| ())
            }),
        ),
    ]
}

/// Long work looks at the cancel flag often, measured in work and not in time, and ends soon after
/// it was raised.
#[test]
fn long_work_can_be_canceled_at_any_moment() {
    let x = normal(8, 1600, 4);
    let y = x.map_axis(Axis(1), |row| row[0].sin() + 0.3 * row[1]);
    // So little that support vector machines compute their rows when they are needed.
    let compute = Compute::new().with_memory(18 << 20).with_threads(2).unwrap();
    for (name, work, job) in jobs(&x, &y) {
        let (counting, looks) = counted(&compute, u64::MAX);
        job(&counting).unwrap_or_else(|e| panic!("{name}: {e}"));
        let all = looks.load(Ordering::Relaxed);
        assert!(all as f64 >= work / STEP && all >= 2, "{name}: {all} looks for {work:e} multiplications");
        let (stopped, looks) = counted(&compute, all / 2);
        assert!(matches!(job(&stopped), Err(Error::Canceled)), "{name}: canceled after {} of {all} looks", all / 2);
        let after = looks.load(Ordering::Relaxed) - all / 2;
        assert!(after <= 100, "{name}: {after} looks after the flag was raised");
    }
}
