//! The search over learners: what it chooses, the same bytes, a deadline, refusals.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use mercer::learner::{FitInput, Targets};
use mercer::select::{Criterion, Measure, Search, SearchChoice};
use mercer::{Cancel, Compute, Error, Seed};
use ndarray::Array2;

fn wave(n: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(23).stream("auto", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| stream.normal());
    let y = Array2::from_shape_fn((n, 1), |(i, _)| (2.0 * x[[i, 0]]).sin() + x[[i, 1]] + 0.2 * stream.normal());
    (x, y)
}

fn rings(n: usize) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(24).stream("rings", n as u64);
    let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let angle = 0.1 * i as f64 + 0.7 * labels[i] as f64;
        let radius = 1.0 + 2.0 * labels[i] as f64;
        radius * if j == 0 { angle.cos() } else { angle.sin() } + 0.6 * stream.normal()
    });
    (x, labels)
}

fn choose(search: &Search, x: &Array2<f64>, y: &Array2<f64>, compute: &Compute) -> mercer::Result<SearchChoice> {
    search.choose(&FitInput::points(x.view()).with_targets(Targets::Values(y.view())), compute)
}

fn names() -> Vec<String> {
    vec!["in".into(), "out".into()]
}

/// The winner has the smallest score, and its fit is the one that the learner gives with its settings.
#[test]
fn numbers_are_a_ridge_regression_of_the_best_kernel() {
    let ((x, y), compute) = (wave(150), Compute::new());
    let found = choose(&Search::default(), &x, &y, &compute).unwrap();
    let report = found.report.as_ref().unwrap();
    assert_eq!(
        (found.entry.name, report.measure, report.criterion),
        ("ridge", Measure::SquaredError, Criterion::LeaveOneOut)
    );
    assert_close!(report.ranked()[0].score, found.score, 1e-12);
    let families: Vec<&str> = report.leading(6).iter().map(|result| result.family.as_str()).collect();
    assert!(families.iter().any(|family| family.starts_with("on([0]")) && families.contains(&"linear()"));
    // An additive function: its own kernel wins, or one with nearly its score.
    let additive = report.results.iter().filter(|r| r.family.starts_with("on([0]")).map(|r| r.score);
    assert!(additive.fold(f64::INFINITY, f64::min) <= 1.2 * found.score);
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    let fit = found.fit(&input, &compute).unwrap();
    let found_loo = match fit.facts().get("loo_residuals") {
        Some(mercer::learner::FactValue::Array(values)) => values.iter().map(|r| r * r).sum::<f64>() / 150.0,
        _ => f64::NAN,
    };
    // The score of the search is the leave-one-out error of the fit.
    assert_close!(found_loo, found.score, 1e-3);
}

#[test]
fn other_learners_are_searched_by_name() {
    let ((x, y), compute) = (wave(120), Compute::new());
    let only = |learner: &str| Search { learners: vec![learner.into()], ..Search::default() };
    let svr = choose(&only("svr"), &x, &y, &compute).unwrap();
    let process = choose(&only("gaussian_process"), &x, &y, &compute).unwrap();
    assert_eq!((svr.entry.name, process.entry.name), ("svr", "gaussian_process"));
    let all = Search { learners: ["ridge", "svr", "gaussian_process"].map(String::from).to_vec(), ..Search::default() };
    let best = choose(&all, &x, &y, &compute).unwrap();
    let ridge = choose(&only("ridge"), &x, &y, &compute).unwrap();
    let least = ridge.score.min(svr.score).min(process.score);
    assert_eq!(best.score, least);
    let report = best.report.unwrap();
    let learners: std::collections::HashSet<&str> = report.results.iter().map(|result| result.learner).collect();
    assert_eq!(learners.len(), 3);
}

#[test]
fn classes_are_a_machine_or_a_logistic_regression() {
    let ((x, labels), compute, names) = (rings(160), Compute::new(), names());
    let input = FitInput::points(x.view()).with_targets(Targets::Classes(&labels, &names));
    let found = Search::default().choose(&input, &compute).unwrap();
    assert!(["svc", "logistic"].contains(&found.entry.name));
    let report = found.report.as_ref().unwrap();
    assert_eq!((report.measure, report.criterion), (Measure::WrongClasses, Criterion::Folds(5)));
    assert!(found.score < 0.25 && report.results.iter().any(|result| result.name.starts_with("svm ")));
    let fit = found.fit(&input, &compute).unwrap();
    let wrong = fit.predict_classes(x.view().into(), &compute).unwrap();
    assert!(wrong.iter().zip(&labels).filter(|(a, b)| a != b).count() < 40);
    let only = Search { learners: vec!["logistic".into()], ..Search::default() };
    assert_eq!(only.choose(&input, &compute).unwrap().entry.name, "logistic");
}

/// Rows of categories as 0/1 columns, and whether a sum of effects is positive.
fn categories(n: usize) -> (Array2<f64>, Vec<usize>) {
    let (columns, levels) = (16, 5);
    let draw = |a: usize, b: usize| ((a * 7919 + b * 104_729 + (a * b) % 613 * 1299) % 10_007) as f64 / 10_007.0;
    let effect = |c: usize, level: usize| {
        (draw(37 * c + 5, 211 * level + 3) - 0.5) * if c.is_multiple_of(4) { 3.0 } else { 0.6 }
    };
    let level = |row: usize, c: usize| (draw(row + 11, 97 * c + 1).powi(2) * levels as f64) as usize;
    let x = Array2::from_shape_fn((n, columns * levels), |(i, j)| f64::from(level(i, j / levels) == j % levels));
    let sum = |i: usize| (0..columns).map(|c| effect(c, level(i, c))).sum::<f64>();
    let mut sums: Vec<f64> = (0..n).map(sum).collect();
    let labels = sums.clone();
    sums.sort_by(f64::total_cmp);
    (x, labels.into_iter().map(|s| usize::from(s > sums[n / 2])).collect())
}

/// What wins on a part of the rows may lose on more: the choice is the best of those that were scored
/// on the most rows, and the others are told apart from them.
#[test]
fn classes_are_compared_on_the_same_rows() {
    let ((x, labels), compute) = (categories(2000), Compute::new());
    let names = names();
    let input = FitInput::points(x.view()).with_targets(Targets::Classes(&labels, &names));
    let search = Search { kernels: vec!["linear()".parse().unwrap()], ..Search::default() };
    let found = search.choose(&input, &compute).unwrap();
    let report = found.report.as_ref().unwrap();
    assert_eq!(report.rows, 2000);
    assert_close!(report.ranked()[0].score, found.score, 1e-12);
    assert_eq!(report.ranked()[0].learner, found.entry.name);
    let (rows, screened) = report.screened.as_ref().unwrap();
    assert_eq!(*rows, 1000);
    for learner in ["svc", "logistic"] {
        assert!(screened.iter().any(|result| result.learner == learner), "{learner}");
    }
}

#[test]
fn one_column_may_be_a_spline() {
    let (x, compute) = (Array2::from_shape_fn((80, 1), |(i, _)| i as f64 / 8.0), Compute::new());
    let y = x.mapv(|v: f64| v.sin());
    let found = choose(&Search::default(), &x, &y, &compute).unwrap();
    let report = found.report.unwrap();
    assert!(report.results.iter().any(|result| result.learner == "spline"));
    let many = Array2::from_shape_fn((1500, 1), |(i, _)| i as f64 / 100.0);
    let found = choose(&Search::default(), &many, &many.mapv(|v| v.sin()), &compute).unwrap();
    assert!(found.entry.name == "spline" && found.report.is_none() && found.remarks.len() == 1);
}

#[test]
fn the_same_choice_for_any_number_of_threads() {
    let ((x, y), (xc, labels), names) = (wave(130), rings(130), names());
    let run = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let values = choose(&Search::default(), &x, &y, &compute).unwrap();
        let input = FitInput::points(xc.view()).with_targets(Targets::Classes(&labels, &names));
        let classes = Search::default().choose(&input, &compute).unwrap();
        (values.settings, values.report, classes.settings, classes.report)
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(3));
}

/// A flag that is raised, as by a clock, when the work has checked it this many times; and the count.
fn raised_after(checks: usize) -> (Cancel, Arc<AtomicUsize>) {
    let (count, flag) = (Arc::new(AtomicUsize::new(0)), Arc::new(OnceLock::<Cancel>::new()));
    let (counted, raised) = (count.clone(), flag.clone());
    let clock = Cancel::when(move || {
        if counted.fetch_add(1, Ordering::Relaxed) >= checks {
            raised.get().map(Cancel::cancel);
        }
        false
    });
    let cancel = clock.child();
    flag.set(cancel.clone()).unwrap();
    (cancel, count)
}

/// A deadline in the middle gives the best so far, marked as incomplete; one that is over at once
/// gives nothing.
#[test]
fn a_deadline_bounds_the_search() {
    let (x, y) = wave(300);
    let run = |checks: usize| {
        let (cancel, count) = raised_after(checks);
        let compute = Compute::new().with_threads(1).unwrap().with_cancel(cancel);
        (choose(&Search::default(), &x, &y, &compute), count.load(Ordering::Relaxed))
    };
    let (full, checks) = run(usize::MAX);
    let full = full.unwrap();
    assert!(full.report.as_ref().unwrap().complete);
    let (half, after) = run(checks / 2);
    let half = half.unwrap();
    assert!(!half.report.as_ref().unwrap().complete && half.score >= full.score);
    assert!(after < checks, "{after} of {checks} checks");
    assert!(matches!(run(0).0, Err(Error::Canceled)));
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let ((x, y), compute) = (wave(30), Compute::new());
    let wrong = Search { learners: vec!["svc".into()], ..Search::default() };
    let message = choose(&wrong, &x, &y, &compute).unwrap_err().to_string();
    assert!(message.contains("learners") && message.contains("ridge"), "{message}");
    assert!(Search::default().choose(&FitInput::points(x.view()), &compute).is_err());
    let two = Array2::from_shape_fn((30, 2), |(i, j)| y[[i, 0]] + j as f64);
    let tubes = Search { learners: vec!["svr".into()], ..Search::default() };
    assert!(choose(&tubes, &x, &two, &compute).unwrap_err().to_string().contains("svr"));
    let none = Array2::<f64>::zeros((0, 2));
    assert!(choose(&Search::default(), &none, &Array2::zeros((0, 1)), &compute).is_err());
}
