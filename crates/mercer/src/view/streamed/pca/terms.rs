//! The second moments of features.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::super::features::{ROWS, block_rows, missed};
use super::StreamedPcaFit;
use crate::features::{BlockTerms, DrawnFeatures, FeatureMap};
use crate::operator::products::{add_symmetric, mirror};
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Result};

/// Eigenvalues below this part of the largest count as 0, as in [`KernelPca`](crate::view::pca::KernelPca).
const SMALL: f64 = 1e-12;
/// Groups of sums: the count, what landmarks miss, the features; then the rows of the squares.
const COUNT: usize = 0;
const MISSED: usize = 1;
const SUM: usize = 2;
const SQUARES: usize = 3;

/// What a block adds to the moments of features about a point near their mean, so that little
/// cancels.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::view::streamed) struct PcaTerms {
    pub(in crate::view::streamed) features: DrawnFeatures,
    pub(super) shift: Array1<f64>,
    pub(super) components: Option<usize>,
    pub(super) settings: Settings,
}

impl BlockTerms for PcaTerms {
    fn width(&self) -> usize {
        self.features.columns()
    }

    fn block(&self) -> u64 {
        block_rows(self.features.columns())
    }

    fn groups(&self) -> Vec<usize> {
        let p = self.features.components();
        [1, 1, p].into_iter().chain(1..=p).collect()
    }

    fn add(&self, _first: u64, rows: ArrayView2<f64>, sums: &mut ExactSums, compute: &Compute) -> Result<()> {
        let p = self.features.components();
        let (mut sum, mut squares, mut lost) = (Array1::<f64>::zeros(p), Array2::zeros((p, p)), 0.0);
        for x in rows.axis_chunks_iter(Axis(0), ROWS) {
            let mut z = self.features.transform(x, compute)?;
            lost += missed(&self.features, (x, z.view()), None, compute)?;
            z -= &self.shift;
            sum += &z.sum_axis(Axis(0));
            let columns = z.reversed_axes();
            add_symmetric(&mut squares, &columns, &columns, compute)?;
        }
        sums.begin()?;
        sums.add(COUNT, &[rows.nrows() as f64])?;
        sums.add(MISSED, &[lost])?;
        sums.add(SUM, &sum.to_vec())?;
        for (row, values) in squares.rows().into_iter().enumerate() {
            sums.add(SQUARES + row, &values.to_slice().unwrap_or_default()[..=row])?;
        }
        Ok(())
    }
}

impl PcaTerms {
    /// The components of all rows.
    pub(in crate::view::streamed) fn finish(self, sums: &ExactSums, compute: &Compute) -> Result<StreamedPcaFit> {
        let one = |group: usize| sums.values(group).next().unwrap_or(0.0);
        let (p, count, lost) = (self.shift.len(), one(COUNT), one(MISSED));
        if count == 0.0 {
            return Err(Error::too_few("principal components", "points", 1, 0));
        }
        let sum: Array1<f64> = sums.values(SUM).collect();
        let mut squares = Array2::zeros((p, p));
        for (row, mut to) in squares.rows_mut().into_iter().enumerate() {
            let values = sums.values(SQUARES + row).zip(&sum);
            to.iter_mut().zip(values).for_each(|(to, (square, other))| *to = square - sum[row] * other / count);
        }
        mirror(&mut squares);
        let spread = squares.diag().sum().max(0.0);
        let eigen = symmetric_eigen(squares.view(), compute)?;
        let zero = SMALL * eigen.values.last().copied().unwrap_or(0.0).max(0.0);
        let positive = eigen.values.iter().filter(|value| **value > zero).count();
        let kept = self.components.map_or(positive, |count| count.min(p));
        let order: Vec<usize> = (p - kept..p).rev().collect();
        let mut axes = eigen.vectors.select(Axis(1), &order);
        let values: Array1<f64> =
            order.iter().map(|&j| if eigen.values[j] > zero { eigen.values[j] } else { 0.0 }).collect();
        for (value, mut axis) in values.iter().zip(axes.columns_mut()) {
            // Along a direction in which nothing varies every score is 0.
            let sign = if *value == 0.0 { 0.0 } else { largest_sign(axis.iter().copied()) };
            axis.mapv_inplace(|v| sign * v);
        }
        Ok(StreamedPcaFit {
            mean: &self.shift + &(sum / count),
            features: self.features,
            axes,
            trace: (spread + lost).max(values.sum()),
            missed: lost,
            eigenvalues: values,
            rows: count as u64,
            settings: self.settings,
        })
    }
}

/// The sign of the entry that is the largest in size; the first of equals.
fn largest_sign(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0_f64, |largest, v| if v.abs() > largest.abs() { v } else { largest });
    if largest < 0.0 { -1.0 } else { 1.0 }
}
