//! Columns and points that contribute most to a difference of two samples.

use mercer::hypothesis::{Correction, TestOutcome, TwoSample, TwoSampleMethod};
use mercer::measure::{Side, WitnessPoint, witness_values};
use mercer::{Points, Sample};
use serde_json::{Value, json};

use super::pictures::witness_kernel;
use super::question::Question;
use super::read::Cases;
use crate::failure::Failure;
use crate::numbers::{digits, json as number, short};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Points shown at each end of the witness.
const POINTS: usize = 5;
/// Coordinates of a point that are shown.
const COORDINATES: usize = 6;
/// Relabelings of the test of a column.
const PERMUTATIONS: usize = 499;
/// Columns and kernel values up to which every column is tested.
const COLUMNS: usize = 64;
const VALUES: f64 = 4e8;

/// The columns and the points at which two samples differ most.
pub fn add(
    report: &mut Report,
    question: &Question,
    cases: &Cases,
    outcome: &TestOutcome,
    session: &Session,
) -> Result<(), Failure> {
    let Question::TwoSample(test) = question else { return Ok(()) };
    let (x, y) = (&cases.list[0].samples[0], &cases.list[0].samples[1]);
    columns(report, test, &cases.names[0], (x, y), session)?;
    let values = witness_values(x, y, &witness_kernel(outcome, x.as_points())?, &session.compute)?;
    let extremes = values.extremes(POINTS);
    let rows = &cases.list[0].rows;
    let summary = [
        ("Points where the first file has too many", "too_many_in_first", &extremes.highest),
        ("Points where the second file has too many", "too_many_in_second", &extremes.lowest),
    ];
    for (heading, key, points) in summary {
        report.heading(heading).push(Block::Table(table(&cases.names[0], points, (x, y), rows)));
        report.json[key] = points.iter().map(|p| json_of(p, (x, y), rows)).collect();
    }
    Ok(())
}

/// The test of every column by itself.
fn columns(
    report: &mut Report,
    test: &TwoSample,
    names: &[String],
    (x, y): (&Sample, &Sample),
    session: &Session,
) -> Result<(), Failure> {
    let (Ok(x), Ok(y)) = (x.as_points().vectors(), y.as_points().vectors()) else { return Ok(()) };
    let total = (x.nrows() + y.nrows()) as f64;
    let work = x.ncols() as f64 * total * total;
    if x.ncols() < 2 {
        return Ok(());
    }
    if x.ncols() > COLUMNS || work > VALUES {
        report.text("The columns were not tested individually: there are too many columns or rows.");
        return Ok(());
    }
    let each = TwoSample {
        kernel: None,
        method: TwoSampleMethod::Permutation,
        permutations: PERMUTATIONS,
        level: test.level,
        ..TwoSample::default()
    };
    let found = each.by_column(x, y, Correction::Holm, &session.compute)?;
    let mut table = Table::new(&["column", "MMD²", "effect", "p", "corrected p"], &[1, 2, 3, 4]);
    for column in &found {
        table.push([
            names[column.column].clone(),
            short(column.mmd),
            column.outcome.detail("effect").map_or("—".into(), |e| digits(e, 3)),
            digits(column.outcome.p_value, 4),
            digits(column.adjusted, 4),
        ]);
    }
    report
        .heading("Individual columns")
        .push(Block::Table(table))
        .text(format!("Gaussian kernels with median distances, {PERMUTATIONS} permutations, Holm's correction."));
    report.json["by_column"] = found
        .iter()
        .map(|c| {
            json!({
                "column": names[c.column],
                "mmd": number(c.mmd),
                "p_value": number(c.outcome.p_value),
                "p_adjusted": number(c.adjusted),
            })
        })
        .collect();
    Ok(())
}

/// The coordinates of a vector; none of an object.
fn coordinates(points: Points<'_>, row: usize) -> Vec<f64> {
    points.vectors().map_or_else(|_| Vec::new(), |x| x.row(row).to_vec())
}

fn sample<'a>(point: &WitnessPoint, both: (&'a Sample, &'a Sample)) -> (&'static str, &'a Sample, usize) {
    match point.sample {
        Side::First => ("first", both.0, 0),
        Side::Second => ("second", both.1, 1),
    }
}

fn table(names: &[String], points: &[WitnessPoint], both: (&Sample, &Sample), rows: &[Vec<usize>]) -> Table {
    let shown = names.len().min(COORDINATES);
    let objects = both.0.as_points().kind().is_object();
    let shown = if objects { 0 } else { shown };
    let mut head: Vec<&str> =
        ["file", "row", "witness"].into_iter().chain(names[..shown].iter().map(String::as_str)).collect();
    head.extend(objects.then_some("point"));
    let mut table = Table::new(&head, &(1..head.len()).collect::<Vec<_>>());
    for point in points {
        let (file, values, at) = sample(point, both);
        let position = coordinates(values.as_points(), point.row).into_iter().take(shown).map(short);
        let object = values.as_points().describe(point.row);
        let start = [file.to_owned(), rows[at][point.row].to_string(), short(point.value)];
        table.push(start.into_iter().chain(position).chain(object));
    }
    table
}

fn json_of(point: &WitnessPoint, both: (&Sample, &Sample), rows: &[Vec<usize>]) -> Value {
    let (file, values, at) = sample(point, both);
    let shown = match values.as_points().describe(point.row) {
        Some(object) => object.into(),
        None => coordinates(values.as_points(), point.row).into_iter().map(number).collect::<Value>(),
    };
    json!({
        "file": file,
        "row": rows[at][point.row],
        "witness": number(point.value),
        "point": shown,
    })
}
