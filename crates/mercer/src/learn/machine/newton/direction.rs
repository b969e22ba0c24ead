//! The Newton step, by a factor of the whole system or by conjugate gradients.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::iterative::Preconditioner;
use super::root::Root;
use super::state::{NewtonState, NewtonStep, Setting};
use crate::error::Remedy;
use crate::operator::Operator;
use crate::solve::newton::DataTerm;
use crate::solve::{Factored, eigenvalues, factor, pinned_inverse};
use crate::{Compute, Error, Result};

/// How the system of a step is solved.
#[derive(Debug)]
pub(super) enum Inner {
    Dense,
    Iterative(Preconditioner),
}

impl Inner {
    pub(super) fn step(&self, state: &NewtonState, at: Setting<'_>, compute: &Compute) -> Result<NewtonStep> {
        let root = Root::new(at.model.curvature(&state.values()));
        let right = root.transposed(state.missing_image.view());
        let (c, intercept) = match (self, at.matrix.values()) {
            (Self::Iterative(preconditioner), _) => preconditioner.solve(&root, &right, state, at, compute)?,
            (Self::Dense, Some(k)) => dense(&root, k, &right, state, at, compute)?,
            (Self::Dense, None) => {
                return Err(Error::unsupported(
                    "exact Newton step",
                    "a matrix that is not stored",
                    "",
                    "use conjugate gradients",
                ));
            }
        };
        let alpha = &state.missing - &root.apply(c.view());
        let image = at.matrix.apply(alpha.view())?;
        Ok(NewtonStep { alpha, intercept, image })
    }
}

/// The diagonal of the inverse of `BᵀKB + μI` on the complement of the constants, at the curvature
/// of a state: what each point does to itself. One function only.
pub(super) fn gains(
    state: &NewtonState,
    k: &Array2<f64>,
    at: Setting<'_>,
    compute: &Compute,
) -> Result<(Root, Array1<f64>)> {
    let root = Root::new(at.model.curvature(&state.values()));
    let factor = match factor(root.congruence(k, at.mu, compute), compute)? {
        Factored::Definite(factor) => factor,
        Factored::Singular(matrix) => return Err(singular(&matrix, at, compute)),
    };
    let mut gain = Array1::from(factor.inverse_diagonal(compute)?);
    if at.intercept {
        let null = constants(&root, (k.nrows(), 1));
        let response = factor.solve(null.view(), compute)?;
        let total = null.t().dot(&response)[[0, 0]];
        gain -= &response.column(0).mapv(|r| r * r / total);
    }
    Ok((root, gain))
}

/// `c` and `δb` from one Cholesky factor of `BᵀKB + μI`.
fn dense(
    root: &Root,
    k: &Array2<f64>,
    right: &Array2<f64>,
    state: &NewtonState,
    at: Setting<'_>,
    compute: &Compute,
) -> Result<(Array2<f64>, Array1<f64>)> {
    let factor = match factor(root.congruence(k, at.mu, compute), compute)? {
        Factored::Definite(factor) => factor,
        Factored::Singular(matrix) => return Err(singular(&matrix, at, compute)),
    };
    let shape = right.dim();
    if !at.intercept {
        let c = factor.solve(flat(right.view()).view(), compute)?;
        return Ok((unflat(c.view(), shape), Array1::zeros(shape.1)));
    }
    let null = constants(root, shape);
    let both = concatenate(Axis(1), &[flat(right.view()).view(), null.view()]).expect("one row per value");
    let solved = factor.solve(both.view(), compute)?;
    let (own, response) = (solved.slice(s![.., ..1]), solved.slice(s![.., 1..]));
    let lacking = sums(&state.missing) - null.t().dot(&own);
    let shift = pinned_inverse(&null.t().dot(&response))?.dot(&lacking);
    let c = &own + &response.dot(&shift);
    Ok((unflat(c.view(), shape), shift.index_axis_move(Axis(1), 0)))
}

/// `N = Bᵀ(1 ⊗ I)`: what a unit of each intercept does, one column per function.
pub(super) fn constants(root: &Root, shape: (usize, usize)) -> Array2<f64> {
    let mut null = Array2::zeros((shape.0 * shape.1, shape.1));
    for c in 0..shape.1 {
        let unit = Array2::from_shape_fn(shape, |(_, d)| f64::from(u8::from(c == d)));
        null.column_mut(c).assign(&flat(root.transposed(unit.view()).view()).column(0));
    }
    null
}

/// The sum over the points for every function, as a column.
pub(super) fn sums(values: &Array2<f64>) -> Array2<f64> {
    values.sum_axis(Axis(0)).insert_axis(Axis(1))
}

/// All values in one column, those of a point together.
pub(super) fn flat(values: ArrayView2<f64>) -> Array2<f64> {
    values.iter().copied().collect::<Array1<f64>>().insert_axis(Axis(1))
}

/// One row per point again.
pub(super) fn unflat(values: ArrayView2<f64>, shape: (usize, usize)) -> Array2<f64> {
    Array2::from_shape_fn(shape, |(i, c)| values[[i * shape.1 + c, 0]])
}

/// The matrix is at least `μI` for every positive semi-definite kernel: either the kernel is not,
/// or `μ` drowns in rounding.
fn singular(matrix: &Array2<f64>, at: Setting<'_>, compute: &Compute) -> Error {
    match eigenvalues(matrix.view(), compute).map(|values| values.first().copied()) {
        Err(Error::Canceled) => Error::Canceled,
        Ok(Some(value)) if value < 0.5 * at.mu - 1e-10 * matrix.diag().sum() => Error::NotPositiveDefinite {
            kernel: at.kernel.short(),
            reason: format!("on this data a regularized matrix has the eigenvalue {value:e}, below λ"),
            counterexample: None,
        },
        _ => lost_penalty(),
    }
}

/// `μ` is too small beside the kernel values.
pub(super) fn lost_penalty() -> Error {
    Error::singular("the Newton system, where the penalty is lost in rounding,", Remedy::larger("lambda"))
}
