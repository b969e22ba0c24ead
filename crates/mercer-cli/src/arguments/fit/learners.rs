//! The words of each learner.

use clap::{Args, ValueEnum};
use mercer::learn::gaussian_process::sparse::Approximation;
use mercer::learn::ridge::RidgeSolver;
use mercer::learn::smoother::LocalWeight;
use mercer::select::Criterion;

use super::super::common::positive;
use super::centers::CenterWords;
use super::numbers::{criterion, non_negative, positive_number};
use super::{FitData, StreamWords};

/// The words of `mercer fit ridge`.
#[derive(Debug, Args)]
pub struct RidgeArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "gaussian(lengthscale=2)", or auto: gaussian and Matérn kernels are tried
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// λ, which multiplies ‖f‖² beside the sum of squares (default: chosen)
    #[arg(long, value_name = "L", value_parser = non_negative, allow_negative_numbers = true, conflicts_with = "lambdas")]
    pub lambda: Option<f64>,
    /// The λ to choose from (default: 19 from 1e-6 to 1e3, and more where the best is at an end)
    #[arg(long, value_name = "L,…", value_delimiter = ',', value_parser = non_negative, allow_negative_numbers = true)]
    pub lambdas: Vec<f64>,
    /// The lengthscales to choose from (default with --kernel auto: 7 around the median distance, and more where the best is at an end)
    #[arg(long, value_name = "S,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lengthscales: Vec<f64>,
    /// What makes a model better: loo, gcv, or a number of folds
    #[arg(long, value_name = "loo|gcv|K", value_parser = criterion, default_value = "loo")]
    pub cv: Criterion,
    /// Score every candidate on all rows, also those that are clearly worse on a third of them
    #[arg(long)]
    pub no_screening: bool,
    /// Fit an unpenalized constant too (the default with --kernel auto)
    #[arg(long, conflicts_with = "no_intercept")]
    pub intercept: bool,
    /// Fit no constant (the default with a given kernel)
    #[arg(long)]
    pub no_intercept: bool,
    /// A column of weights, at least 0: a row of weight 2 counts as two rows
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// How the system is solved
    #[arg(long, value_enum, value_name = "SOLVER", default_value = "auto")]
    pub solver: SolverWord,
    /// The centers.
    #[command(flatten)]
    pub centers: CenterWords,
    /// At most this many rows, drawn from the seed, enter the choice; the fit takes all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1500")]
    pub sample: usize,
    /// How DATA is read in chunks.
    #[command(flatten)]
    pub stream: StreamWords,
}

impl RidgeArguments {
    /// The kernel's text, where one is given.
    pub fn explicit_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// Whether a constant is fitted: as asked for, or when the kernel is chosen.
    pub fn with_intercept(&self) -> bool {
        self.intercept || (!self.no_intercept && self.explicit_kernel().is_none())
    }
}

/// Solvers by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverWord {
    /// As the plan says
    Auto,
    /// A Cholesky factor
    Cholesky,
    /// A Cholesky factor in single precision, refined to double
    Mixed,
    /// Along one column, in linear time, for kernels of Markov processes
    StateSpace,
    /// An eigendecomposition
    Eigen,
    /// Conjugate gradients, without storing the matrix
    Cg,
    /// Functions on a few centers: an approximation, for many rows
    Centers,
}

impl From<SolverWord> for RidgeSolver {
    fn from(word: SolverWord) -> Self {
        match word {
            SolverWord::Auto => Self::Auto,
            SolverWord::Cholesky => Self::Cholesky,
            SolverWord::Mixed => Self::Mixed,
            SolverWord::StateSpace => Self::StateSpace,
            SolverWord::Eigen => Self::Eigen,
            SolverWord::Cg => Self::ConjugateGradients,
            SolverWord::Centers => Self::Centers,
        }
    }
}

/// The words of `mercer fit gp`.
#[derive(Debug, Args)]
pub struct GpArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "1*gaussian(lengthscale=2)", or auto: gaussian and Matérn kernels are tried
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// The variance of the noise, where the optimization starts
    #[arg(long, value_name = "S2", value_parser = non_negative, allow_negative_numbers = true, default_value = "0.1")]
    pub noise: f64,
    /// Take the parameters and the noise as they are given
    #[arg(long)]
    pub no_optimize: bool,
    /// How many more times the optimization starts, from random points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub restarts: usize,
    /// Parameters that stay as they are, by the names in the report, such as noise
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub fixed: Vec<String>,
    /// Choices of smoothness that move too, such as nu of Matérn kernels (otherwise they stay as given)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub free: Vec<String>,
    /// What is done to the target before the fit (default: standard with --kernel auto, none with a given kernel)
    #[arg(long, value_enum, value_name = "RULE")]
    pub target_scale: Option<TargetScale>,
    /// See the data through this many inducing points, in linear time: an approximation, said so in the report
    #[arg(long, value_name = "M", value_parser = positive)]
    pub centers: Option<usize>,
    /// What the inducing points do
    #[arg(long, value_enum, value_name = "NAME", default_value = "variational", requires = "centers")]
    pub approximation: ApproximationWord,
    /// At most this many rows, drawn from the seed, enter the choice of parameters; the fit takes all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1000")]
    pub sample: usize,
}

impl GpArguments {
    /// The kernel's text, where one is given.
    pub fn explicit_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// What is done to the target.
    pub fn target_scale(&self) -> TargetScale {
        let default = if self.explicit_kernel().is_some() { TargetScale::None } else { TargetScale::Standard };
        self.target_scale.unwrap_or(default)
    }
}

/// Approximations by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApproximationWord {
    /// The subset of regressors
    Sor,
    /// The deterministic training conditional
    Dtc,
    /// The fully independent training conditional
    Fitc,
    /// The variational bound
    Variational,
}

impl From<ApproximationWord> for Approximation {
    fn from(word: ApproximationWord) -> Self {
        match word {
            ApproximationWord::Sor => Self::Sor,
            ApproximationWord::Dtc => Self::Dtc,
            ApproximationWord::Fitc => Self::Fitc,
            ApproximationWord::Variational => Self::Variational,
        }
    }
}

/// Rules for the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetScale {
    /// Mean 0 and standard deviation 1
    Standard,
    /// Mean 0
    Center,
    /// As it is
    None,
}

/// The words of `mercer fit spline`.
#[derive(Debug, Args)]
pub struct SplineArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The order of the derivative in the penalty: 1, 2 (cubic) or 3 (quintic)
    #[arg(long, value_name = "1|2|3", default_value_t = 2)]
    pub order: usize,
    /// How λ is chosen
    #[arg(long, value_enum, value_name = "RULE", default_value = "gcv")]
    pub smoothing: SmoothingWord,
    /// λ itself, on the scale of x as given, beside the sum of squares
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "df")]
    pub lambda: Option<f64>,
    /// The degrees of freedom that the spline should have
    #[arg(long, value_name = "DF", value_parser = positive_number, allow_negative_numbers = true)]
    pub df: Option<f64>,
    /// The period, for periodic splines
    #[arg(long, value_name = "P", value_parser = positive_number, allow_negative_numbers = true)]
    pub period: Option<f64>,
    /// A column of weights, at least 0
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// Rules for λ of a spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SmoothingWord {
    /// The least generalized cross-validation
    Gcv,
    /// The largest restricted likelihood
    Reml,
}

/// The words of `mercer fit smooth`.
#[derive(Debug, Args)]
pub struct SmoothArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// What is fitted around each place (default: lines for one column, means for several)
    #[arg(long, value_enum, value_name = "METHOD")]
    pub method: Option<SmoothMethod>,
    /// The bandwidth (default: of least leave-one-out error)
    #[arg(long, value_name = "H", value_parser = positive_number, allow_negative_numbers = true)]
    pub bandwidth: Option<f64>,
    /// How weights fall with distance
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "gaussian")]
    pub window: Window,
    /// Show Nadaraya–Watson, local lines and kernel ridge on the same data (one column)
    #[arg(long)]
    pub compare: bool,
}

/// Local smoothers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SmoothMethod {
    /// Weighted means
    NadarayaWatson,
    /// Weighted lines, for one column
    LocalLinear,
}

/// Weights of local smoothers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Window {
    /// exp(−u²/2)
    Gaussian,
    /// (1 − u²)₊
    Epanechnikov,
    /// (1 − u²)₊²
    Biweight,
    /// (1 − u³)₊³
    Tricube,
    /// 1 up to the bandwidth
    Uniform,
}

impl From<Window> for LocalWeight {
    fn from(window: Window) -> Self {
        match window {
            Window::Gaussian => Self::Gaussian,
            Window::Epanechnikov => Self::Epanechnikov,
            Window::Biweight => Self::Biweight,
            Window::Tricube => Self::Tricube,
            Window::Uniform => Self::Uniform,
        }
    }
}

/// The words of `mercer fit auto`.
#[derive(Debug, Args)]
pub struct AutoArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// What makes a model better: loo, gcv, or a number of folds
    #[arg(long, value_name = "loo|gcv|K", value_parser = criterion, default_value = "loo")]
    pub cv: Criterion,
    /// Score every candidate on all rows, also those that are clearly worse on a third of them
    #[arg(long)]
    pub no_screening: bool,
    /// At most this many rows, drawn from the seed, enter the choice; the fit takes all (default: 1000 for numbers, 4000 for classes)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<usize>,
    /// What the target is (default: classes where it is texts, numbers otherwise)
    #[arg(long, value_enum, value_name = "classes|numbers")]
    pub task: Option<TaskWord>,
    /// Leave-one-out residuals also for many rows, where they take most of the time
    #[arg(long)]
    pub diagnostics: bool,
}

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TaskWord {
    /// Names, also where they are written as numbers
    Classes,
    /// Numbers
    Numbers,
}
