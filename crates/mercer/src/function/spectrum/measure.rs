//! Measures of integral operators.

use crate::error::AllowedRange;
use crate::{Error, Result, Sample};

/// A measure on the points.
// There is one in a request: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Length on an interval of the line; on `[0, 1]` the uniform distribution.
    Interval {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// The normal distribution around 0 on the line.
    Gaussian {
        /// Its standard deviation.
        deviation: f64,
    },
    /// The same mass at every point; the masses add up to 1.
    Sample(Sample),
}

impl Measure {
    /// The uniform distribution on `[0, 1]`.
    pub const UNIFORM: Self = Self::Interval { from: 0.0, to: 1.0 };

    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Interval { from, to } if !(from.is_finite() && to.is_finite() && from < to) => {
                Err(Error::parameter("measure", format!("[{from}, {to}]"), "an interval with finite ends in order"))
            }
            Self::Gaussian { deviation } if !(deviation.is_finite() && *deviation > 0.0) => {
                Err(Error::parameter("deviation", deviation, AllowedRange::POSITIVE))
            }
            Self::Sample(x) if x.is_empty() => Err(Error::too_few("a spectrum", "points of the sample", 1, 0)),
            _ => Ok(()),
        }
    }
}
