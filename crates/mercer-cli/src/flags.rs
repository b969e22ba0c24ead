//! How the command line spells what the library names: the one table, and the advice that names
//! flags.

use mercer::Error;
use mercer::error::Requirement;

/// Parameters of the library and the flags that set them. A name that is not here is no flag, and
/// is shown as it is.
const FLAGS: &[(&str, &str)] = &[
    ("C", "-C"),
    ("bandwidth", "--bandwidth"),
    ("block_size", "--block"),
    ("buckets", "--buckets"),
    ("centers", "--centers"),
    ("class_weights", "--class-weight"),
    ("components", "--components"),
    ("degrees_of_freedom", "--df"),
    ("epsilon", "--epsilon"),
    ("fixed", "--fixed"),
    ("folds", "--cv"),
    ("format", "--format"),
    ("free", "--free"),
    ("inducing", "--centers"),
    ("kappa", "--kappa"),
    ("kernels", "--kernels"),
    ("lambda", "--lambda"),
    ("lambdas", "--lambdas"),
    ("landmarks", "--landmarks"),
    ("level", "--level"),
    ("levels", "--levels"),
    ("max_clusters", "--max-clusters"),
    ("memory", "--memory"),
    ("noise", "--noise"),
    ("nu", "--nu"),
    ("order", "--order"),
    ("period", "--period"),
    ("permutations", "--permutations"),
    ("reg", "--reg"),
    ("resume", "--resume"),
    ("threads", "--threads"),
    ("tolerance", "--tolerance"),
    ("weight_iterations", "--weight-iterations"),
    ("weight_tolerance", "--weight-tolerance"),
];

/// The flag that sets a parameter of the library.
pub fn flag(parameter: &str) -> Option<&'static str> {
    FLAGS.iter().find(|(name, _)| *name == parameter).map(|(_, flag)| *flag)
}

/// The flag that helps whatever the command, as a sentence after the message.
pub fn advice(error: &Error) -> Option<&'static str> {
    match error {
        Error::Memory { .. } => Some("The limit is that of --memory."),
        _ => None,
    }
}

/// The same for data that is read with a rule for missing values.
pub fn advice_on_data(error: &Error) -> Option<&'static str> {
    match error {
        Error::Value { requirement: Requirement::Present, .. } => Some("Choose one with --missing drop, mean or zero."),
        _ => None,
    }
}

/// The same for a fit.
pub fn advice_on_fit(error: &Error) -> Option<&'static str> {
    match error {
        Error::Value { requirement: Requirement::Domain(range), .. } if range.contains(0.0) && range.contains(1.0) => {
            Some("Use --rescale to map every column onto [0, 1].")
        }
        Error::NotPositiveDefinite { .. } => {
            Some("Support vector machines (svm, svr, one-class) take it with --allow-indefinite.")
        }
        _ => None,
    }
}
