//! A sparse Gaussian process as named texts and arrays: of the size of the inducing points, without
//! the data.

use ndarray::{Array1, Array2};

use super::basis::InducingBasis;
use super::posterior::Posterior;
use super::{Approximation, SparseGaussianProcessFit};
use crate::error::RecordProblem;
use crate::learn::gaussian_process::Optimization;
use crate::learn::gaussian_process::record::{put_free, take_free};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::solve::{Factored, factor};
use crate::{Compute, Error, Result};

/// The approximations by the names that files have for them.
pub(in crate::learn::gaussian_process) const APPROXIMATIONS: [(Approximation, &str); 4] = [
    (Approximation::Sor, "sor"),
    (Approximation::Dtc, "dtc"),
    (Approximation::Fitc, "fitc"),
    (Approximation::Variational, "variational"),
];

/// The name of an approximation.
pub(super) fn name_of(approximation: Approximation) -> &'static str {
    APPROXIMATIONS.iter().find(|(known, _)| *known == approximation).map_or("", |(_, name)| name)
}

impl SparseGaussianProcessFit {
    /// All that predictions need, and how it was found; the data itself, which only gradients need,
    /// is left out.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", self.kernel());
        record.put_text("approximation", name_of(self.approximation()));
        record.put_number("noise", self.noise());
        record.put_matrix("inducing", self.inducing());
        record.put_matrix("white_information", self.posterior.matrix.view());
        record.put_vector("white_coefficients", self.white_coefficients());
        record.put_vector("dropped", self.dropped.iter().map(|&j| j as f64).collect::<Array1<f64>>().view());
        record.put_number("trace_left", self.trace_left());
        record.put_number("log_marginal_likelihood", self.log_marginal_likelihood());
        if let Some(optimization) = &self.optimization {
            optimization.put_into(&mut record);
        }
        put_free(&self.free, &mut record);
        record
    }

    /// The fit that [`SparseGaussianProcessFit::to_record`] wrote; both factors are made again,
    /// with the same bytes.
    pub(crate) fn from_record(record: &mut Record, compute: &Compute) -> Result<Self> {
        let points = record.take_leading_matrix("inducing")?;
        let (m, columns) = points.dim();
        if m == 0 {
            return Err(Error::too_few("a Gaussian process", "rows of the array `inducing`", 1, 0));
        }
        let name = record.text("approximation")?;
        let unknown = || Error::parameter("approximation", name, "sor, dtc, fitc or variational");
        let (approximation, _) = *APPROXIMATIONS.iter().find(|(_, known)| *known == name).ok_or_else(unknown)?;
        let noise = record.finite_number("noise")?;
        require("noise", noise, noise > 0.0, "positive")?;
        let matrix = record.take_finite_matrix("white_information", (m, m))?;
        let beta = record.take_finite_vector("white_coefficients", m)?;
        let basis = InducingBasis::new(&record.kernel()?, points.view(), compute)?;
        let (Factored::Definite(inner), true) = (factor(matrix.clone(), compute)?, basis.kept.len() == m) else {
            return Err(Error::record(
                "array `white_information`",
                RecordProblem::Damaged("it, or the matrix of the inducing points, is singular".into()),
            ));
        };
        let dropped = record.take_any_vector("dropped")?.iter().map(|&j| j as usize).collect();
        let (trace_left, objective) = (record.number("trace_left")?, record.number("log_marginal_likelihood")?);
        let posterior = Posterior { basis, noise, approximation, matrix, inner, beta, trace_left, objective };
        let (x, y) = (Array2::zeros((0, columns)), Array1::zeros(0));
        let (optimization, free, settings) = (Optimization::take_from(record)?, take_free(record)?, Settings::new());
        Ok(Self { posterior, x, y, dropped, optimization, free, settings })
    }
}
