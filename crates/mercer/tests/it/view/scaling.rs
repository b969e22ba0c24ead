//! Classical scaling: distances that come back, new points, the negative part, stress, wrong input.

use mercer::gram::{self, Pairs};
use mercer::learner::{FactValue, FitInput};
use mercer::points::Bags;
use mercer::settings::Settings;
use mercer::solve::symmetric_eigen;
use mercer::view::pca::KernelPca;
use mercer::view::scaling::{ClassicalScaling, ClassicalScalingFit, ENTRY, EigenSolver};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array2, ArrayView2, Axis, array, s};

use crate::common::assert_arrays_close;

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn spec(text: &str, components: usize) -> ClassicalScaling {
    ClassicalScaling::new(kernel(text), Some(components))
}

fn normal(n: usize, d: usize) -> Array2<f64> {
    let mut stream = Seed(13).stream("points", (n * d) as u64);
    Array2::from_shape_fn((n, d), |(_, j)| (1.0 + j as f64) * stream.normal())
}

fn values(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

fn squared_distances(y: ArrayView2<f64>) -> Array2<f64> {
    values(&kernel("sqdist()"), &y.to_owned())
}

#[test]
fn euclidean_distances_come_back() {
    let (x, compute) = (normal(40, 3), Compute::new());
    let fit = ClassicalScaling::new(kernel("sqdist()"), None).fit(&x, &compute).unwrap();
    assert_eq!(fit.components(), 3);
    assert_arrays_close(&squared_distances(fit.embedding()), &squared_distances(x.view()), 1e-11, "distances");
    assert!(fit.stress() < 1e-7 && fit.negative_part().exact() == Some(0.0));
    // They are the principal components.
    let pca = KernelPca::new(kernel("linear()"), Some(3)).fit(&x, &compute).unwrap();
    assert_arrays_close(&fit.embedding(), &pca.scores(), 1e-10, "principal components");
    // New points keep their distances too, and those of the data are found again.
    assert_arrays_close(&fit.transform(&x, &compute).unwrap(), &fit.embedding(), 1e-10, "in sample");
    let t = normal(4, 3);
    let y = fit.transform(&t, &compute).unwrap();
    assert_arrays_close(&squared_distances(y.view()), &squared_distances(t.view()), 1e-10, "new points");
}

#[test]
fn other_kernels_have_their_own_distances() {
    let (x, compute) = (normal(30, 2), Compute::new());
    for text in ["distance(power=1)", "log_distance()", "distance(power=0.5) + sqdist()", "minus(3, gaussian())"] {
        let k = kernel(text);
        let fit =
            ClassicalScaling { indefinite: true, ..ClassicalScaling::new(k.clone(), None) }.fit(&x, &compute).unwrap();
        let d = values(&k, &x);
        // κ(x, y) − ½κ(x, x) − ½κ(y, y): a constant on the diagonal is no distance.
        let expected = &d - d[[0, 0]];
        let mut found = squared_distances(fit.embedding());
        found.diag_mut().fill(0.0);
        assert_arrays_close(&found, &expected, 1e-10, text);
        assert!(fit.stress() < 1e-7 && fit.negative_part().upper < 1e-12, "{text}");
        assert_arrays_close(&fit.transform(&x, &compute).unwrap(), &fit.embedding(), 1e-8, text);
    }
    let bags: Vec<Array2<f64>> = (0..6).map(|i| normal(3 + i, 2) + i as f64).collect();
    let bags = Bags::new(&bags.iter().map(|bag| bag.view()).collect::<Vec<_>>()).unwrap();
    let fit = spec("squared_mmd(gaussian(lengthscale=3))", 5).fit(&bags, &compute).unwrap();
    assert!(fit.stress() < 1e-6);
    assert_arrays_close(&fit.transform(&bags, &compute).unwrap(), &fit.embedding(), 1e-9, "bags");
}

/// Distances around a circle: no Euclidean space has them as squared distances' roots.
fn around(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| {
        let steps = i.abs_diff(j).min(n - i.abs_diff(j)) as f64;
        (steps * std::f64::consts::TAU / n as f64).powi(2)
    })
}

#[test]
fn the_negative_part_and_the_stress_are_those_of_the_formula() {
    let (d, compute) = (around(25), Compute::new());
    let h = Array2::eye(25) - Array2::from_elem((25, 25), 1.0 / 25.0);
    let b = h.dot(&d).dot(&h) * -0.5;
    let all = symmetric_eigen(b.view(), &compute).unwrap().values;
    let negative: f64 = all.iter().filter(|v| **v < 0.0).map(|v| -v).sum();
    let expected = negative / all.iter().map(|v| v.abs()).sum::<f64>();
    let fit = spec("precomputed()", 2).fit(&d, &compute).unwrap();
    assert!(expected > 0.1);
    assert_close!(fit.negative_part().exact().unwrap(), expected, 1e-10);
    assert_close!(fit.eigenvalues()[0], all[24], 1e-12);
    let found = squared_distances(fit.embedding()).mapv(f64::sqrt);
    let exact = d.mapv(f64::sqrt);
    let stress = ((&found - &exact).mapv(|v| v * v).sum() / d.sum()).sqrt();
    assert_close!(fit.stress(), stress, 1e-10);
    // Coordinates beyond the positive eigenvalues are 0, and their eigenvalues are reported.
    let fit = spec("precomputed()", 25).fit(&d, &compute).unwrap();
    let positive = all.iter().filter(|v| **v > 1e-12).count();
    assert!(fit.eigenvalues()[24] < -0.1 && fit.embedding().slice(s![.., positive + 1..]).iter().all(|v| *v == 0.0));
    let new = fit.transform(&d, &compute).unwrap();
    assert_arrays_close(&new, &fit.embedding(), 1e-9, "in sample");
    assert_eq!(ClassicalScaling::new(kernel("precomputed()"), None).fit(&d, &compute).unwrap().components(), positive);
}

#[test]
fn bounds_hold_the_negative_part_where_it_is_not_computed() {
    let (d, compute) = (around(300), Compute::new());
    let exact = spec("precomputed()", 4).fit(&d, &compute).unwrap();
    let iterated = ClassicalScaling { solver: EigenSolver::Leading, ..spec("precomputed()", 4) };
    let fit = iterated.fit(&d, &compute).unwrap();
    let (part, value) = (fit.negative_part(), exact.negative_part().exact().unwrap());
    assert!(fit.plan().solver == EigenSolver::Leading && part.exact().is_none());
    assert!(part.lower > 0.0 && part.lower <= value && value <= part.upper, "{part:?} {value}");
    let found = (squared_distances(fit.embedding()), squared_distances(exact.embedding()));
    assert_arrays_close(&found.0, &found.1, 1e-8, "embedding");
    assert_close!(fit.stress(), exact.stress(), 1e-8);
    // A proof needs no eigenvalues.
    let x = normal(900, 2);
    let proven = spec("sqdist()", 2).fit(&x, &compute).unwrap();
    assert!(proven.plan().solver == EigenSolver::Leading && proven.negative_part().exact() == Some(0.0));
    let tiles = spec("sqdist()", 2).fit(&x, &Compute::new().with_memory(8 << 20)).unwrap();
    assert!(!tiles.plan().stored);
    assert_arrays_close(&tiles.embedding(), &proven.embedding(), 1e-8, "tiles");
}

#[test]
fn kernels_that_are_not_negative_definite_are_refused() {
    let (x, compute) = (normal(10, 2), Compute::new());
    for text in ["gaussian()", "linear()", "polynomial(degree=2)"] {
        match spec(text, 1).fit(&x, &compute) {
            Err(Error::Unsupported { instead, reason, .. }) => {
                assert!(instead.contains("sqdist()") && instead.contains("principal components"), "{instead}");
                assert!(reason.contains("positive definite"), "{reason}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    // Allowed, it embeds what there is, and reports the rest.
    let fit = ClassicalScaling { indefinite: true, ..spec("linear()", 2) }.fit(&x, &compute).unwrap();
    assert!(fit.negative_part().exact().unwrap() > 0.99);
    let cubes = spec("distance(power=3)", 2).fit(&x, &compute);
    assert!(cubes.is_err() || cubes.unwrap().negative_part().lower > 0.0);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let x = normal(500, 2);
    for solver in [EigenSolver::Dense, EigenSolver::Leading] {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let fit = ClassicalScaling { solver, ..spec("distance(power=1)", 2) }.fit(&x, &compute).unwrap();
            let y = fit.transform(x.slice(s![..9, ..]), &compute).unwrap();
            (fit.embedding().to_owned(), fit.stress(), fit.negative_part(), y)
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(5));
    }
}

#[test]
fn one_point_equal_points_and_the_order() {
    let compute = Compute::new();
    for x in [array![[1.0, 2.0]], array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]] {
        let fit = spec("sqdist()", 5).fit(&x, &compute).unwrap();
        assert_eq!(fit.embedding().dim(), (x.nrows(), x.nrows()));
        assert!(fit.embedding().iter().all(|v| *v == 0.0) && fit.stress() == 0.0);
        assert_eq!(fit.negative_part().exact(), Some(0.0));
        assert_eq!(ClassicalScaling::new(kernel("sqdist()"), None).fit(&x, &compute).unwrap().components(), 0);
        assert!(fit.transform(array![[3.0, 4.0]].view(), &compute).unwrap().iter().all(|v| *v == 0.0));
    }
    let x = normal(40, 2);
    let order = Seed(3).stream("order", 0).permutation(40);
    let fit = spec("distance(power=1)", 3).fit(&x, &compute).unwrap();
    let other = spec("distance(power=1)", 3).fit(&x.select(Axis(0), &order), &compute).unwrap();
    assert_arrays_close(&other.embedding(), &fit.embedding().select(Axis(0), &order), 1e-10, "order");
    assert_close!(other.stress(), fit.stress(), 1e-12);
}

#[test]
fn wrong_input_is_refused() {
    let (x, compute) = (normal(10, 2), Compute::new());
    assert!(matches!(spec("sqdist()", 0).fit(&x, &compute), Err(Error::Parameter { .. })));
    assert!(matches!(spec("sqdist()", 1).fit(&Array2::zeros((0, 2)), &compute), Err(Error::TooFew { .. })));
    let nystrom = ClassicalScaling { solver: EigenSolver::Nystrom, ..spec("sqdist()", 1) };
    assert!(matches!(nystrom.fit(&x, &compute), Err(Error::Unsupported { .. })));
    let mut wrong = x.clone();
    wrong[[3, 1]] = f64::NAN;
    assert!(matches!(spec("sqdist()", 1).fit(&wrong, &compute), Err(Error::Value { row: 3, .. })));
    let fit = spec("sqdist()", 1).fit(&x, &compute).unwrap();
    assert!(matches!(fit.transform(&wrong, &compute), Err(Error::Value { row: 3, .. })));
    assert!(matches!(fit.transform(array![[1.0]].view(), &compute), Err(Error::Shape { .. })));
    let precomputed = spec("precomputed()", 1);
    assert!(matches!(precomputed.fit(array![[0.0, 1.0], [2.0, 0.0]].view(), &compute), Err(Error::Precomputed { .. })));
    assert!(matches!(
        precomputed.fit(array![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]].view(), &compute),
        Err(Error::Precomputed { .. })
    ));
    assert!(matches!(
        precomputed.fit(array![[0.0, -1.0], [-1.0, 0.0]].view(), &compute),
        Err(Error::Value { row: 0, .. })
    ));
    let memory = Compute::new().with_memory(1 << 12);
    assert!(matches!(spec("sqdist()", 1).fit(&normal(400, 2), &memory), Err(Error::Memory { .. })));
}

#[test]
fn the_entry_builds_fits_and_reports() {
    let learner = ENTRY.build(&Settings::new().with("components", 2_usize)).unwrap();
    let (x, compute) = (normal(30, 3), Compute::new());
    let input = FitInput::points(&x);
    let fit = learner.fit(&input, &compute).unwrap();
    assert!(fit.downcast_ref::<ClassicalScalingFit>().is_some());
    assert_eq!(fit.facts().get("components"), Some(&FactValue::Count(2)));
    assert_eq!(fit.facts().get("negative_part"), Some(&FactValue::Number(0.0)));
    assert_eq!(ENTRY.complete(fit.settings()).unwrap(), *fit.settings());
    assert!(learner.plan(&input.size(), &compute).unwrap().approximation.is_none());
}
