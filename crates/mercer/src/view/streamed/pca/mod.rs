//! Kernel principal components through features, in one pass.

pub(crate) mod entry;
mod fit;
mod record;
mod spec;
mod terms;

pub use fit::StreamedPcaFit;
pub use spec::StreamedPca;
pub(super) use terms::PcaTerms;
