//! Strings as sequences of symbol codes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ranked_set::RankedSet;
use crate::points::Strings;
use crate::{Error, Result};

/// The code of a symbol that a given alphabet does not contain.
pub(crate) const FOREIGN: u32 = u32::MAX;

/// Unicode scalar values are below this.
const SCALARS: usize = 0x11_0000;

/// Strings as sequences of codes `0..A`: the ranks of their Unicode scalar values among the symbols
/// of all strings, or among those of a given alphabet.
///
/// Codes are `u32` for every alphabet: encoding takes 5 % of the time of `spectrum(length=3)` on
/// 3 190 strings of 60 letters, so narrower codes for small alphabets would not pay.
#[derive(Debug)]
pub(crate) struct Encoded {
    codes: Vec<u32>,
    /// Where each string ends in `codes`.
    ends: Vec<usize>,
    symbols: usize,
    /// How many strings are rows; the others are columns.
    rows: usize,
}

impl Encoded {
    /// The rows followed by the columns, with the symbols of both as the alphabet.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there are more than `2³² − 2` symbols in total.
    pub(crate) fn new(rows: &Strings, cols: Option<&Strings>) -> Result<Self> {
        let alphabet = symbol_set(&[rows.text(), cols.map_or("", Strings::text)]);
        Self::with(rows, cols, &alphabet)
    }

    /// The rows followed by the columns, with the symbols of `alphabet`; others become [`FOREIGN`].
    pub(crate) fn with_alphabet(rows: &Strings, cols: Option<&Strings>, alphabet: &str) -> Result<Self> {
        Self::with(rows, cols, &symbol_set(&[alphabet]))
    }

    fn with(rows: &Strings, cols: Option<&Strings>, alphabet: &RankedSet) -> Result<Self> {
        let mut all = Self { codes: Vec::new(), ends: Vec::new(), symbols: alphabet.len(), rows: rows.len() };
        let ascii: [u32; 128] = std::array::from_fn(|symbol| code(alphabet, symbol));
        for strings in [Some(rows), cols].into_iter().flatten() {
            all.append(strings, alphabet, &ascii);
        }
        match all.codes.len() {
            length if length < u32::MAX as usize => Ok(all),
            length => Err(too_long(length)),
        }
    }

    fn append(&mut self, strings: &Strings, alphabet: &RankedSet, ascii: &[u32; 128]) {
        self.codes.reserve(strings.text().len());
        let is_ascii = strings.text().is_ascii();
        for string in strings.iter() {
            if is_ascii {
                self.codes.extend(string.bytes().map(|byte| ascii[usize::from(byte & 127)]));
            } else {
                self.codes.extend(string.chars().map(|symbol| code(alphabet, symbol as usize)));
            }
            self.ends.push(self.codes.len());
        }
    }

    /// Gives symbols outside the alphabet a code of their own, the one after the others; whether
    /// there are any.
    pub(crate) fn code_foreign(&mut self) -> bool {
        let (before, own) = (self.codes.contains(&FOREIGN), self.symbols as u32);
        self.codes.iter_mut().filter(|code| **code == FOREIGN).for_each(|code| *code = own);
        before
    }

    /// The number of strings, rows and columns.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of strings that are rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The size of the alphabet.
    pub(crate) fn symbols(&self) -> usize {
        self.symbols
    }

    /// The codes of all strings, one after the other.
    pub(crate) fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Where string `index` lies in [`codes`](Self::codes).
    pub(crate) fn range(&self, index: usize) -> Range<usize> {
        index.checked_sub(1).map_or(0, |previous| self.ends[previous])..self.ends[index]
    }

    /// The codes of string `index`.
    pub(crate) fn string(&self, index: usize) -> &[u32] {
        &self.codes[self.range(index)]
    }

    /// Ranges of strings that cover all, of about `symbols` symbols each: the tasks of parallel
    /// work.
    pub(crate) fn tasks(&self, symbols: usize) -> Vec<Range<usize>> {
        let mut tasks = Vec::new();
        let (mut first, mut start) = (0, 0);
        for (i, &end) in self.ends.iter().enumerate() {
            if end - start >= symbols || i + 1 - first >= symbols || i + 1 == self.len() {
                tasks.push(first..i + 1);
                (first, start) = (i + 1, end);
            }
        }
        tasks
    }
}

fn too_long(length: usize) -> Error {
    let reason = "at most 2³² − 2 symbols are supported";
    Error::unsupported("kernels on strings", format!("{length} symbols"), reason, "use fewer or shorter strings")
}

fn code(alphabet: &RankedSet, symbol: usize) -> u32 {
    if alphabet.contains(symbol) { alphabet.rank(symbol) } else { FOREIGN }
}

/// The symbols of some texts, each once, in the order of their scalar values.
pub(crate) fn symbols_of(texts: &[&str]) -> String {
    let symbols: BTreeSet<char> = texts.iter().flat_map(|text| text.chars()).collect();
    symbols.into_iter().collect()
}

/// The Unicode scalar values of some texts.
fn symbol_set(texts: &[&str]) -> RankedSet {
    let ascii = texts.iter().all(|text| text.is_ascii());
    let mut bits = vec![0u64; if ascii { 2 } else { SCALARS / 64 }];
    let mut insert = |symbol: usize| bits[symbol / 64] |= 1 << (symbol % 64);
    for text in texts {
        if ascii {
            text.bytes().for_each(|byte| insert(usize::from(byte)));
        } else {
            text.chars().for_each(|symbol| insert(symbol as usize));
        }
    }
    RankedSet::new(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(list: &[&str]) -> Strings {
        list.iter().collect()
    }

    #[test]
    fn codes_are_ranks_of_scalar_values() {
        let (rows, cols) = (strings(&["b🙂a", "", "é"]), strings(&["c"]));
        let encoded = Encoded::new(&rows, Some(&cols)).unwrap();
        assert_eq!((encoded.symbols(), encoded.len(), encoded.rows()), (5, 4, 3));
        assert_eq!(encoded.string(0), [1, 4, 0]);
        assert!(encoded.string(1).is_empty());
        assert_eq!([encoded.string(2), encoded.string(3)], [[3], [2]]);
        let ascii = Encoded::new(&strings(&["ba~", "a"]), None).unwrap();
        assert_eq!((ascii.codes(), ascii.range(1)), (&[1, 0, 2, 0][..], 3..4));
    }

    #[test]
    fn a_given_alphabet_marks_other_symbols() {
        let encoded = Encoded::with_alphabet(&strings(&["ACNT🙂"]), None, "TGCA").unwrap();
        assert_eq!(encoded.string(0), [0, 1, FOREIGN, 3, FOREIGN]);
        let mut encoded = encoded;
        assert!(encoded.code_foreign() && !encoded.code_foreign());
        assert_eq!((encoded.string(0), encoded.symbols()), (&[0, 1, 4, 3, 4][..], 4));
        assert_eq!(symbols_of(&["ba", "éa🙂"]), "abé🙂");
    }

    #[test]
    fn tasks_cover_all_strings() {
        let encoded = Encoded::new(&strings(&["abc", "", "de", "fghijk", "", ""]), None).unwrap();
        for symbols in 1..20 {
            let tasks = encoded.tasks(symbols);
            assert_eq!(tasks.into_iter().flatten().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        }
        assert!(Encoded::new(&strings(&[]), None).unwrap().tasks(10).is_empty());
    }
}
