//! The statistics of a ridge regression as exact sums over blocks of rows.

use ndarray::{Array1, Array2};

use super::RidgeStatistics;
use crate::Result;
use crate::solve::exact_sums::ExactSums;

/// Groups before those of the outputs: the count, and the sums of the features.
const FIRST: usize = 2;
/// Groups of an output: its sum, its sum of squares, its products with the features.
const EACH: usize = 3;

/// Sums of [`RidgeStatistics`] whose bits do not depend on the order in which they are added.
///
/// The squares are kept on and below the diagonal, `12p²` bytes; every row of them and every output
/// has an exponent of its own, so that features and outputs of different sizes keep their digits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExactRidge {
    components: usize,
    outputs: usize,
    sums: ExactSums,
}

impl ExactRidge {
    pub(crate) fn new(components: usize, outputs: usize) -> Self {
        let each = (0..outputs).flat_map(|_| [1, 1, components]);
        let lengths = [1, components].into_iter().chain(each).chain((0..components).map(|row| row + 1));
        Self { components, outputs, sums: ExactSums::new(lengths) }
    }

    /// Bytes of the sums.
    pub(crate) fn bytes(components: u64, outputs: u64) -> u64 {
        let squares = components.saturating_mul(components + 1) / 2;
        ExactSums::bytes(squares.saturating_add((components + 2).saturating_mul(outputs + 1)))
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Adds the statistics of a block.
    pub(crate) fn add(&mut self, block: &RidgeStatistics) -> Result<()> {
        self.sums.begin()?;
        self.sums.add(0, &[block.count])?;
        self.sums.add(1, &block.feature_sum.to_vec())?;
        for output in 0..self.outputs {
            let group = FIRST + EACH * output;
            self.sums.add(group, &[block.target_sum[output]])?;
            self.sums.add(group + 1, &[block.target_squares[output]])?;
            self.sums.add(group + 2, &block.products.column(output).to_vec())?;
        }
        let first = FIRST + EACH * self.outputs;
        for (row, squares) in block.squares.rows().into_iter().enumerate() {
            match squares.to_slice() {
                Some(squares) => self.sums.add(first + row, &squares[..=row])?,
                None => self.sums.add(first + row, &squares.iter().take(row + 1).copied().collect::<Vec<_>>())?,
            }
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        self.sums.merge(&other.sums)
    }

    /// The statistics of all blocks, every number rounded once.
    pub(crate) fn statistics(&self) -> RidgeStatistics {
        let (p, outputs) = (self.components, self.outputs);
        let one = |group: usize| self.sums.values(group).next().unwrap_or(0.0);
        let mut statistics = RidgeStatistics {
            count: one(0),
            feature_sum: self.sums.values(1).collect(),
            target_sum: Array1::from_shape_fn(outputs, |j| one(FIRST + EACH * j)),
            target_squares: Array1::from_shape_fn(outputs, |j| one(FIRST + EACH * j + 1)),
            products: Array2::zeros((p, outputs)),
            squares: Array2::zeros((p, p)),
        };
        for (j, mut column) in statistics.products.columns_mut().into_iter().enumerate() {
            column.iter_mut().zip(self.sums.values(FIRST + EACH * j + 2)).for_each(|(to, from)| *to = from);
        }
        for (row, mut squares) in statistics.squares.rows_mut().into_iter().enumerate() {
            let values = self.sums.values(FIRST + EACH * outputs + row);
            squares.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        }
        statistics
    }

    pub(crate) fn to_integers(&self) -> Vec<i64> {
        self.sums.to_integers()
    }

    pub(crate) fn from_integers((components, outputs): (usize, usize), integers: &[i64]) -> Result<Self> {
        let Self { sums, .. } = Self::new(components, outputs);
        Ok(Self { components, outputs, sums: sums.restored(integers)? })
    }
}
