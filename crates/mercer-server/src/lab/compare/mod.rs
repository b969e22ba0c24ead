//! The panel of comparisons: two samples, or two sets of columns.

mod samples;

use mercer::hypothesis::{Correction, Independence, TestOutcome, TwoSample, TwoSampleMethod};
use mercer::measure::{Side, WitnessPoint, witness, witness_values};
use mercer::points::{ColumnData, PointKind};
use mercer::{Compute, Kernel, Result, Sample};
use ndarray::{Array2, ArrayView2};
use serde_json::{Value, json};

use super::data::Store;
use super::fields::Fields;
use super::jobs::Finished;
use super::kernel::parse;
use super::numbers::{drawn_all, drawn_list, number, steps};
use super::refusal::Refusal;
use super::snippets;
use samples::{Pooled, Sides, pair};

/// Bins of the null distribution.
const BINS: usize = 48;
/// Places of a witness, columns that are tested one by one, rows that are named.
const PLACES: usize = 161;
const COLUMNS: usize = 24;
const NAMED: usize = 6;
/// Rows of both samples together, and permutations.
const MOST_ROWS: usize = 6_000;
const MOST_PERMUTATIONS: u64 = 20_000;

/// What is compared.
pub struct Request {
    /// The question.
    pub question: Question,
    /// The kernel; none is chosen for the points.
    pub kernel: Option<Kernel>,
    /// Random permutations.
    pub permutations: usize,
    /// The level of the test.
    pub level: f64,
}

/// The question.
pub enum Question {
    /// Have two samples one distribution?
    TwoSample(Sides),
    /// Are two sets of columns independent?
    Independence(samples::Sets),
}

impl Request {
    /// From the page.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let question = match fields.word("mode", &[("files", 0), ("groups", 1), ("independence", 2)])? {
            0 => Question::TwoSample(Sides::files(fields)?),
            1 => Question::TwoSample(Sides::groups(fields)?),
            _ => Question::Independence(samples::Sets::read(fields)?),
        };
        let kernel = fields.optional_text("kernel")?.filter(|t| !t.trim().is_empty() && *t != "auto");
        let level = fields.optional_number("level")?.unwrap_or(0.05);
        if !(level > 0.0 && level < 1.0) {
            return Err(Refusal::request("`level` must be between 0 and 1"));
        }
        Ok(Self {
            question,
            kernel: kernel.map(parse).transpose()?,
            permutations: fields.optional_count("permutations", MOST_PERMUTATIONS)?.unwrap_or(999).max(1),
            level,
        })
    }
}

/// Runs the test, and what explains it.
pub fn run(request: &Request, store: &Store, compute: &Compute) -> Result<Finished, Refusal> {
    let mut answer = match &request.question {
        Question::TwoSample(sides) => {
            let pooled = Pooled::new(sides, store, request.kernel.as_ref())?;
            two_samples(request, &pooled, compute)?
        }
        Question::Independence(sets) => independence(request, sets, store, compute)?,
    };
    answer["snippet"] = snippets::compare(request, store)?;
    Ok(Finished { answer, kept: None })
}

fn two_samples(request: &Request, pooled: &Pooled, compute: &Compute) -> Result<Value, Refusal> {
    let points = pooled.sample.as_points();
    check_rows(points.len())?;
    let kernel = match &request.kernel {
        Some(kernel) => pooled.kernel(kernel)?,
        None => Kernel::default_of(points)?,
    };
    let test = TwoSample {
        kernel: Some(kernel.clone()),
        method: TwoSampleMethod::Permutation,
        permutations: request.permutations,
        level: request.level,
        ..TwoSample::default()
    };
    let outcome = test.test_pooled(points, pooled.first, compute)?;
    let (x, y) = pooled.split();
    let resolved = kernel.resolve(points, compute)?;
    let values = witness_values(&x, &y, &resolved, compute)?;
    let extremes = values.extremes(NAMED);
    let named = |list: &[WitnessPoint]| {
        list.iter().map(|p| pooled.named(p.sample == Side::First, p.row, p.value)).collect::<Vec<_>>()
    };
    let columns = match (pooled.kind, x.as_points().vectors(), y.as_points().vectors()) {
        (PointKind::Vectors, Ok(x), Ok(y)) => by_column(request, pooled, x, y, compute)?,
        _ => Value::Null,
    };
    Ok(json!({
        "mode": "two-sample",
        "hypothesis": format!("{} and {} have the same distribution", pooled.names.0, pooled.names.1),
        "names": [pooled.names.0, pooled.names.1],
        "sizes": [pooled.first, points.len() - pooled.first],
        "outcome": shown(&outcome),
        "kernel": resolved.to_string(),
        "columns": columns,
        "witness": { "first": drawn_all(values.first.view()), "second": drawn_all(values.second.view()),
                     "highest": named(&extremes.highest), "lowest": named(&extremes.lowest) },
        "remarks": pooled.remarks,
    }))
}

/// The test of every column by itself, and where its two samples differ.
fn by_column(
    request: &Request,
    pooled: &Pooled,
    x: ArrayView2<'_, f64>,
    y: ArrayView2<'_, f64>,
    compute: &Compute,
) -> Result<Value, Refusal> {
    let count = x.ncols().min(COLUMNS);
    let (x, y) = (x.slice(ndarray::s![.., ..count]), y.slice(ndarray::s![.., ..count]));
    let median: Kernel = "gaussian(lengthscale=median)".parse()?;
    let test = TwoSample {
        permutations: request.permutations,
        level: request.level,
        ..TwoSample::permutation(median.clone())
    };
    let outcomes = test.by_column(x, y, Correction::Holm, compute)?;
    let mut columns = Vec::new();
    for found in outcomes {
        let curve = column_witness(pooled, found.column, x, y, &median, compute)?;
        columns.push(json!({
            "name": pooled.coordinates[found.column], "mmd": number(found.mmd),
            "p_value": number(found.outcome.p_value), "adjusted": number(found.adjusted),
            "differs": found.adjusted <= request.level, "witness": curve,
        }));
    }
    Ok(Value::from(columns))
}

fn column_witness(
    pooled: &Pooled,
    column: usize,
    x: ArrayView2<'_, f64>,
    y: ArrayView2<'_, f64>,
    kernel: &Kernel,
    compute: &Compute,
) -> Result<Value> {
    let one = |z: ArrayView2<'_, f64>| z.column(column).to_owned().insert_axis(ndarray::Axis(1));
    let (x, y) = (one(x), one(y));
    let ends = x.iter().chain(&y).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    if ends.0 == ends.1 {
        return Ok(Value::Null);
    }
    let all = ndarray::concatenate![ndarray::Axis(0), x, y];
    let resolved = kernel.resolve(all.view(), compute)?;
    let f = witness(x.view(), y.view(), &resolved, compute)?;
    let places = steps(ends.0, ends.1, PLACES);
    let grid = Array2::from_shape_fn((PLACES, 1), |(i, _)| places[i]);
    let values = f.evaluate(grid.view(), compute)?;
    let units = |list: &[f64]| drawn_list(&list.iter().map(|&v| pooled.in_units(column, v)).collect::<Vec<_>>());
    Ok(json!({
        "x": units(&places), "y": drawn_all(values.view()),
        "first": units(&x.iter().copied().take(400).collect::<Vec<_>>()),
        "second": units(&y.iter().copied().take(400).collect::<Vec<_>>()),
    }))
}

fn independence(request: &Request, sets: &samples::Sets, store: &Store, compute: &Compute) -> Result<Value, Refusal> {
    let (x, y) = pair(sets, store, compute)?;
    check_rows(x.rows())?;
    let kernel = |training: &super::training::Training| match &request.kernel {
        Some(kernel) => training.kernel(kernel).map(Some),
        None => Ok(Some(Kernel::default_of(training.points())?)),
    };
    let test = Independence {
        kernel_x: kernel(&x)?,
        kernel_y: kernel(&y)?,
        permutations: request.permutations,
        level: request.level,
        ..Independence::default()
    };
    let outcome = test.test(&x.sample, &y.sample, compute)?;
    let picture = scatter(&x, &y);
    Ok(json!({
        "mode": "independence",
        "hypothesis": format!("{} and {} are independent", sets.x.join(", "), sets.y.join(", ")),
        "sizes": [x.rows()],
        "outcome": shown(&outcome),
        "kernel": outcome.kernel,
        "scatter": picture,
        "remarks": x.remarks,
    }))
}

/// The two variables against each other, where each is one column of numbers or of categories.
fn scatter(x: &super::training::Training, y: &super::training::Training) -> Value {
    let values = |training: &super::training::Training| {
        let names = training.inputs_shown();
        let [name] = names.as_slice() else { return None };
        let column = training.set.table.column(name.as_str()).ok()?;
        let rows = training.kept.iter().take(1_500);
        match &column.data {
            ColumnData::Numbers(v) => {
                Some(json!({ "name": name, "values": drawn_list(&rows.map(|&r| v[r]).collect::<Vec<_>>()) }))
            }
            ColumnData::Categories { codes, levels } => {
                Some(json!({ "name": name, "levels": levels, "values": rows.map(|&r| codes[r]).collect::<Vec<_>>() }))
            }
            _ => None,
        }
    };
    match (values(x), values(y)) {
        (Some(x), Some(y)) => json!({ "x": x, "y": y }),
        _ => Value::Null,
    }
}

fn check_rows(rows: usize) -> Result<(), Refusal> {
    if rows > MOST_ROWS {
        return Err(Refusal::too_large(format!(
            "{rows} rows: here a test takes {MOST_ROWS}; the command line takes more"
        )));
    }
    Ok(())
}

/// The decision, what it rests on, and the null distribution in bins.
fn shown(outcome: &TestOutcome) -> Value {
    let details: Vec<Value> = outcome.details.iter().map(|(name, value)| json!([name, number(*value)])).collect();
    json!({
        "statistic": number(outcome.statistic), "p_value": number(outcome.p_value), "level": outcome.level,
        "reject": outcome.reject, "method": outcome.method, "permutations": outcome.permutations,
        "exact": outcome.exact, "seed": outcome.seed.0, "threshold": outcome.threshold.map(number),
        "effect": outcome.detail("effect").map(number), "details": details,
        "p_interval": outcome.p_interval.map(|(low, high)| json!([number(low), number(high)])),
        "null": outcome.null.as_ref().map(|null| histogram(null, outcome.statistic)),
    })
}

/// Counts in equal bins that hold all values and the statistic.
fn histogram(values: &[f64], statistic: f64) -> Value {
    let start = (statistic, statistic);
    let (low, high) = values.iter().fold(start, |(l, h), &v| (l.min(v), h.max(v)));
    let width = (high - low).max(f64::MIN_POSITIVE) / BINS as f64;
    let mut counts = vec![0_usize; BINS];
    for value in values.iter().filter(|v| v.is_finite()) {
        counts[(((value - low) / width) as usize).min(BINS - 1)] += 1;
    }
    json!({ "low": number(low), "high": number(high), "counts": counts, "total": values.len() })
}

/// The sample with these rows of a pooled one.
fn taken(sample: &Sample, rows: std::ops::Range<usize>) -> Sample {
    sample.taken(&rows.collect::<Vec<_>>())
}
