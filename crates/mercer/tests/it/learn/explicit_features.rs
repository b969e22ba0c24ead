//! Learners that work on the explicit features of objects instead of kernel values.

use mercer::learn::Ridge;
use mercer::learn::ridge::{RidgeFit, RidgeMethod, RidgeSolver};
use mercer::learn::svm::{Calibration, Classes, KeptValues, OneClass, Scheme, Svc, SvcFit, Svr};
use mercer::model::{Inputs, Model};
use mercer::points::{Graphs, Strings};
use mercer::solve::DualOptions;
use mercer::{Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, Axis};

use crate::common::graphs::mutag;
use crate::common::models::{bits, round_trip};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Strings in which `aa`, `bb` or `cc` is more frequent, by their class.
fn languages(seed: u64, count: usize, classes: usize) -> (Strings, Vec<usize>) {
    let mut random = Seed(seed).stream("strings", 0);
    let of: Vec<usize> = (0..count).map(|i| i % classes).collect();
    let letter = |class: usize, random: &mut mercer::Stream| match random.below(3) {
        0 => ["aa", "bb", "cc"][class],
        _ => ["a", "b", "c", "d"][random.below(4)],
    };
    let one = |&class: &usize| (0..3 + random.below(15)).map(|_| letter(class, &mut random)).collect::<String>();
    let texts: Vec<String> = of.iter().map(one).collect();
    (texts.iter().map(String::as_str).collect(), of)
}

fn named(of: &[usize]) -> Classes {
    let names = (0..=*of.iter().max().unwrap()).map(|i| format!("class {i}")).collect();
    Classes::from_indices(of.to_vec(), names).unwrap()
}

fn targets(count: usize, columns: usize) -> Array2<f64> {
    let mut random = Seed(9).stream("targets", 0);
    Array2::from_shape_fn((count, columns), |_| random.normal())
}

fn weights(count: usize) -> Array1<f64> {
    let mut random = Seed(10).stream("weights", 0);
    (0..count).map(|i| if i % 17 == 3 { 0.0 } else { 0.2 + random.uniform() }).collect()
}

fn assert_same_ridge(found: &RidgeFit, expected: &RidgeFit, x: Points<'_>, tolerance: f64) {
    let compute = Compute::new();
    assert!(matches!(found.method(), RidgeMethod::Features { .. }), "{:?}", found.method());
    assert_close!(
        &found.predict(x.reborrow(), &compute).unwrap(),
        &expected.predict(x, &compute).unwrap(),
        each = tolerance
    );
    assert_close!(&found.fitted().to_owned(), &expected.fitted().to_owned(), each = tolerance);
    assert_close!(&found.null_coefficients().to_owned(), &expected.null_coefficients().to_owned(), each = tolerance);
    found.norms().iter().zip(expected.norms()).for_each(|(f, e)| assert_close!(*f, *e, 100.0 * tolerance));
}

#[test]
fn ridge_on_features_is_ridge_on_the_matrix() {
    let (x, _) = languages(1, 250, 3);
    let (new, _) = languages(2, 20, 3);
    let (y, weights, compute) = (targets(250, 2), weights(250), Compute::new());
    for text in ["spectrum(length=3)", "normalized(spectrum(length=4))", "2*spectrum(length=2) + 0.5"] {
        for (lambda, intercept, weighted) in [(0.5, false, false), (1e-2, true, true), (3.0, true, false)] {
            let weights = weighted.then(|| weights.view());
            let ridge = Ridge { intercept, ..Ridge::new(kernel(text), lambda) };
            let fit =
                |solver: RidgeSolver| Ridge { solver, ..ridge.clone() }.fit(&x, y.view(), weights, &compute).unwrap();
            let (found, expected) = (fit(RidgeSolver::Features), fit(RidgeSolver::Cholesky));
            assert_same_ridge(&found, &expected, (&new).into(), 1e-8);
            assert!(found.diagnostics().is_none());
        }
    }
}

#[test]
fn unpenalized_functions_go_beside_features() {
    let ((x, _), y, compute) = (languages(1, 150, 2), targets(150, 1), Compute::new());
    let basis = Array2::from_shape_fn((150, 2), |(i, j)| (i as f64 / 50.0).powi(j as i32 + 1));
    let fit = |solver: RidgeSolver| {
        let ridge = Ridge { intercept: true, solver, ..Ridge::new(kernel("spectrum(length=3)"), 0.3) };
        ridge.fit_with_null_space(&x, basis.view(), y.view(), None, &compute).unwrap()
    };
    let (found, expected) = (fit(RidgeSolver::Features), fit(RidgeSolver::Cholesky));
    assert_close!(&found.null_coefficients().to_owned(), &expected.null_coefficients().to_owned(), each = 1e-8);
    assert_close!(&found.dual_coefficients().to_owned(), &expected.dual_coefficients().to_owned(), each = 1e-8);
}

/// With little memory the preconditioner has some of the features only.
#[test]
fn a_part_of_the_features_preconditions_the_others() {
    let ((x, _), y) = (languages(1, 400, 3), targets(400, 1));
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("spectrum(length=6)"), 0.1) };
    let tight = Compute::new().with_memory(1200 << 10);
    let found = ridge.fit(&x, y.view(), None, &tight).unwrap();
    let RidgeMethod::Features { features, rank, residual, .. } = found.method() else { panic!("{}", found.plan()) };
    assert!(0 < rank && rank < features / 2 && residual < 1e-12, "{:?}", found.method());
    assert!(found.plan().to_string().contains("does not fit into the memory limit"), "{}", found.plan());
    let expected = ridge.fit(&x, y.view(), None, &Compute::new()).unwrap();
    assert_eq!(expected.plan().solver, RidgeSolver::Cholesky);
    assert_same_ridge(&found, &expected, (&x).into(), 1e-8);
}

#[test]
fn ridge_on_compounds_uses_features_by_itself_and_is_saved() {
    let (graphs, labels) = mutag();
    let y: Array2<f64> = Array1::from_iter(labels.iter().map(|&l| l as f64)).insert_axis(Axis(1));
    let compute = Compute::new();
    let many = Ridge { diagnostics: false, ..Ridge::new(kernel("normalized(vertex_histogram())"), 0.1) };
    // Seven features against a matrix of 188 rows.
    let found = many.fit(&graphs, y.view(), None, &compute).unwrap();
    assert_eq!(found.plan().solver, RidgeSolver::Features, "{}", found.plan());
    assert!(found.plan().reason.contains("far fewer operations"), "{}", found.plan());
    let exact = Ridge { solver: RidgeSolver::Cholesky, ..many }.fit(&graphs, y.view(), None, &compute).unwrap();
    assert_same_ridge(&found, &exact, (&graphs).into(), 1e-9);
    let model = Model::new(found.clone(), Inputs::of(&found)).unwrap();
    let loaded = round_trip(&model).into_fitted().take::<mercer::learn::RidgeFit>().expect("another kind");
    assert_eq!((loaded.method(), loaded.plan().solver), (found.method(), RidgeSolver::Features));
    let predict = |fit: &RidgeFit| bits(&fit.predict(&graphs, &compute).unwrap());
    assert_eq!(predict(&loaded), predict(&found));
}

/// Strings shorter than the substrings have no features at all.
#[test]
fn without_a_value_only_the_intercept_is_left() {
    let (x, compute): (Strings, _) = (["a", "", "bc"].into_iter().collect(), Compute::new());
    let ridge =
        Ridge { intercept: true, solver: RidgeSolver::Features, ..Ridge::new(kernel("spectrum(length=4)"), 1.0) };
    let fit = ridge.fit(&x, ndarray::array![[1.0], [2.0], [6.0]].view(), None, &compute).unwrap();
    assert_close!(&fit.predict(&x, &compute).unwrap(), &Array2::from_elem((3, 1), 3.0), each = 1e-14);
    let svc = Svc::new(kernel("spectrum(length=4)"), 1.0);
    let (many, of): (Strings, Vec<usize>) =
        ((0..60).map(|_| "ab").collect(), (0..60).map(|i| usize::from(i % 3 == 0)).collect());
    assert_eq!(svc.plan(60, 1, 2, &tight(60)).kept, KeptValues::Features);
    let fit = svc.fit(&many, &named(&of), None, &tight(60)).unwrap();
    assert!(fit.evidence().converged());
    assert_eq!(fit.predict(&x, &compute).unwrap(), [0; 3]);
}

#[test]
fn features_that_are_missing_are_an_error() {
    let ((x, _), compute) = (languages(1, 10, 2), Compute::new());
    let ridge = Ridge { solver: RidgeSolver::Features, ..Ridge::new(kernel("all_subsequences()"), 1.0) };
    let error = ridge.fit(&x, targets(10, 1).view(), None, &compute).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let ridge = Ridge { kernel: kernel("gaussian()"), ..ridge };
    let error = ridge.fit(targets(10, 2).view(), targets(10, 1).view(), None, &compute).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let ridge = Ridge { lambda: 0.0, solver: RidgeSolver::Features, ..Ridge::new(kernel("spectrum(length=2)"), 1.0) };
    let error = ridge.fit(&x, targets(10, 1).view(), None, &compute).unwrap_err();
    assert!(matches!(&error, Error::Parameter { name, .. } if name == "lambda"), "{error}");
}

/// Little enough memory that the matrix of this many points does not fit.
fn tight(count: usize) -> Compute {
    Compute::new().with_memory(8 * (count * count) as u64)
}

fn exactly(svc: Svc) -> Svc {
    Svc { solver: DualOptions { tolerance: 1e-8, ..Default::default() }, ..svc }
}

/// The fits on features and on the matrix, after the plans are checked.
fn both(svc: &Svc, x: Points<'_>, classes: &Classes, weights: Option<&Array1<f64>>) -> [SvcFit; 2] {
    let n = x.len();
    let kept = |compute: &Compute| svc.plan(n, 1, classes.count(), compute).kept;
    assert_eq!((kept(&tight(n)), kept(&Compute::new())), (KeptValues::Features, KeptValues::Whole));
    assert!(svc.plan(n, 1, 2, &tight(n)).to_string().contains("explicit features"));
    let weights = || weights.map(|weights| weights.view());
    [tight(n), Compute::new()].map(|compute| svc.fit(x.reborrow(), classes, weights(), &compute).unwrap())
}

fn assert_same_svc([found, expected]: &[SvcFit; 2], x: Points<'_>) {
    let compute = Compute::new();
    let (a, b) = (found.evidence(), expected.evidence());
    // That of a ν-classifier is divided by its margin.
    assert!(a.converged() && a.violation <= 1e-6, "{a:?}");
    assert_close!(a.objective, b.objective, 1e-7);
    assert!(a.gap >= 0.0 && a.gap <= 1e-4 * (1.0 + a.objective), "{a:?}");
    let values = |fit: &SvcFit| fit.values(x.reborrow(), &compute).unwrap();
    assert_close!(&values(found), &values(expected), each = 1e-5);
    assert_eq!(found.predict(x.reborrow(), &compute).unwrap(), expected.predict(x.reborrow(), &compute).unwrap());
}

#[test]
fn classifiers_of_compounds_are_those_of_the_matrix() {
    let (graphs, labels) = mutag();
    let classes = Classes::from_numbers(labels.iter().map(|&l| l as f64).collect::<Array1<_>>().view()).unwrap();
    let weights = weights(graphs.len());
    let x = || Points::from(&graphs);
    for (text, c) in [("normalized(weisfeiler_lehman(depth=3))", 2.0), ("weisfeiler_lehman(depth=2)", 0.01)] {
        let svc = exactly(Svc::new(kernel(text), c));
        assert_same_svc(&both(&svc, x(), &classes, None), x());
        assert_same_svc(&both(&svc, x(), &classes, Some(&weights)), x());
        let heavy = Svc { class_weights: Some(vec![3.0, 0.5]), offset: false, ..svc };
        assert_same_svc(&both(&heavy, x(), &classes, Some(&weights)), x());
    }
    let nu = exactly(Svc::nu(kernel("normalized(weisfeiler_lehman(depth=3))"), 0.3));
    assert_same_svc(&both(&nu, x(), &classes, None), x());
}

#[test]
fn classifiers_of_several_classes_are_those_of_the_matrix() {
    let (x, of) = languages(3, 240, 3);
    let classes = named(&of);
    let (new, _) = languages(4, 30, 3);
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        let svc = Svc { scheme, ..exactly(Svc::new(kernel("normalized(spectrum(length=3))"), 1.0)) };
        assert_same_svc(&both(&svc, (&x).into(), &classes, None), (&new).into());
    }
    let calibration = Some(Calibration::Sigmoid { folds: 3 });
    let svc = Svc { calibration, ..exactly(Svc::new(kernel("normalized(spectrum(length=3))"), 1.0)) };
    let [found, expected] = both(&svc, (&x).into(), &classes, None);
    let probabilities = |fit: &SvcFit| fit.probabilities(&new, &Compute::new()).unwrap();
    assert_close!(&probabilities(&found), &probabilities(&expected), each = 1e-4);
}

#[test]
fn folds_and_paths_are_those_of_the_matrix() {
    let (x, of) = languages(3, 210, 3);
    let (classes, folds) = (named(&of), (0..210).map(|i| i / 3 % 5).collect::<Vec<_>>());
    let svc = exactly(Svc::new(kernel("spectrum(length=2)"), 1.0));
    let c = [0.01, 0.1, 1.0];
    let predicted = |compute: Compute| svc.validate(&x, &classes, None, &c, &folds, &compute).unwrap();
    assert_eq!(predicted(tight(210)), predicted(Compute::new()));
    let objectives = |compute: Compute| -> Vec<f64> {
        let path = svc.path(&x, &classes, None, &c, &compute).unwrap();
        path.iter().map(|fit| fit.evidence().objective).collect()
    };
    assert_close!(&objectives(tight(210))[..], &objectives(Compute::new())[..], each = 1e-6);
}

#[test]
fn regressions_and_regions_are_those_of_the_matrix() {
    let (x, of) = languages(3, 200, 2);
    let y: Array1<f64> = of.iter().zip(targets(200, 1)).map(|(&class, noise)| class as f64 + 0.2 * noise).collect();
    let solver = DualOptions { tolerance: 1e-8, ..Default::default() };
    let text = kernel("normalized(spectrum(length=3))");
    for svr in [Svr::new(text.clone(), 1.0, 0.1), Svr::nu(text.clone(), 1.0, 0.4)] {
        let svr = Svr { solver, ..svr };
        assert_eq!(svr.plan(200, 1, &tight(200)).kept, KeptValues::Features);
        let fit = |compute: Compute| svr.fit(&x, y.view(), None, &compute).unwrap();
        let (found, expected) = (fit(tight(200)), fit(Compute::new()));
        assert!(found.evidence().converged());
        assert_close!(found.fitted(), expected.fitted(), each = 1e-5);
        assert_close!(found.epsilon(), expected.epsilon(), 1e-6);
    }
    let region = OneClass { solver, ..OneClass::new(text, 0.2) };
    let fit = |compute: Compute| region.fit(&x, None, &compute).unwrap();
    assert_close!(fit(tight(200)).fitted(), fit(Compute::new()).fitted(), each = 1e-5);
}

/// 3400 strings, whose matrix would take 92 MB, within 8 MB.
#[test]
fn many_strings_are_learned_within_little_memory() {
    let (x, of) = languages(5, 3400, 2);
    let (new, expected) = languages(6, 300, 2);
    let compute = Compute::new().with_memory(8 << 20);
    let right = |found: &[usize]| found.iter().zip(&expected).filter(|(a, b)| a == b).count();
    let svc = Svc::new(kernel("normalized(spectrum(length=3))"), 1.0);
    assert_eq!(svc.plan(3400, 1, 2, &compute).kept, KeptValues::Features);
    let fit = svc.fit(&x, &named(&of), None, &compute).unwrap();
    assert!(fit.evidence().converged() && right(&fit.predict(&new, &compute).unwrap()) > 270);
    // With 88 MB the matrix of the points that may still move fits; without a limit, that of all.
    for compute in [Compute::new().with_memory(88 << 20), Compute::new()] {
        let other = svc.fit(&x, &named(&of), None, &compute).unwrap();
        assert_close!(fit.evidence().objective, other.evidence().objective, 1e-4);
        let (found, expected) = (fit.values(&new, &compute).unwrap(), other.values(&new, &compute).unwrap());
        assert_close!(&found, &expected, each = 0.02);
    }
    let y: Array2<f64> = Array2::from_shape_fn((3400, 1), |(i, _)| 2.0 * of[i] as f64 - 1.0);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("normalized(spectrum(length=3))"), 0.1) };
    let fit = ridge.fit(&x, y.view(), None, &compute).unwrap();
    assert_eq!(fit.plan().solver, RidgeSolver::Features, "{}", fit.plan());
    assert!(fit.plan().bytes <= 8 << 20, "{}", fit.plan());
    let found = fit.predict(&new, &compute).unwrap();
    assert!(right(&found.iter().map(|v| usize::from(*v > 0.0)).collect::<Vec<_>>()) > 270);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (x, of) = languages(7, 500, 3);
    let (graphs, _) = mutag();
    let y = targets(graphs.len(), 2);
    let run = |threads: usize| {
        let on = |compute: Compute| compute.with_threads(threads).unwrap();
        let svc = Svc::new(kernel("spectrum(length=3)"), 0.1);
        let fit = svc.fit(&x, &named(&of), None, &on(tight(500))).unwrap();
        let svm = (bits(&fit.dual_coefficients().to_owned()), fit.support().to_vec(), fit.evidence());
        let solver = RidgeSolver::Features;
        let ridge = Ridge { intercept: true, solver, ..Ridge::new(kernel("weisfeiler_lehman(depth=3)"), 0.5) };
        let fit = |graphs: &Graphs| ridge.fit(graphs, y.view(), None, &on(Compute::new())).unwrap();
        (svm, bits(&fit(&graphs).dual_coefficients().to_owned()))
    };
    let expected = run(1);
    for threads in [2, 5] {
        assert_eq!(run(threads), expected, "{threads} threads");
    }
}
