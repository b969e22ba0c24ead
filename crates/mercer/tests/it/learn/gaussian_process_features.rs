//! Gaussian processes in the features of kernels with few, beside the process that factors the whole
//! matrix.

use mercer::gram::{self, Pairs};
use mercer::learn::gaussian_process::ProcessMethod;
use mercer::learn::{GaussianProcess, GaussianProcessFit, SharedGaussianProcess};
use mercer::model::{Inputs, Model};
use mercer::points::Strings;
use mercer::solve::{Factored, factor};
use mercer::{Compute, Error, Points, Seed};
use ndarray::{Array1, Array2, Axis, s};

use crate::common::graphs::random;
use crate::common::models::round_trip;

fn process(text: &str, noise: f64) -> GaussianProcess {
    GaussianProcess { optimize: false, ..GaussianProcess::new(text.parse().unwrap(), noise) }
}

fn vectors(n: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut random = Seed(seed).stream("vectors", 0);
    Array2::from_shape_fn((n, columns), |_| random.normal())
}

fn targets(n: usize) -> Array1<f64> {
    let mut random = Seed(3).stream("targets", 0);
    (0..n).map(|i| (i as f64).sin() + random.normal()).collect()
}

/// Words over the first `letters` of the alphabet.
fn words(n: usize, letters: usize, seed: u64) -> Strings {
    let mut random = Seed(seed).stream("words", 0);
    let word =
        |_| -> String { (0..2 + random.below(9)).map(|_| char::from(b'a' + random.below(letters) as u8)).collect() };
    let texts: Vec<String> = (0..n).map(word).collect();
    texts.iter().map(String::as_str).collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert_close!(found, expected, abs = 1e-8 * expected.abs().max(1.0), "{what}: {found} {expected}");
}

/// Likelihood, its gradient, coefficients, moments, covariances and leave-one-out densities are those
/// of the matrix.
fn assert_is_that_of_the_matrix(text: &str, x: Points<'_>, new: Points<'_>) {
    let (compute, noise) = (Compute::new(), 0.3);
    let y = targets(x.len());
    let fit = process(text, noise).fit(x.reborrow(), y.view(), &compute).unwrap();
    assert!(matches!(fit.method(), ProcessMethod::Features { .. }), "{text}: {}", fit.method());
    let dense = |kernel: &mercer::Kernel, noise: f64| {
        let noises = Array1::from_elem(y.len(), noise);
        let all = y.view().insert_axis(Axis(1));
        SharedGaussianProcess::new(kernel.clone()).fit(x.reborrow(), all, noises.view(), &compute).unwrap()
    };
    let (kernel, whole) = (fit.kernel().clone(), dense(fit.kernel(), noise));
    close(fit.log_marginal_likelihood(), whole.log_marginal_likelihood(), text);
    let alpha = whole.dual_coefficients().column(0).to_owned();
    fit.dual_coefficients().iter().zip(&alpha).for_each(|(a, b)| close(*a, *b, text));
    let at = fit.predict(new.reborrow(), &compute).unwrap();
    let mean = whole.mean(new.reborrow(), &compute).unwrap();
    at.mean.iter().zip(&mean).for_each(|(a, b)| close(*a, *b, text));
    let variance = whole.variance(new.reborrow(), &compute).unwrap();
    at.variance.iter().zip(&variance).for_each(|(a, b)| close(*a, *b, text));
    assert!(at.variance.iter().all(|v| *v >= 0.0));
    let covariance = fit.covariance(new.reborrow(), &compute).unwrap();
    covariance.iter().zip(&whole.covariance(new, &compute).unwrap()).for_each(|(a, b)| close(*a, *b, text));
    let left_out = fit.leave_one_out(&compute).unwrap();
    let mut matrix = gram::dense(&kernel.bind(Pairs::Within(x.reborrow()), &compute).unwrap(), &compute).unwrap();
    matrix.diag_mut().mapv_inplace(|d| d + noise);
    let Factored::Definite(factor) = factor(matrix, &compute).unwrap() else { panic!("singular") };
    let inverse = factor.solve(Array2::eye(x.len()).view(), &compute).unwrap();
    for (i, pivot) in inverse.diag().iter().enumerate() {
        close(left_out.mean[i], y[i] - alpha[i] / pivot, text);
        close(left_out.variance[i], 1.0 / pivot, text);
    }
    // Slopes beside differences of the likelihood of the matrix.
    let gradient = fit.log_marginal_likelihood_gradient(&compute).unwrap();
    let values: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
    let step = 1e-5;
    for (i, parameter) in kernel.parameters().iter().enumerate() {
        let at = |step: f64| {
            let mut moved = values.clone();
            moved[i] = if parameter.positive { moved[i] * step.exp() } else { moved[i] + step };
            dense(&kernel.with_parameters(&moved).unwrap(), noise).log_marginal_likelihood()
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        assert_close!(gradient[i], slope, abs = 1e-5 * slope.abs().max(1.0), "{text} {}", parameter.name);
    }
    let at = |step: f64| dense(&kernel, noise * step.exp()).log_marginal_likelihood();
    let slope = (at(step) - at(-step)) / (2.0 * step);
    assert_close!(gradient[gradient.len() - 1], slope, abs = 1e-5 * slope.abs().max(1.0), "{text} noise");
}

#[test]
fn processes_on_vectors() {
    let (x, new) = (vectors(130, 3, 1), vectors(7, 3, 2));
    for text in [
        "1.7*linear()",
        "polynomial(degree=2, offset=0.7)",
        "0.5*polynomial(degree=2, offset=1, scale=0.4) + 2*linear() + constant(value=0.3)",
        "2*(linear() + 0.2*polynomial(degree=2, offset=0))",
        "on([0], linear())*on([1], linear())",
    ] {
        assert_is_that_of_the_matrix(text, (&x).into(), (&new).into());
    }
}

#[test]
fn processes_on_objects() {
    // Three letters, and new words with two letters that the data have not.
    let (x, new) = (words(140, 3, 1), words(9, 5, 2));
    for text in
        ["2*spectrum(length=2)", "normalized(spectrum(length=2))", "0.5*spectrum(length=1) + 0.2*spectrum(length=2)"]
    {
        assert_is_that_of_the_matrix(text, (&x).into(), (&new).into());
    }
    let (x, new) = (random(1, 120, false), random(2, 5, false));
    assert_is_that_of_the_matrix("0.1*vertex_histogram()", (&x).into(), (&new).into());
}

/// With a noise that leaves no digit, and where there are many features, the matrix is decomposed.
#[test]
fn the_matrix_is_decomposed_where_features_do_not_serve() {
    let (x, y, compute) = (vectors(130, 3, 1), targets(130), Compute::new());
    let of = |text: &str, noise: f64| process(text, noise).fit(x.view(), y.view(), &compute).map(|fit| fit.method());
    assert_eq!(of("linear()", 1.0).unwrap(), ProcessMethod::Features { features: 3 });
    assert_eq!(of("linear() + 1", 1.0).unwrap(), ProcessMethod::Features { features: 4 });
    assert_eq!(of("gaussian(lengthscale=1)", 1.0).unwrap(), ProcessMethod::Cholesky);
    assert_eq!(of("polynomial(degree=5, offset=1)", 1.0).unwrap(), ProcessMethod::Cholesky);
    assert_eq!(
        process("linear()", 1.0).fit(x.slice(s![..50, ..]), y.slice(s![..50]), &compute).unwrap().method(),
        ProcessMethod::Cholesky
    );
    assert_eq!(of("linear()", 1e-14).unwrap(), ProcessMethod::Features { features: 3 });
    assert!(matches!(of("linear()", 1e-26), Ok(ProcessMethod::Cholesky) | Err(Error::Singular { .. })));
    assert!(matches!(of("linear()", 0.0), Err(Error::Singular { .. })));
    // Too many rows for the matrix.
    let (x, y) = (vectors(5000, 2, 1), targets(5000));
    let found = process("linear()", 1e-24).fit(x.view(), y.view(), &compute);
    assert!(matches!(found, Err(Error::Singular { .. })), "{found:?}");
}

#[test]
fn many_rows_need_little_memory() {
    // A matrix of 30 000 rows takes 7.2 GB.
    let (x, compute) = (vectors(30_000, 3, 1), Compute::new().with_memory(40 << 20));
    let mut random = Seed(5).stream("noise", 0);
    let y: Array1<f64> = x.column(0).iter().map(|v| 2.0 * v + 0.5 * random.normal()).collect();
    let fit = GaussianProcess::new("1*linear()".parse().unwrap(), 0.1).fit(x.view(), y.view(), &compute).unwrap();
    // The standard error of the estimated variance is √(2/n)·0.25.
    assert_close!(fit.noise(), 0.25, abs = 4.0 * (2.0 / 30_000.0_f64).sqrt() * 0.25);
    assert!(fit.optimization().unwrap().converged);
    // Its gradient is 0 where the search ended.
    fit.log_marginal_likelihood_gradient(&compute).unwrap().iter().for_each(|g| assert_close!(*g, 0.0, abs = 0.5));
    let refused =
        GaussianProcess::new("1*gaussian(lengthscale=1)".parse().unwrap(), 0.1).fit(x.view(), y.view(), &compute);
    assert!(matches!(refused, Err(Error::Memory { .. })));
}

#[test]
fn the_same_bytes_after_saving_and_for_any_number_of_threads() {
    let (x, y) = (words(160, 3, 1), targets(160));
    let new = words(11, 4, 2);
    let fit = |threads: usize| -> (GaussianProcessFit, Compute) {
        let compute = Compute::new().with_threads(threads).unwrap();
        let start = GaussianProcess::new("1*spectrum(length=2)".parse().unwrap(), 0.5);
        (start.fit(&x, y.view(), &compute).unwrap(), compute)
    };
    let (one, compute) = fit(1);
    let bits = |fit: &GaussianProcessFit, compute: &Compute| {
        let at = fit.predict(&new, compute).unwrap();
        at.mean.iter().chain(&at.variance).chain(fit.dual_coefficients()).map(|v| v.to_bits()).collect::<Vec<_>>()
    };
    for threads in [2, 8] {
        let (other, many) = fit(threads);
        assert_eq!(bits(&one, &compute), bits(&other, &many));
    }
    let again = round_trip(&Model::new(one.clone(), Inputs::of(&one)).unwrap());
    let again = again.fit::<GaussianProcessFit>().unwrap();
    assert_eq!(bits(&one, &compute), bits(again, &compute));
    assert_eq!(one.method(), again.method());
}
