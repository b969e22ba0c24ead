//! The panel of views: principal components and clusters.

use std::sync::Arc;

use mercer::learner::{FactValue, FitInput};
use mercer::model::{AnyFit, learner};
use mercer::settings::Settings;
use mercer::view::pca::KernelPca;
use mercer::{Cancel, Compute, Kernel};
use serde_json::{Value, json};

use super::data::{Store, cell};
use super::fields::Fields;
use super::fit::facts;
use super::jobs::Finished;
use super::kernel::parse;
use super::numbers::{drawn_all, number};
use super::refusal::Refusal;
use super::snippets;
use super::training::{Choice, Training};

/// Rows of a view.
const MOST_ROWS: usize = 5_000;
/// Components that are computed.
const COMPONENTS: usize = 4;
/// Columns in the words of a point.
const WORDS: usize = 6;

/// What is looked at.
pub struct Request {
    /// The data.
    pub choice: Choice,
    /// The kernel; none is chosen for the points.
    pub kernel: Option<Kernel>,
    /// Principal components alone, or clusters.
    pub method: Method,
    /// The number of clusters; chosen from the data if absent.
    pub clusters: Option<usize>,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Principal components.
    Components,
    /// Clusters by means.
    Means,
    /// Clusters by eigenvectors.
    Spectral,
}

impl Request {
    /// From the page.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let choice = fields.optional_object("data")?.ok_or_else(|| Refusal::request("`data` is missing"))?;
        let kernel = fields.optional_text("kernel")?.filter(|t| !t.trim().is_empty() && *t != "auto");
        let methods = [("pca", Method::Components), ("kmeans", Method::Means), ("spectral", Method::Spectral)];
        let clusters = fields.optional_count("clusters", 50)?.filter(|k| *k > 0);
        Ok(Self {
            choice: Choice::read(choice)?,
            kernel: kernel.map(parse).transpose()?,
            method: fields.word("method", &methods)?,
            clusters,
        })
    }
}

/// Computes the view.
pub fn run(request: &Request, store: &Store, compute: &Compute, cancel: &Cancel) -> Result<Finished, Refusal> {
    let training = Training::points_of(store, &request.choice, request.kernel.as_ref(), compute)?;
    if training.rows() > MOST_ROWS {
        let rows = training.rows();
        return Err(Refusal::too_large(format!(
            "{rows} rows: here a view has {MOST_ROWS}; the command line takes more"
        )));
    }
    let kernel = match &request.kernel {
        Some(kernel) => training.kernel(kernel)?,
        None => Kernel::default_of(training.points())?,
    };
    let components = KernelPca::new(kernel.clone(), Some(COMPONENTS.min(training.rows())));
    let components = components.fit(training.points(), compute)?;
    let scores = components.scores();
    let mut answer = json!({
        "kernel": components.kernel().to_string(),
        "rows": training.kept,
        "scores": scores.columns().into_iter().map(drawn_all).collect::<Vec<_>>(),
        "eigenvalues": drawn_all(components.eigenvalues()),
        "explained": drawn_all(components.explained_variance_ratio().view()),
        "words": words(&training),
        "remarks": training.remarks,
        "clusters": Value::Null,
        "facts": [],
    });
    if request.method != Method::Components {
        let fit = clusters(request, &kernel, &training, compute)?;
        answer["facts"] = facts(&*fit);
        let labels = fit.facts().get("labels").map(label_numbers);
        let labels = labels.ok_or_else(|| Refusal::request("this clustering has no labels"))?;
        answer["clusters"] = json!({ "labels": labels, "chosen": chosen(&*fit) });
    }
    cancel.lower();
    answer["snippet"] = snippets::view(request, &training, components.kernel());
    Ok(Finished { answer, kept: Some(Arc::new(())) })
}

fn clusters(request: &Request, kernel: &Kernel, training: &Training, compute: &Compute) -> Result<AnyFit, Refusal> {
    let name = if request.method == Method::Means { "kmeans" } else { "spectral" };
    let entry = learner(name).ok_or_else(|| Refusal::request(format!("there is no learner `{name}`")))?;
    let mut settings = Settings::new().with("kernel", kernel);
    if let Some(count) = request.clusters {
        settings = settings.with("clusters", count);
    }
    Ok(entry.build(&settings)?.fit(&FitInput::points(training.points()), compute)?.into())
}

fn label_numbers(value: &FactValue<'_>) -> Value {
    match value {
        FactValue::Counts(labels) => json!(labels),
        FactValue::Array(labels) => labels.iter().map(|&l| number(l)).collect(),
        _ => Value::Null,
    }
}

fn chosen(fit: &dyn mercer::learner::Fitted) -> Value {
    match fit.facts().get("clusters") {
        Some(FactValue::Count(count)) => json!(count),
        _ => Value::Null,
    }
}

/// A few words for every point.
fn words(training: &Training) -> Vec<String> {
    let table = &training.set.table;
    let one = |&row: &usize| {
        let cells = table.columns().iter().take(WORDS).map(|column| {
            let text = match cell(column, row) {
                Value::String(text) => text.chars().take(40).collect(),
                Value::Null => "missing".to_owned(),
                other => other.to_string(),
            };
            format!("{} {text}", column.name)
        });
        cells.collect::<Vec<_>>().join(", ")
    };
    training.kept.iter().map(one).collect()
}
