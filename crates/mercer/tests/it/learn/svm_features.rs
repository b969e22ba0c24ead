//! Support vector machines in the features of kernels with few of them, beside the same on the values
//! of the kernel.

use mercer::learn::svm::{Classes, OneClass, Svc, SvcFit, SvmMethod, Svr};
use mercer::solve::{DualOptions, Stopped};
use mercer::{Cancel, Compute, Error, Kernel, Points, Seed, gram};
use ndarray::{Array1, Array2, Axis, array, concatenate};

const TIGHT: DualOptions = DualOptions { tolerance: 1e-9, max_steps: None, working_set: 64 };
/// Steps that only the interior-point method needs.
const FEW: u64 = 60;
const KERNELS: [&str; 4] = [
    "linear()",
    "polynomial(degree=2, offset=1)",
    "linear() + 2 * on([0], polynomial(degree=3, offset=1))",
    "0.5 * linear() * linear() + 1",
];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn data(n: usize, seed: u64) -> (Array2<f64>, Classes, Array1<f64>) {
    let mut stream = Seed(seed).stream("points", n as u64);
    let x = Array2::from_shape_fn((n, 3), |_| 1.0 + stream.normal());
    let y: Array1<f64> =
        x.rows().into_iter().map(|r| r[0] - 0.5 * r[1] + 0.2 * r[2] * r[2] + stream.normal()).collect();
    let of = y.iter().map(|y| usize::from(*y > 0.6) + usize::from(*y > 1.8)).collect();
    (x, Classes::from_indices(of, vec!["a".into(), "b".into(), "c".into()]).unwrap(), y)
}

fn matrix(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(gram::Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

#[test]
fn classifiers_are_those_of_the_kernel_values() {
    let (x, classes, _) = data(240, 1);
    let compute = Compute::new();
    let weights = Array1::from_shape_fn(240, |i| (i % 4) as f64 * 0.5);
    for text in KERNELS {
        let k = matrix(&kernel(text), &x);
        for (svc, c) in [(Svc::new(kernel(text), 0.3), 0.3), (Svc::new(kernel(text), 30.0), 30.0)] {
            for (weights, offset) in [(None, true), (Some(weights.view()), true), (None, false)] {
                let svc = Svc { solver: TIGHT, offset, ..svc.clone() };
                let found = svc.fit(x.view(), &classes, weights, &compute).unwrap();
                let spec = Svc { solver: TIGHT, offset, ..Svc::new(kernel("precomputed()"), c) };
                let expected = spec.fit(k.view(), &classes, weights, &compute).unwrap();
                for (a, b) in found.binary().iter().zip(expected.binary()) {
                    assert_close!(a.evidence.objective, b.evidence.objective, 1e-8, "{text} {c}");
                    assert!(a.evidence.converged() && a.evidence.steps < b.evidence.steps.max(FEW), "{text} {c} {a:?}");
                }
                let values = expected.values(k.view(), &compute).unwrap();
                assert_close!(&found.values(x.view(), &compute).unwrap(), &values, each = 1e-5);
            }
        }
    }
}

#[test]
fn nu_classifiers_regressions_and_supports_are_those_of_the_kernel_values() {
    let (x, classes, y) = data(100, 2);
    let compute = Compute::new();
    for text in KERNELS {
        let k = matrix(&kernel(text), &x);
        let both = |make: &dyn Fn(Kernel) -> Svr| {
            let fit = |kernel, x: &Array2<f64>| {
                Svr { solver: TIGHT, ..make(kernel) }.fit(x.view(), y.view(), None, &compute).unwrap()
            };
            (fit(kernel(text), &x), fit(kernel("precomputed()"), &k))
        };
        let specs: [&dyn Fn(Kernel) -> Svr; 4] =
            [&|k| Svr::new(k, 1.0, 0.1), &|k| Svr::new(k, 5.0, 0.0), &|k| Svr::nu(k, 1.0, 0.4), &|k| Svr {
                offset: false,
                ..Svr::new(k, 1.0, 0.1)
            }];
        for make in specs {
            let (found, expected) = both(make);
            assert_close!(found.evidence().objective, expected.evidence().objective, 1e-8, "{text}");
            assert_close!(found.epsilon(), expected.epsilon(), 1e-6, "{text}");
            let values = found.predict(x.view(), &compute).unwrap();
            assert_close!(&values[..], &expected.predict(k.view(), &compute).unwrap()[..], each = 1e-5);
            assert_close!(&values[..], found.fitted(), each = 1e-8);
        }
        let nu = |text: &str, x: &Array2<f64>| {
            Svc { solver: TIGHT, ..Svc::nu(kernel(text), 0.2) }.fit(x.view(), &classes, None, &compute)
        };
        if let (Ok(found), Ok(expected)) = (nu(text, &x), nu("precomputed()", &k)) {
            let values = expected.values(k.view(), &compute).unwrap();
            assert_close!(&found.values(x.view(), &compute).unwrap(), &values, each = 1e-3);
        }
        for share in [0.1, 0.7, 1.0] {
            let one = |text: &str, x: &Array2<f64>| {
                OneClass { solver: TIGHT, ..OneClass::new(kernel(text), share) }.fit(x.view(), None, &compute).unwrap()
            };
            let (found, expected) = (one(text, &x), one("precomputed()", &k));
            assert_close!(found.evidence().objective, expected.evidence().objective, 1e-7, "{text} {share}");
            assert_close!(found.offset(), expected.offset(), 1e-4, "{text} {share}");
        }
    }
}

/// A separable problem with a large C, whose steps of pairs are many.
#[test]
fn separable_classes_with_a_large_c_take_few_steps() {
    let mut stream = Seed(3).stream("points", 0);
    let x = Array2::from_shape_fn((500, 5), |_| stream.normal());
    let of: Vec<usize> = x.rows().into_iter().map(|r| usize::from(r.sum() > 0.0)).collect();
    let classes = Classes::from_indices(of, vec!["a".into(), "b".into()]).unwrap();
    for c in [1e2, 1e5, 1e8] {
        let fit = Svc::new(kernel("linear()"), c).fit(x.view(), &classes, None, &Compute::new()).unwrap();
        let evidence = fit.evidence();
        assert!(evidence.converged() && evidence.steps <= FEW, "{c}: {evidence:?}");
        assert!(fit.support().len() <= 12 && evidence.violation <= 1e-4, "{c}: {evidence:?}");
    }
}

#[test]
fn rows_that_coincide_and_columns_without_content_are_no_obstacle() {
    let (x, classes, y) = data(60, 4);
    let rows: Vec<usize> = (0..240).map(|i| i % 60).collect();
    let zeros = Array2::zeros((240, 2));
    let x = concatenate(Axis(1), &[x.select(Axis(0), &rows).view(), zeros.view()]).unwrap();
    let of = rows.iter().map(|&i| classes.of()[i]).collect();
    let classes = Classes::from_indices(of, classes.names().to_vec()).unwrap();
    let k = matrix(&kernel("linear()"), &x);
    let fit = |text: &str, x: &Array2<f64>| {
        let svc = Svc { solver: TIGHT, ..Svc::new(kernel(text), 1.0) };
        svc.fit(x.view(), &classes, None, &Compute::new()).unwrap().evidence().objective
    };
    assert_close!(fit("linear()", &x), fit("precomputed()", &k), 1e-8);
    let flat = Array2::from_elem((240, 3), 2.0);
    let y = y.select(Axis(0), &rows);
    let fit = Svr::new(kernel("linear()"), 1.0, 0.1).fit(flat.view(), y.view(), None, &Compute::new()).unwrap();
    assert!(fit.evidence().converged(), "{:?}", fit.evidence());
}

#[test]
fn the_gap_is_true_however_the_method_stopped() {
    let (x, _, y) = data(300, 5);
    let classes =
        Classes::from_indices(y.iter().map(|y| usize::from(*y > 1.0)).collect(), vec!["a".into(), "b".into()]);
    let classes = classes.unwrap();
    let svc = Svc { solver: TIGHT, ..Svc::new(kernel("linear()"), 3.0) };
    let best = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap().evidence();
    for most in [0, 1, 5, 9] {
        let svc = Svc { solver: DualOptions { max_steps: Some(most), ..TIGHT }, ..svc.clone() };
        let evidence = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap().evidence();
        assert_eq!((evidence.stopped, evidence.steps), (Stopped::StepLimit, most));
        assert!(best.objective - evidence.objective <= evidence.gap + 1e-6, "{most}");
        assert!(evidence.objective <= best.objective + 1e-6, "{most}");
    }
    let canceled = Cancel::default();
    canceled.cancel();
    let compute = Compute::new().with_cancel(canceled);
    assert!(matches!(svc.fit(x.view(), &classes, None, &compute), Err(Error::Canceled)));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, classes, y) = data(5000, 6);
    let fit = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let svc = Svc::new(kernel("polynomial(degree=2, offset=1)"), 1.0);
        let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
        let line = Svr::new(kernel("linear()"), 1.0, 0.1).fit(x.view(), y.view(), None, &compute).unwrap();
        let values = fit.values(x.view(), &compute).unwrap();
        (fit.binary().to_vec(), fit.dual_coefficients().to_owned(), values, line.dual_coefficients().to_vec())
    };
    let one = fit(1);
    assert_eq!(one, fit(2));
    assert_eq!(one, fit(3));
}

#[test]
fn the_plan_names_the_method() {
    let compute = Compute::new().with_memory(1 << 30);
    let plan = Svc::new(kernel("linear()"), 1.0).plan(1_000_000, 20, 2, &compute);
    assert_eq!(plan.method, SvmMethod::InteriorPoint { features: 20 });
    assert!(plan.to_string().contains("interior point in 20 features"), "{plan}");
    assert!(plan.bytes < 1 << 29, "{plan}");
    let wide = Svc::new(kernel("linear()"), 1.0).plan(100, 80, 2, &compute);
    assert_eq!(wide.method, SvmMethod::WorkingSets);
    let of = |text: &str| Svr::new(kernel(text), 1.0, 0.1).plan(1000, 3, &compute).method;
    assert_eq!(of("gaussian()"), SvmMethod::WorkingSets);
    assert_eq!(of("polynomial(degree=2, offset=1)"), SvmMethod::InteriorPoint { features: 10 });
}

/// Predictions in the features and by kernel values: sparse points take the second way.
#[test]
fn predictions_are_the_sums_over_support_vectors() {
    let (x, classes, _) = data(200, 7);
    let fit: SvcFit = Svc::new(kernel("linear()"), 1.0).fit(x.view(), &classes, None, &Compute::new()).unwrap();
    let new = array![[0.3, -1.0, 2.0], [0.0, 0.0, 0.0]];
    let values = fit.values(new.view(), &Compute::new()).unwrap();
    let Points::Vectors(vectors) = fit.support_vectors() else { panic!("vectors") };
    let shares = new.dot(&vectors.t());
    let sizes = fit.support_sizes();
    for (row, values) in values.rows().into_iter().enumerate() {
        // The pair of the first two classes: the columns of the coefficients are those of the other class.
        let mut sum = fit.binary()[0].offset;
        for at in 0..sizes[0] + sizes[1] {
            sum += fit.dual_coefficients()[[at, 0]] * shares[[row, at]];
        }
        assert_close!(values[0], sum, 1e-10);
    }
    let wrong = fit.values(array![[1.0, 2.0]].view(), &Compute::new());
    assert!(matches!(wrong, Err(Error::Shape { .. })), "{wrong:?}");
}
