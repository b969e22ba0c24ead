//! Selection of λ and kernels: the golden path, folds against refits, searches, wrong input.

use crate::common::assert_arrays_close;
use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::learn::Ridge;
use mercer::learn::ridge::RidgeSolver;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mercer::gram::{Pairs, dense};
use mercer::learn::LogisticRegression;
use mercer::learn::svm::{Classes, Svc};
use mercer::learner::{FitInput, Targets};
use mercer::points::Strings;
use mercer::select::{
    Choices, ClassLoss, Criterion, FoldSearch, HeldOut, HeldOutLogistic, HeldOutSvc, HeldRows, RidgeSearch, Search,
    SearchedRange, log_grid, median_lengthscales, ridge_path, with_lengthscale,
};
use mercer::{Cancel, Compute, Error, Kernel, Points, Progress, Seed};
use ndarray::{Array1, Array2, Axis};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn sample(n: usize) -> (Array2<f64>, Array2<f64>, Array1<f64>) {
    let mut stream = Seed(9).stream("select", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| stream.normal());
    let y = Array2::from_shape_fn((n, 2), |(i, j)| (2.0 * x[[i, j]]).sin() + 0.2 * stream.normal() + 1.0);
    let weights = Array1::from_shape_fn(n, |_| 0.5 + stream.uniform());
    (x, y, weights)
}

#[test]
fn golden_path() {
    let golden = Golden::load("c05_krr_lambda_path_and_variants");
    let (x, y) = (matrix(golden.input("x")), matrix(golden.input("y")));
    let text = format!("gaussian(lengthscale={:?})", number(&golden.input("kernel")["params"]["l"]));
    let lambdas = numbers(golden.input("lambdas"));
    let ridge = Ridge::new(kernel(&text), 0.0);
    let path = ridge_path(&ridge, &lambdas, None, x.view(), y.view(), None, &Compute::new()).unwrap();
    let expected = &golden.expected()["path"];
    golden.check_all("path", "df", &path.degrees_of_freedom.to_vec(), &numbers(&expected["df"]));
    golden.check_all("path", "gcv", &path.gcv.to_vec(), &numbers(&expected["gcv"]));
    golden.check_all("path", "loo_mse", &path.leave_one_out.to_vec(), &numbers(&expected["loo_mse"]));
    assert_eq!(path.best(Criterion::Gcv).unwrap() as u64, expected["argmin_gcv_index"].as_u64().unwrap());
    assert_eq!(path.best(Criterion::LeaveOneOut).unwrap() as u64, expected["argmin_loo_index"].as_u64().unwrap());
    assert_eq!(path.best(Criterion::Folds(5)), None);
}

/// As many folds as rows are leave-one-out, and the path equals the fits.
#[test]
fn the_path_equals_the_fits() {
    let (x, y, weights) = sample(24);
    let compute = Compute::new();
    let lambdas = [1e-3, 0.1, 3.0];
    for weights in [None, Some(weights.view())] {
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel("matern(nu=3/2)"), 0.0) };
        let path = ridge_path(&ridge, &lambdas, Some(24), x.view(), y.view(), weights, &compute).unwrap();
        for (i, &lambda) in lambdas.iter().enumerate() {
            let fit = Ridge { lambda, ..ridge.clone() }.fit(x.view(), y.view(), weights, &compute).unwrap();
            let evidence = fit.diagnostics().unwrap();
            let w = weights.map_or_else(|| Array1::ones(24), |w| w.to_owned());
            let squares = (&evidence.loo_residuals * &evidence.loo_residuals) * w.view().insert_axis(Axis(1));
            let expected = squares.sum() / (2.0 * w.sum());
            assert_close!(path.leave_one_out[i], expected, 1e-11);
            assert_close!(path.folds.as_ref().unwrap()[i], expected, 1e-10);
            assert_close!(path.gcv[i], evidence.gcv.mean().unwrap(), 1e-11);
            assert_close!(path.degrees_of_freedom[i], evidence.degrees_of_freedom, 1e-11);
        }
    }
}

/// The path of a kernel with few features is that of its matrix, which has none; it needs no memory for one.
#[test]
fn the_path_in_features_is_that_of_the_matrix() {
    let (x, y, mut weights) = sample(160);
    let mut random = Seed(6).stream("texts", 1);
    let strings: Strings =
        (0..160).map(|_| (0..30).map(|_| ['a', 'b', 'c'][random.below(3)]).collect::<String>()).collect();
    weights[3] = 0.0;
    let (compute, lambdas) = (Compute::new().with_threads(2).unwrap(), [1e-4, 1e-2, 1.0, 300.0]);
    let small = compute.clone().with_memory(400_000);
    let samples: [(Points<'_>, &str); 4] = [
        (x.view().into(), "linear()"),
        (x.view().into(), "polynomial(degree=3) + 0.5*linear()"),
        ((&strings).into(), "normalized(spectrum(length=2))"),
        ((&strings).into(), "spectrum(length=3)"),
    ];
    for (points, text) in samples {
        let bound = kernel(text).bind(Pairs::Within(points.reborrow()), &compute).unwrap();
        let values = dense(&bound, &compute).unwrap();
        for (intercept, weights) in [(false, None), (true, None), (true, Some(weights.view()))] {
            let ridge = Ridge { intercept, ..Ridge::new(kernel(text), 0.0) };
            let matrix = Ridge { kernel: kernel("precomputed()"), ..ridge.clone() };
            for folds in [None, Some(4)] {
                let found = ridge_path(&ridge, &lambdas, folds, points.reborrow(), y.view(), weights, &small).unwrap();
                let of = Points::Precomputed(values.view());
                let expected = ridge_path(&matrix, &lambdas, folds, of, y.view(), weights, &compute).unwrap();
                for criterion in [Criterion::LeaveOneOut, Criterion::Gcv, Criterion::Folds(4)] {
                    let pairs = found.scores(criterion).into_iter().zip(expected.scores(criterion));
                    pairs.for_each(|(a, b)| {
                        assert!(a.is_nan() && b.is_nan() || (a - b).abs() < 1e-6 * b, "{text}: {a} {b}")
                    });
                }
                assert_arrays_close(&found.degrees_of_freedom, &expected.degrees_of_freedom, 1e-6, text);
            }
        }
    }
    // λ within rounding of 0 are not for features.
    let ridge = Ridge::new(kernel("linear()"), 0.0);
    assert!(ridge_path(&ridge, &[0.0], None, x.view(), y.view(), None, &small).is_err());
    assert!(ridge_path(&ridge, &[0.0], None, x.view(), y.view(), None, &compute).is_ok());
}

#[test]
fn folds_equal_refits() {
    let (x, y, weights) = sample(30);
    let compute = Compute::new().with_seed(Seed(4));
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian()"), 0.2) };
    let path = ridge_path(&ridge, &[0.2], Some(4), x.view(), y.view(), Some(weights.view()), &compute).unwrap();
    // The folds are a random order dealt out in turn.
    let order = Seed(4).stream("folds", 0).permutation(30);
    let (mut sum, mut total) = (0.0, 0.0);
    for f in 0..4 {
        let held: Vec<usize> = order.iter().copied().skip(f).step_by(4).collect();
        let kept: Vec<usize> = (0..30).filter(|i| !held.contains(i)).collect();
        let pick = |a: &Array2<f64>, rows: &[usize]| a.select(Axis(0), rows);
        let w = weights.select(Axis(0), &kept);
        let fit = ridge.fit(pick(&x, &kept).view(), pick(&y, &kept).view(), Some(w.view()), &compute).unwrap();
        let residuals = pick(&y, &held) - fit.predict(pick(&x, &held).view(), &compute).unwrap();
        let w = weights.select(Axis(0), &held);
        sum += (&residuals * &residuals * w.view().insert_axis(Axis(1))).sum();
        total += 2.0 * w.sum();
    }
    assert_close!(path.folds.unwrap()[0], sum / total, 1e-11);
}

#[test]
fn a_search_finds_the_smallest_score_and_fits_it_again() {
    let (x, y, _) = sample(60);
    let compute = Compute::new();
    let lengthscales = median_lengthscales(x.view(), 5, &compute).unwrap();
    for criterion in [Criterion::LeaveOneOut, Criterion::Gcv, Criterion::Folds(5)] {
        let search = RidgeSearch {
            lengthscales: lengthscales.clone(),
            criterion,
            intercept: true,
            lambdas: log_grid(1e-4, 10.0, 8).unwrap(),
            ..RidgeSearch::new(vec![kernel("gaussian()"), kernel("laplacian()")])
        };
        let found = search.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_eq!(found.scores.dim(), (10, 8));
        let least = found.scores.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(found.best_score, least);
        let winner = &found.candidates[found.best.0];
        assert_eq!(
            winner.kernel,
            with_lengthscale(&search.kernels[winner.family], winner.lengthscale.unwrap()).unwrap()
        );
        assert_eq!((found.fit.kernel(), found.fit.lambda()), (&winner.kernel, found.lambdas[found.best.1]));
        let evidence = found.fit.diagnostics().unwrap();
        let score = match criterion {
            Criterion::LeaveOneOut => evidence.loo_mean_square().mean().unwrap(),
            Criterion::Gcv => evidence.gcv.mean().unwrap(),
            Criterion::Folds(_) => least,
        };
        assert_close!(found.best_score, score, 1e-9);
        let refined = RidgeSearch { refinements: 2, ..search }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert!(refined.best_score <= found.best_score && refined.candidates.len() > found.candidates.len());
        let family =
            |f: usize| refined.candidates.iter().filter(move |c| c.family == f).map(|c| c.lengthscale.unwrap());
        assert!((0..2).all(|f| family(f).zip(family(f).skip(1)).all(|(a, b)| a < b)));
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y, _) = sample(70);
    let search = RidgeSearch {
        lengthscales: vec![0.5, 1.0, 2.0],
        criterion: Criterion::Folds(3),
        ..RidgeSearch::new(vec![kernel("gaussian()")])
    };
    let scores = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        search.fit(x.view(), y.view(), None, &compute).unwrap().scores.mapv(f64::to_bits)
    };
    assert_eq!(scores(1), scores(2));
}

#[test]
fn wrong_input_is_refused() {
    let (x, y, _) = sample(10);
    let compute = Compute::new();
    let ridge = Ridge::new(kernel("gaussian()"), 0.1);
    let path = |lambdas: &[f64], folds| ridge_path(&ridge, lambdas, folds, x.view(), y.view(), None, &compute);
    assert!(matches!(path(&[], None), Err(Error::Parameter { .. })));
    assert!(matches!(path(&[1.0, -1.0], None), Err(Error::Parameter { .. })));
    assert!(matches!(path(&[1.0], Some(1)), Err(Error::Parameter { .. })));
    assert!(matches!(path(&[1.0], Some(11)), Err(Error::Parameter { .. })));
    let tight = Compute::new().with_memory(1000);
    let over = ridge_path(&ridge, &[1.0], None, x.view(), y.view(), None, &tight);
    assert!(matches!(over, Err(Error::Memory { .. })));
    let none = RidgeSearch::new(Vec::new());
    assert!(matches!(none.fit(x.view(), y.view(), None, &compute), Err(Error::Parameter { .. })));
    let rigid = RidgeSearch { lengthscales: vec![1.0], ..RidgeSearch::new(vec![kernel("linear()")]) };
    assert!(matches!(rigid.fit(x.view(), y.view(), None, &compute), Err(Error::Unsupported { .. })));
    assert!(log_grid(0.0, 1.0, 3).is_err() && log_grid(1.0, 2.0, 0).is_err());
}

/// From some hundred rows on no eigenvalue is computed: the scores are those of fits that do, also
/// for a matrix of rank 2.
#[test]
fn long_paths_equal_fits_by_eigendecomposition() {
    let (x, y, weights) = sample(150);
    let compute = Compute::new();
    let lambdas = [1e-3, 0.05, 1.0, 40.0];
    for (text, weights) in [
        ("gaussian(lengthscale=0.7)", None),
        ("matern(nu=3/2)", Some(weights.view())),
        ("linear()", Some(weights.view())),
        ("gaussian(lengthscale=0.01)", None),
    ] {
        for intercept in [false, true] {
            let ridge = Ridge { intercept, solver: RidgeSolver::Eigen, ..Ridge::new(kernel(text), 0.0) };
            let path = ridge_path(&ridge, &lambdas, None, x.view(), y.view(), weights, &compute).unwrap();
            for (i, &lambda) in lambdas.iter().enumerate() {
                let fit = Ridge { lambda, ..ridge.clone() }.fit(x.view(), y.view(), weights, &compute).unwrap();
                let evidence = fit.diagnostics().unwrap();
                let w = weights.map_or_else(|| Array1::ones(150), |w| w.to_owned());
                let squares = (&evidence.loo_residuals * &evidence.loo_residuals) * w.view().insert_axis(Axis(1));
                let expected = squares.sum() / (2.0 * w.sum());
                assert_close!(path.leave_one_out[i] / expected, 1.0, abs = 1e-9, "{text}, λ = {lambda}");
                assert_close!(path.gcv[i] / evidence.gcv.mean().unwrap(), 1.0, abs = 1e-9, "{text}, λ = {lambda}");
                assert_close!(path.degrees_of_freedom[i], evidence.degrees_of_freedom, 1e-9);
            }
        }
    }
}

/// λ = 0 has scores too: there the eigenvalues are computed, and the other λ keep theirs.
#[test]
fn a_path_with_zero_agrees_with_one_without() {
    let (x, y, _) = sample(120);
    let ridge = Ridge::new(kernel("laplacian(lengthscale=0.5)"), 0.0);
    let path = |lambdas: &[f64]| ridge_path(&ridge, lambdas, None, x.view(), y.view(), None, &Compute::new()).unwrap();
    let (with, without) = (path(&[0.0, 0.1, 2.0]), path(&[0.1, 2.0]));
    assert!(with.leave_one_out[0].is_finite());
    for i in 0..2 {
        assert_close!(with.leave_one_out[i + 1], without.leave_one_out[i], 1e-10);
        assert_close!(with.gcv[i + 1], without.gcv[i], 1e-10);
    }
}

fn range<'r>(ranges: &'r [SearchedRange], parameter: &str) -> &'r SearchedRange {
    ranges.iter().find(|range| range.parameter == parameter).unwrap()
}

/// A smooth function without noise along a line: the best λ lies below the default list, and the
/// best lengthscale beside a list that is far too short.
#[test]
fn ridge_grids_go_on_where_the_best_is_at_their_end() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 10.0);
    let y = x.mapv(|v| (1.5 * v).sin());
    let base = RidgeSearch::new(vec![kernel("gaussian()")]);
    let search = RidgeSearch { lengthscales: vec![0.02, 0.04, 0.08], extend_lengthscales: true, ..base.clone() };
    let found = search.fit(x.view(), y.view(), None, &compute).unwrap();
    let (lambda, length) = (range(&found.ranges, "lambda"), range(&found.ranges, "lengthscale"));
    assert!(length.is_extended() && length.chosen > 0.3 && length.first == (0.02, 0.08), "{length}");
    assert!(lambda.is_extended() && lambda.chosen < 1e-6 && found.fit.lambda() == lambda.chosen, "{lambda}");
    assert!(found.lambdas.len() > 19 && found.lambdas.windows(2).all(|w| w[0] < w[1]));
    assert_eq!(found.scores.dim(), (found.candidates.len(), found.lambdas.len()));
    // Lists that are given are taken as they are, and the choice at their end is told.
    let given = RidgeSearch { lambdas: vec![1e-3, 1e-2, 0.1], lengthscales: vec![0.02, 0.04, 0.08], ..base.clone() };
    let found = given.fit(x.view(), y.view(), None, &compute).unwrap();
    assert_eq!(found.scores.dim(), (3, 3));
    assert!(found.ranges.iter().all(|range| range.at_border && !range.is_extended()), "{:?}", found.ranges);
    // With noise the best λ lies between, and nothing is extended.
    let (x, y, _) = sample(60);
    let found = base.fit(x.view(), y.view(), None, &compute).unwrap();
    let lambda = range(&found.ranges, "lambda");
    assert!(found.lambdas.len() == 19 && !lambda.at_border && !lambda.is_extended(), "{lambda}");
}

/// Raises a flag at the first report.
struct StopsAt(Cancel);

impl Progress for StopsAt {
    fn report(&self, work: &str, done: u64, _: u64) {
        if work == "search" && done > 0 {
            self.0.cancel();
        }
    }
}

#[test]
fn a_ridge_search_that_is_stopped_gives_the_best_so_far() {
    let (x, y, _) = sample(80);
    let cancel = Cancel::default();
    let compute = Compute::new().with_threads(1).unwrap().with_cancel(cancel.clone());
    let compute = compute.with_progress(Arc::new(StopsAt(cancel)));
    let search = RidgeSearch { lengthscales: vec![0.5, 1.0, 2.0, 4.0], ..RidgeSearch::new(vec![kernel("gaussian()")]) };
    let found = search.choose(x.view(), y.view(), None, &compute).unwrap();
    assert!(!found.complete);
    assert_eq!((found.best.0, found.winner.lengthscale), (0, Some(0.5)));
    assert!(found.scores.row(1).iter().all(|score| score.is_nan()));
    assert!(matches!(search.choose(x.view(), y.view(), None, &compute), Err(Error::Canceled)));
    let all = search.choose(x.view(), y.view(), None, &Compute::new()).unwrap();
    assert!(all.complete && all.winner.score <= found.winner.score);
}

/// A hurry ends a search that has a result, and waits for the first one of a search that has none.
#[test]
fn a_search_in_a_hurry_waits_for_its_first_result() {
    let (x, y, _) = sample(80);
    let cancel = Cancel::default();
    cancel.hurry();
    let compute = Compute::new().with_threads(1).unwrap().with_cancel(cancel.clone());
    let search = RidgeSearch { lengthscales: vec![0.5, 1.0, 2.0, 4.0], ..RidgeSearch::new(vec![kernel("gaussian()")]) };
    let found = search.choose(x.view(), y.view(), None, &compute).unwrap();
    assert!(!found.complete && found.winner.score.is_finite());
    assert!(found.scores.row(1).iter().all(|score| score.is_nan()));
    let mut folds = FoldSearch::new(vec![kernel("gaussian()")], Choices::open(vec![1.0, 10.0], 0));
    folds.lengthscales = Choices::fixed(vec![4.0, 2.0, 1.0]);
    let held = Bowl::new(1.0, 1.0);
    let found = folds.fit(&held, &[0; 30], None, &compute).unwrap();
    assert_eq!((found.complete, found.tried.len(), held.calls.load(Ordering::Relaxed)), (false, 2, 1));
    // All learners of a search: the linear ridge regression is the first result.
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    let found = Search::default().choose(&input, &compute).unwrap();
    assert!(found.report.is_some_and(|report| !report.complete), "{:?}", found.settings);
    assert!(!cancel.is_canceled());
}

/// Keeps what is reported.
#[derive(Default)]
struct Reports(Mutex<Vec<(u64, u64)>>);

impl Progress for Reports {
    fn report(&self, work: &str, done: u64, total: u64) {
        if work == "search" {
            self.0.lock().unwrap().push((done, total));
        }
    }
}

/// The neighbors of the best and the second stage are part of what is left from the first report on.
#[test]
fn the_progress_of_a_search_knows_that_more_comes_after_the_grid() {
    let reports = Arc::new(Reports::default());
    let compute = Compute::new().with_progress(reports.clone());
    let mut search = FoldSearch::new(vec![kernel("gaussian()")], Choices::open(vec![1.0, 10.0, 100.0], 1));
    search.lengthscales = Choices::open(vec![4.0, 2.0, 1.0], 6);
    search.screening = 100;
    search.fit(&Bowl::new(0.25, 1000.0), &[0; 400], None, &compute).unwrap();
    let reports = reports.0.lock().unwrap();
    let (last, before) = reports.split_last().unwrap();
    assert_eq!(last.0, last.1);
    assert!(before.len() > 8 && before.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{before:?}");
    assert!(before.iter().all(|(done, total)| done < total), "{before:?}");
    // The three lengthscales of the grid on a quarter of the rows are a small part of the work.
    let (done, total) = before[3];
    assert!(done * 3 < total, "{before:?}");
}

/// Losses that are least at one lengthscale and one parameter, however far away, with calls counted
/// and canceled.
struct Bowl {
    at: (f64, f64),
    calls: AtomicUsize,
    stop: Option<(usize, Cancel)>,
}

impl Bowl {
    fn new(length: f64, parameter: f64) -> Self {
        Self { at: (length, parameter), calls: AtomicUsize::new(0), stop: None }
    }
}

impl HeldOut for Bowl {
    fn losses(
        &self,
        kernel: &Kernel,
        parameters: &[f64],
        held: HeldRows<'_>,
        _: &Compute,
    ) -> mercer::Result<Array2<f64>> {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some((most, cancel)) = &self.stop
            && calls >= *most
        {
            cancel.cancel();
        }
        let length = kernel.parameters()[0].value;
        let loss = |p: f64| 1.0 + (length / self.at.0).ln().powi(2) + (p / self.at.1).ln().powi(2);
        Ok(Array2::from_shape_fn((held.rows.len(), parameters.len()), |(_, j)| loss(parameters[j])))
    }
}

#[test]
fn lengths_together_score_as_each_alone() {
    let compute = Compute::new();
    let mut random = Seed(6).stream("texts", 0);
    let texts: Vec<String> =
        (0..90).map(|_| (0..25).map(|_| ['a', 'b', 'c'][random.below(3)]).collect::<String>()).collect();
    let count = |text: &String| text.matches("ab").count() as f64 + 0.1 * text.matches('c').count() as f64;
    let y = Array2::from_shape_fn((90, 1), |(i, _)| count(&texts[i]));
    let strings: Strings = texts.into_iter().collect();
    let lengths = [3, 1, 4, 2].map(|length| kernel(&format!("normalized(spectrum(length={length}, blended=true))")));
    let search = RidgeSearch { lambdas: vec![1e-2, 1.0], ..RidgeSearch::new(lengths.to_vec()) };
    let found = search.fit(&strings, y.view(), None, &compute).unwrap();
    for (row, kernel) in found.scores.rows().into_iter().zip(&lengths) {
        let ridge = Ridge::new(kernel.clone(), 1.0);
        let path = ridge_path(&ridge, &[1e-2, 1.0], None, &strings, y.view(), None, &compute).unwrap();
        assert_eq!(row, path.scores(Criterion::LeaveOneOut));
    }
}

fn fold_search(reach: usize) -> FoldSearch {
    FoldSearch {
        lengthscales: Choices::open(vec![4.0, 2.0, 1.0], reach),
        ..FoldSearch::new(vec![kernel("gaussian()")], Choices::open(vec![0.1, 1.0, 10.0], reach))
    }
}

#[test]
fn fold_searches_go_where_the_score_turns() {
    let labels = vec![0; 40];
    for (at, expected) in [((0.25, 1e3), (0.25, 1e3)), ((16.0, 1e-3), (16.0, 1e-3)), ((1.9, 1.1), (2.0, 1.0))] {
        let found = fold_search(6).fit(&Bowl::new(at.0, at.1), &labels, None, &Compute::new()).unwrap();
        let best = found.best();
        assert_close!(best.lengthscale.unwrap() / expected.0, 1.0, abs = 1e-9, "{best:?}");
        assert_close!(best.parameter / expected.1, 1.0, abs = 1e-9, "{best:?}");
        assert!(found.complete && found.ranges.iter().all(|range| !range.at_border), "{:?}", found.ranges);
        assert_eq!(found.ranges.iter().all(SearchedRange::is_extended), at.0 != 1.9);
        assert_eq!(found.fits, 5 * found.tried.len());
    }
    // Lists that are given end where they end, and so do those that reach no farther.
    for reach in [0, 1] {
        let found = fold_search(reach).fit(&Bowl::new(0.01, 1e6), &labels, None, &Compute::new()).unwrap();
        assert!(found.ranges.iter().all(|range| range.at_border && range.is_extended() == (reach > 0)));
    }
}

/// Many rows: the grid is scored on some of them, a few candidates on all.
#[test]
fn fold_searches_screen_on_fewer_rows() {
    let labels: Vec<usize> = (0..500).map(|i| usize::from(i % 100 == 0)).collect();
    let search = FoldSearch { screening: 100, ..fold_search(6) };
    let found = search.fit(&Bowl::new(1.0, 1.0), &labels, None, &Compute::new()).unwrap();
    assert_eq!((found.rows, found.tried[0].rows, found.screened[0].rows), (500, 500, 100));
    assert!(found.screened.len() >= 9 && found.tried.len() < found.screened.len());
    assert_eq!((found.best().lengthscale, found.best().parameter), (Some(1.0), 1.0));
    let rows = search.screening_rows(&labels, &Compute::new());
    assert!((0..5).all(|k| rows.contains(&(100 * k))), "every row of the rare class is there");
}

#[test]
fn fold_searches_that_are_stopped_give_the_best_so_far() {
    let labels = vec![0; 40];
    let cancel = Cancel::default();
    let compute = Compute::new().with_cancel(cancel.clone());
    let bowl = Bowl { stop: Some((2, cancel.clone())), ..Bowl::new(1.0, 1.0) };
    let found = fold_search(2).fit(&bowl, &labels, None, &compute).unwrap();
    assert!(!found.complete && found.tried.iter().all(|tried| tried.lengthscale == Some(4.0)));
    assert_eq!(found.best().parameter, 1.0);
    assert_eq!(bowl.calls.load(Ordering::Relaxed), 2);
}

/// The best on few rows is a result too: a stop while the first candidate is fitted on all rows keeps it.
#[test]
fn a_fold_search_that_is_stopped_anywhere_has_a_result() {
    let search = FoldSearch { screening: 100, ..fold_search(2) };
    let labels = vec![0; 400];
    let whole = Bowl::new(0.5, 10.0);
    let best = search.fit(&whole, &labels, None, &Compute::new()).unwrap().best().score;
    let calls = whole.calls.load(Ordering::Relaxed);
    assert!(calls > 6);
    for most in 2..calls {
        let cancel = Cancel::default();
        let compute = Compute::new().with_cancel(cancel.clone());
        let bowl = Bowl { stop: Some((most, cancel)), ..Bowl::new(0.5, 10.0) };
        let found = search.fit(&bowl, &labels, None, &compute).unwrap();
        assert!(!found.complete && found.best().score >= best, "stopped at {most} of {calls}");
    }
}

/// Three columns and five classes without settings took minutes, because paths began at the
/// smallest λ: the work is counted, and small λ are tried only where the score leads there.
#[test]
fn a_logistic_search_is_bounded() {
    let mut stream = Seed(1).stream("classes", 0);
    let x = Array2::from_shape_fn((120, 3), |_| stream.normal());
    let noisy = |i: usize| 1.2 * x[[i, 0]] + (2.0 * x[[i, 1]]).sin();
    let labels: Vec<usize> = (0..120).map(|i| (noisy(i).round() + 2.0).clamp(0.0, 4.0) as usize).collect();
    let compute = Compute::new();
    let mut lengths = median_lengthscales(x.view(), 5, &compute).unwrap();
    lengths.reverse();
    let search = FoldSearch {
        fixed: vec![kernel("linear()")],
        lengthscales: Choices::open(lengths, 6),
        parameter: "lambda",
        ..FoldSearch::new(vec![kernel("gaussian()")], Choices::open(vec![10.0, 1.0, 0.1, 0.01], 4))
    };
    let spec = LogisticRegression::new(kernel("gaussian()"), 1.0);
    let held = HeldOutLogistic { spec, x: x.view().into(), labels: &labels, weights: None, loss: ClassLoss::Log };
    let found = search.fit(&held, &labels, None, &compute).unwrap();
    assert!(found.fits <= 2 * search.grid_fits(), "{} fits", found.fits);
    assert!(found.tried.iter().all(|tried| tried.parameter > 5e-4), "no λ far below the best is tried");
    assert!(found.best().score < 1.2, "{:?}", found.best());
    assert!(held.affordable_rows(1000, 120, 1e9, &compute).unwrap() < 1000);
}

/// Stripes that are narrower than every lengthscale of the list; far above their width nothing
/// tells in which direction to go on.
#[test]
fn svms_are_searched_beyond_the_list() {
    let mut stream = Seed(2).stream("stripes", 0);
    let x = Array2::from_shape_fn((200, 1), |_| 40.0 * stream.uniform());
    let names = vec!["a".into(), "b".into()];
    let classes = Classes::from_indices(x.column(0).iter().map(|v| *v as usize % 2).collect(), names).unwrap();
    let spec = Svc::new(kernel("gaussian()"), 1.0);
    let held = HeldOutSvc { spec, x: x.view().into(), classes: &classes, weights: None };
    let mut search = FoldSearch::new(vec![kernel("gaussian()")], Choices::open(vec![0.1, 1.0], 0));
    search.lengthscales = Choices::open(vec![1.6, 0.8], 8);
    let found = search.fit(&held, classes.of(), None, &Compute::new()).unwrap();
    assert!(found.best().lengthscale < Some(0.8) && found.best().score < 0.2, "{:?}", found.best());
    assert!(range(&found.ranges, "lengthscale").is_extended());
    search.lengthscales.reach = 0;
    let short = search.fit(&held, classes.of(), None, &Compute::new()).unwrap();
    assert!(short.best().score > found.best().score && range(&short.ranges, "lengthscale").at_border);
}
