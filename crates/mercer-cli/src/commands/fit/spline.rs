//! `mercer fit spline`.

use mercer::learn::spline::{Smoothing, SmoothingSpline, SplineFit};
use mercer::model::Model;
use mercer::points::Scaling;
use ndarray::Axis;
use serde_json::{Map, Value, json};

use super::{Choice, Outcome, Quality, Reading, Training};
use crate::arguments::{SmoothingWord, SplineArguments};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::session::Session;

/// Runs the command.
pub fn fit(words: &SplineArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let fit = on(&specification(words), &training, session)?;
    outcome("spline", fit, training, None)
}

/// The spline of the arguments.
pub fn specification(words: &SplineArguments) -> SmoothingSpline {
    let smoothing = match (words.lambda, words.df, words.smoothing) {
        (Some(lambda), ..) => Smoothing::Lambda(lambda),
        (None, Some(df), _) => Smoothing::DegreesOfFreedom(df),
        (None, None, SmoothingWord::Gcv) => Smoothing::Gcv,
        (None, None, SmoothingWord::Reml) => Smoothing::Reml,
    };
    SmoothingSpline { order: words.order, smoothing, period: words.period }
}

/// The data: one column as it is.
pub fn read(words: &SplineArguments, session: &Session) -> Result<Training, Failure> {
    let training =
        Training::read(&words.training, words.weights.as_deref(), None, Reading::dense(Scaling::None), session)?;
    training.only_column("spline")?;
    training.only_target("spline")?;
    Ok(training)
}

/// The spline on the only column.
pub fn on(spline: &SmoothingSpline, training: &Training, session: &Session) -> mercer::Result<SplineFit> {
    let (x, y) = (training.points().vectors()?.index_axis_move(Axis(1), 0), training.y.index_axis(Axis(1), 0));
    spline.fit(x, y, training.weights.as_ref().map(|w| w.view()), &session.compute)
}

/// The report of a spline.
pub fn outcome(
    learner: &'static str,
    fit: SplineFit,
    training: Training,
    choice: Option<Choice>,
) -> Result<Outcome, Failure> {
    let loo = fit.loo_residuals();
    let quality = Quality::new(&training.targets[0], training.y.column(0), fit.residuals(), Some(loo.view()));
    let mut remarks = Vec::new();
    if fit.at_limit() {
        remarks
            .push("The selected λ is at an end of its range: the best fit is an interpolant or a polynomial.".into());
    }
    let (facts, json) = (facts(&fit), json_of(&fit));
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", format!("mercer fit {learner}"));
    let (quality, figures) = (vec![quality], Vec::new());
    Ok(Outcome {
        learner,
        training,
        model,
        quality,
        class_quality: None,
        tables: Vec::new(),
        facts,
        json,
        choice,
        figures,
        remarks,
    })
}

fn facts(fit: &SplineFit) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("spline", format!("order {} (degree {})", fit.order(), 2 * fit.order() - 1)),
        ("λ", short(fit.lambda())),
        ("degrees of freedom", short(fit.degrees_of_freedom())),
        ("knots", grouped(fit.knots().len() as u64)),
    ];
    facts.extend(fit.period().map(|p| ("period", short(p))));
    facts.extend(fit.variance().map(|v| ("noise variance", short(v))));
    facts.push(("roughness of f", short(fit.roughness())));
    facts.push(("GCV", short(fit.gcv())));
    facts.push(("passes over the data", (fit.passes() + 1).to_string()));
    facts
}

fn json_of(fit: &SplineFit) -> Map<String, Value> {
    let pairs = [
        ("order", json!(fit.order())),
        ("lambda", number(fit.lambda())),
        ("degrees_of_freedom", number(fit.degrees_of_freedom())),
        ("gcv", number(fit.gcv())),
        ("reml", number(fit.reml())),
        ("noise", fit.variance().map_or(Value::Null, number)),
        ("roughness", number(fit.roughness())),
        ("knots", json!(fit.knots().len())),
        ("period", fit.period().map_or(Value::Null, number)),
        ("at_limit", json!(fit.at_limit())),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
