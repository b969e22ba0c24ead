//! Gram matrices in blocks of rows: to a file, and into a summary.

mod digest;
mod file;
mod strips;

pub use digest::{Digest, Requested};
pub use file::{Layout, write};
pub use strips::{strip_rows, walk};
