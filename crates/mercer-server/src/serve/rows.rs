//! Rows in JSON as a table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use mercer::points::{Column, ColumnData, Table};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};

/// A cell.
pub(crate) enum Cell<'b> {
    Number(f64),
    Text(Cow<'b, str>),
    Missing,
}

/// A column that grows: numbers until a text comes.
#[derive(Debug)]
enum Growing {
    Numbers(Vec<f64>),
    Texts(Vec<Option<String>>),
}

impl Growing {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (&mut *self, cell) {
            (Self::Numbers(values), Cell::Number(value)) => values.push(value),
            (Self::Numbers(values), Cell::Missing) => values.push(f64::NAN),
            (Self::Numbers(values), text @ Cell::Text(_)) => {
                // As a file of comma-separated values with both would be read.
                let text_of = |v: &f64| (!v.is_nan()).then(|| v.to_string());
                *self = Self::Texts(values.iter().map(text_of).collect());
                self.push(text);
            }
            (Self::Texts(texts), Cell::Number(value)) => texts.push(Some(value.to_string())),
            (Self::Texts(texts), Cell::Text(text)) => texts.push(Some(text.into_owned())),
            (Self::Texts(texts), Cell::Missing) => texts.push(None),
        }
    }

    fn finish(self) -> ColumnData {
        match self {
            Self::Numbers(values) => ColumnData::Numbers(values),
            Self::Texts(texts) => ColumnData::categories(texts.iter().map(Option::as_deref)),
        }
    }
}

/// A table while its rows are read.
#[derive(Debug)]
pub(crate) struct Rows {
    names: Vec<String>,
    /// The positions of the names, from the moment on at which rows come in different orders.
    positions: HashMap<String, usize>,
    columns: Vec<Growing>,
    rows: usize,
    limit: usize,
    /// Whether rows are lists; unknown before the first.
    lists: Option<bool>,
    /// Whether there were more rows than are allowed.
    pub over_limit: bool,
}

impl Rows {
    /// No rows yet, and at most this many.
    pub fn new(limit: usize) -> Self {
        Self {
            names: Vec::new(),
            positions: HashMap::new(),
            columns: Vec::new(),
            rows: 0,
            limit,
            lists: None,
            over_limit: false,
        }
    }

    /// The table. Columns of rows that are lists take these names, or else those of the model.
    pub fn finish(self, names: Option<Vec<String>>, expected: &[String]) -> Result<Table, String> {
        let names = match (self.lists, names) {
            (Some(true), names) => {
                let names = names.unwrap_or_else(|| expected.to_vec());
                if names.len() != self.columns.len() {
                    let (names, found) = (names.len(), self.columns.len());
                    return Err(format!("rows that are lists: expected {names} values, found {found}"));
                }
                names
            }
            (_, Some(_)) => return Err("`columns` names the values of rows that are lists; these are objects".into()),
            (_, None) => self.names,
        };
        let columns = names.into_iter().zip(self.columns).map(|(name, c)| Column { name, data: c.finish() });
        Table::from_columns(columns.collect()).map_err(|e| e.to_string())
    }

    fn begin<E: serde::de::Error>(&mut self, list: bool) -> Result<(), E> {
        if self.rows >= self.limit {
            self.over_limit = true;
            return Err(E::custom(format!("more than {} rows", self.limit)));
        }
        if *self.lists.get_or_insert(list) != list {
            return Err(E::custom(format!("row {}: all rows are lists, or all are objects", self.rows)));
        }
        Ok(())
    }

    fn end<E: serde::de::Error>(&mut self) -> Result<(), E> {
        let short = self.columns.iter().position(|c| c.len() != self.rows + 1);
        if let Some(column) = short {
            let name = self.names.get(column).map_or_else(|| column.to_string(), |name| format!("`{name}`"));
            return Err(E::custom(format!(
                "row {}: there is no value of column {name} (null is a missing value)",
                self.rows
            )));
        }
        self.rows += 1;
        Ok(())
    }

    /// The position of a column of the row that is read; `guess` is where it was in the first row.
    fn position<E: serde::de::Error>(&mut self, name: &str, guess: usize) -> Result<usize, E> {
        if self.rows == 0 {
            if self.names.iter().any(|known| known == name) {
                return Err(E::custom(format!("row 0: column `{name}` is named twice")));
            }
            self.names.push(name.to_owned());
            self.columns.push(Growing::Numbers(Vec::new()));
            return Ok(self.names.len() - 1);
        }
        let found = match self.names.get(guess) {
            Some(expected) if expected == name => Some(guess),
            _ => self.look_up(name),
        };
        let Some(found) = found else {
            return Err(E::custom(format!("row {}: column `{name}` is not in row 0", self.rows)));
        };
        if self.columns[found].len() > self.rows {
            return Err(E::custom(format!("row {}: column `{name}` is named twice", self.rows)));
        }
        Ok(found)
    }

    fn look_up(&mut self, name: &str) -> Option<usize> {
        if self.positions.is_empty() {
            self.positions = self.names.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect();
        }
        self.positions.get(name).copied()
    }
}

/// Reads a list of rows.
pub(crate) struct RowsSeed<'r>(pub &'r mut Rows);

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while rows.next_element_seed(RowSeed(self.0))?.is_some() {}
        Ok(())
    }
}

struct RowSeed<'r>(&'r mut Rows);

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row: an object of names and values, or a list of values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<(), A::Error> {
        let rows = self.0;
        rows.begin(false)?;
        let mut guess = 0;
        while let Some(NameText(name)) = row.next_key_seed(NameSeed)? {
            let position = rows.position(&name, guess)?;
            rows.columns[position].push(row.next_value_seed(CellSeed)?);
            guess = position + 1;
        }
        rows.end()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<(), A::Error> {
        let rows = self.0;
        rows.begin(true)?;
        let mut position = 0;
        while let Some(cell) = row.next_element_seed(CellSeed)? {
            if rows.rows == 0 {
                rows.columns.push(Growing::Numbers(Vec::new()));
            }
            let Some(column) = rows.columns.get_mut(position) else {
                return Err(A::Error::custom(format!("row {}: it has more values than row 0", rows.rows)));
            };
            column.push(cell);
            position += 1;
        }
        rows.end()
    }
}

struct NameText<'b>(Cow<'b, str>);

struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = NameText<'de>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameSeed {
    type Value = NameText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a column")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(NameText(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(NameText(Cow::Owned(text.to_owned())))
    }
}

/// Reads a cell: a number, a text, true or false (as texts), or null for a missing value.
pub(crate) struct CellSeed;

impl<'de> DeserializeSeed<'de> for CellSeed {
    type Value = Cell<'de>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CellSeed {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true, false or null")
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cell::Missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table, String> {
        let mut rows = Rows::new(3);
        let mut input = serde_json::Deserializer::from_str(text);
        RowsSeed(&mut rows).deserialize(&mut input).map_err(|e| e.to_string())?;
        rows.finish(None, &["a".into(), "b".into()])
    }

    #[test]
    fn objects_are_matched_by_name_and_lists_by_position() {
        let expected = Table::from_columns(vec![
            Column::numbers("a", vec![1.0, 2.5]),
            Column::categories("b", [Some("x"), Some("true")]),
        ]);
        let expected = expected.unwrap();
        assert_eq!(read(r#"[{"a": 1, "b": "x"}, {"b": true, "a": 2.5}]"#).unwrap(), expected);
        assert_eq!(read(r#"[[1, "x"], [2.5, true]]"#).unwrap(), expected);
    }

    #[test]
    fn a_column_of_numbers_and_texts_holds_texts() {
        let table = read(r#"[[1, 5], [null, null], [1, "x"]]"#).unwrap();
        assert_eq!(table.columns()[1].data, ColumnData::categories([Some("5"), None, Some("x")]));
        assert!(table.columns()[0].data.is_missing(1));
    }

    #[test]
    fn rows_that_do_not_fit_together_are_named() {
        for (text, words) in [
            (r#"[{"a": 1}, {"b": 1}]"#, "row 1: column `b` is not in row 0"),
            (r#"[{"a": 1, "b": 2}, {"a": 1}]"#, "row 1: there is no value of column `b`"),
            (r#"[{"a": 1, "a": 2}]"#, "row 0: column `a` is named twice"),
            (r#"[{"a": 1}, {"a": 1, "a": 2}]"#, "row 1: column `a` is named twice"),
            ("[[1, 2], [1]]", "row 1: there is no value of column 1"),
            ("[[1, 2], [1, 2, 3]]", "row 1: it has more values than row 0"),
            (r#"[[1, 2], {"a": 1}]"#, "row 1: all rows are lists"),
            ("[[1]]", "expected 2 values, found 1"),
            ("[1]", "expected a row"),
            ("[[[1]]]", "expected a number, a text"),
            ("[[1, NaN]]", "expected value"),
            ("[[1,2],[1,2],[1,2],[1,2]]", "more than 3 rows"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
