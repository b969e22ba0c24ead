//! `mercer data describe`: a summary of a file.

use mercer::io::RowLayout;
use mercer::points::{ColumnData, ColumnKind, ColumnSummary, PointKind};
use serde_json::{Value, json};

use crate::arguments::DescribeArguments;
use crate::data::{self, few};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// How many levels of a column of categories are shown.
const LEVELS_SHOWN: usize = 4;

/// A summary of every column.
pub fn describe(words: &DescribeArguments, session: &Session) -> Result<Report, Failure> {
    // A column of its own for every index of sparse rows would take more than the data.
    let table = data::choose(data::read_rows(&words.data, RowLayout::BySize, session)?, &words.columns)?;
    Ok(summary(&data::shown(&words.data), &table))
}

/// The report on a table.
pub fn summary(name: &str, table: &mercer::points::Table) -> Report {
    let summary = table.summary();
    let mut report = Report::new(format!("{name}: the data"));
    let columns = summary.len();
    report.heading(format!("{name}: {} rows, {columns} columns", grouped(table.rows() as u64)));
    push_numbers(&mut report, &summary);
    push_categories(&mut report, &summary);
    push_objects(&mut report, &summary, table);
    push_remarks(&mut report, &summary);
    let label = table.label().map(|c| table.columns()[c].name.as_str());
    if let Some(label) = label {
        report.text(format!("The label is {label}: it is used as a feature only if selected by name."));
    }
    let described: Value = summary.iter().map(json_of).collect();
    report.json = json!({ "file": name, "rows": table.rows(), "label": label, "columns": described });
    report
}

fn push_numbers(report: &mut Report, summary: &[ColumnSummary]) {
    let head = ["column", "count", "missing", "distinct", "min", "mean", "max", "sd"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6, 7]);
    for column in summary {
        let Some(n) = column.numbers else { continue };
        let counts = [column.count, column.missing, column.distinct].map(|c| c.to_string());
        let statistics = [n.min, n.mean, n.max, n.sd].map(|x| if x.is_nan() { "—".to_owned() } else { short(x) });
        table.push([column.name.clone()].into_iter().chain(counts).chain(statistics));
    }
    if !table.rows.is_empty() {
        report.push(Block::Table(table));
    }
}

fn push_categories(report: &mut Report, summary: &[ColumnSummary]) {
    let mut table = Table::new(&["column", "count", "missing", "distinct", "most frequent"], &[1, 2, 3]);
    for column in summary.iter().filter(|c| c.kind == ColumnKind::Categories) {
        let counts = [column.count, column.missing, column.distinct].map(|c| c.to_string());
        table.push([column.name.clone()].into_iter().chain(counts).chain([frequent(column)]));
    }
    if !table.rows.is_empty() {
        report.push(Block::Table(table));
    }
}

/// Columns of objects, with the first of them in a few words.
fn push_objects(report: &mut Report, summary: &[ColumnSummary], data: &mercer::points::Table) {
    let mut table = Table::new(&["column", "kind", "count", "distinct", "first"], &[2, 3]);
    for (column, values) in summary.iter().zip(data.columns()) {
        let (ColumnKind::Objects(kind), ColumnData::Objects(sample)) = (column.kind, &values.data) else { continue };
        let first = if sample.is_empty() { None } else { sample.as_points().describe(0) };
        let counts = [column.count, column.distinct].map(|c| c.to_string());
        table.push([column.name.clone(), kind.to_string()].into_iter().chain(counts).chain(first.or(Some("—".into()))));
    }
    if !table.rows.is_empty() {
        report.push(Block::Table(table));
    }
}

fn frequent(column: &ColumnSummary) -> String {
    let shown = column.levels.iter().take(LEVELS_SHOWN).map(|(level, n)| format!("{level} ({n})"));
    let rest = column.levels.len().saturating_sub(LEVELS_SHOWN);
    let more = (rest > 0).then(|| format!("… {rest} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

fn push_remarks(report: &mut Report, summary: &[ColumnSummary]) {
    let names = |requested: fn(&ColumnSummary) -> bool| {
        few(&summary.iter().filter(|c| requested(c)).map(|c| c.name.as_str()).collect::<Vec<_>>())
    };
    let remarks = [
        ("missing values", names(|c| c.missing > 0), "choose a rule with --missing drop, mean or zero"),
        ("infinite values", names(|c| c.numbers.is_some_and(|n| n.infinite > 0)), "all methods reject them"),
        ("the same value in every row", names(ColumnSummary::is_constant), "it carries no information"),
    ];
    for (what, columns, advice) in remarks.into_iter().filter(|(_, columns, _)| !columns.is_empty()) {
        report.text(format!("Columns with {what}: {columns} ({advice})."));
    }
}

fn object_json(column: &ColumnSummary, kind: PointKind) -> Value {
    json!({
        "name": column.name,
        "kind": kind.to_string(),
        "count": column.count,
        "missing": column.missing,
        "distinct": column.distinct,
        "constant": column.is_constant(),
    })
}

fn json_of(column: &ColumnSummary) -> Value {
    let kind = match column.kind {
        ColumnKind::Numbers => "numbers",
        ColumnKind::Categories => "categories",
        ColumnKind::Objects(kind) => return object_json(column, kind),
        _ => "other",
    };
    let mut value = json!({
        "name": column.name,
        "kind": kind,
        "count": column.count,
        "missing": column.missing,
        "distinct": column.distinct,
        "constant": column.is_constant(),
    });
    if let Some(n) = column.numbers {
        value["min"] = number(n.min);
        value["max"] = number(n.max);
        value["mean"] = number(n.mean);
        value["sd"] = number(n.sd);
        value["infinite"] = n.infinite.into();
    } else {
        value["levels"] = column.levels.iter().map(|(level, n)| json!({ "level": level, "count": n })).collect();
    }
    value
}
