//! Validated numbers: a value of these types satisfies its requirement.

use crate::error::AllowedRange;
use crate::{Error, Result};

/// A finite number greater than zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Positive(f64);

impl Positive {
    /// # Errors
    /// [`Error::Parameter`] unless the value is finite and positive.
    pub fn new(name: &str, value: f64) -> Result<Self> {
        if value.is_finite() && value > 0.0 {
            Ok(Self(value))
        } else {
            Err(Error::parameter(name, value, AllowedRange::POSITIVE))
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A finite number that is zero or more. Negative zero becomes zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct NonNegative(f64);

impl NonNegative {
    /// # Errors
    /// [`Error::Parameter`] unless the value is finite and not negative.
    pub fn new(name: &str, value: f64) -> Result<Self> {
        if value.is_finite() && value >= 0.0 {
            Ok(Self(value + 0.0))
        } else {
            Err(Error::parameter(name, value, AllowedRange::NON_NEGATIVE))
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A finite number. Negative zero becomes zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Finite(f64);

impl Finite {
    /// # Errors
    /// [`Error::Parameter`] for NaN and infinities.
    pub fn new(name: &str, value: f64) -> Result<Self> {
        if value.is_finite() { Ok(Self(value + 0.0)) } else { Err(Error::parameter(name, value, AllowedRange::LINE)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// An integer between 1 and a limit: degrees, orders, exponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole(u32);

impl Whole {
    /// # Errors
    /// [`Error::Parameter`] unless the value is an integer from 1 to `limit`.
    pub fn new(name: &str, value: f64, limit: u32) -> Result<Self> {
        if value.fract() == 0.0 && value >= 1.0 && value <= f64::from(limit) {
            Ok(Self(value as u32))
        } else {
            Err(Error::parameter(name, value, format!("a whole number from 1 to {limit}")))
        }
    }

    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}
