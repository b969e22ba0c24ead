//! Two samples from Python: points, or the kernel values of the pooled sample.

use std::fmt::Display;

use mercer::Kernel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::{to_python, with_kind};
use crate::input::Matrix;
use crate::objects::PointsInput;

/// What replaces two samples.
pub enum TwoSamples<'py> {
    /// The points of both samples.
    Points(PointsInput<'py>, PointsInput<'py>),
    /// Kernel values of the pooled sample, and how many of its points are the first sample.
    Gram(Matrix<'py>, usize),
}

impl<'py> TwoSamples<'py> {
    /// Reads the samples, with the kernel whose columns are numbered. For a kernel on
    /// `precomputed()`, `x` is the matrix of all values and `y` the size of the first sample.
    pub fn read(
        kernel: Option<Kernel>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<(Option<Kernel>, Self)> {
        if kernel.as_ref().is_some_and(Kernel::is_precomputed) {
            let first = y.extract::<usize>().map_err(|_| {
                PyValueError::new_err(
                    "with precomputed kernel values X is the matrix of the pooled sample and Y the number of points of the first sample",
                )
            })?;
            return Ok((kernel, Self::Gram(Matrix::read(x, "X")?, first)));
        }
        let of = kernel.as_ref();
        let (x, y) = (PointsInput::read(of, x, "X")?, PointsInput::read(of, y, "Y")?);
        x.check_same_names(&y)?;
        let kernel = kernel.map(|k| x.name_columns(&k)).transpose().map_err(to_python)?;
        Ok((kernel, Self::Points(x, y)))
    }
}

/// A choice by its name.
pub fn choice<T: Copy>(what: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let names = all.iter().map(|(known, _)| format!("{known:?}")).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!("{what} = {name:?} is not allowed: it must be one of {names}"))
    })
}

/// An argument that should be a whole number. An argument of type `usize` would give an OverflowError or a TypeError
/// instead of a ValueError with its name.
#[derive(FromPyObject)]
pub enum Whole<'py> {
    /// True or False, which Python takes for numbers.
    Flag(Bound<'py, PyBool>),
    /// Whole and not negative.
    Number(usize),
    /// Anything else.
    Other(Bound<'py, PyAny>),
}

impl Whole<'_> {
    /// The number; the library refuses 0 where it needs one.
    pub fn count(&self, what: &str) -> PyResult<usize> {
        let allowed = "a whole number from 1 on";
        match self {
            Self::Number(value) => Ok(*value),
            Self::Flag(value) => Err(refused(what, value.as_any(), allowed)),
            Self::Other(value) => Err(refused(what, value, allowed)),
        }
    }

    /// The number, at least 1, where the library takes any.
    pub fn at_least_one(&self, what: &str) -> PyResult<usize> {
        let found = self.count(what)?;
        if found > 0 { Ok(found) } else { Err(not_allowed(what, 0, "a whole number from 1 on")) }
    }
}

/// An argument that should be a number.
#[derive(FromPyObject)]
pub enum Real<'py> {
    /// True or False, which Python takes for numbers.
    Flag(Bound<'py, PyBool>),
    /// A number.
    Number(f64),
    /// Anything else.
    Other(Bound<'py, PyAny>),
}

impl Real<'_> {
    /// The number, which the library checks further.
    pub fn number(&self, what: &str) -> PyResult<f64> {
        match self {
            Self::Number(value) => Ok(*value),
            Self::Flag(value) => Err(refused(what, value.as_any(), "a number")),
            Self::Other(value) => Err(refused(what, value, "a number")),
        }
    }

    /// The number, finite and above 0.
    pub fn positive(&self, what: &str) -> PyResult<f64> {
        let found = self.number(what)?;
        if found.is_finite() && found > 0.0 { Ok(found) } else { Err(not_allowed(what, found, "a number above 0")) }
    }
}

/// The error for a parameter that is not allowed, in the words of `mercer._parameters.refuse`.
fn refused(what: &str, value: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    value.repr().map_or_else(|error| error, |shown| not_allowed(what, shown, allowed))
}

fn not_allowed(what: &str, value: impl Display, allowed: &str) -> PyErr {
    with_kind(PyValueError::new_err(format!("{what} = {value} is not allowed: it must be {allowed}")), "parameter")
}
