//! Components of features, and the terms of their pass, as named texts and arrays.

use super::{PcaTerms, StreamedPcaFit};
use crate::features::{DrawnFeatures, FeatureMap};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

impl StreamedPcaFit {
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.features.put_into(&mut record);
        record.put_vector("mean", self.mean.view());
        record.put_matrix("axes", self.axes.view());
        record.put_vector("eigenvalues", self.eigenvalues.view());
        record.put_number("total_trace", self.trace);
        record.put_number("missed", self.missed);
        record.put_count("rows", self.rows as usize);
        record
    }

    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let features = DrawnFeatures::take_from(record)?;
        let p = features.components();
        let eigenvalues = record.take_any_vector("eigenvalues")?;
        for value in &eigenvalues {
            require("eigenvalues", *value, value.is_finite() && *value >= 0.0, "finite and not negative")?;
        }
        let (trace, missed) = (record.finite_number("total_trace")?, record.finite_number("missed")?);
        require("total_trace", trace, trace >= 0.0, "not negative")?;
        Ok(Self {
            mean: record.take_finite_vector("mean", p)?,
            axes: record.take_finite_matrix("axes", (p, eigenvalues.len()))?,
            eigenvalues,
            trace,
            missed,
            rows: record.count("rows")? as u64,
            features,
            settings,
        })
    }
}

impl PcaTerms {
    pub(in crate::view::streamed) fn put_into(&self, record: &mut Record) {
        self.features.put_into(record);
        record.put_vector("shift", self.shift.view());
        record.put_settings(&self.settings);
        if let Some(components) = self.components {
            record.put_count("component_count", components);
        }
    }

    pub(in crate::view::streamed) fn take_from(record: &mut Record) -> Result<Self> {
        let settings = record.take_settings()?;
        let features = DrawnFeatures::take_from(record)?;
        let components = if record.has("component_count") { Some(record.count("component_count")?) } else { None };
        if components == Some(0) {
            return Err(Error::parameter("components", 0, 1..));
        }
        let shift = record.take_finite_vector("shift", features.components())?;
        Ok(Self { features, shift, components, settings })
    }
}
