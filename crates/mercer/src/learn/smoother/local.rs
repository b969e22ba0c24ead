//! One local fit: a weighted mean or a weighted line.

use super::positions::Neighbor;

/// What is fitted around a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Degree {
    /// A constant.
    Mean,
    /// A line, for one column.
    Line,
}

/// A local fit at one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub value: f64,
    /// The slope of the line; 0 for a mean.
    pub slope: f64,
    /// `∂value/∂yᵢ` of an observation at the position itself, of this weight.
    pub leverage_of_unit: f64,
}

/// Why there is no local fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLocalFit {
    /// No observation has weight here.
    Empty,
    /// All observations that have weight here lie at one position, which fixes no line.
    OnePosition,
}

impl Degree {
    /// The fit at `t`; `position(row)` and `value(row)` are those of the observations.
    pub fn fit(
        self,
        t: f64,
        near: &[Neighbor],
        position: impl Fn(usize) -> f64,
        value: impl Fn(usize) -> f64,
    ) -> Result<Local, NoLocalFit> {
        let total: f64 = near.iter().map(|n| n.weight).sum();
        if total <= 0.0 {
            return Err(NoLocalFit::Empty);
        }
        let mean = |f: &dyn Fn(usize) -> f64| near.iter().map(|n| n.weight * f(n.row)).sum::<f64>() / total;
        let y = mean(&value);
        if self == Self::Mean {
            return Ok(Local { value: y, slope: 0.0, leverage_of_unit: 1.0 / total });
        }
        // Distances from t first, so that a far origin costs no digits.
        let x = mean(&|row| position(row) - t);
        let spread: f64 = near.iter().map(|n| n.weight * (position(n.row) - t - x).powi(2)).sum();
        let covariance: f64 = near.iter().map(|n| n.weight * (position(n.row) - t - x) * (value(n.row) - y)).sum();
        // Rounding makes a spread of one place seen from afar; beside an observation at t itself,
        // far ones of little weight still fix the slope.
        let seen: f64 = near.iter().map(|n| n.weight * (position(n.row) - t).powi(2)).sum();
        if spread <= 1e-26 * seen {
            return Err(NoLocalFit::OnePosition);
        }
        let slope = covariance / spread;
        Ok(Local { value: y - slope * x, slope, leverage_of_unit: 1.0 / total + x * x / spread })
    }
}
