//! Explicit features: unbiased, with the variance that theory gives, the same for any number of
//! threads.

use mercer::features::{
    ExplicitFeatures, FeatureMap, FourierForm, FourierGuarantee, Landmarks, Nystrom, RandomBinning, RandomFourier,
    Sampling, SpectralMeasure, StructuredFourier, binning_bound, empirical_kernel_map, fourier_bound, measured_error,
};
use mercer::gram::{self, Pairs};
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
    "wendland(smoothness=0, dimension=3, radius=3)",
    "wendland(smoothness=1, dimension=2, radius=2)",
    "wendland(smoothness=2, dimension=9, radius=4)",
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

/// `k(x, x)` is the mass of the spectral measure, and what the rules give as the largest value: the bounds of tests rest on it.
#[test]
fn the_largest_value_is_the_mass_of_the_measure() {
    for text in SHIFT_INVARIANT {
        let bound = kernel(text).bound().unwrap_or_else(|| panic!("{text} has no bound"));
        let mass = SpectralMeasure::of(&kernel(text), 2).unwrap().mass();
        assert_close!(bound, mass, 1e-12);
    }
}

/// Five standard deviations: among the 360 comparisons a right distribution fails one in 5000
/// seeds.
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
        assert_close!(z.row(0).dot(&z.row(0)), expected, abs = 1e-12 * expected.max(1.0), "{text}");
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

/// `Var = ((1 + k(2δ))/2 − k(δ)²)/D` for pairs and `(1 + k(2δ)/2 − k(δ)²)/D` for offsets. A mean of
/// squares of 600 nearly normal errors has a relative standard deviation of 0.058: the band of 0.25
/// is more than four of them.
#[test]
fn the_variance_falls_with_the_number_of_frequencies() {
    let squared = 0.09 + 0.16 + 0.16 + 0.09 + 0.09 + 0.25;
    let (k, twice) = (f64::exp(-0.5 * squared), f64::exp(-2.0 * squared));
    for count in [20, 80] {
        let (_, pair) = errors("gaussian()", 2 * count, FourierForm::Pair, Sampling::Iid, 600);
        let (_, offset) = errors("gaussian()", count, FourierForm::Offset, Sampling::Iid, 600);
        let expected = [((1.0 + twice) / 2.0 - k * k) / count as f64, (1.0 + twice / 2.0 - k * k) / count as f64];
        for (found, expected) in [pair, offset].into_iter().zip(expected) {
            assert_close!(found / expected, 1.0, abs = 0.25, "{count}: {found} instead of {expected}");
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
fn rows_do_not_depend_on_their_neighbors() {
    let x = Array2::from_shape_fn((130, 4), |(i, j)| ((i * 4 + j) as f64).cos());
    let features = spec("gaussian()", 40, FourierForm::Pair, Sampling::Iid).draw(4, &compute(0)).unwrap();
    let all = features.transform(x.view(), &compute(0)).unwrap();
    let part = features.transform(x.select(Axis(0), &[70, 3]).view(), &compute(0)).unwrap();
    for (found, row) in part.rows().into_iter().zip([70, 3]) {
        assert_close!(found.iter(), all.row(row), each = 1e-14);
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

/// At its confidence: of 400 draws at most the bounded share errs by ε, plus four standard
/// deviations of that share.
#[test]
fn errors_stay_below_the_bounds() {
    let x = array![[0.0, 0.0], [0.9, -0.4]];
    let exact = kernel("laplacian(norm=l1)").evaluate(&[0.0, 0.0], &[0.9, -0.4]).unwrap();
    let excess = |errors: Vec<f64>, epsilon: f64, bound: f64| {
        let share = errors.iter().filter(|e| e.abs() >= epsilon).count() as f64 / errors.len() as f64;
        assert!(share <= bound + 4.0 * (bound * (1.0 - bound) / errors.len() as f64).sqrt(), "{share} > {bound}");
    };
    let fourier = |seed: u64, form: FourierForm| {
        let z = spec("laplacian(norm=l1)", 400, form, Sampling::Iid).draw(2, &compute(seed)).unwrap();
        let z = z.transform(x.view(), &compute(0)).unwrap();
        z.row(0).dot(&z.row(1)) - exact
    };
    for (form, count) in [(FourierForm::Pair, 200), (FourierForm::Offset, 400)] {
        let epsilon = if form == FourierForm::Pair { 0.14 } else { 0.2 };
        excess((0..400).map(|s| fourier(s, form)).collect(), epsilon, fourier_bound(count, epsilon, form));
    }
    let binned = |seed: u64| {
        let map = RandomBinning::new(kernel("laplacian(norm=l1)"), 200).draw(2, &compute(seed)).unwrap();
        let z = map.transform(x.view(), &compute(0)).unwrap();
        z.inner(&z).unwrap()[[0, 1]] - exact
    };
    excess((0..400).map(binned).collect(), 0.08, binning_bound(200, 0.08));
}

/// The union bound over all pairs of 60 points holds with probability 0.99.
#[test]
fn the_measured_error_stays_below_the_bound_over_all_pairs() {
    let x = Array2::from_shape_fn((60, 3), |(i, j)| 2.0 * ((i * 3 + j) as f64).sin());
    let count = FourierGuarantee::Points(60).frequencies(0.2, 0.01).unwrap();
    let map = RandomFourier::new(kernel("matern(nu=3/2)"), 2 * count).draw(3, &compute(5)).unwrap();
    let error = measured_error(&map, x.view(), 60, &compute(0)).unwrap();
    assert!(error.points == 60 && error.largest < 0.2, "{error:?}");
    assert!(
        error.root_mean_square > 0.0 && error.root_mean_square <= error.largest && error.mean.abs() <= error.largest
    );
}

#[test]
fn binning_reproduces_separable_kernels_with_convex_profiles() {
    let x = array![[0.0, 0.0], [0.2, 0.1], [-0.7, 0.4], [1.5, -1.0]];
    let cases = [
        "laplacian(lengthscale=0.8, norm=l1)",
        "laplacian(lengthscale=[0.5, 2], norm=l1)",
        "2*laplacian(norm=l1) + 0.5*on([0], laplacian(lengthscale=3)) + 0.3",
        "on([0], laplacian()) * on([1], matern(nu=0.3) + 0.2)",
        "laplacian(norm=l1)^2",
        "on([1], schoenberg(distance(power=0.8), t=0.7))",
    ];
    for (index, text) in cases.iter().enumerate() {
        let grids = RandomBinning { buckets: 1 << 16, ..RandomBinning::new(kernel(text), 6000) };
        let z = grids.draw(2, &compute(index as u64)).unwrap().transform(x.view(), &compute(0)).unwrap();
        let found = z.inner(&z).unwrap();
        let diagonal = kernel(text).evaluate(&[0.0, 0.0], &[0.0, 0.0]).unwrap();
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 3), (2, 3)] {
            let exact = kernel(text).evaluate(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
            // The variance is at most k(c − k)/P; collisions of the hash are below 2⁻¹⁶.
            let band = 5.0 * (exact * (diagonal - exact).max(0.0) / 6000.0).sqrt() + 2e-5 * diagonal;
            assert_close!(found[[i, j]], exact, abs = band + 1e-12, "{text} {i} {j}: {} ≠ {exact}", found[[i, j]]);
        }
    }
    for text in ["gaussian()", "laplacian()", "cauchy()", "linear()", "laplacian(norm=l1) + gaussian()"] {
        let refused = RandomBinning::new(kernel(text), 10).draw(2, &compute(0)).unwrap_err().to_string();
        assert!(refused.contains("no random binning features"), "{text}: {refused}");
    }
}

#[test]
fn cell_matrices_multiply_like_their_dense_twins() {
    let x = Array2::from_shape_fn((2500, 2), |(i, j)| ((i * 2 + j) as f64).sin() * 3.0);
    let map = RandomBinning { buckets: 16, ..RandomBinning::new(kernel("laplacian(norm=l1) + 0.5"), 7) };
    let map = map.draw(2, &compute(1)).unwrap();
    let z = map.transform(x.view(), &compute(0)).unwrap();
    let dense = z.to_dense(&compute(0)).unwrap();
    assert_eq!(z.shape(), dense.dim());
    let w = Array2::from_shape_fn((7 * 16, 2), |(i, j)| ((i + j) as f64).cos());
    let v = Array2::from_shape_fn((2500, 2), |(i, j)| ((i + 3 * j) as f64).cos());
    let forward = z.multiply(w.view(), &compute(0)).unwrap() - dense.dot(&w);
    let back = z.multiply_transposed(v.view(), &compute(0)).unwrap() - dense.t().dot(&v);
    assert!(forward.iter().all(|e| e.abs() < 1e-12) && back.iter().all(|e| e.abs() < 1e-10));
    let one = z.multiply_transposed(v.view(), &compute(0).with_threads(1).unwrap()).unwrap();
    assert!(one == z.multiply_transposed(v.view(), &compute(0).with_threads(3).unwrap()).unwrap());
}

fn dense(text: &str, x: &Array2<f64>) -> Array2<f64> {
    gram::dense(&kernel(text).bind(Pairs::within(x.view()), &compute(0)).unwrap(), &compute(0)).unwrap()
}

fn assert_same(found: &Array2<f64>, expected: &Array2<f64>, tolerance: f64, what: &str) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    for (f, e) in found.iter().zip(expected) {
        assert_close!(*f, *e, abs = tolerance * e.abs().max(1.0), "{what}: {f} ≠ {e}");
    }
}

#[test]
fn explicit_features_are_exact() {
    let x = array![[0.3, -0.2, 1.0], [0.5, 0.3, -0.4], [-0.9, 1.1, 0.0], [0.0, 0.0, 0.0]];
    let cases = [
        ("linear()", 3),
        ("polynomial(degree=3, offset=0.7, scale=2)", 20),
        ("polynomial(degree=4, offset=0)", 15),
        ("2*linear() + 0.5", 4),
        ("linear() * polynomial(degree=2)", 30),
        ("(linear() + 1)^2", 10),
        ("series([1, 0, 2, 0.5], on([0, 2], linear()))", 1 + 3 + 4),
        ("on([1], finite_rank(weights=[1, 2, 0.5], basis=hermite))", 3),
        ("on([0], finite_rank(weights=[1, 2], basis=cosines)) * linear()", 6),
        ("normalized(polynomial(degree=2, offset=0))", 6),
        ("conformal(linear(), by=quadratic())", 3),
        ("transformed(linear(), by=matrix([[1, 2, 0], [0, 1, 1]]))", 2),
        ("induced(gaussian(), at=[[0, 0, 0], [1, 1, 0]])", 2),
    ];
    for (text, count) in cases {
        let map = ExplicitFeatures::new(kernel(text), 3).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(map.components(), count, "{text}");
        let z = map.transform(x.view(), &compute(0)).unwrap();
        assert_same(&z.dot(&z.t()), &dense(text, &x), 1e-13, text);
    }
    for text in ["gaussian()", "exp(linear())", "linear() + laplacian()", "polynomial(degree=40)^20"] {
        assert!(ExplicitFeatures::new(kernel(text), 3).is_err(), "{text}");
    }
}

fn spread(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("points", 0);
    // Three groups of very different sizes.
    Array2::from_shape_fn((n, d), |(i, _)| {
        stream.normal() * 0.5 + [0.0, 4.0, -6.0][usize::from(i % 10 == 9) + usize::from(i % 40 == 39)]
    })
}

#[test]
fn nystrom_features_are_exact_at_landmarks_and_never_above_the_kernel() {
    let x = spread(300, 2, 1);
    let choices = [
        Landmarks::RandomPivots,
        Landmarks::Uniform,
        Landmarks::KMeans,
        Landmarks::Leverage,
        Landmarks::Greedy,
        Landmarks::Points(x.select(Axis(0), &[3, 39, 100])),
    ];
    let text = "matern(nu=3/2, lengthscale=2) + 0.1*linear()";
    let exact = dense(text, &x);
    for landmarks in choices {
        let spec = Nystrom { landmarks: landmarks.clone(), ..Nystrom::new(kernel(text), 25) };
        let fit = |threads: usize| spec.fit(x.view(), &compute(2).with_threads(threads).unwrap()).unwrap();
        let map = fit(1);
        assert_eq!(map, fit(2), "{landmarks:?}");
        let z = map.transform(x.view(), &compute(0)).unwrap();
        let left = &exact - &z.dot(&z.t());
        assert_close!(left.diag().sum(), map.trace_error(), abs = 1e-9 * map.trace(), "{landmarks:?}");
        assert!(
            mercer::solve::eigenvalues(left.view(), &Compute::new()).unwrap()[0] >= -1e-9 * map.trace(),
            "{landmarks:?}"
        );
        let points = map.landmarks().vectors().unwrap().to_owned();
        let at = map.transform(points.view(), &compute(0)).unwrap();
        assert_same(&at.dot(&at.t()), &dense(text, &points), 1e-10, "landmarks");
    }
}

#[test]
fn many_points_have_the_features_that_each_has_alone() {
    let x = Array2::from_shape_fn((900, 3), |(i, j)| ((i * 3 + j) as f64 * 0.37).sin() * 2.0);
    for text in ["gaussian(lengthscale=0.7)", "linear() + 1", "chi2(gamma=0.5)"] {
        let x = if text.starts_with("chi2") { x.mapv(f64::abs) } else { x.clone() };
        let map = Nystrom::new(kernel(text), 12).fit(x.view(), &compute(2)).unwrap();
        let all = map.transform(x.view(), &compute(2)).unwrap();
        assert_eq!(all, map.transform(x.view(), &compute(2).with_threads(1).unwrap()).unwrap());
        let single = map.transform_single(x.view(), &compute(2)).unwrap();
        for i in [0, 255, 256, 511, 640, 899] {
            let alone = map.transform(x.slice(ndarray::s![i..=i, ..]), &compute(1)).unwrap();
            let size = all.row(i).dot(&all.row(i)).sqrt();
            for (j, expected) in alone.iter().enumerate() {
                assert_close!(all[[i, j]], *expected, abs = 1e-12 * size, "{text} row {i}");
                assert_close!(f64::from(single[[i, j]]), *expected, abs = 1e-3 * size, "{text} row {i}");
            }
        }
        let mut bad = x.clone();
        bad[[700, 1]] = if text.starts_with("chi2") { -1.0 } else { f64::NAN };
        match map.transform(bad.view(), &compute(2)) {
            Err(mercer::Error::Value { row, .. }) => assert_eq!(row, 700, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Over twenty seeds, so that the comparison is of means.
#[test]
fn pivots_beat_uniform_landmarks() {
    let x = spread(400, 3, 2);
    let mean = |landmarks: Landmarks| {
        let error = |seed: u64| {
            let spec =
                Nystrom { landmarks: landmarks.clone(), ..Nystrom::new(kernel("gaussian(lengthscale=1.5)"), 20) };
            spec.fit(x.view(), &compute(seed)).unwrap().trace_error()
        };
        (0..20).map(error).sum::<f64>() / 20.0
    };
    let uniform = mean(Landmarks::Uniform);
    for better in [Landmarks::RandomPivots, Landmarks::KMeans, Landmarks::Leverage] {
        let found = mean(better.clone());
        assert!(found < uniform, "{better:?}: {found} against {uniform}");
    }
}

#[test]
fn the_rank_follows_the_tolerance() {
    let x = spread(500, 2, 3);
    let rank = |tolerance: f64| {
        let spec = Nystrom { tolerance, ..Nystrom::new(kernel("gaussian(lengthscale=3)"), 400) };
        let map = spec.fit(x.view(), &compute(0)).unwrap();
        assert!(map.trace_error() <= tolerance * map.trace() + 1e-9, "{} > {tolerance}", map.trace_error());
        map.components()
    };
    let ranks = [1e-1, 1e-2, 1e-4, 1e-6].map(rank);
    assert!(ranks.windows(2).all(|w| w[0] < w[1]) && ranks[3] < 200, "{ranks:?}");
}

#[test]
fn the_empirical_kernel_map_reproduces_the_kernel_on_the_sample() {
    let x = spread(40, 2, 4);
    for text in ["gaussian()", "polynomial(degree=2)", "laplacian(norm=l1)"] {
        let map = empirical_kernel_map(&kernel(text), x.view(), &compute(0)).unwrap();
        let z = map.transform(x.view(), &compute(0)).unwrap();
        assert_eq!(z.ncols(), 40);
        assert_same(&z.dot(&z.t()), &dense(text, &x), 1e-9, text);
    }
    assert!(empirical_kernel_map(&kernel("minus(gaussian(), 2*laplacian())"), x.view(), &compute(0)).is_err());
}

#[test]
fn wrong_requests_for_landmarks_are_refused() {
    let x = spread(10, 2, 5);
    let with = |spec: Nystrom| spec.fit(x.view(), &compute(0)).unwrap_err().to_string();
    let plain = Nystrom::new(kernel("gaussian()"), 3);
    assert!(with(Nystrom { landmarks: Landmarks::Rows(vec![10]), ..plain.clone() }).contains("below 10"));
    assert!(with(Nystrom { components: 0, ..plain.clone() }).contains("at least 1"));
    assert!(with(Nystrom { tolerance: 1.0, ..plain.clone() }).contains("tolerance"));
    assert!(with(Nystrom { kernel: kernel("tanh()"), ..plain.clone() }).contains("positive semi-definite"));
    assert!(plain.fit(Array2::zeros((0, 2)).view(), &compute(0)).is_err());
}

#[test]
fn structured_frequencies_are_orthogonal_and_nearly_unbiased() {
    let map = StructuredFourier::new(kernel("matern(nu=5/2, lengthscale=3)"), 128).draw(64, &compute(1)).unwrap();
    let frequencies = map.frequencies(&compute(0)).unwrap();
    let products = frequencies.dot(&frequencies.t());
    for ((i, j), v) in products.indexed_iter().filter(|((i, j), _)| i != j) {
        assert!(v.abs() <= 1e-10 * (products[[i, i]] * products[[j, j]]).sqrt(), "{i} {j}: {v}");
    }
    let x = Array2::from_shape_fn((2, 50), |(i, j)| ((i * 50 + j) as f64).sin());
    let kernel = kernel("2*gaussian(lengthscale=5)");
    let exact = kernel.evaluate(&x.row(0).to_vec(), &x.row(1).to_vec()).unwrap();
    let spec = StructuredFourier::new(kernel, 256);
    let error = |seed: u64| {
        let z = spec.draw(50, &compute(seed)).unwrap().transform(x.view(), &compute(0)).unwrap();
        assert_close!(z.row(0).dot(&z.row(0)), 2.0, abs = 1e-12);
        z.row(0).dot(&z.row(1)) - exact
    };
    let errors: Vec<f64> = (0..200).map(error).collect();
    let mean = errors.iter().sum::<f64>() / 200.0;
    let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 199.0;
    // Four and a half standard deviations of the mean, and a bias of the order of 1/64.
    assert!(mean.abs() <= 4.5 * (variance / 200.0).sqrt() + 0.015, "{mean} ± {variance}");
    for text in ["laplacian(norm=l1)", "gaussian() + laplacian()", "linear()"] {
        assert!(StructuredFourier::new(text.parse().unwrap(), 8).draw(4, &compute(0)).is_err(), "{text}");
    }
    assert!(StructuredFourier::new("gaussian()".parse().unwrap(), 7).draw(4, &compute(0)).is_err());
}

#[test]
fn an_odd_number_of_components_has_a_last_cosine_with_an_offset() {
    let x = Array2::from_shape_fn((40, 2), |(i, j)| ((i + 20 * j) as f64 * 0.7).cos());
    for text in ["gaussian(lengthscale=2)", "2*gaussian() + 0.5 + laplacian()"] {
        // Means of many draws are the kernel, within five standard errors.
        let exact = kernel(text).evaluate(&x.row(0).to_vec(), &x.row(1).to_vec()).unwrap();
        let draws: Vec<f64> = (0..2000)
            .map(|seed| {
                let map = spec(text, 9, FourierForm::Pair, Sampling::Iid).draw(2, &compute(seed)).unwrap();
                let z = map.transform(x.slice(ndarray::s![..2, ..]), &compute(0)).unwrap();
                assert_eq!((z.ncols(), map.offsets().len(), map.frequencies().nrows()), (9, 1, 5));
                z.row(0).dot(&z.row(1))
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / 2000.0;
        let spread = (draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 2000.0).sqrt();
        assert_close!(mean, exact, abs = 5.0 * spread / 2000.0_f64.sqrt(), "{text}: {mean} is not {exact}");
    }
    let map = spec("gaussian()", 517, FourierForm::Pair, Sampling::Iid).draw(2, &compute(4)).unwrap();
    let z = map.transform(x.view(), &compute(0)).unwrap();
    let (single, count) = (map.transform_single(x.view(), &compute(0)).unwrap(), map.frequencies().nrows());
    for (i, row) in x.rows().into_iter().enumerate() {
        for (j, (omega, a)) in map.frequencies().rows().into_iter().zip(map.amplitudes()).enumerate() {
            let lone = j + 1 == count;
            let phase = omega.dot(&row) + if lone { map.offsets()[0] } else { 0.0 };
            assert_close!(z[[i, j]], a * phase.cos(), abs = 1e-14);
            assert_close!(f64::from(single[[i, j]]), z[[i, j]], abs = 1e-6);
            assert!(lone || (z[[i, count + j]] - a * phase.sin()).abs() < 1e-14);
        }
    }
    let one = spec("gaussian()", 1, FourierForm::Pair, Sampling::Orthogonal).draw(2, &compute(4)).unwrap();
    assert_eq!(one.transform(x.view(), &compute(0)).unwrap().dim(), (40, 1));
}

#[test]
fn landmarks_are_rows_of_the_data() {
    let x = Array2::from_shape_fn((60, 2), |(i, j)| ((i * 3 + 11 * j) as f64 * 0.31).sin());
    let ways = [Landmarks::RandomPivots, Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage, Landmarks::Greedy];
    for landmarks in ways {
        let map = Nystrom { landmarks, ..Nystrom::new(kernel("gaussian()"), 7) }.fit(x.view(), &compute(1)).unwrap();
        let rows = map.rows().unwrap();
        assert_eq!(x.select(Axis(0), rows), map.landmarks().vectors().unwrap());
    }
    let given = Landmarks::Points(array![[0.0, 0.0], [1.0, 0.0]]);
    let map = Nystrom { landmarks: given, ..Nystrom::new(kernel("gaussian()"), 7) }.fit(x.view(), &compute(1)).unwrap();
    assert_eq!(map.rows(), None);
}
