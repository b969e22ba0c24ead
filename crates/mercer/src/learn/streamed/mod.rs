//! Ridge regression on explicit features, for data that comes in chunks and need not fit into
//! memory.
//!
//! [`StreamedRidge`] specifies the fit; [`StreamedRidge::start`] draws the features and gives a
//! [`RidgeStream`], which takes in one chunk after the other, can be merged with others and kept as
//! bytes; [`RidgeStream::finish`] chooses λ and gives a [`StreamedRidgeFit`]. [`RidgePasses`] goes
//! over the rows several times instead, by conjugate gradients, for many features.

pub(crate) mod entry;
mod fit;
pub mod logistic;
mod passes;
mod plan;
mod record;
mod rows;
mod spec;
mod stream;

pub use fit::{LambdaScore, Passes, StreamedRidgeFit};
pub use logistic::{LogisticStep, LogisticStream, StreamedLogistic, StreamedLogisticFit};
pub use passes::RidgePasses;
pub(crate) use rows::check_chunk_weights;
pub use rows::{ArrayRows, RowSource, TakeRows};
pub use spec::StreamedRidge;
pub use stream::RidgeStream;
