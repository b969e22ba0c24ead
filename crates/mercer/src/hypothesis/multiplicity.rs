//! Many tests at once: p-values adjusted for their number.

use crate::error::AllowedRange;
use crate::{Error, Result};

/// How p-values of several tests are adjusted.
///
/// # Formula
/// For `m` p-values, ascending `p₍₁₎ ≤ … ≤ p₍ₘ₎`:
///
/// | correction | adjusted value | holds for |
/// |---|---|---|
/// | Bonferroni | `m·p` | any dependence; chance of one false rejection ≤ level |
/// | Holm | `max_{j≤i} (m − j + 1)p₍ⱼ₎` | the same, and never less powerful |
/// | Benjamini–Hochberg | `min_{j≥i} (m/j)p₍ⱼ₎` | independent or positively dependent tests; share of false rejections ≤ level |
/// | Benjamini–Yekutieli | that times `Σ_{j≤m} 1/j` | any dependence; share of false rejections ≤ level |
///
/// all cut at 1. A hypothesis is rejected when its adjusted value is at most the level.
///
/// # Example
/// ```
/// use mercer::hypothesis::Correction;
/// let p = [0.01, 0.04, 0.03, 0.005];
/// let rounded = |adjusted: Vec<f64>| adjusted.iter().map(|p| (p * 1e6).round() / 1e6).collect::<Vec<_>>();
/// assert_eq!(rounded(Correction::Holm.adjust(&p)?), [0.03, 0.06, 0.06, 0.02]);
/// assert_eq!(rounded(Correction::BenjaminiHochberg.adjust(&p)?), [0.02, 0.04, 0.04, 0.02]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Correction {
    /// None: each test by itself.
    None,
    /// Every p-value times their number.
    Bonferroni,
    /// Step-down (Holm 1979).
    #[default]
    Holm,
    /// Step-up, for the rate of false discoveries (Benjamini, Hochberg 1995).
    BenjaminiHochberg,
    /// The same under any dependence (Benjamini, Yekutieli 2001).
    BenjaminiYekutieli,
}

impl Correction {
    /// The adjusted p-values, in the order of the given ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value outside of `[0, 1]`.
    pub fn adjust(self, p_values: &[f64]) -> Result<Vec<f64>> {
        if let Some(p) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Error::parameter("p_value", p, AllowedRange::OPEN_UNIT));
        }
        let count = p_values.len() as f64;
        let factors: Vec<f64> = match self {
            Self::None => vec![1.0; p_values.len()],
            Self::Bonferroni => vec![count; p_values.len()],
            Self::Holm => (0..p_values.len()).map(|i| count - i as f64).collect(),
            Self::BenjaminiHochberg => (1..=p_values.len()).map(|i| count / i as f64).collect(),
            Self::BenjaminiYekutieli => {
                let harmonic: f64 = (1..=p_values.len()).map(|i| 1.0 / i as f64).sum();
                (1..=p_values.len()).map(|i| harmonic * count / i as f64).collect()
            }
        };
        Ok(stepped(p_values, &factors, matches!(self, Self::BenjaminiHochberg | Self::BenjaminiYekutieli)))
    }
}

/// The sorted values times their factors, made monotone: from the largest down by minima, or from
/// the smallest up by maxima.
fn stepped(p_values: &[f64], factors: &[f64], up: bool) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let ranked = order.iter().zip(factors).map(|(&at, factor)| (at, (factor * p_values[at]).min(1.0)));
    let mut bar = if up { 1.0_f64 } else { 0.0 };
    let mut put = |(at, value): (usize, f64)| {
        bar = if up { bar.min(value) } else { bar.max(value) };
        adjusted[at] = bar;
    };
    if up {
        ranked.rev().for_each(&mut put)
    } else {
        ranked.for_each(&mut put)
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of R's `p.adjust(c(.001, .008, .039, .041, .042, .06, .074, .205), …)`.
    #[test]
    fn adjusted_values_of_a_textbook() {
        let p = [0.042, 0.001, 0.205, 0.008, 0.039, 0.06, 0.041, 0.074];
        let check = |correction: Correction, expected: [f64; 8]| {
            let found = correction.adjust(&p).unwrap();
            found
                .iter()
                .zip(expected)
                .for_each(|(f, e)| assert_close!(*f, e, abs = 1e-12, "{correction:?}: {found:?}"));
        };
        check(Correction::None, p);
        check(Correction::Bonferroni, [0.336, 0.008, 1.0, 0.064, 0.312, 0.48, 0.328, 0.592]);
        check(Correction::Holm, [0.234, 0.008, 0.234, 0.056, 0.234, 0.234, 0.234, 0.234]);
        check(Correction::BenjaminiHochberg, [0.0672, 0.008, 0.205, 0.032, 0.0672, 0.08, 0.0672, 0.592 / 7.0]);
        let harmonic: f64 = (1..=8).map(|i| 1.0 / f64::from(i)).sum();
        let hochberg = Correction::BenjaminiHochberg.adjust(&p).unwrap();
        check(Correction::BenjaminiYekutieli, std::array::from_fn(|i| (harmonic * hochberg[i]).min(1.0)));
    }

    #[test]
    fn what_is_not_a_probability_is_refused() {
        for p in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(Correction::Holm.adjust(&[0.5, p]), Err(Error::Parameter { .. })));
        }
        assert_eq!(Correction::Holm.adjust(&[]).unwrap(), Vec::<f64>::new());
    }
}
