//! Common part of the fits of this module: functions `Σ αᵢk(·, xᵢ) + b` on the points of the data.

use ndarray::{Array1, Array2, ArrayView1};

use super::newton::NewtonState;
use crate::definiteness::require_psd_for;
use crate::error::AllowedRange;
use crate::gram::{self, Bound, KeptCenters};
use crate::learn::CenterFit;
use crate::learn::ridge::{bind_fit, check_weights};
use crate::learn::svm::check_range;
use crate::solve::Stopped;
use crate::{Compute, Error, Expansion, Kernel, Points, Result, Sample};

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
            stopped: if evidence.converged { Stopped::Converged } else { Stopped::StepLimit },
        }
    }
}

/// Functions on common points, one column of coefficients each.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Functions {
    pub(in crate::learn) kernel: Kernel,
    pub(in crate::learn) points: Sample,
    pub(in crate::learn) alpha: Array2<f64>,
    pub(in crate::learn) intercept: Array1<f64>,
    pub(in crate::learn) kept: KeptCenters,
}

impl From<&CenterFit> for Functions {
    fn from(fit: &CenterFit) -> Self {
        Self {
            kernel: fit.kernel().clone(),
            points: fit.centers().into(),
            alpha: fit.coefficients().to_owned(),
            intercept: fit.intercept().to_owned(),
            kept: KeptCenters::default(),
        }
    }
}

impl Functions {
    /// `f(x)`, one column per function.
    pub(in crate::learn) fn evaluate(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        Ok(gram::multiply(&bound, self.alpha.view(), compute)? + &self.intercept)
    }

    /// The part of one function that lies in ℋ.
    pub(in crate::learn) fn expansion(&self, function: usize, compute: &Compute) -> Result<Expansion> {
        if function >= self.alpha.ncols() {
            return Err(Error::parameter("function", function, ..self.alpha.ncols()));
        }
        Expansion::new(&self.kernel, self.points.as_points(), self.alpha.column(function), compute)
    }
}

/// A positive, finite λ.
pub(in crate::learn) fn check_lambda(lambda: f64) -> Result<()> {
    if lambda.is_finite() && lambda > 0.0 {
        return Ok(());
    }
    Err(Error::parameter("lambda", lambda, AllowedRange::POSITIVE))
}

/// A tolerance that can be reached, in one step or more.
pub(in crate::learn) fn check_options(tolerance: f64, max_iterations: u64) -> Result<()> {
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(Error::parameter("tolerance", tolerance, AllowedRange::POSITIVE));
    }
    if max_iterations == 0 {
        return Err(Error::parameter("max_iterations", max_iterations, 1..));
    }
    Ok(())
}

/// The kernel on the points of the data, or the matrix of kernel values that stands in their place.
pub(in crate::learn) fn bind<'a>(kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
    if x.is_empty() {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    require_psd_for(kernel, x, compute)?;
    bind_fit(kernel, x, compute)
}

/// The weights, all 1 where none are given.
pub(in crate::learn) fn weights(sample_weights: Option<ArrayView1<f64>>, rows: usize) -> Result<Array1<f64>> {
    match sample_weights {
        None => Ok(Array1::ones(rows)),
        Some(sample_weights) => {
            check_weights(sample_weights, rows)?;
            check_range(sample_weights)?;
            Ok(sample_weights.to_owned())
        }
    }
}
