//! Rows by their numbers in the whole data, cut into blocks that do not depend on who reads them.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2};

use crate::error::RecordProblem;
use crate::record::Record;
use crate::{Error, Result};

/// Takes a whole block: the number of its first row, and its rows.
pub(crate) type TakeBlock<'a> = dyn FnMut(u64, ArrayView2<f64>) -> Result<()> + 'a;

/// Rows of a part of some data, on their way to statistics of whole blocks.
///
/// Block `b` holds the rows `bB` to `(b + 1)B` of the whole data. A block is given away as soon as
/// all its rows are here; rows of other blocks wait, and go with the part to whoever merges it with
/// its neighbors. A row is a list of numbers of a fixed width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowBlocks {
    width: usize,
    block: u64,
    /// The number of the row that comes next.
    next: u64,
    /// The rows that came, from and to, in order, none of them adjacent.
    ranges: Vec<(u64, u64)>,
    /// Runs of rows that wait, by the number of their first row; none goes over the end of a block.
    waiting: BTreeMap<u64, Vec<f64>>,
}

impl RowBlocks {
    /// No rows yet, in blocks of `block`; the first one to come has the number `next`.
    pub(crate) fn new(width: usize, block: u64, next: u64) -> Self {
        Self { width, block, next, ranges: Vec::new(), waiting: BTreeMap::new() }
    }

    /// Rows of a block.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    /// Rows that came.
    pub(crate) fn rows(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from).sum()
    }

    /// The rows that came, from and to.
    pub(crate) fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Takes in `count` rows that follow those before; `write` appends row `i` to a list.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for rows that are here already; as `take`.
    pub(crate) fn push(
        &mut self,
        count: usize,
        write: &dyn Fn(usize, &mut Vec<f64>),
        take: &mut TakeBlock<'_>,
    ) -> Result<()> {
        let (first, end) = (self.next, self.next + count as u64);
        self.check_free(first, end)?;
        let mut row = first;
        while row < end {
            let stop = end.min((row / self.block + 1) * self.block);
            let run = self.run_for(row, (stop - row) as usize);
            for at in row..stop {
                write((at - first) as usize, run);
            }
            self.cover(row, stop);
            self.give(row / self.block, take)?;
            row = stop;
        }
        self.next = end;
        Ok(())
    }

    /// The run that ends at this row, or a new one.
    fn run_for(&mut self, row: u64, more: usize) -> &mut Vec<f64> {
        let before = self.waiting.range(..row).next_back().map(|(start, run)| (*start, run.len()));
        let start = match before {
            Some((start, length)) if start / self.block == row / self.block && self.end(start, length) == row => start,
            _ => row,
        };
        let run = self.waiting.entry(start).or_default();
        run.reserve(more * self.width);
        run
    }

    fn end(&self, start: u64, length: usize) -> u64 {
        start + (length / self.width) as u64
    }

    /// Gives a block away if it is whole.
    fn give(&mut self, block: u64, take: &mut TakeBlock<'_>) -> Result<()> {
        let (start, end) = (block * self.block, (block + 1) * self.block);
        let whole = self.waiting.get(&start).is_some_and(|run| self.end(start, run.len()) == end);
        if !whole {
            return Ok(());
        }
        let run = self.waiting.remove(&start).unwrap_or_default();
        take(start, self.view(&run)?)
    }

    fn view<'r>(&self, run: &'r [f64]) -> Result<ArrayView2<'r, f64>> {
        ArrayView2::from_shape((run.len() / self.width, self.width), run)
            .map_err(|e| Error::shape("rows that wait", self.width, e))
    }

    /// Takes in the rows of another part, whose whole blocks have gone elsewhere.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for rows that are in both, and for other blocks; as `take`.
    pub(crate) fn merge(&mut self, other: &Self, take: &mut TakeBlock<'_>) -> Result<()> {
        if (self.width, self.block) != (other.width, other.block) {
            return Err(Error::shape("columns of the rows of the other part", self.width, other.width));
        }
        self.check_merge(other)?;
        other.ranges.iter().for_each(|(from, to)| self.cover(*from, *to));
        self.next = self.next.max(other.next);
        for (start, run) in &other.waiting {
            self.insert(*start, run);
            self.give(start / self.block, take)?;
        }
        Ok(())
    }

    /// Whether no row is in both parts.
    pub(crate) fn check_merge(&self, other: &Self) -> Result<()> {
        other.ranges.iter().try_for_each(|(from, to)| self.check_free(*from, *to))
    }

    /// Puts a run beside its neighbors.
    fn insert(&mut self, start: u64, run: &[f64]) {
        let rows = run.len() / self.width;
        let own = self.run_for(start, rows);
        own.extend_from_slice(run);
        let next = start + rows as u64;
        if !next.is_multiple_of(self.block)
            && let Some(after) = self.waiting.remove(&next)
        {
            self.run_for(next, after.len() / self.width).extend_from_slice(&after);
        }
    }

    fn check_free(&self, from: u64, to: u64) -> Result<()> {
        match self.ranges.iter().find(|range| range.0 < to && from < range.1) {
            None => Ok(()),
            Some(_) if from == to => Ok(()),
            Some(range) => Err(Error::mismatch(
                format!("the rows {} to {} are in both parts", from.max(range.0), to.min(range.1) - 1),
                format!("one part has the rows {} to {}", range.0, range.1 - 1),
                format!("the other one {from} to {}", to - 1),
                "merge every part once, and start it at the number of its first row",
            )),
        }
    }

    fn cover(&mut self, from: u64, to: u64) {
        if from == to {
            return;
        }
        let at = self.ranges.partition_point(|range| range.0 < from);
        self.ranges.insert(at, (from, to));
        if at + 1 < self.ranges.len() && self.ranges[at].1 == self.ranges[at + 1].0 {
            self.ranges[at].1 = self.ranges.remove(at + 1).1;
        }
        if at > 0 && self.ranges[at - 1].1 == self.ranges[at].0 {
            self.ranges[at - 1].1 = self.ranges.remove(at).1;
        }
    }

    /// Gives the rows of the last block away. Rows that are numbered from 0 without a gap have no
    /// other.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for rows that are missing; as `take`.
    pub(crate) fn finish(&mut self, take: &mut TakeBlock<'_>) -> Result<()> {
        let missing = match self.ranges[..] {
            [] | [(0, _)] => None,
            [(0, to), (next, _), ..] => Some((to, next)),
            [(from, _), ..] => Some((0, from)),
        };
        if let Some((from, to)) = missing {
            return Err(Error::mismatch(
                format!("the rows {from} to {} are missing", to - 1),
                format!("{} rows came", self.rows()),
                format!("the last one has the number {}", self.ranges.last().map_or(0, |range| range.1 - 1)),
                "merge all parts before the fit",
            ));
        }
        for (start, run) in std::mem::take(&mut self.waiting) {
            take(start, self.view(&run)?)?;
        }
        Ok(())
    }

    /// Puts the rows into a record.
    pub(crate) fn put_into(&self, record: &mut Record) {
        let ranges: Vec<i64> = self.ranges.iter().flat_map(|(from, to)| [*from as i64, *to as i64]).collect();
        record.integers.insert("ranges".into(), ranges);
        let shape = [self.width as u64, self.block, self.next];
        record.integers.insert("row_blocks".into(), shape.map(|v| v as i64).to_vec());
        record.integers.insert("waiting_rows".into(), self.waiting.keys().map(|row| *row as i64).collect());
        let lengths = self.waiting.values().map(|run| (run.len() / self.width) as i64);
        record.integers.insert("waiting_lengths".into(), lengths.collect());
        let values: Vec<f64> = self.waiting.values().flatten().copied().collect();
        record.put_slice("waiting", &values);
    }

    /// Takes them out again.
    ///
    /// # Errors
    /// [`Error::Record`] for rows that are not possible.
    pub(crate) fn take_from(record: &mut Record, (width, block): (usize, u64)) -> Result<Self> {
        let [own_width, own_block, next] = record.take_integers("row_blocks")?[..] else { return Err(damaged()) };
        if (own_width, own_block as u64) != (width, block) {
            return Err(damaged());
        }
        let ranges = record.take_integers("ranges")?;
        let mut rows = Self::new(width, block, next as u64);
        for pair in ranges.chunks(2) {
            let [from, to] = *pair else { return Err(damaged()) };
            if from >= to || rows.ranges.last().is_some_and(|last| last.1 >= from as u64) || to > next {
                return Err(damaged());
            }
            rows.ranges.push((from as u64, to as u64));
        }
        let (starts, lengths) = (record.take_integers("waiting_rows")?, record.take_integers("waiting_lengths")?);
        let total = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length)).ok_or_else(damaged)?;
        let count = total.checked_mul(width).ok_or_else(damaged)?;
        let values = record.take_finite_vector("waiting", count)?.to_vec();
        let mut at = 0;
        for (start, length) in starts.iter().zip(&lengths) {
            let (from, to) = (*start as u64, (*start as u64).checked_add(*length as u64).ok_or_else(damaged)?);
            let inside = rows.ranges.iter().any(|range| range.0 <= from && to <= range.1);
            if !inside || *length == 0 || from / block != (to - 1) / block || starts.len() != lengths.len() {
                return Err(damaged());
            }
            rows.waiting.insert(from, values[at * width..(at + length) * width].to_vec());
            at += length;
        }
        Ok(rows)
    }
}

fn damaged() -> Error {
    Error::record("record of a part of the rows", RecordProblem::Damaged("its rows are not possible".into()))
}

/// Columns of rows that wait, copied side by side.
pub(crate) fn columns_of(rows: ArrayView2<f64>, from: usize, to: usize) -> Array2<f64> {
    let mut columns = Array2::zeros((rows.nrows(), to - from));
    columns.assign(&rows.slice(ndarray::s![.., from..to]));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 8;

    fn part(rows: std::ops::Range<u64>, chunk: usize, seen: &mut Vec<(u64, Vec<f64>)>) -> RowBlocks {
        let mut blocks = RowBlocks::new(1, BLOCK, rows.start);
        let mut at = rows.start;
        while at < rows.end {
            let count = chunk.min((rows.end - at) as usize);
            let mut take = |start: u64, block: ArrayView2<f64>| {
                seen.push((start, block.iter().copied().collect()));
                Ok(())
            };
            blocks.push(count, &|i, row| row.push((at + i as u64) as f64), &mut take).unwrap();
            at += count as u64;
        }
        blocks
    }

    fn finished(mut blocks: RowBlocks, mut seen: Vec<(u64, Vec<f64>)>) -> Vec<(u64, Vec<f64>)> {
        let mut take = |start: u64, block: ArrayView2<f64>| {
            seen.push((start, block.iter().copied().collect()));
            Ok(())
        };
        blocks.finish(&mut take).unwrap();
        seen.sort_by_key(|block| block.0);
        seen
    }

    #[test]
    fn blocks_do_not_depend_on_cuts_or_on_the_order_of_merging() {
        let mut seen = Vec::new();
        let whole = part(0..43, 43, &mut seen);
        let expected = finished(whole, seen);
        assert_eq!(expected.len(), 6);
        for cuts in [&[5, 6, 6, 30][..], &[8, 16], &[1], &[0, 43], &[42]] {
            for backwards in [false, true] {
                let ends: Vec<u64> = cuts.iter().copied().chain([43]).collect();
                let mut seen = Vec::new();
                let mut from = 0;
                let mut parts = Vec::new();
                for to in ends {
                    parts.push(part(from..to, 3, &mut seen));
                    from = to;
                }
                if backwards {
                    parts.reverse();
                }
                let mut all = parts[0].clone();
                for next in &parts[1..] {
                    let mut take = |start: u64, block: ArrayView2<f64>| {
                        seen.push((start, block.iter().copied().collect()));
                        Ok(())
                    };
                    all.merge(next, &mut take).unwrap();
                }
                assert_eq!(all.rows(), 43);
                let mut record = Record::default();
                all.put_into(&mut record);
                assert_eq!(RowBlocks::take_from(&mut record, (1, BLOCK)).unwrap(), all);
                assert_eq!(finished(all, seen), expected, "{cuts:?}");
            }
        }
    }

    #[test]
    fn rows_that_are_missing_or_twice_are_refused() {
        let none: &mut TakeBlock<'_> = &mut |_, _| Ok(());
        let (first, third) = (part(0..5, 5, &mut Vec::new()), part(20..31, 5, &mut Vec::new()));
        let mut all = first.clone();
        all.merge(&third, none).unwrap();
        let error = all.clone().finish(none).unwrap_err().to_string();
        assert!(error.contains("the rows 5 to 19 are missing"), "{error}");
        let error = third.clone().finish(none).unwrap_err().to_string();
        assert!(error.contains("the rows 0 to 19 are missing"), "{error}");
        let before = all.clone();
        let error = all.merge(&first, none).unwrap_err().to_string();
        assert!(error.contains("the rows 0 to 4 are in both parts"), "{error}");
        assert_eq!(all, before);
    }
}
