//! The coverage of intervals and sets, by simulation: fresh data and one fresh observation each time.

use mercer::conformal::{Conformal, ConformalMethod, SetScore};
use mercer::learn::svm::Classes;
use mercer::learn::{LogisticRegression, QuantileCurves, Ridge, Svc, Svr};
use mercer::learner::{FitInput, Fitted, Learner, Targets};
use mercer::{Compute, Kernel, Seed};
use ndarray::{Array2, Axis, s};

use crate::common::effort;

const LEVEL: f64 = 0.8;
/// Fresh observations per data set: they share the calibration, which the bands below allow for.
const NEW: usize = 20;

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Noise of a skewed distribution that grows with `x`: no model of normal noise is right here.
fn regression(n: usize, run: u64) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(3).stream("coverage", run);
    let x = Array2::from_shape_fn((n, 1), |_| 2.0 * stream.uniform());
    let noise = |stream: &mut mercer::Stream| -(1.0 - stream.uniform()).ln();
    let y = Array2::from_shape_fn((n, 1), |(i, _)| (3.0 * x[[i, 0]]).sin() + x[[i, 0]] * noise(&mut stream));
    (x, y)
}

/// The share of fresh observations inside, and the number of runs.
fn coverage(learner: &dyn Learner, spec: &Conformal, n: usize, runs: u64) -> f64 {
    let compute = Compute::new();
    let mut held = 0;
    for run in 0..runs {
        let (x, y) = regression(n + NEW, run);
        let (x_fit, y_fit) = (x.slice(s![..n, ..]), y.slice(s![..n, ..]));
        let input = FitInput::points(x_fit).with_targets(Targets::Values(y_fit));
        let compute = compute.clone().with_seed(Seed(run));
        let fit: Box<dyn Fitted> = learner.fit(&input, &compute).unwrap();
        let conformal = spec.fit(&*fit, &input, &compute).unwrap();
        let ends = conformal.intervals(&*fit, x.slice(s![n.., ..]), LEVEL, &compute).unwrap();
        let inside = |i: usize| (ends.lower[[i, 0]]..=ends.upper[[i, 0]]).contains(&y[[n + i, 0]]);
        held += (0..NEW).filter(|&i| inside(i)).count();
    }
    held as f64 / (runs as usize * NEW) as f64
}

/// The coverage of a calibration on `m` rows has the variance `p(1 − p)/(m + 2)` between data sets,
/// and observations add `p(1 − p)/NEW`: with R runs the standard error is the root of
/// `p(1 − p)(1/m + 1/NEW)/R`. Four of them, so that a correct method fails once in 16 000.
fn band(m: usize, runs: u64) -> f64 {
    4.0 * (LEVEL * (1.0 - LEVEL) * (1.0 / m as f64 + 1.0 / NEW as f64) / runs as f64).sqrt()
}

/// Split: between `level` and `level + 1/(m + 1)`.
#[test]
fn split_intervals_cover_exactly() {
    let runs = effort(150, 1000);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.5)"), 0.1) };
    let spec = Conformal { held_out: 0.5, ..Conformal::new(ConformalMethod::Split) };
    let found = coverage(&ridge, &spec, 60, runs);
    let band = band(30, runs);
    assert!(found > LEVEL - band && found < LEVEL + 1.0 / 31.0 + band, "{found} ± {band}");
}

/// Jackknife+ and CV+: at least `2·level − 1` is certain, and here, as on most data, about `level`.
#[test]
fn jackknife_and_folds_cover_about_the_level() {
    let runs = effort(150, 1000);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.5)"), 0.1) };
    let svr = Svr::new(kernel("gaussian(lengthscale=0.5)"), 3.0, 0.1);
    let learners: [(&dyn Learner, ConformalMethod); 3] =
        [(&ridge, ConformalMethod::JackknifePlus), (&ridge, ConformalMethod::CvPlus), (&svr, ConformalMethod::CvPlus)];
    for (learner, method) in learners {
        let found = coverage(learner, &Conformal::new(method), 50, runs);
        let band = band(50, runs);
        assert!(found > LEVEL - 0.03 - band && found < LEVEL + 0.05 + band, "{method:?}: {found} ± {band}");
    }
}

/// Bands of quantiles are widened or narrowed: too narrow ones cover.
#[test]
fn quantile_bands_cover() {
    let runs = effort(40, 300);
    let curves = QuantileCurves::new(&[0.4, 0.6], kernel("gaussian(lengthscale=0.5)"), 0.01);
    let spec = Conformal { held_out: 0.5, ..Conformal::new(ConformalMethod::Split) };
    let found = coverage(&curves, &spec, 60, runs);
    let band = band(30, runs);
    assert!(found > LEVEL - band && found < LEVEL + 1.0 / 31.0 + band, "{found} ± {band}");
}

fn three_classes(n: usize, run: u64) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(4).stream("coverage of sets", run);
    let labels: Vec<usize> = (0..n).map(|_| stream.below(3)).collect();
    let center = [[0.0, 0.0], [1.2, 0.0], [0.0, 1.2]];
    let x = Array2::from_shape_fn((n, 2), |(i, c)| center[labels[i]][c] + stream.normal());
    (x, labels)
}

/// The share of fresh classes in their sets, and the mean size of the sets.
fn sets(learner: &dyn Learner, spec: &Conformal, n: usize, runs: u64) -> (f64, f64) {
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let (mut held, mut size) = (0, 0);
    for run in 0..runs {
        let (x, labels) = three_classes(n + NEW, run);
        let compute = Compute::new().with_seed(Seed(run));
        let x_fit = x.slice(s![..n, ..]);
        let input = FitInput::points(x_fit).with_targets(Targets::Classes(&labels[..n], &names));
        let fit = learner.fit(&input, &compute).unwrap();
        let conformal = spec.fit(&*fit, &input, &compute).unwrap();
        let sets = conformal.sets(&*fit, x.slice(s![n.., ..]), LEVEL, &compute).unwrap();
        held += (0..NEW).filter(|&i| sets[[i, labels[n + i]]]).count();
        size += sets.iter().filter(|held| **held).count();
    }
    let all = (runs as usize * NEW) as f64;
    (held as f64 / all, size as f64 / all)
}

#[test]
fn sets_of_classes_cover() {
    let runs = effort(60, 400);
    let logistic = LogisticRegression::new(kernel("gaussian(lengthscale=1.5)"), 0.5);
    let svc = Svc::new(kernel("gaussian(lengthscale=1.5)"), 1.0);
    let split = Conformal { held_out: 0.5, ..Conformal::new(ConformalMethod::Split) };
    let folds = Conformal { folds: 5, ..Conformal::new(ConformalMethod::CvPlus) };
    let aps = |spec: &Conformal, randomized: bool| Conformal { score: SetScore::Aps, randomized, ..spec.clone() };
    // The upper end of the band: exact for a split (but for ties of votes) and randomized sets,
    // conservative otherwise.
    let cases: [(&dyn Learner, Conformal, f64); 6] = [
        (&logistic, split.clone(), 1.0 / 41.0),
        (&svc, split.clone(), 0.06),
        (&logistic, aps(&split, true), 1.0 / 41.0),
        (&logistic, aps(&split, false), 1.0 / 41.0),
        (&logistic, folds.clone(), 0.05),
        (&logistic, aps(&folds, true), 0.05),
    ];
    for (learner, spec, above) in cases {
        let (found, size) = sets(learner, &spec, 80, runs);
        let band = band(40, runs);
        assert!(found > LEVEL - 0.02 - band && found < LEVEL + above + band, "{spec:?}: {found} ± {band}");
        assert!(size > 0.8 && size < 2.2, "{spec:?}: {size}");
    }
}

/// A class with one member is missing in the fit without its fold.
#[test]
fn rare_classes_do_not_break_the_folds() {
    let (x, mut labels) = three_classes(40, 7);
    labels.iter_mut().for_each(|class| *class = usize::from(*class == 1));
    labels[3] = 2;
    let names: Vec<String> = ["a", "b", "rare"].map(String::from).to_vec();
    let classes = Classes::from_indices(labels.clone(), names.clone()).unwrap();
    let compute = Compute::new();
    let spec = Svc { class_weights: Some(vec![1.0, 2.0, 3.0]), ..Svc::new(kernel("gaussian()"), 1.0) };
    let fit = spec.fit(x.view(), &classes, None, &compute).unwrap();
    let input = FitInput::points(x.view()).with_targets(Targets::Classes(&labels, &names));
    let conformal = Conformal::default().fit(&fit, &input, &compute).unwrap();
    let sets = conformal.sets(&fit, x.view(), 0.9, &compute).unwrap();
    assert_eq!((sets.dim(), conformal.method()), ((40, 3), ConformalMethod::CvPlus));
    // Its own score is infinite: the fit without it does not know the class.
    let scores = conformal.scores().scores();
    assert_eq!(scores.iter().filter(|score| score.is_infinite()).count(), 1);
}

/// The same bytes for any number of threads, and another split for another seed.
#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y) = regression(90, 1);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.5)"), 0.1) };
    let run = |threads: usize, seed: u64, method: ConformalMethod| {
        let compute = Compute::new().with_threads(threads).unwrap().with_seed(Seed(seed));
        let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
        let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
        let conformal = Conformal::new(method).fit(&fit, &input, &compute).unwrap();
        let ends = conformal.intervals(&fit, x.view(), 0.9, &compute).unwrap();
        (ends.lower, ends.upper)
    };
    for method in [ConformalMethod::JackknifePlus, ConformalMethod::CvPlus, ConformalMethod::Split] {
        assert_eq!(run(1, 0, method), run(2, 0, method));
        assert_eq!(run(1, 0, method), run(3, 0, method));
    }
    assert_ne!(run(1, 0, ConformalMethod::Split), run(1, 1, ConformalMethod::Split));
    assert!(x.len_of(Axis(0)) == 90);
}
