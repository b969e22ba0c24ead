//! A kernel and its points.

use mercer::Kernel;
use mercer::gram::Pairs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::input::Matrix;

/// A kernel with its columns numbered, and the arrays it will be evaluated on.
pub struct KernelData<'py> {
    pub kernel: Kernel,
    rows: Matrix<'py>,
    columns: Option<Matrix<'py>>,
    precomputed: bool,
}

impl<'py> KernelData<'py> {
    /// Reads the points, or the matrix of values if the kernel stands on `precomputed()`.
    pub fn read(kernel: &Kernel, x: &Bound<'py, PyAny>, y: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let (rows, columns) = (Matrix::read(x, "X")?, Matrix::read_optional(y, "Y")?);
        let precomputed = kernel.is_precomputed();
        if precomputed && columns.is_some() {
            return Err(PyValueError::new_err("precomputed() takes one matrix of kernel values, not X and Y"));
        }
        if let Some(columns) = &columns {
            rows.check_same_names(columns)?;
        }
        let kernel = rows.name_columns(kernel).map_err(to_python)?;
        Ok(Self { kernel, rows, columns, precomputed })
    }

    /// One variable: its points, or the matrix of its kernel values. `what` names it in errors.
    pub fn variable(kernel: &Kernel, x: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let rows = Matrix::read(x, what)?;
        let kernel = rows.name_columns(kernel).map_err(to_python)?;
        let precomputed = kernel.is_precomputed();
        Ok(Self { kernel, rows, columns: None, precomputed })
    }

    /// The pairs of points, borrowed.
    pub fn pairs(&self) -> Pairs<'_> {
        match &self.columns {
            _ if self.precomputed => Pairs::precomputed(self.rows.view()),
            Some(columns) => Pairs::between(self.rows.view(), columns.view()),
            None => Pairs::within(self.rows.view()),
        }
    }
}
