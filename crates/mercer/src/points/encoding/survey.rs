//! Fitting an encoding to a table in chunks.

use super::super::{Affine, Column, ColumnData, Scaling, Table};
use super::fit::{refuse_infinite, rows_to_keep};
use super::{EncodedColumn, Encoding, FittedEncoding, Missing};
use crate::error::ColumnProblem;
use crate::real::{DoubleDouble, Real};
use crate::{Error, Result};

/// Numbers beyond this have squares that overflow.
const LARGEST: f64 = 1e150;

/// What an [`Encoding`] learns from a table that comes in chunks, whose categories have the same
/// levels in all of them.
///
/// Means and scales are those that [`Encoding::fit`] finds on the whole table, up to the rounding
/// of the last digit: sums are kept with 31 digits.
///
/// # Example
/// ```
/// use mercer::points::{Column, Encoding, EncodingSurvey, Scaling, Table};
/// let chunk = |values| Table::from_columns(vec![Column::numbers("a", values)]);
/// let rules = Encoding { scaling: Scaling::Standardize, ..Encoding::default() };
/// let mut survey = EncodingSurvey::new(rules);
/// survey.update(&chunk(vec![1.0, 2.0])?)?;
/// survey.update(&chunk(vec![6.0])?)?;
/// let encoded = survey.finish()?.apply(&chunk(vec![3.0])?)?;
/// assert_eq!(encoded.matrix[[0, 0]], 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EncodingSurvey {
    rules: Encoding,
    columns: Vec<Seen>,
    rows: usize,
}

#[derive(Clone, Debug)]
enum Seen {
    Number(String, Sums),
    Category { name: String, levels: Vec<String>, first: Option<u32>, constant: bool },
}

/// Count, sums and range of the numbers that are there.
#[derive(Clone, Copy, Debug)]
struct Sums {
    count: usize,
    sum: DoubleDouble,
    squares: DoubleDouble,
    min: f64,
    max: f64,
}

impl EncodingSurvey {
    /// Of no rows yet.
    pub fn new(rules: Encoding) -> Self {
        Self { rules, columns: Vec::new(), rows: 0 }
    }

    /// Takes in a chunk.
    ///
    /// # Errors
    /// As [`Encoding::fit`], with rows counted within the chunk; [`Error::Column`] for other
    /// columns than those of the first chunk.
    pub fn update(&mut self, table: &Table) -> Result<()> {
        let rows = rows_to_keep(table, self.rules.missing)?;
        if self.columns.is_empty() {
            self.columns = table.columns().iter().map(Seen::new).collect::<Result<_>>()?;
        }
        if self.columns.len() != table.columns().len() {
            return Err(Error::shape("columns of the chunk", self.columns.len(), table.columns().len()));
        }
        for (seen, column) in self.columns.iter_mut().zip(table.columns()) {
            seen.update(column, &rows)?;
        }
        self.rows += rows.len();
        Ok(())
    }

    /// The rows that were kept.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rules with what they learned.
    ///
    /// # Errors
    /// As [`Encoding::fit`].
    pub fn finish(&self) -> Result<FittedEncoding> {
        let columns = self.columns.iter().map(|seen| seen.finish(self.rules)).collect::<Result<_>>()?;
        FittedEncoding::from_parts(self.rules, columns)
    }
}

impl Seen {
    fn new(column: &Column) -> Result<Self> {
        let name = column.name.clone();
        Ok(match &column.data {
            ColumnData::Numbers(_) => Self::Number(name, Sums::none()),
            ColumnData::Categories { levels, .. } => {
                Self::Category { name, levels: levels.clone(), first: None, constant: true }
            }
            _ => return Err(objects_in_chunks(&name)),
        })
    }

    fn update(&mut self, column: &Column, rows: &[usize]) -> Result<()> {
        match (self, &column.data) {
            (Self::Number(name, sums), ColumnData::Numbers(values)) if *name == column.name => {
                refuse_infinite(name, values)?;
                rows.iter().map(|&row| values[row]).filter(|v| !v.is_nan()).for_each(|v| sums.add(v));
                Ok(())
            }
            (Self::Category { name, levels, first, constant }, ColumnData::Categories { codes, levels: found })
                if *name == column.name && levels == found =>
            {
                for code in rows.iter().filter_map(|&row| codes[row]) {
                    *constant &= *first.get_or_insert(code) == code;
                }
                Ok(())
            }
            _ => Err(Error::column(&column.name, ColumnProblem::Changed)),
        }
    }

    fn finish(&self, rules: Encoding) -> Result<EncodedColumn> {
        match self {
            Self::Number(name, sums) => sums.finish(name, rules),
            Self::Category { name, levels, constant, .. } => {
                Ok(EncodedColumn::Category { name: name.clone(), levels: levels.clone(), constant: *constant })
            }
        }
    }
}

/// The error for a column of objects in a table that comes in chunks.
pub(in super::super) fn objects_in_chunks(name: &str) -> Error {
    let what = format!("column `{name}`, which holds objects,");
    Error::unsupported(what, "a table in chunks", "", "read the table whole")
}

impl Sums {
    fn none() -> Self {
        let zero = DoubleDouble::default();
        Self { count: 0, sum: zero, squares: zero, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }

    fn add(&mut self, value: f64) {
        let exact = DoubleDouble::from_f64(value);
        self.count += 1;
        self.sum = self.sum + exact;
        self.squares = self.squares + exact * exact;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn mean(&self) -> DoubleDouble {
        self.sum / DoubleDouble::from_f64(self.count.max(1) as f64)
    }

    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self.squares / DoubleDouble::from_f64(self.count.max(1) as f64);
        (squares - mean * mean).value().max(0.0).sqrt()
    }

    fn finish(&self, name: &str, rules: Encoding) -> Result<EncodedColumn> {
        let needs_values = rules.scaling != Scaling::None || rules.missing == Missing::Mean;
        if needs_values && self.count == 0 {
            return Err(Error::too_few("scaling or filling", format!("values of column `{name}`"), 1, 0));
        }
        let constant = self.count < 2 || self.min == self.max;
        let (shift, scale) = match rules.scaling {
            Scaling::None => (0.0, 1.0),
            Scaling::Standardize => (self.mean().value(), if constant { 0.0 } else { self.deviation() }),
            Scaling::UnitInterval => (self.min, self.max - self.min),
        };
        let too_large = self.count > 0 && self.min.abs().max(self.max.abs()) > LARGEST;
        if needs_values && (too_large || !scale.is_finite()) {
            return Err(Error::column(name, ColumnProblem::TooWide));
        }
        let map = Affine { shift, scale: if scale == 0.0 { 1.0 } else { scale } };
        let fill = if rules.missing == Missing::Mean { self.mean().value() } else { 0.0 };
        Ok(EncodedColumn::Number { name: name.to_owned(), fill, map, constant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn table(rows: usize) -> Table {
        let mut stream = Seed(5).stream("survey", 0);
        let mut numbers = |offset: f64| (0..rows).map(|_| offset + stream.normal()).collect::<Vec<f64>>();
        let gaps = numbers(0.0).into_iter().map(|v| if v > 1.0 { f64::NAN } else { v }).collect();
        let kinds: Vec<Option<&str>> = (0..rows).map(|i| ["a", "b", "c"].get(i % 4).copied()).collect();
        Table::from_columns(vec![
            Column::numbers("far", numbers(1e9)),
            Column::numbers("gaps", gaps),
            Column::categories("kind", kinds),
            Column::numbers("same", vec![0.1; rows]),
        ])
        .unwrap()
    }

    #[test]
    fn chunks_teach_what_the_whole_table_does() {
        let whole = table(1000);
        for missing in [Missing::DropRows, Missing::Mean, Missing::Zero] {
            for scaling in [Scaling::None, Scaling::Standardize, Scaling::UnitInterval] {
                let rules = Encoding { missing, scaling };
                let mut survey = EncodingSurvey::new(rules);
                for start in (0..1000).step_by(77) {
                    let rows: Vec<usize> = (start..1000.min(start + 77)).collect();
                    survey.update(&whole.select_rows(&rows).unwrap()).unwrap();
                }
                let (found, expected) = (survey.finish().unwrap(), rules.fit(&whole).unwrap());
                assert_eq!(survey.rows(), expected.apply(&whole).unwrap().matrix.nrows());
                for (found, expected) in found.columns().iter().zip(expected.columns()) {
                    assert_alike(found, expected);
                }
            }
        }
    }

    fn assert_alike(found: &EncodedColumn, expected: &EncodedColumn) {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 * b.abs().max(1.0);
        match (found, expected) {
            (
                EncodedColumn::Number { name, fill, map, constant },
                EncodedColumn::Number { fill: f, map: m, constant: c, .. },
            ) => {
                assert!(close(*fill, *f) && close(map.shift, m.shift), "{name}: {map:?} {m:?}");
                assert_close!(map.scale, m.scale, abs = 1e-9, "{name}: {map:?} {m:?}");
                assert!(constant == c, "{name}: {map:?} {m:?}");
            }
            _ => assert_eq!(found, expected),
        }
    }

    #[test]
    fn other_columns_and_missing_values_are_refused() {
        let mut survey = EncodingSurvey::new(Encoding::default());
        let numbers = |name: &str, value: f64| Table::from_columns(vec![Column::numbers(name, vec![value])]).unwrap();
        survey.update(&numbers("a", 1.0)).unwrap();
        assert!(survey.update(&numbers("b", 1.0)).unwrap_err().to_string().contains("column `b` is not what it was"));
        assert!(matches!(survey.update(&numbers("a", f64::NAN)), Err(Error::Value { row: 0, .. })));
        assert!(matches!(survey.update(&numbers("a", f64::INFINITY)), Err(Error::Value { row: 0, .. })));
    }
}
