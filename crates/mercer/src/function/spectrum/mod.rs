//! Mercer's theorem: the eigenvalues and eigenfunctions of `f ↦ ∫ k(·, y) f(y) dμ(y)`.

mod closed;
mod finite;
mod hermite;
mod measure;
mod modes;
mod recognize;
mod sample;
mod sinusoids;

pub use measure::Measure;
use modes::Modes;

use ndarray::{Array1, Array2, ArrayView1};

use crate::{Compute, Error, Kernel, Points, Result};

/// The leading eigenpairs of the integral operator of a kernel under a measure.
///
/// # Formula
/// `∫ k(x, y) φⱼ(y) dμ(y) = μⱼφⱼ(x)`, `∫ φᵢφⱼ dμ = δᵢⱼ`, `k(x, y) = Σ μⱼφⱼ(x)φⱼ(y)`; a function
/// `f = Σ aⱼφⱼ` has `‖f‖² = Σ aⱼ²/μⱼ`.
///
/// # Theory
/// In closed form for Brownian motion (with and without a constant), the bridge and the exponential
/// kernel on an interval, the periodic kernel on whole periods, the Gaussian kernel under a normal
/// distribution, and kernels of finite rank. Under a sample the operator is `K/n`, and its
/// eigenvectors are extended by `φⱼ(x) = Σᵢ k(x, xᵢ)φⱼ(xᵢ)/(nμⱼ)` (Nyström), with the sign that
/// makes `φⱼ` positive at the first row where it is not zero.
///
/// # Example
/// ```
/// use mercer::function::{Measure, Spectrum};
/// use mercer::{Compute, Kernel};
/// let k: Kernel = "wiener()".parse()?;
/// let spectrum = Spectrum::new(&k, &Measure::UNIFORM, 10, &Compute::new())?;
/// // μ₁ = 1/(π/2)², φ₁(x) = √2 sin(πx/2)
/// mercer::assert_close!(spectrum.eigenvalues()[0], 4.0 / std::f64::consts::PI.powi(2), abs = 1e-15);
/// let modes = spectrum.eigenfunctions(ndarray::array![[0.5]].view(), &Compute::new())?;
/// mercer::assert_close!(modes[[0, 0]], 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    kernel: Kernel,
    eigenvalues: Vec<f64>,
    modes: Modes,
    errors: Option<Vec<f64>>,
    trace: f64,
}

impl Spectrum {
    /// The leading `count` eigenpairs, or as many as there are.
    ///
    /// # Cost
    /// Negligible for closed forms. A sample of `n` rows: `O(n³)` up to some thousand rows, and
    /// beyond that some products with `K`, which is never stored, for about three times as many
    /// vectors as eigenpairs.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where no closed form is known (a sample of the law will do),
    /// [`Error::Parameter`] for a count of 0, an empty interval or a deviation that is not
    /// positive; and as [`Kernel::bind`].
    pub fn new(kernel: &Kernel, measure: &Measure, count: usize, compute: &Compute) -> Result<Self> {
        if count == 0 {
            return Err(Error::parameter("components", count, 1..));
        }
        measure.check()?;
        match measure {
            Measure::Sample(x) => sample::spectrum(kernel, x, count, compute),
            distribution => closed::spectrum(kernel, distribution, count),
        }
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// `μ₁ ≥ μ₂ ≥ …`.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Standard errors of the eigenvalues as estimates of those under the distribution that the
    /// sample is from; `None` for closed forms.
    ///
    /// # Formula
    /// `μⱼ √((∑ φⱼ(xᵢ)⁴/n − 1)/n)`, from `μⱼ ≈ mean of μⱼφⱼ(xᵢ)²` to first order.
    pub fn standard_errors(&self) -> Option<&[f64]> {
        self.errors.as_deref()
    }

    /// `∫ k(x, x) dμ(x)`: the sum of all eigenvalues, also of those that are not here.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// The share of the trace that the eigenvalues here have.
    pub fn captured(&self) -> f64 {
        if self.trace > 0.0 { (self.eigenvalues.iter().sum::<f64>() / self.trace).min(1.0) } else { 1.0 }
    }

    /// `φⱼ(x)`: a row per point and a column per mode.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the points have as many columns as the measure, and as
    /// [`Kernel::bind`].
    pub fn eigenfunctions<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.modes.evaluate(x.into(), &self.kernel, &self.eigenvalues, compute)
    }

    /// `√μⱼ φⱼ(x)`: features whose inner products are the kernel, but for the modes that are not
    /// here.
    ///
    /// # Errors
    /// As [`Spectrum::eigenfunctions`].
    pub fn features<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let roots = Array1::from_iter(self.eigenvalues.iter().map(|v| v.sqrt()));
        Ok(self.eigenfunctions(x, compute)? * &roots)
    }

    /// `⟨f, g⟩ = Σ aⱼbⱼ/μⱼ` of functions given by their coefficients.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a coefficient per mode.
    ///
    /// # Example
    /// ```
    /// use mercer::function::{Measure, Spectrum};
    /// use ndarray::array;
    /// let k: mercer::Kernel = "finite_rank(weights=[1, 0.25], basis=cosines)".parse()?;
    /// let spectrum = Spectrum::new(&k, &Measure::UNIFORM, 2, &mercer::Compute::new())?;
    /// // ‖1 + φ₂‖² = 1/1 + 1/0.25
    /// mercer::assert_close!(spectrum.inner(array![1.0, 1.0].view(), array![1.0, 1.0].view())?, 5.0, abs = 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn inner(&self, a: ArrayView1<f64>, b: ArrayView1<f64>) -> Result<f64> {
        for coefficients in [a, b] {
            if coefficients.len() != self.eigenvalues.len() {
                return Err(Error::shape("coefficients", self.eigenvalues.len(), coefficients.len()));
            }
        }
        Ok(a.iter().zip(b).zip(&self.eigenvalues).map(|((a, b), v)| a * b / v).sum())
    }
}
