//! A fitted kernel machine: the function, and the evidence.

use ndarray::{Array1, ArrayView1, Axis};

use super::{LossEvidence, LossPlan};
use crate::function::Function;
use crate::learn::loss::{Loss, sigmoid};
use crate::settings::Settings;
use crate::{Compute, Error, Expansion, Kernel, Points, Result};

/// A fitted [`KernelMachine`](super::KernelMachine).
#[derive(Clone, Debug)]
pub struct KernelMachineFit {
    pub(super) loss: Loss,
    pub(super) lambda: f64,
    pub(super) functions: Function,
    pub(super) fitted: Array1<f64>,
    pub(super) evidence: LossEvidence,
    pub(super) plan: LossPlan,
    pub(crate) settings: Settings,
}

impl KernelMachineFit {
    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// `f(x) = h(x) + b` for every row of `x`. For a model on `precomputed()` values, row `i` of
    /// `x` holds the values of the new point `i` with every point of the data.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn decision<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array1<f64>> {
        let x = x.into();
        Ok(self.functions.evaluate(x, compute)?.index_axis_move(Axis(1), 0))
    }

    /// What the loss estimates: `f(x)` itself, the class −1 or 1 (1 where `f(x) = 0`), or for
    /// counts and amounts their mean `exp f(x)`.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array1<f64>> {
        let x = x.into();
        let f = self.decision(x, compute)?;
        Ok(match self.loss {
            loss if loss.has_log_link() => f.mapv(f64::exp),
            loss if loss.is_classification() => f.mapv(|v| if v >= 0.0 { 1.0 } else { -1.0 }),
            _ => f,
        })
    }

    /// `P(y = 1) = 1/(1 + exp(−f(x)))`, for the logistic loss.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other losses, whose `f` is no log-odds; as [`Kernel::bind`].
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
        Ok(self.decision(x, compute)?.mapv(sigmoid))
    }

    /// The part of `f` that lies in ℋ.
    ///
    /// # Errors
    /// None that a fit can cause, but for a kernel over `precomputed()`, which has no points.
    pub fn function(&self, compute: &Compute) -> Result<Expansion> {
        self.functions.expansion(0, compute)
    }

    /// The loss.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.functions.kernel()
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The points of the data: the centers of the function.
    pub fn points(&self) -> Points<'_> {
        self.functions.centers()
    }

    /// `α`, one number per point.
    pub fn dual_coefficients(&self) -> ArrayView1<'_, f64> {
        self.functions.weights().index_axis_move(Axis(1), 0)
    }

    /// `b`; 0 when none was fitted.
    pub fn intercept(&self) -> f64 {
        self.functions.offset()[0]
    }

    /// `f` at the points of the data.
    pub fn fitted(&self) -> ArrayView1<'_, f64> {
        self.fitted.view()
    }

    /// Objective, gap and why the solver stopped.
    pub fn evidence(&self) -> &LossEvidence {
        &self.evidence
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &LossPlan {
        &self.plan
    }
}
