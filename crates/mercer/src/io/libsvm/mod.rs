//! The LIBSVM format: `label index:value …`, one point per line, indices ascending from 1.

mod model;
mod read;
mod sparse;
mod write;

pub use model::{read_libsvm_model, write_libsvm_model};
pub(super) use read::{LABEL, LibsvmRows, is_dense, names, read, width};
pub use sparse::{LabeledRows, read_libsvm};
pub use write::write_libsvm;
