//! Logistic regression on features, one pass over the file for every step.

use super::checkpoint::{Checkpoint, Facts};
use super::fit::{Resumed, StreamedModel};
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::learn::{LogisticStep, LogisticStream, StreamedLogistic, StreamedLogisticFit};
use crate::model::Model;
use crate::record::Record;
use crate::{Compute, Error, Result};

/// Where the passes stand.
struct Work {
    stream: LogisticStream,
    next_row: usize,
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
        let record = checkpoint.map_or(Ok(None), |checkpoint| checkpoint.load(&facts, compute))?;
        let (mut work, resumed_at) = match (record, checkpoint) {
            (Some(record), Some(checkpoint)) => {
                let work = Work::from_record(record).map_err(|e| checkpoint.damaged(e))?;
                let passes = work.stream.passes();
                (work, Some(Resumed::Passes(passes)))
            }
            _ => (Work { stream: spec.start(self.sample_points(), names.len(), &quiet)?, next_row: 0 }, None),
        };
        let fit = loop {
            let stored = checkpoint.map(|checkpoint| (checkpoint, &facts));
            match self.step(work, stored, compute)? {
                LogisticStep::Done(fit) => break *fit,
                LogisticStep::Again(stream) => work = Work { stream: *stream, next_row: 0 },
            }
            if let Some((checkpoint, facts)) = stored {
                checkpoint.save(work.to_record(), facts)?;
            }
        };
        let model = Model::new(fit, self.inputs())?.with_classes(names.to_vec())?;
        debug_assert!(model.fit::<StreamedLogisticFit>().is_some());
        Ok(StreamedModel { model, resumed_at })
    }

    /// The rest of a pass, and its step.
    fn step(
        &self,
        mut work: Work,
        checkpoint: Option<(&Checkpoint, &Facts)>,
        compute: &Compute,
    ) -> Result<LogisticStep> {
        let (quiet, label) = (compute.silent(), format!("pass {}", work.stream.passes() + 1));
        let mut saved = None;
        for chunk in self.file.chunks(work.next_row, height(&self.file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &self.rules.roles, self.rules.leave_out)?;
            let stream = &mut work.stream;
            let given = self.give(&part, &mut |x, y, weights| stream.update(x, y, weights, &quiet));
            given.map_err(|e| part.in_file(e))?;
            work.next_row = chunk.first_row + chunk.table.rows();
            compute.report(&label, chunk.position, self.file.size());
            let since = chunk.position - *saved.get_or_insert(chunk.position.min(self.file.size()));
            if let Some((checkpoint, facts)) = checkpoint.filter(|(c, _)| since >= c.every) {
                checkpoint.save(work.to_record(), facts)?;
                saved = Some(chunk.position);
            }
        }
        if work.stream.rows() != self.rows() as u64 {
            return Err(Error::mismatch(
                "the file changed while it was read",
                format!("{} rows at first", self.rows()),
                format!("{} later", work.stream.rows()),
                "fit again",
            ));
        }
        work.stream.next(&quiet)
    }
}

impl Work {
    fn to_record(&self) -> Record {
        let mut record = self.stream.to_record();
        record.put_text("next_row", self.next_row);
        record
    }

    fn from_record(record: Record) -> Result<Self> {
        let next_row = record.text("next_row")?;
        let next_row = next_row.parse().map_err(|_| Error::parameter("next_row", next_row, "a whole number"))?;
        Ok(Self { stream: LogisticStream::from_record(record)?, next_row })
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
