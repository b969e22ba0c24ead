//! Sequences that differ in a few symbols.

use super::dictionary::Dictionary;
use super::keys::{Key, Packing};
use super::ranked_set::ones;
use super::windows::TASK;
use crate::{Compute, Result};

/// The sequences within a number of mismatches of others.
pub(crate) struct Neighborhoods {
    /// The size of the alphabet.
    pub(crate) symbols: u32,
    /// How sequences are packed into keys.
    pub(crate) packing: Packing,
    /// The number of symbols that may differ.
    pub(crate) mismatches: usize,
    /// The number of sequences around one of symbols of the alphabet; around one with others there are
    /// fewer.
    pub(crate) size: usize,
    /// Whether there are symbols outside the alphabet, whose code is the number of symbols.
    pub(crate) foreign: bool,
}

impl Neighborhoods {
    /// The neighbors of each key; columns are the distinct neighbors of all keys, ascending.
    pub(crate) fn lists<K: Key>(&self, keys: &[K], compute: &Compute) -> Result<Lists> {
        let chunk = (TASK / self.size).max(1);
        let lists: Vec<&[K]> = keys.chunks(chunk).collect();
        let neighbors = |task: usize| {
            let mut all = Vec::with_capacity(lists[task].len() * self.size);
            let ends: Vec<usize> = lists[task].iter().map(|&key| self.append_all(key, &mut all)).collect();
            (all, ends)
        };
        let sizes = (self.packing.key_bits(), keys.len() * self.size);
        let dictionary = Dictionary::collect(lists.len(), |task| neighbors(task).0, sizes, compute)?;
        let columns = compute.try_map_tasks(lists.len(), |task| {
            compute.check_canceled()?;
            let (all, ends) = neighbors(task);
            Ok((all.into_iter().map(|key| dictionary.rank(key)).collect::<Vec<u32>>(), ends))
        })?;
        let mut all = Lists { columns: Vec::new(), ends: Vec::new(), size: self.size, width: dictionary.len() };
        for (columns, ends) in columns {
            all.ends.extend(ends.into_iter().map(|end| all.columns.len() + end));
            all.columns.extend(columns);
        }
        Ok(all)
    }

    /// Appends the neighbors of a key; returns how many there are then.
    fn append_all<K: Key>(&self, key: K, all: &mut Vec<K>) -> usize {
        if self.foreign && (0..self.packing.length).any(|place| self.symbol(key, place) == self.symbols) {
            self.append_from(key, self.mismatches, 0, all);
        } else {
            self.append(key, self.mismatches, 0, all);
        }
        all.len()
    }

    fn symbol<K: Key>(&self, key: K, place: usize) -> u32 {
        key.symbol(self.packing.bits * place as u32, self.packing.bits)
    }

    /// The same for a key with symbols outside the alphabet, which have to be exchanged: place by
    /// place.
    fn append_from<K: Key>(&self, key: K, mismatches: usize, place: usize, all: &mut Vec<K>) {
        if place == self.packing.length {
            return all.push(key);
        }
        let (symbol, shift) = (self.symbol(key, place), self.packing.bits * place as u32);
        if symbol != self.symbols {
            self.append_from(key, mismatches, place + 1, all);
        }
        if mismatches > 0 {
            for other in (0..self.symbols).filter(|&other| other != symbol) {
                self.append_from(key.replace(shift, self.packing.bits, other), mismatches - 1, place + 1, all);
            }
        }
    }

    /// Appends the key and those with up to `mismatches` other symbols at the places from `first`
    /// on.
    fn append<K: Key>(&self, key: K, mismatches: usize, first: usize, all: &mut Vec<K>) {
        all.push(key);
        if mismatches == 0 {
            return;
        }
        for place in first..self.packing.length {
            let (bits, shift) = (self.packing.bits, self.packing.bits * place as u32);
            for symbol in (0..self.symbols).filter(|&symbol| symbol != key.symbol(shift, bits)) {
                self.append(key.replace(shift, bits, symbol), mismatches - 1, place + 1, all);
            }
        }
    }
}

/// The columns of the neighbors of each of some keys.
pub(crate) struct Lists {
    columns: Vec<u32>,
    /// Where the neighbors of each key end.
    ends: Vec<usize>,
    /// The most neighbors of a key.
    pub(crate) size: usize,
    /// The number of columns.
    pub(crate) width: usize,
}

impl Lists {
    /// The columns of the neighbors of key `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.columns[start..self.ends[index]]
    }
}

/// Sums by column, with the set of columns that are not 0 so that they are found in order.
pub(crate) struct Sums {
    values: Vec<f64>,
    /// A bit for each column.
    touched: Vec<u64>,
    /// A bit for each word of `touched`.
    words: Vec<u64>,
}

impl Sums {
    /// All sums are 0.
    pub(crate) fn new(width: usize) -> Self {
        let (touched, words) = (vec![0; width.div_ceil(1 << 6)], vec![0; width.div_ceil(1 << 12)]);
        Self { values: vec![0.0; width], touched, words }
    }

    /// Adds a positive number to some columns.
    pub(crate) fn add(&mut self, columns: &[u32], value: f64) {
        for &column in columns {
            let column = column as usize;
            if self.values[column] == 0.0 {
                self.touched[column >> 6] |= 1 << (column & 63);
                self.words[column >> 12] |= 1 << (column >> 6 & 63);
            }
            self.values[column] += value;
        }
    }

    /// Calls `each` with all sums that are not 0, columns ascending, and sets them to 0.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(u32, f64)) {
        for (i, group) in self.words.iter_mut().enumerate() {
            for word in ones(std::mem::take(group)) {
                let word = i << 6 | word;
                for bit in ones(std::mem::take(&mut self.touched[word])) {
                    let column = word << 6 | bit;
                    each(column as u32, std::mem::take(&mut self.values[column]));
                }
            }
        }
    }
}
