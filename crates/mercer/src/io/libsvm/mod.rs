//! The LIBSVM format: `label index:value …`, one point per line, indices ascending from 1.

mod model;
mod read;
mod write;

pub use model::{read_libsvm_model, write_libsvm_model};
pub(super) use read::{LABEL, LibsvmRows, names, read, width};
pub use write::write_libsvm;
