//! Quantities of measures: discrepancies of samples and dependence of variables.

use mercer::gram::{Pairs, Tiles};
use mercer::measure::{self, Estimator, HsicEstimator, SteinKernel};
use mercer::{Compute, Kernel};
use ndarray::aview1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::KernelData;
use crate::function::PyFunction;
use crate::input::{Matrix, numbers};
use crate::kernel::PyKernel;
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;
use crate::samples::{TwoSamples, choice};

const ESTIMATORS: [(&str, Estimator); 4] = [
    ("biased", Estimator::Biased),
    ("unbiased", Estimator::Unbiased),
    ("paired", Estimator::Paired),
    ("linear", Estimator::Linear),
];
pub const QUADRATIC: [(&str, Estimator); 2] = [("biased", Estimator::Biased), ("unbiased", Estimator::Unbiased)];
pub const HSIC: [(&str, HsicEstimator); 2] = [("biased", HsicEstimator::Biased), ("unbiased", HsicEstimator::Unbiased)];

/// The squared maximum mean discrepancy.
#[pyfunction]
#[pyo3(signature = (X, Y, kernel, estimator, **options))]
#[allow(non_snake_case)]
pub fn mmd(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    Y: &Bound<'_, PyAny>,
    kernel: &PyKernel,
    estimator: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (estimator, options) = (choice("estimator", estimator, &ESTIMATORS)?, Options::read(options)?);
    let (named, samples) = TwoSamples::read(Some(kernel.0.clone()), X, Y)?;
    let (kernel, compute) = (named.unwrap_or_else(|| kernel.0.clone()), &options.compute);
    match &samples {
        TwoSamples::Points(x, y) => {
            let (x, y) = (x.points(), y.points());
            run(py, &options, || measure::mmd(x, y, &kernel, estimator, compute))
        }
        TwoSamples::Gram(values, first) => {
            let values = values.view();
            run(py, &options, || {
                measure::mmd_of(&kernel.bind(Pairs::precomputed(values), compute)?, *first, estimator, compute)
            })
        }
    }
}

/// The witness `μ_P − μ_Q`.
#[pyfunction]
#[pyo3(signature = (X, Y, kernel, **options))]
#[allow(non_snake_case)]
pub fn mmd_witness(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    Y: &Bound<'_, PyAny>,
    kernel: &PyKernel,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyFunction> {
    let of = Some(&kernel.0);
    let (first, second) = (PointsInput::read(of, X, "X")?, PointsInput::read(of, Y, "Y")?);
    let options = Options::read(options)?;
    first.check_same_names(&second)?;
    let kernel = first.name_columns(&kernel.0).map_err(crate::errors::to_python)?;
    let (x, y) = (first.points(), second.points());
    Ok(run(py, &options, || measure::witness(x, y, &kernel, &options.compute))?.into())
}

/// The energy distance.
#[pyfunction]
#[pyo3(signature = (X, Y, estimator, **options))]
#[allow(non_snake_case)]
pub fn energy_distance(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    Y: &Bound<'_, PyAny>,
    estimator: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (first, second, options) = (Matrix::read(X, "X")?, Matrix::read(Y, "Y")?, Options::read(options)?);
    let (estimator, x, y) = (choice("estimator", estimator, &QUADRATIC)?, first.view(), second.view());
    run(py, &options, || measure::energy_distance(x, y, estimator, &options.compute))
}

/// Wasserstein's distance on the line.
#[pyfunction]
pub fn wasserstein(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (x, y) = (numbers(x, "x")?, numbers(y, "y")?);
    measure::wasserstein(aview1(&x), aview1(&y)).map_err(crate::errors::to_python)
}

/// The Hilbert–Schmidt independence criterion, or its normalized form.
#[pyfunction]
#[pyo3(signature = (X, Y, kernel_x, kernel_y, estimator, normalized, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn hsic(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    Y: &Bound<'_, PyAny>,
    kernel_x: &PyKernel,
    kernel_y: &PyKernel,
    estimator: &str,
    normalized: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (estimator, options) = (choice("estimator", estimator, &HSIC)?, Options::read(options)?);
    let (first, second) = (KernelData::variable(&kernel_x.0, X, "X")?, KernelData::variable(&kernel_y.0, Y, "Y")?);
    let (x, y, compute) = ((&first.kernel, first.pairs()), (&second.kernel, second.pairs()), &options.compute);
    run(py, &options, || {
        let (k, l) = (x.0.bind(x.1, compute)?, y.0.bind(y.1, compute)?);
        if !normalized {
            return measure::hsic_of(&k, &l, estimator, compute);
        }
        measure::normalized_hsic_of(&k, &l, compute)
    })
}

/// Distance covariance (the root) and correlation, or the bias-corrected squares.
#[pyfunction]
#[pyo3(signature = (X, Y, estimator, **options))]
#[allow(non_snake_case)]
pub fn distance_statistics(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    Y: &Bound<'_, PyAny>,
    estimator: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(f64, f64)> {
    let (first, second, options) = (Matrix::read(X, "X")?, Matrix::read(Y, "Y")?, Options::read(options)?);
    let (estimator, x, y) = (choice("estimator", estimator, &HSIC)?, first.view(), second.view());
    let found = run(py, &options, || match estimator {
        HsicEstimator::Biased => measure::distance_statistics(x, y, &options.compute),
        HsicEstimator::Unbiased => measure::unbiased_distance_statistics(x, y, &options.compute),
    })?;
    Ok((found.covariance_squared, found.correlation_squared()))
}

/// The joint independence criterion of several variables, or Lancaster's interaction of three.
#[pyfunction]
#[pyo3(signature = (variables, kernels, interaction, **options))]
pub fn joint_statistic(
    py: Python<'_>,
    variables: Vec<Bound<'_, PyAny>>,
    kernels: Vec<PyRef<'_, PyKernel>>,
    interaction: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (data, options) = (read_variables(&variables, &kernels)?, Options::read(options)?);
    let parts: Vec<(&Kernel, Pairs<'_>)> = data.iter().map(|d| (&d.kernel, d.pairs())).collect();
    run(py, &options, || joint(&parts, interaction, &options.compute))
}

/// Variables with their kernels, of which there are as many.
pub fn read_variables<'py>(
    variables: &[Bound<'py, PyAny>],
    kernels: &[PyRef<'_, PyKernel>],
) -> PyResult<Vec<KernelData<'py>>> {
    let named = variables.iter().zip(kernels).enumerate();
    named.map(|(i, (x, kernel))| KernelData::variable(&kernel.0, x, &format!("variable {i}"))).collect()
}

fn joint(parts: &[(&Kernel, Pairs<'_>)], interaction: bool, compute: &Compute) -> mercer::Result<f64> {
    let bounds = parts.iter().map(|(k, pairs)| k.bind(*pairs, compute)).collect::<mercer::Result<Vec<_>>>()?;
    let tiles: Vec<&dyn Tiles> = bounds.iter().map(|b| b as &dyn Tiles).collect();
    if interaction { measure::lancaster_of(&tiles, compute) } else { measure::dhsic_of(&tiles, compute) }
}

/// The squared kernel Stein discrepancy.
#[pyfunction]
#[pyo3(signature = (X, scores, kernel, estimator, **options))]
#[allow(non_snake_case)]
pub fn stein_discrepancy(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    scores: &Bound<'_, PyAny>,
    kernel: Option<&PyKernel>,
    estimator: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<f64> {
    let (sample, scores, options) = (Matrix::read(X, "X")?, Matrix::read(scores, "score")?, Options::read(options)?);
    let (estimator, x, s) = (choice("estimator", estimator, &QUADRATIC)?, sample.view(), scores.view());
    let kernel = kernel.map(|k| k.0.clone());
    run(py, &options, || {
        let kernel = stein_kernel(kernel.as_ref(), x, &options.compute)?;
        measure::stein_discrepancy(x, s, kernel, estimator, &options.compute)
    })
}

/// The kernel under a Stein kernel, with a median resolved on the sample; the inverse multiquadric
/// by default.
pub fn stein_kernel(
    kernel: Option<&Kernel>,
    x: ndarray::ArrayView2<'_, f64>,
    compute: &Compute,
) -> mercer::Result<SteinKernel> {
    kernel.map_or_else(
        || Ok(SteinKernel::default()),
        |kernel| SteinKernel::try_from(kernel.bind(Pairs::within(x), compute)?.kernel()),
    )
}

/// The scores `∇ log p(xᵢ)` of a density known by name.
#[pyfunction]
#[allow(non_snake_case)]
pub fn density_scores<'py>(
    py: Python<'py>,
    density: &str,
    X: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
    let sample = Matrix::read(X, "X")?;
    let (x, d) = (sample.view(), sample.view().ncols());
    let scores = measure::Density::parse(density, d).and_then(|density| density.score(x));
    Ok(numpy::PyArray2::from_owned_array(py, scores.map_err(crate::errors::to_python)?))
}
