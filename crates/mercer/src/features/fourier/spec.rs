//! The specification of random Fourier features.

use super::draw;
use super::transform::FourierFeatures;
use crate::error::MemoryPurpose;
use crate::features::{Sampling, SpectralMeasure};
use crate::{Compute, Error, Kernel, Points, Result};

/// How a frequency becomes features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FourierForm {
    /// `(cos⟨ω, x⟩, sin⟨ω, x⟩)/√D`: two components per frequency, `z(x)ᵀz(x) = k(x, x)` exactly. Of
    /// an odd number of components the last frequency has one, a cosine with an offset.
    #[default]
    Pair,
    /// `√(2/D) cos(⟨ω, x⟩ + b)`, `b` uniform on `[0, 2π)`: one component per frequency, more
    /// variance per frequency.
    Offset,
}

impl FourierForm {
    /// How many frequencies so many components hold.
    pub(super) fn frequencies(self, components: usize) -> usize {
        match self {
            Self::Pair => components.div_ceil(2),
            Self::Offset => components,
        }
    }
}

/// Random Fourier features (Rahimi and Recht 2007).
///
/// # Formula
/// `z(x)ᵀz(y) = (c/D) Σⱼ cos⟨ωⱼ, x − y⟩` with `ωⱼ` from the spectral measure of mass `c = k(x, x)`.
/// The features of a sum of kernels are those of its terms side by side, with frequencies in
/// proportion to their masses; a constant term is exact.
///
/// # Theory
/// Bochner: `E z(x)ᵀz(y) = k(x, y)`, with variance `(c² + c k(2δ) − 2k(δ)²)/(2D)` at `δ = x − y`
/// for pairs of one term.
///
/// # Cost
/// `O(dD)` per point, one sine and one cosine per frequency.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureMap, RandomFourier, Sampling}};
/// use ndarray::array;
/// let compute = Compute::new();
/// let spec = RandomFourier { sampling: Sampling::Orthogonal, ..RandomFourier::new("gaussian(lengthscale=2)".parse()?, 4000) };
/// let features = spec.draw(2, &compute)?;
/// let z = features.transform(array![[0.0, 0.0], [2.0, 0.0]].view(), &compute)?;
/// mercer::assert_close!(z.row(0).dot(&z.row(0)), 1.0, abs = 1e-12);
/// // Within four standard deviations of exp(−½).
/// mercer::assert_close!(z.row(0).dot(&z.row(1)), (-0.5_f64).exp(), abs = 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomFourier {
    /// The kernel: shift-invariant.
    pub kernel: Kernel,
    /// The columns that come out.
    pub components: usize,
    /// How a frequency becomes features.
    pub form: FourierForm,
    /// How frequencies are drawn.
    pub sampling: Sampling,
}

impl RandomFourier {
    /// Pairs at independent frequencies.
    pub fn new(kernel: Kernel, components: usize) -> Self {
        Self { kernel, components, form: FourierForm::Pair, sampling: Sampling::Iid }
    }

    /// Draws the frequencies for points of this many columns, from the seed of the computation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] or [`Error::Unresolved`] with the reason when the kernel has no
    /// spectral measure, when orthogonal frames are requested and no part of the kernel is radial,
    /// or for a median that is not resolved; [`Error::Parameter`] for fewer frequencies than terms;
    /// [`Error::Memory`].
    pub fn draw(&self, columns: usize, compute: &Compute) -> Result<FourierFeatures> {
        let measure = SpectralMeasure::of(&self.kernel, columns)?;
        let count = self.form.frequencies(self.components);
        if self.sampling == Sampling::Orthogonal && !measure.terms().iter().any(|term| term.distribution.has_frames()) {
            return Err(Error::unsupported(
                "orthogonal frequencies",
                &self.kernel,
                "no part of it is a radial kernel",
                "use iid or quasi-Monte-Carlo frequencies",
            ));
        }
        let bytes = 8 * (count as u64).saturating_mul(columns as u64 + 2);
        compute.reserve(MemoryPurpose::Features, "the random frequencies", bytes, "ask for fewer components")?;
        draw::features(self, &measure, count, compute)
    }

    /// Draws the frequencies for a sample of vectors, dense or sparse, on which medians are resolved.
    ///
    /// # Errors
    /// As [`RandomFourier::draw`]; [`Error::Value`] for NaN and infinities.
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<FourierFeatures> {
        let x = x.into();
        x.check_finite("sample")?;
        if !matches!(x, Points::Vectors(_) | Points::Sparse(_)) {
            x.vectors()?;
        }
        let kernel = self.kernel.resolve(x, compute)?;
        Self { kernel, ..self.clone() }.draw(x.columns(), compute)
    }
}
