//! Two samples from Python: points, or the kernel values of the pooled sample.

use mercer::Kernel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::to_python;
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

/// A number of things: whole and not negative.
pub fn count(what: &str, value: i64) -> PyResult<usize> {
    usize::try_from(value)
        .map_err(|_| PyValueError::new_err(format!("{what} = {value} is not allowed: it must be at least 1")))
}
