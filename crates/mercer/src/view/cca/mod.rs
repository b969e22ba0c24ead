//! Kernel canonical correlation: functions of two or more views that correlate most.
//!
//! [`KernelCca`] is the specification, [`CcaFit`] the functions with their correlations. Each view
//! has points of its own kind and a kernel of its own.

mod choices;
mod entry;
mod factor;
mod fit;
mod permute;
mod problem;
mod record;
mod spec;

pub use choices::{CcaForm, Criterion, Rank};
pub use entry::ENTRY;
pub use fit::{CcaEvidence, CcaFit};
pub use permute::{CcaTest, KappaChoice, KappaSearch};
pub use spec::KernelCca;
