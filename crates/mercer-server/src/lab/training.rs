//! From a choice of columns to the points and targets of a learner: what the flags of `mercer fit` do.

use std::cmp::Ordering;
use std::sync::Arc;

use mercer::error::Requirement;
use mercer::learn::svm::Classes;
use mercer::learner::{FitInput, Goal, Targets};
use mercer::model::{Inputs, TablePoints, Target};
use mercer::points::{
    Affine, ColumnData, EncodedColumn, Encoding, FittedEncoding, Missing, Points, Sample, Scaling, Table,
};
use mercer::{Compute, Error, Kernel};
use ndarray::{Array1, Array2};

use super::data::{Dataset, Store};
use super::fields::Fields;
use super::refusal::Refusal;

/// Names of scalings.
pub const SCALINGS: [(&str, Scaling); 3] =
    [("none", Scaling::None), ("standard", Scaling::Standardize), ("unit", Scaling::UnitInterval)];
/// Names of rules for missing values.
const GAPS: [(&str, Option<Missing>); 4] =
    [("error", None), ("drop", Some(Missing::DropRows)), ("mean", Some(Missing::Mean)), ("zero", Some(Missing::Zero))];

/// What a target is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Classes where it is text or the label of objects, numbers otherwise.
    Auto,
    /// Classes.
    Classes,
    /// Numbers.
    Numbers,
}

/// A data set with the choices of the panel of data.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The set.
    pub id: String,
    /// The target.
    pub target: Option<String>,
    /// The inputs; all but the target if absent.
    pub inputs: Option<Vec<String>>,
    /// The scaling of columns of numbers.
    pub scaling: Scaling,
    /// The rule for missing values.
    pub missing: Option<Missing>,
    /// What the target is taken for.
    pub task: Task,
    /// Whether the target is scaled to mean 0 and standard deviation 1 for the fit.
    pub scale_target: bool,
}

impl Choice {
    /// From a request.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let tasks = [("auto", Task::Auto), ("classes", Task::Classes), ("numbers", Task::Numbers)];
        Ok(Self {
            id: fields.text("id")?.to_owned(),
            target: fields.optional_text("target")?.filter(|t| !t.is_empty()).map(str::to_owned),
            inputs: fields.optional_texts("inputs")?.filter(|list| !list.is_empty()),
            scaling: fields.word("scale", &SCALINGS)?,
            missing: fields.word("missing", &GAPS)?,
            task: fields.word("task", &tasks)?,
            scale_target: fields.flag("scale_target")?,
        })
    }
}

/// What a learner gets.
#[derive(Debug)]
pub struct Training {
    /// The data set.
    pub set: Arc<Dataset>,
    /// The points.
    pub sample: Sample,
    /// The target as numbers; of classes their numbers. Without columns where there is none.
    pub y: Array2<f64>,
    /// The classes, where the target is one of classes.
    pub classes: Option<Classes>,
    /// What a model will expect.
    pub inputs: Inputs,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The target.
    pub target: Option<String>,
    /// The rows of the table that the points are from.
    pub kept: Vec<usize>,
    /// What was done to the data.
    pub remarks: Vec<String>,
    encoding: FittedEncoding,
}

impl Training {
    /// The points of a kernel, with the target for colors and orders where there is one.
    pub fn points_of(
        store: &Store,
        choice: &Choice,
        kernel: Option<&Kernel>,
        compute: &Compute,
    ) -> Result<Self, Refusal> {
        Self::build(store, choice, kernel, false, compute)
    }

    /// The data of a fit with this goal.
    pub fn of(
        store: &Store,
        choice: &Choice,
        kernel: Option<&Kernel>,
        goal: Goal,
        compute: &Compute,
    ) -> Result<Self, Refusal> {
        let task = match goal {
            Goal::Classes => Task::Classes,
            Goal::Values => Task::Numbers,
            _ => choice.task,
        };
        let choice = Choice { task, ..choice.clone() };
        if goal.has_targets() && choice.target.is_none() {
            return Err(Refusal::request("choose a target on the panel of data: the column to predict"));
        }
        let mut training = Self::build(store, &choice, kernel, true, compute)?;
        if choice.scale_target && training.classes.is_none() && training.target.is_some() {
            training.scale_target();
        }
        Ok(training)
    }

    fn build(
        store: &Store,
        choice: &Choice,
        kernel: Option<&Kernel>,
        strict: bool,
        compute: &Compute,
    ) -> Result<Self, Refusal> {
        compute.check_canceled()?;
        let set = store.get(&choice.id)?;
        let table = &set.table;
        let target = choice.target.as_deref().map(|name| table.find(name)).transpose()?;
        let complete = rows_with_target(table, target, strict && choice.missing.is_none())?;
        let mut remarks = Vec::new();
        if complete.len() < table.rows() {
            remarks.push(format!("{} rows without a target were dropped.", table.rows() - complete.len()));
        }
        let features = features(table, choice, target)?;
        let rows = table.select_rows(&complete)?;
        let chosen = rows.select(features.iter().copied())?;
        let rules = Encoding { missing: choice.missing.unwrap_or_default(), scaling: choice.scaling };
        let TablePoints { encoding, encoded, kind, mut unused } = TablePoints::new(&chosen, rules, kernel)?;
        if encoded.kept_rows.is_empty() {
            return Err(Refusal::request("no row is left: every one has a missing value"));
        }
        if encoded.dropped > 0 {
            remarks.push(format!("{} rows with missing values were dropped.", encoded.dropped));
        }
        if encoded.filled > 0 {
            remarks.push(format!("{} missing values were filled.", encoded.filled));
        }
        let kept: Vec<usize> = encoded.kept_rows.iter().map(|&row| complete[row]).collect();
        let is_other = |c: &usize| !features.contains(c) && Some(*c) != target;
        unused.extend((0..table.columns().len()).filter(is_other).map(|c| table.columns()[c].name.clone()));
        let name = target.map(|c| table.columns()[c].name.clone());
        let classes = target.map(|c| classes(table, c, &kept, choice.task)).transpose()?.flatten();
        let y = match (&classes, target) {
            (Some(classes), _) => column(classes.of().iter().map(|&c| c as f64).collect()),
            (None, Some(c)) => column(kept.iter().map(|&row| value_at(table, c, row)).collect()),
            (None, None) => Array2::zeros((kept.len(), 0)),
        };
        if strict && classes.is_none() && y.iter().any(|v| v.is_nan()) {
            let name = name.unwrap_or_default();
            return Err(Refusal::request(format!("the target `{name}` holds texts, and this learner needs numbers")));
        }
        let mut inputs = Inputs::columns(encoding.clone(), name.clone());
        inputs.unused = unused;
        let coordinates = encoded.names.clone();
        let sample = encoded.into_sample(kind)?;
        Ok(Self { set, sample, y, classes, inputs, coordinates, target: name, kept, remarks, encoding })
    }

    /// How many points there are.
    pub fn rows(&self) -> usize {
        self.sample.len()
    }

    /// The points.
    pub fn points(&self) -> Points<'_> {
        self.sample.as_points()
    }

    /// The columns of vectors.
    pub fn columns(&self) -> usize {
        self.points().columns()
    }

    /// A kernel with names of columns replaced where the points are vectors.
    pub fn kernel(&self, kernel: &Kernel) -> mercer::Result<Kernel> {
        if self.points().kind().is_object() { Ok(kernel.clone()) } else { kernel.with_column_names(&self.coordinates) }
    }

    /// The data as a learner takes it.
    pub fn input(&self, goal: Goal) -> FitInput<'_> {
        let targets = match (&self.classes, goal) {
            (Some(classes), Goal::Classes) => Targets::Classes(classes.of(), classes.names()),
            (_, Goal::Values) => Targets::Values(self.y.view()),
            _ => Targets::None,
        };
        FitInput::points(self.points()).with_targets(targets)
    }

    /// The class, or a shown value, of a point.
    pub fn label_of(&self, point: usize) -> Option<String> {
        match &self.classes {
            Some(classes) => Some(classes.names()[classes.of()[point]].clone()),
            None if self.y.ncols() == 1 => Some(self.y[[point, 0]].to_string()),
            None => None,
        }
    }

    /// The order of two points by the target.
    pub fn compare_targets(&self, a: usize, b: usize) -> Ordering {
        if self.y.ncols() == 0 { a.cmp(&b) } else { self.y[[a, 0]].total_cmp(&self.y[[b, 0]]).then(a.cmp(&b)) }
    }

    /// The map from the values of a column of numbers to its coordinate; none for the indicator of a category.
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

    /// The value of a coordinate in the units of its column.
    pub fn in_units(&self, coordinate: usize, value: f64) -> f64 {
        self.map_of(coordinate).map_or(value, |map| map.shift + map.scale * value)
    }

    /// The target in its own units.
    pub fn target_values(&self) -> Array1<f64> {
        let map = self.inputs.targets.first().map_or(Affine::IDENTITY, |target| target.map);
        self.y.column(0).mapv(|v| map.shift + map.scale * v)
    }

    fn scale_target(&mut self) {
        let n = self.y.nrows() as f64;
        let mean = self.y.sum() / n;
        let variance = self.y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        if variance > 0.0 {
            let map = Affine { shift: mean, scale: variance.sqrt() };
            self.y.mapv_inplace(|v| map.apply(v));
            self.inputs.targets = vec![Target { name: self.target.clone(), map }];
        }
    }
}

fn column(values: Vec<f64>) -> Array2<f64> {
    let rows = values.len();
    Array2::from_shape_vec((rows, 1), values).unwrap_or_else(|_| Array2::zeros((rows, 1)))
}

/// The columns that points are made of.
fn features(table: &Table, choice: &Choice, target: Option<usize>) -> Result<Vec<usize>, Refusal> {
    let chosen = match &choice.inputs {
        Some(names) => names.iter().map(|name| table.find(name.as_str())).collect::<mercer::Result<Vec<_>>>()?,
        None => (0..table.columns().len()).filter(|&c| table.is_feature(c)).collect(),
    };
    let features: Vec<usize> = chosen.into_iter().filter(|c| Some(*c) != target).collect();
    if features.is_empty() {
        return Err(Refusal::request("no column is left to compute with: choose inputs besides the target"));
    }
    Ok(features)
}

fn value_at(table: &Table, column: usize, row: usize) -> f64 {
    match &table.columns()[column].data {
        ColumnData::Numbers(values) => values[row],
        _ => f64::NAN,
    }
}

/// The rows whose target is there; `strict` refuses others.
fn rows_with_target(table: &Table, target: Option<usize>, strict: bool) -> Result<Vec<usize>, Error> {
    let Some(column) = target else { return Ok((0..table.rows()).collect()) };
    let data = &table.columns()[column];
    let mut kept = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let missing = data.data.is_missing(row);
        if missing && strict {
            return Err(Error::missing("table", row, &data.name));
        }
        if matches!(&data.data, ColumnData::Numbers(values) if values[row].is_infinite()) {
            return Err(Error::value(
                "table",
                (row, data.name.clone()),
                value_at(table, column, row),
                Requirement::Finite,
            ));
        }
        if !missing {
            kept.push(row);
        }
    }
    Ok(kept)
}

/// The classes of a column, where it is taken for classes.
fn classes(table: &Table, column: usize, rows: &[usize], task: Task) -> Result<Option<Classes>, Refusal> {
    let is_label = table.label() == Some(column);
    match (&table.columns()[column].data, task) {
        (ColumnData::Categories { codes, levels }, Task::Auto | Task::Classes) => {
            let name = |&row: &usize| codes[row].map_or("", |code| levels[code as usize].as_str());
            Ok(Some(Classes::from_texts(rows.iter().map(name))))
        }
        (ColumnData::Numbers(values), task) if task == Task::Classes || (task == Task::Auto && is_label) => {
            let values: Array1<f64> = rows.iter().map(|&row| values[row]).collect();
            Ok(Some(Classes::from_numbers(values.view())?))
        }
        _ => Ok(None),
    }
}

impl Training {
    /// The columns that go in, as the table names them.
    pub fn inputs_shown(&self) -> Vec<String> {
        self.encoding.columns().iter().map(|column| column.name().to_owned()).collect()
    }
}
