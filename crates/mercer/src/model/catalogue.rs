//! The catalogue of learners: a line for each.

use crate::learn::{binned, gaussian_process, logistic, machine, multiple, ridge, smoother, spline, streamed, svm};
use crate::learner::LearnerEntry;
use crate::view;

/// All learners, in the order of the documentation.
pub static LEARNERS: &[&LearnerEntry] = &[
    &ridge::entry::ENTRY,
    &gaussian_process::entry::ENTRY,
    &gaussian_process::entry::SPARSE,
    &gaussian_process::entry::SHARED,
    &spline::entry::ENTRY,
    &smoother::entry::ENTRY,
    &logistic::entry::ENTRY,
    &svm::entry::SVC,
    &svm::entry::SVR,
    &svm::entry::ONE_CLASS,
    &machine::entry::ENTRY,
    &machine::entry::QUANTILES,
    &binned::entry::VALUES,
    &binned::entry::CLASSES,
    &streamed::entry::ENTRY,
    &streamed::logistic::entry::ENTRY,
    &multiple::RIDGE_ENTRY,
    &multiple::SVC_ENTRY,
    &multiple::ONE_CLASS_ENTRY,
    &view::features::entry::FOURIER,
    &view::features::entry::BINNING,
    &view::features::entry::NYSTROM,
    &view::features::entry::EMPIRICAL,
    &view::features::entry::EXPLICIT,
    &view::pca::ENTRY,
    &view::streamed::pca::entry::ENTRY,
    &view::kmeans::entry::ENTRY,
    &view::streamed::kmeans::entry::ENTRY,
    &view::spectral::entry::ENTRY,
    &view::cca::ENTRY,
    &view::ica::ENTRY,
    &view::coupled::ENTRY,
    &view::scaling::ENTRY,
];

/// The learner of this name.
pub fn learner(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().find(|entry| entry.name == name).copied()
}
