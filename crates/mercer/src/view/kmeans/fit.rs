//! A fitted kernel k-means: the means in ℋ, the partition, and the evidence.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::ClusterSolver;
use super::choose::ChosenClusters;
use super::means::{Means, smallest};
use super::plan::ClusterPlan;
use crate::learner::Plan;
use crate::settings::Settings;
use crate::{Compute, Error, Expansion, Kernel, Points, Result};

/// The evidence for a partition.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansEvidence {
    /// `Σ wᵢ‖φ(xᵢ) − m_c‖²`, in double precision. With landmarks the means are those of the
    /// projections; the objective of the same partition with its own means is at most this, and at
    /// least this less [`trace_missed`](Self::trace_missed).
    pub objective: f64,
    /// Lloyd's steps and passes of single moves of the best start.
    pub iterations: usize,
    /// Whether no move of one point improves the best start; otherwise the iterations ended before.
    pub converged: bool,
    /// The objective of every start as the solver found it.
    pub starts: Vec<f64>,
    /// `Σ wᵢ(k(xᵢ, xᵢ) − ‖z(xᵢ)‖²)`: what the features of landmarks miss; 0 without landmarks.
    pub trace_missed: f64,
}

/// A fitted [`KernelKMeans`](super::KernelKMeans).
#[derive(Clone, Debug)]
pub struct KernelKMeansFit {
    pub(super) means: Means,
    pub(super) labels: Vec<usize>,
    pub(super) weights: Vec<f64>,
    /// `‖φ(xᵢ) − m_c‖` of the own cluster.
    pub(super) own_distances: Array1<f64>,
    pub(super) evidence: KMeansEvidence,
    pub(super) chosen: Option<ChosenClusters>,
    pub(super) plan: ClusterPlan,
    pub(super) settings: Settings,
}

impl KernelKMeansFit {
    /// The cluster of every point of the fit, numbered by first appearance.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.means.squared_norms.len()
    }

    /// The cluster of every point, that of the nearest mean in ℋ; the first of equals.
    ///
    /// # Cost
    /// One kernel value per pair of a point and a point of the fit (a landmark).
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        let x = self.means.kernel.points(x);
        match self.means.bind(x.reborrow(), compute)? {
            Some(bound) => Ok(self.means.relative(&bound, compute)?.rows().into_iter().map(smallest).collect()),
            None => Ok(Vec::new()),
        }
    }

    /// `‖φ(x) − m_c‖` for every point, a column per cluster. The square of an indefinite kernel may
    /// be negative; the distance is then 0.
    ///
    /// # Errors
    /// [`Error::Precomputed`] for kernel values without `k(x, x)`, for which there is
    /// [`KernelKMeansFit::distances_with`]; as [`Kernel::bind`].
    pub fn distances<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.means.kernel.points(x);
        Ok(roots(self.means.squared_distances(x, None, compute)?))
    }

    /// As [`KernelKMeansFit::distances`], with the values `k(x, x)` of the points.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one per point; as [`Kernel::bind`].
    pub fn distances_with<'x>(
        &self,
        x: impl Into<Points<'x>>,
        diagonal: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let x = self.means.kernel.points(x);
        Ok(roots(self.means.squared_distances(x, Some(diagonal), compute)?))
    }

    /// `‖φ(xᵢ) − m_c‖` of every point of the fit from the mean of its own cluster.
    pub fn own_distances(&self) -> ArrayView1<'_, f64> {
        self.own_distances.view()
    }

    /// The objective, and how it was reached.
    pub fn evidence(&self) -> &KMeansEvidence {
        &self.evidence
    }

    /// The weights of the points.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// `A` of the means `m_c = Σⱼ Aⱼc φ(zⱼ)` over [`KernelKMeansFit::points`], a column per
    /// cluster.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.means.coefficients.view()
    }

    /// `‖m_c‖²`.
    pub fn squared_norms(&self) -> ArrayView1<'_, f64> {
        self.means.squared_norms.view()
    }

    /// The mean of a cluster as a function of ℋ.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such cluster; as [`Expansion::new`].
    pub fn mean(&self, cluster: usize, compute: &Compute) -> Result<Expansion> {
        if cluster >= self.clusters() {
            return Err(Error::parameter("cluster", cluster, ..self.clusters()));
        }
        Expansion::new(&self.means.kernel, self.points(), self.means.coefficients.column(cluster), compute)
    }

    /// How the number of clusters was chosen, if it was not given.
    pub fn chosen(&self) -> Option<&ChosenClusters> {
        self.chosen.as_ref()
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.means.kernel
    }

    /// The points that the means are sums over: those of the fit, or the landmarks.
    pub fn points(&self) -> Points<'_> {
        self.means.points.as_points()
    }

    /// How the clusters were found, never [`ClusterSolver::Auto`].
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

pub(super) fn roots(squares: Array2<f64>) -> Array2<f64> {
    squares.mapv_into(|v| v.max(0.0).sqrt())
}
