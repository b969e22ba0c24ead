//! The closed form of leave-one-out at new points, against fits without each row; CV+ and split
//! against their definitions.

use mercer::conformal::{Conformal, ConformalMethod};
use mercer::learn::{GaussianProcess, Ridge, SharedGaussianProcess};
use mercer::learner::{FitInput, Fitted, Targets};
use mercer::points::Points;
use mercer::{Compute, Kernel, Sample, Seed};
use ndarray::{Array1, Array2, Axis};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn sample(n: usize, targets: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(19).stream("jackknife", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| stream.uniform());
    let value = |i: usize, t: usize| (5.0 * x[[i, 0]]).sin() + (t + 1) as f64 * x[[i, 1]];
    let y = Array2::from_shape_fn((n, targets), |(i, t)| value(i, t) + 0.3 * stream.normal());
    (x, y)
}

/// `f₋ᵢ(x)` by the closed form: a row per row of the data, for one target.
fn closed_form(fit: &dyn Fitted, x: Points<'_>, target: usize) -> Array2<f64> {
    let compute = Compute::new();
    let found = fit.leave_one_out(&compute).unwrap().unwrap();
    let values = fit.predict(x.reborrow(), &compute).unwrap();
    let weights = found.weights(x, &compute).unwrap();
    let without = |(i, j): (usize, usize)| values[[j, target]] - weights[[i, j]] * found.residuals()[[i, target]];
    Array2::from_shape_fn(weights.dim(), without)
}

fn others(n: usize, i: usize) -> Vec<usize> {
    (0..n).filter(|&j| j != i).collect()
}

#[test]
fn ridge_without_a_row_is_the_closed_form() {
    let ((x, y), t, compute) = (sample(30, 2), sample(6, 1).0, Compute::new());
    let weights = Array1::from_shape_fn(30, |i| [1.0, 0.5, 3.0][i % 3]);
    let cases = [("gaussian(lengthscale=0.5)", 0.1), ("matern(nu=3/2, lengthscale=0.7)", 2.0), ("linear()", 0.5)];
    for (text, lambda) in cases {
        for (intercept, weighted, diagnostics) in
            [(false, false, true), (true, false, true), (false, true, false), (true, true, false)]
        {
            let ridge = Ridge { intercept, diagnostics, ..Ridge::new(kernel(text), lambda) };
            let w = weighted.then(|| weights.view());
            let fit = ridge.fit(x.view(), y.view(), w, &compute).unwrap();
            let found = closed_form(&fit, t.view().into(), 1);
            for i in 0..30 {
                let rows = others(30, i);
                let w = weighted.then(|| weights.select(Axis(0), &rows));
                let (x, y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
                let without = ridge.fit(x.view(), y.view(), w.as_ref().map(|w| w.view()), &compute).unwrap();
                let expected = without.predict(t.view(), &compute).unwrap();
                for j in 0..6 {
                    assert_close!(found[[i, j]], expected[[j, 1]], abs = 1e-8, "{text} {intercept} {weighted} {i}");
                }
            }
        }
    }
}

#[test]
fn processes_without_a_row_are_the_closed_form() {
    let ((x, y), t, compute) = (sample(25, 1), sample(5, 1).0, Compute::new());
    let k = kernel("2*gaussian(lengthscale=0.4)");
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new(k.clone(), 0.05) };
    let fit = process.fit(x.view(), y.column(0), &compute).unwrap();
    let found = closed_form(&fit, t.view().into(), 0);
    let noise = Array1::from_shape_fn(25, |i| 0.02 * (1 + i % 4) as f64);
    let shared = SharedGaussianProcess::new(k);
    let fit = shared.fit(x.view(), y.view(), noise.view(), &compute).unwrap();
    let by_row = closed_form(&fit, t.view().into(), 0);
    for i in 0..25 {
        let rows = others(25, i);
        let (x, y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        let expected = process.fit(x.view(), y.column(0), &compute).unwrap().mean(t.view(), &compute).unwrap();
        let noise = noise.select(Axis(0), &rows);
        let shared = shared.fit(x.view(), y.view(), noise.view(), &compute).unwrap();
        let expected_by_row = shared.mean(t.view(), &compute).unwrap();
        for j in 0..5 {
            assert_close!(found[[i, j]], expected[j], abs = 1e-8);
            assert_close!(by_row[[i, j]], expected_by_row[[j, 0]], abs = 1e-8);
        }
    }
}

/// The interval of jackknife+ from 40 fits, and of points that are strings.
#[test]
fn intervals_are_those_of_the_definition() {
    let ((x, y), t, compute) = (sample(40, 1), sample(7, 1).0, Compute::new());
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.3)"), 0.2) };
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
    let conformal = Conformal::new(ConformalMethod::JackknifePlus).fit(&fit, &input, &compute).unwrap();
    let ends = conformal.intervals(&fit, t.view(), 0.8, &compute).unwrap();
    let (mut lower, mut upper) = (vec![Vec::new(); 7], vec![Vec::new(); 7]);
    for i in 0..40 {
        let rows = others(40, i);
        let (x_some, y_some) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        let without = ridge.fit(x_some.view(), y_some.view(), None, &compute).unwrap();
        let own = x.select(Axis(0), &[i]);
        let residual = (y[[i, 0]] - without.predict(own.view(), &compute).unwrap()[[0, 0]]).abs();
        let values = without.predict(t.view(), &compute).unwrap();
        for j in 0..7 {
            lower[j].push(values[[j, 0]] - residual);
            upper[j].push(values[[j, 0]] + residual);
        }
    }
    for j in 0..7 {
        lower[j].sort_by(f64::total_cmp);
        upper[j].sort_by(f64::total_cmp);
        // ⌈0.8·41⌉ = 33 from below, 41 − 33 = 8.
        assert_close!(ends.lower[[j, 0]], lower[j][7], abs = 1e-8);
        assert_close!(ends.upper[[j, 0]], upper[j][32], abs = 1e-8);
    }
}

#[test]
fn strings_are_points_too() {
    let words = ["abba", "abab", "bbaa", "aabb", "cabc", "ccab", "bcbc", "cbca", "acca", "baba", "caca", "bbbb"];
    let texts: mercer::points::Strings = words.iter().collect();
    let y = Array2::from_shape_fn((12, 1), |(i, _)| words[i].matches('a').count() as f64);
    let (x, compute) = (Sample::Strings(texts), Compute::new());
    let fit = Ridge::new(kernel("spectrum(length=2)"), 1.0).fit(&x, y.view(), None, &compute).unwrap();
    let input = FitInput::points(&x).with_targets(Targets::Values(y.view()));
    for method in [ConformalMethod::JackknifePlus, ConformalMethod::CvPlus, ConformalMethod::Split] {
        let spec = Conformal { folds: 4, held_out: 0.5, ..Conformal::new(method) };
        let ends = spec.fit(&fit, &input, &compute).unwrap().intervals(&fit, &x, 0.6, &compute).unwrap();
        assert!(ends.lower.iter().zip(&ends.upper).all(|(l, u)| l <= u), "{method:?}");
    }
}

/// Of precomputed kernel values CV+ takes those with the rows of each fit: the same as by the kernel.
#[test]
fn precomputed_values_give_the_same_intervals() {
    use mercer::gram::{self, Pairs};
    let ((x, y), t, compute) = (sample(30, 1), sample(5, 1).0, Compute::new());
    let k = kernel("gaussian(lengthscale=0.5)");
    let values = gram::dense(&k.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
    let new = gram::dense(&k.bind(Pairs::between(t.view(), x.view()), &compute).unwrap(), &compute).unwrap();
    let run = |k: Kernel, x: &Array2<f64>, t: &Array2<f64>, method: ConformalMethod| {
        let fit = Ridge::new(k, 0.3).fit(x.view(), y.view(), None, &compute).unwrap();
        let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
        let conformal = Conformal::new(method).fit(&fit, &input, &compute)?;
        conformal.intervals(&fit, t.view(), 0.8, &compute)
    };
    let expected = run(k, &x, &t, ConformalMethod::CvPlus).unwrap();
    for method in [ConformalMethod::CvPlus, ConformalMethod::Auto] {
        let found = run(kernel("precomputed()"), &values, &new, method).unwrap();
        assert_close!(&found.lower, &expected.lower, each = 1e-10);
        assert_close!(&found.upper, &expected.upper, each = 1e-10);
    }
    let message = run(kernel("precomputed()"), &values, &new, ConformalMethod::JackknifePlus).unwrap_err().to_string();
    assert!(message.contains("jackknife+") && message.contains("cv+"), "{message}");
}

/// A row of weight 0 does not count, and the others give what they give without it.
#[test]
fn rows_of_weight_zero_do_not_count() {
    let ((x, y), t, compute) = (sample(32, 1), sample(5, 1).0, Compute::new());
    let kept: Vec<usize> = (0..32).filter(|i| i % 4 != 0).collect();
    let weights = Array1::from_shape_fn(32, |i| if i % 4 == 0 { 0.0 } else { 1.0 + (i % 3) as f64 });
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.5)"), 0.1) };
    let run = |x: &Array2<f64>, y: &Array2<f64>, w: &Array1<f64>| {
        let fit = ridge.fit(x.view(), y.view(), Some(w.view()), &compute).unwrap();
        let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view())).with_weights(Some(w.view()));
        let conformal = Conformal::default().fit(&fit, &input, &compute).unwrap();
        assert_eq!((conformal.method(), conformal.scores().rows()), (ConformalMethod::JackknifePlus, 24));
        conformal.intervals(&fit, t.view(), 0.8, &compute).unwrap()
    };
    let all = run(&x, &y, &weights);
    let some = run(&x.select(Axis(0), &kept), &y.select(Axis(0), &kept), &weights.select(Axis(0), &kept));
    assert_close!(&all.lower, &some.lower, each = 1e-9);
    assert_close!(&all.upper, &some.upper, each = 1e-9);
}
