//! `mercer embed pca|cca|ica|scaling`: coordinates of the rows of a file.

use mercer::learner::{FitInput, ViewCount};
use mercer::model::AnyFit;
use mercer::points::Column;
use ndarray::Array2;

use super::samples::Samples;
use super::{check_output, coordinate_columns, pictures, push_files, save, streamed, summary, write};
use crate::arguments::ViewArguments;
use crate::failure::Failure;
use crate::numbers::json_rows;
use crate::report::Report;
use crate::session::Session;

/// Numbers that are part of the JSON object. Some 2 MB of text.
const IN_JSON: usize = 100_000;

/// Fits, writes, draws and reports.
pub fn embed(words: &ViewArguments, session: &Session) -> Result<Report, Failure> {
    check_output(words.data.output.as_deref())?;
    if let Some(request) = streamed::of_view(words, session)? {
        return request.run(session);
    }
    let samples = read(words, session)?;
    let learner = words.entry.build(&samples.settings(words.entry, &words.settings)?)?;
    let input = FitInput::views(samples.points());
    let fit: AnyFit = session.anytime(|compute| learner.fit(&input, compute))?.into();
    let command = format!("embed {}", words.entry.name);
    save(words.data.model.as_deref(), &fit, &samples, &format!("mercer {command}"))?;
    let compute = &session.compute;
    let transformed = samples.points().into_iter().enumerate().map(|(view, x)| fit.transform(view, x, compute));
    let all = transformed.collect::<mercer::Result<Vec<Array2<f64>>>>()?;
    let views: Vec<_> = all.iter().map(|z| z.view()).collect();
    let mut columns = coordinate_columns(&views);
    let novelty = if words.novelty { Some(fit.novelty(samples.views[0].as_points(), compute)?) } else { None };
    columns.extend(novelty.as_ref().map(|scores| Column::numbers("novelty", scores.clone())));
    write(words.data.output.as_deref(), columns)?;
    let mut report = summary(&command, &*fit, &samples);
    push_files(&mut report, words.data.output.as_deref(), words.data.model.as_deref());
    if words.data.output.is_none() && all.iter().map(Array2::len).sum::<usize>() <= IN_JSON {
        report.json["coordinates"] = match &all[..] {
            [one] => json_rows(one.view()),
            several => several.iter().map(|z| json_rows(z.view())).collect(),
        };
    }
    if let Some(scores) = novelty.filter(|scores| scores.len() <= IN_JSON) {
        report.json["novelty"] = crate::numbers::json_list(scores.iter());
    }
    if session.common.plot.is_some() || session.common.report.is_some() {
        report.figures = pictures::embedding(&*fit, &views, samples.colors.as_ref());
    }
    Ok(report)
}

fn read(words: &ViewArguments, session: &Session) -> Result<Samples, Failure> {
    if words.entry.views == ViewCount::Several {
        let kernels = words.settings.texts("kernels").unwrap_or_default();
        return Samples::read_views(&words.data, &words.views, kernels, session);
    }
    Samples::read(words.entry, &words.data, None, words.settings.text("kernel").ok(), session)
}

/// The plan, without running it.
pub fn explain(words: &ViewArguments, session: &Session) -> Result<Report, Failure> {
    if let Some(request) = streamed::of_view(words, session)? {
        return request.explain(session);
    }
    let samples = read(words, session)?;
    let learner = words.entry.build(&samples.settings(words.entry, &words.settings)?)?;
    let compute = session.compute.clone().with_speed(session.speed());
    let plan = learner.plan(&FitInput::views(samples.points()).size(), &compute)?;
    Ok(plan_report(&format!("embed {}", words.entry.name), words.entry.title, &plan, &samples))
}

/// The plan of a fit to one file as a report.
pub fn plan_report(command: &str, title: &str, plan: &mercer::learner::Plan, samples: &Samples) -> Report {
    let rows = format!("{}: {} rows", samples.name, crate::numbers::grouped(samples.rows() as u64));
    let mut report = plan_of(command, title, plan, [("data", rows), ("inputs", samples.described())]);
    report.json["rows"] = samples.rows().into();
    report
}

/// A plan as a report, with fields that describe the data.
pub fn plan_of(command: &str, title: &str, plan: &mercer::learner::Plan, data: [(&str, String); 2]) -> Report {
    let mut report = Report::new(format!("Plan: {title}"));
    let mut fields: Vec<(String, String)> = data.map(|(name, text)| (name.to_owned(), text)).into();
    fields.extend([
        ("solver".to_owned(), plan.solver.clone()),
        ("memory".to_owned(), mercer::compute::human_bytes(plan.bytes)),
        ("work".to_owned(), format!("about {} operations", crate::numbers::short(plan.flops))),
    ]);
    fields.extend(plan.seconds.map(|seconds| ("time".to_owned(), mercer::compute::human_seconds(seconds))));
    fields.extend((!plan.reason.is_empty()).then(|| ("because".to_owned(), plan.reason.clone())));
    fields.extend(plan.approximation.clone().map(|text| ("approximation".to_owned(), text)));
    report.heading(format!("Plan of {}", title.to_lowercase())).fields(fields);
    report.json = serde_json::json!({
        "command": command,
        "solver": plan.solver,
        "bytes": plan.bytes,
        "flops": plan.flops,
        "seconds": plan.seconds,
        "reason": plan.reason,
        "approximation": plan.approximation,
    });
    report
}
