//! Arguments of views of files that are longer than memory.

use std::path::PathBuf;

use clap::Args;

/// The heading of the flags below.
pub const HEADING: &str = "Data longer than memory";

/// Options of a view of a file that is read in chunks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct ViewStreamWords {
    /// Read DATA in chunks and fit on features in bounded memory (automatic if DATA is larger than
    /// the memory limit)
    #[arg(long)]
    pub stream: bool,
    /// Checkpoint file of a streamed fit; it is removed when the model is saved
    #[arg(long, value_name = "FILE", requires = "model")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint if it exists: the model is byte-identical to that of an
    /// uninterrupted fit
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}
