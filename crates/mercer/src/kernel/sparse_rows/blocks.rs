//! Kernels that are sums over blocks of the same features: products of a block are computed once.

use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::{SparseProducts, SparseRows};
use crate::kernel::object::ObjectTiles;
use crate::{Compute, Result};

/// Counts up to this number are exact, and so are their sums in any order.
const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
/// Rows of the matrix that a thread takes at a time.
const STRIP: usize = 64;

/// The blocks of features of several kernels on one sample.
///
/// # Theory
/// Values of counts are whole numbers. As long as none exceeds `2⁵³`, sums of blocks have the same
/// bits in any order, so that a kernel may be computed from any other one: its blocks are added, and
/// those of the other one alone are subtracted.
#[derive(Debug)]
pub(crate) struct SharedBlocks {
    /// Ascending, none twice.
    blocks: Vec<Block>,
    points: usize,
    /// The matrix of the kernel that was asked for last.
    matrix: Mutex<Option<Matrix>>,
}

#[derive(Debug)]
struct Block {
    number: usize,
    products: SparseProducts,
    norms: Vec<f64>,
}

/// The values of a range of blocks on and above the diagonal.
#[derive(Debug)]
struct Matrix {
    blocks: Range<usize>,
    values: Arc<Vec<f64>>,
}

impl SharedBlocks {
    /// Blocks with their numbers, ascending; `None` where sums of them might not be exact, or there
    /// are too many features for one kernel.
    pub(crate) fn new(blocks: Vec<(usize, SparseRows)>, points: usize) -> Option<Self> {
        if blocks.iter().map(|(_, rows)| rows.width).sum::<usize>() > u32::MAX as usize {
            return None;
        }
        let blocks: Vec<Block> = blocks
            .into_iter()
            .map(|(number, rows)| Block {
                number,
                norms: rows.squared_norms(),
                products: SparseProducts::new(rows, None),
            })
            .collect();
        let shared = Self { blocks, points, matrix: Mutex::new(None) };
        // |k(x, y)| ≤ max k(x, x) (Cauchy–Schwarz).
        shared.diagonal(&(0..shared.blocks.len())).iter().all(|norm| *norm <= EXACT).then_some(shared)
    }

    /// The bytes of a matrix.
    pub(crate) fn matrix_bytes(&self) -> u64 {
        8 * (self.points as u64).pow(2)
    }

    /// The places of the blocks with these numbers.
    fn places(&self, numbers: &RangeInclusive<usize>) -> Range<usize> {
        let start = self.blocks.partition_point(|block| block.number < *numbers.start());
        start..self.blocks.partition_point(|block| block.number <= *numbers.end()).max(start)
    }

    fn diagonal(&self, places: &Range<usize>) -> Vec<f64> {
        let mut sums = vec![0.0; self.points];
        for block in &self.blocks[places.clone()] {
            sums.iter_mut().zip(&block.norms).for_each(|(sum, norm)| *sum += norm);
        }
        sums
    }

    fn operations(&self, places: &Range<usize>) -> usize {
        self.blocks[places.clone()].iter().map(|block| block.products.operations()).sum()
    }

    /// The blocks to add to the values of `from`, and those to subtract, for the values of `to`;
    /// none where it is cheaper to begin with zeros.
    fn changes(&self, from: &Range<usize>, to: &Range<usize>) -> Option<Vec<(usize, f64)>> {
        let added = to.clone().filter(|place| !from.contains(place)).map(|place| (place, 1.0));
        let removed = from.clone().filter(|place| !to.contains(place)).map(|place| (place, -1.0));
        let changes: Vec<(usize, f64)> = added.chain(removed).collect();
        let work: usize = changes.iter().map(|(place, _)| self.blocks[*place].products.operations()).sum();
        (work <= self.operations(to)).then_some(changes)
    }

    /// Adds (or subtracts) blocks to a rectangle.
    fn change(&self, changes: &[(usize, f64)], rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let mut values = vec![0.0; out.len()];
        for &(place, sign) in changes {
            self.blocks[place].products.fill(rows, cols.clone(), &mut values);
            out.iter_mut().zip(&values).for_each(|(sum, value)| *sum += sign * value);
        }
    }

    /// The values of a range of blocks, made from those of the range before; `None` while these are
    /// in use.
    fn matrix(&self, to: &Range<usize>, compute: &Compute) -> Result<Option<Arc<Vec<f64>>>> {
        let mut last = self.matrix.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, mut values) = match last.take() {
            None => (0..0, Vec::new()),
            Some(Matrix { blocks, values }) => match Arc::try_unwrap(values) {
                Ok(values) => (blocks, values),
                Err(values) => {
                    *last = Some(Matrix { blocks: blocks.clone(), values: Arc::clone(&values) });
                    return Ok((blocks == *to).then_some(values));
                }
            },
        };
        let changes = self.changes(&from, to).filter(|_| !values.is_empty()).unwrap_or_else(|| {
            values.clear();
            values.resize(self.points * self.points, 0.0);
            to.clone().map(|place| (place, 1.0)).collect()
        });
        self.change_matrix(&changes, &mut values, compute)?;
        let values = Arc::new(values);
        *last = Some(Matrix { blocks: to.clone(), values: Arc::clone(&values) });
        Ok(Some(values))
    }

    fn change_matrix(&self, changes: &[(usize, f64)], values: &mut [f64], compute: &Compute) -> Result<()> {
        if changes.is_empty() || self.points == 0 {
            return Ok(());
        }
        let strip = |(at, lines): (usize, &mut [f64])| {
            compute.check_canceled()?;
            let rows: Vec<usize> = (at * STRIP..self.points.min((at + 1) * STRIP)).collect();
            let cols = rows[0]..self.points;
            let mut part = vec![0.0; rows.len() * cols.len()];
            self.change(changes, &rows, cols.clone(), &mut part);
            for (line, change) in lines.chunks_exact_mut(self.points).zip(part.chunks_exact(cols.len())) {
                line[cols.clone()].iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
            }
            Ok(())
        };
        compute.install(|| values.par_chunks_mut(STRIP * self.points).enumerate().try_for_each(strip))
    }
}

/// What was computed before on the rows and columns of a tile: for some blocks the values of the
/// kernel that came last.
#[derive(Debug, Default)]
pub(crate) struct RunningSums {
    blocks: Vec<(Arc<SharedBlocks>, Range<usize>, Vec<f64>)>,
    /// Inner products of sparse vectors, by the address of what computes them.
    products: Vec<(usize, Vec<f64>)>,
}

impl RunningSums {
    /// The inner products that were computed on this tile, or those that are made now.
    pub(crate) fn products(&mut self, key: usize, make: impl FnOnce() -> Vec<f64>) -> &[f64] {
        let at = self.products.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            self.products.push((key, make()));
            self.products.len() - 1
        });
        &self.products[at].1
    }
}

/// A kernel on shared blocks.
#[derive(Debug)]
pub(crate) struct BlockTiles {
    shared: Arc<SharedBlocks>,
    places: Range<usize>,
    diagonal: Vec<f64>,
    /// The features of all of its blocks, side by side, where they were asked for.
    features: OnceLock<Option<SparseRows>>,
    matrix: Option<Arc<Vec<f64>>>,
}

impl BlockTiles {
    /// The kernel of the blocks with these numbers.
    pub(crate) fn new(shared: &Arc<SharedBlocks>, numbers: &RangeInclusive<usize>) -> Self {
        let places = shared.places(numbers);
        let diagonal = shared.diagonal(&places);
        Self { shared: Arc::clone(shared), places, diagonal, features: OnceLock::new(), matrix: None }
    }

    /// The same with all values stored, unless another kernel stores its own at this time.
    ///
    /// # Errors
    /// When the work is canceled.
    pub(crate) fn stored(mut self, compute: &Compute) -> Result<Self> {
        self.matrix = self.shared.matrix(&self.places, compute)?;
        Ok(self)
    }

    fn all(&self) -> Vec<(usize, f64)> {
        self.places.clone().map(|place| (place, 1.0)).collect()
    }
}

impl ObjectTiles for BlockTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let Some(matrix) = &self.matrix else {
            out.fill(0.0);
            return self.shared.change(&self.all(), rows, cols, out);
        };
        let n = self.shared.points;
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            let above = i.clamp(cols.start, cols.end) - cols.start;
            line[above..].copy_from_slice(&matrix[i * n + cols.start + above..i * n + cols.end]);
            line[..above].iter_mut().zip(cols.clone()).for_each(|(value, j)| *value = matrix[j * n + i]);
        }
    }

    fn fill_running(&self, rows: &[usize], cols: Range<usize>, sums: &mut RunningSums, out: &mut [f64]) {
        if self.matrix.is_some() {
            return self.fill(rows, cols, out);
        }
        let before = sums.blocks.iter_mut().find(|(shared, ..)| Arc::ptr_eq(shared, &self.shared));
        if let Some((_, places, values)) = before {
            let changes = self.shared.changes(places, &self.places).unwrap_or_else(|| {
                values.fill(0.0);
                self.all()
            });
            self.shared.change(&changes, rows, cols, values);
            *places = self.places.clone();
            return out.copy_from_slice(values);
        }
        self.fill(rows, cols, out);
        sums.blocks.push((Arc::clone(&self.shared), self.places.clone(), out.to_vec()));
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonal, None)
    }

    fn operations(&self) -> usize {
        if self.matrix.is_some() { 1 } else { self.shared.operations(&self.places).max(1) }
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        let blocks = &self.shared.blocks[self.places.clone()];
        let side_by_side = || {
            let none =
                SparseRows { starts: vec![0; self.shared.points + 1], columns: vec![], values: vec![], width: 0 };
            let rows: Vec<SparseRows> = blocks.iter().map(|block| block.products.rows().clone()).collect();
            if rows.is_empty() { Some(none) } else { SparseRows::beside(&rows).ok() }
        };
        self.features.get_or_init(side_by_side).as_ref().map(|features| (features, features))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Part, concat};
    use super::*;

    fn block(value: f64) -> SparseRows {
        let mut part = Part::default();
        for row in 1..=3 {
            part.push(0, value * f64::from(row));
            part.end_row();
        }
        concat(vec![part], 1)
    }

    fn shared() -> SharedBlocks {
        SharedBlocks::new([0, 1, 2, 4].map(|number| (number, block(number as f64 + 1.0))).into(), 3).unwrap()
    }

    #[test]
    fn blocks_are_chosen_by_their_numbers() {
        let shared = shared();
        let found = [0..=0, 0..=2, 2..=3, 3..=3, 3..=9, 5..=9].map(|numbers| shared.places(&numbers));
        assert_eq!(found, [0..1, 0..3, 2..3, 3..3, 3..4, 4..4]);
    }

    #[test]
    fn the_shorter_way_is_taken() {
        let shared = shared();
        assert_eq!(shared.changes(&(0..2), &(0..3)), Some(vec![(2, 1.0)]));
        assert_eq!(shared.changes(&(0..4), &(0..3)), Some(vec![(3, -1.0)]));
        assert_eq!(shared.changes(&(0..3), &(0..3)), Some(vec![]));
        // One block from zeros, instead of three.
        assert_eq!(shared.changes(&(0..2), &(3..4)), None);
    }

    #[test]
    fn a_matrix_in_use_stays_as_it_is() {
        let (shared, compute) = (Arc::new(shared()), Compute::new());
        let first = BlockTiles::new(&shared, &(0..=1)).stored(&compute).unwrap();
        let second = BlockTiles::new(&shared, &(0..=2)).stored(&compute).unwrap();
        let again = BlockTiles::new(&shared, &(0..=1)).stored(&compute).unwrap();
        assert_eq!([&first, &second, &again].map(|tiles| tiles.matrix.is_some()), [true, false, true]);
        let values = |tiles: &BlockTiles| {
            let mut out = [0.0; 3];
            tiles.fill(&[2], 0..3, &mut out);
            out
        };
        assert_eq!((values(&first), values(&second)), ([15.0, 30.0, 45.0], [42.0, 84.0, 126.0]));
        drop((first, again));
        assert_eq!(values(&second.stored(&compute).unwrap()), [42.0, 84.0, 126.0]);
    }

    #[test]
    fn counts_that_are_too_large_are_not_shared() {
        let largest = 2_f64.powi(26) * 0.99 / 3.0;
        assert!(SharedBlocks::new(vec![(0, block(largest.floor()))], 3).is_some());
        assert!(SharedBlocks::new(vec![(0, block(2_f64.powi(26)))], 3).is_none());
        let wide = SparseRows { width: u32::MAX as usize, ..block(1.0) };
        assert!(SharedBlocks::new(vec![(0, wide), (1, block(1.0))], 3).is_none());
    }
}
