//! How near a fit is to the data.

use mercer::learn::RidgeFit;
use mercer::learner::Interval;
use mercer::model::Model;
use mercer::{Compute, Result};
use ndarray::{Array1, Array2, ArrayView1};
use serde_json::{Value, json};

use super::FittedModel;
use crate::lab::numbers::{drawn_all, drawn_list, number};
use crate::lab::refusal::Refusal;

/// The level of intervals.
const LEVEL: f64 = 0.95;
/// Levels of a calibration curve.
const LEVELS: usize = 19;
/// Bins of a reliability diagram.
const BINS: usize = 10;
/// Points of pictures; of more, every so many-th.
const SHOWN: usize = 1_500;

/// Adds errors, residuals, intervals and calibration to the answer.
pub fn add(answer: &mut Value, fitted: &FittedModel, compute: &Compute) -> std::result::Result<(), Refusal> {
    let (model, training) = (&fitted.model, &fitted.training);
    if model.classes().is_some() && training.classes.is_some() {
        answer["classes"] = classes(fitted, compute)?;
    } else if training.target.is_some() && answer["goal"] == "values" {
        let predicted = model.predict(training.points(), compute)?;
        if predicted.ncols() == 1 {
            answer["regression"] = regression(fitted, predicted.column(0), compute);
        }
    } else {
        answer["novelty"] = novelty(model, fitted, compute)?;
    }
    Ok(())
}

/// Every so many-th row where there are many.
pub fn shown_rows(rows: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(SHOWN).max(1)).collect()
}

fn regression(fitted: &FittedModel, predicted: ArrayView1<f64>, compute: &Compute) -> Value {
    let (model, training) = (&fitted.model, &fitted.training);
    let observed = training.target_values();
    let scale = training.inputs.targets.first().map_or(1.0, |target| target.map.scale);
    let residuals = &observed - &predicted;
    let diagnostics = model.fit::<RidgeFit>().and_then(RidgeFit::diagnostics);
    let left_out = diagnostics.map(|d| d.loo_residuals.column(0).mapv(|r| r * scale));
    let left_out = left_out.filter(|r| r.iter().all(|v| v.is_finite()));
    let rows = shown_rows(training.rows());
    let pick = |values: ArrayView1<f64>| drawn_list(&rows.iter().map(|&i| values[i]).collect::<Vec<_>>());
    let mut found = json!({
        "rmse": number(root_mean_square(residuals.view())),
        "mae": number(residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64),
        "r2": number(r2(observed.view(), residuals.view())),
        "loo_rmse": left_out.as_ref().map(|r| number(root_mean_square(r.view()))),
        "loo_r2": left_out.as_ref().map(|r| number(r2(observed.view(), r.view()))),
        "rows": rows.iter().map(|&i| training.kept[i]).collect::<Vec<_>>(),
        "observed": pick(observed.view()),
        "predicted": pick(predicted),
        "residuals": pick(residuals.view()),
        "loo_residuals": left_out.as_ref().map(|r| pick(r.view())),
    });
    match model.predict_interval(training.points(), LEVEL, compute) {
        Ok(interval) => {
            found["level"] = json!(LEVEL);
            found["lower"] = pick(interval.lower.column(0));
            found["upper"] = pick(interval.upper.column(0));
            found["calibration"] = coverage(&interval, &observed);
        }
        Err(error) => found["interval_reason"] = json!(error.to_string()),
    }
    found
}

/// The share of observations inside their intervals, for many levels: half-widths are in proportion to normal quantiles.
fn coverage(interval: &Interval, observed: &Array1<f64>) -> Value {
    let quantile = |level: f64| mercer::real::special::normal_quantile(0.5 + 0.5 * level);
    let levels: Vec<f64> = (1..=LEVELS).map(|i| i as f64 / (LEVELS + 1) as f64).collect();
    let share = |level: &f64| {
        let factor = quantile(*level) / quantile(LEVEL);
        let inside = (0..observed.len()).filter(|&i| {
            let width = factor * (interval.upper[[i, 0]] - interval.mean[[i, 0]]);
            (observed[i] - interval.mean[[i, 0]]).abs() <= width
        });
        inside.count() as f64 / observed.len() as f64
    };
    let shares: Vec<f64> = levels.iter().map(share).collect();
    json!({ "kind": "coverage", "x": drawn_list(&levels), "y": drawn_list(&shares) })
}

fn classes(fitted: &FittedModel, compute: &Compute) -> Result<Value> {
    let (model, training) = (&fitted.model, &fitted.training);
    let Some(truth) = &training.classes else { return Ok(Value::Null) };
    let found = model.predict_classes(training.points(), compute)?;
    let count = truth.names().len();
    let mut confusion = vec![vec![0_usize; count]; count];
    truth.of().iter().zip(&found).for_each(|(&t, &f)| confusion[t][f] += 1);
    let right = truth.of().iter().zip(&found).filter(|(t, f)| t == f).count();
    let wrong: Vec<usize> =
        (0..found.len()).filter(|&i| found[i] != truth.of()[i]).map(|i| training.kept[i]).take(200).collect();
    let probabilities =
        if model.has_probabilities() { Some(model.probabilities(training.points(), compute)?) } else { None };
    Ok(json!({
        "names": truth.names(),
        "accuracy": number(right as f64 / found.len() as f64),
        "confusion": confusion,
        "wrong": wrong,
        "log_loss": probabilities.as_ref().map(|p| number(log_loss(p, truth.of()))),
        "calibration": probabilities.as_ref().map(|p| reliability(p, truth.of())),
    }))
}

fn log_loss(probabilities: &Array2<f64>, truth: &[usize]) -> f64 {
    let loss = |(i, &class): (usize, &usize)| -probabilities[[i, class]].max(f64::MIN_POSITIVE).ln();
    truth.iter().enumerate().map(loss).sum::<f64>() / truth.len() as f64
}

/// Of the predictions with a probability in a bin, the share that is right: over all classes.
fn reliability(probabilities: &Array2<f64>, truth: &[usize]) -> Value {
    let mut bins = [(0.0, 0.0, 0_usize); BINS];
    for ((i, class), &p) in probabilities.indexed_iter() {
        let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + p, bin.1 + f64::from(u8::from(truth[i] == class)), bin.2 + 1);
    }
    let used: Vec<_> = bins.iter().filter(|bin| bin.2 > 0).collect();
    let share = |of: fn(&(f64, f64, usize)) -> f64| {
        drawn_list(&used.iter().map(|bin| of(bin) / bin.2 as f64).collect::<Vec<_>>())
    };
    json!({
        "kind": "reliability", "x": share(|b| b.0), "y": share(|b| b.1),
        "count": used.iter().map(|bin| bin.2).collect::<Vec<_>>(),
    })
}

fn novelty(model: &Model, fitted: &FittedModel, compute: &Compute) -> Result<Value> {
    let decisions = model.decision_values(fitted.training.points(), compute)?;
    let outside = decisions.column(0).iter().filter(|v| **v < 0.0).count();
    let rows = shown_rows(fitted.training.rows());
    let values: Array1<f64> = rows.iter().map(|&i| decisions[[i, 0]]).collect();
    Ok(json!({
        "outside": outside, "decisions": drawn_all(values.view()),
        "rows": rows.iter().map(|&i| fitted.training.kept[i]).collect::<Vec<_>>(),
    }))
}

fn root_mean_square(values: ArrayView1<f64>) -> f64 {
    (values.dot(&values) / values.len() as f64).sqrt()
}

fn r2(observed: ArrayView1<f64>, residuals: ArrayView1<f64>) -> f64 {
    let mean = observed.sum() / observed.len() as f64;
    let spread: f64 = observed.iter().map(|v| (v - mean).powi(2)).sum();
    if spread > 0.0 { 1.0 - residuals.dot(&residuals) / spread } else { f64::NAN }
}
