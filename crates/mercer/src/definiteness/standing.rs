//! The check of methods that need a positive semi-definite kernel.

use ndarray::Array2;

use super::check::{Check, CheckOptions, CheckVerdict, check};
use crate::kernel::{Property, Verdict};
use crate::{Compute, Error, Kernel, Points, Result};

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
    standing(kernel, check(kernel, None, &CheckOptions::default(), compute)?)
}

/// As [`require_psd`], on vectors of so many columns: some kernels are positive definite up to a dimension.
///
/// # Errors
/// As [`require_psd`].
///
/// # Example
/// ```
/// use mercer::definiteness::{Standing, require_psd_on};
/// use mercer::{Compute, Kernel};
/// let k: Kernel = "gaussian()".parse()?;
/// assert_eq!(require_psd_on(&k, 5, &Compute::new())?, Standing::Proven);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn require_psd_on(kernel: &Kernel, columns: usize, compute: &Compute) -> Result<Standing> {
    let rules = kernel.property_on(Property::PositiveSemidefinite, columns);
    if rules.is_proven() {
        return Ok(Standing::Proven);
    }
    if rules.as_option() == kernel.property(Property::PositiveSemidefinite).as_option() {
        return require_psd(kernel, compute);
    }
    let no_rows = Array2::zeros((0, columns));
    standing(kernel, check(kernel, Some(Points::Vectors(no_rows.view())), &CheckOptions::default(), compute)?)
}

/// As [`require_psd`], for a fit on these points: precomputed kernel values are checked by the fit
/// itself.
///
/// # Errors
/// As [`require_psd`].
pub(crate) fn require_psd_for(kernel: &Kernel, points: Points<'_>, compute: &Compute) -> Result<()> {
    match points {
        Points::Vectors(x) => require_psd_on(kernel, x.ncols(), compute).map(drop),
        Points::Sparse(x) => require_psd_on(kernel, x.width(), compute).map(drop),
        Points::Precomputed(_) | Points::References(_) => Ok(()),
        _ => require_psd(kernel, compute).map(drop),
    }
}

fn standing(kernel: &Kernel, found: Check) -> Result<Standing> {
    match (found.verdict, found.rules) {
        (CheckVerdict::Proven(_), _) => Ok(Standing::Proven),
        (CheckVerdict::Refuted(counterexample), _) => Err(Error::NotPositiveDefinite {
            kernel: kernel.short(),
            reason: counterexample.to_string(),
            counterexample: Some(Box::new(counterexample)),
        }),
        (CheckVerdict::NotRefuted, Verdict::Refuted(proof)) => {
            Err(Error::NotPositiveDefinite { kernel: kernel.short(), reason: proof.to_string(), counterexample: None })
        }
        (CheckVerdict::NotRefuted, _) => Ok(Standing::NotRefuted),
    }
}
