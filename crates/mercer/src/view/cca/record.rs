//! Canonical correlations as named texts and arrays.

use ndarray::Array1;

use super::fit::{CcaEvidence, CcaFit, ViewFunctions};
use super::permute::KappaChoice;
use super::spec::check_kappa;
use crate::Result;
use crate::record::{Record, require};
use crate::settings::Settings;

impl CcaFit {
    /// The complete record of the fit.
    pub(super) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_slice("correlations", &self.correlations);
        record.put_count("views", self.functions.len());
        for (v, functions) in self.functions.iter().enumerate() {
            record.put_text(&format!("view{v}.kernel"), &functions.kernel);
            record.put_points(&format!("view{v}.points"), functions.points.as_points());
            record.put_matrix(&format!("view{v}.dual_coefficients"), functions.alpha.view());
            record.put_vector(&format!("view{v}.offset"), functions.offset.view());
        }
        if let Some(p_values) = &self.p_values {
            record.put_slice("p_values", p_values);
        }
        let evidence = &self.evidence;
        record.put_slice("ranks", &evidence.ranks.iter().map(|&r| r as f64).collect::<Vec<_>>());
        record.put_slice("trace_missed", &evidence.trace_missed);
        record.put_slice("exact", &evidence.exact.iter().map(|&e| f64::from(u8::from(e))).collect::<Vec<_>>());
        record.put_number("error_bound", evidence.error_bound);
        record.put_count("determined", evidence.determined);
        record.put_number("kappa", self.kappa);
        if let Some(choice) = &self.kappa_choice {
            record.put_slice("kappa.candidates", &choice.candidates);
            record.put_slice("kappa.correlations", &choice.correlations);
            record.put_slice("kappa.null_means", &choice.null_means);
            record.put_slice("kappa.gains", &choice.gains);
        }
        record
    }

    /// The fit that [`CcaFit::to_record`] wrote.
    pub(super) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let correlations = record.take_any_vector("correlations")?;
        let count = correlations.len();
        require("components", count as f64, count >= 1, "at least 1")?;
        let inside = correlations.iter().all(|rho| (0.0..=1.0).contains(rho));
        let descending = correlations.windows(2).into_iter().all(|pair| pair[0] >= pair[1]);
        require("correlations", correlations[0], inside && descending, "between 0 and 1, descending")?;
        let views = record.count("views")?;
        require("views", views as f64, (2..=1 << 20).contains(&views), "at least 2")?;
        let functions = (0..views).map(|v| take_view(record, v, count)).collect::<Result<Vec<_>>>()?;
        let p_values = record.has("p_values").then(|| take_shares(record, "p_values", count)).transpose()?;
        let evidence = CcaEvidence {
            ranks: record.take_counts("ranks", views)?,
            trace_missed: take_shares(record, "trace_missed", views)?,
            exact: record.take_counts("exact", views)?.into_iter().map(|e| e > 0).collect(),
            error_bound: record.number("error_bound")?,
            determined: record.count("determined")?,
        };
        let (kappa, correlations) = (record.number("kappa")?, correlations.to_vec());
        check_kappa(kappa)?;
        let kappa_choice = record.has("kappa.candidates").then(|| take_choice(record, kappa)).transpose()?;
        Ok(Self { correlations, functions, p_values, kappa, kappa_choice, evidence, settings })
    }
}

fn take_view(record: &mut Record, view: usize, components: usize) -> Result<ViewFunctions> {
    let kernel = record.text(&format!("view{view}.kernel"))?.parse()?;
    let points = record.take_points(&format!("view{view}.points"))?;
    let shape = (points.len(), components);
    let alpha = record.take_finite_matrix(&format!("view{view}.dual_coefficients"), shape)?;
    let offset = record.take_finite_vector(&format!("view{view}.offset"), components)?;
    Ok(ViewFunctions { kept: Default::default(), kernel, points, alpha, offset })
}

fn take_choice(record: &mut Record, kappa: f64) -> Result<KappaChoice> {
    let candidates = record.take_any_vector("kappa.candidates")?.to_vec();
    let count = candidates.len();
    let mut take = |name: &str| record.take_vector(&format!("kappa.{name}"), count).map(|values| values.to_vec());
    let (correlations, null_means) = (take("correlations")?, take("null_means")?);
    Ok(KappaChoice { kappa, candidates, correlations, null_means, gains: take("gains")? })
}

fn take_shares(record: &mut Record, name: &str, length: usize) -> Result<Vec<f64>> {
    let values: Array1<f64> = record.take_finite_vector(name, length)?;
    require(name, values.sum(), values.iter().all(|v| (0.0..=1.0).contains(v)), "between 0 and 1")?;
    Ok(values.to_vec())
}
