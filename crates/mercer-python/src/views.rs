//! What single views have beside what all of them have: matches, sources, contrasts.

use mercer::Points;
use mercer::view::cca::CcaFit;
use mercer::view::coupled::CoupledFit;
use mercer::view::ica::{self, IcaFit};
use mercer::view::pca::{FixedPoint, KernelPcaFit, Preimage};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::learner::PyAnyFit;
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;

/// The typed fit, or an error that names what it is.
pub fn typed<T: mercer::learner::Fitted>(fit: &PyAnyFit) -> PyResult<&T> {
    fit.0.downcast_ref().ok_or_else(|| PyTypeError::new_err(format!("a fit of {} has no such thing", fit.0.kind())))
}

/// A row of each for every low point.
type IndicesAndDistances<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// The nearest points of a gallery: indices and distances, a row for every low point.
#[pyfunction]
#[pyo3(signature = (fit, low, gallery, k=1, **options))]
pub fn coupled_matches<'py>(
    py: Python<'py>,
    fit: &PyAnyFit,
    low: &Bound<'py, PyAny>,
    gallery: &Bound<'py, PyAny>,
    k: usize,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<IndicesAndDistances<'py>> {
    let fit: &CoupledFit = typed(fit)?;
    let low = PointsInput::read(Some(fit.kernel_low()), low, "X_low")?;
    let gallery = PointsInput::read(Some(fit.kernel_high()), gallery, "gallery_high")?;
    let options = Options::read(options)?;
    let (low, gallery) = (low.points(), gallery.points());
    let found = run(py, &options, || fit.matches(low, gallery, k, &options.compute))?;
    let indices = found.indices.mapv(|at| at as i64);
    Ok((PyArray2::from_owned_array(py, indices), PyArray2::from_owned_array(py, found.distances)))
}

/// The mean of the correlations of new views.
#[pyfunction]
#[pyo3(signature = (fit, views, **options))]
pub fn cca_score(
    py: Python<'_>,
    fit: &PyAnyFit,
    views: Vec<Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let fit: &CcaFit = typed(fit)?;
    let samples =
        views.iter().enumerate().map(|(view, x)| PointsInput::read(fit.kernel(view).ok(), x, &format!("view {view}")));
    let samples = samples.collect::<PyResult<Vec<_>>>()?;
    let options = Options::read(options)?;
    let points: Vec<Points<'_>> = samples.iter().map(PointsInput::points).collect();
    run(py, &options, || fit.score(&points, &options.compute))
}

/// The dual coefficients of every view.
#[pyfunction]
pub fn cca_coefficients<'py>(py: Python<'py>, fit: &PyAnyFit) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
    let fit: &CcaFit = typed(fit)?;
    let one = |view: usize| fit.dual_coefficients(view).map(|a| PyArray2::from_owned_array(py, a.to_owned()));
    (0..fit.views()).map(one).collect::<mercer::Result<_>>().map_err(to_python)
}

/// Points in the input space that belong to scores: the points, their squared distances in ℋ, and
/// whether the iteration converged.
type Preimages<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Vec<bool>);

/// Pre-images of scores, by `fixed_point` or `ridge`.
#[pyfunction]
#[pyo3(signature = (fit, Z, method, alpha, **options))]
#[allow(non_snake_case)]
pub fn pca_preimage<'py>(
    py: Python<'py>,
    fit: &PyAnyFit,
    Z: &Bound<'py, PyAny>,
    method: &str,
    alpha: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Preimages<'py>> {
    let (fit, scores): (&KernelPcaFit, _) = (typed(fit)?, Matrix::read(Z, "X")?);
    let method = match method {
        "fixed_point" => Preimage::FixedPoint(FixedPoint::default()),
        _ => Preimage::Ridge { alpha },
    };
    let options = Options::read(options)?;
    let scores = scores.view();
    let found = run(py, &options, || fit.preimage(scores, method, &options.compute))?;
    Ok((
        PyArray2::from_owned_array(py, found.points),
        PyArray1::from_owned_array(py, found.squared_distances),
        found.converged,
    ))
}

/// The scores of the points of the fit, and the coefficients of the regression from scores to
/// points where there is one.
type Scores<'py> = (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// What scikit-learn's attributes hold.
#[pyfunction]
pub fn pca_scores<'py>(py: Python<'py>, fit: &PyAnyFit) -> PyResult<Scores<'py>> {
    let fit: &KernelPcaFit = typed(fit)?;
    let dual = fit.inverse().map(|map| PyArray2::from_owned_array(py, map.dual_coefficients().to_owned()));
    Ok((PyArray2::from_owned_array(py, fit.scores()), dual))
}

/// Novelty scores of precomputed kernel values, with the values `k(x, x)`.
#[pyfunction]
#[pyo3(signature = (fit, K, diagonal, **options))]
#[allow(non_snake_case)]
pub fn pca_novelty<'py>(
    py: Python<'py>,
    fit: &PyAnyFit,
    K: &Bound<'py, PyAny>,
    diagonal: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (fit, values): (&KernelPcaFit, _) = (typed(fit)?, Matrix::read(K, "X")?);
    let (diagonal, options) = (numbers(diagonal, "diagonal")?, Options::read(options)?);
    let (x, diagonal) = (values.view(), ndarray::aview1(&diagonal));
    Ok(PyArray1::from_vec(py, run(py, &options, || fit.novelty_with_diagonal(x, diagonal, &options.compute))?))
}

/// The observations of sources.
#[pyfunction]
#[allow(non_snake_case)]
pub fn ica_inverse<'py>(py: Python<'py>, fit: &PyAnyFit, Y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (fit, values): (&IcaFit, _) = (typed(fit)?, Matrix::read(Y, "X")?);
    Ok(PyArray2::from_owned_array(py, fit.inverse_transform(values.view()).map_err(to_python)?))
}

/// A contrast of components: `negentropy`, `kcc`, `kgv` or `hsic`.
#[pyfunction]
#[pyo3(signature = (kind, Y, lengthscale, kappa, **options))]
#[allow(non_snake_case)]
pub fn ica_contrast(
    py: Python<'_>,
    kind: &str,
    Y: &Bound<'_, PyAny>,
    lengthscale: f64,
    kappa: f64,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (values, options) = (Matrix::read(Y, "Y")?, Options::read(options)?);
    let (y, compute) = (values.view(), &options.compute);
    run(py, &options, || match kind {
        "negentropy" => ica::negentropy_contrast(y, lengthscale),
        "kcc" => ica::kcc_contrast(y, lengthscale, kappa, compute),
        "kgv" => ica::kgv_contrast(y, lengthscale, kappa, compute),
        _ => ica::hsic_contrast(y, lengthscale, compute),
    })
}

/// How far an unmixing is from undoing a mixing.
#[pyfunction]
#[allow(non_snake_case)]
pub fn amari_distance(W: &Bound<'_, PyAny>, A: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (w, a) = (Matrix::read(W, "W")?, Matrix::read(A, "A")?);
    ica::amari_distance(w.view(), a.view()).map_err(to_python)
}
