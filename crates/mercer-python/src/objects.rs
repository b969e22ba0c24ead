//! Bags and persistence diagrams as Python objects, and points of every kind from Python.

use mercer::points::{Bags, Diagrams, Graph, Graphs, Label, Mixed, PointKind, Strings};
use mercer::{Kernel, Points, Sample};
use ndarray::Array2;
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyString, PyTuple};

use crate::errors::{to_python, with_kind};
use crate::input::{Matrix, numbers, table};
use crate::kernel::sees_named_columns_only;
use crate::sparse::{is_sparse, read_sparse};

/// A sample of points: a matrix with a row per vector, or objects.
pub enum PointsInput<'py> {
    /// Vectors, or kernel values: what they are depends on the kernel.
    Vectors(Matrix<'py>),
    /// Anything else.
    Objects(Box<Sample>),
}

impl<'py> PointsInput<'py> {
    /// Reads points for a kernel: sparse matrices as they are, unless they hold kernel values. A kernel knows whether a list of arrays holds bags or persistence
    /// diagrams. `what` names them in errors.
    pub fn read(kernel: Option<&Kernel>, value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let kind = kernel.and_then(Kernel::point_kind);
        if matches!(kind, None | Some(PointKind::Vectors | PointKind::Precomputed))
            && let Some(matrix) = Matrix::plain(value)
        {
            return Ok(Self::Vectors(matrix));
        }
        let value = &table(value)?;
        refuse_one_graph(kernel, value, what)?;
        if is_sparse(value)? && !kernel.is_some_and(Kernel::is_precomputed) {
            return read_sparse(value, what).map(|rows| Self::Objects(Box::new(rows.into())));
        }
        if let Some(rows) = read_table(kernel, value)? {
            return Ok(Self::Objects(Box::new(rows.into())));
        }
        match read_objects(kind, value, what)? {
            Some(objects) => Ok(Self::Objects(Box::new(objects))),
            None => Matrix::read(&seen_part(kernel, value)?, what).map(Self::Vectors),
        }
    }

    /// Reads them if they are there.
    pub fn read_optional(
        kernel: Option<&Kernel>,
        value: Option<&Bound<'py, PyAny>>,
        what: &str,
    ) -> PyResult<Option<Self>> {
        value.map(|value| Self::read(kernel, value, what)).transpose()
    }

    /// The points, borrowed.
    pub fn points(&self) -> Points<'_> {
        match self {
            Self::Vectors(matrix) => matrix.view().into(),
            Self::Objects(sample) => sample.as_points(),
        }
    }

    /// Refuses two data frames whose columns have other names or another order.
    pub fn check_same_names(&self, other: &Self) -> PyResult<()> {
        match (self, other) {
            (Self::Vectors(x), Self::Vectors(y)) => x.check_same_names(y),
            _ => Ok(()),
        }
    }

    /// The kernel with names of columns replaced by their numbers in this data frame.
    pub fn name_columns(&self, kernel: &Kernel) -> mercer::Result<Kernel> {
        match self {
            Self::Vectors(matrix) => matrix.name_columns(kernel),
            Self::Objects(_) => Ok(kernel.clone()),
        }
    }
}

/// A data frame without the columns that are no numbers, where the kernel sees named columns alone.
fn seen_part<'py>(kernel: Option<&Kernel>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Some(kernel) = kernel.filter(|kernel| sees_named_columns_only(kernel)) else { return Ok(value.clone()) };
    let value = &table(value)?;
    let Some(columns) = value.getattr_opt("columns")? else { return Ok(value.clone()) };
    let named: Vec<&str> = kernel.named_columns().into_iter().flat_map(|(names, _)| names).collect();
    let (mut kept, mut count) = (Vec::new(), 0);
    for name in columns.try_iter()? {
        let Ok(name) = name?.extract::<String>() else { return Ok(value.clone()) };
        count += 1;
        let array = value.py().import("numpy")?.call_method1("asarray", (value.get_item(&name)?,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if named.contains(&name.as_str()) || ["f", "i", "u", "b"].contains(&kind.as_str()) {
            kept.push(name);
        }
    }
    if kept.len() == count { Ok(value.clone()) } else { value.get_item(kept) }
}

/// Objects, where the value holds any; `None` for what should be a matrix.
fn read_objects(kind: Option<PointKind>, value: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Sample>> {
    if let Ok(objects) = value.cast::<PyObjects>() {
        return Ok(Some(objects.get().sample.clone()));
    }
    if let Ok(bags) = value.cast::<PyBags>() {
        return Ok(Some(bags.get().0.clone().into()));
    }
    if let Ok(graphs) = value.cast::<PyGraphs>() {
        return Ok(Some(graphs.get().0.clone().into()));
    }
    if let Ok(diagrams) = value.cast::<PyDiagrams>() {
        return Ok(Some(diagrams.get().0.clone().into()));
    }
    if value.cast::<PyString>().is_ok() {
        return Err(PyValueError::new_err(format!("{what}: expected a list of strings, found one string")));
    }
    if is_list(value) && value.len()? == 0 {
        return Ok(kind.and_then(nothing));
    }
    match kind {
        Some(PointKind::Bags | PointKind::Diagrams) if is_matrix(value)? => {
            let message = format!("{what}: expected a list of arrays, one per bag or diagram, found one array");
            Err(PyValueError::new_err(message))
        }
        Some(PointKind::Bags) => read_arrays(value, what)?.map(|bags| bags_of(&bags)).transpose(),
        Some(PointKind::Diagrams) => read_arrays(value, what)?.map(|arrays| diagrams_of(&arrays, None)).transpose(),
        Some(PointKind::Strings) => read_strings(value, what),
        Some(PointKind::Graphs) if is_list(value) => read_graphs(value, false).map(|graphs| Some(graphs.into())),
        None if first_is_graph(value)? => read_graphs(value, false).map(|graphs| Some(graphs.into())),
        None => match read_strings(value, what)? {
            Some(strings) => Ok(Some(strings)),
            None => read_arrays(value, what)?.map(|bags| bags_of(&bags)).transpose(),
        },
        _ => read_strings(value, what),
    }
}

/// A sample of objects without any.
fn nothing(kind: PointKind) -> Option<Sample> {
    match kind {
        PointKind::Strings => Some(Strings::default().into()),
        PointKind::Graphs => Graphs::from_graphs(Vec::new(), false).ok().map(Into::into),
        PointKind::Bags => Bags::new(&[]).ok().map(Into::into),
        PointKind::Diagrams => Diagrams::new(&[], None).ok().map(Into::into),
        _ => None,
    }
}

fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok()
}

/// Whether it is an array of two dimensions.
fn is_matrix(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.getattr_opt("ndim")?.is_some_and(|ndim| ndim.extract::<usize>().is_ok_and(|ndim| ndim == 2)))
}

/// Refuses one graph in the place of a list of graphs. A square array may be one: it is refused where a kernel takes graphs.
fn refuse_one_graph(kernel: Option<&Kernel>, value: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    let kind = kernel.and_then(Kernel::point_kind);
    let tells = |name: &str| value.py().import("mercer._graphs")?.call_method1(name, (value,))?.extract::<bool>();
    if matches!(kind, None | Some(PointKind::Graphs)) && tells("is_graph")? {
        let message = format!("{what}: one graph was given; a list of graphs is needed: [graph]");
        return Err(PyValueError::new_err(message));
    }
    if let Some(kernel) = kernel.filter(|_| kind == Some(PointKind::Graphs))
        && tells("is_square")?
    {
        return Err(PyValueError::new_err(format!(
            "{what}: {kernel} takes graphs; the points are vectors: if the square array is one adjacency matrix, put it in a list"
        )));
    }
    Ok(())
}

/// Whether a list begins with a graph or a sample of graphs.
fn first_is_graph(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !is_list(value) || value.len()? == 0 {
        return Ok(false);
    }
    let first = value.get_item(0)?;
    Ok(first.cast::<PyGraphs>().is_ok()
        || value.py().import("mercer._graphs")?.call_method1("begins_graphs", (first,))?.extract()?)
}

/// Rows of a data frame, or of a dict of columns, where a kernel names columns that are not numbers;
/// without a kernel, columns that are not numbers hold texts.
fn read_table(kernel: Option<&Kernel>, value: &Bound<'_, PyAny>) -> PyResult<Option<Mixed>> {
    let named = kernel.map_or_else(Vec::new, Kernel::named_columns);
    if (kernel.is_some() && named.iter().all(|(names, _)| names.is_empty())) || value.hasattr("toarray")? {
        return Ok(None);
    }
    let columns = match (value.cast::<PyDict>(), value.getattr_opt("columns")?) {
        (Ok(columns), _) => columns.keys().into_any(),
        (_, Some(columns)) => columns,
        _ => return Ok(None),
    };
    let numpy = value.py().import("numpy")?;
    let (mut numbers, mut names, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    for name in columns.try_iter()? {
        let Ok(name) = name?.extract::<String>() else { return Ok(None) };
        let column = value.get_item(&name)?;
        let array = numpy.call_method1("asarray", (&column,));
        let kind =
            array.as_ref().map_or(Ok("O".into()), |array| array.getattr("dtype")?.getattr("kind")?.extract::<String>());
        if ["f", "i", "u", "b"].contains(&kind?.as_str()) {
            numbers.push(self::numbers(&column, &name)?);
            names.push(name);
        } else if let Some((_, inner)) = named.iter().find(|(names, _)| names[..] == [name.as_str()]) {
            let kind = inner.point_kind().filter(|kind| kind.is_object()).unwrap_or(PointKind::Strings);
            let wrong = || PyValueError::new_err(format!("column `{name}` does not hold {kind}, which {inner} takes"));
            refuse_missing(&column, &name)?;
            objects.push((
                name.clone(),
                read_objects(Some(kind), &column, &format!("column `{name}`"))?.ok_or_else(wrong)?,
            ));
        } else if kernel.is_none() {
            refuse_missing(&column, &name)?;
            let texts = read_objects(Some(PointKind::Strings), &column, &format!("column `{name}`"))?;
            // Numbers in a column of objects: a matrix, if any.
            let Some(texts) = texts else { return Ok(None) };
            objects.push((name.clone(), texts));
        }
    }
    if objects.is_empty() {
        return Ok(None);
    }
    for (name, values) in names.iter().zip(&numbers) {
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            return Err(unusable(numpy.py(), name, row, values[row].is_nan()));
        }
    }
    let rows = numbers.first().map_or(objects[0].1.len(), Vec::len);
    let numbers = Array2::from_shape_fn((rows, numbers.len()), |(i, j)| numbers[j].get(i).copied().unwrap_or(f64::NAN));
    Mixed::new(numbers, names, objects).map(Some).map_err(to_python)
}

/// Refuses a column of texts or other objects with rows that hold nothing: None, NaN, or a missing value of pandas.
fn refuse_missing(column: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    for (row, value) in column.try_iter()?.enumerate() {
        let value = value?;
        let is_missing = value.is_none()
            || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
            || matches!(value.get_type().name()?.to_str()?, "NAType" | "NaTType");
        if is_missing {
            return Err(unusable(column.py(), name, row, true));
        }
    }
    Ok(())
}

/// The error of a cell without a value, or with an infinite one; its attribute `column` is the name.
fn unusable(py: Python<'_>, name: &str, row: usize, missing: bool) -> PyErr {
    let found = if missing { "has no value" } else { "is infinite" };
    let message = format!("column `{name}`: row {row} {found}: fill it in, or leave the row out");
    let error = with_kind(PyValueError::new_err(message), "value");
    error.value(py).setattr("column", name).map_or_else(|e| e, |()| error)
}

/// Strings from a list, an array or a column of a data frame; `None` if the first is not one.
fn read_strings(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Sample>> {
    if value.hasattr("columns")? || value.hasattr("toarray")? {
        return Ok(None);
    }
    let value = if value.hasattr("to_list")? { value.call_method0("to_list")? } else { value.clone() };
    if value.getattr_opt("ndim")?.is_some_and(|ndim| ndim.extract::<usize>().is_ok_and(|ndim| ndim != 1)) {
        return Ok(None);
    }
    if !(value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok() || value.hasattr("dtype")?) {
        return Ok(None);
    }
    let mut strings = Strings::default();
    for (at, item) in value.try_iter()?.enumerate() {
        let item = item?;
        match item.cast::<PyString>() {
            Ok(text) => strings.push(&text.to_cow()?),
            Err(_) if at == 0 => return Ok(None),
            Err(_) => {
                let found = item.get_type().name()?;
                return Err(PyValueError::new_err(format!("{what}: point {at} is not a string but of type {found}")));
            }
        }
    }
    Ok((!strings.is_empty()).then(|| strings.into()))
}

/// A list of matrices; `None` if the value is something else.
fn read_arrays(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Vec<Array2<f64>>>> {
    let objects = value.getattr_opt("dtype")?.is_some_and(|dtype| dtype.to_string() == "object");
    if !is_list(value) && !objects {
        return Ok(None);
    }
    let mut arrays = Vec::new();
    for (at, item) in value.try_iter()?.enumerate() {
        let item = item?;
        let numpy = item.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (&item,))?;
        let dimensions: usize = array.getattr("ndim")?.extract()?;
        let empty = array.getattr("size")?.extract::<usize>()? == 0;
        if dimensions != 2 && !empty {
            if at == 0 {
                return Ok(None);
            }
            let found = format!("{what}: element {at} has {dimensions} dimensions, where 2 are expected");
            return Err(PyValueError::new_err(found));
        }
        let array = if empty && dimensions != 2 {
            Array2::zeros((0, 2))
        } else {
            let array = numpy.call_method1("require", (&array, numpy.getattr("float64")?, ["C", "A"]))?;
            array.extract::<PyReadonlyArray2<'_, f64>>()?.as_array().to_owned()
        };
        arrays.push(array);
    }
    Ok((!arrays.is_empty()).then_some(arrays))
}

fn bags_of(arrays: &[Array2<f64>]) -> PyResult<Sample> {
    let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
    Ok(Bags::new(&views).map_err(to_python)?.into())
}

fn diagrams_of(arrays: &[Array2<f64>], infinity: Option<f64>) -> PyResult<Sample> {
    let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
    Ok(Diagrams::new(&views, infinity).map_err(to_python)?.into())
}

fn arrays_of(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Array2<f64>>> {
    if value.len().is_ok_and(|length| length == 0) {
        return Ok(Vec::new());
    }
    read_arrays(value, what)?
        .ok_or_else(|| PyValueError::new_err(format!("{what}: expected a list of arrays with a row per point")))
}

/// The rows that an index names, and whether it named one alone.
pub fn chosen(index: &Bound<'_, PyAny>, length: usize) -> PyResult<(Vec<usize>, bool)> {
    let py = index.py();
    if let Ok(at) = index.extract::<isize>() {
        let row = if at < 0 { at + length as isize } else { at };
        if row < 0 || row >= length as isize {
            return Err(PyIndexError::new_err(format!("index {at} is out of range for {length} points")));
        }
        return Ok((vec![row as usize], true));
    }
    // Slices, lists and masks as numpy reads them.
    let all = py.import("numpy")?.call_method1("arange", (length,))?;
    let rows: Vec<i64> = all
        .get_item(index)?
        .call_method0("tolist")?
        .extract()
        .map_err(|_| PyTypeError::new_err("an index is a number, a slice, a list of numbers or a mask"))?;
    Ok((rows.into_iter().map(|row| row as usize).collect(), false))
}

/// A sample of bags: every bag is an array with a row per instance, all with the same columns.
///
/// Parameters
/// ----------
/// bags : list of arrays of shape (n_instances, n_features)
/// weights : list of arrays, optional
///     A weight for every instance of every bag; those of a bag are divided by their sum.
///
/// Examples
/// --------
/// >>> import mercer, numpy as np
/// >>> bags = mercer.Bags([np.zeros((2, 3)), np.ones((4, 3))])
/// >>> bags
/// Bags(2 bags, 6 instances, 3 columns)
/// >>> bags[1].shape
/// (4, 3)
#[pyclass(frozen, name = "Bags", module = "mercer", eq)]
#[derive(PartialEq)]
pub struct PyBags(Bags);

#[pymethods]
impl PyBags {
    #[new]
    #[pyo3(signature = (bags, weights=None))]
    fn new(bags: &Bound<'_, PyAny>, weights: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let arrays = arrays_of(bags, "bags")?;
        let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
        let made = Bags::new(&views).map_err(to_python)?;
        let Some(weights) = weights else { return Ok(Self(made)) };
        let mut all = Vec::new();
        for of_bag in weights.try_iter()? {
            all.extend(numbers(&of_bag?, "weights")?);
        }
        made.with_weights(all).map(Self).map_err(to_python)
    }

    /// Bags in a long table: the rows of one group are a bag, in the order of first appearance.
    ///
    /// Examples
    /// --------
    /// >>> import mercer, numpy as np
    /// >>> mercer.Bags.from_table(np.arange(6.0).reshape(3, 2), ["b", "a", "b"])
    /// Bags(2 bags, 3 instances, 2 columns)
    #[staticmethod]
    #[allow(non_snake_case)]
    fn from_table(X: &Bound<'_, PyAny>, groups: &Bound<'_, PyAny>) -> PyResult<Self> {
        let table = Matrix::read(X, "X")?;
        let groups = groups.try_iter()?.map(|group| Ok(group?.str()?.to_string())).collect::<PyResult<Vec<_>>>()?;
        Bags::from_table(table.view(), &groups).map(Self).map_err(to_python)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, one) = chosen(index, self.0.len())?;
        if one {
            return Ok(PyArray2::from_array(py, &self.0.bag(rows[0])).into_any());
        }
        let Sample::Bags(bags) = Sample::from(self.0.clone()).taken(&rows) else { unreachable!("bags stay bags") };
        Ok(Bound::new(py, Self(bags))?.into_any())
    }

    fn __repr__(&self) -> String {
        let (bags, instances) = (self.0.len(), self.0.instances());
        format!("Bags({bags} bags, {} instances, {} columns)", instances.nrows(), instances.ncols())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let bags = PyList::new(py, (0..self.0.len()).map(|at| PyArray2::from_array(py, &self.0.bag(at))))?;
        let weights = self
            .0
            .weights()
            .map(|weights| (0..self.0.len()).map(|at| weights[self.0.range(at)].to_vec()).collect::<Vec<_>>());
        let class = py.get_type::<Self>().into_any();
        Ok((class, (bags, weights).into_pyobject(py)?))
    }
}

/// A sample of persistence diagrams: every diagram is an array with a row ``(birth, death)`` per
/// interval. An empty diagram is a point.
///
/// Parameters
/// ----------
/// diagrams : list of arrays of shape (n_intervals, 2)
/// infinity : float, optional
///     Replaces deaths that are infinite, which are refused without it.
///
/// Examples
/// --------
/// >>> import mercer, numpy as np
/// >>> diagrams = mercer.Diagrams([np.array([[0.0, 1.0], [0.5, np.inf]])], infinity=2.0)
/// >>> diagrams
/// Diagrams(1 diagram, 2 intervals)
/// >>> diagrams[0]
/// array([[0. , 1. ],
///        [0.5, 2. ]])
#[pyclass(frozen, name = "Diagrams", module = "mercer", eq)]
#[derive(PartialEq)]
pub struct PyDiagrams(Diagrams);

#[pymethods]
impl PyDiagrams {
    #[new]
    #[pyo3(signature = (diagrams, infinity=None))]
    fn new(diagrams: &Bound<'_, PyAny>, infinity: Option<f64>) -> PyResult<Self> {
        let arrays = arrays_of(diagrams, "diagrams")?;
        let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
        Diagrams::new(&views, infinity).map(Self).map_err(to_python)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, one) = chosen(index, self.0.len())?;
        if one {
            return Ok(PyArray2::from_array(py, &self.0.diagram(rows[0])).into_any());
        }
        let Sample::Diagrams(diagrams) = Sample::from(self.0.clone()).taken(&rows) else {
            unreachable!("diagrams stay diagrams")
        };
        Ok(Bound::new(py, Self(diagrams))?.into_any())
    }

    fn __repr__(&self) -> String {
        let (diagrams, intervals) = (self.0.len(), self.0.intervals().nrows());
        let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        format!("Diagrams({}, {})", plural(diagrams, "diagram"), plural(intervals, "interval"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let diagrams = PyList::new(py, (0..self.0.len()).map(|at| PyArray2::from_array(py, &self.0.diagram(at))))?;
        Ok((py.get_type::<Self>().into_any(), (diagrams,).into_pyobject(py)?))
    }
}

/// The kernel for points where none is named: by their kind.
#[pyfunction]
#[allow(non_snake_case)]
pub fn default_kernel(X: &Bound<'_, PyAny>) -> PyResult<crate::kernel::PyKernel> {
    let points = PointsInput::read(None, X, "X")?;
    Kernel::default_of(points.points()).map(crate::kernel::PyKernel).map_err(to_python)
}

/// Read the records of a FASTA file, plain or compressed (gzip).
///
/// Parameters
/// ----------
/// path : str or path
///     The file.
/// **options
///     ``max_memory``, and other options of reading.
///
/// Returns
/// -------
/// ids : list of str
///     The first word of every header.
/// sequences : list of str
///     The sequences: the lines of a record joined, letters as they are.
///
/// Examples
/// --------
/// >>> import os, tempfile
/// >>> import mercer
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = os.path.join(folder, "x.fasta")
/// ...     with open(path, "w") as file:
/// ...         _ = file.write(">a first\nACG\nT\n>b\nTT\n")
/// ...     mercer.read_fasta(path)
/// (['a', 'b'], ['ACGT', 'TT'])
#[pyfunction]
#[pyo3(signature = (path, **options))]
pub fn read_fasta(
    py: Python<'_>,
    path: std::path::PathBuf,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Vec<String>, Vec<String>)> {
    let options = crate::options::Options::read(options)?;
    let found = crate::run::run(py, &options, || mercer::io::read_fasta(&path, &options.compute))?;
    Ok((found.ids, found.sequences.iter().map(str::to_owned).collect()))
}

/// Objects that were read for a kernel, as the estimators hand them on: ``len``, ``shape`` and
/// indexing are those of a column.
#[pyclass(frozen, name = "Objects", module = "mercer._mercer")]
pub struct PyObjects {
    sample: Sample,
    kernel: Kernel,
}

impl PyObjects {
    /// Objects that were read.
    pub fn of(sample: Sample, kernel: Kernel) -> Self {
        Self { sample, kernel }
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl PyObjects {
    #[new]
    fn new(kernel: &crate::kernel::PyKernel, X: &Bound<'_, PyAny>) -> PyResult<Self> {
        match PointsInput::read(Some(&kernel.0), X, "X")? {
            PointsInput::Objects(sample) => Ok(Self { sample: *sample, kernel: kernel.0.clone() }),
            PointsInput::Vectors(_) => {
                let takes = kernel.0.point_kind().unwrap_or(PointKind::Vectors);
                Err(to_python(mercer::Error::wrong_points(&kernel.0, takes, PointKind::Vectors)))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.sample.len()
    }

    /// The number of points, and 1.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.sample.len(), 1)
    }

    /// The kind of points, and the first of them in a few words.
    fn __repr__(&self) -> String {
        let points = self.sample.as_points();
        let shown: Vec<String> = (0..points.len().min(3)).filter_map(|at| points.describe(at)).collect();
        let more = if points.len() > 3 { ", …" } else { "" };
        format!("Objects({} {}: {}{more})", points.len(), points.kind(), shown.join(", "))
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, _) = chosen(index, self.sample.len())?;
        Ok(Self { sample: self.sample.taken(&rows), kernel: self.kernel.clone() })
    }

    /// Every instance of the bags as a bag of its own, and the number of instances up to each bag.
    fn instances(&self) -> PyResult<(PyBags, Vec<usize>)> {
        match &self.sample {
            Sample::Bags(bags) => {
                Ok((PyBags(bags.singles()), (0..bags.len()).map(|bag| bags.range(bag).end).collect()))
            }
            other => {
                let holds = other.as_points().kind();
                Err(to_python(mercer::Error::wrong_points("instance_scores", PointKind::Bags, holds)))
            }
        }
    }

    /// The points as Python has them: a list.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::points::to_python_points(py, self.sample.as_points())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let kernel = crate::kernel::PyKernel(self.kernel.clone());
        let restore = py.import("mercer._mercer")?.getattr("_restore_objects")?;
        Ok((restore, (kernel, PyBytes::new(py, &self.sample.to_bytes())).into_pyobject(py)?))
    }
}

/// Makes pickled objects again.
#[pyfunction]
pub fn _restore_objects(kernel: &crate::kernel::PyKernel, bytes: &[u8]) -> PyResult<PyObjects> {
    Ok(PyObjects { sample: Sample::from_bytes(bytes).map_err(to_python)?, kernel: kernel.0.clone() })
}

/// A sample of graphs: vertices with or without labels and vectors, edges with or without labels
/// and weights.
///
/// Parameters
/// ----------
/// graphs : list
///     Graphs of networkx, whose attribute ``label`` labels the vertices if all of them have it; or
///     pairs of edges and vertex labels. Edges are a list of pairs of numbers from 0, or a square
///     adjacency matrix (an array or a sparse matrix), whose values other than 1 are weights; it is
///     symmetric unless ``directed``. Edges without weights have weight 1 beside graphs with weights.
/// directed : bool, default=False
///     Whether edges have a direction.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> water = ([(0, 1), (0, 2)], ["O", "H", "H"])
/// >>> graphs = mercer.Graphs([water, ([(0, 1)], ["O", "O"])])
/// >>> graphs
/// Graphs(2 graphs, 5 vertices, 3 edges)
/// >>> mercer.Kernel("vertex_histogram()")(graphs)
/// array([[5., 2.],
///        [2., 4.]])
#[pyclass(frozen, name = "Graphs", module = "mercer", eq)]
#[derive(PartialEq)]
pub struct PyGraphs(Graphs);

/// A graph taken apart by Python.
type GraphParts =
    (usize, Vec<(u32, u32)>, Option<Vec<PyLabel>>, Option<Vec<Vec<f64>>>, Option<Vec<PyLabel>>, Option<Vec<f64>>);

/// A number or a text.
#[derive(FromPyObject)]
enum PyLabel {
    Integer(i64),
    Text(String),
}

impl From<PyLabel> for Label {
    fn from(label: PyLabel) -> Self {
        match label {
            PyLabel::Integer(value) => value.into(),
            PyLabel::Text(text) => text.into(),
        }
    }
}

fn graph_of((vertices, edges, labels, vectors, edge_labels, weights): GraphParts) -> Graph {
    let plain = |labels: Vec<PyLabel>| labels.into_iter().map(Into::into).collect();
    Graph {
        vertex_labels: labels.map(plain),
        vertex_vectors: vectors,
        edge_labels: edge_labels.map(plain),
        edge_weights: weights,
        ..Graph::new(vertices, edges)
    }
}

/// Graphs from a list of graphs, or of samples of one graph each, as scikit-learn cuts them.
fn read_graphs(value: &Bound<'_, PyAny>, directed: bool) -> PyResult<Graphs> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>()
        && list.iter().all(|item| item.cast::<PyGraphs>().is_ok())
        && !list.is_empty()
    {
        let samples = list.iter().map(|item| Ok(Sample::from(item.cast::<PyGraphs>()?.get().0.clone())));
        let samples = samples.collect::<PyResult<Vec<Sample>>>()?;
        let mut all = samples[0].clone();
        for sample in &samples[1..] {
            all = Sample::pooled(all.as_points(), sample.as_points()).map_err(to_python)?;
        }
        let Sample::Graphs(graphs) = all else { unreachable!("graphs stay graphs") };
        return Ok(graphs);
    }
    let parts = py.import("mercer._graphs")?.call_method1("parts", (value, directed))?;
    let graphs = parts.try_iter()?.map(|part| Ok(graph_of(part?.extract()?))).collect::<PyResult<Vec<_>>>()?;
    Graphs::from_graphs(graphs, directed).map_err(to_python)
}

#[pymethods]
impl PyGraphs {
    #[new]
    #[pyo3(signature = (graphs, directed=false))]
    fn new(graphs: &Bound<'_, PyAny>, directed: bool) -> PyResult<Self> {
        read_graphs(graphs, directed).map(Self)
    }

    /// Graphs of networkx, with the names of the attributes to take.
    #[staticmethod]
    #[pyo3(signature = (graphs, vertex_label=None, vertex_vector=None, edge_label=None, edge_weight=None, directed=false))]
    fn from_networkx(
        graphs: &Bound<'_, PyAny>,
        vertex_label: Option<&str>,
        vertex_vector: Option<&str>,
        edge_label: Option<&str>,
        edge_weight: Option<&str>,
        directed: bool,
    ) -> PyResult<Self> {
        let take = graphs.py().import("mercer._graphs")?.getattr("networkx_parts")?;
        let parts = graphs.try_iter()?.map(|graph| {
            let part = take.call1((graph?, vertex_label, vertex_vector, edge_label, edge_weight))?;
            Ok(graph_of(part.extract()?))
        });
        let parts = parts.collect::<PyResult<Vec<_>>>()?;
        Graphs::from_graphs(parts, directed).map(Self).map_err(to_python)
    }

    /// Graphs and their labels from a folder in the TU format (``NAME_A.txt`` and so on, plain or
    /// gzip).
    #[staticmethod]
    #[pyo3(signature = (folder, **options))]
    fn read_tu(
        py: Python<'_>,
        folder: std::path::PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Self, Vec<i64>)> {
        let options = crate::options::Options::read(options)?;
        let (graphs, labels) = crate::run::run(py, &options, || mercer::io::read_tu(&folder, &options.compute))?;
        Ok((Self(graphs), labels))
    }

    /// Graphs of GraphML files, plain or gzip; a file may hold several. Vertices and edges have the
    /// data ``label`` as their label and ``weight`` as the weight of an edge, where all have it.
    #[staticmethod]
    #[pyo3(signature = (paths, **options))]
    fn read_graphml(
        py: Python<'_>,
        paths: Vec<std::path::PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = crate::options::Options::read(options)?;
        let names = mercer::io::GraphMlNames::default();
        crate::run::run(py, &options, || mercer::io::read_graphml(&paths, &names, &options.compute)).map(Self)
    }

    /// One graph per file: every line two vertices and, in all lines or none, a weight.
    #[staticmethod]
    #[pyo3(signature = (paths, *, directed=false, **options))]
    fn read_edge_lists(
        py: Python<'_>,
        paths: Vec<std::path::PathBuf>,
        directed: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = crate::options::Options::read(options)?;
        crate::run::run(py, &options, || mercer::io::read_edge_lists(&paths, directed, &options.compute)).map(Self)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, _) = chosen(index, self.0.len())?;
        let Sample::Graphs(graphs) = Sample::from(self.0.clone()).taken(&rows) else {
            unreachable!("graphs stay graphs")
        };
        Ok(Self(graphs))
    }

    fn __repr__(&self) -> String {
        let edges: usize = (0..self.0.len()).map(|at| self.0.edges(at)).sum();
        format!("Graphs({} graphs, {} vertices, {edges} edges)", self.0.len(), self.0.total_vertices())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("mercer._mercer")?.getattr("_restore_graphs")?;
        let bytes = PyBytes::new(py, &Sample::from(self.0.clone()).to_bytes());
        Ok((restore, (bytes,).into_pyobject(py)?))
    }
}

/// Makes pickled graphs again.
#[pyfunction]
pub fn _restore_graphs(bytes: &[u8]) -> PyResult<PyGraphs> {
    match Sample::from_bytes(bytes).map_err(to_python)? {
        Sample::Graphs(graphs) => Ok(PyGraphs(graphs)),
        _ => Err(PyValueError::new_err("the bytes do not hold graphs")),
    }
}

/// Graphs as Python has them.
pub fn graphs_to_python<'py>(py: Python<'py>, graphs: &Graphs) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(py, PyGraphs(graphs.clone()))?.into_any())
}
