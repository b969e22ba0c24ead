//! Kernels on objects: the suite sees the numbers of the points.

use ndarray::{Array1, Array2, ArrayView2};

use super::{Options, Report, SingleTile, TestedKernel, check};
use crate::gram::{self, Pairs, Tiles};
use crate::kernel::Property;
use crate::{Compute, Kernel, Points, Result, Sample};

/// Tests every law on these objects.
pub(super) fn check_objects(kernel: &Kernel, points: Points<'_>, options: &Options, compute: &Compute) -> Report {
    let resolved = kernel.bind(Pairs::Within(points.reborrow()), compute).map(|bound| bound.kernel().clone());
    // Points that do not fit violate the first law.
    let numbered = Numbered { kernel: resolved.unwrap_or_else(|_| kernel.clone()), points, compute };
    let numbers = Array2::from_shape_fn((points.len(), 1), |(i, _)| i as f64);
    check(&numbered, numbers.view(), options, compute)
}

/// A kernel on a sample of objects, as one on their numbers.
struct Numbered<'p, 'c> {
    kernel: Kernel,
    points: Points<'p>,
    compute: &'c Compute,
}

impl Numbered<'_, '_> {
    fn chosen<'n>(&self, numbers: impl IntoIterator<Item = &'n f64>) -> Sample {
        let numbers: Vec<usize> = numbers.into_iter().map(|&number| number as usize).collect();
        Sample::select(self.points.reborrow(), &numbers)
    }

    fn value_of(&self, kernel: &Kernel, x: &[f64], y: &[f64]) -> Result<f64> {
        let (x, y) = (self.chosen(x), self.chosen(y));
        let bound = kernel.bind(Pairs::Between(x.as_points(), y.as_points()), self.compute)?;
        let mut value = [0.0];
        bound.fill(0..1, 0..1, &mut value);
        Ok(value[0])
    }
}

impl TestedKernel for Numbered<'_, '_> {
    fn name(&self) -> String {
        self.kernel.to_string()
    }

    fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        self.value_of(&self.kernel, x, y)
    }

    fn matrix(&self, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        let (x, y) = (self.chosen(x), y.map(|y| self.chosen(y)));
        let pairs = match &y {
            Some(y) => Pairs::Between(x.as_points(), y.as_points()),
            None => Pairs::Within(x.as_points()),
        };
        gram::dense(&self.kernel.bind(pairs, compute)?, compute).map(Some)
    }

    fn diagonal(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Array1<f64>>> {
        self.kernel.bind(Pairs::Within(self.chosen(x).as_points()), compute)?.diagonal().map(Some)
    }

    fn single(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<SingleTile>> {
        let x = self.chosen(x);
        let bound = self.kernel.bind(Pairs::Within(x.as_points()), compute)?;
        let Some(error) = bound.single_error() else { return Ok(None) };
        Ok(Some(SingleTile { values: gram::dense_single(&bound, compute)?, error }))
    }

    fn parameters(&self) -> Vec<f64> {
        self.kernel.parameters().into_iter().map(|p| p.value).collect()
    }

    fn derivative(&self, parameter: usize, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        let x = self.chosen(x);
        self.kernel.bind(Pairs::Within(x.as_points()), compute)?.derivative(parameter, compute).map(Some)
    }

    fn contracted(&self, g: ArrayView2<f64>, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Vec<f64>>> {
        let x = self.chosen(x);
        self.kernel.bind(Pairs::Within(x.as_points()), compute)?.contract_derivatives(g, compute).map(Some)
    }

    fn difference(&self, parameter: usize, h: f64, x: &[f64], y: &[f64]) -> Result<Option<f64>> {
        let moved = |step: f64| {
            let mut values = self.parameters();
            values[parameter] += step;
            self.kernel.with_parameters(&values)
        };
        let (Ok(up), Ok(down)) = (moved(h), moved(-h)) else { return Ok(None) };
        Ok(Some(self.value_of(&up, x, y)? - self.value_of(&down, x, y)?))
    }

    fn keeps_its_text(&self) -> Option<bool> {
        self.kernel.keeps_its_text()
    }

    fn claims(&self, property: Property, _columns: usize) -> bool {
        // Objects cannot be shifted.
        property != Property::ShiftInvariant && self.kernel.property(property).is_proven()
    }

    fn bound(&self) -> Option<f64> {
        self.kernel.bound().filter(|bound| bound.is_finite())
    }
}
