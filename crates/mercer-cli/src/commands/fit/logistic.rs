//! `mercer fit logistic`.

use mercer::learn::{LogisticFit, LogisticRegression};
use mercer::model::Model;
use mercer::solve::Stopped;
use mercer::{Compute, Kernel, Result};
use serde_json::{Map, Value, json};

use super::choice::{Choice, Measure};
use super::folds::{self, Part};
use super::ridge::ran;
use super::svm::{quality, reason, scaling};
use super::training::Goal;
use super::{Outcome, Training, choice};
use crate::arguments::{LogisticArguments, NewtonWord};
use crate::failure::Failure;
use crate::numbers::{json as number, json_list, short};
use crate::session::Session;

/// Fits as the words say.
pub fn fit(words: &LogisticArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let rows = choice::rows(&training, words.folds.sample, session);
    let kernels = folds::kernels(&words.kernel, &words.folds, &training, &rows, &session.compute)?;
    let parameters = folds::lambdas(words.lambda, &words.lambdas);
    let base = specification(words, &training, kernels[0].1.clone(), parameters[0])?;
    if kernels.len() * parameters.len() == 1 {
        return outcome("logistic", &base, training, None, session);
    }
    let (chosen, choice) = choose(&base, &kernels, &parameters, words, &training, &rows, session)?;
    let spec = LogisticRegression { kernel: chosen.kernel, lambda: chosen.parameter, ..base };
    outcome("logistic", &spec, training, Some(choice), session)
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &LogisticArguments, session: &Session) -> Result<Training, Failure> {
    Training::read_for(Goal::Classes, &words.training, words.weights.as_deref(), scaling(&words.kernel), session)
}

/// What the words ask for, with this kernel and λ.
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
        solver: words.solver.into(),
        centres: words.centres.centres(words.solver == NewtonWord::Centers),
        ..base
    })
}

/// The best kernel and λ by the log-loss of folds.
pub fn choose(
    base: &LogisticRegression,
    kernels: &[(String, Kernel)],
    parameters: &[f64],
    words: &LogisticArguments,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<(folds::Chosen, Choice), Failure> {
    let score = |kernel: &Kernel, others: &Part, held: &Part| {
        let spec = LogisticRegression { kernel: kernel.clone(), ..base.clone() };
        let fits = spec.path(parameters, others.x.view(), &others.labels(), others.weights(), &session.compute)?;
        fits.iter().map(|fit| log_loss(fit, held, &session.compute)).collect()
    };
    let how = (Measure::LogLoss, "λ");
    folds::choose(kernels, parameters, how, (training, rows, &words.folds), session, score)
}

fn log_loss(fit: &LogisticFit, held: &Part, compute: &Compute) -> Result<f64> {
    let p = fit.probabilities(held.x.view(), compute)?;
    let term = |(i, c): (usize, usize)| -p.get([i, c]).copied().unwrap_or(0.0).max(f64::MIN_POSITIVE).ln();
    Ok(held.labels().into_iter().enumerate().map(term).sum())
}

/// The regression on all rows, and all there is to say about it.
pub fn outcome(
    learner: &'static str,
    spec: &LogisticRegression,
    training: Training,
    choice: Option<Choice>,
    session: &Session,
) -> Result<Outcome, Failure> {
    let weights = training.weights.as_ref().map(|w| w.view());
    let classes = training.classes()?;
    let fit = spec.fit(training.x.view(), classes.of(), weights, &session.compute)?;
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
        ("kernel", fit.kernel().to_string()),
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
        ("centers", json!(fit.plan().centres)),
        ("plan", json!(plan(fit))),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
