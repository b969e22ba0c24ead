//! The spectral measure of `exp(−tκ)` for a negative-definite `κ` on differences.

use super::Term;
use super::distribution::FrequencyDistribution;
use super::recognize::{Recognizer, refusal};
use crate::kernel::Kernel;
use crate::{Error, Result};

/// The measure of `whole = exp(−tκ)`: a sum of `κ` is a product of kernels, so frequencies add.
pub(super) fn measure(
    recognizer: &mut Recognizer,
    whole: &Kernel,
    t: f64,
    kappa: &Kernel,
    columns: usize,
) -> Result<Term> {
    match kappa {
        Kernel::Scale(a, k) if a.get() > 0.0 => measure(recognizer, whole, a.get() * t, k, columns),
        Kernel::Scale(..) => Ok(Term { mass: 1.0, distribution: FrequencyDistribution::Zero }),
        Kernel::Sum(terms) => {
            let parts = terms.iter().map(|k| measure(recognizer, whole, t, k, columns)).collect::<Result<Vec<_>>>()?;
            let mass = parts.iter().map(|p| p.mass).product();
            Ok(Term {
                mass,
                distribution: FrequencyDistribution::Sum(parts.into_iter().map(|p| p.distribution).collect()),
            })
        }
        Kernel::On(chosen, k) => {
            let mut inner = Kernel::Schoenberg(crate::kernel::number::Positive::new("t", t)?, k.clone());
            inner = inner.on(chosen.clone())?;
            recognizer.measure(&inner, columns)
        }
        Kernel::Base(base) => {
            let law = base.schoenberg_law(t).ok_or_else(|| refusal(whole, columns))?;
            if !(law.scale.is_finite() && law.scale > 0.0) {
                return Err(Error::parameter("t", t, "such that t^(1/power) is a number"));
            }
            recognizer.term(base, law, columns)
        }
        _ => Err(refusal(whole, columns)),
    }
}
