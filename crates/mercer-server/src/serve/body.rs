//! From a body to a table and its options.

use std::fmt;

use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use mercer::io::{Format, ReadOptions, read_table_from};
use mercer::points::Table;
use mercer::{Compute, Error};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ask::Ask;
use super::rows::{Rows, RowsSeed};
use crate::http::{Limits, Refusal, content_type};

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Csv,
}

impl Kind {
    /// Of a request whose content type was let in.
    pub fn of(headers: &HeaderMap) -> Self {
        let csv = content_type(headers).is_some_and(|kind| kind.eq_ignore_ascii_case("text/csv"));
        if csv { Self::Csv } else { Self::Json }
    }
}

/// The rows of a body, and the options beside them.
pub(crate) fn read(
    kind: Kind,
    body: &Bytes,
    ask: Ask,
    expected: &[String],
    limits: &Limits,
    compute: &Compute,
) -> Result<(Table, Ask), Refusal> {
    let (table, ask) = match kind {
        Kind::Json => from_json(body, ask, expected, limits)?,
        Kind::Csv => (from_csv(body, limits, compute)?, ask),
    };
    if table.rows() == 0 {
        return Err(Refusal::bad_request("no_rows", "the request has no rows"));
    }
    Ok((table, ask))
}

fn from_csv(body: &Bytes, limits: &Limits, compute: &Compute) -> Result<Table, Refusal> {
    // A small compressed file can unpack to any size.
    if body.starts_with(&[0x1f, 0x8b]) {
        let message = "compressed bodies are refused: send the body as it is";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "encoded_body", message));
    }
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    let table = read_table_from(body.as_ref(), "the request", &options, compute).map_err(refusal)?;
    if table.rows() > limits.rows {
        return Err(too_many_rows(limits));
    }
    Ok(table)
}

fn too_many_rows(limits: &Limits) -> Refusal {
    Refusal::too_large("too_many_rows", format!("the request has more than {} rows, which is the limit", limits.rows))
}

fn from_json(body: &Bytes, ask: Ask, expected: &[String], limits: &Limits) -> Result<(Table, Ask), Refusal> {
    let mut parsed = Parsed { rows: Rows::new(limits.rows), columns: None, ask };
    let mut input = serde_json::Deserializer::from_slice(body);
    let read = BodySeed(&mut parsed).deserialize(&mut input).and_then(|()| input.end());
    if let Err(error) = read {
        return Err(if parsed.rows.over_limit {
            too_many_rows(limits)
        } else {
            Refusal::bad_request("invalid_json", format!("the JSON of the request: {error}"))
        });
    }
    let ask = parsed.ask.checked()?;
    let table = parsed.rows.finish(parsed.columns, expected);
    Ok((table.map_err(|message| Refusal::bad_request("invalid_rows", message))?, ask))
}

struct Parsed {
    rows: Rows,
    columns: Option<Vec<String>>,
    ask: Ask,
}

/// A list of rows, or an object with `rows` and options.
struct BodySeed<'p>(&'p mut Parsed);

impl<'de> DeserializeSeed<'de> for BodySeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BodySeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows, or an object with the list `rows`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<(), A::Error> {
        RowsSeed(&mut self.0.rows).visit_seq(rows)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let parsed = self.0;
        let mut seen: Vec<String> = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            match name.as_str() {
                "rows" => object.next_value_seed(RowsSeed(&mut parsed.rows))?,
                "columns" => parsed.columns = object.next_value()?,
                "interval" => parsed.ask.interval = object.next_value()?,
                "probabilities" => parsed.ask.probabilities = object.next_value()?,
                "novelty" => parsed.ask.novelty = object.next_value()?,
                other => {
                    object.next_value::<IgnoredAny>()?;
                    let known = "rows, columns, interval, probabilities and novelty";
                    return Err(A::Error::custom(format!("there is no option `{other}`; there are {known}")));
                }
            }
            if seen.contains(&name) {
                return Err(A::Error::custom(format!("`{name}` comes twice")));
            }
            seen.push(name);
        }
        if !seen.iter().any(|name| name == "rows") {
            return Err(A::Error::custom("there is no list `rows`"));
        }
        Ok(())
    }
}

/// The refusal for an error of the library.
pub(crate) fn refusal(error: Error) -> Refusal {
    let (code, error) = (error.kind(), in_request(error));
    let status = match &error {
        Error::Memory { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Error::Canceled => StatusCode::REQUEST_TIMEOUT,
        Error::File { .. } | Error::NotConverged { .. } | Error::Singular { .. } | Error::Record { .. } => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::BAD_REQUEST,
    };
    Refusal::new(status, code, error.to_string())
}

/// The same error, of the request instead of a table.
fn in_request(error: Error) -> Error {
    match error {
        Error::Value { row, column, value, requirement, .. } => {
            Error::Value { what: "the request".into(), row, column, value, requirement }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<(Table, Ask), Refusal> {
        let limits = Limits { rows: 2, ..Limits::default() };
        let expected = ["a".to_owned(), "b".to_owned()];
        read(Kind::Json, &Bytes::from(text.to_owned()), Ask::default(), &expected, &limits, &Compute::new())
    }

    #[test]
    fn rows_come_alone_or_with_options() {
        let (table, ask) = json(r#"{"interval": 0.5, "rows": [[1, 2]], "columns": ["b", "a"]}"#).unwrap();
        assert_eq!((table.names().collect::<Vec<_>>(), ask.interval), (vec!["b", "a"], Some(0.5)));
        assert_eq!(json(r#"[{"b": 1}]"#).unwrap().0.rows(), 1);
    }

    #[test]
    fn bodies_that_make_no_sense_are_refused() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (text, code, words) in [
            ("", "invalid_json", "EOF"),
            ("[]", "no_rows", "no rows"),
            (r#"{"rows": []}"#, "no_rows", "no rows"),
            ("{}", "invalid_json", "no list `rows`"),
            (r#"{"rows": [[1, 2]], "rows": [[1, 2]]}"#, "invalid_json", "comes twice"),
            (r#"{"rows": [[1, 2]], "level": 1}"#, "invalid_json", "no option `level`"),
            (r#"{"rows": [[1, 2]], "interval": 1}"#, "parameter", "interval = 1"),
            (r#"{"rows": [{"a": 1}], "columns": ["a"]}"#, "invalid_rows", "these are objects"),
            (r#"{"rows": [[1, 2]], "columns": ["a", "a"]}"#, "invalid_rows", "twice"),
            ("[[1, 2]] x", "invalid_json", "trailing"),
            ("[[1, 2], [1, 2], [1, 2]]", "too_many_rows", "more than 2 rows"),
            ("[[1, 1e999]]", "invalid_json", "out of range"),
            (deep.as_str(), "invalid_json", "expected"),
        ] {
            let refusal = json(text).unwrap_err();
            assert_eq!(refusal.code, code, "{}", refusal.message);
            assert!(refusal.message.contains(words), "{}", refusal.message);
        }
    }

    #[test]
    fn csv_is_read_as_files_are() {
        let limits = Limits { rows: 2, ..Limits::default() };
        let read = |text: &'static [u8]| {
            let body = Bytes::from_static(text);
            read(Kind::Csv, &body, Ask::default(), &[], &limits, &Compute::new()).map(|(table, _)| table)
        };
        assert_eq!(read(b"a;b\n1;x\n").unwrap().names().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read(b"a\n1\n2\n3\n").unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(read(b"a,b\n").unwrap_err().code, "no_rows");
        assert_eq!(read(b"\x1f\x8b\x08\0").unwrap_err().code, "encoded_body");
        assert!(read(b"a,b\n1\n").unwrap_err().message.contains("line 2"));
    }
}
