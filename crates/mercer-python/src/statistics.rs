//! Statistics of features as values: update, merge, finish, to and from bytes.

use mercer::features::{CovarianceStatistics, MeanStatistics, RidgeStatistics};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::options::Options;
use crate::ridge::reworded;
use crate::run::run;
use crate::samples::Whole;

/// What `__reduce__` gives: the class makes itself again from its bytes.
type Pickled<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

fn pickled<'py, T: PyTypeInfo>(py: Python<'py>, bytes: &[u8]) -> PyResult<Pickled<'py>> {
    Ok((py.get_type::<T>().getattr("from_bytes")?, (PyBytes::new(py, bytes),)))
}

/// The weights, constants and squared residuals of a function in features.
type Solution<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// The sufficient statistics of a ridge regression on features, for any number of outputs.
///
/// Parameters
/// ----------
/// n_components : int
///     Features.
/// n_outputs : int, default=1
///     Targets.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> first, second = mercer.RidgeStatistics(1), mercer.RidgeStatistics(1)
/// >>> first.update([[1.0], [2.0]], [1.0, 4.0])
/// >>> second.update([[1.0]], [3.0])
/// >>> first.merge(mercer.RidgeStatistics.from_bytes(second.to_bytes()))
/// >>> coef, intercept, _ = first.finish(2.0)  # Σzy/(Σz² + α) = 12/8
/// >>> round(float(coef[0, 0]), 12), first.count
/// (1.5, 3.0)
#[pyclass(name = "RidgeStatistics", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyRidgeStatistics(RidgeStatistics);

#[pymethods]
#[allow(non_snake_case)]
impl PyRidgeStatistics {
    #[new]
    #[pyo3(signature = (n_components, n_outputs=Whole::Number(1)), text_signature = "(n_components, n_outputs=1)")]
    fn new(n_components: Whole<'_>, n_outputs: Whole<'_>) -> PyResult<Self> {
        let (features, outputs) = (n_components.count("n_components")?, n_outputs.count("n_outputs")?);
        Ok(Self(RidgeStatistics::new(features, outputs)))
    }

    /// Take in the features and targets of a chunk, a row per point.
    #[pyo3(signature = (Z, y, sample_weight=None, **options))]
    fn update(
        &mut self,
        py: Python<'_>,
        Z: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let (z, y, options) = (Matrix::read(Z, "Z")?, Matrix::read(y, "y")?, Options::read(options)?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (z, y, weights) = (z.view(), y.view(), weights.as_deref().map(aview1));
        run(py, &options, || self.0.update(z, y, weights, &options.compute))
    }

    /// Take in all that another one has seen.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        self.0.merge(&other.0).map_err(to_python)
    }

    /// Give the weights (a column per output), the constants, and the sums of squared residuals;
    /// more may follow.
    #[pyo3(signature = (alpha, fit_intercept=false, **options))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        alpha: f64,
        fit_intercept: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Solution<'py>> {
        let options = Options::read(options)?;
        let f = run(py, &options, || self.0.solve(alpha, fit_intercept, &options.compute).map_err(reworded))?;
        let residuals = PyArray1::from_owned_array(py, f.residual_squares().to_owned());
        let intercept = PyArray1::from_owned_array(py, f.intercept().to_owned());
        Ok((PyArray2::from_owned_array(py, f.weights().to_owned()), intercept, residuals))
    }

    /// The sum of the weights: the number of points where there are none.
    #[getter]
    fn count(&self) -> f64 {
        self.0.count()
    }

    /// Give all that it has seen as bytes, the same on every computer: for `from_bytes`.
    ///
    /// Returns
    /// -------
    /// bytes
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Make it again from the bytes of `to_bytes`.
    ///
    /// Parameters
    /// ----------
    /// bytes : bytes
    ///     What ``to_bytes`` gave. A ``ValueError`` is raised for others.
    ///
    /// Returns
    /// -------
    /// An equal object.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        RidgeStatistics::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::<Self>(py, &self.0.to_bytes())
    }
}

/// The mean of features: a sketch of a mean embedding.
///
/// Parameters
/// ----------
/// n_components : int
///     Features.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> p, q = mercer.MeanStatistics(1), mercer.MeanStatistics(1)
/// >>> p.update([[1.0], [3.0]])
/// >>> q.update([[0.0], [2.0]])
/// >>> p.finish(), p.mmd(q), p.mmd(q, unbiased=True)
/// (array([2.]), 1.0, -1.0)
#[pyclass(name = "MeanStatistics", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyMeanStatistics(MeanStatistics);

#[pymethods]
#[allow(non_snake_case)]
impl PyMeanStatistics {
    #[new]
    fn new(n_components: Whole<'_>) -> PyResult<Self> {
        Ok(Self(MeanStatistics::new(n_components.count("n_components")?)))
    }

    /// Take in the features of a chunk, a row per point.
    fn update(&mut self, Z: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.update(Matrix::read(Z, "Z")?.view()).map_err(to_python)
    }

    /// Take in all that another one has seen.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        self.0.merge(&other.0).map_err(to_python)
    }

    /// Give the mean; more may follow.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_owned_array(py, self.0.mean().map_err(to_python)?))
    }

    /// Give the squared MMD between the two samples.
    #[pyo3(signature = (other, unbiased=false))]
    fn mmd(&self, other: &Self, unbiased: bool) -> PyResult<f64> {
        let found = if unbiased { self.0.unbiased_squared_mmd(&other.0) } else { self.0.squared_mmd(&other.0) };
        found.map_err(to_python)
    }

    /// The number of points.
    #[getter]
    fn count(&self) -> f64 {
        self.0.count()
    }

    /// Give all that it has seen as bytes, the same on every computer: for `from_bytes`.
    ///
    /// Returns
    /// -------
    /// bytes
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Make it again from the bytes of `to_bytes`.
    ///
    /// Parameters
    /// ----------
    /// bytes : bytes
    ///     What ``to_bytes`` gave. A ``ValueError`` is raised for others.
    ///
    /// Returns
    /// -------
    /// An equal object.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        MeanStatistics::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::<Self>(py, &self.0.to_bytes())
    }
}

/// The cross-covariance of the features of two variables: a sketch of HSIC.
///
/// Parameters
/// ----------
/// n_components_x, n_components_y : int
///     Features of each variable.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> both = mercer.CovarianceStatistics(1, 1)
/// >>> both.update([[1.0], [3.0]], [[0.0], [4.0]])
/// >>> both.finish(), both.hsic()
/// (array([[2.]]), 4.0)
#[pyclass(name = "CovarianceStatistics", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyCovarianceStatistics(CovarianceStatistics);

#[pymethods]
#[allow(non_snake_case)]
impl PyCovarianceStatistics {
    #[new]
    fn new(n_components_x: Whole<'_>, n_components_y: Whole<'_>) -> PyResult<Self> {
        let (first, second) = (n_components_x.count("n_components_x")?, n_components_y.count("n_components_y")?);
        Ok(Self(CovarianceStatistics::new(first, second)))
    }

    /// Take in the features of a chunk of both variables, a row per point.
    fn update(&mut self, Z: &Bound<'_, PyAny>, U: &Bound<'_, PyAny>) -> PyResult<()> {
        let (z, u) = (Matrix::read(Z, "Z")?, Matrix::read(U, "U")?);
        self.0.update(z.view(), u.view()).map_err(to_python)
    }

    /// Take in all that another one has seen.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        self.0.merge(&other.0).map_err(to_python)
    }

    /// Give the cross-covariance; more may follow.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(PyArray2::from_owned_array(py, self.0.covariance().map_err(to_python)?))
    }

    /// Give the biased HSIC of the kernels that the features stand for.
    fn hsic(&self) -> PyResult<f64> {
        self.0.hsic().map_err(to_python)
    }

    /// The number of points.
    #[getter]
    fn count(&self) -> f64 {
        self.0.count()
    }

    /// Give all that it has seen as bytes, the same on every computer: for `from_bytes`.
    ///
    /// Returns
    /// -------
    /// bytes
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Make it again from the bytes of `to_bytes`.
    ///
    /// Parameters
    /// ----------
    /// bytes : bytes
    ///     What ``to_bytes`` gave. A ``ValueError`` is raised for others.
    ///
    /// Returns
    /// -------
    /// An equal object.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        CovarianceStatistics::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::<Self>(py, &self.0.to_bytes())
    }
}
