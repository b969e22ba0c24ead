//! Bochner: a continuous shift-invariant kernel is the Fourier transform of a finite measure, its
//! spectral measure.

mod column;
mod counts;
mod density;
mod distribution;
mod mixing;
mod moments;
mod recognize;
mod schoenberg;
mod table;

use ndarray::Array2;

pub(crate) use self::distribution::{Frames, FrequencyDistribution};
use crate::{Kernel, Result};

/// The spectral measure `μ` of a shift-invariant kernel: `k(x, y) = ∫ cos⟨ω, x − y⟩ dμ(ω)`.
///
/// # Theory
/// Bochner's theorem. The measure follows the algebra: a scale multiplies it, a sum of kernels adds
/// measures, a product convolves them (independent frequencies add), `k(Ax, Ay)` maps frequencies
/// by `Aᵀ`, and a power series adds a random number of frequencies.
///
/// # Example
/// ```
/// use mercer::features::SpectralMeasure;
/// let measure = SpectralMeasure::of(&"3*gaussian(lengthscale=0.5) + 1".parse()?, 2)?;
/// assert_eq!(measure.mass(), 4.0);
/// assert!(SpectralMeasure::of(&"linear()".parse()?, 2).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpectralMeasure {
    columns: usize,
    /// What a sum is made of, with masses: features of the terms stand side by side.
    terms: Vec<Term>,
}

/// A part of the measure: a mass and the distribution of its frequencies.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) mass: f64,
    pub(crate) distribution: FrequencyDistribution,
}

impl SpectralMeasure {
    /// The spectral measure of a kernel on vectors of this many columns.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) with the reason when the kernel, or a part
    /// of it, has none; as [`Kernel::evaluate`] for columns that do not fit.
    pub fn of(kernel: &Kernel, columns: usize) -> Result<Self> {
        let found = recognize::measure(kernel, columns)?;
        kernel.check_vectors(Array2::zeros((1, columns)).view())?;
        Ok(Self { columns, terms: found.terms() })
    }

    /// `μ(ℝᵈ) = k(x, x)`.
    pub fn mass(&self) -> f64 {
        self.terms.iter().map(|term| term.mass).sum()
    }

    /// `E‖ω‖²` under the measure with its mass taken out; infinite where it diverges, as for
    /// kernels that are not differentiable.
    ///
    /// # Example
    /// ```
    /// use mercer::features::SpectralMeasure;
    /// let measure = SpectralMeasure::of(&"gaussian(lengthscale=[1, 0.5])".parse()?, 2)?;
    /// assert_eq!(measure.second_moment(), 5.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn second_moment(&self) -> f64 {
        let mass = self.mass();
        let moment = |term: &Term| {
            let covariance = term.distribution.covariance(self.columns);
            if term.mass == 0.0 { 0.0 } else { term.mass / mass * covariance.map_or(f64::INFINITY, |c| c.diag().sum()) }
        };
        self.terms.iter().map(moment).sum()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }
}
