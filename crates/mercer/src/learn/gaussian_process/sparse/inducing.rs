//! The inducing points.

use ndarray::{Array2, ArrayView2, Axis};

use crate::gram::Pairs;
use crate::solve::{pivoted_cholesky, randomly_pivoted_cholesky};
use crate::{Compute, Error, Kernel, Result};

/// The inducing points, or how they are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Inducing {
    /// These points, one per row. They need not be rows of the data.
    Points(Array2<f64>),
    /// This many rows of the data (fewer if they span all), each the one with the largest residual
    /// variance given those before it: pivots of a Cholesky factor of `K`, the largest first.
    Greedy(usize),
    /// This many rows of the data, drawn from the seed with probabilities in proportion to the
    /// residual variance given those before: random pivots.
    Random(usize),
}

impl Inducing {
    /// The points for a kernel, whose parameters are those that the fit starts with.
    pub(super) fn choose(&self, kernel: &Kernel, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        match *self {
            Self::Points(ref points) if points.nrows() == 0 => Err(none()),
            Self::Points(ref points) => {
                kernel.bind(Pairs::between(points.view(), x.slice(ndarray::s![..1, ..])), compute)?;
                Ok(points.clone())
            }
            Self::Greedy(0) | Self::Random(0) => Err(none()),
            Self::Greedy(count) => {
                let bound = kernel.bind(Pairs::within(x), compute)?;
                rows(x, pivoted_cholesky(&bound, count, f64::EPSILON, compute)?.pivots)
            }
            Self::Random(count) => {
                let bound = kernel.bind(Pairs::within(x), compute)?;
                rows(x, randomly_pivoted_cholesky(&bound, count, f64::EPSILON, compute)?.pivots)
            }
        }
    }

    /// How many points there are at most, and the bytes that it takes to choose them.
    pub(super) fn size(&self, rows: usize) -> (usize, u64) {
        match self {
            Self::Points(points) => (points.nrows(), 0),
            Self::Greedy(count) | Self::Random(count) => {
                let count = rows.min(*count);
                (count, 8 * count as u64 * rows as u64)
            }
        }
    }
}

fn rows(x: ArrayView2<f64>, pivots: Vec<usize>) -> Result<Array2<f64>> {
    if pivots.is_empty() {
        return Err(Error::all_zero(
            "value of the kernel on the data",
            "there is no inducing point to choose; use another kernel",
        ));
    }
    Ok(x.select(Axis(0), &pivots))
}

fn none() -> Error {
    Error::parameter("inducing", 0, 1..)
}
