//! Columns of objects.

use super::super::{Bags, Column, ColumnData, Diagrams, Mixed, PointKind, Points, Sample, Strings, Table};
use super::{Encoded, EncodedColumn, Encoding, FittedEncoding};
use crate::{Error, Result};

impl Encoding {
    /// A column of objects of its own kind, or taken as those of another.
    pub(super) fn fit_objects(&self, column: &Column, kind: Option<PointKind>) -> Result<EncodedColumn> {
        let name = column.name.clone();
        Ok(match (&column.data, kind) {
            (ColumnData::Groups { rows, .. }, None | Some(PointKind::Bags)) => {
                let members = Some(Box::new(self.fit(rows)?));
                EncodedColumn::Object { name, kind: PointKind::Bags, members }
            }
            (ColumnData::Groups { rows, .. }, Some(PointKind::Diagrams)) => {
                // Birth and death lie on one scale, and an interval is read whole.
                let members = Some(Box::new(Self::default().fit(rows)?));
                EncodedColumn::Object { name, kind: PointKind::Diagrams, members }
            }
            (ColumnData::Objects(sample), None) => {
                EncodedColumn::Object { name, kind: sample.as_points().kind(), members: None }
            }
            (ColumnData::Objects(sample), Some(kind)) if kind == sample.as_points().kind() => {
                EncodedColumn::Object { name, kind, members: None }
            }
            (ColumnData::Categories { .. }, Some(PointKind::Strings)) => {
                EncodedColumn::Object { name, kind: PointKind::Strings, members: None }
            }
            (data, kind) => {
                let wanted = kind.unwrap_or(PointKind::Vectors);
                return Err(wrong_column(&column.name, wanted, data));
            }
        })
    }
}

/// The objects of some rows of a column, and how many missing texts became empty ones.
pub(super) fn take_objects(
    column: &Column,
    kind: PointKind,
    members: Option<&FittedEncoding>,
    rows: &[usize],
) -> Result<(Sample, usize)> {
    match (&column.data, kind, members) {
        (ColumnData::Objects(sample), kind, None) if sample.as_points().kind() == kind => Ok((sample.taken(rows), 0)),
        (ColumnData::Numbers(_) | ColumnData::Categories { .. }, PointKind::Strings, None) => {
            let missing = rows.iter().filter(|&&row| column.data.is_missing(row)).count();
            Ok((texts(&column.data, rows).into(), missing))
        }
        (ColumnData::Groups { rows: all, ends }, kind, Some(members)) => {
            take_groups(all, ends, kind, members, rows).map(|sample| (sample, 0))
        }
        (data, kind, _) => Err(wrong_column(&column.name, kind, data)),
    }
}

fn texts(data: &ColumnData, rows: &[usize]) -> Strings {
    let mut texts = Strings::default();
    for &row in rows {
        match data {
            ColumnData::Categories { codes, levels } => {
                texts.push(codes[row].map_or("", |code| levels[code as usize].as_str()));
            }
            ColumnData::Numbers(values) if !values[row].is_nan() => texts.push(&values[row].to_string()),
            _ => texts.push(""),
        }
    }
    texts
}

/// The groups with these numbers as bags or diagrams. Members with missing values are left out where
/// that is the rule.
fn take_groups(
    all: &Table,
    ends: &[usize],
    kind: PointKind,
    members: &FittedEncoding,
    groups: &[usize],
) -> Result<Sample> {
    let encoded = members.apply(all)?;
    if let Some((name, _)) = encoded.objects.first() {
        return Err(Error::wrong_points(format!("column `{name}` of a bag"), PointKind::Vectors, "objects"));
    }
    // Where the kept members of every group are.
    let position = |member: usize| encoded.kept_rows.partition_point(|&kept| kept < member);
    let range = |group: usize| position(group.checked_sub(1).map_or(0, |before| ends[before]))..position(ends[group]);
    let views: Vec<_> = groups.iter().map(|&group| encoded.matrix.slice(ndarray::s![range(group), ..])).collect();
    Ok(match kind {
        PointKind::Diagrams => Diagrams::new(&views, None)?.into(),
        _ => Bags::new(&views)?.into(),
    })
}

/// The error for a column whose values are something else.
fn wrong_column(name: &str, takes: PointKind, data: &ColumnData) -> Error {
    let holds = match data {
        ColumnData::Numbers(_) => "numbers".to_owned(),
        ColumnData::Categories { .. } => "texts".to_owned(),
        ColumnData::Objects(sample) => sample.as_points().kind().to_string(),
        ColumnData::Groups { .. } => "groups of rows".to_owned(),
    };
    Error::WrongPoints { what: "this column".into(), takes: takes.to_string(), column: Some(name.to_owned()), holds }
}

impl Encoded {
    /// The points of a kernel that takes this kind: vectors, the only column of objects, or rows of
    /// the whole table.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if the table is something else; [`Error::Column`] for a column of
    /// objects that bears the name of a coordinate.
    pub fn into_sample(mut self, kind: PointKind) -> Result<Sample> {
        match kind {
            PointKind::Mixed => Ok(Mixed::new(self.matrix, self.names, self.objects)?.into()),
            // A kernel over `precomputed()` takes the numbers for its values.
            PointKind::Vectors | PointKind::Sparse | PointKind::Precomputed if self.objects.is_empty() => {
                Ok(self.matrix.into())
            }
            PointKind::Vectors | PointKind::Sparse if self.kind() == PointKind::Sparse => {
                Ok(self.objects.swap_remove(0).1)
            }
            kind if kind.is_object() && self.objects.len() == 1 && self.matrix.ncols() == 0 => {
                let (name, sample) = self.objects.swap_remove(0);
                let found = sample.as_points().kind();
                if found == kind {
                    return Ok(sample);
                }
                let (what, takes) = ("the kernel".to_owned(), kind.to_string());
                Err(Error::WrongPoints { what, takes, column: Some(name), holds: found.to_string() })
            }
            kind => Err(Error::wrong_points("the kernel", kind, self.kind())),
        }
    }

    /// What the points are: vectors, the objects of the only column, or rows of a table.
    pub fn kind(&self) -> PointKind {
        match &self.objects[..] {
            [] => PointKind::Vectors,
            [(_, only)] if self.matrix.ncols() == 0 => Points::from(only).kind(),
            _ => PointKind::Mixed,
        }
    }
}
