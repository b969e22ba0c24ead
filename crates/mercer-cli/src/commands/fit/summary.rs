//! The report of a fit.

use std::path::Path;

use serde_json::{Value, json};

use super::effects::Effects;
use super::{Outcome, pictures};
use crate::failure::Failure;
use crate::numbers::grouped;
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Names of coordinates that are listed.
const NAMES: usize = 12;

/// What was fitted, how it was chosen, how good it is.
pub fn summary(mut outcome: Outcome, output: Option<&Path>, session: &Session) -> Result<Report, Failure> {
    let outcome = &mut outcome;
    let training = &outcome.training;
    let of = if training.targets.is_empty() { String::new() } else { format!(" of {}", training.targets.join(", ")) };
    let title = format!("{}{of}", headline(outcome));
    let mut report = Report::new(title.clone());
    report.heading(title);
    let mut fields = vec![
        ("data".to_owned(), format!("{}: {} rows", training.name, grouped(training.rows() as u64))),
        ("inputs".to_owned(), inputs(&training.input_names())),
    ];
    fields.extend(outcome.facts.iter().map(|(name, value)| (name.replace('_', " "), value.clone())));
    report.fields(fields);
    if let Some(choice) = &outcome.choice {
        choice.push_into(&mut report);
    }
    push_quality(&mut report, outcome);
    for (title, table) in std::mem::take(&mut outcome.tables) {
        report.heading(title).push(Block::Table(table));
    }
    let training = &outcome.training;
    let effects = Effects::of(&outcome.model, training, &session.compute)?;
    effects.iter().for_each(|e| e.push_into(&mut report));
    for remark in all_remarks(outcome) {
        report.text(remark);
    }
    if let Some(path) = output {
        report.text(format!("The model is in {}.", path.display()));
    }
    report.json = json_of(outcome, output);
    report.json["effects"] = effects.iter().map(Effects::json).collect();
    if session.common.plot.is_some() || session.common.report.is_some() {
        report.figures = pictures::draw(outcome, &session.compute)?;
        // Of several columns the parts tell most, of one column the function.
        let position = if training.columns() > 1 { 0 } else { 1 };
        report.figures.splice(position..position, effects.iter().filter_map(Effects::figure));
        // What was requested by a flag of its own comes first.
        report.figures.splice(0..0, std::mem::take(&mut outcome.figures));
    }
    Ok(report)
}

/// Remarks on the data, the selection, and the fit.
fn all_remarks(outcome: &Outcome) -> Vec<String> {
    let choice = outcome.choice.as_ref().map_or(Vec::new(), |choice| choice.remarks(outcome.learner));
    outcome.training.remarks.iter().cloned().chain(choice).chain(outcome.remarks.iter().cloned()).collect()
}

/// The kind of the model, in words.
pub fn headline(outcome: &Outcome) -> &'static str {
    outcome.model.fitted().entry().title
}

pub(super) fn inputs(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    let rest = names.len().saturating_sub(NAMES);
    let more = if rest > 0 { format!(", … {rest} more") } else { String::new() };
    format!("{} ({shown}{more})", names.len())
}

fn push_quality(report: &mut Report, outcome: &Outcome) {
    if outcome.quality.is_empty() && outcome.class_quality.is_none() {
        return;
    }
    report.heading("On the data of the fit");
    if let Some(quality) = &outcome.class_quality {
        quality.push_into(report);
    }
    match &outcome.quality[..] {
        [] => {}
        [one] => {
            report.fields(one.fields());
        }
        several => {
            let head: Vec<String> = several[0].fields().into_iter().map(|(name, _)| name).collect();
            let names: Vec<&str> = ["target"].into_iter().chain(head.iter().map(String::as_str)).collect();
            let mut table = Table::new(&names, &(1..names.len()).collect::<Vec<_>>());
            for quality in several {
                let cells = quality.fields().into_iter().map(|(_, value)| value);
                table.push([quality.target.clone()].into_iter().chain(cells));
            }
            report.push(Block::Table(table));
        }
    }
}

fn json_of(outcome: &Outcome, output: Option<&Path>) -> Value {
    let training = &outcome.training;
    let mut value = json!({
        "command": format!("fit {}", outcome.learner),
        "kind": outcome.model.fitted().kind(),
        "data": training.name,
        "rows": training.rows(),
        "inputs": training.input_names(),
        "targets": training.targets,
    });
    for (name, item) in &outcome.json {
        value[name] = item.clone();
    }
    if let [one] = &outcome.quality[..] {
        for (name, item) in one.json().as_object().into_iter().flatten().filter(|(name, _)| *name != "target") {
            value[name] = item.clone();
        }
    }
    if let Some(quality) = &outcome.class_quality {
        for (name, item) in quality.json().as_object().into_iter().flatten() {
            value[name] = item.clone();
        }
    }
    value["quality"] = outcome.quality.iter().map(super::Quality::json).collect();
    value["choice"] = outcome.choice.as_ref().map_or(Value::Null, super::Choice::json);
    value["remarks"] = json!(all_remarks(outcome));
    value["output"] = json!(output.map(|path| path.display().to_string()));
    value
}
