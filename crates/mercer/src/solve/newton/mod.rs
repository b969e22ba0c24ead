//! Newton's method for `min Σ vᵢℓ(yᵢ, f(xᵢ)) + λ‖w‖²` over `f = Zw + b`: any data term on any
//! operator of features.
//!
//! Each step is solved by conjugate gradients on products with `Z` and `Zᵀ`; of a quadratic data
//! term the first step is the solution. The intercepts are unknowns without penalty, which begin
//! where they are best for `w = 0`: the first right-hand side is then without the (possibly large)
//! mean of the targets, relative to which tolerances would be too loose.

mod curvature;
mod hessian;
mod steps;

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

pub(crate) use curvature::Curvature;
use hessian::Hessian;
pub(crate) use steps::joined;
use steps::{halved, parted};

use super::{ConjugateGradientOptions, ConjugateGradients, Ended, ResidualRule};
use crate::operator::{Operator, mapped};
use crate::{Compute, Error, Result};

/// A sum of weighted losses over the rows of the data, as a function of the values `f`: one column
/// per function.
pub(crate) trait DataTerm: Sync {
    /// The number of functions.
    fn outputs(&self) -> usize;

    /// Whether one Newton step is the solution.
    fn is_quadratic(&self) -> bool;

    /// `Σ vᵢℓ(yᵢ, fᵢ)`.
    fn loss(&self, f: &Array2<f64>) -> f64;

    /// `vᵢ∂ℓ/∂f` at a row.
    fn slopes(&self, row: usize, f: &[f64], out: &mut [f64]);

    /// `vᵢ∂²ℓ/∂f²` at every row.
    fn curvature(&self, f: &Array2<f64>) -> Curvature;

    /// The constants with the least loss, where there are such.
    fn constants(&self) -> Option<Array1<f64>>;
}

/// The preconditioner of a step from the curvatures of the rows and the penalty `2λ`, for the
/// coefficients and, last, the constant.
pub(crate) type Preconditioning<'p> = dyn Fn(ArrayView1<f64>, f64) -> Result<Box<dyn Operator + 'p>> + Sync + 'p;

/// What is minimized, and on what.
#[derive(Clone, Copy)]
pub(crate) struct NewtonProblem<'p> {
    /// `Z`, a row per row of the data.
    pub(crate) features: &'p dyn Operator,
    pub(crate) data: &'p dyn DataTerm,
    pub(crate) lambda: f64,
    pub(crate) intercept: bool,
    pub(crate) preconditioning: &'p Preconditioning<'p>,
    pub(crate) compute: &'p Compute,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewtonOptions {
    /// Stop when the residual is at most this part of the right-hand side (quadratic data terms),
    /// or a step improves the objective by less than this part.
    pub(crate) tolerance: f64,
    /// The residual of a step, as a part of its right-hand side, where the data term is not
    /// quadratic: the next step corrects the rest.
    pub(crate) step_tolerance: f64,
    /// Iterations of conjugate gradients, over all steps.
    pub(crate) max_iterations: usize,
    /// Newton steps.
    pub(crate) max_steps: usize,
}

/// A point of the iteration.
#[derive(Clone, Debug)]
pub(crate) struct PrimalState {
    pub(crate) w: Array2<f64>,
    pub(crate) b: Array1<f64>,
    /// `Zw + b`.
    pub(crate) fitted: Array2<f64>,
    /// `Zᵀ∂ℓ`, without the penalty.
    pub(crate) gradient: Array2<f64>,
    pub(crate) objective: f64,
}

/// How the iteration went.
#[derive(Clone, Debug)]
pub(crate) struct PrimalSolution {
    pub(crate) state: PrimalState,
    pub(crate) newton_steps: usize,
    /// Iterations of conjugate gradients.
    pub(crate) iterations: usize,
    /// The largest residual of the last system, in the norm of the preconditioner.
    pub(crate) residual: f64,
    pub(crate) converged: bool,
    /// Whether the work was canceled after a step: what it reached is an answer.
    pub(crate) canceled: bool,
}

/// Sees the iterates `(w, b)` and may stop the work.
pub(crate) type PrimalWatch<'w> = dyn FnMut(ArrayView2<f64>, &Array1<f64>) -> Result<bool> + 'w;

/// A step of the coefficients and constants.
struct Step {
    joined: Array2<f64>,
    iterations: usize,
    residual: f64,
    /// Whether the watcher stopped it.
    stopped: bool,
}

impl NewtonProblem<'_> {
    /// # Errors
    /// [`Error::Overflow`] for a sum of losses that is not finite, [`Error::Canceled`]; errors of
    /// the products.
    pub(crate) fn solve(&self, options: NewtonOptions, watch: &mut PrimalWatch<'_>) -> Result<PrimalSolution> {
        let quadratic = self.data.is_quadratic();
        let mut found = PrimalSolution {
            state: self.start()?,
            newton_steps: 0,
            iterations: 0,
            residual: f64::INFINITY,
            converged: false,
            canceled: false,
        };
        while found.newton_steps < if quadratic { 1 } else { options.max_steps } {
            let tolerance = if quadratic { options.tolerance } else { options.step_tolerance };
            let left = options.max_iterations.saturating_sub(found.iterations);
            let before = found.state.objective;
            let moved = self.compute.check_canceled().and_then(|()| {
                let step = self.step(&found.state, tolerance, left, watch)?;
                Ok((self.advance(found.state.clone(), &step.joined)?, step))
            });
            let step = match moved {
                Ok((state, step)) => {
                    found.state = state;
                    step
                }
                Err(Error::Canceled) if found.newton_steps > 0 => {
                    self.compute.check_aborted()?;
                    found.canceled = true;
                    break;
                }
                Err(other) => return Err(other),
            };
            found.iterations += step.iterations;
            found.newton_steps += 1;
            found.residual = step.residual;
            let settled = before - found.state.objective <= options.tolerance * before.abs();
            found.converged = if quadratic { found.residual <= options.tolerance } else { settled };
            if found.converged || step.stopped || found.iterations >= options.max_iterations {
                break;
            }
        }
        if !found.state.objective.is_finite() {
            return Err(Error::overflow("the sum of losses", "scale the targets or the weights down"));
        }
        Ok(found)
    }

    /// `w = 0`, with the constants that are best there.
    fn start(&self) -> Result<PrimalState> {
        let ((rows, width), outputs) = (self.features.shape(), self.data.outputs());
        let none = || Array1::zeros(outputs);
        let b = if self.intercept { self.data.constants().unwrap_or_else(none) } else { none() };
        let fitted = Array2::zeros((rows, outputs)) + &b;
        let slopes = mapped(&fitted, &|rows, values, out| self.slopes(rows, values, None, out));
        let gradient = self.features.apply_transposed(slopes.view())?;
        let objective = self.data.loss(&fitted);
        Ok(PrimalState { w: Array2::zeros((width, outputs)), b, fitted, gradient, objective })
    }

    /// Everything at `(w, b)`, in one pass.
    fn state(&self, w: Array2<f64>, b: Array1<f64>) -> Result<PrimalState> {
        let slopes = |rows: Range<usize>, values: &[f64], out: &mut [f64]| self.slopes(rows, values, Some(&b), out);
        let doubled = self.features.double(w.view(), &slopes)?;
        let fitted = doubled.forward + &b;
        let objective = self.data.loss(&fitted) + self.lambda * w.iter().map(|v| v * v).sum::<f64>();
        Ok(PrimalState { w, b, fitted, gradient: doubled.backward, objective })
    }

    /// The slopes at some rows of values, which lack the constants.
    fn slopes(&self, rows: Range<usize>, values: &[f64], b: Option<&Array1<f64>>, out: &mut [f64]) {
        let count = self.data.outputs().max(1);
        let mut f = vec![0.0; count];
        for (i, (values, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
            f.copy_from_slice(values);
            if let Some(b) = b {
                f.iter_mut().zip(b).for_each(|(f, b)| *f += b);
            }
            self.data.slopes(i, &f, out);
        }
    }

    /// The Newton step, with the constants in the last row where there are some.
    fn step(
        &self,
        state: &PrimalState,
        tolerance: f64,
        max_iterations: usize,
        watch: &mut PrimalWatch<'_>,
    ) -> Result<Step> {
        let (curvature, penalty) = (self.data.curvature(&state.fitted), 2.0 * self.lambda);
        let preconditioner = (self.preconditioning)(curvature.means().view(), penalty)?;
        let mut right = &state.gradient * -1.0;
        right.scaled_add(-penalty, &state.w);
        let slopes = mapped(&state.fitted, &|rows, values, out| self.slopes(rows, values, None, out));
        let right = joined(right, -slopes.sum_axis(Axis(0)), self.intercept);
        let (rule, joint) = (ResidualRule::Relative, curvature.is_joint());
        let hessian = Hessian { features: self.features, curvature, penalty, intercept: self.intercept };
        let options = ConjugateGradientOptions { tolerance, rule, max_iterations, joint };
        let iteration = ConjugateGradients::new(&hessian, preconditioner.as_ref(), options);
        let mut solving = iteration.start(right.view());
        drop(right);
        let ended = iteration.run(&mut solving, max_iterations, &mut |x| {
            let (w, b) = parted(x, self.intercept);
            watch((&state.w + &w).view(), &(&state.b + &b))
        })?;
        let (iterations, residual) = (solving.iterations(), solving.preconditioned_residual());
        Ok(Step { joined: solving.into_parts().0, iterations, residual, stopped: ended == Ended::Watched })
    }

    /// The step, halved until the objective falls.
    fn advance(&self, state: PrimalState, step: &Array2<f64>) -> Result<PrimalState> {
        let (w, b) = parted(step.view(), self.intercept);
        let after = |s: &PrimalState, length: f64| {
            let mut moved = (s.w.clone(), s.b.clone());
            moved.0.scaled_add(length, &w);
            moved.1.scaled_add(length, &b);
            self.state(moved.0, moved.1)
        };
        let quadratic = self.data.is_quadratic();
        halved(state, after, |before, next| next.objective <= before.objective || quadratic)
    }
}
