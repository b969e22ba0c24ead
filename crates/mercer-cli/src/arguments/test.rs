//! Arguments of `mercer test …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::hypothesis::{Correction, KernelWeights};

use super::common::{Gap, ObjectOptions, Scale, positive};
use super::fit::level;
use super::help;

/// The hypothesis tests.
#[derive(Debug, Subcommand)]
pub enum TestCommand {
    /// Two-sample test: do two files have the same distribution? (maximum mean discrepancy)
    #[command(after_help = help::TEST_TWO_SAMPLE)]
    TwoSample(TwoSampleArguments),
    /// Independence test of two groups of columns (HSIC)
    #[command(after_help = help::TEST_INDEPENDENCE)]
    Independence(IndependenceArguments),
    /// Joint independence test of several groups of columns (dHSIC)
    #[command(after_help = help::TEST_JOINT)]
    Joint(JointArguments),
    /// Conditional independence test of two groups of columns given a third (KCI)
    #[command(after_help = help::TEST_CONDITIONAL)]
    Conditional(ConditionalArguments),
    /// Three-variable interaction test (Lancaster)
    #[command(after_help = help::TEST_INTERACTION)]
    Interaction(InteractionArguments),
    /// Goodness-of-fit test of a file against a density (kernel Stein discrepancy)
    #[command(after_help = help::TEST_FIT)]
    Fit(FitTestArguments),
}

/// Flags common to all tests.
#[derive(Debug, Args)]
pub struct TestOptions {
    /// Significance level
    #[arg(long, value_name = "P", value_parser = level, allow_negative_numbers = true, default_value = "0.05")]
    pub level: f64,
    /// Number of random permutations, besides the observed labeling
    #[arg(long, value_name = "B", value_parser = positive, default_value = "1999")]
    pub permutations: usize,
    /// Run one test for every value of this column, with corrected p-values
    #[arg(long, value_name = "COL")]
    pub by: Option<String>,
    /// Multiplicity correction of the p-values
    #[arg(long, value_enum, value_name = "RULE", default_value = "holm")]
    pub correction: CorrectionWord,
    /// Scaling of the numeric columns
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<Scale>,
    /// Handling of missing values (default: an error with row and column)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
}

/// Options of a test of files that are read in chunks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Data longer than memory")]
pub struct TestStreamWords {
    /// Read the data in chunks and test by random features in bounded memory, with the limit of the
    /// null distribution for many rows instead of permutations (automatic if a file is larger than
    /// the memory limit)
    #[arg(long)]
    pub stream: bool,
    /// Checkpoint file of a streamed test; it is removed when the test is done
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint if it exists: the outcome is that of an uninterrupted test
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// Corrections by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorrectionWord {
    /// Holm: controls the family-wise error rate
    Holm,
    /// Bonferroni: multiplies each p-value by the number of tests
    Bonferroni,
    /// Benjamini and Hochberg: controls the false discovery rate under positive dependence
    Bh,
    /// Benjamini and Yekutieli: controls the false discovery rate under any dependence
    By,
    /// No correction
    None,
}

impl From<CorrectionWord> for Correction {
    fn from(word: CorrectionWord) -> Self {
        match word {
            CorrectionWord::Holm => Self::Holm,
            CorrectionWord::Bonferroni => Self::Bonferroni,
            CorrectionWord::Bh => Self::BenjaminiHochberg,
            CorrectionWord::By => Self::BenjaminiYekutieli,
            CorrectionWord::None => Self::None,
        }
    }
}

/// Arguments of `mercer test two-sample`.
#[derive(Debug, Args)]
pub struct TwoSampleArguments {
    /// The first sample (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The second sample, with the same columns
    #[arg(value_name = "B")]
    pub second: PathBuf,
    /// The kernel, or auto: many lengthscales for aggregated and fused, the median heuristic for
    /// the others
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Method of the p-value (default: aggregated; permutation with an explicit kernel)
    #[arg(long, value_enum, value_name = "NAME")]
    pub method: Option<TwoSampleWord>,
    /// Weights of the lengthscales of the aggregated test, from small to large
    #[arg(long, value_enum, value_name = "NAME", default_value = "uniform")]
    pub weights: WeightsWord,
    /// Use the wild bootstrap instead of permutations in the aggregated test, for files of the same
    /// length
    #[arg(long)]
    pub wild: bool,
    /// Number of pairs per block of the method block
    #[arg(long, value_name = "N", value_parser = positive, default_value = "32")]
    pub block: usize,
    /// Number of random features of the method features, even
    #[arg(long, value_name = "N", value_parser = positive, default_value = "512")]
    pub components: usize,
    /// Number of rows of B per batch of the method betting; with --by the groups are the batches
    #[arg(long, value_name = "N", value_parser = positive, default_value = "50")]
    pub batch: usize,
    /// Picture drawn by --plot
    #[arg(long, value_enum, value_name = "NAME", default_value = "null")]
    pub picture: PictureWord,
    /// Use only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// With --by, compare every group with all of A, even if A has the column
    #[arg(long, requires = "by")]
    pub whole_reference: bool,
    /// Files longer than memory.
    #[command(flatten)]
    pub stream: TestStreamWords,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of two-sample tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TwoSampleWord {
    /// Aggregation over many kernels, without data splitting (MMDAgg)
    Aggregated,
    /// Random permutations
    Permutation,
    /// All permutations; an error above one million
    Exact,
    /// Exchanges within pairs: row i of A is paired with row i of B
    Paired,
    /// Random permutations, stopped as soon as rejection has become impossible
    Sequential,
    /// Soft maximum over many kernels (MMD-FUSE)
    Fused,
    /// Data splitting: one half selects the lengthscale, the other half tests
    Split,
    /// Gamma approximation of the null distribution
    Gamma,
    /// Spectral approximation of the null distribution
    Spectral,
    /// Linear-time statistic with its normal limit
    Linear,
    /// Block statistic with its normal limit
    Block,
    /// Distribution-free bound
    Bound,
    /// Random Fourier features with permutations: linear time, for millions of rows
    Features,
    /// Sequential testing by betting, valid at any time (e-values)
    Betting,
}

/// The picture of a two-sample test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureWord {
    /// The null distribution with the statistic
    Null,
    /// The witness function over one or two columns: where the files differ
    Witness,
}

/// Weights by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightsWord {
    /// Uniform weights
    Uniform,
    /// Larger weights for small lengthscales
    Decreasing,
    /// Larger weights for large lengthscales
    Increasing,
    /// Larger weights for middle lengthscales
    Centered,
}

impl From<WeightsWord> for KernelWeights {
    fn from(word: WeightsWord) -> Self {
        match word {
            WeightsWord::Uniform => Self::Uniform,
            WeightsWord::Decreasing => Self::Decreasing,
            WeightsWord::Increasing => Self::Increasing,
            WeightsWord::Centered => Self::Centered,
        }
    }
}

/// Arguments of `mercer test independence`.
#[derive(Debug, Args)]
pub struct IndependenceArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The columns of the first variable, by name or by number counted from 0
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub x: Vec<String>,
    /// The columns of the second variable
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub y: Vec<String>,
    /// The kernel of both variables, or auto: a Gaussian kernel with the median heuristic
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// The kernel of y, if different
    #[arg(long, value_name = "EXPR|auto")]
    pub kernel_y: Option<String>,
    /// Method of the p-value
    #[arg(long, value_enum, value_name = "NAME", default_value = "permutation")]
    pub method: IndependenceWord,
    /// Use the wild bootstrap instead of permutations in the aggregated test
    #[arg(long)]
    pub wild: bool,
    /// Number of random features of the method features, even
    #[arg(long, value_name = "N", value_parser = positive, default_value = "64")]
    pub components: usize,
    /// Files longer than memory.
    #[command(flatten)]
    pub stream: TestStreamWords,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of independence tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IndependenceWord {
    /// Random permutations
    Permutation,
    /// All permutations; an error above one million
    Exact,
    /// Random permutations, stopped as soon as rejection has become impossible
    Sequential,
    /// Gamma approximation of the null distribution
    Gamma,
    /// Aggregation over many pairs of lengthscales (HSICAgg)
    Aggregated,
    /// Random Fourier features with permutations: linear time, for millions of rows
    Features,
}

/// Arguments of `mercer test joint`.
#[derive(Debug, Args)]
pub struct JointArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The columns of a variable; repeat for each of two or more variables
    #[arg(long, short, value_name = "COLS", required = true)]
    pub variable: Vec<String>,
    /// The kernel of all variables, or auto: Gaussian kernels with the median heuristic
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Arguments of `mercer test conditional`.
#[derive(Debug, Args)]
pub struct ConditionalArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The columns of the first variable, by name or by number counted from 0
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub x: Vec<String>,
    /// The columns of the second variable
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub y: Vec<String>,
    /// The columns of the condition
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub given: Vec<String>,
    /// The kernel of both variables, or auto: a Gaussian kernel with the median heuristic
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Method of the p-value
    #[arg(long, value_enum, value_name = "NAME", default_value = "permutation")]
    pub method: ConditionalWord,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of conditional tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConditionalWord {
    /// Null distribution by random signs
    Permutation,
    /// Gamma approximation of the null distribution
    Gamma,
}

/// Arguments of `mercer test interaction`.
#[derive(Debug, Args)]
pub struct InteractionArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The columns of the first variable, by name or by number counted from 0
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub x: Vec<String>,
    /// The columns of the second variable
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub y: Vec<String>,
    /// The columns of the third variable
    #[arg(long, short, value_name = "COLS", value_delimiter = ',', required = true)]
    pub z: Vec<String>,
    /// The kernel of all variables, or auto: Gaussian kernels with the median heuristic
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Arguments of `mercer test fit`.
#[derive(Debug, Args)]
pub struct FitTestArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The density: "normal(mean=0, std=1)", "student(freedom=3)" or "logistic()"; lists give one
    /// number per column
    #[arg(long, value_name = "DENSITY")]
    pub against: String,
    /// Use only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// Base kernel of the Stein kernel: inverse_multiquadric (the default of auto) or gaussian
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Flags common to all tests.
    #[command(flatten)]
    pub options: TestOptions,
}

impl TestCommand {
    /// The file of a one-file test; `None` for two samples.
    pub fn data(&self) -> Option<&std::path::Path> {
        match self {
            Self::TwoSample(_) => None,
            Self::Independence(words) => Some(&words.data),
            Self::Joint(words) => Some(&words.data),
            Self::Conditional(words) => Some(&words.data),
            Self::Interaction(words) => Some(&words.data),
            Self::Fit(words) => Some(&words.data),
        }
    }

    /// Flags common to all tests.
    pub fn options(&self) -> &TestOptions {
        match self {
            Self::TwoSample(words) => &words.options,
            Self::Independence(words) => &words.options,
            Self::Joint(words) => &words.options,
            Self::Conditional(words) => &words.options,
            Self::Interaction(words) => &words.options,
            Self::Fit(words) => &words.options,
        }
    }
}
