//! Kernel independent component analysis: a linear mixture of independent sources undone.
//!
//! [`KernelIca`] is the specification, [`IcaFit`] the unmixing matrix with the evidence for it. The
//! contrasts that it minimizes are functions of their own: [`negentropy_contrast`], [`kgv_contrast`],
//! [`kcc_contrast`] and [`hsic_contrast`].

mod amari;
mod contrast;
mod entry;
mod fit;
mod fixed_point;
mod gradient;
mod grid;
mod jacobi;
mod negentropy;
mod polish;
mod record;
mod source;
mod spec;
mod whiten;

pub use amari::amari_distance;
pub use contrast::{Contrast, hsic_contrast, kcc_contrast, kgv_contrast};
pub use entry::ENTRY;
pub use fit::{IcaEvidence, IcaFit};
pub use negentropy::negentropy_contrast;
pub use spec::KernelIca;
