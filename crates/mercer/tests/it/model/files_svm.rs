//! Model files of machines, logistic regressions and losses: same bytes of prediction and the same
//! evidence after a round trip.

use crate::common::models::{bits, round_trip};
use mercer::learn::svm::{Calibration, Classes, DecisionShape, OneClass, Scheme, Svc, SvcFit, Svr};
use mercer::learn::{KernelMachine, LogisticRegression, Loss, QuantileCurves};
use mercer::model::{Inputs, Model};
use mercer::{Compute, Error, Seed, io};
use ndarray::{Array1, Array2, s};

/// Three clouds in the plane, and a wave over them.
fn data(n: usize) -> (Array2<f64>, Classes, Array1<f64>) {
    let mut stream = Seed(5).stream("margins", 0);
    let x = Array2::from_shape_fn((n, 2), |(i, j)| ((i % 3) * (j + 1)) as f64 + 0.8 * stream.normal());
    let classes = Classes::from_texts((0..n).map(|i| ["blue, dark", "red", "Ω"][i % 3]));
    let y = x.column(0).mapv(f64::sin);
    (x, classes, y)
}

fn model(fit: impl Into<mercer::model::AnyFit>, columns: usize) -> Model {
    Model::new(fit, Inputs::vectors(columns, 1)).unwrap()
}

/// Predictions, decision values and probabilities have the same bits before and after; so have
/// those of two threads.
fn assert_same(model: &Model, x: &Array2<f64>) -> Model {
    let loaded = round_trip(model);
    let (one, two) = (Compute::new(), Compute::new().with_threads(2).unwrap());
    assert_eq!(bits(&model.predict(x.view(), &one).unwrap()), bits(&loaded.predict(x.view(), &two).unwrap()));
    assert_eq!(model.classes(), loaded.classes());
    assert_eq!(model.has_probabilities(), loaded.has_probabilities());
    if model.has_probabilities() {
        let of = |m: &Model, c: &Compute| bits(&m.probabilities(x.view(), c).unwrap());
        assert_eq!(of(model, &one), of(&loaded, &two));
    }
    if model.classes().is_some() {
        let of = |m: &Model, c: &Compute| bits(&m.decision_values(x.view(), c).unwrap());
        assert_eq!(of(model, &one), of(&loaded, &two));
    } else {
        assert!(matches!(model.probabilities(x.view(), &one), Err(Error::Unsupported { .. })));
    }
    assert!(matches!(model.predict_interval(x.view(), 0.9, &one), Err(Error::Unsupported { .. })));
    loaded
}

fn assert_same_machines(first: &SvcFit, second: &SvcFit) {
    assert_eq!(first.binary(), second.binary());
    assert_eq!(first.support(), second.support());
    assert_eq!(first.support_sizes(), second.support_sizes());
    assert_eq!(first.support_vectors(), second.support_vectors());
    assert_eq!(first.dual_coefficients(), second.dual_coefficients());
    assert_eq!((first.kernel(), first.names(), first.scheme()), (second.kernel(), second.names(), second.scheme()));
}

#[test]
fn classifiers_of_every_scheme_and_calibration() {
    let compute = Compute::new();
    let (x, classes, _) = data(60);
    let calibrations = [None, Some(Calibration::Sigmoid { folds: 3 }), Some(Calibration::Isotonic { folds: 3 })];
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        for calibration in calibrations {
            let kernel = "gaussian(lengthscale=median)".parse().unwrap();
            let svc = Svc { scheme, calibration, break_ties: true, ..Svc::new(kernel, 3.0) };
            let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
            let loaded = assert_same(&model(fit.clone(), 2), &data(33).0);
            let loaded = loaded.into_fitted().take::<mercer::learn::svm::SvcFit>().expect("another kind");
            assert_same_machines(&fit, &loaded);
            let pairs = |f: &SvcFit| f.decision_function(x.view(), DecisionShape::OneVersusOne, &compute).unwrap();
            assert_eq!(bits(&pairs(&fit)), bits(&pairs(&loaded)));
        }
    }
}

#[test]
fn svms_on_precomputed_values() {
    let compute = Compute::new();
    let (x, classes, y) = data(30);
    let gram = x.dot(&x.t());
    let some = gram.slice(s![..7, ..]).to_owned();
    let kernel = || "precomputed()".parse().unwrap();
    let svc = Svc::new(kernel(), 1.0).fit(gram.view(), &classes, None, &compute).unwrap();
    assert_same(&model(svc, 30), &some);
    let svr = Svr::nu(kernel(), 1.0, 0.4).fit(gram.view(), y.view(), None, &compute).unwrap();
    assert_same(&model(svr, 30), &some);
    let logistic = LogisticRegression::new(kernel(), 0.5).fit(gram.view(), classes.of(), None, &compute).unwrap();
    assert_same(&model(logistic, 30), &some);
    let machine = KernelMachine::new(Loss::Absolute, kernel(), 0.5).fit(gram.view(), y.view(), None, &compute).unwrap();
    assert_same(&model(machine, 30), &some);
}

#[test]
fn regression_and_the_support_of_a_distribution() {
    let compute = Compute::new();
    let (x, _, y) = data(40);
    let kernel = || "matern(nu=5/2) + 0.1*linear()".parse().unwrap();
    for svr in [Svr::new(kernel(), 2.0, 0.1), Svr::nu(kernel(), 2.0, 0.5)] {
        let fit = svr.fit(x.view(), y.view(), None, &compute).unwrap();
        let loaded = assert_same(&model(fit.clone(), 2), &x)
            .into_fitted()
            .take::<mercer::learn::svm::SvrFit>()
            .expect("another kind");
        assert_eq!(
            (loaded.epsilon(), loaded.offset(), loaded.evidence()),
            (fit.epsilon(), fit.offset(), fit.evidence())
        );
        assert_eq!((loaded.fitted(), loaded.support()), (fit.fitted(), fit.support()));
    }
    let fit = OneClass::new(kernel(), 0.2).fit(x.view(), None, &compute).unwrap();
    let saved = model(fit.clone(), 2);
    let loaded = assert_same(&saved, &x);
    let sides = loaded.predict(x.view(), &compute).unwrap();
    assert!(sides.iter().all(|s| s.abs() == 1.0) && sides.iter().any(|s| *s < 0.0));
    let decisions = loaded.decision_values(x.view(), &compute).unwrap();
    assert!(decisions.iter().zip(&sides).all(|(d, s)| (*d >= 0.0) == (*s > 0.0)));
}

#[test]
fn logistic_regressions_with_names_of_classes() {
    let compute = Compute::new();
    let (x, classes, _) = data(45);
    let two: Vec<usize> = classes.of().iter().map(|&c| c.min(1)).collect();
    let spec =
        LogisticRegression { leave_one_out: true, ..LogisticRegression::new("gaussian()".parse().unwrap(), 0.3) };
    for (labels, names) in [(classes.of(), classes.names().to_vec()), (&two[..], vec!["no".into(), "yes".into()])] {
        let fit = spec.fit(x.view(), labels, None, &compute).unwrap();
        let named = model(fit.clone(), 2).with_classes(names.clone()).unwrap();
        let loaded = assert_same(&named, &x);
        assert_eq!(loaded.classes().unwrap(), names);
        let found = loaded.predict_classes(x.view(), &compute).unwrap();
        assert_eq!(found, fit.predict(x.view(), &compute).unwrap());
        let loaded = loaded.into_fitted().take::<mercer::learn::LogisticFit>().expect("another kind");
        assert_eq!((loaded.evidence(), loaded.plan().solver), (fit.evidence(), fit.plan().solver));
        assert_eq!(loaded.leave_one_out(), fit.leave_one_out());
    }
    let fit = spec.fit(x.view(), &two, None, &compute).unwrap();
    assert_eq!(model(fit.clone(), 2).classes().unwrap(), ["0", "1"]);
    assert!(matches!(model(fit, 2).with_classes(vec!["one".into()]), Err(Error::Shape { .. })));
}

#[test]
fn losses_and_quantiles() {
    let compute = Compute::new();
    let (x, classes, y) = data(36);
    let sides: Array1<f64> = classes.of().iter().map(|&c| if c == 0 { -1.0 } else { 1.0 }).collect();
    let kernel = || "gaussian(lengthscale=2)".parse().unwrap();
    for loss in [Loss::Huber { delta: 0.1 }, Loss::EpsilonInsensitive { epsilon: 0.05 }, Loss::Hinge, Loss::Logistic] {
        let targets = if loss.is_classification() { &sides } else { &y };
        let fit = KernelMachine::new(loss, kernel(), 0.2).fit(x.view(), targets.view(), None, &compute).unwrap();
        let loaded = assert_same(&model(fit.clone(), 2), &x);
        assert_eq!(loaded.classes().is_some(), loss.is_classification());
        let loaded = loaded.into_fitted().take::<mercer::learn::KernelMachineFit>().expect("another kind");
        assert_eq!((loaded.loss(), loaded.evidence()), (loss, fit.evidence()));
        assert_eq!(loaded.plan().solver, fit.plan().solver);
    }
    let curves = QuantileCurves::new(&[0.1, 0.5, 0.9], kernel(), 0.01).fit(x.view(), y.view(), None, &compute).unwrap();
    let loaded = assert_same(&model(curves.clone(), 2), &x);
    assert_eq!(loaded.predict(x.view(), &compute).unwrap().dim(), (36, 3));
    let loaded = loaded.into_fitted().take::<mercer::learn::QuantileCurvesFit>().expect("another kind");
    assert_eq!((loaded.levels(), loaded.crossings()), (curves.levels(), curves.crossings()));
}

#[test]
fn classes_of_a_file_must_be_as_many_as_those_of_the_svms() {
    let (x, classes, _) = data(12);
    let fit = Svc::new("linear()".parse().unwrap(), 1.0).fit(x.view(), &classes, None, &Compute::new()).unwrap();
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &model(fit, 2)).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    for wrong in ["[\"one\"]", "[]", "no list", "[\"a\", \"b\", \"c\", \"d\"]"] {
        header["__metadata__"]["classes"] = wrong.into();
        let text = header.to_string();
        let file = [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &bytes[8 + length..]].concat();
        assert!(matches!(io::read_model(&file, "m", &Compute::new()), Err(Error::Format { .. })), "{wrong}");
    }
}
