//! Smoothing splines against dense kernel solves, brute force and limits.

use crate::common::assert_arrays_close;
use crate::common::dense_spline::Dense;
use mercer::learn::spline::{Smoothing, SmoothingSpline, SplineFit};
use mercer::solve::solve_positive;
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, array};

fn spline(order: usize, smoothing: Smoothing) -> SmoothingSpline {
    SmoothingSpline { order, smoothing, period: None }
}

fn fit(spline: SmoothingSpline, x: &Array1<f64>, y: &Array1<f64>, w: Option<&Array1<f64>>) -> SplineFit {
    spline.fit(x.view(), y.view(), w.map(|w| w.view()), &Compute::new()).unwrap()
}

/// Uneven places in [0, 1) with some ties, a smooth signal with noise, uneven weights.
fn sample(n: usize, seed: u64) -> (Array1<f64>, Array1<f64>, Array1<f64>) {
    let mut s = Seed(seed).stream("splines", n as u64);
    let mut x: Array1<f64> = (0..n).map(|_| s.uniform().powi(2)).collect();
    for i in (5..n).step_by(7) {
        x[i] = x[i - 3];
    }
    let y = x.mapv(|v| (7.0 * v).sin() + v) + Array1::from_shape_fn(n, |_| 0.3 * s.normal());
    let w = Array1::from_shape_fn(n, |_| 0.5 + s.uniform());
    (x, y, w)
}

/// The complete fit against the dense solution.
fn compare(what: &str, specification: SmoothingSpline, dense: &Dense<'_>) {
    let (x, y, w) = (dense.x, dense.y, dense.weights);
    let fit = fit(specification, x, y, Some(w));
    let hat = dense.hat(x);
    assert_arrays_close(&fit.fitted().to_owned(), &hat.dot(y), 1e-9, &format!("{what} fitted"));
    assert_arrays_close(&fit.leverages().to_owned(), &hat.diag().to_owned(), 1e-9, &format!("{what} leverages"));
    let df = hat.diag().sum();
    let n = x.len() as f64;
    let rss: f64 = (0..x.len()).map(|i| w[i] * (y[i] - hat.row(i).dot(y)).powi(2)).sum();
    let numbers = array![fit.degrees_of_freedom(), fit.residual_sum_of_squares(), fit.gcv(), fit.variance().unwrap()];
    assert_arrays_close(
        &numbers,
        &array![df, rss, rss / n / (1.0 - df / n).powi(2), rss / (n - df)],
        1e-9,
        &format!("{what} numbers"),
    );
    let t = Array1::linspace(0.001, 0.999, 43);
    assert_arrays_close(&fit.predict(t.view(), 0).unwrap(), &dense.predict(&t), 1e-9, &format!("{what} predictions"));
    let squared = fit.standard_errors(t.view()).unwrap().mapv(|s| s * s) / (rss / (n - df));
    assert_arrays_close(&squared, &dense.variance(&t), 1e-8, &format!("{what} variances"));
}

/// The restricted likelihoods differ by the same constant at two values of λ.
fn compare_reml(what: &str, specification: SmoothingSpline, dense: &Dense<'_>) {
    let at = |lambda: f64| {
        let specification = SmoothingSpline { smoothing: Smoothing::Lambda(lambda), ..specification };
        fit(specification, dense.x, dense.y, Some(dense.weights)).reml() - Dense { lambda, ..*dense }.reml()
    };
    let (one, two) = (at(dense.lambda), at(dense.lambda * 30.0));
    assert_close!(one, two, abs = 1e-7 * one.abs().max(1.0), "{what}: {one} and {two}");
}

#[test]
fn equal_to_the_kernel_form_with_the_sobolev_kernel() {
    let (x, y, w) = sample(40, 1);
    equal_to_the_kernel_form(&x, &y, &w);
}

/// Places of prediction lie on both sides of the data.
#[test]
fn equal_to_the_kernel_form_outside_the_data() {
    let (x, y, w) = sample(30, 9);
    equal_to_the_kernel_form(&x.mapv(|v| 0.3 + 0.4 * v), &y, &w);
}

fn equal_to_the_kernel_form(x: &Array1<f64>, y: &Array1<f64>, w: &Array1<f64>) {
    for order in 1..=3 {
        let kernel: Kernel = format!("sobolev(order={order}, null_space=false)").parse().unwrap();
        let k = |a: f64, b: f64| kernel.evaluate(&[a], &[b]).unwrap();
        let null = |t: f64| (0..order).map(|p| t.powi(p as i32)).collect::<Vec<f64>>();
        for lambda in [1e-7, 1e-4, 0.1] {
            let dense = Dense { kernel: &k, null: &null, x, y, weights: w, lambda };
            let what = format!("order {order}, λ = {lambda}");
            compare(&what, spline(order, Smoothing::Lambda(lambda)), &dense);
            compare_reml(&what, spline(order, Smoothing::Reml), &dense);
        }
    }
}

/// `(−1)^{m−1} B_{2m}({t})/(2m)!`, the kernel of periodic functions of mean 0 with norm
/// `∫ (f⁽ᵐ⁾)²`.
fn bernoulli(order: usize, t: f64) -> f64 {
    let t = t.rem_euclid(1.0);
    match order {
        1 => (t * t - t + 1.0 / 6.0) / 2.0,
        2 => -(t.powi(4) - 2.0 * t.powi(3) + t * t - 1.0 / 30.0) / 24.0,
        _ => (t.powi(6) - 3.0 * t.powi(5) + 2.5 * t.powi(4) - 0.5 * t * t + 1.0 / 42.0) / 720.0,
    }
}

#[test]
fn periodic_splines_equal_the_kernel_form_with_bernoulli_polynomials() {
    let (x, y, w) = sample(31, 2);
    for order in 1..=3 {
        let k = |a: f64, b: f64| bernoulli(order, a - b);
        let dense = Dense { kernel: &k, null: &|_| vec![1.0], x: &x, y: &y, weights: &w, lambda: 1e-5 };
        let periodic = SmoothingSpline { period: Some(1.0), ..spline(order, Smoothing::Lambda(1e-5)) };
        compare(&format!("periodic {order}"), periodic, &dense);
        compare_reml(&format!("periodic {order}"), periodic, &dense);
        let fit = fit(periodic, &x, &y, Some(&w));
        let t = array![0.3, 0.9];
        for derivative in 0..2 * order - 1 {
            let here = fit.predict(t.view(), derivative).unwrap();
            assert_arrays_close(&fit.predict((&t + 5.0).view(), derivative).unwrap(), &here, 1e-6, "a period later");
        }
    }
}

#[test]
fn one_position_on_a_circle_is_a_constant() {
    let periodic = SmoothingSpline { period: Some(2.0), ..spline(2, Smoothing::Lambda(1.0)) };
    let fit = fit(periodic, &array![0.5, 2.5, 4.5], &array![1.0, 2.0, 6.0], None);
    assert_arrays_close(&fit.predict(array![0.0, 1.3].view(), 0).unwrap(), &array![3.0, 3.0], 1e-13, "constant");
    assert_close!(fit.degrees_of_freedom(), 1.0, abs = 1e-12);
    assert_close!(fit.roughness(), 0.0, abs = 1e-20);
}

#[test]
fn leave_one_out_equals_leaving_one_out() {
    let (x, y, w) = sample(25, 3);
    for period in [None, Some(1.3)] {
        let specification = SmoothingSpline { period, ..spline(2, Smoothing::Lambda(1e-3)) };
        let loo = fit(specification, &x, &y, Some(&w)).loo_residuals();
        for i in 0..x.len() {
            let mut without = w.clone();
            without[i] = 0.0;
            let rest = fit(specification, &x, &y, Some(&without));
            let expected = y[i] - rest.predict(array![x[i]].view(), 0).unwrap()[0];
            assert_close!(loo[i], expected, abs = 1e-10, "row {i}: {} and {expected}", loo[i]);
            assert_eq!(rest.leverages()[i], 0.0);
            assert_close!(rest.residuals()[i], expected, abs = 1e-10);
        }
    }
}

#[test]
fn derivatives_and_roughness_equal_numerical_ones() {
    let (x, y, _) = sample(30, 4);
    for order in 1..=3 {
        let fit = fit(spline(order, Smoothing::DegreesOfFreedom(8.0)), &x, &y, None);
        let t = Array1::linspace(-0.2, 1.2, 57) + 1e-4;
        let h = 1e-6;
        for derivative in 0..order {
            let at = |shift: f64| fit.predict((&t + shift).view(), derivative).unwrap();
            let numerical = (at(h) - at(-h)) / (2.0 * h);
            let found = fit.predict(t.view(), derivative + 1).unwrap();
            let size = found.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            assert_arrays_close(&(found / size), &(numerical / size), 1e-4, &format!("derivative {}", derivative + 1));
        }
        let (low, high) = (fit.knots()[0], fit.knots()[fit.knots().len() - 1]);
        let cells = 200_000;
        let step = (high - low) / cells as f64;
        let middles = Array1::from_shape_fn(cells, |i| low + (i as f64 + 0.5) * step);
        let integral = fit.predict(middles.view(), order).unwrap().mapv(|v| v * v).sum() * step;
        assert_close!(fit.roughness() / integral, 1.0, abs = 1e-4, "order {order}: {} {integral}", fit.roughness());
    }
}

#[test]
fn the_limits_are_polynomials_and_interpolation() {
    let x = array![0.0, 0.1, 0.15, 0.4, 0.45, 0.8, 1.0];
    let y = array![1.0, -0.3, 0.2, 2.0, 0.7, 0.1, -1.0];
    for order in 1..=3 {
        let stiff = fit(spline(order, Smoothing::Lambda(1e12)), &x, &y, None);
        assert_close!(stiff.degrees_of_freedom(), order as f64, abs = 1e-8);
        // Least squares by polynomials of degree below m: residuals are orthogonal to them.
        for power in 0..order {
            let moment: f64 = x.iter().zip(stiff.residuals()).map(|(v, r)| v.powi(power as i32) * r).sum();
            assert!(moment.abs() <= 1e-9, "order {order}: {moment:e}");
        }
        assert!(stiff.predict(x.view(), order).unwrap().iter().all(|v| v.abs() <= 1e-8));
        let soft = fit(spline(order, Smoothing::Lambda(1e-18)), &x, &y, None);
        assert_arrays_close(&soft.fitted().to_owned(), &y, 1e-8, "interpolation");
        assert_close!(soft.degrees_of_freedom(), 7.0, abs = 1e-6);
    }
}

#[test]
fn units_of_x_do_not_matter() {
    let (x, y, w) = sample(40, 5);
    let moved = x.mapv(|v| 1e4 * v - 3e3);
    for order in 1..=3 {
        let here = fit(spline(order, Smoothing::Lambda(1e-4)), &x, &y, Some(&w));
        let lambda = 1e-4 * 1e4_f64.powi(2 * order as i32 - 1);
        let there = fit(spline(order, Smoothing::Lambda(lambda)), &moved, &y, Some(&w));
        assert_arrays_close(&there.fitted().to_owned(), &here.fitted().to_owned(), 1e-10, "fitted");
        assert_close!(there.roughness() * lambda / (here.roughness() * 1e-4), 1.0, abs = 1e-9);
        let slopes = |fit: &SplineFit, x: &Array1<f64>| fit.predict(x.view(), 1).unwrap();
        if order > 1 {
            assert_arrays_close(&(slopes(&there, &moved) * 1e4), &slopes(&here, &x), 1e-8, "slopes");
        }
        let chosen = fit(spline(order, Smoothing::Gcv), &x, &y, Some(&w)).gcv();
        assert_close!(fit(spline(order, Smoothing::Gcv), &moved, &y, Some(&w)).gcv() / chosen, 1.0, abs = 1e-9);
    }
}

#[test]
fn the_chosen_lambda_is_the_best_nearby() {
    let (x, y, w) = sample(60, 6);
    for order in 1..=3 {
        for (smoothing, period) in [(Smoothing::Gcv, None), (Smoothing::Reml, None), (Smoothing::Reml, Some(1.5))] {
            let score = |f: &SplineFit| if smoothing == Smoothing::Gcv { f.gcv() } else { f.reml() };
            let best = fit(SmoothingSpline { order, smoothing, period }, &x, &y, Some(&w));
            assert!(!best.at_limit() && best.passes() > 0);
            for factor in [0.05, 0.5, 0.99, 1.01, 2.0, 20.0] {
                let smoothing = Smoothing::Lambda(best.lambda() * factor);
                let other = fit(SmoothingSpline { order, smoothing, period }, &x, &y, Some(&w));
                assert!(score(&best) <= score(&other), "order {order}, {smoothing:?}, factor {factor}");
            }
        }
    }
}

#[test]
fn close_points_act_like_ties() {
    let x = array![0.0, 1e-11, 0.3, 0.3 + 1e-13, 0.5, 0.5 + 1e-9, 0.5 + 2e-9, 1.0];
    let ties = array![0.0, 0.0, 0.3, 0.3, 0.5, 0.5, 0.5, 1.0];
    let y = array![1.0, 2.0, 0.0, -1.0, 3.0, 1.0, 2.0, 0.5];
    for order in 1..=3 {
        for period in [None, Some(1.7)] {
            let specification = SmoothingSpline { order, smoothing: Smoothing::Lambda(0.01), period };
            let (near, same) = (fit(specification, &x, &y, None), fit(specification, &ties, &y, None));
            // Order 1 is rough: over a gap h it moves by about h/λ.
            assert_arrays_close(&near.fitted().to_owned(), &same.fitted().to_owned(), 1e-6, "fitted");
            assert_arrays_close(&near.leverages().to_owned(), &same.leverages().to_owned(), 1e-6, "leverages");
            assert_close!(near.degrees_of_freedom(), same.degrees_of_freedom(), abs = 1e-5);
        }
    }
}

/// Reinsch's equations for unit weights and distinct x: `(R + λQᵀQ)γ = Qᵀy`, `f = y − λQγ`,
/// `S = I − λQ(…)⁻¹Qᵀ`.
#[test]
fn cubic_splines_equal_the_equations_of_reinsch() {
    let n = 400;
    let mut s = Seed(7).stream("reinsch", 0);
    let x = Array1::from_iter((0..n).scan(0.0, |at, _| {
        *at += 0.05 + s.uniform();
        Some(*at)
    }));
    let y = x.mapv(|v| (v / 9.0).sin() + 0.2 * (31.0 * v).cos());
    let lambda = 3.0;
    let h: Vec<f64> = (1..n).map(|i| x[i] - x[i - 1]).collect();
    let column = |j: usize| [1.0 / h[j], -1.0 / h[j] - 1.0 / h[j + 1], 1.0 / h[j + 1]];
    let mut a = Array2::<f64>::zeros((n - 2, n - 2));
    for j in 0..n - 2 {
        a[[j, j]] += (h[j] + h[j + 1]) / 3.0;
        if j > 0 {
            a[[j, j - 1]] += h[j] / 6.0;
        }
        for i in j.saturating_sub(2)..=j {
            let shift = j - i;
            let product: f64 = (0..3 - shift).map(|k| column(i)[k + shift] * column(j)[k]).sum();
            a[[j, i]] += lambda * product;
        }
    }
    for j in 0..n - 2 {
        for i in 0..j {
            a[[i, j]] = a[[j, i]];
        }
    }
    let right = Array2::from_shape_fn((n - 2, 1), |(j, _)| (0..3).map(|k| column(j)[k] * y[j + k]).sum());
    let gamma = solve_positive(a.view(), right.view()).unwrap().solution;
    let inverse = solve_positive(a.view(), Array2::eye(n - 2).view()).unwrap().solution;
    let (mut f, mut hat) = (y.clone(), Array1::ones(n));
    for j in 0..n - 2 {
        for k in 0..3 {
            f[j + k] -= lambda * column(j)[k] * gamma[[j, 0]];
            for i in (j + k).saturating_sub(2)..=(j + k).min(n - 3) {
                hat[j + k] -= lambda * column(j)[k] * column(i)[j + k - i] * inverse[[i, j]];
            }
        }
    }
    let fit = fit(spline(2, Smoothing::Lambda(lambda)), &x, &y, None);
    assert_arrays_close(&fit.fitted().to_owned(), &f, 1e-10, "fitted");
    assert_arrays_close(&fit.leverages().to_owned(), &hat, 1e-10, "leverages");
}

#[test]
fn many_points() {
    let n = 100_000;
    let mut s = Seed(8).stream("many", 0);
    let x = Array1::from_shape_fn(n, |i| (i as f64 + s.uniform()) / n as f64);
    let y = x.mapv(|v| (9.0 * v).sin()) + Array1::from_shape_fn(n, |_| 0.5 * s.normal());
    let fit = fit(SmoothingSpline::default(), &x, &y, None);
    let error = fit.fitted().iter().zip(&x).map(|(f, v)| (f - (9.0 * v).sin()).powi(2)).sum::<f64>() / n as f64;
    assert!(error.sqrt() <= 0.01, "{error}");
    assert_close!(fit.variance().unwrap(), 0.25, abs = 0.01);
    assert!(fit.degrees_of_freedom() < 60.0);
    assert_close!(fit.leverages().sum(), fit.degrees_of_freedom(), abs = 1e-8);
    // The first-order condition: λ∫(f″)² = ⟨y − f, f⟩.
    let inner: f64 = fit.residuals().iter().zip(fit.fitted()).map(|(r, f)| r * f).sum();
    assert_close!(fit.lambda() * fit.roughness() / inner, 1.0, abs = 1e-6);
}

#[test]
fn few_points() {
    let at = |order, x: &Array1<f64>, y: &Array1<f64>, smoothing| {
        spline(order, smoothing).fit(x.view(), y.view(), None, &Compute::new())
    };
    let given = Smoothing::Lambda(1.0);
    let line = at(2, &array![1.0, 3.0], &array![2.0, 6.0], given).unwrap();
    assert_arrays_close(&line.predict(array![0.0, 5.0].view(), 0).unwrap(), &array![0.0, 10.0], 1e-12, "line");
    assert!(line.variance().is_none() && line.standard_errors(array![1.0].view()).is_err());
    let constant = at(1, &array![2.0, 2.0], &array![1.0, 3.0], given).unwrap();
    assert_arrays_close(&constant.predict(array![-4.0].view(), 0).unwrap(), &array![2.0], 1e-13, "constant");
    let parabola = at(3, &array![0.0, 1.0, 2.0], &array![0.0, 1.0, 4.0], given).unwrap();
    assert_arrays_close(&parabola.predict(array![3.0].view(), 0).unwrap(), &array![9.0], 1e-11, "parabola");
    assert!(matches!(at(2, &array![1.0, 1.0, 1.0], &array![0.0, 1.0, 2.0], given), Err(Error::TooFew { .. })));
    assert!(matches!(at(3, &array![1.0, 2.0], &array![0.0, 1.0], given), Err(Error::TooFew { .. })));
    assert!(matches!(at(2, &array![1.0, 2.0], &array![0.0, 1.0], Smoothing::Gcv), Err(Error::Undetermined { .. })));
    assert!(at(2, &array![1.0, 2.0, 4.0], &array![0.0, 1.0, 0.0], Smoothing::Reml).is_ok());
    assert!(matches!(at(2, &array![], &array![], given), Err(Error::TooFew { .. })));
}

#[test]
fn data_without_noise_on_a_polynomial_choose_the_polynomial() {
    let x = array![0.0, 1.0, 2.0, 3.5, 4.0, 7.0];
    for y in [x.mapv(|_| 0.0), x.mapv(|_| 5.0), x.mapv(|v| 3.0 - 0.3 * v)] {
        for smoothing in [Smoothing::Gcv, Smoothing::Reml] {
            let fit = fit(spline(2, smoothing), &x, &y, None);
            assert_arrays_close(&fit.fitted().to_owned(), &y, 1e-13, "fitted");
            assert_close!(fit.degrees_of_freedom(), 2.0, abs = 1e-3, "{smoothing:?}: {}", fit.degrees_of_freedom());
        }
    }
}

#[test]
fn bad_input_is_refused() {
    let (x, y) = (array![0.0, 1.0, 2.0, 3.0], array![0.0, 1.0, 0.0, 1.0]);
    let run = |s: SmoothingSpline, x: &Array1<f64>, w: Option<Array1<f64>>| {
        s.fit(x.view(), y.view(), w.as_ref().map(|w| w.view()), &Compute::new()).map(|_| ())
    };
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        assert!(
            matches!(run(spline(2, Smoothing::Lambda(lambda)), &x, None), Err(Error::Parameter { .. })),
            "{lambda}"
        );
    }
    for df in [2.0, 4.0, 1.0, f64::NAN] {
        assert!(matches!(run(spline(2, Smoothing::DegreesOfFreedom(df)), &x, None), Err(Error::Parameter { .. })));
    }
    assert!(matches!(run(spline(4, Smoothing::Gcv), &x, None), Err(Error::Parameter { .. })));
    let circle = SmoothingSpline { period: Some(-1.0), ..SmoothingSpline::default() };
    assert!(matches!(run(circle, &x, None), Err(Error::Parameter { .. })));
    let nan = array![0.0, f64::NAN, 2.0, 3.0];
    assert!(matches!(run(SmoothingSpline::default(), &nan, None), Err(Error::Value { row: 1, .. })));
    let weights = |w| run(spline(2, Smoothing::Lambda(1.0)), &x, Some(w));
    assert!(matches!(weights(array![1.0, -1.0, 1.0, 1.0]), Err(Error::Value { row: 1, .. })));
    assert!(matches!(weights(array![0.0, 0.0, 0.0, 0.0]), Err(Error::AllZero { .. })));
    assert!(matches!(weights(array![1.0]), Err(Error::Shape { .. })));
    assert!(weights(array![1.0, 0.0, 1.0, 0.0]).is_ok());
    let fit = fit(spline(2, Smoothing::Lambda(1.0)), &x, &y, None);
    assert!(matches!(fit.predict(x.view(), 4), Err(Error::Parameter { .. })));
    assert!(matches!(fit.predict(nan.view(), 0), Err(Error::Value { row: 1, .. })));
    let huge = spline(2, Smoothing::Lambda(1.0)).fit(x.view(), (&y * 1e300).view(), None, &Compute::new());
    assert!(matches!(huge, Err(Error::Singular { .. })));
    let canceled = mercer::Cancel::default();
    canceled.cancel();
    let compute = Compute::new().with_cancel(canceled);
    assert!(matches!(SmoothingSpline::default().fit(x.view(), y.view(), None, &compute), Err(Error::Canceled)));
    let little = Compute::new().with_memory(10);
    assert!(matches!(SmoothingSpline::default().fit(x.view(), y.view(), None, &little), Err(Error::Memory { .. })));
}

/// Gaps over twelve orders of magnitude: a fit that holds its own equations, or an error; never a
/// wrong number.
#[test]
fn wild_spacing_is_fitted_or_refused() {
    let mut s = Seed(10).stream("wild", 0);
    let x = Array1::from_shape_fn(300, |_| (5.0 * s.normal()).exp());
    let y = x.mapv(|v| v.ln().sin()) + Array1::from_shape_fn(300, |_| 0.5 * s.normal());
    for order in 1..=3 {
        for smoothing in [Smoothing::Gcv, Smoothing::Reml, Smoothing::DegreesOfFreedom(20.0), Smoothing::Lambda(1e-3)] {
            let fit = match spline(order, smoothing).fit(x.view(), y.view(), None, &Compute::new()) {
                Ok(fit) => fit,
                // Only a λ that was given, and only for the highest order, may leave no digits.
                Err(Error::Singular { .. }) if order == 3 && smoothing == Smoothing::Lambda(1e-3) => continue,
                Err(error) => panic!("order {order}, {smoothing:?}: {error}"),
            };
            let inner: f64 = fit.residuals().iter().zip(fit.fitted()).map(|(r, f)| r * f).sum();
            assert_close!(fit.lambda() * fit.roughness(), inner, abs = 1e-8, "order {order}, {smoothing:?}");
            assert!(fit.leverages().iter().all(|h| *h > 0.0 && *h <= 1.0 + 1e-6), "order {order}, {smoothing:?}");
            assert!(fit.degrees_of_freedom() >= order as f64 - 1e-6);
        }
    }
    let lost = spline(3, Smoothing::Lambda(1e-30)).fit(x.view(), y.view(), None, &Compute::new());
    assert!(matches!(lost, Err(Error::Singular { .. })));
}

/// λ and the roughness in the units of `x` were infinite without a word.
#[test]
fn units_in_which_lambda_is_no_number_are_refused() {
    let (x, y, _) = sample(30, 3);
    for (x, w) in [(x.clone(), 1e300), (&x * 1e-120, 1.0)] {
        let weights = Array1::from_elem(30, w);
        let found = SmoothingSpline::default().fit((&x * 1e10).view(), y.view(), Some(weights.view()), &Compute::new());
        assert!(matches!(found, Err(Error::Overflow { .. } | Error::Singular { .. })), "{found:?}");
    }
}
