//! Hypothesis tests: Python arguments to tests of the library, and outcomes to dicts.

use mercer::hypothesis::{
    ConditionalIndependence, ConditionalMethod, ConditionalSmoothing, Correction, GoodnessOfFit, Independence,
    IndependenceMethod, Interaction, JointIndependence, KernelWeights, TestOutcome, TwoSample, TwoSampleMethod,
};
use mercer::measure::Estimator;
use mercer::{Kernel, Points};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::KernelData;
use crate::errors::to_python;
use crate::input::Matrix;
use crate::kernel::PyKernel;
use crate::measure::{HSIC, QUADRATIC, read_variables, stein_kernel};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;
use crate::samples::{TwoSamples, choice};

const WEIGHTS: [(&str, KernelWeights); 4] = [
    ("uniform", KernelWeights::Uniform),
    ("decreasing", KernelWeights::Decreasing),
    ("increasing", KernelWeights::Increasing),
    ("centered", KernelWeights::Centered),
];
const CORRECTIONS: [(&str, Correction); 5] = [
    ("holm", Correction::Holm),
    ("bonferroni", Correction::Bonferroni),
    ("bh", Correction::BenjaminiHochberg),
    ("by", Correction::BenjaminiYekutieli),
    ("none", Correction::None),
];
const CONDITIONAL: [(&str, ConditionalMethod); 2] =
    [("permutation", ConditionalMethod::Permutation), ("gamma", ConditionalMethod::Gamma)];

/// Options of some two-sample tests.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TwoSampleChoices {
    estimator: String,
    weights: String,
    wild: bool,
    block_size: usize,
    n_components: usize,
    strata: Option<Vec<usize>>,
}

impl TwoSampleChoices {
    fn test(self, kernel: Option<Kernel>, method: &str, permutations: usize, level: f64) -> PyResult<TwoSample> {
        let estimator = choice("estimator", &self.estimator, &QUADRATIC)?;
        let method = two_sample_method(method, &self, estimator)?;
        Ok(TwoSample { kernel, method, estimator, permutations, level, strata: self.strata })
    }
}

/// Options of some independence tests.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct IndependenceChoices {
    method: String,
    estimator: String,
    n_components: usize,
    wild: bool,
    strata: Option<Vec<usize>>,
}

impl IndependenceChoices {
    fn method(&self) -> PyResult<IndependenceMethod> {
        use IndependenceMethod as Method;
        let methods = [
            ("permutation", Method::Permutation),
            ("exact", Method::Exact),
            ("sequential", Method::Sequential),
            ("gamma", Method::Gamma),
            ("aggregated", Method::Aggregated { wild: self.wild }),
            ("features", Method::Features(self.n_components)),
        ];
        choice("method", &self.method, &methods)
    }
}

/// The methods by their names.
fn two_sample_method(name: &str, given: &TwoSampleChoices, estimator: Estimator) -> PyResult<TwoSampleMethod> {
    use TwoSampleMethod as Method;
    let bound = if estimator == Estimator::Unbiased { Method::UnbiasedBound } else { Method::BiasedBound };
    let weights = choice("weights", &given.weights, &WEIGHTS)?;
    let methods = [
        ("permutation", Method::Permutation),
        ("exact", Method::Exact),
        ("paired", Method::Paired),
        ("sequential", Method::Sequential),
        ("gamma", Method::Gamma),
        ("spectral", Method::Spectral),
        ("bound", bound),
        ("linear", Method::Linear),
        ("block", Method::Block(given.block_size)),
        ("aggregated", Method::Aggregated { weights, wild: given.wild }),
        ("fused", Method::Fused),
        ("split", Method::Split),
        ("features", Method::Features(given.n_components)),
    ];
    choice("method", name, &methods)
}

/// Two-sample tests: do two samples have the same distribution?
#[pyfunction]
#[pyo3(signature = (X, Y, kernel, method, permutations, level, choices, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn two_sample_test<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    Y: &Bound<'py, PyAny>,
    kernel: Option<&PyKernel>,
    method: &str,
    permutations: usize,
    level: f64,
    choices: TwoSampleChoices,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (kernel, samples) = TwoSamples::read(kernel.map(|k| k.0.clone()), X, Y)?;
    let test = choices.test(kernel, method, permutations, level)?;
    let options = Options::read(options)?;
    let outcome = match &samples {
        TwoSamples::Points(x, y) => {
            let (x, y) = (x.points(), y.points());
            run(py, &options, || test.test(x, y, &options.compute))?
        }
        TwoSamples::Gram(values, first) => {
            let values = Points::Precomputed(values.view());
            run(py, &options, || test.test_pooled(values, *first, &options.compute))?
        }
    };
    as_dict(py, &outcome)
}

/// Which columns of two samples differ? For each its squared MMD, its adjusted p-value and its
/// test.
#[pyfunction]
#[pyo3(signature = (X, Y, kernel, method, permutations, level, correction, choices, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn column_tests<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    Y: &Bound<'py, PyAny>,
    kernel: Option<&PyKernel>,
    method: &str,
    permutations: usize,
    level: f64,
    correction: &str,
    choices: TwoSampleChoices,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<(f64, f64, Bound<'py, PyDict>)>> {
    let (first, second, options) = (Matrix::read(X, "X")?, Matrix::read(Y, "Y")?, Options::read(options)?);
    first.check_same_names(&second)?;
    let test = choices.test(kernel.map(|k| k.0.clone()), method, permutations, level)?;
    let (x, y, correction) = (first.view(), second.view(), choice("correction", correction, &CORRECTIONS)?);
    let found = run(py, &options, || test.by_column(x, y, correction, &options.compute))?;
    found.iter().map(|c| Ok((c.mmd, c.adjusted, as_dict(py, &c.outcome)?))).collect()
}

/// Are two variables independent?
#[pyfunction]
#[pyo3(signature = (X, Y, kernel_x, kernel_y, permutations, level, choices, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn independence_test<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    Y: &Bound<'py, PyAny>,
    kernel_x: Option<&PyKernel>,
    kernel_y: Option<&PyKernel>,
    permutations: usize,
    level: f64,
    choices: IndependenceChoices,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (first, second) = (variable(kernel_x, X, "X")?, variable(kernel_y, Y, "Y")?);
    let test = Independence {
        kernel_x: kernel_x.map(|_| first.kernel.clone()),
        kernel_y: kernel_y.map(|_| second.kernel.clone()),
        method: choices.method()?,
        estimator: choice("estimator", &choices.estimator, &HSIC)?,
        permutations,
        level,
        strata: choices.strata,
    };
    let (x, y, options) = (first.points(), second.points(), Options::read(options)?);
    let outcome = run(py, &options, || test.test(x, y, &options.compute))?;
    as_dict(py, &outcome)
}

/// Are several variables jointly independent, or: do three interact?
#[pyfunction]
#[pyo3(signature = (variables, kernels, interaction, permutations, level, **options))]
pub fn joint_test<'py>(
    py: Python<'py>,
    variables: Vec<Bound<'py, PyAny>>,
    kernels: Vec<PyRef<'py, PyKernel>>,
    interaction: bool,
    permutations: usize,
    level: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (data, options) = (read_variables(&variables, &kernels)?, Options::read(options)?);
    let kernels: Vec<Kernel> = data.iter().map(|d| d.kernel.clone()).collect();
    let points: Vec<Points<'_>> = data.iter().map(KernelData::points).collect();
    let outcome = run(py, &options, || match (interaction, <[Points<'_>; 3]>::try_from(points.as_slice())) {
        (true, Ok(three)) => {
            let kernels = <[Kernel; 3]>::try_from(kernels).ok();
            Interaction { kernels, permutations, level }.test(three, &options.compute)
        }
        _ => JointIndependence { kernels: Some(kernels), permutations, level }.test(&points, &options.compute),
    })?;
    as_dict(py, &outcome)
}

/// Are two variables independent given a third?
#[pyfunction]
#[pyo3(signature = (X, Y, Z, kernel_x, kernel_y, smoothing, method, permutations, level, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn conditional_independence_test<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    Y: &Bound<'py, PyAny>,
    Z: &Bound<'py, PyAny>,
    kernel_x: Option<&PyKernel>,
    kernel_y: Option<&PyKernel>,
    smoothing: Option<(PyRef<'py, PyKernel>, f64)>,
    method: &str,
    permutations: usize,
    level: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let read = |kernel: Option<&PyKernel>, value, what| PointsInput::read(kernel.map(|k| &k.0), value, what);
    let (first, second) = (read(kernel_x, X, "X")?, read(kernel_y, Y, "Y")?);
    let third = read(smoothing.as_ref().map(|(kernel, _)| &**kernel), Z, "Z")?;
    let named = |kernel: Option<&PyKernel>, of: &PointsInput<'_>| kernel.map(|k| of.name_columns(&k.0)).transpose();
    let smoothing = match smoothing {
        Some((kernel, ridge)) => {
            ConditionalSmoothing::Fixed { kernel: third.name_columns(&kernel.0).map_err(to_python)?, ridge }
        }
        None => ConditionalSmoothing::LeaveOneOut,
    };
    let test = ConditionalIndependence {
        kernel_x: named(kernel_x, &first).map_err(to_python)?,
        kernel_y: named(kernel_y, &second).map_err(to_python)?,
        smoothing,
        method: choice("method", method, &CONDITIONAL)?,
        permutations,
        level,
    };
    let (x, y, z, options) = (first.points(), second.points(), third.points(), Options::read(options)?);
    let outcome = run(py, &options, || test.test(x, y, z, &options.compute))?;
    as_dict(py, &outcome)
}

/// Is a sample from the density with these scores?
#[pyfunction]
#[pyo3(signature = (X, scores, kernel, estimator, permutations, level, **options))]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub fn goodness_of_fit_test<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    scores: &Bound<'py, PyAny>,
    kernel: Option<&PyKernel>,
    estimator: &str,
    permutations: usize,
    level: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (sample, scores, options) = (Matrix::read(X, "X")?, Matrix::read(scores, "score")?, Options::read(options)?);
    let estimator = choice("estimator", estimator, &QUADRATIC)?;
    let (x, s, kernel) = (sample.view(), scores.view(), kernel.map(|k| k.0.clone()));
    let outcome = run(py, &options, || {
        let kernel = stein_kernel(kernel.as_ref(), x, &options.compute)?;
        GoodnessOfFit { kernel, estimator, permutations, level }.test(x, s, &options.compute)
    })?;
    as_dict(py, &outcome)
}

/// A variable with its kernel, or with the one that stands in for a choice that the library makes.
fn variable<'py>(kernel: Option<&PyKernel>, x: &Bound<'py, PyAny>, what: &str) -> PyResult<KernelData<'py>> {
    match kernel {
        Some(kernel) => KernelData::variable(&kernel.0, x, what),
        None => KernelData::unnamed(x, what),
    }
}

/// The outcome field by field; `TestResult` gives the fields their names.
pub fn as_dict<'py>(py: Python<'py>, outcome: &TestOutcome) -> PyResult<Bound<'py, PyDict>> {
    let (fields, details) = (PyDict::new(py), PyDict::new(py));
    for (name, value) in &outcome.details {
        details.set_item(name, value)?;
    }
    fields.set_item("statistic", outcome.statistic)?;
    fields.set_item("p_value", outcome.p_value)?;
    fields.set_item("reject", outcome.reject)?;
    fields.set_item("level", outcome.level)?;
    fields.set_item("method", &outcome.method)?;
    fields.set_item("n_permutations", outcome.permutations)?;
    fields.set_item("exact", outcome.exact)?;
    fields.set_item("stopped_early", outcome.stopped_early)?;
    fields.set_item("remark", outcome.remark())?;
    fields.set_item("null", outcome.null.as_ref().map(|null| PyArray1::from_slice(py, null)))?;
    fields.set_item("threshold", outcome.threshold)?;
    fields.set_item("seed", outcome.seed.0)?;
    fields.set_item("kernel", &outcome.kernel)?;
    fields.set_item("p_interval", outcome.p_interval)?;
    fields.set_item("details", details)?;
    Ok(fields)
}
