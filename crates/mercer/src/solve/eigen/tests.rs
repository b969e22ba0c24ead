//! Decompositions against the definition and against closed forms.

use ndarray::{Array2, ShapeBuilder};

use super::*;
use crate::{Cancel, Seed};

/// Uniform numbers in [−1, 1).
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut stream = Seed(seed).stream("eigen", 0);
    move || 2.0 * stream.uniform() - 1.0
}

fn matrix(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, columns).f(), uniform(seed))
}

fn symmetric(n: usize) -> Array2<f64> {
    let b = matrix(n as u64, n, n);
    &b + &b.t()
}

fn from_bands(diagonal: &[f64], off_diagonal: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((diagonal.len(), diagonal.len()).f(), |(i, j)| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => off_diagonal[i.min(j)],
        _ => 0.0,
    })
}

/// An orthogonal matrix: the eigenvectors of a random one.
fn orthogonal(n: usize) -> Array2<f64> {
    eigen_of_symmetric(symmetric(n), &Compute::new()).unwrap().1
}

fn with_values(values: &[f64]) -> Array2<f64> {
    let u = orthogonal(values.len());
    let product = (&u * &ndarray::Array1::from(values.to_vec())).dot(&u.t());
    (&product + &product.t()) * 0.5
}

fn largest_entry(a: &Array2<f64>) -> f64 {
    a.iter().fold(0.0, |largest, v| v.abs().max(largest))
}

/// `‖AU − UΛ‖` and `‖UᵀU − I‖`, entry by entry, and ascending values; the trace too.
fn assert_decomposes(a: &Array2<f64>, (values, vectors): &Decomposition, name: &str) {
    let n = a.nrows() as f64;
    assert_eq!((values.len(), vectors.dim()), (a.nrows(), a.dim()), "{name}");
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: not ascending");
    let scale = largest_entry(a);
    let a = a / if scale > 0.0 { scale } else { 1.0 };
    let values = ndarray::Array1::from_iter(values.iter().map(|v| if scale > 0.0 { v / scale } else { *v }));
    let norm = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let residual = largest_entry(&(a.dot(vectors) - vectors * &values));
    assert!(residual <= 1e-14 * n * norm, "{name}: residual {residual}");
    let unit = largest_entry(&(vectors.t().dot(vectors) - Array2::<f64>::eye(a.nrows())));
    assert!(unit <= 1e-14 * n, "{name}: orthogonal to {unit}");
    assert_close!(values.sum(), a.diag().sum(), abs = 1e-14 * n * n * norm, "{name}: trace");
}

/// Decomposes a matrix with NaN above its diagonal, and compares both ways to the eigenvalues.
fn assert_all(a: &Array2<f64>, name: &str) {
    let mut lower = a.clone();
    lower.indexed_iter_mut().filter(|((i, j), _)| i < j).for_each(|(_, v)| *v = f64::NAN);
    let found = eigen_of_symmetric(lower.clone(), &Compute::new()).unwrap();
    assert_decomposes(a, &found, name);
    let alone = eigenvalues_of_symmetric(lower, &Compute::new()).unwrap();
    let norm = found.0.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (a, b) in alone.iter().zip(&found.0) {
        assert_close!(*a, *b, abs = 1e-14 * (alone.len() as f64) * norm, "{name}: {a} and {b}");
    }
}

#[test]
fn random_matrices_of_many_sizes() {
    for n in [0, 1, 2, 3, 4, 5, 17, 32, 33, 34, 60, 65, 97, 130, 257, 500] {
        assert_all(&symmetric(n), &format!("random {n}"));
    }
}

#[test]
fn row_major_matrices_are_read_in_the_lower_triangle() {
    let mut a = symmetric(40);
    let expected = eigenvalues_of_symmetric(a.clone(), &Compute::new()).unwrap();
    a.indexed_iter_mut().filter(|((i, j), _)| i < j).for_each(|(_, v)| *v = f64::NAN);
    let rows = Array2::from_shape_fn((40, 40), |at| a[at]);
    assert_eq!(eigenvalues_of_symmetric(rows, &Compute::new()).unwrap(), expected);
}

#[test]
fn diagonal_and_zero_matrices_are_their_own_decomposition() {
    let n = 150;
    let entries: Vec<f64> = (0..n).map(|i| ((i * 37) % n) as f64 - 20.0).collect();
    let a = from_bands(&entries, &vec![0.0; n]);
    assert_all(&a, "diagonal");
    let expected: Vec<f64> = (0..n).map(|i| i as f64 - 20.0).collect();
    assert_eq!(eigen_of_symmetric(a.clone(), &Compute::new()).unwrap().0, expected);
    assert_eq!(eigenvalues_of_symmetric(a, &Compute::new()).unwrap(), expected);
    assert_all(&Array2::eye(n), "identity");
    assert_eq!(eigen_of_symmetric(Array2::eye(n), &Compute::new()).unwrap().0, vec![1.0; n]);
    assert_all(&Array2::zeros((n, n)), "zero");
    assert_eq!(eigen_of_symmetric(Array2::zeros((n, n)), &Compute::new()).unwrap().0, vec![0.0; n]);
}

#[test]
fn matrices_of_low_rank() {
    for rank in [1, 5] {
        let b = matrix(rank as u64, 200, rank);
        let a = b.dot(&b.t());
        assert_all(&a, "low rank");
        let (values, _) = eigen_of_symmetric(a, &Compute::new()).unwrap();
        let norm = values[199];
        assert!(values[..200 - rank].iter().all(|v| v.abs() <= 1e-14 * norm), "rank {rank}");
        let small = eigenvalues_of_symmetric(b.t().dot(&b), &Compute::new()).unwrap();
        for (a, b) in small.iter().zip(&values[200 - rank..]) {
            assert_close!(*a, *b, abs = 1e-13 * norm, "rank {rank}");
        }
    }
}

/// `W₂ₘ₊₁⁺`: the diagonal `|i − m|` beside ones.
fn wilkinson(m: usize) -> (Vec<f64>, Vec<f64>) {
    ((0..=2 * m).map(|i| i.abs_diff(m) as f64).collect(), vec![1.0; 2 * m])
}

#[test]
fn wilkinson_matrices_alone_and_glued() {
    let (d, e) = wilkinson(10);
    let found = tridiagonal_eigen(&d, &e, &Compute::new()).unwrap();
    assert_decomposes(&from_bands(&d, &e), &found, "W21");
    // Wilkinson (1965), p. 309.
    assert_close!(found.0[20], 10.746_194_182_903_393, abs = 1e-13);
    assert!(found.0[20] - found.0[19] < 1e-13);
    assert_close!(found.0[0], -1.125_441_522_119_985, abs = 1e-13);
    for glue in [1e-14, 1e-8, 1e-3] {
        let (mut d, mut e) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let (own, beside) = wilkinson(10);
            d.extend(own);
            e.extend(beside);
            e.push(glue);
        }
        e.pop();
        assert_decomposes(
            &from_bands(&d, &e),
            &tridiagonal_eigen(&d, &e, &Compute::new()).unwrap(),
            "glued tridiagonal",
        );
        assert_all(&from_bands(&d, &e), "glued");
    }
}

#[test]
fn second_differences_have_the_eigenvalues_of_the_closed_form() {
    for n in [10, 100, 400] {
        let (d, e) = (vec![2.0; n], vec![-1.0; n - 1]);
        let found = tridiagonal_eigen(&d, &e, &Compute::new()).unwrap();
        let a = from_bands(&d, &e);
        assert_decomposes(&a, &found, "[−1, 2, −1]");
        let alone = eigenvalues_of_symmetric(a, &Compute::new()).unwrap();
        for (k, (found, alone)) in found.0.iter().zip(alone).enumerate() {
            let expected = 4.0 * ((k + 1) as f64 * std::f64::consts::PI / (2 * (n + 1)) as f64).sin().powi(2);
            assert_close!(*found, expected, abs = 4e-15, "n = {n}: {found} and {expected}");
            assert_close!(alone, expected, abs = 2e-14, "n = {n}: {alone} and {expected}");
        }
    }
}

#[test]
fn clustered_and_graded_eigenvalues_are_found() {
    let clustered: Vec<f64> = (0..150).map(|k| 1.0 + 1e-14 * k as f64).collect();
    let graded: Vec<f64> = (0..150).rev().map(|k| 10_f64.powf(-0.2 * k as f64)).collect();
    for values in [clustered, graded] {
        let a = with_values(&values);
        assert_all(&a, "known eigenvalues");
        for (found, expected) in eigen_of_symmetric(a, &Compute::new()).unwrap().0.iter().zip(&values) {
            assert_close!(*found, *expected, abs = 1e-13, "{found} and {expected}");
        }
    }
    let grade = |i: usize| 10_f64.powi(-(i as i32));
    assert_all(&Array2::from_shape_fn((60, 60), |(i, j)| grade(i.max(j))), "graded entries");
    assert_all(&Array2::from_shape_fn((60, 60), |(i, j)| grade(118 - i - j)), "graded entries, ascending");
}

#[test]
fn gaussian_gram_matrix_with_most_eigenvalues_below_rounding_error() {
    let points = matrix(9, 300, 2);
    let square = |i: usize, j: usize| (&points.row(i) - &points.row(j)).mapv(|v| v * v).sum();
    let a = Array2::from_shape_fn((300, 300), |(i, j)| (-square(i, j) / 8.0).exp());
    assert_all(&a, "Gaussian");
    let (values, _) = eigen_of_symmetric(a, &Compute::new()).unwrap();
    assert!(values.iter().filter(|v| v.abs() < 1e-13).count() > 150);
}

#[test]
fn extreme_scales_neither_overflow_nor_underflow() {
    for n in [5, 140] {
        let a = symmetric(n);
        let values = eigen_of_symmetric(a.clone(), &Compute::new()).unwrap().0;
        for scale in [1e150, 1e-150, 1e160, 1e-160, 1e300, 1e-300] {
            assert_all(&(&a * scale), "scaled");
            for (found, expected) in eigen_of_symmetric(&a * scale, &Compute::new()).unwrap().0.iter().zip(&values) {
                assert_close!(found / scale, *expected, abs = 1e-12, "{scale}: {found} and {expected}");
            }
        }
    }
    let mixed = Array2::from_shape_fn((90, 90), |(i, j)| if i == j { 1.0 } else { 1e-160 * ((i + j) as f64).sin() });
    assert_all(&mixed, "entries of 1 and 1e-160");
    let block = Array2::from_shape_fn((90, 90), |(i, j)| if i.min(j) > 3 { 1e-158 } else { 1.0 });
    assert_all(&block, "blocks of 1 and 1e-158");
}

#[test]
fn entries_over_the_whole_range_of_numbers() {
    let mut next = uniform(5);
    for run in 0..3000 {
        let n = 2 + run % 39;
        let mut entries = |count: usize| (0..count).map(|_| 10_f64.powf(-150.0 * (1.0 + next()))).collect();
        let (d, e): (Vec<f64>, Vec<f64>) = (entries(n), entries(n - 1));
        let a = from_bands(&d, &e);
        assert_decomposes(&a, &tridiagonal_eigen(&d, &e, &Compute::new()).unwrap(), "tridiagonal, from 1 to 1e-300");
        assert_all(&a, "from 1 to 1e-300");
    }
}

/// Cases of the test above, from a million, in which a sweep meets numbers whose squares underflow.
#[test]
fn sweeps_are_orthogonal_where_squares_underflow() {
    let separated = (
        vec![9.970846450030356e-113, 5.704382413477273e-185, 6.545667513829592e-226, 1.8023663092443248e-171],
        vec![1.9110736014740657e-64, 7.661647915657213e-193, 2.971836729336807e-51],
    );
    let coupled = (
        vec![2.0420950700412458e-92, 2.2598497749790825e-216, 8.2e-202, 6.5e-98, 2.08e-140, 1.5e-187],
        vec![7.636732283537092e-39, 1.03e-193, 1.1508764334482605e-124, 9.165072861706571e-6, 1.058211667088634e-149],
    );
    for (d, e) in [separated, coupled] {
        let a = from_bands(&d, &e);
        assert_decomposes(&a, &tridiagonal_eigen(&d, &e, &Compute::new()).unwrap(), "squares that underflow");
        assert_all(&a, "squares that underflow");
    }
}

#[test]
fn roots_of_the_secular_equation_are_in_their_intervals() {
    let mut next = uniform(6);
    for count in [1, 2, 3, 9, 40, 150] {
        let mut poles: Vec<f64> = (0..count).map(|_| next()).collect();
        poles.sort_by(f64::total_cmp);
        let weights: Vec<f64> = (0..count).map(|_| next().powi(9)).collect();
        let (rho, norm) = (0.7, weights.iter().map(|w| w * w).sum::<f64>());
        let roots = secular::Secular { poles: &poles, weights: &weights, rho }.roots(&Compute::new()).unwrap();
        let values: Vec<f64> = roots.values().collect();
        let next = poles[1..].iter().copied().chain([poles[count - 1] + rho * norm * (1.0 + 1e-15)]);
        for ((low, root), high) in poles.iter().zip(&values).zip(next) {
            assert!(*low <= *root && *root <= high, "{count}: {low} {root} {high}");
        }
        let trace = poles.iter().sum::<f64>() + rho * norm;
        assert_close!(values.iter().sum::<f64>(), trace, abs = 1e-15 * (count + 1) as f64 * trace.abs().max(1.0));
        let squares = poles.iter().zip(&weights).map(|(d, w)| d * d + 2.0 * rho * d * w * w).sum::<f64>();
        let expected = squares + (rho * norm).powi(2);
        assert_close!(values.iter().map(|v| v * v).sum::<f64>(), expected, abs = 1e-14 * (count + 1) as f64);
    }
}

#[test]
fn off_diagonal_zeros_separate_the_matrix() {
    let mut next = uniform(4);
    let d: Vec<f64> = (0..300).map(|_| next()).collect();
    let e: Vec<f64> = (0..299).map(|i| if i % 7 == 3 || i == 149 { 0.0 } else { next() }).collect();
    let found = tridiagonal_eigen(&d, &e, &Compute::new()).unwrap();
    assert_decomposes(&from_bands(&d, &e), &found, "blocks");
    let mut parts = Vec::new();
    let mut first = 0;
    for end in (0..300).filter(|&i| i == 299 || e[i] == 0.0) {
        let block = tridiagonal_eigen(&d[first..=end], &e[first..end], &Compute::new()).unwrap();
        parts.extend(block.0);
        first = end + 1;
    }
    parts.sort_by(f64::total_cmp);
    assert_close!(parts.iter(), &found.0, each = 1e-14);
}

#[test]
fn threads_do_not_change_bytes() {
    for a in [symmetric(600), with_values(&[1.0; 210])] {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let SymmetricEigen { values, vectors } = symmetric_eigen(a.view(), &compute).unwrap();
            let alone = eigenvalues(a.view(), &compute).unwrap();
            values.iter().chain(&alone).chain(&vectors).map(|v| v.to_bits()).collect::<Vec<u64>>()
        };
        let expected = run(1);
        assert!(run(2) == expected && run(5) == expected);
    }
}

#[test]
fn cancellation_is_reported_wherever_it_happens() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let calls = Arc::new(AtomicUsize::new(0));
    let stopping_at = |stop: usize| {
        calls.store(0, Relaxed);
        let calls = calls.clone();
        Compute::new().with_cancel(Cancel::when(move || calls.fetch_add(1, Relaxed) >= stop))
    };
    eigen_of_symmetric(symmetric(140), &stopping_at(usize::MAX)).unwrap();
    let total = calls.load(Relaxed);
    assert!(total >= 10);
    for stop in 0..total {
        let found = eigen_of_symmetric(symmetric(140), &stopping_at(stop));
        assert!(matches!(found, Err(Error::Canceled)), "{stop} of {total}");
    }
    assert!(matches!(eigenvalues_of_symmetric(symmetric(20), &stopping_at(0)), Err(Error::Canceled)));
}

#[test]
fn iterations_end_without_convergence() {
    let (mut d, mut e) = (vec![f64::NAN; 20], vec![1.0; 19]);
    let mut vectors = vec![0.0; 400];
    assert!(matches!(ql::eigen(&mut d, &mut e, &mut vectors, 20), Err(Error::Undefined { .. })));
    let alone = ql::eigenvalues(vec![f64::NAN; 20], vec![1.0; 19], &Compute::new());
    assert!(matches!(alone, Err(Error::Undefined { .. })));
}

#[test]
fn bad_matrices_are_refused() {
    let of = |a: Array2<f64>| eigenvalues(a.view(), &Compute::new());
    assert!(matches!(of(Array2::zeros((2, 3))), Err(Error::Shape { .. })));
    assert!(matches!(of(ndarray::array![[f64::NAN]]), Err(Error::Value { .. })));
}

#[test]
fn functions_of_a_matrix_are_those_of_its_eigenvalues() {
    let a = symmetric(60);
    let eigen = symmetric_eigen(a.view(), &Compute::new()).unwrap();
    for (found, expected) in eigen.map(|v| v * v).iter().zip(&a.dot(&a)) {
        assert_close!(*found, *expected, abs = 1e-12);
    }
}
