//! Sums over coordinates for a block of pairs: the inner loop of every metric.
//!
//! A block of a few rows and two or three vectors of columns is held in registers while the
//! coordinates go by. One loop serves `Σ xy`, `Σ (x−y)²` and `Σ |x−y|`: the difference runs on the
//! addition units beside the multiplications.

use std::marker::PhantomData;
use std::ops::Range;

use pulp::Simd;

use super::buffer::zeroed;
use super::element::Element;
use super::transpose::{SQUARE, turn};
use super::unit::{Unit, WithUnit};
use crate::compute::Workers;

/// Coordinates summed in one go: a panel of that depth stays in the first-level cache, and the
/// partial sums are added afterwards, so that the rounding error grows like `256 + d/256` and not
/// like `d`. 128 is 2 % and 512 is 6 % slower in 784 columns.
const DEPTH: usize = 256;

/// Elements of the widest register block: three vectors of 64 bytes.
pub(super) const WIDEST: usize = 48;

/// What is summed over the coordinates of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// `x·y`.
    Product,
    /// `(x − y)²`.
    Square,
    /// `|x − y|`.
    Absolute,
}

/// Points packed for the columns of a tile: panels of some vectors of points, coordinate by
/// coordinate.
#[derive(Debug)]
pub(crate) struct Panels<T> {
    pub(super) depth: usize,
    pub(super) data: Vec<T>,
}

impl<T: Element> Panels<T> {
    /// Packs `n` points of `depth` coordinates, `points[i·depth + k]`, for [`fill`]; the last panel
    /// is filled with zeros.
    pub(crate) fn new(points: &[T], n: usize, depth: usize, workers: Workers<'_>) -> Self {
        Self::of_width(points, n, depth, Self::width(), workers)
    }

    /// Packs `n` points, each as it is written by a function.
    pub(crate) fn written(
        n: usize,
        depth: usize,
        workers: Workers<'_>,
        write: impl Fn(usize, &mut [T]) + Sync,
    ) -> Self {
        let width = Self::width();
        let pack = |p: usize, panel: &mut [T]| {
            let mut rows = vec![T::default(); SQUARE * depth];
            for first in (p * width..n.min((p + 1) * width)).step_by(SQUARE) {
                let count = SQUARE.min(n.min((p + 1) * width) - first);
                rows.chunks_exact_mut(depth.max(1)).take(count).enumerate().for_each(|(i, row)| write(first + i, row));
                pack(&rows[..count * depth], depth, width, &mut panel[first - p * width..]);
            }
        };
        Self::packed(n, depth, width, workers, pack)
    }

    /// Columns of a panel for [`fill`].
    fn width() -> usize {
        struct Columns;
        impl<T> WithUnit<T> for Columns {
            type Output = usize;
            #[inline(always)]
            fn run<U: Unit<T>>(self, _: U) -> usize {
                width::<T, U>()
            }
        }
        T::widest(Columns)
    }

    /// [`Panels::new`] in panels of `width` points.
    pub(super) fn of_width(points: &[T], n: usize, depth: usize, width: usize, workers: Workers<'_>) -> Self {
        let pack = |p: usize, panel: &mut [T]| {
            let end = n.min((p + 1) * width);
            for first in (p * width..end).step_by(SQUARE) {
                let rows = &points[first * depth..end.min(first + SQUARE) * depth];
                pack(rows, depth, width, &mut panel[first - p * width..]);
            }
        };
        Self::packed(n, depth, width, workers, pack)
    }

    /// Panels, each as it is written by a function over zeros.
    fn packed(
        n: usize,
        depth: usize,
        width: usize,
        workers: Workers<'_>,
        write: impl Fn(usize, &mut [T]) + Sync,
    ) -> Self {
        let mut data = zeroed(n.div_ceil(width) * width * depth);
        workers.each_chunk(&mut data, width * depth, write);
        Self { depth, data }
    }
}

/// Packs up to eight points to the first places of a panel.
fn pack<T: Element>(rows: &[T], depth: usize, width: usize, panel: &mut [T]) {
    if rows.len() == SQUARE * depth && width % SQUARE == 0 {
        let rows = std::array::from_fn(|r| &rows[r * depth..(r + 1) * depth]);
        return turn(rows, width, panel);
    }
    for (r, row) in rows.chunks_exact(depth.max(1)).enumerate() {
        panel[r..].iter_mut().step_by(width).zip(row).for_each(|(to, value)| *to = *value);
    }
}

/// Columns of a register block.
const fn width<T, U: Unit<T>>() -> usize {
    if U::MANY_REGISTERS { 3 * U::LANES } else { 2 * U::LANES }
}

#[inline(always)]
pub(super) fn lanes<T: Element, S: Simd>() -> usize {
    size_of::<T::Vector<S>>() / size_of::<T>()
}

/// `out[i][j] = Σₖ term(rows[i][k], columns[first + j][k])`, a row-major tile `requested` columns
/// wide.
///
/// `rows` holds whole points, as many coordinates each as the panels have.
pub(crate) fn fill<T: Element>(
    term: Term,
    rows: &[T],
    panels: &Panels<T>,
    first: usize,
    requested: usize,
    out: &mut [T],
) {
    if panels.depth == 0 || requested == 0 {
        out.fill(T::default());
        return;
    }
    T::widest(Fill { term, rows, panels, first, requested, out });
}

struct Fill<'a, T> {
    term: Term,
    rows: &'a [T],
    panels: &'a Panels<T>,
    first: usize,
    requested: usize,
    out: &'a mut [T],
}

impl<T: Element> WithUnit<T> for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit<T>>(self, unit: U) {
        match (self.term, U::MANY_REGISTERS) {
            (Term::Product, true) => self.sweep::<U, Products, 3, 8>(unit),
            (Term::Square, true) => self.sweep::<U, Squares, 3, 8>(unit),
            (Term::Absolute, true) => self.sweep::<U, Absolutes, 3, 8>(unit),
            (Term::Product, false) => self.sweep::<U, Products, 2, 6>(unit),
            // A difference needs one register more: with six rows a sum would be spilled in every
            // step.
            (Term::Square, false) => self.sweep::<U, Squares, 2, 5>(unit),
            (Term::Absolute, false) => self.sweep::<U, Absolutes, 2, 5>(unit),
        }
    }
}

/// One step of a sum: `sum + term(x, y)`. Not a closure, which would be compiled without the vectors
/// of its caller.
trait Accumulate<T: Element> {
    fn add<U: Unit<T>>(unit: U, sum: U::Vector, x: U::Vector, y: U::Vector) -> U::Vector;
}

struct Products;
impl<T: Element> Accumulate<T> for Products {
    #[inline(always)]
    fn add<U: Unit<T>>(unit: U, sum: U::Vector, x: U::Vector, y: U::Vector) -> U::Vector {
        unit.multiply_add(x, y, sum)
    }
}

struct Squares;
impl<T: Element> Accumulate<T> for Squares {
    #[inline(always)]
    fn add<U: Unit<T>>(unit: U, sum: U::Vector, x: U::Vector, y: U::Vector) -> U::Vector {
        let difference = unit.subtract(x, y);
        unit.multiply_add(difference, difference, sum)
    }
}

struct Absolutes;
impl<T: Element> Accumulate<T> for Absolutes {
    /// `1·|x−y| + sum`: the additions go to the multipliers, which would idle beside the
    /// subtractions.
    #[inline(always)]
    fn add<U: Unit<T>>(unit: U, sum: U::Vector, x: U::Vector, y: U::Vector) -> U::Vector {
        unit.multiply_add(unit.absolute(unit.subtract(x, y)), unit.splat(T::from_f64(1.0)), sum)
    }
}

impl<T: Element> Fill<'_, T> {
    /// All register blocks of the tile, one slice of coordinates after the other.
    #[inline(always)]
    fn sweep<U: Unit<T>, A: Accumulate<T>, const V: usize, const ROWS: usize>(self, unit: U) {
        let (depth, width) = (self.panels.depth, V * U::LANES);
        let end = self.first + self.requested;
        for from in (0..depth).step_by(DEPTH) {
            let to = depth.min(from + DEPTH);
            for panel in self.first / width..end.div_ceil(width) {
                let base = panel * width * depth;
                let (left, right) = ((panel * width).max(self.first), (panel * width + width).min(end));
                let mut block = Panel::<'_, T, U, A> {
                    unit,
                    points: self.rows,
                    depth,
                    slice: from..to,
                    columns: &self.panels.data[base + from * width..base + to * width],
                    stride: self.requested,
                    lanes: left - panel * width..right - panel * width,
                    add: from > 0,
                    term: PhantomData,
                };
                block.down::<V, ROWS>(&mut self.out[left - self.first..]);
            }
        }
    }
}

/// The columns of one panel and a slice of the coordinates, for all rows.
struct Panel<'a, T, U, A> {
    unit: U,
    points: &'a [T],
    depth: usize,
    slice: Range<usize>,
    columns: &'a [T],
    /// Of the output.
    stride: usize,
    /// The columns that are requested.
    lanes: Range<usize>,
    /// Whether the output holds the sums of the slices before.
    add: bool,
    term: PhantomData<A>,
}

impl<T: Element, U: Unit<T>, A: Accumulate<T>> Panel<'_, T, U, A> {
    /// The register blocks, down all the rows; fewer rows where no more are left.
    #[inline(always)]
    fn down<const V: usize, const ROWS: usize>(&mut self, out: &mut [T]) {
        let n = self.points.len() / self.depth;
        let mut row = 0;
        while row < n {
            let out = &mut out[row * self.stride..];
            row += match n - row {
                1 => self.block::<V, 1>(row, out),
                2 => self.block::<V, 2>(row, out),
                3 => self.block::<V, 3>(row, out),
                rest if rest >= ROWS => self.block::<V, ROWS>(row, out),
                _ => self.block::<V, 4>(row, out),
            };
        }
    }

    /// The rows of one register block.
    #[inline(always)]
    fn block<const V: usize, const ROWS: usize>(&self, row: usize, out: &mut [T]) -> usize {
        let points = &self.points[row * self.depth..(row + ROWS) * self.depth];
        // SAFETY: as many rows, and a column for every coordinate of the slice.
        let sums = unsafe { self.sums::<V, ROWS>(points.as_ptr().add(self.slice.start)) };
        for (sums, out) in sums.iter().zip(out.chunks_mut(self.stride)) {
            if self.lanes.len() == V * U::LANES {
                self.store(sums, &mut out[..V * U::LANES]);
            } else {
                self.store_part(sums, out);
            }
        }
        ROWS
    }

    /// The sums of one register block. They live in registers until the last coordinate: pointers
    /// that move, as checks of every read would take registers from them.
    ///
    /// # Safety
    /// `ROWS` points stand there, with the coordinates of the slice, and `V` vectors for each of
    /// these in the columns.
    #[inline(always)]
    unsafe fn sums<const V: usize, const ROWS: usize>(&self, mut row: *const T) -> [[U::Vector; V]; ROWS] {
        let (unit, zero) = (self.unit, self.unit.splat(T::default()));
        let (mut sums, mut down) = ([[zero; V]; ROWS], [0; ROWS]);
        down.iter_mut().enumerate().for_each(|(r, offset)| *offset = r * self.depth);
        let mut column = self.columns.as_ptr();
        for _ in 0..self.slice.len() {
            let mut entries = [zero; V];
            for (v, entry) in entries.iter_mut().enumerate() {
                // SAFETY: the vectors of this coordinate.
                *entry = unsafe { unit.load(column.add(v * U::LANES)) };
            }
            for (offset, sums) in down.iter().zip(&mut sums) {
                // SAFETY: a coordinate of this point.
                let x = unit.splat(unsafe { *row.add(*offset) });
                for (entry, sum) in entries.iter().zip(sums) {
                    *sum = A::add(unit, *sum, x, *entry);
                }
            }
            (column, row) = (column.wrapping_add(V * U::LANES), row.wrapping_add(1));
        }
        sums
    }

    /// Stores a row of a block, or adds it to the sums of the slices before.
    #[inline(always)]
    fn store<const V: usize>(&self, sums: &[U::Vector; V], out: &mut [T]) {
        for (target, sum) in out.chunks_exact_mut(U::LANES).zip(sums) {
            // SAFETY: a chunk has the numbers of a vector.
            unsafe {
                let value = if self.add { self.unit.plus(self.unit.load(target.as_ptr()), *sum) } else { *sum };
                self.unit.store(target.as_mut_ptr(), value);
            }
        }
    }

    /// The same at the border of the tile.
    #[inline(always)]
    fn store_part<const V: usize>(&self, sums: &[U::Vector; V], out: &mut [T]) {
        let mut buffer = [T::default(); WIDEST];
        for (target, sum) in buffer.chunks_exact_mut(U::LANES).zip(sums) {
            // SAFETY: a chunk has the numbers of a vector.
            unsafe { self.unit.store(target.as_mut_ptr(), *sum) };
        }
        let pairs = out[..self.lanes.len()].iter_mut().zip(&buffer[self.lanes.clone()]);
        if self.add { pairs.for_each(|(o, &s)| *o += s) } else { pairs.for_each(|(o, &s)| *o = s) }
    }
}
