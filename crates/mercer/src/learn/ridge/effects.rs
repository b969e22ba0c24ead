//! The components of a ridge regression with a sum of kernels.

use super::RidgeFit;
use crate::function::Component;
use crate::learn::additive::{Additive, PartialEffect};
use crate::{Compute, Result};

impl RidgeFit {
    /// The components of one output for a kernel `k₁ + … + k_p`, as functions of their own spaces,
    /// with the shares of the norm.
    ///
    /// # Errors
    /// As [`RidgeFit::function`] and [`Expansion::components`](crate::Expansion::components).
    pub fn components(&self, output: usize, compute: &Compute) -> Result<Vec<Component>> {
        self.function(output, compute)?.components(compute)
    }

    /// The components of one output as effects of the columns that they depend on, centered over
    /// the data, with standard errors on a grid of `resolution` positions per column.
    ///
    /// # Formula
    /// `fⱼ(x) − f̄ⱼ` with `fⱼ = Σ αᵢkⱼ(·, xᵢ)`. Its variance is that of the Gaussian process of
    /// [`RidgeFit::standard_errors`], with `kⱼ` centered over the data instead of `k` (the whole
    /// `K` stays in `A`).
    ///
    /// # Cost
    /// A factor of `n³/3`; `n²` per part and per place of a grid.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a resolution below 2 or an output that is
    /// not there; as [`RidgeFit::standard_errors`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::Ridge};
    /// use ndarray::array;
    /// let (x, y) = (array![[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]], array![[0.0], [1.1], [1.9], [3.0]]);
    /// let ridge = Ridge::new("on([0], linear()) + on([1], linear())".parse()?, 0.1);
    /// let effects = ridge.fit(x.view(), y.view(), None, &Compute::new())?.partial_effects(0, 2, &Compute::new())?;
    /// // The first column explains nearly all.
    /// assert_eq!((effects[0].columns.as_slice(), effects[1].columns.as_slice()), ([0].as_slice(), [1].as_slice()));
    /// assert!(effects[0].variance_share > 0.95 && effects[0].norm_share > 0.95);
    /// assert_eq!(effects[0].grid.as_ref().unwrap().axes[0], array![0.0, 3.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn partial_effects(&self, output: usize, resolution: usize, compute: &Compute) -> Result<Vec<PartialEffect>> {
        let function = self.function(output, compute)?;
        let conditional = self.conditional(compute)?;
        let scale = self.noise_with(&conditional, compute)?[output] / self.lambda;
        let points = self.points().vectors()?;
        Additive { function, points, conditional: &conditional, scale, resolution }.effects(compute)
    }
}
