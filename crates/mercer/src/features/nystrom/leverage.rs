//! Ridge leverage scores: how much a ridge regression relies on each point.

use ndarray::{Array1, Axis};

use super::landmarks::uniform;
use super::{Landmarks, Nystrom};
use crate::error::{AllowedRange, Remedy};
use crate::features::FeatureMap;
use crate::features::seeding::weighted;
use crate::gram::{self, Pairs};
use crate::solve::{Factored, factor};
use crate::{Compute, Error, Kernel, Points, Result};

/// The ridge leverage scores `lᵢ = [K(K + λI)⁻¹]ᵢᵢ`; their sum is the effective dimension.
///
/// # Cost
/// `2n³/3` and two matrices of `n²` values: for samples that a dense method can take.
///
/// # Errors
/// [`Error::Parameter`] unless `λ > 0`, [`Error::Singular`] when `K + λI` is singular,
/// [`Error::Memory`]; as [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, features::ridge_leverage_scores};
/// use ndarray::array;
/// // Two copies of one point share a score of 2/(2 + λ).
/// let scores = ridge_leverage_scores(&"gaussian()".parse()?, array![[1.0], [1.0]].view(), 2.0, &Compute::new())?;
/// mercer::assert_close!(scores[0], 0.25, abs = 1e-15);
/// mercer::assert_close!(scores[1], 0.25, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn ridge_leverage_scores<'x>(
    kernel: &Kernel,
    x: impl Into<Points<'x>>,
    lambda: f64,
    compute: &Compute,
) -> Result<Array1<f64>> {
    let x = kernel.points(x);
    if !(lambda.is_finite() && lambda > 0.0) {
        return Err(Error::parameter("lambda", lambda, AllowedRange::POSITIVE));
    }
    let mut matrix = gram::dense(&kernel.bind(Pairs::Within(x), compute)?, compute)?;
    matrix.diag_mut().mapv_inplace(|d| d + lambda);
    match factor(matrix, compute)? {
        // K(K + λI)⁻¹ = I − λ(K + λI)⁻¹.
        Factored::Definite(l) => Ok(l.inverse_diagonal(compute)?.into_iter().map(|d| 1.0 - lambda * d).collect()),
        Factored::Singular(_) => {
            Err(Error::singular(format!("K + λI of {kernel} at λ = {lambda}"), Remedy::larger("lambda")))
        }
    }
}

/// Rows drawn without replacement with probabilities in proportion to estimated scores.
pub(super) fn sample(kernel: &Kernel, x: Points<'_>, count: usize, compute: &Compute) -> Result<Vec<usize>> {
    let mut stream = compute.seed().stream("landmarks", 2);
    let pilot = uniform(x.len(), count, &mut stream);
    let spec = Nystrom { landmarks: Landmarks::Rows(pilot), ..Nystrom::new(kernel.clone(), count) };
    let pilot = spec.fit(x, compute)?;
    let mut scores = estimate(&pilot, x, compute)?;
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count.min(x.len()) && scores.iter().any(|s| *s > 0.0) {
        let next = weighted(&scores, &mut stream);
        scores[next] = 0.0;
        chosen.push(next);
    }
    Ok(chosen)
}

/// `zᵢᵀ(ZᵀZ + λI)⁻¹zᵢ + (kᵢᵢ − ‖zᵢ‖²)/λ`, at most 1: never below the score by more than what the
/// landmarks miss.
fn estimate(pilot: &super::NystromFeatures, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
    let z = pilot.transform(x, compute)?;
    let diagonal = pilot.kernel().bind(Pairs::Within(x), compute)?.diagonal()?;
    let lambda = (pilot.trace_error() / pilot.components().max(1) as f64).max(1e-12 * pilot.trace());
    let mut inner = z.t().dot(&z);
    inner.diag_mut().mapv_inplace(|d| d + lambda);
    let Factored::Definite(l) = factor(inner, compute)? else {
        return Err(Error::singular("the matrix of the features of the first landmarks", "use fewer components"));
    };
    let half = l.half_solve(z.t(), compute)?;
    let squares = half.axis_iter(Axis(1)).map(|c| c.dot(&c));
    let missed = z.rows().into_iter().zip(&diagonal).map(|(z, k)| (k - z.dot(&z)).max(0.0) / lambda);
    Ok(squares.zip(missed).map(|(s, m)| (s + m).min(1.0)).collect())
}
