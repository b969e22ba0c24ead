//! `mercer embed pca|cca|ica|scaling`, `mercer cluster`, `mercer match`, `mercer transform`: what is
//! seen without labels.

mod clusters;
mod embedding;
pub mod facts;
mod matches;
mod pictures;
mod samples;
mod streamed;
mod transform;

pub use clusters::{cluster, explain as explain_clusters};
pub use embedding::{embed, explain};
pub use matches::{explain as explain_matches, matches};
pub use pictures::scree as bars;
pub use transform::transform;

use std::path::Path;

use mercer::io::save_model;
use mercer::learner::Fitted;
use mercer::model::{AnyFit, Model};
use mercer::points::{Column, Table};
use ndarray::ArrayView2;

use super::predict_write;
use crate::failure::Failure;
use crate::numbers::grouped;
use crate::report::Report;
use samples::Samples;

/// Saves the model, where a file is named for it.
fn save(path: Option<&Path>, fit: &AnyFit, samples: &Samples, command: &str) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let model = Model::of_views(fit.clone(), samples.inputs.clone())?.with_note("command", command);
    Ok(save_model(path, &model)?)
}

/// Refuses names of files that cannot be written, before the work.
fn check_output(path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), |path| predict_write::layout(path).map(drop))
}

/// The report of a fit without pictures.
fn summary(command: &str, fitted: &dyn Fitted, samples: &Samples) -> Report {
    let title = fitted.entry().title;
    let mut report = Report::new(title);
    let mut fields = vec![
        ("data".to_owned(), format!("{}: {} rows", samples.name, grouped(samples.rows() as u64))),
        ("inputs".to_owned(), samples.described()),
    ];
    fields.extend(facts::fields(fitted));
    report.heading(title).fields(fields);
    for remark in &samples.remarks {
        report.text(remark.clone());
    }
    report.json = serde_json::Value::Object(facts::json_of(fitted));
    report.json["command"] = command.into();
    report.json["kind"] = fitted.kind().into();
    report.json["data"] = samples.name.clone().into();
    report.json["rows"] = samples.rows().into();
    report
}

/// What was written where.
fn push_files(report: &mut Report, output: Option<&Path>, model: Option<&Path>) {
    if let Some(path) = output {
        report.text(format!("The result is in {}.", path.display()));
        report.json["output"] = path.display().to_string().into();
    }
    if let Some(path) = model {
        report.text(format!("The model is in {}.", path.display()));
        report.json["model"] = path.display().to_string().into();
    }
}

/// The names of the coordinates of a view.
fn coordinate_names(views: usize, view: usize, count: usize) -> Vec<String> {
    let start = if views > 1 { format!("view{}_", view + 1) } else { String::new() };
    (1..=count).map(|at| format!("{start}component{at}")).collect()
}

/// Coordinates of every view as columns.
fn coordinate_columns(all: &[ArrayView2<'_, f64>]) -> Vec<Column> {
    let named = all.iter().enumerate().flat_map(|(view, z)| {
        let names = coordinate_names(all.len(), view, z.ncols());
        names
            .into_iter()
            .zip(z.columns())
            .map(|(name, values)| Column::numbers(name, values.to_vec()))
            .collect::<Vec<_>>()
    });
    named.collect()
}

/// Writes columns, where a file is named for them.
fn write(path: Option<&Path>, columns: Vec<Column>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    predict_write::write(path, &Table::from_columns(columns)?)
}
