//! Columns and targets of a model.

use std::collections::HashSet;

use crate::error::ColumnProblem;
use crate::points::{Affine, Encoded, EncodedColumn, Encoding, FittedEncoding, Table};
use crate::{Error, Result};

/// How points become vectors.
#[derive(Clone, Debug, PartialEq)]
pub enum Features {
    /// From the columns of a table, by what was learned from the table of the fit.
    Columns(FittedEncoding),
    /// They are vectors already.
    Vectors {
        /// Their dimension.
        dimension: usize,
        /// The names of the coordinates, where they have names.
        names: Option<Vec<String>>,
    },
}

/// One target: its name, and the map from its values to the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The name, where it has one.
    pub name: Option<String>,
    /// `f = (y − shift)/scale` was fitted, so that predictions are `shift + scale·f`.
    pub map: Affine,
}

/// Columns and targets of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// How points become vectors.
    pub features: Features,
    /// The targets, one per output of the fit.
    pub targets: Vec<Target>,
    /// Columns of the table of the fit that were not used: new tables may have them or not.
    pub unused: Vec<String>,
}

impl Target {
    /// A target that was fitted as it is.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), map: Affine::IDENTITY }
    }

    /// A target without a name, fitted as it is.
    pub fn unnamed() -> Self {
        Self { name: None, map: Affine::IDENTITY }
    }
}

impl Inputs {
    /// Vectors without names.
    pub fn vectors(dimension: usize, outputs: usize) -> Self {
        let features = Features::Vectors { dimension, names: None };
        Self { features, targets: vec![Target::unnamed(); outputs], unused: Vec::new() }
    }

    /// The columns of a table, with the names of the targets.
    pub fn columns<T: Into<String>>(encoding: FittedEncoding, targets: impl IntoIterator<Item = T>) -> Self {
        let targets = targets.into_iter().map(Target::named).collect();
        Self { features: Features::Columns(encoding), targets, unused: Vec::new() }
    }

    /// The dimension of the vectors.
    pub fn dimension(&self) -> usize {
        match &self.features {
            Features::Columns(encoding) => encoding.dimension(),
            Features::Vectors { dimension, .. } => *dimension,
        }
    }

    /// The names of the coordinates, where they have names.
    pub fn coordinate_names(&self) -> Option<Vec<String>> {
        match &self.features {
            Features::Columns(encoding) => Some(encoding.output_names()),
            Features::Vectors { names, .. } => names.clone(),
        }
    }

    /// A table as vectors.
    ///
    /// Columns are matched by name, in whatever order they come; the targets and the columns that
    /// the fit did not use may be there or not. Inputs without names take any table of numbers with
    /// the right number of columns, in order. The label of a table is not an input, unless the
    /// model has one of its name.
    ///
    /// # Errors
    /// As [`FittedEncoding::apply`], which names the column that is missing, unknown or of another
    /// kind; [`Error::Shape`] for a wrong number of columns where there are no names.
    pub fn encode(&self, table: &Table) -> Result<Encoded> {
        match &self.features {
            Features::Columns(encoding) => {
                let known: HashSet<&str> = encoding.columns().iter().map(EncodedColumn::name).collect();
                encoding.apply(&self.without_unused(table, &known)?)
            }
            Features::Vectors { names: Some(names), .. } => {
                let known = names.iter().map(String::as_str).collect();
                numbers(names.iter())?.apply(&self.without_unused(table, &known)?)
            }
            Features::Vectors { dimension, names: None } => {
                let features = table.label().map(|label| table.drop_columns([label])).transpose()?;
                let table = features.as_ref().unwrap_or(table);
                let found = table.columns().len();
                if found != *dimension {
                    let expected = format!("{dimension} (the model knows no names to choose columns by)");
                    return Err(Error::shape("columns of the table", expected, found));
                }
                numbers(table.names())?.apply(table)
            }
        }
    }

    fn without_unused(&self, table: &Table, used: &HashSet<&str>) -> Result<Table> {
        let targets = self.targets.iter().filter_map(|t| t.name.as_ref());
        let unused: HashSet<&str> =
            targets.chain(&self.unused).map(String::as_str).filter(|n| !used.contains(n)).collect();
        let label = table.label().filter(|&i| !used.contains(table.columns()[i].name.as_str()));
        let dropped = |(i, name): &(usize, &str)| unused.contains(name) || label == Some(*i);
        table.drop_columns(table.names().enumerate().filter(dropped).map(|(i, _)| i))
    }

    pub(super) fn check(&self) -> Result<()> {
        if let Features::Vectors { dimension, names: Some(names) } = &self.features {
            if names.len() != *dimension {
                return Err(Error::shape("names of the coordinates", dimension, names.len()));
            }
            numbers(names.iter())?;
        }
        let mut seen = HashSet::new();
        for Target { name, map } in &self.targets {
            if let Some(twice) = name.as_ref().filter(|name| !seen.insert(*name)) {
                return Err(Error::column(twice, ColumnProblem::Twice));
            }
            if !map.shift.is_finite() || !map.scale.is_finite() || map.scale == 0.0 {
                return Err(Error::parameter("scale of a target", map.scale, "finite and not 0, with a finite shift"));
            }
        }
        Ok(())
    }
}

/// Columns of numbers, taken as they are.
fn numbers<T: ToString>(names: impl Iterator<Item = T>) -> Result<FittedEncoding> {
    let column =
        |name: T| EncodedColumn::Number { name: name.to_string(), fill: 0.0, map: Affine::IDENTITY, constant: false };
    FittedEncoding::from_parts(Encoding::default(), names.map(column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{Column, Scaling};
    use ndarray::array;

    fn table(names: &[&str]) -> Table {
        let column = |(i, n): (usize, &&str)| Column::numbers(*n, vec![i as f64, i as f64 + 1.0]);
        Table::from_columns(names.iter().enumerate().map(column).collect()).unwrap()
    }

    fn inputs() -> Inputs {
        let rules = Encoding { scaling: Scaling::UnitInterval, ..Encoding::default() };
        let mut inputs = Inputs::columns(rules.fit(&table(&["a", "b"])).unwrap(), ["y"]);
        inputs.unused = vec!["id".into()];
        inputs
    }

    #[test]
    fn columns_are_matched_by_name_and_scaled_as_in_the_fit() {
        // In the fit a was 0, 1 and b was 1, 2.
        let encoded = inputs().encode(&table(&["id", "b", "y", "a"])).unwrap();
        assert_eq!(encoded.matrix, array![[3.0, 0.0], [4.0, 1.0]]);
    }

    #[test]
    fn missing_and_unknown_columns_are_named() {
        let missing = inputs().encode(&table(&["a", "c2"])).unwrap_err().to_string();
        assert!(missing.contains("`c2`"), "{missing}");
        let missing = inputs().encode(&table(&["a"])).unwrap_err().to_string();
        assert!(missing.contains("no column `b`"), "{missing}");
        let texts = Table::from_columns(vec![Column::numbers("a", vec![1.0]), Column::categories("b", [Some("red")])]);
        let kind = inputs().encode(&texts.unwrap()).unwrap_err().to_string();
        assert!(kind.contains("column b") && kind.contains("numbers"), "{kind}");
    }

    #[test]
    fn without_names_the_number_of_columns_decides() {
        let inputs = Inputs::vectors(2, 1);
        assert_eq!(inputs.encode(&table(&["u", "v"])).unwrap().matrix, array![[0.0, 1.0], [1.0, 2.0]]);
        assert!(matches!(inputs.encode(&table(&["u"])), Err(Error::Shape { .. })));
    }

    #[test]
    fn the_label_of_a_table_is_no_input() {
        let labeled = table(&["label", "a", "b"]).with_label("label").unwrap();
        assert_eq!(inputs().encode(&labeled).unwrap().matrix, array![[1.0, 1.0], [2.0, 2.0]]);
        assert_eq!(Inputs::vectors(2, 1).encode(&labeled).unwrap().matrix, array![[1.0, 2.0], [2.0, 3.0]]);
        let own = Inputs::columns(Encoding::default().fit(&table(&["a", "label"])).unwrap(), ["y"]);
        assert_eq!(own.encode(&labeled.drop_columns(["b"]).unwrap()).unwrap().matrix, array![[1.0, 0.0], [2.0, 1.0]]);
    }

    #[test]
    fn a_target_that_is_also_an_input_stays() {
        let rules = Encoding::default().fit(&table(&["a", "y"])).unwrap();
        assert_eq!(Inputs::columns(rules, ["y"]).encode(&table(&["a", "y"])).unwrap().matrix.ncols(), 2);
    }
}
