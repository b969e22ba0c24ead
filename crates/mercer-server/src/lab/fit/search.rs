//! A search over λ or C and the lengthscale, with its surface.

use mercer::learn::LogisticRegression;
use mercer::learn::svm::{Svc, Svr};
use mercer::learner::LearnerEntry;
use mercer::select::{
    Choices, ClassLoss, FoldSearch, HeldOut, HeldOutLogistic, HeldOutSvc, HeldOutSvr, RidgeSearch, log_grid,
    median_lengthscales, with_lengthscale,
};
use mercer::settings::Settings;
use mercer::{Compute, Kernel};
use ndarray::Array2;
use serde_json::{Value, json};

use crate::lab::fields::Fields;
use crate::lab::numbers::{drawn, drawn_list, number};
use crate::lab::refusal::Refusal;
use crate::lab::training::Training;

/// Lengthscales around the median distance.
const LENGTHSCALES: usize = 9;
/// The penalties of a search: λ from 10⁻⁶ to 10³ for ridge regression, C and λ in decades elsewhere.
const PENALTIES: [f64; 6] = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];
/// Values of a list.
const MOST: usize = 40;
/// Folds of learners without leave-one-out.
const FOLDS: usize = 5;

/// What is searched.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The lengthscales, where the page names some.
    pub lengthscales: Option<Vec<f64>>,
    /// The penalties, where the page names some.
    pub penalties: Option<Vec<f64>>,
}

impl Plan {
    /// From the page.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let list = |name: &str| -> Result<Option<Vec<f64>>, Refusal> {
            let Some(values) = fields.optional_numbers(name)?.filter(|v| !v.is_empty()) else { return Ok(None) };
            if values.len() > MOST || values.iter().any(|v| *v <= 0.0) {
                return Err(Refusal::request(format!("`{name}` must hold at most {MOST} numbers above 0")));
            }
            Ok(Some(values))
        };
        Ok(Self { lengthscales: list("lengthscales")?, penalties: list("penalties")? })
    }
}

/// The parameter of a learner that a search is over.
pub fn penalty(entry: &LearnerEntry) -> Option<&'static str> {
    match entry.name {
        "ridge" | "logistic" => Some("lambda"),
        "svc" | "svr" => Some("C"),
        _ => None,
    }
}

/// Searches, and writes the winner into the settings. A search that is stopped keeps the best so far.
pub fn run(
    plan: &Plan,
    entry: &LearnerEntry,
    settings: &mut Settings,
    training: &Training,
    compute: &Compute,
) -> Result<Value, Refusal> {
    let Some(parameter) = penalty(entry) else {
        return Err(Refusal::request(format!("{} has no search here: ridge, logistic, svc and svr have", entry.title)));
    };
    let kernel = settings.kernel("kernel")?.resolve(training.points(), compute)?;
    let lengthscales = lengthscales(plan, &kernel, training, compute)?;
    let found = if entry.name == "ridge" {
        ridge(plan, kernel, lengthscales, settings, training, compute)?
    } else {
        let search = folds(plan, kernel, lengthscales, parameter);
        by_folds(&search, entry, training, compute)?
    };
    settings.insert("kernel", &found.kernel);
    settings.insert(parameter, found.penalty);
    Ok(found.json(parameter))
}

/// The lengthscales to try; none for a kernel that has no lengthscale, or several.
fn lengthscales(plan: &Plan, kernel: &Kernel, training: &Training, compute: &Compute) -> Result<Vec<f64>, Refusal> {
    if with_lengthscale(kernel, 1.0).is_err() {
        return Ok(Vec::new());
    }
    match (&plan.lengthscales, training.points().vectors()) {
        (Some(list), _) => Ok(list.clone()),
        (None, Ok(x)) => Ok(median_lengthscales(x, LENGTHSCALES, compute)?),
        (None, Err(_)) => Ok(Vec::new()),
    }
}

/// A surface of scores and its best place.
struct Found {
    kernel: Kernel,
    penalty: f64,
    score: f64,
    /// A row per lengthscale, a column per penalty.
    scores: Array2<f64>,
    kernels: Vec<String>,
    lengthscales: Vec<Option<f64>>,
    penalties: Vec<f64>,
    best: (usize, usize),
    measure: &'static str,
    complete: bool,
}

impl Found {
    fn json(&self, parameter: &str) -> Value {
        json!({
            "parameter": parameter, "measure": self.measure, "complete": self.complete,
            "kernel": self.kernel.to_string(), "penalty": number(self.penalty), "score": number(self.score),
            "kernels": self.kernels, "lengthscales": self.lengthscales, "penalties": drawn_list(&self.penalties),
            "scores": self.scores.iter().map(|&v| drawn(v)).collect::<Vec<_>>(), "best": [self.best.0, self.best.1],
        })
    }
}

fn ridge(
    plan: &Plan,
    kernel: Kernel,
    lengthscales: Vec<f64>,
    settings: &Settings,
    training: &Training,
    compute: &Compute,
) -> Result<Found, Refusal> {
    let mut search = RidgeSearch::new(vec![kernel]);
    search.intercept = settings.flag("intercept").unwrap_or(false);
    search.lengthscales = lengthscales;
    search.lambdas = match &plan.penalties {
        Some(list) => list.clone(),
        None => log_grid(1e-6, 1e3, 19)?,
    };
    let choice = search.choose(training.points(), training.y.view(), None, compute)?;
    Ok(Found {
        kernel: choice.winner.kernel.clone(),
        penalty: choice.winner.lambda,
        score: choice.winner.score,
        kernels: choice.candidates.iter().map(|c| c.kernel.to_string()).collect(),
        lengthscales: choice.candidates.iter().map(|c| c.lengthscale).collect(),
        penalties: choice.lambdas.clone(),
        best: choice.best,
        scores: choice.scores,
        measure: "mean squared leave-one-out error",
        complete: choice.complete,
    })
}

fn folds(plan: &Plan, kernel: Kernel, lengthscales: Vec<f64>, parameter: &'static str) -> FoldSearch {
    let mut penalties = plan.penalties.clone().unwrap_or_else(|| PENALTIES.to_vec());
    penalties.sort_by(f64::total_cmp);
    // The smoothest first: a small C, a large λ.
    if parameter == "lambda" {
        penalties.reverse();
    }
    let mut search = FoldSearch { parameter, folds: FOLDS, ..FoldSearch::new(Vec::new(), Choices::fixed(penalties)) };
    if lengthscales.is_empty() {
        search.fixed = vec![kernel];
    } else {
        let mut descending = lengthscales;
        descending.sort_by(|a, b| b.total_cmp(a));
        search.kernels = vec![kernel];
        search.lengthscales = Choices::fixed(descending);
    }
    search
}

fn by_folds(
    search: &FoldSearch,
    entry: &LearnerEntry,
    training: &Training,
    compute: &Compute,
) -> Result<Found, Refusal> {
    let x = training.points();
    let start: Kernel = search.kernels.first().or(search.fixed.first()).cloned().unwrap_or("linear()".parse()?);
    let zeros = vec![0; training.rows()];
    let (held, labels, measure): (Box<dyn HeldOut + '_>, &[usize], _) = match (entry.name, &training.classes) {
        ("svc", Some(classes)) => {
            let held = HeldOutSvc { spec: Svc::new(start, 1.0), x, classes, weights: None };
            (Box::new(held), classes.of(), "share of wrong classes in 5 folds")
        }
        ("logistic", Some(classes)) => {
            let spec = LogisticRegression::new(start, 1.0);
            let held = HeldOutLogistic { spec, x, labels: classes.of(), weights: None, loss: ClassLoss::Log };
            (Box::new(held), classes.of(), "mean log loss in 5 folds")
        }
        ("svr", None) => {
            let held = HeldOutSvr { spec: Svr::new(start, 1.0, 0.1), x, y: training.y.column(0), weights: None };
            (Box::new(held), &zeros, "mean squared error in 5 folds")
        }
        _ => return Err(Refusal::request("the target does not fit this learner")),
    };
    let choice = search.fit(&*held, labels, None, compute)?;
    let lengthscales = distinct(choice.tried.iter().map(|t| t.lengthscale));
    let mut penalties: Vec<f64> = choice.tried.iter().map(|t| t.parameter).collect();
    penalties.sort_by(f64::total_cmp);
    penalties.dedup();
    let mut scores = Array2::from_elem((lengthscales.len(), penalties.len()), f64::NAN);
    let mut kernels = vec![String::new(); lengthscales.len()];
    let place = |t: &mercer::select::Tried| {
        let row = lengthscales.iter().position(|l| *l == t.lengthscale).unwrap_or(0);
        (row, penalties.iter().position(|p| *p == t.parameter).unwrap_or(0))
    };
    for tried in &choice.tried {
        let at = place(tried);
        scores[at] = tried.score;
        kernels[at.0] = tried.kernel.to_string();
    }
    let best = choice.best();
    let at = place(best);
    Ok(Found {
        kernel: best.kernel.clone(),
        penalty: best.parameter,
        score: best.score,
        best: at,
        scores,
        kernels,
        lengthscales: lengthscales.clone(),
        penalties: penalties.clone(),
        measure,
        complete: choice.complete,
    })
}

fn distinct(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let mut all: Vec<Option<f64>> = values.collect();
    all.sort_by(|a, b| a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)));
    all.dedup();
    all
}
