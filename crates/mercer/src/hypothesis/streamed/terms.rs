//! Moments of features, of one group of rows or two.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::features::{BlockTerms, DrawnFeatures, FeatureMap, columns_of};
use crate::operator::products::add_symmetric;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Result, Seed};

/// Rows whose features are made at a time, and rows of a block, as for other streams; fewer of wide
/// rows, which wait.
const ROWS: usize = 1024;
const BLOCK: u64 = 2048;
const WIDE: usize = 128;

pub(super) fn block_rows(columns: usize) -> u64 {
    if columns > WIDE { BLOCK / 2 } else { BLOCK }
}

/// What the outcome depends on beside the features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Controls {
    pub(super) draws: usize,
    pub(super) level: f64,
    pub(super) seed: Seed,
}

/// What a block adds: for each group its count and the sum of its features, then the squares of all
/// features, about a point near their mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TestTerms {
    /// One map, or those of two variables side by side.
    pub(super) maps: Vec<DrawnFeatures>,
    pub(super) shift: Array1<f64>,
    /// The rows of the first of two groups.
    pub(super) first: Option<u64>,
    pub(super) controls: Controls,
}

impl TestTerms {
    /// Features in all.
    pub(super) fn dimension(&self) -> usize {
        self.shift.len()
    }

    pub(super) fn groups_of_rows(&self) -> usize {
        if self.first.is_some() { 2 } else { 1 }
    }

    /// The features of some rows, of all variables, relative to the shift.
    fn features(&self, rows: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut z = Array2::zeros((rows.nrows(), self.dimension()));
        let (mut column, mut at) = (0, 0);
        for map in &self.maps {
            let x = columns_of(rows, column, column + map.columns());
            z.slice_mut(s![.., at..at + map.components()]).assign(&map.transform(x.view(), compute)?);
            (column, at) = (column + map.columns(), at + map.components());
        }
        z -= &self.shift;
        Ok(z)
    }
}

impl BlockTerms for TestTerms {
    fn width(&self) -> usize {
        self.maps.iter().map(FeatureMap::columns).sum()
    }

    fn block(&self) -> u64 {
        block_rows(self.width())
    }

    fn groups(&self) -> Vec<usize> {
        let d = self.dimension();
        (0..self.groups_of_rows()).flat_map(|_| [1, d]).chain(1..=d).collect()
    }

    fn add(&self, first_row: u64, rows: ArrayView2<f64>, sums: &mut ExactSums, compute: &Compute) -> Result<()> {
        let d = self.dimension();
        // Rows of the block before this one belong to the first group.
        let border = self.first.map_or(rows.nrows(), |first| {
            usize::try_from(first.saturating_sub(first_row)).map_or(rows.nrows(), |n| n.min(rows.nrows()))
        });
        let mut totals = vec![Array1::<f64>::zeros(d); self.groups_of_rows()];
        let mut squares = Array2::zeros((d, d));
        for (at, part) in rows.axis_chunks_iter(Axis(0), ROWS).enumerate() {
            let z = self.features(part, compute)?;
            let inside = border.saturating_sub(at * ROWS).min(z.nrows());
            totals[0] += &z.slice(s![..inside, ..]).sum_axis(Axis(0));
            if let Some(second) = totals.get_mut(1) {
                *second += &z.slice(s![inside.., ..]).sum_axis(Axis(0));
            }
            let columns = z.reversed_axes();
            add_symmetric(&mut squares, &columns, &columns, compute)?;
        }
        sums.begin()?;
        let counts = [border, rows.nrows() - border];
        for (group, (total, count)) in totals.iter().zip(counts).enumerate() {
            sums.add(2 * group, &[count as f64])?;
            sums.add(2 * group + 1, &total.to_vec())?;
        }
        let start = 2 * totals.len();
        for (row, values) in squares.rows().into_iter().enumerate() {
            sums.add(start + row, &values.to_slice().unwrap_or_default()[..=row])?;
        }
        Ok(())
    }
}
