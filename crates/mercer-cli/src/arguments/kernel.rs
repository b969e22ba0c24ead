//! The words of `mercer kernel …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{DataOptions, help};

/// What can be done with kernels.
#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// All kernels of the language by family, or the page of one
    #[command(after_help = help::LIST)]
    List(ListArguments),
    /// What is known of a kernel: parameters, domain, every property with its proof
    #[command(after_help = help::EXPLAIN)]
    Explain(ExplainArguments),
    /// Is the kernel positive semi-definite? A proof, a counterexample, or neither
    #[command(after_help = help::CHECK)]
    Check(CheckArguments),
    /// The Gram matrix K = [k(xᵢ, xⱼ)] of the rows of a file
    #[command(after_help = help::GRAM)]
    Gram(GramArguments),
    /// Eigenvalues of the integral operator of a kernel, under a sample or a law
    #[command(after_help = help::SPECTRUM)]
    Spectrum(SpectrumArguments),
}

/// Kernel commands that have a plan.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// The plan of a Gram matrix
    Gram(GramArguments),
}

/// The words of `mercer kernel list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// The name of one kernel, for its page
    pub name: Option<String>,
}

/// The words of `mercer kernel explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The kernel, such as "2*gaussian(lengthscale=0.5) + linear()"
    #[arg(value_name = "EXPR")]
    pub kernel: String,
}

/// The words of `mercer kernel check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// Points to look at first (a file, or - for standard input); more are searched for in any case
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// How the data becomes vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// The words of `mercer kernel gram`.
#[derive(Debug, Args)]
pub struct GramArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// The file whose rows are the points (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// A second file for the columns of K: K = [k(xᵢ, yⱼ)]
    #[arg(long, value_name = "DATA2")]
    pub against: Option<PathBuf>,
    /// Where the matrix goes: .npy, or .csv and .tsv with numbers that read back exactly
    #[arg(short, long, value_name = "OUT.npy|csv|tsv")]
    pub output: Option<PathBuf>,
    /// Compute and store in single precision (4 bytes a number)
    #[arg(long)]
    pub single: bool,
    /// How the data becomes vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// The words of `mercer kernel spectrum`.
#[derive(Debug, Args)]
pub struct SpectrumArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// The sample (a file, or - for standard input); without one, --under names the law
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// A law with a closed form instead of data: uniform (on [0, 1]), interval:FROM:TO, gaussian:DEVIATION
    #[arg(long, value_name = "LAW", conflicts_with = "data", required_unless_present = "data")]
    pub under: Option<String>,
    /// How many eigenvalues
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub components: usize,
    /// How the data becomes vectors.
    #[command(flatten)]
    pub options: DataOptions,
}
