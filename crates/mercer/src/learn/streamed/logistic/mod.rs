//! Logistic regression on explicit features, for data that comes in chunks and need not fit into
//! memory: one pass over the rows for every Newton step.
//!
//! [`StreamedLogistic`] specifies the fit; [`StreamedLogistic::start`] draws the features and gives
//! a [`LogisticStream`], which takes in the rows of one pass, can be merged with others and kept as
//! bytes; [`LogisticStream::next`] makes the step.

pub(crate) mod entry;
mod fit;
mod record;
mod spec;
mod step;
mod stream;

pub use fit::StreamedLogisticFit;
pub use spec::StreamedLogistic;
pub use step::LogisticStep;
pub use stream::LogisticStream;
