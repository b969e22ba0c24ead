//! The distance of an unmixing matrix from the one that was to be found.

use ndarray::{ArrayView1, ArrayView2};

use crate::{Error, Points, Result};

/// The Amari distance of an unmixing matrix `W` and a mixing matrix `A`.
///
/// # Formula
/// With `P = WA` of `m` rows: `(1/2m)[Σᵢ(Σⱼ|pᵢⱼ|/maxⱼ|pᵢⱼ| − 1) + Σⱼ(Σᵢ|pᵢⱼ|/maxᵢ|pᵢⱼ| − 1)]`.
///
/// # Theory
/// It is 0 where `P` is a permutation of a diagonal matrix, that is where `W` finds the sources up to
/// their order, signs and sizes, and at most `m − 1` [Bach and Jordan 2002, who report it times 100].
///
/// # Errors
/// [`Error::Shape`] unless `WA` is square, [`Error::TooFew`] if it is empty, [`Error::Value`] for NaN
/// and infinities, [`Error::Singular`] if a row or a column of it is 0.
///
/// # Example
/// ```
/// use mercer::view::ica::amari_distance;
/// use ndarray::array;
/// let unmixing = array![[1.0, 0.0], [0.0, 1.0]];
/// // Rows: 0.2 and 0.2; columns: 0.1 and 0.4; over 2m = 4.
/// let found = amari_distance(unmixing.view(), array![[1.0, 0.2], [-0.1, 0.5]].view())?;
/// mercer::assert_close!(found, 0.225, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn amari_distance(unmixing: ArrayView2<f64>, mixing: ArrayView2<f64>) -> Result<f64> {
    let (m, columns) = unmixing.dim();
    if mixing.dim() != (columns, m) {
        return Err(Error::shape("the mixing matrix", format!("{columns} × {m}"), format!("{:?}", mixing.dim())));
    }
    if m == 0 {
        return Err(Error::too_few("the Amari distance", "sources", 1, 0));
    }
    Points::Vectors(unmixing).check_finite("unmixing matrix")?;
    Points::Vectors(mixing).check_finite("mixing matrix")?;
    let product = unmixing.dot(&mixing).mapv(f64::abs);
    let excess = |line: ArrayView1<f64>| line.sum() / line.fold(0.0_f64, |most, v| most.max(*v)) - 1.0;
    let total: f64 = product.rows().into_iter().chain(product.columns()).map(excess).sum();
    if !total.is_finite() {
        return Err(Error::singular("the product of unmixing and mixing matrix", "a source is lost in it"));
    }
    Ok(total / (2.0 * m as f64))
}
