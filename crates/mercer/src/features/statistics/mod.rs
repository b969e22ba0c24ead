//! Sufficient statistics of features: one pass over data of any length, in chunks, on one machine
//! or several.
//!
//! A statistic is a value: `update` takes in a chunk, `merge` another statistic, `to_bytes` and
//! `from_bytes` carry it to a file or another machine, and a method that borrows it gives the
//! answer, so that more data may follow.

mod block_stream;
mod bytes;
mod covariance;
mod exact_ridge;
mod mean;
mod ridge;
mod row_blocks;

pub(crate) use block_stream::{BlockStream, BlockTerms};
pub use covariance::CovarianceStatistics;
pub(crate) use exact_ridge::ExactRidge;
pub use mean::MeanStatistics;
pub use ridge::{FeatureFunction, RidgeStatistics};
pub(crate) use row_blocks::{RowBlocks, columns_of};
