//! Flags that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::io::Format;
use mercer::points::{Missing, Scaling};

/// Flags common to all commands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Common flags")]
pub struct Common {
    /// Print one JSON object to standard output, and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Suppress the progress bar and the remarks on standard error
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Seed of the random number generator
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Number of threads (default: all cores); the result does not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = positive)]
    pub threads: Option<usize>,
    /// Memory limit, such as 2GB or 512MiB (default: 80 % of the free memory)
    #[arg(long, global = true, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Choose methods with an expected time of at most this many seconds, and report the choice;
    /// searches stop at half of the time with the best result so far, support vector machines at
    /// its end with the model so far
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub budget_time: Option<f64>,
    /// Write a picture of the result
    #[arg(long, global = true, value_name = "FILE.svg|png", value_parser = picture)]
    pub plot: Option<PathBuf>,
    /// Write the result as a self-contained HTML page with text, tables and pictures
    #[arg(long, global = true, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Allow an output file that is also an input (or another output): it is replaced
    #[arg(long, global = true)]
    pub force: bool,
    /// Format of the data: csv, tsv, libsvm, npy, parquet, fasta, tu, graphml or edges (default: by
    /// file extension; a folder holds graphs)
    #[arg(long, global = true, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,
}

/// Options of the conversion of a table to points.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Data")]
pub struct DataOptions {
    /// Use only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Scaling of the numeric columns
    #[arg(long, value_enum, value_name = "RULE")]
    pub scale: Option<Scale>,
    /// Handling of missing values (default: an error with row and column)
    #[arg(long, value_enum, value_name = "RULE")]
    pub missing: Option<Gap>,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
}

impl DataOptions {
    /// Whether columns are named, or have rules.
    pub fn has_rules(&self) -> bool {
        !self.columns.is_empty() || self.scale.is_some() || self.missing.is_some() || self.objects.is_given()
    }
}

/// Options of data that are not rows of numbers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Data")]
pub struct ObjectOptions {
    /// Every value of this column of a long table names a bag, whose rows are its points; with a
    /// kernel on persistence diagrams, a diagram of the columns birth and death
    #[arg(long, value_name = "COL")]
    pub bag: Option<String>,
    /// A table with more columns, such as the targets of sequences or graphs: its rows are found by
    /// the column id
    #[arg(long, value_name = "FILE.csv")]
    pub labels: Option<PathBuf>,
}

impl ObjectOptions {
    /// Whether there is any.
    pub fn is_given(&self) -> bool {
        self.bag.is_some() || self.labels.is_some()
    }
}

/// Rules for the scale of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Mean 0 and standard deviation 1
    Standardize,
    /// Onto the interval from 0 to 1
    Unit,
}

impl From<Scale> for Scaling {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Standardize => Self::Standardize,
            Scale::Unit => Self::UnitInterval,
        }
    }
}

/// Rules for missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Gap {
    /// Drop rows with a missing value
    Drop,
    /// Replace by the mean of the column
    Mean,
    /// Replace by zero
    Zero,
}

impl From<Gap> for Missing {
    fn from(gap: Gap) -> Self {
        match gap {
            Gap::Drop => Self::DropRows,
            Gap::Mean => Self::Mean,
            Gap::Zero => Self::Zero,
        }
    }
}

/// An integer of at least 1.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("a whole number of at least 1 is needed".into()),
    }
}

/// A number of seconds above 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('s').parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0);
    value.ok_or_else(|| "a number of seconds above 0 is needed".into())
}

/// A size with its unit.
pub fn bytes(text: &str) -> Result<u64, String> {
    mercer::compute::parse_bytes(text).map_err(|_| "a positive size such as 2GB, 512MiB or 1000000 is needed".into())
}

fn format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|_| "the formats are csv, tsv, libsvm, npy, parquet, fasta, tu, graphml and edges".into())
}

fn picture(text: &str) -> Result<PathBuf, String> {
    let lower = text.to_ascii_lowercase();
    if lower.ends_with(".svg") || lower.ends_with(".png") {
        Ok(text.into())
    } else {
        Err("the name must end in .svg or .png".into())
    }
}
