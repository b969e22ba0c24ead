//! Tests from matrices of precomputed kernel values.

use mercer::gram::{self, Pairs};
use mercer::hypothesis::{
    ConditionalIndependence, ConditionalMethod, ConditionalSmoothing, Independence, Interaction, JointIndependence,
    TwoSample, TwoSampleMethod,
};
use mercer::{Compute, Error, Kernel, Points, Seed};
use ndarray::{Array2, Axis};

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn values(k: &str, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel(k).bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

fn given(values: &Array2<f64>) -> Points<'_> {
    Points::Precomputed(values.view())
}

#[test]
fn two_samples_and_independence() {
    let compute = Compute::new();
    let (x, y, k) = (normal(24, 12, 2), normal(25, 15, 2), kernel("gaussian(lengthscale=1)"));
    let pooled = ndarray::concatenate![Axis(0), x, y];
    let gram = |x: &Array2<f64>| values("gaussian(lengthscale=1)", x);
    for method in [TwoSampleMethod::Permutation, TwoSampleMethod::Gamma, TwoSampleMethod::Spectral] {
        let test = TwoSample { method, permutations: 99, ..TwoSample::permutation(k.clone()) };
        let expected = test.test(&x, &y, &compute).unwrap();
        let precomputed = TwoSample { kernel: Some(kernel("precomputed()")), ..test };
        let found = precomputed.test_pooled(&gram(&pooled), 12, &compute).unwrap();
        assert_close!(found.statistic, expected.statistic, 1e-14);
        assert_close!(found.p_value, expected.p_value, 1e-9);
        // Each sample by the rows of its values with all points.
        let all = gram(&pooled);
        let (first, second) = all.view().split_at(Axis(0), 12);
        let by_rows = precomputed.test(first, second, &compute).unwrap();
        assert_eq!((by_rows.statistic, by_rows.p_value), (found.statistic, found.p_value));
        assert!(matches!(precomputed.test(first, first, &compute), Err(Error::Shape { .. })));
    }
    assert!(matches!(
        TwoSample::default().test_pooled(Points::Precomputed(gram(&pooled).view()), 12, &compute),
        Err(Error::Precomputed { .. })
    ));
    let y = normal(26, 12, 1);
    let test = Independence { kernel_x: Some(k.clone()), kernel_y: Some(k.clone()), ..Independence::default() };
    let expected = test.test(&x, &y, &compute).unwrap();
    let pre = Some(kernel("precomputed()"));
    let precomputed = Independence { kernel_x: pre.clone(), kernel_y: pre, ..Independence::default() };
    let found = precomputed.test(&gram(&x), &gram(&y), &compute).unwrap();
    assert_eq!((found.p_value, found.statistic), (expected.p_value, expected.statistic));
}

#[test]
fn several_variables() {
    let compute = Compute::new();
    let texts = ["gaussian(lengthscale=1)", "laplacian()", "gaussian(lengthscale=2)"];
    let samples = [normal(1, 20, 1), normal(2, 20, 2), normal(3, 20, 1)];
    let matrices: Vec<Array2<f64>> = texts.iter().zip(&samples).map(|(k, x)| values(k, x)).collect();
    let views = [0, 1, 2].map(|i| Points::Precomputed(matrices[i].view()));
    let points = [(&samples[0]).into(), (&samples[1]).into(), (&samples[2]).into()];
    let pre = || kernel("precomputed()");

    let test = JointIndependence { kernels: Some(texts.map(kernel).to_vec()), permutations: 99, level: 0.05 };
    let expected = test.test(&points, &compute).unwrap();
    let precomputed = JointIndependence { kernels: Some(vec![pre(); 3]), ..test };
    let found = precomputed.test(&views, &compute).unwrap();
    assert_eq!((found.p_value, found.statistic), (expected.p_value, expected.statistic));
    assert!(matches!(JointIndependence::default().test(&views, &compute), Err(Error::Precomputed { .. })));

    let test = Interaction { kernels: Some(texts.map(kernel)), permutations: 99, level: 0.05 };
    let expected = test.test(points, &compute).unwrap();
    let precomputed = Interaction { kernels: Some([pre(), pre(), pre()]), ..test };
    let found = precomputed.test(views, &compute).unwrap();
    assert_eq!((found.p_value, found.statistic), (expected.p_value, expected.statistic));
    assert!(matches!(Interaction::default().test(views, &compute), Err(Error::Precomputed { .. })));
}

/// Columns of mean 0 and variance 1 are left as they are by the test on points.
fn standardized(x: Array2<f64>) -> Array2<f64> {
    let n = x.nrows() as f64;
    let x = &x - &(x.sum_axis(Axis(0)) / n);
    let spread = (x.mapv(|v| v * v).sum_axis(Axis(0)) / (n - 1.0)).mapv(f64::sqrt);
    x / &spread
}

#[test]
fn given_a_third_variable() {
    let compute = Compute::new();
    let z = standardized(normal(4, 40, 1));
    let (x, y) = (standardized(&z + &normal(5, 40, 1)), standardized(z.mapv(f64::sin) + normal(6, 40, 1)));
    for method in [ConditionalMethod::Gamma, ConditionalMethod::Permutation] {
        // exp(−‖x‖²/2 − ‖z/2‖²/2) is the product of Gaussians of x and z with lengthscales 1 and 2.
        let smoothing = |k: &str| ConditionalSmoothing::Fixed { kernel: kernel(k), ridge: 0.1 };
        let test = ConditionalIndependence {
            kernel_x: Some(kernel("gaussian()")),
            kernel_y: Some(kernel("gaussian()")),
            smoothing: smoothing("gaussian(lengthscale=2)"),
            method,
            permutations: 199,
            level: 0.05,
        };
        let expected = test.test(&x, &y, &z, &compute).unwrap();
        let pre = Some(kernel("precomputed()"));
        let precomputed = ConditionalIndependence {
            kernel_x: pre.clone(),
            kernel_y: pre,
            smoothing: smoothing("precomputed()"),
            ..test
        };
        let (k, l) = (values("gaussian()", &x), values("gaussian()", &y));
        let m = values("gaussian(lengthscale=2)", &z);
        let found = precomputed.test(&k, &l, given(&m), &compute).unwrap();
        assert_close!(found.statistic, expected.statistic, 1e-10);
        assert_close!(found.p_value, expected.p_value, 1e-8);
        // A constant condition is no condition.
        let constant = Array2::ones((40, 40));
        let without = precomputed.test(&k, &l, given(&constant), &compute).unwrap();
        let chosen = ConditionalIndependence { smoothing: ConditionalSmoothing::LeaveOneOut, ..precomputed };
        assert!(chosen.test(&k, &l, given(&m), &compute).unwrap().detail("ridge_x").is_some());
        let points = ConditionalIndependence {
            kernel_x: Some(kernel("gaussian()")),
            kernel_y: Some(kernel("gaussian()")),
            ..chosen
        };
        assert_close!(without.p_value, points.test(&x, &y, &Array2::zeros((40, 1)), &compute).unwrap().p_value, 1e-10);
    }
}

#[test]
fn matrices_that_are_not_kernel_values_are_refused() {
    let compute = Compute::new();
    let good = values("gaussian()", &normal(7, 8, 1));
    let mut skew = good.clone();
    skew[[0, 1]] += 0.1;
    let mut missing = good.clone();
    missing[[2, 2]] = f64::NAN;
    let wide = good.select(Axis(0), &[0, 1, 2, 3, 4, 5, 6]);
    let small = good.select(Axis(0), &[0, 1]).select(Axis(1), &[0, 1]);
    let pre = || kernel("precomputed()");
    let two = TwoSample::permutation(pre());
    let pair = Independence { kernel_x: Some(pre()), kernel_y: Some(pre()), ..Independence::default() };
    let three = Interaction { kernels: Some([pre(), pre(), pre()]), ..Interaction::default() };
    for (bad, shape) in [(&skew, false), (&missing, false), (&wide, true), (&small, true)] {
        let errors = [
            two.test_pooled(bad, 4, &compute).unwrap_err(),
            pair.test(&good, bad, &compute).unwrap_err(),
            three.test([given(&good), given(&good), given(bad)], &compute).unwrap_err(),
        ];
        let is_size = |e: &Error| matches!(e, Error::Shape { .. } | Error::TooFew { .. });
        assert!(errors.iter().all(|e| is_size(e) == shape), "{errors:?}");
    }
    assert!(matches!(two.test_pooled(&good, 7, &compute), Err(Error::TooFew { .. })));
    assert!(matches!(two.test_pooled(&skew, 4, &compute), Err(Error::Precomputed { .. })));
    assert!(matches!(two.test_pooled(&missing, 4, &compute), Err(Error::Value { .. })));
}
