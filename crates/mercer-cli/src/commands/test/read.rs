//! From tables to the samples of every test.

use std::path::Path;

use mercer::model::TablePoints;
use mercer::points::{Encoding, Missing, PointKind, Table};
use mercer::{Error, Kernel, Sample};

use super::groups::{Key, distinct, keys};
use super::pool::pool;
use crate::arguments::{TestCommand, TestOptions, TwoSampleArguments};
use crate::data::{
    alike, choose_features, expand, grouped, is_standard_input, named, read_rows, read_table, rows_by_size, shown,
    with_labels, without_label,
};
use crate::failure::Failure;
use crate::session::Session;

/// The fewest rows of a group of variables that is tested.
const LEAST: usize = 6;

/// The samples of one test.
pub struct Case {
    /// The group, where there are several.
    pub group: Option<Key>,
    /// Two samples, the variables, or one sample.
    pub samples: Vec<Sample>,
    /// For every sample, the rows of the file that its points are from.
    pub rows: Vec<Vec<usize>>,
}

impl Case {
    /// What the points of a sample are.
    pub fn kind(&self, sample: usize) -> PointKind {
        self.samples[sample].as_points().kind()
    }
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
            let second = w.kernel_y.as_ref().unwrap_or(&w.kernel);
            let lists = [Variable::new("--x", &w.x, &w.kernel)?, Variable::new("--y", &w.y, second)?];
            variables(&w.data, &lists, &w.options, session)
        }
        TestCommand::Joint(w) => {
            let list = |text: &String| Variable::new("--variable", &one(text), &w.kernel);
            variables(&w.data, &w.variable.iter().map(list).collect::<Result<Vec<_>, _>>()?, &w.options, session)
        }
        TestCommand::Conditional(w) => {
            let lists = [
                Variable::new("--x", &w.x, &w.kernel)?,
                Variable::new("--y", &w.y, &w.kernel)?,
                Variable::new("--given", &w.given, "auto")?,
            ];
            variables(&w.data, &lists, &w.options, session)
        }
        TestCommand::Interaction(w) => {
            let list = |flag: &'static str, columns: &[String]| Variable::new(flag, columns, &w.kernel);
            variables(&w.data, &[list("--x", &w.x)?, list("--y", &w.y)?, list("--z", &w.z)?], &w.options, session)
        }
        TestCommand::Fit(w) => {
            variables(&w.data, &[Variable::new("--columns", &w.columns, &w.kernel)?], &w.options, session)
        }
    }
}

/// A variable: the flag and the columns that name it, and its kernel, which tells what its points are.
struct Variable {
    flag: &'static str,
    columns: Vec<String>,
    kernel: Option<Kernel>,
}

impl Variable {
    fn new(flag: &'static str, columns: &[String], kernel: &str) -> Result<Self, Failure> {
        Ok(Self { flag, columns: columns.to_vec(), kernel: parsed(kernel)? })
    }
}

/// The kernel of a text; none for `auto`.
fn parsed(text: &str) -> Result<Option<Kernel>, Failure> {
    let kernel = (text != "auto").then(|| text.parse()).transpose();
    kernel.map_err(|e: Error| Failure::request(format!("--kernel: {e}")))
}

/// How columns become vectors.
pub fn rules(options: &TestOptions) -> Encoding {
    Encoding {
        missing: options.missing.map(Into::into).unwrap_or_default(),
        scaling: options.scale.map(Into::into).unwrap_or_default(),
    }
}

/// The names of coordinates and of columns of objects.
fn names_of(points: &TablePoints) -> Vec<String> {
    let objects = points.encoded.objects.iter().map(|(name, _)| name.clone());
    points.encoded.names.iter().cloned().chain(objects).collect()
}

/// Remarks on missing values.
pub fn remarks(dropped: usize, filled: usize) -> Vec<String> {
    let summary = [(dropped, "rows with missing values were dropped"), (filled, "missing values were filled")];
    summary.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}.")).collect()
}

/// Variables that are columns of one file.
fn variables(path: &Path, lists: &[Variable], options: &TestOptions, session: &Session) -> Result<Cases, Failure> {
    let table = with_labels(read_table(path, session)?, options.objects.labels.as_deref(), session)?;
    let table = in_bags(table, lists, options)?;
    if table.label().is_some() && table.columns().len() == 1 {
        return Err(Failure::request(format!("{}: there is no feature: the file holds only its label", shown(path))));
    }
    let groups = options.by.as_ref().map(|by| keys(&table, by)).transpose()?;
    let columns = column_lists(&table, lists, options)?;
    let flags = lists.iter().map(|list| list.flag).collect::<Vec<_>>().join(", ");
    let chosen = table.select(columns.iter().flatten());
    let chosen = chosen.map_err(|e| Failure::request(format!("{flags}: {e}")))?;
    if chosen.rows() == 0 {
        return Err(Failure::request(format!("{}: there is no row of data", shown(path))));
    }
    let kept = complete_rows(&chosen, options);
    let dropped = chosen.rows() - kept.len();
    let chosen = chosen.select_rows(&kept)?;
    let (mut samples, mut names, mut filled) = (Vec::new(), Vec::new(), 0);
    for (list, columns) in lists.iter().zip(&columns) {
        let own = chosen.select(columns)?;
        let points = TablePoints::new(&own, rules(options), list.kernel.as_ref());
        let points = points.map_err(|e| named(e.at_row(|row| kept[row]), path))?;
        filled += points.encoded.filled;
        names.push(names_of(&points));
        samples.push(points.into_sample()?);
    }
    let mut notes = remarks(dropped, filled);
    let case = |group: Option<Key>, chosen: &[usize]| {
        let rows: Vec<usize> = chosen.iter().map(|&i| kept[i]).collect();
        Case { group, samples: samples.iter().map(|s| s.taken(chosen)).collect(), rows: vec![rows; samples.len()] }
    };
    let all: Vec<usize> = (0..kept.len()).collect();
    let Some(groups) = groups else {
        return Ok(Cases { list: vec![case(None, &all)], names, remarks: notes, reference: None });
    };
    let mut list = Vec::new();
    for key in distinct(&groups) {
        let inside = |i: &&usize| groups[kept[**i]].as_ref() == Some(&key);
        let own: Vec<usize> = all.iter().filter(inside).copied().collect();
        push_case(&mut list, &mut notes, case(Some(key.clone()), &own), LEAST);
    }
    finish(Cases { list, names, remarks: notes, reference: None })
}

/// A long table with a row per bag: the columns of the variables have one value in each.
fn in_bags(table: Table, lists: &[Variable], options: &TestOptions) -> Result<Table, Failure> {
    let constant = lists.iter().flat_map(|list| &list.columns).chain(&options.by).map(|name| name.trim());
    let bag = options.objects.bag.as_deref();
    let constant: Vec<&str> = constant.filter(|name| Some(*name) != bag).collect();
    grouped(table, bag, &[], &constant)
}

/// The rows that have all values, where others are dropped.
fn complete_rows(table: &Table, options: &TestOptions) -> Vec<usize> {
    let complete = |row: &usize| !table.columns().iter().any(|column| column.data.is_missing(*row));
    match rules(options).missing {
        Missing::DropRows => (0..table.rows()).filter(complete).collect(),
        _ => (0..table.rows()).collect(),
    }
}

/// The names of the columns of every variable; without names all columns but that of the groups and
/// the label of the format.
fn column_lists(table: &Table, lists: &[Variable], options: &TestOptions) -> Result<Vec<Vec<String>>, Failure> {
    let grouping = options.by.as_ref().and_then(|by| table.find(by).ok());
    let is_tested = |j: &usize| Some(*j) != grouping && table.is_feature(*j);
    let rest = || (0..table.columns().len()).filter(is_tested).map(|j| table.columns()[j].name.clone());
    let mut found = Vec::new();
    for Variable { flag, columns, .. } in lists {
        let requested: Vec<String> = columns.iter().flat_map(|c| expand(table, c.trim())).collect();
        let names = requested.iter().map(|c| table.column(c).map(|c| c.name.clone())).collect::<Result<Vec<_>, _>>();
        let names = names.map_err(|e| Failure::request(format!("{flag}: {e}")))?;
        found.push(if names.is_empty() { rest().collect() } else { names });
    }
    Ok(found)
}

/// Two files as one sample.
struct Files {
    sample: Sample,
    kept_rows: Vec<usize>,
    /// The rows of the first file.
    first: usize,
}

impl Files {
    /// The points of some rows of one of the files, and the numbers of these rows.
    fn points(&self, second: bool, keep: &dyn Fn(usize) -> bool) -> (Sample, Vec<usize>) {
        let start = if second { self.first } else { 0 };
        let rows = self.kept_rows.iter().enumerate();
        let own =
            rows.filter(|(_, row)| (**row >= self.first) == second).map(|(position, row)| (position, row - start));
        let (positions, rows): (Vec<_>, Vec<_>) = own.filter(|(_, row)| keep(*row)).unzip();
        (self.sample.taken(&positions), rows)
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
    let kernel = parsed(&words.kernel)?;
    let read = |path: &Path| read_sample(path, words, kernel.as_ref(), session);
    let (a, b) = alike((read(paths.0)?, read(paths.1)?))?;
    let groups = words.options.by.as_ref().map(|by| groups(&a, &b, by, words.whole_reference)).transpose()?;
    let (a, b) = (tested(a, words)?, tested(b, words)?);
    let table = pool(&a, &b, paths)?;
    let points = TablePoints::new(&table, rules(&words.options), kernel.as_ref());
    let points = points.map_err(|e| of_file(e, a.rows(), paths))?;
    let (names, encoded) = (vec![names_of(&points); 2], &points.encoded);
    let (notes, kept_rows) = (remarks(encoded.dropped, encoded.filled), encoded.kept_rows.clone());
    let files = Files { sample: points.into_sample()?, kept_rows, first: a.rows() };
    match groups {
        None => {
            Ok(Cases { list: vec![files.case(None, &|_| true, &|_| true)], names, remarks: notes, reference: None })
        }
        Some(groups) => by_group(&files, &groups, names, notes),
    }
}

/// One of the files, with a row per bag where bags are named.
fn read_sample(
    path: &Path,
    words: &TwoSampleArguments,
    kernel: Option<&Kernel>,
    session: &Session,
) -> Result<Table, Failure> {
    let options = &words.options;
    let has_rules = !words.columns.is_empty() || options.by.is_some() || options.scale.is_some();
    let has_rules = has_rules || options.missing.is_some() || options.objects.is_given();
    let rows = rows_by_size(has_rules, kernel);
    let table = with_labels(read_rows(path, rows, session)?, options.objects.labels.as_deref(), session)?;
    let constant: Vec<&str> = words.options.by.iter().map(String::as_str).collect();
    grouped(table, words.options.objects.bag.as_deref(), &words.columns, &constant)
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
    let bags = words.options.objects.bag.is_some();
    let grouping = words.options.by.as_ref().filter(|by| table.find(*by).is_ok());
    match grouping {
        Some(by) if words.columns.is_empty() || bags => without_label(table.drop_columns([by])?),
        // The columns of bags were chosen when they were made.
        _ if bags => without_label(table),
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
    let sizes: Vec<usize> = case.samples.iter().map(Sample::len).collect();
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
