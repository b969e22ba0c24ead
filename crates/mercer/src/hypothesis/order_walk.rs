//! The rows that orders bring together, one after the other so that those in use stay in the cache.

use std::ops::Range;

use crate::{Compute, Result};

/// Bytes of the rows of a matrix that are worked on together: with as many of the other one they
/// fill a second-level cache of 1 MB. Not tuned, as the other constants here.
const BLOCK_BYTES: usize = 384 * 1024;
/// Rows that are worked on together, at most.
const MOST_ROWS: usize = 64;
/// Tasks that the rows are divided into, at most; never a function of the number of threads. Each
/// has sums of its own for every order.
const TASKS: usize = 64;
/// Rows of a task, at least.
const LEAST_ROWS: usize = 16;
/// Pairs of rows between two looks at the cancel flag.
const LOOK: usize = 32;

/// Orders of `n` points, walked in blocks of rows of the fixed and of the permuted matrices.
pub(super) struct Walk {
    n: usize,
    /// Rows that are worked on together, of the fixed and of the permuted matrices.
    blocks: [usize; 2],
    /// `π⁻¹` of every order.
    inverses: Vec<Vec<u32>>,
}

/// Rows `i` and `π(i)` that an order brings together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meeting {
    /// The number of the order.
    pub(super) order: usize,
    /// `i`.
    pub(super) fixed: usize,
    /// `π(i)`.
    pub(super) moved: usize,
}

impl Walk {
    /// Rows of the fixed matrices and of the permuted ones have so many bytes.
    pub(super) fn new<'o>(
        n: usize,
        bytes: [usize; 2],
        orders: impl Fn(usize) -> &'o [u32] + Sync,
        count: usize,
        compute: &Compute,
    ) -> Self {
        let inverse = |at: usize| {
            let mut inverse = vec![0; n];
            orders(at).iter().zip(0..).for_each(|(&to, from)| inverse[to as usize] = from);
            inverse
        };
        let blocks = bytes.map(|bytes| (BLOCK_BYTES / bytes.max(1)).clamp(4, MOST_ROWS));
        Self { n, blocks, inverses: compute.map_tasks(count, inverse) }
    }

    /// How many tasks the rows of the permuted matrices are divided into.
    pub(super) fn tasks(n: usize) -> usize {
        n.div_ceil(Self::rows_each(n))
    }

    fn rows_each(n: usize) -> usize {
        n.div_ceil(TASKS).max(LEAST_ROWS)
    }

    /// Bytes for one more order.
    pub(super) fn bytes_each(n: usize) -> usize {
        4 * n + MOST_ROWS * size_of::<Meeting>()
    }

    /// Every meeting of the rows of a task.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn visit(&self, task: usize, compute: &Compute, mut see: impl FnMut(Meeting)) -> Result<()> {
        let each = Self::rows_each(self.n);
        let (mut start, end) = (task * each, self.n.min((task + 1) * each));
        while start < end {
            let rows = start..end.min(start + self.blocks[1]);
            for some in self.meetings(rows.clone()).chunks(LOOK) {
                compute.check_canceled()?;
                some.iter().for_each(|meeting| see(*meeting));
            }
            start = rows.end;
        }
        Ok(())
    }

    /// The meetings of some rows of the permuted matrices, block after block of the fixed ones.
    fn meetings(&self, rows: Range<usize>) -> Vec<Meeting> {
        let block = |fixed: u32| fixed as usize / self.blocks[0];
        let mut places = vec![0; self.n.div_ceil(self.blocks[0]) + 1];
        for inverse in &self.inverses {
            inverse[rows.clone()].iter().for_each(|&fixed| places[block(fixed) + 1] += 1);
        }
        for k in 1..places.len() {
            places[k] += places[k - 1];
        }
        let nothing = Meeting { order: 0, fixed: 0, moved: 0 };
        let mut meetings = vec![nothing; rows.len() * self.inverses.len()];
        for (order, inverse) in self.inverses.iter().enumerate() {
            for (moved, &fixed) in rows.clone().zip(&inverse[rows.clone()]) {
                let place = &mut places[block(fixed)];
                meetings[*place] = Meeting { order, fixed: fixed as usize, moved };
                *place += 1;
            }
        }
        meetings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn every_order_brings_every_row_to_one_other() {
        let compute = Compute::new();
        for (n, count) in [(1, 2), (70, 3), (300, 5), (1100, 2)] {
            let draw = |b: u64| Seed(b).stream("orders", b).permutation(n).iter().map(|&i| i as u32).collect();
            let orders: Vec<Vec<u32>> = (0..count).map(draw).collect();
            let walk = Walk::new(n, [8 * n, 40 * n], |at| &orders[at], orders.len(), &compute);
            let mut found = Vec::new();
            for task in 0..Walk::tasks(n) {
                walk.visit(task, &compute, |meeting| found.push(meeting)).unwrap();
            }
            found.sort_unstable();
            let expected = |b: usize| {
                orders[b].iter().zip(0..).map(move |(&s, fixed)| Meeting { order: b, fixed, moved: s as usize })
            };
            assert_eq!(found, (0..orders.len()).flat_map(expected).collect::<Vec<_>>());
        }
    }
}
