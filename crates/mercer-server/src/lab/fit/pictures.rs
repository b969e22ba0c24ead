//! Curves, parts of a sum of kernels, and the plane of two inputs.

use mercer::learn::additive::PartialEffect;
use mercer::learn::{GaussianProcessFit, RidgeFit};
use mercer::{Compute, Kernel, Result};
use ndarray::Array2;
use serde_json::{Value, json};

use super::FittedModel;
use super::plane::over_plane;
use crate::lab::numbers::{drawn_all, drawn_list, number, steps};
use crate::lab::refusal::Refusal;
use crate::lab::training::Training;

/// Places of a curve, and of an effect.
const PLACES: usize = 240;
const EFFECT_PLACES: usize = 41;
/// The level of the band around a curve.
const LEVEL: f64 = 0.95;
/// Standard errors to either side of an effect.
const BAND: f64 = 2.0;
/// Rows up to which effects are computed: they need a factor of the matrix.
const EFFECT_ROWS: usize = 3_000;

/// Adds pictures to the answer.
pub fn add(answer: &mut Value, fitted: &FittedModel, compute: &Compute) -> std::result::Result<(), Refusal> {
    let training = &fitted.training;
    if training.points().kind().is_object() {
        return Ok(());
    }
    if training.columns() == 1 && answer["goal"] == "values" {
        answer["curve"] = curve(fitted, compute)?;
    } else if training.columns() >= 2 {
        answer["plane"] = over_plane(fitted, (0, 1), compute)?;
    }
    if let Some(effects) = effects(fitted, compute) {
        answer["effects"] = match effects {
            Ok(effects) => effects.iter().map(|effect| shown(effect, training)).collect(),
            Err(error) => json!({ "reason": error.to_string() }),
        };
    }
    Ok(())
}

/// The prediction along the only input, with a band where the learner has one.
fn curve(fitted: &FittedModel, compute: &Compute) -> Result<Value> {
    let x = fitted.training.points().vectors()?;
    let ends = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let air = 0.03 * (ends.1 - ends.0);
    // Splines and kernels on an interval do not go beyond it.
    for (from, to) in [(ends.0 - air, ends.1 + air), ends] {
        let places = steps(from, to, PLACES);
        let grid = Array2::from_shape_fn((PLACES, 1), |(i, _)| places[i]);
        let Ok(values) = fitted.model.predict(grid.view(), compute) else { continue };
        let units: Vec<f64> = places.iter().map(|&v| fitted.training.in_units(0, v)).collect();
        let mut found = json!({ "x": drawn_list(&units), "y": drawn_all(values.column(0)) });
        if let Ok(interval) = fitted.model.predict_interval(grid.view(), LEVEL, compute) {
            found["lower"] = drawn_all(interval.lower.column(0));
            found["upper"] = drawn_all(interval.upper.column(0));
        }
        let rows = super::quality::shown_rows(fitted.training.rows());
        let at: Vec<f64> = rows.iter().map(|&i| fitted.training.in_units(0, x[[i, 0]])).collect();
        let observed = fitted.training.target_values();
        found["points"] = json!({
            "x": drawn_list(&at), "y": drawn_list(&rows.iter().map(|&i| observed[i]).collect::<Vec<_>>()),
            "rows": rows.iter().map(|&i| fitted.training.kept[i]).collect::<Vec<_>>(),
        });
        return Ok(found);
    }
    Ok(json!({ "reason": "the model cannot be evaluated between its points" }))
}

/// The parts of a fit whose kernel is a sum.
fn effects(fitted: &FittedModel, compute: &Compute) -> Option<Result<Vec<PartialEffect>>> {
    let is_sum = matches!(fitted.model.kernel(), Some(Kernel::Sum(_)));
    if !is_sum || fitted.training.rows() > EFFECT_ROWS {
        return None;
    }
    if let Some(fit) = fitted.model.fit::<RidgeFit>() {
        return Some(fit.partial_effects(0, EFFECT_PLACES, compute));
    }
    let process = fitted.model.fit::<GaussianProcessFit>()?;
    Some(process.partial_effects(EFFECT_PLACES, compute))
}

fn shown(effect: &PartialEffect, training: &Training) -> Value {
    let scale = training.inputs.targets.first().map_or(1.0, |target| target.map.scale);
    let name = |&column: &usize| training.coordinates.get(column).cloned().unwrap_or_else(|| column.to_string());
    let grid = effect.grid.as_ref().map(|grid| {
        let axis = |(k, places): (usize, &ndarray::Array1<f64>)| {
            let units = places.iter().map(|&v| training.in_units(effect.columns[k], v));
            drawn_list(&units.collect::<Vec<_>>())
        };
        let (lower, upper) = grid.band(BAND);
        json!({
            "axes": grid.axes.iter().enumerate().map(axis).collect::<Vec<_>>(),
            "values": drawn_all(grid.values.mapv(|v| v * scale).view()),
            "lower": drawn_all(lower.mapv(|v| v * scale).view()),
            "upper": drawn_all(upper.mapv(|v| v * scale).view()),
        })
    });
    json!({
        "kernel": effect.kernel.to_string(),
        "columns": effect.columns.iter().map(name).collect::<Vec<_>>(),
        "variance_share": number(effect.variance_share),
        "norm_share": number(effect.norm_share),
        "grid": grid,
    })
}
