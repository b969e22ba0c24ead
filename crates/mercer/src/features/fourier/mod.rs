//! Random Fourier features: sines and cosines at frequencies drawn from the spectral measure.

mod draw;
mod single;
mod spec;
mod structured;
mod transform;
mod whitening;

pub(crate) use draw::allocate_by_mass;
pub use spec::{FourierForm, RandomFourier};
pub use structured::{StructuredFeatures, StructuredFourier};
pub use transform::FourierFeatures;
pub(crate) use transform::{check, rows_in_parallel, try_rows_in_parallel};
pub use whitening::whitened;
