//! The result of a solver, in scaled coordinates.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::null_space::NullSpace;
use super::problem::Problem;
use crate::solve::{Solved, solve_positive};
use crate::{Error, Result};

/// How the solution was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RidgeMethod {
    /// By a Cholesky factor of the regularized matrix.
    Cholesky,
    /// By an eigendecomposition; the regularized matrix is definite.
    Eigen,
    /// Along the line, by a Kalman filter and its adjoint: exact, in linear time.
    StateSpace {
        /// The numbers that the process carries from point to point.
        states: usize,
    },
    /// In the features of a kernel with finitely many: exact, in time linear in the rows.
    FiniteRank {
        /// The number of features.
        features: usize,
    },
    /// With equal points merged, by a Cholesky factor for the distinct ones: exact.
    DistinctPoints {
        /// The number of distinct points.
        points: usize,
    },
    /// On a grid, by Fourier transforms or Kronecker products: exact.
    Grid {
        /// The cells of the grid, missing ones included.
        cells: usize,
        /// Steps of conjugate gradients.
        iterations: usize,
        /// The largest relative residual over the outputs, computed from the solution.
        residual: f64,
    },
    /// The matrix is singular to working precision: the least-squares answer of minimum norm, which
    /// is the limit `λ → 0`.
    MinimumNorm {
        /// Directions that were kept.
        rank: usize,
        /// The threshold below which an eigenvalue of the regularized matrix counted as 0.
        threshold: f64,
    },
    /// By the matrix in single precision, refined by conjugate gradients in double precision.
    Mixed {
        /// Products with the matrix.
        iterations: usize,
        /// The largest relative residual over the outputs, in double precision, computed from the
        /// solution.
        residual: f64,
        /// Columns of the Cholesky factor of that matrix: all, or some where those are enough to
        /// precondition conjugate gradients.
        rank: usize,
    },
    /// By conjugate gradients.
    ConjugateGradients {
        /// Products with the matrix.
        iterations: usize,
        /// The largest relative residual over the outputs, computed from the solution.
        residual: f64,
        /// Columns of the preconditioner.
        rank: usize,
    },
    /// By conjugate gradients on explicit features.
    Features {
        /// Products with the features and with their transpose.
        iterations: usize,
        /// The largest relative residual over the outputs, computed from the solution.
        residual: f64,
        /// The number of features.
        features: usize,
        /// Features in the preconditioner.
        rank: usize,
    },
    /// On a few centers, by conjugate gradients: an approximation.
    Centers {
        /// The centers.
        centers: usize,
        /// Products with the kernel matrix between points and centers, and with its transpose.
        iterations: usize,
        /// The largest relative residual over the outputs, in the norm of the preconditioner.
        residual: f64,
        /// Whether the residual reached the tolerance before the iterations ran out or rows held
        /// out stopped the work.
        converged: bool,
        /// The share of the trace of the kernel that the centers miss, on a part of the sample.
        missed: f64,
    },
}

/// `c`, `β` and what follows from `G`.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// `c = GSy`.
    pub(crate) dual: Array2<f64>,
    /// `β`.
    pub(crate) null: Array2<f64>,
    /// `S(y − fitted)`.
    pub(crate) residual: Array2<f64>,
    pub(crate) influence: Option<Influence>,
    pub(crate) condition: Option<f64>,
    pub(crate) method: RidgeMethod,
    /// An eigenvalue of the regularized matrix that is negative beyond rounding, where one was
    /// seen.
    pub(crate) negative: Option<f64>,
    /// The weights of the features of a kernel with finitely many: `Zᵀα` has fewer digits.
    pub(crate) feature_weights: Option<Array2<f64>>,
}

/// What each observation does to its own fitted value.
#[derive(Clone, Debug)]
pub(crate) struct Influence {
    pub(crate) hat: Array1<f64>,
    /// Leave-one-out residuals times the root of the weight; NaN where the others do not determine
    /// `β`.
    pub(crate) leave_one_out: Array2<f64>,
    pub(crate) gcv: Array1<f64>,
}

impl Solution {
    /// The solution from `A⁻¹[Sy | Q]`, where `A = SKS + λI`, and the diagonal of `A⁻¹` if the influence
    /// of each observation is requested.
    pub(super) fn of_system(
        problem: &Problem<'_>,
        lambda: f64,
        solved: ArrayView2<f64>,
        inverse_diagonal: Option<Array1<f64>>,
        condition: Option<f64>,
        method: RidgeMethod,
    ) -> Result<Self> {
        let (targets, null) = solved.split_at(Axis(1), problem.targets.ncols());
        let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
        let influence = inverse_diagonal.map(|mut gain| {
            gain -= &(&null * &reduced.correction.t()).sum_axis(Axis(1));
            Influence::new(lambda, &reduced.dual, &gain, &problem.roots)
        });
        Ok(Self {
            residual: &reduced.dual * lambda,
            dual: reduced.dual,
            null: reduced.null,
            influence,
            condition,
            method,
            negative: None,
            feature_weights: None,
        })
    }
}

impl Influence {
    /// From `c` and the diagonal of `G` of a regular problem.
    pub(crate) fn new(lambda: f64, dual: &Array2<f64>, gain: &Array1<f64>, roots: &Array1<f64>) -> Self {
        let hat = gain.mapv(|g| 1.0 - lambda * g);
        let leave_one_out = dual / &gain.view().insert_axis(Axis(1));
        Self { hat, leave_one_out, gcv: gcv(dual, gain, roots) }
    }
}

/// `n‖c‖²/(tr G)²` over the rows that count, which is `(RSS/n)/(1 − df/n)²`, also in the limit
/// `λ → 0`.
pub(super) fn gcv(dual: &Array2<f64>, gain: &Array1<f64>, roots: &Array1<f64>) -> Array1<f64> {
    let counted = roots.iter().filter(|s| **s > 0.0).count() as f64;
    let trace: f64 = gain.iter().zip(roots).filter(|(_, s)| **s > 0.0).map(|(g, _)| g).sum();
    dual.columns().into_iter().map(|c| counted * c.dot(&c) / (trace * trace)).collect()
}

/// `c = A⁻¹(z − Qγ)` from `A⁻¹z` and `A⁻¹Q`, with `QᵀA⁻¹Qγ = QᵀA⁻¹z`; and `T = (QᵀA⁻¹Q)⁻¹(A⁻¹Q)ᵀ`.
pub(super) struct Reduced {
    pub(super) dual: Array2<f64>,
    pub(super) null: Array2<f64>,
    pub(super) correction: Array2<f64>,
}

impl Reduced {
    pub(super) fn new(solved: Array2<f64>, solved_null: Array2<f64>, null_space: &NullSpace) -> Result<Self> {
        let m = null_space.count();
        if m == 0 {
            return Ok(Self {
                null: Array2::zeros((0, solved.ncols())),
                dual: solved,
                correction: solved_null.t().to_owned(),
            });
        }
        let schur = null_space.q.t().dot(&solved_null);
        let right = ndarray::concatenate(Axis(1), &[null_space.q.t().dot(&solved).view(), solved_null.t()])
            .expect("both parts have one row per function");
        let found = solve_positive(schur.view(), right.view())?;
        if found.solved != Solved::Cholesky {
            return Err(Error::singular(
                "the system of the unpenalized coefficients",
                "leave unpenalized functions out that depend on others",
            ));
        }
        let (gamma, correction) = found.solution.view().split_at(Axis(1), solved.ncols());
        let dual = &solved - &solved_null.dot(&gamma);
        Ok(Self { dual, null: null_space.coefficients(&gamma.to_owned()), correction: correction.to_owned() })
    }
}
