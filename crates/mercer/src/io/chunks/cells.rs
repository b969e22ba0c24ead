//! The values of a column whose kind is known beforehand.

use std::sync::Arc;

use super::super::number::{is_missing, parse_number, trim};
use crate::points::ColumnData;

/// What a column holds, found in the first pass over a file.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Kind {
    Numbers,
    /// The levels, sorted.
    Categories(Arc<[String]>),
}

/// The values of some rows of a column, as they come.
pub(in super::super) enum Cells {
    Numbers(Vec<f64>),
    Categories { codes: Vec<Option<u32>>, levels: Arc<[String]> },
}

const CHANGED: &str = "the file changed while it was read";

impl Cells {
    pub fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Numbers => Self::Numbers(Vec::new()),
            Kind::Categories(levels) => Self::Categories { codes: Vec::new(), levels: levels.clone() },
        }
    }

    /// A cell of a text file; the reason if it is none of the kind.
    pub fn push_cell(&mut self, cell: &[u8]) -> Result<(), String> {
        let cell = trim(cell);
        if let Self::Numbers(values) = self {
            let missing = || is_missing(cell).then_some(f64::NAN);
            values.push(parse_number(cell).or_else(missing).ok_or_else(|| CHANGED.to_owned())?);
            return Ok(());
        }
        let text = std::str::from_utf8(cell).map_err(|_| CHANGED.to_owned())?;
        self.push_text((!is_missing(cell)).then_some(text))
    }

    pub fn push_number(&mut self, value: f64) {
        if let Self::Numbers(values) = self {
            values.push(value);
        }
    }

    pub fn push_text(&mut self, text: Option<&str>) -> Result<(), String> {
        let Self::Categories { codes, levels } = self else { return Ok(()) };
        let code = |text: &str| levels.binary_search_by(|known| known.as_str().cmp(text)).map(|code| code as u32);
        codes.push(text.map(code).transpose().map_err(|_| CHANGED.to_owned())?);
        Ok(())
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Categories { codes, .. } => codes.len(),
        }
    }

    pub fn finish(self) -> ColumnData {
        match self {
            Self::Numbers(values) => ColumnData::Numbers(values),
            Self::Categories { codes, levels } => ColumnData::Categories { codes, levels: levels.to_vec() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_the_kind_are_taken_and_others_refused() {
        let mut numbers = Cells::new(&Kind::Numbers);
        numbers.push_cell(b" 1.5 ").unwrap();
        numbers.push_cell(b"?").unwrap();
        assert_eq!(numbers.push_cell(b"x").unwrap_err(), CHANGED);
        let ColumnData::Numbers(values) = numbers.finish() else { panic!("numbers") };
        assert!(values[0] == 1.5 && values[1].is_nan() && values.len() == 2);
        let mut texts = Cells::new(&Kind::Categories(["a".to_owned(), "b".to_owned()].into()));
        texts.push_cell(b"b").unwrap();
        texts.push_cell(b"NA").unwrap();
        assert_eq!(texts.push_cell(b"c").unwrap_err(), CHANGED);
        assert_eq!(
            texts.finish(),
            ColumnData::Categories { codes: vec![Some(1), None], levels: vec!["a".into(), "b".into()] }
        );
    }
}
