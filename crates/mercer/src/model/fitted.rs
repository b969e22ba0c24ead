//! The enum of all fits.

use crate::Kernel;
use crate::features::FeatureMap;
use crate::learn::smoother::LocalFit;
use crate::learn::spline::SplineFit;
use crate::learn::svm::{OneClassFit, SvcFit, SvrFit};
use crate::learn::{
    GaussianProcessFit, KernelMachineFit, LogisticFit, QuantileCurvesFit, RidgeFit, SharedGaussianProcessFit,
    SparseGaussianProcessFit, StreamedRidgeFit,
};
use crate::points::{PointKind, Points};
use crate::settings::Settings;

/// What was fitted: one variant per learner.
// A program holds few models and seldom moves them: a box would only be in the way.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fitted {
    /// Kernel ridge regression.
    Ridge(RidgeFit),
    /// A Gaussian process.
    GaussianProcess(GaussianProcessFit),
    /// A Gaussian process through inducing points.
    SparseGaussianProcess(SparseGaussianProcessFit),
    /// Gaussian processes of several targets with one kernel.
    SharedGaussianProcess(SharedGaussianProcessFit),
    /// A smoothing spline.
    Spline(SplineFit),
    /// A Nadaraya–Watson or local linear smoother.
    Local(LocalFit),
    /// Support vector classification.
    Svc(SvcFit),
    /// Support vector regression.
    Svr(SvrFit),
    /// The support of a distribution.
    OneClass(OneClassFit),
    /// Kernel logistic regression.
    Logistic(LogisticFit),
    /// A regularized loss.
    KernelMachine(KernelMachineFit),
    /// Quantile curves that do not cross.
    Quantiles(QuantileCurvesFit),
    /// Ridge regression on explicit features.
    StreamedRidge(StreamedRidgeFit),
}

impl Fitted {
    /// The kind as files and reports name it: `ridge`, `gaussian_process`,
    /// `sparse_gaussian_process`, `shared_gaussian_process`, `spline`, `local`, `svc`, `svr`,
    /// `one_class`, `logistic`, `kernel_machine`, `quantiles`, `streamed_ridge`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ridge(_) => "ridge",
            Self::GaussianProcess(_) => "gaussian_process",
            Self::SparseGaussianProcess(_) => "sparse_gaussian_process",
            Self::SharedGaussianProcess(_) => "shared_gaussian_process",
            Self::Spline(_) => "spline",
            Self::Local(_) => "local",
            Self::Svc(_) => "svc",
            Self::Svr(_) => "svr",
            Self::OneClass(_) => "one_class",
            Self::Logistic(_) => "logistic",
            Self::KernelMachine(_) => "kernel_machine",
            Self::Quantiles(_) => "quantiles",
            Self::StreamedRidge(_) => "streamed_ridge",
        }
    }

    /// The points that it was fitted on, or the support vectors among them, where it keeps points
    /// that may be objects.
    pub fn points(&self) -> Option<Points<'_>> {
        match self {
            Self::Ridge(fit) => Some(fit.points()),
            Self::GaussianProcess(fit) => Some(fit.points()),
            Self::SharedGaussianProcess(fit) => Some(fit.points()),
            Self::Svc(fit) => Some(fit.support_vectors()),
            Self::Svr(fit) => Some(fit.support_vectors()),
            Self::OneClass(fit) => Some(fit.support_vectors()),
            Self::Logistic(fit) => Some(fit.points()),
            Self::KernelMachine(fit) => Some(fit.points()),
            Self::Quantiles(fit) => fit.fits().first().map(KernelMachineFit::points),
            Self::SparseGaussianProcess(_) | Self::Spline(_) | Self::Local(_) | Self::StreamedRidge(_) => None,
        }
    }

    /// What goes in.
    pub fn point_kind(&self) -> PointKind {
        self.points().map_or(PointKind::Vectors, |points| points.kind())
    }

    /// The dimension of the vectors that go in.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Ridge(fit) => fit.points().columns(),
            Self::GaussianProcess(fit) => fit.points().columns(),
            Self::SparseGaussianProcess(fit) => fit.inducing().ncols(),
            Self::SharedGaussianProcess(fit) => fit.points().columns(),
            Self::Spline(_) => 1,
            Self::Local(fit) => fit.points().ncols(),
            Self::Svc(fit) => fit.columns(),
            Self::Svr(fit) => fit.columns(),
            Self::OneClass(fit) => fit.columns(),
            Self::Logistic(fit) => fit.points().columns(),
            Self::KernelMachine(fit) => fit.points().columns(),
            Self::Quantiles(fit) => fit.fits().first().map_or(0, |f| f.points().columns()),
            Self::StreamedRidge(fit) => fit.features().columns(),
        }
    }

    /// How many values come out for each point.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Quantiles(fit) => fit.levels().len(),
            other => other.targets(),
        }
    }

    /// How many targets were fitted: as many as outputs, but for the quantiles of one target.
    pub fn targets(&self) -> usize {
        match self {
            Self::Ridge(fit) => fit.dual_coefficients().ncols(),
            Self::SharedGaussianProcess(fit) => fit.targets().ncols(),
            Self::StreamedRidge(fit) => fit.weights().ncols(),
            _ => 1,
        }
    }

    /// The names of the classes if the fit stores them.
    pub(super) fn class_names(&self) -> Option<Vec<String>> {
        match self {
            Self::Svc(fit) => Some(fit.names().to_vec()),
            Self::Logistic(fit) => Some((0..fit.classes()).map(|c| c.to_string()).collect()),
            Self::KernelMachine(fit) if fit.loss().is_classification() => Some(vec!["-1".into(), "1".into()]),
            _ => None,
        }
    }

    /// What was requested, by name; empty for a fit from a file of a version that did not keep it.
    pub fn settings(&self) -> &Settings {
        match self {
            Self::Ridge(fit) => fit.settings(),
            Self::GaussianProcess(fit) => fit.settings(),
            Self::SparseGaussianProcess(fit) => fit.settings(),
            Self::SharedGaussianProcess(fit) => fit.settings(),
            Self::Spline(fit) => fit.settings(),
            Self::Local(fit) => fit.settings(),
            Self::Svc(fit) => fit.settings(),
            Self::Svr(fit) => fit.settings(),
            Self::OneClass(fit) => fit.settings(),
            Self::Logistic(fit) => fit.settings(),
            Self::KernelMachine(fit) => fit.settings(),
            Self::Quantiles(fit) => fit.settings(),
            Self::StreamedRidge(fit) => fit.settings(),
        }
    }

    /// The same with the settings of a file.
    pub(super) fn with_settings(mut self, settings: Settings) -> Self {
        *(match &mut self {
            Self::Ridge(fit) => &mut fit.settings,
            Self::GaussianProcess(fit) => &mut fit.settings,
            Self::SparseGaussianProcess(fit) => &mut fit.settings,
            Self::SharedGaussianProcess(fit) => &mut fit.settings,
            Self::Spline(fit) => &mut fit.settings,
            Self::Local(fit) => &mut fit.settings,
            Self::Svc(fit) => &mut fit.settings,
            Self::Svr(fit) => &mut fit.settings,
            Self::OneClass(fit) => &mut fit.settings,
            Self::Logistic(fit) => &mut fit.settings,
            Self::KernelMachine(fit) => &mut fit.settings,
            Self::Quantiles(fit) => &mut fit.settings,
            Self::StreamedRidge(fit) => &mut fit.settings,
        }) = settings;
        self
    }

    /// The kernel, where there is one.
    pub fn kernel(&self) -> Option<&Kernel> {
        match self {
            Self::Ridge(fit) => Some(fit.kernel()),
            Self::GaussianProcess(fit) => Some(fit.kernel()),
            Self::SparseGaussianProcess(fit) => Some(fit.kernel()),
            Self::SharedGaussianProcess(fit) => Some(fit.kernel()),
            Self::Svc(fit) => Some(fit.kernel()),
            Self::Svr(fit) => Some(fit.kernel()),
            Self::OneClass(fit) => Some(fit.kernel()),
            Self::Logistic(fit) => Some(fit.kernel()),
            Self::KernelMachine(fit) => Some(fit.kernel()),
            Self::Quantiles(fit) => fit.fits().first().map(KernelMachineFit::kernel),
            Self::StreamedRidge(fit) => Some(fit.kernel()),
            Self::Spline(_) | Self::Local(_) => None,
        }
    }
}

/// Every fit can be put into a model.
macro_rules! from_fits {
    ($($variant:ident($fit:ty)),* $(,)?) => {
        $(impl From<$fit> for Fitted {
            fn from(fit: $fit) -> Self {
                Self::$variant(fit)
            }
        })*
    };
}

from_fits!(
    Ridge(RidgeFit),
    GaussianProcess(GaussianProcessFit),
    SparseGaussianProcess(SparseGaussianProcessFit),
    SharedGaussianProcess(SharedGaussianProcessFit),
    Spline(SplineFit),
    Local(LocalFit),
    Svc(SvcFit),
    Svr(SvrFit),
    OneClass(OneClassFit),
    Logistic(LogisticFit),
    KernelMachine(KernelMachineFit),
    Quantiles(QuantileCurvesFit),
    StreamedRidge(StreamedRidgeFit),
);
