//! The LIBSVM reader.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use super::super::csv::BOM;
use super::super::number::parse_number;
use super::super::source::Source;
use super::super::{RowLayout, reserve_columns, room_for};
use super::LabeledRows;
use crate::error::{MemoryPurpose, Requirement};
use crate::points::{Column, ColumnData, Csr, Table};
use crate::{Error, Result};

/// Bytes of sparse data between two questions to the memory budget.
const BLOCK: usize = 1 << 20;
/// Bytes of a line between two questions to the memory budget.
const PART: u64 = 1 << 20;

/// The name of the column of the label.
pub(in super::super) const LABEL: &str = "target";
/// Bytes of a column of sparse vectors, as [`Size`](crate::points::Size) counts them.
const SPARSE_COLUMN: u64 = 16;
/// The name of the column of sparse vectors.
const SPARSE: &str = "x";

/// Reads a table from LIBSVM: `target`, which is its label, and `x1`, …, `xd`, or `x`.
pub(in super::super) fn read(source: &Arc<Source>, layout: RowLayout) -> Result<Table> {
    let rows = read_rows(source)?;
    let count = rows.targets.len();
    if layout == RowLayout::Sparse || layout == RowLayout::BySize && rows.is_better_sparse(source) {
        reserve_sparse(source, rows.width as usize)?;
        let LabeledRows { targets, rows } = rows.into_labeled()?;
        let columns = vec![Column::numbers(LABEL, targets), Column::objects(SPARSE, rows)];
        return Table::from_columns(columns)?.with_label(LABEL);
    }
    let width = rows.width as usize;
    reserve_dense(source, count, width)?;
    let columns = names(width, true).into_iter().zip(rows.into_dense(count, width)?);
    Table::from_columns(columns.map(|(name, data)| Column { name, data }).collect())?.with_label(LABEL)
}

/// The names of the columns: `target`, `x1`, …, `xd`, or `target` and `x` for sparse vectors.
pub(in super::super) fn names(width: usize, dense: bool) -> Vec<String> {
    if !dense {
        return vec![LABEL.to_owned(), SPARSE.to_owned()];
    }
    std::iter::once(LABEL.to_owned()).chain((1..=width).map(|i| format!("x{i}"))).collect()
}

/// Asks the memory budget for the dense table and for what its columns take by themselves, before
/// anything of the width is made: one large index is enough to request billions of columns.
fn reserve_dense(source: &Source, rows: usize, width: usize) -> Result<()> {
    reserve_columns(source, width)?;
    source.reserve((rows as u64).saturating_mul(width as u64 + 1).saturating_mul(8))
}

/// Asks the memory budget for what a kernel makes of every column of sparse vectors, empty or not.
fn reserve_sparse(source: &Source, width: usize) -> Result<()> {
    let what = format!("sparse vectors with the {width} columns of {}", source.name.display());
    let advice = "raise the limit, or make a file with fewer columns";
    source.compute.reserve(MemoryPurpose::File, &what, (width as u64).saturating_mul(SPARSE_COLUMN), advice)
}

/// The points as they stand in the file.
#[derive(Default)]
pub(super) struct SparseRows {
    pub(super) targets: Vec<f64>,
    /// Where each row ends in `indices` and `values`.
    pub(super) ends: Vec<usize>,
    /// Counted from 1.
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
    pub(super) width: u32,
}

impl SparseRows {
    /// The points as sparse vectors.
    pub(super) fn into_labeled(self) -> Result<LabeledRows> {
        if let Some(at) = self.values.iter().position(|value| !value.is_finite()) {
            let (row, name) = (self.ends.partition_point(|&end| end <= at), format!("x{}", self.indices[at]));
            let value = self.values[at];
            return Err(match value.is_nan() {
                true => Error::missing("table", row, name),
                false => Error::value("table", (row, name), value, Requirement::Finite),
            });
        }
        let starts = std::iter::once(0).chain(self.ends).collect();
        let columns = self.indices.into_iter().map(|index| index - 1).collect();
        let rows = Csr::new(self.width as usize, starts, columns, self.values)?;
        Ok(LabeledRows { targets: self.targets, rows })
    }

    /// Whether dense columns take more than eight times the memory, or more than there is.
    fn is_better_sparse(&self, source: &Source) -> bool {
        let (count, width) = (self.targets.len(), self.width as usize);
        let sparse = 8 * (count + 1) as u64 + 12 * self.values.len() as u64;
        let numbers = (count as u64).saturating_mul(width as u64);
        numbers > sparse || reserve_dense(source, count, width).is_err()
    }

    fn into_dense(self, count: usize, width: usize) -> Result<Vec<ColumnData>> {
        let mut columns: Vec<Vec<f64>> = room_for("the columns", width)?;
        for _ in 0..width {
            let mut column = room_for("a column", count)?;
            column.resize(count, 0.0);
            columns.push(column);
        }
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            for (&index, &value) in self.indices[start..end].iter().zip(&self.values[start..end]) {
                columns[index as usize - 1][row] = value;
            }
            start = end;
        }
        Ok(std::iter::once(self.targets).chain(columns).map(ColumnData::Numbers).collect())
    }

    fn clear(&mut self) {
        self.targets.clear();
        self.ends.clear();
        self.indices.clear();
        self.values.clear();
    }

    fn push_line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(label) = words.next() else { return Ok(()) };
        self.targets.push(parse_label(label)?);
        let mut previous = 0;
        for word in words.filter(|word| !word.starts_with(b"qid:")) {
            let (index, value) = parse_pair(word)?;
            if index <= previous {
                return Err(format!("index {index} comes after index {previous}: indices must ascend"));
            }
            previous = index;
            self.indices.push(index);
            self.values.push(value);
        }
        self.width = self.width.max(previous);
        self.ends.push(self.indices.len());
        Ok(())
    }
}

/// The lines of the file, with their numbers.
struct Lines {
    source: Arc<Source>,
    reader: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn new(source: Arc<Source>) -> Result<Self> {
        let reader = BufReader::new(source.open()?);
        Ok(Self { source, reader, line: Vec::new(), number: 0 })
    }

    /// Moves on to the next line; false at the end.
    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        loop {
            let part = self.reader.by_ref().take(PART).read_until(b'\n', &mut self.line);
            let read = part.map_err(|e| self.source.failed(e))? as u64;
            if read < PART || self.line.ends_with(b"\n") {
                break;
            }
            self.source.reserve_row(self.line.len() as u64, 0)?;
        }
        if self.line.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        if self.number == 1 && self.line.starts_with(BOM) {
            self.line.drain(..BOM.len());
        }
        Ok(true)
    }

    /// Returns the line to the rows.
    fn give(&self, rows: &mut SparseRows) -> Result<()> {
        rows.push_line(&self.line).map_err(|reason| self.source.wrong(Some(self.number), reason))
    }

    fn refuse_empty(&self) -> Result<()> {
        if self.number == 0 { Err(self.source.wrong(None, "the file is empty")) } else { Ok(()) }
    }
}

pub(super) fn read_rows(source: &Arc<Source>) -> Result<SparseRows> {
    let mut lines = Lines::new(source.clone())?;
    let mut rows = SparseRows::default();
    let mut next_check = BLOCK;
    while lines.advance()? {
        lines.give(&mut rows)?;
        if rows.values.len() >= next_check {
            next_check += BLOCK;
            source.reserve(rows.values.len() as u64 * 12)?;
        }
    }
    lines.refuse_empty()?;
    Ok(rows)
}

/// The largest index of the file, found by reading it.
pub(in super::super) fn width(source: &Arc<Source>) -> Result<usize> {
    let mut lines = Lines::new(source.clone())?;
    let mut rows = SparseRows::default();
    while lines.advance()? {
        lines.give(&mut rows)?;
        rows.clear();
    }
    lines.refuse_empty()?;
    Ok(rows.width as usize)
}

/// Whether the rows of a file of this width are stored with their zeros, as the layout says; chunks
/// are small, so that they are dense unless a row alone is over the memory limit.
pub(in super::super) fn is_dense(source: &Arc<Source>, width: usize, layout: RowLayout) -> Result<bool> {
    match layout {
        RowLayout::Dense => reserve_dense(source, 1, width).map(|()| true),
        RowLayout::Sparse => Ok(false),
        RowLayout::BySize => Ok(reserve_dense(source, 1, width).is_ok()),
    }
}

/// The rows of a file whose width is known, some at a time.
pub(in super::super) struct LibsvmRows {
    lines: Lines,
    width: usize,
    dense: bool,
}

impl LibsvmRows {
    /// From this row on.
    pub fn new(source: Arc<Source>, (width, dense): (usize, bool), first: usize) -> Result<Self> {
        let mut rows = Self { lines: Lines::new(source)?, width, dense };
        let mut skipped = SparseRows::default();
        rows.read(first, &mut |lines| {
            lines.give(&mut skipped)?;
            let held = skipped.targets.len();
            skipped.clear();
            Ok(held)
        })?;
        Ok(rows)
    }

    /// At most this many rows; none at the end.
    pub fn next(&mut self, count: usize) -> Result<Vec<ColumnData>> {
        let mut rows = SparseRows::default();
        self.read(count, &mut |lines| {
            let before = rows.targets.len();
            lines.give(&mut rows)?;
            Ok(rows.targets.len() - before)
        })?;
        if rows.width as usize > self.width {
            return Err(self.lines.source.wrong(Some(self.lines.number), "the file changed while it was read"));
        }
        if !self.dense {
            rows.width = self.width as u32;
            let LabeledRows { targets, rows } = rows.into_labeled()?;
            return Ok(vec![ColumnData::Numbers(targets), ColumnData::Objects(rows.into())]);
        }
        let found = rows.targets.len();
        rows.into_dense(found, self.width)
    }

    /// Returns lines to `take`, which returns the number of rows of a line, until there are this
    /// many rows.
    fn read(&mut self, count: usize, take: &mut dyn FnMut(&Lines) -> Result<usize>) -> Result<()> {
        let mut found = 0;
        while found < count && self.lines.advance()? {
            found += take(&self.lines)?;
        }
        Ok(())
    }
}

fn parse_label(word: &[u8]) -> Result<f64, String> {
    let text = String::from_utf8_lossy(word);
    if let Some(value) = parse_number(word) {
        return Ok(value);
    }
    if word.contains(&b',') {
        return Err(format!("`{text}` holds several labels: files with several labels per line cannot be read"));
    }
    if word.contains(&b':') {
        return Err(format!("the line begins with `{text}`: the label is missing"));
    }
    Err(format!("the label `{text}` is not a number"))
}

fn parse_pair(word: &[u8]) -> Result<(u32, f64), String> {
    let text = || String::from_utf8_lossy(word).into_owned();
    let colon = word.iter().position(|&b| b == b':').ok_or_else(|| format!("`{}` is not index:value", text()))?;
    let index = std::str::from_utf8(&word[..colon]).ok().and_then(|t| t.parse::<u32>().ok());
    match (index, parse_number(&word[colon + 1..])) {
        (Some(0), _) => Err(format!("`{}`: indices are counted from 1", text())),
        (Some(index), Some(value)) => Ok((index, value)),
        (None, _) => Err(format!("`{}`: the index is not a whole number from 1 to {}", text(), u32::MAX)),
        (_, None) => Err(format!("`{}`: the value is not a number", text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_with_the_reason() {
        let mut rows = SparseRows::default();
        rows.push_line(b"+1 qid:3 1:0.5 4:-2 # a comment\n").unwrap();
        rows.push_line(b"# nothing\n").unwrap();
        rows.push_line(b"\r\n").unwrap();
        rows.push_line(b"2.5\n").unwrap();
        assert_eq!((rows.targets, rows.ends, rows.indices), (vec![1.0, 2.5], vec![2, 2], vec![1, 4]));
        let reason = |line: &str| SparseRows::default().push_line(line.as_bytes()).unwrap_err();
        assert!(reason("1 2:1 1:1").contains("index 1 comes after index 2"));
        assert!(reason("1 2:1 2:1").contains("ascend"));
        assert!(reason("1 0:1").contains("counted from 1"));
        assert!(reason("1,2 1:1").contains("several labels"));
        assert!(reason("1:1 2:1").contains("label is missing"));
        assert!(reason("yes 1:1").contains("`yes` is not a number"));
        assert!(reason("1 a:1").contains("whole number"));
        assert!(reason("1 99999999999:1").contains("whole number"));
        assert!(reason("1 1:x").contains("value is not a number"));
        assert!(reason("1 7").contains("not index:value"));
    }
}
