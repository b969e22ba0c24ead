//! The report of a streamed fit.

use std::path::Path;

use mercer::features::{DrawnFeatures, FeatureMap};
use mercer::io::Resumed;
use mercer::learn::StreamedRidgeFit;
use mercer::learn::streamed::Passes;
use mercer::model::Model;
use serde_json::{Value, json};

use super::super::pictures::agreement;
use super::super::summary::inputs;
use super::setup::Setup;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::plot::Figure;
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Dots of a picture.
const DOTS: usize = 2000;

/// What was fitted, how, and how good it is.
pub fn summary(
    setup: &Setup,
    model: &Model,
    resumed_at: Option<Resumed>,
    output: Option<&Path>,
    session: &Session,
) -> Result<Report, Failure> {
    let Some(fit) = model.fit::<StreamedRidgeFit>() else {
        return Err(Failure::request("the model is not one of a streamed fit"));
    };
    let training = &setup.training;
    let title = format!("Ridge regression of {}", training.targets.join(", "));
    let mut report = Report::new(title.clone());
    report.heading(title).fields(fields(setup, fit, resumed_at));
    if let Some(choice) = &setup.choice {
        choice.push_into(&mut report);
        let lambda = if fit.scores().is_empty() { "The kernel and λ were" } else { "The kernel was" };
        report.text(format!("{lambda} chosen on a sample of the rows."));
    }
    push_scores(&mut report, fit, setup.spec.folds);
    push_quality(&mut report, &setup.training.targets, fit);
    for remark in remarks(setup, fit) {
        report.text(remark);
    }
    if let Some(path) = output {
        report.text(format!("The model is in {}.", path.display()));
    }
    report.json = json_of(setup, fit, resumed_at, output);
    if session.common.plot.is_some() || session.common.report.is_some() {
        report.figures.push(figure(setup, model, session)?);
    }
    Ok(report)
}

/// Remarks on the data, the selection on the sample, and λ.
fn remarks(setup: &Setup, fit: &StreamedRidgeFit) -> Vec<String> {
    let mut remarks = setup.training.remarks.clone();
    remarks.extend(setup.choice.iter().flat_map(|choice| choice.remarks("ridge")));
    let lambdas = || fit.scores().iter().map(|score| score.lambda);
    let (low, high) = (lambdas().fold(f64::INFINITY, f64::min), lambdas().fold(0.0, f64::max));
    if low < high && (fit.lambda() <= low || fit.lambda() >= high) {
        remarks.push(format!(
            "The λ {} is at the border of the search range ({} to {}): the optimum may lie beyond (--lambdas tries others).",
            short(fit.lambda()),
            short(low),
            short(high)
        ));
    }
    remarks
}

fn fields(setup: &Setup, fit: &StreamedRidgeFit, resumed_at: Option<Resumed>) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("data", format!("{}: {} rows", setup.training.name, grouped(fit.rows()))),
        ("inputs", inputs(&setup.training.coordinates)),
        ("streamed", setup.reason.clone()),
        ("kernel", fit.kernel().short()),
        ("features", features(fit)),
        ("λ", short(fit.lambda())),
    ];
    let list = |values: ndarray::ArrayView1<f64>| values.iter().map(|&v| short(v)).collect::<Vec<_>>().join(", ");
    fields.extend(fit.intercept().map(|b| ("intercept", list(b))));
    fields.extend(fit.passes().map(|found| ("solved by", solved(found))));
    fields.extend(resumed_at.map(|at| match at {
        Resumed::Row(row) => ("resumed", format!("from row {}", grouped(row as u64))),
        Resumed::Passes(passes) => ("resumed", format!("after {passes} passes")),
    }));
    fields
}

fn solved(found: Passes) -> String {
    let unfinished = if found.converged { "" } else { "; raise --center-iter for more" };
    format!(
        "conjugate gradients in {} passes over the file (residual {}{unfinished})",
        found.passes,
        short(found.residual)
    )
}

/// The features in words.
pub fn features(fit: &StreamedRidgeFit) -> String {
    let count = grouped(fit.features().components() as u64);
    match fit.features() {
        DrawnFeatures::Fourier(_) => format!("{count} random Fourier features"),
        DrawnFeatures::Nystrom(map) => {
            let missed = 100.0 * map.trace_error() / map.trace();
            format!("{count} Nyström features, which miss {} % of the trace on the sample", short(missed))
        }
    }
}

/// The error of every λ on the folds.
pub fn push_scores(report: &mut Report, fit: &StreamedRidgeFit, folds: usize) {
    if fit.scores().is_empty() {
        return;
    }
    report.heading(format!("λ by {folds} folds of all rows"));
    let mut table = Table::new(&["λ", "RMSE"], &[0, 1]);
    for score in fit.scores() {
        table.push([short(score.lambda), short(score.score.sqrt())]);
    }
    report.push(Block::Table(table));
}

/// The root of the mean square error and `R²` of every target.
pub fn quality(targets: &[String], fit: &StreamedRidgeFit) -> Vec<(String, f64, f64)> {
    let pairs = fit.residual_squares().into_iter().zip(fit.total_squares());
    let values = pairs.map(|(left, total)| ((left / fit.total_weight()).sqrt(), 1.0 - left / total));
    targets.iter().zip(values).map(|(name, (rmse, r2))| (name.clone(), rmse, r2)).collect()
}

fn best(fit: &StreamedRidgeFit) -> Option<f64> {
    fit.scores().iter().map(|score| score.score).min_by(f64::total_cmp).map(f64::sqrt)
}

/// How near the function is to the data.
pub fn push_quality(report: &mut Report, targets: &[String], fit: &StreamedRidgeFit) {
    report.heading("On the data of the fit");
    let mut table = Table::new(&["target", "RMSE", "R²"], &[1, 2]);
    for (name, rmse, r2) in quality(targets, fit) {
        table.push([name, short(rmse), if r2.is_finite() { short(r2) } else { "—".into() }]);
    }
    report.push(Block::Table(table));
    if let Some(rmse) = best(fit) {
        report.text(format!("On rows left out the RMSE is {}.", short(rmse)));
    }
}

fn json_of(setup: &Setup, fit: &StreamedRidgeFit, resumed_at: Option<Resumed>, output: Option<&Path>) -> Value {
    let quality = quality(&setup.training.targets, fit);
    let line =
        |(name, rmse, r2): &(String, f64, f64)| json!({ "target": name, "rmse": number(*rmse), "r2": number(*r2) });
    let score = |s: &mercer::learn::streamed::LambdaScore| json!({ "lambda": s.lambda, "score": number(s.score) });
    json!({
        "command": "fit ridge",
        "kind": "streamed_ridge",
        "data": setup.training.name,
        "rows": fit.rows(),
        "inputs": setup.training.coordinates,
        "targets": setup.training.targets,
        "kernel": fit.kernel().to_string(),
        "lambda": number(fit.lambda()),
        "intercept": fit.intercept().map(|b| b.iter().map(|&v| number(v)).collect::<Vec<_>>()),
        "streamed": setup.reason,
        "features": fit.features().name(),
        "components": fit.features().components(),
        "sample": setup.training.rows(),
        "resumed_at": if let Some(Resumed::Row(row)) = resumed_at { Some(row) } else { None },
        "resumed_after_passes": if let Some(Resumed::Passes(passes)) = resumed_at { Some(passes) } else { None },
        "passes": fit.passes().map(|p| p.passes),
        "residual": fit.passes().map(|p| number(p.residual)),
        "rmse": quality.first().map(|q| number(q.1)),
        "r2": quality.first().map(|q| number(q.2)),
        "cv_rmse": best(fit).map(number),
        "scores": fit.scores().iter().map(score).collect::<Vec<_>>(),
        "quality": quality.iter().map(line).collect::<Vec<_>>(),
        "choice": setup.choice.as_ref().map(super::super::Choice::json),
        "remarks": remarks(setup, fit),
        "output": output.map(|path| path.display().to_string()),
    })
}

/// Fitted against observed, for rows of the sample.
fn figure(setup: &Setup, model: &Model, session: &Session) -> Result<Figure, Failure> {
    let training = &setup.training;
    let step = training.rows().div_ceil(DOTS).max(1);
    let rows: Vec<usize> = (0..training.rows()).step_by(step).collect();
    let values = model.predict(&training.x.taken(&rows), &session.compute)?;
    let clouds = training.targets.iter().enumerate().map(|(j, name)| {
        let points = rows.iter().enumerate().map(|(at, &i)| (training.y[[i, j]], values[[at, j]])).collect();
        (name.clone(), points)
    });
    let title = model.kernel().map_or_else(String::new, |kernel| kernel.short());
    Ok(Figure::Curves(vec![agreement(title, "fitted, on a sample of the rows", clouds)]))
}
