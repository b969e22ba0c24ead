//! Grids of λ and of lengthscales.

use crate::error::AllowedRange;
use crate::gram::{MetricKind, median_distance, median_distance_sparse};
use crate::kernel::{Kernel, Lengthscale};
use crate::{Compute, Error, Points, Result};

/// `count` numbers from `from` to `to`, evenly spaced in the logarithm.
///
/// # Errors
/// [`Error::Parameter`] unless both ends are finite and positive and there is at least one number.
///
/// # Example
/// ```
/// let grid = mercer::select::log_grid(0.01, 100.0, 5)?;
/// assert!(grid.iter().zip([0.01, 0.1, 1.0, 10.0, 100.0]).all(|(g, e)| (g / e - 1.0).abs() < 1e-14));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn log_grid(from: f64, to: f64, count: usize) -> Result<Vec<f64>> {
    for end in [from, to] {
        if !end.is_finite() || end <= 0.0 {
            return Err(Error::parameter("end of a grid", end, AllowedRange::POSITIVE));
        }
    }
    if count == 0 {
        return Err(Error::parameter("count", count, 1..));
    }
    let step = (to / from).ln() / (count.max(2) - 1) as f64;
    Ok((0..count).map(|i| from * (i as f64 * step).exp()).collect())
}

/// The median distance of the data times powers of 2: `count` lengthscales with the median in the
/// middle.
///
/// # Errors
/// [`Error::AllEqual`] when there are fewer than two distinct points, [`Error::WrongPoints`] for
/// points that are no vectors.
///
/// # Example
/// ```
/// use mercer::{Compute, select::median_lengthscales};
/// let x = ndarray::array![[0.0], [1.0], [3.0]];
/// assert_eq!(median_lengthscales(x.view(), 3, &Compute::new())?, [1.0, 2.0, 4.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn median_lengthscales<'x>(x: impl Into<Points<'x>>, count: usize, compute: &Compute) -> Result<Vec<f64>> {
    let median = match x.into() {
        Points::Sparse(x) => median_distance_sparse(x, MetricKind::SquaredEuclidean, compute)?,
        x => median_distance(x.vectors()?, MetricKind::SquaredEuclidean, compute)?,
    };
    let middle = (count / 2) as i32;
    Ok((0..count as i32).map(|i| median * 2.0_f64.powi(i - middle)).collect())
}

/// The kernel with every lengthscale set to `value`; a list (one per column) is scaled so that its
/// geometric mean is `value`.
///
/// # Errors
/// [`Error::Unsupported`] when the kernel has no lengthscale, [`Error::Parameter`] unless the value
/// is finite and positive.
///
/// # Example
/// ```
/// use mercer::{Kernel, select::with_lengthscale};
/// let k: Kernel = "gaussian(lengthscale=median) + laplacian(lengthscale=[1, 4])".parse()?;
/// let found: Vec<f64> = with_lengthscale(&k, 6.0)?.parameters().iter().map(|p| p.value).collect();
/// assert!(found.iter().zip([6.0, 3.0, 12.0]).all(|(f, e)| (f - e).abs() < 1e-13));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn with_lengthscale(kernel: &Kernel, value: f64) -> Result<Kernel> {
    if !has_lengthscale(kernel) {
        return Err(Error::unsupported(
            "choice of a lengthscale",
            kernel,
            "it has no lengthscale",
            "use a kernel with one, or no list of lengthscales",
        ));
    }
    replace(kernel, value)
}

fn has_lengthscale(kernel: &Kernel) -> bool {
    match kernel {
        Kernel::Base(base) => base.lengthscale().is_some(),
        other => other.children().into_iter().any(has_lengthscale),
    }
}

fn replace(kernel: &Kernel, value: f64) -> Result<Kernel> {
    match kernel {
        Kernel::Base(base) => match base.lengthscale() {
            None => Ok(kernel.clone()),
            Some(Lengthscale::PerColumn(_)) => {
                let old = base.lengthscale().map_or(Vec::new(), Lengthscale::values);
                let mean = (old.iter().map(|l| l.ln()).sum::<f64>() / old.len() as f64).exp();
                let new: Vec<f64> = old.iter().map(|l| l / mean * value).collect();
                Ok(Kernel::Base(base.with_lengthscale(Lengthscale::per_column(&new)?)))
            }
            Some(_) => Ok(Kernel::Base(base.with_lengthscale(Lengthscale::shared(value)?))),
        },
        other => other.map_children(&mut |k| replace(k, value)),
    }
}
