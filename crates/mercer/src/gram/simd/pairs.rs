//! Sums over coordinates for a block of pairs: the inner loop of every metric.
//!
//! A block is 5 or 6 rows × 2 vectors of columns, held in registers while the coordinates go by.
//! One loop serves `Σ xy`, `Σ (x−y)²` and `Σ |x−y|`: the difference runs on the addition units
//! beside the multiplications.

use std::marker::PhantomData;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Coordinates summed in one go: a panel of that depth stays in the first-level cache, and the
/// partial sums are added afterwards, so that the rounding error grows like `256 + d/256` and not
/// like `d`. 128 is 2 % and 512 is 6 % slower in 784 columns.
const DEPTH: usize = 256;

/// Elements of the widest register block: two vectors of 64 bytes.
pub(super) const WIDEST: usize = 32;

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

/// Points packed for the columns of a tile: panels of two vectors of points, coordinate by
/// coordinate.
#[derive(Debug)]
pub(crate) struct Panels<T> {
    pub(super) depth: usize,
    pub(super) data: Vec<T>,
}

impl<T: Element> Panels<T> {
    /// Packs `n` points of `depth` coordinates, `points[i·depth + k]`; the last panel is filled
    /// with zeros.
    pub(crate) fn new(points: &[T], n: usize, depth: usize) -> Self {
        let width = panel_width::<T>();
        let mut data = vec![T::default(); n.div_ceil(width) * width * depth];
        for (i, point) in points.chunks_exact(depth.max(1)).enumerate().take(n) {
            let start = i / width * width * depth + i % width;
            for (k, &x) in point.iter().enumerate() {
                data[start + k * width] = x;
            }
        }
        Self { depth, data }
    }
}

/// Columns of a register block: two vectors.
fn panel_width<T: Element>() -> usize {
    struct Columns<T>(PhantomData<T>);
    impl<T: Element> WithSimd for Columns<T> {
        type Output = usize;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            2 * lanes::<T, S>()
        }
    }
    Arch::new().dispatch(Columns::<T>(PhantomData))
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
    Arch::new().dispatch(Fill { term, rows, panels, first, requested, out });
}

struct Fill<'a, T> {
    term: Term,
    rows: &'a [T],
    panels: &'a Panels<T>,
    first: usize,
    requested: usize,
    out: &'a mut [T],
}

impl<T: Element> WithSimd for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.term {
            Term::Product => self.sweep::<S, 6>(simd, |sum, x, y| T::multiply_add(simd, x, y, sum)),
            // A difference needs one register more: with six rows a sum would be spilled in every
            // step.
            Term::Square => self.sweep::<S, 5>(simd, |sum, x, y| {
                let difference = T::subtract(simd, x, y);
                T::multiply_add(simd, difference, difference, sum)
            }),
            Term::Absolute => {
                // 1·|x−y| + sum: the additions go to the multipliers, which would idle beside the
                // subtractions.
                let one = T::splat(simd, T::from_f64(1.0));
                self.sweep::<S, 5>(simd, |sum, x, y| {
                    T::multiply_add(simd, T::absolute(simd, T::subtract(simd, x, y)), one, sum)
                });
            }
        }
    }
}

impl<T: Element> Fill<'_, T> {
    /// All register blocks of the tile, one slice of coordinates after the other.
    #[inline(always)]
    fn sweep<S: Simd, const ROWS: usize>(self, simd: S, step: impl Accumulate<T::Vector<S>>) {
        let (depth, width) = (self.panels.depth, 2 * lanes::<T, S>());
        let end = self.first + self.requested;
        for from in (0..depth).step_by(DEPTH) {
            let to = depth.min(from + DEPTH);
            for panel in self.first / width..end.div_ceil(width) {
                let base = panel * width * depth;
                let columns = T::vectors::<S>(&self.panels.data[base + from * width..base + to * width]);
                let (left, right) = ((panel * width).max(self.first), (panel * width + width).min(end));
                let position = PanelOutput {
                    column: left - self.first,
                    stride: self.requested,
                    lanes: left - panel * width..right - panel * width,
                    add: from > 0,
                };
                down::<T, S, ROWS>(
                    simd,
                    step,
                    RowSlice { points: self.rows, depth, slice: from..to },
                    columns,
                    position,
                    self.out,
                );
            }
        }
    }
}

/// One step of a sum: `(sum, x, y) ↦ sum + term(x, y)`.
trait Accumulate<V>: Fn(V, V, V) -> V + Copy {}
impl<V, F: Fn(V, V, V) -> V + Copy> Accumulate<V> for F {}

/// A slice of the coordinates of the row points.
struct RowSlice<'a, T> {
    points: &'a [T],
    depth: usize,
    slice: Range<usize>,
}

/// Where the sums of a panel go.
struct PanelOutput {
    column: usize,
    stride: usize,
    lanes: Range<usize>,
    add: bool,
}

/// The register blocks of one panel, down all the rows.
#[inline(always)]
fn down<T: Element, S: Simd, const ROWS: usize>(
    simd: S,
    step: impl Accumulate<T::Vector<S>>,
    rows: RowSlice<'_, T>,
    columns: &[T::Vector<S>],
    position: PanelOutput,
    out: &mut [T],
) {
    let n = rows.points.len() / rows.depth;
    let whole = position.lanes.len() == 2 * lanes::<T, S>();
    for row in (0..n).step_by(ROWS) {
        let points: [&[T]; ROWS] = std::array::from_fn(|r| {
            let start = (row + r).min(n - 1) * rows.depth;
            &rows.points[start + rows.slice.start..start + rows.slice.end]
        });
        let sums = block::<T, S, ROWS>(simd, points, columns, step);
        let out = &mut out[row * position.stride + position.column..];
        if whole && row + ROWS <= n {
            for (r, [left, right]) in sums.into_iter().enumerate() {
                let target = T::vectors_mut::<S>(&mut out[r * position.stride..][..2 * lanes::<T, S>()]);
                target[0] = if position.add { T::plus(simd, target[0], left) } else { left };
                target[1] = if position.add { T::plus(simd, target[1], right) } else { right };
            }
        } else {
            store_part::<T, S, ROWS>(sums, n - row, &position, out);
        }
    }
}

/// The sums of one register block. They live in registers until the last coordinate.
#[inline(always)]
fn block<T: Element, S: Simd, const ROWS: usize>(
    simd: S,
    rows: [&[T]; ROWS],
    columns: &[T::Vector<S>],
    step: impl Accumulate<T::Vector<S>>,
) -> [[T::Vector<S>; 2]; ROWS] {
    let mut sums = [[T::splat(simd, T::default()); 2]; ROWS];
    let (columns, _) = columns.as_chunks::<2>();
    let rows = rows.map(|row| &row[..columns.len()]);
    for (k, column) in columns.iter().enumerate() {
        for r in 0..ROWS {
            let x = T::splat(simd, rows[r][k]);
            sums[r][0] = step(sums[r][0], x, column[0]);
            sums[r][1] = step(sums[r][1], x, column[1]);
        }
    }
    sums
}

/// Stores a block at the border of the tile, or adds it to the sums of the slices before.
#[inline(always)]
fn store_part<T: Element, S: Simd, const ROWS: usize>(
    sums: [[T::Vector<S>; 2]; ROWS],
    rows: usize,
    position: &PanelOutput,
    out: &mut [T],
) {
    let mut buffer = [T::default(); WIDEST];
    for (r, sums) in sums.into_iter().enumerate() {
        if r >= rows {
            return;
        }
        T::vectors_mut::<S>(&mut buffer)[..2].copy_from_slice(&sums);
        let target = &mut out[r * position.stride..][..position.lanes.len()];
        let pairs = target.iter_mut().zip(&buffer[position.lanes.clone()]);
        if position.add { pairs.for_each(|(o, &s)| *o += s) } else { pairs.for_each(|(o, &s)| *o = s) }
    }
}
