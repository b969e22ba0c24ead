//! The CSV reader: one pass, and a second one for columns that turned into text late.

use std::collections::HashMap;
use std::io::Read;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::super::number::{is_missing, parse_number, trim};
use super::super::numbered_name;
use super::super::source::Source;
use super::column::Builder;
use super::sniff::{BOM, delimiter_of};
use super::spaces::Squeeze;
use super::{Delimiter, Header};
use crate::points::{Column, Table};
use crate::{Error, Result};

/// Rows between two questions to the memory budget.
const BLOCK: u64 = 8192;

/// Reads a table from CSV.
pub(in super::super) fn read(source: &Source<'_>, header: Header, delimiter: Delimiter) -> Result<Table> {
    let file = CsvFile { source, delimiter: delimiter_of(source, delimiter)? };
    let mut records = file.records()?;
    let Some(first) = records.next_row(None)? else {
        return Err(source.wrong(None, "the file is empty"));
    };
    let width = first.len();
    let has_header = match header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => !looks_like_data(&first),
    };
    let names = if has_header { file.names(&first)? } else { (0..width).map(numbered_name).collect() };
    let mut columns: Vec<Builder> = (0..width).map(|_| Builder::new()).collect();
    let pending = (!has_header).then_some(first);
    file.fill(records, pending, &names, &mut columns.iter_mut().collect::<Vec<_>>(), |i| i)?;
    file.read_late_text(has_header, &names, &mut columns)?;
    let columns = names.into_iter().zip(columns).map(|(name, c)| Column { name, data: c.finish() }).collect();
    Table::from_columns(columns)
}

/// Numbers and missing values only, with at least one number.
fn looks_like_data(row: &ByteRecord) -> bool {
    let number = |cell: &[u8]| parse_number(cell).is_some_and(|v| !v.is_nan());
    row.iter().map(trim).all(|cell| number(cell) || is_missing(cell)) && row.iter().map(trim).any(number)
}

struct CsvFile<'s, 'c> {
    source: &'s Source<'c>,
    delimiter: Delimiter,
}

/// The records of one pass over the file.
struct Records<'s, 'c> {
    file: &'s CsvFile<'s, 'c>,
    reader: Reader<Box<dyn Read + 's>>,
    record: ByteRecord,
}

impl<'s, 'c> CsvFile<'s, 'c> {
    /// The text from the beginning, without the byte order mark.
    fn text(&'s self) -> Result<Box<dyn Read + 's>> {
        let mut text = self.source.open()?;
        let mut first = Vec::new();
        text.by_ref().take(BOM.len() as u64).read_to_end(&mut first).map_err(|e| self.source.failed(e))?;
        if first == BOM {
            first.clear();
        }
        let text = std::io::Cursor::new(first).chain(text);
        Ok(if self.delimiter == Delimiter::Spaces { Box::new(Squeeze::new(text)) } else { Box::new(text) })
    }

    fn records(&'s self) -> Result<Records<'s, 'c>> {
        let byte = match self.delimiter {
            Delimiter::Byte(byte) => byte,
            Delimiter::Spaces => b' ',
            Delimiter::Auto => b',',
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(byte).buffer_capacity(1 << 17);
        Ok(Records { file: self, reader: builder.from_reader(self.text()?), record: ByteRecord::new() })
    }

    /// The names in the header; a name without text is the column's position.
    fn names(&self, header: &ByteRecord) -> Result<Vec<String>> {
        let mut seen = HashMap::new();
        let mut names = Vec::new();
        for (i, cell) in header.iter().enumerate() {
            let name = std::str::from_utf8(trim(cell))
                .map_err(|_| self.wrong(header, &format!("the name of column {i} is not valid UTF-8")))?;
            let name = if name.is_empty() { numbered_name(i) } else { name.to_owned() };
            if let Some(before) = seen.insert(name.clone(), i) {
                return Err(self.wrong(header, &format!("columns {before} and {i} both bear the name `{name}`")));
            }
            names.push(name);
        }
        Ok(names)
    }

    /// Gives each row's cells to the columns; column `k` of `columns` takes cell `cell_of(k)`.
    fn fill(
        &'s self,
        mut records: Records<'s, 'c>,
        pending: Option<ByteRecord>,
        names: &[String],
        columns: &mut [&mut Builder],
        cell_of: impl Fn(usize) -> usize,
    ) -> Result<()> {
        let mut rows = 0_u64;
        let mut give = |row: &ByteRecord| {
            for (k, column) in columns.iter_mut().enumerate() {
                let cell = cell_of(k);
                column.push(&row[cell]).map_err(|r| self.wrong(row, &format!("column `{}`: {r}", names[cell])))?;
            }
            rows += 1;
            if rows.is_multiple_of(BLOCK) {
                self.source.reserve(columns.iter().map(|c| c.bytes()).sum())?;
            }
            Ok::<(), Error>(())
        };
        pending.iter().try_for_each(&mut give)?;
        while records.advance(Some(names.len()))? {
            give(&records.record)?;
        }
        self.source.reserve(columns.iter().map(|c| c.bytes()).sum())
    }

    /// Reads the file again for the columns that turned out to be text after some numbers.
    fn read_late_text(&'s self, has_header: bool, names: &[String], columns: &mut [Builder]) -> Result<()> {
        let late: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].must_be_read_again()).collect();
        if late.is_empty() {
            return Ok(());
        }
        let mut records = self.records()?;
        if has_header {
            records.next_row(None)?;
        }
        let mut again: Vec<&mut Builder> = columns.iter_mut().filter(|c| c.must_be_read_again()).collect();
        again.iter_mut().for_each(|column| column.read_again_as_text());
        self.fill(records, None, names, &mut again, |k| late[k])
    }

    /// The error for this record, with its line.
    fn wrong(&self, record: &ByteRecord, reason: &str) -> Error {
        let byte = record.position().map_or(0, csv::Position::byte);
        match self.line_at(byte) {
            Ok(line) => self.source.wrong(Some(line), reason),
            Err(error) => error,
        }
    }

    /// The line (counted from 1) of the first text at or after this byte. Only wrong files pay for it.
    fn line_at(&self, byte: u64) -> Result<u64> {
        let text = std::io::BufReader::new(self.text()?);
        let (mut line, mut previous) = (1, 0);
        for (i, next) in text.bytes().enumerate() {
            let next = next.map_err(|e| self.source.failed(e))?;
            let is_break = next == b'\n' || next == b'\r';
            if i as u64 >= byte && !is_break {
                break;
            }
            line += u64::from(next == b'\r' || (next == b'\n' && previous != b'\r'));
            previous = next;
        }
        Ok(line)
    }
}

impl Records<'_, '_> {
    /// Moves on to the next row that is not blank and checks its width; false at the end.
    fn advance(&mut self, width: Option<usize>) -> Result<bool> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => return Err(self.failed(error)),
            }
            if self.is_blank(width) {
                continue;
            }
            return match width {
                Some(expected) if expected != self.record.len() => Err(self.ragged(expected)),
                _ => Ok(true),
            };
        }
    }

    fn next_row(&mut self, width: Option<usize>) -> Result<Option<ByteRecord>> {
        Ok(self.advance(width)?.then(|| self.record.clone()))
    }

    /// A line of nothing but space. In a table of one column `""` is a missing value, not a blank line.
    fn is_blank(&self, width: Option<usize>) -> bool {
        let missing_value = width == Some(1) && self.record[0].is_empty();
        self.record.len() == 1 && trim(&self.record[0]).is_empty() && !missing_value
    }

    fn ragged(&self, expected: usize) -> Error {
        let found = self.record.len();
        let open_quote = self.record.iter().any(|cell| cell.contains(&b'\n'));
        let hint = if open_quote { " (a cell holds a line break: is a quote left open?)" } else { "" };
        self.file.wrong(&self.record, &format!("{found} cells where the first row has {expected}{hint}"))
    }

    fn failed(&self, error: csv::Error) -> Error {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => self.file.source.failed(error),
            other => self.file.source.wrong(None, format!("{other:?}")),
        }
    }
}
