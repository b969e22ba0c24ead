//! Drawing frequencies, term by term.

use ndarray::{Array1, Array2};

use super::spec::{FourierForm, RandomFourier};
use super::transform::FourierFeatures;
use crate::features::sampling::Source;
use crate::features::spectral::{Frames, FrequencyDistribution, Term};
use crate::features::{Sampling, SpectralMeasure};
use crate::{Compute, Error, Result};

pub(super) fn features(
    spec: &RandomFourier,
    measure: &SpectralMeasure,
    count: usize,
    compute: &Compute,
) -> Result<FourierFeatures> {
    let terms = measure.terms();
    let shares = allocate(terms, count)?;
    let mut frequencies = Array2::zeros((count, measure.columns()));
    let (mut offsets, mut amplitudes) = (Array1::zeros(count), Array1::zeros(count));
    let mut start = 0;
    for (index, (term, share)) in terms.iter().zip(shares).enumerate() {
        // The components of the term share its mass: all sines and cosines of a term have one
        // amplitude, also a last one without a sine.
        let components = match spec.form {
            FourierForm::Offset => share,
            FourierForm::Pair => spec.components.min(2 * (start + share)) - 2 * start,
        };
        let amplitude = (2.0 * term.mass / components as f64).sqrt();
        let mut drawing = Drawing::new(spec.sampling, index, compute);
        for row in start..start + share {
            amplitudes[row] = amplitude;
            offsets[row] =
                drawing.next(&term.distribution, frequencies.row_mut(row).as_slice_mut().unwrap_or_default());
        }
        start += share;
    }
    FourierFeatures::new(spec, frequencies, offsets, amplitudes)
}

/// Frequencies of one term.
struct Drawing {
    source: Source,
    frames: Option<Frames>,
}

impl Drawing {
    fn new(sampling: Sampling, term: usize, compute: &Compute) -> Self {
        let stream = compute.seed().stream("random frequencies", term as u64);
        let frames = (sampling == Sampling::Orthogonal).then(Frames::default);
        Self { source: Source::new(stream, sampling), frames }
    }

    /// Writes a frequency and gives its offset.
    fn next(&mut self, distribution: &FrequencyDistribution, out: &mut [f64]) -> f64 {
        let turn = self.source.uniform();
        distribution.draw(&mut self.source, self.frames.as_mut(), out);
        self.source.advance();
        // √2 cos(π/4) = 1: the constant is exact.
        if matches!(distribution, FrequencyDistribution::Zero) {
            std::f64::consts::FRAC_PI_4
        } else {
            std::f64::consts::TAU * turn
        }
    }
}

/// How many frequencies each term gets.
fn allocate(terms: &[Term], count: usize) -> Result<Vec<usize>> {
    let masses: Vec<(f64, bool)> =
        terms.iter().map(|t| (t.mass, matches!(t.distribution, FrequencyDistribution::Zero))).collect();
    allocate_by_mass(&masses, count)
}

/// How many random features each term gets, by its mass and whether it is constant: one for a
/// constant, the others in proportion to their masses, which has the least variance; at least one.
pub(crate) fn allocate_by_mass(terms: &[(f64, bool)], count: usize) -> Result<Vec<usize>> {
    if count < terms.len() {
        let requirement = format!("enough for at least {} random draws, one for each term of the kernel", terms.len());
        return Err(Error::parameter("components", count, &requirement));
    }
    let all_constant = terms.iter().all(|(_, constant)| *constant);
    let mut shares = vec![1; terms.len()];
    for _ in 0..count - terms.len() {
        // The next one goes where a term has most mass for each that it has, the first of equals.
        let merit = |i: usize| if terms[i].1 && !all_constant { -1.0 } else { terms[i].0 / shares[i] as f64 };
        let best = (1..terms.len()).fold(0, |best, i| if merit(i) > merit(best) { i } else { best });
        shares[best] += 1;
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_go_where_the_mass_is() {
        let kernel = "3*gaussian() + 2 + laplacian() + 0*sinc()".parse().unwrap();
        let measure = SpectralMeasure::of(&kernel, 1).unwrap();
        let shares = allocate(measure.terms(), 102).unwrap();
        let masses: Vec<f64> = measure.terms().iter().map(|t| t.mass).collect();
        assert_eq!(shares.iter().sum::<usize>(), 102);
        for (mass, share) in masses.iter().zip(&shares) {
            let expected = match mass {
                3.0 => 75,
                1.0 => 25,
                _ => 1,
            };
            assert_eq!(*share, expected, "{masses:?} {shares:?}");
        }
        assert!(allocate(measure.terms(), 3).is_err());
    }
}
