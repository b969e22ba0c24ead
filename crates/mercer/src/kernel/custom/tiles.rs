//! The values of a kernel of a program: computed and checked when it is bound, where they can be
//! kept.

use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use super::CustomKernel;
use crate::error::Requirement;
use crate::kernel::object::{ObjectPairs, ObjectTiles};
use crate::points::PointKind;
use crate::{Compute, Error, Points, Result, Sample};

/// Rows that are computed at a time.
const BLOCK: usize = 64;
/// Columns that are computed at a time where the values are checked and not kept: 2 MiB of them.
const STRIP: usize = 4096;
/// Points on which symmetry is tested.
const TESTED: usize = 8;
/// How far `k(x, y)` and `k(y, x)` may be apart, relative to the largest value: rounding of sums in
/// another order.
const ASYMMETRY: f64 = 1e-9;
/// Values are kept if they take at most this part of the memory limit; the rest is for the method
/// that asked for them.
const KEPT_PART: u64 = 4;

/// A kernel of a program, bound.
#[derive(Debug)]
pub(super) struct CustomTiles {
    kernel: Arc<dyn CustomKernel>,
    values: Values,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
    largest: f64,
    on_vectors: bool,
}

#[derive(Debug)]
enum Values {
    /// All of them.
    Kept(Array2<f64>),
    /// Made for every rectangle that is asked for.
    Made(Box<(Sample, Option<Sample>)>),
}

impl CustomTiles {
    /// Computes and checks every value, and keeps them if there is room.
    ///
    /// # Errors
    /// That of the kernel; [`Error::Value`] with row and column for a value that is not finite, or
    /// not the one across the diagonal; [`Error::Canceled`].
    pub(super) fn new(
        kernel: Arc<dyn CustomKernel>,
        text: String,
        pairs: ObjectPairs<'_>,
        compute: &Compute,
    ) -> Result<Self> {
        let first = First { kernel: kernel.as_ref(), text: &text, pairs };
        if pairs.cols.is_none() {
            first.check_symmetry()?;
        }
        let (rows, cols) = (pairs.rows, pairs.cols.unwrap_or(pairs.rows));
        let keep = 8 * rows.len() as u64 * cols.len() as u64 <= compute.memory() / KEPT_PART;
        let count = rows.len().div_ceil(BLOCK);
        let blocks = if keep { first.blocks(count, compute)? } else { Vec::new() };
        let checked = if keep { Vec::new() } else { first.largest(count, compute)? };
        let diagonals = (first.diagonal(rows)?, pairs.cols.map(|cols| first.diagonal(cols)).transpose()?);
        let on_diagonal = diagonals.0.iter().chain(diagonals.1.iter().flatten());
        let values = blocks.iter().flatten().chain(&checked);
        let largest = values.chain(on_diagonal).fold(0.0_f64, |m, v| m.max(v.abs()));
        let values = match keep {
            true => Values::Kept(joined(&blocks, (rows.len(), cols.len()), pairs.cols.is_none())),
            false => Values::Made(Box::new((rows.into(), pairs.cols.map(Sample::from)))),
        };
        let on_vectors = rows.kind() == PointKind::Vectors;
        Ok(Self { kernel, values, diagonals, largest, on_vectors })
    }

    /// A rectangle from the kernel itself: every value has been computed and checked before. NaN where
    /// it fails now all the same, against its contract.
    fn make(&self, rows: Points<'_>, cols: Points<'_>, out: &mut [f64]) {
        let made = ArrayViewMut2::from_shape((rows.len(), cols.len()), &mut *out)
            .is_ok_and(|out| self.kernel.tile(rows, cols, out).is_ok());
        if !made {
            out.fill(f64::NAN);
        }
    }
}

/// The first time that values are computed.
struct First<'k, 'p> {
    kernel: &'k dyn CustomKernel,
    text: &'k str,
    pairs: ObjectPairs<'p>,
}

impl First<'_, '_> {
    /// All values: a few rows with all columns in each block.
    fn blocks(&self, count: usize, compute: &Compute) -> Result<Vec<Array2<f64>>> {
        compute.try_map_tasks(count, |block| {
            compute.check_canceled()?;
            let (rows, cols) = self.ranges(block);
            self.rectangle(rows, cols)
        })
    }

    /// The largest `|k|` of every block, of values that are checked and forgotten.
    fn largest(&self, count: usize, compute: &Compute) -> Result<Vec<f64>> {
        compute.try_map_tasks(count, |block| {
            let (rows, cols) = self.ranges(block);
            let mut largest = 0.0_f64;
            for start in cols.clone().step_by(STRIP) {
                compute.check_canceled()?;
                let values = self.rectangle(rows.clone(), start..cols.end.min(start + STRIP))?;
                largest = values.iter().fold(largest, |m, v| m.max(v.abs()));
            }
            Ok(largest)
        })
    }

    /// The rows of a block and their columns: all, or those from the first row on where both are the
    /// same points.
    fn ranges(&self, block: usize) -> (Range<usize>, Range<usize>) {
        let count = self.pairs.rows.len();
        let rows = BLOCK * block..(BLOCK * (block + 1)).min(count);
        let cols = match self.pairs.cols {
            Some(cols) => 0..cols.len(),
            None => rows.start..count,
        };
        (rows, cols)
    }

    fn rectangle(&self, rows: Range<usize>, cols: Range<usize>) -> Result<Array2<f64>> {
        let x = self.pairs.rows.part(rows.clone());
        let y = self.pairs.cols.unwrap_or(self.pairs.rows).part(cols.clone());
        let mut values = Array2::zeros((rows.len(), cols.len()));
        self.kernel.tile(x.as_points(), y.as_points(), values.view_mut())?;
        match values.indexed_iter().find(|(_, v)| !v.is_finite()) {
            None => Ok(values),
            Some(((i, j), value)) => Err(self.refused((rows.start + i, cols.start + j), *value, Requirement::Finite)),
        }
    }

    fn diagonal(&self, points: Points<'_>) -> Result<Vec<f64>> {
        let values = self.kernel.diagonal(points)?;
        if values.len() != points.len() {
            return Err(Error::shape(&format!("values of the diagonal of {}", self.text), points.len(), values.len()));
        }
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(i) => Err(self.refused((i, i), values[i], Requirement::Finite)),
        }
    }

    /// `k(x, y) = k(y, x)` on a few points, evenly among all.
    fn check_symmetry(&self) -> Result<()> {
        let n = self.pairs.rows.len();
        let chosen: Vec<usize> = (0..n.min(TESTED)).map(|i| i * n / n.min(TESTED)).collect();
        let points = Sample::select(self.pairs.rows, &chosen);
        let mut values = Array2::zeros((chosen.len(), chosen.len()));
        self.kernel.tile(points.as_points(), points.as_points(), values.view_mut())?;
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let apart = |(i, j): (usize, usize)| (values[[i, j]] - values[[j, i]]).abs() > ASYMMETRY * largest;
        match values.indexed_iter().find(|(at, _)| apart(*at)) {
            None => Ok(()),
            Some(((i, j), value)) => {
                Err(self.refused((chosen[i], chosen[j]), *value, Requirement::Symmetric(values[[j, i]])))
            }
        }
    }

    fn refused(&self, at: (usize, usize), value: f64, requirement: Requirement) -> Error {
        Error::value(self.text, at, value, requirement)
    }
}

/// The blocks as one matrix, mirrored where they hold one half.
fn joined(blocks: &[Array2<f64>], (n, m): (usize, usize), symmetric: bool) -> Array2<f64> {
    let mut all = Array2::zeros((n, m));
    for (block, values) in blocks.iter().enumerate() {
        let (first, last) = (BLOCK * block, BLOCK * block + values.nrows());
        let start = m - values.ncols();
        all.slice_mut(s![first..last, start..]).assign(values);
        if symmetric {
            // Inside of the block, too: the half above the diagonal counts.
            for i in first..last {
                for j in i + 1..m {
                    all[[j, i]] = all[[i, j]];
                }
            }
        }
    }
    all
}

/// `k(x, y)` of two samples with one point each.
pub(super) fn one_value(kernel: &dyn CustomKernel, x: Points<'_>, y: Points<'_>) -> Result<f64> {
    let mut value = Array2::zeros((1, 1));
    kernel.tile(x, y, value.view_mut())?;
    Ok(value[[0, 0]])
}

impl ObjectTiles for CustomTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        match &self.values {
            Values::Kept(values) => copy(values.view(), rows, cols, out),
            Values::Made(points) => {
                let (x, y) = &**points;
                let columns = y.as_ref().unwrap_or(x).as_points().part(cols);
                self.make(x.taken(rows).as_points(), columns.as_points(), out);
            }
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn largest(&self) -> f64 {
        self.largest
    }

    fn operations(&self) -> usize {
        if let Values::Kept(_) = self.values { 1 } else { 1000 }
    }

    fn is_on_vectors(&self) -> bool {
        self.on_vectors
    }
}

fn copy(values: ArrayView2<'_, f64>, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
    for (&row, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
        line.iter_mut().zip(values.slice(s![row, cols.clone()])).for_each(|(out, value)| *out = *value);
    }
}
