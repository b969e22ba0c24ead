//! Views of a file through features, pass by pass.

use super::checkpoint::{Checkpoint, Facts};
use super::fit::{Resumed, StreamedModel};
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::model::{AnyFit, Model};
use crate::record::Record;
use crate::settings::Settings;
use crate::view::streamed::{ViewStep, ViewStream};
use crate::{Compute, Error, Result};

/// Where the passes stand.
struct Work {
    stream: ViewStream,
    next_row: usize,
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
        let record = checkpoint.map_or(Ok(None), |checkpoint| checkpoint.load(&facts, compute))?;
        let (mut work, resumed_at) = match (record, checkpoint) {
            (Some(record), Some(checkpoint)) => {
                let work = Work::from_record(record).map_err(|e| checkpoint.damaged(e))?;
                let at = match work.stream.passes() {
                    0 => Resumed::Row(work.next_row),
                    passes => Resumed::Passes(passes),
                };
                (work, Some(at))
            }
            _ => {
                let (sample, weights) = (self.sample_points(), self.sample_weights());
                let stream = ViewStream::start(learner, settings, sample, weights, &compute.silent())?;
                (Work { stream, next_row: 0 }, None)
            }
        };
        let stored = checkpoint.map(|checkpoint| (checkpoint, &facts));
        let fit = loop {
            match self.pass_of_view(work, stored, compute)? {
                ViewStep::Done(fit) => break fit,
                ViewStep::Again(stream) => work = Work { stream: *stream, next_row: 0 },
            }
            if let Some((checkpoint, facts)) = stored {
                checkpoint.save(work.to_record(), facts)?;
            }
        };
        Ok(StreamedModel { model: Model::new(AnyFit::from(fit), self.inputs())?, resumed_at })
    }

    /// The rest of a pass, and its end.
    fn pass_of_view(
        &self,
        mut work: Work,
        checkpoint: Option<(&Checkpoint, &Facts)>,
        compute: &Compute,
    ) -> Result<ViewStep> {
        let (quiet, label) = (compute.silent(), format!("pass {}", work.stream.passes() + 1));
        let mut saved = None;
        for chunk in self.file.chunks(work.next_row, height(&self.file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &self.rules.roles, self.rules.leave_out)?;
            let stream = &mut work.stream;
            let given = self.give(&part, &mut |x, _, weights| stream.update(x, weights, &quiet));
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
        Ok(Self { stream: ViewStream::from_record(record)?, next_row })
    }
}
