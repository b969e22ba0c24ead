//! What is required of a value of the data.

use std::fmt::{Display, Formatter, Result};

use super::AllowedRange;
use crate::wording::number_text;

/// What a value of the data must be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Requirement {
    /// Neither NaN nor infinite.
    Finite,
    /// Not missing.
    Present,
    /// In the domain of the kernel or transformation, which is this range.
    Domain(AllowedRange),
    /// Finite, and in this range.
    Range(AllowedRange),
    /// So small that kernel values or features do not overflow.
    Representable,
    /// Equal to the entry across the diagonal, which is this.
    Symmetric(f64),
    /// One of the levels that the column had in the fitted table.
    Level(Vec<String>),
    /// Anything else, in words.
    Words(String),
}

impl Requirement {
    /// The range that is allowed, where it is one.
    pub fn range(&self) -> Option<AllowedRange> {
        match self {
            Self::Domain(range) | Self::Range(range) => Some(*range),
            _ => None,
        }
    }
}

impl Display for Requirement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Finite => f.write_str("it must be a finite number"),
            Self::Present => {
                f.write_str("missing values are refused unless a rule is chosen (drop the rows, mean, zero)")
            }
            Self::Domain(range) => write!(f, "outside the domain {range}"),
            Self::Range(range) => write!(f, "it must be {}", range.words()),
            Self::Representable => f.write_str("values of this size leave the range of the numbers: rescale the data"),
            Self::Symmetric(across) => {
                write!(f, "it must equal the entry across the diagonal, which is {}", number_text(*across))
            }
            Self::Level(known) => write!(f, "the fitted table had only the levels {}", first_ten(known)),
            Self::Words(words) => f.write_str(words),
        }
    }
}

fn first_ten(known: &[String]) -> String {
    let more = if known.len() > 10 { ", …" } else { "" };
    format!("{}{more}", known.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(", "))
}

impl From<&str> for Requirement {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for Requirement {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
