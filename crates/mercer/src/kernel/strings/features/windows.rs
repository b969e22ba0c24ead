//! The windows of all strings as keys that compare like the windows.

use std::ops::Range;

use super::dictionary::Dictionary;
use super::keys::{Key, Packing};
use super::symbols::Encoded;
use crate::kernel::sparse_rows::{Part, SparseRows, concat};
use crate::{Compute, Result};

/// Symbols per parallel task: about 0.1 ms of work.
pub(crate) const TASK: usize = 1 << 14;

/// The windows of `length` symbols of all strings; each has a key of 64 bits, and keys are equal
/// (ordered) exactly if the windows are.
///
/// A window that does not fit into 64 bits has the ranks of its first and its last half as its key.
/// For an odd length the halves overlap in one symbol, which does not change the order.
pub(crate) struct Windows<'a> {
    encoded: &'a Encoded,
    packing: Packing,
    /// For each symbol the rank of the half that begins there; empty if windows are packed.
    halves: Vec<u32>,
}

impl<'a> Windows<'a> {
    /// The windows of a length of at least 1.
    ///
    /// # Cost
    /// None if windows fit into 64 bits; otherwise one sort of all symbols for each doubling.
    pub(crate) fn new(encoded: &'a Encoded, length: usize, compute: &Compute) -> Result<Self> {
        let packing = Packing::new(encoded.symbols(), length);
        let halves = match packing.fits::<u64>() {
            true => Vec::new(),
            false => Windows::new(encoded, length.div_ceil(2), compute)?.ranks(compute)?,
        };
        Ok(Self { encoded, packing, halves })
    }

    /// Appends the keys of the windows of a string.
    fn keys(&self, string: usize, keys: &mut Vec<u64>) {
        if self.packing.fits::<u64>() {
            return self.packing.windows(self.encoded.string(string), keys);
        }
        let (halves, length) = (&self.halves[self.encoded.range(string)], self.packing.length);
        if halves.len() >= length {
            let second = &halves[length - length.div_ceil(2)..];
            let count = halves.len() + 1 - length;
            keys.extend(halves[..count].iter().zip(second).map(|(&a, &b)| u64::from(a) << 32 | u64::from(b)));
        }
    }

    /// The distinct keys.
    fn dictionary(&self, tasks: &[Range<usize>], compute: &Compute) -> Result<Dictionary<u64>> {
        let of_task = |task: usize| {
            let mut keys = Vec::new();
            tasks[task].clone().for_each(|string| self.keys(string, &mut keys));
            keys
        };
        let key_bits = if self.packing.fits::<u64>() { self.packing.key_bits() } else { 64 };
        Dictionary::collect(tasks.len(), of_task, (key_bits, self.encoded.codes().len()), compute)
    }

    /// For each symbol the rank of the window that begins there, 0 where none does.
    fn ranks(&self, compute: &Compute) -> Result<Vec<u32>> {
        let tasks = self.encoded.tasks(TASK);
        let dictionary = self.dictionary(&tasks, compute)?;
        let parts = compute.try_map_tasks(tasks.len(), |task| {
            compute.check_canceled()?;
            Ok(tasks[task].clone().map(|string| self.ranks_of(string, &dictionary)).collect::<Vec<_>>().concat())
        })?;
        Ok(parts.concat())
    }

    fn ranks_of(&self, string: usize, dictionary: &Dictionary<u64>) -> Vec<u32> {
        let mut keys = Vec::new();
        self.keys(string, &mut keys);
        let mut ranks: Vec<u32> = keys.iter().map(|&key| dictionary.rank(key)).collect();
        ranks.resize(self.encoded.range(string).len(), 0);
        ranks
    }

    /// How often each window occurs in each string; columns are the distinct windows, ascending.
    pub(crate) fn counts(&self, compute: &Compute) -> Result<SparseRows> {
        let tasks = self.encoded.tasks(TASK);
        let dictionary = self.dictionary(&tasks, compute)?;
        count_keys(&tasks, |string, keys| self.keys(string, keys), &dictionary, compute)
    }
}

/// How often each key of the dictionary occurs in each string of the tasks.
pub(crate) fn count_keys<K: Key>(
    tasks: &[Range<usize>],
    keys_of: impl Fn(usize, &mut Vec<K>) + Sync + Send,
    dictionary: &Dictionary<K>,
    compute: &Compute,
) -> Result<SparseRows> {
    let parts = compute.try_map_tasks(tasks.len(), |task| {
        compute.check_canceled()?;
        let (mut part, mut keys) = (Part::default(), Vec::new());
        for string in tasks[task].clone() {
            keys.clear();
            keys_of(string, &mut keys);
            count_sorted(&mut keys, |key, count| part.push(dictionary.rank(key), count as f64));
            part.end_row();
        }
        Ok(part)
    })?;
    Ok(concat(parts, dictionary.len()))
}

/// Sorts the keys and calls `each` with every distinct one, ascending, and how often it occurs.
fn count_sorted<K: Ord + Copy>(keys: &mut [K], mut each: impl FnMut(K, usize)) {
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b).for_each(|run| each(run[0], run.len()));
}
