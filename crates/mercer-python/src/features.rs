//! Explicit features: one class for every map, and the bounds of random ones.

use mercer::Kernel;
use mercer::features::{
    self, BinningFeatures, ExplicitFeatures, FeatureMap, FourierFeatures, FourierForm, FourierGuarantee, Landmarks,
    Nystrom, NystromFeatures, RandomBinning, RandomFourier, Region, Sampling,
};
use ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Part, to_python};
use crate::input::Matrix;
use crate::kernel::PyKernel;
use crate::learner::{PyAnyFit, read_settings};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run, run_at};
use crate::samples::{Real, Whole};
use mercer::error::MemoryPurpose;
use mercer::view::FeatureFit;

/// A feature map that is ready for points.
#[pyclass(frozen, name = "Features", module = "mercer._mercer")]
pub struct PyFeatures(Inner);

enum Inner {
    Fourier(FourierFeatures),
    Binning(BinningFeatures),
    Nystrom(NystromFeatures),
    Explicit(ExplicitFeatures),
}

impl Inner {
    /// The map, where its features are a dense matrix.
    fn dense(&self) -> PyResult<&dyn FeatureMap> {
        match self {
            Self::Fourier(map) => Ok(map),
            Self::Nystrom(map) => Ok(map),
            Self::Explicit(map) => Ok(map),
            Self::Binning(_) => Err(PyTypeError::new_err("binning features are sparse: ask for their cells")),
        }
    }

    fn nystrom(&self) -> PyResult<&NystromFeatures> {
        match self {
            Self::Nystrom(map) => Ok(map),
            _ => Err(PyTypeError::new_err("these features have no landmarks")),
        }
    }

    fn fourier(&self) -> PyResult<&FourierFeatures> {
        match self {
            Self::Fourier(map) => Ok(map),
            _ => Err(PyTypeError::new_err("these features have no frequencies")),
        }
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl PyFeatures {
    #[staticmethod]
    #[pyo3(signature = (kernel, n_components, kind, sampling, X, **options))]
    fn fourier(
        py: Python<'_>,
        kernel: &PyKernel,
        n_components: usize,
        kind: &str,
        sampling: &str,
        X: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (form, sampling) = (form_named(kind)?, sampling_named(sampling)?);
        let (points, options) = (PointsInput::read(Some(&kernel.0), X, "X")?, Options::read(options)?);
        let spec = RandomFourier { kernel: kernel.0.clone(), components: n_components, form, sampling };
        let x = points.points();
        run(py, &options, || spec.fit(x, &options.compute)).map(|map| Self(Inner::Fourier(map)))
    }

    #[staticmethod]
    #[pyo3(signature = (kernel, n_grids, n_buckets, X, **options))]
    fn binning(
        py: Python<'_>,
        kernel: &PyKernel,
        n_grids: usize,
        n_buckets: usize,
        X: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let spec = RandomBinning { kernel: kernel.0.clone(), grids: n_grids, buckets: n_buckets };
        let x = points.view();
        run(py, &options, || spec.fit(x, &options.compute)).map(|map| Self(Inner::Binning(map)))
    }

    /// Landmarks chosen in ``X``, or for ``landmarks="points"`` all rows of ``points``.
    #[staticmethod]
    #[pyo3(signature = (kernel, n_components, landmarks, tolerance, X, every_row=false, **options))]
    #[allow(clippy::too_many_arguments)]
    fn nystrom(
        py: Python<'_>,
        kernel: &PyKernel,
        n_components: usize,
        landmarks: &str,
        tolerance: f64,
        X: &Bound<'_, PyAny>,
        every_row: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Options::read(options)?;
        let sample = PointsInput::read(Some(&kernel.0), X, "X")?;
        let landmarks = match every_row {
            true => Landmarks::Rows((0..sample.points().len()).collect()),
            false => landmarks_named(landmarks)?,
        };
        let spec = Nystrom { landmarks, tolerance, ..Nystrom::new(kernel.0.clone(), n_components) };
        let x = sample.points();
        run(py, &options, || spec.fit(x, &options.compute)).map(|map| Self(Inner::Nystrom(map)))
    }

    #[staticmethod]
    #[pyo3(signature = (kernel, X, **options))]
    fn empirical(
        py: Python<'_>,
        kernel: &PyKernel,
        X: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (points, options) = (PointsInput::read(Some(&kernel.0), X, "X")?, Options::read(options)?);
        let x = points.points();
        let map = run(py, &options, || features::empirical_kernel_map(&kernel.0, x, &options.compute))?;
        Ok(Self(Inner::Nystrom(map)))
    }

    #[staticmethod]
    fn explicit(kernel: &PyKernel, n_features: usize) -> PyResult<Self> {
        let map = ExplicitFeatures::new(kernel.0.clone(), n_features).map_err(to_python)?;
        Ok(Self(Inner::Explicit(map)))
    }

    #[pyo3(signature = (X, **options))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if let Inner::Nystrom(map) = &self.0 {
            return at_points(py, Some(map.kernel()), X, options, |x, compute| map.transform(x, compute));
        }
        if let Inner::Fourier(map) = &self.0 {
            return at_points(py, Some(map.kernel()), X, options, |x, compute| map.transform_points(x, compute));
        }
        let (map, points, options) = (self.0.dense()?, Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let z = run_at(py, &options, x.into(), |_| map.transform(x, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, z))
    }

    /// The features in single precision.
    #[pyo3(signature = (X, **options))]
    fn transform_single<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (map, points, options) = (self.0.dense()?, Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let z = run(py, &options, || map.transform_single(x, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, z))
    }

    /// The errors of Fourier features against the numbers of frequencies, and the factor of their
    /// line.
    #[staticmethod]
    #[pyo3(signature = (kernel, kind, sampling, X, frequencies, draws, points, **options))]
    #[allow(clippy::too_many_arguments)]
    fn fourier_decay<'py>(
        py: Python<'py>,
        kernel: &PyKernel,
        kind: &str,
        sampling: &str,
        X: &Bound<'py, PyAny>,
        frequencies: Vec<usize>,
        draws: usize,
        points: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
        let (form, sampling) = (form_named(kind)?, sampling_named(sampling)?);
        let (sample, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let spec = RandomFourier { kernel: kernel.0.clone(), components: 2, form, sampling };
        let x = sample.view();
        let decay = run(py, &options, || spec.error_decay(x, &frequencies, draws, points, &options.compute))?;
        Ok((PyArray1::from_vec(py, decay.errors), decay.scale))
    }

    /// The column of every entry of binning features, one row per point and one column per grid,
    /// and the value of every grid.
    #[pyo3(signature = (X, **options))]
    #[allow(clippy::type_complexity)]
    fn cells<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<f64>>)> {
        let Inner::Binning(map) = &self.0 else {
            return Err(PyTypeError::new_err("only binning features have cells"));
        };
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let (x, grids) = (points.view(), map.pitches().nrows());
        // The sparse matrix that is made of the cells: a number of eight bytes and an index for
        // each of them.
        let narrow = map.components().max(x.nrows().saturating_mul(grids)) <= i32::MAX as usize;
        let bytes = (x.nrows() as u64).saturating_mul(grids as u64).saturating_mul(if narrow { 12 } else { 20 });
        let suggestion = "transform fewer rows at a time, or use fewer grids";
        options.compute.reserve(MemoryPurpose::Features, "binning features", bytes, suggestion).map_err(to_python)?;
        let mut cells = Array2::zeros((x.nrows(), grids));
        let positions = cells.as_slice_mut().expect("a new array is one slice");
        run(py, &options, || map.fill_cells(x, positions, &options.compute))?;
        Ok((PyArray2::from_owned_array(py, cells), PyArray1::from_owned_array(py, map.values().to_owned())))
    }

    /// The features as a fit, with what was requested, for a model file.
    fn to_fit(&self, name: &str, settings: &Bound<'_, PyDict>) -> PyResult<PyAnyFit> {
        let settings = read_settings(settings)?;
        let fit = match &self.0 {
            Inner::Fourier(map) => FeatureFit::of_fourier(map.clone(), &settings),
            Inner::Binning(map) => FeatureFit::of_binning(map.clone(), &settings),
            Inner::Nystrom(map) => FeatureFit::of_nystrom(map.clone(), name == "empirical", &settings),
            Inner::Explicit(map) => FeatureFit::of_explicit(map.clone(), &settings),
        };
        Ok(PyAnyFit(fit.map_err(to_python)?.into()))
    }

    /// The features of a fit.
    #[staticmethod]
    fn of_fit(fit: &PyAnyFit) -> PyResult<Self> {
        let found = fit.0.clone().take::<FeatureFit>().and_then(|fit| {
            let fourier = fit.fourier().cloned().map(Inner::Fourier);
            let binning = fit.binning().cloned().map(Inner::Binning);
            let nystrom = fit.nystrom().cloned().map(Inner::Nystrom);
            fourier.or(binning).or(nystrom).or(fit.explicit().cloned().map(Inner::Explicit))
        });
        found.map(Self).ok_or_else(|| PyTypeError::new_err("the fit is not one of features"))
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        let kernel: &Kernel = match &self.0 {
            Inner::Fourier(map) => map.kernel(),
            Inner::Binning(map) => map.kernel(),
            Inner::Nystrom(map) => map.kernel(),
            Inner::Explicit(map) => map.kernel(),
        };
        PyKernel(kernel.clone())
    }

    #[getter]
    fn components(&self) -> usize {
        match &self.0 {
            Inner::Fourier(map) => map.components(),
            Inner::Binning(map) => map.components(),
            Inner::Nystrom(map) => map.components(),
            Inner::Explicit(map) => map.components(),
        }
    }

    #[getter]
    fn frequencies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(PyArray2::from_owned_array(py, self.0.fourier()?.frequencies().to_owned()))
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_owned_array(py, self.0.fourier()?.offsets().to_owned()))
    }

    #[getter]
    fn landmarks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, self.0.nystrom()?.landmarks())
    }

    /// Which rows of the sample the landmarks are, where they are rows of it.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        let rows = self.0.nystrom()?.rows().map(|rows| rows.iter().map(|r| *r as i64).collect());
        Ok(rows.map(|rows| PyArray1::from_vec(py, rows)))
    }

    /// The amplitude of the sine and cosine of every frequency.
    #[getter]
    fn amplitudes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_owned_array(py, self.0.fourier()?.amplitudes().to_owned()))
    }

    #[getter]
    fn normalization<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(PyArray2::from_owned_array(py, self.0.nystrom()?.map().t().to_owned()))
    }

    #[getter]
    fn trace(&self) -> PyResult<f64> {
        Ok(self.0.nystrom()?.trace())
    }

    #[getter]
    fn trace_error(&self) -> PyResult<f64> {
        Ok(self.0.nystrom()?.trace_error())
    }
}

pub fn form_named(name: &str) -> PyResult<FourierForm> {
    match name {
        "pair" => Ok(FourierForm::Pair),
        "offset" => Ok(FourierForm::Offset),
        _ => Err(unknown("kind", name, "\"pair\" or \"offset\"")),
    }
}

pub fn sampling_named(name: &str) -> PyResult<Sampling> {
    match name {
        "iid" => Ok(Sampling::Iid),
        "orthogonal" => Ok(Sampling::Orthogonal),
        "qmc" => Ok(Sampling::QuasiMonteCarlo),
        _ => Err(unknown("sampling", name, "\"iid\", \"orthogonal\" or \"qmc\"")),
    }
}

pub fn landmarks_named(name: &str) -> PyResult<Landmarks> {
    match name {
        "rpcholesky" => Ok(Landmarks::RandomPivots),
        "uniform" => Ok(Landmarks::Uniform),
        "kmeans" => Ok(Landmarks::KMeans),
        "leverage" => Ok(Landmarks::Leverage),
        "greedy" => Ok(Landmarks::Greedy),
        _ => Err(unknown("landmarks", name, "\"rpcholesky\", \"uniform\", \"kmeans\", \"leverage\" or \"greedy\"")),
    }
}

fn unknown(parameter: &str, value: &str, allowed: &str) -> PyErr {
    PyValueError::new_err(format!("{parameter} = {value:?} is not allowed: it must be {allowed}"))
}

/// A bound on the probability that random Fourier features err by ``eps`` or more, relative to
/// ``k(x, x)``; at most 1.
///
/// At one pair of points (Hoeffding), or with ``dimension``, ``diameter`` and ``second_moment``
/// (``E‖ω‖²``) over a whole set (Rahimi and Recht).
///
/// Parameters
/// ----------
/// n_frequencies : int
///     Frequencies: half of the features of the kind ``"pair"``.
/// eps : float
///     The error, above 0.
/// kind : {"pair", "offset"}, default="pair"
///     A cosine and a sine for each frequency, or a cosine with a random offset.
/// dimension, diameter, second_moment : float, optional
///     The columns and the diameter of the set of points, and ``E‖ω‖²`` of the frequencies: together,
///     for the bound over the whole set.
///
/// Returns
/// -------
/// A number from 0 to 1.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> round(mercer.fourier_bound(1000, 0.1), 6)
/// 0.013476
#[pyfunction]
#[pyo3(signature = (n_frequencies, eps, kind="pair", *, dimension=None, diameter=None, second_moment=None))]
pub fn fourier_bound(
    n_frequencies: Whole<'_>,
    eps: Real<'_>,
    kind: &str,
    dimension: Option<Whole<'_>>,
    diameter: Option<Real<'_>>,
    second_moment: Option<Real<'_>>,
) -> PyResult<f64> {
    let guarantee = guarantee(kind, dimension, diameter, second_moment)?;
    Ok(guarantee.bound(n_frequencies.at_least_one("n_frequencies")?, eps.positive("eps")?).min(1.0))
}

/// The smallest number of frequencies whose ``fourier_bound`` is at most ``delta``.
///
/// Parameters
/// ----------
/// eps : float
///     The error, above 0.
/// delta : float
///     The probability, between 0 and 1.
/// kind : {"pair", "offset"}, default="pair"
///     A cosine and a sine for each frequency, or a cosine with a random offset.
/// dimension, diameter, second_moment : float, optional
///     The columns and the diameter of the set of points, and ``E‖ω‖²`` of the frequencies: together,
///     for the bound over the whole set.
///
/// Returns
/// -------
/// The number of frequencies.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> mercer.fourier_components(0.1, 0.05)
/// 738
#[pyfunction]
#[pyo3(signature = (eps, delta, kind="pair", *, dimension=None, diameter=None, second_moment=None))]
pub fn fourier_components(
    eps: Real<'_>,
    delta: Real<'_>,
    kind: &str,
    dimension: Option<Whole<'_>>,
    diameter: Option<Real<'_>>,
    second_moment: Option<Real<'_>>,
) -> PyResult<usize> {
    guarantee(kind, dimension, diameter, second_moment)?
        .frequencies(eps.number("eps")?, delta.number("delta")?)
        .map_err(|e| to_python(Part::Bounds.name(e)))
}

fn guarantee(
    kind: &str,
    dimension: Option<Whole<'_>>,
    diameter: Option<Real<'_>>,
    second_moment: Option<Real<'_>>,
) -> PyResult<FourierGuarantee> {
    let form = form_named(kind)?;
    match (dimension, diameter, second_moment) {
        (None, None, None) if form == FourierForm::Pair => Ok(FourierGuarantee::Pair),
        (None, None, None) => Ok(FourierGuarantee::Offset),
        (Some(dimension), Some(diameter), Some(second_moment)) => {
            let dimension = dimension.at_least_one("dimension")?;
            let (diameter, second_moment) = (diameter.positive("diameter")?, second_moment.positive("second_moment")?);
            Ok(FourierGuarantee::Uniform(Region { dimension, diameter, second_moment }))
        }
        _ => Err(PyValueError::new_err("the uniform bound needs dimension, diameter and second_moment together")),
    }
}

/// The probability that random binning features over ``n_grids`` grids err by ``eps`` or more at
/// one pair of points; at most 1.
///
/// Parameters
/// ----------
/// n_grids : int
///     Grids.
/// eps : float
///     The error, above 0.
///
/// Returns
/// -------
/// A number from 0 to 1.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> round(mercer.binning_bound(500, 0.1), 9)
/// 9.08e-05
#[pyfunction]
pub fn binning_bound(n_grids: Whole<'_>, eps: Real<'_>) -> PyResult<f64> {
    Ok(features::binning_bound(n_grids.at_least_one("n_grids")?, eps.positive("eps")?))
}
