//! Tables: named columns of equal length.

use std::collections::{HashMap, HashSet};

use super::{ColumnSelector, Sample};
use crate::error::ColumnProblem;
use crate::wording::counted;
use crate::{Error, Result};

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnData {
    /// Numbers; NaN is a missing value.
    Numbers(Vec<f64>),
    /// Categories: row `i` is `levels[codes[i]]`, or missing.
    Categories {
        /// One code per row, an index into `levels`; `None` is a missing value.
        codes: Vec<Option<u32>>,
        /// The distinct values, sorted.
        levels: Vec<String>,
    },
    /// Objects: strings, graphs, bags or persistence diagrams, one per row. None is missing.
    Objects(Sample),
    /// Rows of another table, a group of them per row ([`Table::grouped`]): they become bags or
    /// persistence diagrams.
    Groups {
        /// The rows of all groups, one after the other.
        rows: Box<Table>,
        /// Where each group ends.
        ends: Vec<usize>,
    },
}

impl ColumnData {
    /// Categories from one text per row (`None` is missing). The levels are the distinct texts,
    /// sorted.
    ///
    /// # Example
    /// ```
    /// use mercer::points::ColumnData;
    /// let data = ColumnData::categories([Some("b"), None, Some("a")]);
    /// let ColumnData::Categories { codes, levels } = data else { unreachable!() };
    /// assert_eq!(levels, ["a", "b"]);
    /// assert_eq!(codes, [Some(1), None, Some(0)]);
    /// ```
    pub fn categories<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let codes = texts.into_iter().map(|text| text.map(|t| code_of(&mut seen, t))).collect();
        let mut levels = vec![String::new(); seen.len()];
        seen.into_iter().for_each(|(text, code)| levels[code as usize] = text.to_owned());
        category_codes(codes, levels)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Categories { codes, .. } => codes.len(),
            Self::Objects(objects) => objects.len(),
            Self::Groups { ends, .. } => ends.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of this row is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(values) => values[row].is_nan(),
            Self::Categories { codes, .. } => codes[row].is_none(),
            Self::Objects(_) | Self::Groups { .. } => false,
        }
    }

    /// An object as tables show it: a string whole, other objects in a few words.
    pub(crate) fn object_text(&self, row: usize) -> String {
        match self {
            Self::Objects(Sample::Strings(strings)) => strings.get(row).to_owned(),
            Self::Objects(sample) => sample.as_points().describe(row).unwrap_or_default(),
            Self::Groups { ends, .. } => {
                let before = row.checked_sub(1).map_or(0, |before| ends[before]);
                counted(ends[row] - before, "row")
            }
            Self::Numbers(_) | Self::Categories { .. } => String::new(),
        }
    }

    fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(rows.iter().map(|&r| values[r]).collect()),
            Self::Categories { codes, levels } => {
                Self::Categories { codes: rows.iter().map(|&r| codes[r]).collect(), levels: levels.clone() }
            }
            Self::Objects(objects) => Self::Objects(objects.taken(rows)),
            Self::Groups { rows: all, ends } => select_groups(all, ends, rows),
        }
    }
}

fn select_groups(all: &Table, ends: &[usize], groups: &[usize]) -> ColumnData {
    let range = |group: usize| group.checked_sub(1).map_or(0, |before| ends[before])..ends[group];
    let rows: Vec<usize> = groups.iter().flat_map(|&group| range(group)).collect();
    let ends = groups.iter().scan(0, |end, &group| {
        *end += range(group).len();
        Some(*end)
    });
    ColumnData::Groups { ends: ends.collect(), rows: Box::new(all.taken(&rows)) }
}

fn code_of<'a>(seen: &mut HashMap<&'a str, u32>, text: &'a str) -> u32 {
    let next = seen.len() as u32;
    *seen.entry(text).or_insert(next)
}

/// Categories whose levels came in any order: sorts the levels and renumbers the codes.
pub(crate) fn category_codes(codes: Vec<Option<u32>>, levels: Vec<String>) -> ColumnData {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|&a, &b| levels[a].cmp(&levels[b]));
    let mut rank = vec![0_u32; levels.len()];
    order.iter().enumerate().for_each(|(new, &old)| rank[old] = new as u32);
    let codes = codes.into_iter().map(|code| code.map(|c| rank[c as usize])).collect();
    let mut slots: Vec<Option<String>> = levels.into_iter().map(Some).collect();
    let levels = order.into_iter().filter_map(|old| slots[old].take()).collect();
    ColumnData::Categories { codes, levels }
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name, unique within a table.
    pub name: String,
    /// The values.
    pub data: ColumnData,
}

impl Column {
    /// A column of numbers; NaN is a missing value.
    pub fn numbers(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), data: ColumnData::Numbers(values) }
    }

    /// A column of objects, one per row.
    pub fn objects(name: impl Into<String>, objects: impl Into<Sample>) -> Self {
        Self { name: name.into(), data: ColumnData::Objects(objects.into()) }
    }

    /// A column of categories, one text per row; `None` is a missing value.
    pub fn categories<'a>(name: impl Into<String>, texts: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        Self { name: name.into(), data: ColumnData::categories(texts) }
    }
}

/// Named columns of equal length.
///
/// # Example
/// ```
/// use mercer::points::{Column, Table};
/// let table = Table::from_columns(vec![
///     Column::numbers("height", vec![1.6, 1.8]),
///     Column::categories("color", [Some("red"), None]),
/// ])?;
/// assert_eq!((table.rows(), table.columns().len()), (2, 2));
/// assert_eq!(table.find("color")?, 1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    pub(super) rows: usize,
    pub(super) columns: Vec<Column>,
    /// The position of the label, which is no feature unless it is selected.
    pub(super) label: Option<usize>,
    /// The position of the identifier, which is no feature unless it is selected.
    pub(super) id: Option<usize>,
}

impl Table {
    /// A table of these columns.
    ///
    /// # Errors
    /// [`Error::Column`] for two columns of one name, [`Error::Shape`] for unequal lengths,
    /// [`Error::Value`] for a code without a level.
    pub fn from_columns(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |c| c.data.len());
        let mut names = HashSet::new();
        for column in &columns {
            if !names.insert(column.name.as_str()) {
                return Err(Error::column(&column.name, ColumnProblem::Twice));
            }
            if column.data.len() != rows {
                return Err(Error::shape(&format!("rows of column `{}`", column.name), rows, column.data.len()));
            }
            check_codes(column)?;
        }
        Ok(Self { rows, columns, label: None, id: None })
    }

    /// The same table with a column marked as its label: the file format defines it as the target
    /// (LIBSVM), so that it is a feature only where somebody selects it.
    ///
    /// # Errors
    /// As [`Table::find`].
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Column, Table};
    /// let columns = vec![Column::numbers("target", vec![1.0]), Column::numbers("x1", vec![0.5])];
    /// let table = Table::from_columns(columns)?.with_label("target")?;
    /// assert_eq!(table.features().names().collect::<Vec<_>>(), ["x1"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_label<'a>(mut self, column: impl Into<ColumnSelector<'a>>) -> Result<Self> {
        self.label = Some(self.find(column)?);
        Ok(self)
    }

    /// The position of the label, where the format of the file has one and it was not selected as a
    /// column like others.
    pub fn label(&self) -> Option<usize> {
        self.label
    }

    /// The same table with a column marked as the identifier of its rows: the file format defines it
    /// (FASTA), so that it is a feature only where somebody selects it.
    ///
    /// # Errors
    /// As [`Table::find`].
    pub fn with_id<'a>(mut self, column: impl Into<ColumnSelector<'a>>) -> Result<Self> {
        self.id = Some(self.find(column)?);
        Ok(self)
    }

    /// Whether a column is a feature: neither the label nor the identifier of the format.
    pub fn is_feature(&self, column: usize) -> bool {
        self.label != Some(column) && self.id != Some(column)
    }

    /// The columns without the label and the identifier; all of them where there is neither.
    pub fn features(mut self) -> Self {
        let (label, id) = (self.label.take(), self.id.take());
        let mut position = 0..;
        self.columns.retain(|_| {
            let at = position.next();
            at != label && at != id
        });
        self
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns, without a copy.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|c| c.name.as_str())
    }

    /// The rows with these numbers, in this order; a row may come twice.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a row that does not exist.
    pub fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        if let Some(row) = rows.iter().find(|&&r| r >= self.rows) {
            return Err(Error::parameter("row", row, format!("below the number of rows, {}", self.rows)));
        }
        Ok(self.taken(rows))
    }

    fn taken(&self, rows: &[usize]) -> Self {
        let select = |c: &Column| Column { name: c.name.clone(), data: c.data.select(rows) };
        Self { rows: rows.len(), columns: self.columns.iter().map(select).collect(), label: self.label, id: self.id }
    }
}

fn check_codes(column: &Column) -> Result<()> {
    let ColumnData::Categories { codes, levels } = &column.data else { return Ok(()) };
    if !levels.is_sorted_by(|a, b| a < b) {
        return Err(Error::column(&column.name, ColumnProblem::Damaged));
    }
    match codes.iter().enumerate().find(|(_, code)| code.is_some_and(|c| c as usize >= levels.len())) {
        None => Ok(()),
        Some((row, code)) => {
            let (value, levels) = (format!("code {}", code.unwrap_or_default()), levels.len());
            Err(Error::value("table", (row, &column.name), value, format!("there are {levels} levels")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Table {
        Table::from_columns(vec![
            Column::numbers("a", vec![1.0, f64::NAN, 3.0]),
            Column::categories("b", [Some("y"), Some("x"), None]),
        ])
        .unwrap()
    }

    #[test]
    fn wrong_columns_are_refused() {
        let twice = vec![Column::numbers("a", vec![1.0]), Column::numbers("a", vec![2.0])];
        assert!(matches!(Table::from_columns(twice), Err(Error::Column { .. })));
        let ragged = vec![Column::numbers("a", vec![1.0]), Column::numbers("b", vec![])];
        assert!(matches!(Table::from_columns(ragged), Err(Error::Shape { .. })));
        let bad = ColumnData::Categories { codes: vec![Some(1)], levels: vec!["x".into()] };
        let bad = vec![Column { name: "c".into(), data: bad }];
        assert!(matches!(Table::from_columns(bad), Err(Error::Value { row: 0, .. })));
        let unsorted = ColumnData::Categories { codes: vec![], levels: vec!["y".into(), "x".into()] };
        assert!(Table::from_columns(vec![Column { name: "c".into(), data: unsorted }]).is_err());
    }

    #[test]
    fn rows_are_selected_in_the_order_requested() {
        let picked = small().select_rows(&[2, 0, 0]).unwrap();
        assert_eq!(picked.rows(), 3);
        assert_eq!(picked.columns()[0].data, ColumnData::Numbers(vec![3.0, 1.0, 1.0]));
        let ColumnData::Categories { codes, .. } = &picked.columns()[1].data else { panic!("categories expected") };
        assert_eq!(codes, &[None, Some(1), Some(1)]);
        assert!(matches!(small().select_rows(&[3]), Err(Error::Parameter { .. })));
        assert_eq!(small().select_rows(&[]).unwrap().rows(), 0);
    }

    #[test]
    fn missing_values_are_known() {
        let table = small();
        assert!(table.columns()[0].data.is_missing(1) && !table.columns()[0].data.is_missing(0));
        assert!(table.columns()[1].data.is_missing(2) && !table.columns()[1].data.is_missing(1));
    }

    #[test]
    fn levels_in_any_order_are_sorted() {
        let data = category_codes(vec![Some(0), Some(2), Some(1), None], vec!["c".into(), "a".into(), "b".into()]);
        let expected = ColumnData::categories([Some("c"), Some("b"), Some("a"), None]);
        assert_eq!(data, expected);
    }
}
