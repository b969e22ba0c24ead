//! What conformal prediction refuses, and model files with a calibration.

use mercer::conformal::{Conformal, ConformalMethod, SetScore};
use mercer::learn::svm::Classes;
use mercer::learn::{OneClass, Ridge, Svc};
use mercer::learner::{FitInput, Targets};
use mercer::model::{Inputs, Model};
use mercer::{Compute, Error, Kernel};
use ndarray::{Array2, array};

use crate::common::models::{bits, round_trip};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn line(n: usize) -> (Array2<f64>, Array2<f64>) {
    let x = Array2::from_shape_fn((n, 1), |(i, _)| i as f64);
    let y = Array2::from_shape_fn((n, 1), |(i, _)| 2.0 * i as f64 + ((i * 5) % 7) as f64);
    (x, y)
}

/// A level that needs more rows than there are is refused with the number that it needs.
#[test]
fn too_few_rows_for_the_level() {
    let ((x, y), compute) = (line(20), Compute::new());
    let fit = Ridge::new(kernel("linear()"), 1.0).fit(x.view(), y.view(), None, &compute).unwrap();
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    let conformal = Conformal::default().fit(&fit, &input, &compute).unwrap();
    assert!(conformal.intervals(&fit, x.view(), 0.95, &compute).is_ok(), "19 rows are enough for 0.95");
    let error = conformal.intervals(&fit, x.view(), 0.96, &compute).unwrap_err();
    assert!(matches!(error, Error::TooFew { .. }) && error.to_string().contains("24"), "{error}");
    for level in [0.0, 1.0, f64::NAN, -0.1] {
        assert!(matches!(conformal.intervals(&fit, x.view(), level, &compute), Err(Error::Parameter { .. })));
    }
    let one = x.slice(ndarray::s![..1, ..]);
    let fit = Ridge::new(kernel("linear()"), 1.0).fit(one, y.slice(ndarray::s![..1, ..]), None, &compute).unwrap();
    let input = FitInput::points(one).with_targets(Targets::Values(y.slice(ndarray::s![..1, ..])));
    let error = Conformal::default().fit(&fit, &input, &compute).unwrap_err();
    assert!(error.to_string().contains("rows of the data"), "{error}");
}

#[test]
fn what_has_no_prediction_is_refused() {
    let ((x, y), compute) = (line(20), Compute::new());
    let one_class = OneClass::new(kernel("gaussian()"), 0.5).fit(x.view(), None, &compute).unwrap();
    let error = Conformal::default().fit(&one_class, &FitInput::points(x.view()), &compute).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let classes = Classes::from_indices((0..20).map(|i| i % 2).collect(), vec!["a".into(), "b".into()]).unwrap();
    let svc = Svc::new(kernel("gaussian()"), 1.0).fit(x.view(), &classes, None, &compute).unwrap();
    let input = FitInput::points(x.view()).with_targets(Targets::Classes(classes.of(), classes.names()));
    for (spec, word) in [
        (Conformal::new(ConformalMethod::JackknifePlus), "jackknife+"),
        (Conformal { score: SetScore::Aps, ..Conformal::default() }, "probabilities"),
        (Conformal { folds: 1, ..Conformal::default() }, "folds"),
        (Conformal { held_out: 1.0, ..Conformal::default() }, "held_out"),
    ] {
        let error = spec.fit(&svc, &input, &compute).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    let conformal = Conformal::default().fit(&svc, &input, &compute).unwrap();
    assert!(conformal.intervals(&svc, x.view(), 0.8, &compute).is_err());
    let ridge = Ridge::new(kernel("linear()"), 1.0).fit(x.view(), y.view(), None, &compute).unwrap();
    let model = Model::new(ridge, Inputs::vectors(1, 1)).unwrap();
    assert!(model.conformal_interval(x.view(), 0.8, &compute).unwrap_err().to_string().contains("--conformal"));
    assert!(model.with_conformal(conformal).is_err(), "a calibration of classes on a model of numbers");
}

/// A calibrated model comes back from its file with the same bytes and the same intervals.
#[test]
fn model_files_keep_the_calibration() {
    let ((x, y), compute) = (line(40), Compute::new());
    let new = array![[3.5], [50.0]];
    let fit = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=5)"), 0.1) };
    let fit = fit.fit(x.view(), y.view(), None, &compute).unwrap();
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    for method in [ConformalMethod::JackknifePlus, ConformalMethod::CvPlus, ConformalMethod::Split] {
        let conformal = Conformal::new(method).fit(&fit, &input, &compute).unwrap();
        let model = Model::new(fit.clone(), Inputs::vectors(1, 1)).unwrap().with_conformal(conformal).unwrap();
        let loaded = round_trip(&model);
        assert_eq!(loaded.conformal().unwrap().method(), method);
        let ends = |model: &Model| model.conformal_interval(new.view(), 0.8, &compute).unwrap();
        assert_eq!(bits(&ends(&model).lower), bits(&ends(&loaded).lower), "{method:?}");
        assert_eq!(bits(&ends(&model).upper), bits(&ends(&loaded).upper), "{method:?}");
    }
    let classes = Classes::from_indices((0..40).map(|i| i / 7 % 2).collect(), vec!["a".into(), "b".into()]).unwrap();
    let svc = Svc::new(kernel("gaussian(lengthscale=2)"), 1.0).fit(x.view(), &classes, None, &compute).unwrap();
    let input = FitInput::points(x.view()).with_targets(Targets::Classes(classes.of(), classes.names()));
    let conformal = Conformal::default().fit(&svc, &input, &compute).unwrap();
    let model = Model::new(svc, Inputs::vectors(1, 1)).unwrap().with_conformal(conformal).unwrap();
    let sets = |model: &Model| model.conformal_sets(new.view(), 0.8, &compute).unwrap();
    assert_eq!(sets(&model), sets(&round_trip(&model)));
}
