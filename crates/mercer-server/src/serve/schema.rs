//! The columns that go into a model and come out of it.

use mercer::learner::Goal;
use mercer::model::{Features, Inputs, Model};
use mercer::points::{EncodedColumn, PointKind};

/// What a column of the inputs holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Numbers.
    Numbers,
    /// One of some texts.
    Levels(Vec<String>),
    /// Any text.
    Texts,
    /// Objects that rows of JSON do not have, such as graphs.
    Other(PointKind),
}

/// A column of the inputs.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub name: String,
    pub holds: Holds,
}

/// The inputs and outputs of a model.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    pub inputs: Vec<Input>,
    /// The number of coordinates, where they have no names.
    pub unnamed: Option<usize>,
    /// The columns of the answer without options.
    pub outputs: Vec<String>,
    /// Whether the outputs are texts.
    pub is_text: bool,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// Whether `probabilities` can be asked for.
    pub has_probabilities: bool,
}

impl Schema {
    /// Of a model.
    pub fn of(model: &Model) -> Self {
        let mut inputs: Vec<Input> = Vec::new();
        let mut unnamed = None;
        for view in model.views() {
            let (columns, dimension) = columns(view);
            unnamed = unnamed.or(dimension);
            let new = columns.into_iter().filter(|c| !inputs.iter().any(|known| known.name == c.name));
            let new: Vec<Input> = new.collect();
            inputs.extend(new);
        }
        let classes = model.classes().map_or_else(Vec::new, <[String]>::to_vec);
        let is_number = |name: &String| name.parse::<f64>().is_ok_and(f64::is_finite);
        Self {
            inputs,
            unnamed,
            outputs: outputs(model),
            is_text: !classes.is_empty() && !classes.iter().all(is_number),
            has_probabilities: model.classes().is_some() && model.has_probabilities(),
            classes,
        }
    }

    /// The names that rows without names have: those of the inputs, in order.
    pub fn names(&self) -> Vec<String> {
        match self.unnamed {
            Some(dimension) => (0..dimension).map(|i| format!("x{i}")).collect(),
            None => self.inputs.iter().map(|input| input.name.clone()).collect(),
        }
    }
}

fn columns(inputs: &Inputs) -> (Vec<Input>, Option<usize>) {
    let number = |name: &String| Input { name: name.clone(), holds: Holds::Numbers };
    match &inputs.features {
        Features::Columns(encoding) => (encoding.columns().iter().flat_map(of_column).collect(), None),
        Features::Vectors { names: Some(names), .. } => (names.iter().map(number).collect(), None),
        Features::Vectors { dimension, names: None } => {
            ((0..*dimension).map(|i| number(&format!("x{i}"))).collect(), Some(*dimension))
        }
        Features::Objects(kind) => (vec![Input { name: "x".into(), holds: of_kind(*kind) }], None),
    }
}

fn of_column(column: &EncodedColumn) -> Vec<Input> {
    let name = column.name().to_owned();
    match column {
        EncodedColumn::Number { .. } => vec![Input { name, holds: Holds::Numbers }],
        EncodedColumn::Category { levels, .. } => vec![Input { name, holds: Holds::Levels(levels.clone()) }],
        // A long table: the names of the groups, and the columns of their rows.
        EncodedColumn::Object { members: Some(members), .. } => {
            let own = Input { name, holds: Holds::Texts };
            std::iter::once(own).chain(members.columns().iter().flat_map(of_column)).collect()
        }
        EncodedColumn::Object { kind, .. } => vec![Input { name, holds: of_kind(*kind) }],
        _ => vec![Input { name, holds: Holds::Texts }],
    }
}

fn of_kind(kind: PointKind) -> Holds {
    if kind == PointKind::Strings { Holds::Texts } else { Holds::Other(kind) }
}

/// The names of the columns of the answer without options.
fn outputs(model: &Model) -> Vec<String> {
    match model.fitted().entry().goal {
        Goal::Clusters => ["row", "cluster", "distance"].map(String::from).to_vec(),
        // Their number is known with the first answer.
        Goal::Features => Vec::new(),
        _ if model.classes().is_some() => vec!["prediction".into()],
        _ => endings(model).iter().map(|ending| format!("prediction{ending}")).collect(),
    }
}

/// The endings of the columns of every output: nothing for the only one.
pub(super) fn endings(model: &Model) -> Vec<String> {
    let targets = &model.inputs().targets;
    let names: Vec<String> = match (model.fitted().output_names(), targets.first()) {
        (Some(names), Some(_)) => names,
        _ => targets.iter().enumerate().map(|(j, t)| t.name.clone().unwrap_or_else(|| j.to_string())).collect(),
    };
    let single = names.len() <= 1;
    names.into_iter().map(|name| if single { String::new() } else { format!("_{name}") }).collect()
}
