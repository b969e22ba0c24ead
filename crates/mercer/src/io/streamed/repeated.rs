//! Fits that go over the rows of a file again and again, with checkpoints.

use ndarray::{ArrayView1, ArrayView2};

use super::checkpoint::{Checkpoint, Facts};
use super::fit::Resumed;
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::record::Record;
use crate::{Compute, Error, Result};

/// What a fit has seen of the rows in its present pass.
pub(super) trait PassStream: Sized {
    fn take(
        &mut self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()>;

    /// The rows of this pass.
    fn rows(&self) -> u64;

    /// The passes before this one.
    fn passes(&self) -> usize;

    fn to_record(&self) -> Record;

    fn from_record(record: Record) -> Result<Self>;
}

/// What follows a pass.
pub(super) enum AfterPass<S, F> {
    Again(S),
    Done(F),
}

/// Where the passes stand.
struct Work<S> {
    stream: S,
    next_row: usize,
}

impl SurveyedFile {
    /// Goes over the rows until `next` has the fit, from the checkpoint where there is one, which is
    /// written after every pass, and in long passes.
    pub(super) fn in_passes<S: PassStream, F>(
        &self,
        start: impl FnOnce() -> Result<S>,
        next: impl Fn(S) -> Result<AfterPass<S, F>>,
        stored: Option<(&Checkpoint, &Facts)>,
        compute: &Compute,
    ) -> Result<(F, Option<Resumed>)> {
        let record = stored.map_or(Ok(None), |(checkpoint, facts)| checkpoint.load(facts, compute))?;
        let (mut work, resumed_at) = match (record, stored) {
            (Some(record), Some((checkpoint, _))) => {
                let work = Work::<S>::from_record(record).map_err(|e| checkpoint.damaged(e))?;
                let at = match work.stream.passes() {
                    0 => Resumed::Row(work.next_row),
                    passes => Resumed::Passes(passes),
                };
                (work, Some(at))
            }
            _ => (Work { stream: start()?, next_row: 0 }, None),
        };
        loop {
            match next(self.rest_of_pass(work, stored, compute)?)? {
                AfterPass::Done(fit) => return Ok((fit, resumed_at)),
                AfterPass::Again(stream) => work = Work { stream, next_row: 0 },
            }
            if let Some((checkpoint, facts)) = stored {
                checkpoint.save(work.to_record(), facts)?;
            }
        }
    }

    fn rest_of_pass<S: PassStream>(
        &self,
        mut work: Work<S>,
        stored: Option<(&Checkpoint, &Facts)>,
        compute: &Compute,
    ) -> Result<S> {
        let (quiet, label) = (compute.silent(), format!("pass {}", work.stream.passes() + 1));
        let mut saved = None;
        for chunk in self.file.chunks(work.next_row, height(&self.file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &self.rules.roles, self.rules.leave_out)?;
            let stream = &mut work.stream;
            let given = self.give(&part, &mut |x, y, weights| stream.take(x, y, weights, &quiet));
            given.map_err(|e| part.in_file(e))?;
            work.next_row = chunk.first_row + chunk.table.rows();
            compute.report(&label, chunk.position, self.file.size());
            let since = chunk.position - *saved.get_or_insert(chunk.position.min(self.file.size()));
            if let Some((checkpoint, facts)) = stored.filter(|(c, _)| since >= c.every) {
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
        Ok(work.stream)
    }
}

impl<S: PassStream> Work<S> {
    fn to_record(&self) -> Record {
        let mut record = self.stream.to_record();
        record.put_text("next_row", self.next_row);
        record
    }

    fn from_record(record: Record) -> Result<Self> {
        let next_row = record.text("next_row")?;
        let next_row = next_row.parse().map_err(|_| Error::parameter("next_row", next_row, "a whole number"))?;
        Ok(Self { stream: S::from_record(record)?, next_row })
    }
}
