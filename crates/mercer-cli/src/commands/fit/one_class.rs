//! `mercer fit one-class`.

use mercer::Kernel;
use mercer::learn::svm::{OneClass, OneClassFit};
use mercer::model::Model;
use serde_json::{Map, Value, json};

use super::svm::{evidence_facts, evidence_json, notes, scaling, solver, support_table};
use super::training::Goal;
use super::{Outcome, Training};
use crate::arguments::{OneClassArguments, explicit_kernel};
use crate::failure::Failure;
use crate::numbers::{json as number, json_list, short};
use crate::session::Session;

/// Runs the command.
pub fn fit(words: &OneClassArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let spec = specification(words, &training)?;
    let weights = training.weights.as_ref().map(|w| w.view());
    let fit = session.anytime(|compute| spec.fit(training.points(), weights, compute))?;
    let (facts, json, remarks) = (facts(&spec, &fit), json_of(&spec, &fit), notes(fit.evidence(), spec.indefinite));
    let sizes = fit.dual_coefficients().iter().map(|c| c.abs()).enumerate().collect();
    let tables = vec![support_table(fit.support(), fit.support_vectors(), sizes, None, &training)];
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", "mercer fit one-class");
    let (learner, quality, class_quality, choice, figures) = ("one-class", Vec::new(), None, None, Vec::new());
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &OneClassArguments, session: &Session) -> Result<Training, Failure> {
    let weights = words.svm.weights.as_deref();
    let kernel = explicit_kernel(&words.svm.kernel);
    Training::read_for(Goal::Nothing, &words.training, weights, kernel, scaling(&words.svm.kernel), session)
}

/// The specification from the arguments.
pub fn specification(words: &OneClassArguments, training: &Training) -> Result<OneClass, Failure> {
    let kernel = match explicit_kernel(&words.svm.kernel) {
        Some(text) => training.kernel(text)?,
        None => Kernel::default_of(training.points())?,
    };
    let (solver, indefinite) = (solver(&words.svm), words.svm.allow_indefinite);
    Ok(OneClass { solver, indefinite, ..OneClass::new(kernel, words.nu) })
}

fn outside(fit: &OneClassFit) -> usize {
    fit.fitted().iter().filter(|f| **f < 0.0).count()
}

fn facts(spec: &OneClass, fit: &OneClassFit) -> Vec<(&'static str, String)> {
    let n = fit.fitted().len();
    let mut facts = vec![
        ("kernel", fit.kernel().to_string()),
        ("ν", short(spec.nu)),
        ("outside", format!("{} of {n} rows", outside(fit))),
        ("support vectors", format!("{} of {n}", fit.support().len())),
    ];
    facts.extend(evidence_facts(fit.evidence()));
    facts
}

fn json_of(spec: &OneClass, fit: &OneClassFit) -> Map<String, Value> {
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("nu", number(spec.nu)),
        ("offset", number(fit.offset())),
        ("outside", json!(outside(fit))),
        ("support", json!(fit.support())),
        ("dual_coefficients", json_list(fit.dual_coefficients())),
    ];
    pairs.into_iter().chain(evidence_json(fit.evidence())).map(|(k, v)| (k.to_owned(), v)).collect()
}
