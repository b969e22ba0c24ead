//! Measures: identities, limits, bad input, and the same bytes for any number of threads.

use mercer::measure::{
    Density, Distribution, Estimator, HsicEstimator, LawEmbedding, MeanEmbedding, SteinKernel, block_mmd, dhsic,
    distance_covariance, distance_statistics, energy_distance, hsic, lancaster, mmd, mmd_of, normalized_hsic,
    stein_discrepancy, sup_mmd, unbiased_distance_statistics, wasserstein, witness,
};
use mercer::{Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, Axis, array, s};

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

#[test]
fn embeddings_agree_with_their_functions() {
    let compute = Compute::new();
    let (x, y, k) = (normal(1, 30, 2), normal(2, 20, 2), kernel("gaussian(lengthscale=0.8)"));
    let weights = Array1::from_shape_fn(30, |i| 0.1 * i as f64 - 1.0);
    let mu = MeanEmbedding::new(&k, &x, Some(weights.view()), &compute).unwrap();
    let nu = MeanEmbedding::new(&k, &y, None, &compute).unwrap();
    let (f, g) = (mu.function(&compute).unwrap(), nu.function(&compute).unwrap());
    assert_close!(mu.inner(&nu, &compute).unwrap(), f.inner(&g, &compute).unwrap(), 1e-13);
    assert_close!(mu.expectation(&g, &compute).unwrap(), f.inner(&g, &compute).unwrap(), 1e-13);
    assert_close!(mu.norm(&compute).unwrap(), f.norm(&compute).unwrap(), 1e-13);
    assert_close!(mu.distance(&nu, &compute).unwrap(), f.distance(&g, &compute).unwrap(), 1e-13);
    let plain = MeanEmbedding::new(&k, &x, None, &compute).unwrap();
    let biased = mmd(&x, &y, &k, Estimator::Biased, &compute).unwrap();
    assert_close!(plain.distance(&nu, &compute).unwrap().powi(2), biased, 1e-13);
    let other = MeanEmbedding::new(&kernel("linear()"), &y, None, &compute).unwrap();
    assert!(matches!(mu.inner(&other, &compute), Err(Error::Mismatch { .. })));
    assert!(matches!(mu.expectation(&other.function(&compute).unwrap(), &compute), Err(Error::Mismatch { .. })));
}

#[test]
fn herding_comes_near_and_best_weights_nearer() {
    let compute = Compute::new();
    let x = normal(3, 400, 2);
    let mu = MeanEmbedding::new(&kernel("gaussian(lengthscale=1)"), &x, None, &compute).unwrap();
    let mut last = f64::INFINITY;
    for count in [5, 20, 80] {
        let herd = mu.herd(count, &compute).unwrap();
        assert_eq!(herd.rows.len(), count);
        assert_close!(herd.distance, mu.distance(&herd.embedding, &compute).unwrap(), 1e-15);
        // Random points of this number would be at √(E k(x, x) − ‖μ‖²)/√count.
        let random = ((1.0 - mu.squared_norm(&compute).unwrap()) / count as f64).sqrt();
        assert!(herd.distance < 0.6 * random && herd.distance < last, "{count}: {} of {random}", herd.distance);
        let best = mu.compress(count, &compute).unwrap();
        assert!(best.distance <= herd.distance * (1.0 + 1e-9) + 1e-7, "{} > {}", best.distance, herd.distance);
        last = herd.distance;
    }
    assert!(matches!(mu.herd(0, &compute), Err(Error::Parameter { .. })));
}

/// Law and sample agree within the spread of a mean over the sample.
#[test]
fn closed_forms_are_limits_of_samples() {
    let compute = Compute::new();
    let (n, k) = (20_000, kernel("gaussian(lengthscale=[0.7, 2])"));
    let x = normal(4, n, 2);
    let distribution = Distribution::Gaussian { mean: array![0.0, 0.0], covariance: array![[1.0, 0.0], [0.0, 1.0]] };
    let exact = LawEmbedding::new(&k, distribution).unwrap();
    let t = array![[0.0, 0.0], [1.0, -1.0]];
    let found = MeanEmbedding::new(&k, &x, None, &compute).unwrap().evaluate(&t, &compute).unwrap();
    for (found, expected) in found.iter().zip(&exact.evaluate(&t).unwrap()) {
        assert_close!(*found, *expected, abs = 5.0 / (n as f64).sqrt(), "{found} {expected}");
    }
    assert!(matches!(exact.evaluate(&array![[1.0]]), Err(Error::Shape { .. })));
    assert!(LawEmbedding::new(&kernel("linear()"), Distribution::Uniform { low: 0.0, high: 1.0 }).is_err());
    assert!(LawEmbedding::new(&kernel("gaussian()"), Distribution::Uniform { low: 1.0, high: 0.0 }).is_err());
    let distribution = Distribution::Gaussian { mean: array![0.0, 0.0], covariance: array![[1.0, 2.0], [2.0, 1.0]] };
    assert!(matches!(LawEmbedding::new(&kernel("gaussian()"), distribution), Err(Error::Parameter { .. })));
    let few = LawEmbedding::new(&kernel("polynomial(degree=3)"), Distribution::Moments(vec![1.0]));
    assert!(matches!(few, Err(Error::Shape { .. })));
}

#[test]
fn block_estimators_join_linear_and_quadratic() {
    let compute = Compute::new();
    let (x, y, k) = (normal(5, 60, 3), normal(6, 60, 3), kernel("laplacian(lengthscale=2)"));
    let whole = block_mmd(&x, &y, &k, 60, &compute).unwrap();
    assert_eq!(whole.blocks, 1);
    assert_close!(whole.value, mmd(&x, &y, &k, Estimator::Paired, &compute).unwrap(), 1e-13);
    let linear = mmd(&x, &y, &k, Estimator::Linear, &compute).unwrap();
    assert_close!(block_mmd(&x, &y, &k, 2, &compute).unwrap().value, linear, 1e-15);
    assert!(matches!(block_mmd(&x, &y, &k, 61, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(block_mmd(&x, &y, &k, 1, &compute), Err(Error::Parameter { .. })));
}

#[test]
fn the_largest_mmd_is_one_of_them() {
    let compute = Compute::new();
    let (x, y) = (normal(7, 40, 1), normal(8, 50, 1) + 0.5);
    let kernels: Vec<Kernel> = [0.1, 1.0, 10.0].map(|l| Kernel::gaussian(l).unwrap()).to_vec();
    let found = sup_mmd(&x, &y, &kernels, &compute).unwrap();
    for (k, value) in kernels.iter().zip(&found.all) {
        assert_close!(*value, mmd(&x, &y, k, Estimator::Biased, &compute).unwrap(), 1e-15);
        assert!(*value <= found.value);
    }
    assert_close!(mmd(&x, &y, &found.kernel, Estimator::Biased, &compute).unwrap(), found.value, 1e-15);
    assert!(sup_mmd(&x, &y, &[], &compute).is_err());
}

/// Both equal their integrals over the distribution functions.
#[test]
fn distances_on_the_line_are_integrals() {
    let compute = Compute::new();
    let (x, y) = (array![0.0, 1.0, 1.0, 4.0], array![1.0, 2.5, -1.0]);
    let mut knots: Vec<f64> = x.iter().chain(&y).copied().collect();
    knots.sort_by(f64::total_cmp);
    let share = |sample: &Array1<f64>, t: f64| sample.iter().filter(|v| **v <= t).count() as f64 / sample.len() as f64;
    let integral = |power: i32| -> f64 {
        knots.windows(2).map(|w| (w[1] - w[0]) * (share(&x, w[0]) - share(&y, w[0])).abs().powi(power)).sum()
    };
    assert_close!(wasserstein(x.view(), y.view()).unwrap(), integral(1), 1e-15);
    let (x, y) = (x.clone().insert_axis(Axis(1)), y.clone().insert_axis(Axis(1)));
    assert_close!(energy_distance(&x, &y, Estimator::Biased, &compute).unwrap(), 2.0 * integral(2), 1e-14);
    assert!(wasserstein(array![f64::NAN].view(), array![0.0].view()).is_err());
    assert!(wasserstein(Array1::zeros(0).view(), array![0.0].view()).is_err());
}

/// The `O(n log n)` path against two passes over all pairs (a second column of zeros forces them),
/// with ties.
#[test]
fn fast_distance_covariance_is_the_slow_one() {
    let compute = Compute::new();
    for (n, offset) in [(4, 0.0), (37, 1e6), (500, -3.0)] {
        let x = normal(9, n, 1).mapv(|v| (4.0 * v).round() / 4.0) + offset;
        let y = &x.mapv(|v| (v - offset).abs()) + &normal(10, n, 1);
        let wide = ndarray::concatenate![Axis(1), x, Array2::zeros((n, 1))];
        let (fast, slow) =
            (distance_statistics(&x, &y, &compute).unwrap(), distance_statistics(&wide, &y, &compute).unwrap());
        assert_close!(fast.covariance_squared, slow.covariance_squared, 1e-10);
        assert_close!(fast.variance_x_squared, slow.variance_x_squared, 1e-10);
        let fast = unbiased_distance_statistics(&x, &y, &compute).unwrap();
        let slow = unbiased_distance_statistics(&wide, &y, &compute).unwrap();
        assert_close!(fast.covariance_squared, slow.covariance_squared, 1e-10);
    }
}

#[test]
fn independent_columns_and_constants_have_none() {
    let compute = Compute::new();
    let (x, constant, k) = (normal(11, 20, 1), Array2::ones((20, 1)), kernel("gaussian()"));
    assert_close!(hsic(&x, &constant, (&k, &k), HsicEstimator::Biased, &compute).unwrap(), 0.0, 1e-16);
    assert_close!(hsic(&x, &constant, (&k, &k), HsicEstimator::Unbiased, &compute).unwrap(), 0.0, 1e-16);
    assert_eq!(normalized_hsic(&constant, &constant, (&k, &k), &compute).unwrap(), 0.0);
    assert_close!(distance_covariance(&x, &constant, &compute).unwrap(), 0.0, 1e-7);
    // A product sample is independent exactly: every x with every y.
    let grid = Array2::from_shape_fn((12, 2), |(i, j)| if j == 0 { (i / 3) as f64 } else { (i % 3) as f64 });
    let (a, b) = (grid.slice(s![.., ..1]), grid.slice(s![.., 1..]));
    assert_close!(hsic(a, b, (&k, &k), HsicEstimator::Biased, &compute).unwrap(), 0.0, 1e-16);
    assert_close!(dhsic(&[a.into(), b.into()], &[&k, &k], &compute).unwrap(), 0.0, 1e-15);
}

/// `E u = 0` under the density, and not under another; the V-statistic is a squared norm.
#[test]
fn stein_discrepancy_uses_its_density() {
    let compute = Compute::new();
    let density = Density::normal(array![1.0, -1.0], array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
    let n = 1500;
    let z = normal(12, n, 2);
    // The Cholesky factor of the covariance is [√2, 0; 0.5/√2, √(1 − 1/8)].
    let root = 2.0_f64.sqrt();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| match j {
        0 => 1.0 + root * z[[i, 0]],
        _ => -1.0 + 0.5 / root * z[[i, 0]] + (0.875_f64).sqrt() * z[[i, 1]],
    });
    for k in [SteinKernel::default(), SteinKernel::gaussian(1.5).unwrap()] {
        let of = |x: &Array2<f64>, estimator| {
            let scores = density.score(x.view()).unwrap();
            stein_discrepancy(x.view(), scores.view(), k, estimator, &compute).unwrap()
        };
        let own = of(&x, Estimator::Unbiased);
        assert!(own.abs() < 0.01, "{own}");
        assert!(of(&(&x + 0.5), Estimator::Unbiased) > 0.03);
        assert!(of(&x, Estimator::Biased) > 0.0);
    }
    let scores = density.score(x.view()).unwrap();
    let wrong =
        stein_discrepancy(x.view(), scores.slice(s![.., ..1]), SteinKernel::default(), Estimator::Biased, &compute);
    assert!(matches!(wrong, Err(Error::Shape { .. })));
    assert!(Density::normal(array![0.0], array![[0.0]]).is_err());
}

/// Scores are derivatives of log densities.
#[test]
fn scores_are_slopes() {
    let log_student = |v: f64| -2.0 * (1.0 + ((v - 1.0) / 2.0).powi(2) / 3.0).ln();
    let log_logistic = |v: f64| {
        let z = (v - 1.0) / 2.0;
        -z - 2.0 * (-z).exp().ln_1p()
    };
    let (student, logistic) = (Density::student(3.0, 1.0, 2.0).unwrap(), Density::logistic(1.0, 2.0).unwrap());
    for v in [-3.0, 0.5, 1.0, 4.0] {
        let h = 1e-5;
        let slope = |f: &dyn Fn(f64) -> f64| (f(v + h) - f(v - h)) / (2.0 * h);
        assert_close!(student.score(array![[v]].view()).unwrap()[[0, 0]], slope(&log_student), 1e-8);
        assert_close!(logistic.score(array![[v]].view()).unwrap()[[0, 0]], slope(&log_logistic), 1e-8);
    }
}

#[test]
fn precomputed_values_give_the_same() {
    let compute = Compute::new();
    let (x, y, k) = (normal(13, 9, 2), normal(14, 12, 2), kernel("gaussian(lengthscale=1)"));
    let pooled = ndarray::concatenate![Axis(0), x, y];
    let gram = mercer::gram::dense(&k.bind(mercer::gram::Pairs::within(pooled.view()), &compute).unwrap(), &compute);
    let gram = gram.unwrap();
    let precomputed = kernel("precomputed()");
    let bound = precomputed.bind(mercer::gram::Pairs::precomputed(gram.view()), &compute).unwrap();
    for estimator in [Estimator::Biased, Estimator::Unbiased, Estimator::Linear] {
        let expected = mmd(&x, &y, &k, estimator, &compute).unwrap();
        assert_close!(mmd_of(&bound, 9, estimator, &compute).unwrap(), expected, 1e-15);
    }
    assert!(mmd_of(&bound, 21, Estimator::Biased, &compute).is_err());
    assert!(mmd_of(&bound, 1, Estimator::Unbiased, &compute).is_err());
}

#[test]
fn bad_samples_are_refused_with_their_place() {
    let compute = Compute::new();
    let (x, k) = (normal(15, 5, 2), kernel("gaussian()"));
    let mut bad = x.clone();
    bad[[3, 1]] = f64::NAN;
    let error = mmd(&x, &bad, &k, Estimator::Biased, &compute).unwrap_err();
    assert!(error.to_string().starts_with("second sample: row 3, column 1 holds NaN"), "{error}");
    assert!(matches!(mmd(&x, &normal(1, 5, 3), &k, Estimator::Biased, &compute), Err(Error::Shape { .. })));
    assert!(matches!(mmd(&x, &normal(1, 1, 2), &k, Estimator::Unbiased, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(mmd(&x, &normal(1, 0, 2), &k, Estimator::Biased, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(mmd(&x, &normal(1, 4, 2), &k, Estimator::Paired, &compute), Err(Error::Shape { .. })));
    let unequal = hsic(&x, &normal(1, 4, 2), (&k, &k), HsicEstimator::Biased, &compute);
    assert!(matches!(unequal, Err(Error::Shape { .. })));
    let few = normal(1, 3, 1);
    assert!(matches!(hsic(&few, &few, (&k, &k), HsicEstimator::Unbiased, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(dhsic(&[Points::from(&x)], &[&k], &compute), Err(Error::TooFew { .. })));
    let zero = Array1::zeros(4);
    assert!(matches!(MeanEmbedding::new(&k, &x, Some(zero.view()), &compute), Err(Error::Shape { .. })));
    assert!(matches!(distance_covariance(&x, &bad, &compute), Err(Error::Value { .. })));
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (x, y, k) = (normal(16, 700, 3), normal(17, 700, 3), kernel("gaussian(lengthscale=1)"));
    let all = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        [
            mmd(&x, &y, &k, Estimator::Unbiased, &compute).unwrap(),
            mmd(&x, &y, &k, Estimator::Linear, &compute).unwrap(),
            hsic(&x, &y, (&k, &k), HsicEstimator::Biased, &compute).unwrap(),
            hsic(&x, &y, (&k, &k), HsicEstimator::Unbiased, &compute).unwrap(),
            lancaster([(&x).into(), (&y).into(), (&x).into()], [&k, &k, &k], &compute).unwrap(),
            dhsic(&[(&x).into(), (&y).into()], &[&k, &k], &compute).unwrap(),
            witness(&x, &y, &k, &compute).unwrap().norm(&compute).unwrap(),
        ]
        .map(f64::to_bits)
    };
    assert_eq!(all(1), all(2));
    assert_eq!(all(1), all(3));
}

/// Kernel values whose sums are no numbers are refused: infinity is no statistic.
#[test]
fn sums_that_overflow_are_refused() {
    let (compute, k) = (Compute::new(), kernel("linear()"));
    let x = normal(21, 12, 2) * 1e100;
    let refused = |found: mercer::Result<f64>| {
        let error = found.unwrap_err().to_string();
        assert!(error.contains("rescale"), "{error}");
    };
    refused(hsic(&x, &x, (&k, &k), HsicEstimator::Biased, &compute));
    refused(hsic(&x, &x, (&k, &k), HsicEstimator::Unbiased, &compute));
    refused(normalized_hsic(&x, &x, (&k, &k), &compute));
    let y = normal(22, 12, 2) * 1e50;
    assert_close!(normalized_hsic(&y, &y, (&k, &k), &compute).unwrap(), 1.0, abs = 1e-12);
}
