//! The result of a streamed logistic regression.

use ndarray::{Array2, ArrayView1, ArrayView2, s};

use super::stream::Functions;
use crate::features::{DrawnFeatures, FeatureMap};
use crate::learn::loss::{sigmoid, softmax};
use crate::settings::Settings;
use crate::{Compute, Kernel, Result};

/// Rows whose features are held at a time while predictions are made. Any few thousand would do.
const ROWS: usize = 4096;

/// A fitted [`StreamedLogistic`](super::StreamedLogistic).
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedLogisticFit {
    pub(super) features: DrawnFeatures,
    pub(super) functions: Functions,
    pub(super) classes: usize,
    pub(super) lambda: f64,
    pub(super) objective: f64,
    pub(super) decrease: f64,
    pub(super) converged: bool,
    pub(super) passes: usize,
    pub(super) rows: u64,
    pub(crate) settings: Settings,
}

impl StreamedLogisticFit {
    /// The settings of the fit.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// `f(x)` for every row of `x`: one column for two classes (the log-odds of class 1), one per
    /// class for more.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn decision(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut values = Array2::zeros((x.nrows(), self.functions.constants.len()));
        for start in (0..x.nrows().max(1)).step_by(ROWS) {
            let rows = s![start..x.nrows().min(start + ROWS), ..];
            let z = self.features.transform(x.slice(rows), compute)?;
            values.slice_mut(rows).assign(&self.functions.at(z.view()));
        }
        Ok(values)
    }

    /// `P(c | x)` for every row of `x`, one column per class.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn probabilities(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let f = self.decision(x, compute)?;
        if self.classes > 2 {
            return Ok(softmax(&f));
        }
        Ok(Array2::from_shape_fn((f.nrows(), 2), |(i, c)| sigmoid(if c == 1 { f[[i, 0]] } else { -f[[i, 0]] })))
    }

    /// The most probable class of every row of `x`, the first of equals.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<usize>> {
        let first_largest = |row: ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::NEG_INFINITY), |m, (c, &p)| if p > m.1 { (c, p) } else { m }).0
        };
        Ok(self.probabilities(x, compute)?.rows().into_iter().map(first_largest).collect())
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.features.kernel()
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }

    /// `w`, one row per feature, one column per function.
    pub fn weights(&self) -> ArrayView2<'_, f64> {
        self.functions.weights.view()
    }

    /// `b` of every function; 0 where none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.functions.constants.view()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The objective in the last pass.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// What the last step promises to take from it.
    pub fn decrease(&self) -> f64 {
        self.decrease
    }

    /// Whether the tolerance was reached.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The passes over the rows.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The rows of a pass.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}
