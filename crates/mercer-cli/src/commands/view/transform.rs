//! `mercer transform`: a saved view applied to new data.

use std::collections::HashSet;
use std::path::Path;

use mercer::Compute;
use mercer::io::load_model;
use mercer::learner::Goal;
use mercer::model::{Inputs, Model};
use mercer::points::{Column, Table};
use mercer::view::FeatureFit;
use ndarray::{Array2, ArrayView1, Axis};

use super::{check_output, coordinate_names, write};
use crate::arguments::TransformArguments;
use crate::data::{self, named};
use crate::failure::Failure;
use crate::numbers::{grouped, json_list, short};
use crate::report::{Block, Report, Table as ReportTable};
use crate::session::Session;

/// Rows that are shown.
const SHOWN: usize = 8;

/// Transforms, writes and reports.
pub fn transform(words: &TransformArguments, session: &Session) -> Result<Report, Failure> {
    check_output(words.output.as_deref())?;
    let model = load_model(&words.model, &session.compute)?;
    let entry = model.fitted().entry();
    if !matches!(entry.goal, Goal::Features | Goal::Clusters) {
        return Err(Failure::request(format!(
            "{}: a model of kind {} predicts; use mercer predict",
            words.model.display(),
            entry.name
        )));
    }
    let table = data::read_rows(&words.data, data::rows_for(&model), session)?;
    let table = data::with_labels(table, words.objects.labels.as_deref(), session)?;
    let columns = columns(&model, &table, words, session)?;
    let result = Table::from_columns(columns.clone())?;
    write(words.output.as_deref(), columns)?;
    Ok(summary(words, &model, &result))
}

/// The coordinates of every view that the table has, or clusters with distances.
fn columns(
    model: &Model,
    table: &Table,
    words: &TransformArguments,
    session: &Session,
) -> Result<Vec<Column>, Failure> {
    let mut found = Vec::new();
    for view in views(model, table, words.view)? {
        let inputs = &model.views()[view];
        let table = match &words.objects.bag {
            Some(bag) => data::grouped(table.clone(), Some(bag), &[], &[])?,
            None => inputs.grouped(table).map_err(|e| named(e, &words.data))?.into_owned(),
        };
        found.extend(of_table(model, view, &table, words.novelty, (&words.data, 0), &session.compute)?);
    }
    Ok(found)
}

/// The view that was asked for, or all whose columns the table has; the first where it has those of
/// none, whose missing column is then named.
fn views(model: &Model, table: &Table, asked: Option<usize>) -> Result<Vec<usize>, Failure> {
    let all = model.views();
    if let Some(number) = asked {
        return match all.len() {
            count if number <= count => Ok(vec![number - 1]),
            count => Err(Failure::request(format!("--view {number}: the model has {count} views"))),
        };
    }
    let known: HashSet<&str> = table.names().collect();
    let has = |inputs: &Inputs| inputs.column_names().is_none_or(|names| names.iter().all(|name| known.contains(name)));
    let found: Vec<usize> = (0..all.len()).filter(|&view| has(&all[view])).collect();
    Ok(if found.is_empty() { vec![0] } else { found })
}

/// The coordinates of a view, or clusters with distances, of the rows of a table; `place` is the
/// file and the number of its first row there.
pub(super) fn of_table(
    model: &Model,
    view: usize,
    table: &Table,
    novelty: bool,
    place: (&Path, usize),
    compute: &Compute,
) -> Result<Vec<Column>, Failure> {
    let (path, first_row) = place;
    let (sample, kept, _) = model.encode(view, table).map_err(|e| named(e.at_row(|row| first_row + row), path))?;
    let spread = |column: ArrayView1<f64>| {
        let mut all = vec![f64::NAN; table.rows()];
        kept.iter().zip(column).for_each(|(&row, &value)| all[row] = value);
        all
    };
    if model.fitted().entry().goal == Goal::Clusters {
        let clusters = model.predict(&sample, compute)?;
        let distances = model.transform(view, &sample, compute)?;
        let own: ndarray::Array1<f64> =
            clusters.column(0).iter().enumerate().map(|(row, &c)| distances[[row, c as usize]]).collect();
        return Ok(vec![
            Column::numbers("row", (first_row..first_row + table.rows()).map(|row| row as f64).collect()),
            Column::numbers("cluster", spread(clusters.column(0))),
            Column::numbers("distance", spread(own.view())),
        ]);
    }
    let features = model.fit::<FeatureFit>();
    if let Some(map) = features.and_then(FeatureFit::binning) {
        // As `mercer embed binning`: the features themselves are mostly zeros.
        let cells = map.transform(sample.as_points().vectors()?, compute)?.cells().mapv(f64::from);
        let columns = cells.axis_iter(Axis(1)).enumerate();
        return Ok(columns.map(|(j, v)| Column::numbers(format!("cell{j}"), spread(v))).collect());
    }
    let z: Array2<f64> = model.transform(view, &sample, compute)?;
    // Features are named as the command names them that makes them.
    let names = match features {
        Some(fit) if fit.fourier().is_some() || model.fitted().kind() == "nystrom" => {
            (0..z.ncols()).map(|j| format!("z{j}")).collect()
        }
        _ => coordinate_names(model.views().len(), view, z.ncols()),
    };
    let columns = names.into_iter().zip(z.axis_iter(Axis(1)));
    let mut found: Vec<Column> = columns.map(|(name, v)| Column::numbers(name, spread(v))).collect();
    if novelty && view == 0 {
        let scores: ndarray::Array1<f64> = model.novelty(&sample, compute)?.into();
        found.push(Column::numbers("novelty", spread(scores.view())));
    }
    Ok(found)
}

fn summary(words: &TransformArguments, model: &Model, result: &Table) -> Report {
    let title = format!("{} of new rows", model.fitted().entry().title);
    let mut report = Report::new(title.clone());
    report.heading(title).fields([
        ("model", words.model.display().to_string()),
        ("rows", grouped(result.rows() as u64)),
        ("columns", result.names().collect::<Vec<_>>().join(", ")),
    ]);
    let value = |column: &Column, row: usize| match &column.data {
        mercer::points::ColumnData::Numbers(values) => values[row],
        _ => f64::NAN,
    };
    match &words.output {
        Some(path) => {
            report.text(format!("The result is in {}.", path.display()));
        }
        None => {
            let head: Vec<&str> = result.names().collect();
            let mut table = ReportTable::new(&head, &(0..head.len()).collect::<Vec<_>>());
            for row in 0..result.rows().min(SHOWN) {
                table.push(result.columns().iter().map(|column| short(value(column, row))));
            }
            report.heading("First rows").push(Block::Table(table));
        }
    }
    report.json = serde_json::json!({
        "command": "transform",
        "kind": model.fitted().kind(),
        "rows": result.rows(),
        "output": words.output.as_ref().map(|path| path.display().to_string()),
    });
    if words.output.is_none() && result.rows() * result.columns().len() <= 100_000 {
        for column in result.columns() {
            let values: Vec<f64> = (0..result.rows()).map(|row| value(column, row)).collect();
            report.json[&column.name] = json_list(values.iter());
        }
    }
    report
}
