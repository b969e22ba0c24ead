//! `mercer.Kernel`: a newtype and a few lines per method. It contains no mathematics.

use std::hash::{DefaultHasher, Hash, Hasher};

use mercer::definiteness::{Standing, require_psd};
use mercer::{Kernel, gram};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::data::KernelData;
use crate::definiteness::{self, PyCheck};
use crate::errors::to_python;
use crate::input::{Matrix, is_float32};
use crate::options::{Options, is_single};
use crate::parameters;
use crate::run::{run, run_sized};
use crate::sparse::sparse_matrix;

/// A kernel: an expression over base kernels, made from its text.
///
/// Call it on points to get its Gram matrix; combine kernels with ``+``, ``*`` and ``**``. The text
/// is also its ``str``, and what is pickled. Points are the rows of an array, a list or a data
/// frame; one dimension is one column.
///
/// Every method that computes takes ``n_jobs`` (all cores by default), ``max_memory`` (bytes, or
/// text such as ``"2GB"``), ``verbose`` (a progress bar on standard error) and ``random_state``.
///
/// Parameters
/// ----------
/// kernel : text or Kernel
///     The text of the expression, or the kernel itself.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> k = mercer.Kernel("2*gaussian(lengthscale=0.5) + on([0], linear())")
/// >>> k([[0.0, 0.0], [1.0, 2.0]]).round(6)
/// array([[2.0e+00, 9.1e-05],
///        [9.1e-05, 3.0e+00]])
/// >>> mercer.Kernel("gausian(lengthscale=1)")
/// Traceback (most recent call last):
///     ...
/// ValueError: there is no kernel named `gausian`; did you mean `gaussian`?
///   gausian(lengthscale=1)
///   ^
#[pyclass(frozen, name = "Kernel", module = "mercer")]
#[derive(Clone, PartialEq)]
pub struct PyKernel(pub Kernel);

#[pymethods]
#[allow(non_snake_case)]
impl PyKernel {
    #[new]
    fn new(kernel: &Bound<'_, PyAny>) -> PyResult<Self> {
        kernel_of(kernel).map(Self)
    }

    /// The Gram matrix ``[k(xᵢ, yⱼ)]``; ``Y`` is ``X`` where it is left out.
    ///
    /// ``dtype="float32"`` (or ``single=True``) computes in single precision, in half the memory
    /// and about half the time. A kernel on ``precomputed()`` takes a matrix of kernel values
    /// instead of ``X``.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.gaussian(lengthscale=1)([0.0, 1.0], [0.0])
    /// array([[1.        ],
    ///        [0.60653066]])
    #[pyo3(signature = (X, Y=None, *, dtype=None, single=false, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        Y: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        single: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (data, options) = (KernelData::read(&self.0, X, Y)?, Options::read(options)?);
        let (kernel, pairs, compute) = (&data.kernel, data.pairs(), &options.compute);
        let as_given = dtype.is_none() && is_float32(X)? && Y.map_or(Ok(true), is_float32)?;
        if as_given || is_single(dtype, single)? {
            let gram = run_sized(py, &options, data.operations(), || {
                gram::dense_single(&kernel.bind(pairs, compute)?, compute)
            })?;
            return Ok(PyArray2::from_owned_array(py, gram).into_any());
        }
        let gram = run_sized(py, &options, data.operations(), || gram::dense(&kernel.bind(pairs, compute)?, compute))?;
        Ok(PyArray2::from_owned_array(py, gram).into_any())
    }

    /// ``k(xᵢ, xᵢ)`` for every point.
    ///
    /// It is of the type of ``k(X)``: single precision for ``float32``, and with ``dtype="float32"``
    /// (or ``single=True``).
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.linear().diag([[1.0, 2.0], [3.0, 0.0]])
    /// array([5., 9.])
    #[pyo3(signature = (X, *, dtype=None, single=false, **options))]
    fn diag<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        dtype: Option<&Bound<'py, PyAny>>,
        single: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (data, options) = (KernelData::read(&self.0, X, None)?, Options::read(options)?);
        let (kernel, pairs, compute) = (&data.kernel, data.pairs(), &options.compute);
        let diagonal = run_sized(py, &options, data.operations(), || kernel.bind(pairs, compute)?.diagonal())?;
        if (dtype.is_none() && is_float32(X)?) || is_single(dtype, single)? {
            return Ok(PyArray1::from_owned_array(py, diagonal.mapv(|value| value as f32)).into_any());
        }
        Ok(PyArray1::from_owned_array(py, diagonal).into_any())
    }

    /// The explicit features of points as a sparse matrix: ``F @ F.T`` is ``k(X)``. With ``Y``, both
    /// matrices on common columns.
    ///
    /// Base kernels that count parts of objects have them (spectrum, mismatch, words, vertex
    /// histogram, Weisfeiler–Lehman, shortest path), and so have their multiples, sums (with
    /// constants, too), ``normalized(k)`` and ``on([column], k)`` of a table. On a sparse matrix so have ``linear()`` and
    /// what is made of it in these ways.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.Kernel("spectrum(length=1)").features(["abab", "b"]).toarray()
    /// array([[2., 2.],
    ///        [0., 1.]])
    /// >>> mercer.Kernel("4*spectrum(length=1) + 9").features(["abab", "b"]).toarray()
    /// array([[4., 4., 3.],
    ///        [0., 2., 3.]])
    #[pyo3(signature = (X, Y=None, **options))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        Y: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (data, options) = (KernelData::read(&self.0, X, Y)?, Options::read(options)?);
        let pairs = data.pairs();
        let found = run(py, &options, || {
            let bound = data.kernel.bind(pairs, &options.compute)?;
            Ok(bound.features().map(|(rows, cols)| (rows.clone(), cols.clone())))
        })?;
        let Some((rows, cols)) = found else {
            let error = mercer::Error::unsupported(
                "explicit sparse features",
                &self.0,
                "only kernels that count parts of objects have them, with their multiples, sums and normalized(…)",
                "use Nystroem or EmpiricalKernelMap",
            );
            return Err(to_python(error));
        };
        let rows = features_matrix(py, &rows)?;
        match Y {
            None => Ok(rows),
            Some(_) => Ok((rows, features_matrix(py, &cols)?).into_pyobject(py)?.into_any()),
        }
    }

    /// ``K·V`` without storing ``K = k(X, Y)``: each tile is computed, used and forgotten.
    ///
    /// ``V`` has a row for every point of ``Y`` (of ``X`` where ``Y`` is left out) and may have one
    /// dimension. Sums are in double precision; ``single=True`` computes the tiles in single
    /// precision.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.linear().matvec([1.0, 2.0], [1.0, 1.0])
    /// array([3., 6.])
    #[pyo3(signature = (X, V, Y=None, *, dtype=None, single=false, **options))]
    #[allow(clippy::too_many_arguments)]
    fn matvec<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        V: &Bound<'py, PyAny>,
        Y: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        single: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (data, factor) = (KernelData::read(&self.0, X, Y)?, Matrix::read(V, "V")?);
        let options = Options::read(options)?.single(is_single(dtype, single)?);
        let (kernel, pairs, v, compute) = (&data.kernel, data.pairs(), factor.view(), &options.compute);
        let product = run(py, &options, || gram::multiply(&kernel.bind(pairs, compute)?, v, compute))?;
        let product = PyArray2::from_owned_array(py, product);
        if factor.one_dimensional() { Ok(product.reshape([product.len()])?.into_any()) } else { Ok(product.into_any()) }
    }

    /// ``∂K/∂θ`` for a continuous parameter, by its name in ``parameters`` or by its position
    /// there.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> k = mercer.gaussian(lengthscale=2)
    /// >>> k.derivative([0.0, 1.0], parameter="gaussian.lengthscale").round(6)
    /// array([[0.      , 0.110312],
    ///        [0.110312, 0.      ]])
    #[pyo3(signature = (X, Y=None, *, parameter, **options))]
    fn derivative<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        Y: Option<&Bound<'py, PyAny>>,
        parameter: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let index = parameters::position(&self.0, parameter)?;
        let (data, options) = (KernelData::read(&self.0, X, Y)?, Options::read(options)?);
        let (kernel, pairs, compute) = (&data.kernel, data.pairs(), &options.compute);
        let matrix = run(py, &options, || kernel.bind(pairs, compute)?.derivative(index, compute))?;
        Ok(PyArray2::from_owned_array(py, matrix))
    }

    /// The kernel with every ``median`` replaced by its value on these points, and
    /// names of columns of a data frame by their positions.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.gaussian(lengthscale="median").resolve([0.0, 1.0, 3.0])
    /// Kernel("gaussian(lengthscale=2)")
    #[pyo3(signature = (X, **options))]
    fn resolve(&self, py: Python<'_>, X: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (data, options) = (KernelData::read(&self.0, X, None)?, Options::read(options)?);
        let (kernel, pairs, compute) = (&data.kernel, data.pairs(), &options.compute);
        run(py, &options, || Ok(Self(kernel.bind(pairs, compute)?.kernel().clone())))
    }

    /// The properties derived by rule: a dict of ``psd``, ``strictly_pd``, ``nsd``, ``universal``,
    /// ``characteristic``, ``shift_invariant`` and ``bounded`` to True (proven), False (refuted) or
    /// None (open).
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for (property, verdict) in self.0.properties() {
            named.set_item(property.name(), verdict.as_option())?;
        }
        Ok(named)
    }

    /// Every property with its proof tree, its refutation, or what is missing, as text.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> print(mercer.gaussian(lengthscale=2).proof().splitlines()[0].partition(":")[0])
    /// gaussian(lengthscale=2) is PSD
    fn proof(&self) -> String {
        self.0.proof()
    }

    /// Prove that the kernel is positive semi-definite, or try to refute it on ``X`` and on points
    /// that are searched for.
    ///
    /// The result has ``psd`` (True, False or None), ``min_eigenvalue``, and for a refutation the
    /// ``points``, ``weights`` and ``value`` of ``cᵀKc < 0``, checked again with 31 digits.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> found = mercer.ball(radius=1).check()
    /// >>> found.psd, found.value < 0
    /// (False, True)
    #[pyo3(
        signature = (X=None, random_state=None, **options),
        text_signature = "($self, X=None, random_state=0, **options)"
    )]
    fn check(
        &self,
        py: Python<'_>,
        X: Option<&Bound<'_, PyAny>>,
        random_state: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyCheck> {
        let options = Options::read(options)?.seeded(random_state)?;
        match X {
            None => definiteness::check(py, &self.0, None, &options),
            Some(X) => {
                let data = KernelData::read(&self.0, X, None)?;
                definiteness::check(py, &data.kernel, Some(data.pairs()), &options)
            }
        }
    }

    /// Raise ``NotPositiveDefiniteError``, with a counterexample where one is found, for a kernel
    /// that is not positive semi-definite.
    ///
    /// Returns True if it is proven to be, and None if it is neither proven nor refuted.
    #[pyo3(signature = (**options))]
    fn require_psd(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Option<bool>> {
        let options = Options::read(options)?;
        let standing = run(py, &options, || require_psd(&self.0, &options.compute))?;
        Ok((standing == Standing::Proven).then_some(true))
    }

    /// The kernel with names of columns replaced by their positions among ``names``.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.on(["height"], mercer.linear()).with_column_names(["age", "height"])
    /// Kernel("on([1], linear())")
    fn with_column_names(&self, names: Vec<String>) -> PyResult<Self> {
        self.0.with_column_names(&names).map(Self).map_err(to_python)
    }

    /// The same kernel with this lengthscale wherever it has one; a list (one per column)
    /// is scaled to this geometric mean.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> (mercer.gaussian() + mercer.linear()).with_lengthscale(2)
    /// Kernel("gaussian(lengthscale=2) + linear()")
    fn with_lengthscale(&self, lengthscale: f64) -> PyResult<Self> {
        mercer::select::with_lengthscale(&self.0, lengthscale).map(Self).map_err(to_python)
    }

    /// The names of columns in every ``on([…], …)``, in order.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.Kernel("on([review], spectrum(length=3)) * on([price], gaussian())").named_columns
    /// [['review'], ['price']]
    #[getter]
    fn named_columns(&self) -> Vec<Vec<String>> {
        self.0.named_columns().into_iter().map(|(names, _)| names.into_iter().map(Into::into).collect()).collect()
    }

    /// Whether every part but constants stands in ``on([…], …)`` with names of columns: other columns of
    /// a table do not matter.
    ///
    /// Examples
    /// --------
    /// >>> mercer.Kernel("on([price], gaussian())").sees_named_columns_only
    /// True
    /// >>> mercer.Kernel("on([price], gaussian()) + linear()").sees_named_columns_only
    /// False
    #[getter]
    fn sees_named_columns_only(&self) -> bool {
        sees_named_columns_only(&self.0)
    }

    /// What its points are: ``"vectors"``, ``"strings"``, ``"graphs"``, ``"bags"``, ``"persistence
    /// diagrams"`` or ``"precomputed kernel values"``; None where any will do.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> mercer.Kernel("normalized(spectrum(length=3))").point_kind
    /// 'strings'
    #[getter]
    fn point_kind(&self) -> Option<String> {
        self.0.point_kind().map(|kind| kind.to_string())
    }

    /// The continuous parameters: a dict from the name of each to its value, in the order of the
    /// text.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for parameter in self.0.parameters() {
            named.set_item(parameter.name, parameter.value)?;
        }
        Ok(named)
    }

    /// The same expression with other parameters: a list of all of them, or a dict of those that
    /// change.
    ///
    /// Examples
    /// --------
    /// >>> import mercer
    /// >>> k = mercer.Kernel("2*gaussian(lengthscale=1)")
    /// >>> k.with_parameters({"gaussian.lengthscale": 3})
    /// Kernel("2*gaussian(lengthscale=3)")
    fn with_parameters(&self, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let values = parameters::values(&self.0, values)?;
        self.0.with_parameters(&values).map(Self).map_err(to_python)
    }

    fn __add__(&self, other: Operand<'_>) -> PyResult<Self> {
        Ok(Self(self.0.clone() + other.into_kernel()?))
    }

    fn __radd__(&self, other: Operand<'_>) -> PyResult<Self> {
        Ok(Self(other.into_kernel()? + self.0.clone()))
    }

    fn __mul__(&self, other: Operand<'_>) -> PyResult<Self> {
        match other {
            Operand::Kernel(other) => Ok(Self(self.0.clone() * other.get().0.clone())),
            Operand::Number(scale) => self.0.clone().scaled(scale).map(Self).map_err(to_python),
        }
    }

    fn __rmul__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.__mul__(other)
    }

    fn __pow__(&self, exponent: f64, modulus: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if modulus.is_some() {
            return Err(PyTypeError::new_err("a power of a kernel takes no modulus"));
        }
        self.0.clone().power(exponent).map(Self).map_err(to_python)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0 == other.get().0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Kernel({})", quoted(&self.0.short()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().into_any(), PyTuple::new(py, [self.0.to_string()])?))
    }
}

/// A kernel, or the text of one.
pub fn kernel_of(value: &Bound<'_, PyAny>) -> PyResult<Kernel> {
    if let Ok(kernel) = value.cast::<PyKernel>() {
        return Ok(kernel.get().0.clone());
    }
    match value.cast::<PyString>() {
        Ok(text) => text.to_cow()?.parse().map_err(to_python),
        Err(_) => Err(PyTypeError::new_err(format!("a kernel is a text or a mercer.Kernel, not {}", value.get_type()))),
    }
}

/// What may stand beside a kernel in a sum or a product; Python tries the other side for anything
/// else.
#[derive(FromPyObject)]
enum Operand<'py> {
    Kernel(Bound<'py, PyKernel>),
    Number(f64),
}

impl Operand<'_> {
    /// A number is a constant kernel.
    fn into_kernel(self) -> PyResult<Kernel> {
        match self {
            Self::Kernel(kernel) => Ok(kernel.get().0.clone()),
            Self::Number(value) => Kernel::constant(value).map_err(to_python),
        }
    }
}

/// Explicit features as scipy has sparse matrices.
fn features_matrix<'py>(py: Python<'py>, rows: &gram::SparseRows) -> PyResult<Bound<'py, PyAny>> {
    sparse_matrix(py, &rows.starts, &rows.columns, &rows.values, rows.width)
}

/// A text of the kernel language as Python writes one: in the other quotes where it holds texts
/// itself.
pub fn quoted(text: &str) -> String {
    match text.contains('"') {
        false => format!("\"{text}\""),
        true => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

/// Whether a kernel names columns, and sees no others.
pub fn sees_named_columns_only(kernel: &Kernel) -> bool {
    // Columns by name do not count as used, those by number do.
    kernel.used_columns(1).is_empty() && kernel.named_columns().iter().any(|(names, _)| !names.is_empty())
}
