//! The Python door of Mercer: newtypes around the library, arrays in and out, errors with their kind. No mathematics.

mod catalogue;
mod data;
mod definiteness;
mod effects;
mod errors;
mod features;
mod function;
mod gaussian_process;
mod input;
mod kernel;
mod model;
mod options;
mod parameters;
mod process;
mod progress;
mod ridge;
mod run;
mod search;
mod smoother;
mod spline;
mod tuner;

use pyo3::prelude::*;

/// The compiled part of the package `mercer`.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("NotPositiveDefiniteError", module.py().get_type::<errors::NotPositiveDefiniteError>())?;
    module.add_class::<kernel::PyKernel>()?;
    module.add_class::<function::PyFunction>()?;
    module.add_class::<definiteness::PyCounterexample>()?;
    module.add_class::<definiteness::PyCheck>()?;
    module.add_class::<definiteness::PyRepaired>()?;
    module.add_function(wrap_pyfunction!(definiteness::repair, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(function::_restore_function, module)?)?;
    module.add_function(wrap_pyfunction!(options::_after_fork, module)?)?;
    add_learners(module)
}

/// Specifications and fits; the estimators of the package stand on them.
fn add_learners(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ridge::PyRidge>()?;
    module.add_class::<ridge::PyRidgeFit>()?;
    module.add_class::<search::PyRidgeSearch>()?;
    module.add_class::<search::PyRidgeSearchFit>()?;
    module.add_class::<tuner::PyRidgeTuner>()?;
    module.add_class::<gaussian_process::PyGaussianProcess>()?;
    module.add_class::<gaussian_process::PyGaussianProcessFit>()?;
    module.add_class::<spline::PySpline>()?;
    module.add_class::<spline::PySplineFit>()?;
    module.add_class::<smoother::PySmoother>()?;
    module.add_class::<smoother::PyLocalFit>()?;
    module.add_class::<features::PyFeatures>()?;
    module.add_function(wrap_pyfunction!(features::fourier_bound, module)?)?;
    module.add_function(wrap_pyfunction!(features::fourier_components, module)?)?;
    module.add_function(wrap_pyfunction!(features::binning_bound, module)?)?;
    module.add_function(wrap_pyfunction!(search::median_lengthscales, module)?)?;
    module.add_class::<model::PyInputs>()?;
    module.add_function(wrap_pyfunction!(model::save_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::load_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::_restore_fit, module)?)?;
    Ok(())
}
