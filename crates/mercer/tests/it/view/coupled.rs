//! Coupled kernel embedding.

use mercer::points::Strings;
use mercer::solve::{eigenvalues, symmetric_eigen};
use mercer::view::coupled::{Affinity, CoupledEmbedding, CoupledFit, Coupling};
use mercer::{Compute, Error, Kernel, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, array, concatenate, s};

use crate::common::golden::{Golden, matrix, number, numbers};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn gram(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    mercer::gram::dense(&kernel.bind(mercer::gram::Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

fn normal(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("coupled", 0);
    Array2::from_shape_fn((rows, columns), |_| stream.normal())
}

/// `[[D_L, −W], [−Wᵀ, D_H]]`.
fn laplacian(w: ArrayView2<f64>) -> Array2<f64> {
    let (low, high) = (Array2::from_diag(&w.sum_axis(Axis(1))), Array2::from_diag(&w.sum_axis(Axis(0))));
    let minus = w.mapv(|v| -v);
    let above = concatenate(Axis(1), &[low.view(), minus.view()]).unwrap();
    let below = concatenate(Axis(1), &[minus.t(), high.view()]).unwrap();
    concatenate(Axis(0), &[above.view(), below.view()]).unwrap()
}

fn block_diagonal(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut z = Array2::zeros((n + b.nrows(), n + b.nrows()));
    z.slice_mut(s![..n, ..n]).assign(a);
    z.slice_mut(s![n.., n..]).assign(b);
    z
}

fn flat(matrix: &Array2<f64>) -> Vec<f64> {
    matrix.iter().copied().collect()
}

/// The residual of the generalized eigenvalue problem, from the definition.
fn residual(fit: &CoupledFit, grams: [&Array2<f64>; 2], w: ArrayView2<f64>, reg: f64) -> f64 {
    let z = block_diagonal(grams[0], grams[1]);
    let u = concatenate(Axis(0), &[fit.coefficients_low(), fit.coefficients_high()]).unwrap();
    let right = (z.dot(&z.t()) + reg * Array2::<f64>::eye(z.nrows())).dot(&u);
    let left = z.dot(&laplacian(w)).dot(&z.t()).dot(&u);
    let values = fit.eigenvalues().to_owned();
    (left - right * &values).iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// `Σ Wᵢⱼ‖f(xᵢ) − f(yⱼ)‖²`.
fn stress(fit: &CoupledFit, w: ArrayView2<f64>) -> f64 {
    let (low, high) = (fit.embedding_low(), fit.embedding_high());
    let term = |((i, j), w): ((usize, usize), &f64)| w * (&low.row(i) - &high.row(j)).mapv(|v| v * v).sum();
    w.indexed_iter().map(term).sum()
}

#[test]
fn golden_eigenvalues_and_objective() {
    let golden = Golden::load("c16_coupled_kernel_embedding");
    let (low, high) = (matrix(golden.input("X_L")), matrix(golden.input("X_H")));
    let gaussian = |name: &str| Kernel::gaussian(number(golden.input(name))).unwrap();
    let reg = number(golden.input("reg"));
    let compute = Compute::new();
    for (key, expected) in golden.expected() {
        let w = matrix(golden.input(key));
        for (list, components) in [("mu_smallest", 7), ("all_eigenvalues_ascending", 22)] {
            let spec = CoupledEmbedding {
                reg,
                affinity: Affinity::Given,
                ..CoupledEmbedding::new(gaussian("l_L"), gaussian("l_H"), components)
            };
            let fit = spec.fit(&low, &high, &Coupling::weights(w.view()), &compute).unwrap();
            let found = fit.eigenvalues().to_vec();
            golden.check_all(key, list, &found, &numbers(&expected[list]));
            assert_eq!(fit.null(), (0, 0));
            assert_close!(stress(&fit, w.view()), fit.objective(), 1e-10);
        }
        let spec = CoupledEmbedding {
            reg,
            affinity: Affinity::Given,
            ..CoupledEmbedding::new(gaussian("l_L"), gaussian("l_H"), number(golden.input("q")) as usize)
        };
        let fit = spec.fit(&low, &high, &Coupling::weights(w.view()), &compute).unwrap();
        golden.check(key, "objective", fit.objective(), number(&expected["objective"]));
        // Embeddings are in the file where the gaps allow it.
        if let Some(embedding) = expected.get("embedding_L_then_H").filter(|e| e.is_array()) {
            let found = concatenate(Axis(0), &[fit.embedding_low(), fit.embedding_high()]).unwrap();
            let expected = matrix(embedding).reversed_axes();
            assert_eq!(found.dim(), expected.dim());
            golden.check_all(key, "embedding", &flat(&found), &flat(&expected));
        }
        let mut laplace = eigenvalues(laplacian(w.view()).view(), &compute).unwrap();
        laplace[0] = laplace[0].max(0.0);
        golden.check_all(key, "eigenvalues of G", &laplace, &numbers(&expected["eigenvalues_of_G_ascending"]));
    }
}

#[test]
fn class_affinity_is_the_golden_matrix_of_ones() {
    let golden = Golden::load("c16_coupled_kernel_embedding");
    let (low, high, w) = (matrix(golden.input("X_L")), matrix(golden.input("X_H")), matrix(golden.input("W_class")));
    // The first entry of every column and row that is not 0 names the class.
    let of_low: Vec<usize> = w.rows().into_iter().map(|r| r.iter().position(|v| *v == 1.0).unwrap()).collect();
    let of_high: Vec<usize> =
        w.columns().into_iter().map(|c| of_low[c.iter().position(|v| *v == 1.0).unwrap()]).collect();
    let spec = CoupledEmbedding::new(kernel("gaussian()"), kernel("gaussian(lengthscale=1.5)"), 6);
    let compute = Compute::new();
    let by_label = spec.fit(&low, &high, &Coupling::labels(&of_low, &of_high), &compute).unwrap();
    let given = CoupledEmbedding { affinity: Affinity::Given, ..spec };
    let by_matrix = given.fit(&low, &high, &Coupling::weights(w.view()), &compute).unwrap();
    assert_close!(by_label.eigenvalues(), by_matrix.eigenvalues(), each = 1e-12);
    // The first three are 0, with functions that are constant on the classes, to the size of reg.
    assert!(by_label.eigenvalues().iter().take(3).all(|v| *v < 1e-6));
}

#[test]
fn eigenpairs_solve_the_problem_as_it_is_written() {
    let (low, high) = (normal(15, 2, 1), normal(12, 3, 2));
    let mut stream = Seed(3).stream("weights", 0);
    let w = Array2::from_shape_fn((15, 12), |_| stream.uniform());
    let (k_low, k_high) = (kernel("matern(nu=1/2)"), kernel("gaussian(lengthscale=0.7) + 0.1*linear()"));
    for reg in [1e-6, 1e-2, 3.0] {
        let base = CoupledEmbedding::new(k_low.clone(), k_high.clone(), 27);
        let spec = CoupledEmbedding { reg, affinity: Affinity::Given, ..base };
        let fit = spec.fit(&low, &high, &Coupling::weights(w.view()), &Compute::new()).unwrap();
        let grams = [&gram(&k_low, &low), &gram(&k_high, &high)];
        assert!(residual(&fit, grams, w.view(), reg) < 1e-9, "{reg}");
        // Uᵀ(ZZᵀ + reg I)U = I.
        let z = block_diagonal(grams[0], grams[1]);
        let u = concatenate(Axis(0), &[fit.coefficients_low(), fit.coefficients_high()]).unwrap();
        let unit = u.t().dot(&(z.dot(&z.t()) + reg * Array2::<f64>::eye(27))).dot(&u);
        assert_close!(&unit, &Array2::<f64>::eye(27), each = 1e-9);
        assert_close!(stress(&fit, w.view()), fit.objective(), 1e-10);
    }
}

#[test]
fn without_regularization_the_eigenvalues_are_those_of_the_laplacian_and_with_it_they_are_below() {
    let (low, high) = (normal(9, 2, 4), normal(11, 2, 5));
    let mut stream = Seed(6).stream("weights", 0);
    let w = Array2::from_shape_fn((9, 11), |_| stream.uniform());
    let laplace = eigenvalues(laplacian(w.view()).view(), &Compute::new()).unwrap();
    let base = CoupledEmbedding::new(kernel("laplacian()"), kernel("laplacian(lengthscale=2)"), 20);
    let with = |reg: f64| {
        let spec = CoupledEmbedding { reg, affinity: Affinity::Given, ..base.clone() };
        spec.fit(&low, &high, &Coupling::weights(w.view()), &Compute::new()).unwrap().eigenvalues().to_owned()
    };
    assert_close!(with(0.0), laplace.iter().map(|v| v.max(0.0)), each = 1e-12);
    let mut above: Vec<f64> = laplace;
    for reg in [1e-12, 1e-6, 1e-3, 1.0, 1e3] {
        let found = with(reg);
        for (below, above) in found.iter().zip(&above) {
            assert!(*below <= above + 1e-12, "{reg}: {below} {above}");
        }
        above = found.to_vec();
    }
}

#[test]
fn singular_matrices_and_duplicates_leave_out_the_functions_that_are_zero() {
    let compute = Compute::new();
    // Rank 2 and rank 3 of ten points each, and a point that stands twice.
    let (mut low, high) = (normal(10, 2, 7), normal(10, 3, 8));
    let first = low.row(0).to_owned();
    low.row_mut(1).assign(&first);
    let w = Array2::<f64>::eye(10);
    for reg in [0.0, 1e-6] {
        let base = CoupledEmbedding::new(kernel("linear()"), kernel("linear()"), 5);
        let spec = CoupledEmbedding { reg, affinity: Affinity::Pairs, ..base };
        let fit = spec.fit(&low, &high, &Coupling::none(), &compute).unwrap();
        assert_eq!(fit.null(), (8, 7));
        assert!(fit.eigenvalues().iter().all(|v| *v > 1e-3), "{:?}", fit.eigenvalues());
        assert!(residual(&fit, [&low.dot(&low.t()), &high.dot(&high.t())], w.view(), reg) < 1e-9);
        assert_close!(&fit.transform_low(&low, &compute).unwrap(), &fit.embedding_low(), each = 1e-9);
        let wrong = CoupledEmbedding { components: 6, ..spec }.fit(&low, &high, &Coupling::none(), &compute);
        assert!(matches!(wrong, Err(Error::Parameter { name, .. }) if name == "components"));
    }
    let constant = Array2::ones((6, 2));
    let spec = CoupledEmbedding::new(kernel("gaussian()"), kernel("gaussian()"), 2);
    let spec = CoupledEmbedding { affinity: Affinity::Pairs, ..spec };
    let fit = spec.fit(&constant, &constant, &Coupling::none(), &compute).unwrap();
    assert_eq!(fit.null(), (5, 5));
    // Both modes have one function, and its two multiples: equal, and opposite.
    assert_close!(fit.eigenvalues(), [0.0, 2.0], each = 1e-6);
}

#[test]
fn training_points_come_out_where_they_are() {
    let (low, high) = (normal(40, 3, 9), normal(30, 5, 10));
    let labels: (Vec<usize>, Vec<usize>) = ((0..40).map(|i| i % 4).collect(), (0..30).map(|i| i % 4).collect());
    let spec = CoupledEmbedding::new(kernel("gaussian(lengthscale=median)"), kernel("laplacian()"), 8);
    let compute = Compute::new();
    let fit = spec.fit(&low, &high, &Coupling::labels(&labels.0, &labels.1), &compute).unwrap();
    assert_close!(&fit.transform_low(&low, &compute).unwrap(), &fit.embedding_low(), each = 1e-9);
    assert_close!(&fit.transform_high(&high, &compute).unwrap(), &fit.embedding_high(), each = 1e-9);
    assert!(!fit.kernel_low().to_string().contains("median"));
    // A positive largest entry in every column.
    for j in 0..8 {
        let column: Array1<f64> =
            fit.embedding_low().column(j).iter().chain(fit.embedding_high().column(j)).copied().collect();
        let largest = column.iter().fold(0.0_f64, |m, v| if v.abs() > m.abs() { *v } else { m });
        assert!(largest > 0.0);
    }
    // Kernel values instead of both modes.
    let (k_low, k_high) = (gram(fit.kernel_low(), &low), gram(fit.kernel_high(), &high));
    let values = CoupledEmbedding { kernel_low: kernel("precomputed()"), kernel_high: kernel("precomputed()"), ..spec };
    let on_values = values.fit(&k_low, &k_high, &Coupling::labels(&labels.0, &labels.1), &compute).unwrap();
    assert_close!(on_values.eigenvalues(), fit.eigenvalues(), each = 1e-10);
    let new = on_values.transform_low(&k_low.slice(s![..3, ..]).to_owned(), &compute).unwrap();
    assert_close!(&new, &on_values.embedding_low().slice(s![..3, ..]), each = 1e-9);
}

/// Points on a curve in two ways: the modes share nothing but the parameter.
fn two_modes(n: usize, seed: u64) -> (Array1<f64>, Array2<f64>, Array2<f64>) {
    let mut stream = Seed(seed).stream("curve", 0);
    let t: Array1<f64> = (0..n).map(|_| 3.0 * stream.uniform()).collect();
    let low = Array2::from_shape_fn((n, 2), |(i, j)| if j == 0 { t[i].cos() } else { t[i].sin() });
    let high = Array2::from_shape_fn((n, 3), |(i, j)| t[i].powi(j as i32 + 1) / 3f64.powi(j as i32));
    (t, low, high)
}

#[test]
fn matches_find_the_pairs() {
    let compute = Compute::new();
    let (_, low, high) = two_modes(60, 11);
    let (t, new_low, new_high) = two_modes(40, 12);
    for affinity in [Affinity::Pairs, Affinity::Neighbors { k: 3 }] {
        let base = CoupledEmbedding::new(kernel("gaussian(lengthscale=0.5)"), kernel("gaussian(lengthscale=0.7)"), 6);
        let spec = CoupledEmbedding { cutoff: 1e-3, affinity, ..base };
        let fit = spec.fit(&low, &high, &Coupling::none(), &compute).unwrap();
        let found = fit.matches(&new_low, &new_high, 3, &compute).unwrap();
        assert_eq!(found.indices.dim(), (40, 3));
        let error: f64 = (0..40).map(|i| (t[i] - t[found.indices[[i, 0]]]).abs()).sum::<f64>() / 40.0;
        assert!(error < 0.05, "{affinity:?}: {error}");
        // Distances from the definition, ascending.
        let (a, b) = (fit.transform_low(&new_low, &compute).unwrap(), fit.transform_high(&new_high, &compute).unwrap());
        for i in 0..40 {
            let mut all: Vec<f64> =
                b.rows().into_iter().map(|r| (&r - &a.row(i)).mapv(|v| v * v).sum().sqrt()).collect();
            all.sort_by(f64::total_cmp);
            assert_close!(found.distances.row(i), &all[..3], each = 1e-14);
        }
    }
}

#[test]
fn classes_are_recognized_across_modes() {
    let compute = Compute::new();
    let (centers_low, centers_high) = (normal(6, 2, 13) * 4.0, normal(6, 5, 14) * 4.0);
    let draw = |n: usize, seed: u64| {
        let labels: Vec<usize> = (0..n).map(|i| 10 * (i % 6)).collect();
        let of: Vec<usize> = labels.iter().map(|l| l / 10).collect();
        let low = centers_low.select(Axis(0), &of) + normal(n, 2, seed) * 0.5;
        let high = centers_high.select(Axis(0), &of) + normal(n, 5, seed + 1) * 0.5;
        (labels, low, high)
    };
    let (labels, low, high) = draw(60, 15);
    let (new_labels, new_low, new_high) = draw(30, 17);
    let median = kernel("gaussian(lengthscale=median)");
    let spec = CoupledEmbedding { cutoff: 1e-4, ..CoupledEmbedding::new(median.clone(), median, 6) };
    let fit = spec.fit(&low, &high, &Coupling::labels(&labels, &labels), &compute).unwrap();
    assert!(fit.score(&new_low, &new_labels, &new_high, &new_labels, &compute).unwrap() > 0.9);
    // Directions of tiny eigenvalues fill the first components.
    let literal = CoupledEmbedding { cutoff: 0.0, ..spec.clone() };
    let literal = literal.fit(&low, &high, &Coupling::labels(&labels, &labels), &compute).unwrap();
    assert!(literal.null().0 < fit.null().0 && literal.objective() < 1e-3 * fit.objective());
    let wrong = fit.score(&new_low, &new_labels[1..], &new_high, &new_labels, &compute);
    assert!(wrong.unwrap_err().to_string().contains("labels of the low points"));
    // Landmarks: as many as points are no approximation; few are near.
    let all = CoupledEmbedding { landmarks: Some(60), ..spec.clone() };
    let same = all.fit(&low, &high, &Coupling::labels(&labels, &labels), &compute).unwrap();
    assert_close!(same.eigenvalues(), fit.eigenvalues(), each = 1e-12);
    let few = CoupledEmbedding { landmarks: Some(20), ..spec };
    let few = few.fit(&low, &high, &Coupling::labels(&labels, &labels), &compute).unwrap();
    assert_eq!((few.points_low().len(), few.embedding_low().nrows()), (20, 60));
    assert_close!(&few.transform_low(&low, &compute).unwrap(), &few.embedding_low(), each = 1e-6);
    assert!(few.score(&new_low, &new_labels, &new_high, &new_labels, &compute).unwrap() > 0.9);
}

#[test]
fn strings_are_matched_to_vectors() {
    let compute = Compute::new();
    let words = ["aaaa", "aaab", "aaba", "bbbb", "bbba", "bbab", "cccc", "ccca", "ccac"];
    let strings: Strings = words.into_iter().collect();
    let labels = [0, 0, 0, 1, 1, 1, 2, 2, 2];
    let vectors = Array2::from_shape_fn((9, 2), |(i, j)| if labels[i] == j { 2.0 } else { 0.1 * i as f64 });
    let spec = CoupledEmbedding::new(kernel("normalized(spectrum(length=2, blended=true))"), kernel("gaussian()"), 3);
    let fit = spec.fit(&strings, &vectors, &Coupling::labels(&labels, &labels), &compute).unwrap();
    let new: Strings = ["aaaaa", "bbbaa", "cccca"].into_iter().collect();
    assert_eq!(fit.score(&new, &[0, 1, 2], &vectors, &labels, &compute).unwrap(), 1.0);
    assert!(fit.transform_high(&new, &compute).is_err());
}

#[test]
fn neighbors_have_the_weights_that_are_written() {
    // High points 0, 1, 3 on a line with the linear kernel: d² = 1, 4, 9. One neighbor each: 0–1 and 1–2.
    let high = array![[0.0], [1.0], [3.0]];
    let low = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mean = 2.5;
    let (near, far) = ((-0.5_f64 / mean).exp(), (-2.0_f64 / mean).exp());
    let w = array![[1.0, near, 0.0], [near, 1.0, far], [0.0, far, 1.0]];
    let base = CoupledEmbedding::new(kernel("linear()"), kernel("linear()"), 4);
    let compute = Compute::new();
    let by_name = CoupledEmbedding { affinity: Affinity::Neighbors { k: 1 }, ..base.clone() };
    let by_name = by_name.fit(&low, &high, &Coupling::none(), &compute).unwrap();
    let given = CoupledEmbedding { affinity: Affinity::Given, ..base };
    let given = given.fit(&low, &high, &Coupling::weights(w.view()), &compute).unwrap();
    assert_close!(by_name.eigenvalues(), given.eigenvalues(), each = 1e-13);
}

#[test]
fn the_smallest_problem_by_hand() {
    // One point per mode, K_L = 2, K_H = 3, W = 5: in c the matrix is 5 [[s², −st], [−st, t²]].
    let spec = CoupledEmbedding {
        reg: 1.0,
        affinity: Affinity::Given,
        ..CoupledEmbedding::new(kernel("linear()"), kernel("linear()"), 2)
    };
    let (low, high, w) = (array![[2f64.sqrt()]], array![[3f64.sqrt()]], array![[5.0]]);
    let fit = spec.fit(&low, &high, &Coupling::weights(w.view()), &Compute::new()).unwrap();
    let (s2, t2) = (4.0_f64 / 5.0, 9.0_f64 / 10.0);
    assert_close!(fit.eigenvalues(), [0.0, 5.0 * (s2 + t2)], each = 1e-14);
    let values = symmetric_eigen(array![[s2, -(s2 * t2).sqrt()], [-(s2 * t2).sqrt(), t2]].view(), &Compute::new());
    assert_close!(5.0 * values.unwrap().values[1], fit.eigenvalues()[1], abs = 1e-14);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (low, high) = (normal(150, 3, 20), normal(160, 4, 21));
    let labels: (Vec<usize>, Vec<usize>) = ((0..150).map(|i| i % 7).collect(), (0..160).map(|i| i % 7).collect());
    for landmarks in [None, Some(50)] {
        let base = CoupledEmbedding::new(kernel("gaussian(lengthscale=median)"), kernel("matern(nu=3/2)"), 9);
        let spec = CoupledEmbedding { landmarks, ..base };
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit = spec.fit(&low, &high, &Coupling::labels(&labels.0, &labels.1), &compute).unwrap();
            let found = fit.matches(&low, &high, 2, &compute).unwrap();
            (fit.eigenvalues().to_owned(), fit.embedding_low().to_owned(), fit.coefficients_high().to_owned(), found)
        };
        let one = run(1);
        assert!(one == run(2) && one == run(5));
    }
}

#[test]
fn what_is_wrong_is_refused_by_name() {
    let compute = Compute::new();
    let (low, high) = (normal(4, 2, 30), normal(3, 2, 31));
    let spec = |affinity: Affinity| CoupledEmbedding {
        affinity,
        ..CoupledEmbedding::new(kernel("gaussian()"), kernel("gaussian()"), 2)
    };
    let reason = |result: Result<CoupledFit>| result.unwrap_err().to_string();
    let given = |w: Array2<f64>| spec(Affinity::Given).fit(&low, &high, &Coupling::weights(w.view()), &compute);
    let class = |a: &[usize], b: &[usize]| spec(Affinity::Class).fit(&low, &high, &Coupling::labels(a, b), &compute);
    let cases = [
        (reason(given(Array2::ones((3, 4)))), "expected 4 × 3, found 3 × 4"),
        (reason(given(Array2::from_elem((4, 3), -1.0))), "row 0, column 0 holds -1: it must be finite and at least 0"),
        (reason(given(Array2::from_elem((4, 3), f64::NAN))), "row 0, column 0 holds NaN"),
        (reason(given(Array2::from_elem((4, 3), 1e308))), "scale it down"),
        (reason(given(array![[1., 1., 1.], [0., 0., 0.], [1., 1., 1.], [1., 1., 1.]])), "affinity of low point 1 "),
        (reason(given(array![[1., 0., 1.], [1., 0., 0.], [1., 0., 1.], [1., 0., 1.]])), "affinity of high point 1 "),
        (reason(class(&[0, 1, 2, 2], &[0, 1, 1])), "low point 2 (class 2)"),
        (reason(class(&[0, 1, 1, 1], &[0, 1, 7])), "high point 2 (class 7)"),
        (reason(class(&[0, 1, 1], &[0, 1, 1])), "labels of the low points: expected 4, found 3"),
        (reason(class(&[0, 1, 1, 1], &[0, 1])), "labels of the high points: expected 3, found 2"),
        (reason(spec(Affinity::Class).fit(&low, &high, &Coupling::none(), &compute)), "without labels"),
        (reason(spec(Affinity::Given).fit(&low, &high, &Coupling::none(), &compute)), "without weights"),
        (reason(spec(Affinity::Pairs).fit(&low, &high, &Coupling::none(), &compute)), "one per low point (4)"),
        (reason(spec(Affinity::Neighbors { k: 1 }).fit(&low, &high, &Coupling::none(), &compute)), "one per low point"),
        (reason(spec(Affinity::Neighbors { k: 4 }).fit(&low, &low, &Coupling::none(), &compute)), "neighbors = 4"),
        (reason(spec(Affinity::Neighbors { k: 0 }).fit(&low, &low, &Coupling::none(), &compute)), "neighbors = 0"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found} | {expected}");
    }
    let w = Array2::ones((4, 3));
    let unused = spec(Affinity::Pairs).fit(&low, &high, &Coupling::weights(w.view()), &compute);
    assert!(matches!(unused, Err(Error::Unsupported { .. })));
    let pairs = spec(Affinity::Pairs);
    let fit = |spec: CoupledEmbedding| spec.fit(&low, &low, &Coupling::none(), &compute);
    assert!(reason(fit(CoupledEmbedding { reg: -1.0, ..pairs.clone() })).contains("reg = -1"));
    assert!(reason(fit(CoupledEmbedding { reg: f64::NAN, ..pairs.clone() })).contains("reg = NaN"));
    assert!(reason(fit(CoupledEmbedding { cutoff: 1.0, ..pairs.clone() })).contains("cutoff = 1"));
    assert!(reason(fit(CoupledEmbedding { components: 0, ..pairs.clone() })).contains("components = 0"));
    assert!(reason(fit(CoupledEmbedding { components: 9, ..pairs.clone() })).contains("components = 9"));
    assert!(reason(fit(CoupledEmbedding { landmarks: Some(0), ..pairs.clone() })).contains("landmarks = 0"));
    let tanh = CoupledEmbedding { kernel_low: kernel("tanh()"), ..pairs.clone() };
    assert!(matches!(fit(tanh), Err(Error::NotPositiveDefinite { .. })));
    let empty = Array2::zeros((0, 2));
    assert!(reason(pairs.fit(&empty, &low, &Coupling::none(), &compute)).contains("low points"));
    assert!(pairs.fit(&low, &array![[1.0, f64::NAN]], &Coupling::none(), &compute).is_err());
    let indefinite = array![[0.0, 1.0], [1.0, 0.0]];
    let values = CoupledEmbedding { kernel_low: kernel("precomputed()"), ..pairs.clone() };
    let two = low.slice(s![..2, ..]).to_owned();
    assert!(matches!(
        values.fit(&indefinite, &two, &Coupling::none(), &compute),
        Err(Error::NotPositiveDefinite { .. })
    ));
    assert!(values.fit(&array![[1.0, 0.0]], &two, &Coupling::none(), &compute).is_err());
    let small = Compute::new().with_memory(1 << 10);
    assert!(matches!(pairs.fit(&low, &low, &Coupling::none(), &small).map(drop), Ok(()) | Err(Error::Memory { .. })));
    let many = normal(100, 2, 32);
    assert!(matches!(pairs.fit(&many, &many, &Coupling::none(), &small), Err(Error::Memory { .. })));
    let done = pairs.fit(&low, &low, &Coupling::none(), &compute).unwrap();
    assert!(done.matches(&low, &low, 5, &compute).is_err() && done.matches(&low, &low, 0, &compute).is_err());
    assert_eq!(done.matches(&empty, &low, 1, &compute).unwrap().indices.dim(), (0, 1));
    assert!(done.matches(&low, &empty, 1, &compute).is_err());
}
