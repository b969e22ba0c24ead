//! Sums over the derivatives of a matrix: for gradients of traces.

use ndarray::{ArrayView2, s};
use rayon::prelude::*;

use super::Bound;
use crate::{Compute, Error, Result};

/// Rows of a tile of derivatives.
const TILE: usize = 32;
/// Up to this many values the work is serial: it takes less time than waking up other threads.
const SMALL: usize = 192 * 192;
/// Columns of a tile of derivatives.
const WIDTH: usize = 256;

impl Bound<'_> {
    /// `Σᵢⱼ gᵢⱼ ∂kᵢⱼ/∂θ = tr(Gᵀ ∂K/∂θ)` for every parameter of
    /// [`Kernel::parameters`](crate::Kernel::parameters).
    ///
    /// # Cost
    /// One derivative by the metric of every base kernel, however many lengthscales it has, and one
    /// by each of its shapes; in tiles, none of them kept. The same bytes for any number of
    /// threads.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `G` has the shape of `K`, [`Error::Canceled`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel, gram::Pairs};
    /// use ndarray::array;
    /// let (compute, x) = (Compute::new(), array![[1.0], [2.0]]);
    /// let k: Kernel = "3*linear()".parse()?;
    /// // ∂K/∂scale = xxᵀ, whose entries have the sum (1 + 2)².
    /// let sums = k.bind(Pairs::within(x.view()), &compute)?.contract_derivatives(array![[1.0, 1.0], [1.0, 1.0]].view(), &compute)?;
    /// assert_eq!(sums, [9.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn contract_derivatives(&self, g: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        if g.dim() != self.shape {
            let (expected, found) = (format!("{:?}", self.shape), format!("{:?}", g.dim()));
            return Err(Error::shape("factors of the derivatives", expected, found));
        }
        let all = vec![true; self.kernel.parameter_count()];
        self.contract_requested(g, &all, compute)
    }

    /// The same for the parameters requested; 0 for the others.
    pub(crate) fn contract_requested(
        &self,
        g: ArrayView2<f64>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let (n, columns) = self.shape;
        let tile = |t: usize| {
            compute.check_canceled()?;
            let rows = t * TILE..n.min((t + 1) * TILE);
            let mut sums = vec![0.0; self.kernel.parameter_count()];
            for start in (0..columns).step_by(WIDTH) {
                let cols = start..columns.min(start + WIDTH);
                let weights: Vec<f64> = g.slice(s![rows.clone(), cols.clone()]).iter().copied().collect();
                self.contract_tile(rows.clone(), cols, &weights, requested, &mut sums);
            }
            Ok(sums)
        };
        let count = n.div_ceil(TILE);
        let parts: Result<Vec<Vec<f64>>> = if n * columns <= SMALL {
            (0..count).map(tile).collect()
        } else {
            compute.install(|| (0..count).into_par_iter().map(tile).collect())
        };
        let mut sums = vec![0.0; self.kernel.parameter_count()];
        for part in parts? {
            sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
        Ok(sums)
    }
}
