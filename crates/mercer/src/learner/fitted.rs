//! What every fit can be asked.

use std::any::Any;
use std::fmt;

use ndarray::{Array1, Array2, Axis};

use super::{Facts, LearnerEntry, LeaveOneOut};
use crate::points::PointKind;
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

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

    /// The kind as files and reports name it: the name of the learner.
    pub fn kind(&self) -> &'static str {
        self.entry().name
    }

    /// What goes in as this view.
    pub fn point_kind(&self, view: usize) -> PointKind {
        self.points(view).map_or(PointKind::Vectors, |points| points.kind())
    }
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
