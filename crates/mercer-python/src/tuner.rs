//! The choice of every parameter of a ridge regression by the gradient of its score.

use mercer::select::{RidgeTuner, RidgeTunerFit};
use ndarray::aview1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::{Matrix, numbers};
use crate::kernel::kernel_of;
use crate::options::Options;
use crate::ridge::{PyRidgeFit, reworded};
use crate::run::run;
use crate::search::criterion;

/// A choice that was not made yet, with the parameters to start from.
#[pyclass(frozen, name = "RidgeTuner", module = "mercer._mercer")]
pub struct PyRidgeTuner(RidgeTuner);

#[pymethods]
#[allow(non_snake_case)]
impl PyRidgeTuner {
    #[new]
    #[pyo3(signature = (kernel, alpha, *, ard, scoring, intercept=false, restarts=0))]
    fn new(
        kernel: &Bound<'_, PyAny>,
        alpha: f64,
        ard: bool,
        scoring: &Bound<'_, PyAny>,
        intercept: bool,
        restarts: usize,
    ) -> PyResult<Self> {
        let tuner = RidgeTuner::new(kernel_of(kernel)?, alpha);
        Ok(Self(RidgeTuner { ard, criterion: criterion(scoring)?, intercept, restarts, ..tuner }))
    }

    /// The model, its score, and whether the gradient was small at the end.
    #[pyo3(signature = (X, y, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(PyRidgeFit, f64, bool)> {
        let (points, targets) = (Matrix::read(X, "X")?, Matrix::read(y, "y")?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, y, weights) = (points.view(), targets.view(), weights.as_deref().map(aview1));
        let found = run(py, &options, || self.0.fit(x, y, weights, &options.compute).map_err(reworded))?;
        let RidgeTunerFit { fit, score, converged, .. } = found;
        Ok((PyRidgeFit(fit), score, converged))
    }
}
