//! What every fit can be asked.

use std::any::Any;
use std::fmt;

use ndarray::{Array1, Array2, Axis, Zip};

use super::{Facts, LearnerEntry, LeaveOneOut};
use crate::error::AllowedRange;
use crate::points::PointKind;
use crate::real::special::normal_quantile;
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Predictions with an interval around each, one column per target.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The predictions.
    pub mean: Array2<f64>,
    /// The lower ends.
    pub lower: Array2<f64>,
    /// The upper ends.
    pub upper: Array2<f64>,
}

impl Interval {
    /// `mean ± z·deviation` with `z` the normal quantile of `(1 + level)/2`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level outside `(0, 1)`, [`Error::Shape`] for other numbers of
    /// deviations than means.
    ///
    /// # Example
    /// ```
    /// use mercer::learner::Interval;
    /// use ndarray::array;
    /// let interval = Interval::normal(array![[1.0]], array![[2.0]], 0.95)?;
    /// mercer::assert_close!(interval.upper[[0, 0]], 1.0 + 2.0 * 1.959963984540054, abs = 1e-13);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn normal(mean: Array2<f64>, deviation: Array2<f64>, level: f64) -> Result<Self> {
        check_level(level)?;
        if mean.dim() != deviation.dim() {
            return Err(Error::shape("standard deviations", mean.len(), deviation.len()));
        }
        let half = deviation * normal_quantile(0.5 + 0.5 * level);
        let (lower, upper) = (&mean - &half, &mean + &half);
        Ok(Self { mean, lower, upper })
    }

    /// Intervals between two ends in either order: a negative scale of a target turns them around.
    pub(crate) fn between(mean: Array2<f64>, one: Array2<f64>, other: Array2<f64>) -> Self {
        let lower = Zip::from(&one).and(&other).map_collect(|a, b| if a > b { *b } else { *a });
        let upper = Zip::from(&one).and(&other).map_collect(|a, b| if a > b { *a } else { *b });
        Self { mean, lower, upper }
    }
}

/// A fit, whatever the learner.
///
/// What a fit does not have is refused by the default of its method, or is absent. The typed fits
/// (`RidgeFit`, `KernelPcaFit`) have methods of their own beside these:
/// [`downcast_ref`](trait.Fitted.html#method.downcast_ref) gives them back.
pub trait Fitted: Any + fmt::Debug + Send + Sync {
    /// The declaration of the learner.
    fn entry(&self) -> &'static LearnerEntry;

    /// What was requested, by name; empty for a fit from a file of a version that did not keep it.
    fn settings(&self) -> &Settings;

    /// What there is to report.
    fn facts(&self) -> Facts<'_>;

    /// The record of a file, without kind and settings.
    #[doc(hidden)]
    fn to_record(&self) -> Record;

    /// The kernel, where there is one; for several views that of the first.
    fn kernel(&self) -> Option<&Kernel> {
        None
    }

    /// How many samples of points go in.
    fn views(&self) -> usize {
        1
    }

    /// The points of a view that the fit keeps, where they may be objects.
    fn points(&self, view: usize) -> Option<Points<'_>>;

    /// The dimension of the vectors that go in as this view.
    fn dimension(&self, view: usize) -> usize {
        self.points(view).map_or(0, |points| points.columns())
    }

    /// How many targets were fitted; 0 without targets.
    fn targets(&self) -> usize;

    /// How many numbers come out for each point.
    fn outputs(&self) -> usize {
        self.targets()
    }

    /// The names of the numbers that come out, where they are not those of the targets.
    fn output_names(&self) -> Option<Vec<String>> {
        None
    }

    /// The names of the classes if the fit stores them.
    fn class_names(&self) -> Option<Vec<String>> {
        None
    }

    /// What [`Goal`](super::Goal) says, for every point of a view: numbers, the class, 1 or −1, the
    /// cluster, or coordinates.
    ///
    /// # Errors
    /// As the typed fit.
    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>>;

    /// The coordinates of points of a view.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit without coordinates; as the typed fit.
    fn transform(&self, view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let _ = (view, x, compute);
        Err(unsupported(self.entry(), "coordinates", "fit a view: pca, cca, ica, kmeans, scaling"))
    }

    /// The number of the class of every point.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit without classes; as the typed fit.
    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        let _ = (x, compute);
        Err(unsupported(self.entry(), "classes", "fit a classifier"))
    }

    /// Whether [`Fitted::probabilities`] gives some.
    fn has_probabilities(&self) -> bool {
        false
    }

    /// The probability of every class, a column each.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit without probabilities; as the typed fit.
    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let _ = (x, compute);
        Err(unsupported(self.entry(), "classes", "fit a classifier"))
    }

    /// The decision values: a column that is positive for the second of two classes, or for points
    /// inside; or a column per class.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit that decides nothing; as the typed fit.
    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let _ = (x, compute);
        Err(unsupported(self.entry(), "classes", "fit a classifier"))
    }

    /// Mean and standard deviation of a new observation, a column per target.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit without intervals; as the typed fit.
    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let _ = (x, compute);
        Err(unsupported(
            self.entry(),
            "intervals",
            "use a Gaussian process, ridge regression, a spline or a local smoother",
        ))
    }

    /// The leave-one-out predictions in closed form, for fits that are linear in their targets;
    /// `None` for others.
    ///
    /// # Errors
    /// [`Error::Memory`] and [`Error::Singular`], as the factor that they need.
    fn leave_one_out(&self, compute: &Compute) -> Result<Option<Box<dyn LeaveOneOut>>> {
        let _ = compute;
        Ok(None)
    }

    /// The weights `wᵢ` of the [points](Fitted::points) in the function `f = Σ wᵢ k(·, xᵢ) + b` of a
    /// target, or in the decision for a class (larger means that class); `None` for fits that are no
    /// such sum, and for an output that does not exist.
    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        let _ = output;
        None
    }

    /// How far every point is from what the fit describes: large is novel.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit that does not measure it; as the typed fit.
    fn novelty(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        let _ = (x, compute);
        Err(unsupported(self.entry(), "novelty scores", "fit kernel principal components or a one-class machine"))
    }
}

impl dyn Fitted {
    /// The typed fit, if it is of this type.
    pub fn downcast_ref<T: Fitted>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// Predictions with intervals that hold a new observation with probability `level`: `mean ± z·s` with
    /// the [moments](Fitted::moments) and `z` the normal quantile of `(1 + level)/2`, in the units of
    /// the fit.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level outside `(0, 1)`; as [`Fitted::moments`].
    pub fn interval(&self, x: Points<'_>, level: f64, compute: &Compute) -> Result<Interval> {
        check_level(level)?;
        let (mean, deviation) = self.moments(x, compute)?;
        Interval::normal(mean, deviation, level)
    }

    /// The kind as files and reports name it: the name of the learner.
    pub fn kind(&self) -> &'static str {
        self.entry().name
    }

    /// What goes in as this view.
    pub fn point_kind(&self, view: usize) -> PointKind {
        self.points(view).map_or(PointKind::Vectors, |points| points.kind())
    }
}

fn check_level(level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT))
}

/// A fit of this learner does not have it.
pub(crate) fn unsupported(entry: &LearnerEntry, what: &str, remedy: &str) -> Error {
    Error::unsupported(what, format!("a model of the kind {}", entry.name), "", remedy)
}

/// A column of values.
pub(crate) fn column(values: Array1<f64>) -> Array2<f64> {
    values.insert_axis(Axis(1))
}

/// In an implementation of [`Fitted`]: the entry, and settings and record as the type has them.
macro_rules! declared {
    ($entry:expr) => {
        fn entry(&self) -> &'static $crate::learner::LearnerEntry {
            &$entry
        }

        fn settings(&self) -> &$crate::settings::Settings {
            Self::settings(self)
        }

        fn to_record(&self) -> $crate::record::Record {
            Self::to_record(self)
        }
    };
}
pub(crate) use declared;

/// In an implementation of [`Fitted`]: the kernel and the points of the only view, as the type has
/// them.
macro_rules! on_kernel {
    () => {
        fn kernel(&self) -> Option<&$crate::Kernel> {
            Some(Self::kernel(self))
        }

        fn points(&self, _view: usize) -> Option<$crate::Points<'_>> {
            Some(Self::points(self))
        }
    };
}
pub(crate) use on_kernel;

/// In an implementation of [`Fitted`]: the kernel and the columns of a fit on explicit features,
/// which keeps no points.
macro_rules! on_features {
    () => {
        fn kernel(&self) -> Option<&$crate::Kernel> {
            Some(Self::kernel(self))
        }

        fn points(&self, _view: usize) -> Option<$crate::Points<'_>> {
            None
        }

        fn dimension(&self, _view: usize) -> usize {
            self.features().columns()
        }
    };
}
pub(crate) use on_features;
