//! The prediction for a row that somebody typed, and what contributed most to it.

use mercer::gram::{self, Pairs};
use mercer::learn::{GaussianProcessFit, RidgeFit};
use mercer::learner::FactValue;
use mercer::points::{Column, ColumnData, Table};
use mercer::{Compute, Result, Sample};
use ndarray::Array1;
use serde_json::{Value, json};

use super::FittedModel;
use crate::lab::data::Dataset;
use crate::lab::fields::Fields;
use crate::lab::numbers::{drawn, number, numbers};
use crate::lab::refusal::{Answer, Refusal};

/// The level of the interval.
const LEVEL: f64 = 0.95;
/// Rows of the data that are named.
const NAMED: usize = 6;

/// Predicts a row of texts, one for every input.
pub fn predict(fields: Fields<'_>, fitted: &FittedModel, compute: &Compute) -> Answer {
    let table = match fields.optional_count("like", u64::from(u32::MAX))? {
        // Graphs cannot be typed: a row of the data stands for one.
        Some(row) => like(fitted, row)?,
        None => {
            let row = fields.optional_object("row")?.ok_or_else(|| Refusal::request("`row` is missing"))?;
            typed(row, fitted)?
        }
    };
    let (sample, ..) = fitted.model.encode(0, &table)?;
    if sample.is_empty() {
        return Err(Refusal::request("a value is missing"));
    }
    let mut answer = json!({});
    let mut output = 0;
    if let Some(names) = fitted.model.classes() {
        let class = fitted.model.predict_classes(&sample, compute)?[0];
        output = class;
        answer["class"] = json!(names[class]);
        if fitted.model.has_probabilities() {
            let p = fitted.model.probabilities(&sample, compute)?;
            answer["probabilities"] = names.iter().zip(p.row(0)).map(|(name, &p)| json!([name, number(p)])).collect();
        }
        let decisions = fitted.model.decision_values(&sample, compute)?;
        answer["decisions"] = numbers(&decisions.row(0).to_vec());
    } else {
        answer["values"] = numbers(&fitted.model.predict(&sample, compute)?.row(0).to_vec());
        if let Ok(interval) = fitted.model.predict_interval(&sample, LEVEL, compute) {
            let ends = [interval.lower[[0, 0]], interval.upper[[0, 0]]];
            answer["interval"] = json!({ "level": LEVEL, "lower": number(ends[0]), "upper": number(ends[1]) });
        }
    }
    answer["parts"] = parts(fitted, &sample, compute)?;
    answer["rows"] = rows(fitted, &sample, output, compute)?;
    Ok(answer)
}

/// A row of the data set as a table of its own.
fn like(fitted: &FittedModel, row: usize) -> std::result::Result<Table, Refusal> {
    let table = &fitted.training.set.table;
    if row >= table.rows() {
        return Err(Refusal::request(format!("there is no row {row}: the table has {}", table.rows())));
    }
    Ok(table.select_rows(&[row])?)
}

fn typed(row: Fields<'_>, fitted: &FittedModel) -> std::result::Result<Table, Refusal> {
    let set = &fitted.training.set;
    let mut columns = Vec::new();
    for name in fitted.training.inputs_shown() {
        let text = row.optional_text(&name)?.unwrap_or_default().trim().to_owned();
        columns.push(column(set, &name, &text)?);
    }
    Ok(Table::from_columns(columns)?)
}

fn column(set: &Dataset, name: &str, text: &str) -> std::result::Result<Column, Refusal> {
    let known = set.table.column(name)?;
    let missing = text.is_empty();
    match &known.data {
        ColumnData::Numbers(_) => {
            let value = if missing { Some(f64::NAN) } else { text.parse::<f64>().ok().filter(|v| v.is_finite()) };
            let value = value.ok_or_else(|| Refusal::request(format!("`{name}`: `{text}` is no number")))?;
            Ok(Column::numbers(name, vec![value]))
        }
        ColumnData::Categories { .. } => Ok(Column::categories(name, [(!missing).then_some(text)])),
        ColumnData::Objects(Sample::Strings(_)) => {
            let strings: mercer::points::Strings = [text].into_iter().collect();
            Ok(Column::objects(name, strings))
        }
        _ => Err(Refusal::request(format!("`{name}` holds objects that cannot be typed: name a row of the data"))),
    }
}

/// For a sum of kernels, the part of every summand in the prediction.
fn parts(fitted: &FittedModel, sample: &Sample, compute: &Compute) -> Result<Value> {
    let function = if let Some(fit) = fitted.model.fit::<RidgeFit>() {
        fit.function(0, compute)
    } else if let Some(fit) = fitted.model.fit::<GaussianProcessFit>() {
        fit.function(compute)
    } else {
        return Ok(Value::Null);
    };
    let Ok(components) = function.and_then(|f| f.components(compute)) else { return Ok(Value::Null) };
    let scale = fitted.training.inputs.targets.first().map_or(1.0, |target| target.map.scale);
    let mut parts = Vec::new();
    for component in components {
        let value = scale * component.function.evaluate(sample, compute)?[0];
        parts.push((component.function.kernel().to_string(), value));
    }
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    Ok(parts.into_iter().map(|(kernel, value)| json!({ "kernel": kernel, "value": drawn(value) })).collect())
}

/// The rows of the data with the largest terms `αᵢk(x, xᵢ)` of the target, or of the decision for
/// the predicted class; the most similar ones where a fit is no such sum.
fn rows(fitted: &FittedModel, sample: &Sample, output: usize, compute: &Compute) -> Result<Value> {
    let (Some(kernel), Some(points)) = (fitted.model.kernel(), fitted.model.fitted().points(0)) else {
        return Ok(Value::Null);
    };
    if kernel.is_precomputed() {
        return Ok(Value::Null);
    }
    let places = places(fitted, points.len());
    let bound = kernel.bind(Pairs::Between(sample.as_points(), points), compute)?;
    let similarity: Array1<f64> = gram::dense(&bound, compute)?.row(0).to_owned();
    let weights = fitted.model.fitted().point_weights(output).filter(|weights| weights.len() == similarity.len());
    let scale = match fitted.model.classes() {
        Some(_) => 1.0,
        None => fitted.training.inputs.targets.first().map_or(1.0, |target| target.map.scale),
    };
    let size = |i: usize| weights.as_ref().map_or(similarity[i], |w| (w[i] * similarity[i]).abs());
    let mut order: Vec<usize> = (0..similarity.len()).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    let one = |&i: &usize| {
        let place = places.as_ref().map(|places| places[i]);
        json!({
            "row": place.and_then(|place| fitted.training.kept.get(place)), "similarity": drawn(similarity[i]),
            "term": weights.as_ref().map(|w| drawn(scale * w[i] * similarity[i])),
            "label": place.and_then(|place| fitted.training.label_of(place)),
        })
    };
    Ok(order.iter().take(NAMED).map(one).collect())
}

/// The rows of the data that the points of a fit are: its support, or all. Not for centers.
fn places(fitted: &FittedModel, points: usize) -> Option<Vec<usize>> {
    match fitted.model.fitted().facts().get("support") {
        Some(FactValue::Counts(rows)) => Some(rows.to_vec()),
        _ => (points == fitted.training.rows()).then(|| (0..points).collect()),
    }
}
