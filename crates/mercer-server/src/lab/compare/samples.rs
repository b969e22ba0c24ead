//! From tables to two samples, or to two variables.

use mercer::model::TablePoints;
use mercer::points::{Column, ColumnData, EncodedColumn, Encoding, FittedEncoding, Missing, PointKind, Table};
use mercer::{Compute, Kernel, Sample};
use serde_json::{Value, json};

use super::taken;
use crate::lab::data::Store;
use crate::lab::fields::Fields;
use crate::lab::numbers::drawn;
use crate::lab::refusal::Refusal;
use crate::lab::training::{Choice, Training};

/// Two samples: two sets of data, or two groups of one.
#[derive(Clone, Debug)]
pub struct Sides {
    /// The first set, with its columns and rules.
    pub first: Choice,
    /// The second set; the first again for groups.
    pub second: String,
    /// The column of the groups, and the two values.
    pub groups: Option<(String, String, String)>,
}

impl Sides {
    /// Two files.
    pub fn files(fields: Fields<'_>) -> Result<Self, Refusal> {
        let first = read_choice(fields, "data")?;
        Ok(Self { first, second: fields.text("second")?.to_owned(), groups: None })
    }

    /// Two groups of one file.
    pub fn groups(fields: Fields<'_>) -> Result<Self, Refusal> {
        let first = read_choice(fields, "data")?;
        let text = |name: &str| fields.text(name).map(str::to_owned);
        let groups = (text("by")?, text("group_a")?, text("group_b")?);
        if groups.1 == groups.2 {
            return Err(Refusal::request("choose two different groups"));
        }
        Ok(Self { second: first.id.clone(), first, groups: Some(groups) })
    }
}

fn read_choice(fields: Fields<'_>, name: &str) -> Result<Choice, Refusal> {
    let choice = fields.optional_object(name)?.ok_or_else(|| Refusal::request(format!("`{name}` is missing")))?;
    Choice::read(choice)
}

/// Two sets of columns of one file.
#[derive(Clone, Debug)]
pub struct Sets {
    /// The data.
    pub data: Choice,
    /// The first set.
    pub x: Vec<String>,
    /// The second set.
    pub y: Vec<String>,
}

impl Sets {
    /// From the page.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let list = |name: &str| {
            let found = fields.optional_texts(name)?.filter(|list| !list.is_empty());
            found.ok_or_else(|| Refusal::request(format!("choose at least one column for `{name}`")))
        };
        let (x, y) = (list("x")?, list("y")?);
        if let Some(twice) = x.iter().find(|name| y.contains(name)) {
            return Err(Refusal::request(format!("`{twice}` is in both sets")));
        }
        Ok(Self { data: read_choice(fields, "data")?, x, y })
    }
}

/// Two samples as one, encoded together.
pub struct Pooled {
    /// All points.
    pub sample: Sample,
    /// How many are of the first sample.
    pub first: usize,
    /// What the points are.
    pub kind: PointKind,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the samples.
    pub names: (String, String),
    /// What was done to the data.
    pub remarks: Vec<String>,
    /// Of every point: which table it is from, and the row there.
    rows: Vec<usize>,
    table: Table,
    encoding: FittedEncoding,
}

impl Pooled {
    /// Reads both samples.
    pub fn new(sides: &Sides, store: &Store, kernel: Option<&Kernel>) -> Result<Self, Refusal> {
        let (a, b) = (store.get(&sides.first.id)?, store.get(&sides.second)?);
        let (first, second, rows, names) = match &sides.groups {
            None => {
                let (first, second) = (chosen(&a.table, sides)?, chosen(&b.table, sides)?);
                let rows: Vec<usize> = (0..first.rows()).chain(0..second.rows()).collect();
                (first, second, rows, (a.title.clone(), b.title.clone()))
            }
            Some((by, one, other)) => {
                let (one_rows, other_rows) = (rows_of(&a.table, by, one)?, rows_of(&a.table, by, other)?);
                let table = a.table.drop_columns([by.as_str()])?;
                let first = chosen(&table.select_rows(&one_rows)?, sides)?;
                let second = chosen(&table.select_rows(&other_rows)?, sides)?;
                let rows: Vec<usize> = one_rows.into_iter().chain(other_rows).collect();
                (first, second, rows, (format!("{by} = {one}"), format!("{by} = {other}")))
            }
        };
        let table = pool(&first, &second)?;
        let rules = Encoding { missing: sides.first.missing.unwrap_or_default(), scaling: sides.first.scaling };
        let TablePoints { encoding, encoded, kind, unused } = TablePoints::new(&table, rules, kernel)?;
        let kept = encoded.kept_rows.clone();
        let mut remarks = Vec::new();
        if encoded.dropped > 0 {
            remarks.push(format!("{} rows with missing values were dropped.", encoded.dropped));
        }
        if !unused.is_empty() {
            remarks.push(format!("Columns that were not compared: {}.", unused.join(", ")));
        }
        let before = first.rows();
        let rows: Vec<usize> = kept.iter().map(|&at| rows_at(&rows, at)).collect();
        let coordinates = encoded.names.clone();
        let sample = encoded.into_sample(kind)?;
        let first = kept.iter().filter(|&&at| at < before).count();
        Ok(Self { sample, first, kind, coordinates, names, remarks, rows, table: table.select_rows(&kept)?, encoding })
    }

    /// The two samples.
    pub fn split(&self) -> (Sample, Sample) {
        (taken(&self.sample, 0..self.first), taken(&self.sample, self.first..self.sample.len()))
    }

    /// A kernel with names of columns replaced where the points are vectors.
    pub fn kernel(&self, kernel: &Kernel) -> mercer::Result<Kernel> {
        if self.kind.is_object() { Ok(kernel.clone()) } else { kernel.with_column_names(&self.coordinates) }
    }

    /// The value of a coordinate in the units of its column.
    pub fn in_units(&self, coordinate: usize, value: f64) -> f64 {
        let mut at = 0;
        for column in self.encoding.columns() {
            match column {
                EncodedColumn::Number { map, .. } if at == coordinate => return map.shift + map.scale * value,
                other => at += other.width(),
            }
        }
        value
    }

    /// A point with the value of the witness there.
    pub fn named(&self, in_first: bool, row: usize, value: f64) -> Value {
        let at = if in_first { row } else { self.first + row };
        let text = |column: &Column| match crate::lab::data::cell(column, at) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let shown: Vec<String> = self.table.columns().iter().take(5).map(text).collect();
        let side = if in_first { &self.names.0 } else { &self.names.1 };
        json!({ "sample": side, "row": self.rows[at], "value": drawn(value), "text": shown.join(", ") })
    }
}

fn rows_at(rows: &[usize], at: usize) -> usize {
    rows.get(at).copied().unwrap_or(at)
}

/// The columns of a table that are compared.
fn chosen(table: &Table, sides: &Sides) -> Result<Table, Refusal> {
    let by = sides.groups.as_ref().map(|(by, ..)| by);
    match &sides.first.inputs {
        Some(names) => Ok(table.select(names.iter().filter(|name| Some(*name) != by).map(String::as_str))?),
        None => Ok(table.clone().features()),
    }
}

/// The rows of a group.
fn rows_of(table: &Table, by: &str, value: &str) -> Result<Vec<usize>, Refusal> {
    let column = table.column(by)?;
    let is_it = |row: &usize| match &column.data {
        ColumnData::Numbers(values) => values[*row].to_string() == value,
        ColumnData::Categories { codes, levels } => codes[*row].is_some_and(|code| levels[code as usize] == value),
        _ => false,
    };
    let rows: Vec<usize> = (0..table.rows()).filter(is_it).collect();
    if rows.len() < 2 {
        return Err(Refusal::request(format!("`{by}` = `{value}` has {} rows; a sample needs 2", rows.len())));
    }
    Ok(rows)
}

/// The rows of the first table, then those of the second, whose columns are matched by name.
fn pool(first: &Table, second: &Table) -> Result<Table, Refusal> {
    let absent: Vec<&str> = first.names().filter(|name| second.find(*name).is_err()).collect();
    if !absent.is_empty() {
        let message = format!("the second set has no column {}: choose columns that both have", absent.join(", "));
        return Err(Refusal::request(message));
    }
    let second = second.select(first.names())?;
    let pairs = first.columns().iter().zip(second.columns());
    Ok(Table::from_columns(pairs.map(|(a, b)| joined(a, b)).collect::<Result<_, Refusal>>()?)?)
}

fn joined(a: &Column, b: &Column) -> Result<Column, Refusal> {
    match (&a.data, &b.data) {
        (ColumnData::Numbers(x), ColumnData::Numbers(y)) => Ok(Column::numbers(&a.name, [x.as_slice(), y].concat())),
        (ColumnData::Categories { .. }, ColumnData::Categories { .. }) => {
            Ok(Column::categories(&a.name, texts(&a.data).into_iter().chain(texts(&b.data))))
        }
        (ColumnData::Objects(x), ColumnData::Objects(y)) => {
            Ok(Column::objects(&a.name, Sample::pooled(x.as_points(), y.as_points())?))
        }
        _ => Err(Refusal::request(format!("the column `{}` is of another kind in the second set", a.name))),
    }
}

fn texts(data: &ColumnData) -> Vec<Option<&str>> {
    let ColumnData::Categories { codes, levels } = data else { return Vec::new() };
    codes.iter().map(|code| code.map(|c| levels[c as usize].as_str())).collect()
}

/// Two variables of the same rows.
pub fn pair(sets: &Sets, store: &Store, compute: &Compute) -> Result<(Training, Training), Refusal> {
    let choice = |names: &[String]| Choice { inputs: Some(names.to_vec()), target: None, ..sets.data.clone() };
    let (x, y) = (choice(&sets.x), choice(&sets.y));
    if sets.data.missing == Some(Missing::DropRows) {
        let table = &store.get(&sets.data.id)?.table;
        let columns: Vec<&Column> =
            sets.x.iter().chain(&sets.y).map(|name| table.column(name.as_str())).collect::<mercer::Result<_>>()?;
        let incomplete = (0..table.rows()).filter(|&row| columns.iter().any(|c| c.data.is_missing(row))).count();
        if incomplete > 0 {
            return Err(Refusal::request(format!(
                "{incomplete} rows have missing values in these columns: fill them by the mean or 0 for this test"
            )));
        }
    }
    Ok((Training::points_of(store, &x, None, compute)?, Training::points_of(store, &y, None, compute)?))
}
