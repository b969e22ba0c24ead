//! Arguments of `mercer embed …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::features::{FourierForm, Landmarks, Sampling};

use super::common::positive;
use super::learner::ViewArguments;
use super::{DataOptions, help};

/// Explicit features of the rows of a file.
#[derive(Debug, Subcommand)]
pub enum EmbedCommand {
    /// Random Fourier features of a shift-invariant kernel
    #[command(after_help = help::EMBED_FOURIER)]
    Fourier(FourierArguments),
    /// Random binning features of a product kernel with convex profiles: the cell of every row in
    /// every grid
    #[command(after_help = help::EMBED_BINNING)]
    Binning(BinningArguments),
    /// Nyström features from a few landmarks
    #[command(after_help = help::EMBED_NYSTROM)]
    Nystrom(NystromArguments),
    /// Sparse features of a kernel that counts parts of strings or graphs: their inner products are
    /// the kernel values exactly
    #[command(after_help = help::EMBED_FEATURES)]
    Features(FeaturesArguments),
    /// Views of the catalogue.
    #[command(flatten)]
    View(ViewArguments),
}

/// Options common to all feature maps.
#[derive(Debug, Args)]
pub struct EmbedData {
    /// File whose rows are the points (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The kernel [default: gaussian(lengthscale=median); of binning laplacian(lengthscale=median,
    /// norm=l1)]
    #[arg(long, value_name = "EXPR")]
    pub kernel: Option<String>,
    /// Output file of the features: .npy, or .csv with numbers that round-trip exactly
    #[arg(short, long, value_name = "OUT.npy|csv")]
    pub output: Option<PathBuf>,
    /// Output file of the model, for mercer transform
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Conversion of the data to vectors.
    #[command(flatten)]
    pub options: DataOptions,
}

/// Arguments of `mercer embed fourier`.
#[derive(Debug, Args)]
pub struct FourierArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// Number of output columns
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = positive)]
    pub components: usize,
    /// One cosine and one sine per frequency, or one cosine with a random offset
    #[arg(long, value_enum, default_value_t = KindWord::Pair)]
    pub kind: KindWord,
    /// Sampling of the frequencies
    #[arg(long, value_enum, default_value_t = SamplingWord::Iid)]
    pub sampling: SamplingWord,
}

/// Arguments of `mercer embed binning`.
#[derive(Debug, Args)]
pub struct BinningArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// Number of random grids
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive)]
    pub components: usize,
    /// Number of output columns per grid, into which its cells are hashed
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = positive)]
    pub buckets: usize,
}

/// Arguments of `mercer embed nystrom`.
#[derive(Debug, Args)]
pub struct NystromArguments {
    /// The data and the kernel.
    #[command(flatten)]
    pub data: EmbedData,
    /// Maximum number of landmarks
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive)]
    pub components: usize,
    /// Selection of the landmarks
    #[arg(long, value_enum, default_value_t = LandmarksWord::Rpcholesky)]
    pub landmarks: LandmarksWord,
    /// Stop when the residual is at most this fraction of the trace
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Maximum number of features that are kept of the landmarks
    #[arg(long, value_name = "N", value_parser = positive)]
    pub rank: Option<usize>,
}

/// Arguments of `mercer embed features`.
#[derive(Debug, Args)]
pub struct FeaturesArguments {
    /// Text column, FASTA file or folder of graphs, or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The kernel: spectrum, mismatch, words, vertex_histogram, weisfeiler_lehman or shortest_path;
    /// sums, multiples and normalized ones of these
    #[arg(long, value_name = "EXPR")]
    pub kernel: String,
    /// Output file: .csv with the columns row, feature and value, or .libsvm
    #[arg(short, long, value_name = "OUT.csv|libsvm")]
    pub output: Option<PathBuf>,
    /// Conversion of the data to points.
    #[command(flatten)]
    pub options: DataOptions,
}

/// Features per frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindWord {
    /// (cos, sin)
    Pair,
    /// √2 cos(· + b)
    Offset,
}

/// Sampling of frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingWord {
    /// Independently
    Iid,
    /// In orthogonal frames
    Orthogonal,
    /// Quasi-Monte Carlo: a randomized Halton sequence
    Qmc,
}

impl From<KindWord> for FourierForm {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::Pair => Self::Pair,
            KindWord::Offset => Self::Offset,
        }
    }
}

impl From<SamplingWord> for Sampling {
    fn from(word: SamplingWord) -> Self {
        match word {
            SamplingWord::Iid => Self::Iid,
            SamplingWord::Orthogonal => Self::Orthogonal,
            SamplingWord::Qmc => Self::QuasiMonteCarlo,
        }
    }
}

/// Selection of landmarks.
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
    /// Pivoted Cholesky with the largest pivot first
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
