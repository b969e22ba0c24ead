//! What the suite asks of a kernel.

use ndarray::{Array1, Array2, ArrayView2};

use crate::kernel::Property;
use crate::{Compute, Result};

/// Values in single precision, with what is promised of them.
#[derive(Clone, Debug)]
pub struct SingleTile {
    /// `k̂(xᵢ, xⱼ)`.
    pub values: Array2<f32>,
    /// A bound on `|k̂ − k|`.
    pub error: f64,
}

/// A kernel that the suite can test. `name` and `value` are all that it must have; a method that is left out makes its laws
/// not applicable.
pub trait TestedKernel: Sync {
    /// What reports call it.
    fn name(&self) -> String;

    /// `k(x, y)` for one pair: the reference that everything else is compared with.
    ///
    /// # Errors
    /// Outside of the domain.
    fn value(&self, x: &[f64], y: &[f64]) -> Result<f64>;

    /// The matrix of a sample with itself (`y` is `None`), or between two samples, if there is a faster way than pair by pair.
    ///
    /// # Errors
    /// If the points do not fit.
    fn matrix(
        &self,
        _x: ArrayView2<f64>,
        _y: Option<ArrayView2<f64>>,
        _compute: &Compute,
    ) -> Result<Option<Array2<f64>>> {
        Ok(None)
    }

    /// `k(xᵢ, xᵢ)`, if there is a faster way than pair by pair.
    ///
    /// # Errors
    /// If the points do not fit.
    fn diagonal(&self, _x: ArrayView2<f64>, _compute: &Compute) -> Result<Option<Array1<f64>>> {
        Ok(None)
    }

    /// The matrix of a sample in single precision, if there is one.
    ///
    /// # Errors
    /// If the points do not fit.
    fn single(&self, _x: ArrayView2<f64>, _compute: &Compute) -> Result<Option<SingleTile>> {
        Ok(None)
    }

    /// The values of the continuous parameters.
    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The matrix of `∂k/∂θ` of a sample for a parameter, by its position.
    ///
    /// # Errors
    /// If the points do not fit.
    fn derivative(&self, _parameter: usize, _x: ArrayView2<f64>, _compute: &Compute) -> Result<Option<Array2<f64>>> {
        Ok(None)
    }

    /// `Σ gᵢⱼ ∂kᵢⱼ/∂θ` for all parameters at once, if there is a faster way than matrix by matrix.
    ///
    /// # Errors
    /// If the points do not fit.
    fn contracted(&self, _g: ArrayView2<f64>, _x: ArrayView2<f64>, _compute: &Compute) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// `k(x, y)` with the parameter at `θ + h` minus its value with the parameter at `θ − h`; `None` where one of the two is
    /// out of range.
    ///
    /// # Errors
    /// Outside of the domain.
    fn difference(&self, _parameter: usize, _h: f64, _x: &[f64], _y: &[f64]) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Whether the text of the kernel makes the same kernel again, if it has a text.
    fn keeps_its_text(&self) -> Option<bool> {
        None
    }

    /// Whether the kernel is said to have a property on vectors of so many columns.
    fn claims(&self, _property: Property, _columns: usize) -> bool {
        false
    }

    /// An upper bound of `k(x, x)`, if one is claimed.
    fn bound(&self) -> Option<f64> {
        None
    }
}
