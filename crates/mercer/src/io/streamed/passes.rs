//! A fit that goes over the file again and again.

use super::checkpoint::Checkpoint;
use super::fit::{Resumed, StreamedModel};
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::learn::streamed::{RowSource, TakeRows};
use crate::learn::{RidgePasses, StreamedRidge};
use crate::model::Model;
use crate::{Compute, Result};

/// When a fit by several passes stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassOptions {
    /// Stop at this residual, relative to the right-hand side.
    pub tolerance: f64,
    /// Stop after so many passes over the file.
    pub max_passes: usize,
}

impl Default for PassOptions {
    fn default() -> Self {
        Self { tolerance: 1e-7, max_passes: 200 }
    }
}

impl SurveyedFile {
    /// Fits a ridge regression on features by conjugate gradients, one pass over the file for every
    /// step: for so many features that the squares of one pass would cost too much. There is one λ.
    /// The guarantee on the bytes of [`SurveyedFile::fit`] holds here too; a checkpoint is written
    /// after every pass.
    ///
    /// A fit that stops before its tolerance reports it in
    /// [`StreamedRidgeFit::passes`](crate::learn::StreamedRidgeFit::passes).
    ///
    /// # Errors
    /// As [`SurveyedFile::fit`] and [`StreamedRidge::start_passes`].
    pub fn fit_by_passes(
        &self,
        spec: &StreamedRidge,
        options: PassOptions,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedModel> {
        let facts = self.facts(spec, "several passes", compute);
        let (sample, weights) = (self.sample_points(), self.sample_weights());
        let quiet = compute.silent();
        let record = checkpoint.map_or(Ok(None), |checkpoint| checkpoint.load(&facts, compute))?;
        let mut work = match (record, checkpoint) {
            (Some(record), Some(checkpoint)) => {
                RidgePasses::from_record(record, sample, weights, &quiet).map_err(|e| checkpoint.damaged(e))?
            }
            _ => spec.start_passes(sample, weights, self.rules.roles.targets.len(), &quiet)?,
        };
        let resumed_at = (work.passes() > 0).then(|| Resumed::Passes(work.passes()));
        while work.passes() < options.max_passes {
            let rows = FileRows { file: self, compute, pass: work.passes() + 1 };
            let done = work.advance(&rows, options.tolerance, &quiet)?;
            if let Some(checkpoint) = checkpoint {
                checkpoint.save(work.to_record(), &facts)?;
            }
            if done {
                break;
            }
        }
        let mut fit = work.finish()?;
        fit.settings.insert("pass_tolerance", options.tolerance);
        fit.settings.insert("max_passes", options.max_passes);
        Ok(StreamedModel { model: Model::new(fit, self.inputs())?, resumed_at })
    }
}

/// The rows of a file, in one of several passes.
struct FileRows<'f> {
    file: &'f SurveyedFile,
    compute: &'f Compute,
    pass: usize,
}

impl RowSource for FileRows<'_> {
    fn each_chunk(&self, take: &mut TakeRows<'_>) -> Result<()> {
        let SurveyedFile { file, rules, .. } = self.file;
        let work = format!("pass {}", self.pass);
        for chunk in file.chunks(0, height(file, self.compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &rules.roles, rules.leave_out)?;
            self.file.give(&part, take).map_err(|e| part.in_file(e))?;
            self.compute.report(&work, chunk.position, file.size());
        }
        Ok(())
    }
}
