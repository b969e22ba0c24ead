//! Functions drawn at random: what a kernel believes before it has seen data.

use ndarray::{Array1, Array2};

use crate::error::MemoryPurpose;
use crate::gram::{self, Pairs};
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Result};

/// Values at points of random functions of the Gaussian process with mean 0 and covariance `k`: a row per point, a column
/// per function.
///
/// # Formula
/// `f = U diag(√λ) z` for `K = U diag(λ) Uᵀ` and `z` standard normal; eigenvalues that are negative by rounding count as 0.
/// Function `j` is drawn from a stream of its own.
///
/// # Cost
/// The eigenvalues of `K`: `O(n³)`, and four matrices of its size.
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where an eigenvalue is negative by more than rounding, [`Error::Memory`]; as
/// [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, function::prior_draws};
/// use ndarray::array;
/// let f = prior_draws(&"linear()".parse()?, array![[1.0], [2.0], [-1.0]].view(), 3, &Compute::new())?;
/// assert_eq!(f.dim(), (3, 3));
/// // Every function is a line through the origin.
/// mercer::assert_close!(f[[1, 0]], 2.0 * f[[0, 0]], abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn prior_draws<'x>(
    kernel: &Kernel,
    x: impl Into<Points<'x>>,
    count: usize,
    compute: &Compute,
) -> Result<Array2<f64>> {
    let x = kernel.points(x.into());
    let n = x.len();
    let bytes = 32 * (n as u64).saturating_mul(n as u64);
    compute.reserve(MemoryPurpose::KernelMatrix, &format!("functions at {n} points"), bytes, "use fewer points")?;
    let matrix = gram::dense(&kernel.bind(Pairs::Within(x), compute)?, compute)?;
    let eigen = symmetric_eigen(matrix.view(), compute)?;
    let trace: f64 = matrix.diag().iter().map(|v| v.abs()).sum();
    let lowest = eigen.values.first().copied().unwrap_or(0.0);
    // Eigenvalues of a matrix of rounded entries are off by a few units in the last place of its trace.
    if lowest < -4.0 * n as f64 * f64::EPSILON * trace {
        let reason = format!("its matrix at the {n} points has the eigenvalue {lowest:.3e}");
        return Err(Error::NotPositiveDefinite { kernel: kernel.to_string(), reason, counterexample: None });
    }
    let roots = Array1::from_iter(eigen.values.iter().map(|v| v.max(0.0).sqrt()));
    let mut normal = Array2::zeros((n, count));
    for (j, mut column) in normal.columns_mut().into_iter().enumerate() {
        let mut stream = compute.seed().stream("prior draws", j as u64);
        column.iter_mut().for_each(|z| *z = stream.normal());
    }
    Ok((&eigen.vectors * &roots).dot(&normal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn second_moments_are_the_kernel() {
        let (x, count) = (ndarray::array![[0.0], [0.5], [2.0]], 20_000);
        let kernel: Kernel = "2*gaussian(lengthscale=1)".parse().unwrap();
        let f = prior_draws(&kernel, x.view(), count, &Compute::new().with_seed(Seed(3))).unwrap();
        let found = f.dot(&f.t()) / count as f64;
        for ((i, j), value) in found.indexed_iter() {
            let expected = kernel.evaluate(&[x[[i, 0]]], &[x[[j, 0]]]).unwrap();
            // Six standard deviations: √(k(x,x)k(y,y) + k(x,y)²)/√count ≤ 2√2/141.
            assert!((value - expected).abs() < 0.12, "{value} {expected}");
        }
    }

    #[test]
    fn a_kernel_that_is_not_psd_is_refused_and_threads_do_not_matter() {
        let x = Array2::from_shape_fn((30, 1), |(i, _)| i as f64 / 10.0);
        let refused = prior_draws(&"ball(radius=1)".parse().unwrap(), x.view(), 1, &Compute::new());
        assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })));
        let draw = |threads| {
            prior_draws(&"matern()".parse().unwrap(), x.view(), 2, &Compute::new().with_threads(threads).unwrap())
                .unwrap()
        };
        assert_eq!(draw(1), draw(2));
    }
}
