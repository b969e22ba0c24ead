//! Points of a model → the columns of the answer: those of `mercer predict` and `mercer transform`.

use mercer::learner::Goal;
use mercer::model::Model;
use mercer::points::{Column, ColumnData, Table};
use mercer::{Compute, Sample};
use ndarray::{Array2, ArrayView1, Axis};

use super::ask::Ask;
use super::body::refusal;
use super::schema::endings;
use crate::http::Refusal;

/// The rows of a request as points of one view.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub sample: Sample,
    /// The rows that were kept.
    pub kept: Vec<usize>,
    /// Rows of the table, with a row per bag.
    pub rows: usize,
    /// Missing values that were filled.
    pub filled: usize,
}

/// Whether what is asked for goes with the model.
pub(crate) fn check(model: &Model, ask: Ask) -> Result<(), Refusal> {
    let entry = model.fitted().entry();
    let is_view = matches!(entry.goal, Goal::Features | Goal::Clusters);
    let refused = |message: String| Err(Refusal::bad_request("unsupported", message));
    if ask.probabilities && model.classes().is_none() {
        return refused(format!("probabilities: a model of kind {} has no classes", entry.name));
    }
    if ask.probabilities && !model.has_probabilities() {
        return refused("probabilities: the model was fitted without probabilities".into());
    }
    if ask.interval.is_some() && (is_view || model.classes().is_some()) {
        return refused(format!("interval: a model of kind {} has no intervals", entry.name));
    }
    if ask.novelty && entry.goal != Goal::Features {
        return refused(format!("novelty: a model of kind {} has no scores of novelty", entry.name));
    }
    Ok(())
}

/// The rows of a table as points of every view.
pub(crate) fn encode(model: &Model, table: &Table) -> Result<Vec<Encoded>, Refusal> {
    let one = |view: usize| {
        let grouped = model.views()[view].grouped(table)?;
        let (sample, kept, filled) = model.encode(view, &grouped)?;
        Ok(Encoded { sample, kept, rows: grouped.rows(), filled })
    };
    (0..model.views().len()).map(|view| one(view).map_err(refusal)).collect()
}

/// The columns of the answer, a row for every row of the request; missing in rows that were left out.
pub(crate) fn predict(model: &Model, views: &[Encoded], ask: Ask, compute: &Compute) -> mercer::Result<Vec<Column>> {
    match (model.fitted().entry().goal, views) {
        (Goal::Clusters, [only]) => clusters(model, only, compute),
        (Goal::Features, views) => coordinates(model, views, ask, compute),
        (_, [only, ..]) if model.classes().is_some() => classes(model, only, ask, compute),
        (_, [only, ..]) => values(model, only, ask, compute),
        _ => Ok(Vec::new()),
    }
}

impl Encoded {
    fn spread(&self, column: ArrayView1<'_, f64>) -> Vec<f64> {
        let mut all = vec![f64::NAN; self.rows];
        self.kept.iter().zip(column).for_each(|(&row, &value)| all[row] = value);
        all
    }
}

fn values(model: &Model, x: &Encoded, ask: Ask, compute: &Compute) -> mercer::Result<Vec<Column>> {
    let (mean, ends) = match ask.interval {
        None => (model.predict(&x.sample, compute)?, None),
        Some(level) => {
            let found = model.predict_interval(&x.sample, level, compute)?;
            (found.mean, Some((found.lower, found.upper)))
        }
    };
    let mut columns = Vec::new();
    for (j, ending) in endings(model).iter().enumerate() {
        let mut push = |name: &str, values: &Array2<f64>| {
            columns.push(Column::numbers(format!("{name}{ending}"), x.spread(values.column(j))));
        };
        push("prediction", &mean);
        if let Some((lower, upper)) = &ends {
            push("lower", lower);
            push("upper", upper);
        }
    }
    Ok(columns)
}

fn classes(model: &Model, x: &Encoded, ask: Ask, compute: &Compute) -> mercer::Result<Vec<Column>> {
    let names = model.classes().unwrap_or_default();
    let mut all: Vec<Option<usize>> = vec![None; x.rows];
    let found = model.predict_classes(&x.sample, compute)?;
    x.kept.iter().zip(found).for_each(|(&row, class)| all[row] = Some(class));
    let numbers: Option<Vec<f64>> = names.iter().map(|n| n.parse().ok().filter(|v: &f64| v.is_finite())).collect();
    let mut columns = vec![match numbers {
        Some(labels) => Column::numbers("prediction", all.iter().map(|c| c.map_or(f64::NAN, |c| labels[c])).collect()),
        None => Column::categories("prediction", all.iter().map(|c| c.map(|c| names[c].as_str()))),
    }];
    if ask.probabilities {
        let p = model.probabilities(&x.sample, compute)?;
        let named = names.iter().zip(p.axis_iter(Axis(1)));
        columns.extend(named.map(|(name, p)| Column::numbers(format!("proba_{name}"), x.spread(p))));
    }
    Ok(columns)
}

fn clusters(model: &Model, x: &Encoded, compute: &Compute) -> mercer::Result<Vec<Column>> {
    let found = model.predict(&x.sample, compute)?;
    let distances = model.transform(0, &x.sample, compute)?;
    let own: ndarray::Array1<f64> =
        found.column(0).iter().enumerate().map(|(row, &c)| distances[[row, c as usize]]).collect();
    Ok(vec![
        Column::numbers("row", (0..x.rows).map(|row| row as f64).collect()),
        Column::numbers("cluster", x.spread(found.column(0))),
        Column::numbers("distance", x.spread(own.view())),
    ])
}

fn coordinates(model: &Model, views: &[Encoded], ask: Ask, compute: &Compute) -> mercer::Result<Vec<Column>> {
    let mut columns = Vec::new();
    for (view, x) in views.iter().enumerate() {
        let z = model.transform(view, &x.sample, compute)?;
        let start = if views.len() > 1 { format!("view{}_", view + 1) } else { String::new() };
        let named = z.axis_iter(Axis(1)).enumerate();
        columns.extend(named.map(|(at, z)| Column::numbers(format!("{start}component{}", at + 1), x.spread(z))));
        if ask.novelty && view == 0 {
            let scores: ndarray::Array1<f64> = model.novelty(&x.sample, compute)?.into();
            columns.push(Column::numbers("novelty", x.spread(scores.view())));
        }
    }
    Ok(columns)
}

/// Some rows of columns.
pub(crate) fn part(columns: &[Column], rows: std::ops::Range<usize>) -> Vec<Column> {
    let one = |column: &Column| {
        let data = match &column.data {
            ColumnData::Numbers(values) => ColumnData::Numbers(values[rows.clone()].to_vec()),
            ColumnData::Categories { codes, levels } => {
                ColumnData::Categories { codes: codes[rows.clone()].to_vec(), levels: levels.clone() }
            }
            other => other.clone(),
        };
        Column { name: column.name.clone(), data }
    };
    columns.iter().map(one).collect()
}
