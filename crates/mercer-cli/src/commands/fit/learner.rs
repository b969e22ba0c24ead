//! `mercer fit` with a learner of the catalogue that has no command of its own.

use mercer::learner::{FitInput, Goal, Targets};
use mercer::model::{AnyFit, Model};
use mercer::settings::{Setting, Settings};
use mercer::{Compute, Kernel};

use super::super::view::{bars, facts};
use super::svm::{quality, scaling_of};
use super::{Outcome, Quality, Reading, Training, training};
use crate::arguments::LearnerArguments;
use crate::failure::Failure;
use crate::session::Session;

/// Runs the command.
pub fn fit(words: &LearnerArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let learner = words.entry.build(&settings(words, &training)?)?;
    let fit: AnyFit = session.anytime(|compute| learner.fit(&input(words, &training)?, compute))?.into();
    let (facts, json) = (facts::named(&*fit), facts::json_of(&*fit));
    let mut model = Model::new(fit, training.inputs.clone())?;
    if let (Some(classes), Some(_)) = (&training.classes, model.classes()) {
        model = model.with_classes(classes.names().to_vec())?;
    }
    let model = model.with_note("command", format!("mercer fit {}", words.entry.name));
    let class_quality = match training.classes {
        Some(_) => Some(quality(&model, &training, &session.compute)?),
        None => None,
    };
    let quality = if class_quality.is_none() { qualities(&model, &training, &session.compute)? } else { Vec::new() };
    let figures = bars(model.fitted()).into_iter().collect();
    let (choice, tables, remarks) = (None, Vec::new(), Vec::new());
    let learner = words.entry.name;
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

/// The data, scaled where the kernel is not given.
pub fn read(words: &LearnerArguments, session: &Session) -> Result<Training, Failure> {
    let goal = match words.entry.goal {
        Goal::Classes => training::Goal::Classes,
        Goal::Novelty => training::Goal::Nothing,
        _ => training::Goal::Numbers,
    };
    let first = words.settings.texts("kernels").ok().and_then(|texts| texts.first().map(String::as_str));
    let kernel = words.settings.text("kernel").ok().or(first);
    let how = Reading { scaling: scaling_of(kernel), sparse: words.entry.sparse };
    Training::read_for(goal, &words.training, words.weights.as_deref(), kernel, how, session)
}

/// The settings with names of columns replaced by their numbers.
pub fn settings(words: &LearnerArguments, training: &Training) -> Result<Settings, Failure> {
    let mut settings = words.settings.clone();
    for (name, value) in words.settings.iter() {
        match value {
            Setting::Text(text) if name == "kernel" => settings.insert(name, &training.kernel(text)?),
            Setting::Texts(texts) if name == "kernels" => {
                let each = texts.iter().map(|text| Ok(training.kernel(text)?.to_string()));
                settings.insert(name, &each.collect::<mercer::Result<Vec<String>>>()?[..]);
            }
            _ => {}
        }
    }
    if words.entry.parameter("kernel").is_some() && !settings.has("kernel") && training.has_objects() {
        settings.insert("kernel", &Kernel::default_of(training.points())?);
    }
    Ok(settings)
}

/// The data as the learner takes it.
pub fn input<'t>(words: &LearnerArguments, training: &'t Training) -> mercer::Result<FitInput<'t>> {
    let targets = match (&training.classes, words.entry.goal) {
        (Some(classes), _) => Targets::Classes(classes.of(), classes.names()),
        (None, Goal::Novelty) => Targets::None,
        (None, _) => Targets::Values(training.y.view()),
    };
    let weights = training.weights.as_ref().map(|w| w.view());
    Ok(FitInput::points(training.points()).with_targets(targets).with_weights(weights))
}

/// How near the model is to the data; for several outputs of one target there is no such number.
fn qualities(model: &Model, training: &Training, compute: &Compute) -> Result<Vec<Quality>, Failure> {
    let values = model.predict(training.points(), compute)?;
    if training.targets.is_empty() || values.ncols() != training.targets.len() {
        return Ok(Vec::new());
    }
    let one = |(j, name): (usize, &String)| {
        let residuals = &training.y.column(j) - &values.column(j);
        Quality::new(name, training.y.column(j), residuals.view(), None)
    };
    Ok(training.targets.iter().enumerate().map(one).collect())
}
