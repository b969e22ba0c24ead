//! The panel of fits: a learner with its settings, or a search; what came out; predictions.

mod pictures;
mod plane;
mod predict;
mod quality;
mod search;

use std::sync::Arc;

use mercer::learner::{FactValue, Fitted, Goal, LearnerEntry, ParameterKind};
use mercer::model::{AnyFit, Model, learner};
use mercer::settings::{Setting, Settings};
use mercer::{Cancel, Compute, Error, Kernel};
use serde_json::{Value, json};

use super::data::Store;
use super::fields::Fields;
use super::jobs::Finished;
use super::kernel::parse;
use super::numbers::{drawn, number};
use super::refusal::Refusal;
use super::snippets;
use super::training::{Choice, Training};

pub use plane::plane;
pub use predict::predict;

/// A model with the data that it was fitted to.
pub struct FittedModel {
    /// The model.
    pub model: Model,
    /// The data.
    pub training: Training,
}

/// What a fit was asked for.
pub struct Request {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// Its settings; what is absent has its default.
    pub settings: Settings,
    /// The data.
    pub choice: Choice,
    /// Whether the kernel and the penalty are searched for.
    pub search: Option<search::Plan>,
    /// The kernel and the penalty of a cell of the surface, which are fitted instead of the winner.
    pub cell: Option<(String, f64)>,
}

impl Request {
    /// From the page.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let name = fields.text("learner")?;
        let entry = learner(name).ok_or_else(|| Refusal::request(format!("there is no learner `{name}`")))?;
        let choice = fields.optional_object("data")?.ok_or_else(|| Refusal::request("`data` is missing"))?;
        let choice = Choice::read(choice)?;
        let mut settings = Settings::new();
        if let Some(given) = fields.optional_object("settings")? {
            for (name, value) in given.iter() {
                if let Some(value) = setting(entry, name, value)? {
                    settings.insert(name, value);
                }
            }
        }
        let search = if fields.flag("search")? { Some(search::Plan::read(fields)?) } else { None };
        let cell = match fields.optional_object("cell")? {
            Some(cell) => {
                let missing = || Refusal::request("`cell` must have a `kernel` and a `penalty`");
                let kernel = cell.text("kernel")?.to_owned();
                parse(&kernel)?;
                Some((kernel, cell.optional_number("penalty")?.ok_or_else(missing)?))
            }
            None => None,
        };
        Ok(Self { entry, settings, choice, search, cell })
    }

    fn kernel(&self) -> Result<Option<Kernel>, Refusal> {
        let first = self.settings.texts("kernels").ok().and_then(|texts| texts.first().map(String::as_str));
        self.settings.text("kernel").ok().or(first).map(parse).transpose()
    }
}

/// A setting as the form of the page has it: a text, a number or yes and no; an empty text is none.
fn setting(entry: &LearnerEntry, name: &str, value: &Value) -> Result<Option<Setting>, Refusal> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(Setting::Flag(*flag))),
        Value::Number(number) => Ok(number.as_f64().map(Setting::Number)),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => {
            let kind = entry.parameter(name).map(|parameter| parameter.kind);
            if matches!(kind, Some(ParameterKind::Kernel)) {
                parse(text)?;
            }
            Ok(Some(entry.parse(name, text)?))
        }
        _ => Err(Refusal::request(format!("the setting `{name}` must be a text, a number, or true or false"))),
    }
}

/// Fits, and makes everything that the page shows. A stop keeps what the learner or the search has so far.
pub fn run(mut request: Request, store: &Store, compute: &Compute, cancel: &Cancel) -> Result<Finished, Refusal> {
    let kernel = request.kernel()?;
    let training = Training::of(store, &request.choice, kernel.as_ref(), request.entry.goal, compute)?;
    let mut settings = named(&request.settings, &training)?;
    if request.entry.parameter("kernel").is_some() && !settings.has("kernel") {
        settings.insert("kernel", &Kernel::default_of(training.points())?);
    }
    let found = match &request.search {
        Some(plan) => Some(search::run(plan, request.entry, &mut settings, &training, compute)?),
        None => None,
    };
    if let (Some((kernel, penalty)), Some(parameter)) = (&request.cell, search::penalty(request.entry)) {
        settings.insert("kernel", kernel.as_str());
        settings.insert(parameter, *penalty);
        // What is copied is the fit of the cell, not the search.
        request.settings.insert("kernel", kernel.as_str());
        request.settings.insert(parameter, *penalty);
        request.search = None;
    }
    // The search was stopped, not the fit of its winner.
    let searched_until_stopped = found.is_some() && cancel.is_canceled() && !cancel.is_aborted();
    if searched_until_stopped {
        cancel.lower();
    }
    let built = request.entry.build(&settings)?;
    let fit = built.fit(&training.input(request.entry.goal), compute);
    let fit: AnyFit = fit.map_err(|error| stopped_early(error, request.entry))?.into();
    let stopped = searched_until_stopped || cancel.is_canceled();
    cancel.lower();
    let mut model = Model::new(fit, model_inputs(&training, request.entry.goal))?;
    if let (Some(classes), Some(_)) = (&training.classes, model.classes()) {
        model = model.with_classes(classes.names().to_vec())?;
    }
    let fitted = FittedModel { model, training };
    let mut answer = answer(&fitted, &settings, stopped, compute)?;
    answer["search"] = found.unwrap_or(Value::Null);
    answer["snippet"] = snippets::fit(&request, &fitted, &settings);
    Ok(Finished { answer, kept: Some(Arc::new(fitted)) })
}

/// A stop without a model names the learner; its declaration has whether there is one before the end.
fn stopped_early(error: Error, entry: &LearnerEntry) -> Refusal {
    let canceled = matches!(error, Error::Canceled);
    let mut refusal = Refusal::from(error);
    if canceled {
        refusal.message = match entry.anytime {
            true => "Stopped before the first step: there is no model yet.".into(),
            false => format!("Stopped. {} has no model before its end.", entry.title),
        };
    }
    refusal
}

fn model_inputs(training: &Training, goal: Goal) -> mercer::model::Inputs {
    let mut inputs = training.inputs.clone();
    if !goal.has_targets() {
        inputs.unused.extend(training.target.clone());
        inputs.targets = vec![mercer::model::Target::unnamed()];
    }
    inputs
}

/// The settings with names of columns replaced by their numbers where points are vectors.
fn named(given: &Settings, training: &Training) -> Result<Settings, Refusal> {
    let mut settings = given.clone();
    for (name, value) in given.iter() {
        match value {
            Setting::Text(text) if name == "kernel" => settings.insert(name, &training.kernel(&parse(text)?)?),
            Setting::Texts(texts) if name == "kernels" => {
                let each = texts.iter().map(|text| Ok(training.kernel(&parse(text)?)?.to_string()));
                settings.insert(name, &each.collect::<Result<Vec<String>, Refusal>>()?[..]);
            }
            _ => {}
        }
    }
    Ok(settings)
}

fn answer(fitted: &FittedModel, settings: &Settings, stopped: bool, compute: &Compute) -> Result<Value, Refusal> {
    let FittedModel { model, training } = fitted;
    let mut answer = json!({
        "learner": model.fitted().entry().name,
        "title": model.fitted().entry().title,
        "goal": model.fitted().entry().goal.name(),
        "kernel": model.kernel().map(ToString::to_string),
        "rows": training.rows(),
        "target": training.target,
        "inputs": training.inputs_shown(),
        "coordinates": training.coordinates,
        "remarks": training.remarks,
        "stopped": stopped,
        "settings": settings.iter().map(|(name, value)| json!([name, value.to_string()])).collect::<Vec<_>>(),
        "facts": facts(model.fitted()),
    });
    quality::add(&mut answer, fitted, compute)?;
    pictures::add(&mut answer, fitted, compute)?;
    Ok(answer)
}

/// What a fit has to report; long lists are left out.
pub fn facts(fitted: &dyn Fitted) -> Value {
    const LONGEST: usize = 12;
    let shown = |value: &FactValue<'_>| match value {
        FactValue::Flag(flag) => Some(json!(flag)),
        FactValue::Count(count) => Some(json!(count)),
        FactValue::Number(value) => Some(number(*value)),
        FactValue::Text(text) => Some(json!(text)),
        FactValue::Texts(texts) if texts.len() <= LONGEST => Some(json!(texts)),
        FactValue::Counts(counts) if counts.len() <= LONGEST => Some(json!(counts)),
        FactValue::Array(values) if values.len() <= LONGEST => Some(values.iter().map(|&v| drawn(v)).collect()),
        _ => None,
    };
    let facts = fitted.facts();
    let one = |fact: &mercer::learner::Fact<'_>| {
        shown(&fact.value).map(|value| json!({ "name": fact.name, "value": value, "meaning": fact.meaning }))
    };
    facts.iter().filter_map(one).collect()
}
