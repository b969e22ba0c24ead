//! The state of the iteration with its duality gap.

use ndarray::{Array1, Array2};

use super::search;
use crate::learn::loss::{LossTerm, intercepts};
use crate::operator::{Operator, Tiled};
use crate::solve::newton::DataTerm;
use crate::{Kernel, Result};

/// Coefficients and intercepts, and everything that is known about them.
#[derive(Clone, Debug)]
pub(in crate::learn) struct NewtonState {
    /// One row per point, one column per function.
    pub(in crate::learn) alpha: Array2<f64>,
    pub(in crate::learn) intercept: Array1<f64>,
    /// `Kα`.
    pub(in crate::learn) image: Array2<f64>,
    /// `ρ = −g/μ − α`.
    pub(super) missing: Array2<f64>,
    /// `Kρ`.
    pub(super) missing_image: Array2<f64>,
    pub(in crate::learn) loss: f64,
    pub(in crate::learn) squared_norm: f64,
    pub(in crate::learn) objective: f64,
    pub(in crate::learn) gap: f64,
    /// The largest `|g + μα|`.
    pub(in crate::learn) residual: f64,
}

/// A step of the coefficients and of the intercepts.
pub(super) struct NewtonStep {
    pub(super) alpha: Array2<f64>,
    pub(super) intercept: Array1<f64>,
    /// `KΔα`.
    pub(super) image: Array2<f64>,
}

/// What the certificate depends on.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    pub(super) model: &'s LossTerm<'static>,
    pub(super) matrix: &'s Tiled<'s>,
    pub(super) kernel: &'s Kernel,
    pub(super) mu: f64,
    pub(super) intercept: bool,
}

impl NewtonState {
    /// The intercepts are placed where they are best for these coefficients.
    pub(super) fn new(
        alpha: Array2<f64>,
        image: Array2<f64>,
        mut intercept: Array1<f64>,
        at: Setting<'_>,
    ) -> Result<Self> {
        if at.intercept {
            intercept = intercepts(at.model, &image, intercept)?;
        }
        let f = &image + &intercept;
        let missing = at.model.gradient(&f) / -at.mu - &alpha;
        let missing_image = at.matrix.apply(missing.view())?;
        let loss = at.model.loss(&f);
        let squared_norm = dot(&alpha, &image).max(0.0);
        let gap = 0.5 * at.mu * dot(&missing, &missing_image);
        let residual = at.mu * missing.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let objective = loss + 0.5 * at.mu * squared_norm;
        Ok(Self { alpha, intercept, image, missing, missing_image, loss, squared_norm, objective, gap, residual })
    }

    /// `f = Kα + b`.
    pub(in crate::learn) fn values(&self) -> Array2<f64> {
        &self.image + &self.intercept
    }

    /// The state after as much of the step as goes downhill; `None` when nothing does.
    pub(super) fn after(&self, step: &NewtonStep, at: Setting<'_>) -> Result<Option<Self>> {
        let Some(length) = search::length(self, step, at) else { return Ok(None) };
        let alpha = &self.alpha + &(&step.alpha * length);
        let image = &self.image + &(&step.image * length);
        let intercept = &self.intercept + &(&step.intercept * length);
        Self::new(alpha, image, intercept, at).map(Some)
    }
}

/// `Σ aᵢbᵢ` over all entries.
pub(super) fn dot(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
