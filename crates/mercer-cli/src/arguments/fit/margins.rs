//! The words of machines and of logistic regression.

use clap::{Args, ValueEnum};
use mercer::learn::loss::LossSolver;
use mercer::learn::svm::Calibration;

use super::super::common::positive;
use super::FitData;
use super::centers::CenterWords;
use super::numbers::{class_weight, non_negative, part, positive_number};

/// The words of the kernel and the solver of a machine.
#[derive(Debug, Args)]
pub struct SvmWords {
    /// The kernel, such as "gaussian(lengthscale=2)", or auto
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Stop when the optimality conditions hold to this
    #[arg(long, value_name = "TOL", value_parser = positive_number, allow_negative_numbers = true, default_value = "0.001")]
    pub tol: f64,
    /// Steps of the solver at most; a model that is not done is kept, and its gap is told
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// Take a kernel that is not positive semi-definite, and go to a stationary point as LIBSVM does
    #[arg(long)]
    pub allow_indefinite: bool,
    /// A column of weights, at least 0: factors of C
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// The words of a choice by folds.
#[derive(Debug, Args)]
pub struct FoldWords {
    /// The lengthscales to choose from (default with --kernel auto: 5 around the median distance, and more where the best is at an end)
    #[arg(long, value_name = "S,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lengthscales: Vec<f64>,
    /// The number of folds of the choice
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..), default_value = "5")]
    pub cv: u64,
    /// At most this many rows, drawn from the seed, enter the choice; the fit takes all (default: 4000 for machines of classes, else
    /// 1000, and fewer for many classes)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<usize>,
}

/// The text of a kernel, unless it is auto.
pub fn explicit_kernel(kernel: &str) -> Option<&str> {
    (kernel != "auto").then_some(kernel)
}

/// The words of `mercer fit svm`.
#[derive(Debug, Args)]
pub struct SvmArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// C, what an error costs (default: chosen)
    #[arg(short = 'C', long = "c", value_name = "C", value_parser = positive_number, allow_negative_numbers = true, conflicts_with_all = ["cs", "nu"])]
    pub c: Option<f64>,
    /// The C to choose from (default: 0.1,1,10,100, and more where the best is at an end)
    #[arg(long, value_name = "C,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub cs: Vec<f64>,
    /// A ν-classifier: the part of the rows beyond the margin
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true, conflicts_with = "cs")]
    pub nu: Option<f64>,
    /// The choice.
    #[command(flatten)]
    pub folds: FoldWords,
    /// Factors of C: balanced, or class=factor for some classes
    #[arg(long, value_name = "balanced|CLASS=W,…", value_delimiter = ',', value_parser = class_weight)]
    pub class_weight: Vec<ClassWeight>,
    /// Probabilities from internal folds, for mercer predict --proba
    #[arg(long, value_enum, value_name = "sigmoid|isotonic", num_args = 0..=1, default_missing_value = "sigmoid")]
    pub proba: Option<ProbabilityWord>,
    /// One machine per class against the rest, instead of one per pair
    #[arg(long)]
    pub one_versus_rest: bool,
    /// Decide equal votes by decision values
    #[arg(long)]
    pub break_ties: bool,
}

/// A factor of a class, or the rule that makes all classes weigh the same.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeight {
    /// Every class weighs the same in total.
    Balanced,
    /// A factor of one class.
    Factor(String, f64),
}

/// How decision values become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbabilityWord {
    /// Platt's sigmoid
    Sigmoid,
    /// An increasing function
    Isotonic,
}

impl From<ProbabilityWord> for Calibration {
    fn from(word: ProbabilityWord) -> Self {
        match word {
            ProbabilityWord::Sigmoid => Self::Sigmoid { folds: 5 },
            ProbabilityWord::Isotonic => Self::Isotonic { folds: 5 },
        }
    }
}

/// The words of `mercer fit svr`.
#[derive(Debug, Args)]
pub struct SvrArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// C, what an error beyond the tube costs (default: chosen)
    #[arg(short = 'C', long = "c", value_name = "C", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "cs")]
    pub c: Option<f64>,
    /// The C to choose from (default: 0.1,1,10,100, and more where the best is at an end)
    #[arg(long, value_name = "C,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub cs: Vec<f64>,
    /// Half of the width of the tube of no loss, in the units of the fit
    #[arg(long, value_name = "E", value_parser = non_negative, allow_negative_numbers = true, default_value = "0.1", conflicts_with = "nu")]
    pub epsilon: f64,
    /// A ν-regression: the part of the rows outside of the tube
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true)]
    pub nu: Option<f64>,
    /// The choice.
    #[command(flatten)]
    pub folds: FoldWords,
}

/// The words of `mercer fit one-class`.
#[derive(Debug, Args)]
pub struct OneClassArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// About this part of the rows is outside
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true, default_value = "0.1")]
    pub nu: f64,
}

/// The words of `mercer fit logistic`.
#[derive(Debug, Args)]
pub struct LogisticArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "gaussian(lengthscale=2)", or auto
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// λ, half of which multiplies ‖f‖² beside the sum of the losses (default: chosen)
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "lambdas")]
    pub lambda: Option<f64>,
    /// The λ to choose from (default: 10,1,0.1,0.01, and more where the best is at an end)
    #[arg(long, value_name = "L,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lambdas: Vec<f64>,
    /// The choice.
    #[command(flatten)]
    pub folds: FoldWords,
    /// Factors of the losses: balanced, or class=factor for some classes
    #[arg(long, value_name = "balanced|CLASS=W,…", value_delimiter = ',', value_parser = class_weight)]
    pub class_weight: Vec<ClassWeight>,
    /// Fit no constants
    #[arg(long)]
    pub no_intercept: bool,
    /// Newton steps at most; a model that is not done is kept, and its gap is told
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// How the problem is solved
    #[arg(long, value_enum, value_name = "SOLVER", default_value = "auto")]
    pub solver: NewtonWord,
    /// The centers.
    #[command(flatten)]
    pub centers: CenterWords,
    /// A column of weights, at least 0
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// Solvers of smooth losses by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewtonWord {
    /// As the plan says
    Auto,
    /// Newton's method with exact steps
    Newton,
    /// Newton's method, each step by conjugate gradients
    NewtonCg,
    /// Functions on a few centers: an approximation, for many rows
    Centers,
}

impl From<NewtonWord> for LossSolver {
    fn from(word: NewtonWord) -> Self {
        match word {
            NewtonWord::Auto => Self::Auto,
            NewtonWord::Newton => Self::Newton,
            NewtonWord::NewtonCg => Self::NewtonConjugateGradients,
            NewtonWord::Centers => Self::Centers,
        }
    }
}
