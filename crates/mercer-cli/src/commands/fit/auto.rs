//! `mercer fit auto`: runs the search of the library over learners and kernels, and reports the best
//! on all rows.

use mercer::learn::spline::SplineFit;
use mercer::learn::{LogisticRegression, RidgeFit, Svc};
use mercer::learner::{FitInput, Targets};
use mercer::model::AnyFit;
use mercer::points::Scaling;
use mercer::select::{Criterion, Search, SearchChoice};

use super::choice::Choice;
use super::training::Goal;
use super::{Outcome, Training, logistic, ridge, spline, svm};
use crate::arguments::{AutoArguments, FoldWords, TaskWord};
use crate::failure::Failure;
use crate::session::Session;

/// Default number of folds of the selection of a classifier.
const FOLDS: u64 = 5;
const WITHOUT_DIAGNOSTICS: &str =
    "Leave-one-out residuals of so many rows would take several times as long as the fit: --diagnostics computes them.";

/// Fits whatever predicts best.
pub fn fit(words: &AutoArguments, session: &Session) -> Result<Outcome, Failure> {
    let mut training = read(words, session)?;
    let task = if training.classes.is_some() { "classes" } else { "numbers" };
    let search = search(words);
    let mut chosen = session.search(|compute| search.choose(&input(&training), compute))?;
    training.remarks.append(&mut chosen.remarks);
    let mut outcome = report(&search, chosen, training, session)?;
    outcome.json.insert("task".into(), task.into());
    Ok(outcome)
}

/// The search of the arguments.
pub fn search(words: &AutoArguments) -> Search {
    Search {
        criterion: words.cv,
        folds: fold_words(words).cv as usize,
        screening: !words.no_screening,
        rows: words.sample,
        diagnostics: words.diagnostics.then_some(true),
        ..Search::default()
    }
}

/// The data as the library takes it.
fn input(training: &Training) -> FitInput<'_> {
    let targets = match &training.classes {
        Some(classes) => Targets::Classes(classes.of(), classes.names()),
        None => Targets::Values(training.y.view()),
    };
    FitInput::points(training.points()).with_targets(targets)
}

/// The learner that was chosen, on all rows, with its report.
fn report(search: &Search, chosen: SearchChoice, training: Training, session: &Session) -> Result<Outcome, Failure> {
    let settings = &chosen.settings;
    let choice = chosen.report.clone().map(Choice);
    match chosen.entry.name {
        "svc" => {
            let spec = Svc::new(settings.kernel("kernel")?, settings.number("C")?);
            svm::outcome("auto", &spec, training, choice, session)
        }
        "logistic" => {
            let spec = LogisticRegression::new(settings.kernel("kernel")?, settings.number("lambda")?);
            logistic::outcome("auto", &spec, training, choice, session)
        }
        _ => {
            let fit: AnyFit = chosen.fit(&input(&training), &session.compute_rest())?.into();
            match fit.downcast_ref::<SplineFit>() {
                Some(fit) => spline::outcome("auto", fit.clone(), training, choice),
                None => ridge_outcome(search, fit.take::<RidgeFit>(), training, choice),
            }
        }
    }
}

fn ridge_outcome(
    search: &Search,
    fit: Option<RidgeFit>,
    training: Training,
    choice: Option<Choice>,
) -> Result<Outcome, Failure> {
    let fit = fit.ok_or_else(|| Failure::request("the search chose a learner without a report"))?;
    let diagnosed = search.has_diagnostics(training.rows());
    let mut outcome = ridge::outcome("auto", fit, training, choice)?;
    if !diagnosed {
        outcome.remarks.push(WITHOUT_DIAGNOSTICS.into());
    }
    Ok(outcome)
}

/// The data, standardized.
pub fn read(words: &AutoArguments, session: &Session) -> Result<Training, Failure> {
    let goal = match words.task {
        None => Goal::Either,
        Some(TaskWord::Classes) => Goal::Classes,
        Some(TaskWord::Numbers) => Goal::Numbers,
    };
    Training::read_for(goal, &words.training, None, None, Scaling::Standardize, session)
}

/// The words of a choice by folds, of which this learner has only some.
pub fn fold_words(words: &AutoArguments) -> FoldWords {
    let cv = if let Criterion::Folds(k) = words.cv { k as u64 } else { FOLDS };
    FoldWords { lengthscales: Vec::new(), cv, sample: words.sample }
}
