//! `mercer fit svr`.

use mercer::Kernel;
use mercer::learn::svm::{Svr, SvrFit, Tube};
use mercer::model::Model;
use mercer::points::{Affine, Scaling};
use mercer::select::{HeldOutSvr, Measure};
use serde_json::{Map, Value, json};

use super::choice::Choice;
use super::folds::{self, Part};
use super::svm::{evidence_facts, evidence_json, notes, scaling, solver, support_table};
use super::{Outcome, Quality, Training, choice};
use crate::arguments::{SvrArguments, explicit_kernel};
use crate::failure::Failure;
use crate::numbers::{json as number, json_list, short};
use crate::session::Session;

/// Runs the command.
pub fn fit(words: &SvrArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let rows = choice::rows(&training, words.folds.sample.unwrap_or(folds::FEW_ROWS), session);
    let parameters = (folds::cs(words.c, &words.cs), "C");
    let search = folds::search(&words.svm.kernel, &words.folds, parameters, &training, &rows, &session.compute)?;
    if let Some((kernel, c)) = folds::only(&search) {
        return outcome(&specification(words, kernel, c), training, None, session);
    }
    let base = specification(words, "gaussian()".parse()?, 1.0);
    let part = Part::of(&training, &rows);
    let held = HeldOutSvr { spec: base.clone(), x: part.x.as_points(), y: part.y.view(), weights: part.weights() };
    let how = (Measure::SquaredError, "C");
    let (chosen, choice) = folds::choose("svr", &search, &held, (&part, training.rows()), how, session)?;
    let svr = Svr { kernel: chosen.kernel, c: chosen.parameter, ..base };
    outcome(&svr, training, Some(choice), session)
}

/// The data; where the kernel is chosen, columns and target are standardized.
pub fn read(words: &SvrArguments, session: &Session) -> Result<Training, Failure> {
    let scaling = scaling(&words.svm.kernel);
    let (weights, kernel) = (words.svm.weights.as_deref(), explicit_kernel(&words.svm.kernel));
    let mut training = Training::read(&words.training, weights, kernel, scaling, session)?;
    let y = training.only_target("svr")?;
    if scaling == Scaling::Standardize {
        let mean = y.mean().unwrap_or(0.0);
        let spread = (y.mapv(|v| (v - mean).powi(2)).sum() / y.len() as f64).sqrt();
        training.scale_target(Affine { shift: mean, scale: if spread > 0.0 { spread } else { 1.0 } });
    }
    Ok(training)
}

/// The specification from the arguments, with this kernel and C.
pub fn specification(words: &SvrArguments, kernel: Kernel, c: f64) -> Svr {
    let tube = words.nu.map_or(Tube::Epsilon(words.epsilon), Tube::Nu);
    let (solver, indefinite) = (solver(&words.svm), words.svm.allow_indefinite);
    Svr { tube, solver, indefinite, offset: !words.no_offset, ..Svr::new(kernel, c, words.epsilon) }
}

fn outcome(svr: &Svr, training: Training, choice: Option<Choice>, session: &Session) -> Result<Outcome, Failure> {
    let weights = training.weights.as_ref().map(|w| w.view());
    let fit = session.anytime(|compute| svr.fit(training.points(), training.y.column(0), weights, compute))?;
    let scale = training.inputs.targets[0].map.scale;
    let residuals =
        training.y.column(0).iter().zip(fit.fitted()).map(|(y, f)| scale * (y - f)).collect::<ndarray::Array1<f64>>();
    let target = training.y.column(0).mapv(|y| scale * y);
    let quality = vec![Quality::new(&training.targets[0], target.view(), residuals.view(), None)];
    let (facts, json, remarks) = (facts(svr, &fit), json_of(svr, &fit), notes(fit.evidence(), svr.indefinite));
    let sizes = fit.dual_coefficients().iter().map(|c| c.abs()).enumerate().collect();
    let tables = vec![support_table(fit.support(), fit.support_vectors(), sizes, None, &training)];
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", "mercer fit svr");
    let (learner, class_quality, figures) = ("svr", None, Vec::new());
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

fn facts(svr: &Svr, fit: &SvrFit) -> Vec<(&'static str, String)> {
    let mut facts = vec![("kernel", fit.kernel().short()), ("C", short(svr.c))];
    if let Tube::Nu(nu) = svr.tube {
        facts.push(("ν", short(nu)));
    }
    facts.push(("tube", format!("± {} in the units of the fit", short(fit.epsilon()))));
    facts.push(("support vectors", format!("{} of {}", fit.support().len(), fit.fitted().len())));
    facts.extend(evidence_facts(fit.evidence()));
    facts
}

fn json_of(svr: &Svr, fit: &SvrFit) -> Map<String, Value> {
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("C", number(svr.c)),
        ("epsilon", number(fit.epsilon())),
        ("offset", number(fit.offset())),
        ("support", json!(fit.support())),
        ("dual_coefficients", json_list(fit.dual_coefficients())),
    ];
    pairs.into_iter().chain(evidence_json(fit.evidence())).map(|(k, v)| (k.to_owned(), v)).collect()
}
