//! Kernel methods as one system: one kernel language, and every method of the field on top of it.

pub mod compute;
mod error;
pub mod io;
pub mod kernel;
pub mod points;
pub mod real;
mod seed;

pub use compute::{Cancel, Compute, Precision, Progress};
pub use error::{Error, Result, SyntaxError};
pub use real::{DoubleDouble, Dual, Real};
pub use seed::{Seed, Stream};
