//! Kernels of the language, with everything that the tile engine gives.

use ndarray::{Array1, Array2, ArrayView2};

use super::{SingleTile, TestedKernel};
use crate::gram::{self, Pairs};
use crate::kernel::Property;
use crate::real::Real;
use crate::{Compute, Kernel, Result};

impl TestedKernel for Kernel {
    fn name(&self) -> String {
        self.to_string()
    }

    fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        self.evaluate(x, y)
    }

    fn matrix(&self, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        let pairs = y.map_or(Pairs::within(x), |y| Pairs::between(x, y));
        gram::dense(&self.bind(pairs, compute)?, compute).map(Some)
    }

    fn diagonal(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Array1<f64>>> {
        self.bind(Pairs::within(x), compute)?.diagonal().map(Some)
    }

    fn single(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<SingleTile>> {
        let bound = self.bind(Pairs::within(x), compute)?;
        let Some(error) = bound.single_error() else { return Ok(None) };
        Ok(Some(SingleTile { values: gram::dense_single(&bound, compute)?, error }))
    }

    fn parameters(&self) -> Vec<f64> {
        Self::parameters(self).into_iter().map(|p| p.value).collect()
    }

    fn derivative(&self, parameter: usize, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        self.bind(Pairs::within(x), compute)?.derivative(parameter, compute).map(Some)
    }

    fn contracted(&self, g: ArrayView2<f64>, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Vec<f64>>> {
        self.bind(Pairs::within(x), compute)?.contract_derivatives(g, compute).map(Some)
    }

    /// With 31 digits, so that nothing cancels.
    fn difference(&self, parameter: usize, h: f64, x: &[f64], y: &[f64]) -> Result<Option<f64>> {
        let moved = |step: f64| {
            let mut values = TestedKernel::parameters(self);
            values[parameter] += step;
            self.with_parameters(&values)
        };
        let (Ok(up), Ok(down)) = (moved(h), moved(-h)) else { return Ok(None) };
        Ok(Some((up.evaluate_precisely(x, y)? - down.evaluate_precisely(x, y)?).value()))
    }

    fn keeps_its_text(&self) -> Option<bool> {
        Some(self.to_string().parse::<Self>().is_ok_and(|again| again == *self))
    }

    fn claims(&self, property: Property, columns: usize) -> bool {
        self.property_on(property, columns).is_proven()
    }

    fn bound(&self) -> Option<f64> {
        Self::bound(self).filter(|bound| bound.is_finite())
    }
}
