//! Tests of data that comes in chunks and need not fit into memory, through random features.
//!
//! [`StreamedTwoSample`] and [`StreamedIndependence`] specify a test; `start` draws the features and
//! gives a [`TestStream`], which takes in one chunk after the other, can be merged with others and
//! kept as bytes; [`TestStream::finish`] gives the outcome. Its bytes do not depend on how the rows
//! are cut or spread over machines.

mod outcome;
mod record;
mod spec;
mod stream;
mod terms;

pub use spec::{StreamedIndependence, StreamedTwoSample};
pub use stream::TestStream;
