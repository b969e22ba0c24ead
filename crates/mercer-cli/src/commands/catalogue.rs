//! `mercer kernel list`: the catalogue.

use mercer::kernel::catalogue::{self, Entry, Family, ParameterEntry};
use serde_json::{Value, json};

use crate::arguments::ListArguments;
use crate::failure::Failure;
use crate::report::{Block, Report, Table};

/// All entries by family, or the page of one.
pub fn list(words: &ListArguments) -> Result<Report, Failure> {
    match &words.name {
        Some(name) => catalogue::find(name).map(page).ok_or_else(|| unknown(name)),
        None => Ok(everything()),
    }
}

fn unknown(name: &str) -> Failure {
    // The parser knows which names are near: its complaint about `name()` is the answer.
    match format!("{name}()").parse::<mercer::Kernel>() {
        Err(mercer::Error::Syntax(error)) if error.suggestion.is_some() => {
            let near = error.suggestion.unwrap_or_default();
            Failure::request(format!("there is no kernel `{name}`; did you mean `{near}`?"))
        }
        _ => Failure::request(format!("there is no kernel `{name}`: `mercer kernel list` shows all of them")),
    }
}

fn everything() -> Report {
    let mut report = Report::new("The kernels of the language");
    for family in Family::ALL {
        let mut table = Table::new(&["name", "formula", "domain", "parameters"], &[]);
        for entry in catalogue::entries().filter(|e| e.family == family) {
            table.push([entry.name.into(), entry.formula.into(), entry.domain.text().into(), signature(entry)]);
        }
        report.heading(family.title()).push(Block::Table(table));
    }
    report.text(
        "Operators: k + k, k * k, number * k, k^m. A lengthscale is a number, a list with one per column, or median.\n\
         `mercer kernel list NAME` shows the page of one.",
    );
    report.json = json!({ "kernels": catalogue::entries().map(json_of).collect::<Value>() });
    report
}

fn signature(entry: &Entry) -> String {
    let one = |p: &ParameterEntry| match (p.name, p.default) {
        ("", _) if p.range == "a kernel" => "k".to_owned(),
        ("", _) if p.range.starts_with('[') || p.range.starts_with("a list") => "[…]".to_owned(),
        ("", _) => p.range.to_owned(),
        (name, Some(default)) => format!("{name}={default}"),
        (name, None) => name.to_owned(),
    };
    entry.parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn page(entry: &Entry) -> Report {
    let mut report = Report::new(entry.name);
    report.heading(format!("{}({})", entry.name, signature(entry)));
    report.fields([
        ("formula", entry.formula.to_owned()),
        ("domain", entry.domain.text().to_owned()),
        ("family", entry.family.title().to_owned()),
        ("cost", entry.cost.to_owned()),
    ]);
    report.heading("Theory").text(entry.theory);
    if !entry.parameters.is_empty() {
        report.heading("Parameters").push(Block::Table(parameters(entry)));
    }
    report.heading("Examples").push(Block::Verbatim(entry.examples.join("\n")));
    report.json = json_of(entry);
    report
}

fn parameters(entry: &Entry) -> Table {
    let mut table = Table::new(&["name", "default", "allowed", "meaning"], &[]);
    for p in entry.parameters {
        let name = if p.name.is_empty() { "(first)" } else { p.name };
        table.push([name.into(), p.default.unwrap_or("—").into(), p.range.into(), p.meaning.into()]);
    }
    table
}

fn json_of(entry: &Entry) -> Value {
    let parameters: Value = entry
        .parameters
        .iter()
        .map(|p| json!({ "name": p.name, "default": p.default, "range": p.range, "meaning": p.meaning }))
        .collect();
    json!({
        "name": entry.name,
        "family": entry.family.title(),
        "formula": entry.formula,
        "domain": entry.domain.text(),
        "parameters": parameters,
        "theory": entry.theory,
        "cost": entry.cost,
        "examples": entry.examples,
    })
}
