//! Apache Parquet: flat tables of numbers and strings.

mod chunks;
mod column;
mod file;
mod read;
mod write;

pub(super) use chunks::ParquetRows;
pub(super) use file::ParquetFile;
pub(super) use read::read;
pub use write::write_parquet;

pub(super) const MAGIC: &[u8] = b"PAR1";
