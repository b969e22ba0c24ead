//! A fitted kernel machine on centers: the functions, and the evidence.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::CenterPlan;
use crate::function::Function;
use crate::learn::Loss;
use crate::learn::loss::sigmoid;
use crate::solve::Stopped;
use crate::{Compute, Error, Expansion, Kernel, Points, Result};

/// How a fit on centers was found.
#[derive(Clone, Debug, PartialEq)]
pub struct CenterEvidence {
    /// What was minimized, at the last iterate.
    pub objective: f64,
    /// `‖∇‖²/4λ`: how far above the minimum over functions of these centers the objective can be
    /// (with an intercept: once its slope is 0).
    pub gap: f64,
    /// Iterations of conjugate gradients, each one pass over points and centers.
    pub iterations: usize,
    /// Newton steps; 1 for the squared loss.
    pub newton_steps: usize,
    /// The largest residual of the last system over its outputs, relative to the right-hand side,
    /// in the norm of the preconditioner.
    pub residual: f64,
    /// Why the work ended: the tolerance was reached, the iterations ran out or the held-out rows
    /// stopped it, or it was canceled.
    pub stopped: Stopped,
    /// What was added to the diagonal of `K_mm`, because it is singular to working precision; 0
    /// where it is not.
    pub jitter: f64,
    /// The share of `tr K` that the centers miss, on the rows of the preconditioner: 0 where they
    /// see everything.
    pub missed: f64,
    /// The mean loss of every iterate on the rows held out; empty without them. The coefficients
    /// are those of the least.
    pub held_out_scores: Vec<f64>,
}

impl CenterEvidence {
    /// Whether the tolerance was reached.
    pub fn converged(&self) -> bool {
        self.stopped == Stopped::Converged
    }
}

/// A fitted [`CenterMachine`](super::CenterMachine).
#[derive(Clone, Debug)]
pub struct CenterFit {
    pub(super) loss: Loss,
    pub(super) lambda: f64,
    pub(super) functions: Function,
    pub(super) fitted: Array2<f64>,
    pub(super) squared_norms: Array1<f64>,
    pub(super) evidence: CenterEvidence,
    pub(super) plan: CenterPlan,
}

impl CenterFit {
    /// `f(x) = Σ αⱼk(x, zⱼ) + b`, one column per output.
    ///
    /// # Cost
    /// `m` kernel values per row, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.functions.evaluate(x, compute)
    }

    /// `P(y = 1) = 1/(1 + exp(−f(x)))`, for the logistic loss.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other losses; as [`Kernel::bind`].
    pub fn probabilities<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array1<f64>> {
        let x = x.into();
        if self.loss != Loss::Logistic {
            return Err(Error::unsupported(
                "probabilities",
                format!("the loss {}", self.loss),
                "",
                "use the logistic loss",
            ));
        }
        Ok(self.predict(x, compute)?.column(0).mapv(sigmoid))
    }

    /// The part of one output that lies in ℋ.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such output.
    pub fn function(&self, output: usize, compute: &Compute) -> Result<Expansion> {
        self.functions.expansion(output, compute)
    }

    /// The functions of all outputs.
    pub fn functions(&self) -> &Function {
        &self.functions
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.functions.kernel()
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The centers.
    pub fn centers(&self) -> Points<'_> {
        self.functions.centers()
    }

    /// `α`, one row per center, one column per output.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.functions.weights()
    }

    /// `b` of every output; 0 when none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.functions.offset()
    }

    /// `f` at the points of the data, one column per output.
    pub fn fitted(&self) -> ArrayView2<'_, f64> {
        self.fitted.view()
    }

    /// `‖h‖²` of every output (and the jitter's share of it, where there was some).
    pub fn squared_norms(&self) -> ArrayView1<'_, f64> {
        self.squared_norms.view()
    }

    /// How the solution was found.
    pub fn evidence(&self) -> &CenterEvidence {
        &self.evidence
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &CenterPlan {
        &self.plan
    }
}
