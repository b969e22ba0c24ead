//! Imports of base kernels.

pub(crate) use super::catalogue::{Entry, Family, KERNEL, LENGTHSCALE, ParameterEntry};
pub(crate) use super::closed_forms::{
    Circles, Formula, FormulaVisitor, Frequencies, Growth, LineForm, MarkovProcess, Mixing, PowerSeries, SpectralLaw,
    SteinForm,
};
pub(crate) use super::domain::Domain;
pub(crate) use super::facts::{Fact, Facts};
pub(crate) use super::leaf::{Columnwise, ExponentialOf, Leaf, MetricKind, Profile, Scaled, Shape, WHOLE_PERIODS};
pub(crate) use super::number::{Finite, NonNegative, Positive, Whole};
pub(crate) use super::text::Arguments;
pub(crate) use super::{Kernel, Lengthscale};
pub(crate) use crate::real::Real;
pub(crate) use crate::wording::{list_text, number_text};
pub(crate) use crate::{Error, Result};
