//! `mercer cluster`: clusters of the rows of a file.

use mercer::learner::FitInput;
use mercer::model::AnyFit;
use mercer::points::Column;
use mercer::settings::Settings;
use ndarray::Array2;

use super::samples::{Colors, Samples};
use super::{check_output, embedding, pictures, push_files, save, streamed, summary, write};
use crate::arguments::ClusterArguments;
use crate::failure::Failure;
use crate::numbers::{grouped, short};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Fits, writes, draws and reports.
pub fn cluster(words: &ClusterArguments, session: &Session) -> Result<Report, Failure> {
    check_output(words.data.output.as_deref())?;
    if let Some(request) = streamed::of_clusters(words, session)? {
        return request.run(session);
    }
    let samples = read(words, session)?;
    let learner = words.entry.build(&settings(words, &samples)?)?;
    let input = FitInput::views(samples.points()).with_weights(samples.weights.as_ref().map(|w| w.view()));
    let fit: AnyFit = session.anytime(|compute| learner.fit(&input, compute))?.into();
    save(words.data.model.as_deref(), &fit, &samples, "mercer cluster")?;
    let x = samples.views[0].as_points();
    let labels = labels(&fit)?;
    let distances = fit.transform(0, x.reborrow(), &session.compute)?;
    let own: Vec<f64> = labels.iter().enumerate().map(|(row, &label)| own_distance(&distances, row, label)).collect();
    write(words.data.output.as_deref(), columns(&labels, &own))?;
    let mut report = summary("cluster", &*fit, &samples);
    push_sizes(&mut report, &labels, &own, samples.colors.as_ref());
    push_files(&mut report, words.data.output.as_deref(), words.data.model.as_deref());
    if session.common.plot.is_some() || session.common.report.is_some() {
        report.figures = pictures::clusters(&fit, x, &labels, &session.compute)?;
    }
    Ok(report)
}

/// The plan, without running it.
pub fn explain(words: &ClusterArguments, session: &Session) -> Result<Report, Failure> {
    if let Some(request) = streamed::of_clusters(words, session)? {
        return request.explain(session);
    }
    let samples = read(words, session)?;
    let learner = words.entry.build(&settings(words, &samples)?)?;
    let compute = session.compute.clone().with_speed(session.speed());
    let plan = learner.plan(&FitInput::views(samples.points()).size(), &compute)?;
    Ok(embedding::plan_report("cluster", words.entry.title, &plan, &samples))
}

fn read(words: &ClusterArguments, session: &Session) -> Result<Samples, Failure> {
    Samples::read(words.entry, &words.data, words.weights.as_deref(), words.settings.text("kernel").ok(), session)
}

/// With the number of clusters, unless it is to be chosen.
fn settings(words: &ClusterArguments, samples: &Samples) -> Result<Settings, Failure> {
    let settings = samples.settings(words.entry, &words.settings)?;
    Ok(settings.with_some("clusters", words.clusters))
}

fn labels(fit: &AnyFit) -> Result<Vec<usize>, Failure> {
    match fit.facts().get("labels") {
        Some(mercer::learner::FactValue::Counts(labels)) => Ok(labels.to_vec()),
        _ => Err(Failure::request("the fit has no labels")),
    }
}

fn own_distance(distances: &Array2<f64>, row: usize, label: usize) -> f64 {
    distances.get([row, label]).copied().unwrap_or(f64::NAN)
}

fn columns(labels: &[usize], own: &[f64]) -> Vec<Column> {
    vec![
        Column::numbers("row", (0..labels.len()).map(|row| row as f64).collect()),
        Column::numbers("cluster", labels.iter().map(|&label| label as f64).collect()),
        Column::numbers("distance", own.to_vec()),
    ]
}

/// The size of every cluster, its width, and the most frequent color.
fn push_sizes(report: &mut Report, labels: &[usize], own: &[f64], colors: Option<&Colors>) {
    let count = labels.iter().max().map_or(0, |last| last + 1);
    let mut head = vec!["cluster", "rows", "mean distance"];
    let title = colors.map(|colors| format!("most frequent {}", colors.name));
    head.extend(title.as_deref());
    let mut table = Table::new(&head, &[0, 1, 2]);
    let mut sizes = Vec::new();
    for cluster in 0..count {
        let rows: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == cluster).collect();
        let mean = rows.iter().map(|&row| own[row]).sum::<f64>() / rows.len().max(1) as f64;
        let mut cells = vec![cluster.to_string(), grouped(rows.len() as u64), short(mean)];
        cells.extend(colors.map(|colors| most_frequent(colors, &rows)));
        table.push(cells);
        sizes.push(rows.len());
    }
    report.heading("Clusters").push(Block::Table(table));
    report.json["sizes"] = sizes.into();
}

fn most_frequent(colors: &Colors, rows: &[usize]) -> String {
    let mut counts = vec![0_usize; colors.names.len()];
    rows.iter().for_each(|&row| counts[colors.of[row]] += 1);
    let best = (0..counts.len()).rev().max_by_key(|&at| counts[at]).unwrap_or(0);
    let share = 100.0 * counts.get(best).copied().unwrap_or(0) as f64 / rows.len().max(1) as f64;
    format!("{} ({share:.0} %)", colors.names.get(best).map_or("", String::as_str))
}
