//! Ridge regression and Gaussian processes along a line: the linear-time road beside the dense one.

use crate::common::assert_all_close;
use mercer::learn::Ridge;
use mercer::learn::gaussian_process::{self, GaussianProcess, GaussianProcessFit};
use mercer::learn::ridge::{RidgeFit, RidgeMethod, RidgeSolver};
use mercer::{Compute, Error, Kernel, Seed, Stream};
use ndarray::{Array1, Array2, Axis, s};

/// Kernels on one column, with the interval that their points come from.
const KERNELS: &[(&str, f64, f64)] = &[
    ("wiener()", 0.0, 2.0),
    ("2.5*wiener()", 0.0, 2.0),
    ("brownian(hurst=0.5)", -1.5, 2.0),
    ("0.5*brownian(hurst=0.5)", -3.0, -0.5),
    ("bridge()", 0.0, 1.0),
    ("laplacian(lengthscale=0.7)", -2.0, 2.0),
    ("3*laplacian(lengthscale=0.2, norm=l1)", -2.0, 2.0),
    ("matern(nu=1/2, lengthscale=1.5)", 100.0, 104.0),
    ("matern(nu=3/2, lengthscale=0.4)", -2.0, 2.0),
    ("2*3*matern(nu=3/2, lengthscale=[1.2])", -2.0, 2.0),
    ("matern(nu=5/2, lengthscale=0.3)", -2.0, 2.0),
    ("constant(value=0.7)*matern(nu=5/2, lengthscale=0.8)", -2.0, 2.0),
    ("matern(nu=5/2, lengthscale=0.01)", -2.0, 2.0),
    ("matern(nu=3/2, lengthscale=median)", -2.0, 2.0),
    ("sobolev(order=1)", 0.0, 1.0),
    ("sobolev(order=2)", 0.0, 1.0),
    ("sobolev(order=3, null_space=false)", 0.0, 1.0),
    ("matern(nu=1/2) + 2*matern(nu=5/2, lengthscale=2)", -2.0, 2.0),
    ("wiener() + constant(value=2) + 0.3*linear() + matern(nu=3/2, lengthscale=0.5)", 0.0, 3.0),
];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn stream(purpose: u64) -> Stream {
    Seed(7).stream("state space tests", purpose)
}

/// Unsorted places with ties, and two outputs.
fn data(n: usize, low: f64, high: f64) -> (Array2<f64>, Array2<f64>) {
    let mut stream = stream(n as u64);
    let mut x = Array2::from_shape_fn((n, 1), |_| low + (high - low) * stream.uniform());
    for i in 0..n / 8 {
        x[[8 * i + 3, 0]] = x[[8 * i, 0]];
        x[[8 * i + 5, 0]] = x[[8 * i, 0]] + 1e-9 * (high - low);
    }
    let y =
        Array2::from_shape_fn((n, 2), |(i, j)| (3.0 * x[[i, 0]] + j as f64).sin() + 0.3 * stream.normal() + j as f64);
    (x.mapv_into(|v| v.clamp(low, high)), y)
}

#[track_caller]
fn assert_same_fit(text: &str, found: &RidgeFit, dense: &RidgeFit) {
    assert!(matches!(found.method(), RidgeMethod::StateSpace { .. }), "{text}: {}", found.plan());
    assert_eq!(dense.method(), RidgeMethod::Cholesky, "{text}");
    let what = |name: &str| format!("{name} of {text}");
    assert_all_close(found.dual_coefficients(), dense.dual_coefficients(), 1e-9, &what("dual"));
    assert_all_close(found.null_coefficients(), dense.null_coefficients(), 1e-9, &what("null"));
    assert_all_close(found.fitted(), dense.fitted(), 1e-9, &what("fitted"));
    assert_all_close(found.residuals(), dense.residuals(), 1e-9, &what("residuals"));
    assert_all_close(found.norms(), dense.norms(), 1e-9, &what("norms"));
    let (f, d) = (found.diagnostics().unwrap(), dense.diagnostics().unwrap());
    assert_all_close(&f.hat_diagonal, &d.hat_diagonal, 1e-9, &what("hat"));
    assert_all_close([&f.degrees_of_freedom], [&d.degrees_of_freedom], 1e-9, &what("df"));
    assert_all_close(&f.loo_residuals, &d.loo_residuals, 1e-9, &what("loo"));
    assert_all_close(&f.gcv, &d.gcv, 1e-9, &what("gcv"));
}

#[test]
fn ridge_equals_the_dense_solve() {
    let compute = Compute::new();
    for (text, low, high) in KERNELS {
        let (x, y) = data(120, *low, *high);
        let mut draw = stream(1);
        let weights = Array1::from_shape_fn(120, |i| if i % 17 == 4 { 0.0 } else { 0.1 + 3.0 * draw.uniform() });
        for (intercept, weights) in
            [(false, None), (true, None), (false, Some(weights.view())), (true, Some(weights.view()))]
        {
            // A constant beside a constant kernel is determined, but badly.
            let ridge = Ridge { intercept, ..Ridge::new(kernel(text), 0.2) };
            let found = ridge.fit(x.view(), y.view(), weights, &compute).unwrap();
            let dense = Ridge { solver: RidgeSolver::Cholesky, ..ridge };
            assert_same_fit(text, &found, &dense.fit(x.view(), y.view(), weights, &compute).unwrap());
        }
    }
}

#[test]
fn ridge_with_unpenalized_functions_equals_the_dense_solve() {
    let compute = Compute::new();
    let (x, y) = data(90, 0.0, 2.0);
    let basis = ndarray::concatenate(Axis(1), &[x.view(), x.mapv(|v| (5.0 * v).cos()).view()]).unwrap();
    for text in ["wiener()", "matern(nu=5/2)", "laplacian(lengthscale=0.1)"] {
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel(text), 0.05) };
        let fit = |ridge: &Ridge| ridge.fit_with_null_space(x.view(), basis.view(), y.view(), None, &compute).unwrap();
        let (found, dense) = (fit(&ridge), fit(&Ridge { solver: RidgeSolver::Cholesky, ..ridge.clone() }));
        assert_same_fit(text, &found, &dense);
        let at = s![..7, ..];
        let predict = |f: &RidgeFit| f.predict_with_null_space(x.slice(at), basis.slice(at), &compute).unwrap();
        assert_all_close(&predict(&found), &predict(&dense), 1e-9, text);
        assert_all_close(&predict(&found), found.fitted().slice(at), 1e-9, text);
    }
}

#[test]
fn predictions_are_sums_of_kernel_values() {
    let compute = Compute::new();
    for (text, low, high) in KERNELS {
        let (x, y) = data(80, *low, *high);
        let fit =
            Ridge { intercept: true, ..Ridge::new(kernel(text), 0.1) }.fit(x.view(), y.view(), None, &compute).unwrap();
        // Inside, at, and beyond the data on both sides, as far as the domain goes.
        let unit = text.contains("sobolev") || text.contains("bridge");
        let (from, to) = if unit {
            (0.0, 1.0)
        } else if *low == 0.0 {
            (0.0, 9.0)
        } else {
            (low - 5.0, high + 5.0)
        };
        let mut new: Vec<f64> = (0..=40).map(|i| from + (to - from) * i as f64 / 40.0).collect();
        new.extend(x.column(0).iter().take(20));
        let new = Array2::from_shape_vec((new.len(), 1), new).unwrap();
        let found = fit.predict(new.view(), &compute).unwrap();
        for output in 0..2 {
            let function = fit.function(output, &compute).unwrap();
            let expected = function.evaluate(new.view(), &compute).unwrap() + fit.intercept().unwrap()[output];
            assert_all_close(found.column(output), &expected, 1e-10, text);
        }
    }
}

#[test]
fn one_column_of_several() {
    let compute = Compute::new();
    let (x, y) = data(60, 0.0, 2.0);
    let mut table = Array2::from_elem((60, 3), -7.0);
    table.column_mut(1).assign(&x.column(0));
    let alone = Ridge::new(kernel("2*matern(nu=3/2, lengthscale=0.5)"), 0.3);
    let chosen = Ridge::new(kernel("on([1], 2*matern(nu=3/2, lengthscale=0.5))"), 0.3);
    let alone = alone.fit(x.view(), y.view(), None, &compute).unwrap();
    let chosen = chosen.fit(table.view(), y.view(), None, &compute).unwrap();
    assert_eq!(chosen.method(), RidgeMethod::StateSpace { states: 2 });
    assert_eq!(alone.dual_coefficients(), chosen.dual_coefficients());
    assert_eq!(alone.predict(x.view(), &compute).unwrap(), chosen.predict(table.view(), &compute).unwrap());
}

#[test]
fn extreme_gaps_and_noise() {
    let compute = Compute::new();
    // Clusters of points 1e-12 apart, at distances of 1 and of 1e6.
    let mut positions = Vec::new();
    for center in [0.0, 1.0, 2.0, 1e6, 2e6] {
        positions.extend((0..6).map(|i| center + f64::from(i) * 1e-12 * f64::max(center, 1.0)));
    }
    let n = positions.len();
    let x = Array2::from_shape_vec((n, 1), positions).unwrap();
    let y = Array2::from_shape_fn((n, 1), |(i, _)| (i as f64).sin());
    for text in ["matern(nu=1/2)", "matern(nu=3/2)", "matern(nu=5/2)"] {
        for lambda in [1e-2, 1.0, 1e6] {
            let ridge = Ridge::new(kernel(text), lambda);
            let found = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
            let dense =
                Ridge { solver: RidgeSolver::Cholesky, ..ridge }.fit(x.view(), y.view(), None, &compute).unwrap();
            assert_same_fit(text, &found, &dense);
        }
    }
}

#[test]
fn large_samples_leave_no_residual() {
    let n = 100_000;
    let compute = Compute::new();
    let mut draw = stream(3);
    let x = Array2::from_shape_fn((n, 1), |_| 10.0 * draw.uniform());
    let y = x.mapv(|v| (3.0 * v).sin() + 0.1 * draw.normal());
    for text in ["wiener()", "matern(nu=5/2, lengthscale=0.5)", "laplacian()"] {
        let fit = Ridge::new(kernel(text), 0.01).fit(x.view(), y.view(), None, &compute).unwrap();
        // (K + λI)α = y, with Kα by the sums on the line.
        let image = fit.predict(x.view(), &compute).unwrap() + &(&fit.dual_coefficients() * 0.01);
        assert_all_close(&image, &y, 1e-9, text);
        let diagnostics = fit.diagnostics().unwrap();
        assert!(diagnostics.hat_diagonal.iter().all(|h| *h > 0.0 && *h < 1.0), "{text}");
        let rms = (diagnostics.loo_mean_square()[0]).sqrt();
        assert_close!(rms, 0.1, abs = 0.005, "{text}: {rms}");
    }
}

#[test]
fn plan_reports_what_is_run() {
    let compute = Compute::new();
    let plan = Ridge::new(kernel("matern(nu=3/2)"), 0.1).plan(1_000_000, 1, 1, &compute).unwrap();
    assert_eq!(plan.solver, RidgeSolver::StateSpace);
    assert!(plan.to_string().starts_with("state space") && plan.reason.contains("O(n)"), "{plan}");
    assert!(plan.bytes < 1 << 30, "{plan}");
    for (text, lambda, columns) in [("matern(nu=3/2)", 0.1, 2), ("matern(nu=3/2)", 0.0, 1), ("gaussian()", 0.1, 1)] {
        let plan = Ridge::new(kernel(text), lambda).plan(100, columns, 1, &compute).unwrap();
        assert_eq!(plan.solver, RidgeSolver::Cholesky, "{text}");
    }
}

#[test]
fn wrong_requests_are_refused() {
    let compute = Compute::new();
    let (x, y) = data(20, -1.0, 1.0);
    let wiener = Ridge::new(kernel("wiener()"), 0.1);
    let refusal = wiener.fit(x.view(), y.view(), None, &compute).unwrap_err();
    assert!(matches!(refusal, Error::Value { .. }) && refusal.to_string().contains("wiener()"), "{refusal}");
    let fit = wiener.fit(x.mapv(f64::abs).view(), y.view(), None, &compute).unwrap();
    assert!(matches!(fit.predict(x.view(), &compute), Err(Error::Value { .. })));
    assert!(matches!(fit.predict(Array2::ones((3, 2)).view(), &compute), Err(Error::Shape { .. })));
    assert!(matches!(fit.predict(Array2::from_elem((1, 1), f64::NAN).view(), &compute), Err(Error::Value { .. })));
    let requested = |text: &str, lambda| Ridge { solver: RidgeSolver::StateSpace, ..Ridge::new(kernel(text), lambda) };
    let fit = |ridge: Ridge| ridge.fit(x.view(), y.view(), None, &compute);
    assert!(matches!(fit(requested("gaussian()", 0.1)), Err(Error::Unsupported { .. })));
    assert!(matches!(fit(requested("laplacian()", 0.0)), Err(Error::Parameter { .. })));
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let (x, y) = data(500, 0.0, 2.0);
    let fit = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel("matern(nu=5/2)"), 0.1) };
        let fit = ridge.fit(x.view(), y.view(), None, &compute).unwrap();
        (fit.predict(x.view(), &compute).unwrap(), fit.diagnostics().unwrap().clone())
    };
    assert_eq!(fit(1), fit(2));
}

/// The same process on the dense road: a kernel that is nowhere different, but not recognized.
fn dense_twin(text: &str) -> Kernel {
    kernel(&format!("{text} + 0*gaussian()"))
}

fn process(kernel: Kernel, noise: f64) -> GaussianProcess {
    GaussianProcess { optimize: false, ..GaussianProcess::new(kernel, noise) }
}

/// Both roads for one kernel.
fn both(text: &str, low: f64, high: f64, noise: f64) -> (GaussianProcessFit, GaussianProcessFit, Array2<f64>) {
    let compute = Compute::new();
    let (x, y) = data(90, low, high);
    let fit = |kernel: Kernel| process(kernel, noise).fit(x.view(), y.column(0), &compute).unwrap();
    let (line, dense) = (fit(kernel(text)), fit(dense_twin(text)));
    assert!(matches!(line.method(), gaussian_process::ProcessMethod::StateSpace { .. }), "{text}: {}", line.method());
    assert_eq!(dense.method(), gaussian_process::ProcessMethod::Cholesky, "{text}");
    (line, dense, x)
}

#[test]
fn process_equals_the_dense_one() {
    let compute = Compute::new();
    for (text, low, high) in KERNELS {
        let (line, dense, x) = both(text, *low, *high, 0.09);
        let what = |name: &str| format!("{name} of {text}");
        assert_all_close(line.dual_coefficients(), dense.dual_coefficients(), 1e-9, &what("alpha"));
        let likelihood = |fit: &GaussianProcessFit| fit.log_marginal_likelihood();
        assert_all_close([&likelihood(&line)], [&likelihood(&dense)], 1e-9, &what("likelihood"));
        let (f, d) = (line.leave_one_out(&compute).unwrap(), dense.leave_one_out(&compute).unwrap());
        assert_all_close(&f.mean, &d.mean, 1e-9, &what("loo mean"));
        assert_all_close(&f.variance, &d.variance, 1e-9, &what("loo variance"));
        assert_all_close([&f.log_density], [&d.log_density], 1e-9, &what("loo density"));
        let grid = Array2::from_shape_fn((70, 1), |(i, _)| low + (high - low) * i as f64 / 69.0);
        for at in [grid.view(), x.view()] {
            let (f, d) = (line.predict(at, &compute).unwrap(), dense.predict(at, &compute).unwrap());
            assert_all_close(&f.mean, &d.mean, 1e-9, &what("mean"));
            assert_all_close(&f.variance, &d.variance, 1e-9, &what("variance"));
        }
        let at = grid.slice(s![..9, ..]);
        let covariance = |fit: &GaussianProcessFit| fit.covariance(at, &compute).unwrap();
        assert_all_close(&covariance(&line), &covariance(&dense), 1e-9, &what("covariance"));
    }
}

#[test]
fn slopes_of_the_likelihood_equal_the_dense_ones() {
    let compute = Compute::new();
    for (text, low, high) in KERNELS {
        let (line, dense, _) = both(text, *low, *high, 0.09);
        let gradient = |fit: &GaussianProcessFit| fit.log_marginal_likelihood_gradient(&compute).unwrap();
        let (found, expected) = (gradient(&line), gradient(&dense));
        let count = found.len() - 1;
        assert_eq!(line.parameter_names()[..count], dense.parameter_names()[..count], "{text}");
        assert_all_close(&found[..count], &expected[..count], 1e-9, text);
        assert_all_close(found.last(), expected.last(), 1e-9, text);
    }
}

#[test]
fn slopes_along_a_long_line_equal_differences() {
    let compute = Compute::new();
    let (x, y) = data(5000, 0.0, 20.0);
    for text in
        ["1.3*matern(nu=3/2, lengthscale=0.7) + 0.4*laplacian(lengthscale=3)", "2*matern(nu=5/2, lengthscale=1.1)"]
    {
        let at = |values: &[f64], noise: f64| {
            let fit = process(kernel(text).with_parameters(values).unwrap(), noise);
            fit.fit(x.view(), y.column(0), &compute).unwrap()
        };
        let parameters = kernel(text).parameters();
        let values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
        let names = at(&values, 0.1).parameter_names();
        let found = at(&values, 0.1).log_marginal_likelihood_gradient(&compute).unwrap();
        assert_eq!((names.len(), names.last().unwrap().as_str()), (found.len(), "noise"));
        for (i, name) in names.iter().enumerate() {
            assert!(!name.ends_with(".nu"), "{name} is not free");
            let position = parameters.iter().position(|p| p.name == *name).unwrap_or(values.len());
            let moved = |step: f64| {
                let (mut values, mut noise) = (values.clone(), 0.1);
                *values.get_mut(position).unwrap_or(&mut noise) *= step.exp();
                at(&values, noise).log_marginal_likelihood()
            };
            let expected = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert_close!(found[i], expected, abs = 1e-4 * expected.abs().max(1.0), "{name}: {} {expected}", found[i]);
        }
    }
}

#[test]
fn parameters_are_chosen_along_the_line() {
    let compute = Compute::new();
    let (x, y) = data(80, 0.0, 6.0);
    for text in
        ["1*matern(nu=3/2, lengthscale=1)", "1*laplacian()", "1*matern(nu=5/2, lengthscale=0.3) + constant(value=1)"]
    {
        let fit = |kernel| GaussianProcess::new(kernel, 0.5).fit(x.view(), y.column(0), &compute).unwrap();
        let (line, dense) = (fit(kernel(text)), fit(dense_twin(text)));
        assert!(matches!(line.method(), gaussian_process::ProcessMethod::StateSpace { .. }));
        assert!(line.optimization().unwrap().converged, "{text}");
        let best = dense.log_marginal_likelihood();
        assert_close!(line.log_marginal_likelihood(), best, abs = 1e-5 * best.abs(), "{text}");
    }
    // A free Hurst index leaves the line.
    let free = GaussianProcess::new(kernel("brownian(hurst=0.5)"), 0.5);
    let fit = free.fit(x.slice(s![..12, ..]), y.slice(s![..12, 0]), &compute).unwrap();
    assert!(fit.optimization().unwrap().evaluations > 1 && fit.log_marginal_likelihood().is_finite());
}

#[test]
fn samples_have_the_posterior_mean() {
    let compute = Compute::new();
    let (line, dense, x) = both("matern(nu=3/2, lengthscale=0.4)", -2.0, 2.0, 0.09);
    let sample = |fit: &GaussianProcessFit| fit.sample(x.slice(s![..5, ..]), 3, &compute).unwrap();
    assert_all_close(&sample(&line), &sample(&dense), 1e-6, "samples");
}

#[test]
fn large_processes_need_little_memory() {
    let n = 100_000;
    let compute = Compute::new().with_memory(100 << 20);
    let mut draw = stream(4);
    let x = Array2::from_shape_fn((n, 1), |_| 50.0 * draw.uniform());
    let y = Array1::from_shape_fn(n, |i| x[[i, 0]].sin() + 0.2 * draw.normal());
    let fit =
        GaussianProcess::new(kernel("1*matern(nu=3/2, lengthscale=1)"), 1.0).fit(x.view(), y.view(), &compute).unwrap();
    assert!(fit.optimization().unwrap().converged);
    assert_close!(fit.noise(), 0.04, abs = 0.001, "{}", fit.noise());
    let new = Array2::from_shape_fn((500, 1), |(i, _)| 50.0 * (i as f64 + 0.5) / 500.0);
    let prediction = fit.predict(new.view(), &compute).unwrap();
    // Errors in units of their standard deviation: about a half of a normal sample lies within
    // 0.6745.
    let inside = new.iter().zip(prediction.mean.iter().zip(&prediction.variance));
    let inside = inside.filter(|(t, (m, v))| (t.sin() - **m).abs() <= 3.0 * v.sqrt()).count();
    assert!((480..=500).contains(&inside), "{inside}");
    let refused = GaussianProcess::new(kernel("gaussian()"), 1.0).fit(x.view(), y.view(), &compute);
    assert!(matches!(refused, Err(Error::Memory { .. })));
}

#[test]
fn without_noise_the_dense_road_is_taken() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((8, 1), |(i, _)| i as f64);
    let y = x.column(0).mapv(f64::sin);
    let fit = process(kernel("matern(nu=3/2)"), 0.0).fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!(fit.method(), gaussian_process::ProcessMethod::Cholesky);
    assert!(matches!(process(kernel("wiener()"), 0.1).fit((-&x).view(), y.view(), &compute), Err(Error::Value { .. })));
}

#[test]
fn processes_are_the_same_for_any_number_of_threads() {
    let (x, y) = data(400, 0.0, 2.0);
    let fit = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let fit = GaussianProcess::new(kernel("1*matern(nu=5/2)"), 0.1).fit(x.view(), y.column(0), &compute).unwrap();
        (fit.predict(x.view(), &compute).unwrap(), fit.log_marginal_likelihood(), fit.noise())
    };
    assert_eq!(fit(1), fit(2));
}
