//! Statistics of a part of the rows of a file, for a fit that several machines share.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use ndarray::{Axis, s};

use super::super::atomic_write;
use super::super::model_file::read_bytes;
use super::digest::of_record;
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::learn::{RidgeStream, StreamedRidge};
use crate::model::{Inputs, Model};
use crate::record::{Record, container};
use crate::{Compute, Error, Result};

/// One of several parts of the rows, of nearly the same size: `2/5` is the second of five.
///
/// # Example
/// ```
/// use mercer::io::RowPart;
/// let part: RowPart = "2/3".parse()?;
/// assert_eq!(part.rows(10), 3..6);
/// assert!("4/3".parse::<RowPart>().is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPart {
    number: usize,
    count: usize,
}

impl RowPart {
    /// Part `number`, counted from 1, of `count`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number that is not there.
    pub fn new(number: usize, count: usize) -> Result<Self> {
        if number == 0 || number > count {
            return Err(Error::parameter("part", format!("{number}/{count}"), "i/k with 1 ≤ i ≤ k"));
        }
        Ok(Self { number, count })
    }

    /// The rows of the part, of so many in all.
    pub fn rows(self, all: usize) -> Range<usize> {
        let cut = |part: usize| (all as u128 * part as u128 / self.count as u128) as usize;
        cut(self.number - 1)..cut(self.number)
    }
}

impl fmt::Display for RowPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for RowPart {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::parameter("part", text, "i/k with 1 ≤ i ≤ k, as in 2/5");
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        let whole = |text: &str| text.trim().parse().map_err(|_| wrong());
        Self::new(whole(number)?, whole(count)?)
    }
}

const KIND: &str = "statistics of a part of a fit";
const FACT: &str = "fact.";
const NOTE: &str = "note.";
/// The version of the files that are written and can be read.
const VERSION: u32 = 1;

/// What a part of the rows of a file gives a fit: statistics, and all that the fit depends on.
///
/// Parts of one file and one specification, made by any number of machines, merge in any order to
/// the model of one machine, byte for byte. The data, the specification, the seed and the version
/// are compared; every row must be there once.
#[derive(Clone, Debug)]
pub struct PartStatistics {
    stream: RidgeStream,
    inputs: Inputs,
    facts: BTreeMap<String, String>,
    notes: BTreeMap<String, String>,
}

impl SurveyedFile {
    /// The statistics of a part of the rows, for a ridge regression on features.
    ///
    /// # Errors
    /// As [`SurveyedFile::fit`].
    pub fn statistics(&self, spec: &StreamedRidge, part: RowPart, compute: &Compute) -> Result<PartStatistics> {
        let quiet = compute.silent();
        let rows = part.rows(self.rows());
        let all = spec.start(self.sample_points(), self.rules.roles.targets.len(), &quiet)?;
        let mut stream = all.without_rows(rows.start as u64);
        drop(all);
        let (first, mut at) = self.mark(rows.start);
        for chunk in self.file.chunks(first, height(&self.file, compute))? {
            if at >= rows.end {
                break;
            }
            let chunk = chunk?;
            let part = Part::new(&chunk, &self.rules.roles, self.rules.leave_out)?;
            let mut take = |x: ndarray::ArrayView2<f64>,
                            y: ndarray::ArrayView2<f64>,
                            weights: Option<ndarray::ArrayView1<f64>>| {
                // The rows of the chunk that are in the part.
                let own = rows.start.saturating_sub(at).min(x.nrows())..rows.end.saturating_sub(at).min(x.nrows());
                at += x.nrows();
                let (x, y) = (x.slice(s![own.clone(), ..]), y.slice_axis(Axis(0), own.clone().into()));
                let skipped = own.start;
                let weights = weights.as_ref().map(|w| w.slice(s![own]));
                stream.update(x, y, weights, &quiet).map_err(|e| e.at_row(|row| row + skipped))
            };
            self.give(&part, &mut take).map_err(|e| part.in_file(e))?;
            compute.report("statistics", chunk.position, self.file.size());
        }
        if stream.rows() != rows.len() as u64 {
            return Err(Error::mismatch(
                "the file changed while it was read",
                format!("{} rows in the part at first", rows.len()),
                format!("{} later", stream.rows()),
                "begin again",
            ));
        }
        let facts = self.facts(spec, "one pass", compute).into_iter().map(|(name, value)| (name.to_owned(), value));
        Ok(PartStatistics { stream, inputs: self.inputs(), facts: facts.collect(), notes: BTreeMap::new() })
    }
}

impl PartStatistics {
    /// The rows of the part, or of the parts that were merged: first, and one after the last, of
    /// every gapless range.
    pub fn row_ranges(&self) -> &[(u64, u64)] {
        self.stream.row_ranges()
    }

    /// The rows of the whole data.
    pub fn all_rows(&self) -> u64 {
        self.facts.get("rows").and_then(|rows| rows.parse().ok()).unwrap_or(0)
    }

    /// The statistics.
    pub fn stream(&self) -> &RidgeStream {
        &self.stream
    }

    /// With a note that goes with the parts into the model.
    pub fn with_note(mut self, name: &str, text: &str) -> Self {
        self.notes.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Writes the statistics as a file, whole or not at all.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut record = Record::default();
        record.put_text("kind", KIND);
        record.put_text("version", VERSION);
        record.bytes.insert("stream".into(), self.stream.to_bytes());
        self.inputs.put_into(0, &mut record);
        for (prefix, texts) in [(FACT, &self.facts), (NOTE, &self.notes)] {
            texts.iter().for_each(|(name, text)| record.put_text(&format!("{prefix}{name}"), text));
        }
        let digest = of_record(&record);
        record.put_text("digest", digest);
        atomic_write(path, |out| container::write(out, &record))
    }

    /// Reads the statistics that [`PartStatistics::save`] wrote.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, [`Error::Format`] if it is something else,
    /// damaged or of another version, [`Error::Memory`] if it is over the memory limit.
    pub fn load(path: &Path, compute: &Compute) -> Result<Self> {
        let bytes = read_bytes(path, compute)?;
        let found = container::read(&bytes).and_then(Self::from_record);
        found.map_err(|error| match error {
            Error::Memory { .. } | Error::Canceled => error,
            other => Error::Format {
                path: path.to_owned(),
                line: None,
                reason: format!("no statistics can be read: {other}"),
            },
        })
    }

    fn from_record(mut record: Record) -> Result<Self> {
        let kind = record.text("kind").unwrap_or("something else");
        if kind != KIND {
            return Err(Error::parameter("kind", kind, KIND));
        }
        let version = record.text("version")?;
        if version != VERSION.to_string() {
            return Err(Error::parameter("version", version, VERSION.to_string()));
        }
        let digest = record.texts.remove("digest").unwrap_or_default();
        if digest != of_record(&record) {
            return Err(Error::request("the file is damaged: its digest does not agree with its contents"));
        }
        let stream = RidgeStream::from_bytes(&record.bytes.remove("stream").unwrap_or_default())?;
        let inputs = Inputs::take_from(0, &mut record)?;
        let texts = |prefix: &str| {
            let own = |(name, text): (&String, &String)| Some((name.strip_prefix(prefix)?.to_owned(), text.clone()));
            record.texts.iter().filter_map(own).collect()
        };
        let (facts, notes) = (texts(FACT), texts(NOTE));
        Ok(Self { stream, inputs, facts, notes })
    }

    /// Takes in another part; `name` names it in errors.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a part of other data, another specification, seed or version, and
    /// for rows that are here already; the statistics are then as they were.
    pub fn merge(&mut self, other: &Self, name: &str, compute: &Compute) -> Result<()> {
        let names = self.facts.keys().chain(other.facts.keys());
        let value = |facts: &BTreeMap<String, String>, name: &str| facts.get(name).cloned().unwrap_or_default();
        let different = names.map(|name| (name, value(&self.facts, name), value(&other.facts, name)));
        if let Some((fact, first, second)) = different.into_iter().find(|(_, first, second)| first != second) {
            let (first, second) = match fact.as_str() {
                "data" => ("the parts before are of other data".to_owned(), "its data differ".to_owned()),
                _ => (format!("the parts before have {fact} = {first}"), format!("it has {fact} = {second}")),
            };
            return Err(Error::mismatch(
                format!("{name} is a part of another fit"),
                first,
                second,
                "make all parts with the same command, of the same file",
            ));
        }
        self.stream.merge(&other.stream, compute)
    }

    /// The model of all rows.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for rows that are missing; as [`RidgeStream::finish`].
    pub fn into_model(self, compute: &Compute) -> Result<Model> {
        let (all, here) = (self.all_rows(), self.stream.rows());
        let next = self.stream.row_ranges().first().filter(|range| range.0 == 0).map_or(0, |range| range.1);
        if here < all {
            let until = self.stream.row_ranges().iter().find(|range| range.0 > next).map_or(all, |range| range.0);
            return Err(Error::mismatch(
                format!("the rows {next} to {} are missing", until - 1),
                format!("{here} rows are in the parts"),
                format!("the data have {all}"),
                "merge all parts",
            ));
        }
        let model = Model::new(self.stream.into_fit(compute)?, self.inputs)?;
        Ok(self.notes.iter().fold(model, |model, (name, text)| model.with_note(name, text)))
    }
}
