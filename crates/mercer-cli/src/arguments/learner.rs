//! Flags of learners, made from their declarations in the catalogue.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use mercer::learner::{Goal, LearnerEntry, Parameter, ParameterKind, ViewCount};
use mercer::model::{self, LEARNERS};
use mercer::settings::{Setting, Settings};

use super::common::{Gap, ObjectOptions};
use super::fit::{ConformalWords, FitData, FitScale};
use super::view_stream::{HEADING, ViewStreamWords};

/// Commands with flags of their own, such as those of a search, and their learners. All other
/// commands are made from the catalogue.
pub(super) const OWN_COMMANDS: &[(&str, &[&str])] = &[
    ("fit ridge", &["ridge", "streamed_ridge"]),
    ("fit gp", &["gaussian_process", "sparse_gaussian_process", "shared_gaussian_process"]),
    ("fit spline", &["spline"]),
    ("fit smooth", &["local"]),
    ("fit logistic", &["logistic", "streamed_logistic"]),
    ("fit svm", &["svc"]),
    ("fit svr", &["svr"]),
    ("fit one-class", &["one_class"]),
    ("embed fourier", &["fourier"]),
    ("embed binning", &["binning"]),
    ("embed nystrom", &["nystrom"]),
];

/// Whether the flags of the learner are made elsewhere: by a command of its own, or by the learner
/// whose `--stream` it is.
fn is_elsewhere(entry: &LearnerEntry) -> bool {
    OWN_COMMANDS.iter().any(|(_, learners)| learners.contains(&entry.name))
        || LEARNERS.iter().any(|whole| whole.streamed == Some(entry.name))
}

/// Learners that give clusters: the first one, unless a flag names another.
fn clusterings() -> impl Iterator<Item = &'static LearnerEntry> {
    LEARNERS.iter().copied().filter(|entry| entry.goal == Goal::Clusters && !is_elsewhere(entry))
}

/// The learner that matches two modes of objects.
fn matching() -> Result<&'static LearnerEntry, clap::Error> {
    let found = LEARNERS.iter().copied().find(|entry| entry.views == ViewCount::Two);
    found.ok_or_else(|| refused("there is no learner of matches".into()))
}

/// A command of the catalogue: what the learner is called, and what it does. Put last, as the structs
/// that add arguments bring a description of their own.
fn described(command: Command, entry: &LearnerEntry) -> Command {
    command.about(format!("{}: {}", entry.title, entry.summary)).long_about(None::<&str>)
}

/// A sentence of the help, which begins with a capital letter there.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name of a learner or a parameter as a word of the command line.
fn hyphenated(name: &str) -> String {
    name.replace('_', "-")
}

/// The flag of a parameter.
fn flag(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(parameter.name).long(hyphenated(parameter.name)).help_heading("Learner");
    let arg = match parameter.name {
        "clusters" => arg.short('k').value_name("N|auto"),
        _ => arg,
    };
    let meaning = sentence(parameter.meaning);
    let default = |text: &str| format!("{meaning} [default: {text}]");
    match (parameter.kind, parameter.default) {
        (ParameterKind::Flag, Some("true")) => Arg::new(parameter.name)
            .long(format!("no-{}", hyphenated(parameter.name)))
            .action(ArgAction::SetTrue)
            .help_heading("Learner")
            .help(format!("Do not: {}", parameter.meaning)),
        (ParameterKind::Flag, _) => arg.action(ArgAction::SetTrue).help(meaning),
        (ParameterKind::Kernels | ParameterKind::Texts, _) => arg
            .action(ArgAction::Append)
            .value_name(if parameter.kind == ParameterKind::Kernels { "EXPR" } else { "TEXT" })
            .help(parameter.default.map_or_else(|| several(&meaning), |text| several(&default(text)))),
        (ParameterKind::Word(words), _) => arg
            .value_name("WORD")
            .value_parser(PossibleValuesParser::new(words.iter().map(|word| hyphenated(word))))
            .help(parameter.default.map_or_else(|| meaning.clone(), |text| default(&hyphenated(text)))),
        (kind, _) => {
            let arg = if parameter.name == "clusters" { arg } else { arg.value_name(value_name(kind)) };
            arg.allow_hyphen_values(true).help(parameter.default.map_or_else(|| meaning.clone(), default))
        }
    }
}

fn several(meaning: &str) -> String {
    format!("{meaning}; several are separated by semicolons")
}

fn value_name(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Kernel => "EXPR",
        ParameterKind::Count(_) => "N",
        ParameterKind::Numbers(_) => "NUMBERS",
        ParameterKind::Number(_) | ParameterKind::Limit(_) => "NUMBER",
        _ => "TEXT",
    }
}

/// Parameters that are flags: the seed is a common flag of all commands.
fn flagged(entry: &'static LearnerEntry) -> impl Iterator<Item = &'static Parameter> {
    entry.parameters.iter().filter(|parameter| parameter.kind != ParameterKind::Seed)
}

/// A command with the flags of a learner.
fn with_flags(command: Command, entry: &'static LearnerEntry) -> Command {
    flagged(entry).fold(command, |command, parameter| {
        let known = command.get_arguments().any(|arg| arg.get_id() == parameter.name);
        if known { command } else { command.arg(flag(parameter)) }
    })
}

/// The learner that does the same on features, and its parameters that the whole one does not have.
fn streamed_parameters(whole: &'static LearnerEntry) -> impl Iterator<Item = &'static Parameter> {
    let streamed = whole.streamed.and_then(model::learner);
    streamed.into_iter().flat_map(flagged).filter(|parameter| whole.parameter(parameter.name).is_none())
}

/// A command with the flags of data longer than memory.
fn with_stream(command: Command, whole: &'static LearnerEntry) -> Command {
    streamed_parameters(whole).fold(ViewStreamWords::augment_args(command), |command, parameter| {
        command.arg(flag(parameter).help_heading(HEADING))
    })
}

/// The settings of the learner on features that were given, beside those of the whole one.
fn given_streamed(whole: &'static LearnerEntry, matches: &ArgMatches) -> Result<Settings, clap::Error> {
    let mut settings = Settings::new();
    let Some(streamed) = whole.streamed.and_then(model::learner) else { return Ok(settings) };
    for parameter in streamed_parameters(whole) {
        if let Some(value) = value_of(streamed, parameter, matches)? {
            settings.insert(parameter.name, value);
        }
    }
    Ok(settings)
}

/// The settings that were given, but for one with words of its own.
fn given(entry: &'static LearnerEntry, matches: &ArgMatches, except: &str) -> Result<Settings, clap::Error> {
    let mut settings = Settings::new();
    for parameter in flagged(entry).filter(|parameter| parameter.name != except) {
        if let Some(value) = value_of(entry, parameter, matches)? {
            settings.insert(parameter.name, value);
        }
    }
    Ok(settings)
}

fn value_of(
    entry: &'static LearnerEntry,
    parameter: &'static Parameter,
    matches: &ArgMatches,
) -> Result<Option<Setting>, clap::Error> {
    let name = parameter.name;
    match parameter.kind {
        ParameterKind::Flag => Ok(matches.get_flag(name).then(|| Setting::Flag(parameter.default != Some("true")))),
        ParameterKind::Kernels | ParameterKind::Texts => Ok(matches.get_many::<String>(name).map(|texts| {
            let all = texts.flat_map(|text| text.split(';')).map(|text| text.trim().to_owned());
            Setting::Texts(all.collect())
        })),
        kind => {
            let Some(text) = matches.get_one::<String>(name) else { return Ok(None) };
            let word = match kind {
                ParameterKind::Word(words) => words.iter().find(|word| hyphenated(word) == *text).copied(),
                _ => None,
            };
            entry
                .parse(name, word.unwrap_or(text))
                .map(Some)
                .map_err(|error| refused(format!("--{}: {error}", hyphenated(name))))
        }
    }
}

fn refused(message: String) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{message}\n"))
}

/// The data of a learner without targets.
#[derive(Clone, Debug, Args)]
pub struct ViewData {
    /// Data file (CSV, TSV, LIBSVM, NPY, Parquet, FASTA, GraphML, edge list), folder of graphs, or -
    /// for standard input
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Output file of the result: .csv, .tsv or .npy
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Output file of the model, for `mercer transform`
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Use only these columns, by name or by number counted from 0, such as height,width or 0,2-5
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Data")]
    pub columns: Vec<String>,
    /// Drop these columns
    #[arg(long, value_name = "COLS", value_delimiter = ',', conflicts_with = "columns", help_heading = "Data")]
    pub drop: Vec<String>,
    /// Scaling of the numeric columns (default: standard without --kernel, none with one)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<FitScale>,
    /// Handling of missing values (default: an error)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
    /// Column whose values color the picture; it is not an input
    #[arg(long, value_name = "COL", help_heading = "Data")]
    pub color: Option<String>,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
}

impl ViewData {
    /// The same as the data of a fit: the column of colors is no input.
    pub fn as_fit(&self) -> FitData {
        FitData {
            data: self.data.clone(),
            target: self.color.iter().cloned().collect(),
            output: self.model.clone(),
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            scale: self.scale,
            rescale: false,
            missing: self.missing,
            objects: self.objects.clone(),
            conformal: ConformalWords::default(),
        }
    }
}

/// A view of the catalogue: `mercer embed NAME`.
#[derive(Clone, Debug)]
pub struct ViewArguments {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// The settings that were given.
    pub settings: Settings,
    /// The data.
    pub data: ViewData,
    /// The columns of every view, for learners of several views.
    pub views: Vec<String>,
    /// Whether to add a column of novelty scores.
    pub novelty: bool,
    /// Options of data longer than memory, for learners that take it.
    pub stream: Option<ViewStreamWords>,
    /// The settings of the learner on features that were given.
    pub streamed: Settings,
}

/// Learners that give coordinates.
fn embeddings() -> impl Iterator<Item = &'static LearnerEntry> {
    let own = |entry: &&LearnerEntry| entry.views != ViewCount::Two && !is_elsewhere(entry);
    LEARNERS.iter().copied().filter(move |entry| entry.goal == Goal::Features && own(entry))
}

fn columns_of(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("COLS").required(name != "view").help(help)
}

fn view_command(entry: &'static LearnerEntry) -> Command {
    let mut command = ViewData::augment_args(Command::new(hyphenated(entry.name)));
    if entry.views == ViewCount::Several {
        command = command
            .mut_arg("columns", |arg| arg.hide(true))
            .arg(columns_of("x", "Columns of the first view, by name or number, such as height,width or 0,2-5"))
            .arg(columns_of("y", "Columns of the second view"))
            .arg(columns_of("view", "Columns of a further view; may be repeated").action(ArgAction::Append));
    }
    if entry.novelty {
        let help = "Add a column of novelty scores: squared distances from the span of the components";
        command = command.arg(Arg::new("novelty").long("novelty").action(ArgAction::SetTrue).help(help));
    }
    let command = with_flags(command, entry);
    described(if entry.streamed.is_some() { with_stream(command, entry) } else { command }, entry)
}

impl Subcommand for ViewArguments {
    fn augment_subcommands(command: Command) -> Command {
        embeddings().fold(command, |command, entry| command.subcommand(view_command(entry)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        embeddings().any(|entry| hyphenated(entry.name) == name)
    }
}

impl FromArgMatches for ViewArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let entry = embeddings().find(|entry| hyphenated(entry.name) == name).ok_or_else(missing)?;
        let several = entry.views == ViewCount::Several;
        let names: &[&str] = if several { &["x", "y", "view"] } else { &[] };
        let views = names.iter().flat_map(|name| matches.get_many::<String>(name).into_iter().flatten());
        Ok(Self {
            entry,
            settings: given(entry, matches, "")?,
            data: ViewData::from_arg_matches(matches)?,
            views: views.cloned().collect(),
            novelty: entry.novelty && matches.get_flag("novelty"),
            streamed: given_streamed(entry, matches)?,
            stream: entry.streamed.is_some().then(|| ViewStreamWords::from_arg_matches(matches)).transpose()?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A learner with a target that has no command of its own: `mercer fit NAME`.
#[derive(Clone, Debug)]
pub struct LearnerArguments {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// The settings that were given.
    pub settings: Settings,
    /// The data.
    pub training: FitData,
    /// The column of weights.
    pub weights: Option<String>,
}

fn learners() -> impl Iterator<Item = &'static LearnerEntry> {
    let target = |goal: Goal| matches!(goal, Goal::Values | Goal::Classes | Goal::Novelty);
    LEARNERS.iter().copied().filter(move |entry| target(entry.goal) && !is_elsewhere(entry))
}

impl Subcommand for LearnerArguments {
    fn augment_subcommands(command: Command) -> Command {
        learners().fold(command, |command, entry| {
            let own = FitData::augment_args(Command::new(hyphenated(entry.name)));
            let weights = Arg::new("weights").long("weights").value_name("COL").help("Column of weights of the rows");
            let own = if entry.weighted { own.arg(weights) } else { own };
            command.subcommand(described(with_flags(own, entry), entry))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        learners().any(|entry| hyphenated(entry.name) == name)
    }
}

impl FromArgMatches for LearnerArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let entry = learners().find(|entry| hyphenated(entry.name) == name).ok_or_else(missing)?;
        let weights = if entry.weighted { matches.get_one::<String>("weights").cloned() } else { None };
        Ok(Self { entry, settings: given(entry, matches, "")?, training: FitData::from_arg_matches(matches)?, weights })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of `mercer cluster`.
#[derive(Clone, Debug)]
pub struct ClusterArguments {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// The settings that were given, but for the number of clusters.
    pub settings: Settings,
    /// The number of clusters; none where it is to be chosen.
    pub clusters: Option<usize>,
    /// The data.
    pub data: ViewData,
    /// The column of weights.
    pub weights: Option<String>,
    /// Options of data longer than memory.
    pub stream: ViewStreamWords,
    /// The settings of the learner on features that were given.
    pub streamed: Settings,
}

impl Args for ClusterArguments {
    fn augment_args(command: Command) -> Command {
        let choice = |entry: &LearnerEntry| {
            let help = format!("{}: {}", entry.title, entry.summary);
            Arg::new(entry.name).long(hyphenated(entry.name)).action(ArgAction::SetTrue).help(help)
        };
        let command = ViewData::augment_args(command)
            .args(clusterings().skip(1).map(choice))
            .arg(Arg::new("weights").long("weights").value_name("COL").help("Column of weights of the rows"));
        let command = clusterings().fold(command, with_flags);
        match clusterings().find(|entry| entry.streamed.is_some()) {
            Some(entry) => with_stream(command, entry),
            None => ViewStreamWords::augment_args(command),
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ClusterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = clusterings().skip(1).find(|entry| matches.get_flag(entry.name));
        let entry = chosen.or_else(|| clusterings().next());
        let entry = entry.ok_or_else(|| refused("there is no learner of clusters".into()))?;
        let is_given = |parameter: &&Parameter| {
            matches.value_source(parameter.name) == Some(clap::parser::ValueSource::CommandLine)
        };
        for other in clusterings() {
            let mut given = flagged(other).chain(streamed_parameters(other)).filter(is_given);
            let own = |p: &&Parameter| {
                entry.parameter(p.name).is_some() || streamed_parameters(entry).any(|own| own.name == p.name)
            };
            let Some(alien) = given.find(|parameter| !own(parameter)) else { continue };
            let word = match chosen {
                Some(entry) => format!("does not go with --{}", hyphenated(entry.name)),
                None => format!("goes with --{} only", hyphenated(other.name)),
            };
            return Err(refused(format!("--{} {word}", hyphenated(alien.name))));
        }
        let clusters = match matches.get_one::<String>("clusters").map(String::as_str) {
            Some("auto") => None,
            Some(text) => match text.parse() {
                Ok(count) if count > 0 => Some(count),
                _ => return Err(refused(format!("-k {text}: a whole number of at least 1, or auto, is needed"))),
            },
            None => return Err(refused("-k: say how many clusters, or -k auto".into())),
        };
        let settings = given(entry, matches, "clusters")?;
        let weights = matches.get_one::<String>("weights").cloned();
        if weights.is_some() && !entry.weighted {
            return Err(refused(format!("--weights: {} takes no weights", entry.title.to_lowercase())));
        }
        let stream = ViewStreamWords::from_arg_matches(matches)?;
        let streamed = given_streamed(entry, matches)?;
        Ok(Self { entry, settings, clusters, data: ViewData::from_arg_matches(matches)?, weights, stream, streamed })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of `mercer match`.
#[derive(Clone, Debug)]
pub struct MatchArguments {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// The settings that were given.
    pub settings: Settings,
    /// The files, and how they are read.
    pub words: MatchWords,
}

/// The files of `mercer match`.
#[derive(Clone, Debug, Args)]
pub struct MatchWords {
    /// Table of the first mode, such as images of low resolution: a row per object
    #[arg(value_name = "LOW")]
    pub low: PathBuf,
    /// Table of the second mode, such as images of high resolution
    #[arg(value_name = "HIGH")]
    pub high: PathBuf,
    /// Column of both tables that names the object: rows of the same name belong together, and the
    /// result has the names
    #[arg(long, value_name = "COL")]
    pub id: Option<String>,
    /// Column of both tables that names the class: rows of the same class belong together
    #[arg(long, value_name = "COL")]
    pub label: Option<String>,
    /// Matches of every row of LOW
    #[arg(long, short = 'k', value_name = "N", default_value_t = 1, value_parser = super::common::positive)]
    pub matches: usize,
    /// Size of the images that the rows are, for the picture, such as 28x28: of LOW, and of HIGH
    /// where it differs, as in 8x8,64x64 (default: square images, where the numbers of columns of
    /// both tables are squares)
    #[arg(long, value_name = "WIDTHxHEIGHT", value_delimiter = ',', num_args = 1, value_parser = image_size)]
    pub images: Vec<(usize, usize)>,
    /// Use this model instead of fitting one
    #[arg(long, value_name = "MODEL", conflicts_with = "model")]
    pub using: Option<PathBuf>,
    /// Output file of the matches: .csv, .tsv
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Output file of the model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Scaling of the numeric columns (default: standard without kernels, none with them)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub scale: Option<FitScale>,
    /// Handling of missing values (default: an error)
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Data")]
    pub missing: Option<Gap>,
}

/// A width and a height.
fn image_size(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match sides {
        Some((w, h)) if w > 0 && h > 0 => Ok((w, h)),
        _ => Err("expected a width and a height, such as 28x28".into()),
    }
}

impl Args for MatchArguments {
    fn augment_args(command: Command) -> Command {
        let command = MatchWords::augment_args(command);
        match matching() {
            Ok(entry) => with_flags(command, entry).mut_arg("components", |arg| arg.required(false)),
            Err(_) => command,
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MatchArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let entry = matching()?;
        Ok(Self { entry, settings: given(entry, matches, "")?, words: MatchWords::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of `mercer transform`.
#[derive(Clone, Debug, Args)]
pub struct TransformArguments {
    /// Model file of a view or of clusters
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Data file, or - for standard input; columns are matched by name
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Output file of the result: .csv, .tsv or .npy; without it the first rows are shown
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The view of a model of several that the rows are (of a match: 1 is LOW, 2 is HIGH); without it
    /// every view whose columns the file has
    #[arg(long, value_name = "N", value_parser = super::common::positive)]
    pub view: Option<usize>,
    /// Add a column of novelty scores
    #[arg(long)]
    pub novelty: bool,
    /// Bags, and columns of other files.
    #[command(flatten)]
    pub objects: ObjectOptions,
}
