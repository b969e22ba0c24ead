//! The LIBSVM reader.

use std::io::{BufRead, BufReader};

use super::super::csv::BOM;
use super::super::number::parse_number;
use super::super::room_for;
use super::super::source::Source;
use crate::points::{Column, Table};
use crate::{Error, Result};

/// Bytes of sparse data between two questions to the memory budget.
const BLOCK: usize = 1 << 20;

/// Reads a table from LIBSVM: `target`, `x1`, …, `xd`.
pub(in super::super) fn read(source: &Source<'_>) -> Result<Table> {
    let rows = read_rows(source)?;
    let count = rows.targets.len();
    let width = rows.width as usize;
    source.reserve((count as u64).saturating_mul(width as u64 + 1).saturating_mul(8))?;
    Table::from_columns(rows.into_dense(count, width)?)
}

/// The points as they stand in the file.
#[derive(Default)]
struct SparseRows {
    targets: Vec<f64>,
    /// Where each row ends in `indices` and `values`.
    ends: Vec<usize>,
    /// Counted from 1.
    indices: Vec<u32>,
    values: Vec<f64>,
    width: u32,
}

impl SparseRows {
    fn into_dense(self, count: usize, width: usize) -> Result<Vec<Column>> {
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
        let features = columns.into_iter().enumerate().map(|(i, c)| Column::numbers(format!("x{}", i + 1), c));
        Ok(std::iter::once(Column::numbers("target", self.targets)).chain(features).collect())
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

fn read_rows(source: &Source<'_>) -> Result<SparseRows> {
    let mut reader = BufReader::new(source.open()?);
    let mut rows = SparseRows::default();
    let mut line = Vec::new();
    let mut number = 0;
    let mut next_check = BLOCK;
    while reader.read_until(b'\n', &mut line).map_err(|e| source.failed(e))? > 0 {
        number += 1;
        let text = if number == 1 { line.strip_prefix(BOM).unwrap_or(&line) } else { &line };
        rows.push_line(text).map_err(|reason| source.wrong(Some(number), reason))?;
        if rows.values.len() >= next_check {
            next_check += BLOCK;
            source.reserve(rows.values.len() as u64 * 12)?;
        }
        line.clear();
    }
    refuse_empty(source, number)?;
    Ok(rows)
}

fn refuse_empty(source: &Source<'_>, lines: u64) -> Result<(), Error> {
    if lines == 0 { Err(source.wrong(None, "the file is empty")) } else { Ok(()) }
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
