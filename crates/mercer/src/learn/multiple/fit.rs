//! Fits with a weighted sum of kernels.

use ndarray::{Array2, ArrayView2, Axis};

use super::weights::KernelWeights;
use crate::learn::RidgeFit;
use crate::learn::svm::{OneClassFit, SvcFit};
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result, Sample};

/// A fitted [`MultipleKernelRidge`](super::MultipleKernelRidge).
#[derive(Clone, Debug)]
pub struct MultipleRidgeFit {
    pub(super) weights: KernelWeights,
    pub(super) shares: Vec<f64>,
    pub(super) fit: RidgeFit,
    pub(crate) settings: Settings,
}

/// A fitted [`MultipleKernelSvc`](super::MultipleKernelSvc).
#[derive(Clone, Debug)]
pub struct MultipleSvcFit {
    pub(super) weights: KernelWeights,
    pub(super) shares: Vec<f64>,
    pub(super) fit: SvcFit,
    pub(crate) settings: Settings,
}

/// A fitted [`MultipleKernelOneClass`](super::MultipleKernelOneClass).
#[derive(Clone, Debug)]
pub struct MultipleOneClassFit {
    pub(super) weights: KernelWeights,
    pub(super) shares: Vec<f64>,
    pub(super) fit: OneClassFit,
    pub(crate) settings: Settings,
}

/// What all three have.
macro_rules! weighted {
    ($fit:ident) => {
        impl $fit {
            /// The weights of the kernels, with the evidence for them.
            pub fn weights(&self) -> &KernelWeights {
                &self.weights
            }

            /// Each kernel's share of `‖f‖²`, in the order of the kernels: `wₘαᵀKₘα` over the total,
            /// summed over outputs or binary SVMs. They add up to 1, or are all 0 for `f = 0`.
            pub fn shares(&self) -> &[f64] {
                &self.shares
            }

            /// The weighted sum of the kernels.
            pub fn kernel(&self) -> &Kernel {
                self.fit.kernel()
            }

            /// The settings of the fit; empty for a fit from a file that does not store them.
            pub fn settings(&self) -> &Settings {
                &self.settings
            }
        }
    };
}

weighted!(MultipleRidgeFit);
weighted!(MultipleSvcFit);
weighted!(MultipleOneClassFit);

impl MultipleRidgeFit {
    pub(super) fn new(
        weights: KernelWeights,
        fit: RidgeFit,
        x: Points<'_>,
        settings: Settings,
        compute: &Compute,
    ) -> Result<Self> {
        let shares = shares(&weights, x, None, fit.dual_coefficients(), compute)?;
        Ok(Self { weights, shares, fit, settings })
    }

    /// The ridge regression with the weighted kernel.
    pub fn ridge(&self) -> &RidgeFit {
        &self.fit
    }

    /// As [`RidgeFit::predict`].
    ///
    /// # Errors
    /// As [`RidgeFit::predict`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.fit.predict(x, compute)
    }
}

impl MultipleSvcFit {
    pub(super) fn new(
        weights: KernelWeights,
        fit: SvcFit,
        x: Points<'_>,
        settings: Settings,
        compute: &Compute,
    ) -> Result<Self> {
        let shares = shares(&weights, x, Some(fit.support()), fit.coefficients_by_machine().view(), compute)?;
        Ok(Self { weights, shares, fit, settings })
    }

    /// The classifier with the weighted kernel.
    pub fn svc(&self) -> &SvcFit {
        &self.fit
    }

    /// As [`SvcFit::predict`].
    ///
    /// # Errors
    /// As [`SvcFit::predict`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        self.fit.predict(x, compute)
    }
}

impl MultipleOneClassFit {
    pub(super) fn new(
        weights: KernelWeights,
        fit: OneClassFit,
        x: Points<'_>,
        settings: Settings,
        compute: &Compute,
    ) -> Result<Self> {
        let column = ndarray::ArrayView1::from(fit.dual_coefficients()).insert_axis(Axis(1));
        let shares = shares(&weights, x, Some(fit.support()), column, compute)?;
        Ok(Self { weights, shares, fit, settings })
    }

    /// The one-class machine with the weighted kernel.
    pub fn one_class(&self) -> &OneClassFit {
        &self.fit
    }

    /// As [`OneClassFit::decisions`].
    ///
    /// # Errors
    /// As [`OneClassFit::decisions`].
    pub fn decisions<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<f64>> {
        self.fit.decisions(x, compute)
    }
}

/// The shares of functions on all points, or on some of them.
fn shares(
    weights: &KernelWeights,
    x: Points<'_>,
    rows: Option<&[usize]>,
    alpha: ArrayView2<f64>,
    compute: &Compute,
) -> Result<Vec<f64>> {
    match rows {
        None => weights.shares(x, alpha, compute),
        Some(rows) => weights.shares(Sample::select(x, rows).as_points(), alpha, compute),
    }
}
