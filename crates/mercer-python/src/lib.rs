//! The Python bindings of Mercer: newtypes around the library, arrays in and out, errors with their
//! kind. No mathematics.

mod automatic;
mod betting;
mod catalogue;
mod centers;
mod command;
mod conformal;
mod data;
mod definiteness;
mod diagnostics;
mod effects;
mod embedding;
mod errors;
mod features;
mod function;
mod gaussian_process;
mod hypothesis;
mod input;
mod kernel;
mod law;
mod learner;
mod libsvm;
mod logistic_stream;
mod losses;
mod measure;
mod model;
mod objects;
mod options;
mod parameters;
mod points;
mod process;
mod progress;
mod ridge;
mod run;
mod samples;
mod search;
mod shared_process;
mod sketch;
mod smoother;
mod sparse;
mod spectrum;
mod spline;
mod statistics;
mod streamed;
mod svc;
mod svm;
mod test_stream;
mod tuner;
mod view_stream;
mod views;

use pyo3::prelude::*;

/// The compiled part of the package `mercer`.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("NotPositiveDefiniteError", module.py().get_type::<errors::NotPositiveDefiniteError>())?;
    module.add_class::<kernel::PyKernel>()?;
    module.add_class::<objects::PyBags>()?;
    module.add_class::<objects::PyDiagrams>()?;
    module.add_class::<objects::PyGraphs>()?;
    module.add_class::<objects::PyObjects>()?;
    module.add_function(wrap_pyfunction!(objects::default_kernel, module)?)?;
    module.add_function(wrap_pyfunction!(objects::read_fasta, module)?)?;
    module.add_function(wrap_pyfunction!(objects::_restore_objects, module)?)?;
    module.add_function(wrap_pyfunction!(objects::_restore_graphs, module)?)?;
    module.add_class::<function::PyFunction>()?;
    module.add_class::<spectrum::PySpectrum>()?;
    module.add_class::<definiteness::PyCounterexample>()?;
    module.add_class::<definiteness::PyCheck>()?;
    module.add_class::<definiteness::PyRepaired>()?;
    module.add_function(wrap_pyfunction!(definiteness::repair, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(errors::error_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(function::_restore_function, module)?)?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    add_measures(module)?;
    add_learners(module)
}

/// Measures and tests; the functions of the package stand on them.
fn add_measures(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<embedding::PyMeanEmbedding>()?;
    module.add_class::<law::PyLawEmbedding>()?;
    module.add_class::<sketch::PyEmbeddingSketch>()?;
    module.add_class::<betting::PySequentialTwoSample>()?;
    module.add_function(wrap_pyfunction!(measure::mmd, module)?)?;
    module.add_function(wrap_pyfunction!(measure::mmd_witness, module)?)?;
    module.add_function(wrap_pyfunction!(measure::energy_distance, module)?)?;
    module.add_function(wrap_pyfunction!(measure::wasserstein, module)?)?;
    module.add_function(wrap_pyfunction!(measure::hsic, module)?)?;
    module.add_function(wrap_pyfunction!(measure::distance_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(measure::joint_statistic, module)?)?;
    module.add_function(wrap_pyfunction!(measure::stein_discrepancy, module)?)?;
    module.add_function(wrap_pyfunction!(measure::density_scores, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::two_sample_test, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::column_tests, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::independence_test, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::joint_test, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::conditional_independence_test, module)?)?;
    module.add_function(wrap_pyfunction!(hypothesis::goodness_of_fit_test, module)?)?;
    Ok(())
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
    module.add_class::<shared_process::PySharedProcessFit>()?;
    module.add_class::<shared_process::PyMatrixEvidence>()?;
    module.add_class::<spline::PySpline>()?;
    module.add_class::<spline::PySplineFit>()?;
    module.add_class::<smoother::PySmoother>()?;
    module.add_class::<smoother::PyLocalFit>()?;
    module.add_class::<svc::PySvc>()?;
    module.add_class::<svc::PySvcFit>()?;
    module.add_class::<svm::PySvm>()?;
    module.add_class::<svm::PySvmFit>()?;
    module.add_class::<losses::PyPenalized>()?;
    module.add_class::<losses::PyPenalizedFit>()?;
    module.add_class::<features::PyFeatures>()?;
    module.add_class::<statistics::PyRidgeStatistics>()?;
    module.add_class::<statistics::PyMeanStatistics>()?;
    module.add_class::<statistics::PyCovarianceStatistics>()?;
    module.add_class::<streamed::PyRidgeStream>()?;
    module.add_function(wrap_pyfunction!(streamed::sample_rows, module)?)?;
    module.add_class::<logistic_stream::PyLogisticStream>()?;
    module.add_class::<view_stream::PyViewStream>()?;
    module.add_class::<test_stream::PyTestStream>()?;
    module.add_class::<streamed::PyStreamedRidgeFit>()?;
    module.add_function(wrap_pyfunction!(features::fourier_bound, module)?)?;
    module.add_function(wrap_pyfunction!(features::fourier_components, module)?)?;
    module.add_function(wrap_pyfunction!(features::binning_bound, module)?)?;
    module.add_function(wrap_pyfunction!(search::median_lengthscales, module)?)?;
    module.add_class::<learner::PyLearner>()?;
    module.add_class::<learner::PyAnyFit>()?;
    module.add_function(wrap_pyfunction!(learner::learners, module)?)?;
    module.add_function(wrap_pyfunction!(views::coupled_matches, module)?)?;
    module.add_function(wrap_pyfunction!(views::cca_score, module)?)?;
    module.add_function(wrap_pyfunction!(views::cca_coefficients, module)?)?;
    module.add_function(wrap_pyfunction!(views::pca_preimage, module)?)?;
    module.add_function(wrap_pyfunction!(views::pca_scores, module)?)?;
    module.add_function(wrap_pyfunction!(views::pca_novelty, module)?)?;
    module.add_function(wrap_pyfunction!(views::ica_inverse, module)?)?;
    module.add_function(wrap_pyfunction!(views::ica_contrast, module)?)?;
    module.add_function(wrap_pyfunction!(views::amari_distance, module)?)?;
    module.add_class::<automatic::PyAutomaticSearch>()?;
    module.add_class::<conformal::PyCalibratedFit>()?;
    module.add_class::<conformal::PyFoldScores>()?;
    module.add_class::<conformal::PyCalibration>()?;
    module.add_function(wrap_pyfunction!(conformal::jackknife, module)?)?;
    module.add_function(wrap_pyfunction!(diagnostics::cook_distances, module)?)?;
    module.add_function(wrap_pyfunction!(diagnostics::calibration_bins, module)?)?;
    module.add_function(wrap_pyfunction!(diagnostics::interval_coverage, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::interval_ends, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::normal_ends, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::class_scores, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::margin_scores, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::stratified_folds, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::conformal_method, module)?)?;
    module.add_function(wrap_pyfunction!(conformal::conformal_guarantee, module)?)?;
    module.add_class::<model::PyInputs>()?;
    module.add_function(wrap_pyfunction!(libsvm::write_libsvm_model, module)?)?;
    module.add_function(wrap_pyfunction!(libsvm::read_libsvm_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::save_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::load_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::_restore_fit, module)?)?;
    Ok(())
}
