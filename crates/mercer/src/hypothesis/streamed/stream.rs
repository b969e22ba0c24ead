//! A test while the rows come.

use ndarray::ArrayView2;

use super::terms::TestTerms;
use crate::features::{BlockStream, DrawnFeatures, FeatureMap};
use crate::hypothesis::TestOutcome;
use crate::{Compute, Error, Points, Result};

/// A streamed test while the rows come: a value that chunks and other streams are added to.
///
/// Rows have their numbers in the whole data, whoever reads them: those of the first of two samples
/// come before those of the second. The bytes of the outcome depend neither on how the rows are cut
/// into chunks nor on how they are spread over machines.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStream(pub(super) BlockStream<TestTerms>);

impl TestStream {
    pub(super) fn of_terms(terms: TestTerms, first_row: u64) -> Self {
        Self(BlockStream::new(terms, first_row))
    }

    /// Takes in a chunk: points of a pooled sample, or those of both variables. Its first row
    /// follows the last one before.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes and for a second variable that is missing or not expected,
    /// [`Error::Value`] for NaN and infinities, with the row of the chunk, [`Error::Mismatch`] for
    /// rows that came before; the stream is then as it was. [`Error::Canceled`] and
    /// [`Error::Memory`] leave a stream that must not be used any more.
    pub fn update(&mut self, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>, compute: &Compute) -> Result<()> {
        let maps = &self.0.terms.maps;
        let samples: Vec<ArrayView2<f64>> = [Some(x), y].into_iter().flatten().collect();
        if samples.len() != maps.len() {
            return Err(Error::shape("samples of a chunk", maps.len(), samples.len()));
        }
        for (map, sample) in maps.iter().zip(&samples) {
            if sample.ncols() != map.columns() {
                return Err(Error::shape("columns of the points", map.columns(), sample.ncols()));
            }
            if sample.nrows() != x.nrows() {
                return Err(Error::shape("rows of the second variable", x.nrows(), sample.nrows()));
            }
            Points::Vectors(*sample).check_finite("points")?;
        }
        let write = |i: usize, row: &mut Vec<f64>| samples.iter().for_each(|sample| row.extend(sample.row(i)));
        self.0.push(x.nrows(), &write, compute)
    }

    /// A stream of the same test that has seen no rows yet, and whose first row will be row
    /// `first_row` of the whole data: what another machine begins with.
    pub fn without_rows(&self, first_row: u64) -> Self {
        Self(self.0.without_rows(first_row))
    }

    /// Takes in all that another stream of the same test has seen.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a stream of another test, and for rows that are in both; the stream
    /// is then as it was.
    pub fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        self.0.merge(&other.0, compute)
    }

    /// The outcome for all rows so far; more may follow.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless the rows are numbered from 0 without a gap, [`Error::TooFew`] for
    /// fewer than two rows of a sample, [`Error::AllEqual`] for features that do not vary,
    /// [`Error::Memory`], [`Error::Canceled`].
    pub fn finish(&self, compute: &Compute) -> Result<TestOutcome> {
        let (terms, sums) = self.0.clone().settled(compute)?;
        terms.finish(&sums, compute)
    }

    /// The rows that came.
    pub fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The numbers of the rows that came: first, and one after the last, of every gapless range.
    pub fn row_ranges(&self) -> &[(u64, u64)] {
        self.0.ranges()
    }

    /// The features of every variable.
    pub fn features(&self) -> &[DrawnFeatures] {
        &self.0.terms.maps
    }
}
