//! From tables to the samples of every test.

use std::ops::Range;
use std::path::Path;

use mercer::Error;
use mercer::points::{Encoded, EncodedColumn, Encoding, Table};
use ndarray::{Array2, Axis, s};

use super::groups::{Key, distinct, keys};
use super::pool::pool;
use crate::arguments::{TestCommand, TestOptions, TwoSampleArguments};
use crate::data::{choose_features, expand, is_standard_input, named, read_table, shown, without_label};
use crate::failure::Failure;
use crate::session::Session;

/// The fewest rows of a group of variables that is tested.
const LEAST: usize = 6;

/// The samples of one test.
pub struct Case {
    /// The group, where there are several.
    pub group: Option<Key>,
    /// Two samples, the variables, or one sample.
    pub samples: Vec<Array2<f64>>,
    /// For every sample, the rows of the file that its points are from.
    pub rows: Vec<Vec<usize>>,
}

/// All tests requested.
pub struct Cases {
    /// The tests.
    pub list: Vec<Case>,
    /// The names of the coordinates of every sample.
    pub names: Vec<Vec<String>>,
    /// Remarks.
    pub remarks: Vec<String>,
    /// What the groups of the second of two files are compared with.
    pub reference: Option<Reference>,
}

/// What a group of the second file is compared with.
#[derive(Clone, Copy)]
pub enum Reference {
    SameGroup,
    WholeFile,
}

impl Cases {
    /// The remarks, and what groups are compared with.
    pub fn all_remarks(&self) -> Vec<String> {
        let compared = self.reference.map(|reference| {
            let with = match reference {
                Reference::SameGroup => "the same group of the first",
                Reference::WholeFile => "all of the first",
            };
            format!("Every group of the second file is compared with {with}.")
        });
        self.remarks.iter().cloned().chain(compared).collect()
    }
}

/// Reads the samples of a command.
pub fn read(command: &TestCommand, session: &Session) -> Result<Cases, Failure> {
    let one = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    match command {
        TestCommand::TwoSample(words) => two_samples(words, session),
        TestCommand::Independence(w) => {
            variables(&w.data, &[("--x", w.x.clone()), ("--y", w.y.clone())], &w.options, session)
        }
        TestCommand::Joint(w) => {
            let lists: Vec<_> = w.variable.iter().map(|text| ("--variable", one(text))).collect();
            variables(&w.data, &lists, &w.options, session)
        }
        TestCommand::Conditional(w) => {
            let lists = [("--x", w.x.clone()), ("--y", w.y.clone()), ("--given", w.given.clone())];
            variables(&w.data, &lists, &w.options, session)
        }
        TestCommand::Interaction(w) => {
            let lists = [("--x", w.x.clone()), ("--y", w.y.clone()), ("--z", w.z.clone())];
            variables(&w.data, &lists, &w.options, session)
        }
        TestCommand::Fit(w) => variables(&w.data, &[("--columns", w.columns.clone())], &w.options, session),
    }
}

/// The points of a table, by the rules of the words.
fn encode(table: &Table, options: &TestOptions) -> Result<(Encoded, Vec<usize>), Error> {
    let rules = Encoding {
        missing: options.missing.map(Into::into).unwrap_or_default(),
        scaling: options.scale.map(Into::into).unwrap_or_default(),
    };
    let encoding = rules.fit(table)?;
    let widths = encoding.columns().iter().map(EncodedColumn::width).collect();
    Ok((encoding.apply(table)?, widths))
}

fn remarks(encoded: &Encoded) -> Vec<String> {
    let summary =
        [(encoded.dropped, "rows with missing values were dropped"), (encoded.filled, "missing values were filled")];
    summary.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}.")).collect()
}

/// Variables that are columns of one file.
fn variables(
    path: &Path,
    lists: &[(&str, Vec<String>)],
    options: &TestOptions,
    session: &Session,
) -> Result<Cases, Failure> {
    let table = read_table(path, session)?;
    if table.label().is_some() && table.columns().len() == 1 {
        return Err(Failure::request(format!("{}: there is no feature: the file holds only its label", shown(path))));
    }
    let groups = options.by.as_ref().map(|by| keys(&table, by)).transpose()?;
    let lists = column_lists(&table, lists, options)?;
    let flags = lists.iter().map(|(flag, _)| *flag).collect::<Vec<_>>().join(", ");
    let chosen = table.select(lists.iter().flat_map(|(_, names)| names));
    let chosen = chosen.map_err(|e| Failure::request(format!("{flags}: {e}")))?;
    if chosen.rows() == 0 {
        return Err(Failure::request(format!("{}: there is no row of data", shown(path))));
    }
    let (encoded, widths) = encode(&chosen, options).map_err(|e| named(e, path))?;
    let spans = spans(&lists, &widths);
    let names = spans.iter().map(|span| encoded.names[span.clone()].to_vec()).collect();
    let mut notes = remarks(&encoded);
    let case = |group: Option<Key>, kept: &[usize]| {
        let part = |span: &Range<usize>| encoded.matrix.slice(s![.., span.clone()]).select(Axis(0), kept);
        let rows: Vec<usize> = kept.iter().map(|&i| encoded.kept_rows[i]).collect();
        Case { group, samples: spans.iter().map(part).collect(), rows: vec![rows; spans.len()] }
    };
    let all: Vec<usize> = (0..encoded.kept_rows.len()).collect();
    let Some(groups) = groups else {
        return Ok(Cases { list: vec![case(None, &all)], names, remarks: notes, reference: None });
    };
    let mut list = Vec::new();
    for key in distinct(&groups) {
        let inside = |i: &&usize| groups[encoded.kept_rows[**i]].as_ref() == Some(&key);
        let kept: Vec<usize> = all.iter().filter(inside).copied().collect();
        push_case(&mut list, &mut notes, case(Some(key.clone()), &kept), LEAST);
    }
    finish(Cases { list, names, remarks: notes, reference: None })
}

/// The names of the columns of every variable; without names all columns but that of the groups and
/// the label of the format.
fn column_lists<'f>(
    table: &Table,
    lists: &[(&'f str, Vec<String>)],
    options: &TestOptions,
) -> Result<Vec<(&'f str, Vec<String>)>, Failure> {
    let grouping = options.by.as_ref().and_then(|by| table.find(by).ok());
    let is_tested = |j: &usize| Some(*j) != grouping && Some(*j) != table.label();
    let rest = || (0..table.columns().len()).filter(is_tested).map(|j| table.columns()[j].name.clone());
    let mut found = Vec::new();
    for (flag, list) in lists {
        let requested: Vec<String> = list.iter().flat_map(|c| expand(table, c.trim())).collect();
        let names = requested.iter().map(|c| table.column(c).map(|c| c.name.clone())).collect::<Result<Vec<_>, _>>();
        let names = names.map_err(|e| Failure::request(format!("{flag}: {e}")))?;
        found.push((*flag, if names.is_empty() { rest().collect() } else { names }));
    }
    Ok(found)
}

/// The coordinates of every variable.
fn spans(lists: &[(&str, Vec<String>)], widths: &[usize]) -> Vec<Range<usize>> {
    let (mut column, mut start) = (0, 0);
    let span = |(_, names): &(&str, Vec<String>)| {
        let width: usize = widths[column..column + names.len()].iter().sum();
        column += names.len();
        start += width;
        start - width..start
    };
    lists.iter().map(span).collect()
}

/// Two files as one table of points.
struct Files {
    encoded: Encoded,
    /// The rows of the first file.
    first: usize,
}

impl Files {
    /// The points of some rows of one of the files, and the numbers of these rows.
    fn points(&self, second: bool, keep: &dyn Fn(usize) -> bool) -> (Array2<f64>, Vec<usize>) {
        let start = if second { self.first } else { 0 };
        let rows = self.encoded.kept_rows.iter().enumerate();
        let own =
            rows.filter(|(_, row)| (**row >= self.first) == second).map(|(position, row)| (position, row - start));
        let (positions, rows): (Vec<_>, Vec<_>) = own.filter(|(_, row)| keep(*row)).unzip();
        (self.encoded.matrix.select(Axis(0), &positions), rows)
    }

    fn case(&self, group: Option<Key>, first: &dyn Fn(usize) -> bool, second: &dyn Fn(usize) -> bool) -> Case {
        let ((x, x_rows), (y, y_rows)) = (self.points(false, first), self.points(true, second));
        Case { group, samples: vec![x, y], rows: vec![x_rows, y_rows] }
    }
}

/// The groups of the second file, and those of the first where they are compared with each other.
struct Groups {
    reference: Option<Vec<Option<Key>>>,
    own: Vec<Option<Key>>,
}

/// The two files, or their groups.
fn two_samples(words: &TwoSampleArguments, session: &Session) -> Result<Cases, Failure> {
    let paths = (words.first.as_path(), words.second.as_path());
    if is_standard_input(paths.0) && is_standard_input(paths.1) {
        return Err(Failure::request("A and B cannot both be standard input"));
    }
    let (a, b) = (read_table(paths.0, session)?, read_table(paths.1, session)?);
    let groups = words.options.by.as_ref().map(|by| groups(&a, &b, by, words.whole_reference)).transpose()?;
    let (a, b) = (tested(a, words)?, tested(b, words)?);
    let table = pool(&a, &b, paths)?;
    let (encoded, _) = encode(&table, &words.options).map_err(|e| of_file(e, a.rows(), paths))?;
    let (names, notes) = (vec![encoded.names.clone(); 2], remarks(&encoded));
    let files = Files { encoded, first: a.rows() };
    match groups {
        None => {
            Ok(Cases { list: vec![files.case(None, &|_| true, &|_| true)], names, remarks: notes, reference: None })
        }
        Some(groups) => by_group(&files, &groups, names, notes),
    }
}

fn groups(a: &Table, b: &Table, by: &str, whole_reference: bool) -> Result<Groups, Failure> {
    let own = keys(b, by)?;
    let shared = a.find(by).is_ok() && !whole_reference;
    Ok(Groups { reference: if shared { Some(keys(a, by)?) } else { None }, own })
}

fn by_group(files: &Files, groups: &Groups, names: Vec<Vec<String>>, mut notes: Vec<String>) -> Result<Cases, Failure> {
    let mut list = Vec::new();
    for key in distinct(&groups.own) {
        let inside = |keys: &[Option<Key>], row: usize| keys[row].as_ref() == Some(&key);
        let first = |row: usize| groups.reference.as_ref().is_none_or(|keys| inside(keys, row));
        let case = files.case(Some(key.clone()), &first, &|row| inside(&groups.own, row));
        push_case(&mut list, &mut notes, case, 2);
    }
    let reference = if groups.reference.is_some() { Reference::SameGroup } else { Reference::WholeFile };
    finish(Cases { list, names, remarks: notes, reference: Some(reference) })
}

/// The columns that are tested.
fn tested(table: Table, words: &TwoSampleArguments) -> Result<Table, Failure> {
    let grouping = words.options.by.as_ref().filter(|by| table.find(*by).is_ok());
    match grouping {
        Some(by) if words.columns.is_empty() => without_label(table.drop_columns([by])?),
        _ => choose_features(table, &words.columns),
    }
}

/// The error with the file and the row that it is about.
fn of_file(error: Error, rows: usize, paths: (&Path, &Path)) -> Failure {
    match error {
        Error::Value { row, .. } if row >= rows => named(error.at_row(|row| row - rows), paths.1),
        other => named(other, paths.0),
    }
}

/// A group that is too small to be tested is skipped with a remark.
fn push_case(list: &mut Vec<Case>, notes: &mut Vec<String>, case: Case, least: usize) {
    let sizes: Vec<usize> = case.samples.iter().map(Array2::nrows).collect();
    if sizes.iter().all(|size| *size >= least) {
        return list.push(case);
    }
    let name = case.group.as_ref().map_or(String::new(), Key::name);
    let shown = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ");
    notes.push(format!("The group {name} was skipped: it has {shown} rows, and {least} are needed."));
}

fn finish(cases: Cases) -> Result<Cases, Failure> {
    if cases.list.is_empty() {
        return Err(Failure::request(format!("--by: no group can be tested. {}", cases.all_remarks().join(" "))));
    }
    Ok(cases)
}
