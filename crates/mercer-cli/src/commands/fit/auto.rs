//! `mercer fit auto`: selects among kernels (and a spline for one column) and fits the best on all
//! rows.

use mercer::learn::spline::SmoothingSpline;
use mercer::learn::svm::{Penalty, Svc};
use mercer::learn::{LogisticRegression, Ridge};
use mercer::points::Scaling;
use mercer::select::{ClassLoss, Criterion, FoldSearch, HeldOutSvc, RidgeFinals, RidgeSearch};
use mercer::{Error, Kernel, Result};
use ndarray::Axis;

use super::choice::{self, Candidate, Choice, Measure, Winner};
use super::folds::{self, Part};
use super::training::Goal;
use super::{Outcome, Training, logistic, ridge, spline, svm};
use crate::arguments::{AutoArguments, FoldWords, TaskWord};
use crate::failure::Failure;
use crate::numbers::{digits, grouped, short};
use crate::session::Session;

/// Kernels with a lengthscale.
const SMOOTH: [&str; 4] = ["gaussian()", "matern(nu=1/2)", "matern(nu=3/2)", "matern(nu=5/2)"];
/// An additive kernel is tried for at most this many coordinates.
const FEW: usize = 10;

/// Rows of a search whose best candidates are compared again on more rows.
const FIRST_ROWS: usize = 400;

/// Rows up to which the leave-one-out residuals of the winner are computed without being requested:
/// beyond, they take most of the time.
pub const DIAGNOSED: usize = 4000;
/// The accuracy of the winner on many rows: the fitted values differ from those of an exact solution
/// by a thousandth of the residuals, in root mean square.
const ENOUGH: f64 = 1e-3;
const WITHOUT_DIAGNOSTICS: &str =
    "Leave-one-out residuals of so many rows would take several times as long as the fit: --diagnostics computes them.";

/// Fits whatever predicts best.
pub fn fit(words: &AutoArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let task = if training.classes.is_some() { "classes" } else { "numbers" };
    let mut outcome = match training.classes {
        Some(_) => classes(words, training, session),
        None => numbers(words, training, session),
    }?;
    outcome.json.insert("task".into(), task.into());
    Ok(outcome)
}

/// Whether the best candidates are compared again on more rows: where there are many, and the
/// request does not say how to select.
pub fn is_compared(words: &AutoArguments, rows: usize) -> bool {
    rows >= RidgeFinals::ROWS && words.sample.is_none() && words.cv == Criterion::LeaveOneOut && !words.no_screening
}

/// Rows of the search for a regression.
pub fn sample(words: &AutoArguments, rows: usize) -> usize {
    let most = if is_compared(words, rows) { FIRST_ROWS } else { folds::FEW_ROWS };
    words.sample.unwrap_or(most)
}

/// The best regression.
fn numbers(words: &AutoArguments, training: Training, session: &Session) -> Result<Outcome, Failure> {
    let rows = choice::rows(&training, sample(words, training.rows()), session);
    if is_long_line(&training, &rows) {
        return long_line(training, session);
    }
    let (winner, mut choice) = kernels(words, &training, &rows, session)?;
    let line = spline_candidate(words, &training, &rows, session);
    choice.extend(line.as_ref().map(|(_, candidate)| candidate.clone()));
    match line {
        Some((fit, candidate)) if candidate.score < winner.score => {
            spline::outcome("auto", fit, training, Some(choice))
        }
        _ => {
            let diagnostics = words.diagnostics || training.rows() <= DIAGNOSED;
            let spec =
                Ridge { intercept: true, diagnostics, tolerance: ENOUGH, ..Ridge::new(winner.kernel, winner.lambda) };
            let fit = ridge::on_all_rows(&spec, &training, &session.compute_rest())?;
            let mut outcome = ridge::outcome("auto", fit, training, Some(choice))?;
            if !diagnostics {
                outcome.remarks.push(WITHOUT_DIAGNOSTICS.into());
            }
            Ok(outcome)
        }
    }
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

/// Default number of folds of the selection of a classifier.
const FOLDS: u64 = 5;

/// A machine, and logistic regression on the rows on which its first grid was scored, by the errors
/// of folds.
fn classes(words: &AutoArguments, mut training: Training, session: &Session) -> Result<Outcome, Failure> {
    let folds = fold_words(words);
    let rows = choice::rows(&training, words.sample.unwrap_or(folds::MANY_ROWS), session);
    let part = Part::of(&training, &rows);
    let of_part = part.classes(training.classes()?)?;
    let parameters = (folds::cs(None, &[]), "C");
    let search = folds::search("auto", &folds, parameters, &training, &rows, &session.compute)?;
    let svc = Svc::new("gaussian()".parse()?, 1.0);
    let held = HeldOutSvc { spec: svc.clone(), x: part.x.as_points(), classes: &of_part, weights: None };
    let how = (Measure::WrongClasses, "C or λ");
    let (svm, tried) = folds::choose(&search, &held, (&part, training.rows()), how, session)?;
    let few: Vec<usize> =
        search.screening_rows(of_part.of(), &session.compute).into_iter().map(|at| rows[at]).collect();
    // Where no row is wrong nothing is better.
    let perfect = svm.screened_score == 0.0 || svm.score == 0.0;
    let also = if perfect { None } else { likelihoods(&search, &folds, &training, &few, session)? };
    let tried = tried.renamed("svm");
    // Of equals the one with probabilities by construction.
    match also {
        Some((likely, also)) if likely.score <= svm.screened_score => {
            let choice = also.renamed("logistic").join(tried, false);
            let spec = LogisticRegression::new(likely.kernel, likely.parameter);
            logistic::outcome("auto", &spec, training, Some(choice), session)
        }
        also => {
            if also.is_none() && !perfect {
                training.remarks.push(NOT_TRIED.into());
            }
            if few.len() < svm.rows {
                training.remarks.push(format!(
                    "The support vector machine was selected on {} rows: {}, C = {}, cross-validated error {} %.",
                    grouped(svm.rows as u64),
                    svm.kernel,
                    short(svm.parameter),
                    digits(100.0 * svm.score, 3)
                ));
            }
            let choice = match also {
                Some((_, also)) => tried.join(also.renamed("logistic"), false),
                None => tried,
            };
            let spec = Svc { kernel: svm.kernel, penalty: Penalty::C(svm.parameter), ..svc };
            svm::outcome("auto", &spec, training, Some(choice), session)
        }
    }
}

const NOT_TRIED: &str = "Logistic regression was skipped because of the number of classes (use mercer fit logistic).";

/// The words of a choice by folds, of which this learner has only some.
pub fn fold_words(words: &AutoArguments) -> FoldWords {
    let cv = if let Criterion::Folds(k) = words.cv { k as u64 } else { FOLDS };
    FoldWords { lengthscales: Vec::new(), cv, sample: words.sample }
}

/// The best logistic regression by its errors on a few rows; none where that takes long.
fn likelihoods(
    svms: &FoldSearch,
    folds: &FoldWords,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<Option<(folds::Chosen, Choice)>, Failure> {
    let parameters = (folds::lambdas(None, &[]), "lambda");
    let search = folds::search("auto", folds, parameters, training, rows, &session.compute)?;
    let search = FoldSearch { lengthscales: svms.lengthscales.clone(), screening: rows.len(), ..search };
    let part = Part::of(training, rows);
    let labels = part.labels();
    let spec = LogisticRegression::new("gaussian()".parse()?, 1.0);
    let held = logistic::held_out(&spec, &part, &labels, ClassLoss::Wrong);
    if held.affordable_rows(rows.len(), search.grid_fits(), folds::OPERATIONS, &session.compute)? < rows.len() {
        return Ok(None);
    }
    let how = (Measure::WrongClasses, "C or λ");
    folds::choose(&search, &held, (&part, training.rows()), how, session).map(Some)
}

/// The best kernel: all with a lengthscale in one search, the linear one by itself; for objects the
/// kernels of their kind.
fn kernels(
    words: &AutoArguments,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<(Winner, Choice), Failure> {
    let (criterion, screening) = (words.cv, !words.no_screening);
    let base =
        |kernels| RidgeSearch { criterion, screening, frugal: true, intercept: true, ..RidgeSearch::new(kernels) };
    let Some(x) = training.vectors() else {
        return choice::search(&base(training.object_kernels()?), training, rows, session);
    };
    let linear = choice::search(&base(vec!["linear()".parse()?]), training, rows, session)?;
    let mut kernels = SMOOTH.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?;
    kernels.extend(additive(training.columns())?);
    let x = x.select(Axis(0), rows);
    let search = match ridge::around_median(base(kernels), x.view(), &session.compute) {
        Ok(search) => search,
        // Fewer than two distinct points: there is no distance to measure by, and the linear kernel
        // has to do.
        Err(Error::AllEqual { .. } | Error::Overflow { .. }) => return Ok(linear),
        Err(other) => return Err(other.into()),
    };
    let smooth = if is_compared(words, training.rows()) {
        let search = RidgeSearch { refinements: 0, ..search };
        choice::search_twice(&search, training, rows, linear.0.score, session)?
    } else {
        choice::search(&search, training, rows, session)?
    };
    // Of equals the simpler one wins; what was compared on more rows has won before.
    let linear_won = !smooth.1.is_compared() && linear.0.score <= smooth.0.score;
    let choice = smooth.1.join(linear.1, linear_won);
    Ok((if linear_won { linear.0 } else { smooth.0 }, choice))
}

/// `Σⱼ gaussian` of one coordinate each, for two coordinates and more.
fn additive(columns: usize) -> Result<Option<Kernel>> {
    if !(2..=FEW).contains(&columns) {
        return Ok(None);
    }
    let terms: Vec<String> = (0..columns).map(|j| format!("on([{j}], gaussian())")).collect();
    terms.join(" + ").parse().map(Some)
}

/// Whether there is one column of numbers and more rows than enter a choice.
fn is_long_line(training: &Training, rows: &[usize]) -> bool {
    rows.len() < training.rows() && training.line().is_some() && training.targets.len() == 1
}

/// A spline, which takes all rows of a line in linear time.
fn long_line(mut training: Training, session: &Session) -> Result<Outcome, Failure> {
    let fit = spline::on(&SmoothingSpline::default(), &training, session)?;
    training.remarks.push("One column and many rows: a smoothing spline was fitted, exact and in linear time.".into());
    spline::outcome("auto", fit, training, None)
}

/// The spline as one more candidate, where all rows entered the choice and leave-one-out decides.
fn spline_candidate(
    words: &AutoArguments,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Option<(mercer::learn::spline::SplineFit, Candidate)> {
    let fits = training.line().is_some() && training.targets.len() == 1 && rows.len() == training.rows();
    if !fits || words.cv != Criterion::LeaveOneOut {
        return None;
    }
    // Too few distinct places for a spline: kernels remain.
    let fit = spline::on(&SmoothingSpline::default(), training, session).ok()?;
    let score = fit.loo_score();
    let name = "cubic smoothing spline (GCV)".to_owned();
    let candidate = Candidate { family: name.clone(), name, lambda: Some(fit.lambda()), score };
    score.is_finite().then_some((fit, candidate))
}
