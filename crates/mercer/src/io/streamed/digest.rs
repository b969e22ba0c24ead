//! A fingerprint of data: for chance and forgetfulness, not against malice.

use std::collections::BTreeMap;

use super::super::Chunk;
use crate::points::{ColumnData, Table};
use crate::record::Record;

/// A hash of 64 bits of words that come one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest(u64);

impl Digest {
    pub fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 ^= self.0 >> 29;
    }

    pub fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
    }

    pub fn show(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The fingerprint of a table that comes in chunks, however it is cut: every column has its own.
#[derive(Clone, Debug, Default)]
pub(super) struct TableDigest(Vec<Digest>);

impl TableDigest {
    pub fn update(&mut self, chunk: &Chunk) {
        let columns = chunk.table.columns();
        self.0.resize(columns.len(), Digest::new());
        for (digest, column) in self.0.iter_mut().zip(columns) {
            match &column.data {
                ColumnData::Numbers(values) => values.iter().for_each(|v| digest.word(v.to_bits())),
                ColumnData::Categories { codes, .. } => {
                    codes.iter().for_each(|code| digest.word(code.map_or(u64::MAX, u64::from)));
                }
                // Chunks of a file hold no objects.
                ColumnData::Objects(_) | ColumnData::Groups { .. } => {}
            }
        }
    }

    /// Of all values, and of the names and levels in a header.
    pub fn finish(&self, header: &Table) -> String {
        let mut all = Digest::new();
        self.0.iter().for_each(|digest| all.word(digest.0));
        for column in header.columns() {
            all.text(&column.name);
            if let ColumnData::Categories { levels, .. } = &column.data {
                levels.iter().for_each(|level| all.text(level));
            }
        }
        all.show()
    }
}

/// The fingerprint of a record.
pub(super) fn of_record(record: &Record) -> String {
    let mut digest = Digest::new();
    let texts: &BTreeMap<String, String> = &record.texts;
    for (name, text) in texts {
        digest.text(name);
        digest.text(text);
    }
    for (name, array) in &record.arrays {
        digest.text(name);
        array.iter().for_each(|v| digest.word(v.to_bits()));
    }
    for (name, integers) in &record.integers {
        digest.text(name);
        integers.iter().for_each(|v| digest.word(*v as u64));
    }
    for (name, bytes) in &record.bytes {
        digest.text(name);
        bytes.iter().for_each(|byte| digest.word(u64::from(*byte)));
    }
    digest.show()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Column;

    fn digest(values: &[f64], height: usize) -> String {
        let table = |values: &[f64]| Table::from_columns(vec![Column::numbers("a", values.to_vec())]).unwrap();
        let mut digest = TableDigest::default();
        for part in values.chunks(height) {
            digest.update(&Chunk { table: table(part), first_row: 0, position: 0 });
        }
        digest.finish(&table(&[]))
    }

    #[test]
    fn the_cut_does_not_matter_and_every_value_does() {
        let values = [1.0, 2.0, f64::NAN, -0.0, 5.0];
        assert_eq!(digest(&values, 5), digest(&values, 2));
        for i in 0..values.len() {
            let mut other = values;
            other[i] = 7.0;
            assert_ne!(digest(&other, 5), digest(&values, 5));
        }
        assert_ne!(digest(&[2.0, 1.0], 5), digest(&[1.0, 2.0], 5));
        assert_ne!(digest(&[0.0], 5), digest(&[-0.0], 5));
    }
}
