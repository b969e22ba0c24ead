//! What a chunk gives a fit: inputs, targets and weights of the rows that count.

use std::borrow::Cow;

use ndarray::{Array1, Array2};

use super::super::Chunk;
use crate::error::{ColumnProblem, Requirement};
use crate::points::{ColumnData, Table};
use crate::{Error, Result};

/// What the columns of a file are to a fit, by name.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Roles {
    /// What is predicted from.
    pub inputs: Vec<String>,
    /// What is predicted: numbers.
    pub targets: Vec<String>,
    /// The weights, where there are any.
    pub weights: Option<String>,
}

/// What the targets of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    Values,
    Classes,
    None,
}

impl Roles {
    /// Every column has one role, exists, and holds what it must; a target of classes may hold
    /// categories.
    pub(super) fn check(&self, header: &Table, targets: TargetKind) -> Result<()> {
        if self.inputs.is_empty() || self.targets.is_empty() != (targets == TargetKind::None) {
            return Err(Error::too_few("a fit", "columns to predict from and to predict", 1, 0));
        }
        let all = self.inputs.iter().chain(&self.targets).chain(&self.weights);
        header.select(all)?;
        let classes = targets == TargetKind::Classes;
        if classes && self.targets.len() > 1 {
            return Err(Error::shape("targets of classes", 1, self.targets.len()));
        }
        let numbers = if classes { &[][..] } else { &self.targets };
        for name in numbers.iter().chain(&self.weights) {
            if !matches!(header.column(name)?.data, ColumnData::Numbers(_)) {
                return Err(Error::column(name, ColumnProblem::NotNumbers));
            }
        }
        Ok(())
    }
}

/// The rows of a chunk whose targets and weights are there.
pub(super) struct Part {
    pub inputs: Table,
    pub y: Array2<f64>,
    pub weights: Option<Array1<f64>>,
    /// The rows of the chunk that were kept.
    pub rows: Vec<usize>,
    first_row: usize,
}

impl Part {
    /// Takes a chunk apart; rows without a target or a weight are left out or refused.
    pub fn new(chunk: &Chunk, roles: &Roles, leave_out: bool) -> Result<Self> {
        let table = &chunk.table;
        let targets = roles.targets.iter().map(|name| numbers(table, name)).collect::<Result<Vec<_>>>()?;
        let weights = roles.weights.as_ref().map(|name| numbers(table, name)).transpose()?;
        let mut kept: Vec<usize> = (0..table.rows()).collect();
        for (name, values) in roles.targets.iter().chain(&roles.weights).zip(targets.iter().chain(&weights)) {
            if let Some(row) = values.iter().position(|v| v.is_infinite() || (v.is_nan() && !leave_out)) {
                return Err(refused(name, chunk.first_row + row, values[row]));
            }
            kept.retain(|&row| !values[row].is_nan());
        }
        let y = Array2::from_shape_fn((kept.len(), targets.len()), |(i, j)| targets[j][kept[i]]);
        let weights = weights.map(|w| kept.iter().map(|&row| w[row]).collect());
        let mut inputs = table.select(&roles.inputs)?;
        if kept.len() < table.rows() {
            inputs = inputs.select_rows(&kept)?;
        }
        Ok(Self { inputs, y, weights, rows: kept, first_row: chunk.first_row })
    }

    /// The error with the row of the file instead of the row of the part.
    pub fn in_file(&self, error: Error) -> Error {
        error.at_row(|row| self.first_row + self.rows.get(row).copied().unwrap_or(row))
    }
}

/// Numbers, or the codes of categories.
fn numbers<'t>(table: &'t Table, name: &str) -> Result<Cow<'t, [f64]>> {
    match &table.column(name)?.data {
        ColumnData::Numbers(values) => Ok(Cow::Borrowed(values)),
        ColumnData::Categories { codes, .. } => {
            Ok(codes.iter().map(|code| code.map_or(f64::NAN, f64::from)).collect::<Vec<_>>().into())
        }
        _ => Err(Error::column(name, ColumnProblem::NotNumbers)),
    }
}

fn refused(name: &str, row: usize, value: f64) -> Error {
    match value.is_nan() {
        true => Error::missing("table", row, name),
        false => Error::value("table", (row, name), value, Requirement::Finite),
    }
}
