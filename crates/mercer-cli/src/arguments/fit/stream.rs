//! Arguments of fits that read DATA in chunks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::io::RowPart;

use super::super::common::positive;

/// Options of fitting in one pass over a file larger than memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data longer than memory")]
pub struct StreamWords {
    /// Read DATA in chunks and fit on features in bounded memory (automatic if DATA is larger than
    /// the memory limit)
    #[arg(long)]
    pub stream: bool,
    /// Feature map of a streamed fit
    #[arg(long, value_enum, value_name = "KIND", default_value = "nystrom")]
    pub features: FeatureWord,
    /// Number of features (default: 1000, or as many as the memory limit allows)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub components: Option<usize>,
    /// Checkpoint file of a streamed fit; it is removed when the model is saved
    #[arg(long, value_name = "FILE", requires = "output")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint if it exists: the model is byte-identical to that of an
    /// uninterrupted fit
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

impl StreamWords {
    /// What is said to options that a fit in memory would not look at.
    pub fn without_effect(&self) -> Option<&'static str> {
        self.components.is_some().then_some(
            "--components: only a streamed fit is on features; add --stream, or give --centers for a fit in memory",
        )
    }
}

/// Options of a part of a fit that several machines share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many machines")]
pub struct PartWords {
    /// One of several parts of the rows, as in 2/5: write its statistics, for `mercer merge`
    #[arg(long, value_name = "I/K", requires = "statistics")]
    pub part: Option<RowPart>,
    /// File of the statistics of a part
    #[arg(long, value_name = "FILE", requires = "part", conflicts_with_all = ["output", "checkpoint"])]
    pub statistics: Option<PathBuf>,
}

/// Feature maps by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FeatureWord {
    /// Nyström features with landmarks from a sample of the rows, for every kernel
    Nystrom,
    /// Random Fourier features, for shift-invariant kernels
    Fourier,
}
