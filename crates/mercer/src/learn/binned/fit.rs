//! A fitted kernel machine on random binning features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::BinnedPlan;
use crate::features::BinningFeatures;
use crate::learn::Loss;
use crate::learn::loss::sigmoid;
use crate::{Compute, Error, Kernel, Result};

/// A fitted [`BinnedMachine`](super::BinnedMachine).
#[derive(Clone, Debug)]
pub struct BinnedFit {
    pub(super) loss: Loss,
    pub(super) lambda: f64,
    pub(super) map: BinningFeatures,
    pub(super) w: Array2<f64>,
    pub(super) b: Array1<f64>,
    pub(super) fitted: Array2<f64>,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    pub(super) plan: BinnedPlan,
}

impl BinnedFit {
    /// `f(x) = z(x)ᵀw + b`, one column per output.
    ///
    /// # Errors
    /// As [`BinningFeatures::transform`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(self.map.transform(x, compute)?.multiply(self.w.view(), compute)? + &self.b)
    }

    /// `P(y = 1) = 1/(1 + exp(−f(x)))`, for the logistic loss.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other losses; as [`BinningFeatures::transform`].
    pub fn probabilities(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        if self.loss != Loss::Logistic {
            return Err(Error::unsupported(
                "probabilities",
                format!("the loss {}", self.loss),
                "",
                "use the logistic loss",
            ));
        }
        Ok(self.predict(x, compute)?.column(0).mapv(sigmoid))
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.map.kernel()
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// `w`, one row per column of the features and one column per output.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.w.view()
    }

    /// `b` of every output; 0 when none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.b.view()
    }

    /// `f` at the points of the data.
    pub fn fitted(&self) -> ArrayView2<'_, f64> {
        self.fitted.view()
    }

    /// What was minimized, at the solution.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// Iterations of conjugate gradients.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the tolerance was reached.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &BinnedPlan {
        &self.plan
    }
}
