//! `mercer predict` of a file that is longer than memory: chunk by chunk, straight to the output.

use std::io::{self, Write};
use std::path::Path;

use mercer::Error;
use mercer::compute::human_bytes;
use mercer::io::{Chunk, ChunkedFile, ReadOptions, atomic_write};
use mercer::model::Model;
use mercer::points::Table;
use serde_json::json;

use super::fit::{ClassQuality, Quality};
use super::predict::{self, Predicted, Summary, Tested};
use super::predict_classes;
use super::predict_write::{Layout, layout, write_tsv};
use crate::arguments::PredictArguments;
use crate::data::{self, is_standard_input, shown};
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;

/// The most rows of a chunk. Any value of thousands would do.
const ROWS: u64 = 1 << 16;
/// Estimated bytes per cell while it is read, encoded and predicted from; a chunk takes at most
/// 1/`PART` of the memory limit.
const CELL: u64 = 64;
const PART: u64 = 16;

/// Why predictions are streamed; nothing when they are not.
pub fn reason(words: &PredictArguments, session: &Session) -> Option<String> {
    if words.stream {
        return Some("requested".into());
    }
    let size = std::fs::metadata(&words.data).ok().filter(std::fs::Metadata::is_file).map_or(0, |facts| facts.len());
    let (limit, name) = (session.compute.memory(), shown(&words.data));
    let (has, most) = (human_bytes(size), human_bytes(limit));
    (size > limit && output(words).is_ok())
        .then(|| format!("{name} has {has}, which is more than the memory limit of {most}"))
}

/// Where the predictions go: a table that grows line by line.
fn output(words: &PredictArguments) -> Result<(&Path, Layout), Failure> {
    if is_standard_input(&words.data) {
        return Err(Failure::request("--stream: standard input can be read only once: give a file"));
    }
    let Some(path) = &words.output else {
        return Err(Failure::request(
            "--stream: predictions that do not fit into memory need a file: give --output OUT.csv",
        ));
    };
    match layout(path)? {
        layout @ (Layout::Csv | Layout::Tsv) => Ok((path, layout)),
        _ => {
            let name = path.display();
            Err(Failure::request(format!("--stream: --output {name}: the name must end in .csv or .tsv")))
        }
    }
}

/// Predicts and writes chunk by chunk, and reports.
pub fn predict(words: &PredictArguments, reason: &str, session: &Session) -> Result<Report, Failure> {
    let (path, layout) = output(words)?;
    let model = predict::load(words, session)?;
    let rows = data::rows_for(&model);
    let options = ReadOptions { format: session.common.format, rows, ..ReadOptions::default() };
    let file = ChunkedFile::open(&words.data, &options, &session.compute)?;
    let columns = file.header().columns().len().max(1) as u64;
    let rows = (session.compute.memory() / PART / (CELL * columns)).clamp(1, ROWS) as usize;
    let mut work = Work { words, model: &model, session, layout, totals: Totals::default() };
    let mut failure = None;
    let written = atomic_write(path, |out| {
        let stopped = work.run(&file, rows, out).err();
        failure = stopped;
        if failure.is_some() { Err(io::Error::other("the predictions stopped")) } else { Ok(()) }
    });
    match failure {
        Some(Failure::Output(source)) => return Err(Error::File { path: path.to_owned(), source }.into()),
        Some(other) => return Err(other),
        None => written?,
    }
    Ok(summary(words, &model, path, &work.totals, reason))
}

struct Work<'a> {
    words: &'a PredictArguments,
    model: &'a Model,
    session: &'a Session,
    layout: Layout,
    totals: Totals,
}

/// What is known of the predictions so far.
#[derive(Default)]
struct Totals {
    summary: Summary,
    targets: Vec<Sums>,
    classes: Option<(String, usize, ClassQuality)>,
}

impl Work<'_> {
    fn run(&mut self, file: &ChunkedFile, rows: usize, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
        let mut any = false;
        for chunk in file.chunks(0, rows)? {
            let chunk = chunk?;
            self.session.compute.report("predictions", chunk.position, file.size());
            self.step(chunk, !any, out)?;
            any = true;
        }
        if any {
            return Ok(());
        }
        self.step(Chunk { table: file.header(), first_row: 0, position: 0 }, true, out)
    }

    fn step(&mut self, chunk: Chunk, first: bool, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
        let Self { words, model, session, .. } = *self;
        let table = data::choose(chunk.table, &words.columns)?;
        let encoded = predict::encode(words, model, &table, chunk.first_row)?;
        let result = match model.classes() {
            Some(names) => {
                let found = predict_classes::run(words, model, names, &table, &encoded, session)?;
                let result = found.table()?;
                self.totals.add_classes(found.quality);
                result
            }
            None => {
                let predicted = predict::run(words, model, &table, &encoded, session)?;
                self.totals.add(&predicted);
                predict::as_table(&predicted)?
            }
        };
        let summary = &mut self.totals.summary;
        summary.rows += result.rows();
        summary.filled += encoded.filled;
        summary.dropped += encoded.dropped;
        summary.names = result.names().map(str::to_owned).collect();
        write_rows(self.layout, &result, first, out).map_err(Failure::Output)
    }
}

/// Writes the rows of a chunk, after the names in the first one.
pub(super) fn write_rows(layout: Layout, table: &Table, first: bool, out: &mut (dyn Write + Send)) -> io::Result<()> {
    if layout == Layout::Tsv {
        return write_tsv(out, table, first);
    }
    let mut text = Vec::new();
    mercer::io::write_table_csv_to(&mut text, table)?;
    let mut names = Vec::new();
    if !first {
        mercer::io::write_table_csv_to(&mut names, &table.select_rows(&[]).map_err(io::Error::other)?)?;
    }
    out.write_all(&text[names.len()..])
}

/// Sums over the rows of one target whose truth and prediction are there.
#[derive(Default)]
struct Sums {
    name: String,
    rows: usize,
    squares: f64,
    sizes: f64,
    /// The mean of the truth, and the sum of squares around it.
    mean: f64,
    around: f64,
    inside: Option<usize>,
}

impl Sums {
    fn add(&mut self, one: &Predicted) {
        let Some(truth) = &one.truth else { return };
        for i in (0..truth.len()).filter(|&i| truth[i].is_finite() && one.value[i].is_finite()) {
            let (y, error) = (truth[i], truth[i] - one.value[i]);
            self.rows += 1;
            self.squares += error * error;
            self.sizes += error.abs();
            let before = y - self.mean;
            self.mean += before / self.rows as f64;
            self.around += before * (y - self.mean);
            if let Some((lower, upper)) = &one.ends {
                *self.inside.get_or_insert(0) += usize::from(lower[i] <= y && y <= upper[i]);
            }
        }
    }

    fn tested(&self) -> Option<Tested> {
        let rows = self.rows as f64;
        (self.rows > 0).then(|| Tested {
            quality: Quality {
                target: self.name.clone(),
                rmse: (self.squares / rows).sqrt(),
                mae: self.sizes / rows,
                r2: if self.around > 0.0 { 1.0 - self.squares / self.around } else { f64::NAN },
                loo_rmse: None,
                loo_r2: None,
            },
            rows: self.rows,
            coverage: self.inside.map(|inside| inside as f64 / rows),
            pairs: Vec::new(),
            held: None,
        })
    }
}

impl Totals {
    fn add(&mut self, predicted: &[Predicted]) {
        if self.targets.is_empty() {
            self.targets = predicted.iter().map(|one| Sums { name: one.name.clone(), ..Sums::default() }).collect();
        }
        self.targets.iter_mut().zip(predicted).for_each(|(sums, one)| sums.add(one));
    }

    fn add_classes(&mut self, quality: Option<(String, usize, ClassQuality)>) {
        let Some((name, rows, more)) = quality else { return };
        match &mut self.classes {
            Some((_, all, quality)) => {
                quality.add(&more);
                *all += rows;
            }
            none => *none = Some((name, rows, more.without_curves())),
        }
    }
}

fn summary(words: &PredictArguments, model: &Model, path: &Path, totals: &Totals, reason: &str) -> Report {
    let tested: Vec<Tested> = totals.targets.iter().filter_map(Sums::tested).collect();
    let mut report = Report::new(format!("Predictions of {}", words.model.display()));
    predict::push_summary(&mut report, path, words, model, &totals.summary, &tested);
    report.fields([("streamed", reason.to_owned())]);
    report.json = predict::json_of(words, model, &totals.summary, &[], &tested);
    report.json["streamed"] = reason.into();
    report.json["targets"] = totals.targets.iter().map(|sums| json!({ "target": sums.name })).collect();
    if let Some((name, rows, quality)) = &totals.classes {
        predict::push_class_quality(&mut report, name, *rows, quality, true);
    }
    report
}
