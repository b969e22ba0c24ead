//! A fitted classical scaling.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::{EigenEvidence, EigenPlan, NegativePart};
use crate::settings::Settings;
use crate::view::eigen::Projection;
use crate::{Compute, Kernel, Points, Result};

/// Fitted [`ClassicalScaling`](super::ClassicalScaling).
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicalScalingFit {
    /// The coordinates as functions of kernel values.
    pub(super) projection: Projection,
    pub(super) eigenvalues: Array1<f64>,
    pub(super) embedding: Array2<f64>,
    pub(super) negative: NegativePart,
    pub(super) stress: f64,
    pub(super) evidence: EigenEvidence,
    pub(super) plan: EigenPlan,
    pub(super) settings: Settings,
}

/// `√μⱼ vⱼ`; 0 where `μⱼ` is not positive.
pub(super) fn embedding(vectors: &Array2<f64>, values: &[f64]) -> Array2<f64> {
    vectors * &Array1::from_iter(values.iter().map(|v| v.max(0.0).sqrt()))
}

impl ClassicalScalingFit {
    /// The coordinates of points, a row for each (Gower's formula). For a model on `precomputed()`
    /// values, row `i` of `x` holds the squared distances of the new point `i` to every point of
    /// the data.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        self.projection.evaluate(x, compute)
    }

    /// The coordinates of the points of the data, a row for each.
    pub fn embedding(&self) -> ArrayView2<'_, f64> {
        self.embedding.view()
    }

    /// The eigenvalues of `B` that belong to the coordinates, descending. Those that are not
    /// positive have coordinates of 0.
    pub fn eigenvalues(&self) -> ArrayView1<'_, f64> {
        self.eigenvalues.view()
    }

    /// The number of coordinates.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// `Σ|negative eigenvalues| / Σ|eigenvalues|`: what no Euclidean space holds.
    pub fn negative_part(&self) -> NegativePart {
        self.negative
    }

    /// Kruskal's stress `√(Σ(d̂ − d)²/Σd²)`, with the distances `d̂` of the coordinates and the
    /// roots `d` of the squared distances.
    pub fn stress(&self) -> f64 {
        self.stress
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.projection.kernel
    }

    /// The points of the data.
    pub fn points(&self) -> Points<'_> {
        self.projection.centers.as_points()
    }

    /// Residuals.
    pub fn evidence(&self) -> &EigenEvidence {
        &self.evidence
    }

    /// The plan that was run.
    pub fn plan(&self) -> &EigenPlan {
        &self.plan
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
