//! The words of `mercer fit …` and `mercer predict`.

mod centers;
mod learners;
mod margins;
mod numbers;
mod stream;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::points::{Missing, Scaling};

use super::common::Gap;
use super::help;
pub use numbers::level;
pub use stream::{FeatureWord, StreamWords};

pub use learners::{
    ApproximationWord, AutoArguments, GpArguments, RidgeArguments, SmoothArguments, SmoothMethod, SmoothingWord,
    SolverWord, SplineArguments, TargetScale, TaskWord,
};

pub use margins::{
    ClassWeight, FoldWords, LogisticArguments, NewtonWord, OneClassArguments, SvmArguments, SvmWords, SvrArguments,
    explicit_kernel,
};

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
    /// Support vector classification: the widest margin between classes
    #[command(after_help = help::FIT_SVM)]
    Svm(SvmArguments),
    /// Support vector regression: errors within a tube cost nothing
    #[command(after_help = help::FIT_SVR)]
    Svr(SvrArguments),
    /// The support of a distribution: a small region that holds most of the rows
    #[command(after_help = help::FIT_ONE_CLASS)]
    OneClass(OneClassArguments),
    /// Kernel logistic regression: probabilities of classes
    #[command(after_help = help::FIT_LOGISTIC)]
    Logistic(LogisticArguments),
    /// Whatever predicts best: tries kernels and splines by leave-one-out and fits the winner; machines for classes
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
            Self::Svm(words) => &words.training,
            Self::Svr(words) => &words.training,
            Self::OneClass(words) => &words.training,
            Self::Logistic(words) => &words.training,
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
    #[arg(long, short, value_name = "COL", value_delimiter = ',')]
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
    /// Add a column proba_<class> for every class
    #[arg(long, conflicts_with = "interval")]
    pub proba: bool,
    /// Only these columns of DATA, by name or by number counted from 0
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Read, predict and write in chunks, as for a file that is larger than the memory limit; needs --output OUT.csv
    #[arg(long)]
    pub stream: bool,
}
