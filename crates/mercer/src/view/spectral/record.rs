//! Spectral clustering as named texts and arrays.

use super::{SpectralEvidence, SpectralFit};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::view::kmeans::{ChosenClusters, ClusterPlan, check_labels};
use crate::{Error, Result};

impl SpectralFit {
    /// The complete record of the fit.
    pub(super) fn record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", &self.kernel);
        record.put_points("points", self.points.as_points());
        record.put_matrix("coefficients", self.coefficients.view());
        record.put_vector("degree_weights", self.degree_weights.view());
        record.put_slice("eigenvalues", &self.eigenvalues);
        record.put_matrix("embedding", self.embedding.view());
        record.put_matrix("centers", self.centers.view());
        record.put_integers("labels", &self.labels);
        record.put_integers("isolated", &self.isolated);
        record.put_number("objective", self.evidence.objective);
        record.put_count("iterations", self.evidence.iterations);
        record.put_text("converged", self.evidence.converged);
        record.put_number("residual", self.evidence.residual);
        record.put_number("trace_missed", self.evidence.trace_missed);
        self.plan.put_into(&mut record);
        if let Some(chosen) = &self.chosen {
            chosen.put_into(&mut record);
        }
        record
    }

    /// The fit that [`SpectralFit::record`] wrote.
    pub(super) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let (kernel, points) = (record.kernel()?, record.take_points("points")?);
        let embedding = record.take_leading_matrix("embedding")?;
        let (n, clusters) = embedding.dim();
        require("clusters", clusters as f64, (1..=n).contains(&clusters), "between 1 and the number of points")?;
        let labels = record.take_integers("labels")?;
        require("labels", labels.len() as f64, labels.len() == n, "one per row of `embedding`")?;
        check_labels(&labels, clusters)?;
        let isolated = record.take_integers("isolated")?;
        if let Some(point) = isolated.iter().find(|point| **point >= n) {
            return Err(Error::parameter("isolated", point, ..n));
        }
        Ok(Self {
            kept: Default::default(),
            coefficients: record.take_finite_matrix("coefficients", (points.len(), clusters))?,
            degree_weights: record.take_finite_vector("degree_weights", points.len())?,
            eigenvalues: record.take_finite_vector("eigenvalues", clusters)?.to_vec(),
            centers: record.take_finite_matrix("centers", (clusters, clusters))?,
            kernel,
            points,
            embedding,
            labels,
            isolated,
            evidence: SpectralEvidence {
                objective: record.finite_number("objective")?,
                iterations: record.count("iterations")?,
                converged: record.flag("converged")?,
                residual: record.finite_number("residual")?,
                trace_missed: record.finite_number("trace_missed")?,
            },
            chosen: ChosenClusters::take_from(record)?,
            plan: ClusterPlan::take_from(record)?,
            settings,
        })
    }
}
