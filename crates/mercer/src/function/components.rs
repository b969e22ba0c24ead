//! Components of a function in a sum of spaces.

use super::Expansion;
use crate::{Compute, Kernel, Result};

/// A component `fⱼ ∈ ℋⱼ` of `f ∈ ℋ₁ + … + ℋₘ`.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The component as a function of the space of its own kernel.
    pub function: Expansion,
    /// `‖fⱼ‖²` in that space.
    pub squared_norm: f64,
    /// `‖fⱼ‖²/‖f‖²`; the shares add up to 1 (0 each for `f = 0`).
    pub share: f64,
}

impl Expansion {
    /// The components of `f` for a kernel `k = k₁ + … + kₘ`: `fⱼ = Σ αᵢ kⱼ(·, xᵢ)`.
    ///
    /// # Theory
    /// Among all splits `f = f₁ + … + fₘ` with `fⱼ ∈ ℋⱼ` this one has the least `Σ ‖fⱼ‖²`, and the
    /// least is `‖f‖²` (Aronszajn 1950). A scale in front of a sum is passed on to its terms. A
    /// kernel that is no sum has one component.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Expansion, Kernel};
    /// use ndarray::array;
    /// let k: Kernel = "on([0], linear()) + on([1], linear())".parse()?;
    /// let f = Expansion::new(&k, array![[3.0, 4.0]].view(), array![1.0].view(), &Compute::new())?;
    /// let shares: Vec<f64> = f.components(&Compute::new())?.iter().map(|c| c.share).collect();
    /// assert_eq!(shares, [0.36, 0.64]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn components(&self, compute: &Compute) -> Result<Vec<Component>> {
        let functions = summands(self.kernel(), 1.0)?.into_iter().map(|k| self.with_kernel(k));
        let norms = functions
            .map(|function| function.squared_norm(compute).map(|squared_norm| (function, squared_norm)))
            .collect::<Result<Vec<_>>>()?;
        let total: f64 = norms.iter().map(|(_, n)| n).sum();
        let share = |squared_norm: f64| if total > 0.0 { squared_norm / total } else { 0.0 };
        Ok(norms
            .into_iter()
            .map(|(function, squared_norm)| Component { function, squared_norm, share: share(squared_norm) })
            .collect())
    }
}

/// The terms of a sum, each with the scales in front of it.
fn summands(kernel: &Kernel, scale: f64) -> Result<Vec<Kernel>> {
    match kernel {
        Kernel::Sum(terms) => Ok(terms.iter().map(|k| summands(k, scale)).collect::<Result<Vec<_>>>()?.concat()),
        Kernel::Scale(a, inner) if matches!(**inner, Kernel::Sum(_)) => summands(inner, scale * a.get()),
        single if scale == 1.0 => Ok(vec![single.clone()]),
        single => Ok(vec![single.clone().scaled(scale)?]),
    }
}
