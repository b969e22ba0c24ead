//! The words of fits that read DATA in chunks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::common::positive;

/// How a fit is made in one pass over a file that need not fit into memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data longer than memory")]
pub struct StreamWords {
    /// Read DATA in chunks and fit on features, in bounded memory (by itself when DATA is larger than the limit)
    #[arg(long)]
    pub stream: bool,
    /// The features of a streamed fit
    #[arg(long, value_enum, value_name = "KIND", default_value = "nystrom")]
    pub features: FeatureWord,
    /// How many features (default: 1000, or as many as the memory limit allows)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub components: Option<usize>,
    /// Keep a streamed fit in this file on the way; it is removed when the model is saved
    #[arg(long, value_name = "FILE", requires = "output")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint where there is one: the model has the bytes of a fit that was never stopped
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// Features by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FeatureWord {
    /// The kernel from landmarks in a sample of the rows, for every kernel
    Nystrom,
    /// Waves of random frequencies, for shift-invariant kernels
    Fourier,
}
