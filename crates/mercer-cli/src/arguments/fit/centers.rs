//! Arguments of fits on a few centers.

use clap::Args;
use mercer::learn::centers::{Centers, EarlyStopping};

use super::super::common::positive;
use super::super::embed::LandmarksWord;
use super::numbers::{level, positive_number};

/// Flags of the centers of a learner.
#[derive(Debug, Args)]
#[command(next_help_heading = "Centers")]
pub struct CenterWords {
    /// Number of centers instead of all rows: an approximation for large data, noted in the report
    #[arg(long, value_name = "M", value_parser = positive)]
    pub centers: Option<usize>,
    /// Selection of the centers
    #[arg(long, value_enum, value_name = "NAME", default_value = "uniform")]
    pub landmarks: LandmarksWord,
    /// Relative residual at which the iteration on centers stops
    #[arg(long, value_name = "TOL", value_parser = positive_number, allow_negative_numbers = true, default_value = "1e-7")]
    pub center_tol: f64,
    /// Maximum number of passes over rows and centers
    #[arg(long, value_name = "N", value_parser = positive, default_value = "200")]
    pub center_iter: usize,
    /// Fraction of rows held out for early stopping
    #[arg(long, value_name = "SHARE", value_parser = level)]
    pub held_out: Option<f64>,
    /// Iterations without an improvement on the held-out rows before the fit stops
    #[arg(long, value_name = "N", value_parser = positive, default_value = "5", requires = "held_out")]
    pub held_out_patience: usize,
}

impl CenterWords {
    /// The centers, if the flags or the solver request them.
    pub fn centers(&self, requested: bool) -> Option<Centers> {
        (requested || self.centers.is_some()).then(|| Centers {
            count: self.centers,
            landmarks: self.landmarks.into(),
            tolerance: self.center_tol,
            max_iterations: self.center_iter,
            held_out: self.held_out.map(|share| EarlyStopping { share, patience: self.held_out_patience }),
        })
    }
}
