//! Kernel k-means as named texts and arrays.

use ndarray::Array1;

use super::choose::ChosenClusters;
use super::means::{Means, coefficients};
use super::plan::{ClusterPlan, ClusterSolver};
use super::{KMeansEvidence, KernelKMeansFit};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

impl KernelKMeansFit {
    /// The complete record of the fit. The coefficients of means over all points follow from labels
    /// and weights.
    pub(super) fn record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", &self.means.kernel);
        record.put_points("points", self.means.points.as_points());
        record.put_integers("labels", &self.labels);
        record.put_slice("weights", &self.weights);
        record.put_vector("squared_norms", self.means.squared_norms.view());
        record.put_vector("own_distances", self.own_distances.view());
        self.plan.put_into(&mut record);
        if self.plan.solver == ClusterSolver::Landmarks {
            record.put_matrix("coefficients", self.means.coefficients.view());
        }
        record.put_number("objective", self.evidence.objective);
        record.put_count("iterations", self.evidence.iterations);
        record.put_text("converged", self.evidence.converged);
        record.put_slice("starts", &self.evidence.starts);
        record.put_number("trace_missed", self.evidence.trace_missed);
        if let Some(chosen) = &self.chosen {
            chosen.put_into(&mut record);
        }
        record
    }

    /// The fit that [`KernelKMeansFit::record`] wrote.
    pub(super) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let (kernel, points) = (record.kernel()?, record.take_points("points")?);
        let labels = record.take_integers("labels")?;
        let squared_norms = record.take_any_vector("squared_norms")?;
        let (n, clusters) = (labels.len(), squared_norms.len());
        check_finite(&squared_norms)?;
        require("clusters", clusters as f64, (1..=n).contains(&clusters), "between 1 and the number of points")?;
        check_labels(&labels, clusters)?;
        let weights = record.take_finite_vector("weights", n)?;
        require("weights", weights.sum(), weights.iter().all(|w| *w >= 0.0), "at least 0")?;
        let weights = weights.to_vec();
        let plan = ClusterPlan::take_from(record)?;
        let coefficients = if plan.solver == ClusterSolver::Landmarks {
            record.take_finite_matrix("coefficients", (points.len(), clusters))?
        } else {
            require("points", points.len() as f64, points.len() == n, "one per label")?;
            let counted = |c: usize| labels.iter().zip(&weights).any(|(label, w)| *label == c && *w > 0.0);
            require("clusters", clusters as f64, (0..clusters).all(counted), "none of weight 0")?;
            coefficients(&labels, &weights, clusters)
        };
        let starts = record.take_any_vector("starts")?.to_vec();
        Ok(Self {
            means: Means { kept: Default::default(), kernel, points, coefficients, squared_norms },
            labels,
            weights,
            own_distances: record.take_finite_vector("own_distances", n)?,
            evidence: KMeansEvidence {
                objective: record.finite_number("objective")?,
                iterations: record.count("iterations")?,
                converged: record.flag("converged")?,
                starts,
                trace_missed: record.finite_number("trace_missed")?,
            },
            chosen: ChosenClusters::take_from(record)?,
            plan,
            settings,
        })
    }
}

fn check_finite(values: &Array1<f64>) -> Result<()> {
    let wrong = values.iter().copied().find(|v| !v.is_finite());
    wrong.map_or(Ok(()), |v| require("squared_norms", v, false, "finite"))
}

/// Labels of so many clusters.
pub(in crate::view) fn check_labels(labels: &[usize], clusters: usize) -> Result<()> {
    match labels.iter().find(|label| **label >= clusters) {
        Some(label) => Err(Error::parameter("labels", label, ..clusters)),
        None => Ok(()),
    }
}

impl ClusterPlan {
    /// What is stored of a plan: nothing about the run.
    pub(in crate::view) fn put_into(&self, record: &mut Record) {
        record.put_text("solver", self.solver.name());
        record.put_count("landmark_limit", self.landmarks);
    }

    /// The plan that [`ClusterPlan::put_into`] wrote.
    pub(in crate::view) fn take_from(record: &Record) -> Result<Self> {
        let solver = ClusterSolver::named(record.text("solver")?)?;
        Ok(Self::from_file(solver, record.count("landmark_limit")?))
    }
}
