//! The Open Inference Protocol: tensors in, tensors out.

use std::borrow::Cow;

use axum::http::StatusCode;
use axum::response::Response;
use mercer::points::{Column, ColumnData, Table};
use serde_json::{Map, Value, json};

use super::ask::{Ask, wrong};
use super::registry::{Loaded, Slot};
use super::schema::{Holds, Schema};
use crate::http::{Limits, Refusal, json as answer};

/// Types of numbers.
const NUMBERS: [&str; 11] =
    ["FP64", "FP32", "FP16", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"];

/// A request for inference, read.
pub(crate) struct Inference {
    pub id: Option<String>,
    pub table: Table,
    pub ask: Ask,
    /// The outputs that are wanted; all for none.
    pub wanted: Vec<String>,
}

/// The description of a model.
pub(crate) fn metadata(slot: &Slot, loaded: &Loaded) -> Value {
    let schema = &loaded.schema;
    let tensor = |name: &str, kind: &str, shape: Value| json!({ "name": name, "datatype": kind, "shape": shape });
    let inputs: Vec<Value> = match schema.unnamed {
        Some(dimension) => vec![tensor("x", "FP64", json!([-1, dimension]))],
        None => schema.inputs.iter().map(|input| tensor(&input.name, datatype(&input.holds), json!([-1]))).collect(),
    };
    let kind = if schema.is_text { "BYTES" } else { "FP64" };
    let mut outputs: Vec<Value> = schema.outputs.iter().map(|name| tensor(name, kind, json!([-1]))).collect();
    if schema.has_probabilities {
        let probability = |class: &String| tensor(&format!("proba_{class}"), "FP64", json!([-1]));
        outputs.extend(schema.classes.iter().map(probability));
    }
    json!({
        "name": &*slot.name,
        "versions": [loaded.version.to_string()],
        "platform": format!("mercer_{}", loaded.model.fitted().kind()),
        "inputs": inputs,
        "outputs": outputs,
    })
}

fn datatype(holds: &Holds) -> &'static str {
    if *holds == Holds::Numbers { "FP64" } else { "BYTES" }
}

/// Reads a request.
pub(crate) fn read(body: &[u8], schema: &Schema, limits: &Limits) -> Result<Inference, Refusal> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request("invalid_json", format!("the JSON of the request: {e}")))?;
    let inputs = value["inputs"].as_array().ok_or_else(|| tensor_error("the request has no list `inputs`"))?;
    let mut columns: Vec<Column> = Vec::new();
    for input in inputs {
        columns.extend(tensor(input, schema, limits)?);
    }
    let table = Table::from_columns(columns).map_err(|e| tensor_error(format!("the tensors together: {e}")))?;
    if table.rows() == 0 {
        return Err(Refusal::bad_request("no_rows", "the request has no rows"));
    }
    let wanted = wanted(&value)?;
    let ask = ask(&value["parameters"], &wanted)?;
    let id = value["id"].as_str().map(str::to_owned);
    Ok(Inference { id, table, ask, wanted })
}

fn tensor_error(message: impl Into<String>) -> Refusal {
    Refusal::bad_request("invalid_tensor", message)
}

fn wanted(value: &Value) -> Result<Vec<String>, Refusal> {
    let list = match &value["outputs"] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        _ => return Err(tensor_error("`outputs` is not a list")),
    };
    let name = |output: &Value| output["name"].as_str().map(str::to_owned);
    list.iter().map(name).collect::<Option<_>>().ok_or_else(|| tensor_error("an output has no `name`"))
}

/// The options: from `parameters`, and from the names of the outputs that need them.
fn ask(parameters: &Value, wanted: &[String]) -> Result<Ask, Refusal> {
    let empty = Map::new();
    let parameters = match parameters {
        Value::Null => &empty,
        Value::Object(map) => map,
        _ => return Err(tensor_error("`parameters` is not an object")),
    };
    let begins = |start: &str| wanted.iter().any(|name| name.starts_with(start));
    let mut ask = Ask {
        interval: (begins("lower") || begins("upper")).then_some(0.95),
        probabilities: begins("proba_"),
        novelty: begins("novelty"),
    };
    for (name, value) in parameters {
        let flag = || value.as_bool().ok_or_else(|| wrong(name, &value.to_string(), "true or false"));
        match name.as_str() {
            "interval" => {
                let level = value.as_f64();
                ask.interval = Some(level.ok_or_else(|| wrong(name, &value.to_string(), "a number between 0 and 1"))?);
            }
            "probabilities" => ask.probabilities = flag()?,
            "novelty" => ask.novelty = flag()?,
            other => {
                let message = format!("there is no parameter `{other}`; there are interval, probabilities and novelty");
                return Err(Refusal::bad_request("unknown_option", message));
            }
        }
    }
    ask.checked()
}

/// The columns of a tensor: one of shape [n] or [n, 1] is the column of its name; one of shape
/// [n, d] holds all d columns of the model, in order.
fn tensor(input: &Value, schema: &Schema, limits: &Limits) -> Result<Vec<Column>, Refusal> {
    let name = input["name"].as_str().ok_or_else(|| tensor_error("an input has no `name`"))?;
    let failed = |message: String| tensor_error(format!("input `{name}`: {message}"));
    let kind = input["datatype"].as_str().ok_or_else(|| failed("there is no `datatype`".into()))?;
    let shape = shape(&input["shape"]).ok_or_else(|| failed("`shape` is not a list of sizes".into()))?;
    let rows = *shape.first().ok_or_else(|| failed("a tensor has 1 or 2 dimensions".into()))?;
    if rows > limits.rows {
        let message = format!("the request has {rows} rows; the limit is {}", limits.rows);
        return Err(Refusal::too_large("too_many_rows", message));
    }
    let whole = schema.inputs.len();
    let (width, names): (usize, Vec<Cow<'_, str>>) = match shape.as_slice() {
        [_] => (1, vec![name.into()]),
        [_, 1] if whole != 1 || schema.inputs[0].name == name => (1, vec![name.into()]),
        [_, d] if *d == whole => (*d, schema.inputs.iter().map(|input| input.name.as_str().into()).collect()),
        [_, d] => return Err(failed(format!("expected {whole} columns, found {d}"))),
        _ => return Err(failed(format!("expected 1 or 2 dimensions, found {}", shape.len()))),
    };
    let data = input["data"].as_array().ok_or_else(|| failed("there is no list `data`".into()))?;
    let mut flat: Vec<&Value> = Vec::with_capacity(rows.saturating_mul(width).min(data.len().saturating_mul(width)));
    for item in data {
        match item {
            Value::Array(row) => flat.extend(row),
            other => flat.push(other),
        }
    }
    if Some(flat.len()) != rows.checked_mul(width) {
        return Err(failed(format!("the shape {shape:?} does not have {} values", flat.len())));
    }
    let column = |(j, name): (usize, Cow<'_, str>)| {
        let cells = flat.iter().skip(j).step_by(width).copied();
        let data = column_data(kind, cells).map_err(failed)?;
        Ok(Column { name: name.into_owned(), data })
    };
    names.into_iter().enumerate().map(column).collect()
}

fn shape(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|size| usize::try_from(size.as_u64()?).ok()).collect()
}

fn column_data<'v>(kind: &str, cells: impl Iterator<Item = &'v Value>) -> Result<ColumnData, String> {
    let wrong = |row: usize, cell: &Value, needed: &str| format!("value {row} is {cell}: {kind} needs {needed}");
    if NUMBERS.contains(&kind) {
        let number = |(row, cell): (usize, &Value)| match cell {
            Value::Null => Ok(f64::NAN),
            cell => cell.as_f64().ok_or_else(|| wrong(row, cell, "a number, or null where it is missing")),
        };
        return Ok(ColumnData::Numbers(cells.enumerate().map(number).collect::<Result<_, _>>()?));
    }
    let text = |(row, cell): (usize, &'v Value)| match (kind, cell) {
        (_, Value::Null) => Ok(None),
        ("BYTES", Value::String(text)) => Ok(Some(text.as_str())),
        ("BYTES", cell) => Err(wrong(row, cell, "a text, or null where it is missing")),
        (_, Value::Bool(value)) => Ok(Some(if *value { "true" } else { "false" })),
        (_, cell) => Err(wrong(row, cell, "true or false")),
    };
    if !matches!(kind, "BYTES" | "BOOL") {
        return Err(format!("there is no datatype `{kind}`; there are BYTES, BOOL and {}", NUMBERS.join(", ")));
    }
    Ok(ColumnData::categories(cells.enumerate().map(text).collect::<Result<Vec<_>, _>>()?))
}

/// The answer: a tensor of shape [n] for every column that is wanted.
pub(crate) fn response(
    slot: &Slot,
    loaded: &Loaded,
    found: &Inference,
    columns: &[Column],
) -> Result<Response, Refusal> {
    let unknown = found.wanted.iter().find(|name| !columns.iter().any(|column| column.name == **name));
    if let Some(name) = unknown {
        let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let message = format!("there is no output `{name}`; there are {}", known.join(", "));
        return Err(Refusal::bad_request("unknown_output", message));
    }
    let wanted = |column: &&Column| found.wanted.is_empty() || found.wanted.contains(&column.name);
    let outputs = columns.iter().filter(wanted).map(|column| {
        let kind = if matches!(column.data, ColumnData::Numbers(_)) { "FP64" } else { "BYTES" };
        json!({
            "name": column.name,
            "datatype": kind,
            "shape": [column.data.len()],
            "data": serde_json::to_value(super::answer::List(&column.data)).unwrap_or_default(),
        })
    });
    let mut value = json!({
        "model_name": &*slot.name,
        "model_version": loaded.version.to_string(),
        "outputs": outputs.collect::<Vec<_>>(),
    });
    if let Some(id) = &found.id {
        value["id"] = json!(id);
    }
    Ok(answer(StatusCode::OK, &value))
}

#[cfg(test)]
mod tests {
    use super::super::schema::Input;
    use super::*;

    fn schema() -> Schema {
        let input = |name: &str, holds| Input { name: name.into(), holds };
        Schema {
            inputs: vec![input("a", Holds::Numbers), input("b", Holds::Texts)],
            unnamed: None,
            outputs: vec!["prediction".into()],
            is_text: false,
            classes: Vec::new(),
            has_probabilities: false,
        }
    }

    fn parse(inputs: &str) -> Result<Table, String> {
        let limits = Limits { rows: 4, ..Limits::default() };
        let body = format!("{{\"inputs\": [{inputs}]}}");
        read(body.as_bytes(), &schema(), &limits).map(|found| found.table).map_err(|refusal| refusal.message)
    }

    #[test]
    fn tensors_are_columns_by_name_or_all_columns_at_once() {
        let table = parse(
            r#"{"name": "b", "shape": [2, 1], "datatype": "BYTES", "data": ["u", null]},
               {"name": "a", "shape": [2], "datatype": "INT32", "data": [1, 2]}"#,
        );
        let table = table.unwrap();
        assert_eq!(table.names().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(table.columns()[1].data, ColumnData::Numbers(vec![1.0, 2.0]));
        for data in ["[1, 2, 3, 4]", "[[1, 2], [3, 4]]"] {
            let whole = format!(r#"{{"name": "x", "shape": [2, 2], "datatype": "FP64", "data": {data}}}"#);
            let table = parse(&whole).unwrap();
            assert_eq!(table.columns()[1].data, ColumnData::Numbers(vec![2.0, 4.0]));
        }
    }

    #[test]
    fn tensors_that_make_no_sense_are_refused() {
        for (input, words) in [
            (r#"{"shape": [1], "datatype": "FP64", "data": [1]}"#, "no `name`"),
            (r#"{"name": "a", "shape": [1], "data": [1]}"#, "no `datatype`"),
            (r#"{"name": "a", "shape": [-1], "datatype": "FP64", "data": [1]}"#, "`shape` is not"),
            (r#"{"name": "a", "shape": [], "datatype": "FP64", "data": [1]}"#, "1 or 2 dimensions"),
            (r#"{"name": "a", "shape": [1,1,1], "datatype": "FP64", "data": [1]}"#, "found 3"),
            (r#"{"name": "a", "shape": [1,3], "datatype": "FP64", "data": [1,2,3]}"#, "expected 2 columns, found 3"),
            (r#"{"name": "a", "shape": [2], "datatype": "FP64", "data": [1]}"#, "does not have 1 values"),
            (r#"{"name": "a", "shape": [5], "datatype": "FP64", "data": [1]}"#, "the limit is 4"),
            (r#"{"name": "a", "shape": [18446744073709551615, 2], "datatype": "FP64", "data": [1]}"#, "the limit is 4"),
            (r#"{"name": "a", "shape": [1], "datatype": "FP64", "data": ["x"]}"#, "needs a number"),
            (r#"{"name": "a", "shape": [1], "datatype": "BYTES", "data": [1]}"#, "needs a text"),
            (r#"{"name": "a", "shape": [1], "datatype": "BOOL", "data": [1]}"#, "true or false"),
            (r#"{"name": "a", "shape": [1], "datatype": "FLOAT", "data": [1]}"#, "no datatype `FLOAT`"),
            (r#"{"name": "a", "shape": [0], "datatype": "FP64", "data": []}"#, "no rows"),
            ("", "no rows"),
        ] {
            let message = parse(input).unwrap_err();
            assert!(message.contains(words), "{input}: {message}");
        }
    }
}
