use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::Array2;

use super::kkt::Kkt;
use super::rows::{Room, Submatrix};
use super::shrinking::ActiveSet;
use super::*;
use crate::gram::Pairs;
use crate::{Cancel, Kernel, Seed};

/// Two noisy clouds and their labels.
fn clouds(n: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Seed(seed).stream("clouds", n as u64);
    let labels: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let x = Array2::from_shape_fn((n, 3), |(i, j)| stream.normal() + if j == 0 { 0.7 * labels[i] } else { 0.0 });
    (x, labels)
}

fn classifier(labels: &[f64], c: f64, constraint: Constraint) -> DualProblem {
    let n = labels.len();
    DualProblem {
        points: (0..n).collect(),
        signs: labels.to_vec(),
        linear: vec![-1.0; n],
        upper: vec![c; n],
        start: vec![0.0; n],
        guesses: Vec::new(),
        constraint,
    }
}

fn solve(x: &Array2<f64>, problem: &DualProblem, options: &DualOptions) -> DualSolution {
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    problem.solve_on(&bound, options, &compute).unwrap()
}

#[test]
fn small_working_sets_find_the_same_optimum() {
    let (x, labels) = clouds(300, 1);
    for constraint in [Constraint::Sum, Constraint::Free] {
        let problem = classifier(&labels, 2.0, constraint);
        let tight = DualOptions { tolerance: 1e-9, ..Default::default() };
        let whole = solve(&x, &problem, &tight);
        assert_eq!(whole.stopped, Stopped::Converged);
        let small = solve(&x, &problem, &DualOptions { working_set: 16, ..tight });
        assert_close!(whole.objective, small.objective, abs = 1e-9 * whole.objective.abs(), "{constraint:?}");
        assert_close!(whole.alpha.iter(), &small.alpha, each = 1e-5, "{constraint:?}");
        assert_close!(whole.offset(), small.offset(), abs = 1e-7, "{constraint:?}");
    }
}

/// Regressions have two variables for every point, here with bounds of their own (some 0) and with
/// repeated points. All of them are one working set where every row is in memory, and are shrunk
/// when steps have passed over many points; small working sets have neither.
#[test]
fn regressions_have_the_same_optimum_with_any_working_sets() {
    let n = 600;
    let (x, _) = clouds(n, 11);
    let x = Array2::from_shape_fn((n, 3), |(i, j)| x[[if i % 7 == 3 { i - 3 } else { i }, j]]);
    let mut stream = Seed(12).stream("targets", 0);
    let targets: Vec<f64> = x.rows().into_iter().map(|r| (2.0 * r[0]).sin() + 0.3 * stream.normal()).collect();
    for (c, tolerance) in [(0.5, 1e-7), (200.0, 1e-4)] {
        let weight = |i: usize| [1.0, 0.0, 2.0, 0.5][i % 4];
        let upper: Vec<f64> = (0..2 * n).map(|i| c * weight(i % n)).collect();
        let linear = |width: f64| targets.iter().map(|t| width - t).chain(targets.iter().map(|t| width + t)).collect();
        let start: Vec<f64> = upper.iter().map(|u| 0.3 * u).collect();
        let epsilon = [(0.1, Constraint::Sum, vec![0.0; 2 * n]), (0.1, Constraint::Free, vec![0.0; 2 * n])];
        // Steps of single variables, as without a constraint, take too long for large bounds.
        let few = if c > 1.0 { 1 } else { 3 };
        for (width, constraint, start) in epsilon.into_iter().chain([(0.0, Constraint::SumPerSign, start)]).take(few) {
            let problem = DualProblem {
                points: (0..n).chain(0..n).collect(),
                signs: [vec![1.0; n], vec![-1.0; n]].concat(),
                linear: linear(width),
                upper: upper.clone(),
                start,
                guesses: Vec::new(),
                constraint,
            };
            let run = |working_set| solve(&x, &problem, &DualOptions { tolerance, working_set, max_steps: None });
            let (whole, small) = (run(n), run(48));
            for found in [&whole, &small] {
                assert_eq!(found.stopped, Stopped::Converged, "{c} {constraint:?}");
                assert!(found.violation <= tolerance, "{c} {constraint:?}: {}", found.violation);
                assert!(found.alpha.iter().zip(&upper).all(|(a, u)| *a >= 0.0 && a <= u), "{c} {constraint:?}");
                let sums = problem.sums(&problem.start);
                assert!(same(problem.sums(&found.alpha), sums, found.alpha.iter().sum()), "{c} {constraint:?}");
            }
            // Neither is further from the minimum than its gap.
            let gaps = whole.gap + small.gap;
            assert!((whole.objective - small.objective).abs() <= gaps, "{c} {constraint:?}");
            assert!(gaps <= 1e-3 * whole.objective.abs(), "{c} {constraint:?}: {gaps}");
        }
    }
}

#[test]
fn sums_are_kept_and_bounds_hold() {
    let (x, labels) = clouds(200, 2);
    let mut problem = classifier(&labels, 1.0, Constraint::SumPerSign);
    problem.linear = vec![0.0; 200];
    problem.start = (0..200).map(|i| if i < 60 { 1.0 } else { 0.0 }).collect();
    for max_steps in [Some(1), Some(37), None] {
        let options = DualOptions { tolerance: 1e-8, max_steps, working_set: 24 };
        let found = solve(&x, &problem, &options);
        for sign in [1.0, -1.0] {
            let sum: f64 = (0..200).filter(|&i| labels[i] == sign).map(|i| found.alpha[i]).sum();
            assert_close!(sum, 30.0, abs = 1e-9, "{max_steps:?}: {sum}");
        }
        assert!(found.alpha.iter().all(|a| (0.0..=1.0).contains(a)));
        assert_eq!(found.stopped == Stopped::Converged, max_steps.is_none());
        assert!(max_steps.is_none_or(|max| found.steps <= max));
    }
}

#[test]
fn cached_rows_are_the_rows_of_the_matrix() {
    let (x, _) = clouds(2100, 3);
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let matrix = crate::gram::dense(&bound, &compute).unwrap();
    let little = compute.clone().with_memory(4 * 4 * 40 * 2100);
    let mut rows = KernelRows::new(&bound, 40, &little).unwrap();
    assert_eq!(rows.capacity(), 80);
    for round in 0..30_usize {
        let requested: Vec<usize> = (0..40).map(|k| (round * 97 + k * 13) % 2100).collect();
        let mut sum = vec![0.0; 2100];
        rows.spread(&[(requested[3], 1.0), (requested[39], -2.0)], &mut sum, &little).unwrap();
        let mut room = Room::default();
        let Submatrix::Single(submatrix) = rows.submatrix(&requested, &mut room, &little).unwrap() else {
            panic!("rows of a cache are single")
        };
        for (i, &w) in requested.iter().enumerate() {
            assert!((0..40).all(|j| (submatrix.at(i, j) - matrix[[w, requested[j]]]).abs() < 1e-6), "row {w}");
        }
        let expected = |j: usize| matrix[[requested[3], j]] - 2.0 * matrix[[requested[39], j]];
        assert!((0..2100).all(|j| (sum[j] - expected(j)).abs() < 1e-6), "round {round}");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    // Little memory: the matrix is not made whole.
    let (x, labels) = clouds(4200, 4);
    let problem = classifier(&labels, 1.0, Constraint::Sum);
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let run = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap().with_memory(100 << 20);
        let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
        problem.solve_on(&bound, &DualOptions { working_set: 128, ..Default::default() }, &compute).unwrap()
    };
    let one = run(1);
    assert_eq!(one.stopped, Stopped::Converged);
    assert_eq!(one, run(2));
}

#[test]
fn wrong_problems_are_refused() {
    let (x, labels) = clouds(4, 5);
    let compute = Compute::new();
    let kernel: Kernel = "linear()".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let good = classifier(&labels, 1.0, Constraint::Sum);
    let refused = |problem: DualProblem, tolerance: f64| {
        problem.solve_on(&bound, &DualOptions { tolerance, ..Default::default() }, &compute).is_err()
    };
    assert!(!refused(good.clone(), 1e-3));
    assert!(refused(good.clone(), 0.0));
    assert!(refused(DualProblem { start: vec![2.0; 4], ..good.clone() }, 1e-3));
    assert!(refused(DualProblem { linear: vec![0.0; 3], ..good.clone() }, 1e-3));
    assert!(refused(DualProblem { points: vec![0, 1, 2, 4], ..good }, 1e-3));
}

#[test]
fn parts_of_a_matrix_are_read_where_they_are_or_copied() {
    let (x, labels) = clouds(2200, 6);
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let whole = KernelRows::whole(&bound, &compute).unwrap();
    let options = DualOptions { tolerance: 1e-6, ..Default::default() };
    // Two runs, and many.
    for points in [(30..400).chain(1500..1900).collect::<Vec<usize>>(), (0..500).map(|i| 3 * i).collect()] {
        let chosen: Vec<f64> = points.iter().map(|&p| labels[p]).collect();
        let problem = classifier(&chosen, 1.0, Constraint::Sum);
        let found = problem.solve(&mut whole.subset(&points), &options, &compute).unwrap();
        let alone = solve(&x.select(ndarray::Axis(0), &points), &problem, &options);
        assert_close!(found.objective, alone.objective, abs = 1e-6 * alone.objective.abs());
        assert_close!(found.values.iter(), &alone.values, each = 1e-4);
        // A set of some variables is gathered from the runs.
        let some: Vec<usize> = (0..60).map(|i| 6 * i + 5).collect();
        let mut room = Room::default();
        let mut rows = whole.subset(&points);
        let Submatrix::Single(submatrix) = rows.submatrix(&some, &mut room, &compute).unwrap() else {
            panic!("a large matrix is single")
        };
        let expected = |i: usize, j: usize| {
            let (a, b) = (x.row(points[some[i]]), x.row(points[some[j]]));
            (-(&a - &b).mapv(|d| d * d).sum() / 4.5).exp()
        };
        assert!((0..3600).all(|k| (submatrix.at(k / 60, k % 60) - expected(k / 60, k % 60)).abs() < 1e-6));
    }
}

#[test]
fn shrunk_variables_are_skipped_until_the_others_converge() {
    let (x, labels) = clouds(4200, 7);
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    for constraint in [Constraint::Sum, Constraint::Free] {
        let problem = classifier(&labels, 1.0, constraint);
        let tight = DualOptions { tolerance: 1e-5, ..Default::default() };
        // A working set of all variables asks who settled after every round of steps, cached rows
        // after some rounds.
        let mut whole = KernelRows::whole(&bound, &compute).unwrap();
        let large = problem.solve(&mut whole, &DualOptions { working_set: 2100, ..tight }, &compute).unwrap();
        let little = Compute::new().with_memory(100 << 20);
        let cached = problem.solve_on(&bound, &DualOptions { working_set: 200, ..tight }, &little).unwrap();
        for found in [&large, &cached] {
            assert_eq!(found.stopped, Stopped::Converged, "{constraint:?}");
            // The values at every point are those of the variables, also at points that were left
            // out for a while.
            let settled: Vec<f64> = found.alpha.iter().zip(&labels).map(|(a, s)| a * s).collect();
            let beta = Array2::from_shape_vec((4200, 1), settled).unwrap();
            let expected = crate::gram::multiply(&bound, beta.view(), &compute).unwrap();
            assert_close!(expected.iter(), &found.values, each = 1e-4, "{constraint:?}");
        }
        assert_close!(large.objective, cached.objective, abs = 1e-6 * large.objective.abs(), "{constraint:?}");
    }
}

#[test]
fn variables_that_can_be_shrunk() {
    let problem = classifier(&[1.0, 1.0, 1.0, -1.0, -1.0], 1.0, Constraint::Sum);
    let alpha = [0.0, 0.5, 1.0, 0.0, 1.0];
    // The second can move both ways: pulls between its own and the largest of those that can rise
    // are in question.
    let gradient = [-2.0, 0.1, 0.0, 0.3, -3.0];
    let kkt = Kkt::of(&problem, &alpha, |i| gradient[i]);
    assert_eq!((kkt.groups[0].rising, kkt.groups[0].falling), (0.1, 0.0));
    // The first can only rise and pulls down; the third may fall, but less than the second could
    // rise; the fourth can fall and pulls up; the last can rise and pulls down.
    assert_eq!(ActiveSet::find(&problem, &alpha, &gradient, &kkt).active, [1, 2]);
    let (points, rest) = ActiveSet { active: vec![1, 2] }.rest(&problem);
    assert_eq!((points, rest.points, rest.signs), (vec![1, 2], vec![0, 1], vec![1.0, 1.0]));
}

#[test]
fn values_are_known_at_points_without_a_variable() {
    let (x, labels) = clouds(400, 8);
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let mut problem = classifier(&labels[..300], 1.0, Constraint::Sum);
    problem.points = (50..350).collect();
    for working_set in [64, 300] {
        let options = DualOptions { tolerance: 1e-6, working_set, ..Default::default() };
        let found = problem.solve_on(&bound, &options, &compute).unwrap();
        let mut beta = Array2::zeros((400, 1));
        (0..300).for_each(|i| beta[[50 + i, 0]] = labels[i] * found.alpha[i]);
        let expected = crate::gram::multiply(&bound, beta.view(), &compute).unwrap();
        assert_close!(expected.iter(), &found.values, each = 1e-9, "{working_set}");
    }
}

#[test]
fn a_guess_shortens_the_way_and_leaves_the_end() {
    let (x, labels) = clouds(300, 8);
    let options = DualOptions { tolerance: 1e-9, ..Default::default() };
    for constraint in [Constraint::Sum, Constraint::Free] {
        let cold = solve(&x, &classifier(&labels, 2.0, constraint), &options);
        // A tenth of the solution: the ray through it ends at the solution. A second guess that is
        // worse does no harm.
        let near: Vec<f64> = cold.alpha.iter().map(|a| 0.1 * a).collect();
        let far: Vec<f64> = (0..300).map(|i| if i < 4 { 2.0 } else { 0.0 }).collect();
        for guesses in [vec![near.clone(), far.clone()], vec![far, near]] {
            let warm = solve(&x, &DualProblem { guesses, ..classifier(&labels, 2.0, constraint) }, &options);
            assert_eq!(warm.stopped, Stopped::Converged);
            assert!(10 * warm.steps < cold.steps, "{constraint:?}: {} of {} steps", warm.steps, cold.steps);
            assert_close!(warm.objective, cold.objective, abs = 1e-9 * cold.objective.abs(), "{constraint:?}");
        }
    }
}

#[test]
fn a_ray_from_a_start_keeps_its_sums() {
    let (x, labels) = clouds(200, 9);
    let mut problem = classifier(&labels, 1.0, Constraint::SumPerSign);
    problem.linear = vec![0.0; 200];
    problem.start = (0..200).map(|i| if i < 60 { 1.0 } else { 0.0 }).collect();
    problem.guesses = vec![vec![0.3; 200]];
    let begun = solve(&x, &problem, &DualOptions { max_steps: Some(1), ..Default::default() });
    let tight = DualOptions { tolerance: 1e-8, ..Default::default() };
    let cold = solve(&x, &DualProblem { guesses: Vec::new(), ..problem.clone() }, &tight);
    for sign in [1.0, -1.0] {
        let sum: f64 = (0..200).filter(|&i| labels[i] == sign).map(|i| begun.alpha[i]).sum();
        assert_close!(sum, 30.0, abs = 1e-9, "{sum}");
    }
    let warm = solve(&x, &problem, &tight);
    assert_close!(warm.objective, cold.objective, abs = 1e-7 * cold.objective.abs());
    // Sums that are not those of the start would end at another problem's optimum.
    let refused = DualProblem { guesses: vec![vec![0.2; 200]], ..problem }.solve_on(
        &"gaussian()".parse::<Kernel>().unwrap().bind(Pairs::within(x.view()), &Compute::new()).unwrap(),
        &DualOptions::default(),
        &Compute::new(),
    );
    assert!(refused.unwrap_err().to_string().contains("guess"));
}

/// Rows take long to compute: cancellation is checked between tiles of them, while a
/// canceled solver still finishes its answer.
#[test]
fn rows_are_dropped_when_asked() {
    let mut stream = Seed(4).stream("points", 0);
    let x = Array2::from_shape_fn((2100, 3), |_| stream.normal());
    let plain = Compute::new().with_memory(4 * 4 * 40 * 2100);
    let bound = "gaussian()".parse::<Kernel>().unwrap().bind(Pairs::within(x.view()), &plain).unwrap();
    let changes: Vec<(usize, f64)> = (0..40).map(|k| (50 * k, 1.0)).collect();
    let polls = Arc::new(AtomicU64::new(0));
    let counter = polls.clone();
    let counted = plain.clone().with_cancel(Cancel::when(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        false
    }));
    let mut sum = vec![0.0; 2100];
    KernelRows::new(&bound, 40, &plain).unwrap().spread(&changes, &mut sum, &counted).unwrap();
    assert!(polls.swap(0, Ordering::Relaxed) >= 8);
    KernelRows::new(&bound, 40, &plain).unwrap().spread_once(&changes, &mut sum, &counted).unwrap();
    assert!(polls.load(Ordering::Relaxed) >= 2);
    for (level, dropped) in [(Cancel::cancel as fn(&Cancel), false), (Cancel::abort, true)] {
        let cancel = Cancel::default();
        let compute = plain.clone().with_cancel(cancel.clone());
        let mut rows = KernelRows::new(&bound, 40, &compute).unwrap();
        level(&cancel);
        assert!(cancel.is_canceled());
        assert_eq!(rows.spread(&changes, &mut sum, &compute).is_err(), dropped);
        assert_eq!(
            KernelRows::new(&bound, 40, &plain).unwrap().spread_once(&changes, &mut sum, &compute).is_err(),
            dropped
        );
    }
}
