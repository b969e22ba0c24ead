//! The lengthscale: one number, one per column (ARD), or the median heuristic still to be resolved.

use super::number::Positive;
use crate::wording::{list_text, number_text};
use crate::{Error, Result};

/// How far apart two points must be to count as far.
#[derive(Clone, Debug, PartialEq)]
pub enum Lengthscale {
    /// The same for every column.
    Shared(Positive),
    /// One per column (automatic relevance determination).
    PerColumn(Vec<Positive>),
    /// The median distance of the data that the kernel meets; resolved before anything is computed.
    Median,
}

impl Lengthscale {
    /// One number for every column.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless it is finite and positive.
    pub fn shared(value: f64) -> Result<Self> {
        Positive::new("lengthscale", value).map(Self::Shared)
    }

    /// One number per column.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is at least one and all are finite and positive.
    pub fn per_column(values: &[f64]) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::parameter("lengthscale", "[]", "a list of at least one positive number"));
        }
        values.iter().map(|&v| Positive::new("lengthscale", v)).collect::<Result<_>>().map(Self::PerColumn)
    }

    /// The numbers: one, one per column, or none while the median is unresolved.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Shared(l) => vec![l.get()],
            Self::PerColumn(l) => l.iter().map(|l| l.get()).collect(),
            Self::Median => Vec::new(),
        }
    }

    /// The one number that it holds, if it holds one.
    pub(crate) fn single(&self) -> Option<f64> {
        if let [value] = self.values()[..] { Some(value) } else { None }
    }

    /// As [`Lengthscale::single`]; a median that is not resolved counts as 1.
    pub(crate) fn single_or_unit(&self) -> Option<f64> {
        if *self == Self::Median { Some(1.0) } else { self.single() }
    }

    /// How many numbers it holds.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Shared(_) => 1,
            Self::PerColumn(l) => l.len(),
            Self::Median => 0,
        }
    }

    /// The same kind of lengthscale with other numbers.
    pub(crate) fn with_values(&self, values: &[f64]) -> Result<Self> {
        match self {
            Self::Shared(_) => Self::shared(values[0]),
            Self::PerColumn(_) => Self::per_column(values),
            Self::Median => Ok(Self::Median),
        }
    }

    /// Whether the number of columns fits.
    pub(crate) fn check_columns(&self, kernel: impl std::fmt::Display, columns: usize) -> Result<()> {
        match self {
            Self::PerColumn(l) if l.len() != columns => {
                Err(Error::shape(&format!("lengthscales of {kernel}"), format!("one per column ({columns})"), l.len()))
            }
            _ => Ok(()),
        }
    }

    /// As it stands in the kernel text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Shared(l) => number_text(l.get()),
            Self::PerColumn(_) => list_text(&self.values()),
            Self::Median => "median".into(),
        }
    }
}
