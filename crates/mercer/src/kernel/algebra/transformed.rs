//! Space transformations `k(s(x), s(y))`.

use crate::error::AllowedRange;
use crate::kernel::prelude::*;

/// The map `s` of a space transformation.
#[derive(Clone, Debug, PartialEq)]
pub enum PointMap {
    /// `ln(1 + xⱼ)` in each column; needs `xⱼ > −1`.
    Log1p,
    /// `√xⱼ` in each column; needs `xⱼ ≥ 0`.
    Sqrt,
    /// `xⱼ²` in each column.
    Square,
    /// `|xⱼ|` in each column.
    Abs,
    /// `x/‖x‖`; 0 stays 0.
    Unit,
    /// `Ax`.
    Matrix(PointList),
}

/// A non-empty list of rows of equal length, all finite.
#[derive(Clone, Debug, PartialEq)]
pub struct PointList(Vec<Vec<f64>>);

impl PointList {
    /// # Errors
    /// [`Error::Parameter`] unless there is at least one row, none is empty, all have one length
    /// and are finite.
    pub fn new(name: &str, rows: Vec<Vec<f64>>) -> Result<Self> {
        let width = rows.first().map_or(0, Vec::len);
        let fits = width > 0 && rows.iter().all(|r| r.len() == width && r.iter().all(|v| v.is_finite()));
        if fits {
            Ok(Self(rows))
        } else {
            let shape = format!("a list of {} rows", rows.len());
            Err(Error::parameter(name, shape, "a list of rows of one length, all finite, such as [[0, 1], [2, 3]]"))
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.0
    }

    /// The length of every row.
    pub fn width(&self) -> usize {
        self.0[0].len()
    }

    pub(crate) fn text(&self) -> String {
        format!("[{}]", self.0.iter().map(|r| list_text(r)).collect::<Vec<_>>().join(", "))
    }
}

impl PointMap {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Log1p => "log1p()".into(),
            Self::Sqrt => "sqrt()".into(),
            Self::Square => "square()".into(),
            Self::Abs => "abs()".into(),
            Self::Unit => "unit()".into(),
            Self::Matrix(rows) => format!("matrix({})", rows.text()),
        }
    }

    /// `s(x)`.
    pub(crate) fn apply<N: Real>(&self, x: &[N]) -> Vec<N> {
        let each = |f: fn(N) -> N| x.iter().map(|&v| f(v)).collect();
        match self {
            Self::Log1p => each(N::ln_1p),
            Self::Sqrt => each(N::sqrt),
            Self::Square => each(N::squared),
            Self::Abs => each(N::abs),
            Self::Unit => unit(x),
            Self::Matrix(rows) => rows.rows().iter().map(|row| dot(row, x)).collect(),
        }
    }

    /// The number of columns after the map.
    pub(crate) fn columns(&self, before: usize) -> usize {
        if let Self::Matrix(rows) = self { rows.rows().len() } else { before }
    }

    /// Why a coordinate may not go through the map, if it may not.
    pub(crate) fn range(&self) -> AllowedRange {
        match self {
            Self::Log1p => AllowedRange::above(-1.0),
            Self::Sqrt => AllowedRange::NON_NEGATIVE,
            _ => AllowedRange::LINE,
        }
    }

    pub(crate) fn check_columns(&self, columns: usize) -> Result<()> {
        match self {
            Self::Matrix(rows) if rows.width() != columns => {
                Err(Error::shape("columns for transformed(…, by=matrix(…))", rows.width(), columns))
            }
            _ => Ok(()),
        }
    }

    fn read(arguments: &mut Arguments<'_>) -> Result<Self> {
        let expected = "log1p(), sqrt(), square(), abs(), unit() and matrix([[…], …])";
        let Some(piece) = arguments.named("by")? else {
            return Err(arguments.refuse(format!("transformed needs by=…, one of {expected}")));
        };
        let (name, inner) = arguments.call_of("by", piece, expected)?;
        inner.build(|inner| match name {
            "log1p" => Ok(Self::Log1p),
            "sqrt" => Ok(Self::Sqrt),
            "square" => Ok(Self::Square),
            "abs" => Ok(Self::Abs),
            "unit" => Ok(Self::Unit),
            "matrix" => {
                let piece = inner.unnamed("a list of rows")?;
                Ok(Self::Matrix(PointList::new("matrix", inner.as_matrix("matrix", piece)?)?))
            }
            _ => Err(inner.refuse(format!("by must be one of {expected}"))),
        })
    }
}

fn unit<N: Real>(x: &[N]) -> Vec<N> {
    let norm = x.iter().fold(N::zero(), |sum, &v| sum + v * v).sqrt();
    if norm.value() > 0.0 { x.iter().map(|&v| v / norm).collect() } else { x.to_vec() }
}

fn dot<N: Real>(row: &[f64], x: &[N]) -> N {
    row.iter().zip(x).fold(N::zero(), |sum, (&a, &v)| sum + N::from_f64(a) * v)
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "transformed",
    family: Family::Algebra,
    formula: "k(s(x), s(y))",
    domain: Domain::Inherited,
    parameters: &[
        KERNEL,
        ParameterEntry {
            name: "by",
            default: None,
            range: "log1p(), sqrt(), square(), abs(), unit(), matrix([[…], …])",
            meaning: "s: a map of each column, x/‖x‖, or Ax",
        },
    ],
    theory: "A Gram matrix at s(x₁), …, s(xₙ): keeps positive semi-definiteness for every s.",
    cost: "that of k",
    examples: &[
        "transformed(gaussian(lengthscale=1), by=unit())",
        "transformed(linear(), by=matrix([[1, 0, 1], [0, 2, 0]]))",
        "transformed(laplacian(lengthscale=1), by=abs())",
        "transformed(gaussian(), by=square())",
    ],
    build: |arguments| {
        let map = PointMap::read(arguments)?;
        Ok(Kernel::Transformed(map, Box::new(arguments.kernel()?)))
    },
};
