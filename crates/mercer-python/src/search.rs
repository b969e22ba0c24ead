//! The search for the kernel, the lengthscale and the regularization of a ridge regression.

use mercer::select::{self, Criterion, RidgeSearch, RidgeSearchFit, SearchedRange};
use ndarray::aview1;
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::Part;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::ridge::{PyRidgeFit, reworded};
use crate::run::run;

/// A [`SearchedRange`] as a tuple.
type SearchedNumbers = (&'static str, (f64, f64), (f64, f64), f64, bool);

/// A search that was not run yet.
#[pyclass(frozen, name = "RidgeSearch", module = "mercer._mercer")]
pub struct PyRidgeSearch(RidgeSearch);

#[pymethods]
#[allow(non_snake_case, clippy::too_many_arguments)]
impl PyRidgeSearch {
    /// ``alphas`` and ``lengthscales`` may be None: the alphas of the library, and the kernels as
    /// they are. The alphas of the library go on where the best is at their end, and with
    /// ``extend`` the lengthscales do.
    #[new]
    #[pyo3(
        signature = (kernels, alphas=None, lengthscales=None, *, scoring, intercept=false, refinements=0, indefinite=false, screening=true, extend=false)
    )]
    fn new(
        kernels: Vec<Bound<'_, PyAny>>,
        alphas: Option<&Bound<'_, PyAny>>,
        lengthscales: Option<&Bound<'_, PyAny>>,
        scoring: &Bound<'_, PyAny>,
        intercept: bool,
        refinements: usize,
        indefinite: bool,
        screening: bool,
        extend: bool,
    ) -> PyResult<Self> {
        let mut search = RidgeSearch::new(kernels.iter().map(kernel_of).collect::<PyResult<_>>()?);
        if let Some(alphas) = alphas {
            search.lambdas = numbers(alphas, "alphas")?;
        }
        if let Some(lengths) = lengthscales {
            search.lengthscales = numbers(lengths, "lengthscales")?;
        }
        search.criterion = criterion(scoring)?;
        Ok(Self(RidgeSearch { intercept, refinements, indefinite, screening, extend_lengthscales: extend, ..search }))
    }

    #[pyo3(signature = (X, y, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRidgeSearchFit> {
        let (points, targets) = (PointsInput::read(self.0.kernels.first(), X, "X")?, Matrix::read(y, "y")?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, y, weights) = (points.points(), targets.view(), weights.as_deref().map(aview1));
        let fit = || self.0.fit(x, y, weights, &options.compute).map_err(|e| Part::Search.name(reworded(e)));
        run(py, &options, fit).map(PyRidgeSearchFit)
    }
}

pub fn criterion(scoring: &Bound<'_, PyAny>) -> PyResult<Criterion> {
    if let Ok(name) = scoring.cast::<PyString>() {
        match &*name.to_cow()? {
            "loo" => return Ok(Criterion::LeaveOneOut),
            "gcv" => return Ok(Criterion::Gcv),
            _ => {}
        }
    } else if let Ok(folds) = scoring.extract::<usize>() {
        return Ok(Criterion::Folds(folds));
    }
    Err(PyValueError::new_err(format!(
        "scoring = {} is not allowed: it must be \"loo\", \"gcv\" or a number of folds",
        scoring.repr()?
    )))
}

/// What a search found.
#[pyclass(frozen, name = "RidgeSearchFit", module = "mercer._mercer")]
pub struct PyRidgeSearchFit(RidgeSearchFit);

#[pymethods]
impl PyRidgeSearchFit {
    /// The winner, fitted on all of the data.
    #[getter]
    fn fit(&self) -> PyRidgeFit {
        PyRidgeFit(self.0.fit.clone())
    }

    /// The kernels that were tried, one per row of the scores.
    #[getter]
    fn kernels(&self) -> Vec<PyKernel> {
        self.0.candidates.iter().map(|c| PyKernel(c.kernel.clone())).collect()
    }

    /// The numbers of the kernels that they were made from, in the order of the request.
    #[getter]
    fn families(&self) -> Vec<usize> {
        self.0.candidates.iter().map(|c| c.family).collect()
    }

    /// Their lengthscales; None where none was put in.
    #[getter]
    fn lengthscales(&self) -> Vec<Option<f64>> {
        self.0.candidates.iter().map(|c| c.lengthscale).collect()
    }

    /// The regularizations, one per column of the scores.
    #[getter]
    fn alphas(&self) -> Vec<f64> {
        self.0.lambdas.clone()
    }

    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.scores)
    }

    /// The candidates that were dropped on a part of the rows, 0 without screening.
    #[getter]
    fn dropped(&self) -> usize {
        self.0.screening.as_ref().map_or(0, |screening| screening.dropped)
    }

    /// What was tried of every number: its name, the ends of the first range and of the last, the
    /// chosen value, and whether it is at an end.
    #[getter]
    fn ranges(&self) -> Vec<SearchedNumbers> {
        let one = |r: &SearchedRange| (r.parameter, r.first, r.last, r.chosen, r.at_border);
        self.0.ranges.iter().map(one).collect()
    }

    /// The row and the column of the winner.
    #[getter]
    fn best(&self) -> (usize, usize) {
        self.0.best
    }

    /// The score of the winner, which may lie beside the best place of the grid.
    #[getter]
    fn best_score(&self) -> f64 {
        self.0.winner.score
    }
}

/// Lengthscales around the median distance of the points, which is in the middle: powers of 2
/// apart.
#[pyfunction]
#[pyo3(signature = (X, count, **options))]
#[allow(non_snake_case)]
pub fn median_lengthscales(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    count: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<f64>> {
    let (points, options) = (PointsInput::read(None, X, "X")?, Options::read(options)?);
    let x = points.points();
    run(py, &options, || select::median_lengthscales(x, count, &options.compute))
}
