//! The Hilbert–Schmidt independence criterion.

use super::centered::{Centering, inner_products, product_sum, row_sums};
use super::samples::{check_same_rows, check_sizes, finite};
use crate::error::PrecomputedNeed;
use crate::gram::{Pairs, Tiles};
use crate::{Compute, Error, Kernel, Points, Result};

/// How HSIC is estimated from pairs `(xᵢ, yᵢ)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HsicEstimator {
    /// The V-statistic `(1/n²) tr(KHLH)`, never negative.
    #[default]
    Biased,
    /// The U-statistic of Song et al. (2012), for at least four points; may be negative.
    Unbiased,
}

/// The Hilbert–Schmidt independence criterion of pairs `(xᵢ, yᵢ)`.
///
/// # Formula
/// Biased: `(1/n²) tr(KHLH) = (1/n²) Σᵢⱼ (HKH)ᵢⱼ(HLH)ᵢⱼ`, `H = I − 11ᵀ/n`. Unbiased:
/// `(1/(n(n−3))) Σ_{i≠j} K̃ᵢⱼL̃ᵢⱼ` with `K̃ᵢⱼ = Kᵢⱼ − rᵢ/(n−2) − rⱼ/(n−2) + Σr/((n−1)(n−2))` and
/// `rᵢ = Σ_{j≠i} Kᵢⱼ`.
///
/// # Theory
/// `‖μ_{XY} − μ_X ⊗ μ_Y‖²` in `ℋ_X ⊗ ℋ_Y`: 0 only for independent variables when both kernels are
/// characteristic [Gretton et al. 2005; Szabó, Sriperumbudur 2018]. Gretton et al. (2005) divide by
/// `(n−1)²` instead of `n²`.
///
/// # Cost
/// Two passes over the pairs of each sample, nothing stored.
///
/// # Errors
/// [`Error::Shape`] for different numbers of rows, or fewer than 2 (unbiased: 4); as
/// [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::{HsicEstimator, hsic}};
/// use ndarray::array;
/// // With linear kernels it is the squared covariance: x and y = 2x have covariance 2·1.
/// let (x, y, k) = (array![[-1.0], [1.0]], array![[-2.0], [2.0]], "linear()".parse()?);
/// assert_eq!(hsic(&x, &y, (&k, &k), HsicEstimator::Biased, &Compute::new())?, 4.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn hsic<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernels: (&Kernel, &Kernel),
    estimator: HsicEstimator,
    compute: &Compute,
) -> Result<f64> {
    let (x, y) = (x.into(), y.into());
    check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], 2)?;
    let k = kernels.0.bind(Pairs::Within(x), compute)?;
    let l = kernels.1.bind(Pairs::Within(y), compute)?;
    hsic_of(&k, &l, estimator, compute)
}

/// As [`hsic`], from the two matrices of kernel values.
///
/// # Errors
/// [`Error::Shape`] and [`Error::TooFew`] or [`Error::Precomputed`] for matrices that are too
/// small, not symmetric, or of different sizes.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::Pairs, measure::{HsicEstimator, hsic_of}};
/// use ndarray::array;
/// let (k, values): (Kernel, _) = ("precomputed()".parse()?, array![[1.0, -1.0], [-1.0, 1.0]]);
/// let bound = k.bind(Pairs::precomputed(values.view()), &Compute::new())?;
/// assert_eq!(hsic_of(&bound, &bound, HsicEstimator::Biased, &Compute::new())?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn hsic_of(k: &dyn Tiles, l: &dyn Tiles, estimator: HsicEstimator, compute: &Compute) -> Result<f64> {
    let n = check_matrices(&[k, l], if estimator == HsicEstimator::Unbiased { 4 } else { 2 })?;
    let (k_centering, l_centering) = (centering(k, estimator, compute)?, centering(l, estimator, compute)?);
    let sum = product_sum(&[(k, &k_centering), (l, &l_centering)], compute)?;
    finite("the HSIC", sum / weight(n, estimator))
}

/// The biased HSIC, and its share of the largest that it could be,
/// `HSIC(x, y)/√(HSIC(x, x)HSIC(y, y))`; 0 where one of the samples is constant.
///
/// # Errors
/// As [`hsic_of`].
pub(crate) fn aligned_hsic(k: &dyn Tiles, l: &dyn Tiles, compute: &Compute) -> Result<(f64, f64)> {
    let n = check_matrices(&[k, l], 2)? as f64;
    let (k_centering, l_centering) =
        (centering(k, HsicEstimator::Biased, compute)?, centering(l, HsicEstimator::Biased, compute)?);
    let [both, own_k, own_l] = inner_products((k, &k_centering), (l, &l_centering), compute)?;
    let largest = own_k.sqrt() * own_l.sqrt();
    let share = if largest > 0.0 { both / largest } else { 0.0 };
    Ok((finite("the HSIC", both / (n * n))?, finite("the alignment", share)?))
}

/// `n²`, or `n(n − 3)`.
fn weight(n: usize, estimator: HsicEstimator) -> f64 {
    let n = n as f64;
    if estimator == HsicEstimator::Biased { n * n } else { n * (n - 3.0) }
}

/// The centering that belongs to an estimator.
pub(super) fn centering(tiles: &dyn Tiles, estimator: HsicEstimator, compute: &Compute) -> Result<Centering> {
    let sums = row_sums(tiles, compute)?;
    Ok(match estimator {
        HsicEstimator::Biased => Centering::double(&sums),
        HsicEstimator::Unbiased => Centering::unbiased(&sums, &tiles.diagonal()?),
    })
}

/// HSIC divided by what it could be at most: centered kernel alignment.
///
/// # Formula
/// `HSIC(x, y)/√(HSIC(x, x) HSIC(y, y))` with biased estimates; between 0 and 1, and 0 when one of
/// the samples is constant.
///
/// # Errors
/// As [`hsic`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::normalized_hsic};
/// use ndarray::array;
/// let (x, k) = (array![[0.0], [1.0], [5.0]], "gaussian()".parse()?);
/// mercer::assert_close!(normalized_hsic(&x, &x, (&k, &k), &Compute::new())?, 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn normalized_hsic<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernels: (&Kernel, &Kernel),
    compute: &Compute,
) -> Result<f64> {
    let (x, y) = (x.into(), y.into());
    check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], 2)?;
    let k = kernels.0.bind(Pairs::Within(x), compute)?;
    let l = kernels.1.bind(Pairs::Within(y), compute)?;
    Ok(aligned_hsic(&k, &l, compute)?.1)
}

/// As [`normalized_hsic`], from the two matrices of kernel values.
///
/// # Errors
/// As [`hsic_of`].
pub fn normalized_hsic_of(k: &dyn Tiles, l: &dyn Tiles, compute: &Compute) -> Result<f64> {
    Ok(aligned_hsic(k, l, compute)?.1)
}

/// Symmetric matrices of one size, at least `least`; that size.
pub(super) fn check_matrices(matrices: &[&dyn Tiles], least: usize) -> Result<usize> {
    if matrices.iter().any(|m| !m.symmetric()) {
        return Err(Error::precomputed("a measure of dependence", PrecomputedNeed::Symmetric));
    }
    let named: Vec<(&str, usize)> = matrices.iter().map(|m| ("another variable", m.shape().0)).collect();
    check_same_rows(&named)?;
    match matrices.first().map(|m| m.shape().0) {
        Some(n) if n >= least => Ok(n),
        other => Err(Error::too_few("a measure of dependence", "points", least, other.unwrap_or(0))),
    }
}
