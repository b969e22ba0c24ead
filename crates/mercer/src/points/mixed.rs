//! Rows of a table with columns of any kind.

use std::collections::HashSet;

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::{Points, Sample};
use crate::error::ColumnProblem;
use crate::{Error, Result};

/// Rows of a table: columns of numbers, and columns of objects such as texts or graphs. A kernel
/// takes the column that `on([name], …)` names.
///
/// # Example
/// ```
/// use mercer::points::{Mixed, Strings};
/// use mercer::{Compute, Kernel, gram};
/// let review: Strings = ["good", "good", "bad"].into_iter().collect();
/// let rows = Mixed::new(ndarray::array![[1.0], [2.0], [2.0]], vec!["price".into()], vec![("review".into(), review.into())])?;
/// let k: Kernel = "on([review], delta()) * on([price], linear())".parse()?;
/// let compute = Compute::new();
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&rows).into()), &compute)?, &compute)?;
/// assert_eq!(gram, ndarray::array![[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    numbers: Array2<f64>,
    names: Vec<String>,
    objects: Vec<(String, Sample)>,
}

impl Mixed {
    /// Columns of numbers with their names, and named columns of objects.
    ///
    /// # Errors
    /// [`Error::Shape`] when the columns have different lengths or there is not one name for each
    /// column of numbers, [`Error::Column`] for two columns of one name, [`Error::Value`] for NaN
    /// and infinities, [`Error::Unsupported`] for tables inside of a table.
    pub fn new(numbers: Array2<f64>, names: Vec<String>, objects: Vec<(String, Sample)>) -> Result<Self> {
        if names.len() != numbers.ncols() {
            return Err(Error::shape("names of the columns of numbers", numbers.ncols(), names.len()));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().chain(objects.iter().map(|(name, _)| name)).find(|name| !seen.insert(*name)) {
            return Err(Error::column(twice, ColumnProblem::Twice));
        }
        for (name, column) in &objects {
            if column.len() != numbers.nrows() {
                return Err(Error::shape(&format!("rows of column `{name}`"), numbers.nrows(), column.len()));
            }
            if matches!(column, Sample::Mixed(_) | Sample::Sparse(_) | Sample::Precomputed(_) | Sample::References(_)) {
                let what = format!("column `{name}`");
                return Err(Error::unsupported("table inside of a table", what, "", "use columns of objects"));
            }
        }
        super::check_finite(numbers.view(), "table")?;
        Ok(Self { numbers, names, objects })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.numbers.nrows()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns of numbers.
    pub fn numbers(&self) -> ArrayView2<'_, f64> {
        self.numbers.view()
    }

    /// The names of the columns of numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns of objects with their names.
    pub fn objects(&self) -> &[(String, Sample)] {
        &self.objects
    }

    /// A column of objects.
    pub fn object(&self, name: &str) -> Option<Points<'_>> {
        self.objects.iter().find(|(known, _)| known == name).map(|(_, column)| column.as_points())
    }

    /// Some of the rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let chosen = |(name, column): &(String, Sample)| (name.clone(), column.taken(rows));
        Self {
            numbers: self.numbers.select(Axis(0), rows),
            names: self.names.clone(),
            objects: self.objects.iter().map(chosen).collect(),
        }
    }

    /// The rows of both, which must have the same columns.
    pub(crate) fn pooled(&self, other: &Self) -> Result<Self> {
        self.check_columns(other)?;
        let numbers = concatenate(Axis(0), &[self.numbers(), other.numbers()])
            .map_err(|_| Error::shape("columns of the second sample", self.names.len(), other.names.len()))?;
        let both = |((name, x), (_, y)): (&(String, Sample), &(String, Sample))| {
            Ok((name.clone(), Sample::pooled(x.as_points(), y.as_points())?))
        };
        let objects = self.objects.iter().zip(&other.objects).map(both).collect::<Result<_>>()?;
        Ok(Self { numbers, names: self.names.clone(), objects })
    }

    /// Refuses a table with other columns.
    pub(crate) fn check_columns(&self, other: &Self) -> Result<()> {
        let columns = |rows: &Self| {
            let objects = rows.objects.iter().map(|(name, column)| format!("{name} ({})", column.as_points().kind()));
            rows.names.iter().cloned().chain(objects).collect::<Vec<_>>().join(", ")
        };
        let (first, second) = (columns(self), columns(other));
        if first == second {
            return Ok(());
        }
        Err(Error::mismatch(
            "the tables have different columns",
            format!("one has {first}"),
            format!("the other {second}"),
            "give the same columns in the same order",
        ))
    }

    pub(crate) fn bytes(&self) -> u64 {
        8 * self.numbers.len() as u64 + self.objects.iter().map(|(_, column)| column.as_points().bytes()).sum::<u64>()
    }
}
