//! Rows of a kernel matrix in single precision, as many as memory allows; with least-recently-used
//! replacement.

use super::lines::{GAP, LINES, Lines, are_many, mirror};
use crate::error::MemoryPurpose;
use crate::gram::simd::{add_rows, assemble, zeroed};
use crate::gram::{BLOCK, Tiles};
use crate::{Compute, Result};

/// Maximum number of rows per task. 15 to 240 differ by less than 6 % (6000 rows, 10 columns).
const GROUP: usize = 60;
/// Columns of a tile. 128 to 2048 differ by less than 6 % (6000 rows, 10 columns).
const COLUMNS: usize = 512;
/// A row not requested in this many rounds makes room for a new one before more memory is taken:
/// fresh pages cost as much as a row of kernel values that are quick to compute, and such rows
/// rarely come back. 8 to 256 differ by less than 6 % (6000 rows, 200 columns).
const ROUNDS: u64 = 64;
/// The same where values are quick to compute again. 2 to 64 differ by less than the noise of 18 %
/// (6000 rows, 10 columns).
const ROUNDS_IF_QUICK: u64 = 8;
/// Operations per value up to which they are. Always and never differ by less than the noise of 12 %
/// (2000 to 6000 rows, 10 columns).
const QUICK: usize = 64;
/// Rows of the smallest working set. 4 to 64 differ by less than the noise of 14 % (2000 to 6000 rows).
const FEWEST: usize = 16;
/// Bytes that are allocated together. 4 MiB are 19 % slower, 16 and 256 MiB differ by less than 7 %
/// (6000 rows).
const SLAB: usize = 64 << 20;

pub(super) struct Cache<'a> {
    /// The matrix of all points.
    all: &'a dyn Tiles,
    /// The points of the rows and columns, and their matrix; `None` for all points.
    some: Option<(Vec<usize>, Box<dyn Tiles + 'a>)>,
    n: usize,
    pub(super) capacity: usize,
    /// Where a row is kept.
    slot_of: Vec<Option<u32>>,
    slots: Vec<Slot>,
    /// Rows of a slab, and the slabs.
    rows_per_slab: usize,
    slabs: Vec<Vec<f32>>,
    clock: u64,
    /// Rounds after which a row not requested gives way.
    rounds: u64,
}

/// The row that a slot holds, and when it was requested last.
struct Slot {
    row: usize,
    used: u64,
}

impl<'a> Cache<'a> {
    pub(super) fn new(all: &'a dyn Tiles, least: usize, compute: &Compute) -> Result<Self> {
        let n = all.shape().0;
        let capacity = (compute.memory() / 2 / (4 * n.max(1) as u64)).min(n as u64) as usize;
        // A smaller working set is slower, but it is a solution.
        let least = least.min(capacity / 2).max(FEWEST).min(n.max(1));
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve(
            MemoryPurpose::KernelMatrix,
            "the kernel rows of a working set",
            4 * 2 * (least * n) as u64,
            advice,
        )?;
        let rounds = if all.operations() <= QUICK { ROUNDS_IF_QUICK } else { ROUNDS };
        Ok(Self::empty(all, None, n, capacity.max(least), rounds))
    }

    fn empty(
        all: &'a dyn Tiles,
        some: Option<(Vec<usize>, Box<dyn Tiles + 'a>)>,
        n: usize,
        capacity: usize,
        rounds: u64,
    ) -> Self {
        let rows_per_slab = (SLAB / (4 * n.max(1))).max(1);
        let (slot_of, slots, slabs) = (vec![None; n], Vec::new(), Vec::new());
        Self { all, some, n, capacity, slot_of, slots, rows_per_slab, slabs, clock: 0, rounds }
    }

    fn tiles(&self) -> &(dyn Tiles + 'a) {
        self.some.as_ref().map_or(self.all, |(_, tiles)| tiles.as_ref())
    }

    /// A cache of the rows and columns of some points, with the rows that are known; this one is
    /// left without rows. `None` where the points cannot be restricted.
    pub(super) fn restricted(&mut self, points: &[usize]) -> Option<Self> {
        let named: Vec<usize> = match &self.some {
            Some((known, _)) => points.iter().map(|&p| known[p]).collect(),
            None => points.to_vec(),
        };
        let tiles = self.all.submatrix(&named)?;
        let capacity = (self.capacity.saturating_mul(self.n) / points.len().max(1)).min(points.len());
        let mut restricted = Self::empty(self.all, Some((named, tiles)), points.len(), capacity, self.rounds);
        let known: Vec<usize> = (0..points.len()).filter(|&at| self.slot_of[points[at]].is_some()).collect();
        let positions = restricted.make_room(known.len().min(capacity));
        for (&at, &row) in positions.iter().zip(&known) {
            restricted.slots[at].row = row;
            restricted.slot_of[row] = Some(at as u32);
            let source = self.row(points[row]);
            let target = restricted.line_mut(at);
            target.iter_mut().zip(points).for_each(|(t, &p)| *t = source[p]);
        }
        *self = Self::empty(self.all, self.some.take(), self.n, self.capacity, self.rounds);
        Some(restricted)
    }

    pub(super) fn row(&self, point: usize) -> &[f32] {
        self.known(point).expect("the solver fetches rows before it uses them")
    }

    fn known(&self, point: usize) -> Option<&[f32]> {
        let slot = self.slot_of[point]? as usize;
        let start = slot % self.rows_per_slab * self.n;
        Some(&self.slabs[slot / self.rows_per_slab][start..start + self.n])
    }

    fn line_mut(&mut self, slot: usize) -> &mut [f32] {
        let start = slot % self.rows_per_slab * self.n;
        &mut self.slabs[slot / self.rows_per_slab][start..start + self.n]
    }

    /// The kernel among some points: from the rows that are at hand, and computed for pairs that
    /// are in none of them. A point that does not move in the end needs no row.
    pub(super) fn block<'b>(
        &mut self,
        points: &[usize],
        buffer: &'b mut Vec<f32>,
        compute: &Compute,
    ) -> Result<Lines<'b, f32>> {
        let q = points.len();
        let unknown: Vec<usize> = (0..q).filter(|&at| self.slot_of[points[at]].is_none()).collect();
        let values = match self.submatrix(&unknown.iter().map(|&at| points[at]).collect::<Vec<_>>(), compute) {
            Some(values) => values?,
            None => {
                self.fetch(&distinct(points), compute)?;
                Vec::new()
            }
        };
        let mut position = vec![0; q];
        unknown.iter().enumerate().for_each(|(rank, &at)| position[at] = rank);
        let stride = q.next_multiple_of(GAP) + GAP;
        buffer.resize(buffer.len().max(q * stride), 0.0);
        let block = &mut buffer[..q * stride];
        let rows: Vec<Option<&[f32]>> = points.iter().map(|&p| self.known(p)).collect();
        let many = are_many(q, self.n);
        let end = |at: usize| if many { q } else { at + 1 };
        let fill = |at: usize, line: &mut [f32]| match rows[at] {
            Some(row) => line.iter_mut().zip(&points[..end(at)]).for_each(|(v, &p)| *v = row[p]),
            None => {
                let computed = &values[position[at] * unknown.len()..][..unknown.len()];
                for (other, v) in line[..end(at)].iter_mut().enumerate() {
                    *v = rows[other].map_or_else(|| computed[position[other]], |row| row[points[at]]);
                }
            }
        };
        let lines = |group: usize, lines: &mut [f32]| {
            lines.chunks_exact_mut(stride).enumerate().for_each(|(r, line)| fill(group * LINES + r, line));
        };
        compute.each_chunk(block, LINES * stride, lines);
        if !many {
            mirror(block, q, stride);
        }
        Ok(Lines { matrix: block, stride, runs: std::iter::once(0..q).collect() })
    }

    /// The matrix of some points; `None` where it is not cheaper than rows.
    fn submatrix(&self, points: &[usize], compute: &Compute) -> Option<Result<Vec<f32>>> {
        if points.is_empty() {
            return Some(Ok(Vec::new()));
        }
        let tiles = self.tiles().submatrix(points)?;
        let fill = |rows, cols, out: &mut [f32]| tiles.fill_single(rows, cols, out);
        Some(compute.install(|| assemble((points.len(), points.len()), BLOCK, true, fill, || compute.check_aborted())))
    }

    /// `out += Σ factor · row`, rows that are not at hand computed and forgotten.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped; a solver that is
    /// canceled still finishes its answer.
    pub(super) fn add_fleeting(&self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) -> Result<()> {
        let chunk = |chunk: usize, out: &mut [f64]| {
            let start = chunk * COLUMNS;
            let cols = start..start + out.len();
            let mut tile = vec![0.0_f32; GROUP * out.len()];
            for group in changes.chunks(GROUP) {
                compute.check_aborted()?;
                let rows: Vec<usize> = group.iter().map(|change| change.0).collect();
                let tile = &mut tile[..rows.len() * out.len()];
                self.tiles().fill_rows_single(&rows, cols.clone(), tile);
                let lines = tile.chunks_exact(out.len()).zip(group);
                add_rows(&lines.map(|(line, change)| (line, change.1)).collect::<Vec<_>>(), out);
            }
            Ok(())
        };
        compute.try_each_chunk(out, COLUMNS, chunk)
    }

    /// Has these rows at hand.
    ///
    /// # Errors
    /// As [`Cache::add_fleeting`]; the cache is then of no use any more.
    pub(super) fn fetch(&mut self, requested: &[usize], compute: &Compute) -> Result<()> {
        self.clock += 1;
        for &row in requested {
            if let Some(slot) = self.slot_of[row] {
                self.slots[slot as usize].used = self.clock;
            }
        }
        let missing: Vec<usize> = requested.iter().copied().filter(|&row| self.slot_of[row].is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut positions = self.make_room(missing.len());
        positions.sort_unstable();
        for (&at, &row) in positions.iter().zip(&missing) {
            self.slots[at] = Slot { row, used: self.clock };
            self.slot_of[row] = Some(at as u32);
        }
        self.compute_rows(&positions, &missing, compute)
    }

    /// Slots for new rows: those of rows not requested in a while, then new ones, then those that
    /// were not used for longest.
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
    fn compute_rows(&mut self, positions: &[usize], rows: &[usize], compute: &Compute) -> Result<()> {
        let n = self.n;
        let tiles: &dyn Tiles = self.some.as_ref().map_or(self.all, |(_, tiles)| tiles.as_ref());
        let mut lines = self.slabs.iter_mut().flat_map(|slab| slab.chunks_exact_mut(n.max(1)));
        let mut next = 0;
        let mut targets: Vec<&mut [f32]> = Vec::with_capacity(positions.len());
        for &at in positions {
            targets.extend(lines.nth(at - next));
            next = at + 1;
        }
        // Never by the number of threads: where pairs are taken again in double precision depends
        // on the tile.
        let group = rows.len().div_ceil(8).next_multiple_of(5).min(GROUP);
        compute.try_each_chunk(&mut targets, group, |at, targets| {
            fill_group(tiles, n, &rows[at * group..][..targets.len()], targets, compute)
        })
    }
}

/// Every point once, in ascending order.
pub(super) fn distinct(points: &[usize]) -> Vec<usize> {
    let mut points = points.to_vec();
    points.sort_unstable();
    points.dedup();
    points
}

/// Some whole rows, tile by tile.
fn fill_group(
    tiles: &dyn Tiles,
    n: usize,
    rows: &[usize],
    targets: &mut [&mut [f32]],
    compute: &Compute,
) -> Result<()> {
    let mut tile = vec![0.0_f32; rows.len() * COLUMNS.min(n)];
    for start in (0..n).step_by(COLUMNS) {
        compute.check_aborted()?;
        let cols = start..n.min(start + COLUMNS);
        let tile = &mut tile[..rows.len() * cols.len()];
        tiles.fill_rows_single(rows, cols.clone(), tile);
        for (line, target) in tile.chunks_exact(cols.len()).zip(targets.iter_mut()) {
            target[cols.clone()].copy_from_slice(line);
        }
    }
    Ok(())
}
