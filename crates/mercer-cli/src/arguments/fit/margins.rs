//! Arguments of support vector machines and logistic regression.

use clap::{Args, ValueEnum};
use mercer::learn::machine::LossSolver;
use mercer::learn::svm::Calibration;

use super::super::common::positive;
use super::centers::CenterWords;
use super::numbers::{class_weight, non_negative, part, positive_number};
use super::{FitData, StreamWords};

/// Flags of the kernel and the solver of a support vector machine.
#[derive(Debug, Args)]
pub struct SvmWords {
    /// The kernel, such as "gaussian(lengthscale=2)", or auto
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// Tolerance of the KKT conditions
    #[arg(long, value_name = "TOL", value_parser = positive_number, allow_negative_numbers = true, default_value = "0.001")]
    pub tol: f64,
    /// Maximum number of solver steps; if the solver stops early the model is returned with its
    /// duality gap
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// Accept a kernel that is not positive semi-definite, and converge to a stationary point as
    /// LIBSVM does
    #[arg(long)]
    pub allow_indefinite: bool,
    /// Variables that are optimized together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub working_set: Option<u64>,
    /// Column of nonnegative sample weights: factors of C
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// Flags of a selection by cross-validation.
#[derive(Debug, Args)]
pub struct FoldWords {
    /// Candidate lengthscales (default with --kernel auto: 5 around the median distance, extended
    /// where the best is at an end)
    #[arg(long, value_name = "S,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lengthscales: Vec<f64>,
    /// Number of cross-validation folds
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..), default_value = "5")]
    pub cv: u64,
    /// Maximum number of rows, a random sample, used for selection; the final fit uses all
    /// (default: 4000 for support vector classification, else 1000, and fewer for many classes)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<usize>,
}

/// The text of a kernel, unless it is auto.
pub fn explicit_kernel(kernel: &str) -> Option<&str> {
    (kernel != "auto").then_some(kernel)
}

/// Arguments of `mercer fit svm`.
#[derive(Debug, Args)]
pub struct SvmArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The support vector machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// Penalty C of margin violations (default: selected)
    #[arg(short = 'C', long = "c", value_name = "C", value_parser = positive_number, allow_negative_numbers = true, conflicts_with_all = ["cs", "nu"])]
    pub c: Option<f64>,
    /// Candidates for C (default: 0.1,1,10,100, extended where the best is at an end)
    #[arg(long, value_name = "C,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub cs: Vec<f64>,
    /// Fit a ν-SVC: bound on the fraction of margin errors
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true, conflicts_with = "cs")]
    pub nu: Option<f64>,
    /// The selection.
    #[command(flatten)]
    pub folds: FoldWords,
    /// Class weights, factors of C: balanced, or class=factor for some classes
    #[arg(long, value_name = "balanced|CLASS=W,…", value_delimiter = ',', value_parser = class_weight)]
    pub class_weight: Vec<ClassWeight>,
    /// Calibrate probabilities by internal cross-validation, for mercer predict --proba
    #[arg(long, value_enum, value_name = "sigmoid|isotonic", num_args = 0..=1, default_missing_value = "sigmoid")]
    pub proba: Option<ProbabilityWord>,
    /// Number of folds of the calibration
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..), default_value = "5", requires = "proba")]
    pub calibration_folds: u64,
    /// Fit no offset
    #[arg(long)]
    pub no_offset: bool,
    /// One-versus-rest instead of one-versus-one
    #[arg(long)]
    pub one_versus_rest: bool,
    /// Break ties of votes by decision values
    #[arg(long)]
    pub break_ties: bool,
}

/// The weight of a class, or balanced weights.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeight {
    /// Every class weighs the same in total.
    Balanced,
    /// A factor of one class.
    Factor(String, f64),
}

/// Calibration of decision values to probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbabilityWord {
    /// Platt's sigmoid
    Sigmoid,
    /// Isotonic regression
    Isotonic,
}

impl ProbabilityWord {
    /// The calibration by so many folds.
    pub fn calibration(self, folds: u64) -> Calibration {
        let folds = usize::try_from(folds).unwrap_or(usize::MAX);
        match self {
            Self::Sigmoid => Calibration::Sigmoid { folds },
            Self::Isotonic => Calibration::Isotonic { folds },
        }
    }
}

/// Arguments of `mercer fit svr`.
#[derive(Debug, Args)]
pub struct SvrArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The support vector machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// Penalty C of errors beyond the tube (default: selected)
    #[arg(short = 'C', long = "c", value_name = "C", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "cs")]
    pub c: Option<f64>,
    /// Candidates for C (default: 0.1,1,10,100, extended where the best is at an end)
    #[arg(long, value_name = "C,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub cs: Vec<f64>,
    /// Half-width ε of the insensitive tube, in units of the fitted target
    #[arg(long, value_name = "E", value_parser = non_negative, allow_negative_numbers = true, default_value = "0.1", conflicts_with = "nu")]
    pub epsilon: f64,
    /// Fit a ν-SVR: bound on the fraction of rows outside the tube
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true)]
    pub nu: Option<f64>,
    /// Fit no offset
    #[arg(long, conflicts_with = "nu")]
    pub no_offset: bool,
    /// The selection.
    #[command(flatten)]
    pub folds: FoldWords,
}

/// Arguments of `mercer fit one-class`.
#[derive(Debug, Args)]
pub struct OneClassArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The support vector machine.
    #[command(flatten)]
    pub svm: SvmWords,
    /// Approximate fraction of outliers
    #[arg(long, value_name = "NU", value_parser = part, allow_negative_numbers = true, default_value = "0.1")]
    pub nu: f64,
}

/// Arguments of `mercer fit logistic`.
#[derive(Debug, Args)]
pub struct LogisticArguments {
    /// The data and the model.
    #[command(flatten)]
    pub training: FitData,
    /// The kernel, such as "gaussian(lengthscale=2)", or auto
    #[arg(long, value_name = "EXPR|auto", default_value = "auto")]
    pub kernel: String,
    /// λ in Σ loss + (λ/2)‖f‖² (default: selected)
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true, conflicts_with = "lambdas")]
    pub lambda: Option<f64>,
    /// Candidates for λ (default: 10,1,0.1,0.01, extended where the best is at an end)
    #[arg(long, value_name = "L,…", value_delimiter = ',', value_parser = positive_number, allow_negative_numbers = true)]
    pub lambdas: Vec<f64>,
    /// The selection.
    #[command(flatten)]
    pub folds: FoldWords,
    /// Class weights, factors of the losses: balanced, or class=factor for some classes
    #[arg(long, value_name = "balanced|CLASS=W,…", value_delimiter = ',', value_parser = class_weight)]
    pub class_weight: Vec<ClassWeight>,
    /// Fit no intercepts
    #[arg(long)]
    pub no_intercept: bool,
    /// Maximum number of Newton steps; if the solver stops early the model is returned with its
    /// duality gap
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// Duality gap (with --stream: decrease of the objective) at which the solver stops, relative
    /// to the loss of the zero function [default: 1e-20; with --stream: 1e-9]
    #[arg(long, value_name = "TOL", value_parser = non_negative, allow_negative_numbers = true)]
    pub tol: Option<f64>,
    /// Solver
    #[arg(long, value_enum, value_name = "SOLVER", default_value = "auto")]
    pub solver: NewtonWord,
    /// The centers.
    #[command(flatten)]
    pub centers: CenterWords,
    /// Data longer than memory.
    #[command(flatten)]
    pub stream: StreamWords,
    /// Column of nonnegative sample weights
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
}

/// Solvers of smooth losses by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewtonWord {
    /// Chosen by the plan
    Auto,
    /// Newton's method with exact steps
    Newton,
    /// Newton's method, each step by conjugate gradients
    NewtonCg,
    /// Few centers: an approximation for large data
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
