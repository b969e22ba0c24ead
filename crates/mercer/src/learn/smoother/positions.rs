//! The observations around a position.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::LocalWeight;

/// Beyond this `u²` a Gaussian weight is 0 in `f64`.
const GAUSSIAN_REACH: f64 = 1500.0;

/// The positions of the observations; on a line also their order, so that a neighborhood is a
/// range.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    pub x: Array2<f64>,
    /// Sorted positions with their rows, for one column.
    line: Option<(Vec<f64>, Vec<usize>)>,
}

/// An observation with its weight at a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbor {
    pub row: usize,
    pub weight: f64,
}

impl Positions {
    pub fn new(x: ArrayView2<f64>) -> Self {
        let line = (x.ncols() == 1).then(|| {
            let mut order: Vec<usize> = (0..x.nrows()).collect();
            order.sort_by(|&a, &b| x[[a, 0]].total_cmp(&x[[b, 0]]));
            (order.iter().map(|&i| x[[i, 0]]).collect(), order)
        });
        Self { x: x.to_owned(), line }
    }

    /// The length of the diagonal of the box around the observations.
    pub fn diameter(&self) -> f64 {
        let span = |column: ArrayView1<f64>| {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            column.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low
        };
        self.x.columns().into_iter().map(|c| span(c).powi(2)).sum::<f64>().sqrt()
    }

    /// The observations of positive weight at `t`, without the row `except`.
    ///
    /// Gaussian weights are divided by the largest of them, so that some weight is 1 however far
    /// `t` is.
    pub fn around(
        &self,
        t: ArrayView1<f64>,
        bandwidth: f64,
        weight: LocalWeight,
        except: Option<usize>,
        out: &mut Vec<Neighbor>,
    ) {
        out.clear();
        let square =
            |row: usize| self.x.row(row).iter().zip(t).map(|(a, b)| ((a - b) / bandwidth).powi(2)).sum::<f64>();
        let nearest = if weight == LocalWeight::Gaussian { self.nearest(t, except, &square) } else { 0.0 };
        let reach = if weight == LocalWeight::Gaussian { (nearest + GAUSSIAN_REACH).sqrt() } else { 1.0 };
        let mut push = |row: usize| {
            let u2 = square(row);
            let value =
                if weight == LocalWeight::Gaussian { (-0.5 * (u2 - nearest)).exp() } else { weight.value(u2.sqrt()) };
            if value > 0.0 && Some(row) != except {
                out.push(Neighbor { row, weight: value });
            }
        };
        match &self.line {
            Some((sorted, order)) => {
                // A little wider than the reach, so that rounding drops no neighbor: the weight
                // decides.
                let radius = reach * bandwidth * (1.0 + 1e-12);
                let first = sorted.partition_point(|&v| v < t[0] - radius);
                let last = sorted.partition_point(|&v| v <= t[0] + radius);
                order[first..last].iter().for_each(|&row| push(row));
            }
            None => (0..self.x.nrows()).for_each(push),
        }
    }

    /// The smallest squared distance in bandwidths; 0 if there is no other observation.
    fn nearest(&self, t: ArrayView1<f64>, except: Option<usize>, square: &dyn Fn(usize) -> f64) -> f64 {
        let smallest = |rows: &mut dyn Iterator<Item = usize>| {
            rows.filter(|&row| Some(row) != except).map(square).fold(f64::INFINITY, f64::min)
        };
        let found = match &self.line {
            Some((sorted, order)) => {
                let at = sorted.partition_point(|&v| v < t[0]);
                // Two on each side: one of them may be the row that is left out.
                smallest(&mut order[at.saturating_sub(2)..order.len().min(at + 2)].iter().copied())
            }
            None => smallest(&mut (0..self.x.nrows())),
        };
        if found.is_finite() { found } else { 0.0 }
    }
}
