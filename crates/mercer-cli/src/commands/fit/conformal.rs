//! `mercer fit … --conformal`: the calibration of a fit.

use mercer::learner::{FitInput, Targets};
use serde_json::json;

use super::Outcome;
use crate::arguments::FitData;
use crate::failure::Failure;
use crate::numbers::json as number;
use crate::session::Session;

/// The level whose guarantee is reported.
const LEVEL: f64 = 0.9;

/// The outcome with its model calibrated, where that was requested.
pub fn calibrated(mut outcome: Outcome, words: &FitData, session: &Session) -> Result<Outcome, Failure> {
    let Some(spec) = words.conformal.specification() else { return Ok(outcome) };
    let training = &outcome.training;
    let targets = match (&training.classes, outcome.model.classes()) {
        (Some(classes), Some(_)) => Targets::Classes(classes.of(), classes.names()),
        _ => Targets::Values(training.y.view()),
    };
    let weights = training.weights.as_ref().map(|w| w.view());
    let input = FitInput::points(training.points()).with_targets(targets).with_weights(weights);
    let fit = spec.fit(outcome.model.fitted(), &input, &session.compute)?;
    let guarantee = fit.guarantee(LEVEL).ok();
    outcome.facts.push(("conformal", fit.describe()));
    outcome.json.insert(
        "conformal".into(),
        json!({
            "method": fit.method().name(),
            "rows": fit.scores().rows(),
            "fits": fit.fits(),
            "score": if fit.classes() > 0 { json!(fit.score().name()) } else { json!(null) },
            "guarantee_at_0.9": guarantee.map(number),
        }),
    );
    outcome.model = outcome.model.with_conformal(fit)?;
    Ok(outcome)
}
