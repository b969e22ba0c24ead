//! Names in files of versions 1 and 2 that are spelled differently since version 3.

use crate::record::Record;

/// Old and new names of texts and arrays.
const NAMES: &[(&str, &str)] = &[
    ("centre", "center"),
    ("machine_bounded", "binary_bounded"),
    ("machine_support", "binary_support"),
    ("method_centres", "method_centers"),
    ("node_places", "node_positions"),
    ("optimisation_converged", "optimization_converged"),
    ("optimisation_evaluations", "optimization_evaluations"),
    ("optimisation_interrupted", "optimization_interrupted"),
    ("optimisation_iterations", "optimization_iterations"),
    ("optimisation_likelihoods", "optimization_likelihoods"),
    ("plan_centres", "plan_centers"),
    ("setting.centre_iterations", "setting.center_iterations"),
    ("setting.centre_tolerance", "setting.center_tolerance"),
    ("setting.centres", "setting.centers"),
    ("setting.optimise", "setting.optimize"),
    ("unpenalised_functions", "unpenalized_functions"),
];

/// Texts with a value that is one of a fixed list of words, with the old and the new word.
const WORDS: &[(&str, &str, &str)] = &[
    ("method", "centres", "centers"),
    ("plan_solver", "centres", "centers"),
    ("setting.solver", "\"centres\"", "\"centers\""),
    ("stopped", "cancelled", "canceled"),
];

/// Returns a record of an old version the names of the present one.
pub(super) fn rename(record: &mut Record) {
    for &(old, new) in NAMES {
        if let Some(text) = record.texts.remove(old) {
            record.texts.insert(new.into(), text);
        }
        if let Some(array) = record.arrays.remove(old) {
            record.arrays.insert(new.into(), array);
        }
    }
    for &(name, old, new) in WORDS {
        if let Some(text) = record.texts.get_mut(name) {
            *text = text.replace(old, new);
        }
    }
}
