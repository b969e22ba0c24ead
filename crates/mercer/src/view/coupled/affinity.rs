//! Which points of the two modes belong together.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::neighbors::neighbor_weights;
use crate::error::{AllowedRange, Requirement};
use crate::gram::Tiles;
use crate::{Compute, Error, Points, Result};

/// How the weights `W` of the pairs of a low and a high point are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Affinity {
    /// `Wᵢⱼ = 1` where the labels are equal, else 0; not normalized, so that a large class counts
    /// more.
    #[default]
    Class,
    /// Low point `i` and high point `i` are two modes of one object: `W = I`.
    Pairs,
    /// Paired points as in [`Affinity::Pairs`], and objects near to each other are coupled too.
    ///
    /// `Wᵢⱼ = exp(−d²ᵢⱼ/(2t))` if `j` is among the `k` nearest objects of `i`, or `i` among those of
    /// `j`, and `Wᵢᵢ = 1`; else 0. `d²ᵢⱼ = k(yᵢ, yᵢ) − 2k(yᵢ, yⱼ) + k(yⱼ, yⱼ)` is the squared
    /// distance of the high points in the space of their kernel, and `t` its mean over these pairs.
    Neighbors {
        /// How many neighbors each object has, at least 1.
        k: usize,
    },
    /// `W` is part of the data: [`Coupling::weights`].
    Given,
}

impl Affinity {
    /// The word in settings: `class`, `pairs`, `neighbors`, `given`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Pairs => "pairs",
            Self::Neighbors { .. } => "neighbors",
            Self::Given => "given",
        }
    }
}

/// What is known of the points of a fit beside the points: labels of both modes, or weights of the
/// pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coupling<'a> {
    /// The class of every low and of every high point, for [`Affinity::Class`].
    pub labels: Option<(&'a [usize], &'a [usize])>,
    /// `W`, a row for every low and a column for every high point, for [`Affinity::Given`].
    pub weights: Option<ArrayView2<'a, f64>>,
}

impl<'a> Coupling<'a> {
    /// Nothing: for pairs and neighbors.
    pub fn none() -> Self {
        Self::default()
    }

    /// The class of every low and of every high point.
    pub fn labels(low: &'a [usize], high: &'a [usize]) -> Self {
        Self { labels: Some((low, high)), weights: None }
    }

    /// `W`, a row for every low and a column for every high point.
    pub fn weights(weights: ArrayView2<'a, f64>) -> Self {
        Self { labels: None, weights: Some(weights) }
    }
}

/// `W` in the form in which products with it are cheap.
pub(super) enum Weights<'a> {
    /// The number of the class of every low and high point, and how many classes there are.
    Classes {
        low: Vec<usize>,
        high: Vec<usize>,
        count: usize,
    },
    Identity(usize),
    /// The entries of every row that are not 0, with their columns.
    Sparse(Vec<Vec<(usize, f64)>>),
    Dense(ArrayView2<'a, f64>),
}

impl<'a> Weights<'a> {
    /// The weights of a fit, checked.
    pub(super) fn new(
        affinity: Affinity,
        coupling: &Coupling<'a>,
        (low, high): (usize, usize),
        high_values: &dyn Tiles,
        compute: &Compute,
    ) -> Result<Self> {
        if coupling.weights.is_some() && affinity != Affinity::Given {
            let instead = "choose the affinity `given`, or leave the weights out";
            return Err(Error::unsupported("weights of pairs", format!("affinity {}", affinity.name()), "", instead));
        }
        let weights = match affinity {
            Affinity::Class => Self::classes(coupling, low, high)?,
            Affinity::Pairs => Self::Identity(paired(low, high)?),
            Affinity::Neighbors { k } => Self::Sparse(neighbor_weights(high_values, paired(low, high)?, k, compute)?),
            Affinity::Given => Self::given(coupling, low, high)?,
        };
        weights.check_degrees(coupling)?;
        Ok(weights)
    }

    fn classes(coupling: &Coupling<'_>, low: usize, high: usize) -> Result<Self> {
        let Some((of_low, of_high)) = coupling.labels else {
            let instead = "give the labels of both modes, or choose another affinity";
            return Err(Error::unsupported("affinity class", "points without labels", "", instead));
        };
        for (what, found, expected) in [("low", of_low.len(), low), ("high", of_high.len(), high)] {
            if found != expected {
                return Err(Error::shape(&format!("labels of the {what} points"), expected, found));
            }
        }
        let mut numbers = BTreeMap::new();
        of_low.iter().chain(of_high).for_each(|&label| {
            let next = numbers.len();
            numbers.entry(label).or_insert(next);
        });
        let numbered = |labels: &[usize]| labels.iter().map(|label| numbers[label]).collect();
        Ok(Self::Classes { low: numbered(of_low), high: numbered(of_high), count: numbers.len() })
    }

    fn given(coupling: &Coupling<'a>, low: usize, high: usize) -> Result<Self> {
        let Some(weights) = coupling.weights else {
            let instead = "give a matrix with a row for every low and a column for every high point";
            return Err(Error::unsupported("affinity given", "points without weights of pairs", "", instead));
        };
        if weights.dim() != (low, high) {
            let found = format!("{} × {}", weights.nrows(), weights.ncols());
            return Err(Error::shape("affinity of low and high points", format!("{low} × {high}"), found));
        }
        Points::Vectors(weights).check_finite("affinity")?;
        match weights.indexed_iter().find(|(_, w)| **w < 0.0) {
            None => Ok(Self::Dense(weights)),
            Some((at, value)) => {
                Err(Error::value("affinity", at, value, Requirement::Range(AllowedRange::NON_NEGATIVE)))
            }
        }
    }

    /// Every point of both modes has a partner, and no sum overflows.
    fn check_degrees(&self, coupling: &Coupling<'_>) -> Result<()> {
        let labels = coupling.labels.filter(|_| matches!(self, Self::Classes { .. }));
        let (low, high) = self.degrees();
        let sides = [("low", low, labels.map(|of| of.0)), ("high", high, labels.map(|of| of.1))];
        for (side, degrees, labels) in sides {
            if !degrees.iter().all(|d| d.is_finite()) {
                return Err(Error::overflow("a sum of the affinity", "scale it down"));
            }
            if let Some(lone) = degrees.iter().position(|d| *d == 0.0) {
                let class = labels.map_or(String::new(), |labels| format!(" (class {})", labels[lone]));
                let what = format!("affinity of {side} point {lone}{class} with the points of the other mode");
                return Err(Error::all_zero(what, "leave the point out, or give it a partner"));
            }
        }
        Ok(())
    }

    /// The sums of the rows and of the columns of `W`.
    pub(super) fn degrees(&self) -> (Array1<f64>, Array1<f64>) {
        match self {
            Self::Classes { low, high, count } => {
                let sizes = |of: &[usize]| {
                    let mut sizes = vec![0.0; *count];
                    of.iter().for_each(|&c| sizes[c] += 1.0);
                    sizes
                };
                let (of_low, of_high) = (sizes(low), sizes(high));
                let degrees = |of: &[usize], sizes: &[f64]| of.iter().map(|&c| sizes[c]).collect();
                (degrees(low, &of_high), degrees(high, &of_low))
            }
            Self::Identity(n) => (Array1::ones(*n), Array1::ones(*n)),
            Self::Sparse(rows) => {
                let mut columns = Array1::zeros(rows.len());
                rows.iter().flatten().for_each(|&(j, w)| columns[j] += w);
                (rows.iter().map(|row| row.iter().map(|(_, w)| w).sum()).collect(), columns)
            }
            Self::Dense(weights) => (weights.sum_axis(Axis(1)), weights.sum_axis(Axis(0))),
        }
    }

    /// `WV`, for a row of `V` per high point.
    pub(super) fn times(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Classes { low, high, count } => {
                let mut sums = Array2::zeros((*count, v.ncols()));
                high.iter().zip(v.rows()).for_each(|(&c, row)| sums.row_mut(c).scaled_add(1.0, &row));
                Ok(sums.select(Axis(0), low))
            }
            Self::Identity(_) => Ok(v.to_owned()),
            Self::Sparse(rows) => {
                let mut out = Array2::zeros(v.dim());
                for (mut sum, row) in out.rows_mut().into_iter().zip(rows) {
                    row.iter().for_each(|&(j, w)| sum.scaled_add(w, &v.row(j)));
                }
                Ok(out)
            }
            Self::Dense(weights) => crate::operator::products::multiply(*weights, v, compute),
        }
    }
}

/// The number of objects, when both modes have the same.
fn paired(low: usize, high: usize) -> Result<usize> {
    if low == high {
        return Ok(low);
    }
    Err(Error::shape("high points", format!("one per low point ({low})"), high))
}
