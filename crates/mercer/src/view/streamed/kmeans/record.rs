//! Clusters of features, and the terms of a pass, as named texts and arrays.

use ndarray::Array2;

use super::terms::Controls;
use super::{KMeansTerms, StreamedKMeansFit};
use crate::error::AllowedRange;
use crate::features::{DrawnFeatures, FeatureMap};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

impl StreamedKMeansFit {
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.features.put_into(&mut record);
        record.put_vector("shift", self.shift.view());
        record.put_matrix("centers", self.centers.view());
        record.put_vector("masses", self.masses.view());
        record.put_number("objective", self.objective);
        record.put_number("missed", self.missed);
        record.put_count("passes", self.passes);
        record.put_text("converged", self.converged);
        record.put_count("rows", self.rows as usize);
        record
    }

    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let features = DrawnFeatures::take_from(record)?;
        let centers = take_centers(record, features.components())?;
        let masses = record.take_finite_vector("masses", centers.nrows())?;
        for mass in &masses {
            require("masses", *mass, *mass >= 0.0, "not negative")?;
        }
        Ok(Self {
            shift: record.take_finite_vector("shift", features.components())?,
            centers,
            masses,
            objective: record.finite_number("objective")?,
            missed: record.finite_number("missed")?,
            passes: record.count("passes")?,
            converged: record.flag("converged")?,
            rows: record.count("rows")? as u64,
            features,
            settings,
        })
    }
}

fn take_centers(record: &mut Record, components: usize) -> Result<Array2<f64>> {
    let centers = record.take_leading_matrix("centers")?;
    if centers.ncols() != components || centers.nrows() == 0 {
        return Err(Error::shape("columns of the array `centers`", components, centers.ncols()));
    }
    match centers.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Error::parameter("centers", value, AllowedRange::LINE)),
        None => Ok(centers),
    }
}

impl KMeansTerms {
    pub(in crate::view::streamed) fn put_into(&self, record: &mut Record) {
        self.features.put_into(record);
        record.put_vector("shift", self.shift.view());
        record.put_matrix("centers", self.centers.view());
        record.put_settings(&self.settings);
        record.put_number("tolerance", self.controls.tolerance);
        record.put_count("max_passes", self.controls.max_passes);
        record.put_count("passes", self.passes);
        record.put_optional_number("previous", self.previous);
    }

    pub(in crate::view::streamed) fn take_from(record: &mut Record) -> Result<Self> {
        let settings = record.take_settings()?;
        let features = DrawnFeatures::take_from(record)?;
        let centers = take_centers(record, features.components())?;
        let controls =
            Controls { tolerance: record.finite_number("tolerance")?, max_passes: record.count("max_passes")? };
        Ok(Self {
            shift: record.take_finite_vector("shift", features.components())?,
            centers,
            controls,
            passes: record.count("passes")?,
            previous: record.optional_number("previous")?,
            features,
            settings,
        })
    }
}
