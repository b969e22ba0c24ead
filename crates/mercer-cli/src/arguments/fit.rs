//! The words of `mercer fit …` and `mercer predict`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::learn::gaussian_process::sparse::Approximation;
use mercer::learn::ridge::Solver;
use mercer::learn::smoother::LocalWeight;
use mercer::points::{Missing, Scaling};
use mercer::select::Criterion;

use super::common::{Gap, positive};
use super::help;

/// What can be fitted.
#[derive(Debug, Subcommand)]
pub enum FitCommand {
    /// Kernel ridge regression: min Σ(y − f(x))² + λ‖f‖², kernel, lengthscale and λ chosen by leave-one-out
    #[command(after_help = help::FIT_RIDGE)]
    Ridge(RidgeArguments),
    /// A Gaussian process: predictions with intervals, parameters by the marginal likelihood
    #[command(after_help = help::FIT_GP)]
    Gp(GpArguments),
    /// A smoothing spline of one column, in linear time
    #[command(after_help = help::FIT_SPLINE)]
    Spline(SplineArguments),
    /// A local smoother: weighted means (Nadaraya–Watson) or lines around each place
    #[command(after_help = help::FIT_SMOOTH)]
    Smooth(SmoothArguments),
    /// Whatever predicts best: tries kernels and splines by leave-one-out and fits the winner
    #[command(after_help = help::FIT_AUTO)]
    Auto(AutoArguments),
}

impl FitCommand {
    /// The words that all learners share.
    pub fn training(&self) -> &FitData {
        match self {
            Self::Ridge(words) => &words.training,
            Self::Gp(words) => &words.training,
            Self::Spline(words) => &words.training,
            Self::Smooth(words) => &words.training,
            Self::Auto(words) => &words.training,
        }
    }
}

/// The data of a fit, and where the model goes.
#[derive(Debug, Args)]
pub struct FitData {
    /// The file with the data (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The column to predict, by name or by number counted from 0; several with commas
    #[arg(long, short, value_name = "COL", value_delimiter = ',', required = true)]
    pub target: Vec<String>,
    /// Where the model goes; without it the fit is only reported
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// All columns but these
    #[arg(long, value_name = "COLS", value_delimiter = ',', conflicts_with = "columns", help_heading = "Data")]
    pub drop: Vec<String>,
    /// Scale the columns of numbers (default: standard where the kernel is chosen, none where it is given)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<FitScale>,
    /// Map every column onto [0, 1], where kernels such as sobolev() live: the same as --scale unit
    #[arg(long, conflicts_with = "scale", help_heading = "Data")]
    pub rescale: bool,
    /// What to do with missing values; rows without a target are left out; without a rule all are refused
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
}

impl FitData {
    /// The scaling asked for, or this one.
    pub fn scaling(&self, default: Scaling) -> Scaling {
        match self.scale {
            _ if self.rescale => Scaling::UnitInterval,
            Some(FitScale::Standard) => Scaling::Standardize,
            Some(FitScale::Unit) => Scaling::UnitInterval,
            Some(FitScale::None) => Scaling::None,
            None => default,
        }
    }

    /// The rule for missing values.
    pub fn missing(&self) -> Missing {
        self.missing.map(Into::into).unwrap_or_default()
    }
}

/// Rules for the scale of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FitScale {
    /// Mean 0 and standard deviation 1
    #[value(alias = "standardize")]
    Standard,
    /// Onto the interval from 0 to 1
    Unit,
    /// As they are
    None,
}

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
    /// The λ to choose from (default: 19 from 1e-6 to 1e3)
    #[arg(long, value_name = "L,…", value_delimiter = ',', value_parser = non_negative, allow_negative_numbers = true)]
    pub lambdas: Vec<f64>,
    /// The lengthscales to choose from (default with --kernel auto: 7 around the median distance)
    #[arg(long, value_name = "S,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lengthscales: Vec<f64>,
    /// What makes a model better: loo, gcv, or a number of folds
    #[arg(long, value_name = "loo|gcv|K", value_parser = criterion, default_value = "loo")]
    pub cv: Criterion,
    /// Fit an unpenalised constant too (the default with --kernel auto)
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
    /// At most this many rows, drawn from the seed, enter the choice; the fit takes all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1500")]
    pub sample: usize,
}

impl RidgeArguments {
    /// The kernel's text, where one is given.
    pub fn given_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// Whether a constant is fitted: as asked for, or when the kernel is chosen.
    pub fn with_intercept(&self) -> bool {
        self.intercept || (!self.no_intercept && self.given_kernel().is_none())
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
}

impl From<SolverWord> for Solver {
    fn from(word: SolverWord) -> Self {
        match word {
            SolverWord::Auto => Self::Auto,
            SolverWord::Cholesky => Self::Cholesky,
            SolverWord::Mixed => Self::Mixed,
            SolverWord::StateSpace => Self::StateSpace,
            SolverWord::Eigen => Self::Eigen,
            SolverWord::Cg => Self::ConjugateGradients,
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
    /// The variance of the noise, where the optimisation starts
    #[arg(long, value_name = "S2", value_parser = non_negative, allow_negative_numbers = true, default_value = "0.1")]
    pub noise: f64,
    /// Take the parameters and the noise as they are given
    #[arg(long)]
    pub no_optimize: bool,
    /// How many more times the optimisation starts, from random points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub restarts: usize,
    /// Parameters that stay as they are, by the names in the report, such as noise
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub fixed: Vec<String>,
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
    pub fn given_kernel(&self) -> Option<&str> {
        (self.kernel != "auto").then_some(self.kernel.as_str())
    }

    /// What is done to the target.
    pub fn target_scale(&self) -> TargetScale {
        let default = if self.given_kernel().is_some() { TargetScale::None } else { TargetScale::Standard };
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
    /// The least generalised cross-validation
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
    /// At most this many rows, drawn from the seed, enter the choice; the fit takes all
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1000")]
    pub sample: usize,
}

/// The words of `mercer predict`.
#[derive(Debug, Args)]
pub struct PredictArguments {
    /// The model, as mercer fit or mercer.save wrote it
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The file with the new data, or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Where the predictions go (CSV, TSV, NPY, Parquet); without it they are printed as CSV
    #[arg(short, long, value_name = "OUT.csv")]
    pub output: Option<PathBuf>,
    /// Add columns lower and upper that hold a new observation with this probability
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "0.95", value_parser = level)]
    pub interval: Option<f64>,
    /// Only these columns of DATA, by name or by number counted from 0
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub columns: Vec<String>,
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

fn non_negative(text: &str) -> Result<f64, String> {
    number(text).filter(|v| *v >= 0.0).ok_or_else(|| "a finite number of at least 0 is needed".into())
}

fn positive_number(text: &str) -> Result<f64, String> {
    number(text).filter(|v| *v > 0.0).ok_or_else(|| "a finite number above 0 is needed".into())
}

fn level(text: &str) -> Result<f64, String> {
    let wanted = "a probability between 0 and 1, such as 0.95, is needed";
    number(text).filter(|v| *v > 0.0 && *v < 1.0).ok_or_else(|| wanted.into())
}

fn criterion(text: &str) -> Result<Criterion, String> {
    match text {
        "loo" => Ok(Criterion::LeaveOneOut),
        "gcv" => Ok(Criterion::Gcv),
        folds => match folds.parse() {
            Ok(folds) if folds >= 2 => Ok(Criterion::Folds(folds)),
            _ => Err("loo, gcv or a number of folds of at least 2 is needed".into()),
        },
    }
}
