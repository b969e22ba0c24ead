//! Sparse Gaussian processes: dense formulas, the exact process as a limit, bounds, gradients by
//! differences, wrong input.

use mercer::gram::{self, Pairs};
use mercer::learn::gaussian_process::sparse::{Approximation, Inducing};
use mercer::learn::{GaussianProcess, SparseGaussianProcess, SparseGaussianProcessFit};
use mercer::solve::{eigenvalues, solve_positive};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, array, concatenate, s};

const ALL: [Approximation; 4] =
    [Approximation::Sor, Approximation::Dtc, Approximation::Fitc, Approximation::Variational];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn sample(n: usize) -> (Array2<f64>, Array1<f64>) {
    let mut stream = Seed(21).stream("sparse", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| 2.0 * stream.uniform());
    let y = Array1::from_shape_fn(n, |i| (2.0 * x[[i, 0]]).sin() + 0.5 * x[[i, 1]] + 0.1 * stream.normal());
    (x, y)
}

fn spec(text: &str, noise: f64, inducing: Inducing, approximation: Approximation) -> SparseGaussianProcess {
    SparseGaussianProcess {
        approximation,
        optimize: false,
        ..SparseGaussianProcess::new(kernel(text), noise, inducing)
    }
}

fn points(z: ArrayView2<f64>) -> Inducing {
    Inducing::Points(z.to_owned())
}

fn values(k: &Kernel, a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&k.bind(Pairs::between(a, b), &compute).unwrap(), &compute).unwrap()
}

fn inverse(a: &Array2<f64>) -> Array2<f64> {
    solve_positive(a.view(), Array2::eye(a.nrows()).view()).unwrap().solution
}

/// Every formula once more, with matrices of size n.
#[test]
fn naive_dense_formulas() {
    let ((x, y), (z, t), compute) = (sample(30), (sample(6).0, sample(5).0), Compute::new());
    let (text, noise) = ("1.3*matern(nu=3/2, lengthscale=0.7)", 0.05);
    let k = kernel(text);
    let (zz, zx, zt) = (values(&k, z.view(), z.view()), values(&k, z.view(), x.view()), values(&k, z.view(), t.view()));
    let (tt, prior) = (values(&k, t.view(), t.view()), values(&k, x.view(), x.view()).diag().to_owned());
    let q = zx.t().dot(&inverse(&zz)).dot(&zx);
    let q_t = zt.t().dot(&inverse(&zz)).dot(&zt);
    let cross = zx.t().dot(&inverse(&zz)).dot(&zt);
    for approximation in ALL {
        let extra = &prior - &q.diag();
        let mut a = q.clone();
        a.diag_mut()
            .zip_mut_with(&extra, |d, e| *d += noise + if approximation == Approximation::Fitc { *e } else { 0.0 });
        let inverse_a = inverse(&a);
        let log_det: f64 = eigenvalues(a.view(), &Compute::new()).unwrap().iter().map(|v| v.ln()).sum();
        let mut expected = -0.5 * (y.dot(&inverse_a.dot(&y)) + log_det + 30.0 * (2.0 * std::f64::consts::PI).ln());
        if approximation == Approximation::Variational {
            expected -= extra.sum() / (2.0 * noise);
        }
        let fit = spec(text, noise, points(z.view()), approximation).fit(x.view(), y.view(), &compute).unwrap();
        assert_close!(fit.log_marginal_likelihood(), expected, 1e-11);
        assert_close!(fit.trace_left(), extra.sum(), 1e-11);
        let start = if approximation == Approximation::Sor { &q_t } else { &tt };
        let covariance = start - &cross.t().dot(&inverse_a).dot(&cross);
        let mean = cross.t().dot(&inverse_a).dot(&y);
        let found = fit.covariance(t.view(), &compute).unwrap();
        let at = fit.predict(t.view(), &compute).unwrap();
        let function = fit.function(&compute).unwrap().evaluate(t.view(), &compute).unwrap();
        for i in 0..5 {
            assert_close!(at.mean[i], mean[i], 1e-11);
            assert_close!(function[i], mean[i], 1e-11);
            assert_close!(at.variance[i], covariance[[i, i]], 1e-11);
            for j in 0..5 {
                assert_close!(found[[i, j]], covariance[[i, j]], 1e-11);
            }
        }
    }
}

/// With the data as inducing points nothing is approximated.
#[test]
fn all_points_give_the_exact_process() {
    let ((x, y), t, compute) = (sample(60), sample(9).0, Compute::new());
    for (text, noise) in [("matern(nu=5/2, lengthscale=0.8)", 0.01), ("2*laplacian(lengthscale=1)", 0.1)] {
        let exact = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel(text), noise) };
        let exact = exact.fit(x.view(), y.view(), &compute).unwrap();
        let expected = exact.predict(t.view(), &compute).unwrap();
        for approximation in ALL {
            let fit = spec(text, noise, points(x.view()), approximation).fit(x.view(), y.view(), &compute).unwrap();
            assert!(fit.dropped().is_empty());
            assert_close!(fit.log_marginal_likelihood(), exact.log_marginal_likelihood(), 1e-7);
            let found = fit.predict(t.view(), &compute).unwrap();
            for i in 0..9 {
                assert_close!(found.mean[i], expected.mean[i], 1e-7);
                if approximation != Approximation::Sor {
                    assert_close!(found.variance[i], expected.variance[i], 1e-7);
                }
            }
            let (a, b) = (
                fit.log_marginal_likelihood_gradient(&compute).unwrap(),
                exact.log_marginal_likelihood_gradient(&compute).unwrap(),
            );
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0)), "{a:?} {b:?}");
        }
    }
}

#[test]
fn the_bound_grows_with_the_inducing_points_up_to_the_likelihood() {
    let ((x, y), compute) = (sample(80), Compute::new());
    let (text, noise) = ("gaussian(lengthscale=0.4)", 0.02);
    let exact = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel(text), noise) };
    let exact = exact.fit(x.view(), y.view(), &compute).unwrap().log_marginal_likelihood();
    let mut before = f64::NEG_INFINITY;
    for m in [1, 3, 9, 20, 45, 80] {
        let z = points(x.slice(s![..m, ..]));
        let fit = spec(text, noise, z, Approximation::Variational).fit(x.view(), y.view(), &compute).unwrap();
        let bound = fit.log_marginal_likelihood();
        assert!(bound >= before - 1e-7 && bound <= exact + 1e-6, "m = {m}: {before} {bound} {exact}");
        before = bound;
    }
    assert_close!(before, exact, 1e-6);
}

#[test]
fn gradients_agree_with_differences() {
    let ((x, y), z, compute) = (sample(25), sample(7).0, Compute::new());
    for text in ["1.5*gaussian(lengthscale=[0.6, 1.1])", "on([0], matern(nu=5/2, lengthscale=0.9)) + 0.3*linear()"] {
        for approximation in ALL {
            let fit = |text: &str, noise: f64, z: &Array2<f64>| -> SparseGaussianProcessFit {
                spec(text, noise, points(z.view()), approximation).fit(x.view(), y.view(), &compute).unwrap()
            };
            let at = fit(text, 0.07, &z);
            let values: Vec<f64> = at.kernel().parameters().iter().map(|p| p.value).chain([0.07]).collect();
            let gradient = at.log_marginal_likelihood_gradient(&compute).unwrap();
            let h: f64 = 1e-5;
            for (position, name) in at.parameter_names().iter().enumerate() {
                let own = at.kernel().parameters();
                let i = own.iter().position(|p| p.name == *name).unwrap_or(own.len());
                let shifted = |factor: f64| {
                    let mut values = values.clone();
                    values[i] *= factor;
                    let (noise, own) = values.split_last().unwrap();
                    let text = at.kernel().with_parameters(own).unwrap().to_string();
                    fit(&text, *noise, &z).log_marginal_likelihood()
                };
                let slope = (shifted(h.exp()) - shifted((-h).exp())) / (2.0 * h);
                let (found, error) = (gradient[position], (gradient[position] - slope).abs());
                assert!(error <= 1e-6 * slope.abs().max(1.0), "{approximation:?} {name}: {found} ≠ {slope}");
            }
            let moved = at.inducing_gradient(&compute).unwrap();
            for ((j, c), found) in moved.indexed_iter() {
                let shifted = |by: f64| {
                    let mut z = z.clone();
                    z[[j, c]] += by;
                    fit(text, 0.07, &z).log_marginal_likelihood()
                };
                let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
                assert_close!(
                    *found,
                    slope,
                    abs = 1e-5 * slope.abs().max(1.0),
                    "{approximation:?} z[{j},{c}]: {found} ≠ {slope}"
                );
            }
        }
    }
}

#[test]
fn far_from_the_inducing_points_only_sor_is_sure_of_itself() {
    let ((x, y), compute) = (sample(50), Compute::new());
    let far = array![[30.0, 30.0]];
    let variance = |approximation, at: &Array2<f64>| {
        let fit = spec("gaussian(lengthscale=0.5)", 0.05, Inducing::Greedy(5), approximation);
        fit.fit(x.view(), y.view(), &compute).unwrap().predict(at.view(), &compute).unwrap().variance
    };
    assert!(variance(Approximation::Sor, &far)[0] < 1e-12);
    for other in [Approximation::Dtc, Approximation::Fitc, Approximation::Variational] {
        assert_close!(variance(other, &far)[0], 1.0, 1e-12);
    }
    let (dtc, fitc) = (variance(Approximation::Dtc, &x), variance(Approximation::Fitc, &x));
    assert!(dtc.iter().zip(&fitc).any(|(a, b)| (a - b).abs() > 1e-3));
    assert_eq!(dtc, variance(Approximation::Variational, &x));
}

/// Linearly dependent points are dropped, and reported.
#[test]
fn repeated_inducing_points_are_dropped() {
    let ((x, y), z, compute) = (sample(40), sample(8).0, Compute::new());
    let twice = concatenate(Axis(0), &[z.view(), z.view(), (&z + 1e-12).view()]).unwrap();
    for approximation in ALL {
        let fit = |z: &Array2<f64>| {
            let process = spec("matern(nu=3/2)", 0.1, points(z.view()), approximation);
            process.fit(x.view(), y.view(), &compute).unwrap()
        };
        let (plain, repeated) = (fit(&z), fit(&twice));
        assert_eq!((repeated.inducing().nrows(), repeated.dropped().len()), (8, 16));
        assert_close!(repeated.log_marginal_likelihood(), plain.log_marginal_likelihood(), 1e-8);
    }
}

#[test]
fn rows_of_the_data_are_chosen_by_pivots() {
    let ((mut x, y), compute) = (sample(60), Compute::new());
    let copy = x.slice(s![..20, ..]).to_owned();
    x.slice_mut(s![20..40, ..]).assign(&copy);
    for inducing in [Inducing::Greedy(200), Inducing::Random(200)] {
        let fit = spec("laplacian()", 0.1, inducing, Approximation::Dtc);
        assert_eq!(fit.fit(x.view(), y.view(), &compute).unwrap().inducing().nrows(), 40);
    }
    let left = |inducing, seed| {
        let fit = spec("gaussian(lengthscale=0.5)", 0.1, inducing, Approximation::Dtc);
        fit.fit(x.view(), y.view(), &compute.clone().with_seed(Seed(seed))).unwrap()
    };
    let first = left(points(x.slice(s![..10, ..])), 0).trace_left();
    assert!(left(Inducing::Greedy(10), 0).trace_left() < first);
    assert!(left(Inducing::Random(10), 0).trace_left() < first);
    assert_ne!(left(Inducing::Random(10), 0).inducing(), left(Inducing::Random(10), 1).inducing());
}

#[test]
fn optimization_finds_the_noise_and_moves_the_points() {
    let ((x, y), compute) = (sample(300), Compute::new());
    let start = SparseGaussianProcess::new(kernel("1*gaussian(lengthscale=1)"), 0.5, Inducing::Greedy(12));
    let fit = start.fit(x.view(), y.view(), &compute).unwrap();
    let found = fit.optimization().unwrap();
    assert!(found.converged && found.likelihoods == [fit.log_marginal_likelihood()], "{found:?}");
    let bound = 1e-5 * fit.log_marginal_likelihood().abs().max(1.0);
    assert!(fit.log_marginal_likelihood_gradient(&compute).unwrap().iter().all(|g| g.abs() <= bound));
    assert_close!(fit.noise().sqrt(), 0.1, abs = 0.02, "{}", fit.noise());
    let few = SparseGaussianProcess { inducing: Inducing::Greedy(5), ..start.clone() };
    let still = few.fit(x.view(), y.view(), &compute).unwrap();
    let moved = SparseGaussianProcess { move_inducing: true, ..few }.fit(x.view(), y.view(), &compute).unwrap();
    assert!(moved.log_marginal_likelihood() > still.log_marginal_likelihood() + 1.0);
    let exact = GaussianProcess::new(start.kernel.clone(), 0.5).fit(x.view(), y.view(), &compute).unwrap();
    assert!(moved.log_marginal_likelihood() <= exact.log_marginal_likelihood());
    let matern = SparseGaussianProcess {
        kernel: "matern(nu=3/2, lengthscale=median)".parse().unwrap(),
        fixed: vec!["noise".into()],
        ..start.clone()
    };
    let nu =
        |fit: SparseGaussianProcessFit| fit.kernel().parameters().iter().find(|p| p.name == "matern.nu").unwrap().value;
    assert_eq!(nu(matern.fit(x.view(), y.view(), &compute).unwrap()), 1.5);
    let freed = SparseGaussianProcess { free: vec!["nu".into()], ..matern };
    // A Bessel function per pair: few rows will do.
    let (few_x, few_y) = (x.slice(s![..30, ..]), y.slice(s![..30]));
    assert_ne!(nu(freed.fit(few_x, few_y, &compute).unwrap()), 1.5);
    let held = SparseGaussianProcess { fixed: vec!["noise".into()], restarts: 1, ..start };
    let held = held.fit(x.view(), y.view(), &compute).unwrap();
    assert_eq!((held.noise(), held.optimization().unwrap().likelihoods.len()), (0.5, 2));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y) = sample(2100);
    for approximation in [Approximation::Fitc, Approximation::Variational] {
        let process = spec("1*gaussian(lengthscale=0.7)", 0.1, Inducing::Random(70), approximation);
        let run = |threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit = process.fit(x.view(), y.view(), &compute).unwrap();
            let gradient = fit.log_marginal_likelihood_gradient(&compute).unwrap();
            (fit.log_marginal_likelihood().to_bits(), gradient, fit.predict(x.view(), &compute).unwrap())
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn wrong_input_is_refused() {
    let ((x, y), compute) = (sample(10), Compute::new());
    let fit = |text: &str, noise: f64, inducing: Inducing| {
        spec(text, noise, inducing, Approximation::Variational).fit(x.view(), y.view(), &compute)
    };
    assert!(matches!(fit("gaussian()", 0.0, Inducing::Greedy(2)), Err(Error::Parameter { .. })));
    assert!(matches!(fit("gaussian()", f64::NAN, Inducing::Greedy(2)), Err(Error::Parameter { .. })));
    assert!(matches!(fit("gaussian()", 0.1, Inducing::Greedy(0)), Err(Error::Parameter { .. })));
    assert!(matches!(fit("gaussian()", 0.1, points(Array2::zeros((0, 2)).view())), Err(Error::Parameter { .. })));
    assert!(matches!(fit("gaussian()", 0.1, points(array![[0.0]].view())), Err(Error::Shape { .. })));
    assert!(matches!(fit("gaussian()", 0.1, points(array![[f64::NAN, 0.0]].view())), Err(Error::Value { .. })));
    assert!(matches!(fit("tanh()", 0.1, Inducing::Greedy(2)), Err(Error::NotPositiveDefinite { .. })));
    assert!(matches!(fit("0*gaussian()", 0.1, Inducing::Greedy(2)), Err(Error::AllZero { .. })));
    assert!(matches!(fit("linear()", 0.1, points(array![[0.0, 0.0]].view())), Err(Error::Singular { .. })));
    let process = spec("gaussian()", 0.1, Inducing::Greedy(4), Approximation::Fitc);
    assert!(matches!(process.fit(x.view(), array![1.0].view(), &compute), Err(Error::Shape { .. })));
    let tight = Compute::new().with_memory(500);
    assert!(matches!(process.fit(x.view(), y.view(), &tight), Err(Error::Memory { .. })));
    let rough = SparseGaussianProcess { optimize: true, move_inducing: true, ..process.clone() };
    let rough = SparseGaussianProcess { kernel: kernel("laplacian()"), ..rough };
    assert!(matches!(rough.fit(x.view(), y.view(), &compute), Err(Error::Unsupported { .. })));
    let unknown = SparseGaussianProcess { fixed: vec!["width".into()], ..process };
    assert!(matches!(unknown.fit(x.view(), y.view(), &compute), Err(Error::Parameter { .. })));
}
