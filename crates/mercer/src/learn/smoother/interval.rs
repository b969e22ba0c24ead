//! Standard errors of local smoothers.

use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

use super::LocalFit;
use super::local::Degree;
use super::positions::Neighbor;
use crate::error::Remedy;
use crate::{Compute, Error, Result};

impl LocalFit {
    /// The estimate of the noise variance; none where the smoother interpolates.
    ///
    /// # Formula
    /// `Σ rᵢ²/(n − 2 tr S + tr SSᵀ)`: unbiased where the smoother has no bias.
    ///
    /// # Cost
    /// As a prediction at every observation.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    ///
    /// # Example
    /// ```
    /// use mercer::learn::smoother::{Bandwidth, LocalWeight, NadarayaWatson};
    /// use mercer::Compute;
    /// use ndarray::array;
    /// // A bandwidth so large that the mean is taken: n − 1 degrees of freedom are left.
    /// let spec = NadarayaWatson { bandwidth: Bandwidth::Fixed(10.0), weights: LocalWeight::Uniform };
    /// let fit = spec.fit(array![[0.0], [1.0], [2.0]].view(), array![1.0, 2.0, 3.0].view(), &Compute::new())?;
    /// mercer::assert_close!(fit.variance(&Compute::new())?.unwrap(), 1.0, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn variance(&self, compute: &Compute) -> Result<Option<f64>> {
        let n = self.y.len() as f64;
        let squares = self.squared_weights(self.positions.x.view(), compute)?;
        let left = n - 2.0 * self.leverages.sum() + squares.sum();
        let residuals = self.residuals();
        Ok((left > 1e-9 * n).then(|| residuals.dot(&residuals) / left))
    }

    /// Standard errors of `f` at each row of `x`: `σ ‖l(x)‖` with `f(x) = Σ lᵢ(x)yᵢ` and `σ²` from
    /// [`LocalFit::variance`]. The bias of the smoother is not in them.
    ///
    /// # Errors
    /// As [`LocalFit::predict`], and [`Error::Undetermined`] when the smoother interpolates, which
    /// leaves no estimate of the noise.
    pub fn standard_errors(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        let Some(variance) = self.variance(compute)? else {
            return Err(Error::undetermined(
                "the noise variance",
                "the smoother interpolates",
                Remedy::larger("bandwidth"),
            ));
        };
        // Refuses positions without neighbors, by name.
        self.predict(x, compute)?;
        Ok(self.squared_weights(x, compute)?.mapv(|s| (variance * s).sqrt()))
    }

    /// `‖l(x)‖²` at each row of `x`.
    fn squared_weights(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        let one = |near: &mut Vec<Neighbor>, i: usize| {
            compute.check_canceled()?;
            self.positions.around(x.row(i), self.bandwidth, self.weights, None, near);
            let from = |row: usize| self.positions.x[[row, 0]] - x[[i, 0]];
            Ok(self.degree.squared_weights(near, from))
        };
        let rows = (0..x.nrows()).into_par_iter().with_min_len(32);
        Ok(compute.install(|| rows.map_init(Vec::new, one).collect::<Result<Vec<f64>>>())?.into())
    }
}

impl Degree {
    /// `Σ lᵢ²` with `lᵢ = wᵢ/Σw` for a mean and `lᵢ = wᵢ/Σw − x̄wᵢ(xᵢ − x̄)/Σw(xᵢ − x̄)²` for a
    /// line, `xᵢ` counted from the position.
    fn squared_weights(self, near: &[Neighbor], from: impl Fn(usize) -> f64) -> f64 {
        let total: f64 = near.iter().map(|n| n.weight).sum();
        if self == Self::Mean {
            return near.iter().map(|n| (n.weight / total).powi(2)).sum();
        }
        let mean = near.iter().map(|n| n.weight * from(n.row)).sum::<f64>() / total;
        let spread: f64 = near.iter().map(|n| n.weight * (from(n.row) - mean).powi(2)).sum();
        near.iter().map(|n| (n.weight * (1.0 / total - mean * (from(n.row) - mean) / spread)).powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bandwidth, LocalLinear, LocalWeight, NadarayaWatson};
    use super::*;
    use ndarray::{Array1, array};

    /// The weights `l(x)` are the derivatives of the prediction by the observations.
    #[test]
    fn squared_weights_are_those_of_the_prediction() {
        let x = array![[0.0], [0.7], [1.1], [2.0], [2.4]];
        let at = array![[0.4], [2.9]];
        let compute = Compute::new();
        let bandwidth = Bandwidth::Fixed(0.8);
        let fits = |y: &Array1<f64>| {
            let mean = NadarayaWatson { bandwidth, weights: LocalWeight::Gaussian };
            let line = LocalLinear { bandwidth, weights: LocalWeight::Gaussian };
            [mean.fit(x.view(), y.view(), &compute).unwrap(), line.fit(x.view(), y.view(), &compute).unwrap()]
        };
        for kind in 0..2 {
            let found = fits(&Array1::zeros(5))[kind].squared_weights(at.view(), &compute).unwrap();
            for row in 0..2 {
                let unit = |i: usize| fits(&Array1::from_shape_fn(5, |j| f64::from(u8::from(i == j))));
                let expected: f64 =
                    (0..5).map(|i| unit(i)[kind].predict(at.view(), &compute).unwrap()[row].powi(2)).sum();
                assert_close!(found[row], expected, abs = 1e-12, "{} is not {expected}", found[row]);
            }
        }
    }
}
