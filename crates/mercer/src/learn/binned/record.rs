//! Fits on random binning features as named texts and arrays.

use ndarray::Array2;

use super::BinnedFit;
use super::fit::ClassCount;
use crate::features::BinningFeatures;
use crate::learn::observations::check_penalty;
use crate::record::Record;
use crate::settings::Settings;
use crate::{Error, Result};

impl BinnedFit {
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.map.put_into(&mut record);
        record.put_matrix("weights", self.w.view());
        record.put_vector("constants", self.b.view());
        record.put_text("loss", self.loss);
        record.put_number("lambda", self.lambda);
        record.put_number("objective", self.objective);
        record.put_count("iterations", self.iterations);
        record.put_text("converged", self.converged);
        if let Some(ClassCount { count, softmax }) = self.classes {
            record.put_count("class_count", count);
            record.put_text("softmax", softmax);
        }
        record
    }

    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let map = BinningFeatures::take_from(record)?;
        let w = record.take_leading_matrix("weights")?;
        if w.nrows() != map.components() || w.ncols() == 0 {
            let expected = format!("{} rows, at least one column", map.components());
            return Err(Error::shape("coefficients of the cells", expected, format!("{:?}", w.dim())));
        }
        let lambda = record.number("lambda")?;
        check_penalty(lambda)?;
        let classes = match record.has("class_count") {
            true => Some(ClassCount { count: record.count("class_count")?, softmax: record.flag("softmax")? }),
            false => None,
        };
        if let Some(ClassCount { count, softmax }) = classes {
            let functions = if count == 2 && !softmax { 1 } else { count };
            if count < 2 || functions != w.ncols() {
                return Err(Error::shape("functions of the classes", functions, w.ncols()));
            }
        }
        Ok(Self {
            loss: record.text("loss")?.parse()?,
            lambda,
            b: record.take_finite_vector("constants", w.ncols())?,
            fitted: Array2::zeros((0, w.ncols())),
            objective: record.finite_number("objective")?,
            iterations: record.count("iterations")?,
            converged: record.flag("converged")?,
            plan: None,
            settings,
            classes,
            map,
            w,
        })
    }
}
