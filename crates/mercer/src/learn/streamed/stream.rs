//! The running statistics of a streamed fit.

use ndarray::{ArrayView1, ArrayView2, Axis, s};

use super::rows::check_chunk;
use super::spec::{BLOCK, StreamedRidge};
use crate::features::{DrawnFeatures, ExactRidge, FeatureMap, RidgeStatistics, RowBlocks, columns_of};
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// A streamed ridge regression while the rows come: a value that chunks and other streams are added
/// to.
///
/// Rows have their numbers in the whole data, whoever reads them. Blocks of rows with fixed numbers
/// give statistics that are added exactly, so that the bytes of the solution depend neither on the
/// number of threads, nor on how the rows are cut into chunks or spread over machines. Rows of a
/// block that is not whole wait for the next chunk, or for the merge with a neighbor.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeStream {
    pub(super) features: DrawnFeatures,
    pub(super) folds: Vec<ExactRidge>,
    pub(super) lambdas: Vec<f64>,
    pub(super) intercept: bool,
    pub(super) rows: RowBlocks,
    pub(super) settings: Settings,
}

/// Rows of a fold in a block. Of 4096 rows the exact sums take half as much of the time, and twice
/// as many rows wait; of wide rows fewer may wait.
const FOLD_ROWS: u64 = 2048;
const WIDE: usize = 128;

/// Rows of a block: the same number of every fold.
pub(super) fn block_rows(columns: usize, folds: usize) -> u64 {
    (if columns > WIDE { BLOCK as u64 } else { FOLD_ROWS }) * folds as u64
}

impl RidgeStream {
    pub(super) fn new(spec: &StreamedRidge, features: DrawnFeatures, outputs: usize) -> Self {
        let fold = ExactRidge::new(features.components(), outputs);
        let rows =
            RowBlocks::new(features.columns() + outputs + 1, block_rows(features.columns(), spec.kept_folds()), 0);
        Self {
            features,
            folds: vec![fold; spec.kept_folds()],
            lambdas: spec.lambdas.clone(),
            intercept: spec.intercept,
            rows,
            settings: Settings::new(),
        }
    }

    /// Takes in a chunk: points, targets and, where there are any, weights, one row each. Its first
    /// row follows the last one before.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN, infinities and negative weights,
    /// with the row of the chunk, [`Error::Mismatch`] for rows that came before; the stream is then
    /// as it was. [`Error::Canceled`], [`Error::Memory`] and [`Error::Overflow`] leave a stream that
    /// must not be used any more.
    pub fn update(
        &mut self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        check_chunk((self.features.columns(), self.outputs()), x, y, weights)?;
        let Self { features, folds, rows, .. } = self;
        let write = |i: usize, row: &mut Vec<f64>| {
            row.extend(x.row(i));
            row.extend(y.row(i));
            row.push(weights.map_or(1.0, |w| w[i]));
        };
        rows.push(x.nrows(), &write, &mut |_, block| add_block(features, folds, block, compute))
    }

    /// Puts the rows that wait into the statistics; none may be missing.
    pub(super) fn settle(&mut self, compute: &Compute) -> Result<()> {
        let Self { features, folds, rows, .. } = self;
        rows.finish(&mut |_, block| add_block(features, folds, block, compute))
    }

    /// A stream of the same features, folds and λ that has seen no rows yet, and whose first row
    /// will be row `first_row` of the whole data: what another machine begins with.
    pub fn without_rows(&self, first_row: u64) -> Self {
        let fold = ExactRidge::new(self.features.components(), self.outputs());
        let width = self.features.columns() + self.outputs() + 1;
        Self {
            features: self.features.clone(),
            folds: vec![fold; self.folds.len()],
            lambdas: self.lambdas.clone(),
            intercept: self.intercept,
            rows: RowBlocks::new(width, self.rows.block(), first_row),
            settings: self.settings.clone(),
        }
    }

    /// Takes in all that another stream of the same features has seen.
    ///
    /// Each of the two holds rows with their numbers in the whole data
    /// ([`RidgeStream::without_rows`]). However the rows are split, and in whatever order the parts
    /// are merged, the bytes are those of one stream over all rows.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless features, folds, λ and outputs are the same (start both from one
    /// specification, sample and seed), and for rows that are in both; the stream is then as it
    /// was.
    pub fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        let alike = self.features == other.features
            && self.folds.len() == other.folds.len()
            && self.outputs() == other.outputs()
            && self.lambdas == other.lambdas
            && self.intercept == other.intercept;
        if !alike {
            return Err(Error::mismatch(
                "the streams differ in their features, folds, λ or outputs",
                "this one",
                "the other",
                "start both from one specification, sample and seed",
            ));
        }
        self.rows.check_merge(&other.rows)?;
        self.folds.iter_mut().zip(&other.folds).try_for_each(|(own, other)| own.merge(other))?;
        let Self { features, folds, rows, .. } = self;
        rows.merge(&other.rows, &mut |_, block| add_block(features, folds, block, compute))
    }

    /// The rows that came.
    pub fn rows(&self) -> u64 {
        self.rows.rows()
    }

    /// The numbers of the rows that came: first, and one after the last, of every gapless range.
    pub fn row_ranges(&self) -> &[(u64, u64)] {
        self.rows.ranges()
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }

    /// The settings of the fit.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many targets there are.
    pub fn outputs(&self) -> usize {
        self.folds[0].outputs()
    }
}

/// Adds the statistics of a block to those of the folds. Blocks begin at a multiple of their number.
fn add_block(
    features: &DrawnFeatures,
    folds: &mut [ExactRidge],
    block: ArrayView2<f64>,
    compute: &Compute,
) -> Result<()> {
    let (columns, width, count) = (features.columns(), block.ncols(), folds.len());
    let mut statistics = RidgeStatistics::new(features.components(), width - columns - 1);
    for (fold, sums) in folds.iter_mut().enumerate() {
        let own = block.slice(s![fold.min(block.nrows())..;count as isize, ..]);
        if own.is_empty() {
            continue;
        }
        statistics.clear();
        for rows in own.axis_chunks_iter(Axis(0), BLOCK) {
            let x = columns_of(rows, 0, columns);
            let y = columns_of(rows, columns, width - 1);
            let z = features.transform(x.view(), compute)?;
            statistics.update(z.view(), y.view(), Some(rows.column(width - 1)), compute)?;
        }
        sums.add(&statistics)?;
    }
    Ok(())
}
