//! Support vectors.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis};

use crate::definiteness::{check_matrix, require_psd_on};
use crate::error::PrecomputedNeed;
use crate::gram::{self, Bound, Pairs, Tiles};
use crate::{Compute, Error, Kernel, Result};

/// Rows of a precomputed matrix up to which its eigenvalues are checked before the fit: the cubic
/// cost is then small. About 9·400³ = 6·10⁸ operations.
const CHECKED: usize = 400;

/// Binds a kernel to the points of a fit, after the checks of support vector machines.
pub(super) fn bind<'a>(
    kernel: &Kernel,
    x: ArrayView2<'a, f64>,
    indefinite: bool,
    compute: &Compute,
) -> Result<Bound<'a>> {
    let n = x.nrows();
    if n == 0 {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    let precomputed = kernel.is_precomputed();
    if !indefinite && !precomputed {
        require_psd_on(kernel, x.ncols(), compute)?;
    }
    let bound = rebind(kernel, x, compute)?;
    if bound.shape() != (n, n) || !bound.symmetric() {
        return Err(Error::precomputed("a fit on precomputed kernel values", PrecomputedNeed::Symmetric));
    }
    if !indefinite && precomputed && n <= CHECKED {
        refuse_indefinite(kernel, &bound, compute)?;
    }
    Ok(bound)
}

/// Binds a kernel that was checked.
pub(super) fn rebind<'a>(kernel: &Kernel, x: ArrayView2<'a, f64>, compute: &Compute) -> Result<Bound<'a>> {
    kernel.bind(if kernel.is_precomputed() { Pairs::Precomputed(x) } else { Pairs::within(x) }, compute)
}

fn refuse_indefinite(kernel: &Kernel, bound: &Bound<'_>, compute: &Compute) -> Result<()> {
    let found = check_matrix(gram::dense(bound, compute)?.view(), compute)?;
    found.counterexample().map_or(Ok(()), |counterexample| {
        Err(Error::NotPositiveDefinite {
            kernel: kernel.to_string(),
            reason: counterexample.to_string(),
            counterexample: Some(Box::new(counterexample.clone())),
        })
    })
}

/// Some points of the data in another order; of precomputed values, rows and columns.
pub(super) fn select(kernel: &Kernel, x: ArrayView2<f64>, rows: &[usize]) -> Array2<f64> {
    let chosen = x.select(Axis(0), rows);
    if kernel.is_precomputed() { chosen.select(Axis(1), rows) } else { chosen }
}

/// The support vectors of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Support {
    pub(super) kernel: Kernel,
    /// Their rows in the data.
    pub(super) indices: Vec<usize>,
    /// The points themselves; without columns for a kernel over precomputed values.
    pub(super) vectors: Array2<f64>,
    /// Columns that new points must have.
    pub(super) columns: usize,
}

impl Support {
    pub(super) fn new(kernel: &Kernel, x: ArrayView2<f64>, indices: Vec<usize>) -> Self {
        let width = if kernel.is_precomputed() { 0 } else { x.ncols() };
        let vectors = x.slice_axis(Axis(1), (0..width).into()).select(Axis(0), &indices);
        Self { kernel: kernel.clone(), indices, vectors, columns: x.ncols() }
    }

    /// `K(x, support vectors) · V`.
    pub(super) fn apply(&self, x: ArrayView2<f64>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.with_values(x, v.ncols(), compute, |bound| gram::multiply(bound, v, compute))
    }

    /// The same for some of the support vectors at a time, each time with their rows of `V`: the
    /// answers side by side.
    pub(super) fn apply_parts(
        &self,
        x: ArrayView2<f64>,
        parts: &[Range<usize>],
        v: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let columns = parts.len() * v.ncols();
        self.with_values(x, columns, compute, |bound| gram::multiply_parts(bound, parts, v, compute))
    }

    /// Work on the kernel values of new points and the support vectors; zeros where there are none.
    fn with_values(
        &self,
        x: ArrayView2<f64>,
        columns: usize,
        compute: &Compute,
        work: impl FnOnce(&Bound<'_>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        if x.ncols() != self.columns {
            return Err(Error::shape("columns of the points", self.columns, x.ncols()));
        }
        if self.indices.is_empty() || x.nrows() == 0 {
            return Ok(Array2::zeros((x.nrows(), columns)));
        }
        if self.kernel.is_precomputed() {
            let values = x.select(Axis(1), &self.indices);
            return work(&self.kernel.bind(Pairs::Precomputed(values.view()), compute)?);
        }
        work(&self.kernel.bind(Pairs::between(x, self.vectors.view()), compute)?)
    }

    /// `Σ cᵢ k(x, xᵢ)` over all support vectors.
    pub(super) fn evaluate(&self, x: ArrayView2<f64>, coefficients: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        let column = ArrayView2::from_shape((coefficients.len(), 1), coefficients)
            .map_err(|e| Error::shape("coefficients", self.indices.len(), e))?;
        Ok(self.apply(x, column, compute)?.into_raw_vec_and_offset().0)
    }
}
