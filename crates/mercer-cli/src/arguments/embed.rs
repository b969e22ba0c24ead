//! The words of `mercer embed …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::features::Landmarks;

use super::common::positive;
use super::{DataOptions, help};

/// Explicit features of the rows of a file.
#[derive(Debug, Subcommand)]
pub enum EmbedCommand {
    /// Random Fourier features of a shift-invariant kernel
    #[command(after_help = help::EMBED_FOURIER)]
    Fourier(FourierArguments),
    /// Random binning features of a product over columns with convex profiles: the cell of every row on every grid
    #[command(after_help = help::EMBED_BINNING)]
    Binning(BinningArguments),
    /// Nyström features: the kernel seen from a few landmarks
    #[command(after_help = help::EMBED_NYSTROM)]
    Nystrom(NystromArguments),
}

/// What all of them need.
#[derive(Debug, Args)]
pub struct EmbedData {
    /// The file whose rows are the points (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The kernel
    #[arg(long, value_name = "EXPR", default_value = "gaussian(lengthscale=median)")]
    pub kernel: String,
    /// Where the features go: .npy, or .csv with numbers that read back exactly
    #[arg(short, long, value_name = "OUT.npy|csv")]
    pub output: Option<PathBuf>,
    /// How the data becomes vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// The words of `mercer embed fourier`.
#[derive(Debug, Args)]
pub struct FourierArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// The columns that come out
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = positive)]
    pub components: usize,
    /// A cosine and a sine per frequency, or a cosine with a random offset
    #[arg(long, value_enum, default_value_t = KindWord::Pair)]
    pub kind: KindWord,
    /// How the frequencies are drawn
    #[arg(long, value_enum, default_value_t = SamplingWord::Iid)]
    pub sampling: SamplingWord,
}

/// The words of `mercer embed binning`.
#[derive(Debug, Args)]
pub struct BinningArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// How many grids
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive)]
    pub components: usize,
    /// Columns of the features for each grid, into which its cells are hashed
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = positive)]
    pub buckets: usize,
}

/// The words of `mercer embed nystrom`.
#[derive(Debug, Args)]
pub struct NystromArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// The landmarks, at most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive)]
    pub components: usize,
    /// How they are chosen
    #[arg(long, value_enum, default_value_t = LandmarksWord::Rpcholesky)]
    pub landmarks: LandmarksWord,
    /// Stop when the landmarks leave no more than this share of the trace
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub tolerance: f64,
}

/// How a frequency becomes features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindWord {
    /// (cos, sin)
    Pair,
    /// √2 cos(· + b)
    Offset,
}

/// How frequencies are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingWord {
    /// Independently
    Iid,
    /// In orthogonal frames
    Orthogonal,
    /// Evenly: a randomized Halton sequence
    Qmc,
}

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LandmarksWord {
    /// Randomly pivoted Cholesky
    Rpcholesky,
    /// Uniformly
    Uniform,
    /// k-means++ in the feature space
    Kmeans,
    /// By ridge leverage scores
    Leverage,
    /// Pivoted Cholesky, the largest first
    Greedy,
}

impl From<LandmarksWord> for Landmarks {
    fn from(word: LandmarksWord) -> Self {
        match word {
            LandmarksWord::Rpcholesky => Self::RandomPivots,
            LandmarksWord::Uniform => Self::Uniform,
            LandmarksWord::Kmeans => Self::KMeans,
            LandmarksWord::Leverage => Self::Leverage,
            LandmarksWord::Greedy => Self::Greedy,
        }
    }
}
