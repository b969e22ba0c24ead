//! The words of `mercer test …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::hypothesis::{Correction, KernelWeights};

use super::common::{Gap, Scale, positive};
use super::fit::level;
use super::help;

/// What can be tested.
#[derive(Debug, Subcommand)]
pub enum TestCommand {
    /// Do two files have one law? (maximum mean discrepancy)
    #[command(after_help = help::TEST_TWO_SAMPLE)]
    TwoSample(TwoSampleArguments),
    /// Are two groups of columns independent? (HSIC)
    #[command(after_help = help::TEST_INDEPENDENCE)]
    Independence(IndependenceArguments),
    /// Are several groups of columns jointly independent? (dHSIC)
    #[command(after_help = help::TEST_JOINT)]
    Joint(JointArguments),
    /// Are two groups of columns independent given a third? (KCI)
    #[command(after_help = help::TEST_CONDITIONAL)]
    Conditional(ConditionalArguments),
    /// Do three groups of columns interact? (Lancaster)
    #[command(after_help = help::TEST_INTERACTION)]
    Interaction(InteractionArguments),
    /// Is a file a sample of a density? (kernel Stein discrepancy)
    #[command(after_help = help::TEST_FIT)]
    Fit(FitTestArguments),
}

/// What all tests share.
#[derive(Debug, Args)]
pub struct TestOptions {
    /// The level of the decision
    #[arg(long, value_name = "P", value_parser = level, allow_negative_numbers = true, default_value = "0.05")]
    pub level: f64,
    /// How many relabelings are drawn, beside the observed one
    #[arg(long, value_name = "B", value_parser = positive, default_value = "1999")]
    pub permutations: usize,
    /// A test for every value of this column, with corrected p-values
    #[arg(long, value_name = "COL")]
    pub by: Option<String>,
    /// How the p-values of several tests are corrected
    #[arg(long, value_enum, value_name = "RULE", default_value = "holm")]
    pub correction: CorrectionWord,
    /// Scale the columns of numbers
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<Scale>,
    /// What to do with missing values; without a rule they are refused with row and column
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
}

/// Corrections by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorrectionWord {
    /// Holm's: the chance of one false rejection is at most the level
    Holm,
    /// The number of tests times each p-value
    Bonferroni,
    /// Benjamini and Hochberg's: the share of false rejections, for tests that are not negatively dependent
    Bh,
    /// Benjamini and Yekutieli's: the share of false rejections, for any tests
    By,
    /// Each test by itself
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

/// The words of `mercer test two-sample`.
#[derive(Debug, Args)]
pub struct TwoSampleArguments {
    /// The first sample (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The second sample, with the same columns
    #[arg(value_name = "B")]
    pub second: PathBuf,
    /// The kernel, or auto: many lengthscales for aggregated and fused, the median distance for the others
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// How the p-value is found (default: aggregated; permutation with a given kernel)
    #[arg(long, value_enum, value_name = "NAME")]
    pub method: Option<TwoSampleWord>,
    /// The importance of the lengthscales of the aggregated test, from small to large
    #[arg(long, value_enum, value_name = "NAME", default_value = "uniform")]
    pub weights: WeightsWord,
    /// Signs of pairs instead of permutations in the aggregated test, for files of the same length
    #[arg(long)]
    pub wild: bool,
    /// The pairs of a block of the method block
    #[arg(long, value_name = "N", value_parser = positive, default_value = "32")]
    pub block: usize,
    /// The random features of the method features, an even number
    #[arg(long, value_name = "N", value_parser = positive, default_value = "512")]
    pub components: usize,
    /// The rows of B in a batch of the method betting; with --by the groups are the batches
    #[arg(long, value_name = "N", value_parser = positive, default_value = "50")]
    pub batch: usize,
    /// What --plot draws
    #[arg(long, value_enum, value_name = "NAME", default_value = "null")]
    pub picture: PictureWord,
    /// Only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// With --by, compare every group with all of A, also where A has the column
    #[arg(long, requires = "by")]
    pub whole_reference: bool,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of two-sample tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TwoSampleWord {
    /// Many kernels at once, without splitting the data (MMDAgg)
    Aggregated,
    /// Random relabelings
    Permutation,
    /// All relabelings; refused above a million
    Exact,
    /// Exchanges within pairs: row i of A belongs to row i of B
    Paired,
    /// Relabelings until rejection has become impossible
    Sequential,
    /// Many kernels in a soft maximum (MMD-FUSE)
    Fused,
    /// Half of the data chooses the lengthscale, the other half tests
    Split,
    /// Moments of a gamma law
    Gamma,
    /// The spectrum of the kernel matrix
    Spectral,
    /// The linear-time statistic and its normal limit
    Linear,
    /// Blocks of pairs and a normal limit
    Block,
    /// A bound that holds for every law
    Bound,
    /// Random Fourier features, permuted: linear time, for millions of rows
    Features,
    /// Bets on one batch after the other, whose level holds whenever one looks (e-values)
    Betting,
}

/// The picture of a two-sample test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureWord {
    /// The null law with the statistic
    Null,
    /// The witness over one or two columns: where the files differ
    Witness,
}

/// Weights by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightsWord {
    /// All the same
    Uniform,
    /// Small lengthscales count more
    Decreasing,
    /// Large lengthscales count more
    Increasing,
    /// Those in the middle count more
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

/// The words of `mercer test independence`.
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
    /// The kernel of both variables, or auto: a Gaussian kernel with the median distance
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Another kernel for y
    #[arg(long, value_name = "EXPR|auto")]
    pub kernel_y: Option<String>,
    /// How the p-value is found
    #[arg(long, value_enum, value_name = "NAME", default_value = "permutation")]
    pub method: IndependenceWord,
    /// Exchanges within pairs of rows instead of permutations in the aggregated test
    #[arg(long)]
    pub wild: bool,
    /// The random features of the method features, an even number
    #[arg(long, value_name = "N", value_parser = positive, default_value = "64")]
    pub components: usize,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of independence tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IndependenceWord {
    /// Random permutations
    Permutation,
    /// All permutations; refused above a million
    Exact,
    /// Permutations until rejection has become impossible
    Sequential,
    /// Moments of a gamma law
    Gamma,
    /// Many pairs of lengthscales at once (HSICAgg)
    Aggregated,
    /// Random Fourier features, permuted: linear time, for millions of rows
    Features,
}

/// The words of `mercer test joint`.
#[derive(Debug, Args)]
pub struct JointArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The columns of a variable; give it for each of two or more
    #[arg(long, short, value_name = "COLS", required = true)]
    pub variable: Vec<String>,
    /// The kernel of all variables, or auto: Gaussian kernels with median distances
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

/// The words of `mercer test conditional`.
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
    /// The kernel of both variables, or auto: a Gaussian kernel with the median distance
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// How the p-value is found
    #[arg(long, value_enum, value_name = "NAME", default_value = "permutation")]
    pub method: ConditionalWord,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

/// Methods of conditional tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConditionalWord {
    /// The null law by random signs
    Permutation,
    /// Moments of a gamma law
    Gamma,
}

/// The words of `mercer test interaction`.
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
    /// The kernel of all variables, or auto: Gaussian kernels with median distances
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

/// The words of `mercer test fit`.
#[derive(Debug, Args)]
pub struct FitTestArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The density: "normal(mean=0, std=1)", "student(freedom=3)" or "logistic()"; lists have a number per column
    #[arg(long, value_name = "DENSITY")]
    pub against: String,
    /// Only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// The kernel under the Stein kernel: inverse_multiquadric or gaussian; auto is the first
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// What all tests share.
    #[command(flatten)]
    pub options: TestOptions,
}

impl TestCommand {
    /// The file of a test of one file; nothing for two samples.
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

    /// What all tests share.
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
