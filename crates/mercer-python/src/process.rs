//! A Gaussian process, exact or through inducing points: one interface for both.

use mercer::learn::additive::PartialEffect;
use mercer::learn::gaussian_process::sparse::{Approximation, Inducing};
use mercer::learn::gaussian_process::{LeaveOneOutDensity, Optimization, Prediction};
use mercer::learn::{GaussianProcess, GaussianProcessFit, SparseGaussianProcess, SparseGaussianProcessFit};
use mercer::learner::{FitSize, Learner, Plan};
use mercer::model::AnyFit;
use mercer::{Compute, Error, Expansion, Kernel, Points, Result};
use ndarray::{Array1, Array2, ArrayView1};

/// What is to be fitted.
pub enum Process {
    Exact(GaussianProcess),
    Sparse(SparseGaussianProcess),
}

impl Process {
    pub fn fit(&self, x: Points<'_>, y: ArrayView1<f64>, compute: &Compute) -> Result<ProcessFit> {
        match self {
            Self::Exact(process) => process.fit(x, y, compute).map(|fit| ProcessFit::Exact(fit.into())),
            Self::Sparse(process) => process.fit(x.vectors()?, y, compute).map(|fit| ProcessFit::Sparse(fit.into())),
        }
    }

    pub fn plan(&self, x: Points<'_>, compute: &Compute) -> Result<Plan> {
        match self {
            Self::Exact(process) => process.plan_on(x, compute),
            Self::Sparse(process) => {
                let size = FitSize { views: vec![x.size()], outputs: 1, classes: 0 };
                process.plan(&size, compute)
            }
        }
    }

    pub fn kernel(&self) -> &Kernel {
        match self {
            Self::Exact(process) => &process.kernel,
            Self::Sparse(process) => &process.kernel,
        }
    }

    /// The same process seen through inducing points.
    pub fn sparse(self, inducing: Inducing, approximation: Approximation, move_inducing: bool) -> Self {
        let Self::Exact(GaussianProcess { kernel, noise, optimize, fixed, free, restarts }) = self else { return self };
        let process = SparseGaussianProcess::new(kernel, noise, inducing);
        Self::Sparse(SparseGaussianProcess { approximation, optimize, move_inducing, fixed, free, restarts, ..process })
    }
}

/// What was fitted.
pub enum ProcessFit {
    Exact(Box<GaussianProcessFit>),
    Sparse(Box<SparseGaussianProcessFit>),
}

impl ProcessFit {
    pub fn mean(&self, x: Points<'_>, compute: &Compute) -> Result<Array1<f64>> {
        match self {
            Self::Exact(fit) => fit.mean(x, compute),
            Self::Sparse(fit) => fit.predict(x.vectors()?, compute).map(|at| at.mean),
        }
    }

    pub fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Prediction> {
        match self {
            Self::Exact(fit) => fit.predict(x, compute),
            Self::Sparse(fit) => fit.predict(x.vectors()?, compute),
        }
    }

    pub fn covariance(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Exact(fit) => fit.covariance(x, compute),
            Self::Sparse(fit) => fit.covariance(x.vectors()?, compute),
        }
    }

    pub fn sample(&self, x: Points<'_>, count: usize, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Exact(fit) => fit.sample(x, count, compute),
            Self::Sparse(fit) => fit.sample(x.vectors()?, count, compute),
        }
    }

    pub fn leave_one_out(&self, compute: &Compute) -> Result<LeaveOneOutDensity> {
        match self {
            Self::Exact(fit) => fit.leave_one_out(compute),
            Self::Sparse(_) => Err(Error::unsupported(
                "leave-one-out density",
                "a process with inducing points",
                "there is no closed form",
                "use a process on all points",
            )),
        }
    }

    pub fn partial_effects(&self, resolution: usize, compute: &Compute) -> Result<Vec<PartialEffect>> {
        match self {
            Self::Exact(fit) => fit.partial_effects(resolution, compute),
            Self::Sparse(_) => {
                Err(Error::unsupported("parts", "a process with inducing points", "", "use a process on all points"))
            }
        }
    }

    /// How the posterior was found.
    pub fn method(&self) -> String {
        match self {
            Self::Exact(fit) => fit.method().to_string(),
            Self::Sparse(fit) => format!("{} inducing points", fit.inducing().nrows()),
        }
    }

    pub fn gradient(&self, compute: &Compute) -> Result<Vec<f64>> {
        match self {
            Self::Exact(fit) => fit.log_marginal_likelihood_gradient(compute),
            Self::Sparse(fit) => fit.log_marginal_likelihood_gradient(compute),
        }
    }

    pub fn function(&self, compute: &Compute) -> Result<Expansion> {
        match self {
            Self::Exact(fit) => fit.function(compute),
            Self::Sparse(fit) => fit.function(compute),
        }
    }

    pub fn kernel(&self) -> &Kernel {
        match self {
            Self::Exact(fit) => fit.kernel(),
            Self::Sparse(fit) => fit.kernel(),
        }
    }

    pub fn noise(&self) -> f64 {
        match self {
            Self::Exact(fit) => fit.noise(),
            Self::Sparse(fit) => fit.noise(),
        }
    }

    pub fn log_marginal_likelihood(&self) -> f64 {
        match self {
            Self::Exact(fit) => fit.log_marginal_likelihood(),
            Self::Sparse(fit) => fit.log_marginal_likelihood(),
        }
    }

    pub fn parameter_names(&self) -> Vec<String> {
        match self {
            Self::Exact(fit) => fit.parameter_names(),
            Self::Sparse(fit) => fit.parameter_names(),
        }
    }

    pub fn optimization(&self) -> Option<&Optimization> {
        match self {
            Self::Exact(fit) => fit.optimization(),
            Self::Sparse(fit) => fit.optimization(),
        }
    }

    /// What a model file holds.
    pub fn fitted(&self) -> AnyFit {
        match self {
            Self::Exact(fit) => fit.as_ref().clone().into(),
            Self::Sparse(fit) => fit.as_ref().clone().into(),
        }
    }

    pub fn exact(&self) -> Option<&GaussianProcessFit> {
        match self {
            Self::Exact(fit) => Some(fit),
            Self::Sparse(_) => None,
        }
    }

    pub fn sparse(&self) -> Option<&SparseGaussianProcessFit> {
        match self {
            Self::Exact(_) => None,
            Self::Sparse(fit) => Some(fit),
        }
    }
}
