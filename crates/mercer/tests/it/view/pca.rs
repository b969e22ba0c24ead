//! Kernel principal components: golden numbers, brute force, solvers against each other, new
//! points, novelty, pre-images, wrong input.

use mercer::features::Landmarks;
use mercer::gram::{self, Pairs};
use mercer::learner::{FactValue, FitInput, Fitted};
use mercer::points::Strings;
use mercer::settings::Settings;
use mercer::solve::symmetric_eigen;
use mercer::view::pca::{ENTRY, EigenSolver, FixedPoint, KernelPca, KernelPcaFit, Preimage};
use mercer::{Cancel, Compute, Error, Kernel, Points, Precision, Seed};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

use crate::common::assert_arrays_close;
use crate::common::golden::{Golden, matrix, number, numbers};
use crate::common::graphs::mutag;

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn spec(text: &str, components: usize) -> KernelPca {
    KernelPca::new(kernel(text), Some(components))
}

fn normal(n: usize, d: usize) -> Array2<f64> {
    let mut stream = Seed(11).stream("points", (n * d) as u64);
    Array2::from_shape_fn((n, d), |(_, j)| (1.0 + j as f64) * stream.normal())
}

fn gram_of(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

/// `HKH` by the formula.
fn centered(k: &Array2<f64>) -> Array2<f64> {
    let n = k.nrows();
    let h = Array2::eye(n) - Array2::from_elem((n, n), 1.0 / n as f64);
    h.dot(k).dot(&h)
}

#[test]
fn golden_components() {
    let golden = Golden::load("c10_kernel_pca");
    let (x, t) = (matrix(golden.input("X")), matrix(golden.input("T")));
    let kernels = ["gaussian(lengthscale=1.2)", "polynomial(degree=2, offset=1)", "laplacian(lengthscale=2)"];
    let compute = Compute::new();
    for ((key, expected), text) in golden.expected().iter().zip(kernels) {
        for solver in [EigenSolver::Auto, EigenSolver::Dense, EigenSolver::Leading] {
            let fit = KernelPca { solver, ..spec(text, 4) }.fit(&x, &compute).unwrap();
            let check = |what: &str, found: &[f64]| golden.check_all(key, what, found, &numbers(&expected[what]));
            let check_matrix = |what: &str, found: &Array2<f64>| {
                let wanted = matrix(&expected[what]);
                golden.check_all(key, what, &found.iter().copied().collect::<Vec<_>>(), wanted.as_slice().unwrap());
            };
            check("mu", fit.eigenvalues().as_slice().unwrap());
            check("explained_ratio", fit.explained_variance_ratio().as_slice().unwrap());
            check_matrix("v", &fit.eigenvectors().t().as_standard_layout().into_owned());
            check_matrix("scores", &fit.scores());
            check_matrix("projection_T", &fit.transform(&t, &compute).unwrap());
            golden.check(key, "trace", fit.trace(), number(&expected["trace_Kc"]));
            let left = number(&expected["reconstruction_error_after_nc"]);
            golden.check(key, "reconstruction error", fit.reconstruction_error(), left);
        }
    }
}

#[test]
fn eigenpairs_are_those_of_the_centered_matrix() {
    let x = normal(600, 3);
    let compute = Compute::new();
    for text in ["gaussian(lengthscale=2)", "laplacian(lengthscale=3) + 5", "linear() + 0.1*polynomial(degree=2)"] {
        let kc = centered(&gram_of(&kernel(text), &x));
        let all = symmetric_eigen(kc.view(), &compute).unwrap();
        for solver in [EigenSolver::Dense, EigenSolver::Leading] {
            let fit = KernelPca { solver, ..spec(text, 5) }.fit(&x, &compute).unwrap();
            assert_eq!(fit.plan().solver, solver, "{text}");
            let largest = fit.eigenvalues()[0];
            for (found, expected) in fit.eigenvalues().iter().zip(all.values.iter().rev()) {
                assert_close!(*found, *expected, abs = 1e-11 * largest, "{text} {solver}");
            }
            let residual = kc.dot(&fit.eigenvectors()) - &fit.eigenvectors() * &fit.eigenvalues();
            assert!(residual.iter().all(|r| r.abs() < 2e-10 * largest), "{text} {solver}");
            assert_close!(fit.trace(), kc.diag().sum(), 1e-11);
            assert_close!(fit.reconstruction_error(), all.values[..595].iter().sum(), abs = 1e-9 * largest);
            // Out of sample at the points of the data is in sample.
            let again = fit.transform(&x, &compute).unwrap();
            assert_arrays_close(&again, &fit.scores(), 1e-8, text);
            assert!((0..5).all(|j| {
                let column = fit.eigenvectors().column(j).to_vec();
                let at = (0..600).max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs())).unwrap();
                column[at] > 0.0
            }));
        }
    }
}

#[test]
fn the_linear_kernel_gives_ordinary_principal_components() {
    let (x, compute) = (normal(80, 3), Compute::new());
    let fit = KernelPca::new(kernel("linear()"), None).fit(&x, &compute).unwrap();
    assert_eq!(fit.components(), 3);
    let deviations = &x - &x.mean_axis(Axis(0)).unwrap();
    let scatter = symmetric_eigen(deviations.t().dot(&deviations).view(), &compute).unwrap();
    for (j, value) in scatter.values.iter().rev().enumerate() {
        assert_close!(fit.eigenvalues()[j], *value, 1e-12);
        let direction = scatter.vectors.column(2 - j);
        let expected = deviations.dot(&direction);
        let sign = expected.dot(&fit.scores().column(j)).signum();
        assert_arrays_close(&fit.scores().column(j), &(expected * sign), 1e-12, "scores");
    }
    assert_close!(fit.reconstruction_error(), 0.0, abs = 1e-10);
    assert_close!(fit.explained_variance_ratio().sum(), 1.0, abs = 1e-13);
}

#[test]
fn few_features_give_the_eigenpairs_of_the_matrix() {
    let (x, new) = (normal(400, 4), normal(30, 4));
    for (text, features) in [
        ("linear()", 4),
        ("polynomial(degree=2, offset=1)", 15),
        ("3*linear() + 2", 5),
        ("on([0, 2], polynomial(degree=3, offset=0.5)) + 1e-3*linear()", 14),
    ] {
        let fit = |solver: EigenSolver, threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit = KernelPca { solver, ..spec(text, 3) }.fit(&x, &compute).unwrap();
            let (scores, novelty) = (fit.transform(&new, &compute).unwrap(), fit.novelty(&new, &compute).unwrap());
            (fit, scores, novelty)
        };
        let (dense, dense_scores, dense_novelty) = fit(EigenSolver::Dense, 2);
        let (fast, scores, novelty) = fit(EigenSolver::Auto, 1);
        assert_eq!(fast.plan().solver, EigenSolver::FiniteRank, "{text}");
        assert!(fast.plan().reason.contains(&format!("{features} features")), "{}", fast.plan().reason);
        let largest = dense.eigenvalues()[0];
        for (found, expected) in fast.eigenvalues().iter().zip(dense.eigenvalues()) {
            assert_close!(*found, *expected, abs = 1e-12 * largest, "{text}");
        }
        let gram = fast.eigenvectors().t().dot(&fast.eigenvectors());
        assert_arrays_close(&gram, &Array2::<f64>::eye(3), 1e-13, text);
        assert_arrays_close(&fast.eigenvectors(), &dense.eigenvectors(), 1e-8, text);
        assert_arrays_close(&scores, &dense_scores, 1e-8 * largest.sqrt(), text);
        for (found, expected) in novelty.iter().zip(&dense_novelty) {
            assert_close!(*found, *expected, abs = 1e-9 * largest, "{text}");
        }
        assert_close!(fast.trace(), dense.trace(), 1e-11);
        let (again, same, _) = fit(EigenSolver::FiniteRank, 2);
        assert_eq!(
            (again.eigenvectors(), again.eigenvalues(), same),
            (fast.eigenvectors(), fast.eigenvalues(), scores)
        );
    }
    // More components than features: the other eigenvalues are 0.
    let compute = Compute::new();
    let many = spec("linear()", 6).fit(&x, &compute).unwrap();
    assert!(many.plan().solver != EigenSolver::FiniteRank && many.eigenvalues()[4] == 0.0 && many.components() == 6);
    // Points on a line have one eigenvalue above 0, whatever the number of features.
    let line = Array2::from_shape_fn((300, 3), |(i, j)| i as f64 * (1.0 + j as f64));
    let flat = spec("linear()", 2).fit(&line, &compute).unwrap();
    assert!(flat.eigenvalues()[0] > 0.0 && flat.eigenvalues()[1] == 0.0);
    let none = KernelPca { solver: EigenSolver::FiniteRank, ..spec("gaussian()", 2) }.fit(&x, &compute);
    assert!(matches!(none, Err(Error::Unsupported { .. })), "{none:?}");
}

#[test]
fn novelty_is_the_distance_to_the_span() {
    let (x, compute) = (normal(50, 2), Compute::new());
    for spec in [
        spec("gaussian(lengthscale=2)", 4),
        KernelPca { landmarks: Some(20), ..spec("gaussian(lengthscale=2)", 4) },
        KernelPca { remove_zero: true, ..spec("2*linear() + 1", 1) },
    ] {
        let fit = spec.fit(&x, &compute).unwrap();
        // The novelty of all points of the data is the reconstruction error.
        let novelty = fit.novelty(&x, &compute).unwrap();
        assert_close!(novelty.iter().sum(), fit.reconstruction_error(), 1e-10);
        let far = array![[40.0, -60.0]];
        assert!(fit.novelty(&far, &compute).unwrap()[0] > novelty.iter().copied().fold(0.0, f64::max));
    }
    // With all components only what is outside of the span of the data is left.
    let fit = KernelPca::new(kernel("linear()"), None).fit(x.slice(s![.., ..1]), &compute).unwrap();
    assert_close!(fit.novelty(array![[3.0]].view(), &compute).unwrap(), [0.0], each = 1e-12);
}

#[test]
fn precomputed_values_give_the_same_components() {
    let (x, t, compute) = (normal(40, 2), normal(5, 2), Compute::new());
    let k = kernel("gaussian(lengthscale=2)");
    let direct = KernelPca::new(k.clone(), Some(3)).fit(&x, &compute).unwrap();
    let values = gram_of(&k, &x);
    let fit = spec("precomputed()", 3).fit(&values, &compute).unwrap();
    assert_arrays_close(&fit.eigenvectors(), &direct.eigenvectors(), 1e-12, "eigenvectors");
    let rows = gram::dense(&k.bind(Pairs::between(t.view(), x.view()), &compute).unwrap(), &compute).unwrap();
    let scores = fit.transform(&rows, &compute).unwrap();
    assert_arrays_close(&scores, &direct.transform(&t, &compute).unwrap(), 1e-12, "scores");
    assert!(matches!(fit.novelty(&rows, &compute), Err(Error::Precomputed { .. })));
    let novelty = fit.novelty_with_diagonal(&rows, Array1::ones(5).view(), &compute).unwrap();
    assert_close!(novelty, direct.novelty(&t, &compute).unwrap(), each = 1e-12);
    assert!(matches!(fit.novelty_with_diagonal(&rows, Array1::ones(4).view(), &compute), Err(Error::Shape { .. })));
    assert!(matches!(fit.transform(&t, &compute), Err(Error::Shape { .. })));
    assert!(matches!(
        fit.preimage(scores.view(), Preimage::Ridge { alpha: 1.0 }, &compute),
        Err(Error::Precomputed { .. })
    ));
    // What is added to whole rows or columns is centered away.
    let shifted = &values + &Array2::from_shape_fn((40, 40), |(i, _)| i as f64);
    for solver in [EigenSolver::Auto, EigenSolver::Leading] {
        let other = KernelPca { solver, ..spec("precomputed()", 3) }.fit(&shifted, &compute).unwrap();
        assert_arrays_close(&other.scores(), &direct.scores(), 1e-9, "shifted rows");
    }
    let [a, b] = [array![[1.0, 2.0], [3.0, 40.0]], array![[9.0, -9.0], [-9.0, 9.0]]]
        .map(|k| spec("precomputed()", 1).fit(&k, &compute).unwrap());
    assert_eq!((a.eigenvalues(), a.eigenvectors()), (b.eigenvalues(), b.eigenvectors()));
    let twisted = &values + &Array2::from_shape_fn((40, 40), |(i, j)| (i * i * j) as f64);
    assert!(matches!(spec("precomputed()", 1).fit(&twisted, &compute), Err(Error::Precomputed { .. })));
    assert!(matches!(spec("precomputed()", 1).fit(&rows, &compute), Err(Error::Precomputed { .. })));
}

#[test]
fn strings_and_graphs_have_components() {
    let compute = Compute::new();
    let words = ["GATTACA", "GATTTACA", "CATCAT", "CATTACA", "TTTT", "GATTACA", "ACGT", "ACGACG"];
    let strings: Strings = words.into_iter().collect();
    let fit = spec("spectrum(length=2)", 3).fit(&strings, &compute).unwrap();
    let again = fit.transform(&strings, &compute).unwrap();
    assert_arrays_close(&again, &fit.scores(), 1e-12, "strings");
    assert_arrays_close(&again.row(0), &again.row(5), 1e-14, "equal strings");
    assert_close!(fit.novelty(&strings, &compute).unwrap().iter().sum(), fit.reconstruction_error(), 1e-12);
    let failed = fit.preimage(fit.scores().view(), Preimage::Ridge { alpha: 1.0 }, &compute);
    assert!(matches!(failed, Err(Error::WrongPoints { .. })));

    let (graphs, _) = mutag();
    let exact = spec("normalized(weisfeiler_lehman(depth=2))", 4).fit(&graphs, &compute).unwrap();
    // Iterated to a residual of 1e-10 of the largest eigenvalue: scores of the data are products with vectors
    // that have it.
    assert_arrays_close(&exact.transform(&graphs, &compute).unwrap(), &exact.scores(), 1e-9, "graphs");
    // All graphs as landmarks miss nothing.
    let on_all = KernelPca { landmarks: Some(188), ..spec("normalized(weisfeiler_lehman(depth=2))", 4) };
    let fit = on_all.fit(&graphs, &compute).unwrap();
    assert_eq!(fit.plan().solver, EigenSolver::Nystrom);
    assert!(fit.evidence().trace_missed < 1e-10);
    assert_arrays_close(&fit.scores(), &exact.scores(), 1e-7, "landmarks");
}

#[test]
fn landmarks_approximate_and_report_what_they_miss() {
    let (x, compute) = (normal(1500, 2), Compute::new());
    let exact = spec("gaussian(lengthscale=2)", 4).fit(&x, &compute).unwrap();
    let mut missed = f64::INFINITY;
    for landmarks in [20, 60, 150] {
        let fit =
            KernelPca { landmarks: Some(landmarks), ..spec("gaussian(lengthscale=2)", 4) }.fit(&x, &compute).unwrap();
        let evidence = fit.evidence();
        assert!(evidence.landmarks <= landmarks && evidence.trace_missed < missed);
        missed = evidence.trace_missed;
        assert!(fit.plan().approximation().unwrap().contains(&landmarks.to_string()));
        for (found, expected) in fit.eigenvalues().iter().zip(exact.eigenvalues()) {
            // tr K is 1500; the projection of the mean takes no more than the landmarks miss.
            assert!((expected - found).abs() <= 2.0 * 1500.0 * missed + 1e-9, "{landmarks}: {found} {expected}");
        }
        assert_arrays_close(&fit.transform(&x, &compute).unwrap(), &fit.scores(), 1e-8, "in sample");
        let novelty: f64 = fit.novelty(&x, &compute).unwrap().iter().sum();
        assert_close!(novelty, fit.reconstruction_error(), 1e-8);
        let gram = fit.eigenvectors().t().dot(&fit.eigenvectors());
        assert_arrays_close(&gram, &Array2::eye(4), 1e-8, "orthonormal");
    }
    assert!(missed < 1e-6);
    // A kernel of finite rank has as many features, and the rest of the components are 0.
    let fit = KernelPca { landmarks: Some(50), ..spec("linear()", 6) }.fit(&x, &compute).unwrap();
    let linear = spec("linear()", 6).fit(&x, &compute).unwrap();
    assert_arrays_close(&fit.eigenvalues(), &linear.eigenvalues(), 1e-10, "rank 2");
    assert_arrays_close(&fit.scores(), &linear.scores(), 1e-9, "rank 2");
    assert!(fit.evidence().trace_missed < 1e-12 && fit.eigenvalues()[2] == 0.0);
    let rows = KernelPca { landmarks: Some(3), selection: Landmarks::Rows(vec![3, 1, 4]), ..spec("gaussian()", 2) };
    assert_eq!(rows.fit(&x, &compute).unwrap().points(), Points::from(&x.select(Axis(0), &[3, 1, 4])));
}

#[test]
fn little_memory_means_tiles_then_landmarks_then_a_refusal() {
    let x = normal(3000, 2);
    let exact = spec("gaussian(lengthscale=2)", 3).fit(&x, &Compute::new()).unwrap();
    assert!(exact.plan().stored && exact.plan().solver == EigenSolver::Leading);
    let tiles = spec("gaussian(lengthscale=2)", 3).fit(&x, &Compute::new().with_memory(40 << 20)).unwrap();
    assert!(!tiles.plan().stored && tiles.plan().solver == EigenSolver::Leading);
    assert_arrays_close(&tiles.scores(), &exact.scores(), 1e-7, "tiles");
    let tight = Compute::new().with_memory(3 << 20);
    let few = spec("gaussian(lengthscale=2)", 3).fit(&x, &tight).unwrap();
    assert_eq!(few.plan().solver, EigenSolver::Nystrom);
    assert!(few.plan().bytes <= 3 << 20 && few.plan().reason.contains("memory limit"));
    assert!(few.evidence().trace_missed > 0.0);
    assert_close!(few.eigenvalues()[0], exact.eigenvalues()[0], 0.05);
    let refused = |spec: &KernelPca, bytes: u64| match spec.fit(&x, &Compute::new().with_memory(bytes)) {
        Err(Error::Memory { needed, limit, .. }) => assert!(needed > limit && limit == bytes),
        other => panic!("{other:?}"),
    };
    refused(&spec("gaussian()", 3), 1 << 16);
    refused(&KernelPca::new(kernel("gaussian()"), None), 64 << 20);
    refused(&KernelPca { solver: EigenSolver::Dense, ..spec("gaussian()", 3) }, 64 << 20);
    refused(&KernelPca { landmarks: Some(3000), ..spec("gaussian()", 3) }, 64 << 20);
    let quick = Compute::new().with_speed(1e9).with_time(0.05);
    let late = spec("gaussian()", 3).plan(Points::from(&x).size(), &quick).unwrap();
    assert!(late.solver == EigenSolver::Nystrom && late.seconds.is_some() && late.reason.contains("time limit"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let x = normal(700, 3);
    for solver in [EigenSolver::Dense, EigenSolver::Leading, EigenSolver::Nystrom] {
        for memory in [1 << 30, 12 << 20] {
            let landmarks = (solver == EigenSolver::Nystrom).then_some(90);
            let spec = KernelPca { solver, landmarks, ..spec("laplacian(lengthscale=3)", 4) };
            let run = |threads: usize| {
                let compute = Compute::new().with_threads(threads).unwrap().with_memory(memory);
                let fit = spec.fit(&x, &compute).ok()?;
                let z = fit.transform(x.slice(s![..9, ..]), &compute).unwrap();
                let novelty = fit.novelty(x.slice(s![..9, ..]), &compute).unwrap();
                Some((fit.eigenvalues().to_owned(), fit.eigenvectors().to_owned(), z, novelty))
            };
            let one = run(1);
            assert_eq!(one.is_none(), solver == EigenSolver::Dense && memory < 1 << 30);
            assert_eq!(one, run(2), "{solver}");
            assert_eq!(one, run(5), "{solver}");
        }
    }
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    let (x, compute) = (normal(60, 2), Compute::new());
    let order = Seed(3).stream("order", 0).permutation(60);
    let fit = spec("gaussian(lengthscale=2)", 4).fit(&x, &compute).unwrap();
    let other = spec("gaussian(lengthscale=2)", 4).fit(&x.select(Axis(0), &order), &compute).unwrap();
    assert_arrays_close(&other.eigenvalues(), &fit.eigenvalues(), 1e-12, "eigenvalues");
    assert_arrays_close(&other.scores(), &fit.scores().select(Axis(0), &order), 1e-11, "scores");
}

#[test]
fn points_without_variance_and_more_components_than_rank() {
    let compute = Compute::new();
    let t = array![[0.5, 2.0], [7.0, 7.0]];
    for x in [array![[1.0, 2.0]], array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]] {
        for text in ["gaussian()", "linear() + 1e6", "0*gaussian()"] {
            let none = KernelPca::new(kernel(text), None).fit(&x, &compute).unwrap();
            assert_eq!((none.components(), none.transform(&t, &compute).unwrap().dim()), (0, (2, 0)), "{text}");
            assert_eq!(none.explained_variance_ratio().len(), 0);
            let one = spec(text, 9).fit(&x, &compute).unwrap();
            assert_eq!(one.components(), x.nrows());
            assert!(one.eigenvalues().iter().chain(&one.scores()).all(|v| *v == 0.0));
            assert!(one.transform(&t, &compute).unwrap().iter().all(|v| *v == 0.0));
            assert!(one.explained_variance_ratio().iter().all(|v| *v == 0.0) && one.reconstruction_error() < 1e-9);
            assert!(KernelPca { remove_zero: true, ..spec(text, 9) }.fit(&x, &compute).unwrap().components() == 0);
            if text != "0*gaussian()" {
                let fit = KernelPca { landmarks: Some(2), ..spec(text, 9) }.fit(&x, &compute).unwrap();
                assert!(fit.eigenvalues().iter().chain(&fit.eigenvectors()).all(|v| *v == 0.0), "{text}");
                assert!(fit.transform(&t, &compute).unwrap().iter().all(|v| *v == 0.0), "{text}");
            }
        }
    }
    // Points that occur several times, of rank 2.
    let x = Array2::from_shape_fn((30, 2), |(i, j)| [[0.0, 1.0], [2.0, 1.0], [1.0, 5.0]][i % 3][j]);
    let fit = spec("gaussian()", 10).fit(&x, &compute).unwrap();
    assert!(fit.eigenvalues()[1] > 1.0 && fit.eigenvalues().iter().skip(2).all(|v| *v == 0.0));
    assert_arrays_close(&fit.transform(&x, &compute).unwrap(), &fit.scores(), 1e-12, "repeated");
    assert_eq!(KernelPca::new(kernel("gaussian()"), None).fit(&x, &compute).unwrap().components(), 2);
    // What is rounding beside large kernel values is no component.
    let x = array![[5.0, 1.0], [5.0 + 1e-8, 1e-8], [5.0 + 1e-8, 0.0]];
    assert_eq!(spec("linear()", 2).fit(&x, &compute).unwrap().eigenvalues()[1], 0.0);
    assert!(spec("linear()", 2).fit(&Array2::zeros((4, 2)), &compute).unwrap().scores().iter().all(|v| *v == 0.0));
}

#[test]
fn negative_eigenvalues_are_refused() {
    let compute = Compute::new();
    let vectors = symmetric_eigen(centered(&gram_of(&kernel("laplacian()"), &normal(8, 1))).view(), &compute).unwrap();
    // The vector of the eigenvalue 0 is constant: the others stay centered.
    let of = |values: [f64; 7]| {
        let basis = vectors.vectors.slice(s![.., 1..]).to_owned();
        (&basis * &Array1::from(values.to_vec())).dot(&basis.t())
    };
    let k = of([52.7, 7.6, 7.6, 5.0, 0.0, -6.1, -15.1]);
    let allowing = |components: usize, indefinite: bool| {
        KernelPca { indefinite, ..spec("precomputed()", components) }.fit(&k, &compute)
    };
    for failed in [allowing(7, true), allowing(7, false), allowing(2, false)] {
        match failed {
            Err(Error::NotPositiveDefinite { reason, .. }) => {
                assert!(reason.contains("There are significant negative eigenvalues"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    let fit = allowing(2, true).unwrap();
    assert_close!(fit.eigenvalues()[0], 52.7, 1e-12);
    assert_close!(fit.evidence().smallest.unwrap(), -15.1, 1e-12);
    assert!(allowing(5, true).unwrap().eigenvalues()[4] == 0.0);
    assert!(spec("precomputed()", 7).fit(&of([3.0, 2.0, 1.0, 0.5, 0.1, 0.0, -1e-9]), &compute).is_ok());
    assert!(KernelPca { indefinite: true, ..spec("precomputed()", 2) }.fit(&-of([1.0; 7]), &compute).is_err());
    // Leading eigenpairs see only what exceeds the trace.
    let x = normal(700, 1);
    let mut large = gram_of(&kernel("gaussian()"), &x);
    large.diag_mut().mapv_inplace(|v| v - 5.0);
    assert!(matches!(spec("precomputed()", 3).fit(&large, &compute), Err(Error::NotPositiveDefinite { .. })));
    assert!(matches!(spec("tanh()", 2).fit(&normal(9, 2), &compute), Err(Error::NotPositiveDefinite { .. })));
    assert!(KernelPca { indefinite: true, ..spec("tanh(scale=0.1)", 1) }.fit(&normal(9, 2), &compute).is_ok());
}

#[test]
fn wrong_input_is_refused() {
    let (x, compute) = (normal(10, 2), Compute::new());
    let parameter = |spec: KernelPca, wrong: &str| match spec.fit(&x, &compute) {
        Err(Error::Parameter { name, .. }) => assert_eq!(name, wrong),
        other => panic!("{other:?}"),
    };
    parameter(spec("gaussian()", 0), "components");
    parameter(KernelPca { landmarks: Some(0), ..spec("gaussian()", 1) }, "landmarks");
    parameter(KernelPca { inverse: Some(-1.0), ..spec("gaussian()", 1) }, "alpha");
    parameter(KernelPca { inverse: Some(f64::NAN), ..spec("gaussian()", 1) }, "alpha");
    assert!(matches!(spec("gaussian()", 1).fit(&Array2::zeros((0, 2)), &compute), Err(Error::TooFew { .. })));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut wrong = x.clone();
        wrong[[3, 1]] = bad;
        assert!(matches!(spec("gaussian()", 1).fit(&wrong, &compute), Err(Error::Value { row: 3, .. })));
        let fit = spec("gaussian()", 1).fit(&x, &compute).unwrap();
        assert!(matches!(fit.transform(&wrong, &compute), Err(Error::Value { row: 3, .. })));
        assert!(matches!(fit.novelty(&wrong, &compute), Err(Error::Value { row: 3, .. })));
        let nystrom = KernelPca { landmarks: Some(4), ..spec("gaussian()", 1) };
        assert!(matches!(nystrom.fit(&wrong, &compute), Err(Error::Value { row: 3, .. })));
    }
    let fit = spec("gaussian()", 2).fit(&x, &compute).unwrap();
    assert!(matches!(fit.transform(array![[1.0]].view(), &compute), Err(Error::Shape { .. })));
    assert_eq!(fit.transform(Array2::zeros((0, 2)).view(), &compute).unwrap().dim(), (0, 2));
    let strings: Strings = ["a", "b"].into_iter().collect();
    assert!(matches!(spec("gaussian()", 1).fit(&strings, &compute), Err(Error::WrongPoints { .. })));
    let values = gram_of(&kernel("gaussian()"), &x);
    for spec in [
        KernelPca { solver: EigenSolver::Nystrom, ..spec("precomputed()", 1) },
        KernelPca { landmarks: Some(2), ..spec("precomputed()", 1) },
        KernelPca { inverse: Some(1.0), ..spec("precomputed()", 1) },
    ] {
        assert!(matches!(spec.fit(&values, &compute), Err(Error::Precomputed { .. })));
    }
    assert!(matches!(spec("precomputed()", 1).fit(&(values * 1.5e308), &compute), Err(Error::Overflow { .. })));
    let canceled = Cancel::default();
    canceled.cancel();
    let stopped = Compute::new().with_cancel(canceled);
    assert!(matches!(spec("gaussian()", 1).fit(&normal(500, 2), &stopped), Err(Error::Canceled)));
}

/// The distance in ℋ between the image of a point and the element with these scores, by the
/// formula.
fn squared_distance(fit: &KernelPcaFit, x: &Array2<f64>, z: &Array2<f64>, scores: &Array1<f64>) -> f64 {
    let n = x.nrows();
    let mut weights = fit.eigenvectors().dot(&(scores / &fit.eigenvalues().mapv(f64::sqrt)));
    weights += 1.0 / n as f64;
    let k = gram_of(fit.kernel(), &concatenate(Axis(0), &[x.view(), z.view()]).unwrap());
    let own = k.slice(s![..n, ..n]).dot(&weights).dot(&weights);
    k[[n, n]] - 2.0 * k.slice(s![n, ..n]).dot(&weights) + own
}

#[test]
fn fixed_points_are_the_nearest_images() {
    // A noisy circle, and points off it.
    let mut stream = Seed(5).stream("circle", 0);
    let x = Array2::from_shape_fn((120, 2), |(i, j)| {
        let angle = i as f64 * 0.3;
        [angle.cos(), angle.sin()][j] + 0.05 * stream.normal()
    });
    let compute = Compute::new();
    let t = array![[1.3, 0.0], [0.0, -0.7], [-0.8, 0.8]];
    for spec in [
        spec("gaussian(lengthscale=0.5)", 6),
        spec("2*gaussian(lengthscale=[0.5, 0.6])", 6),
        KernelPca { landmarks: Some(60), ..spec("gaussian(lengthscale=0.5)", 6) },
    ] {
        let fit = spec.fit(&x, &compute).unwrap();
        let scores = fit.transform(&t, &compute).unwrap();
        let found = fit.preimage(scores.view(), Preimage::FixedPoint(FixedPoint::default()), &compute).unwrap();
        assert!(found.converged.iter().all(|c| *c), "{:?}", found.iterations);
        let radius = |p: ndarray::ArrayView1<f64>| p.dot(&p).sqrt();
        for (i, point) in found.points.rows().into_iter().enumerate() {
            // Denoised: toward the circle.
            assert!((radius(point) - 1.0).abs() < 0.6 * (radius(t.row(i)) - 1.0).abs() + 0.05, "{point}");
            if spec.landmarks.is_some() {
                continue;
            }
            let at = |p: &Array2<f64>| squared_distance(&fit, &x, p, &scores.row(i).to_owned());
            let here = point.to_owned().insert_axis(Axis(0));
            assert_close!(found.squared_distances[i], at(&here), abs = 1e-10);
            for step in [[1e-3, 0.0], [-1e-3, 0.0], [0.0, 1e-3], [0.0, -1e-3]] {
                let there = &here + &ndarray::arr2(&[step]);
                assert!(at(&there) >= at(&here) - 1e-12, "a minimum");
            }
        }
    }
    // The product of Gaussian kernels on columns is one, and so is exp(−t‖x − y‖²).
    for text in ["on([0], gaussian())*on([1], gaussian(lengthscale=2))", "schoenberg(sqdist(), t=2)", "gaussian()^2"] {
        let fit = spec(text, 3).fit(&x, &compute).unwrap();
        assert!(fit.preimage(fit.scores().view(), Preimage::FixedPoint(FixedPoint::default()), &compute).is_ok());
    }
}

#[test]
fn fixed_points_that_break_down_keep_the_best_point() {
    let (x, compute) = (normal(20, 2), Compute::new());
    let fit = spec("gaussian(lengthscale=1)", 4).fit(&x, &compute).unwrap();
    // Elements that are far from every image.
    let scores = array![[40.0, -30.0, 10.0, 5.0], [0.0, 0.0, 0.0, 0.0], [-60.0, 0.0, 0.0, 0.0]];
    for options in [
        FixedPoint::default(),
        FixedPoint { max_iterations: 1, ..FixedPoint::default() },
        FixedPoint { tolerance: 0.0, starts: 2, max_iterations: 3 },
    ] {
        let found = fit.preimage(scores.view(), Preimage::FixedPoint(options), &compute).unwrap();
        assert!(found.points.iter().chain(&found.squared_distances).all(|v| v.is_finite()));
        assert!(found.iterations.iter().all(|i| *i >= 1 && *i <= options.starts * options.max_iterations));
    }
    let run = |threads| {
        let compute = Compute::new().with_threads(threads).unwrap();
        fit.preimage(scores.view(), Preimage::FixedPoint(FixedPoint::default()), &compute).unwrap()
    };
    assert_eq!(run(1), run(2));
    let refused = |options: FixedPoint| {
        matches!(fit.preimage(scores.view(), Preimage::FixedPoint(options), &compute), Err(Error::Parameter { .. }))
    };
    assert!(refused(FixedPoint { starts: 0, ..FixedPoint::default() }));
    assert!(refused(FixedPoint { max_iterations: 0, ..FixedPoint::default() }));
    assert!(refused(FixedPoint { tolerance: f64::NAN, ..FixedPoint::default() }));
    let method = Preimage::FixedPoint(FixedPoint::default());
    assert!(matches!(fit.preimage(array![[1.0]].view(), method, &compute), Err(Error::Shape { .. })));
    assert!(matches!(
        fit.preimage(array![[1.0, 2.0, f64::NAN, 0.0]].view(), method, &compute),
        Err(Error::Value { .. })
    ));
    for text in ["laplacian()", "gaussian() + linear()", "polynomial(degree=2)"] {
        let fit = spec(text, 4).fit(&x, &compute).unwrap();
        match fit.preimage(scores.view(), method, &compute) {
            Err(Error::Unsupported { instead, .. }) => assert!(instead.contains("ridge"), "{instead}"),
            other => panic!("{other:?}"),
        }
    }
    // One point: its image is the mean.
    let one = KernelPca::new(kernel("gaussian()"), Some(1)).fit(array![[2.0]].view(), &compute).unwrap();
    let found = one.preimage(array![[0.0]].view(), method, &compute).unwrap();
    assert_close!(found.points[[0, 0]], 2.0, 1e-15);
    assert!(found.converged[0] && found.squared_distances[0] < 1e-15);
}

#[test]
fn ridge_preimages_solve_the_system_of_the_scores() {
    let (x, compute) = (normal(30, 3), Compute::new());
    for text in ["gaussian(lengthscale=3)", "polynomial(degree=2, offset=1)", "linear()"] {
        let fit = KernelPca { inverse: Some(0.5), ..spec(text, 4) }.fit(&x, &compute).unwrap();
        let inverse = fit.inverse().unwrap();
        let mut k = gram_of(&kernel(text), &fit.scores());
        k.diag_mut().mapv_inplace(|v| v + 0.5);
        assert_arrays_close(&k.dot(&inverse.dual_coefficients()), &x, 1e-8, text);
        let back = inverse.transform(fit.scores().view(), &compute).unwrap();
        let found = fit.preimage(fit.scores().view(), Preimage::Ridge { alpha: 0.5 }, &compute).unwrap();
        assert_eq!(found.points, back);
        let first = found.points.slice(s![..1, ..]).to_owned();
        let positive = fit.eigenvalues().iter().filter(|v| **v > 0.0).count();
        if positive == fit.components() {
            let distance = squared_distance(&fit, &x, &first, &fit.scores().row(0).to_owned());
            assert_close!(found.squared_distances[0], distance, abs = 1e-7 * (1.0 + distance));
        }
        let other = fit.preimage(fit.scores().view(), Preimage::Ridge { alpha: 5.0 }, &compute).unwrap();
        assert_eq!(
            other.points,
            fit.inverse_map(5.0, &compute).unwrap().transform(fit.scores().view(), &compute).unwrap()
        );
    }
    let landmarks = KernelPca { landmarks: Some(12), inverse: Some(1e-3), ..spec("gaussian(lengthscale=3)", 4) };
    assert_eq!(landmarks.fit(&x, &compute).unwrap().inverse().unwrap().scores().dim(), (12, 4));
    let columns = spec("gaussian(lengthscale=[1, 2, 3])", 2).fit(&x, &compute).unwrap();
    assert!(matches!(columns.inverse_map(1.0, &compute), Err(Error::Unsupported { .. })));
    assert!(matches!(columns.inverse_map(-1.0, &compute), Err(Error::Parameter { .. })));
    let repeated = spec("gaussian()", 1).fit(&Array2::zeros((3, 1)), &compute).unwrap();
    assert!(matches!(repeated.inverse_map(0.0, &compute), Err(Error::Singular { .. })));
    let none = KernelPca::new(kernel("gaussian()"), None).fit(&Array2::zeros((3, 1)), &compute).unwrap();
    assert!(matches!(none.inverse_map(1.0, &compute), Err(Error::TooFew { .. })));
}

#[test]
fn single_precision_tiles_are_near() {
    let x = normal(1200, 4);
    let exact = spec("gaussian(lengthscale=4)", 3).fit(&x, &Compute::new()).unwrap();
    let single = Compute::new().with_precision(Precision::SingleTiles).with_memory(14 << 20);
    let fit = spec("gaussian(lengthscale=4)", 3).fit(&x, &single).unwrap();
    assert!(!fit.plan().stored && fit.plan().solver == EigenSolver::Leading);
    assert_arrays_close(&fit.scores(), &exact.scores(), 1e-4, "single precision");
}

#[test]
fn the_entry_builds_fits_and_reports() {
    let settings = Settings::new().with("kernel", "gaussian(lengthscale=2)").with("components", 3_usize);
    let learner = ENTRY.build(&settings).unwrap();
    let (x, compute) = (normal(30, 2), Compute::new());
    let input = FitInput::points(&x);
    assert!(learner.plan(&input.size(), &compute).unwrap().to_string().starts_with("eigendecomposition"));
    let fit = learner.fit(&input, &compute).unwrap();
    let typed = fit.downcast_ref::<KernelPcaFit>().unwrap();
    assert_eq!(fit.outputs(), 3);
    assert_eq!(fit.facts().get("components"), Some(&FactValue::Count(3)));
    assert_eq!(fit.transform(0, Points::from(&x), &compute).unwrap(), typed.transform(&x, &compute).unwrap());
    assert_eq!(fit.novelty(Points::from(&x), &compute).unwrap(), typed.novelty(&x, &compute).unwrap());
    assert_eq!(ENTRY.complete(Fitted::settings(typed)).unwrap(), *Fitted::settings(typed));
    assert!(ENTRY.build(&Settings::new().with("kernel", "gaussian()").with("components", 0_usize)).is_err());
    let landmarks = settings.with("landmarks", 10_usize).with("selection", "uniform").with("seed", "7");
    let fit = ENTRY.build(&landmarks).unwrap().fit(&input, &compute).unwrap();
    assert_eq!(fit.facts().get("landmarks"), Some(&FactValue::Count(10)));
    assert!(ENTRY.complete(fit.settings()).is_ok());
}
