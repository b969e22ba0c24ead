//! Has the distribution of the inputs changed? A two-sample test against the training sample.

use mercer::hypothesis::{TestOutcome, TwoSample, TwoSampleMethod};
use mercer::io::{ReadOptions, read_table};
use mercer::learner::FactValue;
use mercer::model::Model;
use mercer::points::Table;
use mercer::{Compute, Error, Result, Sample, Seed};
use serde_json::{Value, json};

use super::ask::{Query, wrong};
use super::registry::{Loaded, Slot};
use crate::http::Refusal;

/// Rows of the training sample that are compared, drawn at random from more: the test takes time
/// by the square of all rows.
const MOST_TRAINING: usize = 2000;
/// Rows of a request.
const MOST_NEW: usize = 2000;
/// Permutations at most.
const MOST_PERMUTATIONS: usize = 9999;

/// What to test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    level: f64,
    permutations: usize,
    seed: u64,
}

impl Question {
    /// Takes the options out of a query.
    pub fn from_query(query: &mut Query) -> std::result::Result<Self, Refusal> {
        fn number<T: std::str::FromStr>(
            query: &mut Query,
            name: &str,
            standard: T,
            needed: &str,
            allowed: fn(&T) -> bool,
        ) -> std::result::Result<T, Refusal> {
            let Some(text) = query.take(name) else { return Ok(standard) };
            text.parse().ok().filter(allowed).ok_or_else(|| wrong(name, &text, needed))
        }
        Ok(Self {
            level: number(query, "level", 0.05, "a number between 0 and 1", |v| *v > 0.0 && *v < 1.0)?,
            permutations: number(query, "permutations", 499, "a whole number from 1 to 9999", |v| {
                (1..=MOST_PERMUTATIONS).contains(v)
            })?,
            seed: number(query, "seed", 0, "a whole number", |_| true)?,
        })
    }
}

/// Tests the rows of a table against the training sample.
pub(crate) fn test(
    slot: &Slot,
    loaded: &Loaded,
    table: &Table,
    question: Question,
    compute: &Compute,
) -> Result<Value> {
    let model = &loaded.model;
    let compute = compute.clone().with_seed(Seed(question.seed));
    let (new, ..) = model.encode(0, &*model.inputs().grouped(table)?)?;
    if new.len() > MOST_NEW {
        return Err(Error::shape("rows of a request", format!("at most {MOST_NEW}"), new.len()));
    }
    let training = training_sample(slot, model, &compute)?;
    let used = thinned(&training, &compute);
    let test = TwoSample {
        method: if new.as_points().kind().is_object() {
            TwoSampleMethod::Permutation
        } else {
            TwoSample::default().method
        },
        permutations: question.permutations,
        level: question.level,
        ..TwoSample::default()
    };
    let outcome = test.test(&used, &new, &compute)?;
    Ok(summary(slot, loaded, &outcome, (training.len(), used.len(), new.len())))
}

/// The training sample: from the file that was given, or in the model.
fn training_sample(slot: &Slot, model: &Model, compute: &Compute) -> Result<Sample> {
    if let Some(path) = &slot.reference {
        let table = read_table(path, &ReadOptions::default(), compute)?;
        return Ok(model.encode(0, &*model.inputs().grouped(&table)?)?.0);
    }
    let points = model.fitted().points(0).filter(|points| keeps_all(model, points.len()));
    let points = points.ok_or_else(|| {
        let kind = format!("a model of the kind {}", model.fitted().kind());
        let instead = "start the server with --training NAME=FILE";
        Error::unsupported("test of drift", kind, "it does not keep its training sample", instead)
    })?;
    Ok(points.into())
}

/// Whether the points in a model are all points of its fit: support vectors and centers are not a
/// sample of the distribution.
fn keeps_all(model: &Model, points: usize) -> bool {
    let fitted = model.fitted();
    let all = match fitted.facts().get("fitted") {
        Some(FactValue::Array(values)) => values.shape().first().copied(),
        _ => None,
    };
    let always = ["gaussian_process", "shared_gaussian_process", "multiple_ridge"];
    all == Some(points) || always.contains(&fitted.kind())
}

/// At most [`MOST_TRAINING`] points, drawn without replacement by the seed.
fn thinned(sample: &Sample, compute: &Compute) -> Sample {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    if order.len() <= MOST_TRAINING {
        return sample.taken(&order);
    }
    let mut stream = compute.seed().stream("training rows for drift", 0);
    // The first places of a shuffle (Fisher, Yates).
    for i in 0..MOST_TRAINING {
        let left = (order.len() - i) as u64;
        // 64 random bits over at most 2⁴⁰ rows: the bias of the remainder is below 10⁻⁷.
        let j = i + (stream.bits() % left) as usize;
        order.swap(i, j);
    }
    order.truncate(MOST_TRAINING);
    order.sort_unstable();
    sample.taken(&order)
}

fn summary(slot: &Slot, loaded: &Loaded, outcome: &TestOutcome, sizes: (usize, usize, usize)) -> Value {
    json!({
        "model": &*slot.name,
        "version": loaded.version,
        "drift": outcome.reject,
        "p_value": outcome.p_value,
        "level": outcome.level,
        "statistic": outcome.statistic,
        "method": outcome.method,
        "permutations": outcome.permutations,
        "kernel": outcome.kernel,
        "seed": outcome.seed.0,
        "rows": sizes.2,
        "training_rows": sizes.0,
        "training_rows_used": sizes.1,
    })
}
