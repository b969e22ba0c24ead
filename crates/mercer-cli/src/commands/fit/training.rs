//! The data of a fit: points, targets, weights, and the encoding of new tables.

use std::collections::HashSet;

use mercer::error::Requirement;
use mercer::io::SurveyedFile;
use mercer::learn::svm::Classes;
use mercer::model::{Inputs, TablePoints, Target};
use mercer::points::{Affine, ColumnData, EncodedColumn, Encoding, FittedEncoding, Points, Sample, Scaling, Table};
use mercer::{Error, Kernel};
use ndarray::{Array1, Array2, ArrayView2};

use crate::arguments::FitData;
use crate::data::{self, few, named, shown};
use crate::failure::Failure;
use crate::session::Session;

/// A column is one of numbers with slips where at most one level of so many is a text.
const FEW_TEXTS: usize = 5;
/// A column of categories with more levels than this part of the rows is remarked upon.
const MANY_LEVELS: f64 = 0.5;

/// This many different integers, each so often on average, are remarked upon as possible classes.
const FEW_NUMBERS: usize = 50;
const REPEATED: usize = 5;

/// The name of the label of a LIBSVM file.
const LABEL: &str = "target";

/// How the points of a learner are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The scaling of columns where none is requested.
    pub scaling: Scaling,
    /// Whether the learner takes sparse vectors.
    pub sparse: bool,
}

impl Reading {
    /// For a learner that looks at every column.
    pub fn dense(scaling: Scaling) -> Self {
        Self { scaling, sparse: false }
    }
}

impl From<Scaling> for Reading {
    fn from(scaling: Scaling) -> Self {
        Self { scaling, sparse: true }
    }
}

/// The type of target of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Numbers.
    Numbers,
    /// Classes, whatever they are called.
    Classes,
    /// Classes where the target is texts, numbers otherwise.
    Either,
    /// Nothing: a target that is named is left out.
    Nothing,
}

/// What a learner gets.
pub struct Training {
    /// The file, as messages name it.
    pub name: String,
    /// The points.
    pub x: Sample,
    /// The targets, one column each; of classes their numbers.
    pub y: Array2<f64>,
    /// The classes, where the target is one of classes.
    pub classes: Option<Classes>,
    /// The weights, where there are some.
    pub weights: Option<Array1<f64>>,
    /// What the model will expect.
    pub inputs: Inputs,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the targets.
    pub targets: Vec<String>,
    /// Remarks on the data.
    pub remarks: Vec<String>,
    encoding: FittedEncoding,
}

impl Training {
    /// Reads the table and takes it apart; the targets are numbers. The kernel, where one is given,
    /// tells which columns hold objects.
    pub fn read(
        words: &FitData,
        weights: Option<&str>,
        kernel: Option<&str>,
        how: impl Into<Reading>,
        session: &Session,
    ) -> Result<Self, Failure> {
        Self::read_for(Goal::Numbers, words, weights, kernel, how, session)
    }

    /// The same for another kind of target.
    pub fn read_for(
        goal: Goal,
        words: &FitData,
        weights: Option<&str>,
        kernel: Option<&str>,
        how: impl Into<Reading>,
        session: &Session,
    ) -> Result<Self, Failure> {
        let how: Reading = how.into();
        let kernel: Option<Kernel> = kernel.map(str::parse).transpose()?;
        let table = read_table(words, weights, kernel.as_ref(), how.sparse, session)?;
        let split = Split::new(goal, words, weights, &table)?;
        let kept = rows_with_targets(&table, &split, words.missing.is_some()).map_err(|e| named(e, &words.data))?;
        let mut remarks = Vec::new();
        if kept.len() < table.rows() {
            remarks.push(format!("{} rows without a target (or a weight) were dropped.", table.rows() - kept.len()));
        }
        if kept.is_empty() {
            return Err(Failure::request(format!("{}: there is no row to fit", shown(&words.data))));
        }
        let table = table.select_rows(&kept)?;
        let features = table.select(split.features.iter().copied())?;
        let points = encode(&features, words, kernel.as_ref(), how.scaling)?;
        let features = points.features();
        let TablePoints { encoding, encoded, kind, unused } = points;
        remarks.extend(remarks_on(&encoding, encoded.dropped, encoded.filled, encoded.kept_rows.len()));
        let pick = |column: usize| -> Array1<f64> {
            encoded.kept_rows.iter().map(|&row| value_at(&table, column, row)).collect()
        };
        let name_of = |c: &usize| table.columns()[*c].name.clone();
        let targets: Vec<String> = split.targets.iter().map(name_of).collect();
        let classes = split.classes.then(|| classes(&table, split.targets[0], &encoded.kept_rows)).transpose()?;
        let y = match &classes {
            Some(classes) => columns([classes.of().iter().map(|&c| c as f64).collect()].into_iter()),
            None => columns(split.targets.iter().map(|&c| pick(c))),
        };
        remarks.extend(constant_targets(&targets, &y));
        if goal == Goal::Either {
            remarks.extend(few_numbers(&targets, &y, classes.is_some()));
        }
        let of_targets = if targets.is_empty() { vec![Target::unnamed()] } else { named_targets(&targets) };
        let unused = split.unused.iter().map(name_of).chain(unused).collect();
        let inputs = Inputs { features, targets: of_targets, unused };
        let (name, weights) = (shown(&words.data), split.weights.map(pick));
        let coordinates = encoded.names.clone();
        let x = encoded.into_sample(kind)?;
        if let Sample::Sparse(rows) = &x {
            let scaled = if how.scaling == Scaling::None {
                ""
            } else {
                ", which are not scaled (--scale standard makes them dense)"
            };
            remarks.push(format!("The rows are {}{scaled}.", data::sparse_text(rows)));
        }
        Ok(Self { name, x, y, classes, weights, inputs, coordinates, targets, remarks, encoding })
    }

    /// The sample of a file that is too long for memory.
    pub fn of_sample(name: String, file: &SurveyedFile, targets: Vec<String>) -> Self {
        let encoding = file.encoding().clone();
        let mut remarks = Vec::new();
        if file.without_target() > 0 {
            remarks.push(format!("{} rows without a target (or a weight) were dropped.", file.without_target()));
        }
        remarks.extend(remarks_on(&encoding, file.dropped(), file.filled(), file.rows()));
        Self {
            name,
            x: file.sample_points().to_owned().into(),
            y: file.sample_targets().to_owned(),
            classes: None,
            weights: file.sample_weights().map(|w| w.to_owned()),
            inputs: file.inputs(),
            coordinates: encoding.output_names(),
            targets,
            remarks,
            encoding,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.x.len()
    }

    /// The points.
    pub fn points(&self) -> Points<'_> {
        self.x.as_points()
    }

    /// The points as rows of a matrix, where they are vectors.
    pub fn vectors(&self) -> Option<ArrayView2<'_, f64>> {
        self.points().vectors().ok()
    }

    /// The columns of vectors, by which plans are made: an object counts as one, and sparse vectors
    /// as dense ones with as many bytes.
    pub fn columns(&self) -> usize {
        match self.points() {
            points @ Points::Sparse(_) => points.size().numbers(),
            points => points.columns(),
        }
    }

    /// Whether the points are something else than vectors.
    pub fn has_objects(&self) -> bool {
        self.points().kind().is_object()
    }

    /// The names of the inputs: of coordinates, then of columns of objects.
    pub fn input_names(&self) -> Vec<String> {
        let objects = self.encoding.objects().map(|(name, _)| name.to_owned());
        self.coordinates.iter().cloned().chain(objects).collect()
    }

    /// A kernel, with the names of its columns replaced where the points are vectors.
    pub fn kernel(&self, text: &str) -> mercer::Result<Kernel> {
        data::with_names(&text.parse()?, self.points().kind(), &self.coordinates)
    }

    /// The kernels to choose from where none is named, for points that are not vectors.
    pub fn object_kernels(&self) -> mercer::Result<Vec<Kernel>> {
        Kernel::family_of(self.points())
    }

    /// The only target.
    pub fn only_target(&self, learner: &str) -> Result<Array1<f64>, Failure> {
        match self.targets.len() {
            1 => Ok(self.y.column(0).to_owned()),
            several => Err(Failure::request(format!("--target: fit {learner} takes one target, not {several}"))),
        }
    }

    /// The classes of a target of classes.
    pub fn classes(&self) -> Result<&Classes, Failure> {
        self.classes.as_ref().ok_or_else(|| Failure::request("--target: the target holds no classes"))
    }

    /// The only column of numbers.
    pub fn only_column(&self, learner: &str) -> Result<Array1<f64>, Failure> {
        match (self.vectors(), self.line()) {
            (Some(x), Some(_)) if x.ncols() == 1 => Ok(x.column(0).to_owned()),
            _ => Err(Failure::request(format!(
                "--columns: fit {learner} takes one column of numbers; choose it from {}",
                self.input_names().join(", ")
            ))),
        }
    }

    /// The map from the values of the only column to its coordinate, where the points lie on a
    /// line.
    pub fn line(&self) -> Option<Affine> {
        match self.encoding.columns() {
            [EncodedColumn::Number { map, .. }] => Some(*map),
            _ => None,
        }
    }

    /// The map from the values of a column of numbers to its coordinate; none for the indicator of
    /// a category.
    pub fn map_of(&self, coordinate: usize) -> Option<Affine> {
        let mut at = 0;
        for column in self.encoding.columns() {
            match column {
                EncodedColumn::Number { map, .. } if at == coordinate => return Some(*map),
                other => at += other.width(),
            }
        }
        None
    }

    /// Shifts and scales the only target: what is fitted is `(y − shift)/scale`.
    pub fn scale_target(&mut self, map: Affine) {
        self.y.mapv_inplace(|y| map.apply(y));
        self.inputs.targets = vec![Target { name: Some(self.targets[0].clone()), map }];
    }

    /// At most this many rows, drawn from the seed, in their order.
    pub fn sample(&self, most: usize, session: &Session) -> Vec<usize> {
        let n = self.rows();
        if n <= most {
            return (0..n).collect();
        }
        let mut rows = session.compute.seed().stream("rows of a choice", 0).permutation(n);
        rows.truncate(most);
        rows.sort_unstable();
        rows
    }
}

/// The table of a fit, with a row per bag where bags are named.
fn read_table(
    words: &FitData,
    weights: Option<&str>,
    kernel: Option<&Kernel>,
    sparse: bool,
    session: &Session,
) -> Result<Table, Failure> {
    let is_label = |name: &String| [LABEL, "0"].contains(&name.trim());
    let named = weights.is_some() || !words.target.iter().all(is_label);
    let rows = data::rows_by_size(!sparse || named || words.has_rules(), kernel);
    let table = data::read_rows(&words.data, rows, session)?;
    let table = data::with_labels(table, words.objects.labels.as_deref(), session)?;
    let Some(bag) = &words.objects.bag else { return Ok(table) };
    let table = table.drop_columns(words.drop.iter().map(|name| name.trim()));
    let table = table.map_err(|e| Failure::request(format!("--drop: {e}")))?;
    let mut constant: Vec<&str> = words.target.iter().map(|name| name.trim()).chain(weights).collect();
    constant.extend(data::named_by(kernel));
    data::grouped(table, Some(bag), &words.columns, &constant)
}

/// The features as points, with the rules that made them.
fn encode(
    features: &Table,
    words: &FitData,
    kernel: Option<&Kernel>,
    default: Scaling,
) -> Result<TablePoints, Failure> {
    let rules = Encoding { missing: words.missing(), scaling: words.scaling(default) };
    let points = TablePoints::new(features, rules, kernel).map_err(|e| named(e, &words.data))?;
    if points.encoded.kept_rows.is_empty() {
        return Err(Failure::request(format!("{}: --missing drop leaves no row", shown(&words.data))));
    }
    Ok(points)
}

fn named_targets(names: &[String]) -> Vec<Target> {
    names.iter().map(Target::named).collect()
}

/// Columns of equal length as a matrix.
fn columns(columns: impl Iterator<Item = Array1<f64>>) -> Array2<f64> {
    let columns: Vec<Array1<f64>> = columns.collect();
    let rows = columns.first().map_or(0, |c| c.len());
    Array2::from_shape_fn((rows, columns.len()), |(i, j)| columns[j][i])
}

fn constant_targets(targets: &[String], y: &Array2<f64>) -> Vec<String> {
    let constant = |(_, column): &(&String, ndarray::ArrayView1<f64>)| column.iter().all(|v| *v == column[0]);
    let remark = |(name, _)| format!("The target `{name}` is constant: there is nothing to learn.");
    targets.iter().zip(y.columns()).filter(constant).map(remark).collect()
}

/// Integers, few and often repeated, may be names of classes: what was taken, and how to change it.
fn few_numbers(targets: &[String], y: &Array2<f64>, classes: bool) -> Option<String> {
    let ([name], false) = (targets, classes) else { return None };
    let mut values: Vec<f64> = y.iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let whole = values.iter().all(|v| v.fract() == 0.0);
    if !whole || !(2..=FEW_NUMBERS).contains(&values.len()) || values.len() * REPEATED > y.nrows() {
        return None;
    }
    Some(format!(
        "The target `{name}` holds {} distinct integers and was treated as numeric: if they are class labels, use --task classes.",
        values.len()
    ))
}

/// Which column does what.
pub struct Split {
    /// What is predicted.
    pub targets: Vec<usize>,
    /// The weights.
    pub weights: Option<usize>,
    /// What is predicted from.
    pub features: Vec<usize>,
    unused: Vec<usize>,
    /// Whether the target is classes.
    classes: bool,
}

impl Split {
    /// Takes the columns of a table apart; its rows do not matter.
    pub fn new(goal: Goal, words: &FitData, weights: Option<&str>, table: &Table) -> Result<Self, Failure> {
        // Where the points are objects, the label of the format is what is predicted.
        let label = table.label().filter(|_| words.target.is_empty() && has_objects(table));
        if words.target.is_empty() && label.is_none() && goal != Goal::Nothing {
            let label = table.label().map(|c| format!(" (the label of this file is `{}`)", table.columns()[c].name));
            let label = label.unwrap_or_default();
            return Err(Failure::request(format!("--target COL is needed: the column to predict{label}")));
        }
        let find = |flag: &'static str| move |e: Error| Failure::request(format!("{flag}: {e}"));
        let targets: Vec<usize> = match label {
            Some(label) if goal != Goal::Nothing => vec![label],
            _ => {
                words.target.iter().map(|t| table.find(t.trim()).map_err(find("--target"))).collect::<Result<_, _>>()?
            }
        };
        let weights = weights.map(|w| table.find(w.trim()).map_err(find("--weights"))).transpose()?;
        let mut taken: HashSet<usize> = HashSet::new();
        if let Some(twice) = targets.iter().chain(&weights).find(|&&c| !taken.insert(c)) {
            let name = &table.columns()[*twice].name;
            return Err(Failure::request(format!("--target: column `{name}` is named twice")));
        }
        let features = features(words, table, &taken)?;
        if features.is_empty() {
            return Err(Failure::request("no column is left to predict from: the table has only the target"));
        }
        taken.extend(&features);
        let classes = match goal {
            Goal::Classes => true,
            // The labels of graphs and sequences are classes, numbers or not.
            Goal::Either if label.is_some() => true,
            Goal::Either => targets.iter().any(|&c| matches!(table.columns()[c].data, ColumnData::Categories { .. })),
            Goal::Numbers | Goal::Nothing => false,
        };
        if classes && targets.len() > 1 {
            return Err(Failure::request(format!(
                "--target: classes are fitted one target at a time, not {}",
                targets.len()
            )));
        }
        let numbers = if classes || goal == Goal::Nothing { &[][..] } else { &targets };
        numbers.iter().chain(&weights).try_for_each(|&c| check_numbers(table, c))?;
        let targets = if goal == Goal::Nothing { Vec::new() } else { targets };
        let used: HashSet<usize> = features.iter().chain(&targets).copied().collect();
        let unused = (0..table.columns().len()).filter(|c| !used.contains(c)).collect();
        Ok(Self { targets, weights, features, unused, classes })
    }
}

/// Whether a column holds objects.
fn has_objects(table: &Table) -> bool {
    let is_object = |data: &ColumnData| match data {
        ColumnData::Objects(sample) => sample.as_points().kind().is_object(),
        ColumnData::Groups { .. } => true,
        _ => false,
    };
    table.columns().iter().any(|column| is_object(&column.data))
}

fn features(words: &FitData, table: &Table, taken: &HashSet<usize>) -> Result<Vec<usize>, Failure> {
    // The columns of bags were chosen when they were made.
    let grouped = words.objects.bag.is_some();
    if words.columns.is_empty() || grouped {
        let mut dropped = HashSet::new();
        for name in words.drop.iter().filter(|_| !grouped).flat_map(|c| data::expand(table, c.trim())) {
            dropped.insert(table.find(&name).map_err(|e| Failure::request(format!("--drop: {e}")))?);
        }
        let is_feature = |c: &usize| !taken.contains(c) && !dropped.contains(c) && table.is_feature(*c);
        return Ok((0..table.columns().len()).filter(is_feature).collect());
    }
    let (mut chosen, mut seen) = (Vec::new(), HashSet::new());
    for name in words.columns.iter().flat_map(|c| data::expand(table, c.trim())) {
        let column = table.find(&name).map_err(|e| Failure::request(format!("--columns: {e}")))?;
        let own = &table.columns()[column].name;
        if taken.contains(&column) {
            return Err(Failure::request(format!("--columns: `{own}` is the target or the weight already")));
        }
        if !seen.insert(column) {
            return Err(Failure::request(format!("--columns: column `{own}` is named twice")));
        }
        chosen.push(column);
    }
    Ok(chosen)
}

fn check_numbers(table: &Table, column: usize) -> Result<(), Failure> {
    let column = &table.columns()[column];
    match &column.data {
        ColumnData::Numbers(_) => Ok(()),
        ColumnData::Categories { levels, .. } => {
            let more = if levels.len() > 3 { ", …" } else { "" };
            let shown = levels.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            Err(Failure::request(format!(
                "--target: column `{}` holds {} categories ({shown}{more}), and this fit needs numbers; classes are fitted by \
                 svm, logistic and auto",
                column.name,
                levels.len()
            )))
        }
        _ => Err(Failure::request(format!("--target: column `{}` does not hold numbers", column.name))),
    }
}

/// A number, or the code of a category; NaN where there is no value.
fn value_at(table: &Table, column: usize, row: usize) -> f64 {
    match &table.columns()[column].data {
        ColumnData::Numbers(values) => values[row],
        ColumnData::Categories { codes, .. } => codes[row].map_or(f64::NAN, f64::from),
        _ => f64::NAN,
    }
}

/// The classes of some rows of a column, two at least.
fn classes(table: &Table, column: usize, rows: &[usize]) -> Result<Classes, Failure> {
    let found = any_classes(table, column, rows)?;
    match found.names() {
        [only] => {
            let name = &table.columns()[column].name;
            let message = format!("--target: at least two classes are needed, and column `{name}` holds only `{only}`");
            Err(Failure::request(message))
        }
        _ => Ok(found),
    }
}

fn any_classes(table: &Table, column: usize, rows: &[usize]) -> Result<Classes, Failure> {
    match &table.columns()[column].data {
        ColumnData::Categories { codes, levels } => {
            let name = |&row: &usize| codes[row].map_or("", |code| levels[code as usize].as_str());
            Ok(Classes::from_texts(rows.iter().map(name)))
        }
        _ => {
            let values: Array1<f64> = rows.iter().map(|&row| value_at(table, column, row)).collect();
            Ok(Classes::from_numbers(values.view())?)
        }
    }
}

/// The rows whose targets and weights are there; without a rule for missing values all must be.
fn rows_with_targets(table: &Table, split: &Split, leave_out: bool) -> Result<Vec<usize>, Error> {
    let mut kept = Vec::new();
    for row in 0..table.rows() {
        let mut complete = true;
        for &column in split.targets.iter().chain(&split.weights) {
            let value = value_at(table, column, row);
            let name = || table.columns()[column].name.clone();
            if value.is_infinite() || (value.is_nan() && !leave_out) {
                return Err(match value.is_nan() {
                    true => Error::missing("table", row, name()),
                    false => Error::value("table", (row, name()), value, Requirement::Finite),
                });
            }
            complete &= !value.is_nan();
        }
        if complete {
            kept.push(row);
        }
    }
    Ok(kept)
}

/// The levels that are no numbers where nearly all are, such as a slip in a column of numbers.
fn few_texts(levels: &[String]) -> Option<String> {
    let texts: Vec<String> =
        levels.iter().filter(|level| level.trim().parse::<f64>().is_err()).map(|level| format!("`{level}`")).collect();
    let verb = if texts.len() == 1 { "is" } else { "are" };
    let names: Vec<&str> = texts.iter().map(String::as_str).collect();
    (!texts.is_empty() && texts.len() * FEW_TEXTS <= levels.len()).then(|| format!("{} {verb}", few(&names)))
}

fn remarks_on(encoding: &FittedEncoding, dropped: usize, filled: usize, rows: usize) -> Vec<String> {
    let mut remarks = Vec::new();
    if dropped > 0 {
        remarks.push(format!("{dropped} rows with missing values were dropped."));
    }
    if filled > 0 {
        remarks.push(format!("{filled} missing values were filled."));
    }
    let constant = encoding.constant();
    if !constant.is_empty() {
        remarks.push(format!("Constant columns: {} (they carry no information).", few(&constant)));
    }
    for column in encoding.columns() {
        let EncodedColumn::Category { name, levels, .. } = column else { continue };
        if let Some(text) = few_texts(levels) {
            remarks.push(format!(
                "Column `{name}` counts as categories, as {text} no number; the others are: mend these cells, or empty \
                 them and choose a rule with --missing."
            ));
            continue;
        }
        if levels.len() > 20 && levels.len() as f64 > MANY_LEVELS * rows as f64 {
            remarks.push(format!(
                "Column `{name}` has {} levels in {rows} rows: if it is an identifier, drop it with --drop {name}.",
                levels.len()
            ));
        }
    }
    remarks
}
