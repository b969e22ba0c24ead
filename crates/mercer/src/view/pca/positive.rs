//! Eigenvalues that must not be negative.

use crate::{Error, Kernel, Result};

/// Eigenvalues below this part of the largest count as 0, as in scikit-learn.
const SMALL: f64 = 1e-12;
/// Negative eigenvalues up to this part of the largest are rounding errors of the kernel values, as
/// in scikit-learn.
const NEGATIVE: f64 = 1e-5;

/// What is known of the eigenvalues of a centered matrix beside the leading ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum {
    /// Eigenvalues up to this size are rounding errors.
    pub(super) rounding: f64,
    /// Their sum.
    pub(super) trace: f64,
    /// The smallest, where all were computed.
    pub(super) smallest: Option<f64>,
}

impl Spectrum {
    /// Leading eigenvalues (descending) with 0 for those that are rounding.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] for one that is negative beyond rounding; unless indefinite
    /// kernels are allowed, also for one that is not among the leading ones: the smallest, if it
    /// was computed, or any if the leading ones exceed the trace.
    pub(super) fn checked(&self, values: &[f64], kernel: &Kernel, indefinite: bool) -> Result<Vec<f64>> {
        let largest = values.first().copied().unwrap_or(0.0);
        let negative = -(NEGATIVE * largest).max(10.0 * self.rounding);
        let left_out = self.trace - values.iter().sum::<f64>();
        let others = [self.smallest.unwrap_or(0.0), left_out];
        let seen = values.last().into_iter().chain(others.iter().filter(|_| !indefinite));
        if let Some(value) = seen.copied().find(|v| *v < negative) {
            let reason = format!(
                "There are significant negative eigenvalues of its centered matrix: {value:.3e}, beside the largest, \
                 {largest:.3e}. Ask for fewer components and allow an indefinite kernel, or repair the matrix"
            );
            return Err(Error::NotPositiveDefinite { kernel: kernel.short(), reason, counterexample: None });
        }
        let zero = (SMALL * largest).max(self.rounding);
        Ok(values.iter().map(|&v| if v > zero { v } else { 0.0 }).collect())
    }
}
