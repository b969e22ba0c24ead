//! The pass that fits.

use ndarray::{Array1, Axis};

use super::checkpoint::{Checkpoint, Facts};
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::learn::streamed::TakeRows;
use crate::learn::{RidgeStream, StreamedRidge};
use crate::model::Model;
use crate::record::Record;
use crate::{Compute, Error, Result};

/// Where a fit went on from a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// At this row of the one pass.
    Row(usize),
    /// After so many of several passes.
    Passes(usize),
}

/// A model that was fitted in one pass over a file.
pub struct StreamedModel {
    /// The model.
    pub model: Model,
    /// Where the work went on from a checkpoint, if it did.
    pub resumed_at: Option<Resumed>,
}

/// Where a fit in one pass stands.
struct Work {
    stream: RidgeStream,
    next_row: usize,
}

impl SurveyedFile {
    /// Fits a ridge regression on features in one pass.
    ///
    /// The bytes of the model depend on the data, the specification and the seed: not on threads,
    /// memory or chunks, and not on whether the work was stopped and went on from a checkpoint. The
    /// file of the checkpoint stays when the fit is done, for the caller to remove after saving the
    /// model.
    ///
    /// # Errors
    /// [`Error::Exists`] or [`Error::Mismatch`] for a checkpoint of other data or another fit;
    /// [`Error::File`] if a checkpoint cannot be written, with the one before still there; as
    /// [`StreamedRidge::start`] and the reader of the file.
    pub fn fit(
        &self,
        spec: &StreamedRidge,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedModel> {
        let facts = self.facts(spec, "one pass", compute);
        let resumed = checkpoint.map_or(Ok(None), |checkpoint| self.resume(checkpoint, &facts, compute))?;
        let resumed_at = resumed.as_ref().map(|resumed| Resumed::Row(resumed.next_row));
        let mut work = match resumed {
            Some(work) => work,
            None => {
                let outputs = self.rules.roles.targets.len();
                Work { stream: spec.start(self.sample_points(), outputs, &compute.silent())?, next_row: 0 }
            }
        };
        self.pass(&mut work, checkpoint.map(|checkpoint| (checkpoint, &facts)), compute)?;
        if work.stream.rows() != self.rows() as u64 {
            return Err(Error::mismatch(
                "the file changed while it was read",
                format!("{} rows at first", self.rows()),
                format!("{} later", work.stream.rows()),
                "fit again",
            ));
        }
        let model = Model::new(work.stream.into_fit(compute)?, self.inputs())?;
        Ok(StreamedModel { model, resumed_at })
    }

    fn resume(&self, checkpoint: &Checkpoint, facts: &Facts, compute: &Compute) -> Result<Option<Work>> {
        let Some(record) = checkpoint.load(facts, compute)? else { return Ok(None) };
        let work = |record: Record| {
            let next_row = record.text("next_row")?;
            let next_row = next_row.parse().map_err(|_| Error::parameter("next_row", next_row, "a whole number"))?;
            Ok(Work { stream: RidgeStream::from_record(record)?, next_row })
        };
        work(record).map(Some).map_err(|e| checkpoint.damaged(e))
    }

    fn pass(&self, work: &mut Work, checkpoint: Option<(&Checkpoint, &Facts)>, compute: &Compute) -> Result<()> {
        let quiet = compute.silent();
        let mut saved = None;
        for chunk in self.file.chunks(work.next_row, height(&self.file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &self.rules.roles, self.rules.leave_out)?;
            self.take(&part, &mut work.stream, &quiet).map_err(|e| part.in_file(e))?;
            work.next_row = chunk.first_row + chunk.table.rows();
            compute.report("fitting", chunk.position, self.file.size());
            let since = chunk.position - *saved.get_or_insert(chunk.position.min(self.file.size()));
            if let Some((checkpoint, facts)) = checkpoint.filter(|(c, _)| since >= c.every) {
                let mut record = work.stream.to_record();
                record.put_text("next_row", work.next_row);
                checkpoint.save(record, facts)?;
                saved = Some(chunk.position);
            }
        }
        Ok(())
    }

    fn take(&self, part: &Part, stream: &mut RidgeStream, compute: &Compute) -> Result<()> {
        self.give(part, &mut |x, y, weights| stream.update(x, y, weights, compute))
    }

    /// Returns the encoded rows of a part to `take`, whose errors name rows of the part.
    pub(super) fn give(&self, part: &Part, take: &mut TakeRows<'_>) -> Result<()> {
        let encoded = self.encoding.apply(&part.inputs)?;
        let y = part.y.select(Axis(0), &encoded.kept_rows);
        let y = self.classes.as_ref().map_or(Ok(y.clone()), |classes| classes.numbers(&y))?;
        let weights: Option<Array1<f64>> = part.weights.as_ref().map(|w| w.select(Axis(0), &encoded.kept_rows));
        let updated = take(encoded.matrix.view(), y.view(), weights.as_ref().map(|w| w.view()));
        updated.map_err(|error| error.at_row(|row| encoded.kept_rows[row]))
    }

    /// All that the bytes of a ridge regression depend on.
    pub(super) fn facts(&self, spec: &StreamedRidge, solver: &str, compute: &Compute) -> Facts {
        let own = Facts::from([
            ("features", format!("{:?}", spec.features)),
            ("lambdas", format!("{:?}", spec.lambdas)),
            ("folds", spec.folds.to_string()),
            ("intercept", spec.intercept.to_string()),
        ]);
        self.facts_with(own, solver, compute)
    }

    /// All that the bytes of a model depend on, with those of its learner.
    pub(super) fn facts_with(&self, own: Facts, solver: &str, compute: &Compute) -> Facts {
        let roles = &self.rules.roles;
        let common = [
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("data", self.fingerprint.clone()),
            ("rows", self.rows().to_string()),
            ("inputs", roles.inputs.join(", ")),
            ("targets", roles.targets.join(", ")),
            ("weights", roles.weights.clone().unwrap_or_else(|| "none".into())),
            ("scaling", format!("{:?}", self.rules.encoding.scaling)),
            ("missing", format!("{:?}", self.rules.encoding.missing)),
            ("sample", self.rules.sample.to_string()),
            ("solver", solver.into()),
            ("seed", compute.seed().0.to_string()),
            ("precision", format!("{:?}", compute.precision())),
        ];
        own.into_iter().chain(common).collect()
    }
}
