//! Support vector machines: the gap against dense references, weights, many classes, probabilities,
//! paths, and wrong requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mercer::learn::svm::{Calibration, Classes, DecisionShape, OneClass, Scheme, Svc, SvcFit, Svr};
use mercer::solve::{DualOptions, Stopped};
use mercer::{Cancel, Compute, Error, Kernel, Progress, Seed, gram};
use ndarray::{Array1, Array2, Axis, array, concatenate};

const TIGHT: DualOptions = DualOptions { tolerance: 1e-8, max_steps: None, working_set: 64 };

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Overlapping clouds, one per class, on a circle.
fn clouds(n: usize, classes: usize, seed: u64) -> (Array2<f64>, Classes) {
    let mut stream = Seed(seed).stream("clouds", n as u64);
    let of: Vec<usize> = (0..n).map(|_| stream.below(classes)).collect();
    let angle = |c: usize| std::f64::consts::TAU * c as f64 / classes as f64;
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let center = if j == 0 { angle(of[i]).cos() } else { angle(of[i]).sin() };
        1.5 * center + 0.8 * stream.normal()
    });
    (x, Classes::from_indices(of, (0..classes).map(|c| format!("c{c}")).collect()).unwrap())
}

fn matrix(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(gram::Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

/// Primal and dual objective of a machine for two classes, from nothing but its coefficients and
/// the dense matrix.
fn objectives(fit: &SvcFit, k: &Array2<f64>, classes: &Classes, c: f64) -> (f64, f64) {
    let mut beta = Array1::zeros(k.nrows());
    fit.support().iter().zip(fit.dual_coefficients().column(0)).for_each(|(&i, v)| beta[i] = *v);
    let f = k.dot(&beta);
    let norm = beta.dot(&f);
    let sign = |i: usize| if classes.of()[i] == 0 { 1.0 } else { -1.0 };
    let offset = fit.binary()[0].offset;
    let loss: f64 = (0..k.nrows()).map(|i| (1.0 - sign(i) * (f[i] + offset)).max(0.0)).sum();
    (0.5 * norm + c * loss, beta.mapv(f64::abs).sum() - 0.5 * norm)
}

#[test]
fn the_gap_is_true_however_the_solver_stopped() {
    let (x, classes) = clouds(300, 2, 1);
    let spec = kernel("gaussian(lengthscale=0.7)");
    let k = matrix(&spec, &x);
    for offset in [true, false] {
        let svc = Svc { offset, solver: TIGHT, ..Svc::new(spec.clone(), 3.0) };
        let best = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap().evidence();
        assert!(best.converged() && best.violation <= 1e-8 && best.gap < 1e-5, "{best:?}");
        for max_steps in [0, 1, 7, 60, 500] {
            let svc = Svc { solver: DualOptions { max_steps: Some(max_steps), ..TIGHT }, ..svc.clone() };
            let fit = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap();
            let evidence = fit.evidence();
            assert_eq!((evidence.stopped, evidence.steps), (Stopped::StepLimit, max_steps));
            let (primal, dual) = objectives(&fit, &k, &classes, 3.0);
            assert_close!(evidence.objective, dual, 1e-10);
            assert_close!(evidence.gap, primal - dual, 1e-10);
            assert!(evidence.objective <= best.objective + 1e-6, "{max_steps}");
            assert!(best.objective - evidence.objective <= evidence.gap + 1e-6, "{max_steps}");
        }
    }
}

/// Raises a flag after some reports.
struct After(AtomicU64, Cancel);

impl Progress for After {
    fn report(&self, _: &str, _: u64, _: u64) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.1.cancel();
        }
    }
}

#[test]
fn a_canceled_fit_is_a_model_with_its_gap() {
    // So little memory that rows of the kernel matrix are computed when they are needed.
    let (x, classes) = clouds(4200, 2, 2);
    let spec = kernel("gaussian(lengthscale=0.5)");
    let k = matrix(&spec, &x);
    let svc = Svc { solver: DualOptions { working_set: 32, ..Default::default() }, ..Svc::new(spec, 1.0) };
    // Early, and when settled variables are left alone.
    for reports in [5, 60, 110] {
        let cancel = Cancel::default();
        let listener = Arc::new(After(AtomicU64::new(reports), cancel.clone()));
        let compute = Compute::new().with_memory(100 << 20).with_progress(listener).with_cancel(cancel);
        let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
        assert_eq!(fit.evidence().stopped, Stopped::Canceled, "{reports}");
        assert!(fit.evidence().steps > 0 && fit.evidence().violation > 1e-3, "{reports}");
        let (primal, dual) = objectives(&fit, &k, &classes, 1.0);
        assert_close!(fit.evidence().gap, (primal - dual), abs = 1e-5 * primal, "{reports}");
        assert_eq!(fit.predict(x.view(), &Compute::new()).unwrap().len(), 4200);
    }
}

/// The progress reports of the solver.
#[derive(Default)]
struct Remarks(Mutex<Vec<String>>);

impl Progress for Remarks {
    fn report(&self, _: &str, _: u64, _: u64) {}

    fn remark(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[test]
fn the_gap_is_reported_on_the_way() {
    let (x, classes) = clouds(300, 2, 13);
    let listener = Arc::new(Remarks::default());
    let compute = Compute::new().with_progress(listener.clone());
    let fit =
        Svc { solver: TIGHT, ..Svc::new(kernel("gaussian()"), 1.0) }.fit(x.view(), &classes, None, &compute).unwrap();
    let remarks = listener.0.lock().unwrap();
    let gaps: Vec<f64> = remarks.iter().map(|r| r.strip_prefix("duality gap ").unwrap().parse().unwrap()).collect();
    assert!(gaps.len() > 2 && gaps[0] > 100.0 * gaps[gaps.len() - 1], "{gaps:?}");
    assert_close!(gaps[gaps.len() - 1], fit.evidence().gap, abs = 0.1 * fit.evidence().gap, "{gaps:?}");
}

#[test]
fn a_weight_counts_rows() {
    let (x, classes) = clouds(80, 3, 3);
    let weights = Array1::from_shape_fn(80, |i| (i % 3) as f64);
    let rows: Vec<usize> = (0..80).flat_map(|i| vec![i; i % 3]).collect();
    let repeated = Classes::from_indices(rows.iter().map(|&i| classes.of()[i]).collect(), classes.names().to_vec());
    let repeated = repeated.unwrap();
    for svc in [Svc::new(kernel("gaussian()"), 2.0), Svc::nu(kernel("gaussian()"), 0.3)] {
        let svc = Svc { solver: TIGHT, ..svc };
        let weighted = svc.fit(x.view(), &classes, Some(weights.view()), &Compute::new()).unwrap();
        let counted = svc.fit(x.select(Axis(0), &rows).view(), &repeated, None, &Compute::new()).unwrap();
        assert_close!(weighted.evidence().objective, counted.evidence().objective, 1e-7);
        let (a, b) = (weighted.values(x.view(), &Compute::new()), counted.values(x.view(), &Compute::new()));
        assert_close!(a.unwrap().iter(), &b.unwrap(), each = 1e-5);
    }
    let y = x.column(0).mapv(f64::sin);
    let y_counted = y.select(Axis(0), &rows);
    for svr in [Svr::new(kernel("gaussian()"), 1.0, 0.05), Svr::nu(kernel("gaussian()"), 1.0, 0.4)] {
        let svr = Svr { solver: TIGHT, ..svr };
        let weighted = svr.fit(x.view(), y.view(), Some(weights.view()), &Compute::new()).unwrap();
        let counted = svr.fit(x.select(Axis(0), &rows).view(), y_counted.view(), None, &Compute::new()).unwrap();
        assert_close!(weighted.evidence().objective, counted.evidence().objective, 1e-7);
        assert_close!(weighted.epsilon(), counted.epsilon(), 1e-6);
    }
    let spec = OneClass { solver: TIGHT, ..OneClass::new(kernel("gaussian()"), 0.3) };
    let weighted = spec.fit(x.view(), Some(weights.view()), &Compute::new()).unwrap();
    let counted = spec.fit(x.select(Axis(0), &rows).view(), None, &Compute::new()).unwrap();
    assert_close!(weighted.evidence().objective, counted.evidence().objective, 1e-7);
    assert_close!(weighted.offset(), counted.offset(), 1e-6);
}

#[test]
fn regression_reaches_a_small_gap_with_and_without_offset() {
    let (x, _) = clouds(200, 2, 4);
    let y = x.column(0).mapv(|v| (2.0 * v).sin()) + &x.column(1).mapv(|v| 0.3 * v);
    let k = matrix(&kernel("gaussian()"), &x);
    for offset in [true, false] {
        let svr = Svr { offset, solver: TIGHT, ..Svr::new(kernel("gaussian()"), 5.0, 0.1) };
        let fit = svr.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
        let mut beta = Array1::zeros(200);
        fit.support().iter().zip(fit.dual_coefficients()).for_each(|(&i, b)| beta[i] = *b);
        let f = k.dot(&beta);
        let loss: f64 = f.iter().zip(&y).map(|(f, y)| ((y - f - fit.offset()).abs() - 0.1).max(0.0)).sum();
        let primal = 0.5 * beta.dot(&f) + 5.0 * loss;
        assert_close!(fit.evidence().objective, primal, 1e-6);
        assert!(offset == (fit.offset() != 0.0) && fit.evidence().gap < 1e-4);
    }
}

#[test]
fn given_values_are_as_good_as_points() {
    let (x, classes) = clouds(120, 3, 5);
    let k = matrix(&kernel("gaussian()"), &x);
    let of = |text: &str| Svc { solver: TIGHT, ..Svc::new(kernel(text), 1.0) };
    let by_points = of("gaussian()").fit(x.view(), &classes, None, &Compute::new()).unwrap();
    let by_values = of("precomputed()").fit(k.view(), &classes, None, &Compute::new()).unwrap();
    assert_eq!(by_points.support(), by_values.support());
    let (a, b) = (by_points.values(x.view(), &Compute::new()), by_values.values(k.view(), &Compute::new()));
    assert_close!(a.unwrap().iter(), &b.unwrap(), each = 1e-9);
}

#[test]
fn little_memory_gives_the_same_svms() {
    let (x, classes) = clouds(400, 3, 6);
    let svc = Svc { solver: TIGHT, ..Svc::new(kernel("gaussian()"), 1.0) };
    let plenty = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap();
    let little = svc.fit(x.view(), &classes, None, &Compute::new().with_memory(400_000)).unwrap();
    for (a, b) in plenty.binary().iter().zip(little.binary()) {
        assert_close!(a.evidence.objective, b.evidence.objective, 1e-6);
    }
    let predicted = |fit: &SvcFit| fit.predict(x.view(), &Compute::new()).unwrap();
    assert_eq!(predicted(&plenty), predicted(&little));
    let nothing = svc.fit(x.view(), &classes, None, &Compute::new().with_memory(1000));
    assert!(matches!(nothing, Err(Error::Memory { .. })));
}

/// Above 2048 points the classifiers of pairs share the blocks of their classes: 3 MB here, and 2 MB
/// for each pair, where the whole matrix would take 19 MB.
#[test]
fn pairs_of_many_classes_need_no_whole_matrix() {
    let (x, classes) = clouds(2200, 6, 12);
    let svc = Svc::new(kernel("gaussian(lengthscale=0.7)"), 2.0);
    let fit = |compute: Compute| svc.fit(x.view(), &classes, None, &compute).unwrap();
    let expected = fit(Compute::new());
    let one_pair_at_a_time = Compute::new().with_memory(8 << 20);
    for compute in
        [Compute::new().with_threads(1).unwrap(), Compute::new().with_threads(5).unwrap(), one_pair_at_a_time]
    {
        let found = fit(compute);
        assert_eq!(found.dual_coefficients(), expected.dual_coefficients());
        assert_eq!(found.evidence(), expected.evidence());
    }
    let alone = fit(Compute::new().with_memory(6 << 20)).evidence().objective;
    let best = expected.evidence().objective;
    assert_close!(alone, best, abs = 1e-5 * best, "{alone} and {best}");
}

#[test]
fn shapes_of_decisions() {
    let (x, classes) = clouds(150, 4, 7);
    let compute = Compute::new();
    let svc = Svc::new(kernel("gaussian()"), 1.0);
    let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
    let pairs = fit.decision_function(x.view(), DecisionShape::OneVersusOne, &compute).unwrap();
    let classes_shape = fit.decision_function(x.view(), DecisionShape::OneVersusRest, &compute).unwrap();
    assert_eq!((pairs.dim(), classes_shape.dim()), ((150, 6), (150, 4)));
    let broken = Svc { break_ties: true, ..svc.clone() }.fit(x.view(), &classes, None, &compute).unwrap();
    let best = |row: ndarray::ArrayView1<f64>| (0..4).fold(0, |b, c| if row[c] > row[b] { c } else { b });
    let expected: Vec<usize> = classes_shape.rows().into_iter().map(best).collect();
    assert_eq!(broken.predict(x.view(), &compute).unwrap(), expected);
    // Every class against the rest: each machine is one of two classes.
    let rest = Svc { scheme: Scheme::OneVersusRest, solver: TIGHT, ..svc.clone() };
    let all = rest.fit(x.view(), &classes, None, &compute).unwrap();
    let values = all.values(x.view(), &compute).unwrap();
    assert_eq!(values.dim(), (150, 4));
    for class in 0..4 {
        let of = classes.of().iter().map(|&c| usize::from(c != class)).collect();
        let two = Classes::from_indices(of, vec!["this".into(), "rest".into()]).unwrap();
        let alone = rest.fit(x.view(), &two, None, &compute).unwrap();
        let found = alone.values(x.view(), &compute).unwrap();
        assert_close!(values.column(class).iter(), &found, each = 1e-5);
        // scikit-learn's sign: positive for the second class.
        let decision = alone.decision_function(x.view(), DecisionShape::OneVersusRest, &compute).unwrap();
        assert_eq!(decision, -found);
    }
    assert_eq!(all.predict(x.view(), &compute).unwrap(), values.rows().into_iter().map(best).collect::<Vec<_>>());
    assert_eq!(fit.support_sizes().iter().sum::<usize>(), fit.support().len());
}

#[test]
fn the_predicted_class_is_the_most_probable() {
    for (classes, scheme) in [(2, Scheme::OneVersusOne), (4, Scheme::OneVersusOne), (4, Scheme::OneVersusRest)] {
        let (x, labels) = clouds(240, classes, 8);
        let (new, _) = clouds(500, classes, 9);
        for calibration in [Calibration::Sigmoid { folds: 5 }, Calibration::Isotonic { folds: 4 }] {
            let svc = Svc { scheme, calibration: Some(calibration), ..Svc::new(kernel("gaussian()"), 1.0) };
            let fit = |threads: usize| {
                let compute = Compute::new().with_threads(threads).unwrap();
                svc.fit(x.view(), &labels, None, &compute).unwrap()
            };
            let (one, two) = (fit(1), fit(2));
            assert_eq!(one.binary(), two.binary());
            let compute = Compute::new();
            let (p, c) = (one.probabilities(new.view(), &compute).unwrap(), one.predict(new.view(), &compute).unwrap());
            for (row, &class) in p.rows().into_iter().zip(&c) {
                assert_close!(row.sum(), 1.0, abs = 1e-12);
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
                assert!(
                    row.iter().enumerate().all(|(other, p)| *p < row[class] || (*p == row[class] && other >= class))
                );
            }
            // Clouds of one size: the mean probability is near the part of each class.
            let parts = p.mean_axis(Axis(0)).unwrap();
            assert!(parts.iter().all(|m| (m - 1.0 / classes as f64).abs() < 0.1), "{parts}");
        }
    }
}

#[test]
fn a_path_finds_what_single_fits_find() {
    let (x, classes) = clouds(250, 3, 10);
    let svc = Svc { solver: DualOptions { tolerance: 1e-7, ..TIGHT }, ..Svc::new(kernel("gaussian()"), 1.0) };
    let list = [0.1, 0.5, 4.0, 30.0, 2.0];
    let path = svc.path(x.view(), &classes, None, &list, &Compute::new()).unwrap();
    let mut steps = (0, 0);
    for (fit, c) in path.iter().zip(list) {
        let alone = Svc { solver: svc.solver, ..Svc::new(kernel("gaussian()"), c) };
        let alone = alone.fit(x.view(), &classes, None, &Compute::new()).unwrap();
        assert_close!(fit.evidence().objective, alone.evidence().objective, 1e-8);
        assert!(fit.evidence().converged());
        steps = (steps.0 + fit.evidence().steps, steps.1 + alone.evidence().steps);
    }
    assert!(steps.0 < steps.1, "a warm start saves steps: {steps:?}");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, classes) = clouds(500, 3, 11);
    let svc =
        Svc { solver: DualOptions { working_set: 64, ..Default::default() }, ..Svc::new(kernel("gaussian()"), 1.0) };
    let fit = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
        (fit.binary().to_vec(), fit.dual_coefficients().to_owned(), fit.values(x.view(), &compute).unwrap())
    };
    let one = fit(1);
    assert_eq!(one, fit(2));
    assert_eq!(one, fit(3));
}

#[test]
fn wrong_requests_are_refused_with_the_reason() {
    let (x, classes) = clouds(60, 2, 12);
    let compute = Compute::new();
    let svc = Svc::new(kernel("gaussian()"), 1.0);
    let message = |svc: &Svc, classes: &Classes| svc.fit(x.view(), classes, None, &compute).unwrap_err().to_string();
    let one = Classes::from_texts(["a"; 60]);
    assert!(message(&svc, &one).contains("at least two classes"));
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(&Svc::new(kernel("gaussian()"), c), &classes).contains("finite and positive"));
    }
    let few =
        Classes::from_indices((0..60).map(|i| usize::from(i < 6)).collect(), vec!["a".into(), "b".into()]).unwrap();
    let infeasible = message(&Svc::nu(kernel("gaussian()"), 0.5), &few);
    assert!(infeasible.contains("nu = 0.5") && infeasible.contains("at most 0.2"), "{infeasible}");
    assert!(message(&Svc { class_weights: Some(vec![1.0, -1.0]), ..svc.clone() }, &classes).contains("class_weights"));
    assert!(message(&Svc { class_weights: Some(vec![1.0]), ..svc.clone() }, &classes).contains("class weights"));
    let weights = |w: f64| svc.fit(x.view(), &classes, Some(Array1::from_elem(60, w).view()), &compute);
    assert!(matches!(weights(-1.0), Err(Error::Value { row: 0, .. })));
    assert!(matches!(weights(f64::NAN), Err(Error::Value { .. })));
    assert!(matches!(weights(0.0), Err(Error::AllZero { .. })));
    let mut holes = x.clone();
    holes[[7, 1]] = f64::NAN;
    assert!(matches!(svc.fit(holes.view(), &classes, None, &compute), Err(Error::Value { row: 7, .. })));
    assert!(Classes::from_numbers(array![1.0, f64::NAN].view()).is_err());
    assert!(Classes::from_indices(vec![0, 2], vec!["a".into(), "b".into()]).is_err());
    assert!(svc.fit(x.view(), &Classes::from_texts(["a", "b"]), None, &compute).is_err());
    let y = x.column(0).to_owned();
    for svr in [Svr::new(kernel("gaussian()"), 1.0, -0.1), Svr::nu(kernel("gaussian()"), 1.0, 1.5)] {
        assert!(matches!(svr.fit(x.view(), y.view(), None, &compute), Err(Error::Parameter { .. })));
    }
    for nu in [0.0, 1.1, f64::NAN] {
        assert!(OneClass::new(kernel("gaussian()"), nu).fit(x.view(), None, &compute).is_err());
    }
    let folds = Svc { calibration: Some(Calibration::Sigmoid { folds: 1 }), ..svc.clone() };
    assert!(message(&folds, &classes).contains("folds"));
    let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
    assert!(fit.probabilities(x.view(), &compute).is_err());
    assert!(matches!(fit.predict(array![[1.0]].view(), &compute), Err(Error::Shape { .. })));
}

#[test]
fn indefinite_kernels_are_refused_unless_meant() {
    let (x, classes) = clouds(60, 2, 13);
    let compute = Compute::new();
    let svc = Svc::new(kernel("tanh(scale=2, offset=-1)"), 1.0);
    let refused = svc.fit(x.view(), &classes, None, &compute);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { counterexample: Some(_), .. })), "{refused:?}");
    let meant = Svc { indefinite: true, ..svc }.fit(x.view(), &classes, None, &compute).unwrap();
    assert!(meant.evidence().converged());
    let matrix = concatenate(Axis(0), &[array![[0.0, 1.0]].view(), array![[1.0, 0.0]].view()]).unwrap();
    let two = Classes::from_texts(["a", "b"]);
    let given = Svc::new(kernel("precomputed()"), 1.0).fit(matrix.view(), &two, None, &compute);
    assert!(matches!(given, Err(Error::NotPositiveDefinite { counterexample: Some(_), .. })), "{given:?}");
}

/// Squares of such weights are not numbers: fits of 17 rows took seconds and had objectives of NaN.
#[test]
fn weights_whose_squares_leave_the_range_are_refused() {
    let (x, classes) = clouds(12, 2, 5);
    let y = Array1::from_shape_fn(12, |i| i as f64);
    let (compute, k) = (Compute::new(), kernel("gaussian()"));
    for (size, remedy) in [(1e300, "scale the weights down"), (1e-300, "scale the weights up")] {
        let weights = Array1::from_elem(12, size);
        let errors = [
            Svc::new(k.clone(), 1.0).fit(&x, &classes, Some(weights.view()), &compute).unwrap_err(),
            Svr::new(k.clone(), 1.0, 0.1).fit(&x, y.view(), Some(weights.view()), &compute).unwrap_err(),
            OneClass::new(k.clone(), 0.5).fit(&x, Some(weights.view()), &compute).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::Overflow { .. }) && error.to_string().contains(remedy), "{error}");
        }
    }
    for size in [1e-12, 1e12] {
        let weights = Array1::from_elem(12, size);
        assert!(Svc::new(k.clone(), 1.0).fit(&x, &classes, Some(weights.view()), &compute).is_ok());
    }
}
