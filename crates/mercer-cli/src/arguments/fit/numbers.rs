//! Numbers on the command line, checked where they are read.

use mercer::select::Criterion;

use super::margins::ClassWeight;

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

/// ν, a part of the rows.
pub fn part(text: &str) -> Result<f64, String> {
    number(text).filter(|v| *v > 0.0 && *v <= 1.0).ok_or_else(|| "a number above 0 and at most 1 is needed".into())
}

/// `balanced`, or `class=factor`.
pub fn class_weight(text: &str) -> Result<ClassWeight, String> {
    if text == "balanced" {
        return Ok(ClassWeight::Balanced);
    }
    let found = text.rsplit_once('=').and_then(|(class, factor)| Some((class.trim().to_owned(), number(factor)?)));
    let factor = found.filter(|(_, factor)| *factor > 0.0).map(|(class, factor)| ClassWeight::Factor(class, factor));
    factor.ok_or_else(|| "balanced, or a class and its factor above 0, such as spam=2, is needed".into())
}

/// The probability of an interval.
pub fn level(text: &str) -> Result<f64, String> {
    let requested = "a probability between 0 and 1, such as 0.95, is needed";
    number(text).filter(|v| *v > 0.0 && *v < 1.0).ok_or_else(|| requested.into())
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
