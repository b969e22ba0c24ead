//! Logistic regression on features, one pass over the file for every step.

use ndarray::{ArrayView1, ArrayView2};

use super::checkpoint::{Checkpoint, Facts};
use super::fit::StreamedModel;
use super::repeated::{AfterPass, PassStream};
use super::survey::SurveyedFile;
use crate::learn::{LogisticStep, LogisticStream, StreamedLogistic};
use crate::model::Model;
use crate::record::Record;
use crate::{Compute, Error, Result};

impl PassStream for LogisticStream {
    fn take(
        &mut self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        self.update(x, y, weights, compute)
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
    /// Fits a logistic regression on features to the classes of the target
    /// ([`SurveyedFile::of_classes`]). The guarantee on the bytes of [`SurveyedFile::fit`] holds here
    /// too; a checkpoint is written after every pass, and in long passes.
    ///
    /// A fit that stops before its tolerance reports it in
    /// [`StreamedLogisticFit::converged`](crate::learn::StreamedLogisticFit::converged).
    ///
    /// # Errors
    /// [`Error::Request`] for a file that was not looked at as one of classes; as
    /// [`SurveyedFile::fit`] and [`StreamedLogistic::start`].
    pub fn fit_logistic(
        &self,
        spec: &StreamedLogistic,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedModel> {
        let names = self.classes().ok_or_else(|| Error::request("the target of the file was not read as classes"))?;
        let facts = self.facts_with(facts_of(spec), "passes of Newton's method", compute);
        let quiet = compute.silent();
        let start = || spec.start(self.sample_points(), names.len(), &quiet);
        let next = |stream: LogisticStream| {
            Ok(match stream.next(&quiet)? {
                LogisticStep::Done(fit) => AfterPass::Done(*fit),
                LogisticStep::Again(stream) => AfterPass::Again(*stream),
            })
        };
        let stored = checkpoint.map(|checkpoint| (checkpoint, &facts));
        let (fit, resumed_at) = self.in_passes(start, next, stored, compute)?;
        Ok(StreamedModel { model: Model::new(fit, self.inputs())?.with_classes(names.to_vec())?, resumed_at })
    }
}

fn facts_of(spec: &StreamedLogistic) -> Facts {
    Facts::from([
        ("features", format!("{:?}", spec.features)),
        ("lambda", spec.lambda.to_string()),
        ("intercept", spec.intercept.to_string()),
        ("tolerance", spec.tolerance.to_string()),
        ("max_passes", spec.max_passes.to_string()),
    ])
}
