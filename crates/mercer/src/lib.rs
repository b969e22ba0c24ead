//! Kernel methods as one system: one kernel language, and every method of the field on top of it.

pub mod compute;
pub mod definiteness;
mod error;
pub mod kernel;
pub mod points;
pub mod real;
mod seed;
pub mod solve;

pub use compute::{Cancel, Compute, Precision, Progress};
pub use error::{Error, Result, SyntaxError};
pub use kernel::Kernel;
pub use points::Points;
pub use seed::{Seed, Stream};
