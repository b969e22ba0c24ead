//! Random Fourier features: waves at frequencies drawn from the spectral measure.

mod draw;
mod spec;
mod transform;
mod whitening;

pub use spec::{FourierForm, RandomFourier};
pub use transform::FourierFeatures;
pub use whitening::whitened;
