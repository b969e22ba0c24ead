//! Parsing of the command line. The types below describe all arguments: they drive the parser, the
//! help, the manual pages and the completions.

mod common;
mod embed;
mod fit;
mod help;
mod kernel;
mod lab;
mod learner;
mod serve;
mod test;
mod view_stream;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::report::clean;

pub use common::{Common, DataOptions};
pub use embed::{BinningArguments, EmbedCommand, EmbedData, FeaturesArguments, FourierArguments, NystromArguments};
pub use fit::{
    AutoArguments, ClassWeight, FeatureWord, FitCommand, FitData, FitScale, FoldWords, GpArguments, LogisticArguments,
    NewtonWord, OneClassArguments, PredictArguments, RidgeArguments, SmoothArguments, SmoothMethod, SmoothingWord,
    SolverWord, SplineArguments, SvmArguments, SvmWords, SvrArguments, TargetScale, TaskWord, explicit_kernel,
};
pub use kernel::{
    CheckArguments, ExplainArguments, GramArguments, KernelCommand, ListArguments, PlanCommand, SpectrumArguments,
};
pub use lab::LabArguments;
pub use learner::{
    ClusterArguments, LearnerArguments, MatchArguments, MatchWords, TransformArguments, ViewArguments, ViewData,
};
pub use serve::ServeArguments;
pub use test::{
    ConditionalWord, CorrectionWord, FitTestArguments, IndependenceArguments, IndependenceWord, PictureWord,
    TestCommand, TestOptions, TestStreamWords, TwoSampleArguments, TwoSampleWord,
};
pub use view_stream::ViewStreamWords;

/// Kernel methods as one system: kernels with proofs, fits, predictions, tests, Gram matrices,
/// data.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, about, long_about = help::ABOUT, after_help = help::SHORT_FOOT, after_long_help = help::FOOT)]
#[command(max_term_width = 110, subcommand_required = true, arg_required_else_help = true, propagate_version = true)]
pub struct Job {
    /// Flags common to all commands.
    #[command(flatten)]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List kernels, prove or refute their properties, compute Gram matrices
    #[command(subcommand, long_about = help::KERNEL)]
    Kernel(KernelCommand),
    /// Fit a model to a table and save it: ridge, gp, spline, smooth, svm, svr, one-class,
    /// logistic, or auto
    #[command(subcommand, long_about = help::FIT)]
    Fit(FitCommand),
    /// Merge the statistics of all parts of a fit (fit --part I/K --statistics) into its model
    #[command(after_help = help::MERGE)]
    Merge(MergeArguments),
    /// Predict with a saved model, with intervals or probabilities
    #[command(after_help = help::PREDICT)]
    Predict(PredictArguments),
    /// Hypothesis tests: two samples, independence, interaction, goodness of fit
    #[command(subcommand, long_about = help::TEST)]
    Test(TestCommand),
    /// Coordinates of the rows of a table: principal components, canonical correlations,
    /// independent sources, scaling, and explicit features (fourier, binning, nystrom)
    #[command(subcommand, visible_alias = "features", long_about = help::EMBED)]
    Embed(EmbedCommand),
    /// Clusters of the rows of a table: kernel k-means, or --spectral
    #[command(after_help = help::CLUSTER)]
    Cluster(ClusterArguments),
    /// Match the rows of one table with those of another, in a space learned for both
    #[command(after_help = help::MATCH)]
    Match(MatchArguments),
    /// Apply a saved view or clustering to new data
    #[command(after_help = help::TRANSFORM)]
    Transform(TransformArguments),
    /// Serve saved models over HTTP: predictions, intervals, probabilities, views, tests of drift
    #[command(after_long_help = help::SERVE, after_help = help::SERVE_SHORT)]
    Serve(ServeArguments),
    /// Describe the contents of a data file
    #[command(subcommand)]
    Data(DataCommand),
    /// Print the plan of a command without running it: sizes, bytes, operations, whether it fits
    /// into memory
    #[command(subcommand, long_about = help::PLAN)]
    Explain(PlanTarget),
    /// Run a tour on bundled data: a proof, a refutation, a fit, a test, a forecast
    #[command(after_long_help = help::DEMO)]
    Demo(DemoArguments),
    /// Open a page in the browser to look at kernels, data, fits, comparisons and views
    #[command(after_long_help = help::LAB)]
    Lab(LabArguments),
    /// Print the completion script of a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one page per command to a folder
    Man(ManArguments),
}

/// The data commands.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Describe every column of a file: type, count, missing, distinct, range, mean, most frequent
    /// levels
    #[command(after_long_help = help::DESCRIBE)]
    Describe(DescribeArguments),
}

/// Commands that have a plan.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one value of it, made from the command line")]
pub enum PlanTarget {
    /// Plans of kernel commands
    #[command(subcommand)]
    Kernel(PlanCommand),
    /// The plan of a fit: solver, bytes, operations, time
    #[command(subcommand)]
    Fit(FitCommand),
    /// The plan of a test: sizes, permutations, bytes, operations
    #[command(subcommand)]
    Test(TestCommand),
    /// The plan of a view: solver, bytes, operations, time
    #[command(subcommand)]
    Embed(ViewArguments),
    /// The plan of a clustering: solver, bytes, operations, time
    Cluster(ClusterArguments),
    /// The plan of a match: solver, bytes, operations, time
    Match(MatchArguments),
}

/// Arguments of `mercer data describe`.
#[derive(Debug, Args)]
pub struct DescribeArguments {
    /// The file (CSV, TSV, LIBSVM, NPY, Parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Only these columns, by name or by number counted from 0
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub columns: Vec<String>,
}

/// Arguments of `mercer merge`.
#[derive(Debug, Args)]
pub struct MergeArguments {
    /// The files of `mercer fit ridge … --part I/K --statistics FILE`, in any order
    #[arg(value_name = "PART", required = true)]
    pub parts: Vec<PathBuf>,
    /// Output file of the model
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
}

/// Arguments of `mercer demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Output folder of the pictures
    #[arg(short, long, value_name = "DIR", default_value = "demo-output")]
    pub output: PathBuf,
}

/// Arguments of `mercer man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// Output folder, one page per command
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Parses the command line into a job, or returns the help text or usage error to show instead.
///
/// A usage error quotes words of the user, styled by sequences that cannot be told apart from those
/// in the words afterwards: it is made from words in which commands to the terminal are written out.
pub fn read(words: Vec<OsString>) -> Result<Job, clap::Error> {
    Job::try_parse_from(&words).map_err(|error| {
        let shown: Vec<String> = words.iter().map(|word| clean(&word.to_string_lossy()).into_owned()).collect();
        with_plans(Job::try_parse_from(shown).err().unwrap_or_else(|| clap::Error::new(error.kind())))
    })
}

/// The error with the commands that have a plan, where `explain` was followed by one that has none.
fn with_plans(mut error: clap::Error) -> clap::Error {
    let part = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (word, usage) = (part(ContextKind::InvalidSubcommand), part(ContextKind::Usage));
    let all = description();
    if usage.contains("mercer explain") && all.find_subcommand(&word).is_some() {
        let explain = all.find_subcommand("explain").into_iter();
        let planned: Vec<&str> =
            explain.flat_map(clap::Command::get_subcommands).map(clap::Command::get_name).collect();
        let text = format!("`mercer {word}` has no plan; these commands have one: {}", planned.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![text.into()]));
    }
    error
}

/// The description of the command line.
pub fn description() -> clap::Command {
    Job::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_description_is_consistent() {
        super::description().debug_assert();
    }

    /// Calls `look` with every command and the words that lead to it.
    fn walk(command: &clap::Command, words: &str, look: &mut dyn FnMut(&str, &clap::Command)) {
        for own in command.get_subcommands() {
            let words = format!("{words} {}", own.get_name());
            look(&words, own);
            walk(own, &words, look);
        }
    }

    /// A struct of arguments that is added to a command must not bring its own description.
    #[test]
    fn every_command_and_flag_says_what_it_does() {
        let mut seen = std::collections::HashMap::new();
        let capital = |text: &str| text.chars().next().is_some_and(|first| !first.is_ascii_lowercase());
        walk(&super::description(), "mercer", &mut |words, command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(capital(&about), "{words}: {about:?}");
            // `explain` has the commands that it explains.
            if words.starts_with("mercer explain") {
                return;
            }
            if let Some(other) = seen.insert(about.clone(), words.to_owned()) {
                panic!("{words} and {other} are both {about:?}");
            }
            for flag in command.get_arguments().filter(|flag| !flag.is_hide_set()) {
                let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(capital(&help), "{words} --{}: {help:?}", flag.get_id());
            }
        });
        assert!(seen.len() > 40, "{}", seen.len());
        for (words, title) in
            [("mercer embed pca", "Kernel principal components"), ("mercer fit multiple-svm", "Support")]
        {
            assert!(seen.iter().any(|(about, of)| of == words && about.starts_with(title)), "{words}");
        }
    }

    /// Settings whose flag has another name: the command, the setting, the flag.
    const RENAMED: &[(&str, &str, &str)] = &[
        ("fit ridge", "tolerance", "tol"),
        ("fit ridge", "center_tolerance", "center-tol"),
        ("fit ridge", "center_iterations", "center-iter"),
        ("fit ridge", "folds", "cv"),
        // Of a streamed fit; one that makes several passes takes the options of the centers.
        ("fit ridge --stream", "tolerance", "feature-tolerance"),
        ("fit ridge --stream", "pass_tolerance", "center-tol"),
        ("fit ridge --stream", "max_passes", "center-iter"),
        ("fit gp", "inducing_count", "centers"),
        ("fit spline", "degrees_of_freedom", "df"),
        ("fit smooth", "degree", "method"),
        ("fit smooth", "weights", "window"),
        ("fit logistic", "class_weights", "class-weight"),
        ("fit logistic", "tolerance", "tol"),
        ("fit logistic", "max_iterations", "max-iter"),
        ("fit logistic", "center_tolerance", "center-tol"),
        ("fit logistic", "center_iterations", "center-iter"),
        ("fit logistic --stream", "tolerance", "feature-tolerance"),
        ("fit logistic --stream", "pass_tolerance", "tol"),
        ("fit logistic --stream", "max_passes", "max-iter"),
        ("fit svm", "C", "c"),
        ("fit svm", "class_weights", "class-weight"),
        ("fit svm", "scheme", "one-versus-rest"),
        ("fit svm", "calibration", "proba"),
        ("fit svm", "tolerance", "tol"),
        ("fit svm", "max_iterations", "max-iter"),
        ("fit svm", "indefinite", "allow-indefinite"),
        ("fit svr", "C", "c"),
        ("fit svr", "tolerance", "tol"),
        ("fit svr", "max_iterations", "max-iter"),
        ("fit svr", "indefinite", "allow-indefinite"),
        ("fit one-class", "tolerance", "tol"),
        ("fit one-class", "max_iterations", "max-iter"),
        ("fit one-class", "indefinite", "allow-indefinite"),
        ("embed fourier", "form", "kind"),
    ];

    /// Settings that a command cannot have, and why.
    const WITHOUT: &[(&str, &str, &str)] =
        &[("fit logistic", "leave_one_out", "no report of a command shows these estimates")];

    /// The words of the command of a learner; of one on features those of the whole learner with
    /// `--stream`.
    fn command_of(entry: &mercer::learner::LearnerEntry) -> String {
        use mercer::learner::{Goal, ViewCount};
        let name = entry.name.replace('_', "-");
        let whole = mercer::model::LEARNERS.iter().find(|whole| whole.streamed == Some(entry.name));
        if let Some(whole) = whole {
            return format!("{} --stream", command_of(whole));
        }
        let own = super::learner::OWN_COMMANDS.iter().find(|(_, learners)| learners.contains(&entry.name));
        match (own, entry.goal) {
            (Some((words, _)), _) => (*words).into(),
            (None, _) if entry.views == ViewCount::Two => "match".into(),
            (None, Goal::Features) => format!("embed {name}"),
            (None, Goal::Clusters) => "cluster".into(),
            (None, Goal::Values | Goal::Classes | Goal::Novelty) => format!("fit {name}"),
        }
    }

    /// A setting that a learner gets cannot be missing in its command.
    #[test]
    fn every_setting_of_every_learner_has_a_flag() {
        use mercer::learner::ParameterKind;
        let all = super::description();
        let mut used = std::collections::HashSet::new();
        for entry in mercer::model::LEARNERS {
            let words = command_of(entry);
            let (path, streamed) = words.strip_suffix(" --stream").map_or((&*words, false), |path| (path, true));
            let command = path.split(' ').try_fold(&all, |command, word| command.find_subcommand(word));
            let command = command.unwrap_or_else(|| panic!("{}: there is no `mercer {path}`", entry.name));
            assert!(!streamed || command.get_arguments().any(|arg| arg.get_long() == Some("stream")), "{path}");
            let seed = |parameter: &&mercer::learner::Parameter| parameter.kind == ParameterKind::Seed;
            for parameter in entry.parameters.iter().filter(|parameter| !seed(parameter)) {
                let of = |row: &&(&'static str, &'static str, &'static str)| {
                    (row.0 == words || streamed && row.0 == path) && row.1 == parameter.name
                };
                if let Some(row) = WITHOUT.iter().find(of) {
                    used.insert((row.0, row.1));
                    continue;
                }
                // That of the streamed fit, where it has one of its own.
                let renamed = RENAMED.iter().filter(of).max_by_key(|row| row.0.len());
                used.extend(renamed.map(|row| (row.0, row.1)));
                let flag = renamed.map_or_else(|| parameter.name.replace('_', "-"), |row| row.2.to_owned());
                let found = command.get_arguments().filter_map(clap::Arg::get_long);
                let has = found.into_iter().any(|long| long == flag || long.strip_prefix("no-") == Some(&*flag));
                assert!(has, "`mercer {words}` has no --{flag} for the setting `{}` of {}", parameter.name, entry.name);
            }
        }
        for row in RENAMED.iter().chain(WITHOUT) {
            assert!(used.contains(&(row.0, row.1)), "no learner of `mercer {}` has the setting `{}`", row.0, row.1);
        }
    }

    #[test]
    fn usage_errors_write_out_what_would_command_the_terminal() {
        for words in
            [&["mercer", "data", "a\u{1b}[31mb"][..], &["mercer", "kernel", "list", "--threads", "a\u{1b}[31mb"]]
        {
            let Err(error) = super::read(words.iter().map(Into::into).collect()) else { panic!("{words:?} is no job") };
            let styled = error.render().ansi().to_string();
            assert!(styled.contains("a\\u{1b}[31mb") && !styled.contains("a\u{1b}[31mb"), "{styled:?}");
        }
    }
}
