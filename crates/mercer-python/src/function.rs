//! `mercer.Function`: a newtype around an expansion.

use mercer::Expansion;
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::errors::to_python;
use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of, quoted};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run};

/// A function ``f = Σ αᵢ k(·, xᵢ)`` of the RKHS of a kernel.
///
/// Call it on points; add and scale functions of the same kernel. Repeated points are merged and a
/// ``median`` in the kernel is resolved on the points.
///
/// Parameters
/// ----------
/// kernel : text or Kernel
///     The kernel of the space.
/// points : array of shape (n_points, n_features), or objects of the kernel's kind
///     The points ``xᵢ``.
/// coefficients : array of shape (n_points,)
///     The coefficients ``αᵢ``.
/// **options
///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> f = mercer.Function("linear()", [[1.0, 0.0], [0.0, 3.0]], [2.0, 1.0])
/// >>> f([[1.0, 1.0]])
/// array([5.])
/// >>> round(f.norm() ** 2, 12)
/// 13.0
#[pyclass(frozen, name = "Function", module = "mercer")]
pub struct PyFunction {
    expansion: Expansion,
    residual_norm: Option<f64>,
}

impl PyFunction {
    /// The function itself.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }
}

impl From<Expansion> for PyFunction {
    fn from(expansion: Expansion) -> Self {
        Self { expansion, residual_norm: None }
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl PyFunction {
    #[new]
    #[pyo3(signature = (kernel, points, coefficients, **options))]
    fn new(
        py: Python<'_>,
        kernel: &Bound<'_, PyAny>,
        points: &Bound<'_, PyAny>,
        coefficients: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (kernel, coefficients) = (kernel_of(kernel)?, numbers(coefficients, "coefficients")?);
        let centers = PointsInput::read(Some(&kernel), points, "points")?;
        let kernel = centers.name_columns(&kernel).map_err(to_python)?;
        let (options, x) = (Options::read(options)?, centers.points());
        let f = run(py, &options, || Expansion::new(&kernel, x, aview1(&coefficients), &options.compute))?;
        Ok(f.into())
    }

    /// The function of least norm with ``f(xᵢ) = yᵢ``; where there is none, the least-squares
    /// answer of least norm.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> f = mercer.Function.interpolate("sobolev(order=1)", [0.0, 1.0], [0.0, 1.0])
    /// >>> round(float(f([0.25])[0]), 12)
    /// 0.25
    #[classmethod]
    #[pyo3(signature = (kernel, X, y, **options))]
    fn interpolate(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        kernel: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (kernel, values) = (kernel_of(kernel)?, numbers(y, "y")?);
        let points = PointsInput::read(Some(&kernel), X, "X")?;
        let kernel = points.name_columns(&kernel).map_err(to_python)?;
        let (options, x) = (Options::read(options)?, points.points());
        let (f, _) = run(py, &options, || Expansion::interpolate(&kernel, x, aview1(&values), &options.compute))?;
        Ok(f.into())
    }

    /// ``f(x)`` for every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, Some(self.expansion.kernel()), X, options, |x, compute| self.expansion.evaluate(x, compute))
    }

    /// The inner product ``⟨f, g⟩ = αᵀKβ`` with a function of the same kernel.
    #[pyo3(signature = (g, **options))]
    fn inner(&self, py: Python<'_>, g: &Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let (options, other) = (Options::read(options)?, &g.get().expansion);
        run(py, &options, || self.expansion.inner(other, &options.compute))
    }

    /// The norm ``‖f‖``.
    #[pyo3(signature = (**options))]
    fn norm(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let options = Options::read(options)?;
        run(py, &options, || self.expansion.norm(&options.compute))
    }

    /// The distance ``‖f − g‖``.
    #[pyo3(signature = (g, **options))]
    fn distance(&self, py: Python<'_>, g: &Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let (options, other) = (Options::read(options)?, &g.get().expansion);
        run(py, &options, || self.expansion.distance(other, &options.compute))
    }

    /// The closest function on other points ``Z``; its ``residual_norm`` is ``‖f − Pf‖``.
    #[pyo3(signature = (Z, **options))]
    fn project(&self, py: Python<'_>, Z: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(self.expansion.kernel()), Z, "Z")?;
        let z = points.points();
        let projection = run(py, &options, || self.expansion.project(z, &options.compute))?;
        Ok(Self { expansion: projection.function, residual_norm: Some(projection.residual_norm) })
    }

    /// The gradient ``∂f/∂xⱼ``: a row per point of ``X`` and a column per coordinate; refused where
    /// the kernel has a kink, with the center.
    #[pyo3(signature = (X, **options))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, None, X, options, |x, compute| self.expansion.gradient(x.vectors()?, compute))
    }

    /// The bound ``‖f‖√k(x, x)`` on ``|f(x)|`` for every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn bound<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, Some(self.expansion.kernel()), X, options, |x, compute| self.expansion.bound(x, compute))
    }

    /// The components in a sum of spaces: a dict from the text of each summand of the kernel to its
    /// function.
    ///
    /// A summand that occurs again is listed as ``text #2``.
    #[pyo3(signature = (**options))]
    fn components<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyDict>> {
        let options = Options::read(options)?;
        let named = PyDict::new(py);
        for component in run(py, &options, || self.expansion.components(&options.compute))? {
            let text = component.function.kernel().to_string();
            let mut name = text.clone();
            let mut count = 1;
            while named.contains(&name)? {
                count += 1;
                name = format!("{text} #{count}");
            }
            named.set_item(name, Bound::new(py, Self::from(component.function))?)?;
        }
        Ok(named)
    }

    /// ``(f ⊗ g)(x, z) = f(x) g(z)``: the first columns belong to ``f``, the others to ``g``.
    #[pyo3(signature = (g, **options))]
    fn tensor_product(
        &self,
        py: Python<'_>,
        g: &Bound<'_, Self>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (options, other) = (Options::read(options)?, &g.get().expansion);
        Ok(run(py, &options, || self.expansion.tensor_product(other, &options.compute))?.into())
    }

    /// The kernel, with medians resolved.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.expansion.kernel().clone())
    }

    /// The distinct points ``xᵢ``: an array with a row for each, or a list of objects.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, self.expansion.centers())
    }

    /// The coefficients ``αᵢ``.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.expansion.coefficients())
    }

    /// ``‖f − Pf‖`` of the projection that made this function; None for other functions.
    #[getter]
    fn residual_norm(&self) -> Option<f64> {
        self.residual_norm
    }

    fn __add__(&self, g: &Bound<'_, Self>) -> PyResult<Self> {
        self.expansion.plus(&g.get().expansion).map(Self::from).map_err(to_python)
    }

    fn __sub__(&self, g: &Bound<'_, Self>) -> PyResult<Self> {
        self.expansion.minus(&g.get().expansion).map(Self::from).map_err(to_python)
    }

    fn __mul__(&self, factor: f64) -> PyResult<Self> {
        self.expansion.scaled(factor).map(Self::from).map_err(to_python)
    }

    fn __rmul__(&self, factor: f64) -> PyResult<Self> {
        self.__mul__(factor)
    }

    fn __truediv__(&self, factor: f64) -> PyResult<Self> {
        self.__mul__(1.0 / factor)
    }

    fn __neg__(&self) -> PyResult<Self> {
        self.__mul__(-1.0)
    }

    fn __repr__(&self) -> String {
        let centers = self.expansion.centers();
        let points = plural(centers.len(), "point");
        let columns = centers.vectors().map_or(String::new(), |x| format!(" with {}", plural(x.ncols(), "column")));
        format!("Function({}, {points}{columns})", quoted(&self.expansion.kernel().short()))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|g| self.expansion == g.get().expansion)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let restore = py.import("mercer._mercer")?.getattr("_restore_function")?;
        Ok((restore, (self.kernel(), self.points(py)?, self.coefficients(py), self.residual_norm)))
    }
}

type Parts<'py> = (PyKernel, Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>, Option<f64>);

/// Makes a pickled function again.
#[pyfunction]
pub fn _restore_function(
    py: Python<'_>,
    kernel: &Bound<'_, PyAny>,
    points: &Bound<'_, PyAny>,
    coefficients: &Bound<'_, PyAny>,
    residual_norm: Option<f64>,
) -> PyResult<PyFunction> {
    let function = PyFunction::new(py, kernel, points, coefficients, None)?;
    Ok(PyFunction { residual_norm, ..function })
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
