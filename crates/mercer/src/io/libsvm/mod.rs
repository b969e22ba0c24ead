//! The LIBSVM format: `label index:value …`, one point per line, indices ascending from 1.

mod read;
mod write;

pub(super) use read::read;
pub use write::write_libsvm;
