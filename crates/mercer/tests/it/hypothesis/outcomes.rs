//! Hypothesis tests: the engine against direct recomputation, paired and stratified relabelings,
//! stopping, bad input, same bytes.

use mercer::hypothesis::{
    ConditionalIndependence, ConditionalSmoothing, GoodnessOfFit, Independence, IndependenceMethod, Interaction,
    JointIndependence, KernelWeights, TestOutcome, TwoSample, TwoSampleMethod,
};
use mercer::measure::{Density, Estimator, HsicEstimator, hsic, mmd};
use mercer::{Compute, Error, Kernel, Precision, Seed};
use ndarray::{Array2, Axis, s};

fn normal(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn aggregated(wild: bool) -> TwoSampleMethod {
    TwoSampleMethod::Aggregated { weights: KernelWeights::Uniform, wild }
}

/// Every method of the two-sample test.
fn methods() -> Vec<TwoSampleMethod> {
    use TwoSampleMethod as M;
    vec![
        M::Permutation,
        M::Paired,
        M::Sequential,
        M::Gamma,
        M::Spectral,
        M::BiasedBound,
        M::UnbiasedBound,
        M::Linear,
        M::Block(4),
        aggregated(false),
        aggregated(true),
        M::Fused,
        M::Split,
    ]
}

/// The engine relabels by forms of tiles; here every relabeled sample is made and measured.
#[test]
fn enumerated_statistics_are_those_of_the_relabeled_samples() {
    let compute = Compute::new();
    let (x, y, k) = (normal(1, 3, 2), normal(2, 5, 2), kernel("laplacian(lengthscale=1)"));
    let pooled = ndarray::concatenate![Axis(0), x, y];
    for estimator in [Estimator::Biased, Estimator::Unbiased] {
        let test = TwoSample { method: TwoSampleMethod::Exact, estimator, ..TwoSample::permutation(k.clone()) };
        let outcome = test.test(&x, &y, &compute).unwrap();
        let mut expected = Vec::new();
        for code in 0_u32..256 {
            if code.count_ones() == 3 {
                let (first, second): (Vec<usize>, Vec<usize>) = (0..8).partition(|i| code >> i & 1 == 1);
                let (a, b) = (pooled.select(Axis(0), &first), pooled.select(Axis(0), &second));
                expected.push(mmd(&a, &b, &k, estimator, &compute).unwrap());
            }
        }
        let mut found = outcome.null.clone().unwrap();
        found.push(outcome.statistic);
        found.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        assert_eq!(found.len(), expected.len());
        found.iter().zip(&expected).for_each(|(f, e)| assert_close!(*f, *e, 1e-13));
        let observed = mmd(&x, &y, &k, estimator, &compute).unwrap();
        let above = expected.iter().filter(|v| **v >= observed - 1e-12).count() as f64;
        assert_close!(outcome.p_value, above / expected.len() as f64, 1e-15);
    }
}

/// Random relabelings, in single precision and in double, are statistics of relabeled samples too:
/// their mean over many draws is the mean over all.
#[test]
fn drawn_statistics_have_the_mean_of_all() {
    let (x, y, k) = (normal(3, 60, 1), normal(4, 90, 1), kernel("gaussian(lengthscale=1)"));
    let test = TwoSample { estimator: Estimator::Unbiased, permutations: 4000, ..TwoSample::permutation(k) };
    let double = test.test(&x, &y, &Compute::new()).unwrap();
    let single = test.test(&x, &y, &Compute::new().with_precision(Precision::SingleTiles)).unwrap();
    let (a, b) = (double.null.unwrap(), single.null.unwrap());
    a.iter().zip(&b).for_each(|(a, b)| assert_close!(*b, *a, 1e-6));
    // Over all relabelings the U-statistic has mean 0 exactly.
    let mean = a.iter().sum::<f64>() / a.len() as f64;
    let spread = (a.iter().map(|v| v * v).sum::<f64>() / a.len() as f64).sqrt();
    assert!(mean.abs() < 4.0 * spread / (a.len() as f64).sqrt(), "{mean} {spread}");
    assert_close!(double.p_value, single.p_value, abs = 2e-3);
}

#[test]
fn exchanges_within_pairs_are_exact() {
    let compute = Compute::new();
    let x = normal(5, 6, 1);
    let y = &x + 2.0;
    let test = TwoSample { method: TwoSampleMethod::Paired, ..TwoSample::permutation(kernel("gaussian()")) };
    let outcome = test.test(&x, &y, &compute).unwrap();
    assert!(outcome.exact);
    assert_eq!(outcome.permutations, 63);
    let mut all = Vec::new();
    for code in 0..64 {
        let swap = |i: usize| code >> i & 1 == 1;
        let a = Array2::from_shape_fn((6, 1), |(i, _)| if swap(i) { y[[i, 0]] } else { x[[i, 0]] });
        let b = Array2::from_shape_fn((6, 1), |(i, _)| if swap(i) { x[[i, 0]] } else { y[[i, 0]] });
        all.push(mmd(&a, &b, &kernel("gaussian()"), Estimator::Biased, &compute).unwrap());
    }
    let above = all.iter().filter(|v| **v >= all[0] - 1e-12).count() as f64;
    assert_close!(outcome.statistic, all[0], 1e-13);
    assert_close!(outcome.p_value, above / 64.0, 1e-15);
}

#[test]
fn strata_keep_their_labels() {
    let compute = Compute::new();
    let (x, y, k) = (normal(6, 3, 1), normal(7, 3, 1), kernel("gaussian()"));
    // Two strata of three points; two, then one, of each are in the first sample: 3 · 3
    // relabelings.
    let test = TwoSample {
        strata: Some(vec![5, 5, 9, 5, 9, 9]),
        method: TwoSampleMethod::Exact,
        ..TwoSample::permutation(k.clone())
    };
    assert_eq!(test.test(&x, &y, &compute).unwrap().permutations, 8);
    let test = Independence { strata: Some(vec![0, 0, 1, 1]), ..Independence::with_method(IndependenceMethod::Exact) };
    assert_eq!(test.test(&normal(1, 4, 1), &normal(2, 4, 1), &compute).unwrap().permutations, 3);
    let wrong = TwoSample { strata: Some(vec![0, 1]), ..TwoSample::permutation(k) };
    assert!(matches!(wrong.test(&x, &y, &compute), Err(Error::Shape { .. })));
    let wrong = TwoSample { strata: Some(vec![0; 6]), ..TwoSample::default() };
    assert!(matches!(wrong.test(&x, &y, &compute), Err(Error::Unsupported { .. })));
}

/// A Simpson pair: dependent in the whole, independent within strata.
#[test]
fn strata_take_confounding_away() {
    let compute = Compute::new();
    let shift = Array2::from_shape_fn((60, 1), |(i, _)| if i < 30 { 0.0 } else { 6.0 });
    let (x, y) = (&normal(8, 60, 1) + &shift, &normal(9, 60, 1) + &shift);
    assert!(Independence::default().test(&x, &y, &compute).unwrap().reject);
    let strata = Some((0..60).map(|i| i / 30).collect());
    let outcome = Independence { strata, ..Independence::default() }.test(&x, &y, &compute).unwrap();
    assert!(outcome.p_value > 0.05, "{}", outcome.p_value);
}

#[test]
fn enumerated_hsic_is_that_of_the_permuted_pairs() {
    let compute = Compute::new();
    let (x, y, k) = (normal(10, 5, 1), normal(11, 5, 2), kernel("gaussian(lengthscale=1)"));
    for estimator in [HsicEstimator::Biased, HsicEstimator::Unbiased] {
        let test = Independence {
            kernel_x: Some(k.clone()),
            kernel_y: Some(k.clone()),
            estimator,
            ..Independence::with_method(IndependenceMethod::Exact)
        };
        let outcome = test.test(&x, &y, &compute).unwrap();
        let mut found = outcome.null.clone().unwrap();
        found.push(outcome.statistic);
        let mut expected = Vec::new();
        permutations(5, &mut Vec::new(), &mut |order| {
            expected.push(hsic(&x, &y.select(Axis(0), order), (&k, &k), estimator, &compute).unwrap());
        });
        found.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        assert_eq!(found.len(), 120);
        found.iter().zip(&expected).for_each(|(f, e)| assert_close!(*f, *e, 1e-13));
    }
}

fn permutations(n: usize, begun: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if begun.len() == n {
        return visit(begun);
    }
    for i in 0..n {
        if !begun.contains(&i) {
            begun.push(i);
            permutations(n, begun, visit);
            begun.pop();
        }
    }
}

/// Stored in single precision from 1024 points on: the null values of the same permutations differ
/// from those in double precision by rounding alone.
#[test]
fn large_samples_are_stored_in_single_precision() {
    let compute = Compute::new();
    let x = normal(12, 1100, 1);
    let y = &normal(13, 1100, 1) + &x.mapv(|v| 0.05 * v);
    let smooth = Independence { permutations: 49, ..Independence::default() };
    // Given values have no factors, smooth kernels of points have: two ways to one number.
    let gram = |x: &Array2<f64>| {
        let k = kernel("gaussian(lengthscale=median)");
        mercer::gram::dense(&k.bind(mercer::gram::Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
    };
    let pre = Some(kernel("precomputed()"));
    let precomputed = Independence { kernel_x: pre.clone(), kernel_y: pre, ..smooth.clone() };
    let (low_rank, stored) =
        (smooth.test(&x, &y, &compute).unwrap(), precomputed.test(&gram(&x), &gram(&y), &compute).unwrap());
    assert_close!(low_rank.statistic, stored.statistic, 1e-14);
    let spread = stored.threshold.unwrap();
    for (a, b) in low_rank.null.unwrap().iter().zip(&stored.null.unwrap()) {
        assert_close!(*a, *b, abs = 1e-5 * spread, "{a} {b}");
    }
}

/// Low-rank factors against stored matrices, both in double precision.
#[test]
fn factors_and_matrices_give_one_null_distribution() {
    let compute = Compute::new();
    let (x, y) = (normal(32, 300, 1), normal(33, 300, 2));
    let k = kernel("gaussian(lengthscale=2)");
    let gram = |x: &Array2<f64>| {
        mercer::gram::dense(&k.bind(mercer::gram::Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
    };
    let smooth = Independence {
        kernel_x: Some(k.clone()),
        kernel_y: Some(k.clone()),
        permutations: 99,
        ..Independence::default()
    };
    let pre = Some(kernel("precomputed()"));
    let precomputed = Independence { kernel_x: pre.clone(), kernel_y: pre, ..smooth.clone() };
    let low_rank = smooth.test(&x, &y, &compute).unwrap();
    let stored = precomputed.test(&gram(&x), &gram(&y), &compute).unwrap();
    assert_eq!(low_rank.p_value, stored.p_value);
    for (a, b) in low_rank.null.unwrap().iter().zip(&stored.null.unwrap()) {
        assert_close!(*a, *b, abs = 1e-9 * stored.threshold.unwrap(), "{a} {b}");
    }
}

#[test]
fn the_sequential_test_stops_and_is_reported() {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.1 * i as f64);
    let y = &x + 0.05;
    let sequential = TwoSample { method: TwoSampleMethod::Sequential, ..TwoSample::permutation(kernel("gaussian()")) };
    let compute = Compute::new();
    let outcome = sequential.test(&x, &y, &compute).unwrap();
    assert!(outcome.stopped_early && !outcome.reject && outcome.permutations < 1999, "{outcome:?}");
    // The hundredth relabeling at least as large is the last: p = 100/l.
    assert_close!(outcome.p_value, 100.0 / outcome.permutations as f64, 1e-15);
    let far = sequential.test(&x, &(&y + 4.0), &compute).unwrap();
    assert!(!far.stopped_early && far.reject && far.permutations == 1999);
    assert_eq!(far.p_value, 1.0 / 2000.0);
}

#[test]
fn far_samples_are_rejected_by_every_method() {
    let compute = Compute::new();
    let (x, y) = (normal(16, 80, 2), normal(17, 80, 2) + 3.0);
    for method in methods() {
        let outcome = TwoSample { permutations: 199, ..TwoSample::with_method(method) }.test(&x, &y, &compute).unwrap();
        assert!(outcome.reject && outcome.p_value > 0.0, "{method:?}: {}", outcome.p_value);
        assert!(outcome.to_string().contains("rejected"), "{outcome}");
    }
    let z = normal(18, 80, 1);
    let y = z.mapv(|v| v * v);
    for method in [
        IndependenceMethod::Permutation,
        IndependenceMethod::Sequential,
        IndependenceMethod::Gamma,
        IndependenceMethod::Aggregated { wild: false },
        IndependenceMethod::Aggregated { wild: true },
    ] {
        let test = Independence { permutations: 199, ..Independence::with_method(method) };
        let outcome = test.test(&z, &y, &compute).unwrap();
        assert!(outcome.reject && outcome.p_value > 0.0, "{method:?}: {}", outcome.p_value);
    }
    let outcome = GoodnessOfFit::default().test_density(x.view(), &Density::logistic(3.0, 1.0).unwrap(), &compute);
    assert!(outcome.unwrap().reject);
}

/// Equal samples do not differ: p = 1 where it is a share of relabelings.
#[test]
fn identical_and_constant_samples() {
    let compute = Compute::new();
    let x = normal(19, 30, 2);
    for method in methods() {
        let outcome = TwoSample { permutations: 99, ..TwoSample::with_method(method) }.test(&x, &x, &compute);
        let p = outcome.unwrap_or_else(|e| panic!("{method:?}: {e}")).p_value;
        assert!(p > 0.4, "{method:?}: {p}");
    }
    let constant = Array2::from_elem((10, 2), 1.0);
    for method in methods() {
        let outcome =
            TwoSample { permutations: 99, ..TwoSample::with_method(method) }.test(&constant, &constant, &compute);
        assert!(matches!(outcome, Err(Error::AllEqual { .. })), "{method:?}: {outcome:?}");
    }
    let precomputed = TwoSample::permutation(kernel("gaussian()")).test(&constant, &constant, &compute).unwrap();
    assert_eq!(precomputed.p_value, 1.0);
    let outcome = Independence::default().test(&x, &Array2::ones((30, 1)), &compute);
    assert!(matches!(outcome, Err(Error::AllEqual { .. })));
    let fixed = Independence { kernel_y: Some(kernel("gaussian()")), ..Independence::default() };
    assert_eq!(fixed.test(&x, &Array2::ones((30, 1)), &compute).unwrap().p_value, 1.0);
}

#[test]
fn bad_requests_are_refused() {
    let compute = Compute::new();
    let (x, y) = (normal(20, 10, 2), normal(21, 10, 2));
    let mut bad = y.clone();
    bad[[4, 1]] = f64::INFINITY;
    for method in methods() {
        let test = TwoSample { permutations: 19, ..TwoSample::with_method(method) };
        assert!(matches!(test.test(&x, &normal(1, 1, 2), &compute), Err(Error::TooFew { .. })), "{method:?}");
        assert!(matches!(test.test(&normal(1, 0, 2), &y, &compute), Err(Error::TooFew { .. })), "{method:?}");
        assert!(matches!(test.test(&x, &normal(1, 10, 3), &compute), Err(Error::Shape { .. })), "{method:?}");
        assert!(matches!(test.test(&x, &bad, &compute), Err(Error::Value { row: 4, .. })), "{method:?}");
        for level in [0.0, 1.0, -0.1, f64::NAN] {
            let test = TwoSample { level, ..test.clone() };
            assert!(matches!(test.test(&x, &y, &compute), Err(Error::Parameter { .. })), "{method:?}");
        }
    }
    let none = TwoSample { permutations: 0, ..TwoSample::default() };
    assert!(matches!(none.test(&x, &y, &compute), Err(Error::Parameter { .. })));
    let none = Independence { permutations: 0, ..Independence::default() };
    assert!(matches!(none.test(&x, &y, &compute), Err(Error::Parameter { .. })));
    let exact = TwoSample { method: TwoSampleMethod::Exact, ..TwoSample::permutation(kernel("gaussian()")) };
    let error = exact.test(&normal(1, 30, 1), &normal(2, 30, 1), &compute).unwrap_err();
    assert!(error.to_string().contains("1.183e17"), "{error}");
    assert!(matches!(
        Independence::with_method(IndependenceMethod::Exact).test(&x, &y, &compute),
        Err(Error::Unsupported { .. })
    ));
    let unequal = TwoSample::with_method(aggregated(true)).test(&x, &normal(1, 9, 2), &compute);
    assert!(matches!(unequal, Err(Error::Shape { .. })));
    let unbounded = TwoSample { method: TwoSampleMethod::BiasedBound, ..TwoSample::permutation(kernel("linear()")) };
    assert!(matches!(unbounded.test(&x, &y, &compute), Err(Error::Unsupported { .. })));
    assert!(matches!(Independence::default().test(&x, &normal(1, 9, 2), &compute), Err(Error::Shape { .. })));
    assert!(matches!(JointIndependence::default().test(&[(&x).into()], &compute), Err(Error::TooFew { .. })));
    assert!(Interaction::default().test([(&x).into(), (&y).into(), (&normal(1, 9, 1)).into()], &compute).is_err());
    let ridge = ConditionalSmoothing::Fixed { kernel: kernel("gaussian()"), ridge: 0.0 };
    let wrong = ConditionalIndependence { smoothing: ridge, ..ConditionalIndependence::default() };
    assert!(matches!(wrong.test(&x, &y, &normal(1, 10, 1), &compute), Err(Error::Parameter { .. })));
    assert!(matches!(
        GoodnessOfFit::default().test(x.view(), y.slice(s![..5, ..]), &compute),
        Err(Error::Shape { .. })
    ));
}

/// The two-sample test stores no matrix; the independence test says how much it would need.
#[test]
fn the_memory_limit_is_kept() {
    let small = Compute::new().with_memory(1_000_000);
    let (x, y) = (normal(22, 600, 1), normal(23, 600, 1));
    let test = TwoSample { permutations: 49, ..TwoSample::permutation(kernel("gaussian()")) };
    assert!(test.test(&x, &y, &small).is_ok());
    let smooth = Independence { permutations: 49, ..Independence::default() };
    assert!(smooth.test(&x, &y, &small).is_ok());
    let rough = Some(kernel("laplacian()"));
    let outcome = Independence { kernel_x: rough.clone(), kernel_y: rough, ..smooth }.test(&x, &y, &small);
    assert!(matches!(outcome, Err(Error::Memory { .. })), "{outcome:?}");
    let gamma = Independence::with_method(IndependenceMethod::Gamma).test(&x, &y, &small);
    assert!(gamma.is_ok(), "{gamma:?}");
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (x, y, z) = (normal(27, 150, 2), normal(28, 150, 2), normal(29, 150, 1));
    let all = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap().with_seed(Seed(5));
        let mut found: Vec<_> = methods()
            .into_iter()
            .map(|m| TwoSample { permutations: 99, ..TwoSample::with_method(m) }.test(&x, &y, &compute).unwrap())
            .collect();
        for method in
            [IndependenceMethod::Permutation, IndependenceMethod::Gamma, IndependenceMethod::Aggregated { wild: false }]
        {
            let test = Independence { permutations: 99, ..Independence::with_method(method) };
            found.push(test.test(&x, &y, &compute).unwrap());
        }
        let joint = JointIndependence { permutations: 49, ..JointIndependence::default() };
        found.push(joint.test(&[(&x).into(), (&y).into(), (&z).into()], &compute).unwrap());
        let conditional = ConditionalIndependence { permutations: 99, ..ConditionalIndependence::default() };
        found.push(conditional.test(&x, &y, &z, &compute).unwrap());
        let fit = GoodnessOfFit { permutations: 99, ..GoodnessOfFit::default() };
        found.push(fit.test_density(x.view(), &Density::standard_normal(2), &compute).unwrap());
        found
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(3));
}

/// The ways of many points: single precision, leading eigenvalues, factors of the regressions.
#[test]
fn the_number_of_threads_changes_no_byte_of_many_points() {
    let (x, y, z) = (normal(27, 1030, 2), normal(28, 1030, 2), normal(29, 1030, 6));
    let all = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap().with_seed(Seed(5));
        let rough = Some(kernel("laplacian()"));
        let independence = Independence { kernel_x: rough.clone(), kernel_y: rough, ..Independence::default() };
        let aggregated = Independence::with_method(IndependenceMethod::Aggregated { wild: false });
        let joint = JointIndependence { permutations: 19, ..JointIndependence::default() };
        let given = ConditionalIndependence { permutations: 19, ..ConditionalIndependence::default() };
        let some = |x: &Array2<f64>, columns: usize| x.slice(s![..530, ..columns]).to_owned();
        vec![
            Independence { permutations: 19, ..independence }.test(&x, &y, &compute).unwrap(),
            Independence { permutations: 19, ..aggregated }.test(&x, &y, &compute).unwrap(),
            joint.test(&[(&x).into(), (&y).into(), (&z).into()], &compute).unwrap(),
            given.test(&some(&x, 1), &some(&y, 1), &some(&z, 1), &compute).unwrap(),
            given.test(&some(&x, 1), &some(&y, 1), &some(&z, 6), &compute).unwrap(),
            TwoSample::with_method(TwoSampleMethod::Spectral).test(&x, &y, &compute).unwrap(),
        ]
    };
    assert_eq!(all(1), all(3));
}

#[test]
fn another_seed_draws_others() {
    let (x, y) = (normal(30, 30, 1), normal(31, 30, 1));
    let test = TwoSample { permutations: 199, ..TwoSample::permutation(kernel("gaussian()")) };
    let null = |seed| test.test(&x, &y, &Compute::new().with_seed(Seed(seed))).unwrap().null.unwrap();
    assert_ne!(null(1), null(2));
    assert_eq!(null(1), null(1));
}

#[test]
fn weights_sum_to_one_and_lean_as_named() {
    for (weights, first, last) in [
        (KernelWeights::Uniform, 0.2, 0.2),
        (KernelWeights::Decreasing, 60.0 / 137.0, 12.0 / 137.0),
        (KernelWeights::Increasing, 12.0 / 137.0, 60.0 / 137.0),
        (KernelWeights::Centered, 1.0 / 8.0, 1.0 / 8.0),
    ] {
        let found = weights.of(5);
        assert_close!(found.iter().sum::<f64>(), 1.0, 1e-15);
        assert_close!(found[0], first, 1e-15);
        assert_close!(found[4], last, 1e-15);
    }
}

/// Where memory is short fewer relabelings and strips are worked on at once, and every byte is the
/// same.
#[test]
fn little_memory_gives_the_same_outcome() {
    let (x, y) = (normal(1, 400, 3), normal(2, 400, 3) * 1.1);
    let (much, little) = (Compute::new(), Compute::new().with_memory(600 << 10));
    let features = TwoSampleMethod::Features(60);
    for method in [aggregated(false), aggregated(true), TwoSampleMethod::Permutation, TwoSampleMethod::Fused, features]
    {
        let kernel = (method == features).then(|| kernel("gaussian(lengthscale=1)"));
        let test = TwoSample { permutations: 299, kernel, ..TwoSample::with_method(method) };
        let expected = test.test(&x, &y, &much).unwrap();
        let found = test.test(&x, &y, &little).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        assert_eq!(found, expected, "{method:?}");
    }
    let refused = TwoSample::default().test(&x, &y, &Compute::new().with_memory(1000));
    assert!(matches!(refused, Err(Error::Memory { .. })), "{refused:?}");
}

/// The smallest p-value of many kernels is a rank, of which many are equal: counted as ties, 99
/// permutations could never reject.
#[test]
fn aggregated_tests_reject_with_few_permutations() {
    let compute = Compute::new();
    let x = normal(3, 60, 1);
    let y = x.mapv(|v| v * v) + normal(4, 60, 1) * 0.2;
    for wild in [false, true] {
        let method = IndependenceMethod::Aggregated { wild };
        let test = Independence { permutations: 99, ..Independence::with_method(method) };
        let outcome = test.test(&x, &y, &compute).unwrap();
        assert!(outcome.reject && outcome.p_value <= 0.02, "{outcome}");
        assert_is_a_minimum(&outcome);
    }
    let shifted = normal(5, 60, 1) + 1.0;
    let test = TwoSample { permutations: 99, ..TwoSample::default() };
    let outcome = test.test(&x, &shifted, &compute).unwrap();
    assert!(outcome.p_value <= 0.02);
    assert_is_a_minimum(&outcome);
}

/// The statistic of an aggregated test is the smallest of `p/w`, and so is every one of its null
/// values.
fn assert_is_a_minimum(outcome: &TestOutcome) {
    let detail = |name: &str, k: usize| outcome.detail(&format!("{name}_{k}"));
    let shares = (1..).map_while(|k| Some(detail("p", k)? / detail("weight", k)?));
    assert_close!(outcome.statistic, shares.fold(f64::INFINITY, f64::min), 1e-12);
    let null = outcome.null.as_ref().unwrap();
    assert!(null.len() == outcome.permutations && null.iter().all(|v| v.is_finite() && *v > 0.0));
}
