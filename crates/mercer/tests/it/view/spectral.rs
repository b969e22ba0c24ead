//! Spectral clustering: clusters from the leading eigenvectors of the normalized Gram matrix.

use crate::common::models::{bits, round_trip};
use mercer::gram::{self, Pairs};
use mercer::learner::FitInput;
use mercer::model::{self, Inputs, Model};
use mercer::points::Strings;
use mercer::settings::Settings;
use mercer::solve::symmetric_eigen;
use mercer::view::{
    ClusterCount, ClusterSolver, CountRule, KernelKMeans, SpectralClustering, SpectralFit, adjusted_rand_index,
};
use mercer::{Cancel, Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, array, s};

const SOLVERS: [ClusterSolver; 3] = [ClusterSolver::Stored, ClusterSolver::StoredSingle, ClusterSolver::Tiles];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn spec(text: &str, clusters: usize) -> SpectralClustering {
    SpectralClustering::new(kernel(text), clusters)
}

/// Two circles around each other, with noise: no means separate them.
fn circles(n: usize, noise: f64) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(3).stream("circles", n as u64);
    let of: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let angle = 2.0 * std::f64::consts::PI * (i / 2) as f64 / (n / 2) as f64;
        let radius = if of[i] == 0 { 1.0 } else { 3.0 };
        radius * if j == 0 { angle.cos() } else { angle.sin() } + noise * stream.normal()
    });
    (x, of)
}

/// Points around `centers` places on a circle of radius 6.
fn blobs(n: usize, centers: usize) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(5).stream("blobs", n as u64);
    let of: Vec<usize> = (0..n).map(|i| i % centers).collect();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let angle = 2.0 * std::f64::consts::PI * of[i] as f64 / centers as f64;
        6.0 * if j == 0 { angle.cos() } else { angle.sin() } + 0.8 * stream.normal()
    });
    (x, of)
}

fn dense(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

/// `I − D^{−½}KD^{−½}`, entry by entry.
fn laplacian(k: &Array2<f64>) -> Array2<f64> {
    let degrees = k.sum_axis(Axis(1));
    Array2::from_shape_fn(k.dim(), |(i, j)| f64::from(u8::from(i == j)) - k[[i, j]] / (degrees[i] * degrees[j]).sqrt())
}

/// Equal labels up to names.
fn assert_same(found: &[usize], expected: &[usize]) {
    assert_eq!(adjusted_rand_index(found, expected).unwrap(), 1.0, "{found:?} {expected:?}");
}

#[test]
fn eigenvalues_and_coordinates_are_those_of_the_laplacian() {
    let compute = Compute::new();
    // Below and above the size from which an iteration finds the eigenvectors.
    for (n, text) in
        [(60, "gaussian(lengthscale=2)"), (320, "gaussian(lengthscale=2)"), (320, "laplacian(lengthscale=3)")]
    {
        let (x, of) = blobs(n, 4);
        let k = dense(&kernel(text), &x);
        let l = laplacian(&k);
        let eigen = symmetric_eigen(l.view(), &compute).unwrap();
        for solver in SOLVERS {
            let tolerance = if solver == ClusterSolver::StoredSingle { 1e-6 } else { 1e-9 };
            let fit = SpectralClustering { solver, ..spec(text, 4) }.fit(x.view(), &compute).unwrap();
            assert_close!(fit.eigenvalues(), &eigen.values[..4], each = tolerance);
            assert_same(fit.labels(), &of);
            let roots = k.sum_axis(Axis(1)).mapv(f64::sqrt);
            let vectors = &fit.embedding() * &roots.insert_axis(Axis(1));
            let left = l.dot(&vectors) - &vectors * &Array1::from(fit.eigenvalues().to_vec());
            assert!(left.iter().all(|v| v.abs() <= tolerance), "{solver}");
            let products = vectors.t().dot(&vectors);
            assert_close!(&products, &Array2::<f64>::eye(4), each = tolerance);
            for column in fit.embedding().columns() {
                let largest = column.iter().copied().fold(0.0_f64, |m, v| if v.abs() > m.abs() { v } else { m });
                assert!(largest > 0.0);
            }
        }
    }
}

#[test]
fn circles_that_k_means_cannot_separate() {
    let compute = Compute::new();
    let (x, of) = circles(600, 0.15);
    for solver in SOLVERS {
        let fit =
            SpectralClustering { solver, ..spec("gaussian(lengthscale=0.3)", 2) }.fit(x.view(), &compute).unwrap();
        assert_same(fit.labels(), &of);
        assert!(fit.evidence().converged && fit.evidence().residual < 1e-9);
    }
    let means = KernelKMeans::new(kernel("linear()"), 2).fit(x.view(), None, &compute).unwrap();
    assert!(adjusted_rand_index(means.labels(), &of).unwrap() < 0.1);
    let new = array![[1.0, 0.0], [0.0, 3.0], [-0.7, -0.7], [2.1, -2.1]];
    let fit = spec("gaussian(lengthscale=0.3)", 2).fit(x.view(), &compute).unwrap();
    assert_eq!(fit.predict(new.view(), &compute).unwrap(), [0, 1, 0, 1]);
}

#[test]
fn coordinates_of_points_of_the_fit_are_their_own() {
    let compute = Compute::new();
    let (x, _) = blobs(250, 3);
    let fit = spec("gaussian(lengthscale=2)", 3).fit(x.view(), &compute).unwrap();
    let again = fit.transform(x.view(), &compute).unwrap();
    assert_close!(&again, &fit.embedding(), each = 1e-9);
    assert_eq!(fit.predict(x.view(), &compute).unwrap(), fit.labels());
    // The formula of the extension, term by term.
    let new = array![[4.0, 1.0], [0.0, 0.0]];
    let k = kernel("gaussian(lengthscale=2)");
    let values = gram::dense(&k.bind(Pairs::between(new.view(), x.view()), &compute).unwrap(), &compute).unwrap();
    let degrees = dense(&k, &x).sum_axis(Axis(1));
    let found = fit.transform(new.view(), &compute).unwrap();
    for i in 0..2 {
        let degree = values.row(i).sum();
        for c in 0..3 {
            let u: f64 = (0..250)
                .map(|j| values[[i, j]] / (degree * degrees[j]).sqrt() * fit.embedding()[[j, c]] * degrees[j].sqrt())
                .sum::<f64>()
                / (1.0 - fit.eigenvalues()[c]);
            assert_close!(found[[i, c]], u / degree.sqrt(), 1e-10);
        }
    }
    assert_eq!(fit.transform(Array2::zeros((0, 2)).view(), &compute).unwrap().dim(), (0, 3));
    assert_eq!(fit.predict(Array2::zeros((1, 5)).view(), &compute).unwrap_err().kind(), "shape");
}

#[test]
fn groups_that_do_not_touch_have_eigenvalues_zero() {
    let compute = Compute::new();
    // Three blocks of ones, in any order.
    let of: Vec<usize> = (0..240).map(|i| (i * 7) % 3).collect();
    let blocks = Array2::from_shape_fn((240, 240), |(i, j)| f64::from(u8::from(of[i] == of[j])));
    for solver in SOLVERS {
        let fit = SpectralClustering { solver, ..spec("precomputed()", 3) }.fit(blocks.view(), &compute).unwrap();
        assert_same(fit.labels(), &of);
        assert!(fit.eigenvalues().iter().all(|v| *v <= 1e-12));
        assert_eq!(fit.predict(blocks.slice(s![..9, ..]), &compute).unwrap(), fit.labels()[..9]);
        // There are no four: every other eigenvalue of the normalized matrix is 0.
        let four = SpectralClustering { solver, ..spec("precomputed()", 4) }.fit(blocks.view(), &compute);
        assert!(matches!(four, Err(Error::TooFew { needed: 4, found: 3, .. })), "{four:?}");
    }
}

#[test]
fn isolated_points_are_listed_and_do_not_disturb() {
    let compute = Compute::new();
    let (x, of) = blobs(60, 2);
    let mut k = Array2::zeros((62, 62));
    k.slice_mut(s![1..61, 1..61]).assign(&dense(&kernel("gaussian(lengthscale=2)"), &x));
    let fit = spec("precomputed()", 2).fit(k.view(), &compute).unwrap();
    assert_eq!(fit.isolated(), [0, 61]);
    assert!(fit.embedding().row(0).iter().all(|v| *v == 0.0));
    assert_same(&fit.labels()[1..61], &of);
    let alone = spec("gaussian(lengthscale=2)", 2).fit(x.view(), &compute).unwrap();
    assert_close!(fit.eigenvalues(), alone.eigenvalues(), each = 1e-12);
    assert_eq!(fit.predict(k.view(), &compute).unwrap(), fit.labels());
    let error = spec("precomputed()", 1).fit(Array2::zeros((4, 4)).view(), &compute).unwrap_err();
    assert!(matches!(error, Error::AllZero { .. }), "{error}");
    // A string without common substrings has the affinity of itself alone: a group of its own.
    let words: Strings = ["aaaa", "aaab", "", "bbbb"].into_iter().collect();
    let fit = spec("spectrum(length=2)", 2).fit(&words, &compute).unwrap();
    assert_eq!(fit.isolated(), [2]);
    assert_eq!((fit.labels()[0], fit.labels()[3]), (0, 1));
}

#[test]
fn negative_affinities_are_refused_with_the_pair() {
    let compute = Compute::new();
    let x = array![[1.0], [2.0], [-3.0], [1.5]];
    for solver in [ClusterSolver::Stored, ClusterSolver::StoredSingle, ClusterSolver::Tiles, ClusterSolver::Landmarks] {
        let error = SpectralClustering { solver, ..spec("linear()", 2) }.fit(x.view(), &compute).unwrap_err();
        let Error::Value { row, column, value, .. } = &error else { panic!("{error}") };
        if solver != ClusterSolver::Landmarks {
            assert_eq!((*row, column.as_str(), value.as_str()), (0, "2", "-3"), "{error}");
        }
        assert!(error.to_string().contains("not negative"), "{error}");
    }
    let mut large = Array2::<f64>::ones((500, 500));
    (large[[450, 321]], large[[321, 450]]) = (-0.5, -0.5);
    for solver in SOLVERS {
        let error = SpectralClustering { solver, ..spec("precomputed()", 2) }.fit(large.view(), &compute).unwrap_err();
        assert!(matches!(&error, Error::Value { row: 321, column, .. } if column == "450"), "{error}");
    }
}

#[test]
fn affinities_need_not_be_positive_semidefinite() {
    // Two triangles with an edge between them and no loops: eigenvalues of both signs.
    let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
    let mut a = Array2::zeros((6, 6));
    edges.iter().for_each(|&(i, j)| (a[[i, j]], a[[j, i]]) = (1.0, 1.0));
    let fit = spec("precomputed()", 2).fit(a.view(), &Compute::new()).unwrap();
    assert_eq!(fit.labels(), [0, 0, 0, 1, 1, 1]);
    let eigen = symmetric_eigen(laplacian(&a).view(), &Compute::new()).unwrap();
    assert_close!(fit.eigenvalues(), &eigen.values[..2], each = 1e-12);
}

#[test]
fn few_points_and_wrong_requests() {
    let compute = Compute::new();
    let one = spec("gaussian()", 1).fit(array![[3.0]].view(), &compute).unwrap();
    assert_eq!((one.labels(), one.eigenvalues()), (&[0][..], &[0.0][..]));
    let (x, _) = blobs(12, 3);
    assert_eq!(spec("gaussian()", 1).fit(x.view(), &compute).unwrap().labels(), [0; 12]);
    let all = spec("gaussian()", 12).fit(x.view(), &compute).unwrap();
    assert_eq!(all.labels(), (0..12).collect::<Vec<_>>());
    for (points, clusters) in [(x.clone(), 13), (Array2::from_elem((5, 2), 1.0), 2), (array![[0.0], [0.0], [1.0]], 3)] {
        let error = spec("gaussian()", clusters).fit(points.view(), &compute).unwrap_err();
        assert!(matches!(error, Error::TooFew { .. }), "{error}");
    }
    assert_eq!(spec("gaussian()", 0).fit(x.view(), &compute).unwrap_err().kind(), "parameter");
    let starts = SpectralClustering { starts: 0, ..spec("gaussian()", 2) };
    assert_eq!(starts.fit(x.view(), &compute).unwrap_err().kind(), "parameter");
    assert_eq!(spec("gaussian()", 2).fit(Array2::zeros((0, 2)).view(), &compute).unwrap_err().kind(), "too_few");
    let mut wrong = x.clone();
    wrong[[7, 0]] = f64::INFINITY;
    assert!(matches!(spec("gaussian()", 2).fit(wrong.view(), &compute), Err(Error::Value { row: 7, .. })));
    let weighted = Array1::ones(12);
    let entry = model::learner("spectral").unwrap();
    let learner = entry.build(&spec("gaussian()", 2).settings()).unwrap();
    let input = FitInput::points(x.view()).with_weights(Some(weighted.view()));
    assert_eq!(learner.fit(&input, &compute).unwrap_err().kind(), "unsupported");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, _) = circles(500, 0.1);
    for solver in [SOLVERS.to_vec(), vec![ClusterSolver::Landmarks]].concat() {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit =
                SpectralClustering { solver, ..spec("gaussian(lengthscale=0.4)", 3) }.fit(x.view(), &compute).unwrap();
            let embedding = fit.embedding().to_owned();
            (bits(&embedding), fit.labels().to_vec(), bits(&fit.transform(x.view(), &compute).unwrap()))
        };
        let one = run(1);
        assert_eq!(one, run(2), "{solver}");
        assert_eq!(one, run(5), "{solver}");
    }
}

#[test]
fn an_order_of_the_rows_changes_nothing_but_names() {
    let compute = Compute::new();
    let (x, _) = circles(300, 0.1);
    let order = Seed(2).stream("order", 0).permutation(300);
    let fit = spec("gaussian(lengthscale=0.4)", 2).fit(x.view(), &compute).unwrap();
    let turned = spec("gaussian(lengthscale=0.4)", 2).fit(x.select(Axis(0), &order).view(), &compute).unwrap();
    let expected: Vec<usize> = order.iter().map(|&i| fit.labels()[i]).collect();
    assert_same(turned.labels(), &expected);
    assert_close!(fit.eigenvalues(), turned.eigenvalues(), each = 1e-12);
}

#[test]
fn landmarks_give_nearly_the_same_coordinates() {
    let compute = Compute::new();
    let (x, of) = circles(1000, 0.15);
    let exact = spec("gaussian(lengthscale=0.5)", 2).fit(x.view(), &compute).unwrap();
    let fit = SpectralClustering { landmarks: Some(200), ..spec("gaussian(lengthscale=0.5)", 2) };
    let fit = fit.fit(x.view(), &compute).unwrap();
    assert_same(fit.labels(), &of);
    assert_close!(fit.eigenvalues(), exact.eigenvalues(), each = 1e-4);
    assert!(fit.evidence().trace_missed > 0.0 && fit.evidence().trace_missed < 0.01 * 1000.0);
    assert!(fit.points().len() <= 200 && fit.plan().approximation.is_some());
    let again = fit.transform(x.view(), &compute).unwrap();
    assert_close!(&again, &fit.embedding(), each = 1e-8);
    assert_eq!(fit.predict(x.view(), &compute).unwrap(), fit.labels());
    let error = SpectralClustering { landmarks: Some(9), ..spec("precomputed()", 2) };
    assert_eq!(error.fit(array![[1.0, 0.5], [0.5, 1.0]].view(), &compute).unwrap_err().kind(), "precomputed");
}

#[test]
fn eigenvalues_close_together_are_found_by_a_factor() {
    // A long chain: eigenvalues of L near (jπ/n)², far too close for products with N.
    let n = 700;
    let x = Array2::from_shape_fn((n, 1), |(i, _)| i as f64);
    let text = "gaussian(lengthscale=1)";
    let eigen = symmetric_eigen(laplacian(&dense(&kernel(text), &x)).view(), &Compute::new()).unwrap();
    let fit = spec(text, 4).fit(x.view(), &Compute::new()).unwrap();
    assert_close!(fit.eigenvalues(), &eigen.values[..4], each = 1e-9);
    let counts: Vec<usize> = (0..4).map(|c| fit.labels().iter().filter(|l| **l == c).count()).collect();
    assert!(counts.iter().all(|count| (100..=250).contains(count)), "{counts:?}");
}

#[test]
fn numbers_of_clusters_are_chosen() {
    let compute = Compute::new();
    for (centers, rule) in [(3, CountRule::Eigengap), (4, CountRule::Eigengap), (3, CountRule::Stability)] {
        let (x, of) = blobs(160, centers);
        let auto = ClusterCount::Auto { max: 6, rule };
        let fit = SpectralClustering { clusters: auto, ..spec("gaussian(lengthscale=1.5)", 1) };
        let fit = fit.fit(x.view(), &compute).unwrap();
        assert_eq!(fit.clusters(), centers);
        assert_eq!(fit.chosen().unwrap().rule, rule);
        assert_same(fit.labels(), &of);
        let given = spec("gaussian(lengthscale=1.5)", centers).fit(x.view(), &compute).unwrap();
        assert_same(given.labels(), fit.labels());
    }
}

#[test]
fn models_come_back_with_the_same_bytes() {
    let compute = Compute::new();
    let (x, _) = circles(150, 0.1);
    let auto = ClusterCount::Auto { max: 4, rule: CountRule::Eigengap };
    let base = spec("gaussian(lengthscale=0.5)", 2);
    for spec in [
        base.clone(),
        SpectralClustering { landmarks: Some(50), ..base.clone() },
        SpectralClustering { clusters: auto, ..base.clone() },
    ] {
        let fit = spec.fit(x.view(), &compute).unwrap();
        let loaded = round_trip(&Model::new(fit.clone(), Inputs::of(&fit)).unwrap());
        let loaded = loaded.into_fitted().take::<SpectralFit>().expect("another kind");
        let coordinates = |fit: &SpectralFit| bits(&fit.transform(x.view(), &compute).unwrap());
        assert_eq!(coordinates(&fit), coordinates(&loaded));
        assert_eq!((fit.labels(), fit.evidence(), fit.chosen()), (loaded.labels(), loaded.evidence(), loaded.chosen()));
        assert_eq!((fit.eigenvalues(), fit.isolated()), (loaded.eigenvalues(), loaded.isolated()));
        assert_eq!((fit.settings(), fit.solver()), (loaded.settings(), loaded.solver()));
    }
    let entry = model::learner("spectral").unwrap();
    assert_eq!(entry.build(&base.settings()).unwrap().settings(), base.settings());
    let learner =
        entry.build(&Settings::new().with("kernel", "gaussian(lengthscale=0.4)").with("clusters", 2.0)).unwrap();
    let fit = learner.fit(&FitInput::points(x.view()), &compute).unwrap();
    assert_eq!(fit.predict(x.view().into(), &compute).unwrap().dim(), (150, 1));
    assert_eq!(fit.transform(0, x.view().into(), &compute).unwrap().dim(), (150, 2));
    assert!(fit.facts().get("eigenvalues").is_some());
}

#[test]
fn cancellation_stops_every_solver() {
    let (x, _) = circles(400, 0.1);
    for solver in [SOLVERS.to_vec(), vec![ClusterSolver::Landmarks]].concat() {
        let cancel = Cancel::default();
        cancel.cancel();
        let compute = Compute::new().with_cancel(cancel);
        let result = SpectralClustering { solver, ..spec("gaussian()", 3) }.fit(x.view(), &compute);
        assert!(matches!(result, Err(Error::Canceled)), "{solver}");
    }
}

/// Heavy tails: many points are isolated or nearly so, and the Laplacian has as many eigenvalues near
/// 0, which no product tells apart. The iteration did not converge, or took in more directions than
/// it had room for, and panicked.
#[test]
fn nearly_isolated_points_are_no_obstacle() {
    let tail = |u: f64| (std::f64::consts::PI * (u - 0.5)).tan();
    for (n, scale) in [(260, 3.0), (260, 10.0), (400, 10.0), (700, 1.0)] {
        let x = Array2::from_shape_fn((n, 2), |(i, j)| {
            let u = if j == 0 { (i as f64 + 0.5) / n as f64 } else { (i as f64 * 0.618_033_988_749_894_9) % 1.0 };
            scale * tail(u)
        });
        let fit = spec("gaussian(gamma=1)", 2).fit(x.view(), &Compute::new()).unwrap();
        assert!(fit.eigenvalues().iter().all(|v| v.abs() <= 1e-9), "{:?}", fit.eigenvalues());
    }
}
