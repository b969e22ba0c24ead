//! The check of data against an expression: columns, domains, names, medians. Done once, before
//! anything is evaluated.

use ndarray::{Array2, ArrayView2, Axis};

use super::algebra::columns::named_column;
use super::{Base, ColumnRef, Form, Kernel, Lengthscale, PointMap};
use crate::error::{AllowedRange, PrecomputedNeed, Requirement};
use crate::points::{Csr, Mixed, PointKind};
use crate::{Error, Result};

impl Kernel {
    /// Checks that every node of the expression can take these vectors.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of columns, [`Error::Value`] outside a domain,
    /// [`Error::Unresolved`] or [`Error::Precomputed`] for column names or medians that are not
    /// resolved and for matrices made elsewhere.
    pub(crate) fn check_vectors(&self, x: ArrayView2<f64>) -> Result<()> {
        match self {
            Self::Base(base) => return check_base(self, base, x),
            Self::On(columns, k) => return k.check_vectors(choose_columns(columns, x)?.view()),
            Self::Transformed(map, k) => return k.check_vectors(transform(map, x)?.view()),
            Self::Embedded(..) => return Err(Error::wrong_points(self, PointKind::Bags, PointKind::Vectors)),
            Self::NodePaths(..) => return Err(Error::wrong_points(self, PointKind::Graphs, PointKind::Vectors)),
            Self::Conformal(factor, _) => factor.check_columns(x.ncols())?,
            Self::Based(at, k) => check_points(k, &[at.coordinates().to_vec()], x.ncols())?,
            Self::Induced(points, k) => check_points(k, points.rows(), x.ncols())?,
            _ => {}
        }
        self.children().into_iter().try_for_each(|k| k.check_vectors(x))
    }
}

impl Kernel {
    /// Checks that every node of the expression can take these sparse vectors.
    ///
    /// # Errors
    /// As [`Kernel::check_vectors`]; [`Error::Unsupported`] for kernels that need dense vectors.
    pub(crate) fn check_sparse(&self, x: &Csr) -> Result<()> {
        match self {
            Self::Base(base) => check_sparse_base(self, base, x),
            Self::On(columns, k) => k.check_sparse(&x.select_columns(&column_positions(columns, x.width())?)),
            Self::Embedded(..) => Err(Error::wrong_points(self, PointKind::Bags, PointKind::Sparse)),
            Self::NodePaths(..) => Err(Error::wrong_points(self, PointKind::Graphs, PointKind::Sparse)),
            Self::Transformed(..) | Self::Conformal(..) | Self::Based(..) | Self::Induced(..) => {
                Err(no_sparse(self, "it acts on all coordinates of a point"))
            }
            _ => self.children().into_iter().try_for_each(|k| k.check_sparse(x)),
        }
    }
}

fn no_sparse(kernel: &Kernel, reason: &str) -> Error {
    Error::unsupported("sparse vectors", kernel, reason, "give the points as a dense matrix")
}

fn check_sparse_base(kernel: &Kernel, base: &Base, x: &Csr) -> Result<()> {
    let domain = base.domain();
    if let Some(takes) = domain.objects() {
        return Err(Error::wrong_points(kernel, takes, PointKind::Sparse));
    }
    match base.form() {
        Form::Matrix => return Err(Error::precomputed("precomputed()", PrecomputedNeed::Values)),
        Form::Constant(_) => return Ok(()),
        Form::Object => return Err(no_sparse(kernel, "a program computes its values")),
        Form::Columnwise if domain.one_column() => return Err(no_sparse(kernel, "it is a kernel on one column")),
        Form::Columnwise if matches!(base.lengthscale(), Some(Lengthscale::PerColumn(_))) => {
            return Err(no_sparse(kernel, "it has a lengthscale for every column"));
        }
        Form::Columnwise if !matches!(base, Base::Delta(_)) && !ignores_zeros(kernel) => {
            return Err(no_sparse(kernel, "columns in which both points are 0 change its value"));
        }
        Form::Columnwise | Form::Profile(_) => {}
        Form::Brownian | Form::Diagram => return Err(no_sparse(kernel, "it is computed from all coordinates")),
    }
    if base.lengthscale() == Some(&Lengthscale::Median) {
        return Err(Error::unresolved_median(kernel));
    }
    if let Some(lengthscale) = base.lengthscale() {
        lengthscale.check_columns(kernel, x.width())?;
    }
    check_sparse_range(kernel, domain.range(), x)
}

/// Whether columns in which both points are 0 leave the value as it is, to the bit.
fn ignores_zeros(kernel: &Kernel) -> bool {
    let p = kernel.parameter_values::<f64>();
    kernel.value(&p, &[0.5, 0.0, 0.125], &[0.25, 0.0, 0.0]) == kernel.value(&p, &[0.5, 0.125], &[0.25, 0.0])
}

fn check_sparse_range(kernel: &Kernel, range: AllowedRange, x: &Csr) -> Result<()> {
    if range == AllowedRange::LINE {
        return Ok(());
    }
    for row in 0..x.len() {
        let (columns, values) = x.row(row);
        if let Some(at) = values.iter().position(|value| !range.contains(*value)) {
            return Err(Error::value(kernel.to_string(), (row, columns[at]), values[at], Requirement::Domain(range)));
        }
    }
    Ok(())
}

/// The chosen columns as positions.
pub(crate) fn column_positions(columns: &[ColumnRef], width: usize) -> Result<Vec<usize>> {
    let position = |column: &ColumnRef| match column {
        ColumnRef::Index(j) if *j < width => Ok(*j),
        ColumnRef::Index(j) => {
            Err(Error::shape("columns, because on([…], …) counts from 0", format!("more than {j}"), width))
        }
        ColumnRef::Name(name) => Err(Error::unresolved_column("on([…], …)", name)),
    };
    columns.iter().map(position).collect()
}

impl Kernel {
    /// Checks that every node of the expression can take objects of this kind.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] for a kernel on points of another kind, and for operations on vectors.
    pub(crate) fn check_objects(&self, kind: PointKind) -> Result<()> {
        match self {
            Self::Base(base) if base.form() == Form::Matrix => {
                Err(Error::precomputed("precomputed()", PrecomputedNeed::Values))
            }
            Self::Base(Base::Delta(_)) => Ok(()),
            Self::Base(base) if base.constant().is_some() || base.domain().objects() == Some(kind) => Ok(()),
            Self::Base(base) => {
                Err(Error::wrong_points(self, base.domain().objects().unwrap_or(PointKind::Vectors), kind))
            }
            Self::On(..) | Self::Conformal(..) | Self::Transformed(..) | Self::Based(..) | Self::Induced(..) => {
                Err(Error::wrong_points(self, PointKind::Vectors, kind))
            }
            // The kernel inside is on the instances or vertices, and checked with them.
            Self::Embedded(..) if kind == PointKind::Bags => Ok(()),
            Self::NodePaths(..) if kind == PointKind::Graphs => Ok(()),
            Self::Embedded(..) => Err(Error::wrong_points(self, PointKind::Bags, kind)),
            Self::NodePaths(..) => Err(Error::wrong_points(self, PointKind::Graphs, kind)),
            _ => self.children().into_iter().try_for_each(|k| k.check_objects(kind)),
        }
    }
}

impl Kernel {
    /// Checks that every node of the expression can take the rows of a table.
    ///
    /// # Errors
    /// As [`Kernel::check_vectors`] and [`Kernel::check_objects`], with the column.
    pub(crate) fn check_mixed(&self, rows: &Mixed) -> Result<()> {
        match self {
            Self::On(columns, k) => match named_column(columns).and_then(|name| Some((name, rows.object(name)?))) {
                Some((name, column)) => k.check_objects(column.kind()).map_err(|error| in_column(error, name)),
                None => self.check_numbers(columns, k, rows),
            },
            Self::Base(base) if base.constant().is_some() => Ok(()),
            Self::Base(base) if base.domain().objects().is_some() => {
                Err(Error::wrong_points(self, base.domain().text(), PointKind::Mixed))
            }
            Self::Embedded(..) => Err(Error::wrong_points(self, PointKind::Bags, PointKind::Mixed)),
            Self::NodePaths(..) => Err(Error::wrong_points(self, PointKind::Graphs, PointKind::Mixed)),
            // What acts on the points themselves takes the numbers alone.
            Self::Base(_) | Self::Transformed(..) | Self::Conformal(..) | Self::Based(..) | Self::Induced(..) => {
                self.check_vectors(rows.numbers())
            }
            _ => self.children().into_iter().try_for_each(|k| k.check_mixed(rows)),
        }
    }
}

impl Kernel {
    /// Checks a kernel on columns of numbers; one on objects is refused with the column.
    fn check_numbers(&self, columns: &[ColumnRef], inner: &Self, rows: &Mixed) -> Result<()> {
        match inner.check_objects(PointKind::Mixed) {
            Err(Error::WrongPoints { what, takes, .. }) if takes != PointKind::Vectors.to_string() => {
                let column = columns.first().map(|column| match column {
                    ColumnRef::Index(j) => rows.names().get(*j).cloned().unwrap_or_else(|| j.to_string()),
                    ColumnRef::Name(name) => name.clone(),
                });
                Err(Error::WrongPoints { what, takes, column, holds: "numbers".into() })
            }
            _ => self.check_vectors(rows.numbers()),
        }
    }
}

/// The same error, with the column that holds the points.
fn in_column(error: Error, name: &str) -> Error {
    match error {
        Error::WrongPoints { what, takes, holds, .. } => {
            Error::WrongPoints { what, takes, column: Some(name.into()), holds }
        }
        other => other,
    }
}

fn check_base(kernel: &Kernel, base: &Base, x: ArrayView2<f64>) -> Result<()> {
    if base.form() == Form::Matrix {
        return Err(Error::precomputed("precomputed()", PrecomputedNeed::Values));
    }
    if base.lengthscale() == Some(&Lengthscale::Median) {
        return Err(Error::unresolved_median(kernel));
    }
    if let Some(lengthscale) = base.lengthscale() {
        lengthscale.check_columns(kernel, x.ncols())?;
    }
    base.domain().check(kernel, x)
}

fn check_points(kernel: &Kernel, points: &[Vec<f64>], columns: usize) -> Result<()> {
    let width = points[0].len();
    if width != columns {
        return Err(Error::shape(&format!("coordinates of the points in {kernel}"), columns, width));
    }
    kernel.check_vectors(rows_to_array(points).view())
}

/// Rows of equal length as an array.
pub(crate) fn rows_to_array(rows: &[Vec<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows.first().map_or(0, Vec::len)), |(i, j)| rows[i][j])
}

/// The chosen columns, copied.
pub(crate) fn choose_columns(columns: &[ColumnRef], x: ArrayView2<f64>) -> Result<Array2<f64>> {
    Ok(x.select(Axis(1), &column_positions(columns, x.ncols())?))
}

/// The points after a space transformation.
pub(crate) fn transform(map: &PointMap, x: ArrayView2<f64>) -> Result<Array2<f64>> {
    map.check_columns(x.ncols())?;
    let range = map.range();
    if let Some((place, value)) = x.indexed_iter().find(|(_, value)| !range.contains(**value)) {
        let what = format!("transformed(…, by={})", map.text());
        return Err(Error::value(what, place, value, Requirement::Domain(range)));
    }
    let mut out = Array2::zeros((x.nrows(), map.columns(x.ncols())));
    for (source, mut target) in x.rows().into_iter().zip(out.rows_mut()) {
        target.assign(&ndarray::Array1::from(map.apply(&source.to_vec())));
    }
    Ok(out)
}
