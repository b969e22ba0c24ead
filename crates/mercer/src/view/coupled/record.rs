//! A coupled embedding as named texts and arrays.

use super::CoupledFit;
use super::fit::Side;
use crate::record::{Record, require, take_points_or_references};
use crate::settings::Settings;
use crate::{Error, Kernel, Result};

impl CoupledFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_vector("eigenvalues", self.eigenvalues.view());
        self.low.put_into("low", &mut record);
        self.high.put_into("high", &mut record);
        record
    }

    /// The fit that [`CoupledFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let eigenvalues = record.take_any_vector("eigenvalues")?;
        let count = eigenvalues.len();
        require("components", count as f64, count > 0, "at least 1")?;
        for pair in eigenvalues.to_vec().windows(2) {
            require("eigenvalues", pair[1], pair[0] <= pair[1], "ascending")?;
        }
        let finite = eigenvalues.iter().all(|v| v.is_finite() && *v >= 0.0);
        require("eigenvalues", eigenvalues[0], finite, "finite and at least 0")?;
        let (low, high) = (Side::take_from("low", count, record)?, Side::take_from("high", count, record)?);
        Ok(Self { low, high, eigenvalues, settings })
    }
}

impl Side {
    fn put_into(&self, mode: &str, record: &mut Record) {
        let name = |part: &str| format!("{mode}.{part}");
        record.put_text(&name("kernel"), &self.kernel);
        record.put_points(&name("points"), self.points.as_points());
        record.put_matrix(&name("coefficients"), self.coefficients.view());
        record.put_matrix(&name("embedding"), self.embedding.view());
        record.put_count(&name("null"), self.null);
    }

    fn take_from(mode: &str, components: usize, record: &mut Record) -> Result<Self> {
        let name = |part: &str| format!("{mode}.{part}");
        let kernel: Kernel = record.text(&name("kernel"))?.parse()?;
        let coefficients = record.take_leading_matrix(&name("coefficients"))?;
        let embedding = record.take_leading_matrix(&name("embedding"))?;
        for (part, found) in [("coefficients", &coefficients), ("embedding", &embedding)] {
            if found.ncols() != components || found.nrows() == 0 {
                let expected = format!("{components} columns, one per eigenvalue, and at least one row");
                return Err(Error::shape(&format!("array `{mode}.{part}`"), expected, format!("{:?}", found.dim())));
            }
        }
        let points = take_points_or_references(record, &name("points"), kernel.is_precomputed(), coefficients.nrows())?;
        Ok(Self {
            kept: Default::default(),
            kernel,
            points,
            coefficients,
            embedding,
            null: record.count(&name("null"))?,
        })
    }
}
