//! A fitted kernel machine on random binning features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::BinnedPlan;
use crate::features::BinningFeatures;
use crate::learn::Loss;
use crate::learn::loss::{sigmoid, softmax};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Result};

/// A fitted [`BinnedMachine`](super::BinnedMachine).
#[derive(Clone, Debug)]
pub struct BinnedFit {
    pub(super) loss: Loss,
    pub(super) lambda: f64,
    pub(super) map: BinningFeatures,
    pub(super) w: Array2<f64>,
    pub(super) b: Array1<f64>,
    pub(super) fitted: Array2<f64>,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    pub(super) plan: Option<BinnedPlan>,
    pub(super) settings: Settings,
    /// What the functions decide about, where they decide.
    pub(super) classes: Option<ClassCount>,
}

/// The classes of a classifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClassCount {
    pub(super) count: usize,
    /// Whether the functions are those of one softmax; else each is a class against the rest.
    pub(super) softmax: bool,
}

impl BinnedFit {
    /// `f(x) = z(x)ᵀw + b`, one column per output.
    ///
    /// # Errors
    /// As [`BinningFeatures::transform`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(self.map.transform(x, compute)?.multiply(self.w.view(), compute)? + &self.b)
    }

    /// The probability of every class, a column each: the softmax of the functions, or for two
    /// classes `P(y = 1) = 1/(1 + exp(−f(x)))` and the rest.
    ///
    /// # Errors
    /// [`Error::Unsupported`] unless the loss is the softmax, or the logistic one of two classes
    /// (or of the sides −1 and 1); as [`BinningFeatures::transform`].
    pub fn probabilities(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if !self.has_probabilities() {
            let what = match self.classes {
                Some(_) if self.loss == Loss::Logistic => "each class against the rest".to_owned(),
                _ => format!("the loss {}", self.loss),
            };
            return Err(Error::unsupported(
                "probabilities",
                what,
                "",
                "use the softmax, or the logistic loss for two classes",
            ));
        }
        let f = self.predict(x, compute)?;
        if self.is_softmax() {
            return Ok(softmax(&f));
        }
        let second = f.column(0).mapv(sigmoid);
        Ok(Array2::from_shape_fn((f.nrows(), 2), |(i, class)| if class == 1 { second[i] } else { 1.0 - second[i] }))
    }

    /// Whether there are probabilities.
    pub fn has_probabilities(&self) -> bool {
        self.is_softmax() || self.loss == Loss::Logistic && self.w.ncols() == 1
    }

    fn is_softmax(&self) -> bool {
        self.classes.is_some_and(|classes| classes.softmax)
    }

    /// The number of the class of every point: that of the largest function, or for one function
    /// whether it is above 0.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit of numbers; as [`BinnedFit::predict`].
    pub fn predict_classes(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<usize>> {
        if self.classes.is_none() {
            return Err(Error::unsupported("classes", "a fit of numbers", "", "fit a BinnedClassifier"));
        }
        let f = self.predict(x, compute)?;
        let largest = |row: ArrayView1<f64>| match row.len() {
            1 => usize::from(row[0] > 0.0),
            count => (1..count).fold(0, |best, c| if row[c] > row[best] { c } else { best }),
        };
        Ok(f.rows().into_iter().map(largest).collect())
    }

    /// How many classes there are; none for a fit of numbers.
    pub fn class_count(&self) -> Option<usize> {
        self.classes.map(|classes| classes.count)
    }

    /// The features.
    pub fn features(&self) -> &BinningFeatures {
        &self.map
    }

    /// What was requested.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.map.kernel()
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// `w`, one row per column of the features and one column per output.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.w.view()
    }

    /// `b` of every output; 0 when none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.b.view()
    }

    /// `f` at the points of the data; a fit from a file has none of them.
    pub fn fitted(&self) -> ArrayView2<'_, f64> {
        self.fitted.view()
    }

    /// What was minimized, at the solution.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// Iterations of conjugate gradients.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the tolerance was reached.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The plan that was made before the work; a fit from a file has none.
    pub fn plan(&self) -> Option<&BinnedPlan> {
        self.plan.as_ref()
    }
}
