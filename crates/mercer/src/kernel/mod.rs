//! Kernels.

/// Points, weights and a negative value.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {}
