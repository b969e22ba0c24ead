//! A Gaussian process as named texts and arrays. The factor is not among them: it is made again
//! when variances are requested.

use super::likelihood::Posterior;
use super::{GaussianProcessFit, Optimization};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

impl GaussianProcessFit {
    /// The complete record of the fit, but for the factor of `K + σ²I`.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", self.kernel());
        record.put_number("noise", self.noise());
        record.put_points("points", self.points());
        record.put_vector("targets", self.targets.view());
        record.put_vector("dual_coefficients", self.dual_coefficients());
        record.put_number("log_marginal_likelihood", self.log_marginal_likelihood());
        if self.posterior.error > 0.0 {
            record.put_number("log_marginal_likelihood_error", self.posterior.error);
        }
        if let Some(optimization) = &self.optimization {
            optimization.put_into(&mut record);
        }
        put_free(&self.free, &mut record);
        record
    }

    /// The fit that [`GaussianProcessFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let points = record.take_points("points")?;
        let n = points.len();
        if n == 0 {
            return Err(Error::too_few("a Gaussian process", "rows of the array `points`", 1, 0));
        }
        let noise = record.finite_number("noise")?;
        require("noise", noise, noise >= 0.0, "at least 0")?;
        let targets = record.take_finite_vector("targets", n)?;
        let alpha = record.take_finite_vector("dual_coefficients", n)?;
        let log_likelihood = record.number("log_marginal_likelihood")?;
        let error = record.optional_number("log_marginal_likelihood_error")?.unwrap_or(0.0);
        let posterior = Posterior::from_parts(record.kernel()?, noise, alpha, (log_likelihood, error));
        let (free, optimization) = (take_free(record)?, Optimization::take_from(record)?);
        Ok(Self { kept: Default::default(), posterior, points, targets, optimization, free, settings: Settings::new() })
    }
}

/// The choices of smoothness that were freed, where there are any.
pub(super) fn put_free(free: &[String], record: &mut Record) {
    if !free.is_empty() {
        record.put_list("free", free);
    }
}

pub(super) fn take_free(record: &Record) -> Result<Vec<String>> {
    if record.has("free") { record.list("free") } else { Ok(Vec::new()) }
}

impl Optimization {
    pub(super) fn put_into(&self, record: &mut Record) {
        record.put_text("optimization_converged", self.converged);
        record.put_count("optimization_iterations", self.iterations);
        record.put_slice("optimization_likelihoods", &self.likelihoods);
        record.put_count("optimization_evaluations", self.evaluations);
        if self.interrupted {
            record.put_text("optimization_interrupted", true);
        }
    }

    pub(super) fn take_from(record: &mut Record) -> Result<Option<Self>> {
        if !record.has("optimization_likelihoods") {
            return Ok(None);
        }
        Ok(Some(Self {
            converged: record.flag("optimization_converged")?,
            iterations: record.count("optimization_iterations")?,
            likelihoods: record.take_any_vector("optimization_likelihoods")?.to_vec(),
            evaluations: record.count("optimization_evaluations")?,
            interrupted: record.has("optimization_interrupted"),
        }))
    }
}
