//! Losses, and the data terms that they make with observations: what every learner minimizes.

mod intercept;
mod kind;
mod term;
mod text;

pub(in crate::learn) use intercept::intercepts;
pub use kind::Loss;
pub(in crate::learn) use kind::sigmoid;
pub(in crate::learn) use term::{LossTerm, Targets, softmax};
