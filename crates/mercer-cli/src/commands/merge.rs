//! `mercer merge`: statistics of parts of the rows → the model of all rows.

use mercer::features::FeatureMap;
use mercer::io::{PartStatistics, save_model};
use mercer::learn::StreamedRidgeFit;
use mercer::model::Model;
use serde_json::{Value, json};

use super::fit::streamed::{features, push_quality, push_scores, quality};
use crate::arguments::MergeArguments;
use crate::data::shown;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::report::Report;
use crate::session::Session;

/// Merges, fits, saves and reports.
pub fn merge(words: &MergeArguments, session: &Session) -> Result<Report, Failure> {
    let (compute, count) = (&session.compute, words.parts.len() as u64);
    let mut all: Option<PartStatistics> = None;
    for (done, path) in words.parts.iter().enumerate() {
        let part = PartStatistics::load(path, compute)?;
        match &mut all {
            None => all = Some(part),
            Some(all) => all.merge(&part, &shown(path), compute)?,
        }
        compute.report("merging", done as u64 + 1, count);
    }
    let Some(all) = all else { return Err(Failure::request("PART: give the files of all parts")) };
    let folds = all.stream().settings().count("folds").unwrap_or(0);
    let model = all.into_model(compute)?;
    save_model(&words.output, &model)?;
    let Some(fit) = model.fit::<StreamedRidgeFit>() else {
        return Err(Failure::request("the parts are not of a streamed fit"));
    };
    Ok(summary(words, &model, fit, folds))
}

fn summary(words: &MergeArguments, model: &Model, fit: &StreamedRidgeFit, folds: usize) -> Report {
    let targets: Vec<String> = model.inputs().targets.iter().map(|t| t.name.clone().unwrap_or_default()).collect();
    let title = format!("Ridge regression of {}", targets.join(", "));
    let mut report = Report::new(title.clone());
    report.heading(title).fields([
        ("data", format!("{} rows in {} parts", grouped(fit.rows()), words.parts.len())),
        ("kernel", fit.kernel().short()),
        ("features", features(fit)),
        ("λ", short(fit.lambda())),
    ]);
    push_scores(&mut report, fit, folds);
    push_quality(&mut report, &targets, fit);
    report.text(format!("The model is in {}.", words.output.display()));
    report.json = json_of(words, &targets, fit);
    report
}

fn json_of(words: &MergeArguments, targets: &[String], fit: &StreamedRidgeFit) -> Value {
    let line =
        |(name, rmse, r2): &(String, f64, f64)| json!({ "target": name, "rmse": number(*rmse), "r2": number(*r2) });
    json!({
        "command": "merge",
        "kind": "streamed_ridge",
        "parts": words.parts.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "rows": fit.rows(),
        "targets": targets,
        "kernel": fit.kernel().to_string(),
        "lambda": number(fit.lambda()),
        "features": fit.features().name(),
        "components": fit.features().components(),
        "quality": quality(targets, fit).iter().map(line).collect::<Vec<_>>(),
        "output": words.output.display().to_string(),
    })
}
