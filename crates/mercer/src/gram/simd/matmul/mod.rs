//! Products of matrices on one thread, in the widest vectors of the machine.
//!
//! The usual three levels (Goto and van de Geijn, 2008): a block of `A` is packed for the
//! second-level cache, a strip of `B` for the first, and a tile of `C` stays in registers for the
//! depth of a block. Every entry is summed over the depth in the same order whatever the shape, the
//! strides and the width of the vectors, so that its bytes do not depend on how a caller cuts a
//! product into parts.

mod pack;
#[cfg(test)]
mod tests;
mod tile;

use ndarray::{ArrayView2, ArrayViewMut2};

use crate::gram::simd::Element;
use crate::gram::simd::unit::{Unit, WithUnit};
use pack::{Buffers, Direct, Packed};
use tile::BlockProduct;

/// Depth of a block. GFLOP/s of one core at 256, 500 and 1000 rows: 50.5, 50.6 and 49.3; with 128 they
/// are 48.1, 48.2 and 47.9, with 512 49.8, 48.0 and 48.2.
const DEPTH: usize = 256;
/// Bytes of a block of `A`: half of a second-level cache of 1 MB. 192 and 900 KB differ by less than the
/// noise of 2 %.
const BLOCK_BYTES: usize = 480 * 1024;
/// Columns of a block of `B`, of which every thread keeps 1 MB. With 128 a product of 1000 rows is 4 %
/// slower, with 2048 4 % faster.
const COLUMNS: usize = 512;
/// Strips of a factor up to which those of the other are read where they are: to pack them would take
/// as long as the products. With 1 the product of 2000 × 300 and 300 × 20 has 35 instead of 49 GFLOP/s;
/// 8 and 16 are as fast, but reads with large strides suffer from small caches of pages.
const FEW_STRIPS: usize = 4;

/// What becomes of the entries that a product is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `C ← sAB`.
    Replace,
    /// `C ← C + sAB`.
    Add,
}

/// `C ← sAB` or `C ← C + sAB`, for any strides.
///
/// # Cost
/// Two operations per entry of `C` and depth, near the limit of one core.
///
/// # Panics
/// Unless the shapes fit.
///
/// # Example
/// ```
/// use mercer::gram::simd::matmul::{Target, matmul};
/// use ndarray::array;
/// let (a, b, mut c) = (array![[1.0, 2.0]], array![[3.0], [4.0]], array![[10.0]]);
/// matmul(c.view_mut(), Target::Add, a.view(), b.view(), -1.0);
/// assert_eq!(c, array![[-1.0]]);
/// ```
pub fn matmul<T: Element>(c: ArrayViewMut2<T>, target: Target, a: ArrayView2<T>, b: ArrayView2<T>, s: T) {
    assert!(a.ncols() == b.nrows() && c.dim() == (a.nrows(), b.ncols()), "factors of a product that do not fit");
    // Vectors stand along the columns of `C`: `Cᵀ = BᵀAᵀ` where its rows are contiguous.
    let turned = c.strides()[0].unsigned_abs() > c.strides()[1].unsigned_abs();
    let (mut c, a, b) = if turned { (c.reversed_axes(), b.reversed_axes(), a.reversed_axes()) } else { (c, a, b) };
    if c.is_empty() {
        return;
    }
    if a.ncols() == 0 {
        return if target == Target::Replace {
            c.fill(T::default())
        };
    }
    T::widest(Product { c, target, a, b, s });
}

/// `C ← ABᵀ` for row-major matrices, of whose factors every row has `columns` entries.
pub(crate) fn rows_times_rows<T: Element>(a: &[T], b: &[T], columns: usize, c: &mut [T]) {
    let shaped = |values, rows| ArrayView2::from_shape((rows, columns), values).expect("whole rows");
    let count = |values: &[T]| values.len() / columns.max(1);
    let (a, b) = (shaped(a, count(a)), shaped(b, count(b)));
    let c = ArrayViewMut2::from_shape((a.nrows(), b.nrows()), c).expect("an entry per pair of rows");
    matmul(c, Target::Replace, a, b.reversed_axes(), T::from_f64(1.0));
}

/// A product that is to be computed; no side is empty.
struct Product<'a, T> {
    c: ArrayViewMut2<'a, T>,
    target: Target,
    a: ArrayView2<'a, T>,
    b: ArrayView2<'a, T>,
    s: T,
}

impl<T: Element> WithUnit<T> for Product<'_, T> {
    type Output = ();

    /// Tiles that leave a few registers for the factors.
    #[inline(always)]
    fn run<U: Unit<T>>(self, unit: U) {
        if U::MANY_REGISTERS {
            self.tiled::<_, 3, 8, 4>(unit);
        } else {
            self.tiled::<_, 2, 6, 3>(unit);
        }
    }
}

impl<T: Element> Product<'_, T> {
    /// In tiles of up to `M` vectors and `N` columns, or of `H` columns where no more are left.
    #[inline(always)]
    fn tiled<U: Unit<T>, const M: usize, const N: usize, const H: usize>(mut self, unit: U) {
        let height = M * U::LANES;
        let ((rows, depth), columns) = (self.a.dim(), self.b.ncols());
        let block = BLOCK_BYTES / size_of::<T>() / DEPTH / height * height;
        let b_direct = if rows <= FEW_STRIPS * height { Direct::Any } else { Direct::Never };
        let mut buffers = Buffers::take();
        let (a_buffer, b_buffer) = buffers.room(
            block.min(rows.next_multiple_of(height)),
            COLUMNS.min(columns).next_multiple_of(N),
            DEPTH.min(depth),
        );
        for first in (0..columns).step_by(COLUMNS) {
            for start in (0..depth).step_by(DEPTH) {
                let (right, deep) = (columns.min(first + COLUMNS), start..depth.min(start + DEPTH));
                let target = if start == 0 { self.target } else { Target::Add };
                let b = Packed::new(N, self.b.view().reversed_axes(), first..right, deep.clone(), b_direct, b_buffer);
                let a_direct = if right - first <= FEW_STRIPS * N { Direct::Contiguous } else { Direct::Never };
                for top in (0..rows).step_by(block) {
                    let rows = top..rows.min(top + block);
                    let a = Packed::new(height, self.a.view(), rows.clone(), deep.clone(), a_direct, a_buffer);
                    let mut product = BlockProduct { unit, c: self.c.view_mut(), target, s: self.s, a: &a, b: &b };
                    product.run::<M, N, H>(rows, first..right);
                }
            }
        }
    }
}
