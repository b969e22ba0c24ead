//! A CSV file as records: rows that are not blank, of equal width, with the line of what is wrong.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::super::meter::carry;
use super::super::number::{is_missing, parse_number, trim};
use super::super::source::Source;
use super::super::{numbered_name, reserve_columns};
use super::sniff::{BOM, delimiter_of};
use super::spaces::Squeeze;
use super::{Delimiter, Header};
use crate::{Error, Result};

/// Bytes that are read at a time. Any value between 16 KiB and 1 MiB would do.
const BUFFER: usize = 1 << 17;

/// The file, what separates its cells, and its names.
pub(in super::super) struct CsvFile {
    pub source: Arc<Source>,
    pub names: Vec<String>,
    delimiter: Delimiter,
    has_header: bool,
}

/// The records of one pass over the file.
pub(in super::super) struct Records {
    file: Arc<CsvFile>,
    reader: Reader<Box<dyn Read + Send>>,
    pub record: ByteRecord,
    /// The bytes that were read since the last row.
    row: Arc<AtomicU64>,
}

/// Passes the text on, and checks the memory budget for very long rows: a compressed file of some
/// kilobytes can hold one of gigabytes, and a quote that is left open makes one of all lines that
/// follow.
struct RowLimit {
    inner: Box<dyn Read + Send>,
    row: Arc<AtomicU64>,
    /// The cells of a long row, as far as they are counted.
    cells: u64,
    delimiter: u8,
    source: Arc<Source>,
}

impl Read for RowLimit {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let row = self.row.fetch_add(read as u64, Ordering::Relaxed) + read as u64;
        // The reader reads ahead: what fits into its buffer may be many rows.
        if row > 2 * BUFFER as u64 {
            self.cells += buffer[..read].iter().filter(|byte| **byte == self.delimiter).count() as u64;
            self.source.reserve_row(row, self.cells).map_err(carry)?;
        } else {
            self.cells = 0;
        }
        Ok(read)
    }
}

impl CsvFile {
    /// Looks at the first row.
    pub fn open(source: Arc<Source>, header: Header, delimiter: Delimiter) -> Result<Arc<Self>> {
        let delimiter = delimiter_of(&source, delimiter)?;
        let bare = Arc::new(Self { source, names: Vec::new(), delimiter, has_header: false });
        let Some(first) = bare.all_records()?.next_row(None)? else {
            return Err(bare.source.wrong(None, "the file is empty"));
        };
        reserve_columns(&bare.source, first.len())?;
        let has_header = match header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => !looks_like_data(&first),
        };
        let names = if has_header { bare.read_names(&first)? } else { (0..first.len()).map(numbered_name).collect() };
        Ok(Arc::new(Self { source: bare.source.clone(), names, delimiter, has_header }))
    }

    /// The records of the data, from the first.
    pub fn records(self: &Arc<Self>) -> Result<Records> {
        let mut records = self.all_records()?;
        if self.has_header {
            records.next_row(None)?;
        }
        Ok(records)
    }

    fn all_records(self: &Arc<Self>) -> Result<Records> {
        let byte = match self.delimiter {
            Delimiter::Byte(byte) => byte,
            Delimiter::Spaces => b' ',
            Delimiter::Auto => b',',
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(byte).buffer_capacity(BUFFER);
        let row = Arc::new(AtomicU64::new(0));
        let text =
            RowLimit { inner: self.text()?, row: row.clone(), cells: 0, delimiter: byte, source: self.source.clone() };
        Ok(Records { file: self.clone(), reader: builder.from_reader(Box::new(text)), record: ByteRecord::new(), row })
    }

    /// The text from the beginning, without the byte order mark.
    fn text(&self) -> Result<Box<dyn Read + Send>> {
        let mut text = self.source.open()?;
        let mut first = Vec::new();
        text.by_ref().take(BOM.len() as u64).read_to_end(&mut first).map_err(|e| self.source.failed(e))?;
        if first == BOM {
            first.clear();
        }
        let text = std::io::Cursor::new(first).chain(text);
        Ok(if self.delimiter == Delimiter::Spaces { Box::new(Squeeze::new(text)) } else { Box::new(text) })
    }

    /// The names in the header; a name without text is the column's position.
    fn read_names(&self, header: &ByteRecord) -> Result<Vec<String>> {
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

    /// The error for a cell of this record.
    pub fn wrong_cell(&self, record: &ByteRecord, column: usize, reason: &str) -> Error {
        self.wrong(record, &format!("column `{}`: {reason}", self.names[column]))
    }

    /// The error for this record, with its line.
    fn wrong(&self, record: &ByteRecord, reason: &str) -> Error {
        let byte = record.position().map_or(0, csv::Position::byte);
        match self.line_at(byte) {
            Ok(line) => self.source.wrong(Some(line), reason),
            Err(error) => error,
        }
    }

    /// The line (counted from 1) of the first text at or after this byte. Only wrong files pay for
    /// it.
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

/// Numbers and missing values only, with at least one number.
fn looks_like_data(row: &ByteRecord) -> bool {
    let number = |cell: &[u8]| parse_number(cell).is_some_and(|v| !v.is_nan());
    row.iter().map(trim).all(|cell| number(cell) || is_missing(cell)) && row.iter().map(trim).any(number)
}

impl Records {
    /// Moves on to the next row of the data that is not blank and checks its width; false at the
    /// end.
    pub fn advance(&mut self) -> Result<bool> {
        self.advance_to(Some(self.file.names.len()))
    }

    fn advance_to(&mut self, width: Option<usize>) -> Result<bool> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => self.row.store(0, Ordering::Relaxed),
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
        Ok(self.advance_to(width)?.then(|| self.record.clone()))
    }

    /// A line of nothing but space. In a table of one column `""` is a missing value, not a blank
    /// line.
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
