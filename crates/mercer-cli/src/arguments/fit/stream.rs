//! Arguments of fits that read DATA in chunks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::Kernel;
use mercer::features::{FeatureSpec, Landmarks, Nystrom, RandomFourier};
use mercer::io::RowPart;

use super::super::common::positive;
use super::super::embed::{KindWord, SamplingWord};
use super::numbers::non_negative;

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
    /// One cosine and one sine per frequency, or one cosine with a random offset (--features
    /// fourier)
    #[arg(long, value_enum, value_name = "FORM")]
    pub form: Option<KindWord>,
    /// Sampling of the frequencies (--features fourier)
    #[arg(long, value_enum, value_name = "NAME")]
    pub sampling: Option<SamplingWord>,
    /// Share of the trace at which landmarks are enough (--features nystrom)
    #[arg(long, value_name = "SHARE", value_parser = non_negative, allow_negative_numbers = true)]
    pub feature_tolerance: Option<f64>,
    /// Maximum number of features that are kept of the landmarks (--features nystrom)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub rank: Option<usize>,
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
        if self.components.is_some() {
            return Some(
                "--components: only a streamed fit is on features; add --stream, or give --centers for a fit in memory",
            );
        }
        let given = self.form.is_some() || self.sampling.is_some();
        let given = given || self.feature_tolerance.is_some() || self.rank.is_some();
        given.then_some(
            "--form, --sampling, --feature-tolerance, --rank: only a streamed fit is on features; add --stream",
        )
    }

    /// What is said to options of the other feature map.
    pub fn of_other_features(&self) -> Option<&'static str> {
        match self.features {
            FeatureWord::Nystrom => (self.form.is_some() || self.sampling.is_some())
                .then_some("--form, --sampling: landmarks have no frequencies; add --features fourier"),
            FeatureWord::Fourier => (self.feature_tolerance.is_some() || self.rank.is_some())
                .then_some("--feature-tolerance, --rank: random frequencies have no landmarks; leave them out"),
        }
    }

    /// The features of a streamed fit, with landmarks of their default selection or another one.
    pub fn spec(&self, kernel: Kernel, components: usize, landmarks: Option<Landmarks>) -> FeatureSpec {
        match self.features {
            FeatureWord::Nystrom => {
                let plain = Nystrom::new(kernel, components);
                FeatureSpec::Nystrom(Nystrom {
                    landmarks: landmarks.unwrap_or(plain.landmarks),
                    tolerance: self.feature_tolerance.unwrap_or(plain.tolerance),
                    rank: self.rank,
                    ..plain
                })
            }
            FeatureWord::Fourier => {
                let plain = RandomFourier::new(kernel, components);
                FeatureSpec::Fourier(RandomFourier {
                    form: self.form.map_or(plain.form, Into::into),
                    sampling: self.sampling.map_or(plain.sampling, Into::into),
                    ..plain
                })
            }
        }
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
