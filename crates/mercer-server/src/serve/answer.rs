//! Columns → the bytes of an answer.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use mercer::io::write_table_csv_to;
use mercer::points::{Column, ColumnData, Table};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::body::Kind;
use crate::http::{Refusal, typed};

/// How an answer is written: as the client accepts it, else as the request was.
pub(crate) fn kind_of(headers: &HeaderMap, request: Kind) -> Kind {
    let accepted = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or("");
    match (accepted.contains("text/csv"), accepted.contains("application/json")) {
        (true, false) => Kind::Csv,
        (false, true) => Kind::Json,
        _ => request,
    }
}

/// A column as a list; numbers that JSON does not have, and missing values, are null.
pub(crate) struct List<'c>(pub &'c ColumnData);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ColumnData::Numbers(values) => out.collect_seq(values),
            ColumnData::Categories { codes, levels } => {
                out.collect_seq(codes.iter().map(|code| code.map(|c| levels[c as usize].as_str())))
            }
            _ => out.collect_seq(std::iter::empty::<f64>()),
        }
    }
}

/// The columns by name.
struct Columns<'c>(&'c [Column]);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|column| (&column.name, List(&column.data))))
    }
}

/// Predictions with what is to be said of them.
pub(crate) struct Predictions<'c> {
    pub model: &'c str,
    pub version: u64,
    pub rows: usize,
    pub dropped: usize,
    pub filled: usize,
    pub columns: Vec<Column>,
}

impl Serialize for Predictions<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("version", &self.version)?;
        map.serialize_entry("rows", &self.rows)?;
        if self.dropped > 0 {
            map.serialize_entry("rows_dropped", &self.dropped)?;
        }
        if self.filled > 0 {
            map.serialize_entry("cells_filled", &self.filled)?;
        }
        map.serialize_entry("predictions", &Columns(&self.columns))?;
        map.end()
    }
}

/// The answer.
pub(crate) fn predictions(found: Predictions<'_>, kind: Kind) -> Result<Response, Refusal> {
    match kind {
        Kind::Json => as_json(&found),
        Kind::Csv => {
            let table = Table::from_columns(found.columns).map_err(|_| Refusal::defect())?;
            let mut text = Vec::new();
            write_table_csv_to(&mut text, &table).map_err(|_| Refusal::defect())?;
            Ok(typed(StatusCode::OK, "text/csv; charset=utf-8", text))
        }
    }
}

/// Anything as JSON.
pub(crate) fn as_json(value: &impl Serialize) -> Result<Response, Refusal> {
    let text = serde_json::to_vec(value).map_err(|_| Refusal::defect())?;
    Ok(typed(StatusCode::OK, "application/json", text))
}
