//! A uniform sample of the rows of a table that comes in chunks.

use super::encoding::objects_in_chunks;
use super::{Column, ColumnData, Table};
use crate::seed::Stream;
use crate::{Error, Result, Seed};

/// A uniform sample, without replacement, of the rows of a table that comes in chunks (Vitter's
/// algorithm R).
///
/// It depends on the seed and on the rows, not on how they are cut into chunks. All chunks have the
/// columns of the first, with the same levels.
///
/// # Example
/// ```
/// use mercer::points::{Column, Reservoir, Table};
/// use mercer::Seed;
/// let mut sample = Reservoir::new(3, Seed(1));
/// for start in [0.0, 10.0, 20.0] {
///     let values = (0..10).map(|i| start + f64::from(i)).collect();
///     sample.update(&Table::from_columns(vec![Column::numbers("a", values)])?)?;
/// }
/// assert_eq!((sample.seen(), sample.table()?.rows()), (30, 3));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reservoir {
    capacity: usize,
    stream: Stream,
    header: Option<Table>,
    /// The number of a row, and its cells: numbers, or codes of categories.
    rows: Vec<(usize, Vec<f64>)>,
    seen: usize,
}

impl Reservoir {
    /// At most this many rows.
    pub fn new(capacity: usize, seed: Seed) -> Self {
        Self { capacity, stream: seed.stream("reservoir", 0), header: None, rows: Vec::new(), seen: 0 }
    }

    /// Takes in a chunk.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns than in the first chunk.
    pub fn update(&mut self, table: &Table) -> Result<()> {
        if self.header.is_none() {
            self.header = Some(table.select_rows(&[])?);
        }
        let columns = self.header.as_ref().map_or(0, |header| header.columns().len());
        if columns != table.columns().len() {
            return Err(Error::shape("columns of the chunk", columns, table.columns().len()));
        }
        for row in 0..table.rows() {
            if let Some(position) = self.position() {
                let cells = table.columns().iter().map(|column| cell(column, row)).collect();
                match self.rows.get_mut(position) {
                    Some(old) => *old = (self.seen, cells),
                    None => self.rows.push((self.seen, cells)),
                }
            }
            self.seen += 1;
        }
        Ok(())
    }

    /// Where the next row goes, if it is taken.
    fn position(&mut self) -> Option<usize> {
        if self.rows.len() < self.capacity {
            return Some(self.rows.len());
        }
        Some(self.stream.below(self.seen + 1)).filter(|position| *position < self.capacity)
    }

    /// How many rows came.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The rows that were drawn, in the order in which they came.
    ///
    /// # Errors
    /// As [`Table::from_columns`].
    pub fn table(&self) -> Result<Table> {
        let mut rows: Vec<&(usize, Vec<f64>)> = self.rows.iter().collect();
        rows.sort_unstable_by_key(|(number, _)| *number);
        let column = |(j, column): (usize, &Column)| {
            let values = rows.iter().map(|(_, cells)| cells[j]);
            let data = match &column.data {
                ColumnData::Numbers(_) => ColumnData::Numbers(values.collect()),
                ColumnData::Categories { levels, .. } => ColumnData::Categories {
                    codes: values.map(|code| (!code.is_nan()).then_some(code as u32)).collect(),
                    levels: levels.clone(),
                },
                _ => return Err(objects_in_chunks(&column.name)),
            };
            Ok(Column { name: column.name.clone(), data })
        };
        let columns = self.header.iter().flat_map(|header| header.columns()).enumerate().map(column);
        Table::from_columns(columns.collect::<Result<_>>()?)
    }
}

fn cell(column: &Column, row: usize) -> f64 {
    match &column.data {
        ColumnData::Numbers(values) => values[row],
        ColumnData::Categories { codes, .. } => codes[row].map_or(f64::NAN, f64::from),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let numbers = (0..500).map(f64::from).collect();
        let kinds: Vec<Option<&str>> = (0..500).map(|i| ["x", "y"].get(i % 3).copied()).collect();
        Table::from_columns(vec![Column::numbers("n", numbers), Column::categories("k", kinds)]).unwrap()
    }

    fn sample(height: usize, seed: u64) -> Table {
        let mut reservoir = Reservoir::new(40, Seed(seed));
        for start in (0..500).step_by(height) {
            let rows: Vec<usize> = (start..500.min(start + height)).collect();
            reservoir.update(&table().select_rows(&rows).unwrap()).unwrap();
        }
        reservoir.table().unwrap()
    }

    #[test]
    fn the_cut_into_chunks_does_not_matter_and_rows_stay_whole() {
        let found = sample(500, 1);
        assert_eq!(found, sample(7, 1));
        assert_ne!(found, sample(500, 2));
        let ColumnData::Numbers(numbers) = &found.columns()[0].data else { panic!("numbers") };
        let rows: Vec<usize> = numbers.iter().map(|v| *v as usize).collect();
        assert_eq!(found, table().select_rows(&rows).unwrap());
        assert!(numbers.len() == 40 && numbers.is_sorted());
    }

    /// The mean row number of 400 samples of 40 rows has a standard deviation below
    /// 500/√12/√(400·40) = 1.15: four of them are 4.6.
    #[test]
    fn every_row_has_the_same_chance() {
        let mut total = 0.0;
        for seed in 0..400 {
            let found = sample(64, seed);
            let ColumnData::Numbers(numbers) = &found.columns()[0].data else { panic!("numbers") };
            total += numbers.iter().sum::<f64>();
        }
        let mean = total / (400.0 * 40.0);
        assert_close!(mean, 249.5, abs = 4.6, "{mean}");
    }
}
