//! `mercer.EmbeddingSketch`: a mean embedding as a few numbers.

use mercer::features::RandomFourier;
use mercer::io::{read_sketch, write_sketch};
use mercer::measure::EmbeddingSketch;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::features::{form_named, sampling_named};
use crate::input::Matrix;
use crate::kernel::{PyKernel, kernel_of};
use crate::options::Options;
use crate::run::{at_points, run};
use crate::samples::Whole;

/// The mean of random Fourier features of a sample: a sketch of its mean embedding, for data that
/// come in parts.
///
/// ``n_components`` exact sums are kept, whatever the number of points. Parts may be sketched on
/// several machines or days and merged, in any order: the bytes are those of all points at once.
/// Sketches can be compared when their kernel, columns, features and ``random_state`` agree: the
/// frequencies are drawn from them. A sketch can be pickled, and written as bytes that the library
/// reads too.
///
/// Parameters
/// ----------
/// kernel : text or Kernel
///     A shift-invariant kernel, without a ``median``.
/// n_components : int, default=1024
///     Features.
/// columns : int
///     Columns of the points.
/// kind : {"pair", "offset"}, default="pair"
///     A cosine and a sine for each frequency, or a cosine with a random offset.
/// sampling : {"iid", "orthogonal", "qmc"}, default="iid"
///     How frequencies are drawn.
/// **options
///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> monday = mercer.EmbeddingSketch("gaussian(lengthscale=1)", 2000, columns=1).add([0.0, 0.5])
/// >>> tuesday = mercer.EmbeddingSketch("gaussian(lengthscale=1)", 2000, columns=1).add([3.0])
/// >>> monday.squared_mmd(tuesday) > 1, monday.merge(tuesday).count
/// (True, 3)
#[pyclass(frozen, name = "EmbeddingSketch", module = "mercer")]
pub struct PyEmbeddingSketch(EmbeddingSketch);

#[pymethods]
#[allow(non_snake_case)]
impl PyEmbeddingSketch {
    #[new]
    #[pyo3(
        signature = (kernel, n_components=Whole::Number(1024), *, columns, kind="pair", sampling="iid", **options),
        text_signature = "(kernel, n_components=1024, *, columns, kind='pair', sampling='iid', **options)"
    )]
    fn new(
        kernel: &Bound<'_, PyAny>,
        n_components: Whole<'_>,
        columns: Whole<'_>,
        kind: &str,
        sampling: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let spec = RandomFourier {
            kernel: kernel_of(kernel)?,
            components: n_components.count("n_components")?,
            form: form_named(kind)?,
            sampling: sampling_named(sampling)?,
        };
        let columns = columns.at_least_one("columns")?;
        EmbeddingSketch::new(&spec, columns, &Options::read(options)?.compute).map(Self).map_err(to_python)
    }

    /// The sketch with the rows of ``X`` added: of an array, or of the partitions of a Dask array or
    /// data frame. The bytes do not depend on the order of the rows, nor on how they are cut.
    #[pyo3(signature = (X, **options))]
    fn add(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<Self>> {
        if py.import("mercer._dask")?.call_method1("is_dask", (X,))?.extract()? {
            let sketched = py.import("mercer._dask_tests")?.call_method1("sketched", (slf, X))?;
            return Ok(sketched.cast::<Self>()?.clone().unbind());
        }
        let own = slf.get();
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let (x, mut sketch) = (points.view(), own.0.clone());
        let added = run(py, &options, || sketch.add(x, &options.compute).map(|()| Self(sketch)))?;
        Py::new(py, added)
    }

    /// The sketch of no points, with the same features.
    fn empty(&self) -> Self {
        Self(self.0.empty())
    }

    /// The sketch of the points of both.
    fn merge(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        let mut sketch = self.0.clone();
        sketch.merge(&other.get().0).map_err(to_python)?;
        Ok(Self(sketch))
    }

    /// ``μ(t)``, about, for every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, None, X, options, |t, compute| self.0.evaluate(t, compute))
    }

    /// ``⟨μ, ν⟩``, about.
    fn inner(&self, other: &Bound<'_, Self>) -> PyResult<f64> {
        self.0.inner(&other.get().0).map_err(to_python)
    }

    /// The biased squared MMD of the two samples, about: ``‖z̄ − z̄′‖²``.
    fn squared_mmd(&self, other: &Bound<'_, Self>) -> PyResult<f64> {
        self.0.squared_mmd(&other.get().0).map_err(to_python)
    }

    /// The mean of the features.
    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_owned_array(py, self.0.mean().map_err(to_python)?))
    }

    /// The number of points.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    /// The columns of the points.
    #[getter]
    fn columns(&self) -> usize {
        self.0.columns()
    }

    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    /// The sketch as bytes.
    ///
    /// Returns
    /// -------
    /// bytes
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        write_sketch(&mut bytes, &self.0)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The sketch that ``to_bytes`` wrote.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     What ``to_bytes`` gave. A ``ValueError`` is raised for others.
    ///
    /// Returns
    /// -------
    /// An equal sketch.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        read_sketch(data, "data", &Options::read(None)?.compute).map(Self).map_err(to_python)
    }

    fn __repr__(&self) -> String {
        format!("EmbeddingSketch(\"{}\", {} points)", self.0.kernel().short(), self.0.count())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0 == other.get().0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}
