//! Views of a file through features, pass by pass.

use ndarray::{ArrayView1, ArrayView2};

use super::checkpoint::{Checkpoint, Facts};
use super::fit::StreamedModel;
use super::repeated::{AfterPass, PassStream};
use super::survey::SurveyedFile;
use crate::model::{AnyFit, Model};
use crate::record::Record;
use crate::settings::Settings;
use crate::view::streamed::{ViewStep, ViewStream};
use crate::{Compute, Result};

impl PassStream for ViewStream {
    fn take(
        &mut self,
        x: ArrayView2<f64>,
        _: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        self.update(x, weights, compute)
    }

    fn rows(&self) -> u64 {
        Self::rows(self)
    }

    fn passes(&self) -> usize {
        Self::passes(self)
    }

    fn to_record(&self) -> Record {
        Self::to_record(self)
    }

    fn from_record(record: Record) -> Result<Self> {
        Self::from_record(record)
    }
}

impl SurveyedFile {
    /// Fits a view through features, a learner of the catalogue (`streamed_pca`,
    /// `streamed_kmeans`), to the rows of the file ([`SurveyedFile::of_points`]). The guarantee on the
    /// bytes of [`SurveyedFile::fit`] holds here too; a checkpoint is written after every pass, and
    /// in long passes.
    ///
    /// # Errors
    /// As [`SurveyedFile::fit`] and [`ViewStream::start`].
    pub fn fit_view(
        &self,
        learner: &str,
        settings: &Settings,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedModel> {
        let own = Facts::from([("learner", learner.to_owned()), ("settings", format!("{settings:?}"))]);
        let facts = self.facts_with(own, "passes over the features", compute);
        let quiet = compute.silent();
        let start = || ViewStream::start(learner, settings, self.sample_points(), self.sample_weights(), &quiet);
        let next = |stream: ViewStream| {
            Ok(match stream.next(&quiet)? {
                ViewStep::Done(fit) => AfterPass::Done(fit),
                ViewStep::Again(stream) => AfterPass::Again(*stream),
            })
        };
        let stored = checkpoint.map(|checkpoint| (checkpoint, &facts));
        let (fit, resumed_at) = self.in_passes(start, next, stored, compute)?;
        Ok(StreamedModel { model: Model::new(AnyFit::from(fit), self.inputs())?, resumed_at })
    }
}
