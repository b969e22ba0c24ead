//! Arguments of conformal prediction.

use clap::{Args, ValueEnum};
use mercer::conformal::{Conformal, ConformalMethod, SetScore};

use super::numbers;

/// What `--interval` requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntervalWord {
    /// The interval of the model, of this level.
    Level(f64),
    /// The interval of the model, of the level of `--level`.
    Model,
    /// The conformal interval, of the level of `--level`.
    Conformal,
}

impl IntervalWord {
    /// The level without one.
    pub const DEFAULT: f64 = 0.95;
}

/// A level, `model` or `conformal`.
pub fn interval(text: &str) -> Result<IntervalWord, String> {
    match text {
        "model" => Ok(IntervalWord::Model),
        "conformal" => Ok(IntervalWord::Conformal),
        level => {
            let requested = "a probability between 0 and 1, such as 0.95, or model or conformal, is needed";
            numbers::level(level).map(IntervalWord::Level).map_err(|_| requested.into())
        }
    }
}

fn method(text: &str) -> Result<ConformalMethod, String> {
    ConformalMethod::of_name(text).map_err(|_| "auto, jackknife+, cv+ or split is needed".into())
}

/// Calibration of a fit.
#[derive(Clone, Debug, Args)]
pub struct ConformalWords {
    /// Calibrate the fit for conformal intervals or sets of classes (mercer predict --interval
    /// conformal): auto, jackknife+ (no further fit; ridge and gp), cv+ (a fit per fold) or split
    /// (one fit)
    #[arg(long, value_name = "METHOD", num_args = 0..=1, default_missing_value = "auto", value_parser = method)]
    #[arg(help_heading = "Conformal prediction")]
    pub conformal: Option<ConformalMethod>,
    /// Folds of cv+
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..))]
    #[arg(requires = "conformal", help_heading = "Conformal prediction")]
    pub conformal_folds: u64,
    /// Share of the rows that split holds out
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = numbers::level)]
    #[arg(requires = "conformal", help_heading = "Conformal prediction")]
    pub conformal_share: f64,
    /// Score of sets of classes: lac (small sets) or aps (sets adapt to the point; needs
    /// probabilities)
    #[arg(long, value_enum, value_name = "SCORE", default_value = "lac", requires = "conformal")]
    #[arg(help_heading = "Conformal prediction")]
    pub set_score: ScoreWord,
    /// Randomize the score aps by the seed: exact coverage instead of a little more
    #[arg(long, requires = "conformal", help_heading = "Conformal prediction")]
    pub randomized_sets: bool,
}

/// Scores of sets of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScoreWord {
    /// 1 − p
    Lac,
    /// Sum of the probabilities down to the class
    Aps,
}

impl Default for ConformalWords {
    fn default() -> Self {
        let Conformal { folds, held_out, .. } = Conformal::default();
        Self {
            conformal: None,
            conformal_folds: folds as u64,
            conformal_share: held_out,
            set_score: ScoreWord::Lac,
            randomized_sets: false,
        }
    }
}

impl ConformalWords {
    /// The calibration that was requested.
    pub fn specification(&self) -> Option<Conformal> {
        let score = match self.set_score {
            ScoreWord::Lac => SetScore::Lac,
            ScoreWord::Aps => SetScore::Aps,
        };
        self.conformal.map(|method| Conformal {
            method,
            folds: self.conformal_folds as usize,
            held_out: self.conformal_share,
            score,
            randomized: self.randomized_sets,
        })
    }
}
