//! Selection by cross-validation: kernels with their lengthscales, each with a list of C or λ.

use mercer::learn::svm::Classes;
use mercer::points::Sample;
use mercer::select::{Choices, FoldSearch, HeldOut, Tried, median_lengthscales};
use mercer::{Compute, Error, Kernel, Result};
use ndarray::{Array1, Axis};

use super::Training;
use super::choice::{Candidate, Choice, Measure};
use crate::arguments::{ClassWeight, FoldWords, explicit_kernel};
use crate::failure::Failure;
use crate::session::Session;

/// Lengthscales around the median.
const LENGTHSCALES: usize = 5;
/// Lengthscales beyond each end of those, and C or λ, where the best is at that end.
const LENGTHSCALES_MORE: usize = 6;
const MORE: usize = 4;
/// The C of a choice.
const CS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// The λ of a choice.
const LAMBDAS: [f64; 4] = [10.0, 1.0, 0.1, 0.01];
/// Sample size of the selection: with shared kernel values, and without. More rows give less noisy
/// scores at cubic cost.
pub const MANY_ROWS: usize = 4000;
pub const FEW_ROWS: usize = 1000;
/// Limit of the planned operations of a selection of logistic regressions: about half a minute of a
/// core, by pessimistic plans.
pub const OPERATIONS: f64 = 2e12;

/// Some of the rows of the data.
pub struct Part {
    pub x: Sample,
    pub y: Array1<f64>,
    pub weights: Option<Array1<f64>>,
}

impl Part {
    /// These rows.
    pub fn of(training: &Training, rows: &[usize]) -> Self {
        Self {
            x: training.x.taken(rows),
            y: training.y.column(0).select(Axis(0), rows),
            weights: training.weights.as_ref().map(|w| w.select(Axis(0), rows)),
        }
    }

    /// The numbers of the classes.
    pub fn labels(&self) -> Vec<usize> {
        self.y.iter().map(|&c| c as usize).collect()
    }

    /// The classes by their names; one may be missing in a part.
    pub fn classes(&self, all: &Classes) -> Result<Classes> {
        Classes::from_indices(self.labels(), all.names().to_vec())
    }

    /// The weights, where there are some.
    pub fn weights(&self) -> Option<ndarray::ArrayView1<'_, f64>> {
        self.weights.as_ref().map(|w| w.view())
    }
}

/// What is chosen from: the kernel that is given, with each lengthscale if there are some; else
/// linear and gaussian ones, for objects those of their kind. Lists that are not given go on where the best is at their end.
pub fn search(
    text: &str,
    words: &FoldWords,
    (parameters, parameter): (Choices, &'static str),
    training: &Training,
    rows: &[usize],
    compute: &Compute,
) -> Result<FoldSearch, Failure> {
    let kernels = match explicit_kernel(text) {
        Some(text) => vec![training.kernel(text)?],
        None if training.has_objects() => training.object_kernels()?,
        None => vec!["gaussian()".parse()?],
    };
    let mut search = FoldSearch { parameter, folds: words.cv as usize, ..FoldSearch::new(kernels, parameters) };
    if !words.lengthscales.is_empty() {
        let mut lengthscales = words.lengthscales.clone();
        lengthscales.sort_by(|a, b| b.total_cmp(a));
        search.lengthscales = Choices::fixed(lengthscales);
    } else if let (None, Some(x)) = (explicit_kernel(text), training.vectors()) {
        match median_lengthscales(x.select(Axis(0), rows).view(), LENGTHSCALES, compute) {
            Ok(mut found) => {
                found.reverse();
                search.lengthscales = Choices::open(found, LENGTHSCALES_MORE);
            }
            // Fewer than two distinct points: there is no distance to measure by, and the linear
            // kernel has to do.
            Err(Error::AllEqual { .. } | Error::Overflow { .. }) => search.kernels.clear(),
            Err(other) => return Err(other.into()),
        }
    }
    if explicit_kernel(text).is_none() && !training.has_objects() {
        search.fixed.push("linear()".parse()?);
    }
    Ok(search)
}

/// The only kernel and parameter, where there is nothing to choose.
pub fn only(search: &FoldSearch) -> Option<(Kernel, f64)> {
    let kernels = search.fixed.len() + search.kernels.len() * search.lengthscales.values.len().max(1);
    let [parameter] = search.parameters.values[..] else { return None };
    let [kernel] = &search.kernels[..] else { return None };
    if kernels != 1 {
        return None;
    }
    let kernel = match search.lengthscales.values[..] {
        [length] => mercer::select::with_lengthscale(kernel, length).ok()?,
        _ => kernel.clone(),
    };
    Some((kernel, parameter))
}

/// The C to choose from.
pub fn cs(one: Option<f64>, several: &[f64]) -> Choices {
    match one {
        Some(c) => Choices::fixed(vec![c]),
        None if several.is_empty() => Choices::open(CS.to_vec(), MORE),
        None => Choices::fixed(sorted(several, false)),
    }
}

/// The λ to choose from.
pub fn lambdas(one: Option<f64>, several: &[f64]) -> Choices {
    match one {
        Some(lambda) => Choices::fixed(vec![lambda]),
        None if several.is_empty() => Choices::open(LAMBDAS.to_vec(), MORE),
        None => Choices::fixed(sorted(several, true)),
    }
}

/// The smoothest model first.
fn sorted(values: &[f64], descending: bool) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| if descending { b.total_cmp(a) } else { a.total_cmp(b) });
    sorted
}

/// What was chosen.
pub struct Chosen {
    pub kernel: Kernel,
    pub parameter: f64,
    pub score: f64,
    /// The best score on the rows of the first grid.
    pub screened_score: f64,
    /// The rows of the choice.
    pub rows: usize,
}

/// Runs a search by folds of a part of the rows; `of` is the number of all rows.
pub fn choose(
    search: &FoldSearch,
    held: &dyn HeldOut,
    (part, of): (&Part, usize),
    (measure, name): (Measure, &'static str),
    session: &Session,
) -> Result<(Chosen, Choice), Failure> {
    let labels = match measure {
        Measure::SquaredError => vec![0; part.y.len()],
        Measure::WrongClasses | Measure::LogLoss => part.labels(),
    };
    let found = session.search(|compute| search.fit(held, &labels, part.weights(), compute))?;
    let best = found.best();
    let (kernel, parameter, score) = (best.kernel.clone(), best.parameter, best.score);
    let (rows, screened_score) = (found.rows, found.screened_score);
    let chosen = Chosen { kernel, parameter, score, screened_score, rows };
    let families: Vec<String> = search.fixed.iter().chain(&search.kernels).map(Kernel::to_string).collect();
    let candidates = |tried: &[Tried]| {
        let one = |tried: &Tried| Candidate {
            name: tried.kernel.to_string(),
            family: families[tried.family].clone(),
            lambda: Some(tried.parameter),
            score: tried.score,
        };
        tried.iter().map(one).collect()
    };
    Ok((chosen, Choice::by_folds(search.folds, measure, name, of, &found, candidates)))
}

/// Factors of the classes from the words; None where there are no words.
pub fn class_weights(words: &[ClassWeight], classes: &Classes) -> Result<Option<Vec<f64>>, Failure> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut factors = vec![1.0; classes.count()];
    for word in words {
        match word {
            ClassWeight::Balanced => {
                let (n, k) = (classes.of().len() as f64, classes.count() as f64);
                factors.iter_mut().zip(classes.sizes()).for_each(|(f, size)| *f = n / (k * size as f64));
            }
            ClassWeight::Factor(name, factor) => {
                let position = classes.names().iter().position(|known| known == name).ok_or_else(|| {
                    let known = classes.names().join(", ");
                    Failure::request(format!("--class-weight: there is no class `{name}`; there are {known}"))
                })?;
                factors[position] = *factor;
            }
        }
    }
    Ok(Some(factors))
}
