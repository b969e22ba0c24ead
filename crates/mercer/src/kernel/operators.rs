//! `+`, `*`, `^` and the other ways to build kernels in Rust.

use std::ops::{Add, Mul};

use super::elementary::constant::Constant;
use super::number::{NonNegative, Whole};
use super::radial::gaussian::Gaussian;
use super::{ColumnRef, Kernel, Lengthscale, Terms};
use crate::error::ColumnProblem;
use crate::points::{Mixed, PointKind};
use crate::wording::nearest;
use crate::{Error, Result};

/// The largest exponent of `k^m`. A safety limit: 0.9¹⁰⁰⁰ is 2e-46.
const MAX_POWER: u32 = 1000;

impl Add for Kernel {
    type Output = Self;

    /// `k₁ + k₂`: positive semi-definite kernels form a convex cone.
    fn add(self, other: Self) -> Self {
        let terms = |kernel| match kernel {
            Self::Sum(terms) => terms.into_vec(),
            single => vec![single],
        };
        Self::Sum(Terms::flat([terms(self), terms(other)].concat()))
    }
}

impl Mul for Kernel {
    type Output = Self;

    /// `k₁ · k₂`: positive semi-definite by Schur's product theorem. Scales move to the front.
    fn mul(self, other: Self) -> Self {
        let ((a, left), (b, right)) = (self.split_scale(), other.split_scale());
        let factors = |kernel| match kernel {
            Self::Product(terms) => terms.into_vec(),
            single => vec![single],
        };
        let product = Self::Product(Terms::flat([factors(left), factors(right)].concat()));
        match (a, b) {
            (None, None) => product,
            (Some(c), None) | (None, Some(c)) => Self::Scale(c, Box::new(product)),
            (Some(a), Some(b)) => match NonNegative::new("scale", a.get() * b.get()) {
                Ok(scale) => Self::Scale(scale, Box::new(product)),
                // The product of two finite scales overflowed: keep one of them as a constant
                // factor.
                Err(_) => Self::Scale(a, Box::new(product * Kernel::from(Constant::from_checked(b)))),
            },
        }
    }
}

impl Kernel {
    /// `k(x, y) = value`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the value is finite and at least 0.
    pub fn constant(value: f64) -> Result<Self> {
        Ok(Constant::new(value)?.into())
    }

    /// The Gaussian kernel of this lengthscale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the lengthscale is finite and positive.
    pub fn gaussian(lengthscale: f64) -> Result<Self> {
        Ok(Gaussian::new(Lengthscale::shared(lengthscale)?).into())
    }

    /// `a·k`. Scaling a scaled kernel multiplies the scales.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the scale is finite and at least 0.
    pub fn scaled(self, scale: f64) -> Result<Self> {
        let (inner, kernel) = self.split_scale();
        let total = scale * inner.map_or(1.0, NonNegative::get);
        Ok(Self::Scale(NonNegative::new("scale", total)?, Box::new(kernel)))
    }

    /// `kᵐ`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `m` is an integer from 1 to 1000.
    pub fn power(self, exponent: f64) -> Result<Self> {
        Ok(Self::Power(Box::new(self), Whole::new("exponent", exponent, MAX_POWER)?))
    }

    /// `k` on some of the columns.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no column, or one twice.
    pub fn on(self, columns: Vec<ColumnRef>) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::parameter("columns", "[]", "a list of at least one column"));
        }
        for (i, column) in columns.iter().enumerate() {
            if columns[..i].contains(column) {
                return Err(Error::parameter("columns", column, "listed once"));
            }
        }
        Ok(Self::On(columns, Box::new(self)))
    }

    /// `k(x, y)/√(k(x, x)k(y, y))`.
    pub fn normalized(self) -> Self {
        Self::Normalized(Box::new(self))
    }

    /// `½·based(κ, x₀)`: the kernel whose features `Φ` embed a negative-definite `κ` that is 0 on
    /// the diagonal, `κ(x, y) = ‖Φ(x) − Φ(y)‖²`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the base point has finite coordinates.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k = "distance(power=1)".parse::<Kernel>()?.hilbert_embedding(vec![0.0])?;
    /// let squared = k.evaluate(&[1.0], &[1.0])? + k.evaluate(&[4.0], &[4.0])? - 2.0 * k.evaluate(&[1.0], &[4.0])?;
    /// mercer::assert_close!(squared, 3.0, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn hilbert_embedding(self, base_point: Vec<f64>) -> Result<Self> {
        Self::Based(super::BasePoint::new(base_point)?, Box::new(self)).scaled(0.5)
    }

    /// Replaces column names by their numbers. The name of a column of categories stands for its
    /// indicators `name=level`.
    ///
    /// # Errors
    /// [`Error::Column`] for a name that is not there, with the nearest one.
    ///
    /// # Example
    /// ```
    /// let k: mercer::Kernel = "on([color], delta()) * on([price], gaussian())".parse()?;
    /// let names = ["price", "color=blue", "color=red"].map(String::from);
    /// assert_eq!(k.with_column_names(&names)?.to_string(), "on([1, 2], delta()) * on([0], gaussian(lengthscale=1))");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_column_names(&self, names: &[String]) -> Result<Self> {
        match self {
            Self::On(columns, k) => {
                let found = columns.iter().map(|c| resolve(c, names)).collect::<Result<Vec<_>>>()?.concat();
                // Inside `on`, columns are counted anew: names there are those of the chosen columns.
                let inner = k.with_column_names(&chosen_names(&found, names))?;
                Ok(Self::On(found, Box::new(inner)))
            }
            other => other.map_children(&mut |k| k.with_column_names(names)),
        }
    }

    /// The columns that must hold objects: the names in `on([name], k)` for a kernel `k` on objects,
    /// with the kind of points that it takes.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::PointKind};
    /// let k: Kernel = "on([review], spectrum(length=3)) * on([price], gaussian())".parse()?;
    /// assert_eq!(k.object_columns(), [("review".to_owned(), PointKind::Strings)]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn object_columns(&self) -> Vec<(String, PointKind)> {
        let of = |(names, k): (Vec<&str>, &Self)| {
            let kind = k.point_kind().filter(|kind| kind.is_object())?;
            Some(names.into_iter().map(|name| (name.to_owned(), kind)).collect::<Vec<_>>())
        };
        let mut found: Vec<(String, PointKind)> = Vec::new();
        for column in self.named_columns().into_iter().filter_map(of).flatten() {
            if !found.contains(&column) {
                found.push(column);
            }
        }
        found
    }

    /// The same kernel with the columns of numbers of a table by their numbers; columns of objects
    /// keep their names.
    ///
    /// # Errors
    /// [`Error::Column`] for a name that the table does not have.
    pub(crate) fn with_mixed_names(&self, rows: &Mixed) -> Result<Self> {
        match self {
            Self::On(columns, k) => match &columns[..] {
                [ColumnRef::Name(name)] if rows.object(name).is_some() => Ok(Self::On(columns.clone(), k.clone())),
                _ => self.with_column_names(rows.names()),
            },
            other => other.map_children(&mut |k| k.with_mixed_names(rows)),
        }
    }

    /// The names of columns that stand in `on([…], …)`, with the kernel on each list.
    ///
    /// # Example
    /// ```
    /// let k: mercer::Kernel = "on([review], spectrum(length=3)) * on([price, 2], gaussian())".parse()?;
    /// let names: Vec<Vec<&str>> = k.named_columns().into_iter().map(|(names, _)| names).collect();
    /// assert_eq!(names, [vec!["review"], vec!["price"]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn named_columns(&self) -> Vec<(Vec<&str>, &Self)> {
        match self {
            Self::On(columns, k) => {
                let names = columns.iter().filter_map(|column| match column {
                    ColumnRef::Name(name) => Some(name.as_str()),
                    ColumnRef::Index(_) => None,
                });
                vec![(names.collect(), &**k)]
            }
            other => other.children().into_iter().flat_map(Self::named_columns).collect(),
        }
    }

    /// Whether every part but constants stands in `on([…], …)` with names of columns only.
    pub(crate) fn is_on_names(&self) -> bool {
        match self {
            Self::On(columns, _) => columns.iter().all(|column| matches!(column, ColumnRef::Name(_))),
            Self::Base(base) => base.constant().is_some(),
            other => other.children().into_iter().all(Self::is_on_names),
        }
    }

    fn split_scale(self) -> (Option<NonNegative>, Self) {
        match self {
            Self::Scale(a, k) => (Some(a), *k),
            other => (None, other),
        }
    }
}

fn chosen_names(columns: &[ColumnRef], names: &[String]) -> Vec<String> {
    let name = |column: &ColumnRef| match column {
        ColumnRef::Index(j) => names.get(*j).cloned().unwrap_or_default(),
        ColumnRef::Name(name) => name.clone(),
    };
    columns.iter().map(name).collect()
}

/// The first names of a list that may be long.
fn shortened(names: &[String]) -> String {
    let rest = names.len().saturating_sub(30);
    let more = if rest > 0 { format!(", … ({rest} more)") } else { String::new() };
    format!("{}{more}", names[..names.len() - rest].join(", "))
}

/// The numbers of a column; those of all its indicators for a column of categories.
fn resolve(column: &ColumnRef, names: &[String]) -> Result<Vec<ColumnRef>> {
    let ColumnRef::Name(name) = column else {
        return Ok(vec![column.clone()]);
    };
    if let Some(index) = names.iter().position(|n| n == name) {
        return Ok(vec![ColumnRef::Index(index)]);
    }
    let is_level = |n: &str| n.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('='));
    let levels = names.iter().enumerate().filter(|(_, n)| is_level(n));
    let levels: Vec<ColumnRef> = levels.map(|(index, _)| ColumnRef::Index(index)).collect();
    match levels.is_empty() {
        false => Ok(levels),
        true => {
            let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Error::column(name, ColumnProblem::Unknown { nearest, known: shortened(names) }))
        }
    }
}
