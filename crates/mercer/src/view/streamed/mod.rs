//! Views of data that comes in chunks and need not fit into memory, through explicit features.
//!
//! [`StreamedPca`] and [`StreamedKMeans`] specify a view; `start` draws the features and gives a
//! [`ViewStream`], which takes in one chunk after the other, can be merged with others and kept as
//! bytes; [`ViewStream::next`] ends a pass over the rows: with the fit, or with the stream of the
//! next pass. The bytes of a fit do not depend on how the rows are cut or spread over machines.

pub(crate) mod features;
pub(crate) mod kmeans;
pub(crate) mod pca;
mod stream;

pub use kmeans::{StreamedKMeans, StreamedKMeansFit};
pub use pca::{StreamedPca, StreamedPcaFit};
pub use stream::{ViewStep, ViewStream};
