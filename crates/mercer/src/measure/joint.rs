//! Several variables at once: joint independence and Lancaster's interaction.

use super::HsicEstimator;
use super::centered::{product_sum, row_sums};
use super::hsic::{centering, check_matrices};
use super::samples::check_sizes;
use crate::gram::{Bound, Pairs, Tile, Tiles, fold_tiles};
use crate::{Compute, Error, Kernel, Points, Result};

/// The joint independence criterion of `d ≥ 2` variables (V-statistic).
///
/// # Formula
/// `(1/n²) Σᵢⱼ Π_q K^{(q)}ᵢⱼ + n^{−2d} Π_q Σᵢⱼ K^{(q)}ᵢⱼ − (2/n^{d+1}) Σᵢ Π_q (K^{(q)}1)ᵢ`.
///
/// # Theory
/// `‖μ_{X₁…X_d} − μ_{X₁} ⊗ … ⊗ μ_{X_d}‖²`; for two variables the biased [`hsic`](super::hsic)
/// [Pfister et al. 2018].
///
/// # Cost
/// Two passes over the pairs, nothing stored.
///
/// # Errors
/// [`Error::Shape`] for fewer than two variables, different numbers of rows or fewer than 2 points;
/// as [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::dhsic};
/// use ndarray::array;
/// let (x, k) = (array![[-1.0], [1.0]], "linear()".parse()?);
/// // For two variables it is the squared covariance.
/// assert_eq!(dhsic(&[(&x).into(), (&x).into()], &[&k, &k], &Compute::new())?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn dhsic(samples: &[Points<'_>], kernels: &[&Kernel], compute: &Compute) -> Result<f64> {
    let bounds = bind_all(samples, kernels, compute)?;
    dhsic_of(&as_tiles(&bounds), compute)
}

/// As [`dhsic`], from the matrices of kernel values.
///
/// # Errors
/// [`Error::Shape`] and [`Error::Precomputed`] for matrices that do not fit.
pub fn dhsic_of(matrices: &[&dyn Tiles], compute: &Compute) -> Result<f64> {
    if matrices.len() < 2 {
        return Err(Error::too_few("a measure of dependence", "variables", 2, matrices.len()));
    }
    let n = check_matrices(matrices, 2)? as f64;
    let means = matrices.iter().map(|m| Ok(row_sums(*m, compute)?.iter().map(|s| s / n).collect()));
    let means: Vec<Vec<f64>> = means.collect::<Result<_>>()?;
    let joint: f64 = fold_tiles(matrices, compute, || 0.0, add_products)?.into_iter().sum();
    let product: f64 = means.iter().map(|m| m.iter().sum::<f64>() / n).product();
    let mixed: f64 = (0..n as usize).map(|i| means.iter().map(|m| m[i]).product::<f64>()).sum();
    Ok(joint / (n * n) + product - 2.0 * mixed / n)
}

/// Adds the products of the entries of a tile.
fn add_products(sum: &mut f64, tile: &Tile<'_>) {
    let product = |at: usize| tile.values.iter().map(|values| values[at]).product::<f64>();
    *sum += tile.weight() * (0..tile.values[0].len()).map(product).sum::<f64>();
}

/// Lancaster's interaction of three variables (V-statistic).
///
/// # Formula
/// `(1/n²) Σᵢⱼ (HKH)ᵢⱼ(HLH)ᵢⱼ(HMH)ᵢⱼ`.
///
/// # Theory
/// The squared norm of the embedding of `P_{XYZ} − P_{XY}P_Z − P_{XZ}P_Y − P_{YZ}P_X + 2P_XP_YP_Z`,
/// which vanishes when one variable (or pair) is independent of the others
/// [Sejdinovic, Gretton, Bergsma 2013].
///
/// # Cost
/// Two passes over the pairs, nothing stored.
///
/// # Errors
/// As [`dhsic`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::lancaster};
/// use ndarray::array;
/// // z = xy for independent signs: no pair is dependent, the three are.
/// let (x, y) = (array![[1.0], [1.0], [-1.0], [-1.0]], array![[1.0], [-1.0], [1.0], [-1.0]]);
/// let (z, k) = (&x * &y, "linear()".parse()?);
/// assert_eq!(lancaster([(&x).into(), (&y).into(), (&z).into()], [&k, &k, &k], &Compute::new())?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn lancaster(samples: [Points<'_>; 3], kernels: [&Kernel; 3], compute: &Compute) -> Result<f64> {
    let bounds = bind_all(&samples, &kernels, compute)?;
    lancaster_of(&as_tiles(&bounds), compute)
}

/// As [`lancaster`], from the matrices of kernel values.
///
/// # Errors
/// [`Error::Shape`] and [`Error::Precomputed`] for matrices that do not fit.
pub fn lancaster_of(matrices: &[&dyn Tiles], compute: &Compute) -> Result<f64> {
    let n = check_matrices(matrices, 2)? as f64;
    let centerings =
        matrices.iter().map(|m| centering(*m, HsicEstimator::Biased, compute)).collect::<Result<Vec<_>>>()?;
    let parts: Vec<_> = matrices.iter().copied().zip(&centerings).collect();
    Ok(product_sum(&parts, compute)? / (n * n))
}

/// One kernel bound to each variable.
fn bind_all<'a>(samples: &[Points<'a>], kernels: &[&Kernel], compute: &Compute) -> Result<Vec<Bound<'a>>> {
    if samples.len() != kernels.len() {
        return Err(Error::shape("kernels", format!("one per variable ({})", samples.len()), kernels.len()));
    }
    let named: Vec<(&str, Points<'_>)> = samples.iter().map(|s| ("variable", *s)).collect();
    check_sizes(&named, 2)?;
    samples.iter().zip(kernels).map(|(x, k)| k.bind(Pairs::Within(*x), compute)).collect()
}

fn as_tiles<'b>(bounds: &'b [Bound<'_>]) -> Vec<&'b dyn Tiles> {
    bounds.iter().map(|b| b as &dyn Tiles).collect()
}
