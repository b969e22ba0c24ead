//! The panel of data: bundled sets, the file of the command line, and uploads.

mod archive;
mod base64;
mod bundled;
mod describe;
mod store;

pub use describe::{cell, column, describe, export, list, upload};
pub use store::{Dataset, Store};
