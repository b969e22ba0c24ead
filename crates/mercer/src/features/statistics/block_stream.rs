//! Exact sums over blocks of rows, while the rows come.

use std::fmt;

use ndarray::ArrayView2;

use super::RowBlocks;
use crate::record::Record;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Result};

/// What every block of rows adds to some sums.
pub(crate) trait BlockTerms: Clone + PartialEq + fmt::Debug {
    /// The numbers of a row.
    fn width(&self) -> usize;

    /// Rows of a block: never a function of threads, memory or chunks.
    fn block(&self) -> u64;

    /// The lengths of the groups of sums.
    fn groups(&self) -> Vec<usize>;

    /// Adds the terms of a block whose first row has this number.
    fn add(&self, first_row: u64, rows: ArrayView2<f64>, sums: &mut ExactSums, compute: &Compute) -> Result<()>;
}

/// Sums over rows that have their numbers in the whole data: a value that chunks and other streams
/// of the same terms are added to. Its bytes depend neither on how the rows are cut, nor on the
/// order in which parts are merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockStream<T> {
    pub(crate) terms: T,
    rows: RowBlocks,
    sums: ExactSums,
}

impl<T: BlockTerms> BlockStream<T> {
    /// No rows yet; the first one to come has the number `first_row`.
    pub(crate) fn new(terms: T, first_row: u64) -> Self {
        let rows = RowBlocks::new(terms.width(), terms.block(), first_row);
        Self { sums: ExactSums::new(terms.groups()), rows, terms }
    }

    /// Takes in `count` rows that follow those before; `write` appends row `i` to a list.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for rows that came before; the stream is then as it was. Other errors
    /// leave a stream that must not be used any more.
    pub(crate) fn push(&mut self, count: usize, write: &dyn Fn(usize, &mut Vec<f64>), compute: &Compute) -> Result<()> {
        let Self { terms, rows, sums } = self;
        rows.push(count, write, &mut |first, block| terms.add(first, block, sums, compute))
    }

    /// A stream of the same terms that has seen no rows.
    pub(crate) fn without_rows(&self, first_row: u64) -> Self {
        Self::new(self.terms.clone(), first_row)
    }

    /// Takes in all that another stream has seen.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a stream of other terms, and for rows that are in both; the stream
    /// is then as it was.
    pub(crate) fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        if self.terms != other.terms {
            return Err(Error::mismatch(
                "the streams are not of the same pass: they differ in their features or settings",
                "this one",
                "the other",
                "start both from one specification, sample and seed",
            ));
        }
        self.rows.check_merge(&other.rows)?;
        self.sums.merge(&other.sums)?;
        let Self { terms, rows, sums } = self;
        rows.merge(&other.rows, &mut |first, block| terms.add(first, block, sums, compute))
    }

    /// The sums over all rows, of which none may be missing.
    pub(crate) fn settled(mut self, compute: &Compute) -> Result<(T, ExactSums)> {
        let Self { terms, rows, sums } = &mut self;
        rows.finish(&mut |first, block| terms.add(first, block, sums, compute))?;
        Ok((self.terms, self.sums))
    }

    /// Rows that came.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.rows()
    }

    /// The numbers of the rows that came, from and to.
    pub(crate) fn ranges(&self) -> &[(u64, u64)] {
        self.rows.ranges()
    }

    /// Puts rows and sums, not the terms, into a record.
    pub(crate) fn put_into(&self, record: &mut Record) {
        record.integers.insert("sums".into(), self.sums.to_integers());
        self.rows.put_into(record);
    }

    /// Takes them out again.
    ///
    /// # Errors
    /// [`Error::Record`] for sums and rows that are not possible.
    pub(crate) fn take_from(record: &mut Record, terms: T) -> Result<Self> {
        let sums = ExactSums::new(terms.groups()).restored(&record.integers.remove("sums").unwrap_or_default())?;
        let rows = RowBlocks::take_from(record, (terms.width(), terms.block()))?;
        Ok(Self { terms, rows, sums })
    }
}
