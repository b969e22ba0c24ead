//! Arguments of `mercer kernel …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{DataOptions, help};

/// The kernel commands.
#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// List all kernels by family, or show the page of one
    #[command(after_help = help::LIST)]
    List(ListArguments),
    /// Explain a kernel: parameters, domain, every property with its proof
    #[command(after_help = help::EXPLAIN)]
    Explain(ExplainArguments),
    /// Prove or refute that a kernel is positive semi-definite
    #[command(after_help = help::CHECK)]
    Check(CheckArguments),
    /// Compute the Gram matrix K = [k(xᵢ, xⱼ)] of the rows of a file
    #[command(after_help = help::GRAM)]
    Gram(GramArguments),
    /// Compute eigenvalues of the integral operator of a kernel under a sample or a distribution
    #[command(after_help = help::SPECTRUM)]
    Spectrum(SpectrumArguments),
}

/// Kernel commands that have a plan.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// The plan of a Gram matrix
    Gram(GramArguments),
}

/// Arguments of `mercer kernel list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// The name of one kernel, for its page
    pub name: Option<String>,
}

/// Arguments of `mercer kernel explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The kernel, such as "2*gaussian(lengthscale=0.5) + linear()"
    #[arg(value_name = "EXPR")]
    pub kernel: String,
}

/// Arguments of `mercer kernel check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// Points to check first (a file, or - for standard input); the search adds further points
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Conversion of the data to vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// Arguments of `mercer kernel gram`.
#[derive(Debug, Args)]
pub struct GramArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// File whose rows are the points (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Second file, for the columns of K: K = [k(xᵢ, yⱼ)]
    #[arg(long, value_name = "DATA2")]
    pub against: Option<PathBuf>,
    /// Output file of the matrix: .npy, or .csv and .tsv with numbers that round-trip exactly
    #[arg(short, long, value_name = "OUT.npy|csv|tsv")]
    pub output: Option<PathBuf>,
    /// Compute and store in single precision (4 bytes per value)
    #[arg(long)]
    pub single: bool,
    /// Order of the rows and columns in the picture: spectrum (along the first principal component
    /// of the kernel), or the groups of this column, which then is not an input
    #[arg(long, value_name = "spectrum|COL", conflicts_with = "against")]
    pub order: Option<String>,
    /// Conversion of the data to vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// Arguments of `mercer kernel spectrum`.
#[derive(Debug, Args)]
pub struct SpectrumArguments {
    /// The kernel
    #[arg(value_name = "EXPR")]
    pub kernel: String,
    /// The sample (a file, or - for standard input); without it, --under names the distribution
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// A distribution with a closed form instead of data: uniform (on [0, 1]), interval:FROM:TO,
    /// gaussian:DEVIATION
    #[arg(long, value_name = "LAW", conflicts_with = "data", required_unless_present = "data")]
    pub under: Option<String>,
    /// Number of eigenvalues
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub components: usize,
    /// Conversion of the data to vectors.
    #[command(flatten)]
    pub options: DataOptions,
}
