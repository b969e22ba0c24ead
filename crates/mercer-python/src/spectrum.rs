//! `mercer.Spectrum`: eigenvalues and eigenfunctions of an integral operator.

use mercer::Kernel;
use mercer::function::{Measure, Spectrum};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::{at_points, run};
use crate::samples::Whole;

/// The leading eigenpairs of ``f ↦ ∫ k(·, y) f(y) dμ(y)`` (Mercer's theorem).
///
/// The measure is ``"uniform"`` (on [0, 1]), ``("interval", a, b)`` (length), ``("gaussian",
/// std)``, or a sample (points of any kind): closed forms for the first three, where they are known,
/// and for a sample the eigenpairs of ``K/n`` with their extension to new points.
///
/// Parameters
/// ----------
/// kernel : text or Kernel
///     The kernel ``k``.
/// measure : "uniform", tuple, or array of shape (n_samples, n_features) or objects
///     The measure ``μ``.
/// n_components : int, default=20
///     Eigenpairs, at most.
/// **options
///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> s = mercer.Spectrum("wiener()", "uniform", n_components=3)
/// >>> s.eigenvalues.round(4)
/// array([0.4053, 0.045 , 0.0162])
/// >>> s.eigenfunctions([0.5]).round(4)
/// array([[ 1.,  1., -1.]])
#[pyclass(frozen, name = "Spectrum", module = "mercer")]
pub struct PySpectrum(Spectrum);

fn measure_of(kernel: &Kernel, measure: &Bound<'_, PyAny>) -> PyResult<Measure> {
    let unknown =
        || PyValueError::new_err("measure: \"uniform\", (\"interval\", a, b), (\"gaussian\", std), or a sample");
    if let Ok(name) = measure.extract::<String>() {
        return if name == "uniform" { Ok(Measure::UNIFORM) } else { Err(unknown()) };
    }
    if let Ok((name, deviation)) = measure.extract::<(String, f64)>() {
        return if name == "gaussian" { Ok(Measure::Gaussian { deviation }) } else { Err(unknown()) };
    }
    if let Ok((name, from, to)) = measure.extract::<(String, f64, f64)>() {
        return if name == "interval" { Ok(Measure::Interval { from, to }) } else { Err(unknown()) };
    }
    let points = PointsInput::read(Some(kernel), measure, "measure")?;
    Ok(Measure::Sample(points.points().into()))
}

#[pymethods]
#[allow(non_snake_case)]
impl PySpectrum {
    #[new]
    #[pyo3(signature = (kernel, measure, n_components=Whole::Number(20), **options), text_signature = "(kernel, measure, n_components=20, **options)")]
    fn new(
        py: Python<'_>,
        kernel: &Bound<'_, PyAny>,
        measure: &Bound<'_, PyAny>,
        n_components: Whole<'_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (kernel, options) = (kernel_of(kernel)?, Options::read(options)?);
        let (measure, components) = (measure_of(&kernel, measure)?, n_components.count("n_components")?);
        run(py, &options, || Spectrum::new(&kernel, &measure, components, &options.compute)).map(Self)
    }

    /// The eigenvalues, descending.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.eigenvalues())
    }

    /// Standard errors of the eigenvalues of a sample as estimates of those of its distribution;
    /// ``None`` for closed forms.
    #[getter]
    fn standard_errors<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.standard_errors().map(|errors| PyArray1::from_slice(py, errors))
    }

    /// The sum of all eigenvalues, ``∫ k(x, x) dμ(x)``.
    #[getter]
    fn trace(&self) -> f64 {
        self.0.trace()
    }

    /// The share of the trace that these eigenvalues have.
    #[getter]
    fn captured(&self) -> f64 {
        self.0.captured()
    }

    /// The kernel, with medians resolved.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    /// The eigenfunctions: a row per point and a column per mode.
    #[pyo3(signature = (X, **options))]
    fn eigenfunctions<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.eigenfunctions(x, compute))
    }

    /// The features ``√μⱼ φⱼ(x)``, whose inner products are the kernel but for the modes that are
    /// left out.
    #[pyo3(signature = (X, **options))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.features(x, compute))
    }

    /// ``⟨f, g⟩ = Σ aⱼbⱼ/μⱼ`` of functions given by their coefficients.
    fn inner(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (a, b) = (numbers(a, "a")?, numbers(b, "b")?);
        self.0.inner(aview1(&a), aview1(&b)).map_err(to_python)
    }

    fn __repr__(&self) -> String {
        let count = self.0.eigenvalues().len();
        format!(
            "Spectrum(\"{}\", {count} components, {:.1}% of the trace)",
            self.0.kernel().short(),
            100.0 * self.0.captured()
        )
    }
}
