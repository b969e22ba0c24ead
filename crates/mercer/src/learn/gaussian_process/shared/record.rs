//! Processes that share a kernel as named texts and arrays. The factor is not among them: it is
//! made again for variances.

use super::SharedGaussianProcessFit;
use crate::record::{Record, require};
use crate::{Error, Result};

impl SharedGaussianProcessFit {
    /// All but the factor of `K + diag(σ²)`.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", self.kernel());
        record.put_vector("noise", self.noise());
        record.put_points("points", self.points());
        record.put_matrix("targets", self.targets());
        record.put_matrix("dual_coefficients", self.dual_coefficients());
        record.put_number("log_marginal_likelihood", self.log_marginal_likelihood());
        record
    }

    /// The fit that [`SharedGaussianProcessFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let (points, targets) = (record.take_points("points")?, record.take_leading_matrix("targets")?);
        let n = points.len();
        if n == 0 || targets.nrows() != n || targets.ncols() == 0 {
            let found = format!("{} and {}", points.len(), targets.nrows());
            return Err(Error::shape("rows of the arrays `points` and `targets`", "equal, at least 1", found));
        }
        let noise = record.take_finite_vector("noise", n)?;
        noise.iter().try_for_each(|&v| require("noise", v, v >= 0.0, "at least 0"))?;
        let alpha = record.take_finite_matrix("dual_coefficients", targets.dim())?;
        let log_likelihood = record.number("log_marginal_likelihood")?;
        Ok(Self::from_parts(record.kernel()?, (points, targets, noise), alpha, log_likelihood))
    }
}
