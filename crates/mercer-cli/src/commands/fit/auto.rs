//! `mercer fit auto`: kernels (and for one column a spline) by their closed-form scores, and the winner on all rows.

use mercer::learn::spline::SmoothingSpline;
use mercer::learn::svm::{Penalty, Svc};
use mercer::learn::{LogisticRegression, Ridge};
use mercer::points::Scaling;
use mercer::select::{Criterion, RidgeSearch};
use mercer::{Error, Kernel, Result};
use ndarray::Axis;

use super::choice::{self, Candidate, Choice, Measure, Winner};
use super::folds::{self, Part};
use super::training::Goal;
use super::{Outcome, Training, logistic, ridge, spline, svm};
use crate::arguments::{AutoArguments, FoldWords};
use crate::failure::Failure;
use crate::session::Session;

/// Kernels with a lengthscale.
const SMOOTH: [&str; 4] = ["gaussian()", "matern(nu=1/2)", "matern(nu=3/2)", "matern(nu=5/2)"];
/// An additive kernel is tried for at most this many coordinates.
const FEW: usize = 10;

/// Fits whatever predicts best.
pub fn fit(words: &AutoArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    if training.classes.is_some() {
        return classes(words, training, session);
    }
    let rows = choice::rows(&training, words.sample, session);
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
            let spec = Ridge { intercept: true, ..Ridge::new(winner.kernel.clone(), winner.lambda) };
            let fit = ridge::finish(winner, &spec, &training, &session.compute)?;
            ridge::outcome("auto", fit, training, Some(choice))
        }
    }
}

/// The data, standardised.
pub fn read(words: &AutoArguments, session: &Session) -> Result<Training, Failure> {
    Training::read_for(Goal::Either, &words.training, None, Scaling::Standardize, session)
}

/// The folds of a choice among classes, unless the words ask for others.
const FOLDS: u64 = 5;

/// A machine against logistic regression, by the errors of folds.
fn classes(words: &AutoArguments, training: Training, session: &Session) -> Result<Outcome, Failure> {
    let cv = if let Criterion::Folds(k) = words.cv { k as u64 } else { FOLDS };
    let folds = FoldWords { lengthscales: Vec::new(), cv, sample: words.sample };
    let rows = choice::rows(&training, words.sample, session);
    let kernels = folds::kernels("auto", &folds, &training, &rows, &session.compute)?;
    let (cs, lambdas) = (folds::cs(None, &[]), folds::lambdas(None, &[]));
    let data = (&training, &rows[..], &folds);
    let svc = |kernel: &Kernel| Svc::new(kernel.clone(), 1.0);
    let regression = |kernel: &Kernel| LogisticRegression::new(kernel.clone(), 1.0);
    let likelihoods = |kernel: &Kernel, others: &Part, held: &Part| {
        let fits = regression(kernel).path(&lambdas, others.x.view(), &others.labels(), None, &session.compute)?;
        fits.iter().map(|fit| held.wrong(&fit.predict(held.x.view(), &session.compute)?)).collect()
    };
    let (machine, tried) = folds::choose_machine(&svc(&kernels[0].1), &kernels, &cs, "C or λ", data, session)?;
    let (likely, also) =
        folds::choose(&kernels, &lambdas, (Measure::WrongClasses, "C or λ"), data, session, likelihoods)?;
    let choice = tried.renamed("svm").join(also.renamed("logistic"), false);
    // Of equals the one with probabilities by construction.
    if machine.score < likely.score {
        let spec = Svc { penalty: Penalty::C(machine.parameter), ..svc(&machine.kernel) };
        return svm::outcome("auto", &spec, training, Some(choice), session);
    }
    let spec = LogisticRegression { lambda: likely.parameter, ..regression(&likely.kernel) };
    logistic::outcome("auto", &spec, training, Some(choice), session)
}

/// The best kernel: all with a lengthscale in one search, the linear one by itself.
fn kernels(
    words: &AutoArguments,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<(Winner, Choice), Failure> {
    let (criterion, race) = (words.cv, !words.no_race);
    let base = |kernels| RidgeSearch { criterion, race, intercept: true, ..RidgeSearch::new(kernels) };
    let linear = choice::search(&base(vec!["linear()".parse()?]), training, rows, session)?;
    let mut kernels = SMOOTH.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?;
    kernels.extend(additive(training.x.ncols())?);
    let x = training.x.select(Axis(0), rows);
    let search = match ridge::around_median(base(kernels), x.view(), &session.compute) {
        Ok(search) => search,
        // Fewer than two distinct points: there is no distance to measure by, and the linear kernel has to do.
        Err(Error::Request(_)) => return Ok(linear),
        Err(other) => return Err(other.into()),
    };
    let smooth = choice::search(&search, training, rows, session)?;
    // Of equals the simpler one wins.
    let linear_won = linear.0.score <= smooth.0.score;
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
    training.remarks.push("One column and many rows: a smoothing spline, exact and in linear time, was taken.".into());
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
