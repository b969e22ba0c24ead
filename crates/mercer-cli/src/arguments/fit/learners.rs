//! Arguments of each learner.

use clap::{Args, ValueEnum};
use mercer::learn::gaussian_process::sparse::{Approximation, Inducing};
use mercer::learn::ridge::RidgeSolver;
use mercer::learn::smoother::LocalWeight;
use mercer::select::Criterion;

use super::super::common::positive;
use super::centers::CenterWords;
use super::numbers::{criterion, non_negative, positive_number};
use super::{FitData, PartWords, StreamWords};

/// Arguments of `mercer fit ridge`.
#[derive(Debug, Args)]
pub struct RidgeArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "gaussian(lengthscale=2)", or auto: compares Gaussian and Matérn kernels
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// λ, the factor of ‖f‖² in Σ(y − f)² + λ‖f‖² (default: selected)
    #[arg(long, value_name = "L", value_parser = non_negative, allow_negative_numbers = true, conflicts_with = "lambdas")]
    pub lambda: Option<f64>,
    /// Candidates for λ (default: 19 from 1e-6 to 1e3, extended where the best is at an end)
    #[arg(long, value_name = "L,…", value_delimiter = ',', value_parser = non_negative, allow_negative_numbers = true)]
    pub lambdas: Vec<f64>,
    /// Candidate lengthscales (default with --kernel auto: 7 around the median distance, extended
    /// where the best is at an end)
    #[arg(long, value_name = "S,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lengthscales: Vec<f64>,
    /// Selection criterion: loo, gcv, or a number of folds
    #[arg(long, value_name = "loo|gcv|K", value_parser = criterion, default_value = "loo")]
    pub cv: Criterion,
    /// Disable screening: score every candidate on all rows, also those that are clearly worse on a
    /// third of them
    #[arg(long)]
    pub no_screening: bool,
    /// Fit an intercept (the default with --kernel auto)
    #[arg(long, conflicts_with = "no_intercept")]
    pub intercept: bool,
    /// Fit no intercept (the default with an explicit kernel)
    #[arg(long)]
    pub no_intercept: bool,
    /// Column of nonnegative sample weights: a row of weight 2 counts as two rows
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// Solver
    #[arg(long, value_enum, value_name = "SOLVER", default_value = "auto")]
    pub solver: SolverWord,
    /// Error of the fitted values, relative to the residuals, at which the solver mixed stops
    /// [default: rounding]
    #[arg(long, value_name = "TOL", value_parser = non_negative, allow_negative_numbers = true)]
    pub tol: Option<f64>,
    /// Accept a kernel that is not positive semi-definite
    #[arg(long)]
    pub indefinite: bool,
    /// Do not compute leave-one-out residuals and degrees of freedom: about half of the time of a
    /// fit
    #[arg(long)]
    pub no_diagnostics: bool,
    /// The centers.
    #[command(flatten)]
    pub centers: CenterWords,
    /// Maximum number of rows, a random sample, used for selection; the final fit uses all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1500")]
    pub sample: usize,
    /// Options of reading DATA in chunks.
    #[command(flatten)]
    pub stream: StreamWords,
    /// A part of a fit that several machines share.
    #[command(flatten)]
    pub parts: PartWords,
}

impl RidgeArguments {
    /// The text of an explicit kernel.
    pub fn explicit_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// Whether an intercept is fitted: as requested, or when the kernel is selected.
    pub fn with_intercept(&self) -> bool {
        self.intercept || (!self.no_intercept && self.explicit_kernel().is_none())
    }
}

/// Solvers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverWord {
    /// Chosen by the plan
    Auto,
    /// A Cholesky factor
    Cholesky,
    /// A Cholesky factor in single precision with iterative refinement
    Mixed,
    /// State space along one column, in linear time, for Markov kernels
    StateSpace,
    /// The features of a kernel with finitely many, such as linear
    FiniteRank,
    /// Equal rows merged
    DistinctPoints,
    /// Fourier transforms or Kronecker products, for points on a grid
    Grid,
    /// An eigendecomposition
    Eigen,
    /// Conjugate gradients, without storing the matrix
    Cg,
    /// Explicit features of kernels that count parts of strings or graphs
    Features,
    /// Few centers: an approximation for large data
    Centers,
}

impl From<SolverWord> for RidgeSolver {
    fn from(word: SolverWord) -> Self {
        match word {
            SolverWord::Auto => Self::Auto,
            SolverWord::Cholesky => Self::Cholesky,
            SolverWord::Mixed => Self::Mixed,
            SolverWord::StateSpace => Self::StateSpace,
            SolverWord::FiniteRank => Self::FiniteRank,
            SolverWord::DistinctPoints => Self::DistinctPoints,
            SolverWord::Grid => Self::Grid,
            SolverWord::Eigen => Self::Eigen,
            SolverWord::Cg => Self::ConjugateGradients,
            SolverWord::Features => Self::Features,
            SolverWord::Centers => Self::Centers,
        }
    }
}

/// Arguments of `mercer fit gp`.
#[derive(Debug, Args)]
pub struct GpArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "1*gaussian(lengthscale=2)", or auto: compares Gaussian and Matérn
    /// kernels
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Noise variance, the initial value of the optimization
    #[arg(long, value_name = "S2", value_parser = non_negative, allow_negative_numbers = true, default_value = "0.1")]
    pub noise: f64,
    /// Keep the parameters and the noise fixed
    #[arg(long)]
    pub no_optimize: bool,
    /// Number of additional optimization starts from random points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub restarts: usize,
    /// Parameters to keep fixed, by their names in the report, such as noise
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub fixed: Vec<String>,
    /// Smoothness parameters to optimize, such as nu of Matérn kernels (otherwise fixed)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub free: Vec<String>,
    /// Scaling of the target before the fit (default: standard with --kernel auto, none with an
    /// explicit kernel)
    #[arg(long, value_enum, value_name = "RULE")]
    pub target_scale: Option<TargetScale>,
    /// Number of inducing points, for linear time: an approximation, noted in the report
    #[arg(long, value_name = "M", value_parser = positive)]
    pub centers: Option<usize>,
    /// Approximation by the inducing points
    #[arg(long, value_enum, value_name = "NAME", default_value = "variational", requires = "centers")]
    pub approximation: ApproximationWord,
    /// Selection of the inducing points
    #[arg(long, value_enum, value_name = "NAME", default_value = "greedy", requires = "centers")]
    pub inducing: InducingWord,
    /// Optimize the places of the inducing points too
    #[arg(long, requires = "centers")]
    pub move_inducing: bool,
    /// Maximum number of rows, a random sample, used to optimize the parameters; the final fit uses
    /// all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1000")]
    pub sample: usize,
}

impl GpArguments {
    /// The text of an explicit kernel.
    pub fn explicit_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// Scaling of the target.
    pub fn target_scale(&self) -> TargetScale {
        let default = if self.explicit_kernel().is_some() { TargetScale::None } else { TargetScale::Standard };
        self.target_scale.unwrap_or(default)
    }
}

/// Selections of inducing points by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InducingWord {
    /// Those that the others explain least
    Greedy,
    /// A random sample
    Random,
}

impl InducingWord {
    /// The selection of so many points.
    pub fn select(self, count: usize) -> Inducing {
        match self {
            Self::Greedy => Inducing::Greedy(count),
            Self::Random => Inducing::Random(count),
        }
    }
}

/// Approximations by name.
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

/// Scalings of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetScale {
    /// Mean 0 and standard deviation 1
    Standard,
    /// Mean 0
    Center,
    /// As it is
    None,
}

/// Arguments of `mercer fit spline`.
#[derive(Debug, Args)]
pub struct SplineArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The order of the derivative in the penalty: 1, 2 (cubic) or 3 (quintic)
    #[arg(long, value_name = "1|2|3", default_value_t = 2)]
    pub order: usize,
    /// Selection of λ
    #[arg(long, value_enum, value_name = "RULE", default_value = "gcv")]
    pub smoothing: SmoothingWord,
    /// λ on the scale of x, the factor of the penalty added to the sum of squares
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "df")]
    pub lambda: Option<f64>,
    /// Degrees of freedom of the spline
    #[arg(long, value_name = "DF", value_parser = positive_number, allow_negative_numbers = true)]
    pub df: Option<f64>,
    /// The period, for periodic splines
    #[arg(long, value_name = "P", value_parser = positive_number, allow_negative_numbers = true)]
    pub period: Option<f64>,
    /// Column of nonnegative sample weights
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// Selection of λ of a spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SmoothingWord {
    /// The least generalized cross-validation
    Gcv,
    /// The largest restricted likelihood
    Reml,
}

/// Arguments of `mercer fit smooth`.
#[derive(Debug, Args)]
pub struct SmoothArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// Local model (default: linear for one column, constant for several)
    #[arg(long, value_enum, value_name = "METHOD")]
    pub method: Option<SmoothMethod>,
    /// The bandwidth (default: minimizes the leave-one-out error)
    #[arg(long, value_name = "H", value_parser = positive_number, allow_negative_numbers = true)]
    pub bandwidth: Option<f64>,
    /// Weight function
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "gaussian")]
    pub window: Window,
    /// Compare Nadaraya–Watson, local linear and kernel ridge regression on the same data (one
    /// column)
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

/// Arguments of `mercer fit auto`.
#[derive(Debug, Args)]
pub struct AutoArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// Selection criterion: loo, gcv, or a number of folds
    #[arg(long, value_name = "loo|gcv|K", value_parser = criterion, default_value = "loo")]
    pub cv: Criterion,
    /// Disable screening: score every candidate on all rows, also those that are clearly worse on a
    /// third of them
    #[arg(long)]
    pub no_screening: bool,
    /// Maximum number of rows, a random sample, used for selection; the final fit uses all
    /// (default: 4000 for classification, 1000 for regression; from 3000 rows on 400, whose best
    /// candidates are fitted on 2500 rows and scored on 3000 others)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<usize>,
    /// Type of the target (default: classes for text, numbers otherwise)
    #[arg(long, value_enum, value_name = "classes|numbers")]
    pub task: Option<TaskWord>,
    /// Compute leave-one-out residuals even for large data, where they take most of the time
    #[arg(long)]
    pub diagnostics: bool,
}

/// Types of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TaskWord {
    /// Class labels, also where they are written as numbers
    Classes,
    /// Numbers
    Numbers,
}
