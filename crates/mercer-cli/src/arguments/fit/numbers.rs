//! Numbers on the command line, checked where they are read.

use mercer::select::Criterion;

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

/// λ and noise.
pub fn non_negative(text: &str) -> Result<f64, String> {
    number(text).filter(|v| *v >= 0.0).ok_or_else(|| "a finite number of at least 0 is needed".into())
}

/// Lengthscales, bandwidths, periods.
pub fn positive_number(text: &str) -> Result<f64, String> {
    number(text).filter(|v| *v > 0.0).ok_or_else(|| "a finite number above 0 is needed".into())
}

/// The probability of an interval.
pub fn level(text: &str) -> Result<f64, String> {
    let wanted = "a probability between 0 and 1, such as 0.95, is needed";
    number(text).filter(|v| *v > 0.0 && *v < 1.0).ok_or_else(|| wanted.into())
}

/// `loo`, `gcv` or a number of folds.
pub fn criterion(text: &str) -> Result<Criterion, String> {
    match text {
        "loo" => Ok(Criterion::LeaveOneOut),
        "gcv" => Ok(Criterion::Gcv),
        folds => match folds.parse() {
            Ok(folds) if folds >= 2 => Ok(Criterion::Folds(folds)),
            _ => Err("loo, gcv or a number of folds of at least 2 is needed".into()),
        },
    }
}
