//! Independent components as named texts and arrays.

use super::fit::{IcaEvidence, IcaFit};
use crate::Result;
use crate::record::{Record, require};
use crate::settings::Settings;

impl IcaFit {
    /// The complete record of the fit.
    pub(super) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_matrix("components", self.components.view());
        record.put_matrix("mixing", self.mixing.view());
        record.put_vector("mean", self.mean.view());
        record.put_number("contrast", self.contrast);
        record.put_number("lengthscale", self.lengthscale);
        record.put_number("kappa", self.kappa);
        let evidence = &self.evidence;
        record.put_slice("contrasts", &evidence.contrasts);
        record.put_slice("sweeps", &evidence.sweeps.iter().map(|&s| s as f64).collect::<Vec<_>>());
        record.put_count("best", evidence.best);
        record.put_count("steps", evidence.steps);
        record.put_text("converged", evidence.converged);
        record
    }

    /// The fit that [`IcaFit::to_record`] wrote.
    pub(super) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let components = record.take_leading_matrix("components")?;
        let (m, d) = components.dim();
        require("components", m as f64, (1..=d).contains(&m), "at least 1, and at most as many as columns")?;
        let contrasts = record.take_any_vector("contrasts")?.to_vec();
        let evidence = IcaEvidence {
            sweeps: record.take_counts("sweeps", contrasts.len())?,
            best: record.count("best")?,
            steps: record.count("steps")?,
            converged: record.flag("converged")?,
            contrasts,
        };
        let best = evidence.best;
        require("best", best as f64, best < evidence.contrasts.len(), "one of the starts")?;
        let (lengthscale, kappa) = (record.number("lengthscale")?, record.number("kappa")?);
        require("lengthscale", lengthscale, lengthscale > 0.0, "positive")?;
        require("kappa", kappa, kappa > 0.0, "positive")?;
        Ok(Self {
            mean: record.take_finite_vector("mean", d)?,
            mixing: record.take_finite_matrix("mixing", (d, m))?,
            contrast: record.number("contrast")?,
            components,
            lengthscale,
            kappa,
            evidence,
            settings,
        })
    }
}
