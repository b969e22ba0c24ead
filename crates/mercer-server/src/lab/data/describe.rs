//! Data sets as the page shows them.

use mercer::points::{Column, ColumnData, ColumnKind, ColumnSummary, Table};
use serde_json::{Value, json};

use super::base64;
use super::bundled::ALL;
use super::store::{Dataset, Store};
use crate::lab::fields::Fields;
use crate::lab::numbers::number;
use crate::lab::refusal::{Answer, Refusal};
use crate::lab::snippets;

/// Rows of a table that are shown.
const SHOWN: usize = 50;
/// Rows that can be asked for at a time.
const MOST_ROWS: usize = 20_000;

/// The sets that can be chosen.
pub fn list(store: &Store) -> Value {
    let bundled = ALL.iter().map(
        |set| json!({ "id": set.id, "title": set.title, "kind": set.kind, "origin": "bundled", "file": set.file }),
    );
    let own = store.own();
    let own = own.iter().map(
        |set| json!({ "id": set.id, "title": set.title, "kind": set.kind, "origin": set.origin, "file": set.file }),
    );
    own.chain(bundled).collect()
}

/// Reads an upload, and describes it.
pub fn upload(fields: Fields<'_>, store: &Store) -> Answer {
    let name = fields.text("name")?;
    let text = fields.optional("base64").and_then(Value::as_str);
    let text = text.ok_or_else(|| Refusal::request("`base64` must be the contents of the file in base 64"))?;
    let bytes = base64::decode(text).ok_or_else(|| Refusal::request("`base64` is not in base 64"))?;
    Ok(of(&*store.upload(name, &bytes)?))
}

/// Columns, types, missing values, and the first rows.
pub fn describe(fields: Fields<'_>, store: &Store) -> Answer {
    Ok(of(&*store.get(fields.text("id")?)?))
}

fn of(set: &Dataset) -> Value {
    let columns: Vec<Value> = set.table.summary().iter().map(summary).collect();
    let rows: Vec<usize> = (0..set.table.rows().min(SHOWN)).collect();
    json!({
        "id": set.id, "title": set.title, "kind": set.kind, "origin": set.origin, "file": set.file,
        "rows": set.table.rows(), "columns": columns, "target": set.target.clone().or_else(|| guess(&set.table)),
        "head": cells(&set.table, &rows), "snippet": snippets::data(set),
    })
}

/// What is predicted unless somebody says otherwise: the last column that is not text.
fn guess(table: &Table) -> Option<String> {
    let plain = |c: &&Column| matches!(c.data, ColumnData::Numbers(_) | ColumnData::Categories { .. });
    table.columns().iter().rev().find(plain).map(|column| column.name.clone())
}

fn summary(column: &ColumnSummary) -> Value {
    let kind = match column.kind {
        ColumnKind::Numbers => "numbers".to_owned(),
        ColumnKind::Categories => "categories".to_owned(),
        ColumnKind::Objects(kind) => kind.to_string(),
        _ => "other".to_owned(),
    };
    let levels: Vec<Value> = column.levels.iter().take(12).map(|(name, count)| json!([name, count])).collect();
    json!({
        "name": column.name, "kind": kind, "count": column.count, "missing": column.missing,
        "distinct": column.distinct, "constant": column.is_constant(), "levels": levels,
        "numbers": column.numbers.map(|n| json!({
            "min": number(n.min), "max": number(n.max), "mean": number(n.mean), "sd": number(n.sd),
        })),
    })
}

/// Rows of a table as lists of cells.
pub fn cells(table: &Table, rows: &[usize]) -> Value {
    rows.iter().map(|&row| table.columns().iter().map(|column| cell(column, row)).collect::<Value>()).collect()
}

/// A cell: a number, a text, or null.
pub fn cell(column: &Column, row: usize) -> Value {
    match &column.data {
        ColumnData::Numbers(values) => number(values[row]),
        ColumnData::Categories { codes, levels } => {
            codes[row].map_or(Value::Null, |code| Value::from(levels[code as usize].clone()))
        }
        ColumnData::Objects(sample) => match sample {
            mercer::Sample::Strings(strings) => Value::from(strings.get(row)),
            other => Value::from(other.as_points().describe(row)),
        },
        _ => Value::Null,
    }
}

/// Chosen rows as CSV, as `mercer` writes it.
pub fn export(fields: Fields<'_>, store: &Store) -> Answer {
    let set = store.get(fields.text("id")?)?;
    let total = set.table.rows();
    let rows = match fields.optional_numbers("rows")? {
        Some(rows) => rows.iter().map(|&row| row as usize).collect(),
        None => (0..total).collect::<Vec<usize>>(),
    };
    if rows.len() > MOST_ROWS && fields.optional("rows").is_some() {
        return Err(Refusal::too_large(format!("at most {MOST_ROWS} rows are exported at a time")));
    }
    if let Some(row) = rows.iter().find(|&&row| row >= total) {
        return Err(Refusal::request(format!("there is no row {row}: the table has {total}")));
    }
    let table = set.table.select_rows(&rows)?;
    let mut bytes = Vec::new();
    mercer::io::write_table_csv_to(&mut bytes, &table).map_err(|e| Refusal::request(e.to_string()))?;
    let file = format!("{}.csv", set.file.rsplit(['/', '\\']).next().unwrap_or("rows").trim_end_matches(".csv"));
    Ok(json!({
        "csv": String::from_utf8_lossy(&bytes), "file": file, "rows": rows.len(),
        "names": set.table.names().collect::<Vec<_>>(), "cells": cells(&set.table, &rows[..rows.len().min(SHOWN)]),
    }))
}

/// The values of one column at some rows, for colors.
pub fn column(fields: Fields<'_>, store: &Store) -> Answer {
    let set = store.get(fields.text("id")?)?;
    let column = set.table.column(fields.text("column")?)?;
    let rows = fields.optional_numbers("rows")?.unwrap_or_default();
    let rows: Vec<usize> = rows.into_iter().map(|row| row as usize).collect();
    if rows.len() > MOST_ROWS || rows.iter().any(|&row| row >= set.table.rows()) {
        return Err(Refusal::request("a row is not in the table, or there are too many"));
    }
    match &column.data {
        ColumnData::Numbers(values) => Ok(json!({
            "kind": "numbers", "values": rows.iter().map(|&row| number(values[row])).collect::<Vec<_>>(),
        })),
        ColumnData::Categories { codes, levels } => Ok(json!({
            "kind": "categories", "levels": levels, "values": rows.iter().map(|&row| codes[row]).collect::<Vec<_>>(),
        })),
        _ => Err(Refusal::request("only columns of numbers and categories color points")),
    }
}
