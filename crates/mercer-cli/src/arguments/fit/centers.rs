//! The words of fits on a few centers.

use clap::Args;
use mercer::learn::centers::{Centers, EarlyStopping};

use super::super::common::positive;
use super::super::embed::LandmarksWord;
use super::numbers::{level, positive_number};

/// Iterations without a better score of the rows kept apart before a fit stops.
const PATIENCE: usize = 5;

/// The words of the centers of a learner.
#[derive(Debug, Args)]
#[command(next_help_heading = "Centers")]
pub struct CenterWords {
    /// Functions on this many centers instead of all rows: an approximation for many rows, said so in the report
    #[arg(long, value_name = "M", value_parser = positive)]
    pub centers: Option<usize>,
    /// How the centers are chosen
    #[arg(long, value_enum, value_name = "NAME", default_value = "uniform")]
    pub landmarks: LandmarksWord,
    /// Stop the iteration on centers at this relative residual
    #[arg(long, value_name = "TOL", value_parser = positive_number, allow_negative_numbers = true, default_value = "1e-7")]
    pub center_tol: f64,
    /// At most this many passes over rows and centers
    #[arg(long, value_name = "N", value_parser = positive, default_value = "200")]
    pub center_iter: usize,
    /// Keep this share of the rows apart, and stop when their loss gets no better
    #[arg(long, value_name = "SHARE", value_parser = level)]
    pub held_out: Option<f64>,
}

impl CenterWords {
    /// The centers, where the words or the solver ask for some.
    pub fn centers(&self, requested: bool) -> Option<Centers> {
        (requested || self.centers.is_some()).then(|| Centers {
            count: self.centers,
            landmarks: self.landmarks.into(),
            tolerance: self.center_tol,
            max_iterations: self.center_iter,
            held_out: self.held_out.map(|share| EarlyStopping { share, patience: PATIENCE }),
        })
    }
}
