//! Kernel logistic regression: probabilities of two or more classes.
//!
//! It is the general problem of [`loss`](crate::learn::loss) with the logistic loss, written with
//! `λ/2` as statistics does, and for more than two classes with a function per class.

pub(crate) mod entry;
mod fit;
mod influence;
mod record;
mod spec;

pub use super::machine::{LossEvidence, LossPlan, LossSolver};
pub use fit::LogisticFit;
pub use influence::LogisticLeaveOneOut;
pub use spec::LogisticRegression;
