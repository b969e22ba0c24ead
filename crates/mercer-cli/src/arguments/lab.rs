//! Arguments of `mercer lab`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `mercer lab`.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// Data to open the page with (CSV, TSV, LIBSVM, NPY, Parquet, FASTA, or a folder of graphs); other data is chosen on
    /// the page
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Port of the page (default: any free port)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Print the address, and do not open a browser
    #[arg(long, alias = "no-open")]
    pub no_browser: bool,
}
