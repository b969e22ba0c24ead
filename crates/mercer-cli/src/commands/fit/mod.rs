//! `mercer fit`: fits a model to a table, saves and reports it.

mod auto;
mod choice;
mod classes;
mod conformal;
mod diagnosis;
mod effects;
mod folds;
mod gp;
mod learner;
mod logistic;
mod one_class;
mod pictures;
mod plan;
mod quality;
mod regions;
mod ridge;
mod smooth;
mod sparse;
mod spline;
pub(super) mod streamed;
mod summary;
mod svm;
mod svr;
mod training;

use std::path::Path;

use crate::flags::advice_on_fit;
use mercer::io::save_model;
use mercer::model::Model;
use serde_json::{Map, Value};

use crate::arguments::FitCommand;
use crate::failure::Failure;
use crate::plot::Figure;
use crate::report::{Report, Table};
use crate::session::Session;
use choice::Choice;
pub use classes::ClassQuality;
pub use pictures::agreement;
pub use plan::explain;
pub use quality::Quality;
pub use training::{Goal, Reading, Split, Training};

const STREAMED: &str =
    "--conformal: a fit that reads its file in passes has no calibration; use fewer rows or columns, or more --memory";

/// A fit with its report.
pub struct Outcome {
    /// The learner, as the command line names it.
    pub learner: &'static str,
    /// The data.
    pub training: Training,
    /// The model.
    pub model: Model,
    /// How near the model is to the data, target by target.
    pub quality: Vec<Quality>,
    /// The same for a target of classes.
    pub class_quality: Option<ClassQuality>,
    /// What the learner found, for people.
    pub facts: Vec<(&'static str, String)>,
    /// What the learner found, for programs.
    pub json: Map<String, Value>,
    /// How it was chosen.
    pub choice: Option<Choice>,
    /// Tables that belong to this learner, with their headings.
    pub tables: Vec<(String, Table)>,
    /// Pictures that belong to this learner.
    pub figures: Vec<Figure>,
    /// Remarks.
    pub remarks: Vec<String>,
}

/// Fits, saves and reports.
pub fn fit(command: &FitCommand, session: &Session) -> Result<Report, Failure> {
    let output = command.training().output.as_deref();
    output.map_or(Ok(()), check_folder)?;
    let calibrated = command.training().conformal.conformal.is_some();
    if let Some((words, reason)) = streamed::requested(command, session) {
        if calibrated {
            return Err(Failure::request(STREAMED));
        }
        return streamed::fit(words, reason, session).map_err(with_advice);
    }
    if let FitCommand::Ridge(words) = command {
        words.stream.without_effect().map_or(Ok(()), |refusal| Err(Failure::request(refusal)))?;
    }
    let outcome = match run(command, session) {
        Err(failure) => match streamed::instead(command, &failure) {
            Some((words, reason)) if !calibrated => {
                return streamed::fit(words, reason, session).map_err(with_advice);
            }
            _ => return Err(with_advice(failure)),
        },
        Ok(outcome) => conformal::calibrated(outcome, command.training(), session).map_err(with_advice)?,
    };
    if let Some(path) = output {
        save_model(path, &outcome.model)?;
    }
    summary::summary(outcome, output, session)
}

fn run(command: &FitCommand, session: &Session) -> Result<Outcome, Failure> {
    match command {
        FitCommand::Ridge(words) => ridge::fit(words, session),
        FitCommand::Gp(words) => gp::fit(words, session),
        FitCommand::Spline(words) => spline::fit(words, session),
        FitCommand::Smooth(words) => smooth::fit(words, session),
        FitCommand::Svm(words) => svm::fit(words, session),
        FitCommand::Svr(words) => svr::fit(words, session),
        FitCommand::OneClass(words) => one_class::fit(words, session),
        FitCommand::Logistic(words) => logistic::fit(words, session),
        FitCommand::Auto(words) => auto::fit(words, session),
        FitCommand::Learner(words) => learner::fit(words, session),
    }
}

/// Checks that the folder of the model exists, before the work.
fn check_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            let name = path.display();
            Err(Failure::request(format!("--output {name}: there is no folder {}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// The error with the flag that helps.
fn with_advice(failure: Failure) -> Failure {
    match failure {
        Failure::Library(error) => Failure::advised(error, advice_on_fit),
        other => other,
    }
}
