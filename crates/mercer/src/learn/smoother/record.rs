//! A local smoother as named texts and arrays.

use super::local::Degree;
use super::positions::Positions;
use super::{Bandwidth, LocalFit, LocalWeight};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

/// The weights by the names that files have for them.
pub(super) const WEIGHTS: [(LocalWeight, &str); 5] = [
    (LocalWeight::Gaussian, "gaussian"),
    (LocalWeight::Epanechnikov, "epanechnikov"),
    (LocalWeight::Tricube, "tricube"),
    (LocalWeight::Uniform, "uniform"),
    (LocalWeight::Biweight, "biweight"),
];

fn degree_name(degree: Degree) -> &'static str {
    if degree == Degree::Line { "line" } else { "mean" }
}

fn weights_name(weights: LocalWeight) -> &'static str {
    WEIGHTS.iter().find(|(known, _)| *known == weights).map_or("gaussian", |(_, name)| name)
}

/// A smoother by name: `degree`, `weights`, and `bandwidth` where it is given.
pub(super) fn settings(degree: Degree, weights: LocalWeight, bandwidth: Bandwidth) -> Settings {
    let fixed = if let Bandwidth::Fixed(h) = bandwidth { Some(h) } else { None };
    Settings::new()
        .with("degree", degree_name(degree))
        .with("weights", weights_name(weights))
        .with_some("bandwidth", fixed)
}

impl LocalFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("degree", degree_name(self.degree));
        record.put_text("weights", weights_name(self.weights));
        record.put_number("bandwidth", self.bandwidth);
        record.put_matrix("points", self.positions.x.view());
        record.put_vector("targets", self.y.view());
        record.put_vector("fitted", self.fitted.view());
        record.put_vector("leverages", self.leverages.view());
        record.put_vector("loo_residuals", self.loo_residuals.view());
        record
    }

    /// The fit that [`LocalFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let x = record.take_leading_matrix("points")?;
        let (n, columns) = x.dim();
        let degree = match record.text("degree")? {
            "mean" => Degree::Mean,
            "line" if columns == 1 => Degree::Line,
            other => return Err(Error::parameter("degree", other, "mean, or line for one column")),
        };
        if n == 0 || columns == 0 {
            return Err(Error::shape("array `points`", "at least one row and one column", format!("{:?}", x.dim())));
        }
        let name = record.text("weights")?;
        let unknown = || Error::parameter("weights", name, "weights that this version knows");
        let (weights, _) = *WEIGHTS.iter().find(|(_, known)| *known == name).ok_or_else(unknown)?;
        let bandwidth = record.finite_number("bandwidth")?;
        require("bandwidth", bandwidth, bandwidth > 0.0, "positive")?;
        Ok(Self {
            degree,
            weights,
            bandwidth,
            positions: Positions::new(x.view()),
            y: record.take_finite_vector("targets", n)?,
            fitted: record.take_vector("fitted", n)?,
            leverages: record.take_vector("leverages", n)?,
            loo_residuals: record.take_vector("loo_residuals", n)?,
            settings: Settings::new(),
        })
    }
}
