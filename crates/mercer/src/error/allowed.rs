//! What a parameter may be.

use std::fmt::{Display, Formatter, Result};

use crate::wording::number_text;

/// The values that are allowed for a parameter, to be read after "must be".
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Allowed {
    /// A number of this range.
    Range(AllowedRange),
    /// A whole number of this range.
    Whole(AllowedRange),
    /// One of these words.
    OneOf(Vec<String>),
    /// Anything else, in words.
    Words(String),
}

impl Display for Allowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Range(range) => f.write_str(&range.words()),
            Self::Whole(range) => f.write_str(&range.whole_words()),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::Words(words) => f.write_str(words),
        }
    }
}

impl From<AllowedRange> for Allowed {
    fn from(range: AllowedRange) -> Self {
        Self::Range(range)
    }
}

impl From<std::ops::RangeFrom<usize>> for Allowed {
    fn from(range: std::ops::RangeFrom<usize>) -> Self {
        Self::Whole(AllowedRange::at_least(range.start as f64))
    }
}

impl From<std::ops::RangeInclusive<usize>> for Allowed {
    fn from(range: std::ops::RangeInclusive<usize>) -> Self {
        Self::Whole(AllowedRange::at_least(*range.start() as f64).at_most(*range.end() as f64))
    }
}

impl From<std::ops::RangeTo<usize>> for Allowed {
    fn from(range: std::ops::RangeTo<usize>) -> Self {
        Self::Whole(AllowedRange::at_least(0.0).below(range.end as f64))
    }
}

impl From<&str> for Allowed {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

impl From<&String> for Allowed {
    fn from(words: &String) -> Self {
        Self::Words(words.clone())
    }
}

impl From<String> for Allowed {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

/// An interval of numbers with open or closed ends; infinite ends are open.
///
/// # Example
/// ```
/// use mercer::error::AllowedRange;
/// let range = AllowedRange::above(0.0).at_most(1.0);
/// assert!(range.contains(1.0) && !range.contains(0.0));
/// assert_eq!((range.to_string(), range.words()), ("(0, 1]".into(), "above 0 and at most 1".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllowedRange {
    low: f64,
    high: f64,
    low_open: bool,
    high_open: bool,
}

impl AllowedRange {
    /// `(−∞, ∞)`.
    pub const LINE: Self = Self::above(f64::NEG_INFINITY);
    /// `(0, ∞)`.
    pub const POSITIVE: Self = Self::above(0.0);
    /// `[0, ∞)`.
    pub const NON_NEGATIVE: Self = Self::at_least(0.0);
    /// `[0, 1]`.
    pub const UNIT: Self = Self::at_least(0.0).at_most(1.0);
    /// `(0, 1)`.
    pub const OPEN_UNIT: Self = Self::above(0.0).below(1.0);

    /// `[low, ∞)`.
    pub const fn at_least(low: f64) -> Self {
        Self { low, high: f64::INFINITY, low_open: false, high_open: true }
    }

    /// `(low, ∞)`.
    pub const fn above(low: f64) -> Self {
        Self { low, high: f64::INFINITY, low_open: true, high_open: true }
    }

    /// The range up to `high`, which belongs to it.
    pub const fn at_most(self, high: f64) -> Self {
        Self { high, high_open: false, ..self }
    }

    /// The range up to `high`, which does not belong to it.
    pub const fn below(self, high: f64) -> Self {
        Self { high, high_open: true, ..self }
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether the number is in the range.
    pub fn contains(&self, value: f64) -> bool {
        let above = if self.low_open { value > self.low } else { value >= self.low };
        above && if self.high_open { value < self.high } else { value <= self.high }
    }

    /// The range in words, to be read after "must be".
    pub fn words(&self) -> String {
        if self.high.is_infinite() {
            return match (self.low, self.low_open) {
                (f64::NEG_INFINITY, _) => "finite".into(),
                (0.0, true) => "finite and positive".into(),
                (low, true) => format!("finite and above {}", number_text(low)),
                (low, false) => format!("finite and at least {}", number_text(low)),
            };
        }
        self.two_ends()
    }

    /// The same for whole numbers.
    fn whole_words(&self) -> String {
        match self.high.is_infinite() {
            true => format!("a whole number, at least {}", number_text(self.low)),
            false if self.low == 0.0 && self.high_open => format!("below {}", number_text(self.high)),
            false => format!("a whole number, {}", self.two_ends()),
        }
    }

    fn two_ends(&self) -> String {
        let (low, high) = (number_text(self.low), number_text(self.high));
        match (self.low_open, self.high_open) {
            (true, true) => format!("between {low} and {high}, both excluded"),
            (true, false) => format!("above {low} and at most {high}"),
            (false, true) => format!("at least {low} and below {high}"),
            (false, false) => format!("at least {low} and at most {high}"),
        }
    }
}

impl Display for AllowedRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let end = |value: f64| match value {
            f64::INFINITY => "∞".into(),
            f64::NEG_INFINITY => "−∞".into(),
            value => number_text(value),
        };
        let (open, close) = (if self.low_open { '(' } else { '[' }, if self.high_open { ')' } else { ']' });
        write!(f, "{open}{}, {}{close}", end(self.low), end(self.high))
    }
}
