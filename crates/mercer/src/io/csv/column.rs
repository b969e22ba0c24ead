//! The state of a column during reading: numeric until a cell is not.

use std::collections::HashMap;

use super::super::chunks::Kind;
use super::super::number::{has_decimal_comma, is_missing, parse_number, trim};
use crate::points::{ColumnData, category_codes};

/// A column while it is being read.
pub(super) struct Builder {
    cells: Cells,
    has_number: bool,
}

enum Cells {
    Numbers(Vec<f64>),
    Text(Levels),
    /// Text came after numbers: the texts of the numbers are gone, so the file must be read again.
    Later,
}

impl Builder {
    pub fn new() -> Self {
        Self { cells: Cells::Numbers(Vec::new()), has_number: false }
    }

    /// Takes the next cell; the reason if it cannot be.
    pub fn push(&mut self, cell: &[u8]) -> Result<(), String> {
        let cell = trim(cell);
        match &mut self.cells {
            Cells::Numbers(values) => match parse_number(cell) {
                Some(value) => {
                    self.has_number |= !value.is_nan();
                    values.push(value);
                    Ok(())
                }
                None if is_missing(cell) => {
                    values.push(f64::NAN);
                    Ok(())
                }
                None => self.become_text(cell),
            },
            Cells::Text(levels) => levels.push(cell),
            Cells::Later => Ok(()),
        }
    }

    /// The first cell that is not a number.
    fn become_text(&mut self, cell: &[u8]) -> Result<(), String> {
        let text = utf8(cell)?;
        if has_decimal_comma(text) {
            return Err(format!("`{text}` has a decimal comma: numbers are written with a point"));
        }
        let rows = match &self.cells {
            Cells::Numbers(values) if !self.has_number => values.len(),
            _ => {
                self.cells = Cells::Later;
                return Ok(());
            }
        };
        let mut levels = Levels { codes: vec![None; rows], ..Levels::default() };
        levels.push(cell)?;
        self.cells = Cells::Text(levels);
        Ok(())
    }

    pub fn must_be_read_again(&self) -> bool {
        matches!(self.cells, Cells::Later)
    }

    /// Starts over as text.
    pub fn read_again_as_text(&mut self) {
        self.cells = Cells::Text(Levels::default());
    }

    /// The bytes held, roughly.
    pub fn bytes(&self) -> u64 {
        match &self.cells {
            Cells::Numbers(values) => values.len() as u64 * 8,
            Cells::Text(levels) => levels.codes.len() as u64 * 8 + levels.bytes,
            Cells::Later => 0,
        }
    }

    /// Forgets the rows, but not what the column holds.
    pub fn forget_rows(&mut self) {
        match &mut self.cells {
            Cells::Numbers(values) => values.clear(),
            Cells::Text(levels) => levels.forget_rows(),
            Cells::Later => {}
        }
    }

    /// What the column holds.
    pub fn kind(self) -> Kind {
        match self.cells {
            Cells::Text(levels) => levels.kind(),
            Cells::Numbers(_) | Cells::Later => Kind::Numbers,
        }
    }

    pub fn finish(self) -> ColumnData {
        match self.cells {
            Cells::Numbers(values) => ColumnData::Numbers(values),
            Cells::Text(levels) => levels.finish(),
            Cells::Later => ColumnData::Numbers(Vec::new()),
        }
    }
}

/// Categories while they are being read, in the order in which they appear.
#[derive(Default)]
pub(in super::super) struct Levels {
    codes: Vec<Option<u32>>,
    seen: HashMap<String, u32>,
    bytes: u64,
}

impl Levels {
    fn push(&mut self, cell: &[u8]) -> Result<(), String> {
        let text = utf8(cell)?;
        self.push_text(if is_missing(cell) { None } else { Some(text) });
        Ok(())
    }

    /// Takes the next value; `None` is missing.
    pub fn push_text(&mut self, text: Option<&str>) {
        let code = text.map(|text| match self.seen.get(text) {
            Some(&code) => code,
            None => self.add(text),
        });
        self.codes.push(code);
    }

    fn add(&mut self, text: &str) -> u32 {
        let code = self.seen.len() as u32;
        self.bytes += text.len() as u64 + 48;
        self.seen.insert(text.to_owned(), code);
        code
    }

    /// The bytes that the levels take, roughly.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many values came.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Forgets the values, but not what they were.
    pub fn forget_rows(&mut self) {
        self.codes.clear();
    }

    /// Categories with the levels that came.
    pub fn kind(self) -> Kind {
        let mut levels: Vec<String> = self.seen.into_keys().collect();
        levels.sort_unstable();
        Kind::Categories(levels.into())
    }

    /// The column, with sorted levels.
    pub fn finish(self) -> ColumnData {
        let mut levels = vec![String::new(); self.seen.len()];
        self.seen.into_iter().for_each(|(text, code)| levels[code as usize] = text);
        category_codes(self.codes, levels)
    }
}

fn utf8(cell: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(cell).map_err(|_| format!("`{}` is not valid UTF-8", String::from_utf8_lossy(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cells: &[&str]) -> (bool, ColumnData) {
        let mut builder = Builder::new();
        cells.iter().for_each(|c| builder.push(c.as_bytes()).unwrap());
        let again = builder.must_be_read_again();
        if again {
            builder.read_again_as_text();
            cells.iter().for_each(|c| builder.push(c.as_bytes()).unwrap());
        }
        (again, builder.finish())
    }

    #[test]
    fn numbers_stay_numbers() {
        let (again, data) = read(&["1", " 2.5 ", "inf"]);
        assert_eq!((again, data), (false, ColumnData::Numbers(vec![1.0, 2.5, f64::INFINITY])));
    }

    #[test]
    fn text_after_missing_values_needs_no_second_reading() {
        let (again, data) = read(&["NA", "?", "b", "1.0", "a"]);
        assert!(!again);
        assert_eq!(data, ColumnData::categories([None, None, Some("b"), Some("1.0"), Some("a")]));
    }

    #[test]
    fn text_after_numbers_keeps_the_texts_of_the_numbers() {
        let (again, data) = read(&["1.0", "1", "x", ""]);
        assert!(again);
        assert_eq!(data, ColumnData::categories([Some("1.0"), Some("1"), Some("x"), None]));
    }
}
