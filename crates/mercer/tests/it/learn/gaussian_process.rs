//! Gaussian processes: golden numbers (c06), gradients by differences, ridge as the mean,
//! optimization, wrong input.

use crate::common::golden::{Golden, matrix, number, numbers};
use crate::common::models::round_trip;
use mercer::learn::gaussian_process::shared::ProcessEvidence;
use mercer::learn::{GaussianProcess, GaussianProcessFit, Ridge, SharedGaussianProcess};
use mercer::model::{Inputs, Model};
use mercer::{Cancel, Compute, Error, Kernel, Progress, Seed};
use ndarray::{Array1, Array2, Axis, array, s};

const CASES: [&str; 6] = [
    "c06_gp_matern12_1d",
    "c06_gp_matern32_2d",
    "c06_gp_matern52_2d",
    "c06_gp_rbf_1d",
    "c06_gp_rbf_ard_3d",
    "c06_gp_rq_1d",
];

fn fixed(text: &str, noise: f64) -> GaussianProcess {
    GaussianProcess { optimize: false, ..GaussianProcess::new(text.parse().unwrap(), noise) }
}

fn golden_kernel(golden: &Golden) -> String {
    let lengths = numbers(golden.input("l"));
    let l = if lengths.len() == 1 { format!("{:?}", lengths[0]) } else { format!("{lengths:?}") };
    let base = match golden.input("kernel").as_str().unwrap() {
        "gaussian" => format!("gaussian(lengthscale={l})"),
        "matern12" => format!("matern(nu=1/2, lengthscale={l})"),
        "matern32" => format!("matern(nu=3/2, lengthscale={l})"),
        "matern52" => format!("matern(nu=5/2, lengthscale={l})"),
        "rq" => format!("rational_quadratic(lengthscale={l}, shape={:?})", number(golden.input("a"))),
        other => panic!("unknown kernel {other}"),
    };
    format!("{:?}*{base}", number(golden.input("sf2")))
}

/// Our name of a parameter of the golden file.
fn position(names: &[String], golden: &str) -> usize {
    let requested = |name: &str| match golden {
        "log_l" => name.ends_with(".lengthscale"),
        "log_a" => name.ends_with(".shape"),
        "log_sf2" => name == "scale",
        "log_sn2" => name == "noise",
        indexed => name.ends_with(&format!(".lengthscale[{}]", indexed.trim_start_matches("log_l"))),
    };
    names.iter().position(|n| requested(n)).unwrap_or_else(|| panic!("{golden} is not among {names:?}"))
}

#[test]
fn golden_numbers() {
    let compute = Compute::new();
    for case in CASES {
        let golden = Golden::load(case);
        let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
        let y = Array1::from(numbers(golden.input("y")));
        let process = fixed(&golden_kernel(&golden), number(golden.input("sn2")));
        let fit = process.fit(x.view(), y.view(), &compute).unwrap();
        let expected = golden.expected();
        let list =
            |key: &str, found: &Array1<f64>| golden.check_all(key, "", &found.to_vec(), &numbers(&expected[key]));
        list("alpha", &fit.dual_coefficients().to_owned());
        let at = fit.predict(t.view(), &compute).unwrap();
        list("mean", &at.mean);
        list("var_latent", &at.variance);
        list("var_noisy", &(&at.variance + fit.noise()));
        let covariance: Vec<f64> = fit.covariance(t.view(), &compute).unwrap().iter().copied().collect();
        let cov: Vec<f64> = matrix(&expected["cov_latent"]).iter().copied().collect();
        golden.check_all("cov_latent", "", &covariance, &cov);
        golden.check("lml", "", fit.log_marginal_likelihood(), number(&expected["lml"]));
        let gradient = fit.log_marginal_likelihood_gradient(&compute).unwrap();
        for (name, slope) in expected["gradient_names"].as_array().unwrap().iter().zip(numbers(&expected["gradient"])) {
            let name = name.as_str().unwrap();
            golden.check("gradient", name, gradient[position(&fit.parameter_names(), name)], slope);
        }
        let others = fit.leave_one_out(&compute).unwrap();
        list("loo_mean", &others.mean);
        list("loo_var", &others.variance);
        golden.check("loo_log_prob", "", others.log_density, number(&expected["loo_log_prob"]));
    }
}

fn sample(n: usize) -> (Array2<f64>, Array1<f64>) {
    let mut stream = Seed(3).stream("process", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| 2.0 * stream.uniform());
    let y = Array1::from_shape_fn(n, |i| (3.0 * x[[i, 0]]).sin() + 0.1 * stream.normal());
    (x, y)
}

#[test]
fn the_gradient_is_that_of_differences_for_every_kind_of_node() {
    let (x, y) = sample(15);
    for text in [
        "2*gaussian(lengthscale=[1, 3]) + 0.5*linear()",
        "(1 + polynomial(degree=2, offset=0.7))*matern(nu=5/2, lengthscale=2)",
        "exp(0.3*normalized(1 + linear()))",
        "schoenberg(distance(), t=0.8)",
        "on([0], periodic(period=1.3, lengthscale=0.9))",
        "2*matern(nu=1/2, lengthscale=[0.5, 2])*matern(nu=3/2, lengthscale=0.7) + 0.2*cauchy(lengthscale=[1, 3])",
    ] {
        assert!(agrees_with_differences(text, &x, &y), "{text}");
    }
    // Between 0 and 1 every base kernel is defined.
    let (line, mut checked) = (x.slice(s![.., ..1]).mapv(|v| 0.5 * v), 0);
    for text in mercer::kernel::catalogue::entries().flat_map(|entry| entry.examples) {
        checked += usize::from(agrees_with_differences(&format!("1.3*{text}"), &line, &y));
    }
    assert!(checked >= 30, "only {checked} base kernels were checked");
}

/// Whether there is a process with this kernel; its gradient is compared with differences of the
/// likelihood.
fn agrees_with_differences(text: &str, x: &Array2<f64>, y: &Array1<f64>) -> bool {
    let compute = Compute::new();
    let Ok(fit) = fixed(text, 0.3).fit(x.view(), y.view(), &compute) else { return false };
    let parameters = fit.kernel().parameters();
    let likelihood = |i: usize, factor: f64| {
        let mut values: Vec<f64> = parameters.iter().map(|p| p.value).chain([0.3]).collect();
        values[i] *= factor;
        let (noise, own) = values.split_last().unwrap();
        let process = fixed(&fit.kernel().with_parameters(own).unwrap().to_string(), *noise);
        process.fit(x.view(), y.view(), &compute).unwrap().log_marginal_likelihood()
    };
    let gradient = fit.log_marginal_likelihood_gradient(&compute).unwrap();
    for (position, name) in fit.parameter_names().iter().enumerate() {
        let i = parameters.iter().position(|p| p.name == *name).unwrap_or(parameters.len());
        let h: f64 = 1e-5;
        let slope = (likelihood(i, h.exp()) - likelihood(i, (-h).exp())) / (2.0 * h);
        let found = gradient[position];
        assert_close!(found, slope, abs = 1e-6 * slope.abs().max(1.0), "{text} {name}: {found} ≠ {slope}");
    }
    true
}

#[test]
fn the_mean_is_ridge() {
    let (x, y) = sample(40);
    let compute = Compute::new();
    let kernel: Kernel = "1.7*matern(nu=3/2, lengthscale=0.8)".parse().unwrap();
    let fit = fixed(&kernel.to_string(), 0.05).fit(x.view(), y.view(), &compute).unwrap();
    let ridge = Ridge::new(kernel, 0.05).fit(x.view(), y.view().insert_axis(Axis(1)), None, &compute).unwrap();
    let t = sample(9).0;
    let (a, b) = (fit.predict(t.view(), &compute).unwrap().mean, ridge.predict(t.view(), &compute).unwrap());
    for (a, b) in a.iter().zip(b.column(0)) {
        assert_close!(*a, *b, 1e-12);
    }
    let loo = fit.leave_one_out(&compute).unwrap();
    for i in 0..40 {
        assert_close!(y[i] - loo.mean[i], ridge.diagnostics().unwrap().loo_residuals[[i, 0]], 1e-11);
    }
    let f = fit.function(&compute).unwrap().evaluate(t.view(), &compute).unwrap();
    assert_close!(f.iter(), &a, each = 1e-12);
}

#[test]
fn optimization_reaches_a_stationary_point_and_keeps_what_is_fixed() {
    let (x, y) = sample(60);
    let compute = Compute::new();
    let start = GaussianProcess::new("1*gaussian(lengthscale=1)".parse().unwrap(), 0.5);
    let before = fixed("1*gaussian(lengthscale=1)", 0.5).fit(x.view(), y.view(), &compute).unwrap();
    let fit = start.fit(x.view(), y.view(), &compute).unwrap();
    assert!(fit.log_marginal_likelihood() > before.log_marginal_likelihood() + 1.0);
    let optimization = fit.optimization().unwrap();
    assert!(optimization.converged && optimization.likelihoods.len() == 1, "{optimization:?}");
    assert!(optimization.evaluations <= 40 && !optimization.interrupted, "{optimization:?}");
    let bound = 1e-5 * fit.log_marginal_likelihood().abs().max(1.0);
    assert!(fit.log_marginal_likelihood_gradient(&compute).unwrap().iter().all(|g| g.abs() <= bound));
    // The noise that was put in has a standard deviation of 0.1.
    assert_close!(fit.noise().sqrt(), 0.1, abs = 0.03, "{}", fit.noise());
    let restarted = GaussianProcess { restarts: 3, ..start.clone() }.fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!(restarted.optimization().unwrap().likelihoods.len(), 4);
    assert!(restarted.log_marginal_likelihood() >= fit.log_marginal_likelihood());
    let held = GaussianProcess { fixed: vec!["noise".into(), "scale".into()], ..start };
    let held = held.fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!((held.noise(), held.kernel().parameters()[0].value), (0.5, 1.0));
    assert_ne!(held.kernel().parameters()[1].value, 1.0);
    let matern = GaussianProcess::new("matern(nu=3/2, lengthscale=median)".parse().unwrap(), 0.1);
    let matern = matern.fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!(matern.kernel().parameters().iter().find(|p| p.name == "matern.nu").unwrap().value, 1.5);
}

#[test]
fn a_smoothness_is_a_choice_and_moves_only_when_it_is_freed() {
    let (x, y) = sample(40);
    let compute = Compute::new();
    let value =
        |fit: &GaussianProcessFit, name: &str| fit.kernel().parameters().iter().find(|p| p.name == name).unwrap().value;
    // A list of fixed names says nothing of the smoothness: it stays all the same.
    for (text, name, at) in [
        ("1*matern(nu=5/2, lengthscale=1)", "matern.nu", 2.5),
        ("1*brownian(hurst=0.4)", "brownian.hurst", 0.4),
        ("schoenberg(distance(power=1), t=1)", "distance.power", 1.0),
    ] {
        let own = name.rsplit('.').next().unwrap();
        let process =
            GaussianProcess { fixed: vec!["noise".into()], ..GaussianProcess::new(text.parse().unwrap(), 0.1) };
        let fit = process.fit(x.view(), y.view(), &compute).unwrap();
        assert_eq!(value(&fit, name), at, "{text}");
        assert!(!fit.parameter_names().iter().any(|n| n == name), "{text}: {:?}", fit.parameter_names());
        assert_eq!(fit.log_marginal_likelihood_gradient(&compute).unwrap().len(), fit.parameter_names().len());
        for freed in [own, name] {
            let process = GaussianProcess { free: vec![freed.into()], ..process.clone() };
            let moved = process.fit(x.view(), y.view(), &compute).unwrap();
            assert_ne!(value(&moved, name), at, "{text}");
            assert!(moved.parameter_names().iter().any(|n| n == name), "{text}");
            assert!(moved.log_marginal_likelihood() > fit.log_marginal_likelihood(), "{text}");
        }
        let both = GaussianProcess { free: vec![own.into()], fixed: vec![name.into()], ..process.clone() };
        assert!(matches!(both.fit(x.view(), y.view(), &compute), Err(Error::Parameter { .. })), "{text}");
        let unknown = GaussianProcess { free: vec!["width".into()], ..process };
        assert!(matches!(unknown.fit(x.view(), y.view(), &compute), Err(Error::Parameter { .. })), "{text}");
    }
}

/// Raises a flag after some reports.
struct Impatient(Cancel, std::sync::atomic::AtomicUsize);

impl Progress for Impatient {
    fn report(&self, _: &str, done: u64, total: u64) {
        if done < total && self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 3 {
            self.0.cancel();
        }
    }

    fn remark(&self, text: &str) {
        let [start, at, best] = text.splitn(3, ", ").collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(["start 1 of 4", "start 2 of 4", "start 3 of 4", "start 4 of 4"].contains(&start), "{text}");
        assert!(at.starts_with("evaluation "), "{text}");
        let value = best.strip_prefix("best so far: log likelihood ").and_then(|number| number.parse::<f64>().ok());
        assert!(value.is_some_and(f64::is_finite), "{text}");
    }
}

#[test]
fn a_search_that_is_cut_short_keeps_the_best_so_far() {
    let (x, y) = sample(60);
    let whole = Cancel::default();
    let process = GaussianProcess { restarts: 3, ..GaussianProcess::new("1*gaussian()".parse().unwrap(), 0.5) };
    let run = |cancel: Cancel| {
        let listener = std::sync::Arc::new(Impatient(cancel.clone(), 0.into()));
        let compute = Compute::new().with_cancel(cancel).with_progress(listener);
        process.fit(x.view(), y.view(), &compute)
    };
    let fit = run(whole.child()).unwrap();
    let found = fit.optimization().unwrap();
    assert!(found.interrupted && !found.converged && found.evaluations == 4, "{found:?}");
    let before = fixed("1*gaussian()", 0.5).fit(x.view(), y.view(), &Compute::new()).unwrap();
    assert!(fit.log_marginal_likelihood() > before.log_marginal_likelihood());
    assert_eq!(found.likelihoods, [fit.log_marginal_likelihood()]);
    let again = round_trip(&Model::new(fit.clone(), Inputs::vectors(2, 1)).unwrap());
    let again = again.fit::<mercer::learn::GaussianProcessFit>().expect("another kind");
    assert!(again.optimization().unwrap().interrupted);
    // Who cancels the whole wants no answer.
    assert!(matches!(run(whole), Err(Error::Canceled)));
}

#[test]
fn samples_have_the_posterior_mean_and_covariance() {
    let (x, y) = sample(6);
    let compute = Compute::new();
    let fit = fixed("gaussian(lengthscale=0.5)", 0.1).fit(x.view(), y.view(), &compute).unwrap();
    let t = array![[0.3, 0.4], [1.5, 1.0], [1.6, 1.1]];
    let (count, mean) = (4000, fit.predict(t.view(), &compute).unwrap().mean);
    let samples = fit.sample(t.view(), count, &compute).unwrap();
    let covariance = fit.covariance(t.view(), &compute).unwrap();
    let centered = &samples - &mean.view().insert_axis(Axis(1));
    let found = centered.dot(&centered.t()) / count as f64;
    for i in 0..3 {
        // Five standard errors: a right sampler fails this less than once in 10⁵ seeds.
        let error = 5.0 * (covariance[[i, i]] / count as f64).sqrt();
        assert_close!(centered.row(i).mean().unwrap(), 0.0, abs = error);
        for j in 0..3 {
            let variance = covariance[[i, i]] * covariance[[j, j]] + covariance[[i, j]].powi(2);
            assert_close!(found[[i, j]], covariance[[i, j]], abs = 5.0 * (variance / count as f64).sqrt());
        }
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y) = sample(210);
    let process =
        GaussianProcess { restarts: 1, ..GaussianProcess::new("1*gaussian(lengthscale=1)".parse().unwrap(), 0.1) };
    let run = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let fit: GaussianProcessFit = process.fit(x.view(), y.view(), &compute).unwrap();
        (fit.kernel().to_string(), fit.noise().to_bits(), fit.predict(x.view(), &compute).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn wrong_input_is_refused() {
    let (x, y) = sample(8);
    let compute = Compute::new();
    let fit = |text: &str, noise: f64| fixed(text, noise).fit(x.view(), y.view(), &compute);
    assert!(matches!(fit("gaussian()", -0.1), Err(Error::Parameter { .. })));
    assert!(matches!(fit("gaussian()", f64::NAN), Err(Error::Parameter { .. })));
    assert!(matches!(fit("tanh()", 0.1), Err(Error::NotPositiveDefinite { .. })));
    assert!(matches!(fit("linear()", 0.0), Err(Error::Singular { .. })));
    let process = fixed("gaussian()", 0.1);
    let empty = Array2::zeros((0, 2));
    assert!(matches!(process.fit(empty.view(), array![].view(), &compute), Err(Error::TooFew { .. })));
    assert!(matches!(process.fit(x.view(), array![1.0].view(), &compute), Err(Error::Shape { .. })));
    let mut bad = y.clone();
    bad[2] = f64::INFINITY;
    assert!(matches!(process.fit(x.view(), bad.view(), &compute), Err(Error::Value { row: 2, .. })));
    let unknown = GaussianProcess { fixed: vec!["gaussian.width".into()], ..process.clone() };
    assert!(matches!(unknown.fit(x.view(), y.view(), &compute), Err(Error::Parameter { .. })));
    let tight = Compute::new().with_memory(100);
    assert!(matches!(process.fit(x.view(), y.view(), &tight), Err(Error::Memory { .. })));
    let snug = Compute::new().with_memory(8 * 8 * 8);
    let fitted = process.fit(x.view(), y.view(), &snug).unwrap();
    assert!(matches!(fitted.log_marginal_likelihood_gradient(&snug), Err(Error::Memory { .. })));
    let constant = GaussianProcess::new("1*gaussian()".parse().unwrap(), 0.1);
    assert!(constant.fit(x.view(), Array1::zeros(8).view(), &compute).is_ok());
    // The optimizer cannot start where the likelihood is not defined, and reports it.
    let singular = GaussianProcess::new("linear()".parse().unwrap(), 0.0);
    assert!(matches!(singular.fit(x.view(), y.view(), &compute), Err(Error::Singular { .. })));
}

mod shared {
    use super::*;

    const KERNEL: &str = "1.3*matern(nu=5/2, lengthscale=[0.7, 1.1]) + constant(value=0.4)";

    fn data(n: usize) -> (Array2<f64>, Array2<f64>, Array1<f64>) {
        let mut stream = Seed(21).stream("shared", n as u64);
        let x = Array2::from_shape_fn((n, 2), |_| 2.0 * stream.normal());
        let y = Array2::from_shape_fn((n, 3), |(i, t)| (x[[i, 0]] * (t + 1) as f64).sin() + 0.1 * stream.normal());
        let noise = Array1::from_shape_fn(n, |i| 0.05 + 0.01 * (i % 7) as f64);
        (x, y, noise)
    }

    /// More rows than a block of the inverse, so that entries off the diagonal blocks count.
    #[test]
    fn one_target_with_equal_noise_is_the_plain_process() {
        let ((x, y, _), compute) = (data(150), Compute::new());
        let plain = fixed(KERNEL, 0.2).fit(x.view(), y.column(1), &compute).unwrap();
        let noise = Array1::from_elem(150, 0.2);
        let process = SharedGaussianProcess::new(KERNEL.parse().unwrap());
        let shared = process.fit(x.view(), y.view(), noise.view(), &compute).unwrap();
        let t = data(9).0;
        let close = |a: f64, b: f64| assert_close!(a, b, abs = 1e-9 * b.abs().max(1.0), "{a} {b}");
        let (mean, at) = (shared.mean(t.view(), &compute).unwrap(), plain.predict(t.view(), &compute).unwrap());
        mean.column(1).iter().zip(&at.mean).for_each(|(a, b)| close(*a, *b));
        shared.variance(t.view(), &compute).unwrap().iter().zip(&at.variance).for_each(|(a, b)| close(*a, *b));
        let covariance = shared.covariance(t.view(), &compute).unwrap();
        covariance.iter().zip(&plain.covariance(t.view(), &compute).unwrap()).for_each(|(a, b)| close(*a, *b));
        let one = |c: usize| y.column(c).insert_axis(Axis(1));
        let single = |c: usize| process.fit(x.view(), one(c), noise.view(), &compute).unwrap();
        close(single(1).log_marginal_likelihood(), plain.log_marginal_likelihood());
        close(shared.log_marginal_likelihood(), (0..3).map(|c| single(c).log_marginal_likelihood()).sum());
        let requested = vec![true; process.kernel.parameter_count()];
        let (_, slopes) = process.likelihood_gradient(x.view(), one(1), noise.view(), &requested, &compute).unwrap();
        let expected = plain.log_marginal_likelihood_gradient(&compute).unwrap();
        let names = plain.parameter_names();
        for (p, parameter) in process.kernel.parameters().iter().enumerate() {
            if let Some(i) = names.iter().position(|n| *n == parameter.name) {
                close(slopes.parameters[p] * parameter.value, expected[i]);
            }
        }
        close(slopes.noise * 0.2, expected[expected.len() - 1]);
    }

    #[test]
    fn gradients_by_differences_with_a_noise_per_row() {
        let ((x, y, noise), compute) = (data(130), Compute::new());
        let kernel: Kernel = KERNEL.parse().unwrap();
        let values: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
        let likelihood = |values: &[f64], more: f64| {
            let process = SharedGaussianProcess::new(kernel.with_parameters(values).unwrap());
            let noise = noise.mapv(|v| v + more);
            process.fit(x.view(), y.view(), noise.view(), &compute).unwrap().log_marginal_likelihood()
        };
        let requested = vec![true; values.len()];
        let process = SharedGaussianProcess::new(kernel.clone());
        let (value, slopes) =
            process.likelihood_gradient(x.view(), y.view(), noise.view(), &requested, &compute).unwrap();
        assert_close!(value, likelihood(&values, 0.0), abs = 1e-9);
        let step = 1e-5;
        let close = |slope: f64, up: f64, down: f64| {
            let difference = (up - down) / (2.0 * step);
            assert_close!(slope, difference, abs = 1e-5 * difference.abs().max(1.0), "{slope} {difference}");
        };
        for p in 0..values.len() {
            let moved = |by: f64| {
                let mut moved = values.clone();
                moved[p] += by;
                likelihood(&moved, 0.0)
            };
            close(slopes.parameters[p], moved(step), moved(-step));
        }
        close(slopes.noise, likelihood(&values, step), likelihood(&values, -step));
        // The same from matrices of derivatives.
        let bound = kernel.bind(mercer::gram::Pairs::within(x.view()), &compute).unwrap();
        let mut matrix = mercer::gram::dense(&bound, &compute).unwrap();
        matrix.diag_mut().zip_mut_with(&noise, |d, v| *d += v);
        let derivatives: Vec<Array2<f64>> = (0..values.len()).map(|p| bound.derivative(p, &compute).unwrap()).collect();
        let cube = ndarray::Array3::from_shape_fn((130, 130, values.len()), |(i, j, p)| derivatives[p][[i, j]]);
        let evidence = ProcessEvidence::new(matrix, y.view(), &compute).unwrap();
        let found = evidence.gradient(cube.view(), &compute).unwrap();
        for (a, b) in found.parameters.iter().zip(&slopes.parameters) {
            assert_close!(*a, *b, abs = 1e-9 * b.abs().max(1.0), "{a} {b}");
        }
        assert_close!(found.noise, slopes.noise, abs = 1e-9 * slopes.noise.abs());
    }

    #[test]
    fn a_large_noise_makes_a_row_count_little() {
        let (x, y) = (array![[0.0], [0.0]], array![[1.0], [5.0]]);
        let process = SharedGaussianProcess::new("gaussian()".parse().unwrap());
        let fit = process.fit(x.view(), y.view(), array![1e-6, 1e6].view(), &Compute::new()).unwrap();
        let mean = fit.mean(array![[0.0]].view(), &Compute::new()).unwrap()[[0, 0]];
        assert_close!(mean, 1.0, abs = 1e-5, "{mean}");
        assert_eq!(fit.common_noise(), None);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bytes() {
        let (x, y, noise) = data(300);
        let process = SharedGaussianProcess::new(KERNEL.parse().unwrap());
        let requested = vec![true; process.kernel.parameter_count()];
        let at = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            process.likelihood_gradient(x.view(), y.view(), noise.view(), &requested, &compute).unwrap()
        };
        assert_eq!(at(1), at(2));
        assert_eq!(at(1), at(5));
    }

    #[test]
    fn wrong_input() {
        let ((x, y, noise), compute) = (data(10), Compute::new());
        let process = SharedGaussianProcess::new("gaussian()".parse().unwrap());
        let fit = |y: &Array2<f64>, noise: &Array1<f64>| process.fit(x.view(), y.view(), noise.view(), &compute);
        assert!(matches!(fit(&y.slice(ndarray::s![..4, ..]).to_owned(), &noise), Err(Error::Shape { .. })));
        assert!(matches!(fit(&y.slice(ndarray::s![.., ..0]).to_owned(), &noise), Err(Error::Shape { .. })));
        assert!(matches!(fit(&y, &Array1::zeros(3)), Err(Error::Shape { .. })));
        assert!(matches!(fit(&y, &Array1::from_elem(10, -1.0)), Err(Error::Parameter { .. })));
        assert!(matches!(fit(&(&y * f64::NAN), &noise), Err(Error::Value { .. })));
        let constant = SharedGaussianProcess::new("constant(value=1)".parse().unwrap());
        let singular = constant.fit(x.view(), y.view(), Array1::zeros(10).view(), &compute);
        assert!(matches!(singular, Err(Error::Singular { .. })));
        let tight = Compute::new().with_memory(100);
        assert!(matches!(process.fit(x.view(), y.view(), noise.view(), &tight), Err(Error::Memory { .. })));
        // Each matrix would fit by itself.
        let one = Compute::new().with_threads(1).unwrap();
        let (gradient, wanted) = (3 * 8 * 10 * 10, vec![true; process.kernel.parameter_count()]);
        let slope = |memory| {
            let compute = one.clone().with_memory(memory);
            process.likelihood_gradient(x.view(), y.view(), noise.view(), &wanted, &compute)
        };
        assert!(matches!(slope(gradient + 8 * 10 * 10 - 1), Err(Error::Memory { needed: 3200, .. })));
        assert!(slope(gradient + 8 * 10 * 10).is_ok());
        let (fitted, new) = (fit(&y, &noise).unwrap(), Array2::from_shape_fn((40, x.ncols()), |(i, j)| (i + j) as f64));
        let covariance = |memory| fitted.covariance(new.view(), &one.clone().with_memory(memory));
        assert!(matches!(covariance(16 * 40 * 50 - 1), Err(Error::Memory { needed: 32000, .. })));
        assert!(covariance(16 * 40 * 50).is_ok());
        let wanted = process.likelihood_gradient(x.view(), y.view(), noise.view(), &[], &compute);
        assert!(matches!(wanted, Err(Error::Shape { .. })));
        assert!(matches!(fit(&y, &noise).unwrap().function(3, &compute), Err(Error::Parameter { .. })));
    }
}
