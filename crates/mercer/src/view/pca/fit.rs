//! Fitted kernel principal components: scores, explained variance, novelty.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::{EigenEvidence, EigenPlan, InverseMap};
use crate::error::PrecomputedNeed;
use crate::gram::{self, Pairs};
use crate::settings::Settings;
use crate::view::eigen::Projection;
use crate::{Compute, Error, Kernel, Points, Result};

/// The mean of the points in ℋ, `m = Σ wₗφ(zₗ)` over the centers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MeanElement {
    /// `w`; all `1/n` where there are none.
    pub(super) weights: Option<Array1<f64>>,
    /// `‖m‖²`.
    pub(super) square: f64,
    /// `⟨φ(zₗ), m⟩` for every center.
    pub(super) at_centers: Array1<f64>,
}

impl MeanElement {
    pub(super) fn weights(&self) -> Array1<f64> {
        let n = self.at_centers.len();
        self.weights.clone().unwrap_or_else(|| Array1::from_elem(n, 1.0 / n.max(1) as f64))
    }
}

/// Fitted [`KernelPca`](super::KernelPca).
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPcaFit {
    /// The scores as functions: `A = V/√μ` on all points, or on landmarks.
    pub(super) projection: Projection,
    pub(super) mean: MeanElement,
    pub(super) eigenvalues: Array1<f64>,
    pub(super) eigenvectors: Array2<f64>,
    /// `tr Kc`.
    pub(super) trace: f64,
    pub(super) inverse: Option<InverseMap>,
    pub(super) evidence: EigenEvidence,
    pub(super) plan: EigenPlan,
    pub(super) settings: Settings,
}

impl KernelPcaFit {
    /// The scores of points, a row for each: the coordinates of their centered images along the
    /// components. For a model on `precomputed()` values, row `i` of `x` holds the values of the
    /// new point `i` with every point of the data.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data (or a landmark), none of them
    /// stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        self.projection.evaluate(x, compute)
    }

    /// The squared distance in ℋ from every point's centered image to the span of the components,
    /// `kc(x, x) − Σ scores²`, at least 0: large for a point unlike those of the data.
    ///
    /// # Errors
    /// [`Error::Precomputed`] for a model on `precomputed()` values, which do not hold `k(x, x)`:
    /// see [`KernelPcaFit::novelty_with_diagonal`]; as [`Kernel::bind`].
    pub fn novelty<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<f64>> {
        let x = self.kernel().points(x);
        if let Points::Precomputed(_) = x {
            return Err(Error::precomputed("a novelty score", PrecomputedNeed::Diagonal));
        }
        let diagonal = self.kernel().bind(Pairs::Within(x), compute)?.diagonal()?;
        self.novelty_with_diagonal(x, diagonal.view(), compute)
    }

    /// As [`KernelPcaFit::novelty`], with the values `k(x, x)` of the points.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of values than points; as [`Kernel::bind`].
    pub fn novelty_with_diagonal<'x>(
        &self,
        x: impl Into<Points<'x>>,
        diagonal: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let (scores, means) = self.scores_and_means(x.into(), compute)?;
        if diagonal.len() != means.len() {
            return Err(Error::shape("values k(x, x)", format!("one per point ({})", means.len()), diagonal.len()));
        }
        let rows = scores.rows().into_iter().zip(&means).zip(diagonal);
        Ok(rows.map(|((row, mean), k)| (k - 2.0 * mean + self.mean.square - row.dot(&row)).max(0.0)).collect())
    }

    /// The scores of points, and `⟨φ(x), m⟩`.
    pub(super) fn scores_and_means(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array1<f64>)> {
        let weights = self.mean.weights().insert_axis(Axis(1));
        let columns = [self.projection.coefficients.view(), weights.view()];
        let together = concatenate(Axis(1), &columns).expect("both have a row per center");
        let x = self.kernel().points(x);
        let bound = self.projection.bind(x.reborrow(), compute)?;
        let values = gram::multiply(&bound, together.view(), compute)?;
        let count = self.components();
        let scores = &values.slice(s![.., ..count]) + &self.projection.offset;
        Ok((scores, values.column(count).to_owned()))
    }

    /// The scores of the points of the data: `√μⱼ vⱼ`.
    pub fn scores(&self) -> Array2<f64> {
        &self.eigenvectors * &self.eigenvalues.mapv(f64::sqrt)
    }

    /// `μ`, descending: the eigenvalues of the centered matrix, not divided by the number of
    /// points.
    pub fn eigenvalues(&self) -> ArrayView1<'_, f64> {
        self.eigenvalues.view()
    }

    /// `V`: an orthonormal eigenvector per column, with a row per point of the data.
    pub fn eigenvectors(&self) -> ArrayView2<'_, f64> {
        self.eigenvectors.view()
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// `tr Kc`: the sum of all eigenvalues, `n` times the variance of the points in ℋ.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// `μⱼ/tr Kc`; 0 where the points do not vary.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        if self.trace > 0.0 { &self.eigenvalues / self.trace } else { Array1::zeros(self.components()) }
    }

    /// The sum of the eigenvalues that are left out, which is that of the novelty scores of the
    /// points of the data.
    pub fn reconstruction_error(&self) -> f64 {
        (self.trace - self.eigenvalues.sum()).max(0.0)
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.projection.kernel
    }

    /// The points on which the components are functions: those of the data, or the landmarks.
    pub fn points(&self) -> Points<'_> {
        self.projection.centers.as_points()
    }

    /// `A` in `scoreⱼ(x) = Σᵢ A_ij k(x, xᵢ) + bⱼ`, a row per point.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.projection.coefficients.view()
    }

    /// `b` in `scoreⱼ(x) = Σᵢ A_ij k(x, xᵢ) + bⱼ`.
    pub fn offset(&self) -> ArrayView1<'_, f64> {
        self.projection.offset.view()
    }

    /// The map from scores to points, if it was requested.
    pub fn inverse(&self) -> Option<&InverseMap> {
        self.inverse.as_ref()
    }

    /// Residuals, and what an approximation misses.
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
