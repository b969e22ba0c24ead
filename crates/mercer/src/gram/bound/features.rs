//! The explicit features of a bound kernel: those of its base kernels, scaled and side by side.

use std::borrow::Cow;

use super::Bound;
use super::node::{Kind, Node};
use crate::gram::SparseRows;
use crate::kernel::sparse_rows::RowsAndColumns;

/// Features of the row points and, where there are others, of the column points.
type Features<'n> = (Cow<'n, SparseRows>, Option<Cow<'n, SparseRows>>);

impl Bound<'_> {
    /// The sparse features whose inner products the values are, of the row points and of the column
    /// points; `None` for a kernel without explicit features.
    ///
    /// Base kernels that count parts of objects have them, and constants; `c·k` and `normalized(k)`
    /// scale the rows of `k`, a sum puts the columns of its terms side by side, and `on([column], k)`
    /// of a table has those of `k`.
    ///
    /// # Cost
    /// Nothing for a base kernel; one pass over the features, the first time, for the others.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel, gram::Pairs, points::Strings};
    /// let strings: Strings = ["abab", "b"].into_iter().collect();
    /// let k: Kernel = "spectrum(length=1)".parse()?;
    /// let bound = k.bind(Pairs::Within((&strings).into()), &Compute::new())?;
    /// let (rows, _) = bound.features().unwrap();
    /// // The columns are `a` and `b`.
    /// assert_eq!((&rows.starts[..], &rows.columns[..], &rows.values[..]), (&[0, 2, 3][..], &[0, 1, 1][..], &[2.0, 2.0, 1.0][..]));
    /// let k: Kernel = "4*spectrum(length=1) + 9*constant()".parse()?;
    /// let bound = k.bind(Pairs::Within((&strings).into()), &Compute::new())?;
    /// assert_eq!(bound.features().unwrap().0.values, [4.0, 4.0, 3.0, 2.0, 3.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        if let Kind::Object(tiles) = &self.root.kind {
            return tiles.features();
        }
        let made = self.composed.get_or_init(|| self.composed_features());
        made.as_ref().map(|(rows, cols)| (rows, cols.as_ref().unwrap_or(rows)))
    }

    fn composed_features(&self) -> Option<RowsAndColumns> {
        let sides = (self.shape.0, (!self.symmetric).then_some(self.shape.1));
        // Constants alone are no features of objects.
        let (rows, cols) = self.root.has_objects().then(|| of(&self.root, sides))??;
        Some((rows.into_owned(), cols.map(Cow::into_owned)))
    }
}

/// The features of a node; `sides` are the numbers of row and column points.
fn of<'n>(node: &'n Node<'_>, sides: (usize, Option<usize>)) -> Option<Features<'n>> {
    match &node.kind {
        Kind::Object(tiles) => {
            let (rows, cols) = tiles.features()?;
            Some((Cow::Borrowed(rows), sides.1.map(|_| Cow::Borrowed(cols))))
        }
        Kind::Constant(value) if *value >= 0.0 => {
            let column = |count: usize| Cow::Owned(SparseRows::constant(count, value.sqrt()));
            Some((column(sides.0), sides.1.map(column)))
        }
        Kind::Scale(factor, inner) if *factor >= 0.0 => {
            let (rows, cols) = of(inner, sides)?;
            let scaled = |of: Cow<'_, SparseRows>| Cow::Owned(of.with_row_factors(&vec![factor.sqrt(); of.len()]));
            Some((scaled(rows), cols.map(scaled)))
        }
        Kind::Outer { rows: of_rows, cols: of_cols, inner, .. } => {
            let (rows, cols) = of(inner, sides)?;
            let rows = Cow::Owned(rows.with_row_factors(of_rows));
            Some((rows, cols.map(|cols| Cow::Owned(cols.with_row_factors(of_cols)))))
        }
        Kind::Sum(terms) => beside(&terms.iter().map(|term| of(term, sides)).collect::<Option<Vec<_>>>()?),
        _ => None,
    }
}

/// The features of all terms side by side; `None` if there are too many columns.
fn beside<'n>(terms: &[Features<'_>]) -> Option<Features<'n>> {
    let of = |blocks: Vec<&SparseRows>| SparseRows::beside(&blocks).ok().map(Cow::Owned);
    let rows = of(terms.iter().map(|(rows, _)| rows.as_ref()).collect())?;
    let cols: Vec<&SparseRows> = terms.iter().filter_map(|(_, cols)| cols.as_deref()).collect();
    if cols.is_empty() { Some((rows, None)) } else { Some((rows, Some(of(cols)?))) }
}
