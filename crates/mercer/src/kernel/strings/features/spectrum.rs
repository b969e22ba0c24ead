//! Counts of substrings without gaps.

use super::symbols::Encoded;
use super::windows::Windows;
use crate::kernel::sparse_rows::{RowsAndColumns, SparseRows};
use crate::points::Strings;
use crate::{Compute, Result};

/// How often each substring of `length` symbols occurs in the rows and the columns, on common
/// columns; with `blended`, all lengths from 1 to `length`. Substrings are in the order of the
/// length, then of their scalar values. A string shorter than `length` has none of that length.
///
/// # Cost
/// `O(N log n)` for `N` symbols in strings of `n`, per length; another `log length` sorts of `N`
/// keys if a substring does not fit into 64 bits (32 symbols of four letters, 12 of 20, 8 of 256).
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) if there are more than `2³² − 2` symbols or
/// features.
pub(crate) fn substring_counts(
    rows: &Strings,
    cols: Option<&Strings>,
    length: usize,
    blended: bool,
    compute: &Compute,
) -> Result<RowsAndColumns> {
    let encoded = Encoded::new(rows, cols)?;
    let counts = |length: usize| Windows::new(&encoded, length, compute)?.counts(compute);
    let all = match blended {
        true => {
            let blocks = (1..=length.min(longest(&encoded).max(1))).map(counts).collect::<Result<Vec<_>>>()?;
            SparseRows::beside(&blocks)?
        }
        false => counts(length)?,
    };
    Ok(all.into_rows_and_columns(encoded.rows(), cols.is_some()))
}

/// The same for every chosen length alone, ascending; lengths that no string has are left out.
///
/// # Errors
/// As [`substring_counts`].
pub(crate) fn counts_by_length(
    strings: &Strings,
    chosen: impl Fn(usize) -> bool,
    compute: &Compute,
) -> Result<Vec<(usize, SparseRows)>> {
    let encoded = Encoded::new(strings, None)?;
    let lengths = (1..=longest(&encoded)).filter(|length| chosen(*length));
    lengths.map(|length| Ok((length, Windows::new(&encoded, length, compute)?.counts(compute)?))).collect()
}

/// The symbols of the longest string: no string has longer substrings.
fn longest(encoded: &Encoded) -> usize {
    (0..encoded.len()).map(|i| encoded.string(i).len()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::kernel::sparse_rows::testing::{dense, product};
    use crate::kernel::strings::testing::random_strings;

    fn features(strings: &Strings, length: usize, blended: bool) -> SparseRows {
        substring_counts(strings, None, length, blended, &Compute::new()).unwrap().0
    }

    /// Counts by a map from substrings.
    fn expected(sample: &Strings, lengths: &[usize]) -> Vec<Vec<f64>> {
        let symbols: Vec<Vec<char>> = sample.iter().map(|s| s.chars().collect()).collect();
        let mut columns = BTreeMap::new();
        for &length in lengths {
            let windows = symbols.iter().flat_map(|s| s.windows(length));
            columns.extend(windows.map(|w| ((w.len(), w.to_vec()), 0)));
        }
        columns.values_mut().enumerate().for_each(|(i, column)| *column = i);
        let mut rows = vec![vec![0.0; columns.len()]; symbols.len()];
        for (row, s) in rows.iter_mut().zip(&symbols) {
            for &length in lengths {
                s.windows(length).for_each(|w| row[columns[&(w.len(), w.to_vec())]] += 1.0);
            }
        }
        rows
    }

    #[test]
    fn counts_of_any_alphabet_and_length() {
        let alphabets = ["a", "ab", "ACGT", "aé🙂\u{301}z", "ABCDEFGHIKLMNPQRSTVWXYZ"];
        for (seed, alphabet) in alphabets.iter().enumerate() {
            let sample = random_strings(seed as u64, 40, 90, alphabet);
            for length in [1, 2, 3, 7, 12, 13, 27, 32, 33, 40, 65, 89, 200] {
                assert_eq!(
                    dense(&features(&sample, length, false)),
                    expected(&sample, &[length]),
                    "{alphabet} {length}"
                );
            }
            let lengths: Vec<usize> = (1..=15).collect();
            assert_eq!(dense(&features(&sample, 15, true)), expected(&sample, &lengths));
        }
    }

    #[test]
    fn long_repeats_are_told_apart() {
        let long = "abcabcabd".repeat(20);
        let sample: Strings = [long.clone(), long.replace("d", "c"), format!("{long}a")].into_iter().collect();
        for length in [50, 100, 150, 179, 180, 181] {
            assert_eq!(dense(&features(&sample, length, false)), expected(&sample, &[length]));
        }
    }

    #[test]
    fn separate_columns_equal_pooled_ones() {
        let compute = Compute::new();
        let (rows, cols) = (random_strings(1, 13, 50, "abc"), random_strings(2, 17, 50, "bcé"));
        let pooled = rows.pooled(&cols);
        for length in [1, 3, 40] {
            for blended in [false, true] {
                let (f, g) = substring_counts(&rows, Some(&cols), length, blended, &compute).unwrap();
                let all = features(&pooled, length, blended);
                let both = product(&all, &all);
                let cross: Vec<Vec<f64>> = both[..13].iter().map(|row| row[13..].to_vec()).collect();
                assert_eq!(product(&f, &g.unwrap()), cross);
            }
        }
    }

    #[test]
    fn edges() {
        let sample: Strings = ["", "ab", ""].into_iter().collect();
        let none = features(&sample, 3, false);
        assert_eq!((none.width, none.starts, none.columns), (0, vec![0; 4], vec![]));
        assert_eq!(features(&Strings::default(), 3, true).starts, [0]);
        assert_eq!(features(&sample, 1_000_000, true), features(&sample, 2, true));
        assert_eq!(features(&sample.select(&[0, 0]), 3, true).starts, [0, 0, 0]);
    }
}
