//! `mercer kernel check`: proves or refutes that a kernel is positive semi-definite.

use mercer::definiteness::{self, Check, CheckOptions, CheckVerdict};
use mercer::gram::{Pairs, dense};
use mercer::kernel::{Counterexample, Property};
use mercer::{Compute, Kernel, Points};
use ndarray::ArrayView2;
use serde_json::{Value, json};

use super::{counterexample, explain, spectrum};
use crate::arguments::CheckArguments;
use crate::data::{self, EncodedData};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, json_list, json_rows, short};
use crate::report::{Block, Report, Table, Truth};
use crate::session::Session;

/// Checks the kernel on the data, if there is any, and on points that are searched for.
pub fn check(words: &CheckArguments, session: &Session) -> Result<Report, Failure> {
    let kernel: Kernel = words.kernel.parse()?;
    let Some(path) = &words.data else {
        if kernel.is_precomputed() {
            return Err(Failure::request("precomputed() is a matrix: give it as DATA"));
        }
        let found = definiteness::check(&kernel, None, &CheckOptions::default(), &session.compute)?;
        let mut report = summary(&kernel, &found, &[]);
        report.figures = counterexample::draw(&kernel, &found, &[], &session.compute)?;
        return Ok(report);
    };
    let data = EncodedData::read(path, &kernel, &words.options, session)?;
    let kernel = data::with_names(&kernel, data.kind, &data.names)?;
    let x = data.sample.as_points();
    let draws_picture = session.common.plot.is_some() || session.common.report.is_some();
    if kernel.is_precomputed() {
        return check_matrix(&kernel, x.vectors()?, &session.compute);
    }
    let kernel = kernel.bind(Pairs::Within(x), &session.compute)?.kernel().clone();
    let found = definiteness::check(&kernel, Some(x), &CheckOptions::default(), &session.compute)?;
    let mut report = summary_of(&kernel, &found, &data.names, Some(x));
    if draws_picture {
        report.figures.push(spectrum::draw(&kernel, &data.sample, &session.compute)?);
        report.figures.extend(counterexample::draw(&kernel, &found, &data.names, &session.compute)?);
    }
    Ok(report)
}

/// A matrix precomputed, or an expression over one.
fn check_matrix(kernel: &Kernel, matrix: ArrayView2<'_, f64>, compute: &Compute) -> Result<Report, Failure> {
    let matrix = dense(&kernel.bind(Pairs::precomputed(matrix), compute)?, compute)?;
    let mut report = summary(kernel, &definiteness::check_matrix(matrix.view(), compute)?, &[]);
    report.figures.push(spectrum::of_matrix(kernel.short(), &matrix, compute)?);
    Ok(report)
}

/// The report on a check without data.
pub fn summary(kernel: &Kernel, found: &Check, names: &[String]) -> Report {
    summary_of(kernel, found, names, None)
}

/// The report on a check; objects among the data are shown in a few words.
fn summary_of(kernel: &Kernel, found: &Check, names: &[String], data: Option<Points<'_>>) -> Report {
    let mut report = Report::new(format!("Check of {}", kernel.short()));
    report.heading(format!("Is {} positive semi-definite?", kernel.short()));
    let truth = Truth::from_option(found.as_option());
    match &found.verdict {
        CheckVerdict::Proven(proof) => {
            report.push(Block::Verdict(truth, "proven".into())).push(Block::Verbatim(proof.to_string()));
        }
        CheckVerdict::Refuted(example) => push_counterexample(&mut report, example, names, data),
        CheckVerdict::NotRefuted if truth == Truth::No => {
            let text = "refuted by a rule; no counterexample was found among the points that were tried";
            report.push(Block::Verdict(truth, text.into()));
            report.push(Block::Verbatim(found.rules.refuted().map(ToString::to_string).unwrap_or_default()));
        }
        CheckVerdict::NotRefuted => {
            let text = "neither proven nor refuted on the points that were tried";
            report.push(Block::Verdict(truth, text.into()));
        }
    }
    if let Some(missing) = unknown(found) {
        report.text(format!("No rule proves it: {missing}."));
    }
    report.fields(evidence(found));
    if found.as_option() != Some(true) && kernel.property(Property::NegativeSemidefinite).is_proven() {
        report.text(
            "It is negative semi-definite by proof: schoenberg(k, t=1) and based(k, at=[…]) make positive \
             semi-definite kernels of it.",
        );
    }
    report.json = json_of(kernel, found);
    report
}

fn unknown(found: &Check) -> Option<&str> {
    match &found.rules {
        mercer::kernel::Verdict::Unknown(missing) => Some(missing.trim_end_matches('.')),
        _ => None,
    }
}

fn push_counterexample(report: &mut Report, example: &Counterexample, names: &[String], data: Option<Points<'_>>) {
    let count = example.weights.len();
    let text = format!("refuted: cᵀKc = {} at {count} {}", example.digits, if count == 1 { "point" } else { "points" });
    report.push(Block::Verdict(Truth::No, text));
    let width = example.points.ncols();
    let title = |j: usize| names.get(j).cloned().unwrap_or_else(|| format!("x{j}"));
    let coordinates: Vec<String> = (0..width).map(title).collect();
    let by_row = !example.indices.is_empty();
    let mut head = vec!["weight c"];
    head.extend(by_row.then_some("row"));
    head.extend(coordinates.iter().map(String::as_str));
    let object = |row: usize| data.and_then(|points| points.describe(row));
    head.extend(example.indices.first().and_then(|&row| object(row)).map(|_| "point"));
    let mut table = Table::new(&head, &(0..head.len()).collect::<Vec<_>>());
    for (i, &weight) in example.weights.iter().enumerate() {
        let row = by_row.then(|| example.indices[i].to_string());
        let point: Vec<String> = (0..width).map(|j| mercer::io::format_number(example.points[[i, j]])).collect();
        let object = example.indices.get(i).and_then(|&row| object(row));
        table.push([mercer::io::format_number(weight)].into_iter().chain(row).chain(point).chain(object));
    }
    report.push(Block::Table(table));
}

fn evidence(found: &Check) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if !found.min_eigenvalue.is_nan() {
        fields.push(("min eigenvalue", format!("{} {}", short(found.min_eigenvalue), whose(found))));
        fields.push(("rounding", format!("eigenvalues above −{} are within rounding error", short(found.tolerance))));
    }
    if found.rows_total > 0 {
        let (used, given) = (grouped(found.rows_used as u64), grouped(found.rows_total as u64));
        fields.push(("rows of the data", if used == given { given } else { format!("{used} of {given}") }));
    }
    if found.sets_tried > 0 {
        fields.push(("searched", format!("{} sets of points", grouped(found.sets_tried as u64))));
    }
    fields
}

/// The points whose Gram matrix has the eigenvalue.
fn whose(found: &Check) -> &'static str {
    match found.counterexample() {
        _ if found.points.is_empty() => "of the matrix",
        Some(example) if example.indices.is_empty() => "at these points",
        None if found.rows_used == 0 => "on the worst set of points",
        _ => "on the rows of the data",
    }
}

fn json_of(kernel: &Kernel, found: &Check) -> Value {
    let (verdict, proof) = match &found.verdict {
        CheckVerdict::Proven(proof) => ("proven", explain::json_of_proof(proof)),
        CheckVerdict::Refuted(_) => ("refuted", Value::Null),
        CheckVerdict::NotRefuted => ("not_refuted", Value::Null),
    };
    let example = found.counterexample();
    json!({
        "kernel": kernel.to_string(),
        "psd": found.as_option(),
        "verdict": verdict,
        "proof": proof,
        "min_eigenvalue": number(found.min_eigenvalue),
        "tolerance": number(found.tolerance),
        "points": example.map_or(Value::Null, |_| json_rows(found.points.view())),
        "rows": example.filter(|e| !e.indices.is_empty()).map(|e| e.indices.clone()),
        "weights": example.map_or(Value::Null, |_| json_list(&found.weights)),
        "value": example.map_or(Value::Null, |e| number(e.value)),
        "digits": example.map(|e| e.digits.clone()),
        "rows_used": found.rows_used,
        "rows_total": found.rows_total,
        "sets_tried": found.sets_tried,
        "points_tried": found.points_tried,
    })
}
