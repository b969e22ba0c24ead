//! The pass that fits.

use ndarray::{Array1, Axis};

use super::checkpoint::{Checkpoint, Facts, Resumed};
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::learn::{RidgeStream, StreamedRidge};
use crate::model::Model;
use crate::{Compute, Error, Result};

/// A model that was fitted in one pass over a file.
pub struct StreamedModel {
    /// The model.
    pub model: Model,
    /// The row from which the work went on, where it went on from a checkpoint.
    pub resumed_at: Option<usize>,
}

impl SurveyedFile {
    /// Fits a ridge regression on features in one pass.
    ///
    /// The bytes of the model depend on the data, the specification and the seed: not on threads, memory or chunks, and not on whether the work was stopped and
    /// went on from a checkpoint. The file of the checkpoint stays when the fit is done, for whoever saves the model to remove.
    ///
    /// # Errors
    /// [`Error::Request`] for a checkpoint of other data or another fit; [`Error::File`] if a checkpoint cannot be written, with the one
    /// before still there; as [`StreamedRidge::start`] and the reader of the file.
    pub fn fit(
        &self,
        spec: &StreamedRidge,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedModel> {
        let facts = self.facts(spec, compute);
        let resumed = checkpoint.map_or(Ok(None), |checkpoint| checkpoint.load(&facts, compute))?;
        let resumed_at = resumed.as_ref().map(|resumed| resumed.next_row);
        let mut work = match resumed {
            Some(work) => work,
            None => {
                let outputs = self.rules.roles.targets.len();
                Resumed { stream: spec.start(self.sample_points(), outputs, &compute.silent())?, next_row: 0 }
            }
        };
        self.pass(&mut work, checkpoint.map(|checkpoint| (checkpoint, &facts)), compute)?;
        if work.stream.rows() != self.rows() as u64 {
            return Err(Error::request("the file changed while it was read"));
        }
        let model = Model::new(work.stream.into_fit(compute)?, self.inputs())?;
        Ok(StreamedModel { model, resumed_at })
    }

    fn pass(&self, work: &mut Resumed, checkpoint: Option<(&Checkpoint, &Facts)>, compute: &Compute) -> Result<()> {
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
                checkpoint.save(&work.stream, work.next_row, facts)?;
                saved = Some(chunk.position);
            }
        }
        Ok(())
    }

    fn take(&self, part: &Part, stream: &mut RidgeStream, compute: &Compute) -> Result<()> {
        let encoded = self.encoding.apply(&part.inputs)?;
        let y = part.y.select(Axis(0), &encoded.kept_rows);
        let weights: Option<Array1<f64>> = part.weights.as_ref().map(|w| w.select(Axis(0), &encoded.kept_rows));
        let updated = stream.update(encoded.matrix.view(), y.view(), weights.as_ref().map(|w| w.view()), compute);
        updated.map_err(|error| match error {
            Error::Value { what, row, column, value, requirement } => {
                Error::Value { what, row: encoded.kept_rows[row], column, value, requirement }
            }
            other => other,
        })
    }

    /// All that the bytes of the model depend on.
    fn facts(&self, spec: &StreamedRidge, compute: &Compute) -> Facts {
        let roles = &self.rules.roles;
        Facts::from([
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("data", self.fingerprint.clone()),
            ("rows", self.rows().to_string()),
            ("inputs", roles.inputs.join(", ")),
            ("targets", roles.targets.join(", ")),
            ("weights", roles.weights.clone().unwrap_or_else(|| "none".into())),
            ("scaling", format!("{:?}", self.rules.encoding.scaling)),
            ("missing", format!("{:?}", self.rules.encoding.missing)),
            ("sample", self.rules.sample.to_string()),
            ("features", format!("{:?}", spec.features)),
            ("lambdas", format!("{:?}", spec.lambdas)),
            ("folds", spec.folds.to_string()),
            ("intercept", spec.intercept.to_string()),
            ("seed", compute.seed().0.to_string()),
            ("precision", format!("{:?}", compute.precision())),
        ])
    }
}
