//! A fitted spectral clustering: coordinates, clusters, and the evidence.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::spectrum::Spectrum;
use crate::gram::{self, KeptCenters};
use crate::learner::Plan;
use crate::settings::Settings;
use crate::view::kmeans::vectors::{VectorClusters, squared_distance};
use crate::view::kmeans::{ChosenClusters, ClusterPlan, ClusterSolver, smallest};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The evidence for a spectral clustering.
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralEvidence {
    /// The sum of squared distances from the centers, in the coordinates of the eigenvectors.
    pub objective: f64,
    /// Lloyd's steps and passes of single moves of the best start of k-means.
    pub iterations: usize,
    /// Whether no move of one point improves the best start.
    pub converged: bool,
    /// The largest `‖Lu − λu‖` of the eigenvectors; 0 for a direct solver.
    pub residual: f64,
    /// `tr(K − K̂)`: what the features of landmarks miss; 0 without landmarks.
    pub trace_missed: f64,
}

/// A fitted [`SpectralClustering`](super::SpectralClustering).
#[derive(Clone, Debug)]
pub struct SpectralFit {
    pub(super) kernel: Kernel,
    pub(super) points: Sample,
    pub(super) coefficients: Array2<f64>,
    pub(super) degree_weights: Array1<f64>,
    pub(super) eigenvalues: Vec<f64>,
    pub(super) embedding: Array2<f64>,
    pub(super) centers: Array2<f64>,
    pub(super) labels: Vec<usize>,
    pub(super) isolated: Vec<usize>,
    pub(super) evidence: SpectralEvidence,
    pub(super) chosen: Option<ChosenClusters>,
    pub(super) plan: ClusterPlan,
    pub(super) settings: Settings,
    pub(super) kept: KeptCenters,
}

impl SpectralFit {
    pub(super) fn new(
        spectrum: Spectrum,
        found: VectorClusters,
        chosen: Option<ChosenClusters>,
        plan: ClusterPlan,
        settings: Settings,
    ) -> Self {
        Self {
            kept: Default::default(),
            kernel: spectrum.kernel,
            points: spectrum.points,
            coefficients: spectrum.coefficients,
            degree_weights: spectrum.degree_weights,
            // The smallest one is 0 but for rounding.
            eigenvalues: spectrum.values.iter().map(|mu| (1.0 - mu).max(0.0)).collect(),
            embedding: spectrum.embedding,
            centers: found.centers,
            labels: found.labels,
            isolated: spectrum.isolated,
            evidence: SpectralEvidence {
                objective: found.objective,
                iterations: found.iterations,
                converged: found.converged,
                residual: spectrum.residual,
                trace_missed: spectrum.trace_missed,
            },
            chosen,
            plan,
            settings,
        }
    }

    /// The cluster of every point of the fit, numbered by first appearance.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.centers.nrows()
    }

    /// The smallest eigenvalues of `L = I − D^{−½}KD^{−½}`, ascending, one per cluster.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The coordinates of the points of the fit: row `i` holds `uᵢc/√dᵢ`.
    pub fn embedding(&self) -> ArrayView2<'_, f64> {
        self.embedding.view()
    }

    /// The centers of the clusters in these coordinates, a row per cluster.
    pub fn centers(&self) -> ArrayView2<'_, f64> {
        self.centers.view()
    }

    /// The points of the fit whose affinities are all 0.
    pub fn isolated(&self) -> &[usize] {
        &self.isolated
    }

    /// The coordinates of points: for a point of the fit, its own (with landmarks, up to rounding).
    /// A point without affinity to any point of the fit has coordinates 0.
    ///
    /// # Cost
    /// One kernel value per pair of a point and a point of the fit (a landmark).
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        let (own, count) = (self.points.as_points(), self.clusters());
        if x.kind() == own.kind() && x.columns() != own.columns() {
            return Err(Error::shape("columns of the points", own.columns(), x.columns()));
        }
        if x.is_empty() {
            return Ok(Array2::zeros((0, count)));
        }
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        let weights = self.degree_weights.view().insert_axis(Axis(1));
        let both = concatenate(Axis(1), &[self.coefficients.view(), weights])
            .map_err(|e| Error::shape("coefficients", self.points.len(), e))?;
        let products = gram::multiply(&bound, both.view(), compute)?;
        let mut coordinates = products.slice(s![.., ..count]).to_owned();
        for (mut row, degree) in coordinates.rows_mut().into_iter().zip(products.column(count)) {
            if *degree > 0.0 { row /= *degree } else { row.fill(0.0) }
        }
        Ok(coordinates)
    }

    /// The cluster of every point: that of the nearest center in the coordinates of
    /// [`SpectralFit::transform`].
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        let coordinates = self.transform(x, compute)?;
        let nearest = |row: ndarray::ArrayView1<f64>| {
            let squared: Array1<f64> = self.centers.rows().into_iter().map(|c| squared_distance(row, c)).collect();
            smallest(squared.view())
        };
        Ok(coordinates.rows().into_iter().map(nearest).collect())
    }

    /// How the clusters were reached.
    pub fn evidence(&self) -> &SpectralEvidence {
        &self.evidence
    }

    /// How the number of clusters was chosen, if it was not given.
    pub fn chosen(&self) -> Option<&ChosenClusters> {
        self.chosen.as_ref()
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The points that new points are compared with: those of the fit, or the landmarks.
    pub fn points(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// How the eigenvectors were found, never [`ClusterSolver::Auto`].
    pub fn solver(&self) -> ClusterSolver {
        self.plan.solver
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &Plan {
        &self.plan.plan
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
