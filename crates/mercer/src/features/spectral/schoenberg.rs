//! The spectral measure of `exp(−tκ)` for a negative-definite `κ` on differences.

use super::Term;
use super::distribution::FrequencyDistribution;
use super::mixing::Mixing;
use super::recognize::{Recognizer, refusal};
use crate::kernel::{Base, Kernel};
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
        Kernel::Base(Base::Constant(c)) => {
            Ok(Term { mass: (-t * c.value()).exp(), distribution: FrequencyDistribution::Zero })
        }
        Kernel::Base(Base::SquaredDistance(_)) => radial(recognizer, Mixing::Fixed, (2.0 * t).sqrt(), columns),
        // (1 + r²)^{−t}: the rational quadratic kernel with a = t and 2aℓ² = 1.
        Kernel::Base(Base::LogDistance(_)) => radial(recognizer, Mixing::Gamma(t), (2.0 * t).sqrt(), columns),
        Kernel::Base(Base::Distance(k)) => distance(recognizer, whole, t, k.power(), columns),
        _ => Err(refusal(whole)),
    }
}

/// `exp(−t r^β)`: a stable distribution of index `β`, normal for `β = 2`, Cauchy for `β = 1`.
fn distance(recognizer: &mut Recognizer, whole: &Kernel, t: f64, power: f64, columns: usize) -> Result<Term> {
    let scale = t.powf(1.0 / power);
    if !(scale.is_finite() && scale > 0.0) {
        return Err(Error::parameter("t", t, "such that t^(1/power) is a number"));
    }
    match power {
        2.0 => radial(recognizer, Mixing::Fixed, 2.0_f64.sqrt() * scale, columns),
        1.0 => radial(recognizer, Mixing::Student(0.5), scale, columns),
        p if p < 2.0 => radial(recognizer, Mixing::Stable(p / 2.0), scale, columns),
        _ => Err(refusal(whole)),
    }
}

fn radial(recognizer: &mut Recognizer, mixing: Mixing, scale: f64, columns: usize) -> Result<Term> {
    Ok(Term { mass: 1.0, distribution: recognizer.radial(mixing, vec![scale; columns]) })
}
