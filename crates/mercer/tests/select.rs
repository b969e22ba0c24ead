//! Selection of λ and kernels: the golden path, folds against refits, searches, wrong input.

mod common;

use common::golden::{Golden, matrix, number, numbers};
use mercer::learn::Ridge;
use mercer::learn::ridge::Solver;
use mercer::select::{Criterion, RidgeSearch, log_grid, median_lengthscales, ridge_path, with_lengthscale};
use mercer::{Compute, Error, Kernel, Seed};
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

/// As many folds as rows are leave-one-out, and the path says what fits say.
#[test]
fn the_path_says_what_fits_say() {
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
    assert!(matches!(rigid.fit(x.view(), y.view(), None, &compute), Err(Error::Request(_))));
    assert!(log_grid(0.0, 1.0, 3).is_err() && log_grid(1.0, 2.0, 0).is_err());
}

/// From some hundred rows on no eigenvalue is computed: the scores are those of fits that do, also for a matrix of rank 2.
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
            let ridge = Ridge { intercept, solver: Solver::Eigen, ..Ridge::new(kernel(text), 0.0) };
            let path = ridge_path(&ridge, &lambdas, None, x.view(), y.view(), weights, &compute).unwrap();
            for (i, &lambda) in lambdas.iter().enumerate() {
                let fit = Ridge { lambda, ..ridge.clone() }.fit(x.view(), y.view(), weights, &compute).unwrap();
                let evidence = fit.diagnostics().unwrap();
                let w = weights.map_or_else(|| Array1::ones(150), |w| w.to_owned());
                let squares = (&evidence.loo_residuals * &evidence.loo_residuals) * w.view().insert_axis(Axis(1));
                let expected = squares.sum() / (2.0 * w.sum());
                assert!((path.leave_one_out[i] / expected - 1.0).abs() <= 1e-9, "{text}, λ = {lambda}");
                assert!((path.gcv[i] / evidence.gcv.mean().unwrap() - 1.0).abs() <= 1e-9, "{text}, λ = {lambda}");
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
