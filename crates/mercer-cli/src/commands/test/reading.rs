//! Columns and points that contribute most to a difference of two samples.

use mercer::hypothesis::{Correction, TestOutcome, TwoSample, TwoSampleMethod};
use mercer::measure::{Side, WitnessPoint, witness_values};
use ndarray::Array2;
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
    let values = witness_values(x, y, &witness_kernel(outcome)?, &session.compute)?;
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
    (x, y): (&Array2<f64>, &Array2<f64>),
    session: &Session,
) -> Result<(), Failure> {
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
    let found = each.by_column(x.view(), y.view(), Correction::Holm, &session.compute)?;
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

fn sample<'a>(
    point: &WitnessPoint,
    both: (&'a Array2<f64>, &'a Array2<f64>),
) -> (&'static str, &'a Array2<f64>, usize) {
    match point.sample {
        Side::First => ("first", both.0, 0),
        Side::Second => ("second", both.1, 1),
    }
}

fn table(names: &[String], points: &[WitnessPoint], both: (&Array2<f64>, &Array2<f64>), rows: &[Vec<usize>]) -> Table {
    let shown = names.len().min(COORDINATES);
    let head: Vec<&str> =
        ["file", "row", "witness"].into_iter().chain(names[..shown].iter().map(String::as_str)).collect();
    let mut table = Table::new(&head, &(1..head.len()).collect::<Vec<_>>());
    for point in points {
        let (file, values, at) = sample(point, both);
        let position = (0..shown).map(|j| short(values[[point.row, j]]));
        let start = [file.to_owned(), rows[at][point.row].to_string(), short(point.value)];
        table.push(start.into_iter().chain(position));
    }
    table
}

fn json_of(point: &WitnessPoint, both: (&Array2<f64>, &Array2<f64>), rows: &[Vec<usize>]) -> Value {
    let (file, values, at) = sample(point, both);
    json!({
        "file": file,
        "row": rows[at][point.row],
        "witness": number(point.value),
        "point": values.row(point.row).iter().map(|v| number(*v)).collect::<Value>(),
    })
}
