//! Finds the delimiter by looking at the first rows.

use std::io::Read;

use super::super::number::{is_missing, parse_number};
use super::super::source::Source;
use super::Delimiter;
use crate::Result;

/// Bytes, and complete rows among them, from which the delimiter is guessed. Any few dozen rows
/// would do.
const SAMPLE: u64 = 1 << 16;
const ROWS: usize = 50;
/// In the order of preference.
const CANDIDATES: [u8; 4] = [b'\t', b';', b'|', b','];
pub(in super::super) const BOM: &[u8] = &[0xef, 0xbb, 0xbf];

/// The delimiter of the file: as chosen, or found by the rule of [`Delimiter::Auto`].
pub(super) fn delimiter_of(source: &Source, chosen: Delimiter) -> Result<Delimiter> {
    let mut sample = Vec::new();
    source.open()?.take(SAMPLE).read_to_end(&mut sample).map_err(|e| source.failed(e))?;
    refuse_binary(source, &sample)?;
    if chosen != Delimiter::Auto {
        return Ok(chosen);
    }
    let whole = (sample.len() as u64) < SAMPLE;
    Ok(sniff(sample.strip_prefix(BOM).unwrap_or(&sample), whole))
}

fn refuse_binary(source: &Source, sample: &[u8]) -> Result<()> {
    if sample.starts_with(&[0xff, 0xfe]) || sample.starts_with(&[0xfe, 0xff]) {
        return Err(source.wrong(Some(1), "the text is in UTF-16: save it as UTF-8"));
    }
    match sample.iter().position(|&b| b == 0) {
        None => Ok(()),
        Some(at) => {
            let line = 1 + sample[..at].iter().filter(|&&b| b == b'\n').count() as u64;
            Err(source.wrong(Some(line), "there is a zero byte: this is not a text file"))
        }
    }
}

fn sniff(sample: &[u8], whole: bool) -> Delimiter {
    let rows = rows_of(sample, whole);
    let even = |cells: &dyn Fn(&[u8]) -> usize| {
        let first = rows.first().map_or(0, |row| cells(row));
        first >= 2 && rows.iter().all(|row| cells(row) == first)
    };
    if let Some(byte) = CANDIDATES.into_iter().find(|&c| even(&|row| count_cells(row, c))) {
        return Delimiter::Byte(byte);
    }
    if even(&|row| words(row).count()) && rows.iter().skip(1).all(|row| words(row).any(is_number)) {
        return Delimiter::Spaces;
    }
    let first = rows.first().copied().unwrap_or_default();
    let most = CANDIDATES.into_iter().max_by_key(|&c| count_cells(first, c)).unwrap_or(b',');
    Delimiter::Byte(if count_cells(first, most) < 2 { b',' } else { most })
}

/// The first complete rows that are not blank; a line break within quotes does not end a row.
fn rows_of(sample: &[u8], whole: bool) -> Vec<&[u8]> {
    let mut rows = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (i, &byte) in sample.iter().enumerate() {
        quoted = toggles(sample, i, quoted);
        if !quoted && (byte == b'\n' || byte == b'\r') {
            rows.push(&sample[start..i]);
            start = i + 1;
        }
    }
    if whole || rows.is_empty() {
        rows.push(&sample[start..]);
    }
    rows.retain(|row| !row.trim_ascii().is_empty());
    rows.truncate(ROWS);
    rows
}

/// Whether byte `i` lies within quotes: a quote opens at the beginning of a cell and closes at the
/// next quote.
fn toggles(text: &[u8], i: usize, quoted: bool) -> bool {
    if text[i] != b'"' {
        return quoted;
    }
    let opens = i == 0 || matches!(text[i - 1], b'"' | b' ' | b'\n' | b'\r') || CANDIDATES.contains(&text[i - 1]);
    !quoted && opens
}

fn count_cells(row: &[u8], delimiter: u8) -> usize {
    let mut quoted = false;
    let mut cells = 1;
    for (i, &byte) in row.iter().enumerate() {
        quoted = toggles(row, i, quoted);
        cells += usize::from(!quoted && byte == delimiter);
    }
    cells
}

fn words(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    row.split(|b| matches!(b, b' ' | b'\t')).filter(|word| !word.is_empty())
}

fn is_number(word: &[u8]) -> bool {
    parse_number(word).is_some() && !is_missing(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delimiter_is_found() {
        let cases: [(&str, Delimiter); 12] = [
            ("a,b\n1,2\n", Delimiter::Byte(b',')),
            ("a;b\n1,5;2,5\n", Delimiter::Byte(b';')),
            ("1,5;2,5\n3,5;4,5\n", Delimiter::Byte(b';')),
            ("a\tb\n1\t2", Delimiter::Byte(b'\t')),
            ("a|b|c\n1|2|3\n", Delimiter::Byte(b'|')),
            ("  a   b\n 1.0  2.0 \n", Delimiter::Spaces),
            ("name,note\n\"x;y\",\"p;q\"\nz,w\n", Delimiter::Byte(b',')),
            ("name,note\n\"x\ny\",2\n", Delimiter::Byte(b',')),
            ("city\nNew York\nLos Angeles\n", Delimiter::Byte(b',')),
            ("x\n1\n2\n", Delimiter::Byte(b',')),
            ("a,b,c\n1,2\n", Delimiter::Byte(b',')),
            ("", Delimiter::Byte(b',')),
        ];
        for (text, expected) in cases {
            assert_eq!(sniff(text.as_bytes(), true), expected, "{text:?}");
        }
    }

    #[test]
    fn a_row_that_is_cut_by_the_sample_is_not_counted() {
        assert_eq!(sniff(b"a,b\n1,2\n3", false), Delimiter::Byte(b','));
        assert_eq!(rows_of(b"a\n\n\"b\nc\"\nd", false), [&b"a"[..], b"\"b\nc\""]);
    }
}
