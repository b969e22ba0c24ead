//! Reading the answer of a test: which points, which columns, how much, how sure.

use mercer::hypothesis::{Correction, Independence, IndependenceMethod, TwoSample, TwoSampleMethod};
use mercer::measure::{
    Estimator, HsicEstimator, Side, dependence_shares, dependence_witness, hsic, mmd, normalized_hsic, witness,
    witness_values,
};
use mercer::{Compute, Kernel, Seed};
use ndarray::{Array2, Axis};

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// At the points of a sample the witness is the expansion less the point's own term, rescaled.
#[test]
fn witness_values_leave_the_point_out() {
    let compute = Compute::new();
    let (x, y, k) = (normal(1, 17, 2), normal(2, 23, 2) * 1.5, kernel("gaussian(lengthscale=0.8)"));
    let values = witness_values(&x, &y, &k, &compute).unwrap();
    assert_close!(values.unbiased_mmd(), mmd(&x, &y, &k, Estimator::Unbiased, &compute).unwrap(), 1e-13);
    for i in [0, 5, 16] {
        let rest: Vec<usize> = (0..17).filter(|j| *j != i).collect();
        let without = witness(&x.select(Axis(0), &rest), &y, &k, &compute).unwrap();
        let expected = without.evaluate(x.select(Axis(0), &[i]).view(), &compute).unwrap()[0];
        assert_close!(values.first[i], expected, 1e-13);
    }
    for i in [0, 22] {
        let rest: Vec<usize> = (0..23).filter(|j| *j != i).collect();
        let without = witness(&x, &y.select(Axis(0), &rest), &k, &compute).unwrap();
        let expected = without.evaluate(y.select(Axis(0), &[i]).view(), &compute).unwrap()[0];
        assert_close!(values.second[i], expected, 1e-13);
    }
}

#[test]
fn extremes_are_in_order_and_name_their_sample() {
    let compute = Compute::new();
    let x = normal(3, 50, 1);
    // A fifth of the second sample is elsewhere.
    let y =
        Array2::from_shape_fn((50, 1), |(i, _)| if i < 10 { 8.0 + 0.01 * i as f64 } else { normal(4, 50, 1)[[i, 0]] });
    let extremes = witness_values(&x, &y, &kernel("gaussian()"), &compute).unwrap().extremes(5);
    assert_eq!((extremes.highest.len(), extremes.lowest.len()), (5, 5));
    assert!(extremes.lowest.iter().all(|p| p.sample == Side::Second && p.row < 10));
    assert!(extremes.lowest.windows(2).all(|w| w[0].value <= w[1].value));
    assert!(extremes.highest.windows(2).all(|w| w[0].value >= w[1].value));
    assert!(extremes.highest[0].value > 0.0 && extremes.lowest[0].value < 0.0);
}

/// With the linear kernel the share of variance is the η² of the analysis of variance.
#[test]
fn share_of_variance_is_eta_squared() {
    let (x, y) = (normal(5, 12, 1), normal(6, 20, 1) + 1.0);
    let mean = |z: &Array2<f64>| z.sum() / z.len() as f64;
    let pooled = ndarray::concatenate![Axis(0), x, y];
    let total: f64 = pooled.iter().map(|v| (v - mean(&pooled)).powi(2)).sum();
    let between = 12.0 * (mean(&x) - mean(&pooled)).powi(2) + 20.0 * (mean(&y) - mean(&pooled)).powi(2);
    for method in [TwoSampleMethod::Permutation, TwoSampleMethod::Gamma, TwoSampleMethod::Spectral] {
        let test = TwoSample { method, permutations: 99, ..TwoSample::permutation(kernel("linear()")) };
        let outcome = test.test(&x, &y, &Compute::new()).unwrap();
        assert_close!(outcome.detail("share_of_variance").unwrap(), between / total, 1e-12);
        assert!(outcome.detail("effect").is_some_and(f64::is_finite));
    }
}

#[test]
fn every_drawn_p_value_has_an_interval() {
    let (x, y) = (normal(7, 20, 1), normal(8, 25, 1));
    let aggregated = TwoSample { permutations: 199, ..TwoSample::default() };
    for test in [aggregated.clone(), TwoSample { method: TwoSampleMethod::Permutation, ..aggregated }] {
        let outcome = test.test(&x, &y, &Compute::new()).unwrap();
        let (low, high) = outcome.p_interval.unwrap();
        assert!(low < outcome.p_value && outcome.p_value < high && high - low < 0.25, "{low} {high}");
        assert!(outcome.detail("effect").is_some() && outcome.detail("share_of_variance").is_some());
    }
    let exact = TwoSample { method: TwoSampleMethod::Exact, ..TwoSample::permutation(kernel("gaussian()")) };
    let outcome = exact.test(&x.select(Axis(0), &[0, 1, 2]), &y.select(Axis(0), &[0, 1, 2]), &Compute::new()).unwrap();
    assert_eq!(outcome.p_interval, None);
}

#[test]
fn columns_are_tested_one_by_one() {
    let x = normal(9, 30, 3);
    let mut y = normal(10, 30, 3);
    y.column_mut(2).mapv_inplace(|v| v + 1.5);
    let (mut x0, mut y0) = (x.clone(), y.clone());
    x0.column_mut(0).fill(4.0);
    y0.column_mut(0).fill(4.0);
    let test = TwoSample { permutations: 199, ..TwoSample::permutation(kernel("gaussian(lengthscale=median)")) };
    let columns = test.by_column(x0.view(), y0.view(), Correction::Bonferroni, &Compute::new()).unwrap();
    assert_eq!(columns.len(), 3);
    assert_eq!((columns[0].outcome.p_value, columns[0].mmd), (1.0, 0.0));
    for c in &columns[1..] {
        let one = |z: &Array2<f64>| z.select(Axis(1), &[c.column]);
        let alone = test.test(&one(&x), &one(&y), &Compute::new()).unwrap();
        assert_eq!(c.outcome, alone);
        assert_close!(c.adjusted, (3.0 * alone.p_value).min(1.0), 1e-15);
        let expected = mmd(&one(&x), &one(&y), test.kernel.as_ref().unwrap(), Estimator::Unbiased, &Compute::new());
        assert_close!(c.mmd, expected.unwrap(), 1e-15);
    }
    assert!(columns[2].adjusted <= 0.05);
}

#[test]
fn shares_and_witness_of_dependence() {
    let compute = Compute::new();
    let x = normal(11, 150, 1);
    let y = x.mapv(|v| v * v) + normal(12, 150, 1) * 0.3;
    let (k, l) = (kernel("gaussian(lengthscale=0.7)"), kernel("laplacian()"));
    let shares = dependence_shares(&x, &y, (&k, &l), &compute).unwrap();
    let biased = hsic(&x, &y, (&k, &l), HsicEstimator::Biased, &compute).unwrap();
    assert_close!(shares.sum() / 150.0, biased, 1e-12);
    // ‖f‖² = E f over the pairs less E f over all combinations.
    let own = dependence_witness((&x).into(), (&y).into(), (&k, &l), (&x).into(), (&y).into(), &compute).unwrap();
    let rows: Vec<usize> = (0..150 * 150).collect();
    let s = x.select(Axis(0), &rows.iter().map(|r| r / 150).collect::<Vec<_>>());
    let t = y.select(Axis(0), &rows.iter().map(|r| r % 150).collect::<Vec<_>>());
    let all = dependence_witness((&x).into(), (&y).into(), (&k, &l), (&s).into(), (&t).into(), &compute).unwrap();
    assert_close!(own.sum() / 150.0 - all.sum() / 22_500.0, biased, 1e-12);
}

#[test]
fn independence_has_a_share_between_nothing_and_all() {
    let (x, k) = (normal(13, 30, 1), kernel("gaussian()"));
    let y = x.mapv(f64::cos);
    for method in [IndependenceMethod::Permutation, IndependenceMethod::Gamma] {
        let test = Independence {
            kernel_x: Some(k.clone()),
            kernel_y: Some(k.clone()),
            permutations: 99,
            ..Independence::with_method(method)
        };
        let outcome = test.test(&x, &y, &Compute::new()).unwrap();
        let expected = normalized_hsic(&x, &y, (&k, &k), &Compute::new()).unwrap();
        assert_close!(outcome.detail("normalized_hsic").unwrap(), expected, 1e-12);
        assert!(outcome.detail("effect").unwrap() > 2.0);
    }
}
