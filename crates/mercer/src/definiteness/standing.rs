//! The check of methods that need a positive semi-definite kernel.

use super::check::{CheckOptions, CheckVerdict, check};
use crate::kernel::{Property, Verdict};
use crate::{Compute, Error, Kernel, Result};

/// The result of the check that a kernel is positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Positive semi-definite by proof.
    Proven,
    /// Not proven, and no counterexample was found.
    NotRefuted,
}

/// Refuses kernels that are not positive semi-definite.
///
/// # Errors
/// [`Error::NotPositiveDefinite`] with the proof or the counterexample; otherwise as [`check`].
///
/// # Example
/// ```
/// use mercer::definiteness::{Standing, require_psd};
/// use mercer::{Compute, Kernel};
/// let k: Kernel = "gaussian() + linear()".parse()?;
/// assert_eq!(require_psd(&k, &Compute::new())?, Standing::Proven);
/// let k: Kernel = "tanh()".parse()?;
/// assert!(require_psd(&k, &Compute::new()).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn require_psd(kernel: &Kernel, compute: &Compute) -> Result<Standing> {
    if kernel.property(Property::PositiveSemidefinite).is_proven() {
        return Ok(Standing::Proven);
    }
    let found = check(kernel, None, &CheckOptions::default(), compute)?;
    match (found.verdict, found.rules) {
        (CheckVerdict::Proven(_), _) => Ok(Standing::Proven),
        (CheckVerdict::Refuted(counterexample), _) => Err(Error::NotPositiveDefinite {
            kernel: kernel.to_string(),
            reason: counterexample.to_string(),
            counterexample: Some(Box::new(counterexample)),
        }),
        (CheckVerdict::NotRefuted, Verdict::Refuted(proof)) => Err(Error::NotPositiveDefinite {
            kernel: kernel.to_string(),
            reason: proof.to_string(),
            counterexample: None,
        }),
        (CheckVerdict::NotRefuted, _) => Ok(Standing::NotRefuted),
    }
}
