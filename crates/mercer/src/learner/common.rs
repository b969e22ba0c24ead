//! Parameters that many learners have.

use super::{Parameter, ParameterKind};
use crate::error::AllowedRange;

/// The kernel.
pub(crate) const KERNEL: Parameter =
    Parameter::with_default("kernel", ParameterKind::Kernel, "gaussian(lengthscale=median)", "the kernel");
/// Whether a kernel that is not positive semi-definite is accepted.
pub(crate) const INDEFINITE: Parameter = Parameter::with_default(
    "indefinite",
    ParameterKind::Flag,
    "false",
    "accept a kernel that is not positive semi-definite",
);
/// The seed of a fit that draws random numbers: a note of the run, which the computation sets.
pub(crate) const SEED: Parameter =
    Parameter::optional("seed", ParameterKind::Seed, "seed of the random numbers that were drawn");
/// λ that may be 0.
pub(crate) const LAMBDA: Parameter = Parameter::with_default(
    "lambda",
    ParameterKind::Number(AllowedRange::NON_NEGATIVE),
    "1",
    "penalty of the squared norm, beside a sum of losses",
);
/// The intercept.
pub(crate) const INTERCEPT: Parameter =
    Parameter::with_default("intercept", ParameterKind::Flag, "false", "fit a constant that is not penalized");
/// The tolerance of an iteration.
pub(crate) const fn tolerance(default: &'static str, meaning: &'static str) -> Parameter {
    Parameter::with_default("tolerance", ParameterKind::Number(AllowedRange::NON_NEGATIVE), default, meaning)
}
