//! The catalogues of the library: names for completion, parameters for forms.

use mercer::kernel::catalogue;
use mercer::learner::{Goal, LearnerEntry, Parameter, ParameterKind, ViewCount};
use mercer::model::LEARNERS;
use serde_json::{Value, json};

/// Every kernel of the language.
pub fn kernels() -> Value {
    let parameter = |p: &catalogue::ParameterEntry| json!({ "name": p.name, "default": p.default, "range": p.range, "meaning": p.meaning });
    let one = |entry: &'static catalogue::Entry| {
        json!({
            "name": entry.name, "family": entry.family.title(), "formula": entry.formula,
            "domain": entry.domain.text(), "theory": entry.theory, "examples": entry.examples,
            "parameters": entry.parameters.iter().map(parameter).collect::<Vec<_>>(),
        })
    };
    catalogue::entries().map(one).collect()
}

/// The learners that take one sample of points.
pub fn learners() -> Value {
    LEARNERS
        .iter()
        .filter(|entry| entry.views == ViewCount::One && entry.name != "streamed_ridge")
        .map(|e| learner(e))
        .collect()
}

fn learner(entry: &LearnerEntry) -> Value {
    json!({
        "name": entry.name, "title": entry.title, "summary": entry.summary, "goal": entry.goal.name(),
        "anytime": entry.anytime,
        "fits": matches!(entry.goal, Goal::Values | Goal::Classes | Goal::Novelty),
        "parameters": entry.parameters.iter().filter(|p| p.kind != ParameterKind::Seed).map(parameter).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let (kind, words) = match parameter.kind {
        ParameterKind::Kernel => ("kernel", None),
        ParameterKind::Kernels => ("kernels", None),
        ParameterKind::Number(_) | ParameterKind::Limit(_) => ("number", None),
        ParameterKind::Numbers(_) => ("numbers", None),
        ParameterKind::Count(_) => ("count", None),
        ParameterKind::Flag => ("flag", None),
        ParameterKind::Word(words) => ("word", Some(words)),
        ParameterKind::Text => ("text", None),
        ParameterKind::Texts => ("texts", None),
        ParameterKind::Seed => ("seed", None),
    };
    json!({
        "name": parameter.name, "kind": kind, "words": words, "default": parameter.default,
        "required": parameter.required, "meaning": parameter.meaning, "allowed": parameter.allowed().to_string(),
    })
}
