//! Leave-one-out and GCV with their gradients by the parameters of the kernel and λ.

use ndarray::{Array1, Array2, Axis};

use super::Criterion;
use crate::learn::Ridge;
use crate::learn::ridge::{Problem, RidgeData};
use crate::operator::products::multiply;
use crate::solve::{Factored, Solved, factor, solve_positive};
use crate::{Compute, Result};

/// A score, and its slopes by every parameter of the kernel in order, then by λ; 0 for those not
/// requested.
pub(super) struct SmoothScore {
    pub(super) value: f64,
    pub(super) slopes: Vec<f64>,
}

/// `G` and `c = GSy` of a regular ridge problem.
struct Inverse {
    g: Array2<f64>,
    dual: Array2<f64>,
}

/// How the score changes: `dS = Σ uᵢₖ dcᵢₖ − Σ vᵢ dGᵢᵢ`.
struct Change {
    value: f64,
    u: Array2<f64>,
    v: Array1<f64>,
}

/// The score of `ridge`; none where the regularized matrix is singular to working precision.
///
/// # Formula
/// `dG = −G dA G` with `A = SKS + λI`, so `dS = tr(H dA)` with `H = G diag(v) G − c(Gu)ᵀ`.
///
/// # Cost
/// About `5n³` and one matrix of derivatives per parameter, in tiles; `32n²` bytes.
pub(super) fn smooth_score(
    ridge: &Ridge,
    criterion: Criterion,
    data: RidgeData<'_>,
    requested: &[bool],
    compute: &Compute,
) -> Result<Option<SmoothScore>> {
    let problem = Problem::new(&ridge.kernel, ridge.intercept, data, compute)?;
    let Some(inverse) = Inverse::new(&problem, ridge.lambda, compute)? else { return Ok(None) };
    let change = match criterion {
        Criterion::Gcv => gcv(&inverse, &problem),
        Criterion::LeaveOneOut | Criterion::Folds(_) => leave_one_out(&inverse, &problem),
    };
    let scaled = &inverse.g * &change.v;
    let mut slopes = multiply(scaled.view(), inverse.g.view(), compute)?;
    slopes -= &inverse.dual.dot(&inverse.g.dot(&change.u).t());
    let by_lambda = slopes.diag().sum();
    slopes *= &problem.roots;
    slopes *= &problem.roots.view().insert_axis(Axis(1));
    let mut by_parameter = problem.bound.contract_requested(slopes.view(), requested, compute)?;
    by_parameter.push(by_lambda);
    Ok(Some(SmoothScore { value: change.value, slopes: by_parameter }))
}

impl Inverse {
    fn new(problem: &Problem<'_>, lambda: f64, compute: &Compute) -> Result<Option<Self>> {
        let mut matrix = problem.matrix(compute)?;
        matrix.diag_mut().mapv_inplace(|d| d + lambda);
        let Factored::Definite(factor) = factor(matrix, compute)? else { return Ok(None) };
        let mut g = factor.solve(Array2::eye(problem.rows()).view(), compute)?;
        let q = &problem.null_space.q;
        if q.ncols() > 0 {
            let solved = g.dot(q);
            let found = solve_positive(q.t().dot(&solved).view(), solved.t())?;
            if found.solved != Solved::Cholesky {
                return Ok(None);
            }
            g -= &solved.dot(&found.solution);
        }
        let dual = g.dot(&problem.targets);
        Ok(Some(Self { g, dual }))
    }
}

/// `Σ (cᵢₖ/Gᵢᵢ)²/W`.
fn leave_one_out(inverse: &Inverse, problem: &Problem<'_>) -> Change {
    let gain = inverse.g.diag().insert_axis(Axis(1));
    let weight = problem.roots.dot(&problem.roots) * problem.targets.ncols() as f64;
    let residuals = &inverse.dual / &gain;
    let u = &residuals / &gain * (2.0 / weight);
    let v = (&u * &residuals).sum_axis(Axis(1));
    Change { value: (&residuals * &residuals).sum() / weight, u, v }
}

/// The mean over the outputs of `n‖c‖²/(tr G)²`, over the rows that count.
fn gcv(inverse: &Inverse, problem: &Problem<'_>) -> Change {
    let counted = problem.roots.mapv(|s| f64::from(u8::from(s > 0.0)));
    let factor = counted.sum() / problem.targets.ncols() as f64;
    let trace = inverse.g.diag().dot(&counted);
    let square = (&inverse.dual * &inverse.dual).sum();
    let u = &inverse.dual * (2.0 * factor / trace.powi(2));
    let v = counted * (2.0 * factor * square / trace.powi(3));
    Change { value: factor * square / trace.powi(2), u, v }
}
