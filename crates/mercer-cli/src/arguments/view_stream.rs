//! Arguments of views of files that are longer than memory.

use std::path::PathBuf;

use clap::Args;

use super::common::positive;
use super::fit::FeatureWord;

/// Options of a view of a file that is read in chunks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Data longer than memory")]
pub struct ViewStreamWords {
    /// Read DATA in chunks and fit on features in bounded memory (automatic if DATA is larger than
    /// the memory limit)
    #[arg(long)]
    pub stream: bool,
    /// Feature map of a streamed fit
    #[arg(long, value_enum, value_name = "KIND", default_value = "nystrom")]
    pub features: FeatureWord,
    /// Number of features of a streamed fit (default: that of --landmarks, or 500)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub feature_count: Option<usize>,
    /// Checkpoint file of a streamed fit; it is removed when the model is saved
    #[arg(long, value_name = "FILE", requires = "model")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint if it exists: the model is byte-identical to that of an
    /// uninterrupted fit
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}
