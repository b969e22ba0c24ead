//! Kernel k-means: clusters around means in ℋ.

use std::collections::BTreeSet;

use crate::common::golden::{Golden, matrix, number, numbers};
use crate::common::graphs::mutag;
use crate::common::models::{bits, round_trip};
use mercer::gram::{self, Pairs};
use mercer::learner::FitInput;
use mercer::model::{self, Inputs, Model};
use mercer::points::Strings;
use mercer::settings::Settings;
use mercer::view::{
    ClusterCount, ClusterSolver, CountRule, KMeansInit, KernelKMeans, KernelKMeansFit, adjusted_rand_index,
    choose_clusters,
};
use mercer::{Cancel, Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, Axis, array, concatenate};

const SOLVERS: [ClusterSolver; 3] = [ClusterSolver::Stored, ClusterSolver::StoredSingle, ClusterSolver::Tiles];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn spec(text: &str, clusters: usize) -> KernelKMeans {
    KernelKMeans::new(kernel(text), clusters)
}

/// Points around centers on a circle of radius 6, with their center.
fn blobs(n: usize, centers: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
    let mut stream = Seed(seed).stream("blobs", n as u64);
    let of: Vec<usize> = (0..n).map(|i| i % centers).collect();
    let place = |c: usize, j: usize| {
        let angle = 2.0 * std::f64::consts::PI * c as f64 / centers as f64;
        6.0 * if j == 0 { angle.cos() } else { angle.sin() }
    };
    let x = Array2::from_shape_fn((n, 2), |(i, j)| place(of[i], j) + 0.7 * stream.normal());
    (x, of)
}

fn random(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("points", n as u64);
    Array2::from_shape_fn((n, d), |_| stream.normal())
}

fn dense(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

/// `Σ wᵢkᵢᵢ − Σ_c (1/W_c) Σ wᵢwⱼkᵢⱼ`, pair by pair.
fn objective(k: &Array2<f64>, labels: &[usize], weights: &[f64]) -> f64 {
    let clusters: BTreeSet<usize> = labels.iter().copied().collect();
    let trace: f64 = (0..labels.len()).map(|i| weights[i] * k[[i, i]]).sum();
    let explained = clusters.iter().map(|c| {
        let members: Vec<usize> = (0..labels.len()).filter(|i| labels[*i] == *c).collect();
        let mass: f64 = members.iter().map(|&i| weights[i]).sum();
        let all = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
        all.map(|(i, j)| weights[i] * weights[j] * k[[i, j]]).sum::<f64>() / mass
    });
    trace - explained.sum::<f64>()
}

/// The best objective over all partitions into exactly `clusters` clusters.
fn best_by_enumeration(k: &Array2<f64>, clusters: usize, weights: &[f64]) -> f64 {
    let n = k.nrows();
    let mut best = f64::INFINITY;
    for code in 0..clusters.pow(n as u32) {
        let labels: Vec<usize> = (0..n).map(|i| code / clusters.pow(i as u32) % clusters).collect();
        if labels.iter().collect::<BTreeSet<_>>().len() == clusters {
            best = best.min(objective(k, &labels, weights));
        }
    }
    best
}

/// Whether no move of one point to another cluster lowers the objective.
fn assert_no_move_improves(k: &Array2<f64>, fit: &KernelKMeansFit) {
    let (labels, weights, now) = (fit.labels(), fit.weights(), fit.evidence().objective);
    for i in 0..labels.len() {
        for to in 0..fit.clusters() {
            let mut moved = labels.to_vec();
            moved[i] = to;
            if moved.iter().collect::<BTreeSet<_>>().len() == fit.clusters() {
                assert!(objective(k, &moved, weights) >= now - 1e-9, "{i} to {to}");
            }
        }
    }
}

#[test]
fn golden_partitions_objectives_and_distances() {
    let golden = Golden::load("c10_kernel_kmeans");
    let (x, compute) = (matrix(golden.input("X")), Compute::new());
    let gaussian = format!("gaussian(lengthscale={:?})", number(&golden.input("params")["l"]));
    let expected = golden.expected();
    let given: Vec<usize> = numbers(golden.input("given_assignment")).into_iter().map(|v| v as usize).collect();
    let fit = spec(&gaussian, 3).assign(x.view(), &given, None, &compute).unwrap();
    assert_eq!(fit.labels(), given);
    golden.check("given_objective", "objective", fit.evidence().objective, number(&expected["given_objective"]));
    let squares = matrix(&expected["distance2_to_means"]);
    let found = fit.distances(x.view(), &compute).unwrap().mapv(|d| d * d);
    golden.check_all("distance2_to_means", "", found.as_slice().unwrap(), squares.as_slice().unwrap());
    for (name, text) in [("kernel", gaussian.as_str()), ("linear", "linear()")] {
        for (clusters, init) in
            [(2, KMeansInit::KMeansPlusPlus), (3, KMeansInit::KMeansPlusPlus), (3, KMeansInit::Random)]
        {
            for solver in SOLVERS {
                let spec = KernelKMeans { solver, init, ..spec(text, clusters) };
                let fit = spec.fit(x.view(), None, &compute).unwrap();
                let key = format!("best_k{clusters}_{name}");
                let labels: Vec<usize> = numbers(&expected[&key]["labels"]).into_iter().map(|v| v as usize).collect();
                golden.check(&key, "objective", fit.evidence().objective, number(&expected[&key]["objective"]));
                assert_eq!(fit.labels(), labels, "{key} {solver}");
                assert!(fit.evidence().converged);
                assert_eq!(fit.predict(x.view(), &compute).unwrap(), labels);
            }
        }
    }
}

#[test]
fn the_best_partition_of_few_points_is_found() {
    let compute = Compute::new();
    for (case, text) in
        ["gaussian()", "linear()", "polynomial(degree=2)", "laplacian(lengthscale=0.5)", "3*gaussian() + linear()"]
            .into_iter()
            .enumerate()
    {
        for n in [3, 5, 8] {
            let x = random(n, 2, case as u64);
            let k = dense(&kernel(text), &x);
            let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i * 7 % 4) as f64).collect();
            for clusters in 1..=n.min(4) {
                for weights in [vec![1.0; n], weights.clone()] {
                    let given = Array1::from(weights.clone());
                    let spec = KernelKMeans { starts: 20, ..spec(text, clusters) };
                    let fit = spec.fit(x.view(), Some(given.view()), &compute).unwrap();
                    let best = best_by_enumeration(&k, clusters, &weights);
                    assert_close!(fit.evidence().objective, best, 1e-10, "{text} {n} {clusters}");
                    assert_close!(objective(&k, fit.labels(), &weights), best, 1e-10);
                    let own: f64 = fit.own_distances().iter().zip(&weights).map(|(d, w)| w * d * d).sum();
                    assert_close!(own, best, 1e-10);
                }
            }
        }
    }
}

/// The best of several draws for each mean finds all of twelve groups in nearly every start: with one
/// draw k-means++ misses some of them in 63 of 100 (a simulation), of which a step of Lloyd repairs few.
#[test]
fn one_start_finds_many_groups() {
    let mut stream = Seed(21).stream("groups", 0);
    let group = |i: usize| (i / 20 / 3, i / 20 % 3);
    let x = Array2::from_shape_fn((240, 2), |(i, j)| {
        10.0 * if j == 0 { group(i).0 } else { group(i).1 } as f64 + stream.normal()
    });
    let classes: Vec<usize> = (0..240).map(|i| i / 20).collect();
    let within: f64 = (0..12)
        .map(|c| {
            let rows = x.slice(ndarray::s![20 * c..20 * (c + 1), ..]);
            let from_mean = &rows - &rows.mean_axis(Axis(0)).unwrap();
            (&from_mean * &from_mean).sum()
        })
        .sum();
    for solver in [ClusterSolver::Stored, ClusterSolver::Landmarks] {
        let start = |init: KMeansInit, seed: u64| {
            let spec = KernelKMeans { init, solver, starts: 1, max_iterations: 1, ..spec("linear()", 12) };
            spec.fit(x.view(), None, &Compute::new().with_seed(Seed(seed))).unwrap()
        };
        let (mut found, mut random) = (0, 0.0);
        for seed in 0..20 {
            let fit = start(KMeansInit::KMeansPlusPlus, seed);
            if adjusted_rand_index(fit.labels(), &classes).unwrap() == 1.0 {
                assert_close!(fit.evidence().objective, within, 1e-6, "{solver} {seed}");
                found += 1;
            }
            random += start(KMeansInit::Random, seed).evidence().objective / 20.0;
        }
        assert!(found >= 17, "{solver}: {found} of 20");
        assert!(random > 2.0 * within, "{solver}: {random} beside {within}");
    }
}

#[test]
fn no_move_of_a_point_improves_any_solver() {
    let compute = Compute::new();
    for text in ["gaussian(lengthscale=0.7)", "polynomial(degree=2)", "matern(nu=3/2)"] {
        let x = random(70, 3, 3);
        let k = dense(&kernel(text), &x);
        for solver in SOLVERS {
            for init in [KMeansInit::KMeansPlusPlus, KMeansInit::Random] {
                let fit =
                    KernelKMeans { solver, init, starts: 2, ..spec(text, 6) }.fit(x.view(), None, &compute).unwrap();
                assert!(fit.evidence().converged && fit.evidence().starts.len() == 2);
                assert_close!(fit.evidence().objective, objective(&k, fit.labels(), fit.weights()), 1e-11);
                if solver != ClusterSolver::StoredSingle {
                    assert_no_move_improves(&k, &fit);
                }
            }
        }
    }
}

#[test]
fn weights_are_repetitions_and_zero_weights_only_follow() {
    let compute = Compute::new();
    let (x, _) = blobs(24, 3, 1);
    let times: Vec<usize> = (0..24).map(|i| [1, 3, 0, 2][i % 4]).collect();
    let rows: Vec<usize> = (0..24).flat_map(|i| vec![i; times[i]]).collect();
    let weights: Array1<f64> = times.iter().map(|&t| t as f64).collect();
    let repeated = x.select(Axis(0), &rows);
    for (solver, text) in SOLVERS.into_iter().zip(["gaussian(lengthscale=3)", "linear()", "laplacian(lengthscale=4)"]) {
        let spec = KernelKMeans { solver, ..spec(text, 3) };
        let weighted = spec.fit(x.view(), Some(weights.view()), &compute).unwrap();
        let plain = spec.fit(repeated.view(), None, &compute).unwrap();
        assert_close!(weighted.evidence().objective, plain.evidence().objective, 1e-11);
        let of_rows: Vec<usize> = rows.iter().map(|&i| weighted.labels()[i]).collect();
        assert_eq!(adjusted_rand_index(&of_rows, plain.labels()).unwrap(), 1.0);
        // A point of weight 0 has the nearest mean.
        assert_eq!(weighted.predict(x.view(), &compute).unwrap(), weighted.labels());
        let [a, b] = [&weighted, &plain].map(|fit| fit.distances(x.view(), &compute).unwrap().sum());
        assert_close!(a, b, 1e-10);
    }
    let half = weights.mapv(|w| 0.5 * w);
    let fit = spec("linear()", 3).fit(x.view(), Some(half.view()), &compute).unwrap();
    let whole = spec("linear()", 3).fit(x.view(), Some(weights.view()), &compute).unwrap();
    assert_close!(2.0 * fit.evidence().objective, whole.evidence().objective, 1e-12);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, _) = blobs(700, 5, 2);
    let weights = Array1::from_shape_fn(700, |i| 0.3 + (i % 5) as f64);
    let solvers = [SOLVERS.to_vec(), vec![ClusterSolver::Landmarks]].concat();
    for solver in solvers {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let spec = KernelKMeans { solver, landmarks: Some(40), starts: 3, ..spec("gaussian(lengthscale=1.5)", 7) };
            let spec = if solver == ClusterSolver::Landmarks { spec } else { KernelKMeans { landmarks: None, ..spec } };
            let fit = spec.fit(x.view(), Some(weights.view()), &compute).unwrap();
            let distances = fit.distances(x.view(), &compute).unwrap();
            (bits(&distances), fit.evidence().clone(), fit.labels().to_vec())
        };
        let one = run(1);
        assert_eq!(one, run(2), "{solver}");
        assert_eq!(one, run(5), "{solver}");
    }
}

#[test]
fn starts_do_not_depend_on_how_many_run_together() {
    let (x, _) = blobs(600, 4, 5);
    let spec = KernelKMeans { solver: ClusterSolver::Tiles, ..spec("gaussian(lengthscale=1)", 9) };
    let run = |memory: u64| {
        let fit = spec.fit(x.view(), None, &Compute::new().with_memory(memory)).unwrap();
        (fit.labels().to_vec(), fit.evidence().clone())
    };
    assert_eq!(run(1 << 30), run(300_000));
}

#[test]
fn an_order_of_the_rows_changes_nothing_but_names() {
    let compute = Compute::new();
    let (x, of) = blobs(90, 3, 4);
    let order = Seed(1).stream("order", 0).permutation(90);
    let turned = x.select(Axis(0), &order);
    for text in ["gaussian(lengthscale=2)", "linear()"] {
        let fit = spec(text, 3).fit(x.view(), None, &compute).unwrap();
        let other = spec(text, 3).fit(turned.view(), None, &compute).unwrap();
        let expected: Vec<usize> = order.iter().map(|&i| fit.labels()[i]).collect();
        assert_eq!(adjusted_rand_index(other.labels(), &expected).unwrap(), 1.0);
        assert_close!(fit.evidence().objective, other.evidence().objective, 1e-12);
        assert_eq!(adjusted_rand_index(fit.labels(), &of).unwrap(), 1.0);
        for labels in [fit.labels(), other.labels()] {
            let first: Vec<usize> = (0..3).map(|c| labels.iter().position(|l| *l == c).unwrap()).collect();
            assert!(first.windows(2).all(|pair| pair[0] < pair[1]), "{first:?}");
        }
    }
}

#[test]
fn one_cluster_and_one_per_point() {
    let compute = Compute::new();
    let x = random(9, 2, 8);
    for text in ["gaussian()", "linear()", "2*laplacian()"] {
        let k = dense(&kernel(text), &x);
        let one = spec(text, 1).fit(x.view(), None, &compute).unwrap();
        assert_eq!(one.labels(), [0; 9]);
        assert_close!(one.evidence().objective, objective(&k, &[0; 9], &[1.0; 9]), 1e-12);
        let all = spec(text, 9).fit(x.view(), None, &compute).unwrap();
        assert_eq!(all.labels(), (0..9).collect::<Vec<_>>());
        assert_close!(all.evidence().objective, 0.0, abs = 1e-14);
        assert!(all.own_distances().iter().all(|d| *d <= 1e-7));
    }
    let single = array![[3.0, 4.0]];
    let fit = spec("linear()", 1).fit(single.view(), None, &compute).unwrap();
    assert_eq!((fit.labels(), fit.evidence().objective), (&[0][..], 0.0));
    assert_close!(fit.distances(array![[0.0, 0.0]].view(), &compute).unwrap()[[0, 0]], 5.0, 1e-12);
    assert_eq!(fit.predict(Array2::zeros((0, 2)).view(), &compute).unwrap(), Vec::<usize>::new());
    assert_eq!(fit.distances(Array2::zeros((0, 2)).view(), &compute).unwrap().dim(), (0, 1));
}

#[test]
fn more_clusters_than_distinct_points_are_refused() {
    let compute = Compute::new();
    let x = array![[0.0], [1.0], [1.0], [0.0], [2.0]];
    for solver in [ClusterSolver::Stored, ClusterSolver::StoredSingle, ClusterSolver::Tiles, ClusterSolver::Landmarks] {
        for init in [KMeansInit::KMeansPlusPlus, KMeansInit::Random] {
            let spec = |clusters| KernelKMeans { solver, init, ..spec("gaussian()", clusters) };
            let fit = spec(3).fit(x.view(), None, &compute).unwrap();
            assert_eq!(fit.labels(), [0, 1, 1, 0, 2], "{solver}");
            assert_close!(fit.evidence().objective, 0.0, abs = 1e-12);
            for clusters in [4, 5, 6, 1000] {
                let error = spec(clusters).fit(x.view(), None, &compute).unwrap_err();
                let Error::TooFew { needed, found, .. } = &error else { panic!("{error}") };
                assert_eq!(*needed, clusters);
                assert!(*found == 3 || clusters > 5 && *found == 5, "{error}");
            }
        }
    }
    // Weights decide which points there are.
    let weights = array![1.0, 1.0, 0.0, 0.0, 0.0];
    assert!(spec("gaussian()", 3).fit(x.view(), Some(weights.view()), &compute).is_err());
    let fit = spec("gaussian()", 2).fit(x.view(), Some(weights.view()), &compute).unwrap();
    assert_eq!(fit.labels(), [0, 1, 1, 0, 1]);
    let constant = Array2::from_elem((6, 2), 0.25);
    assert!(spec("gaussian()", 2).fit(constant.view(), None, &compute).is_err());
    let one = spec("gaussian()", 1).fit(constant.view(), None, &compute).unwrap();
    assert_close!(one.evidence().objective, 0.0, abs = 1e-13);
}

#[test]
fn wrong_requests_are_refused_at_the_door() {
    let compute = Compute::new();
    let x = random(6, 2, 1);
    let parameter = |spec: KernelKMeans| match spec.fit(x.view(), None, &compute) {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let base = spec("gaussian()", 2);
    assert_eq!(parameter(KernelKMeans { clusters: 0.into(), ..base.clone() }), "clusters");
    assert_eq!(parameter(KernelKMeans { starts: 0, ..base.clone() }), "starts");
    assert_eq!(parameter(KernelKMeans { max_iterations: 0, ..base.clone() }), "max_iterations");
    assert_eq!(parameter(KernelKMeans { landmarks: Some(0), ..base.clone() }), "landmarks");
    let auto = ClusterCount::Auto { max: 1, rule: CountRule::Eigengap };
    assert_eq!(parameter(KernelKMeans { clusters: auto, ..base.clone() }), "max_clusters");
    assert!(matches!(base.fit(Array2::zeros((0, 2)).view(), None, &compute), Err(Error::TooFew { .. })));
    let mut wrong = x.clone();
    wrong[[3, 1]] = f64::NAN;
    assert!(matches!(base.fit(wrong.view(), None, &compute), Err(Error::Value { row: 3, .. })));
    for (weights, kind) in [
        (array![1.0, 1.0], "shape"),
        (Array1::zeros(6), "all_zero"),
        (array![1.0, 1.0, -1.0, 1.0, 1.0, 1.0], "value"),
        (array![1.0, 1.0, f64::INFINITY, 1.0, 1.0, 1.0], "value"),
    ] {
        assert_eq!(base.fit(x.view(), Some(weights.view()), &compute).unwrap_err().kind(), kind);
    }
    let assigned = |labels: &[usize]| base.assign(x.view(), labels, None, &compute).unwrap_err();
    assert_eq!(assigned(&[0, 1]).kind(), "shape");
    assert_eq!(assigned(&[0, 0, 0, 2, 2, 2]).kind(), "empty_class");
    assert_eq!(assigned(&[0, 0, 0, 0, 0, usize::MAX - 1]).kind(), "empty_class");
    let fit = base.fit(x.view(), None, &compute).unwrap();
    assert_eq!(fit.predict(random(3, 5, 1).view(), &compute).unwrap_err().kind(), "shape");
    assert_eq!(fit.mean(2, &compute).unwrap_err().kind(), "parameter");
}

#[test]
fn means_are_functions_of_the_space() {
    let compute = Compute::new();
    let (x, _) = blobs(30, 3, 7);
    let fit = spec("gaussian(lengthscale=2)", 3).fit(x.view(), None, &compute).unwrap();
    let new = random(5, 2, 2);
    let distances = fit.distances(new.view(), &compute).unwrap();
    for cluster in 0..3 {
        let mean = fit.mean(cluster, &compute).unwrap();
        assert_close!(mean.squared_norm(&compute).unwrap(), fit.squared_norms()[cluster], 1e-12);
        let values = mean.evaluate(new.view(), &compute).unwrap();
        for i in 0..5 {
            let squared = 1.0 - 2.0 * values[i] + fit.squared_norms()[cluster];
            assert_close!(distances[[i, cluster]].powi(2), squared, 1e-12);
        }
    }
}

#[test]
fn strings_and_graphs_are_points() {
    let compute = Compute::new();
    let words: Strings = ["aaaa", "aaab", "abaa", "zzzz", "zzzy", "yzzz", "aaaa"].into_iter().collect();
    let fit = spec("normalized(spectrum(length=2))", 2).fit(&words, None, &compute).unwrap();
    assert_eq!(fit.labels(), [0, 0, 0, 1, 1, 1, 0]);
    let new: Strings = ["zzz", "aab"].into_iter().collect();
    assert_eq!(fit.predict(&new, &compute).unwrap(), [1, 0]);
    assert_eq!(fit.distances(&new, &compute).unwrap().dim(), (2, 2));
    let (graphs, _) = mutag();
    let graphs = spec("normalized(weisfeiler_lehman(depth=2))", 4).fit(&graphs, None, &compute).unwrap();
    assert!(graphs.evidence().converged && graphs.clusters() == 4);
    let own: f64 = graphs.own_distances().iter().map(|d| d * d).sum();
    assert_close!(own, graphs.evidence().objective, 1e-10);
}

#[test]
fn precomputed_values_give_the_same_clusters() {
    let compute = Compute::new();
    let (x, _) = blobs(60, 3, 3);
    let k = dense(&kernel("gaussian(lengthscale=2)"), &x);
    let points = spec("gaussian(lengthscale=2)", 3).fit(x.view(), None, &compute).unwrap();
    let values = spec("precomputed()", 3).fit(k.view(), None, &compute).unwrap();
    assert_eq!(points.labels(), values.labels());
    assert_close!(points.evidence().objective, values.evidence().objective, 1e-12);
    assert_eq!(values.predict(k.view(), &compute).unwrap(), values.labels());
    let part = k.slice(ndarray::s![..5, ..]).to_owned();
    assert_eq!(values.predict(part.view(), &compute).unwrap(), values.labels()[..5]);
    assert_eq!(values.distances(part.view(), &compute).unwrap_err().kind(), "precomputed");
    let found = values.distances_with(part.view(), Array1::ones(5).view(), &compute).unwrap();
    let expected = points.distances(x.slice(ndarray::s![..5, ..]), &compute).unwrap();
    assert_close!(&found, &expected, each = 1e-12);
    assert!(values.distances_with(part.view(), Array1::ones(4).view(), &compute).is_err());
    let landmarks = KernelKMeans { landmarks: Some(5), ..spec("precomputed()", 3) };
    assert_eq!(landmarks.fit(k.view(), None, &compute).unwrap_err().kind(), "precomputed");
    assert_eq!(spec("precomputed()", 2).fit(part.view(), None, &compute).unwrap_err().kind(), "precomputed");
}

#[test]
fn indefinite_kernels_are_refused_with_the_counterexample_unless_they_are_meant() {
    let compute = Compute::new();
    let x = random(8, 2, 6);
    let error = spec("tanh()", 2).fit(x.view(), None, &compute).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { counterexample: Some(_), .. }), "{error}");
    // Eigenvalues 3 and −1.
    let small = array![[1.0, 2.0], [2.0, 1.0]];
    let error = spec("precomputed()", 2).fit(small.view(), None, &compute).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
    // Beyond the size whose eigenvalues are computed, the pair is named.
    let large = Array2::from_shape_fn((500, 500), |(i, j)| if i == j { 1.0 } else { 1.5 });
    let error = spec("precomputed()", 2).fit(large.view(), None, &compute).unwrap_err();
    assert!(error.to_string().contains("squared distance"), "{error}");
    for (text, values) in [("tanh()", dense(&kernel("tanh()"), &x)), ("precomputed()", signs(8))] {
        let points = if text == "tanh()" { &x } else { &values };
        for clusters in 1..=4 {
            for solver in SOLVERS {
                let spec = KernelKMeans { indefinite: true, solver, starts: 30, ..spec(text, clusters) };
                let fit = spec.fit(points.view(), None, &compute).unwrap();
                let best = best_by_enumeration(&values, clusters, &[1.0; 8]);
                assert_close!(fit.evidence().objective, best, 1e-7, "{text} {clusters} {solver}");
            }
        }
    }
    let landmarks = KernelKMeans { indefinite: true, landmarks: Some(3), ..spec("tanh()", 2) };
    assert_eq!(landmarks.fit(x.view(), None, &compute).unwrap_err().kind(), "unsupported");
    let meant = KernelKMeans { indefinite: true, ..spec("precomputed()", 1) };
    assert_close!(meant.fit(small.view(), None, &compute).unwrap().evidence().objective, 2.0 - 3.0, 1e-12);
}

/// A symmetric matrix with eigenvalues of both signs.
fn signs(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| (((i + 1) * (j + 1)) as f64).sin() + if i == j { 0.3 } else { 0.0 })
}

#[test]
fn landmarks_find_clear_clusters_and_bound_the_objective() {
    let compute = Compute::new();
    let (x, of) = blobs(900, 4, 9);
    let base = spec("gaussian(lengthscale=2)", 4);
    let exact = base.fit(x.view(), None, &compute).unwrap();
    let fit = KernelKMeans { landmarks: Some(30), ..base.clone() }.fit(x.view(), None, &compute).unwrap();
    assert_eq!(fit.solver(), ClusterSolver::Landmarks);
    assert!(fit.plan().approximation.as_ref().unwrap().contains("30 landmarks"));
    assert_eq!(adjusted_rand_index(fit.labels(), &of).unwrap(), 1.0);
    assert_eq!(fit.labels(), exact.labels());
    let (upper, missed) = (fit.evidence().objective, fit.evidence().trace_missed);
    assert!(missed > 0.0 && missed < 0.05 * 900.0, "{missed}");
    let same = base.assign(x.view(), fit.labels(), None, &compute).unwrap().evidence().objective;
    assert!(upper - missed <= same + 1e-9 && same <= upper + 1e-9, "{upper} {missed} {same}");
    assert_eq!(fit.predict(x.view(), &compute).unwrap(), fit.labels());
    let distances = fit.distances(x.view(), &compute).unwrap();
    let own: f64 = (0..900).map(|i| distances[[i, fit.labels()[i]]].powi(2)).sum();
    assert_close!(own, upper, 1e-9);
    assert!(fit.points().len() <= 30);
    // All points as landmarks, or the rank of the kernel: nothing is missed.
    let (x, _) = blobs(60, 4, 9);
    for (text, landmarks) in [("gaussian(lengthscale=2)", 60), ("linear()", 5)] {
        let exact = spec(text, 4).fit(x.view(), None, &compute).unwrap();
        let fit = KernelKMeans { landmarks: Some(landmarks), ..spec(text, 4) }.fit(x.view(), None, &compute).unwrap();
        assert_close!(fit.evidence().objective, exact.evidence().objective, 1e-6);
        assert_eq!(fit.labels(), exact.labels());
    }
}

#[test]
fn plans_follow_the_memory_and_the_time() {
    let base = spec("gaussian()", 8);
    let solver = |rows: usize, memory: u64| base.plan(rows, 10, &Compute::new().with_memory(memory)).unwrap().solver;
    assert_eq!(solver(5_000, 1 << 30), "stored kernel matrix");
    assert_eq!(solver(15_000, 1 << 30), "kernel matrix stored in single precision");
    assert_eq!(solver(30_000, 1 << 30), "tiles of the kernel matrix");
    assert_eq!(solver(100_000, 1 << 30), "Nyström features of landmarks");
    let late = Compute::new().with_memory(1 << 30).with_speed(1e9).with_time(0.1);
    let plan = base.plan(8_000, 10, &late).unwrap();
    assert!(plan.solver.contains("landmarks") && plan.reason.contains("time limit"), "{plan}");
    let error = base.plan(100_000, 10, &Compute::new().with_memory(1 << 20)).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    let stored = KernelKMeans { solver: ClusterSolver::Stored, ..base };
    assert!(stored.plan(100_000, 10, &Compute::new().with_memory(1 << 30)).is_err());
}

#[test]
fn numbers_of_clusters_are_chosen_with_their_scores() {
    let compute = Compute::new();
    for centers in [2, 3, 5] {
        let (x, of) = blobs(150, centers, 11);
        for (rule, text) in [(CountRule::Eigengap, "gaussian(lengthscale=1.5)"), (CountRule::Stability, "linear()")] {
            let chosen = choose_clusters(&spec(text, 2), x.view(), 7, rule, &compute).unwrap();
            assert_eq!(chosen.clusters, centers, "{chosen:?}");
            let counts: Vec<usize> = chosen.table.iter().map(|row| row.clusters).collect();
            assert_eq!(counts.last(), Some(&7));
            let auto = KernelKMeans { clusters: ClusterCount::Auto { max: 7, rule }, ..spec(text, 1) };
            let fit = auto.fit(x.view(), None, &compute).unwrap();
            assert_eq!((fit.clusters(), fit.chosen()), (centers, Some(&chosen)));
            assert_eq!(adjusted_rand_index(fit.labels(), &of).unwrap(), 1.0);
        }
    }
    // Three distinct points: halves have no more.
    let repeated = Array2::from_shape_fn((40, 1), |(i, _)| [0.0, 5.0, 9.0][i % 3]);
    let chosen = choose_clusters(&spec("linear()", 2), repeated.view(), 8, CountRule::Stability, &compute).unwrap();
    assert_eq!((chosen.clusters, chosen.table.len()), (3, 2));
    let few = array![[0.0], [1.0]];
    let spec = spec("gaussian()", 2);
    assert_eq!(choose_clusters(&spec, few.view(), 9, CountRule::Eigengap, &compute).unwrap().clusters, 2);
    assert_eq!(
        choose_clusters(&spec, few.slice(ndarray::s![..1, ..]), 9, CountRule::Eigengap, &compute).unwrap().clusters,
        1
    );
    assert!(choose_clusters(&spec, few.view(), 9, CountRule::Stability, &compute).is_err());
    assert!(choose_clusters(&spec, few.view(), 1, CountRule::Stability, &compute).is_err());
    let k = dense(&kernel("linear()"), &array![[1.0], [-1.0], [2.0]]);
    let values = KernelKMeans::new(kernel("precomputed()"), 2);
    let error = choose_clusters(&values, Points::Precomputed(k.view()), 2, CountRule::Eigengap, &compute).unwrap_err();
    assert!(matches!(error, Error::Value { row: 0, .. }), "{error}");
}

#[test]
fn agreement_of_partitions() {
    let index = |a: &[usize], b: &[usize]| adjusted_rand_index(a, b).unwrap();
    assert_eq!(index(&[0, 0, 1, 1, 2], &[2, 2, 0, 0, 1]), 1.0);
    assert_eq!(index(&[], &[]), 1.0);
    assert_eq!(index(&[0, 0, 0], &[0, 0, 0]), 1.0);
    // scikit-learn: adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]) = 0.5714285714285714.
    assert_close!(index(&[0, 0, 1, 1], &[0, 0, 1, 2]), 4.0 / 7.0, 1e-15);
    assert!(adjusted_rand_index(&[0], &[0, 1]).is_err());
}

#[test]
fn models_come_back_with_the_same_bytes() {
    let compute = Compute::new();
    let (x, _) = blobs(80, 3, 12);
    let weights = Array1::from_shape_fn(80, |i| (i % 3) as f64);
    let base = spec("gaussian(lengthscale=median)", 3);
    let auto = ClusterCount::Auto { max: 5, rule: CountRule::Eigengap };
    for spec in [
        base.clone(),
        KernelKMeans { landmarks: Some(20), ..base.clone() },
        KernelKMeans { solver: ClusterSolver::StoredSingle, clusters: auto, ..base.clone() },
    ] {
        let fit = spec.fit(x.view(), Some(weights.view()), &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::of(&fit)).unwrap();
        let loaded = round_trip(&model).into_fitted().take::<KernelKMeansFit>().expect("another kind");
        let new = random(20, 2, 1);
        let distances = |fit: &KernelKMeansFit| bits(&fit.distances(new.view(), &compute).unwrap());
        assert_eq!(distances(&fit), distances(&loaded));
        assert_eq!((fit.labels(), fit.evidence(), fit.chosen()), (loaded.labels(), loaded.evidence(), loaded.chosen()));
        assert_eq!((fit.settings(), fit.solver()), (loaded.settings(), loaded.solver()));
    }
    let words: Strings = ["ab", "ba", "zz"].into_iter().collect();
    let fit = KernelKMeans::new(kernel("spectrum(length=1)"), 2).fit(&words, None, &compute).unwrap();
    let loaded = round_trip(&Model::new(fit.clone(), Inputs::of(&fit)).unwrap());
    assert_eq!(loaded.predict(&words, &compute).unwrap().column(0).to_vec(), [0.0, 0.0, 1.0]);
}

#[test]
fn the_catalogue_builds_what_settings_say() {
    let compute = Compute::new();
    let entry = model::learner("kmeans").unwrap();
    let spec = KernelKMeans { landmarks: Some(12), init: KMeansInit::Random, ..spec("gaussian(lengthscale=2)", 3) };
    assert_eq!(entry.build(&spec.settings()).unwrap().settings(), spec.settings());
    let auto = entry.build(&Settings::new().with("kernel", "gaussian(lengthscale=1.5)")).unwrap();
    let (x, _) = blobs(120, 4, 1);
    let fit = auto.fit(&FitInput::points(x.view()), &compute).unwrap();
    let typed = fit.downcast_ref::<KernelKMeansFit>().unwrap();
    assert_eq!(typed.clusters(), 4);
    assert_eq!(fit.predict(x.view().into(), &compute).unwrap()[[5, 0]], typed.labels()[5] as f64);
    assert_eq!(fit.transform(0, x.view().into(), &compute).unwrap().dim(), (120, 4));
    assert!(fit.facts().get("cluster_scores").is_some() && fit.facts().get("objective").is_some());
}

#[test]
fn cancellation_stops_every_solver() {
    let (x, _) = blobs(400, 3, 1);
    for solver in [SOLVERS.to_vec(), vec![ClusterSolver::Landmarks]].concat() {
        let cancel = Cancel::default();
        cancel.cancel();
        let compute = Compute::new().with_cancel(cancel);
        let result = KernelKMeans { solver, ..spec("gaussian()", 3) }.fit(x.view(), None, &compute);
        assert!(matches!(result, Err(Error::Canceled)), "{solver}");
    }
}

#[test]
fn few_iterations_say_that_they_did_not_converge() {
    let x = random(300, 2, 5);
    for solver in [ClusterSolver::Stored, ClusterSolver::Landmarks] {
        let spec =
            KernelKMeans { solver, max_iterations: 1, starts: 1, init: KMeansInit::Random, ..spec("gaussian()", 12) };
        let fit = spec.fit(x.view(), None, &Compute::new()).unwrap();
        assert!(!fit.evidence().converged && fit.evidence().iterations == 1);
    }
}

#[test]
fn repeated_blocks_of_points_and_far_offsets() {
    let compute = Compute::new();
    let (x, of) = blobs(60, 3, 2);
    // The values of the linear kernel are near 2·10⁶, distances near 1.
    let far = &x + 1e3;
    let fit = spec("linear()", 3).fit(far.view(), None, &compute).unwrap();
    assert_eq!(adjusted_rand_index(fit.labels(), &of).unwrap(), 1.0);
    let near = spec("linear()", 3).fit(x.view(), None, &compute).unwrap();
    assert_close!(fit.evidence().objective, near.evidence().objective, abs = 1e-5);
    let twice = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let fit = spec("gaussian(lengthscale=2)", 60).fit(twice.view(), None, &compute).unwrap();
    assert_close!(fit.evidence().objective, 0.0, abs = 1e-12);
    assert_eq!(fit.labels()[..60], fit.labels()[60..]);
}

#[test]
fn one_point_far_away_hides_no_others() {
    let compute = Compute::new();
    let (mut x, of) = blobs(61, 3, 2);
    x.row_mut(60).fill(1e7);
    let k = dense(&kernel("linear()"), &x.mapv(|v| if v == 1e7 { 0.0 } else { v }));
    for solver in [ClusterSolver::Stored, ClusterSolver::Tiles, ClusterSolver::Landmarks] {
        let fit = KernelKMeans { solver, ..spec("linear()", 4) }.fit(x.view(), None, &compute).unwrap();
        assert_eq!(adjusted_rand_index(&fit.labels()[..60], &of[..60]).unwrap(), 1.0, "{solver}");
        let near = objective(&k, fit.labels(), &[vec![1.0; 60], vec![1e-300]].concat());
        assert!(near < 60.0, "{near}");
    }
}
