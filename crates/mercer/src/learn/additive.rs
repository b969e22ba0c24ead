//! The components of an additive model: `f = f₁ + … + f_p` for a kernel `k₁ + … + k_p`, each as an
//! effect of the columns that it depends on.
//!
//! [`RidgeFit::partial_effects`](crate::learn::RidgeFit::partial_effects) and
//! [`GaussianProcessFit::partial_effects`](crate::learn::GaussianProcessFit::partial_effects) give
//! them as plain data, to print or to plot.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::conditional::Conditional;
use crate::function::Component;
use crate::gram::{self, Pairs};
use crate::{Compute, Error, Expansion, Kernel, Result};

/// A part of a fitted function, centered over the data.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialEffect {
    /// The kernel of the part.
    pub kernel: Kernel,
    /// The columns that it depends on, ascending.
    pub columns: Vec<usize>,
    /// `‖fⱼ‖²/Σ‖fᵢ‖²`; the shares add up to 1.
    pub norm_share: f64,
    /// The share of the variance of `f` over the data, `cov(fⱼ, f)/var f`: they add up to 1 too,
    /// and one may be negative where parts work against each other.
    pub variance_share: f64,
    /// The mean of the part over the data, which was taken away from all values.
    pub mean: f64,
    /// The centered part at the data.
    pub at_data: Array1<f64>,
    /// The centered part over the range of the data, for a part of one or two columns.
    pub grid: Option<EffectGrid>,
}

/// A centered part on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectGrid {
    /// The positions along every column of the effect.
    pub axes: Vec<Array1<f64>>,
    /// The values: row `i` belongs to place `i` of the first axis, column `j` to place `j` of the
    /// second (one column where there is one axis).
    pub values: Array2<f64>,
    /// The standard error of every value.
    pub standard_errors: Array2<f64>,
}

impl EffectGrid {
    /// The values `factor` standard errors below and above the effect.
    pub fn band(&self, factor: f64) -> (Array2<f64>, Array2<f64>) {
        let half = &self.standard_errors * factor;
        (&self.values - &half, &self.values + &half)
    }
}

/// What the components describe.
pub(super) struct Additive<'a> {
    /// `f`.
    pub(super) function: Expansion,
    /// The data.
    pub(super) points: ArrayView2<'a, f64>,
    pub(super) conditional: &'a Conditional,
    /// The variance of the process, in units of its kernel.
    pub(super) scale: f64,
    /// Positions along every axis.
    pub(super) resolution: usize,
}

impl Additive<'_> {
    pub(super) fn effects(&self, compute: &Compute) -> Result<Vec<PartialEffect>> {
        if self.resolution < 2 {
            return Err(Error::parameter("resolution", self.resolution, 2..));
        }
        let components = self.function.components(compute)?;
        let values = components.iter().map(|c| c.function.evaluate(self.points, compute));
        let values = values.collect::<Result<Vec<_>>>()?;
        let total = centered(&values.iter().fold(Array1::zeros(self.points.nrows()), |sum, v| sum + v)).1;
        let variance = total.dot(&total);
        let part = |(component, values): (Component, Array1<f64>)| {
            let (mean, at_data) = centered(&values);
            let kernel = component.function.kernel().clone();
            let columns = kernel.used_columns(self.points.ncols());
            let grid = match columns.len() {
                1 | 2 => Some(self.grid(&component.function, &columns, mean, compute)?),
                _ => None,
            };
            let variance_share = if variance > 0.0 { at_data.dot(&total) / variance } else { 0.0 };
            let norm_share = component.share;
            Ok(PartialEffect { kernel, columns, norm_share, variance_share, mean, at_data, grid })
        };
        components.into_iter().zip(values).map(part).collect()
    }

    fn grid(&self, part: &Expansion, columns: &[usize], mean: f64, compute: &Compute) -> Result<EffectGrid> {
        let axes: Vec<Array1<f64>> = columns.iter().map(|&c| self.axis(c)).collect();
        let shape = (axes[0].len(), axes.get(1).map_or(1, Array1::len));
        let x = self.positions(columns, &axes, shape);
        let values = part.evaluate(x.view(), compute)? - mean;
        let errors = self.standard_errors(part.kernel(), x.view(), compute)?;
        let arrange = |v: Array1<f64>| v.into_shape_with_order(shape).expect("one value for every place");
        Ok(EffectGrid { axes, values: arrange(values), standard_errors: arrange(errors) })
    }

    /// Evenly spaced positions over the range of a column.
    fn axis(&self, column: usize) -> Array1<f64> {
        let values = self.points.index_axis(Axis(1), column);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let share = |i: usize| i as f64 / (self.resolution - 1) as f64;
        // Both ends exactly, so that no place leaves a domain that holds the data.
        Array1::from_shape_fn(self.resolution, |i| low * (1.0 - share(i)) + high * share(i))
    }

    /// The points of the grid; the columns that do not matter are those of the first point of the
    /// data.
    fn positions(&self, columns: &[usize], axes: &[Array1<f64>], (rows, positions): (usize, usize)) -> Array2<f64> {
        let first = self.points.row(0);
        Array2::from_shape_fn((rows * positions, self.points.ncols()), |(t, c)| {
            match columns.iter().position(|column| *column == c) {
                Some(0) => axes[0][t / positions],
                Some(_) => axes[1][t % positions],
                None => first[c],
            }
        })
    }

    /// The posterior of `fⱼ(x) − Σᵢ fⱼ(xᵢ)/n`: that of the kernel centered over the data.
    fn standard_errors(&self, kernel: &Kernel, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        let n = self.points.nrows();
        let within = kernel.bind(Pairs::within(self.points), compute)?;
        let means = gram::multiply(&within, Array2::from_elem((n, 1), 1.0 / n as f64).view(), compute)?;
        let cross = gram::dense(&kernel.bind(Pairs::between(self.points, x), compute)?, compute)?;
        let with_mean = cross.sum_axis(Axis(0)) / n as f64;
        let prior = kernel.bind(Pairs::within(x), compute)?.diagonal()?;
        let before = prior - with_mean * 2.0 + means.sum() / n as f64;
        let none = Array2::zeros((x.nrows(), self.conditional.functions()));
        let variance = self.conditional.variance(before.view(), cross - &means, none.view(), compute)?;
        Ok(variance.mapv(|v| (v * self.scale).sqrt()))
    }
}

/// The mean, and what is left without it.
fn centered(values: &Array1<f64>) -> (f64, Array1<f64>) {
    let mean = values.sum() / values.len() as f64;
    (mean, values - mean)
}
