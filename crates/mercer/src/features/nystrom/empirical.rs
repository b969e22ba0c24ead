//! The empirical kernel map.

use super::NystromFeatures;
use crate::gram::{self, Pairs};
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Result};

/// The empirical kernel map `Φ(x) = (K⁺)^{1/2}(k(x, x₁), …, k(x, xₘ))` of a sample.
///
/// # Theory
/// It reproduces the kernel on the sample: `Φ(xᵢ)ᵀΦ(xⱼ) = k(xᵢ, xⱼ)`. Elsewhere it is the
/// projection on the span of the sample.
///
/// # Cost
/// An eigendecomposition of `K`, `O(m³)`.
///
/// # Errors
/// [`Error::TooFew`] for an empty sample, [`Error::NotPositiveDefinite`] when `K` has an eigenvalue
/// that is negative beyond rounding, [`Error::Memory`]; as [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureMap, empirical_kernel_map}};
/// use ndarray::array;
/// let (x, compute) = (array![[0.0], [1.0], [3.0]], Compute::new());
/// let map = empirical_kernel_map(&"gaussian()".parse()?, x.view(), &compute)?;
/// let z = map.transform(x.view(), &compute)?;
/// mercer::assert_close!(z.row(0).dot(&z.row(1)), (-0.5_f64).exp(), abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn empirical_kernel_map<'x>(
    kernel: &Kernel,
    x: impl Into<Points<'x>>,
    compute: &Compute,
) -> Result<NystromFeatures> {
    let x = x.into();
    x.check_finite("sample")?;
    if x.is_empty() {
        return Err(Error::too_few("an empirical kernel map", "points", 1, 0));
    }
    let kernel = kernel.resolve(x, compute)?;
    let eigen = symmetric_eigen(gram::dense(&kernel.bind(Pairs::Within(x), compute)?, compute)?.view(), compute)?;
    let largest = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let threshold = x.len() as f64 * f64::EPSILON * largest;
    if let Some(value) = eigen.values.first().filter(|v| **v < -1e3 * threshold) {
        let reason = format!("the Gram matrix of this sample has the eigenvalue {value:e}");
        return Err(Error::NotPositiveDefinite { kernel: kernel.short(), reason, counterexample: None });
    }
    let map = eigen.map(|v| if v > threshold { 1.0 / v.sqrt() } else { 0.0 });
    NystromFeatures::with_map(kernel, x.into(), map).measured_on(x, compute)
}
