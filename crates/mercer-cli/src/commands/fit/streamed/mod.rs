//! `mercer fit ridge` of a file that is longer than memory: chunks, features, one pass.

pub mod logistic;
mod part;
mod plan;
mod setup;
mod summary;

use std::path::Path;

use mercer::Error;
use mercer::error::MemoryPurpose;
use mercer::io::{Checkpoint, save_model};

use crate::arguments::{FitCommand, RidgeArguments};
use crate::data::named;
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;
use setup::Setup;

pub use plan::explain;
pub use setup::{Size, sample, too_long, width};
pub use summary::{features, push_quality, push_scores, quality};

/// Parts of the file between two checkpoints: at most so much work is lost.
pub const CHECKPOINTS: u64 = 20;
pub const FEWEST_BYTES: u64 = 1 << 20;
/// The note in the model.
const COMMAND: &str = "mercer fit ridge";

/// The words of a fit that is to be streamed, and why; nothing for one that is not.
pub fn requested<'c>(command: &'c FitCommand, session: &Session) -> Option<(&'c RidgeArguments, String)> {
    let FitCommand::Ridge(words) = command else { return None };
    setup::reason(words, session).map(|reason| (words, reason))
}

/// The same after the table turned out not to fit into memory.
pub fn instead<'c>(command: &'c FitCommand, failure: &Failure) -> Option<(&'c RidgeArguments, String)> {
    match (command, failure) {
        (FitCommand::Ridge(words), Failure::Library(error @ Error::Memory { purpose: MemoryPurpose::Table, .. }))
            if setup::is_possible(words) =>
        {
            Some((words, error.to_string()))
        }
        _ => None,
    }
}

/// Fits, saves and reports.
pub fn fit(words: &RidgeArguments, reason: String, session: &Session) -> Result<Report, Failure> {
    let path = &words.training.data;
    let setup = Setup::new(words, reason, session)?;
    if let (Some(part), Some(path)) = (words.parts.part, &words.parts.statistics) {
        return part::part(&setup, part, path, session);
    }
    let checkpoint = words.stream.checkpoint.as_ref().map(|file| Checkpoint {
        path: file.clone(),
        every: (setup.file.file().size() / CHECKPOINTS).max(FEWEST_BYTES),
        resume: words.stream.resume,
    });
    let (file, checkpoint) = (&setup.file, checkpoint.as_ref());
    let fitted = match setup.passes {
        Some(options) => file.fit_by_passes(&setup.spec, options, checkpoint, &session.compute),
        None => file.fit(&setup.spec, checkpoint, &session.compute),
    };
    let fitted = fitted.map_err(|e| named(e, path))?;
    let model = fitted.model.with_note("command", COMMAND);
    let output = words.training.output.as_deref();
    if let Some(path) = output {
        save_model(path, &model)?;
    }
    if let Some(checkpoint) = checkpoint {
        remove(&checkpoint.path)?;
    }
    summary::summary(&setup, &model, fitted.resumed_at, output, session)
}

/// The model is saved: the checkpoint has done its work.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::File { path: path.to_owned(), source }.into())
        }
        _ => Ok(()),
    }
}
