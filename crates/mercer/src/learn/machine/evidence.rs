//! Common part of the fits of this module: their evidence, and the kernel on their points.

use super::newton::NewtonState;
use crate::definiteness::require_psd_for;
use crate::gram::Bound;
use crate::learn::CenterFit;
use crate::learn::observations::bind_fit;
use crate::solve::Stopped;
use crate::{Compute, Error, Kernel, Points, Result};

/// The evidence for a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossEvidence {
    /// What was minimized, at the solution.
    pub objective: f64,
    /// A value below which no objective lies: the dual objective at a feasible point.
    pub dual_objective: f64,
    /// `objective − dual_objective ≥ 0`: how far from the minimum the solution can be. For the
    /// smooth losses it is computed as the square that it is, so that it can be far below the
    /// rounding of the two.
    pub gap: f64,
    /// `Σ wᵢℓ(yᵢ, f(xᵢ))`.
    pub loss: f64,
    /// `Σ‖h_c‖²`.
    pub squared_norm: f64,
    /// The largest violation of the stationarity conditions: of `∂/∂f` for the smooth losses, of
    /// the KKT conditions of the dual problem for the others.
    pub violation: f64,
    /// Newton steps, or steps of pairs of variables.
    pub iterations: u64,
    /// Why the solver stopped.
    pub stopped: Stopped,
}

impl LossEvidence {
    pub(in crate::learn) fn of_newton(state: &NewtonState, iterations: usize, stopped: Stopped) -> Self {
        Self {
            objective: state.objective,
            dual_objective: state.objective - state.gap,
            gap: state.gap.max(0.0),
            loss: state.loss,
            squared_norm: state.squared_norm,
            violation: state.residual,
            iterations: iterations as u64,
            stopped,
        }
    }
}

impl LossEvidence {
    /// Of a fit on centers: the gap is that of the problem over functions of these centers.
    pub(in crate::learn) fn of_centers(fit: &CenterFit) -> Self {
        let (evidence, squared_norm) = (fit.evidence(), fit.squared_norms().sum());
        Self {
            objective: evidence.objective,
            dual_objective: evidence.objective - evidence.gap,
            gap: evidence.gap,
            loss: evidence.objective - fit.lambda() * squared_norm,
            squared_norm,
            violation: evidence.residual,
            iterations: evidence.newton_steps as u64,
            stopped: evidence.stopped,
        }
    }
}

/// The kernel on the points of the data, or the matrix of kernel values that stands in their place.
pub(in crate::learn) fn bind<'a>(kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
    if x.is_empty() {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    require_psd_for(kernel, x, compute)?;
    bind_fit(kernel, x, compute)
}
