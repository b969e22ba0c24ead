//! Preconditioned conjugate gradients for several right-hand sides at once.

mod null_space;
mod state;
#[cfg(test)]
mod tests;

use ndarray::{Array2, ArrayView2};

pub(crate) use null_space::{NullSpace, pinned_inverse};
pub use state::ConjugateGradientState;

use crate::operator::Operator;
use crate::{Error, Result};

/// When the residual `r = b − Ax` of a right-hand side is small enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResidualRule {
    /// `‖r‖ ≤ tolerance·(‖A‖‖x‖ + ‖b‖)`, a backward error.
    Backward,
    /// `‖r‖ ≤ tolerance·‖b‖`, both in the norm of the preconditioner.
    Relative,
    /// `‖r‖ ≤ tolerance·λ‖x‖` for `A = K + λI`: the norm of the error of the fitted values `Kx` is
    /// at most `‖r‖`, and that of their residuals is `λ‖x‖`.
    Penalty {
        /// λ.
        lambda: f64,
    },
}

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConjugateGradientOptions {
    /// The bound of the residual.
    pub tolerance: f64,
    /// What the residual is compared with.
    pub rule: ResidualRule,
    /// Give up after this many products with `A`.
    pub max_iterations: usize,
    /// Whether the columns are parts of one unknown, and not systems of their own.
    pub joint: bool,
}

impl Default for ConjugateGradientOptions {
    fn default() -> Self {
        Self { tolerance: 1e-14, rule: ResidualRule::Backward, max_iterations: 2000, joint: false }
    }
}

/// The solution and the evidence for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConjugateGradientSolution {
    /// `X` with `AX = B`.
    pub solution: Array2<f64>,
    /// Products with `A`, each for all columns.
    pub iterations: usize,
    /// The largest `‖b − Ax‖/‖b‖` over the columns: computed from `x` itself, or by the recurrence
    /// where few steps were enough.
    pub residual: f64,
    /// `B − AX`. With unpenalized functions this is their part, beside the residual.
    pub(crate) left: Array2<f64>,
}

/// Products up to which the residual of the recurrence is taken for the true one: they differ by at
/// most `2kε(‖A‖ max‖xⱼ‖ + ‖b‖)` after `k` steps (Greenbaum 1997): less than a fifth of the default
/// tolerance.
const TRUSTED: usize = 8;

/// Sees every iterate and may stop the work.
pub type Watch<'w> = dyn FnMut(ArrayView2<f64>) -> Result<bool> + 'w;

/// Why an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The residual is small, by the recurrence.
    Reached,
    /// The steps ran out.
    Steps,
    /// The watcher stopped it.
    Watched,
}

/// A system `AX = B` with a positive definite `A` known by its products, and a preconditioner
/// `M⁻¹ ≈ A⁻¹`.
///
/// # Theory
/// The error in the norm of `A` falls by at least `(√κ − 1)/(√κ + 1)` per step, `κ` the condition
/// number of `M⁻¹A`.
#[derive(Clone, Copy)]
pub struct ConjugateGradients<'a> {
    operator: &'a dyn Operator,
    preconditioner: &'a dyn Operator,
    null_space: Option<&'a NullSpace<'a>>,
    options: ConjugateGradientOptions,
}

impl<'a> ConjugateGradients<'a> {
    /// A system without unpenalized functions.
    pub fn new(
        operator: &'a dyn Operator,
        preconditioner: &'a dyn Operator,
        options: ConjugateGradientOptions,
    ) -> Self {
        Self { operator, preconditioner, null_space: None, options }
    }

    /// The system `AX + NΓ = B`, `NᵀX = 0`.
    pub(crate) fn within(self, null_space: Option<&'a NullSpace<'a>>) -> Self {
        Self { null_space, ..self }
    }

    /// The beginning of an iteration, at 0.
    pub fn start(&self, b: ArrayView2<f64>) -> ConjugateGradientState {
        ConjugateGradientState::new(b, self.null_space)
    }

    /// The solution to the tolerance. When the residual of the recurrence is small after more than
    /// eight steps, the true one is computed; if that is not small, the iteration starts again from
    /// there.
    ///
    /// # Errors
    /// [`Error::NotConverged`] with the residual that was reached; errors of the products.
    pub fn solve(&self, b: ArrayView2<f64>) -> Result<ConjugateGradientSolution> {
        let ConjugateGradientOptions { tolerance, max_iterations, .. } = self.options;
        let mut state = self.start(b);
        loop {
            self.run(&mut state, max_iterations, &mut |_| Ok(false))?;
            if state.iterations() > TRUSTED || !self.is_within(&state, tolerance) {
                let image = self.operator.apply(state.solution())?;
                state.refresh(&b - &image, self.null_space);
                state.count_product();
                if self.options.rule == ResidualRule::Relative {
                    self.preconditioned(&mut state)?;
                }
            }
            let residual = state.relative_residual();
            // The recurrence may be a little ahead of the truth: what is left is rounding within ten
            // tolerances.
            if self.is_within(&state, 10.0 * tolerance) {
                let iterations = state.iterations();
                let (solution, left) = state.into_parts();
                return Ok(ConjugateGradientSolution { solution, iterations, residual, left });
            }
            if state.iterations() >= max_iterations {
                let (solver, iterations) = ("conjugate gradients", state.iterations());
                return Err(Error::NotConverged { solver, iterations, residual, tolerance });
            }
        }
    }

    /// Steps from a state until the residual is small by the recurrence, the state has made
    /// `max_iterations` products in total, or the watcher stops them. A state that was stopped goes
    /// on as if it had not been.
    ///
    /// # Errors
    /// Errors of the products and of the watcher.
    pub fn run(
        &self,
        state: &mut ConjugateGradientState,
        max_iterations: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Ended> {
        let mut fresh = false;
        loop {
            let early = match self.options.rule {
                ResidualRule::Relative => Some(self.preconditioned(state)?),
                _ => None,
            };
            if fresh && watch(state.solution())? {
                return Ok(Ended::Watched);
            }
            if self.is_within(state, self.options.tolerance) {
                return Ok(Ended::Reached);
            }
            if state.iterations() >= max_iterations {
                return Ok(Ended::Steps);
            }
            let z = match early {
                Some(z) => z,
                None => self.preconditioned(state)?,
            };
            state.turn(z);
            let image = self.operator.apply(state.direction())?;
            state.step(image, &self.options, self.null_space);
            fresh = true;
        }
    }

    /// `M⁻¹r`, on the complement of the null space, with its inner products with `r`.
    fn preconditioned(&self, state: &mut ConjugateGradientState) -> Result<Array2<f64>> {
        let residual = state.residual();
        let z = match self.null_space {
            Some(null) => null.precondition(self.preconditioner, residual)?,
            None => self.preconditioner.apply(residual)?,
        };
        state.measure(&z, self.options.joint);
        Ok(z)
    }

    /// Whether every column is within the tolerance.
    pub fn is_within(&self, state: &ConjugateGradientState, tolerance: f64) -> bool {
        state.is_within(self.options.rule, tolerance)
    }

    /// The error of an iteration that has not reached its tolerance.
    pub(crate) fn not_converged(&self, state: &ConjugateGradientState) -> Error {
        let residual = match self.options.rule {
            ResidualRule::Penalty { lambda } => state.penalty_residual(lambda),
            _ => state.relative_residual(),
        };
        let (solver, iterations, tolerance) = ("conjugate gradients", state.iterations(), self.options.tolerance);
        Error::NotConverged { solver, iterations, residual, tolerance }
    }
}

/// Solves `AX = B` for a positive definite `A` known by its products, with a preconditioner
/// `M⁻¹ ≈ A⁻¹`: as [`ConjugateGradients::solve`].
///
/// # Errors
/// [`Error::NotConverged`] with the residual that was reached; errors of the products.
///
/// # Example
/// ```
/// use mercer::operator::{Dense, Identity};
/// use mercer::solve::{ConjugateGradientOptions, conjugate_gradients};
/// use ndarray::array;
/// let a = array![[4.0, 1.0], [1.0, 3.0]];
/// let matrix = Dense::new(a.view(), &mercer::Compute::new());
/// let right = array![[1.0], [2.0]];
/// let found = conjugate_gradients(&matrix, &Identity(2), right.view(), &ConjugateGradientOptions::default())?;
/// mercer::assert_close!(found.solution[[0, 0]], 1.0 / 11.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn conjugate_gradients(
    operator: &dyn Operator,
    preconditioner: &dyn Operator,
    b: ArrayView2<f64>,
    options: &ConjugateGradientOptions,
) -> Result<ConjugateGradientSolution> {
    ConjugateGradients::new(operator, preconditioner, *options).solve(b)
}
