//! Everything that can be fitted.

use crate::Kernel;
use crate::learn::smoother::LocalFit;
use crate::learn::spline::SplineFit;
use crate::learn::{GaussianProcessFit, RidgeFit, SparseGaussianProcessFit};

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
    /// A smoothing spline.
    Spline(SplineFit),
    /// A Nadaraya–Watson or local linear smoother.
    Local(LocalFit),
}

impl Fitted {
    /// The kind as files and reports name it: `ridge`, `gaussian_process`, `sparse_gaussian_process`, `spline`, `local`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ridge(_) => "ridge",
            Self::GaussianProcess(_) => "gaussian_process",
            Self::SparseGaussianProcess(_) => "sparse_gaussian_process",
            Self::Spline(_) => "spline",
            Self::Local(_) => "local",
        }
    }

    /// The dimension of the vectors that go in.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Ridge(fit) => fit.points().ncols(),
            Self::GaussianProcess(fit) => fit.points().ncols(),
            Self::SparseGaussianProcess(fit) => fit.inducing().ncols(),
            Self::Spline(_) => 1,
            Self::Local(fit) => fit.points().ncols(),
        }
    }

    /// How many values come out for each point.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Ridge(fit) => fit.dual_coefficients().ncols(),
            Self::GaussianProcess(_) | Self::SparseGaussianProcess(_) | Self::Spline(_) | Self::Local(_) => 1,
        }
    }

    /// The kernel, where there is one.
    pub fn kernel(&self) -> Option<&Kernel> {
        match self {
            Self::Ridge(fit) => Some(fit.kernel()),
            Self::GaussianProcess(fit) => Some(fit.kernel()),
            Self::SparseGaussianProcess(fit) => Some(fit.kernel()),
            Self::Spline(_) | Self::Local(_) => None,
        }
    }
}

impl From<RidgeFit> for Fitted {
    fn from(fit: RidgeFit) -> Self {
        Self::Ridge(fit)
    }
}

impl From<GaussianProcessFit> for Fitted {
    fn from(fit: GaussianProcessFit) -> Self {
        Self::GaussianProcess(fit)
    }
}

impl From<SparseGaussianProcessFit> for Fitted {
    fn from(fit: SparseGaussianProcessFit) -> Self {
        Self::SparseGaussianProcess(fit)
    }
}

impl From<SplineFit> for Fitted {
    fn from(fit: SplineFit) -> Self {
        Self::Spline(fit)
    }
}

impl From<LocalFit> for Fitted {
    fn from(fit: LocalFit) -> Self {
        Self::Local(fit)
    }
}
