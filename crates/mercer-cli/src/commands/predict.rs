//! `mercer predict`: a model and a table → predictions, with their errors where the truth is known.

use std::path::Path;

use mercer::Error;
use mercer::conformal::ConformalFit;
use mercer::io::{load_model, write_table_csv_to};
use mercer::learner::Goal;
use mercer::model::{Model, Target};
use mercer::points::{Column, ColumnData, Sample, Table};
use mercer::settings::Setting;
use ndarray::{Array1, Array2, ArrayView1};
use serde_json::{Value, json};

use super::diagnosis;
use super::fit::{ClassQuality, Quality, agreement};
use super::predict_classes::{self, ClassPrediction};
use super::predict_streamed;
use super::predict_write::{layout, write};
use crate::arguments::PredictArguments;
use crate::data::{self, named, shown};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, json_list, short};
use crate::plot::Figure;
use crate::report::{Block, Report};
use crate::session::Session;

/// Targets whose residuals are drawn.
const DIAGNOSED: usize = 3;

/// Predictions of one target, one per row of the table; NaN in rows that were left out.
pub(super) struct Predicted {
    pub(super) name: String,
    /// The ending of the names of its columns: nothing for the only target.
    ending: String,
    pub(super) value: Array1<f64>,
    pub(super) ends: Option<(Array1<f64>, Array1<f64>)>,
    /// The values of the target, where the table has them.
    pub(super) truth: Option<Array1<f64>>,
}

/// The rows of a table as points of a model.
pub(super) struct NewPoints {
    pub(super) sample: Sample,
    /// The rows that were kept.
    pub(super) kept_rows: Vec<usize>,
    /// Missing values that were filled.
    pub(super) filled: usize,
    /// Rows that were left out.
    pub(super) dropped: usize,
}

/// What was written, in numbers.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) rows: usize,
    /// The names of the columns.
    pub(super) names: Vec<String>,
    /// Missing values that were filled.
    pub(super) filled: usize,
    /// Rows that were left out.
    pub(super) dropped: usize,
}

impl Summary {
    fn new(table: &Table, encoded: &NewPoints) -> Self {
        let names = table.names().map(str::to_owned).collect();
        Self { rows: table.rows(), names, filled: encoded.filled, dropped: encoded.dropped }
    }
}

/// Predicts, writes and reports.
pub fn predict(words: &PredictArguments, session: &Session) -> Result<Report, Failure> {
    if let Some(path) = &words.output {
        layout(path)?;
    }
    if let Some(reason) = predict_streamed::reason(words, session) {
        return predict_streamed::predict(words, &reason, session);
    }
    let model = load(words, session)?;
    let table = read(words, &model, session)?;
    let encoded = encode(words, &model, &table, 0)?;
    if let Some(names) = model.classes() {
        let found = predict_classes::run(words, &model, names, &table, &encoded, session)?;
        let result = found.table()?;
        if let Some(path) = &words.output {
            write(path, &result)?;
        }
        return describe_classes(words, &model, &encoded, &found, &result);
    }
    let predicted = run(words, &model, &table, &encoded, session)?;
    let result = as_table(&predicted)?;
    if let Some(path) = &words.output {
        write(path, &result)?;
    }
    summary(words, &model, &encoded, &predicted, &result)
}

/// The model, if what is requested goes with it, and calibrated where conformal intervals are requested.
pub(super) fn load(words: &PredictArguments, session: &Session) -> Result<Model, Failure> {
    let model = load_model(&words.model, &session.compute)?;
    check(words, &model)?;
    Ok(if words.is_conformal() { model.calibrated(&session.compute)? } else { model })
}

/// The new data, with a row per bag where the model takes bags.
fn read(words: &PredictArguments, model: &Model, session: &Session) -> Result<Table, Failure> {
    let table = data::read_rows(&words.data, data::rows_for(model), session)?;
    let table = data::with_labels(table, words.objects.labels.as_deref(), session)?;
    let targets: Vec<&str> = model.inputs().targets.iter().filter_map(|t| t.name.as_deref()).collect();
    let table = match &words.objects.bag {
        Some(bag) => data::grouped(table, Some(bag), &words.columns, &targets)?,
        None => data::choose(table, &words.columns)?,
    };
    let grouped = model.inputs().grouped(&table);
    Ok(grouped.map_err(|e| mismatch(named(e, &words.data), &words.data))?.into_owned())
}

/// Whether what is requested goes with the model.
fn check(words: &PredictArguments, model: &Model) -> Result<(), Failure> {
    let entry = model.fitted().entry();
    if matches!(entry.goal, Goal::Features | Goal::Clusters) {
        return Err(Failure::request(format!(
            "{}: a model of kind {} has no target; use mercer transform",
            words.model.display(),
            entry.name
        )));
    }
    if words.proba && model.classes().is_none() {
        let kind = model.fitted().kind();
        return Err(Failure::request(format!("--proba: a model of kind {kind} has no classes")));
    }
    Ok(())
}

/// The rows of a table, which begins at this row of the file, as points of the model.
pub(super) fn encode(
    words: &PredictArguments,
    model: &Model,
    table: &Table,
    first_row: usize,
) -> Result<NewPoints, Failure> {
    let kind = model.fitted().point_kind(0);
    let points = model.inputs().encode(table).and_then(|encoded| {
        let (kept_rows, filled, dropped) = (encoded.kept_rows.clone(), encoded.filled, encoded.dropped);
        Ok(NewPoints { sample: encoded.into_sample(kind)?, kept_rows, filled, dropped })
    });
    points.map_err(|error| mismatch(named(error.at_row(|row| first_row + row), &words.data), &words.data))
}

/// The error with the name of the file.
fn mismatch(failure: Failure, path: &Path) -> Failure {
    match failure {
        // Values name the file already.
        Failure::Library(error) if !matches!(error, Error::Value { .. }) => {
            Failure::request(format!("{}: {error}", shown(path)))
        }
        other => other,
    }
}

pub(super) fn run(
    words: &PredictArguments,
    model: &Model,
    table: &Table,
    encoded: &NewPoints,
    session: &Session,
) -> Result<Vec<Predicted>, Failure> {
    let (x, compute) = (&encoded.sample, &session.compute);
    let (values, ends) = match words.interval_level() {
        None => (model.predict(x, compute)?, None),
        Some(level) => {
            let conformal = words.is_conformal();
            let interval = match conformal {
                true => model.conformal_interval(x, level, compute)?,
                false => model.predict_interval(x, level, compute)?,
            };
            // The quantiles of one target share its conformal interval.
            let shape = interval.mean.dim();
            let wide = |ends: Array2<f64>| {
                if ends.dim() == shape { ends } else { Array2::from_shape_fn(shape, |(i, _)| ends[[i, 0]]) }
            };
            let (lower, upper) = (wide(interval.lower), wide(interval.upper));
            (interval.mean, Some((lower, upper)))
        }
    };
    let spread = |column: ArrayView1<f64>| {
        let mut all = Array1::from_elem(table.rows(), f64::NAN);
        encoded.kept_rows.iter().zip(column).for_each(|(&row, &v)| all[row] = v);
        all
    };
    let outputs = outputs(model);
    let one = |(j, (name, target)): (usize, &(String, &Target))| {
        let name = name.clone();
        let column = |m: &Array2<f64>| spread(m.column(j));
        Predicted {
            ending: if outputs.len() > 1 { format!("_{name}") } else { String::new() },
            value: column(&values),
            ends: ends.as_ref().map(|(l, u)| (column(l), column(u))),
            truth: target.name.as_deref().and_then(|name| truth(table, name)),
            name,
        }
    };
    Ok(outputs.iter().enumerate().map(one).collect())
}

/// The outputs of a model with the targets that they belong to: a target each, but for the
/// quantiles of one target.
fn outputs(model: &Model) -> Vec<(String, &Target)> {
    let targets = &model.inputs().targets;
    match (model.fitted().output_names(), targets.first()) {
        (Some(names), Some(only)) => names.into_iter().map(|name| (name, only)).collect(),
        _ => targets.iter().enumerate().map(|(j, t)| (t.name.clone().unwrap_or_else(|| j.to_string()), t)).collect(),
    }
}

/// The column of the target, if the table has it as numbers.
fn truth(table: &Table, name: &str) -> Option<Array1<f64>> {
    let column = table.columns().iter().find(|c| c.name == name)?;
    match &column.data {
        ColumnData::Numbers(values) => Some(Array1::from(values.clone())),
        _ => None,
    }
}

pub(super) fn as_table(predicted: &[Predicted]) -> Result<Table, Failure> {
    let mut columns = Vec::new();
    for one in predicted {
        let mut push = |name: &str, values: &Array1<f64>| {
            columns.push(Column::numbers(format!("{name}{}", one.ending), values.to_vec()));
        };
        push("prediction", &one.value);
        if let Some((lower, upper)) = &one.ends {
            push("lower", lower);
            push("upper", upper);
        }
    }
    Ok(Table::from_columns(columns)?)
}

/// The error of one target on the rows whose truth and prediction are there.
pub(super) struct Tested {
    pub(super) quality: Quality,
    pub(super) rows: usize,
    /// The part of the values that lies in the intervals.
    pub(super) coverage: Option<f64>,
    /// Truth and prediction, for a picture.
    pub(super) pairs: Vec<(f64, f64)>,
    /// Whether the intervals hold the truth.
    pub(super) held: Option<Vec<bool>>,
}

impl Tested {
    fn new(one: &Predicted) -> Option<Self> {
        let truth = one.truth.as_ref()?;
        let rows: Vec<usize> = (0..truth.len()).filter(|&i| truth[i].is_finite() && one.value[i].is_finite()).collect();
        if rows.is_empty() {
            return None;
        }
        let y: Array1<f64> = rows.iter().map(|&i| truth[i]).collect();
        let errors: Array1<f64> = rows.iter().map(|&i| truth[i] - one.value[i]).collect();
        let inside = |(lower, upper): &(Array1<f64>, Array1<f64>)| -> Vec<bool> {
            rows.iter().map(|&i| lower[i] <= truth[i] && truth[i] <= upper[i]).collect()
        };
        let held = one.ends.as_ref().map(inside);
        let share = |held: &Vec<bool>| held.iter().filter(|h| **h).count() as f64 / held.len() as f64;
        Some(Self {
            quality: Quality::new(&one.name, y.view(), errors.view(), None),
            coverage: held.as_ref().map(share),
            pairs: rows.iter().map(|&i| (truth[i], one.value[i])).collect(),
            rows: rows.len(),
            held,
        })
    }

    /// The residuals, and the coverage of the intervals.
    fn figures(&self, level: Option<f64>) -> mercer::Result<Vec<Figure>> {
        let pairs: Vec<(f64, f64)> = self.pairs.iter().map(|&(y, f)| (f, y - f)).collect();
        let predicted: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
        let mut figures = vec![diagnosis::residuals(&self.quality.target, "residual", pairs, self.rows)];
        if let (Some(held), Some(level)) = (&self.held, level) {
            figures.extend(diagnosis::coverage_by_value(&self.quality.target, &predicted, held, level)?);
        }
        Ok(figures)
    }

    fn json(&self) -> Value {
        let mut value = self.quality.json();
        value["rows"] = self.rows.into();
        value["coverage"] = self.coverage.map_or(Value::Null, number);
        value
    }
}

fn summary(
    words: &PredictArguments,
    model: &Model,
    encoded: &NewPoints,
    predicted: &[Predicted],
    table: &Table,
) -> Result<Report, Failure> {
    let tested: Vec<Tested> = predicted.iter().filter_map(Tested::new).collect();
    let mut report = Report::new(format!("Predictions of {}", words.model.display()));
    let summary = Summary::new(table, encoded);
    match &words.output {
        Some(path) => push_summary(&mut report, path, words, model, &summary, &tested),
        None => push_table(&mut report, table)?,
    }
    report.json = json_of(words, model, &summary, predicted, &tested);
    if !tested.is_empty() {
        let clouds = tested.iter().map(|t| (t.quality.target.clone(), t.pairs.clone()));
        let plot = agreement(model.kernel().map_or_else(String::new, |k| k.short()), "predicted", clouds);
        report.figures.push(Figure::Curves(vec![plot]));
        for test in tested.iter().take(DIAGNOSED) {
            report.figures.extend(test.figures(words.interval_level())?);
        }
    }
    Ok(report)
}

/// The report for a model of classes.
fn describe_classes(
    words: &PredictArguments,
    model: &Model,
    encoded: &NewPoints,
    found: &ClassPrediction,
    table: &Table,
) -> Result<Report, Failure> {
    let mut report = Report::new(format!("Predictions of {}", words.model.display()));
    let summary = Summary::new(table, encoded);
    match &words.output {
        Some(path) => push_summary(&mut report, path, words, model, &summary, &[]),
        None => push_table(&mut report, table)?,
    }
    let target = model.inputs().targets.first().and_then(|t| t.name.as_deref());
    report.json = json_of(words, model, &summary, &[], &[]);
    report.json["targets"] = json!([found.json(target, words.output.is_some())]);
    if words.output.is_some() {
        report.fields(found.set_text().map(|text| ("sets", text)));
    }
    if let Some((name, rows, quality)) = &found.quality {
        push_class_quality(&mut report, name, *rows, quality, words.output.is_some());
        report.figures.extend(quality.figure(format!("ROC of {}", words.model.display())));
        report.figures.extend(found.calibration.clone());
    }
    Ok(report)
}

/// How good the classes are on the rows whose truth is known; for people only where the predictions
/// do not stand there.
pub(super) fn push_class_quality(report: &mut Report, name: &str, rows: usize, quality: &ClassQuality, shown: bool) {
    if shown {
        report.heading(format!("Against `{name}` in {} rows", grouped(rows as u64)));
        quality.push_into(report);
    }
    let mut test = quality.json();
    test["target"] = json!(name);
    test["rows"] = rows.into();
    report.json["test"] = json!([test]);
}

/// The settings of the learner for people.
fn settings_text(model: &Model) -> String {
    let all: Vec<String> = model.fitted().settings().iter().map(|(name, value)| format!("{name}={value}")).collect();
    if all.is_empty() { "not in the file".into() } else { all.join(", ") }
}

/// The settings of the learner for programs; numbers that JSON does not have become texts.
fn settings_json(model: &Model) -> Value {
    let finite = |v: &f64| if v.is_finite() { number(*v) } else { json!(v.to_string()) };
    let value = |setting: &Setting| match setting {
        Setting::Flag(value) => json!(value),
        Setting::Number(value) => finite(value),
        Setting::Numbers(values) => values.iter().map(finite).collect(),
        Setting::Texts(texts) => json!(texts),
        other => json!(other.to_string()),
    };
    model.fitted().settings().iter().map(|(name, setting)| (name.to_owned(), value(setting))).collect()
}

fn push_table(report: &mut Report, table: &Table) -> Result<(), Failure> {
    let mut text = Vec::new();
    write_table_csv_to(&mut text, table).map_err(Failure::Output)?;
    report.push(Block::Raw(String::from_utf8_lossy(&text).into_owned()));
    Ok(())
}

pub(super) fn push_summary(
    report: &mut Report,
    path: &Path,
    words: &PredictArguments,
    model: &Model,
    summary: &Summary,
    tested: &[Tested],
) {
    let mut fields = vec![
        ("model", format!("{} ({})", words.model.display(), model.fitted().kind())),
        ("settings", settings_text(model)),
        ("rows", grouped(summary.rows as u64)),
        ("columns", summary.names.join(", ")),
        ("written to", path.display().to_string()),
    ];
    fields.extend(
        words.is_conformal().then_some(()).and(model.conformal()).map(|c| ("intervals", conformal_text(c, words))),
    );
    fields.extend((summary.filled > 0).then(|| ("filled", format!("{} missing values", summary.filled))));
    fields.extend((summary.dropped > 0).then(|| ("left out", format!("{} rows with missing values", summary.dropped))));
    report.heading("Predictions").fields(fields);
    for test in tested {
        report.heading(format!("Against `{}` in {} rows", test.quality.target, grouped(test.rows as u64)));
        let mut fields = test.quality.fields();
        fields.extend(words.interval_level().zip(test.coverage).map(|(level, part)| {
            ("in the interval".into(), format!("{} % (nominal: {} %)", short(100.0 * part), short(100.0 * level)))
        }));
        report.fields(fields);
    }
}

pub(super) fn json_of(
    words: &PredictArguments,
    model: &Model,
    summary: &Summary,
    predicted: &[Predicted],
    tested: &[Tested],
) -> Value {
    let one = |p: &Predicted| {
        let mut value = json!({ "target": p.name });
        if words.output.is_none() {
            value["prediction"] = json_list(&p.value);
            if let Some((lower, upper)) = &p.ends {
                value["lower"] = json_list(lower);
                value["upper"] = json_list(upper);
            }
        }
        value
    };
    json!({
        "command": "predict",
        "model": words.model.display().to_string(),
        "kind": model.fitted().kind(),
        "settings": settings_json(model),
        "rows": summary.rows,
        "rows_dropped": summary.dropped,
        "cells_filled": summary.filled,
        "level": words.interval_level(),
        "interval": words.interval.map(|_| if words.is_conformal() { "conformal" } else { "model" }),
        "targets": predicted.iter().map(one).collect::<Vec<_>>(),
        "test": tested.iter().map(Tested::json).collect::<Vec<_>>(),
        "output": words.output.as_ref().map(|path| path.display().to_string()),
    })
}

/// The method of conformal prediction, and its guarantee.
fn conformal_text(fit: &ConformalFit, words: &PredictArguments) -> String {
    let bound = words.interval_level().and_then(|level| fit.guarantee(level).ok());
    let bound = bound.map_or_else(String::new, |bound| format!("; coverage at least {} %", short(100.0 * bound)));
    format!("conformal, {}{bound}", fit.describe())
}
