//! Job → report: one file per command.

mod catalogue;
mod check;
mod counterexample;
mod decay;
mod demo;
mod describe;
mod diagnosis;
mod embed;
mod embed_features;
mod explain;
mod fit;
mod gram;
mod gram_order;
mod lab;
mod manual;
mod merge;
mod plan;
mod predict;
mod predict_classes;
mod predict_streamed;
mod predict_write;
mod sections;
mod serve;
mod spectrum;
mod test;
mod view;

use crate::arguments::{Command, DataCommand, EmbedCommand, KernelCommand, PlanCommand, PlanTarget};
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;

/// Does the job.
pub fn run(command: &Command, session: &Session) -> Result<Report, Failure> {
    if session.common.plot.is_some() && !has_picture(command) {
        return Err(crate::output::no_picture());
    }
    crate::files::check(command, &session.common)?;
    match command {
        Command::Kernel(KernelCommand::List(words)) => catalogue::list(words),
        Command::Kernel(KernelCommand::Explain(words)) => explain::explain(words, session),
        Command::Kernel(KernelCommand::Check(words)) => check::check(words, session),
        Command::Kernel(KernelCommand::Gram(words)) => gram::gram(words, session),
        Command::Kernel(KernelCommand::Spectrum(words)) => decay::spectrum(words, session),
        Command::Fit(words) => fit::fit(words, session),
        Command::Merge(words) => merge::merge(words, session),
        Command::Predict(words) => predict::predict(words, session),
        Command::Test(words) => test::test(words, session),
        Command::Embed(words) => embed::embed(words, session),
        Command::Cluster(words) => view::cluster(words, session),
        Command::Match(words) => view::matches(words, session),
        Command::Transform(words) => view::transform(words, session),
        Command::Serve(words) => serve::serve(words, session),
        Command::Explain(PlanTarget::Embed(words)) => view::explain(words, session),
        Command::Explain(PlanTarget::Cluster(words)) => view::explain_clusters(words, session),
        Command::Explain(PlanTarget::Match(words)) => view::explain_matches(words, session),
        Command::Data(DataCommand::Describe(words)) => describe::describe(words, session),
        Command::Explain(PlanTarget::Kernel(PlanCommand::Gram(words))) => plan::gram(words, session),
        Command::Explain(PlanTarget::Fit(words)) => fit::explain(words, session),
        Command::Explain(PlanTarget::Test(words)) => test::explain(words, session),
        Command::Demo(words) => demo::demo(words, session),
        Command::Lab(words) => lab::lab(words, session),
        Command::Completions { shell } => manual::completions(*shell),
        Command::Man(words) => manual::manual(words),
    }
}

/// Whether the command can draw; checked before the work.
fn has_picture(command: &Command) -> bool {
    matches!(
        command,
        Command::Kernel(
            KernelCommand::Check(_) | KernelCommand::Explain(_) | KernelCommand::Gram(_) | KernelCommand::Spectrum(_),
        ) | Command::Fit(_)
            | Command::Predict(_)
            | Command::Test(_)
            | Command::Cluster(_)
            | Command::Match(_)
            | Command::Embed(EmbedCommand::Fourier(_) | EmbedCommand::View(_))
    )
}
