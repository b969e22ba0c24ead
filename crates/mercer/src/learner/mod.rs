//! What all learners have in common: how a learner is declared, built from settings, fitted, asked,
//! reported and stored.
//!
//! A learner is declared once, by its [`LearnerEntry`]: a name, a goal, parameters with type,
//! range, default and meaning, how to build it and how to load its fit. The command line makes its
//! flags and help from the entry, Python its parameters, and the model file its settings. What a fit
//! has to report are its [`Facts`]: the report, its JSON and the attributes in Python. The entries of
//! all learners are in [`model::LEARNERS`](crate::model::LEARNERS).

pub(crate) mod common;
pub mod diagnostics;
mod entry;
mod facts;
pub(crate) mod features;
mod fitted;
mod input;
mod leave_one_out;
mod parameter;
mod plan;

pub use entry::{Goal, LearnerEntry, ViewCount};
pub use facts::{Fact, FactValue, Facts};
pub use fitted::{Fitted, Interval};
pub(crate) use fitted::{column, declared, on_features, on_kernel, unsupported};
pub use input::{FitInput, FitSize, Targets};
pub use leave_one_out::LeaveOneOut;
pub use parameter::{Parameter, ParameterKind};
pub use plan::Plan;

use std::fmt;

use crate::settings::Settings;
use crate::{Compute, Result};

/// A learner with all its settings, before it has seen data.
///
/// The typed structs (`Ridge { … }`, `KernelPca { … }`) implement it; a program that knows which
/// learner it wants uses their own `fit`, whose fit has a type of its own.
pub trait Learner: fmt::Debug + Send + Sync {
    /// The settings, by name: what its entry builds it from.
    fn settings(&self) -> Settings;

    /// What a fit of these sizes will run, and what it will take.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when nothing fits into the memory limit.
    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan>;

    /// Fits the data.
    ///
    /// # Errors
    /// As the `fit` of the typed struct; [`Error::Shape`](crate::Error::Shape) or
    /// [`Error::Unsupported`](crate::Error::Unsupported) for data that this learner does not take.
    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>>;
}
