//! Arguments of `mercer fit …` and `mercer predict`.

mod centers;
mod conformal;
mod learners;
mod margins;
mod numbers;
mod stream;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::points::{Missing, Scaling};

use super::common::{Gap, ObjectOptions};
use super::help;
use super::learner::LearnerArguments;
use conformal::interval;
pub use conformal::{ConformalWords, IntervalWord};
pub use numbers::level;
pub use stream::{FeatureWord, PartWords, StreamWords};

pub use learners::{
    AutoArguments, GpArguments, RidgeArguments, SmoothArguments, SmoothMethod, SmoothingWord, SolverWord,
    SplineArguments, TargetScale, TaskWord,
};

pub use margins::{
    ClassWeight, FoldWords, LogisticArguments, NewtonWord, OneClassArguments, SvmArguments, SvmWords, SvrArguments,
    explicit_kernel,
};

/// The learners.
#[derive(Debug, Subcommand)]
pub enum FitCommand {
    /// Kernel ridge regression: min Σ(y − f(x))² + λ‖f‖², with kernel, lengthscale and λ selected
    /// by leave-one-out
    #[command(after_help = help::FIT_RIDGE)]
    Ridge(RidgeArguments),
    /// Gaussian process regression: predictive intervals, parameters by marginal likelihood
    #[command(after_help = help::FIT_GP)]
    Gp(GpArguments),
    /// Smoothing spline of one column, in linear time
    #[command(after_help = help::FIT_SPLINE)]
    Spline(SplineArguments),
    /// Local regression: weighted means (Nadaraya–Watson) or local lines
    #[command(after_help = help::FIT_SMOOTH)]
    Smooth(SmoothArguments),
    /// Support vector classification
    #[command(after_help = help::FIT_SVM)]
    Svm(SvmArguments),
    /// Support vector regression with an ε-insensitive loss
    #[command(after_help = help::FIT_SVR)]
    Svr(SvrArguments),
    /// One-class SVM: estimates the support of a distribution
    #[command(after_help = help::FIT_ONE_CLASS)]
    OneClass(OneClassArguments),
    /// Kernel logistic regression: class probabilities
    #[command(after_help = help::FIT_LOGISTIC)]
    Logistic(LogisticArguments),
    /// Automatic selection: compares kernels and learners by cross-validation and fits the best
    #[command(after_help = help::FIT_AUTO)]
    Auto(AutoArguments),
    /// Learners of the catalogue without a command of their own.
    #[command(flatten)]
    Learner(LearnerArguments),
}

impl FitCommand {
    /// The flags common to all learners.
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
            Self::Learner(words) => &words.training,
        }
    }
}

/// The data of a fit, and the output file of the model.
#[derive(Clone, Debug, Args)]
pub struct FitData {
    /// Data file (CSV, TSV, LIBSVM, NPY, Parquet, FASTA, GraphML, edge list), folder of graphs, or -
    /// for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Target column, by name or by number counted from 0; several separated by commas
    #[arg(long, short, value_name = "COL", value_delimiter = ',')]
    pub target: Vec<String>,
    /// Output file of the model; without it the fit is only reported
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Use only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// Drop these columns
    #[arg(long, value_name = "COLS", value_delimiter = ',', conflicts_with = "columns", help_heading = "Data")]
    pub drop: Vec<String>,
    /// Scaling of the numeric columns (default: standard where the kernel is selected, none with an
    /// explicit kernel)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<FitScale>,
    /// Scale every column to [0, 1], the domain of kernels such as sobolev(): the same as --scale
    /// unit
    #[arg(long, conflicts_with = "scale", help_heading = "Data")]
    pub rescale: bool,
    /// Handling of missing values (default: an error); rows without a target are dropped
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
    /// Conformal prediction.
    #[command(flatten)]
    pub conformal: ConformalWords,
}

impl FitData {
    /// The requested scaling, or this one.
    pub fn scaling(&self, default: Scaling) -> Scaling {
        match self.scale {
            _ if self.rescale => Scaling::UnitInterval,
            Some(FitScale::Standard) => Scaling::Standardize,
            Some(FitScale::Unit) => Scaling::UnitInterval,
            Some(FitScale::None) => Scaling::None,
            None => default,
        }
    }

    /// Whether columns are named, or have rules.
    pub fn has_rules(&self) -> bool {
        let named = !self.columns.is_empty() || !self.drop.is_empty() || self.objects.is_given();
        named || self.rescale || !matches!(self.scale, None | Some(FitScale::None)) || self.missing.is_some()
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

/// Arguments of `mercer predict`.
#[derive(Debug, Args)]
pub struct PredictArguments {
    /// Model file written by mercer fit or mercer.save
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// File with the new data, or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Output file of the predictions (CSV, TSV, NPY, Parquet); without it they are printed as CSV
    #[arg(short, long, value_name = "OUT.csv")]
    pub output: Option<PathBuf>,
    /// Add columns lower and upper: a predictive interval of the model with this coverage
    /// probability; with the word conformal (or --conformal) the conformal interval of a model that
    /// was fitted with --conformal (ridge and gp have it without), and for classes a column set
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "model", value_parser = interval)]
    pub interval: Option<IntervalWord>,
    /// The coverage probability of --interval model and --interval conformal (default: 0.95)
    #[arg(long, value_name = "LEVEL", value_parser = level, requires = "interval")]
    pub level: Option<f64>,
    /// Conformal intervals instead of those of the model
    #[arg(long, requires = "interval")]
    pub conformal: bool,
    /// Add a column proba_<class> for every class
    #[arg(long)]
    pub proba: bool,
    /// Use only these columns of DATA, by name or by number counted from 0
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
    /// Read, predict and write in chunks, as for a file that is larger than the memory limit;
    /// needs --output OUT.csv
    #[arg(long)]
    pub stream: bool,
}

impl PredictArguments {
    /// The level of the intervals, where they were requested.
    pub fn interval_level(&self) -> Option<f64> {
        match self.interval? {
            IntervalWord::Level(level) => Some(self.level.unwrap_or(level)),
            _ => Some(self.level.unwrap_or(IntervalWord::DEFAULT)),
        }
    }

    /// Whether the intervals are conformal.
    pub fn is_conformal(&self) -> bool {
        self.interval.is_some() && (self.conformal || self.interval == Some(IntervalWord::Conformal))
    }
}
