//! Inner-product kernels: profiles of `⟨x, y⟩`.

pub mod exponential;
pub mod linear;
pub mod polynomial;
pub mod tanh;
