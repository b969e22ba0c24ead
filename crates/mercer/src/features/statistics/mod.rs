//! Sufficient statistics of features: one pass over data of any length, in chunks, on one machine
//! or several.
//!
//! A statistic is a value: `update` takes in a chunk, `merge` another statistic, `to_bytes` and
//! `from_bytes` carry it to a file or another machine, and a method that borrows it gives the
//! answer, so that more data may follow.

mod bytes;
mod covariance;
mod mean;
mod ridge;

pub use covariance::CovarianceStatistics;
pub use mean::MeanStatistics;
pub use ridge::{FeatureFunction, RidgeStatistics};
