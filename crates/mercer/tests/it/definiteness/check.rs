//! The refuter finds by itself what is not positive semi-definite, and never cries wolf.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{examples, naive_gram, points_for, vector_examples};
use mercer::definiteness::{
    Check, CheckOptions, Repair, Standing, check, check_matrix, check_negative, repair, require_psd,
};
use mercer::kernel::{Counterexample, Property};
use mercer::solve::symmetric_eigen;
use mercer::{Cancel, Compute, Error, Kernel, Points, Progress, Seed};
use ndarray::{Array2, array};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn run(text: &str) -> Check {
    check(&kernel(text), None, &CheckOptions::default(), &Compute::new()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// `cᵀKc` by plain evaluation, and the size of its terms.
fn naive_form(k: &Kernel, counterexample: &Counterexample) -> (f64, f64) {
    let gram = naive_gram(k, &counterexample.points).unwrap();
    let c = &counterexample.weights;
    let terms = gram.indexed_iter().map(|((i, j), v)| c[i] * c[j] * v);
    (terms.clone().sum(), terms.map(f64::abs).sum())
}

/// The reported eigenvalue is that of the reported points, and the weights show the
/// sign there.
fn assert_measured(k: &Kernel, found: &Check) {
    let gram = naive_gram(k, &found.points).unwrap();
    let lowest = mercer::solve::eigenvalues(gram.view(), &Compute::new()).unwrap()[0];
    let size = gram.iter().map(|v| v * v).sum::<f64>().sqrt();
    assert_close!(found.min_eigenvalue, lowest, abs = 1e-12 * size, "{k}: {} is not {lowest}", found.min_eigenvalue);
    if let Some(counterexample) = found.counterexample() {
        let c = &found.weights;
        assert_eq!(c.len(), found.points.nrows(), "{k}");
        let terms = || gram.indexed_iter().map(|((i, j), v)| c[i] * c[j] * v);
        let form: f64 = terms().sum();
        assert_close!(form, counterexample.value, abs = 1e-12 * terms().map(f64::abs).sum::<f64>(), "{k}: {form}");
    }
}

fn assert_refuted(text: &str) {
    let found = run(text);
    let counterexample = found.counterexample().unwrap_or_else(|| panic!("{text}: no counterexample ({found:?})"));
    let (form, size) = naive_form(&kernel(text), counterexample);
    assert!(counterexample.value < 0.0, "{text}");
    assert_close!(form, counterexample.value, abs = 1e-12 * size, "{text}: {form} against {counterexample}");
    assert!(found.min_eigenvalue < -found.tolerance, "{text}");
    assert_measured(&kernel(text), &found);
    assert_eq!(found.points, counterexample.points, "{text}");
    let digits: f64 = counterexample.digits.parse().unwrap();
    assert_close!(digits, counterexample.value, abs = 1e-15 * digits.abs(), "{text}: {}", counterexample.digits);
}

#[test]
fn counterexamples_are_found_without_help() {
    let texts = [
        "tanh()",
        "tanh(scale=1, offset=-1)",
        "tanh(scale=0.5, offset=0.1)",
        "tanh(scale=2, offset=1)",
        "tanh(scale=0.001)",
        "tanh(scale=-1)",
        "sqdist()",
        "distance(power=1)",
        "distance(power=3)",
        "log_distance()",
        "gaussian()*ball()",
        "gaussian() + sqdist()",
        "linear() + distance(power=1)",
        "minus(gaussian(lengthscale=0.5), 0.5*gaussian(lengthscale=2))",
        "minus(gaussian(lengthscale=0.5), 0.3*gaussian(lengthscale=2))",
        "minus(gaussian(), 2*gaussian())",
        "minus(constant(value=1), sinc(bandlimit=2))",
        "minus(linear(), polynomial(degree=2))",
        "schoenberg(distance(power=3))",
        "based(distance(power=2.5), at=[0, 0])",
        "on([0], ball(radius=0.25)) * on([1], gaussian())",
        "on([4], tanh())",
        "minus(bridge(), 2*wiener())",
        "wiener() + distance(power=1)",
        "conformal(ball(), by=quadratic())",
        "minus(gaussian(lengthscale=[1, 2]), constant(value=1))",
    ];
    texts.into_iter().for_each(assert_refuted);
}

#[test]
fn the_ball_is_refuted_at_any_radius() {
    for radius in ["1e-9", "0.001", "0.037", "0.5", "1", "7.3", "1000", "123456", "1e12"] {
        assert_refuted(&format!("ball(radius={radius})"));
    }
}

#[test]
fn examples_are_refuted_only_where_no_proof_exists() {
    for text in examples() {
        let k = kernel(text);
        let Ok(found) = check(&k, None, &CheckOptions::default(), &Compute::new()) else {
            assert!(text.contains("precomputed"), "{text}");
            continue;
        };
        let rules = k.property(Property::PositiveSemidefinite).as_option();
        match rules {
            Some(true) => assert_eq!(found.as_option(), Some(true), "{text}"),
            // Without data there are no objects to search among.
            _ if !vector_examples().contains(&text) => assert_eq!(found.as_option(), None, "{text}"),
            _ => assert_eq!(found.as_option(), Some(false), "{text}"),
        }
    }
}

#[test]
fn proven_kernels_are_only_measured_on_data() {
    let mut stream = Seed(1).stream("data", 0);
    for text in examples() {
        let k = kernel(text);
        let Some(x) = points_for(&k, 30, &mut stream) else { continue };
        let found = check(&k, Some(Points::from(&x)), &CheckOptions::default(), &Compute::new()).unwrap();
        assert_eq!((found.rows_used, found.rows_total), (30, 30));
        assert_measured(&k, &found);
        if let Some(counterexample) = found.counterexample().filter(|c| !c.indices.is_empty()) {
            assert_eq!(found.points, x, "{text}");
            let rows = x.select(ndarray::Axis(0), &counterexample.indices);
            assert_eq!(rows, counterexample.points, "{text}");
        }
        // Where the data does not refute a kernel and points that were searched for do, the eigenvalue is theirs.
        if found.points == x {
            let lowest = mercer::solve::eigenvalues(naive_gram(&k, &x).unwrap().view(), &Compute::new()).unwrap()[0];
            // Two ways to compute an eigenvalue differ by the rounding of the largest one.
            let rounding = found.tolerance.max(1e-10 * lowest.abs().max(1.0));
            assert_close!(found.min_eigenvalue, lowest, abs = rounding, "{text}");
        } else {
            assert!(found.counterexample().is_some_and(|c| c.indices.is_empty()), "{text}");
        }
        if k.property(Property::PositiveSemidefinite).is_proven() {
            assert_eq!(found.as_option(), Some(true), "{text}");
            assert!(found.min_eigenvalue >= -100.0 * found.tolerance, "{text}: {}", found.min_eigenvalue);
        }
    }
}

#[test]
fn true_differences_are_not_refuted() {
    // Positive semi-definite, though no rule says so: nothing may be "found".
    for text in [
        "minus(gaussian(lengthscale=0.5), 0.2*on([0], gaussian(lengthscale=2)))",
        "minus(2*gaussian(), gaussian())",
        "minus(exp(linear()), 1 + linear())",
        "minus((1 + linear())^2, 2*linear())",
        "minus(gaussian() + delta(), gaussian())",
        "series(geometric, on([0], linear()))",
    ] {
        let found = run(text);
        // The first is PSD in one column alone.
        if !text.contains("0.2*") {
            assert_eq!(found.as_option(), None, "{text}: {:?}", found.verdict);
        }
    }
    let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.1 * i as f64);
    let k = kernel("minus(gaussian(lengthscale=0.5), 0.2*gaussian(lengthscale=2))");
    let found = check(&k, Some(Points::from(&x)), &CheckOptions::default(), &Compute::new()).unwrap();
    assert_eq!(found.as_option(), None);
}

#[test]
fn the_negative_side_is_refuted_with_weights_that_sum_to_zero() {
    for text in [
        "distance(power=3)",
        "distance(power=2.1)",
        "gaussian()",
        "tanh()",
        "ball()",
        "linear()",
        "minus(gaussian(), 1)",
    ] {
        let k = kernel(text);
        let found = check_negative(&k, None, &CheckOptions::default(), &Compute::new()).unwrap();
        let counterexample = found.counterexample().unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert_eq!(counterexample.weights.iter().sum::<f64>(), 0.0, "{text}");
        let (form, size) = naive_form(&k, counterexample);
        let gap = (form - counterexample.value).abs();
        // Values near 1 are rounded to 1e-16, whatever is left of them after a difference.
        let weight: f64 = counterexample.weights.iter().map(|c| c.abs()).sum();
        assert!(form > 0.0 && gap <= 1e-12 * size + 1e-15 * weight * weight, "{text}: {form}");
    }
    for text in ["sqdist()", "minus(3, gaussian())", "log_distance() + distance(power=0.3)"] {
        let found = check_negative(&kernel(text), None, &CheckOptions::default(), &Compute::new()).unwrap();
        assert_eq!(found.as_option(), Some(true), "{text}");
    }
}

#[test]
fn same_bytes_for_every_number_of_threads() {
    for text in ["minus(gaussian(lengthscale=0.5), 0.3*gaussian(lengthscale=2))", "tanh(scale=0.5, offset=0.1)"] {
        let results: Vec<Check> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let compute = Compute::new().with_threads(threads).unwrap().with_seed(Seed(9));
                check(&kernel(text), None, &CheckOptions::default(), &compute).unwrap()
            })
            .collect();
        assert!(results.windows(2).all(|w| w[0] == w[1]), "{text}");
    }
}

#[test]
fn large_data_is_subsampled_and_reported() {
    let x = Array2::from_shape_fn((500, 2), |(i, j)| (i as f64 * 0.37 + j as f64).sin());
    let options = CheckOptions { max_rows: 40 };
    let found = check(&kernel("tanh()"), Some(Points::from(&x)), &options, &Compute::new()).unwrap();
    assert_eq!((found.rows_used, found.rows_total), (40, 500));
    let small = Compute::new().with_memory(48 * 100);
    let found = check(&kernel("gaussian()"), Some(Points::from(&x)), &options, &small).unwrap();
    assert_eq!(found.rows_used, 10);
    let none = Compute::new().with_memory(10);
    assert!(matches!(check(&kernel("gaussian()"), Some(Points::from(&x)), &options, &none), Err(Error::Memory { .. })));
}

#[test]
fn bad_data_and_unresolved_kernels_are_refused() {
    let options = CheckOptions::default();
    let nan = array![[0.0], [f64::NAN]];
    assert!(matches!(
        check(&kernel("tanh()"), Some(Points::from(&nan)), &options, &Compute::new()),
        Err(Error::Value { .. })
    ));
    let outside = array![[0.5], [1.5]];
    assert!(check(&kernel("bridge()"), Some(Points::from(&outside)), &options, &Compute::new()).is_err());
    assert!(check(&kernel("minus(precomputed(), 1)"), None, &options, &Compute::new()).is_err());
    assert!(check(&kernel("minus(gaussian(lengthscale=median), 1)"), None, &options, &Compute::new()).is_err());
    let beyond = array![[0.5], [3.0]];
    assert!(
        check(&kernel("series(geometric, linear())"), Some(Points::from(&beyond)), &options, &Compute::new()).is_err()
    );
    let empty = Array2::<f64>::zeros((0, 1));
    assert_eq!(
        check(&kernel("gaussian()"), Some(Points::from(&empty)), &options, &Compute::new()).unwrap().rows_used,
        0
    );
}

struct Count(AtomicU64);

impl Progress for Count {
    fn report(&self, _: &str, done: u64, total: u64) {
        assert!(done <= total);
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn long_searches_report_and_can_be_canceled() {
    let count = Arc::new(Count(AtomicU64::new(0)));
    let compute = Compute::new().with_progress(count.clone());
    check(&kernel("minus(2*gaussian(), gaussian())"), None, &CheckOptions::default(), &compute).unwrap();
    assert_eq!(count.0.load(Ordering::Relaxed), 3);
    let cancel = Cancel::default();
    cancel.cancel();
    let compute = Compute::new().with_cancel(cancel);
    assert!(matches!(check(&kernel("tanh()"), None, &CheckOptions::default(), &compute), Err(Error::Canceled)));
}

#[test]
fn learners_get_a_standing_or_a_counterexample() {
    let compute = Compute::new();
    assert_eq!(require_psd(&kernel("gaussian()^2"), &compute).unwrap(), Standing::Proven);
    assert_eq!(require_psd(&kernel("minus(2*gaussian(), gaussian())"), &compute).unwrap(), Standing::NotRefuted);
    match require_psd(&kernel("ball(radius=2)"), &compute) {
        Err(Error::NotPositiveDefinite { kernel, counterexample, reason }) => {
            assert_eq!(kernel, "ball(radius=2)");
            assert!(counterexample.is_some_and(|c| c.value < 0.0));
            assert!(reason.starts_with("cᵀKc = -"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

fn random_symmetric(n: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("matrix", 0);
    let b = Array2::from_shape_fn((n, n), |_| stream.normal());
    &b + &b.t()
}

fn frobenius(a: &Array2<f64>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn matrices_are_checked_as_they_are() {
    let psd = random_symmetric(20, 1);
    let psd = psd.dot(&psd);
    assert_eq!(check_matrix(psd.view(), &Compute::new()).unwrap().as_option(), None);
    let rank_one = Array2::from_shape_fn((30, 30), |(i, j)| (i * j) as f64 * 0.1);
    let found = check_matrix(rank_one.view(), &Compute::new()).unwrap();
    assert_eq!(found.as_option(), None, "rounding is no refutation: {}", found.min_eigenvalue);
    let mut bad = Array2::<f64>::eye(10);
    (bad[[3, 7]], bad[[7, 3]]) = (1.5, 1.5);
    let found = check_matrix(bad.view(), &Compute::new()).unwrap();
    let counterexample = found.counterexample().unwrap();
    assert_eq!(counterexample.indices, [3, 7]);
    assert_close!(counterexample.value, -0.5, abs = 1e-14);
    assert!(counterexample.to_string().contains("row 7"), "{counterexample}");
    assert!(check_matrix(array![[1.0, 2.0], [3.0, 1.0]].view(), &Compute::new()).is_err());
    assert!(check_matrix(array![[1.0, 2.0]].view(), &Compute::new()).is_err());
    assert!(check_matrix(array![[f64::INFINITY]].view(), &Compute::new()).is_err());
    assert_eq!(check_matrix(Array2::zeros((0, 0)).view(), &Compute::new()).unwrap().as_option(), None);
}

#[test]
fn checks_and_repairs_of_matrices_can_be_canceled() {
    let compute = Compute::new().with_cancel(Cancel::when(|| true));
    let matrix = random_symmetric(20, 5);
    assert!(matches!(check_matrix(matrix.view(), &compute), Err(Error::Canceled)));
    assert!(matches!(repair(matrix.view(), Repair::Clip, &compute), Err(Error::Canceled)));
}

#[test]
fn repairs_do_what_is_documented() {
    let a = random_symmetric(15, 2);
    let eigen = symmetric_eigen(a.view(), &Compute::new()).unwrap();
    let mass: f64 = eigen.values.iter().filter(|v| **v < 0.0).map(|v| -v).sum();
    let count = eigen.values.iter().filter(|v| **v < 0.0).count();
    let square: f64 = eigen.values.iter().filter(|v| **v < 0.0).map(|v| v * v).sum();
    let close = |found: f64, expected: f64, what: &str| {
        assert_close!(found, expected, abs = 1e-12 * expected.abs().max(1.0), "{what}: {found} against {expected}");
    };
    for (method, change) in [
        (Repair::Clip, square.sqrt()),
        (Repair::Flip, 2.0 * square.sqrt()),
        (Repair::Shift, -eigen.values[0] * 15_f64.sqrt()),
    ] {
        let repaired = repair(a.view(), method, &Compute::new()).unwrap();
        assert_eq!(repaired.matrix, repaired.matrix.t(), "{method:?}: not symmetric");
        assert_eq!(repaired.negative_count, count);
        close(repaired.negative_mass, mass, "mass");
        close(repaired.change, change, "change");
        close(frobenius(&(&repaired.matrix - &a)), change, "change by hand");
        close(repaired.shift, if method == Repair::Shift { -eigen.values[0] } else { 0.0 }, "shift");
        assert_eq!(check_matrix(repaired.matrix.view(), &Compute::new()).unwrap().as_option(), None, "{method:?}");
        let after = symmetric_eigen(repaired.matrix.view(), &Compute::new()).unwrap().values;
        let mut expected: Vec<f64> = match method {
            Repair::Clip => eigen.values.iter().map(|v| v.max(0.0)).collect(),
            Repair::Flip => eigen.values.iter().map(|v| v.abs()).collect(),
            Repair::Shift => eigen.values.iter().map(|v| v - eigen.values[0]).collect(),
        };
        expected.sort_by(f64::total_cmp);
        after.iter().zip(&expected).for_each(|(found, expected)| close(*found, *expected, "eigenvalue"));
    }
}

/// The clipped matrix is nearer than any other PSD matrix tried.
#[test]
fn clipping_gives_the_nearest_psd_matrix() {
    let a = random_symmetric(8, 3);
    let best = frobenius(&(&repair(a.view(), Repair::Clip, &Compute::new()).unwrap().matrix - &a));
    for seed in 0..50 {
        let noise = random_symmetric(8, 100 + seed) * 0.1;
        let other = repair((&a + &noise).view(), Repair::Clip, &Compute::new()).unwrap().matrix;
        assert!(frobenius(&(&other - &a)) >= best - 1e-12);
    }
}

#[test]
fn psd_matrices_are_returned_bit_for_bit() {
    let b = random_symmetric(12, 4);
    let psd = b.dot(&b.t());
    let psd = Array2::from_shape_fn((12, 12), |(i, j)| psd[[i.max(j), i.min(j)]]);
    for method in [Repair::Clip, Repair::Flip, Repair::Shift] {
        let repaired = repair(psd.view(), method, &Compute::new()).unwrap();
        assert_eq!(repaired.matrix, psd);
        assert_eq!((repaired.shift, repaired.negative_mass, repaired.change), (0.0, 0.0, 0.0));
        assert_eq!(repaired.negative_count, 0);
        assert!(repair(array![[1.0, 0.0], [0.5, 1.0]].view(), method, &Compute::new()).is_err());
        assert!(repair(array![[f64::NAN]].view(), method, &Compute::new()).is_err());
    }
}

#[test]
fn objects_are_shown_in_a_few_words() {
    let strings: mercer::points::Strings =
        ["abc", "abd", "xyz", "a string that is too long to be shown"].into_iter().collect();
    let k: Kernel = "minus(spectrum(length=1), 3*spectrum(length=2))".parse().unwrap();
    let found = check(&k, Some((&strings).into()), &CheckOptions::default(), &Compute::new()).unwrap();
    let counterexample = found.counterexample().unwrap();
    assert_eq!(counterexample.objects.len(), counterexample.indices.len());
    for (row, shown) in counterexample.indices.iter().zip(&counterexample.objects) {
        assert_eq!(*shown, mercer::Points::from(&strings).describe(*row).unwrap());
        assert!(counterexample.to_string().contains(&format!("at row {row}, x = {shown}")), "{counterexample}");
    }
}
