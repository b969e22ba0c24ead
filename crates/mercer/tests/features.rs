//! Explicit features: unbiased, with the variance that theory gives, the same for any number of threads.

mod common;

use mercer::features::{FeatureMap, FourierForm, RandomFourier, Sampling, SpectralMeasure};
use mercer::{Compute, Kernel, Seed};
use ndarray::{Array2, ArrayView1, Axis, array};

/// One of every kernel that has a spectral measure, and of every rule.
const SHIFT_INVARIANT: &[&str] = &[
    "gaussian(lengthscale=0.8)",
    "gaussian(lengthscale=[0.7, 1.3])",
    "laplacian(lengthscale=1.1)",
    "laplacian(lengthscale=[0.9, 2], norm=l1)",
    "matern(nu=1/2)",
    "matern(nu=3/2, lengthscale=0.7)",
    "matern(nu=5/2, lengthscale=[0.5, 1])",
    "matern(nu=0.8)",
    "matern(nu=11)",
    "rational_quadratic(lengthscale=1.2, shape=0.6)",
    "inverse_multiquadric(offset=0.7)",
    "cauchy(lengthscale=1.4)",
    "periodic(period=1.7, lengthscale=0.9)",
    "periodic(period=3, lengthscale=[0.5, 2])",
    "sinc(bandlimit=2)",
    "2*gaussian(lengthscale=0.5) + laplacian() + 0.7",
    "gaussian() * laplacian(norm=l1) * 1.5",
    "(gaussian() + 2*matern(nu=3/2)) * periodic()",
    "on([1], gaussian(lengthscale=0.5)) + on([0], periodic(period=2)) * on([1], cauchy())",
    "matern(nu=3/2)^3",
    "gaussian(lengthscale=4)^20",
    "exp(gaussian())",
    "series([0.5, 1, 0, 2], laplacian())",
    "series(cosh, 2*gaussian())",
    "normalized(3*gaussian() + 1)",
    "transformed(matern(nu=3/2), by=matrix([[1, 0.5], [0, 2], [1, 1]]))",
    "schoenberg(sqdist(), t=0.4)",
    "schoenberg(distance(power=1.5) + log_distance(), t=0.7)",
    "schoenberg(2*distance(power=1) + on([0], sqdist()), t=0.3)",
    "schoenberg(distance(power=0.6), t=1.2)",
];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn compute(seed: u64) -> Compute {
    Compute::new().with_seed(Seed(seed))
}

fn spec(text: &str, components: usize, form: FourierForm, sampling: Sampling) -> RandomFourier {
    RandomFourier { kernel: kernel(text), components, form, sampling }
}

/// What each frequency contributes to `z(x)ᵀz(y)`.
fn contributions(x: ArrayView1<f64>, y: ArrayView1<f64>, form: FourierForm) -> Vec<f64> {
    let products: Vec<f64> = x.iter().zip(y).map(|(a, b)| a * b).collect();
    match form {
        FourierForm::Offset => products,
        FourierForm::Pair => {
            let (cosines, sines) = products.split_at(products.len() / 2);
            cosines.iter().zip(sines).map(|(c, s)| c + s).collect()
        }
    }
}

/// `(Σ vⱼ − k)` in units of its standard deviation, estimated from the contributions.
fn z_score(values: &[f64], expected: f64) -> f64 {
    let (n, sum) = (values.len() as f64, values.iter().sum::<f64>());
    let variance: f64 = values.iter().map(|v| (v - sum / n).powi(2)).sum::<f64>() * n / (n - 1.0);
    (sum - expected) / (variance.sqrt() + 1e-9)
}

/// Five standard deviations: among the 360 comparisons a right law fails one in 5000 seeds.
#[test]
fn features_are_unbiased_for_every_shift_invariant_kernel() {
    let x = array![[0.3, -0.2], [0.5, 0.3], [-0.9, 1.1], [2.0, -1.0]];
    for (index, text) in SHIFT_INVARIANT.iter().enumerate() {
        for form in [FourierForm::Pair, FourierForm::Offset] {
            let features = spec(text, 8000, form, Sampling::Iid).draw(2, &compute(index as u64)).unwrap();
            let z = features.transform(x.view(), &compute(0)).unwrap();
            for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
                let expected = kernel(text).evaluate(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
                let score = z_score(&contributions(z.row(i), z.row(j), form), expected);
                assert!(score.abs() <= 5.0, "{text} {form:?} {i} {j}: {score} standard deviations from {expected}");
            }
        }
    }
}

#[test]
fn pairs_have_the_diagonal_of_the_kernel() {
    let x = array![[0.3, -0.2], [0.5, 0.3]];
    for text in SHIFT_INVARIANT {
        let features = spec(text, 60, FourierForm::Pair, Sampling::Iid).draw(2, &compute(1)).unwrap();
        let z = features.transform(x.view(), &compute(0)).unwrap();
        let expected = kernel(text).evaluate(&[0.3, -0.2], &[0.3, -0.2]).unwrap();
        assert!((z.row(0).dot(&z.row(0)) - expected).abs() <= 1e-12 * expected.max(1.0), "{text}");
    }
}

/// The errors at a fixed difference over many draws: their mean and their variance.
fn errors(text: &str, components: usize, form: FourierForm, sampling: Sampling, draws: u64) -> (f64, f64) {
    let x = array![[0.1, 0.2, -0.3, 0.0, 0.5, 0.1], [0.4, -0.2, 0.1, 0.3, 0.2, 0.6]];
    let expected = kernel(text).evaluate(&x.row(0).to_vec(), &x.row(1).to_vec()).unwrap();
    let error = |seed: u64| {
        let features = spec(text, components, form, sampling).draw(6, &compute(seed)).unwrap();
        let z = features.transform(x.view(), &compute(0)).unwrap();
        z.row(0).dot(&z.row(1)) - expected
    };
    let all: Vec<f64> = (0..draws).map(error).collect();
    let mean = all.iter().sum::<f64>() / draws as f64;
    (mean, all.iter().map(|e| e * e).sum::<f64>() / draws as f64)
}

/// `Var = ((1 + k(2δ))/2 − k(δ)²)/D` for pairs and `(1 + k(2δ)/2 − k(δ)²)/D` for offsets. A mean of squares of 600 nearly normal errors has a
/// relative standard deviation of 0.058: the band of 0.25 is more than four of them.
#[test]
fn the_variance_falls_with_the_number_of_frequencies() {
    let squared = 0.09 + 0.16 + 0.16 + 0.09 + 0.09 + 0.25;
    let (k, twice) = (f64::exp(-0.5 * squared), f64::exp(-2.0 * squared));
    for count in [20, 80] {
        let (_, pair) = errors("gaussian()", 2 * count, FourierForm::Pair, Sampling::Iid, 600);
        let (_, offset) = errors("gaussian()", count, FourierForm::Offset, Sampling::Iid, 600);
        let expected = [((1.0 + twice) / 2.0 - k * k) / count as f64, (1.0 + twice / 2.0 - k * k) / count as f64];
        for (found, expected) in [pair, offset].into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() <= 0.25, "{count}: {found} instead of {expected}");
        }
    }
}

#[test]
fn orthogonal_and_even_frequencies_are_unbiased_and_beat_independent_ones() {
    for text in ["gaussian(lengthscale=0.9)", "matern(nu=5/2)"] {
        let (_, iid) = errors(text, 48, FourierForm::Pair, Sampling::Iid, 600);
        for sampling in [Sampling::Orthogonal, Sampling::QuasiMonteCarlo] {
            let (mean, variance) = errors(text, 48, FourierForm::Pair, sampling, 600);
            assert!(mean.abs() <= 4.5 * (variance / 600.0).sqrt(), "{text} {sampling:?}: bias {mean}");
            assert!(variance < 0.8 * iid, "{text} {sampling:?}: {variance} against {iid}");
        }
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let x = Array2::from_shape_fn((1000, 3), |(i, j)| ((i * 3 + j) as f64).sin());
    for form in [FourierForm::Pair, FourierForm::Offset] {
        let spec = spec("gaussian() * matern(nu=3/2) + laplacian()", 700, form, Sampling::Orthogonal);
        let with = |threads: usize| {
            let compute = compute(3).with_threads(threads).unwrap();
            spec.draw(3, &compute).unwrap().transform(x.view(), &compute).unwrap()
        };
        let one = with(1);
        assert!(one == with(2) && one == with(3));
    }
}

#[test]
fn rows_do_not_depend_on_their_neighbours() {
    let x = Array2::from_shape_fn((130, 4), |(i, j)| ((i * 4 + j) as f64).cos());
    let features = spec("gaussian()", 40, FourierForm::Pair, Sampling::Iid).draw(4, &compute(0)).unwrap();
    let all = features.transform(x.view(), &compute(0)).unwrap();
    let part = features.transform(x.select(Axis(0), &[70, 3]).view(), &compute(0)).unwrap();
    for (found, row) in part.rows().into_iter().zip([70, 3]) {
        assert!(found.iter().zip(all.row(row)).all(|(a, b)| (a - b).abs() <= 1e-14));
    }
}

#[test]
fn kernels_without_a_spectral_measure_are_refused_with_the_reason() {
    let cases = [
        ("linear()", "not shift-invariant"),
        ("gaussian() * polynomial(degree=2)", "not shift-invariant"),
        ("conformal(gaussian(), by=norm())", "shift-invariant"),
        ("delta()", "not continuous"),
        ("wiener()", "not shift-invariant"),
        ("minus(gaussian(), laplacian())", "positive semi-definite"),
        ("schoenberg(distance(power=3))", "positive semi-definite"),
        ("series(geometric, gaussian())", "no sum"),
        ("gaussian(lengthscale=median)", "median"),
        ("gaussian(lengthscale=[1, 2, 3])", "lengthscales"),
        ("on([5], gaussian())", "more than 5"),
    ];
    for (text, reason) in cases {
        let error = SpectralMeasure::of(&kernel(text), 2).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    let odd = spec("gaussian()", 7, FourierForm::Pair, Sampling::Iid).draw(2, &compute(0)).unwrap_err();
    assert!(odd.to_string().contains("even"), "{odd}");
    let square = spec("sinc()", 8, FourierForm::Pair, Sampling::Orthogonal).draw(2, &compute(0)).unwrap_err();
    assert!(square.to_string().contains("radial"), "{square}");
}

#[test]
fn points_that_do_not_fit_are_refused() {
    let features = spec("gaussian()", 8, FourierForm::Pair, Sampling::Iid).draw(2, &compute(0)).unwrap();
    assert!(features.transform(array![[1.0]].view(), &compute(0)).is_err());
    assert!(features.transform(array![[1.0, f64::NAN]].view(), &compute(0)).is_err());
    assert_eq!(features.transform(Array2::zeros((0, 2)).view(), &compute(0)).unwrap().dim(), (0, 8));
    let small = compute(0).with_memory(100);
    assert!(features.transform(Array2::zeros((10, 2)).view(), &small).is_err());
}

#[test]
fn medians_are_resolved_on_the_sample() {
    let x = array![[0.0], [1.0], [3.0]];
    let features = RandomFourier::new(kernel("gaussian(lengthscale=median)"), 10).fit(x.view(), &compute(0)).unwrap();
    assert_eq!(features.kernel().to_string(), "gaussian(lengthscale=2)");
}
