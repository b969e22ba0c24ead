//! Fitted components of features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use super::super::features::{ROWS, diagonal};
use crate::features::{DrawnFeatures, FeatureMap};
use crate::settings::Settings;
use crate::{Compute, Kernel, Result};

/// A fitted [`StreamedPca`](super::StreamedPca).
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedPcaFit {
    pub(super) features: DrawnFeatures,
    /// `z̄`.
    pub(super) mean: Array1<f64>,
    /// `U`; a column of zeros for an eigenvalue of 0.
    pub(super) axes: Array2<f64>,
    pub(super) eigenvalues: Array1<f64>,
    pub(super) trace: f64,
    pub(super) missed: f64,
    pub(super) rows: u64,
    pub(super) settings: Settings,
}

impl StreamedPcaFit {
    /// The scores of points, a row for each.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(self.centered(x, compute)?.0)
    }

    /// The squared distance in ℋ from every point's centered image to the span of the components,
    /// `k(x, x) − 2⟨z(x), z̄⟩ + ‖z̄‖² − Σ scores²`, at least 0: large for a point unlike those of the
    /// data.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`] and [`Kernel::bind`].
    pub fn novelty(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let (scores, means) = self.centered(x, compute)?;
        let (own, square) = (diagonal(&self.features, x, compute)?, self.mean.dot(&self.mean));
        let rows = scores.rows().into_iter().zip(&means).zip(&own);
        Ok(rows.map(|((row, mean), k)| (k - 2.0 * mean + square - row.dot(&row)).max(0.0)).collect())
    }

    /// The scores of points, and `⟨z(x), z̄⟩`.
    fn centered(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<(Array2<f64>, Array1<f64>)> {
        let mut scores = Array2::zeros((x.nrows(), self.components()));
        let mut means = Array1::zeros(x.nrows());
        for start in (0..x.nrows()).step_by(ROWS) {
            let rows = start..x.nrows().min(start + ROWS);
            let mut z = self.features.transform(x.slice(s![rows.clone(), ..]), compute)?;
            means.slice_mut(s![rows.clone()]).assign(&z.dot(&self.mean));
            z -= &self.mean;
            scores.slice_mut(s![rows, ..]).assign(&z.dot(&self.axes));
        }
        // No rows: the columns are checked all the same.
        if x.nrows() == 0 {
            self.features.transform(x, compute)?;
        }
        Ok((scores, means))
    }

    /// `μ`, descending: not divided by the number of rows.
    pub fn eigenvalues(&self) -> ArrayView1<'_, f64> {
        self.eigenvalues.view()
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// `U`: a row per feature, a column per component.
    pub fn axes(&self) -> ArrayView2<'_, f64> {
        self.axes.view()
    }

    /// `z̄`.
    pub fn mean(&self) -> ArrayView1<'_, f64> {
        self.mean.view()
    }

    /// The sum of all eigenvalues, with what landmarks miss.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// The part of [`StreamedPcaFit::trace`] that landmarks miss; 0 for random features.
    pub fn trace_missed(&self) -> f64 {
        if self.trace > 0.0 { self.missed / self.trace } else { 0.0 }
    }

    /// `μⱼ` over the trace; 0 where the points do not vary.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        if self.trace > 0.0 { &self.eigenvalues / self.trace } else { Array1::zeros(self.components()) }
    }

    /// What is left out: the trace without the eigenvalues.
    pub fn reconstruction_error(&self) -> f64 {
        (self.trace - self.eigenvalues.sum()).max(0.0)
    }

    /// The rows that were seen.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.features.kernel()
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
