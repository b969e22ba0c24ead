//! Rectangles of a kernel that is a recursion over pairs of strings.

use std::ops::Range;

use super::pairs::{Pairs, Recursion};
use crate::kernel::object::ObjectTiles;
use crate::points::Strings;
use crate::{Compute, Result};

/// A recursion bound to strings.
#[derive(Debug)]
pub(in crate::kernel::strings) struct RecursionTiles<R> {
    pairs: Pairs,
    recursion: R,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

impl<R: Recursion> RecursionTiles<R> {
    /// Prepares pairs of rows and columns, or of rows and rows if there are no columns.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) with the remedy if a value leaves the range of
    /// the numbers.
    pub(in crate::kernel::strings) fn new(
        (rows, cols): (&Strings, Option<&Strings>),
        recursion: R,
        remedy: &str,
        compute: &Compute,
    ) -> Result<Self> {
        let pairs = Pairs::new(rows, cols)?;
        pairs.reserve(&recursion, compute)?;
        let own = pairs.diagonal(&recursion, false, remedy, compute)?;
        let other = cols.map(|_| pairs.diagonal(&recursion, true, remedy, compute)).transpose()?;
        Ok(Self { pairs, recursion, diagonals: (own, other) })
    }
}

impl<R: Recursion> ObjectTiles for RecursionTiles<R> {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.pairs.fill(&self.recursion, rows, cols, out);
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        self.pairs.mean_cells() * self.recursion.operations() / 4 + 1
    }
}
