//! Whitening, for data that is not isotropic.

use ndarray::{ArrayView2, Axis};

use crate::kernel::{PointList, PointMap};
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Result};

/// The kernel `k(C^{−1/2}x, C^{−1/2}y)`, `C` the covariance of the rows of `x`: in it one
/// lengthscale suits every direction of the data.
///
/// # Theory
/// A space transformation, so it stays positive definite and shift-invariant, and every feature map
/// of the language applies. Directions in which the data has no spread (eigenvalues of `C` below
/// `10⁻¹²` of the largest) are left out.
///
/// # Errors
/// [`Error::TooFew`] or [`Error::AllEqual`] for fewer than two rows or data without spread;
/// [`Error::Value`] for NaN and infinities.
///
/// # Example
/// ```
/// use mercer::features::whitened;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [4.0, 0.0], [0.0, 2.0], [4.0, 2.0]];
/// let k = whitened(&"gaussian()".parse()?, x.view())?;
/// // Standard deviations 2 and 1.
/// mercer::assert_close!(k.evaluate(&[0.0, 0.0], &[2.0, 1.0])?, (-1.0_f64).exp(), abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn whitened(kernel: &Kernel, x: ArrayView2<f64>) -> Result<Kernel> {
    Points::Vectors(x).check_finite("sample")?;
    let Some(mean) = x.mean_axis(Axis(0)).filter(|_| x.nrows() > 1) else {
        return Err(Error::too_few("whitening", "points", 2, x.nrows()));
    };
    let centered = &x - &mean;
    let eigen = symmetric_eigen((centered.t().dot(&centered) / x.nrows() as f64).view(), &Compute::unlimited())?;
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Err(Error::all_equal("whitening", "points", "use frequencies without whitening"));
    }
    let root = eigen.map(|v| if v > 1e-12 * largest { 1.0 / v.sqrt() } else { 0.0 });
    let rows = root.rows().into_iter().map(|row| row.to_vec()).collect();
    Ok(Kernel::Transformed(PointMap::Matrix(PointList::new("matrix", rows)?), Box::new(kernel.clone())))
}
