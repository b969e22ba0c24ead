//! The input and output files of a command: no input file that is read is overwritten without
//! `--force`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::{Command, Common, DataCommand, EmbedCommand, FitCommand, KernelCommand, TestCommand};
use crate::data::{is_standard_input, shown};
use crate::failure::Failure;

/// A file with the word of the command line that names it.
type Named<'c> = (&'static str, &'c Path);

/// Refuses an output that is also an input, or another output.
pub fn check(command: &Command, common: &Common) -> Result<(), Failure> {
    if common.force {
        return Ok(());
    }
    let mut inputs = inputs(command);
    inputs.extend(labels(command).map(|path| ("--labels", path)));
    let outputs = outputs(command, common);
    for (i, (flag, path)) in outputs.iter().enumerate() {
        if let Some((word, other)) = inputs.iter().find(|(_, other)| other.exists() && is_same(path, other)) {
            let (name, other) = (shown(path), shown(other));
            let same = if name == other { String::new() } else { format!(", which is {other},") };
            return Err(Failure::request(format!(
                "{flag} {name}{same} would overwrite {word}, which is read: give another name, or --force"
            )));
        }
        if let Some((other, _)) = outputs[..i].iter().find(|(_, other)| is_same(path, other)) {
            let name = shown(path);
            return Err(Failure::request(format!(
                "{flag} {name} is also the file of {other}: give another name, or --force"
            )));
        }
    }
    Ok(())
}

/// What the command reads.
fn inputs(command: &Command) -> Vec<Named<'_>> {
    match command {
        Command::Kernel(KernelCommand::Check(words)) => {
            words.data.iter().map(|path| ("DATA", path.as_path())).collect()
        }
        Command::Kernel(KernelCommand::Spectrum(words)) => {
            words.data.iter().map(|path| ("DATA", path.as_path())).collect()
        }
        Command::Kernel(KernelCommand::Gram(words)) => {
            let against = words.against.iter().map(|path| ("--against", path.as_path()));
            [("DATA", words.data.as_path())].into_iter().chain(against).collect()
        }
        Command::Fit(words) => vec![("DATA", &words.training().data)],
        Command::Merge(words) => words.parts.iter().map(|path| ("PART", path.as_path())).collect(),
        Command::Predict(words) => vec![("MODEL", &words.model), ("DATA", &words.data)],
        Command::Test(TestCommand::TwoSample(words)) => vec![("A", &words.first), ("B", &words.second)],
        Command::Test(words) => words.data().map(|path| ("DATA", path)).into_iter().collect(),
        Command::Embed(words) => vec![("DATA", embedded(words).0)],
        Command::Cluster(words) => vec![("DATA", &words.data.data)],
        Command::Match(words) => {
            let using = words.words.using.iter().map(|path| ("--using", path.as_path()));
            [("LOW", words.words.low.as_path()), ("HIGH", words.words.high.as_path())]
                .into_iter()
                .chain(using)
                .collect()
        }
        Command::Transform(words) => vec![("MODEL", &words.model), ("DATA", &words.data)],
        Command::Data(DataCommand::Describe(words)) => vec![("DATA", &words.data)],
        _ => Vec::new(),
    }
}

/// The table with more columns that the command reads.
fn labels(command: &Command) -> Option<&Path> {
    let objects = match command {
        Command::Kernel(KernelCommand::Check(words)) => &words.options.objects,
        Command::Kernel(KernelCommand::Spectrum(words)) => &words.options.objects,
        Command::Kernel(KernelCommand::Gram(words)) => &words.options.objects,
        Command::Fit(words) => &words.training().objects,
        Command::Predict(words) => &words.objects,
        Command::Test(words) => &words.options().objects,
        Command::Embed(EmbedCommand::Features(words)) => &words.options.objects,
        Command::Embed(EmbedCommand::View(words)) => &words.data.objects,
        Command::Cluster(words) => &words.data.objects,
        Command::Transform(words) => &words.objects,
        Command::Embed(EmbedCommand::Fourier(words)) => &words.data.options.objects,
        Command::Embed(EmbedCommand::Binning(words)) => &words.data.options.objects,
        Command::Embed(EmbedCommand::Nystrom(words)) => &words.data.options.objects,
        _ => return None,
    };
    objects.labels.as_deref()
}

/// What the command writes.
fn outputs<'c>(command: &'c Command, common: &'c Common) -> Vec<Named<'c>> {
    let output = match command {
        Command::Kernel(KernelCommand::Gram(words)) => words.output.as_ref(),
        Command::Fit(words) => words.training().output.as_ref(),
        Command::Merge(words) => Some(&words.output),
        Command::Predict(words) => words.output.as_ref(),
        Command::Embed(words) => embedded(words).1,
        Command::Cluster(words) => words.data.output.as_ref(),
        Command::Match(words) => words.words.output.as_ref(),
        Command::Transform(words) => words.output.as_ref(),
        _ => None,
    };
    let model = match command {
        Command::Embed(EmbedCommand::View(words)) => words.data.model.as_ref(),
        Command::Cluster(words) => words.data.model.as_ref(),
        Command::Match(words) => words.words.model.as_ref(),
        _ => None,
    };
    let checkpoint = match command {
        Command::Fit(FitCommand::Ridge(words)) => words.stream.checkpoint.as_ref(),
        Command::Fit(FitCommand::Logistic(words)) => words.stream.checkpoint.as_ref(),
        _ => None,
    };
    let statistics = match command {
        Command::Fit(FitCommand::Ridge(words)) => words.parts.statistics.as_ref(),
        _ => None,
    };
    let all = [("--output", output), ("--model", model), ("--checkpoint", checkpoint), ("--statistics", statistics)];
    let all = all.into_iter().chain([("--plot", common.plot.as_ref()), ("--report", common.report.as_ref())]);
    all.filter_map(|(flag, path)| Some((flag, path?.as_path()))).collect()
}

fn embedded(words: &EmbedCommand) -> (&PathBuf, Option<&PathBuf>) {
    let data = match words {
        EmbedCommand::Fourier(words) => &words.data,
        EmbedCommand::Binning(words) => &words.data,
        EmbedCommand::Nystrom(words) => &words.data,
        EmbedCommand::Features(words) => return (&words.data, words.output.as_ref()),
        EmbedCommand::View(words) => return (&words.data.data, words.data.output.as_ref()),
    };
    (&data.data, data.output.as_ref())
}

/// Whether two names are one regular file: pipes and devices may be read and written at once. A
/// file that is not there yet has one name.
fn is_same(a: &Path, b: &Path) -> bool {
    if is_standard_input(a) || is_standard_input(b) {
        return false;
    }
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) => {
            x.is_file() && y.is_file() && (is_one(&x, &y) || fs::canonicalize(a).ok() == fs::canonicalize(b).ok())
        }
        (Err(_), Err(_)) => absolute(a) == absolute(b),
        _ => false,
    }
}

/// The folder after all links, and the name in it.
fn absolute(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
}

#[cfg(unix)]
fn is_one(x: &fs::Metadata, y: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (x.dev(), x.ino()) == (y.dev(), y.ino())
}

#[cfg(not(unix))]
fn is_one(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    false
}
