//! `mercer fit logistic` of a file that is longer than memory: features, a pass for every step.

use mercer::features::FeatureMap;
use mercer::io::{Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, SurveyedFile, save_model};
use mercer::learn::svm::Classes;
use mercer::learn::{StreamedLogistic, StreamedLogisticFit};
use mercer::model::Model;
use mercer::points::Encoding;
use mercer::select::{ClassLoss, Measure};
use serde_json::{Map, Value, json};

use super::super::Outcome;
use super::super::choice::{self, Choice};
use super::super::folds::{self, Part};
use super::super::logistic::{held_out, specification};
use super::super::svm::{quality, scaling};
use super::super::training::{Goal, Split, Training};
use super::setup::{COMPONENTS, Size, sample, too_long, width};
use super::{CHECKPOINTS, FEWEST_BYTES, remove};
use crate::arguments::{LogisticArguments, NewtonWord};
use crate::data::{is_standard_input, named, shown};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, json_list, short};
use crate::session::Session;

/// Why a fit is streamed; nothing for one that is not.
pub fn reason(words: &LogisticArguments, session: &Session) -> Option<String> {
    if words.stream.stream || words.stream.checkpoint.is_some() {
        return Some("requested".into());
    }
    too_long(&words.training.data, session).filter(|_| refusal(words).is_none())
}

fn refusal(words: &LogisticArguments) -> Option<&'static str> {
    if is_standard_input(&words.training.data) {
        return Some(
            "--stream: standard input can be read only once, and a streamed fit makes several passes: give a file",
        );
    }
    if words.solver != NewtonWord::Auto || words.centers.centers.is_some() {
        return Some("--solver, --centers: a streamed fit takes Newton steps on features; give --components");
    }
    if let Some(refusal) = words.stream.of_other_features() {
        return Some(refusal);
    }
    (!words.class_weight.is_empty())
        .then_some("--class-weight: a streamed fit has none; give a column of --weights instead")
}

/// Runs the command.
pub fn fit(words: &LogisticArguments, reason: String, session: &Session) -> Result<Outcome, Failure> {
    if let Some(refusal) = refusal(words) {
        return Err(Failure::request(refusal));
    }
    let (file, training) = look(words, session)?;
    let (spec, choice) = choose(words, &training, session)?;
    let checkpoint = words.stream.checkpoint.as_ref().map(|path| Checkpoint {
        path: path.clone(),
        every: (file.file().size() / CHECKPOINTS).max(FEWEST_BYTES),
        resume: words.stream.resume,
    });
    let fitted = file.fit_logistic(&spec, checkpoint.as_ref(), &session.compute);
    let fitted = fitted.map_err(|e| named(e, &words.training.data))?;
    let model = fitted.model.with_note("command", "mercer fit logistic");
    if let Some(path) = &words.training.output {
        save_model(path, &model)?;
    }
    if let Some(checkpoint) = &checkpoint {
        remove(&checkpoint.path)?;
    }
    outcome(model, training, choice, (reason, fitted.resumed_at), session)
}

/// The file, all rows of which were looked at, and a sample of them.
fn look(words: &LogisticArguments, session: &Session) -> Result<(SurveyedFile, Training), Failure> {
    let path = &words.training.data;
    let options = ReadOptions { format: session.common.format, ..ReadOptions::default() };
    let file = ChunkedFile::open(path, &options, &session.compute)?;
    let header = file.header();
    let split = Split::new(Goal::Classes, &words.training, words.weights.as_deref(), &header)?;
    let name = |c: &usize| header.columns()[*c].name.clone();
    let roles = Roles {
        inputs: split.features.iter().map(name).collect(),
        targets: split.targets.iter().map(name).collect(),
        weights: split.weights.as_ref().map(name),
    };
    let size = Size { columns: width(&header, &split.features), outputs: 1 };
    let components = words.stream.components.unwrap_or(COMPONENTS);
    let scaling = words.training.scaling(scaling(&words.kernel));
    let rules = FileRules {
        encoding: Encoding { missing: words.training.missing(), scaling },
        leave_out: words.training.missing.is_some(),
        sample: sample(components, size, header.columns().len(), session),
        roles,
    };
    let targets = rules.roles.targets.clone();
    let file = SurveyedFile::of_classes(file, rules, &session.compute).map_err(|e| named(e, path))?;
    let mut training = Training::of_sample(shown(path), &file, targets);
    let of = training.y.column(0).iter().map(|&class| class as usize).collect();
    let names = file.classes().unwrap_or_default().to_vec();
    training.classes = Some(Classes::from_indices(of, names)?);
    Ok((file, training))
}

/// The kernel and λ, chosen on the sample where there is a choice.
fn choose(
    words: &LogisticArguments,
    training: &Training,
    session: &Session,
) -> Result<(StreamedLogistic, Option<Choice>), Failure> {
    let rows = choice::rows(training, words.folds.sample.unwrap_or(folds::FEW_ROWS), session);
    let parameters = (folds::lambdas(words.lambda, &words.lambdas), "lambda");
    let search = folds::search(&words.kernel, &words.folds, parameters, training, &rows, &session.compute)?;
    let (kernel, lambda, choice) = match folds::only(&search) {
        Some((kernel, lambda)) => (kernel, lambda, None),
        None => {
            let base = specification(words, training, "gaussian()".parse()?, 1.0)?;
            let part = Part::of(training, &rows);
            let labels = part.labels();
            let held = held_out(&base, &part, &labels, ClassLoss::Log);
            let how = (Measure::LogLoss, "λ");
            let (chosen, choice) = folds::choose("logistic", &search, &held, (&part, training.rows()), how, session)?;
            (chosen.kernel, chosen.parameter, Some(choice))
        }
    };
    let components = words.stream.components.unwrap_or(COMPONENTS);
    let features = words.stream.spec(kernel, components, None);
    let plain = StreamedLogistic::new(features, lambda);
    let max_passes = words.max_iter.map_or(plain.max_passes, |passes| passes as usize);
    let tolerance = words.tol.unwrap_or(plain.tolerance);
    Ok((StreamedLogistic { intercept: !words.no_intercept, tolerance, max_passes, ..plain }, choice))
}

fn outcome(
    model: Model,
    training: Training,
    choice: Option<Choice>,
    (reason, resumed_at): (String, Option<Resumed>),
    session: &Session,
) -> Result<Outcome, Failure> {
    let Some(fit) = model.fit::<StreamedLogisticFit>() else {
        return Err(Failure::request("the model is not one of a streamed fit"));
    };
    let mut facts = vec![
        ("rows", grouped(fit.rows())),
        ("streamed", reason.clone()),
        ("kernel", fit.kernel().short()),
        ("features", format!("{} {}", grouped(fit.features().components() as u64), fit.features().name())),
        ("λ", short(fit.lambda())),
        ("classes", fit.classes().to_string()),
        ("objective", short(fit.objective())),
        ("passes", fit.passes().to_string()),
    ];
    if let Some(Resumed::Passes(passes)) = resumed_at {
        facts.push(("resumed", format!("after {passes} passes")));
    }
    let mut remarks = training.remarks.clone();
    remarks.push(format!(
        "The quality is that on a sample of {} rows; the fit is one of all {}.",
        grouped(training.rows() as u64),
        grouped(fit.rows())
    ));
    if !fit.converged() {
        remarks.push(format!(
            "The solver did not converge in {} passes: the next step promises {}. Raise --max-iter.",
            fit.passes(),
            short(fit.decrease())
        ));
    }
    let json = json_of(fit, &reason, resumed_at);
    let class_quality = Some(quality(&model, &training, &session.compute)?);
    let (quality, figures, tables) = (Vec::new(), Vec::new(), Vec::new());
    let learner = "logistic";
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

fn json_of(fit: &StreamedLogisticFit, reason: &str, resumed_at: Option<Resumed>) -> Map<String, Value> {
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("lambda", number(fit.lambda())),
        ("intercept", json_list(fit.intercept().iter())),
        ("streamed", json!(reason)),
        ("streamed_rows", json!(fit.rows())),
        ("features", json!(fit.features().name())),
        ("components", json!(fit.features().components())),
        ("objective", number(fit.objective())),
        ("passes", json!(fit.passes())),
        ("converged", json!(fit.converged())),
        (
            "resumed_after_passes",
            json!(if let Some(Resumed::Passes(passes)) = resumed_at { Some(passes) } else { None }),
        ),
        ("probabilities", json!(true)),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
