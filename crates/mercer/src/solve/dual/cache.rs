//! Rows of a kernel matrix in single precision, as many as memory allows; the least recently used gives way.

use rayon::prelude::*;

use crate::gram::Tiles;
use crate::gram::simd::zeroed;
use crate::{Compute, Result};

/// The most rows that one task computes.
const GROUP: usize = 60;
/// Columns of a tile.
const COLUMNS: usize = 512;
/// A row that was not asked for in this many rounds makes room for a new one before more memory is taken: fresh pages cost as much as a row of
/// kernel values that are quick to compute, and such rows rarely come back.
const ROUNDS: u64 = 64;
/// The same where values are quick to compute again.
const ROUNDS_IF_QUICK: u64 = 8;
/// Operations per value up to which they are.
const QUICK: usize = 64;
/// Rows of the smallest working set.
const FEWEST: usize = 16;
/// Bytes that are allocated together.
const SLAB: usize = 64 << 20;

pub(super) struct Cache<'a> {
    tiles: &'a dyn Tiles,
    n: usize,
    pub(super) capacity: usize,
    /// Where a row is kept.
    slot_of: Vec<Option<u32>>,
    slots: Vec<Slot>,
    /// Rows of a slab, and the slabs.
    rows_per_slab: usize,
    slabs: Vec<Vec<f32>>,
    clock: u64,
    /// Rounds after which a row that was not asked for gives way.
    rounds: u64,
}

/// The row that a slot holds, and when it was asked for last.
struct Slot {
    row: usize,
    used: u64,
}

impl<'a> Cache<'a> {
    pub(super) fn new(tiles: &'a dyn Tiles, n: usize, least: usize, compute: &Compute) -> Result<Self> {
        let capacity = (compute.memory() / 2 / (4 * n.max(1) as u64)).min(n as u64) as usize;
        // A smaller working set is slower, but it is an answer.
        let least = least.min(capacity / 2).max(FEWEST).min(n.max(1));
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve("the kernel rows of a working set", 4 * 2 * (least * n) as u64, advice)?;
        let rows_per_slab = (SLAB / (4 * n.max(1))).max(1);
        let (slot_of, slots, slabs) = (vec![None; n], Vec::new(), Vec::new());
        let rounds = if tiles.operations() <= QUICK { ROUNDS_IF_QUICK } else { ROUNDS };
        Ok(Self { tiles, n, capacity: capacity.max(least), slot_of, slots, rows_per_slab, slabs, clock: 0, rounds })
    }

    pub(super) fn row(&self, point: usize) -> &[f32] {
        let slot = self.slot_of[point].expect("the solver fetches rows before it uses them") as usize;
        let start = slot % self.rows_per_slab * self.n;
        &self.slabs[slot / self.rows_per_slab][start..start + self.n]
    }

    pub(super) fn fetch(&mut self, wanted: &[usize], compute: &Compute) {
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
        let mut places = self.make_room(missing.len());
        places.sort_unstable();
        for (&at, &row) in places.iter().zip(&missing) {
            self.slots[at] = Slot { row, used: self.clock };
            self.slot_of[row] = Some(at as u32);
        }
        self.compute_rows(&places, &missing, compute);
    }

    /// Slots for new rows: those of rows that were not asked for in a while, then new ones, then those that were not used for longest.
    fn make_room(&mut self, count: usize) -> Vec<usize> {
        let stale = |slot: &Slot| slot.used + self.rounds < self.clock;
        let mut old: Vec<usize> = (0..self.slots.len()).filter(|&at| self.slots[at].used < self.clock).collect();
        old.sort_unstable_by_key(|&at| (self.slots[at].used, at));
        let forgotten = old.iter().take_while(|&&at| stale(&self.slots[at])).count().min(count);
        let fresh = (self.capacity - self.slots.len()).min(count - forgotten);
        old.truncate(count - fresh);
        old.iter().for_each(|&at| self.slot_of[self.slots[at].row] = None);
        let first = self.slots.len();
        self.slots.extend((0..fresh).map(|_| Slot { row: usize::MAX, used: self.clock }));
        while self.slabs.len() * self.rows_per_slab < self.slots.len() {
            let rows = self.rows_per_slab.min(self.capacity - self.slabs.len() * self.rows_per_slab);
            self.slabs.push(zeroed(rows * self.n));
        }
        old.extend(first..first + fresh);
        old
    }

    /// Fills slots (in ascending order) with rows.
    fn compute_rows(&mut self, places: &[usize], rows: &[usize], compute: &Compute) {
        let (tiles, n) = (self.tiles, self.n);
        let mut lines = self.slabs.iter_mut().flat_map(|slab| slab.chunks_exact_mut(n.max(1)));
        let mut next = 0;
        let mut targets: Vec<&mut [f32]> = Vec::with_capacity(places.len());
        for &at in places {
            targets.extend(lines.nth(at - next));
            next = at + 1;
        }
        // Never by the number of threads: where pairs are taken again in double precision depends on the tile.
        let group = rows.len().div_ceil(8).next_multiple_of(5).min(GROUP);
        compute.install(|| {
            let groups = targets.par_chunks_mut(group).zip(rows.par_chunks(group));
            groups.for_each(|(targets, rows)| fill_group(tiles, n, rows, targets));
        });
    }
}

/// Some whole rows, tile by tile.
fn fill_group(tiles: &dyn Tiles, n: usize, rows: &[usize], targets: &mut [&mut [f32]]) {
    let mut tile = vec![0.0_f32; rows.len() * COLUMNS.min(n)];
    for start in (0..n).step_by(COLUMNS) {
        let cols = start..n.min(start + COLUMNS);
        let tile = &mut tile[..rows.len() * cols.len()];
        tiles.fill_rows_single(rows, cols.clone(), tile);
        for (line, target) in tile.chunks_exact(cols.len()).zip(targets.iter_mut()) {
            target[cols.clone()].copy_from_slice(line);
        }
    }
}
