//! Where two variables depend on each other: the witness of HSIC, and the share of every point in
//! it.

use ndarray::Array1;

use super::HsicEstimator;
use super::hsic::{centering, check_matrices};
use super::samples::{check_same_rows, check_sizes};
use crate::gram::{Pairs, Tiles};
use crate::{Compute, Kernel, Points, Result};

/// Rows of pairs that are processed together; never a function of the number of threads. 16 to 128
/// differ by less than the noise of 14 % (3000 pairs).
const STRIP: usize = 64;

/// The witness of dependence `f = μ_{XY} − μ_X ⊗ μ_Y` at pairs `(sᵢ, tᵢ)`: positive where pairs are
/// more frequent than they would be if the variables were independent.
///
/// # Formula
/// `f(s, t) = (1/n) Σ k(s, xⱼ)l(t, yⱼ) − (1/n²) Σ k(s, xⱼ) Σ l(t, yⱼ)`; `‖f‖²` is the biased HSIC.
///
/// # Cost
/// One pass over the pairs of `s` and `x`, and of `t` and `y`; a strip of rows is held at a time.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for different numbers of rows of `x` and `y`, or of `s`
/// and `t`; as [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::dependence_witness};
/// use ndarray::array;
/// let (x, k) = (array![[-1.0], [1.0]], "linear()".parse()?);
/// // With linear kernels f(s, t) = s·t·cov(x, y).
/// let found = dependence_witness((&x).into(), (&x).into(), (&k, &k), (&array![[3.0]]).into(), (&array![[2.0]]).into(), &Compute::new())?;
/// assert_eq!(found[0], 6.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn dependence_witness(
    x: Points<'_>,
    y: Points<'_>,
    kernels: (&Kernel, &Kernel),
    s: Points<'_>,
    t: Points<'_>,
    compute: &Compute,
) -> Result<Array1<f64>> {
    check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], 1)?;
    check_same_rows(&[("x", x.len()), ("y", y.len())])?;
    check_same_rows(&[("s", s.len()), ("t", t.len())])?;
    // The medians are those of the sample, which the points of evaluation must not change.
    let k = kernels.0.resolve(x.reborrow(), compute)?.bind(Pairs::Between(s.reborrow(), x.reborrow()), compute)?;
    let l = kernels.1.resolve(y.reborrow(), compute)?.bind(Pairs::Between(t.reborrow(), y.reborrow()), compute)?;
    let n = x.len() as f64;
    let value = |_, k: &[f64], l: &[f64]| {
        let products: f64 = k.iter().zip(l).map(|(a, b)| a * b).sum();
        products / n - k.iter().sum::<f64>() * l.iter().sum::<f64>() / (n * n)
    };
    by_row(&k, &l, value, compute)
}

/// The share of every pair `(xᵢ, yᵢ)` in the biased HSIC: which points drive the dependence.
///
/// # Formula
/// `cᵢ = (1/n) Σⱼ (HKH)ᵢⱼ(HLH)ᵢⱼ`, whose mean is the biased [`hsic`](super::hsic).
///
/// # Cost
/// Two passes over the pairs of each sample, nothing stored.
///
/// # Errors
/// As [`hsic`](super::hsic).
///
/// # Example
/// ```
/// use mercer::{Compute, measure::dependence_shares};
/// use ndarray::array;
/// let (x, k) = (array![[-1.0], [0.0], [1.0]], "linear()".parse()?);
/// // cᵢ = (xᵢ yᵢ/n) Σⱼ xⱼyⱼ: the point in the middle has no share.
/// assert_eq!(dependence_shares(&x, &x, (&k, &k), &Compute::new())?.to_vec(), [2.0 / 3.0, 0.0, 2.0 / 3.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn dependence_shares<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernels: (&Kernel, &Kernel),
    compute: &Compute,
) -> Result<Array1<f64>> {
    let (x, y) = (x.into(), y.into());
    check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], 2)?;
    let k = kernels.0.bind(Pairs::Within(x), compute)?;
    let l = kernels.1.bind(Pairs::Within(y), compute)?;
    let n = check_matrices(&[&k, &l], 2)? as f64;
    let (k_centering, l_centering) =
        (centering(&k, HsicEstimator::Biased, compute)?, centering(&l, HsicEstimator::Biased, compute)?);
    let value = |i: usize, k: &[f64], l: &[f64]| {
        let entry = |(j, (a, b)): (usize, (&f64, &f64))| k_centering.value(i, j, *a) * l_centering.value(i, j, *b);
        k.iter().zip(l).enumerate().map(entry).sum::<f64>() / n
    };
    by_row(&k, &l, value, compute)
}

/// A value for every row from the two rows of kernel values, strips in parallel.
fn by_row(
    k: &dyn Tiles,
    l: &dyn Tiles,
    value: impl Fn(usize, &[f64], &[f64]) -> f64 + Sync,
    compute: &Compute,
) -> Result<Array1<f64>> {
    let (rows, columns) = k.shape();
    let strip = |at: usize| {
        compute.check_canceled()?;
        let range = at * STRIP..rows.min((at + 1) * STRIP);
        let (mut k_lines, mut l_lines) = (vec![0.0; range.len() * columns], vec![0.0; range.len() * columns]);
        k.fill(range.clone(), 0..columns, &mut k_lines);
        l.fill(range.clone(), 0..columns, &mut l_lines);
        let lines = k_lines.chunks_exact(columns).zip(l_lines.chunks_exact(columns));
        Ok(range.zip(lines).map(|(i, (k, l))| value(i, k, l)).collect::<Vec<f64>>())
    };
    Ok(compute.try_map_tasks(rows.div_ceil(STRIP), strip)?.concat().into())
}
