//! A kernel bound to data: checked once, per-point work done once, ready to compute tiles.

mod bind;
mod columnwise;
mod contract;
mod diagonal;
mod diagonal_slopes;
mod embedding;
mod error_bound;
mod family;
mod features;
mod fill;
mod formula;
mod gradient;
mod kept;
mod node;
mod node_paths;
mod range;
mod shared;
mod slots;
mod sparse;
mod tangent;

use std::ops::Range;
use std::sync::OnceLock;

use ndarray::{Array1, Array2};

pub(crate) use self::family::KernelFamily;
use self::fill::Tile;
pub(super) use self::kept::KeptColumns;
use self::node::Node;
pub(super) use self::node_paths::vertex_vectors;
pub(crate) use self::shared::KernelList;
use self::slots::Slots;
use super::{Rows, SparseRows, Tiles};
use crate::error::MemoryPurpose;
use crate::kernel::sparse_rows::RowsAndColumns;
use crate::kernel::{Kernel, Property};
use crate::{Compute, Error, Precision, Result};

/// A kernel bound to pairs of points: what [`Kernel::bind`] gives.
///
/// Medians are resolved and column choices, transformations, norms and features are computed;
/// [`Tiles::fill`] then cannot fail. Nodes of the expression that share a metric share its tile.
#[derive(Debug)]
pub struct Bound<'a> {
    kernel: Kernel,
    shape: (usize, usize),
    symmetric: bool,
    slots: Slots,
    root: Node<'a>,
    /// Whether the values were precomputed, so that there are no points.
    precomputed: bool,
    /// Whether values and distances fit into single precision.
    fits_single: bool,
    /// The features of a composed kernel, made when they are first requested.
    composed: OnceLock<Option<RowsAndColumns>>,
}

impl Bound<'_> {
    /// The kernel with every median resolved to the number that is used.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Whether the rules prove that the kernel is positive semi-definite on as many columns as the points have.
    pub(crate) fn is_proven_psd(&self) -> bool {
        let psd = Property::PositiveSemidefinite;
        let dense = || self.slots.points.first().map(|slot| slot.rows.ncols()).filter(|_| !self.root.has_objects());
        let columns = self.slots.dimension.or_else(dense);
        columns.map_or_else(|| self.kernel.property(psd), |d| self.kernel.property_on(psd, d)).is_proven()
    }

    /// Whether the rules prove that no value is negative.
    pub(crate) fn is_proven_non_negative(&self) -> bool {
        range::is_positive(&self.root)
    }

    /// The vectors of the rows, or those of the columns.
    fn instances(&self, columns: bool) -> ndarray::ArrayView2<'_, f64> {
        let slot = &self.slots.points[0];
        if columns { slot.columns().view() } else { slot.rows.view() }
    }

    /// `∂k/∂θ` for a parameter of [`Kernel::parameters`], on a tile.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such parameter, [`Error::Value`] with the largest entry
    /// of the points where a derivative leaves the range of the numbers.
    pub fn fill_derivative(
        &self,
        parameter: usize,
        rows: Range<usize>,
        cols: Range<usize>,
        out: &mut [f64],
    ) -> Result<()> {
        let count = self.kernel.parameter_count();
        if parameter >= count {
            return Err(Error::parameter("parameter", parameter, ..count));
        }
        tangent::fill(self, parameter, rows, cols, out);
        self.check_slopes(out)
    }

    /// Refuses slopes that are not numbers.
    fn check_slopes(&self, slopes: &[f64]) -> Result<()> {
        if slopes.iter().any(|slope| slope.is_nan()) {
            return Err(range::unrepresentable(&self.root, &self.slots));
        }
        Ok(())
    }

    /// `k(xᵢ, xᵢ)` for the row points.
    ///
    /// # Errors
    /// [`Error::Precomputed`] for a matrix made elsewhere that is not symmetric.
    pub fn diagonal(&self) -> Result<Array1<f64>> {
        diagonal::rows(self)
    }

    /// A bound on `|k̂ − k|` over all values that [`Tiles::fill_single`] writes, where one is
    /// known.
    pub fn single_error(&self) -> Option<f64> {
        error_bound::single(self)
    }

    /// The whole derivative matrix `∂K/∂θ`, for small problems.
    ///
    /// # Errors
    /// As [`Bound::fill_derivative`], and [`Error::Memory`] over the limit.
    pub fn derivative(&self, parameter: usize, compute: &Compute) -> Result<Array2<f64>> {
        let (n, m) = self.shape;
        compute.reserve(
            MemoryPurpose::KernelMatrix,
            "the matrix of derivatives",
            8 * n as u64 * m as u64,
            "use fewer points or ask for tiles",
        )?;
        let mut out = Array2::zeros((n, m));
        if let Some(slice) = out.as_slice_mut() {
            self.fill_derivative(parameter, 0..n, 0..m, slice)?;
            // A slope below 0 times a distance of 0 is −0, which people would see printed.
            slice.iter_mut().for_each(|v| *v += 0.0);
        }
        Ok(out)
    }
}

impl Tiles for Bound<'_> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn prepare(&self, precision: Precision, compute: &Compute) {
        self.slots.metrics.iter().for_each(|shared| shared.metric.prepare(precision, compute));
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        Tile::new(&self.slots, rows, cols, self.symmetric).fill(&self.root, out);
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        if self.fits_single {
            return Tile::new(&self.slots, rows, cols, self.symmetric).fill(&self.root, out);
        }
        rounded(out, |wide| self.fill(rows, cols, wide));
    }

    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        Tile::new(&self.slots, Rows::List(rows), cols, self.symmetric).fill(&self.root, out);
    }

    fn fill_rows_single(&self, rows: &[usize], cols: Range<usize>, out: &mut [f32]) {
        if self.fits_single {
            return Tile::new(&self.slots, Rows::List(rows), cols, self.symmetric).fill(&self.root, out);
        }
        rounded(out, |wide| self.fill_rows(rows, cols, wide));
    }

    fn submatrix(&self, points: &[usize]) -> Option<Box<dyn Tiles + '_>> {
        if self.precomputed || !self.symmetric || self.root.has_own_tiles() {
            return None;
        }
        bind::bind_some(self, points).map(|bound| Box::new(bound) as Box<dyn Tiles>)
    }

    fn operations(&self) -> usize {
        // An exponential, and what else a node does with a value.
        let metrics: usize = self.slots.metrics.iter().map(|shared| shared.metric.operations() + 10).sum();
        metrics + self.root.object_operations()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(diagonal::rows(self)?.to_vec())
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        Bound::features(self)
    }
}

/// A tile made in double precision and rounded: for numbers whose distances single precision does
/// not hold.
fn rounded(out: &mut [f32], fill: impl FnOnce(&mut [f64])) {
    let mut wide = vec![0.0; out.len()];
    fill(&mut wide);
    out.iter_mut().zip(wide).for_each(|(out, value)| *out = value as f32);
}
