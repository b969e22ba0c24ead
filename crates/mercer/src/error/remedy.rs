//! What to do about an error.

use std::fmt::{Display, Formatter, Result};

/// What the caller can do. Parameters bear the names of the library, see [`crate::Error::renamed`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// A larger value of this parameter.
    Larger(String),
    /// A smaller value of this parameter.
    Smaller(String),
    /// A value of this parameter instead of a choice from the data.
    Give(String),
    /// Data on another scale.
    Rescale,
    /// Anything else, in words.
    Words(String),
}

impl Remedy {
    /// [`Remedy::Larger`].
    pub fn larger(parameter: &str) -> Self {
        Self::Larger(parameter.into())
    }

    /// [`Remedy::Smaller`].
    pub fn smaller(parameter: &str) -> Self {
        Self::Smaller(parameter.into())
    }

    /// [`Remedy::Give`].
    pub fn give(parameter: &str) -> Self {
        Self::Give(parameter.into())
    }

    /// The parameter to change, where it is one.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::Larger(name) | Self::Smaller(name) | Self::Give(name) => Some(name),
            Self::Rescale | Self::Words(_) => None,
        }
    }

    pub(super) fn parameter_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Larger(name) | Self::Smaller(name) | Self::Give(name) => Some(name),
            Self::Rescale | Self::Words(_) => None,
        }
    }
}

impl Display for Remedy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Larger(name) => write!(f, "use a larger {name}"),
            Self::Smaller(name) => write!(f, "use a smaller {name}"),
            Self::Give(name) => write!(f, "give a value of {name}"),
            Self::Rescale => f.write_str("rescale the data"),
            Self::Words(words) => f.write_str(words),
        }
    }
}

impl From<&str> for Remedy {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
