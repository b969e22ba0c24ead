//! Contrasts: how far components are from independence.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::negentropy;
use super::source::{Basis, Source};
use crate::error::AllowedRange;
use crate::solve::{Factored, eigenvalues, factor};
use crate::{Compute, Error, Kernel, Points, Result};

/// The share of the trace that the public functions leave out, relative to κ: by the bound on
/// resolvents, contrasts to about ten digits.
const EXACT: f64 = 1e-10;

/// What is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Contrast {
    /// Negentropy by density estimates, [`negentropy_contrast`](super::negentropy_contrast).
    #[default]
    Negentropy,
    /// The kernel generalized variance, [`kgv_contrast`].
    Kgv,
    /// The first kernel canonical correlation, [`kcc_contrast`].
    Kcc,
    /// The Hilbert–Schmidt independence criterion, [`hsic_contrast`].
    Hsic,
}

impl Contrast {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Negentropy => "negentropy",
            Self::Kgv => "kgv",
            Self::Kcc => "kcc",
            Self::Hsic => "hsic",
        }
    }

    /// The contrast of a word.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word.
    pub fn parse(word: &str) -> Result<Self> {
        let all = [Self::Negentropy, Self::Kgv, Self::Kcc, Self::Hsic];
        let found = all.into_iter().find(|contrast| contrast.name() == word);
        found.ok_or_else(|| Error::parameter("contrast", word, "one of negentropy, kgv, kcc, hsic"))
    }
}

/// The KCC contrast of Bach and Jordan (2002) of components, a column each.
///
/// # Formula
/// `−½ log λ` for the smallest λ with `𝒦v = λ𝒟v`: `𝒦` has the blocks `K_iK_j` for `i ≠ j` and
/// `(K_i + (nκ/2)I)²` for `i = j`, `𝒟` is its block diagonal, and `K_i` is the centered matrix of the
/// Gaussian kernel with this lengthscale on component `i`. For two components `λ = 1 − ρ` with the
/// first regularized canonical correlation ρ.
///
/// # Cost
/// `O(nr²)` for ranks `r` of some tens.
///
/// # Errors
/// [`Error::Parameter`] for a lengthscale or κ that is not positive, [`Error::TooFew`] without rows or
/// columns, [`Error::Value`] for NaN and infinities, [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, view::ica::kcc_contrast};
/// use ndarray::array;
/// let y = array![[0.0, 1.0], [1.0, 3.0]];
/// // Two rows have one direction: ρ is the product of the shares λ/(λ + nκ/2), λ = 1 − exp(−d²/2).
/// let share = |d: f64| 1.0 - 0.5 / (1.5 - (-d * d / 2.0).exp());
/// let expected = -0.5 * (1.0 - share(1.0) * share(2.0)).ln();
/// mercer::assert_close!(kcc_contrast(y.view(), 1.0, 0.5, &Compute::new())?, expected, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn kcc_contrast(y: ArrayView2<f64>, lengthscale: f64, kappa: f64, compute: &Compute) -> Result<f64> {
    Measure::new(Contrast::Kcc, lengthscale, kappa, y.nrows())?.checked(y, compute)
}

/// The KGV contrast of Bach and Jordan (2002) of components, a column each.
///
/// # Formula
/// `−½ log(det 𝒦/det 𝒟)` with the matrices of [`kcc_contrast`].
///
/// # Theory
/// It is 0 for components without any correlation of functions; for Gaussian variables and linear
/// kernels it is their mutual information.
///
/// # Errors
/// As [`kcc_contrast`].
pub fn kgv_contrast(y: ArrayView2<f64>, lengthscale: f64, kappa: f64, compute: &Compute) -> Result<f64> {
    Measure::new(Contrast::Kgv, lengthscale, kappa, y.nrows())?.checked(y, compute)
}

/// The HSIC contrast of components, a column each.
///
/// # Formula
/// `Σ_{i<j} (1/n²) tr(K_iK_j)` with centered matrices of the Gaussian kernel.
///
/// # Errors
/// As [`kcc_contrast`].
pub fn hsic_contrast(y: ArrayView2<f64>, lengthscale: f64, compute: &Compute) -> Result<f64> {
    Measure::new(Contrast::Hsic, lengthscale, 1.0, y.nrows())?.checked(y, compute)
}

/// A contrast with its parameters.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    pub(super) contrast: Contrast,
    pub(super) lengthscale: f64,
    kernel: Kernel,
    /// `c = nκ/2`.
    pub(super) shift: f64,
    /// The share of a trace that factors leave out.
    tolerance: f64,
    kappa: f64,
}

impl Measure {
    pub(super) fn new(contrast: Contrast, lengthscale: f64, kappa: f64, rows: usize) -> Result<Self> {
        if !(kappa.is_finite() && kappa > 0.0) {
            return Err(Error::parameter("kappa", kappa, AllowedRange::POSITIVE));
        }
        if contrast == Contrast::Negentropy {
            negentropy::check_lengthscale(lengthscale)?;
        }
        let (kernel, shift) = (Kernel::gaussian(lengthscale)?, 0.5 * rows as f64 * kappa);
        Ok(Self { contrast, lengthscale, kernel, shift, tolerance: 0.0, kappa }.with_tolerance(EXACT))
    }

    /// The same with factors that leave out this share of κ, or of 1 for HSIC.
    pub(super) fn with_tolerance(self, share: f64) -> Self {
        let size = if self.contrast == Contrast::Hsic { 1.0 } else { self.kappa.min(1.0) };
        Self { tolerance: (share * size).max(1e-15), ..self }
    }

    fn checked(&self, y: ArrayView2<f64>, compute: &Compute) -> Result<f64> {
        let (rows, columns) = y.dim();
        if rows == 0 || columns == 0 {
            let what = if rows == 0 { "rows" } else { "components" };
            return Err(Error::too_few("a contrast", what, 1, 0));
        }
        Points::Vectors(y).check_finite("components")?;
        self.value(y, compute)
    }

    /// The contrast of components, which have mean 0 and variance 1 for negentropy.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn value(&self, y: ArrayView2<f64>, compute: &Compute) -> Result<f64> {
        match self.contrast {
            Contrast::Negentropy => Ok(negentropy::contrast(y, self.lengthscale, compute)),
            _ => self.of(&self.sources(y, compute)?, compute),
        }
    }

    /// The factors of the components.
    pub(super) fn sources(&self, y: ArrayView2<f64>, compute: &Compute) -> Result<Vec<Source>> {
        compute.try_map_tasks(y.ncols(), |i| Source::new(y.column(i), &self.kernel, self.tolerance, compute))
    }

    /// The contrast of some components.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn of(&self, sources: &[Source], compute: &Compute) -> Result<f64> {
        if self.contrast == Contrast::Hsic {
            return Ok(hsic(sources));
        }
        let bases = sources.iter().map(|source| source.basis(compute)).collect::<Result<Vec<_>>>()?;
        self.of_matrix(&between(sources, &bases, self.shift), compute)
    }

    /// The contrast of `𝒟^{−1/2}𝒦𝒟^{−1/2}`.
    pub(super) fn of_matrix(&self, matrix: &Array2<f64>, compute: &Compute) -> Result<f64> {
        // Without a direction there is no dependence.
        if matrix.is_empty() {
            return Ok(0.0);
        }
        if self.contrast == Contrast::Kgv
            && let Factored::Definite(l) = factor(matrix.clone(), compute)?
        {
            return Ok(-0.5 * l.log_determinant());
        }
        let values = eigenvalues(matrix.view(), compute)?;
        let tiny = |v: &f64| v.max(f64::MIN_POSITIVE).ln();
        Ok(-0.5 * if self.contrast == Contrast::Kcc { tiny(&values[0]) } else { values.iter().map(tiny).sum() })
    }
}

/// `D = λ/(λ + c)` of every eigenvector.
pub(super) fn shares(basis: &Basis, shift: f64) -> Array1<f64> {
    basis.eigenvalues.mapv(|value| value / (value + shift))
}

/// `𝒟^{−1/2}𝒦𝒟^{−1/2}` in the coordinates of the eigenvectors: `I` on the diagonal, `D_iU_iᵀU_jD_j`
/// elsewhere.
pub(super) fn between(sources: &[Source], bases: &[Basis], shift: f64) -> Array2<f64> {
    let starts = starts(bases);
    let mut matrix = Array2::eye(starts[bases.len()]);
    let scaled: Vec<Array2<f64>> = bases.iter().map(|basis| &basis.map * &shares(basis, shift)).collect();
    for i in 0..bases.len() {
        for j in 0..i {
            let products = sources[i].centered.dot(&sources[j].centered.t());
            let block = scaled[i].t().dot(&products).dot(&scaled[j]);
            let (rows, columns) = (starts[i]..starts[i + 1], starts[j]..starts[j + 1]);
            matrix.slice_mut(s![columns.clone(), rows.clone()]).assign(&block.t());
            matrix.slice_mut(s![rows, columns]).assign(&block);
        }
    }
    matrix
}

/// Where the coordinates of each component begin, and the end of the last.
pub(super) fn starts(bases: &[Basis]) -> Vec<usize> {
    let mut starts = vec![0];
    for basis in bases {
        starts.push(starts[starts.len() - 1] + basis.eigenvalues.len());
    }
    starts
}

/// `tr(K_iK_j) = ‖F_iF_jᵀ‖²`.
fn hsic(sources: &[Source]) -> f64 {
    let n = sources.first().map_or(1, |source| source.values.len()) as f64;
    let mut sum = 0.0;
    for (i, first) in sources.iter().enumerate() {
        for second in &sources[..i] {
            sum += first.centered.dot(&second.centered.t()).iter().map(|v| v * v).sum::<f64>();
        }
    }
    sum / (n * n)
}
