//! Linear learning on random binning features.

use mercer::features::RandomBinning;
use mercer::learn::{BinnedMachine, Loss};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::PyKernel;
use crate::options::Options;
use crate::run::run;
use crate::svm::reworded;

/// A fit on random grids that was not made yet.
#[pyclass(frozen, name = "Binned", module = "mercer._mercer")]
pub struct PyBinned(BinnedMachine);

type Fitted<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, usize, bool, f64);

#[pymethods]
#[allow(non_snake_case)]
impl PyBinned {
    #[new]
    #[pyo3(signature = (kernel, n_grids, n_buckets, alpha, *, loss="squared", intercept=true, tol=1e-5, max_iter=500))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        kernel: &PyKernel,
        n_grids: usize,
        n_buckets: usize,
        alpha: f64,
        loss: &str,
        intercept: bool,
        tol: f64,
        max_iter: usize,
    ) -> PyResult<Self> {
        let grids = RandomBinning { kernel: kernel.0.clone(), grids: n_grids, buckets: n_buckets };
        let loss: Loss = loss.parse().map_err(to_python)?;
        let (lambda, tolerance, max_iterations) = (alpha, tol, max_iter);
        Ok(Self(BinnedMachine { grids, loss, lambda, intercept, tolerance, max_iterations }))
    }

    /// The coefficients of the cells, the constants, iterations, whether they reached the
    /// tolerance, and the objective.
    #[pyo3(signature = (X, y, sample_weight=None, **options))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Fitted<'py>> {
        let (points, targets, options) = (Matrix::read(X, "X")?, Matrix::read(y, "y")?, Options::read(options)?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (x, y, weights) = (points.view(), targets.view(), weights.as_deref().map(aview1));
        let fit = run(py, &options, || self.0.fit(x, y, weights, &options.compute).map_err(reworded))?;
        Ok((
            PyArray2::from_array(py, &fit.coefficients()),
            PyArray1::from_array(py, &fit.intercept()),
            fit.iterations(),
            fit.converged(),
            fit.objective(),
        ))
    }

    /// What a fit of these sizes will run, as text.
    #[pyo3(signature = (rows, outputs, **options))]
    fn plan(&self, rows: usize, outputs: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let plan = self.0.plan(rows, outputs, &Options::read(options)?.compute).map_err(to_python)?;
        Ok(plan.to_string())
    }
}
