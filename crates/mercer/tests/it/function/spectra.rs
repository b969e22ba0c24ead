//! Mercer spectra: the integral equation, completeness, samples against their distributions, and
//! what is refused.

use mercer::function::{Measure, Spectrum};
use mercer::gram::{Pairs, dense};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array2, array};

fn spectrum(text: &str, measure: &Measure, count: usize) -> Spectrum {
    Spectrum::new(&text.parse::<Kernel>().unwrap(), measure, count, &Compute::new()).unwrap()
}

/// `(points, weights)` of a rule that integrates smooth functions against the measure.
fn rule(measure: &Measure) -> (Array2<f64>, Vec<f64>) {
    let n = 4000;
    let (from, to) = match measure {
        Measure::Interval { from, to } => (*from, *to),
        Measure::Gaussian { deviation } => (-9.0 * deviation, 9.0 * deviation),
        Measure::Sample(_) => panic!("a sample is its own rule"),
    };
    let step = (to - from) / n as f64;
    let x = Array2::from_shape_fn((n, 1), |(i, _)| from + (i as f64 + 0.5) * step);
    let density = |x: f64| match measure {
        Measure::Gaussian { deviation } => {
            (-0.5 * (x / deviation).powi(2)).exp() / (deviation * (2.0 * std::f64::consts::PI).sqrt())
        }
        _ => 1.0,
    };
    let weights = x.iter().map(|&x| step * density(x)).collect();
    (x, weights)
}

/// `∫ k(x, y)φⱼ(y)dμ(y) = μⱼφⱼ(x)` and `∫ φᵢφⱼ dμ = δᵢⱼ`, by the midpoint rule.
#[test]
fn the_integral_equation_holds() {
    let (unit, wide) = (Measure::UNIFORM, Measure::Interval { from: -0.5, to: 2.5 });
    let normal = Measure::Gaussian { deviation: 0.8 };
    for (text, measure) in [
        ("3*wiener()", &unit),
        ("brownian(hurst=0.5)", &Measure::Interval { from: 0.0, to: 2.0 }),
        ("0.3*constant(value=2) + 1.5*wiener()", &Measure::Interval { from: 0.0, to: 1.7 }),
        ("2*bridge()", &unit),
        ("matern(nu=1/2, lengthscale=0.4)", &wide),
        ("2*periodic(period=1.5, lengthscale=0.7)", &wide),
        ("0.5*gaussian(lengthscale=0.6)", &normal),
        ("finite_rank(weights=[1, 0.5, 2, 0.1], basis=monomials)", &wide),
        ("finite_rank(weights=[1, 0.5, 2], basis=monomials)", &normal),
        ("finite_rank(weights=[1, 0.5, 2], basis=hermite)", &normal),
        ("finite_rank(weights=[1, 0.5, 2], basis=cosines)", &normal),
    ] {
        let found = spectrum(text, measure, 6);
        let (x, weights) = rule(measure);
        let modes = found.eigenfunctions(x.view(), &Compute::new()).unwrap();
        let weighted = Array2::from_shape_fn(modes.dim(), |(i, j)| modes[[i, j]] * weights[i]);
        let gram = modes.t().dot(&weighted);
        for ((i, j), v) in gram.indexed_iter() {
            assert_close!(*v, f64::from(u8::from(i == j)), abs = 2e-5, "{text}: ⟨φ{i}, φ{j}⟩ = {v}");
        }
        let at = array![[0.1], [0.35], [0.9]];
        let kernel: Kernel = text.parse().unwrap();
        let bound = kernel.bind(Pairs::between(at.view(), x.view()), &Compute::new()).unwrap();
        let images = dense(&bound, &Compute::new()).unwrap().dot(&weighted);
        let values = found.eigenfunctions(at.view(), &Compute::new()).unwrap();
        for ((i, j), image) in images.indexed_iter() {
            let expected = found.eigenvalues()[j] * values[[i, j]];
            assert_close!(*image, expected, abs = 2e-5, "{text}: mode {j}: {image} against {expected}");
        }
        let trace: f64 = x.iter().zip(&weights).map(|(&x, w)| w * kernel.evaluate(&[x], &[x]).unwrap()).sum();
        assert_close!(found.trace(), trace, abs = 1e-5 * trace, "{text}: trace {} against {trace}", found.trace());
    }
}

#[test]
fn all_modes_together_are_the_kernel() {
    let mut stream = Seed(1).stream("points", 0);
    let x = Array2::from_shape_fn((30, 2), |_| stream.normal());
    let found = spectrum("gaussian(lengthscale=1)", &Measure::Sample(x.clone().into()), 30);
    let features = found.features(x.view(), &Compute::new()).unwrap();
    let k: Kernel = "gaussian(lengthscale=1)".parse().unwrap();
    let gram = dense(&k.bind(Pairs::within(x.view()), &Compute::new()).unwrap(), &Compute::new()).unwrap();
    assert_close!(features.dot(&features.t()), &gram, each = 1e-9);
    assert_close!(found.captured(), 1.0, abs = 1e-9);
    // The norm of k(·, x₀) is √k(x₀, x₀) in coefficients too: aⱼ = μⱼφⱼ(x₀).
    let modes = found.eigenfunctions(x.view(), &Compute::new()).unwrap();
    let a = ndarray::Array1::from_iter(found.eigenvalues().iter().zip(modes.row(0)).map(|(v, p)| v * p));
    assert_close!(found.inner(a.view(), a.view()).unwrap(), 1.0, abs = 1e-9);
}

/// Products with `K` and the whole decomposition give the same pairs.
#[test]
fn large_samples_need_no_matrix() {
    let x = Array2::from_shape_fn((1600, 1), |(i, _)| (i as f64 + 0.5) / 1600.0);
    let small = Compute::new().with_memory(16 << 20);
    let kernel: Kernel = "wiener()".parse().unwrap();
    let found = Spectrum::new(&kernel, &Measure::Sample(x.into()), 6, &small).unwrap();
    for (j, v) in found.eigenvalues().iter().enumerate() {
        // The midpoint grid is a discrete Brownian motion with a closed form up to O(n⁻²).
        let limit = 1.0 / ((j as f64 + 0.5) * std::f64::consts::PI).powi(2);
        assert_close!(*v, limit, abs = 1e-5 * limit.max(1e-2), "{j}: {v} {limit}");
    }
}

/// Eigenvalues of samples spread about those of the distribution as their standard errors say.
#[test]
fn standard_errors_are_those_of_sampling() {
    let distribution = spectrum("gaussian(lengthscale=0.8)", &Measure::Gaussian { deviation: 1.0 }, 3);
    let (runs, n) = (60, 150);
    let mut scores = Vec::new();
    for run in 0..runs {
        let mut stream = Seed(7).stream("sample", run);
        let x = Array2::from_shape_fn((n, 1), |_| stream.normal());
        let found = spectrum("gaussian(lengthscale=0.8)", &Measure::Sample(x.into()), 3);
        let errors = found.standard_errors().unwrap();
        scores.push((found.eigenvalues()[0] - distribution.eigenvalues()[0]) / errors[0]);
    }
    let spread = (scores.iter().map(|z| z * z).sum::<f64>() / runs as f64).sqrt();
    assert!((0.7..1.4).contains(&spread), "{spread}");
}

#[test]
fn what_has_no_spectrum_is_refused() {
    let refused = |text: &str, measure: Measure, count: usize| {
        Spectrum::new(&text.parse::<Kernel>().unwrap(), &measure, count, &Compute::new()).unwrap_err()
    };
    let request = |e: Error| matches!(e, Error::Unsupported { .. });
    assert!(request(refused("gaussian(lengthscale=1)", Measure::UNIFORM, 3)));
    assert!(request(refused("periodic(period=0.4)", Measure::UNIFORM, 3)));
    assert!(request(refused("wiener()", Measure::Interval { from: 1.0, to: 2.0 }, 3)));
    assert!(matches!(refused("wiener()", Measure::UNIFORM, 0), Error::Parameter { .. }));
    assert!(matches!(refused("wiener()", Measure::Interval { from: 1.0, to: 1.0 }, 3), Error::Parameter { .. }));
    assert!(matches!(refused("gaussian()", Measure::Gaussian { deviation: 0.0 }, 3), Error::Parameter { .. }));
    assert!(matches!(refused("gaussian()", Measure::Sample(Array2::zeros((0, 2)).into()), 3), Error::TooFew { .. }));
    let found = spectrum("wiener()", &Measure::UNIFORM, 3);
    assert!(matches!(found.eigenfunctions(array![[0.1, 0.2]].view(), &Compute::new()), Err(Error::Shape { .. })));
    assert!(matches!(found.inner(array![1.0].view(), array![1.0].view()), Err(Error::Shape { .. })));
}
