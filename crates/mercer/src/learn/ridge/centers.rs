//! The solve on a few centers, as a ridge fit.

use std::sync::OnceLock;

use ndarray::{Array1, Array2, Axis};

use super::null_space::design;
use super::plan::{RidgePlan, Size};
use super::problem::RidgeData;
use super::{Ridge, RidgeFit, RidgeMethod};
use crate::{Compute, Error, Result};

/// Fits functions on centers, which replace the points of the data.
pub(super) fn fit(
    ridge: &Ridge,
    data: RidgeData<'_>,
    size: Size,
    plan: RidgePlan,
    compute: &Compute,
) -> Result<RidgeFit> {
    if data.basis.is_some() {
        return Err(Error::unsupported(
            "unpenalized functions beside the intercept",
            "a fit on centers",
            "",
            "use conjugate gradients",
        ));
    }
    let fit = ridge.center_machine(size, compute)?.fit(data.x, data.y, data.weights, compute)?;
    let evidence = fit.evidence();
    let method = RidgeMethod::Centers {
        centers: fit.centers().len(),
        iterations: evidence.iterations,
        residual: evidence.residual,
        converged: evidence.converged(),
        missed: evidence.missed,
    };
    let null = if ridge.intercept {
        fit.intercept().to_owned().insert_axis(Axis(0))
    } else {
        Array2::zeros((0, data.y.ncols()))
    };
    Ok(RidgeFit {
        kept: Default::default(),
        kernel: fit.kernel().clone(),
        lambda: ridge.lambda,
        intercept: ridge.intercept,
        points: fit.centers().into(),
        dual: fit.coefficients().to_owned(),
        null,
        residuals: &data.y - &fit.fitted(),
        fitted: fit.fitted().to_owned(),
        norms: fit.squared_norms().mapv(f64::sqrt),
        diagnostics: None,
        condition: None,
        method,
        settings: ridge.recorded(plan.solver, compute),
        plan,
        weights: data.weights.map_or_else(|| Array1::ones(data.x.len()), |w| w.to_owned()),
        design: design(data.x.len(), ridge.intercept, None),
        line: OnceLock::new(),
        feature_weights: None,
        in_features: OnceLock::new(),
        on_grid: OnceLock::new(),
    })
}
