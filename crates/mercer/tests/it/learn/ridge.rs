//! Ridge regression: identities, limits, solvers against each other, wrong input.

use crate::common::assert_arrays_close;
use mercer::learn::ridge::{RidgeMethod, RidgeSolver};
use mercer::learn::{LogisticRegression, Ridge, RidgeFit};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Points in two columns, targets of a smooth function with noise in two columns, weights, an
/// unpenalized function.
struct Sample {
    x: Array2<f64>,
    y: Array2<f64>,
    weights: Array1<f64>,
    basis: Array2<f64>,
}

fn sample(n: usize) -> Sample {
    let mut stream = Seed(2).stream("ridge", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| stream.normal());
    let y =
        Array2::from_shape_fn((n, 2), |(i, j)| (x[[i, 0]] + j as f64 * x[[i, 1]]).sin() + 0.1 * stream.normal() + 2.0);
    let weights = Array1::from_shape_fn(n, |_| 0.2 + 2.0 * stream.uniform());
    Sample { basis: x.slice(s![.., ..1]).mapv(|v| v * v), x, y, weights }
}

fn without<T: Clone>(a: &ndarray::ArrayBase<ndarray::OwnedRepr<T>, ndarray::Ix2>, i: usize) -> Array2<T> {
    let rows: Vec<usize> = (0..a.nrows()).filter(|&r| r != i).collect();
    a.select(Axis(0), &rows)
}

#[test]
fn leave_one_out_equals_refits() {
    let (d, compute) = (sample(25), Compute::new());
    for text in ["gaussian(lengthscale=1.5)", "laplacian()", "linear()", "1 + polynomial(degree=2)"] {
        for lambda in [0.0, 1e-3, 0.7] {
            for (intercept, basis, weighted) in
                [(false, false, false), (true, false, false), (true, true, true), (false, false, true)]
            {
                // At λ = 0 the Gaussian matrix is too close to singular for this comparison, and
                // the space of the polynomial holds the unpenalized functions.
                if lambda == 0.0 && (text.contains("gaussian") || (text.contains("polynomial") && intercept)) {
                    continue;
                }
                let ridge = Ridge { intercept, ..Ridge::new(kernel(text), lambda) };
                let fit_rows = |keep: &[usize]| {
                    let (x, y, p) =
                        (d.x.select(Axis(0), keep), d.y.select(Axis(0), keep), d.basis.select(Axis(0), keep));
                    let w = weighted.then(|| d.weights.select(Axis(0), keep));
                    let w = w.as_ref().map(|w| w.view());
                    if basis {
                        ridge.fit_with_null_space(x.view(), p.view(), y.view(), w, &compute).unwrap()
                    } else {
                        ridge.fit(x.view(), y.view(), w, &compute).unwrap()
                    }
                };
                let all: Vec<usize> = (0..25).collect();
                let found = fit_rows(&all).diagnostics().unwrap().loo_residuals.clone();
                for i in [0, 7, 24] {
                    let keep: Vec<usize> = all.iter().copied().filter(|&r| r != i).collect();
                    let fit = fit_rows(&keep);
                    let (x, p) = (d.x.slice(s![i..i + 1, ..]), d.basis.slice(s![i..i + 1, ..]));
                    let at = if basis {
                        fit.predict_with_null_space(x, p, &compute).unwrap()
                    } else {
                        fit.predict(x, &compute).unwrap()
                    };
                    let expected = &d.y.slice(s![i..i + 1, ..]) - &at;
                    let what = format!("{text}, λ = {lambda}, {intercept} {basis} {weighted}, row {i}");
                    assert_arrays_close(&found.slice(s![i..i + 1, ..]).to_owned(), &expected, 1e-9, &what);
                }
            }
        }
    }
}

#[test]
fn a_weight_counts_points_and_weight_zero_leaves_a_point_out() {
    let (d, compute) = (sample(20), Compute::new());
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("matern(nu=3/2)"), 0.3) };
    let mut weights = Array1::ones(20);
    weights[3] = 2.0;
    weights[11] = 0.0;
    let fit = ridge.fit(d.x.view(), d.y.view(), Some(weights.view()), &compute).unwrap();
    let repeat = |a: &Array2<f64>| concatenate(Axis(0), &[without(a, 11).view(), a.slice(s![3..4, ..])]).unwrap();
    let expected = ridge.fit(repeat(&d.x).view(), repeat(&d.y).view(), None, &compute).unwrap();
    let t = sample(7).x;
    let predict = |fit: &RidgeFit| fit.predict(t.view(), &compute).unwrap();
    assert_arrays_close(&predict(&fit), &predict(&expected), 1e-11, "weights as repetitions");
    let at = fit.predict(d.x.slice(s![11..12, ..]), &compute).unwrap();
    let left_out = &d.y.slice(s![11..12, ..]) - &at;
    assert_arrays_close(&fit.residuals().slice(s![11..12, ..]).to_owned(), &left_out, 1e-12, "residual of weight 0");
    let evidence = fit.diagnostics().unwrap();
    assert_arrays_close(&evidence.loo_residuals.slice(s![11..12, ..]).to_owned(), &left_out, 1e-12, "LOO of weight 0");
    assert_close!(evidence.hat_diagonal[11], 0.0, abs = 1e-14);
}

#[test]
fn identities_of_the_hat_matrix() {
    let (d, compute) = (sample(30), Compute::new());
    for intercept in [false, true] {
        let lambda = 0.2;
        let ridge = Ridge { intercept, ..Ridge::new(kernel("gaussian(lengthscale=1)"), lambda) };
        let fit = ridge.fit(d.x.view(), d.y.view(), None, &compute).unwrap();
        let evidence = fit.diagnostics().unwrap();
        // The hat matrix is the fit of the unit vectors.
        let hat = ridge.fit(d.x.view(), Array2::eye(30).view(), None, &compute).unwrap().fitted().to_owned();
        assert_arrays_close(&hat.dot(&d.y), &fit.fitted().to_owned(), 1e-11, "fitted = Hy");
        for i in 0..30 {
            assert_close!(evidence.hat_diagonal[i], hat[[i, i]], 1e-12);
            for j in 0..2 {
                let loo = fit.residuals()[[i, j]] / (1.0 - hat[[i, i]]);
                assert_close!(evidence.loo_residuals[[i, j]], loo, 1e-10);
            }
        }
        let rss = fit.residuals().column(1).dot(&fit.residuals().column(1));
        let df = evidence.degrees_of_freedom;
        assert_close!(evidence.gcv[1], rss / 30.0 / (1.0 - df / 30.0).powi(2), 1e-12);
        // ‖f‖ from the function itself, and α ⟂ 1 with an intercept.
        let f = fit.function(1, &compute).unwrap();
        assert_close!(f.norm(&compute).unwrap(), fit.norms()[1], 1e-11);
        if intercept {
            assert_close!(fit.dual_coefficients().column(0).sum(), 0.0, abs = 1e-12);
        }
        let residuals = &d.y - &fit.predict(d.x.view(), &compute).unwrap();
        assert_arrays_close(&residuals, &fit.residuals().to_owned(), 1e-12, "residuals");
    }
}

#[test]
fn all_solvers_agree() {
    let (d, compute) = (sample(300), Compute::new());
    for (text, lambda) in [("gaussian(lengthscale=1)", 1e-2), ("laplacian()", 1.0), ("1 + linear()", 0.5)] {
        let fit = |solver| {
            let ridge = Ridge { solver, intercept: true, ..Ridge::new(kernel(text), lambda) };
            let weights = Some(d.weights.view());
            ridge.fit_with_null_space(d.x.view(), d.basis.view(), d.y.view(), weights, &compute)
        };
        // The constant is in the space of 1 + linear() too: it is then free of penalty.
        let dense = fit(RidgeSolver::Cholesky).unwrap();
        assert_eq!(dense.method(), RidgeMethod::Cholesky);
        for solver in [RidgeSolver::Eigen, RidgeSolver::Mixed, RidgeSolver::ConjugateGradients] {
            let other = fit(solver).unwrap();
            assert_eq!(
                matches!(other.method(), RidgeMethod::Mixed { .. }),
                solver == RidgeSolver::Mixed,
                "{:?}",
                other.method()
            );
            assert_arrays_close(&other.fitted().to_owned(), &dense.fitted().to_owned(), 1e-9, text);
            assert_arrays_close(
                &other.null_coefficients().to_owned(),
                &dense.null_coefficients().to_owned(),
                1e-9,
                text,
            );
            let (found, expected) = (other.dual_coefficients().to_owned(), dense.dual_coefficients().to_owned());
            assert_arrays_close(&found, &expected, 1e-9, text);
        }
        let (a, b) =
            (dense.diagnostics().unwrap().clone(), fit(RidgeSolver::Eigen).unwrap().diagnostics().unwrap().clone());
        assert_arrays_close(&a.loo_residuals, &b.loo_residuals, 1e-9, "LOO");
        assert_close!(a.degrees_of_freedom, b.degrees_of_freedom, 1e-9);
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let d = sample(500);
    for solver in [RidgeSolver::Cholesky, RidgeSolver::Mixed, RidgeSolver::Eigen, RidgeSolver::ConjugateGradients] {
        let ridge = Ridge { solver, intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=1)"), 1e-2) };
        let fit = |threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit = ridge.fit(d.x.view(), d.y.view(), Some(d.weights.view()), &compute).unwrap();
            (fit.dual_coefficients().to_owned(), fit.diagnostics().cloned())
        };
        assert_eq!(fit(1), fit(2), "{solver}");
    }
}

#[test]
fn singular_problems_get_the_minimum_norm_answer_and_are_reported() {
    let compute = Compute::new();
    // Repeated points with different targets: the mean, at λ = 0.
    let x = array![[0.0], [0.0], [1.0]];
    let y = array![[1.0], [3.0], [5.0]];
    let fit = Ridge::new(kernel("gaussian()"), 0.0).fit(x.view(), y.view(), None, &compute).unwrap();
    assert!(matches!(fit.method(), RidgeMethod::MinimumNorm { rank: 2, .. }), "{:?}", fit.method());
    assert_arrays_close(&fit.fitted().to_owned(), &array![[2.0], [2.0], [5.0]], 1e-13, "means");
    let evidence = fit.diagnostics().unwrap();
    assert_close!(evidence.degrees_of_freedom, 2.0, 1e-13);
    // Without the first point f(0) = 3, and the other way round; without the last, 2k(1, 0).
    let expected = array![[-2.0], [2.0], [5.0 - 2.0 * (-0.5_f64).exp()]];
    assert_arrays_close(&evidence.loo_residuals, &expected, 1e-12, "LOO");
    // The smallest λ that changes nothing is treated alike.
    let tiny = Ridge::new(kernel("gaussian()"), 1e-300).fit(x.view(), y.view(), None, &compute).unwrap();
    assert!(matches!(tiny.method(), RidgeMethod::MinimumNorm { .. }) && tiny.condition().unwrap() > 1e15);
    // Distinct points at λ = 0 are interpolated.
    let x = array![[0.0], [0.7], [1.9]];
    let fit = Ridge::new(kernel("gaussian()"), 0.0).fit(x.view(), y.view(), None, &compute).unwrap();
    assert_eq!(fit.method(), RidgeMethod::Cholesky);
    assert_arrays_close(&fit.predict(x.view(), &compute).unwrap(), &y, 1e-12, "interpolation");
    assert_close!(fit.diagnostics().unwrap().degrees_of_freedom, 3.0, 1e-14);
}

#[test]
fn mixed_precision_falls_back_to_double_where_single_is_not_enough() {
    let (d, compute) = (sample(200), Compute::new());
    // Condition number 10¹²: far beyond single precision.
    let mixed = Ridge { solver: RidgeSolver::Mixed, ..Ridge::new(kernel("gaussian(lengthscale=3)"), 1e-10) };
    let fit = mixed.fit(d.x.view(), d.y.view(), None, &compute).unwrap();
    assert_eq!(fit.method(), RidgeMethod::Cholesky);
    let zero = Ridge { lambda: 0.0, ..mixed };
    assert!(zero.fit(d.x.view(), d.y.view(), None, &compute).is_ok());
}

/// Where few eigenvalues are far above λ a partial factor is enough; where many are, and where the
/// kernel may be indefinite, it is a whole one.
#[test]
fn a_partial_factor_in_single_precision_leads_to_the_same_answer() {
    let (d, compute) = (sample(2600), Compute::new());
    let fit = |solver, text: &str, indefinite| {
        let ridge = Ridge { solver, indefinite, intercept: true, diagnostics: false, ..Ridge::new(kernel(text), 0.1) };
        ridge.fit(d.x.view(), d.y.view(), Some(d.weights.view()), &compute).unwrap()
    };
    for (text, indefinite, whole) in [
        ("gaussian(lengthscale=2)", false, false),
        ("gaussian(lengthscale=2)", true, true),
        ("laplacian()", false, true),
    ] {
        let (found, dense) = (fit(RidgeSolver::Mixed, text, indefinite), fit(RidgeSolver::Cholesky, text, indefinite));
        let RidgeMethod::Mixed { rank, residual, .. } = found.method() else { panic!("{:?}", found.method()) };
        assert!((rank == 2600) == whole && rank >= 20, "{text}: rank {rank}");
        assert!(residual <= 1e-11, "{text}: {residual}");
        assert_arrays_close(&found.fitted().to_owned(), &dense.fitted().to_owned(), 1e-9, text);
        let (found, expected) = (found.dual_coefficients().to_owned(), dense.dual_coefficients().to_owned());
        assert_arrays_close(&found, &expected, 1e-9, text);
    }
    let ridge = Ridge { solver: RidgeSolver::Mixed, ..Ridge::new(kernel("gaussian(lengthscale=2)"), 0.1) };
    let with = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        ridge.fit(d.x.view(), d.y.view(), None, &compute).unwrap().dual_coefficients().to_owned()
    };
    assert_eq!(with(1), with(2));
}

/// What `Ridge::tolerance` promises, by a partial factor and by a whole one, with weights and
/// without, and the same bytes for any number of threads.
#[test]
fn a_fit_to_a_tolerance_predicts_what_an_exact_fit_predicts() {
    let (d, compute) = (sample(2600), Compute::new());
    let grid = Array2::from_shape_fn((50, 2), |(i, j)| (i as f64 * 0.37 + j as f64).sin());
    let size = |a: &Array2<f64>| (a.iter().map(|v| v * v).sum::<f64>() / a.len() as f64).sqrt();
    for (text, whole) in [("gaussian(lengthscale=2)", false), ("matern(nu=1/2, lengthscale=3)", true)] {
        for (tolerance, weights) in [(1e-3, None), (1e-6, Some(d.weights.view()))] {
            let exact = Ridge { intercept: true, diagnostics: false, ..Ridge::new(kernel(text), 0.1) };
            let exact = Ridge { solver: RidgeSolver::Cholesky, ..exact };
            let ridge = Ridge { solver: RidgeSolver::Mixed, tolerance, ..exact.clone() };
            let fit = |ridge: &Ridge, compute: &Compute| ridge.fit(d.x.view(), d.y.view(), weights, compute).unwrap();
            let (found, expected) = (fit(&ridge, &compute), fit(&exact, &compute));
            let RidgeMethod::Mixed { rank, .. } = found.method() else { panic!("{:?}", found.method()) };
            assert_eq!(rank == 2600, whole, "{text}: rank {rank}");
            // Weights are at most 2.2 and at least 0.2: the norm of the scaled rows differs by their roots.
            let enough = 4.0 * tolerance * size(&expected.residuals().to_owned());
            let difference = &found.fitted() - &expected.fitted();
            assert!(size(&difference) <= enough && size(&difference) > 0.0, "{text}: {} {enough}", size(&difference));
            let predicted = |fit: &RidgeFit| fit.predict(grid.view(), &compute).unwrap();
            assert!(size(&(predicted(&found) - predicted(&expected))) <= 2.0 * enough, "{text}");
            let alone = fit(&ridge, &Compute::new().with_threads(1).unwrap());
            let eight = fit(&ridge, &Compute::new().with_threads(8).unwrap());
            assert!(alone.dual_coefficients() == eight.dual_coefficients() && alone.intercept() == eight.intercept());
        }
    }
}

#[test]
fn one_point_and_constant_targets() {
    let compute = Compute::new();
    let one = Ridge::new(kernel("gaussian()"), 1.0);
    let fit = one.fit(array![[3.0]].view(), array![[4.0]].view(), None, &compute).unwrap();
    assert_close!(fit.fitted()[[0, 0]], 2.0, 1e-15);
    assert_close!(fit.diagnostics().unwrap().loo_residuals[[0, 0]], 4.0, 1e-15);
    for solver in [RidgeSolver::Cholesky, RidgeSolver::Eigen] {
        let one = Ridge { intercept: true, solver, ..one.clone() };
        let fit = one.fit(array![[3.0]].view(), array![[4.0]].view(), None, &compute).unwrap();
        assert_close!(fit.intercept().unwrap()[0], 4.0, 1e-15);
    }
    let d = sample(12);
    let constant = Array2::from_elem((12, 1), 7.5);
    let fit = Ridge { intercept: true, ..one }.fit(d.x.view(), constant.view(), None, &compute).unwrap();
    assert_close!(fit.intercept().unwrap()[0], 7.5, 1e-14);
    assert!(fit.norms()[0] <= 1e-13);
}

/// Near the memory limit, too: the solver, its rank and so the bytes of the answer are the same.
#[test]
fn what_is_run_does_not_depend_on_the_number_of_threads() {
    let ridge = Ridge::new(kernel("gaussian()"), 0.5);
    let bare = Ridge { diagnostics: false, ..ridge.clone() };
    let logistic = LogisticRegression::new(kernel("gaussian()"), 0.5);
    let computers = [1, 2, 8].map(|threads| Compute::new().with_threads(threads).unwrap());
    let mut solvers = std::collections::BTreeSet::new();
    for memory in (1..400).map(|step| step * 250_000) {
        for rows in [900, 2000] {
            let plans = computers.each_ref().map(|compute| {
                let compute = compute.clone().with_memory(memory);
                let of = |ridge: &Ridge| ridge.plan(rows, 3, 1, &compute).ok().map(|p| (p.solver.to_string(), p.rank));
                let newton = logistic.plan(rows, 3, 4, &compute).ok();
                [of(&ridge), of(&bare), newton.map(|p| (format!("{} {}", p.solver, p.stored), p.rank))]
            });
            for i in 0..3 {
                // Buffers of more threads may not fit: that is refused, and nothing else is run
                // instead.
                let made: Vec<_> = plans.iter().filter_map(|of| of[i].clone()).collect();
                assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{memory} bytes, {rows} rows: {made:?}");
                solvers.extend(made.into_iter().map(|(solver, _)| solver));
            }
        }
    }
    assert!(solvers.len() >= 4, "{solvers:?}");
}

#[test]
fn a_tight_memory_limit_means_conjugate_gradients_and_a_tighter_one_an_error() {
    let d = sample(600);
    let ridge = Ridge::new(kernel("gaussian(lengthscale=2)"), 0.5);
    let roomy = ridge.fit(d.x.view(), d.y.view(), None, &Compute::new()).unwrap();
    assert_eq!(roomy.plan().solver, RidgeSolver::Cholesky);
    let tight = Compute::new().with_threads(1).unwrap().with_memory(3 << 20);
    let fit = ridge.fit(d.x.view(), d.y.view(), None, &tight).unwrap();
    assert!(matches!(fit.method(), RidgeMethod::ConjugateGradients { .. }), "{}", fit.plan());
    assert!(fit.plan().bytes <= 3 << 20);
    assert_arrays_close(&fit.fitted().to_owned(), &roomy.fitted().to_owned(), 1e-9, "fitted");
    let none = Compute::new().with_threads(1).unwrap().with_memory(1 << 16);
    assert!(matches!(ridge.fit(d.x.view(), d.y.view(), None, &none), Err(Error::Memory { .. })));
    let bare = Ridge { diagnostics: false, ..ridge.clone() };
    let plan =
        |ridge: &Ridge, rows: usize| ridge.plan(rows, 2, 1, &Compute::new().with_memory(1 << 32)).unwrap().solver;
    assert_eq!(
        (plan(&bare, 5000), plan(&bare, 500), plan(&ridge, 5000)),
        (RidgeSolver::Mixed, RidgeSolver::Cholesky, RidgeSolver::Cholesky)
    );
    let interpolation = Ridge { lambda: 0.0, ..ridge };
    assert!(matches!(interpolation.fit(d.x.view(), d.y.view(), None, &tight), Err(Error::Memory { .. })));
}

#[test]
fn precomputed_values_give_the_answer_of_their_points() {
    let (d, compute) = (sample(30), Compute::new());
    let t = sample(5).x;
    let k = kernel("matern(nu=5/2, lengthscale=2)");
    let values = |a: &Array2<f64>| {
        let bound = k.bind(mercer::gram::Pairs::between(a.view(), d.x.view()), &compute).unwrap();
        mercer::gram::dense(&bound, &compute).unwrap()
    };
    let square = values(&d.x);
    let square = (&square + &square.t()) * 0.5;
    let mut weights = d.weights.clone();
    weights[4] = 0.0;
    let weights = Some(weights.view());
    let points = Ridge { intercept: true, ..Ridge::new(k.clone(), 0.1) };
    let given = Ridge { kernel: kernel("precomputed()"), ..points.clone() };
    let expected = points.fit(d.x.view(), d.y.view(), weights, &compute).unwrap();
    let found = given.fit(square.view(), d.y.view(), weights, &compute).unwrap();
    assert_arrays_close(&found.residuals().to_owned(), &expected.residuals().to_owned(), 1e-11, "residuals");
    let (a, b) = (found.predict(values(&t).view(), &compute), expected.predict(t.view(), &compute));
    assert_arrays_close(&a.unwrap(), &b.unwrap(), 1e-11, "predictions");
    // Not symmetric, not square, not positive.
    let fit = |matrix: &Array2<f64>| given.fit(matrix.view(), d.y.view(), None, &compute);
    let mut lopsided = square.clone();
    lopsided[[2, 5]] += 0.1;
    assert!(matches!(fit(&lopsided), Err(Error::Precomputed { .. })));
    assert!(matches!(fit(&d.x), Err(Error::Precomputed { .. })));
    assert!(matches!(fit(&-square), Err(Error::NotPositiveDefinite { .. })));
}

#[test]
fn wrong_input_is_refused() {
    let (d, compute) = (sample(8), Compute::new());
    let ridge = Ridge::new(kernel("gaussian()"), 0.1);
    let (x, y) = (d.x.view(), d.y.view());
    for lambda in [-1.0, f64::NAN, f64::INFINITY] {
        let bad = Ridge { lambda, ..ridge.clone() };
        assert!(matches!(bad.fit(x, y, None, &compute), Err(Error::Parameter { .. })), "{lambda}");
    }
    let empty = Array2::zeros((0, 2));
    assert!(matches!(ridge.fit(empty.view(), empty.view(), None, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(ridge.fit(x, y.slice(s![1.., ..]), None, &compute), Err(Error::Shape { .. })));
    assert!(matches!(ridge.fit(x, y.slice(s![.., ..0]), None, &compute), Err(Error::TooFew { .. })));
    let mut bad = d.y.clone();
    bad[[3, 1]] = f64::NAN;
    assert!(matches!(ridge.fit(x, bad.view(), None, &compute), Err(Error::Value { row: 3, .. })));
    assert!(matches!(ridge.fit(bad.view(), y, None, &compute), Err(Error::Value { row: 3, .. })));
    let weights = |w: Array1<f64>| ridge.fit(x, y, Some(w.view()), &compute);
    assert!(matches!(weights(Array1::ones(7)), Err(Error::Shape { .. })));
    assert!(matches!(weights(Array1::from_elem(8, -1.0)), Err(Error::Value { .. })));
    assert!(matches!(weights(Array1::zeros(8)), Err(Error::AllZero { .. })));
    let twice = Ridge { intercept: true, ..ridge.clone() };
    let ones = Array2::ones((8, 1));
    assert!(matches!(twice.fit_with_null_space(x, ones.view(), y, None, &compute), Err(Error::Undetermined { .. })));
    let indefinite = Ridge { kernel: kernel("tanh()"), ..ridge.clone() };
    assert!(matches!(indefinite.fit(x, y, None, &compute), Err(Error::NotPositiveDefinite { .. })));
    assert!(Ridge { indefinite: true, lambda: 10.0, ..indefinite }.fit(x, y, None, &compute).is_ok());
    let fit = twice.fit_with_null_space(x, d.basis.view(), y, None, &compute).unwrap();
    assert!(matches!(fit.predict(x, &compute), Err(Error::Unsupported { .. })));
    assert!(matches!(fit.predict_with_null_space(x, ones.slice(s![1.., ..]), &compute), Err(Error::Shape { .. })));
    assert!(matches!(fit.function(2, &compute), Err(Error::Parameter { .. })));
    let wider = Array2::zeros((2, 3));
    assert!(matches!(
        ridge.fit(x, y, None, &compute).unwrap().predict(wider.view(), &compute),
        Err(Error::Shape { .. })
    ));
}

#[test]
fn finitely_many_features_give_the_dense_solution() {
    let (d, compute) = (sample(120), Compute::new());
    for text in ["linear()", "polynomial(degree=3, offset=0.5)", "2*linear() + on([1], linear())^2", "1 + linear()"] {
        for (lambda, intercept, basis, weighted) in
            [(1e-6, false, false, false), (0.3, true, false, true), (5.0, true, true, false)]
        {
            let auto = Ridge { intercept, ..Ridge::new(kernel(text), lambda) };
            assert_eq!(auto.plan(120, 2, 2, &compute).unwrap().solver, RidgeSolver::FiniteRank, "{text}");
            let fit = |ridge: &Ridge| {
                let weights = weighted.then(|| d.weights.view());
                match basis {
                    true => ridge.fit_with_null_space(d.x.view(), d.basis.view(), d.y.view(), weights, &compute),
                    false => ridge.fit(d.x.view(), d.y.view(), weights, &compute),
                }
                .unwrap()
            };
            let (found, dense) = (fit(&auto), fit(&Ridge { solver: RidgeSolver::Cholesky, ..auto.clone() }));
            assert!(matches!(found.method(), RidgeMethod::FiniteRank { .. }), "{text}");
            // The dense solution loses digits at the smallest λ.
            assert_arrays_close(&found.fitted(), &dense.fitted(), 1e-6, text);
            let (ours, theirs) = (found.diagnostics().unwrap(), dense.diagnostics().unwrap());
            assert_arrays_close(&ours.loo_residuals, &theirs.loo_residuals, 1e-6, text);
            mercer::assert_close!(ours.degrees_of_freedom, theirs.degrees_of_freedom, abs = 1e-6);
            if !basis {
                let new = d.x.mapv(|v| 0.7 * v - 0.2);
                let (ours, theirs) = (found.predict(new.view(), &compute), dense.predict(new.view(), &compute));
                assert_arrays_close(&ours.unwrap(), &theirs.unwrap(), 1e-6, text);
            }
        }
    }
    // A small λ has the least-squares answer.
    let small = Ridge::new(kernel("linear()"), 1e-18).fit(d.x.view(), d.y.view(), None, &compute).unwrap();
    assert!(matches!(small.method(), RidgeMethod::FiniteRank { .. }));
    let normal = d.x.t().dot(&(&d.y - &small.fitted()));
    assert!(normal.iter().all(|v| v.abs() < 1e-12), "{normal}");
    // Too small a λ for the features: the matrix answers instead, and the solver alone says so.
    let tiny = Ridge::new(kernel("linear()"), 1e-26);
    assert!(!matches!(
        tiny.fit(d.x.view(), d.y.view(), None, &compute).unwrap().method(),
        RidgeMethod::FiniteRank { .. }
    ));
    let alone = Ridge { solver: RidgeSolver::FiniteRank, ..tiny };
    assert!(matches!(alone.fit(d.x.view(), d.y.view(), None, &compute), Err(Error::Singular { .. })));
    let other = Ridge { solver: RidgeSolver::FiniteRank, ..Ridge::new(kernel("gaussian()"), 0.1) };
    assert!(matches!(other.fit(d.x.view(), d.y.view(), None, &compute), Err(Error::Unsupported { .. })));
}

/// An intercept takes any offset of the columns from a linear kernel; a matrix of products of such
/// columns has no digits left for λ, and says so instead of calling the kernel indefinite.
#[test]
fn columns_far_from_the_origin_cost_a_linear_kernel_no_digits() {
    let (d, compute) = (sample(120), Compute::new());
    let far = d.x.mapv(|v| v + 2f64.powi(22));
    let near = far.mapv(|v| v - 2f64.powi(22));
    for weights in [None, Some(d.weights.view())] {
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel("linear()"), 0.5) };
        let found = ridge.fit(far.view(), d.y.view(), weights, &compute).unwrap();
        let expected = ridge.fit(near.view(), d.y.view(), weights, &compute).unwrap();
        assert!(matches!(found.method(), RidgeMethod::FiniteRank { .. }));
        assert_arrays_close(&found.fitted(), &expected.fitted(), 1e-7, "fitted");
        let (ours, theirs) = (found.diagnostics().unwrap(), expected.diagnostics().unwrap());
        assert_arrays_close(&ours.loo_residuals, &theirs.loo_residuals, 1e-7, "held out");
        let ours = found.predict(far.slice(s![..5, ..]), &compute).unwrap();
        assert_arrays_close(&ours, &expected.fitted().slice(s![..5, ..]), 1e-7, "predictions");
    }
    let farther = d.x.mapv(|v| v + 2f64.powi(28));
    let matrix = Ridge { intercept: true, ..Ridge::new(kernel("polynomial(degree=2)"), 0.5) };
    let error = matrix.fit(farther.view(), d.y.view(), None, &compute).unwrap_err();
    assert!(matches!(error, Error::Singular { .. }), "{error}");
    assert!(error.to_string().contains("columns far from 0 should be centered"), "{error}");
}
