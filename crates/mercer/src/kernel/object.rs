//! Base kernels on points that are not vectors: each brings its own rectangles of values.

use std::fmt::Debug;
use std::ops::{Range, RangeInclusive};

use super::Kernel;
use super::sparse_rows::{RunningSums, SparseRows};
use crate::points::{Graphs, PointKind, Strings};
use crate::{Compute, Error, Points, Result};

/// The points that a kernel is bound to: all pairs within the rows where there are no columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectPairs<'a> {
    pub rows: Points<'a>,
    pub cols: Option<Points<'a>>,
}

impl<'a> ObjectPairs<'a> {
    /// The same points, borrowed for a shorter time.
    pub(crate) fn reborrow(&self) -> ObjectPairs<'_> {
        ObjectPairs { rows: self.rows.reborrow(), cols: self.cols.as_ref().map(Points::reborrow) }
    }

    /// The points as strings.
    pub(crate) fn strings(&self) -> Result<(&'a Strings, Option<&'a Strings>)> {
        let of = |points: Points<'a>| match points {
            Points::Strings(strings) => Ok(strings),
            other => Err(Error::wrong_points("a kernel on strings", PointKind::Strings, other.kind())),
        };
        Ok((of(self.rows)?, self.cols.map(of).transpose()?))
    }

    /// The points as graphs.
    pub(crate) fn graphs(&self) -> Result<(&'a Graphs, Option<&'a Graphs>)> {
        let of = |points: Points<'a>| match points {
            Points::Graphs(graphs) => Ok(graphs),
            other => Err(Error::wrong_points("a kernel on graphs", PointKind::Graphs, other.kind())),
        };
        Ok((of(self.rows)?, self.cols.map(of).transpose()?))
    }
}

/// A base kernel on strings, graphs, bags or diagrams, or a kernel of a program.
pub(crate) trait ObjectKernel {
    /// The values on pairs of points of its domain. All work per point is done here.
    ///
    /// # Errors
    /// When a point is outside the domain, a value would overflow, or the work is canceled.
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>>;

    /// Whether its values are inner products of sparse features, which [`ObjectTiles::features`]
    /// gives.
    fn has_features(&self) -> bool {
        false
    }

    /// The kernel with everything that it takes from the points it is fitted to, where it takes
    /// anything.
    ///
    /// # Errors
    /// When the work is canceled.
    fn resolve(&self, _pairs: ObjectPairs<'_>, _compute: &Compute) -> Result<Option<Kernel>> {
        Ok(None)
    }

    /// The blocks of features of the kernel, where it shares them with others of its name.
    fn blocks(&self) -> Option<Blocks> {
        None
    }
}

/// A kernel as a sum over blocks of features, which kernels with other parameters have in common:
/// the depths of Weisfeiler–Lehman, the lengths of substrings.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The name of the kernels that share blocks.
    pub name: &'static str,
    /// The blocks of this one.
    pub range: RangeInclusive<usize>,
    /// The features of all blocks of some ranges, from one pass.
    pub count: CountBlocks,
}

/// The features of the blocks of some ranges on a sample, ascending and without empty blocks. All
/// of them are counts.
pub(crate) type CountBlocks = fn(Points<'_>, &[RangeInclusive<usize>], &Compute) -> Result<Vec<(usize, SparseRows)>>;

/// A base kernel bound to objects.
pub(crate) trait ObjectTiles: Debug + Send + Sync {
    /// Writes `k(xᵢ, yⱼ)` for these rows and columns to `out`, row after row. A value must not
    /// depend on the rectangle that it is computed in.
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]);

    /// The same, where other kernels with the same blocks of features were computed on the same
    /// rows and columns before.
    fn fill_running(&self, rows: &[usize], cols: Range<usize>, _sums: &mut RunningSums, out: &mut [f64]) {
        self.fill(rows, cols, out);
    }

    /// `k(x, x)` for the row points, and for the column points where there are others.
    fn diagonals(&self) -> (&[f64], Option<&[f64]>);

    /// The largest `|k|` that can occur: from the diagonal of a positive semi-definite kernel
    /// (Cauchy–Schwarz).
    fn largest(&self) -> f64 {
        let (rows, cols) = self.diagonals();
        rows.iter().chain(cols.unwrap_or_default()).fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { v.max(m) })
    }

    /// Whether it is known that no value is below 0.
    fn is_non_negative(&self) -> bool {
        false
    }

    /// About how many operations a value takes.
    fn operations(&self) -> usize;

    /// `∂k/∂θ` for a parameter of the kernel, counted from 0, where it has any.
    fn fill_derivative(&self, _own: usize, _rows: &[usize], _cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// Whether derivatives cost about as much as values.
    fn has_quick_slopes(&self) -> bool {
        false
    }

    /// `∂k(x, x)/∂θ` for the rows and for the columns.
    fn diagonal_derivatives(&self, _own: usize) -> (Vec<f64>, Vec<f64>) {
        let (rows, cols) = self.diagonals();
        (vec![0.0; rows.len()], vec![0.0; cols.unwrap_or(rows).len()])
    }

    /// Whether the points are vectors, so that there is a value for a pair of them.
    fn is_on_vectors(&self) -> bool {
        false
    }

    /// The sparse features whose inner products the values are, of the rows and of the columns.
    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        None
    }
}
