//! Second moments of frequencies.

use ndarray::Array2;

use super::column::ColumnDistribution;
use super::distribution::FrequencyDistribution;
use crate::kernel::closed_forms::Mixing;

impl Mixing {
    /// `E m²`.
    fn second_moment(self) -> Option<f64> {
        match self {
            Self::Fixed | Self::Gamma(_) => Some(1.0),
            Self::Student(nu) => (nu > 1.0).then(|| nu / (nu - 1.0)),
            Self::Stable(_) => None,
        }
    }
}

impl ColumnDistribution {
    /// The second moment of one coordinate before its scale.
    fn second_moment(&self, column: usize) -> Option<f64> {
        match self {
            Self::Cauchy => None,
            Self::Laplace => Some(2.0),
            Self::Uniform => Some(1.0 / 3.0),
            Self::Circle(circles) => Some(circles[column.min(circles.len() - 1)].second_moment()),
        }
    }
}

impl FrequencyDistribution {
    /// `E ωωᵀ`, where it is finite. Every distribution is symmetric about 0, so independent
    /// frequencies add their covariances.
    pub(super) fn covariance(&self, columns: usize) -> Option<Array2<f64>> {
        let mut sum = Array2::zeros((columns, columns));
        match self {
            Self::Zero => {}
            Self::Radial { mixing, scales, .. } => {
                let moment = mixing.second_moment()?;
                scales.iter().enumerate().for_each(|(j, s)| sum[[j, j]] = moment * s * s);
            }
            Self::Tabulated { table, scales, .. } => {
                let moment = table.second_moment()? / columns as f64;
                scales.iter().enumerate().for_each(|(j, s)| sum[[j, j]] = moment * s * s);
            }
            Self::Columns { distribution, scales } => {
                for (j, s) in scales.iter().enumerate() {
                    sum[[j, j]] = distribution.second_moment(j)? * s * s;
                }
            }
            Self::On(chosen, distribution) => {
                let inner = distribution.covariance(chosen.len())?;
                inner.indexed_iter().for_each(|((i, j), v)| sum[[chosen[i], chosen[j]]] += v);
            }
            Self::Mapped(matrix, distribution) => {
                return Some(matrix.t().dot(&distribution.covariance(matrix.nrows())?).dot(matrix));
            }
            Self::Sum(distributions) => {
                for distribution in distributions {
                    sum += &distribution.covariance(columns)?;
                }
            }
            Self::Copies(counts, distribution) => return Some(distribution.covariance(columns)? * counts.mean()),
            Self::Mixture(parts) => {
                for (weight, distribution) in parts.iter().filter(|(weight, _)| *weight > 0.0) {
                    sum += &(distribution.covariance(columns)? * *weight);
                }
            }
        }
        Some(sum)
    }
}
