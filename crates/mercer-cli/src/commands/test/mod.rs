//! `mercer test`: reads samples from tables, runs a test and reports the outcome.

mod betting;
mod groups;
mod pictures;
mod plan;
mod pool;
mod question;
mod read;
mod reading;
mod streamed;
mod summary;

use mercer::hypothesis::TestOutcome;

use crate::arguments::{PictureWord, TestCommand, TwoSampleWord};
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;
pub use pictures::null as null_figure;
pub use plan::explain;
use question::Question;
use read::Cases;
pub use streamed::plan_of;

/// Reads, tests and reports.
pub fn test(command: &TestCommand, session: &Session) -> Result<Report, Failure> {
    if let Some(request) = streamed::Request::of(command, session)? {
        return request.run(session);
    }
    let cases = read::read(command, session)?;
    if let TestCommand::TwoSample(words) = command
        && words.method == Some(TwoSampleWord::Betting)
    {
        return betting::run(words, &cases, session);
    }
    let question = Question::new(command, &cases)?;
    let outcomes = cases.list.iter().map(|case| question.run(case, session)).collect::<Result<Vec<_>, _>>()?;
    match outcomes.as_slice() {
        [outcome] if command.options().by.is_none() => {
            let mut report = one(&question, &cases, outcome, session)?;
            choose_picture(&mut report, command)?;
            Ok(report)
        }
        _ => summary::groups(&question, command.options(), &cases, &outcomes),
    }
}

/// The picture requested comes first.
fn choose_picture(report: &mut Report, command: &TestCommand) -> Result<(), Failure> {
    match command {
        TestCommand::TwoSample(words) if words.picture == PictureWord::Witness => {
            if report.json["columns"][0].as_array().is_some_and(|names| names.len() > 2) {
                return Err(Failure::request(
                    "--picture: the witness is drawn over one or two columns; choose with --columns",
                ));
            }
            report.figures.reverse();
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A single test, with what lies behind it.
fn one(question: &Question, cases: &Cases, outcome: &TestOutcome, session: &Session) -> Result<Report, Failure> {
    let case = &cases.list[0];
    let mut report = summary::one(question, cases, outcome);
    reading::add(&mut report, question, cases, outcome, session)?;
    report.figures.extend(pictures::null(outcome, question.title()));
    report.figures.extend(pictures::witness(question, cases, case, outcome, &session.compute)?);
    Ok(report)
}
