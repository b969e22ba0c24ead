//! Classification on random binning features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::fit::ClassCount;
use super::{BinnedFit, BinnedMachine};
use crate::features::RandomBinning;
use crate::learn::Loss;
use crate::learn::loss::LossTerm;
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// The loss of a classifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClassLoss {
    /// A smooth loss of the sides −1 and 1: each class against the rest, one function for two
    /// classes.
    Sides(Loss),
    /// `−log softmax(f(x))_y` over one function per class: probabilities by construction.
    Softmax,
}

impl ClassLoss {
    /// The loss by its word: `softmax`, or a loss of two sides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word, or a loss that is not of two sides.
    pub fn named(text: &str) -> Result<Self> {
        if text == "softmax" {
            return Ok(Self::Softmax);
        }
        match text.parse()? {
            loss @ (Loss::Squared | Loss::SquaredHinge | Loss::Logistic) => Ok(Self::Sides(loss)),
            _ => Err(Error::parameter("loss", text, "squared, squared_hinge, logistic or softmax")),
        }
    }
}

impl std::fmt::Display for ClassLoss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sides(loss) => loss.fmt(f),
            Self::Softmax => f.write_str("softmax"),
        }
    }
}

/// Classification with random binning features.
///
/// # Formula
/// `min −Σ vᵢ log softmax(f(xᵢ))_{yᵢ} + λ Σ_c ‖w_c‖²` over `f_c(x) = z(x)ᵀw_c + b_c`, or for each
/// class against the rest the problem of [`BinnedMachine`] with the sides −1 and 1.
///
/// # Example
/// ```
/// use mercer::{Compute, features::RandomBinning, learn::{BinnedClassifier, ClassLoss}};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 100.0);
/// let classes: Vec<usize> = (0..300).map(|i| i / 100).collect();
/// let grids = RandomBinning::new("laplacian(norm=l1)".parse()?, 100);
/// let spec = BinnedClassifier::new(grids, ClassLoss::Softmax, 0.01);
/// let fit = spec.fit(x.view(), &classes, 3, None, &compute)?;
/// let new = ndarray::array![[0.5], [1.5], [2.5]];
/// assert_eq!(fit.predict_classes(new.view(), &compute)?, [0, 1, 2]);
/// mercer::assert_close!(fit.probabilities(new.view(), &compute)?.row(0).sum(), 1.0, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BinnedClassifier {
    /// The kernel and its grids.
    pub grids: RandomBinning,
    /// The loss.
    pub loss: ClassLoss,
    /// `λ > 0`, which multiplies the squared norms beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// Whether to fit unpenalized intercepts.
    pub intercept: bool,
    /// As [`BinnedMachine::tolerance`].
    pub tolerance: f64,
    /// As [`BinnedMachine::max_iterations`].
    pub max_iterations: usize,
}

impl BinnedClassifier {
    /// With intercepts, and the tolerance of [`BinnedMachine::new`].
    pub fn new(grids: RandomBinning, loss: ClassLoss, lambda: f64) -> Self {
        let BinnedMachine { grids, lambda, intercept, tolerance, max_iterations, .. } =
            BinnedMachine::new(grids, lambda);
        Self { grids, loss, lambda, intercept, tolerance, max_iterations }
    }

    /// The machine of the functions.
    pub(super) fn machine(&self) -> BinnedMachine {
        BinnedMachine {
            grids: self.grids.clone(),
            loss: if let ClassLoss::Sides(loss) = self.loss { loss } else { Loss::Logistic },
            lambda: self.lambda,
            intercept: self.intercept,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        }
    }

    /// The settings by name, as those of [`BinnedMachine::settings`].
    pub fn settings(&self) -> Settings {
        self.machine().settings().with("loss", self.loss.to_string())
    }

    /// One function for two classes, one per class for more and for the softmax.
    pub fn functions(&self, classes: usize) -> usize {
        if classes == 2 && self.loss != ClassLoss::Softmax { 1 } else { classes }
    }

    /// Fits the classes `0, 1, …, count − 1` of the points.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two classes or a number that is none of them; as
    /// [`BinnedMachine::fit`].
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        classes: &[usize],
        count: usize,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<BinnedFit> {
        if count < 2 {
            return Err(Error::parameter("classes", count, 2..));
        }
        if let Some(class) = classes.iter().find(|class| **class >= count) {
            return Err(Error::parameter("class", class, ..count));
        }
        let machine = self.machine();
        let functions = self.functions(count);
        let of = |function: usize| if functions == 1 { 1 } else { function };
        let sides =
            Array2::from_shape_fn(
                (classes.len(), functions),
                |(i, function)| {
                    if classes[i] == of(function) { 1.0 } else { -1.0 }
                },
            );
        let softmax = self.loss == ClassLoss::Softmax;
        let mut fit = if softmax {
            let weights: Array1<f64> = machine.check(x, sides.view(), weights)?;
            machine.fit_terms(x, &[LossTerm::of_classes(classes, count, weights)], compute)?
        } else {
            machine.fit(x, sides.view(), weights, compute)?
        };
        debug_assert_eq!(fit.w.len_of(Axis(1)), functions);
        fit.settings = self.settings().with("seed", compute.seed());
        fit.classes = Some(ClassCount { count, softmax });
        Ok(fit)
    }
}
