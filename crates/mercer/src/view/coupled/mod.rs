//! Coupled kernel embedding: two modes of the same objects in one space.
//!
//! A low- and a high-resolution image, a text and a picture, two languages: what belongs together
//! is near in the embedding, so that new points of one mode are found among points of the other.

mod affinity;
mod decompose;
mod entry;
mod fit;
mod neighbors;
mod record;
mod solve;
mod spec;

pub use affinity::{Affinity, Coupling};
pub use entry::ENTRY;
pub use fit::CoupledFit;
pub use neighbors::Matches;
pub use spec::CoupledEmbedding;
