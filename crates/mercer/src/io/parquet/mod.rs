//! Apache Parquet: flat tables of numbers and strings.

mod read;
mod write;

pub(super) use read::read;
pub use write::write_parquet;

pub(super) const MAGIC: &[u8] = b"PAR1";
