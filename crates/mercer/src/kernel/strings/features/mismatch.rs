//! Counts of substrings up to a number of exchanged symbols.

use std::ops::Range;

use super::dictionary::Dictionary;
use super::keys::{Key, Packing};
use super::neighborhoods::{Lists, Neighborhoods, Sums};
use super::symbols::{Encoded, FOREIGN};
use super::windows::{TASK, count_keys};
use crate::error::MemoryPurpose;
use crate::kernel::sparse_rows::{Part, SparseRows, concat};
use crate::points::Strings;
use crate::wording::quoted;
use crate::{Compute, Error, Result};

/// A string with fewer terms than one for this many columns is summed by sorting its terms rather
/// than in a table of all columns, which would miss the cache with almost every term.
const COLUMNS_PER_TERM: usize = 32;

/// Which substrings are counted, and for which strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substrings<'a> {
    /// The length `k` of the substrings, at least 1.
    pub(crate) length: usize,
    /// The number `m < k` of symbols that may differ.
    pub(crate) mismatches: usize,
    /// The alphabet, or `None` for the symbols of all strings.
    pub(crate) alphabet: Option<&'a str>,
    /// Whether symbols outside the alphabet differ from all of its symbols; refused otherwise.
    pub(crate) others: bool,
}

/// Encodes the strings and lists the neighbors of their substrings.
///
/// # Errors
/// [`Error::Value`] for a string of at least `length` symbols with one outside a given alphabet,
/// [`Error::Unsupported`] if `length` symbols need more than 128 bits or there are more than
/// `2³² − 1` features, [`Error::Memory`] if these take too much.
pub(crate) fn prepare(
    rows: &Strings,
    cols: Option<&Strings>,
    substrings: Substrings<'_>,
    compute: &Compute,
) -> Result<Prepared> {
    let Substrings { length, mismatches, alphabet, others } = substrings;
    let mut encoded = match alphabet {
        Some(alphabet) => Encoded::with_alphabet(rows, cols, alphabet)?,
        None => Encoded::new(rows, cols)?,
    };
    let string =
        |i: usize| cols.filter(|_| i >= rows.len()).map_or_else(|| rows.get(i), |cols| cols.get(i - rows.len()));
    if !others {
        check_symbols(&encoded, substrings, string)?;
    }
    let foreign = encoded.code_foreign();
    let packing = Packing::new(encoded.symbols() + usize::from(foreign), length);
    if packing.fits::<u64>() {
        return prepare_keys::<u64>(&encoded, packing, (mismatches, foreign), compute);
    }
    if packing.fits::<u128>() {
        return prepare_keys::<u128>(&encoded, packing, (mismatches, foreign), compute);
    }
    let with = format!("{length} symbols of {} bits each", packing.bits);
    Err(Error::unsupported("mismatch kernel", with, "at most 128 bits are supported", "use a smaller length"))
}

/// Refuses substrings with a symbol outside a given alphabet.
fn check_symbols<'s>(encoded: &Encoded, substrings: Substrings<'_>, text: impl Fn(usize) -> &'s str) -> Result<()> {
    let foreign = |&i: &usize| encoded.string(i).len() >= substrings.length && encoded.string(i).contains(&FOREIGN);
    let Some(index) = (0..encoded.len()).find(foreign) else { return Ok(()) };
    let (row, what) = match index.checked_sub(encoded.rows()) {
        Some(column) => (column, "second sample of mismatch"),
        None => (index, "mismatch"),
    };
    let place = encoded.string(index).iter().position(|&code| code == FOREIGN).unwrap_or(0);
    let symbol: String = text(index).chars().skip(place).take(1).collect();
    let alphabet = quoted(substrings.alphabet.unwrap_or_default());
    let problem = format!("its symbol {} at position {place} is not in the alphabet {alphabet}", quoted(&symbol));
    Err(Error::value(what, (row, 0), beginning(text(index)), problem))
}

/// The first symbols of a string, quoted.
fn beginning(string: &str) -> String {
    match string.char_indices().nth(20) {
        Some((end, _)) => format!("{}…", quoted(&string[..end])),
        None => quoted(string),
    }
}

/// `V = Σ_{i≤m} C(k, i) (A − 1)^i`, the number of sequences within `m` mismatches of one.
fn neighborhood_size(symbols: usize, length: usize, mismatches: usize) -> f64 {
    let others = symbols.saturating_sub(1) as f64;
    let mut term = 1.0;
    (0..mismatches).fold(1.0, |sum, i| {
        term = term * (length - i) as f64 * others / (i + 1) as f64;
        sum + term
    })
}

fn prepare_keys<K: Key>(
    encoded: &Encoded,
    packing: Packing,
    (mismatches, foreign): (usize, bool),
    compute: &Compute,
) -> Result<Prepared> {
    let tasks = encoded.tasks(TASK.max(encoded.codes().len() / (4 * compute.threads().max(1))));
    let windows = |string: usize, keys: &mut Vec<K>| packing.windows(encoded.string(string), keys);
    let of_task = |task: usize| {
        let mut keys = Vec::new();
        tasks[task].clone().for_each(|string| windows(string, &mut keys));
        keys
    };
    let sizes = (packing.key_bits(), encoded.codes().len());
    let dictionary = Dictionary::collect(tasks.len(), of_task, sizes, compute)?;
    let counts = count_keys(&tasks, windows, &dictionary, compute)?;
    let size = neighborhood_size(encoded.symbols(), packing.length, mismatches);
    check_size(&counts, size, compute)?;
    let (symbols, size) = (encoded.symbols() as u32, size as usize);
    let around = Neighborhoods { symbols, packing, mismatches, size, foreign };
    let lists = around.lists(&dictionary.keys(), compute)?;
    Ok(Prepared { tasks, counts, lists })
}

/// Refuses features that would take too much memory: a column and a value for each, and the list of
/// the neighbors of each distinct substring.
fn check_size(counts: &SparseRows, size: f64, compute: &Compute) -> Result<()> {
    let found = counts.columns.len() as f64 * size;
    let remedy = "use a smaller length, fewer mismatches or fewer strings";
    if found > f64::from(u32::MAX) {
        let with = format!("{} distinct substrings with {size:.0} neighbors each", counts.columns.len());
        return Err(Error::unsupported("mismatch kernel", with, "at most 2³² − 1 features are supported", remedy));
    }
    let bytes = 12.0 * found + 4.0 * counts.width as f64 * size;
    compute.reserve(
        MemoryPurpose::Features,
        &format!("{found:.0} features of the mismatch kernel"),
        bytes as u64,
        remedy,
    )
}

/// Strings as counts of distinct substrings, and the neighbors of those.
///
/// `φ_u(s)` is the number of substrings of `s` that differ from `u` in at most `m` places, for every
/// `u` of `k` symbols of the alphabet. Columns are those `u` that are not 0 for all strings, in the
/// order of their symbols.
pub(crate) struct Prepared {
    /// Ranges of strings for parallel work.
    tasks: Vec<Range<usize>>,
    /// How often each distinct substring occurs in each string.
    pub(crate) counts: SparseRows,
    /// The feature columns of the neighbors of each distinct substring.
    pub(crate) lists: Lists,
}

impl Prepared {
    /// For each string the sum over its substrings of count × neighbors.
    pub(crate) fn features(&self, compute: &Compute) -> Result<SparseRows> {
        let width = self.lists.width;
        let parts = compute.try_map_tasks(self.tasks.len(), |task| {
            let (mut part, mut sums, mut terms) = (Part::default(), Sums::new(width), Vec::new());
            for string in self.tasks[task].clone() {
                compute.check_canceled()?;
                let count = self.counts.row(string).0.len() * self.lists.size;
                if count < width / COLUMNS_PER_TERM {
                    self.sort_terms(string, &mut terms, &mut part);
                } else {
                    self.each_list(string, |list, count| sums.add(list, count));
                    sums.drain(|column, value| part.push(column, value));
                }
                part.end_row();
            }
            Ok(part)
        })?;
        Ok(concat(parts, width))
    }

    /// Calls `each` with the neighbors of every distinct substring of a string, and how often it
    /// occurs.
    fn each_list(&self, string: usize, mut each: impl FnMut(&[u32], f64)) {
        let (substrings, counts) = self.counts.row(string);
        substrings.iter().zip(counts).for_each(|(&substring, &count)| each(self.lists.get(substring as usize), count));
    }

    /// Appends the features of a string to a row by sorting the terms of all sums. A term has its
    /// column in the high half and its count, which is below 2³², in the low half.
    fn sort_terms(&self, string: usize, terms: &mut Vec<u64>, part: &mut Part) {
        terms.clear();
        self.each_list(string, |list, count| {
            terms.extend(list.iter().map(|&column| u64::from(column) << 32 | count as u64));
        });
        terms.sort_unstable();
        for sum in terms.chunk_by(|a, b| a >> 32 == b >> 32) {
            part.push((sum[0] >> 32) as u32, sum.iter().map(|&term| f64::from(term as u32)).sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spectrum::substring_counts;
    use super::*;
    use crate::kernel::sparse_rows::testing::{dense, product};
    use crate::kernel::strings::testing::random_strings;

    fn features(sample: &Strings, length: usize, mismatches: usize, alphabet: Option<&str>) -> SparseRows {
        let compute = Compute::new();
        let substrings = Substrings { length, mismatches, alphabet, others: true };
        prepare(sample, None, substrings, &compute).unwrap().features(&compute).unwrap()
    }

    fn gram(f: &SparseRows) -> Vec<Vec<f64>> {
        product(f, f)
    }

    /// Features by comparing every sequence with every window, the columns without zeros.
    fn expected(sample: &Strings, length: usize, mismatches: usize, alphabet: &str) -> Vec<Vec<f64>> {
        let mut sequences = vec![vec![]];
        for _ in 0..length {
            let longer = |u: &Vec<char>| alphabet.chars().map(|c| [u.as_slice(), &[c]].concat()).collect::<Vec<_>>();
            sequences = sequences.iter().flat_map(longer).collect();
        }
        let count = |s: &str, u: &[char]| {
            let s: Vec<char> = s.chars().collect();
            let near = |w: &&[char]| w.iter().zip(u).filter(|(a, b)| a != b).count() <= mismatches;
            s.windows(length).filter(near).count() as f64
        };
        sequences.retain(|u| sample.iter().any(|s| count(s, u) > 0.0));
        sample.iter().map(|s| sequences.iter().map(|u| count(s, u)).collect()).collect()
    }

    #[test]
    fn comparison_of_all_sequences() {
        for (alphabet, length) in [("a", 4), ("ab", 5), ("ACGT", 3), ("ACGT", 4), ("aé🙂", 4)] {
            let sample = random_strings(length as u64, 9, 20, alphabet);
            for mismatches in 0..length {
                let found = dense(&features(&sample, length, mismatches, Some(alphabet)));
                assert_eq!(found, expected(&sample, length, mismatches, alphabet), "{alphabet} {length} {mismatches}");
            }
        }
    }

    #[test]
    fn foreign_symbols_differ_from_all_others() {
        for (alphabet, foreign, length) in [("ACG", "ACGT", 3), ("ACGT", "ACGTN-", 4), ("a", "aé", 3), ("ab", "cd", 2)]
        {
            let sample = random_strings(length as u64, 9, 20, foreign);
            for mismatches in 0..length {
                let found = dense(&features(&sample, length, mismatches, Some(alphabet)));
                assert_eq!(found, expected(&sample, length, mismatches, alphabet), "{alphabet} {length} {mismatches}");
            }
        }
    }

    #[test]
    fn long_sequences_are_exact() {
        let sample = random_strings(1, 6, 60, "ACDEFGHIKLMNPQRSTVWY");
        let spectrum = substring_counts(&sample, None, 20, false, &Compute::new()).unwrap().0;
        assert_eq!(features(&sample, 20, 0, None), spectrum);
        let near: Strings = ["ACDEFGHIKLMNPQRSTVWY", "ACDEFGHIKLMNPQRSTVWA"].into_iter().collect();
        assert_eq!(gram(&features(&near, 20, 1, None)), [[381.0, 20.0], [20.0, 381.0]]);
    }

    #[test]
    fn separate_columns_equal_pooled_ones() {
        let (rows, cols) = (random_strings(1, 7, 30, "abc"), random_strings(2, 8, 30, "bcd"));
        let both = gram(&features(&rows.pooled(&cols), 4, 2, None));
        let (substrings, compute) =
            (Substrings { length: 4, mismatches: 2, alphabet: None, others: false }, Compute::new());
        let all = prepare(&rows, Some(&cols), substrings, &compute).unwrap().features(&compute).unwrap();
        let (f, g) = all.split(7);
        let cross: Vec<Vec<f64>> = both[..7].iter().map(|row| row[7..].to_vec()).collect();
        assert_eq!(product(&f, &g), cross);
    }

    #[test]
    fn what_is_refused() {
        let sample: Strings = ["ACGT", "NN", "ACNT"].into_iter().collect();
        let compute = Compute::new().with_memory(1 << 28);
        let refused = |rows: &Strings, cols: Option<&Strings>, length, mismatches, alphabet| {
            prepare(rows, cols, Substrings { length, mismatches, alphabet, others: false }, &compute)
                .err()
                .unwrap()
                .to_string()
        };
        let message = refused(&sample, None, 3, 1, Some("ACGT"));
        let problem = "row 2, column 0 holds \"ACNT\": its symbol \"N\" at position 2 is not in the alphabet \"ACGT\"";
        assert_eq!(message, format!("mismatch: {problem}"));
        let message = refused(&sample.select(&[0]), Some(&sample), 3, 1, Some("ACGT"));
        assert_eq!(message, format!("second sample of mismatch: {problem}"));
        assert!(refused(&sample, None, 2000, 1, None).contains("at most 128 bits"));
        let long = random_strings(1, 9, 400, "ABCDEFGHIJKLMNOP");
        assert!(refused(&long, None, 16, 5, None).contains("at most 2³² − 1 features"));
        assert!(refused(&long, None, 16, 2, None).contains("features of the mismatch kernel needs"));
        assert_eq!(features(&sample.select(&[1]), 3, 1, Some("ACGT")).width, 0);
    }
}
