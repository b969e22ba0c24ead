//! Multiple kernels: the weights of a sum of kernels learned from data.
//!
//! [`MultipleKernels`] are the kernels and how their weights are found; [`MultipleKernelRidge`],
//! [`MultipleKernelSvc`] and [`MultipleKernelOneClass`] find them and fit the weighted sum.

mod alignment;
mod blocks;
mod entry;
mod fit;
mod grams;
mod inner;
mod made;
mod one_class;
mod passes;
mod quadratic;
mod record;
mod ridge;
mod ridge_inner;
mod search;
mod spec;
mod svc;
mod svm_inner;
mod weights;

pub use entry::{ONE_CLASS_ENTRY, RIDGE_ENTRY, SVC_ENTRY};
pub use fit::{MultipleOneClassFit, MultipleRidgeFit, MultipleSvcFit};
pub use grams::GramStorage;
pub use one_class::MultipleKernelOneClass;
pub use ridge::MultipleKernelRidge;
pub use search::WeightEvidence;
pub use spec::{MultipleKernels, Normalization, WeightMethod};
pub use svc::MultipleKernelSvc;
pub use weights::{KernelWeights, WeightNote};
