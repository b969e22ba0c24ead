//! Embeddings of distributions that are known, in closed form.

use ndarray::{Array1, Array2, ArrayView2};

use super::distribution_forms::Form;
use crate::{Error, Kernel, Points, Result};

/// A distribution whose mean embedding has a closed form under some kernels.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// The normal distribution `N(mean, covariance)`.
    Gaussian {
        /// The mean.
        mean: Array1<f64>,
        /// The covariance matrix, symmetric and positive semi-definite.
        covariance: Array2<f64>,
    },
    /// The uniform distribution on an interval of the line.
    Uniform {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// the Laplace distribution on the line, of density `exp(−|x|/scale)/(2·scale)`.
    Laplace {
        /// The scale.
        scale: f64,
    },
    /// Any distribution on the line, by its moments `E X, E X², …`.
    Moments(Vec<f64>),
}

/// `μ_P = E k(·, X)` for a distribution `P` that is known.
///
/// # Formula
/// | kernel | distribution | `μ(t)` |
/// |---|---|---|
/// | `gaussian(ℓ)` | `N(m, S)` | `det(I + S/ℓ²)^{−1/2} exp(−½(t−m)ᵀ(S + ℓ²I)⁻¹(t−m))` |
/// | `gaussian(ℓ)` | uniform on `[a, b]` | `(ℓ√(π/2)/(b−a)) [erf((b−t)/(ℓ√2)) − erf((a−t)/(ℓ√2))]` |
/// | `polynomial(m, c, s)` | moments `Mₖ` | `Σₖ C(m, k) c^{m−k} sᵏ Mₖ tᵏ` |
/// | `exponential(s)` | `N(m, v)` on the line | `exp(mt/s + vt²/(2s²))` |
/// | `laplacian(ℓ)` | Laplace of scale `b ≠ ℓ` | `ℓ(ℓe^{−∣t∣/ℓ} − be^{−∣t∣/b})/(ℓ² − b²)` |
/// | `wiener()` | uniform on `[0, 1]` | `t − t²/2` |
///
/// # Example
/// ```
/// use mercer::measure::{Distribution, LawEmbedding};
/// use ndarray::array;
/// // A point mass at 0 has the embedding k(·, 0).
/// let distribution = Distribution::Gaussian { mean: array![0.0], covariance: array![[0.0]] };
/// let mu = LawEmbedding::new(&"gaussian(lengthscale=1)".parse()?, distribution)?;
/// mercer::assert_close!(mu.evaluate(&array![[1.0]])?[0], (-0.5_f64).exp(), abs = 1e-15);
/// assert_eq!(mu.squared_norm()?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LawEmbedding {
    kernel: Kernel,
    distribution: Distribution,
    form: Form,
}

impl LawEmbedding {
    /// The embedding of a distribution.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when this kernel and this law have no closed form here,
    /// [`Error::Parameter`] and [`Error::Shape`] for a law that makes no sense.
    pub fn new(kernel: &Kernel, distribution: Distribution) -> Result<Self> {
        let form = Form::new(kernel, &distribution)?;
        Ok(Self { kernel: kernel.clone(), distribution, form })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The distribution.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// `μ(t)` for every row of `t`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of columns, [`Error::Value`] for NaN and infinities.
    pub fn evaluate<'a>(&self, t: impl Into<Points<'a>>) -> Result<Array1<f64>> {
        let points = t.into();
        points.check_finite("points")?;
        let t: ArrayView2<'_, f64> = points.vectors()?;
        if t.ncols() != self.form.columns() {
            return Err(Error::shape("columns of the points", self.form.columns(), t.ncols()));
        }
        Ok(t.rows().into_iter().map(|row| self.form.value(row)).collect())
    }

    /// `‖μ‖² = E k(X, X′)`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where there is no closed form (`exponential`, `laplacian`).
    pub fn squared_norm(&self) -> Result<f64> {
        self.inner(self)
    }

    /// `⟨μ_P, μ_Q⟩ = E k(X, Y)` for independent `X ~ P`, `Y ~ Q`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] or [`Error::Unsupported`] when the kernels differ or there is no closed
    /// form.
    pub fn inner(&self, other: &Self) -> Result<f64> {
        if self.kernel != other.kernel {
            return Err(Error::mismatch(
                "the embeddings live in different spaces",
                format!("one has the kernel {}", self.kernel),
                format!("the other {}", other.kernel),
                "use one kernel for both",
            ));
        }
        self.form.inner(&other.form).ok_or_else(|| {
            Error::unsupported(
                "closed form of the inner product of these laws",
                &self.kernel,
                "none is known",
                "use samples of the laws",
            )
        })
    }

    /// `MMD²(P, Q) = ‖μ_P − μ_Q‖²` of the distributions.
    ///
    /// # Errors
    /// As [`LawEmbedding::inner`].
    ///
    /// # Example
    /// ```
    /// use mercer::measure::{Distribution, LawEmbedding};
    /// let k = "polynomial(degree=1, offset=0)".parse()?;
    /// let p = LawEmbedding::new(&k, Distribution::Moments(vec![1.0]))?;
    /// let q = LawEmbedding::new(&k, Distribution::Moments(vec![3.0]))?;
    /// assert_eq!(p.squared_mmd(&q)?, 4.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn squared_mmd(&self, other: &Self) -> Result<f64> {
        Ok(self.squared_norm()? - 2.0 * self.inner(other)? + other.squared_norm()?)
    }
}
