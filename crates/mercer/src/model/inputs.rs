//! Columns and targets of a model.

use std::borrow::Cow;
use std::collections::HashSet;

use ndarray::Array2;

use crate::error::ColumnProblem;
use crate::learner::Fitted;
use crate::points::{
    Affine, Column, ColumnData, Csr, Encoded, EncodedColumn, Encoding, FittedEncoding, Mixed, PointKind, Points, Table,
};
use crate::{Error, Result, Sample};

/// How data become points.
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
    /// They are objects of one kind, without a name.
    Objects(PointKind),
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
    /// How data become points.
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

    /// What a fit takes, without names of targets: vectors, objects of its kind, or the columns of
    /// the table that it was fitted on.
    pub fn of(fitted: &dyn Fitted) -> Self {
        Self { targets: vec![Target::unnamed(); fitted.targets()], ..Self::of_view(fitted, 0) }
    }

    /// What a fit takes as a view, without targets.
    pub fn of_view(fitted: &dyn Fitted, view: usize) -> Self {
        let features = match fitted.points(view) {
            Some(Points::Mixed(rows)) => Features::Columns(columns_of(rows)),
            Some(points) if points.kind().is_object() => Features::Objects(points.kind()),
            _ => Features::Vectors { dimension: fitted.dimension(view), names: None },
        };
        Self { features, targets: Vec::new(), unused: Vec::new() }
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
            Features::Objects(_) => 0,
        }
    }

    /// The names of the columns of a table that go in, where they have names.
    pub fn column_names(&self) -> Option<Vec<&str>> {
        match &self.features {
            Features::Columns(encoding) => Some(encoding.columns().iter().map(EncodedColumn::name).collect()),
            Features::Vectors { names, .. } => names.as_ref().map(|names| names.iter().map(String::as_str).collect()),
            Features::Objects(_) => None,
        }
    }

    /// The names of the coordinates, where they have names.
    pub fn coordinate_names(&self) -> Option<Vec<String>> {
        match &self.features {
            Features::Columns(encoding) => Some(encoding.output_names()),
            Features::Vectors { names, .. } => names.clone(),
            Features::Objects(_) => None,
        }
    }

    /// The same table with a row per bag, where the model takes bags and the table is a long one:
    /// the column that names the bags is the one of the fit.
    ///
    /// # Errors
    /// As [`Table::grouped`].
    pub fn grouped<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>> {
        let Features::Columns(encoding) = &self.features else { return Ok(Cow::Borrowed(table)) };
        let groups = encoding.columns().iter().find_map(|column| match column {
            EncodedColumn::Object { name, members: Some(members), .. } => Some((name.as_str(), members)),
            _ => None,
        });
        let Some((by, members)) = groups else { return Ok(Cow::Borrowed(table)) };
        if matches!(table.column(by)?.data, ColumnData::Groups { .. }) {
            return Ok(Cow::Borrowed(table));
        }
        let members: Vec<&str> = members.columns().iter().map(EncodedColumn::name).collect();
        let own = encoding.columns().iter().map(EncodedColumn::name).filter(|name| *name != by);
        let targets = self.targets.iter().filter_map(|t| t.name.as_deref());
        let known: HashSet<&str> = table.names().collect();
        let constant: Vec<&str> = own.chain(targets.filter(|name| known.contains(name))).collect();
        table.grouped(by, &members, &constant).map(Cow::Owned)
    }

    /// A table as points.
    ///
    /// Columns are matched by name, in whatever order they come; the targets and the columns that
    /// the fit did not use may be there or not. Inputs without names take any table of numbers with
    /// the right number of columns, in order, or the only column if it holds sparse vectors (which
    /// may lack the last coordinates), and objects without a name the only column there is.
    /// The label of a table is not an input, unless the model has one of its name. A long table is
    /// grouped first ([`Inputs::grouped`]).
    ///
    /// # Errors
    /// As [`FittedEncoding::apply`], which names the column that is missing, unknown or of another
    /// kind; [`Error::Shape`] for a wrong number of columns where there are no names.
    pub fn encode(&self, table: &Table) -> Result<Encoded> {
        match &self.features {
            Features::Columns(encoding) => {
                let known: HashSet<&str> = encoding.columns().iter().map(EncodedColumn::name).collect();
                encoding.apply(&self.without_unused(self.grouped(table)?.as_ref(), &known)?)
            }
            Features::Objects(kind) => {
                let table = self.without_unused(table, &HashSet::new())?;
                let [only] = table.columns() else {
                    let expected = format!("1, of {kind} (the model knows no name to choose it by)");
                    return Err(Error::shape("columns of the table", expected, table.columns().len()));
                };
                let kinds = [(only.name.clone(), *kind)];
                Encoding::default().fit_as(&table, &kinds)?.apply(&table)
            }
            Features::Vectors { names: Some(names), .. } => {
                let known = names.iter().map(String::as_str).collect();
                numbers(names.iter())?.apply(&self.without_unused(table, &known)?)
            }
            Features::Vectors { dimension, names: None } => {
                let table = &self.without_unused(table, &HashSet::new())?;
                if let [Column { name, data: ColumnData::Objects(Sample::Sparse(rows)) }] = table.columns() {
                    return sparse(name, rows, *dimension);
                }
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
        let dropped =
            |(i, name): &(usize, &str)| unused.contains(name) || !(table.is_feature(*i) || used.contains(name));
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

/// The columns of a table that was fitted as it was.
fn columns_of(rows: &Mixed) -> FittedEncoding {
    let number =
        |name: &String| EncodedColumn::Number { name: name.clone(), fill: 0.0, map: Affine::IDENTITY, constant: false };
    let object = |(name, sample): &(String, crate::Sample)| {
        let kind = sample.as_points().kind();
        EncodedColumn::Object { name: name.clone(), kind, members: None }
    };
    let columns = rows.names().iter().map(number).chain(rows.objects().iter().map(object)).collect();
    FittedEncoding::unchecked(Encoding::default(), columns)
}

/// A column of sparse vectors with as many coordinates as the model has: those that no row of the
/// table has are 0.
fn sparse(name: &str, rows: &Csr, dimension: usize) -> Result<Encoded> {
    if let Some((row, column, value)) = rows.first_beyond(dimension) {
        let needed = format!("the model has {dimension} columns");
        return Err(Error::value("table", (row, format!("{name}{}", u64::from(column) + 1)), value, needed));
    }
    let rows = rows.with_width(dimension)?;
    Ok(Encoded {
        matrix: Array2::zeros((rows.len(), 0)),
        names: Vec::new(),
        kept_rows: (0..rows.len()).collect(),
        objects: vec![(name.to_owned(), rows.into())],
        filled: 0,
        dropped: 0,
    })
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
    use crate::points::Scaling;
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
    fn sparse_columns_are_as_wide_as_the_model() {
        let rows = Csr::new(3, vec![0, 1, 2], vec![0, 2], vec![1.5, 2.0]).unwrap();
        let table = Table::from_columns(vec![Column::objects("x", rows.clone())]).unwrap();
        let wide = Inputs::vectors(5, 1).encode(&table).unwrap();
        assert_eq!(wide.into_sample(PointKind::Sparse).unwrap(), rows.with_width(5).unwrap().into());
        let narrow = Inputs::vectors(2, 1).encode(&table).unwrap_err().to_string();
        assert!(narrow.contains("row 1, column x3 holds 2: the model has 2 columns"), "{narrow}");
        let dense = Inputs::vectors(2, 1).encode(&self::table(&["u", "v"])).unwrap();
        assert_eq!(dense.into_sample(PointKind::Sparse).unwrap(), array![[0.0, 1.0], [1.0, 2.0]].into());
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
