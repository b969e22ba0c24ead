//! The components of a Gaussian process with a sum of kernels.

use ndarray::{Array1, Array2};

use super::GaussianProcessFit;
use crate::function::Component;
use crate::learn::additive::{Additive, PartialEffect};
use crate::learn::conditional::{Conditional, Observed};
use crate::{Compute, Result};

impl GaussianProcessFit {
    /// The components of the posterior mean for a kernel `k₁ + … + k_p`, as functions of their own
    /// spaces, with the shares of the norm.
    ///
    /// # Errors
    /// As [`Expansion::components`](crate::Expansion::components).
    pub fn components(&self, compute: &Compute) -> Result<Vec<Component>> {
        self.function(compute)?.components(compute)
    }

    /// The components of the process as effects of the columns that they depend on, centered over
    /// the data, with the posterior standard deviation on a grid of `resolution` positions per
    /// column.
    ///
    /// # Formula
    /// The posterior of `fⱼ(x) − f̄ⱼ`, where `f = Σ fⱼ` with independent `fⱼ ~ GP(0, kⱼ)`.
    ///
    /// # Cost
    /// A factor of `n³/3`; `n²` per part and per place of a grid.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a resolution below 2,
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Singular`](crate::Error::Singular) for a
    /// singular matrix.
    pub fn partial_effects(&self, resolution: usize, compute: &Compute) -> Result<Vec<PartialEffect>> {
        let n = self.points.len();
        let (design, points) = (Array2::zeros((n, 0)), self.points().vectors()?);
        let observed = Observed {
            kernel: self.kernel(),
            points: points.into(),
            roots: Array1::ones(n),
            design: design.view(),
            lambda: self.noise(),
        };
        let conditional = Conditional::new(observed, compute)?;
        let function = self.function(compute)?;
        Additive { function, points, conditional: &conditional, scale: 1.0, resolution }.effects(compute)
    }
}
