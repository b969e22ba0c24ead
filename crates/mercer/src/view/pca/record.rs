//! Kernel principal components as named texts and arrays.

use super::fit::MeanElement;
use super::spec::check_alpha;
use super::{EigenEvidence, EigenPlan, InverseMap, KernelPcaFit};
use crate::Result;
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::view::eigen::Projection;

impl KernelPcaFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.projection.put_into(&mut record);
        record.put_vector("eigenvalues", self.eigenvalues.view());
        record.put_matrix("eigenvectors", self.eigenvectors.view());
        record.put_number("trace", self.trace);
        record.put_number("mean_square", self.mean.square);
        record.put_vector("mean_at_points", self.mean.at_centers.view());
        if let Some(weights) = &self.mean.weights {
            record.put_vector("mean_weights", weights.view());
        }
        if let Some(inverse) = &self.inverse {
            record.put_number("alpha", inverse.alpha);
            record.put_matrix("inverse_scores", inverse.scores.view());
            record.put_matrix("inverse_coefficients", inverse.coefficients.view());
        }
        self.evidence.put_into(&mut record);
        self.plan.put_into(&mut record);
        record
    }

    /// The fit that [`KernelPcaFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
        let eigenvectors = record.take_leading_matrix("eigenvectors")?;
        let count = eigenvectors.ncols();
        let eigenvalues = record.take_finite_vector("eigenvalues", count)?;
        if let Some(value) = eigenvalues.iter().find(|v| **v < 0.0) {
            require("eigenvalues", *value, false, "at least 0")?;
        }
        let projection = Projection::take_from(record, count)?;
        let (centers, rows) = (projection.centers.len(), eigenvectors.nrows());
        let plan = EigenPlan::take_from(record)?;
        let evidence = EigenEvidence::take_from(record)?;
        let exact = evidence.landmarks == 0;
        require("rows of `eigenvectors`", rows as f64, !exact || rows == centers, "one per point")?;
        let weights = match exact {
            true => None,
            false => Some(record.take_finite_vector("mean_weights", centers)?),
        };
        let mean = MeanElement {
            weights,
            square: record.finite_number("mean_square")?,
            at_centers: record.take_finite_vector("mean_at_points", centers)?,
        };
        let inverse = if record.has("alpha") { Some(take_inverse(record, &projection)?) } else { None };
        let trace = record.finite_number("trace")?;
        require("trace", trace, trace >= 0.0, "at least 0")?;
        Ok(Self { projection, mean, eigenvalues, eigenvectors, trace, inverse, evidence, plan, settings })
    }
}

fn take_inverse(record: &mut Record, projection: &Projection) -> Result<InverseMap> {
    let alpha = record.number("alpha")?;
    check_alpha(alpha)?;
    let (rows, count) = projection.coefficients.dim();
    let columns = projection.centers.as_points().vectors()?.ncols();
    Ok(InverseMap {
        kernel: projection.kernel.clone(),
        alpha,
        scores: record.take_finite_matrix("inverse_scores", (rows, count))?,
        coefficients: record.take_finite_matrix("inverse_coefficients", (rows, columns))?,
    })
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use crate::view::pca::{EigenSolver, KernelPca, KernelPcaFit};
    use crate::{Compute, Kernel};

    fn fit(solver: EigenSolver) -> KernelPcaFit {
        let x = Array2::from_shape_fn((60, 2), |(i, j)| ((2 * i + j) as f64).sin());
        let kernel: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
        let landmarks = (solver == EigenSolver::Nystrom).then_some(20);
        let spec = KernelPca { solver, landmarks, inverse: Some(0.1), ..KernelPca::new(kernel, Some(3)) };
        spec.fit(x.view(), &Compute::new()).unwrap()
    }

    #[test]
    fn a_record_gives_the_same_fit() {
        for solver in [EigenSolver::Dense, EigenSolver::Nystrom] {
            let fit = fit(solver);
            let mut record = fit.to_record();
            let mut loaded = KernelPcaFit::from_record(&mut record, fit.settings.clone()).unwrap();
            assert!(loaded.plan.reason.contains("file"));
            assert_eq!(loaded.to_record(), fit.to_record());
            loaded.plan = fit.plan.clone();
            assert_eq!(loaded, fit);
            let x = ndarray::array![[0.3, -0.2], [2.0, 1.0]];
            let compute = Compute::new();
            assert_eq!(loaded.transform(&x, &compute).unwrap(), fit.transform(&x, &compute).unwrap());
            assert_eq!(loaded.novelty(&x, &compute).unwrap(), fit.novelty(&x, &compute).unwrap());
        }
    }

    #[test]
    fn damaged_records_are_refused() {
        let names: Vec<String> = fit(EigenSolver::Nystrom).to_record().arrays.keys().cloned().collect();
        assert!(names.iter().any(|name| name == "mean_weights"));
        // All but those without which there is an older or smaller fit.
        for name in names.iter().filter(|name| *name != "alpha") {
            let mut record = fit(EigenSolver::Nystrom).to_record();
            record.arrays.remove(name);
            assert!(KernelPcaFit::from_record(&mut record, Default::default()).is_err(), "{name}");
            let mut record = fit(EigenSolver::Nystrom).to_record();
            record.arrays.get_mut(name).unwrap().fill(f64::NAN);
            assert!(KernelPcaFit::from_record(&mut record, Default::default()).is_err(), "{name}");
        }
        let mut record = fit(EigenSolver::Dense).to_record();
        record.put_slice("eigenvalues", &[1.0, 0.5, -1.0]);
        assert!(KernelPcaFit::from_record(&mut record, Default::default()).is_err());
    }
}
