//! Fitted clusters of features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use super::super::features::{ROWS, diagonal};
use super::terms::nearest;
use crate::features::{DrawnFeatures, FeatureMap};
use crate::settings::Settings;
use crate::view::kmeans::vectors::squared_distance;
use crate::{Compute, Kernel, Result};

/// A fitted [`StreamedKMeans`](super::StreamedKMeans).
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedKMeansFit {
    pub(super) features: DrawnFeatures,
    pub(super) shift: Array1<f64>,
    /// A row per cluster, relative to the shift.
    pub(super) centers: Array2<f64>,
    pub(super) masses: Array1<f64>,
    pub(super) objective: f64,
    pub(super) missed: f64,
    pub(super) passes: usize,
    pub(super) converged: bool,
    pub(super) rows: u64,
    pub(super) settings: Settings,
}

/// What is done with the features of a few rows from a first one on, and with what they miss.
type TakeRows<'t> = dyn FnMut(usize, ArrayView1<f64>, ArrayView2<f64>) -> Result<()> + 't;

impl StreamedKMeansFit {
    /// The cluster of every point, that of the nearest mean; the first of equals.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<usize>> {
        let mut clusters = Vec::with_capacity(x.nrows());
        self.each(x, compute, &mut |_, _, z| {
            clusters.extend(nearest(z, &self.centers));
            Ok(())
        })?;
        Ok(clusters)
    }

    /// The distance in ℋ of every point from the mean of every cluster, a column each.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`] and [`Kernel::bind`].
    pub fn distances(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut distances = Array2::zeros((x.nrows(), self.clusters()));
        self.each(x, compute, &mut |start, lost, z| {
            for (i, row) in z.rows().into_iter().enumerate() {
                for (c, center) in self.centers.rows().into_iter().enumerate() {
                    distances[[start + i, c]] = (squared_distance(row, center) + lost[i]).sqrt();
                }
            }
            Ok(())
        })?;
        Ok(distances)
    }

    /// Gives the shifted features of a few rows at a time, and what they miss of `k(x, x)`.
    fn each(&self, x: ArrayView2<f64>, compute: &Compute, take: &mut TakeRows<'_>) -> Result<()> {
        // No rows: the columns are checked all the same.
        if x.nrows() == 0 {
            self.features.transform(x, compute)?;
        }
        for start in (0..x.nrows()).step_by(ROWS) {
            let rows = x.slice(s![start..x.nrows().min(start + ROWS), ..]);
            let mut z = self.features.transform(rows, compute)?;
            let lost = match self.features {
                DrawnFeatures::Fourier(_) => Array1::zeros(z.nrows()),
                DrawnFeatures::Nystrom(_) => {
                    let own = diagonal(&self.features, rows, compute)?;
                    z.rows().into_iter().zip(&own).map(|(z, k)| (k - z.dot(&z)).max(0.0)).collect()
                }
            };
            z -= &self.shift;
            take(start, lost.view(), z.view())?;
        }
        Ok(())
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.centers.nrows()
    }

    /// The means in the space of the features, a row per cluster.
    pub fn centers(&self) -> Array2<f64> {
        &self.centers + &self.shift
    }

    /// The weight of the rows of every cluster: their number where there are no weights.
    pub fn masses(&self) -> ArrayView1<'_, f64> {
        self.masses.view()
    }

    /// `Σ vᵢ‖φ(xᵢ) − m_c‖²` over the clusters of the last pass, with what landmarks miss.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// `Σ vᵢ(k(xᵢ, xᵢ) − ‖z(xᵢ)‖²)`, a part of the objective; 0 for random features.
    pub fn trace_missed(&self) -> f64 {
        self.missed
    }

    /// Passes over the rows.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Whether the passes ended before their limit.
    pub fn converged(&self) -> bool {
        self.converged
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
