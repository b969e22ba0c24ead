//! NPY: the file format of numpy arrays.

mod chunks;
mod header;
mod read;
mod write;

pub(super) use chunks::{NpyFile, NpyRows};
pub use read::read_npy;
pub(super) use read::read_table;
pub use write::{NpyNumber, NpyWriter, write_npy};

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
