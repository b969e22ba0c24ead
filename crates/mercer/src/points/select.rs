//! Columns by name or by number.

use std::collections::{HashMap, HashSet};

use super::{Column, Table};
use crate::error::ColumnProblem;
use crate::wording::nearest;
use crate::{Error, Result};

/// How a user names a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnSelector<'a> {
    /// By number, counted from 0.
    Index(usize),
    /// By text: the name of a column, or else its number counted from 0.
    Text(&'a str),
}

impl From<usize> for ColumnSelector<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl<'a> From<&'a str> for ColumnSelector<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for ColumnSelector<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl Table {
    /// The position of a column. A text that is a number is a position, unless a column bears that
    /// name.
    ///
    /// # Errors
    /// [`Error::Column`] for an unknown column, with the nearest name and the list of names.
    pub fn find<'a>(&self, column: impl Into<ColumnSelector<'a>>) -> Result<usize> {
        match column.into() {
            ColumnSelector::Index(index) if index < self.columns.len() => Ok(index),
            ColumnSelector::Index(index) => Err(self.no_such_index(index)),
            ColumnSelector::Text(text) => self.find_text(text),
        }
    }

    /// The column.
    ///
    /// # Errors
    /// As [`Table::find`].
    pub fn column<'a>(&self, column: impl Into<ColumnSelector<'a>>) -> Result<&Column> {
        self.find(column).map(|index| &self.columns[index])
    }

    /// These columns only, in this order. A label that is among them is a column like the others
    /// from now on.
    ///
    /// # Errors
    /// As [`Table::find`]; [`Error::Column`] if a column is named twice.
    pub fn select<'a, C: Into<ColumnSelector<'a>>>(&self, columns: impl IntoIterator<Item = C>) -> Result<Self> {
        let picked = self.find_all(columns)?;
        let mut seen = HashSet::new();
        if let Some(&twice) = picked.iter().find(|&&c| !seen.insert(c)) {
            return Err(Error::column(&self.columns[twice].name, ColumnProblem::Twice));
        }
        let columns = picked.into_iter().map(|c| self.columns[c].clone()).collect();
        Ok(Self { rows: self.rows, columns, label: None, id: None })
    }

    /// All columns but these.
    ///
    /// # Errors
    /// As [`Table::find`].
    pub fn drop_columns<'a, C: Into<ColumnSelector<'a>>>(&self, columns: impl IntoIterator<Item = C>) -> Result<Self> {
        let dropped: HashSet<usize> = self.find_all(columns)?.into_iter().collect();
        let kept: Vec<usize> = (0..self.columns.len()).filter(|i| !dropped.contains(i)).collect();
        let place = |old: Option<usize>| old.and_then(|old| kept.iter().position(|&i| i == old));
        let (label, id) = (place(self.label), place(self.id));
        Ok(Self { rows: self.rows, columns: kept.into_iter().map(|i| self.columns[i].clone()).collect(), label, id })
    }

    /// The positions of many columns; the names are looked up in one table, because wide files have
    /// very many.
    fn find_all<'a, C: Into<ColumnSelector<'a>>>(&self, columns: impl IntoIterator<Item = C>) -> Result<Vec<usize>> {
        let mut positions: Option<HashMap<&str, usize>> = None;
        let mut one = |column: ColumnSelector<'a>| match column {
            ColumnSelector::Text(text) => {
                let positions =
                    positions.get_or_insert_with(|| self.names().enumerate().map(|(i, name)| (name, i)).collect());
                positions.get(text).copied().map_or_else(|| self.find(text), Ok)
            }
            index => self.find(index),
        };
        columns.into_iter().map(|column| one(column.into())).collect()
    }

    fn find_text(&self, text: &str) -> Result<usize> {
        if let Some(index) = self.names().position(|name| name == text) {
            return Ok(index);
        }
        match text.parse::<usize>() {
            Ok(index) => self.find(index),
            Err(_) => Err(self.no_such_name(text)),
        }
    }

    /// The error for a name that no column bears.
    pub(super) fn no_such_name(&self, name: &str) -> Error {
        let nearest = nearest(name, self.names()).map(str::to_owned);
        Error::column(name, ColumnProblem::Unknown { nearest, known: self.list_of_names() })
    }

    fn no_such_index(&self, index: usize) -> Error {
        Error::column(index, ColumnProblem::NoIndex { count: self.columns.len(), known: self.list_of_names() })
    }

    fn list_of_names(&self) -> String {
        const SHOWN: usize = 30;
        let shown: Vec<&str> = self.names().take(SHOWN).collect();
        let rest = self.columns.len().saturating_sub(SHOWN);
        let more = if rest > 0 { format!(", … ({rest} more)") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let names = ["speed", "dist", "0"];
        Table::from_columns(names.iter().map(|n| Column::numbers(*n, vec![1.0])).collect()).unwrap()
    }

    #[test]
    fn a_number_is_a_position_unless_it_is_a_name() {
        assert_eq!(table().find("dist").unwrap(), 1);
        assert_eq!(table().find("1").unwrap(), 1);
        assert_eq!(table().find("0").unwrap(), 2, "the column named 0 comes before position 0");
        assert_eq!(table().find(0).unwrap(), 0);
    }

    #[test]
    fn unknown_names_get_the_nearest_one_and_the_list() {
        let message = table().find("sped").unwrap_err().to_string();
        assert_eq!(message, "there is no column `sped`; did you mean `speed`? The columns are: speed, dist, 0");
        let message = table().find(7).unwrap_err().to_string();
        assert_eq!(message, "there is no column 7 (counted from 0) among 3 columns: speed, dist, 0");
        assert!(table().find("-1").is_err());
    }

    #[test]
    fn a_label_is_a_feature_only_when_it_is_selected() {
        let names = |t: &Table| t.names().map(str::to_owned).collect::<Vec<_>>();
        let labeled = table().with_label("dist").unwrap();
        assert_eq!(names(&labeled.clone().features()), ["speed", "0"]);
        let dropped = labeled.drop_columns(["speed"]).unwrap();
        assert_eq!((dropped.label(), names(&dropped.features())), (Some(0), vec!["0".to_owned()]));
        assert_eq!(labeled.drop_columns(["dist"]).unwrap().label(), None);
        assert_eq!(names(&labeled.select(["speed", "dist"]).unwrap().features()), ["speed", "dist"]);
        assert_eq!(labeled.select_rows(&[0]).unwrap().label(), Some(1));
        assert!(table().with_label("none").is_err());
    }

    #[test]
    fn columns_are_selected_and_dropped() {
        let names = |t: &Table| t.names().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(names(&table().select(["dist", "speed"]).unwrap()), ["dist", "speed"]);
        assert_eq!(names(&table().drop_columns([1]).unwrap()), ["speed", "0"]);
        assert!(table().select(["dist", "1"]).unwrap_err().to_string().contains("twice"));
        let none = table().drop_columns([0, 1, 2]).unwrap();
        assert_eq!((none.rows(), none.columns().len()), (1, 0));
    }
}
