//! `mercer fit logistic`.

use mercer::Kernel;
use mercer::learn::{LogisticFit, LogisticRegression};
use mercer::model::Model;
use mercer::select::{ClassLoss, FoldSearch, HeldOutLogistic, Measure};
use mercer::solve::Stopped;
use serde_json::{Map, Value, json};

use super::choice::{self, Choice};
use super::folds::{self, Part};
use super::ridge::ran;
use super::streamed;
use super::svm::{quality, reason, scaling};
use super::training::Goal;
use super::{Outcome, Training};
use crate::arguments::{LogisticArguments, NewtonWord, explicit_kernel};
use crate::failure::Failure;
use crate::numbers::{json as number, json_list, short};
use crate::session::Session;

/// Runs the command.
pub fn fit(words: &LogisticArguments, session: &Session) -> Result<Outcome, Failure> {
    if let Some(reason) = streamed::logistic::reason(words, session) {
        return streamed::logistic::fit(words, reason, session);
    }
    words.stream.without_effect().map_or(Ok(()), |refusal| Err(Failure::request(refusal)))?;
    let training = read(words, session)?;
    let rows = choice::rows(&training, words.folds.sample.unwrap_or(folds::FEW_ROWS), session);
    let parameters = (folds::lambdas(words.lambda, &words.lambdas), "lambda");
    let search = folds::search(&words.kernel, &words.folds, parameters, &training, &rows, &session.compute)?;
    let base = specification(words, &training, "gaussian()".parse()?, 1.0)?;
    if let Some((kernel, lambda)) = folds::only(&search) {
        let spec = LogisticRegression { kernel, lambda, ..base };
        return outcome("logistic", &spec, training, None, session);
    }
    let part = Part::of(&training, &affordable(&base, &search, words, &training, rows, session)?);
    let how = (Measure::LogLoss, "λ");
    let labels = part.labels();
    let held = held_out(&base, &part, &labels, ClassLoss::Log);
    let (chosen, choice) = folds::choose("logistic", &search, &held, (&part, training.rows()), how, session)?;
    let spec = LogisticRegression { kernel: chosen.kernel, lambda: chosen.parameter, ..base };
    outcome("logistic", &spec, training, Some(choice), session)
}

/// The regression on the rows of a choice.
pub fn held_out<'d>(
    spec: &LogisticRegression,
    part: &'d Part,
    labels: &'d [usize],
    loss: ClassLoss,
) -> HeldOutLogistic<'d> {
    HeldOutLogistic { spec: spec.clone(), x: part.x.as_points(), labels, weights: part.weights(), loss }
}

/// The rows of a choice, fewer where many classes would make it long; all requested.
fn affordable(
    base: &LogisticRegression,
    search: &FoldSearch,
    words: &LogisticArguments,
    training: &Training,
    rows: Vec<usize>,
    session: &Session,
) -> Result<Vec<usize>, Failure> {
    if words.folds.sample.is_some() {
        return Ok(rows);
    }
    let part = Part::of(training, &rows);
    let labels = part.labels();
    let held = held_out(base, &part, &labels, ClassLoss::Log);
    let count = held.affordable_rows(rows.len(), search.grid_fits(), folds::OPERATIONS, &session.compute)?;
    Ok(choice::rows(training, count, session))
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &LogisticArguments, session: &Session) -> Result<Training, Failure> {
    let (weights, kernel) = (words.weights.as_deref(), explicit_kernel(&words.kernel));
    Training::read_for(Goal::Classes, &words.training, weights, kernel, scaling(&words.kernel), session)
}

/// The specification from the arguments, with this kernel and λ.
pub fn specification(
    words: &LogisticArguments,
    training: &Training,
    kernel: Kernel,
    lambda: f64,
) -> Result<LogisticRegression, Failure> {
    let base = LogisticRegression::new(kernel, lambda);
    Ok(LogisticRegression {
        intercept: !words.no_intercept,
        class_weights: folds::class_weights(&words.class_weight, training.classes()?)?,
        max_iterations: words.max_iter.unwrap_or(base.max_iterations),
        tolerance: words.tol.unwrap_or(base.tolerance),
        solver: words.solver.into(),
        centers: words.centers.centers(words.solver == NewtonWord::Centers),
        ..base
    })
}

/// The regression on all rows with its report.
pub fn outcome(
    learner: &'static str,
    spec: &LogisticRegression,
    training: Training,
    choice: Option<Choice>,
    session: &Session,
) -> Result<Outcome, Failure> {
    let weights = training.weights.as_ref().map(|w| w.view());
    let classes = training.classes()?;
    let fit = session.anytime(|compute| spec.fit(training.points(), classes.of(), weights, compute))?;
    let names = classes.names().to_vec();
    let (facts, json, remarks) = (facts(&fit), json_of(&fit), notes(&fit));
    let model = Model::new(fit, training.inputs.clone())?.with_classes(names)?;
    let model = model.with_note("command", format!("mercer fit {learner}"));
    let class_quality = Some(quality(&model, &training, &session.compute)?);
    let (quality, figures, tables) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

fn notes(fit: &LogisticFit) -> Vec<String> {
    let evidence = fit.evidence();
    if evidence.stopped == Stopped::Converged {
        return Vec::new();
    }
    vec![format!(
        "The solver did not converge ({}, {} steps): the objective is within {} of the optimum. Raise --max-iter.",
        reason(evidence.stopped),
        evidence.iterations,
        short(evidence.gap)
    )]
}

fn facts(fit: &LogisticFit) -> Vec<(&'static str, String)> {
    let evidence = fit.evidence();
    vec![
        ("kernel", fit.kernel().short()),
        ("λ", short(fit.lambda())),
        ("classes", fit.classes().to_string()),
        ("objective", format!("{} (duality gap {})", short(evidence.objective), short(evidence.gap))),
        ("norm of f", short(evidence.squared_norm.max(0.0).sqrt())),
        ("steps", format!("{}, {}", evidence.iterations, reason(evidence.stopped))),
        ("plan", plan(fit)),
    ]
}

fn plan(fit: &LogisticFit) -> String {
    ran(fit.plan().solver, &fit.plan().reason, fit.plan().approximation())
}

fn json_of(fit: &LogisticFit) -> Map<String, Value> {
    let evidence = fit.evidence();
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("lambda", number(fit.lambda())),
        ("intercept", json_list(fit.intercept().iter())),
        ("objective", number(evidence.objective)),
        ("duality_gap", number(evidence.gap)),
        ("violation", number(evidence.violation)),
        ("steps", json!(evidence.iterations)),
        ("stopped", json!(reason(evidence.stopped))),
        ("probabilities", json!(true)),
        ("centers", json!(fit.plan().centers)),
        ("plan", json!(plan(fit))),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
