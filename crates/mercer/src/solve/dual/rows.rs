//! Rows of a symmetric kernel matrix, kept as far as memory allows.

use std::ops::Range;

use rayon::prelude::*;

use crate::gram::simd::Element;
use crate::gram::{self, Tiles};
use crate::{Compute, Result};

/// Points up to which the whole matrix is made at once, in double precision.
const SMALL: usize = 2048;
/// Rows that one task computes.
const GROUP: usize = 64;
/// Columns of a tile.
const COLUMNS: usize = 512;

/// The rows of a symmetric kernel matrix, on demand.
#[derive(Debug)]
pub struct KernelRows<'a> {
    diagonal: Vec<f64>,
    store: Store<'a>,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row<'r> {
    Single(&'r [f32]),
    Double(&'r [f64]),
}

impl Row<'_> {
    pub(super) fn get(&self, at: usize) -> f64 {
        match self {
            Self::Single(values) => f64::from(values[at]),
            Self::Double(values) => values[at],
        }
    }

    /// `out += factor · row`, on a range of the columns.
    pub(super) fn add_to(&self, range: Range<usize>, factor: f64, out: &mut [f64]) {
        match self {
            Self::Single(values) => add(&values[range], factor, out),
            Self::Double(values) => add(&values[range], factor, out),
        }
    }
}

fn add<T: Element>(values: &[T], factor: f64, out: &mut [f64]) {
    out.iter_mut().zip(values).for_each(|(o, v)| *o += factor * v.to_f64());
}

enum Store<'a> {
    /// Every row, in double precision.
    Whole(Vec<f64>),
    /// Every row, in single precision.
    WholeSingle(Vec<f32>),
    /// Some rows, in single precision; the least recently used gives way.
    Cache(Cache<'a>),
}

impl std::fmt::Debug for Store<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "whole matrix",
            Self::WholeSingle(_) => "whole matrix in single precision",
            Self::Cache(_) => "cached rows",
        })
    }
}

impl<'a> KernelRows<'a> {
    /// Rows of a symmetric matrix given by its tiles; `least` rows have to be in memory together.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when they do not fit.
    pub fn new(tiles: &'a dyn Tiles, least: usize, compute: &Compute) -> Result<Self> {
        let diagonal = tiles.diagonal()?;
        let n = diagonal.len();
        let whole = 8 * (n as u64).pow(2);
        if n <= SMALL && whole <= compute.memory() / 2 {
            let matrix = gram::dense(tiles, compute)?.into_raw_vec_and_offset().0;
            return Ok(Self { diagonal, store: Store::Whole(matrix) });
        }
        Ok(Self { diagonal, store: Store::Cache(Cache::new(tiles, n, least, compute)?) })
    }

    /// A whole matrix in double precision, row after row.
    ///
    /// # Panics
    /// Unless it is square.
    pub fn whole(matrix: Vec<f64>, n: usize) -> Self {
        assert_eq!(matrix.len(), n * n, "a square matrix");
        let diagonal = (0..n).map(|i| matrix[i * n + i]).collect();
        Self { diagonal, store: Store::Whole(matrix) }
    }

    /// The same in single precision.
    ///
    /// # Panics
    /// Unless it is square.
    pub fn whole_single(matrix: Vec<f32>, n: usize) -> Self {
        assert_eq!(matrix.len(), n * n, "a square matrix");
        let diagonal = (0..n).map(|i| f64::from(matrix[i * n + i])).collect();
        Self { diagonal, store: Store::WholeSingle(matrix) }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.diagonal.len()
    }

    /// `k(xᵢ, xᵢ)`.
    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Makes sure that these rows, each named once, are at hand until the next call.
    pub(super) fn fetch(&mut self, wanted: &[usize], compute: &Compute) {
        if let Store::Cache(cache) = &mut self.store {
            cache.fetch(wanted, compute);
        }
    }

    /// Rows that can be at hand together.
    pub(super) fn capacity(&self) -> usize {
        match &self.store {
            Store::Cache(cache) => cache.capacity,
            _ => self.points(),
        }
    }

    /// A row that was fetched last.
    pub(super) fn row(&self, point: usize) -> Row<'_> {
        let n = self.points();
        match &self.store {
            Store::Whole(matrix) => Row::Double(&matrix[point * n..(point + 1) * n]),
            Store::WholeSingle(matrix) => Row::Single(&matrix[point * n..(point + 1) * n]),
            Store::Cache(cache) => Row::Single(cache.row(point)),
        }
    }
}

/// Rows in single precision, at most `capacity` of them.
struct Cache<'a> {
    tiles: &'a dyn Tiles,
    n: usize,
    capacity: usize,
    /// Where a row is kept.
    slot_of: Vec<Option<u32>>,
    slots: Vec<Slot>,
    clock: u64,
}

struct Slot {
    row: usize,
    used: u64,
    values: Vec<f32>,
}

impl<'a> Cache<'a> {
    fn new(tiles: &'a dyn Tiles, n: usize, least: usize, compute: &Compute) -> Result<Self> {
        let least = least.min(n).max(2);
        let advice = "use a smaller working set, fewer rows, or a higher memory limit";
        compute.reserve("the kernel rows of a working set", 4 * 2 * (least * n) as u64, advice)?;
        let capacity = (compute.memory() / 2 / (4 * n.max(1) as u64)).min(n as u64) as usize;
        Ok(Self { tiles, n, capacity: capacity.max(least), slot_of: vec![None; n], slots: Vec::new(), clock: 0 })
    }

    fn row(&self, point: usize) -> &[f32] {
        let slot = self.slot_of[point].expect("the solver fetches rows before it uses them");
        &self.slots[slot as usize].values
    }

    fn fetch(&mut self, wanted: &[usize], compute: &Compute) {
        self.clock += 1;
        for &row in wanted {
            if let Some(slot) = self.slot_of[row] {
                self.slots[slot as usize].used = self.clock;
            }
        }
        let missing: Vec<usize> = wanted.iter().copied().filter(|&row| self.slot_of[row].is_none()).collect();
        if missing.is_empty() {
            return;
        }
        let places = self.make_room(missing.len());
        let mut fresh: Vec<Vec<f32>> = places.iter().map(|&at| std::mem::take(&mut self.slots[at].values)).collect();
        let (tiles, n) = (self.tiles, self.n);
        compute.install(|| {
            let groups = fresh.par_chunks_mut(GROUP).zip(missing.par_chunks(GROUP));
            groups.for_each(|(values, rows)| fill_group(tiles, n, rows, values));
        });
        for ((at, row), values) in places.into_iter().zip(missing).zip(fresh) {
            self.slots[at] = Slot { row, used: self.clock, values };
            self.slot_of[row] = Some(at as u32);
        }
    }

    /// Slots for new rows: unused ones first, then those that were not used for longest.
    fn make_room(&mut self, count: usize) -> Vec<usize> {
        let free = (self.capacity - self.slots.len()).min(count);
        let first = self.slots.len();
        self.slots.extend((0..free).map(|_| Slot { row: usize::MAX, used: self.clock, values: vec![0.0; self.n] }));
        let mut places: Vec<usize> = (first..first + free).collect();
        let needed = count - free;
        if needed > 0 {
            let mut old: Vec<usize> = (0..first).filter(|&at| self.slots[at].used < self.clock).collect();
            old.sort_unstable_by_key(|&at| (self.slots[at].used, at));
            for &at in old.iter().take(needed) {
                self.slot_of[self.slots[at].row] = None;
            }
            places.extend(old.into_iter().take(needed));
        }
        places
    }
}

/// Some whole rows, tile by tile.
fn fill_group(tiles: &dyn Tiles, n: usize, rows: &[usize], values: &mut [Vec<f32>]) {
    let mut tile = vec![0.0_f32; rows.len() * COLUMNS.min(n)];
    for start in (0..n).step_by(COLUMNS) {
        let cols = start..n.min(start + COLUMNS);
        let tile = &mut tile[..rows.len() * cols.len()];
        tiles.fill_rows_single(rows, cols.clone(), tile);
        for (line, target) in tile.chunks_exact(cols.len()).zip(values.iter_mut()) {
            target[cols.clone()].copy_from_slice(line);
        }
    }
}
