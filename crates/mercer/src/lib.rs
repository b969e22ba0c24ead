//! Kernel methods as one system: one kernel language, and every method of the field on top of it.

pub mod compute;
mod error;
pub mod gram;
pub mod kernel;
pub mod real;
mod seed;

pub use compute::{Cancel, Compute, Precision, Progress};
pub use error::{Error, Result, SyntaxError};
pub use seed::{Seed, Stream};
