//! From the words to a file that was looked at and a specification.

use std::path::Path;

use mercer::compute::human_bytes;
use mercer::io::{ChunkedFile, FileRules, PassOptions, ReadOptions, Roles, SurveyedFile};
use mercer::learn::StreamedRidge;
use mercer::learn::ridge::RidgeSolver;
use mercer::points::{ColumnData, Encoding, Scaling, Table};
use mercer::select::Criterion;
use mercer::{Kernel, Result};

use super::super::choice::{self, Choice};
use super::super::ridge::{self, Specification};
use super::super::training::{Goal, Split, Training};
use crate::arguments::{FeatureWord, RidgeArguments};
use crate::data::{is_standard_input, named, shown};
use crate::failure::Failure;
use crate::session::Session;

/// Features where the memory allows them.
pub(super) const COMPONENTS: usize = 1000;
/// Rows of the sample where the memory allows them.
const SAMPLE: usize = 10_000;
/// Folds where none are requested.
const FOLDS: usize = 5;
/// Bytes of a search per squared row.
const SEARCH: u64 = 48;

/// A streamed fit before it runs.
pub struct Setup {
    /// Why it is streamed.
    pub reason: String,
    /// The file.
    pub file: SurveyedFile,
    /// What is fitted.
    pub spec: StreamedRidge,
    /// The sample as the training data of a choice.
    pub training: Training,
    /// How the kernel was chosen, where it was.
    pub choice: Option<Choice>,
    /// When to stop, for a fit by several passes.
    pub passes: Option<PassOptions>,
}

/// Why a fit is streamed; nothing for one that is not.
pub fn reason(words: &RidgeArguments, session: &Session) -> Option<String> {
    let requested = words.stream.stream || words.stream.checkpoint.is_some() || words.parts.statistics.is_some();
    if requested {
        return Some("requested".into());
    }
    too_long(&words.training.data, session).filter(|_| is_possible(words))
}

/// That a file is larger than the memory limit, in words.
pub fn too_long(path: &Path, session: &Session) -> Option<String> {
    let size = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |facts| facts.len());
    let limit = session.compute.memory();
    (size > limit).then(|| {
        format!(
            "{} has {}, which is more than the memory limit of {}",
            shown(path),
            human_bytes(size),
            human_bytes(limit)
        )
    })
}

/// Whether nothing is requested that needs all rows at once.
pub fn is_possible(words: &RidgeArguments) -> bool {
    !is_standard_input(&words.training.data) && refusal(words).is_none()
}

fn refusal(words: &RidgeArguments) -> Option<&'static str> {
    if is_standard_input(&words.training.data) {
        return Some(
            "--stream: standard input can be read only once, and a streamed fit makes several passes: give a file",
        );
    }
    if !matches!(
        RidgeSolver::from(words.solver),
        RidgeSolver::Auto | RidgeSolver::ConjugateGradients | RidgeSolver::Centers
    ) {
        return Some("--solver: a streamed fit has no kernel matrix to factor; leave it out, or take cg or centers");
    }
    if words.centers.held_out.is_some() {
        return Some("--held-out: a streamed fit chooses λ by folds and keeps no rows apart");
    }
    if words.centers.centers.is_some() && words.stream.features == FeatureWord::Fourier {
        return Some("--centers: random frequencies have no centers; give --components, or --features nystrom");
    }
    if words.indefinite || words.tol.is_some() || words.no_diagnostics {
        return Some(
            "--indefinite, --tol, --no-diagnostics: a streamed fit has no kernel matrix and no such residuals",
        );
    }
    if let Some(refusal) = words.stream.of_other_features() {
        return Some(refusal);
    }
    (words.cv == Criterion::Gcv).then_some("--cv gcv: a streamed fit is judged by folds: give their number")
}

impl Setup {
    /// Looks at the file and chooses what is to be chosen.
    pub fn new(words: &RidgeArguments, reason: String, session: &Session) -> Result<Self, Failure> {
        if let Some(refusal) = refusal(words) {
            return Err(Failure::request(refusal));
        }
        let path = &words.training.data;
        let options = ReadOptions { format: session.common.format, ..ReadOptions::default() };
        let file = ChunkedFile::open(path, &options, &session.compute)?;
        let header = file.header();
        let split = Split::new(Goal::Numbers, &words.training, words.weights.as_deref(), &header)?;
        let name = |c: &usize| header.columns()[*c].name.clone();
        let roles = Roles {
            inputs: split.features.iter().map(name).collect(),
            targets: split.targets.iter().map(name).collect(),
            weights: split.weights.as_ref().map(name),
        };
        let size = Size { columns: width(&header, &split.features), outputs: roles.targets.len() };
        let components = components(words, size, session);
        let default = if words.explicit_kernel().is_some() { Scaling::None } else { Scaling::Standardize };
        let rules = FileRules {
            encoding: Encoding { missing: words.training.missing(), scaling: words.training.scaling(default) },
            leave_out: words.training.missing.is_some(),
            sample: sample(components, size, header.columns().len(), session),
            roles,
        };
        let file = SurveyedFile::new(file, rules.clone(), &session.compute).map_err(|e| named(e, path))?;
        let training = Training::of_sample(shown(path), &file, rules.roles.targets);
        let passes = passes(words);
        let (kernel, lambdas, choice) = choose(words, &training, passes.is_some(), session)?;
        let spec = specification(words, kernel, lambdas, components);
        Ok(Self { reason, file, spec, training, choice, passes })
    }
}

/// Several passes where an iteration is requested.
fn passes(words: &RidgeArguments) -> Option<PassOptions> {
    let iterative = matches!(RidgeSolver::from(words.solver), RidgeSolver::ConjugateGradients | RidgeSolver::Centers);
    iterative.then_some(PassOptions { tolerance: words.centers.center_tol, max_passes: words.centers.center_iter })
}

/// Coordinates and outputs.
#[derive(Clone, Copy)]
pub struct Size {
    /// Coordinates.
    pub columns: usize,
    /// Outputs.
    pub outputs: usize,
}

/// The coordinates of columns.
pub fn width(header: &Table, columns: &[usize]) -> usize {
    let width = |c: &usize| match &header.columns()[*c].data {
        ColumnData::Categories { levels, .. } => levels.len(),
        _ => 1,
    };
    columns.iter().map(width).sum()
}

fn specification(words: &RidgeArguments, kernel: Kernel, lambdas: Vec<f64>, components: usize) -> StreamedRidge {
    let landmarks = words.centers.centers.map(|_| words.centers.landmarks.into());
    let features = words.stream.spec(kernel, components, landmarks);
    let folds = if let Criterion::Folds(folds) = words.cv { folds } else { FOLDS };
    StreamedRidge { features, lambdas, folds, intercept: words.with_intercept() }
}

/// As many features as requested, or as a third of the memory holds.
fn components(words: &RidgeArguments, size: Size, session: &Session) -> usize {
    if let Some(components) = words.stream.components.or(words.centers.centers) {
        return components;
    }
    let kernel = || Kernel::constant(1.0).expect("1 is not negative");
    let one = words.lambda.is_some() || passes(words).is_some();
    let lambdas = if one { vec![1.0] } else { vec![1.0; 2] };
    let mut count = COMPONENTS;
    while count > 20 {
        let spec = specification(words, kernel(), lambdas.clone(), count);
        if spec.bytes(size.columns, size.outputs) <= session.compute.memory() / 3 {
            break;
        }
        count -= 20;
    }
    count
}

/// As many rows as a sixth of the memory holds, with what the choice of landmarks needs.
pub fn sample(components: usize, size: Size, columns: usize, session: &Session) -> usize {
    let row = 8 * (components + 2 * size.columns + columns + 8) as u64;
    (session.compute.memory() / 6 / row).clamp(50, SAMPLE as u64) as usize
}

/// The kernel, and the λ to choose from; with one λ alone, it is chosen on the sample.
fn choose(
    words: &RidgeArguments,
    training: &Training,
    one: bool,
    session: &Session,
) -> Result<(Kernel, Vec<f64>, Option<Choice>), Failure> {
    let search = match ridge::specification(words, training)? {
        Specification::Fixed(ridge) => return Ok((ridge.kernel, vec![ridge.lambda], None)),
        Specification::Search(search) => search,
    };
    let lambdas = search.lambdas.clone();
    if words.explicit_kernel().is_some() && words.lengthscales.is_empty() && !one {
        return Ok((search.kernels[0].clone(), lambdas, None));
    }
    let affordable = ((session.compute.memory() / 6 / SEARCH) as f64).sqrt() as usize;
    let rows = choice::rows(training, words.sample.min(affordable.max(50)), session);
    let search = ridge::with_lengthscales(search, words, training, &rows, &session.compute)?;
    let (winner, choice) = choice::search(&search, training, &rows, session)?;
    let lambdas = if one { vec![winner.lambda] } else { lambdas };
    Ok((winner.kernel, lambdas, Some(choice)))
}
