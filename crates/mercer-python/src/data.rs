//! A kernel and its points.

use mercer::gram::Pairs;
use mercer::{Kernel, Points};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::objects::PointsInput;

/// A kernel with its columns numbered, and the arrays it will be evaluated on.
pub struct KernelData<'py> {
    pub kernel: Kernel,
    rows: PointsInput<'py>,
    columns: Option<PointsInput<'py>>,
}

impl<'py> KernelData<'py> {
    /// Reads the points, or the matrix of values if the kernel stands on `precomputed()`.
    pub fn read(kernel: &Kernel, x: &Bound<'py, PyAny>, y: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let (rows, columns) =
            (PointsInput::read(Some(kernel), x, "X")?, PointsInput::read_optional(Some(kernel), y, "Y")?);
        if kernel.is_precomputed() && columns.is_some() {
            return Err(PyValueError::new_err("precomputed() takes one matrix of kernel values, not X and Y"));
        }
        if let Some(columns) = &columns {
            rows.check_same_names(columns)?;
        }
        let kernel = rows.name_columns(kernel).map_err(to_python)?;
        Ok(Self { kernel, rows, columns })
    }

    /// One variable: its points, or the matrix of its kernel values. `what` names it in errors.
    pub fn variable(kernel: &Kernel, x: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let rows = PointsInput::read(Some(kernel), x, what)?;
        let kernel = rows.name_columns(kernel).map_err(to_python)?;
        Ok(Self { kernel, rows, columns: None })
    }

    /// One variable without a kernel: that of the kind of its points stands for the choice of the
    /// library.
    pub fn unnamed(x: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let rows = PointsInput::read(None, x, what)?;
        let kernel = Kernel::default_of(rows.points()).map_err(to_python)?;
        Ok(Self { kernel, rows, columns: None })
    }

    /// The points of the rows, borrowed.
    pub fn points(&self) -> Points<'_> {
        self.kernel.points(self.rows.points())
    }

    /// About how many operations all kernel values take: those of a pair, and some ten more for the
    /// function of an inner product or a distance.
    pub fn operations(&self) -> usize {
        let size = self.points().size();
        let columns = self.columns.as_ref().map_or(size.rows, |columns| columns.points().len());
        size.rows.saturating_mul(columns).saturating_mul(size.work as usize + 10)
    }

    /// The pairs of points, borrowed.
    pub fn pairs(&self) -> Pairs<'_> {
        let rows = self.points();
        match &self.columns {
            Some(columns) => Pairs::Between(rows, columns.points()),
            None => Pairs::Within(rows),
        }
    }
}
