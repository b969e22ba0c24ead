//! Classical scaling as named texts and arrays.

use super::{ClassicalScalingFit, EigenEvidence, EigenPlan, NegativePart};
use crate::Result;
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::view::eigen::Projection;

impl ClassicalScalingFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.projection.put_into(&mut record);
        record.put_vector("eigenvalues", self.eigenvalues.view());
        record.put_matrix("embedding", self.embedding.view());
        record.put_slice("negative_part", &[self.negative.lower, self.negative.upper]);
        record.put_number("stress", self.stress);
        self.evidence.put_into(&mut record);
        self.plan.put_into(&mut record);
        record
    }

    /// The fit that [`ClassicalScalingFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let embedding = record.take_leading_matrix("embedding")?;
        let (rows, count) = embedding.dim();
        let eigenvalues = record.take_finite_vector("eigenvalues", count)?;
        let projection = Projection::take_from(record, count)?;
        require("rows of `embedding`", rows as f64, rows == projection.centers.len(), "one per point")?;
        let part = record.take_finite_vector("negative_part", 2)?;
        let negative = NegativePart { lower: part[0], upper: part[1] };
        let ordered = (0.0..=negative.upper).contains(&negative.lower) && negative.upper <= 1.0;
        require("negative_part", negative.lower, ordered, "two numbers from 0 to 1, in order")?;
        let stress = record.finite_number("stress")?;
        require("stress", stress, stress >= 0.0, "at least 0")?;
        let (evidence, plan) = (EigenEvidence::take_from(record)?, EigenPlan::take_from(record)?);
        Ok(Self { projection, eigenvalues, embedding, negative, stress, evidence, plan, settings })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use crate::view::scaling::{ClassicalScaling, ClassicalScalingFit};
    use crate::{Compute, Kernel};

    fn fit() -> ClassicalScalingFit {
        let x = Array2::from_shape_fn((40, 3), |(i, j)| ((3 * i + j) as f64).sin());
        let kernel: Kernel = "distance(power=1)".parse().unwrap();
        ClassicalScaling::new(kernel, Some(2)).fit(x.view(), &Compute::new()).unwrap()
    }

    #[test]
    fn a_record_gives_the_same_fit() {
        let fit = fit();
        let mut loaded = ClassicalScalingFit::from_record(&mut fit.to_record(), fit.settings.clone()).unwrap();
        assert_eq!(loaded.to_record(), fit.to_record());
        loaded.plan = fit.plan.clone();
        assert_eq!(loaded, fit);
        let (x, compute) = (ndarray::array![[0.3, -0.2, 1.0]], Compute::new());
        assert_eq!(loaded.transform(&x, &compute).unwrap(), fit.transform(&x, &compute).unwrap());
    }

    #[test]
    fn damaged_records_are_refused() {
        for name in fit().to_record().arrays.keys() {
            let mut record = fit().to_record();
            record.arrays.remove(name);
            let needed = name != "smallest_eigenvalue";
            assert_eq!(ClassicalScalingFit::from_record(&mut record, Default::default()).is_err(), needed, "{name}");
            let mut record = fit().to_record();
            record.arrays.get_mut(name).unwrap().fill(f64::NAN);
            assert_eq!(ClassicalScalingFit::from_record(&mut record, Default::default()).is_err(), needed, "{name}");
        }
        let mut record = fit().to_record();
        record.put_slice("negative_part", &[0.5, 0.1]);
        assert!(ClassicalScalingFit::from_record(&mut record, Default::default()).is_err());
    }
}
