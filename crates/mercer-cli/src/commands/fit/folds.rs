//! Selection by cross-validation: kernels with their lengthscales, each with a list of C or λ.

use mercer::learn::svm::Classes;
use mercer::points::Sample;
use mercer::select::{Choices, FoldSearch, HeldOut, Measure, default_cs, default_lambdas};
use mercer::{Compute, Kernel, Result};
use ndarray::{Array1, Axis};

use super::Training;
use super::choice::Choice;
use crate::arguments::{ClassWeight, FoldWords, explicit_kernel};
use crate::failure::Failure;
use crate::session::Session;

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
    let kernels = explicit_kernel(text).map(|text| training.kernel(text)).transpose()?;
    let kernels: Vec<Kernel> = kernels.into_iter().collect();
    let points = (training.points(), rows);
    let search = FoldSearch::with_defaults(&kernels, &words.lengthscales, (parameters, parameter), points, compute)?;
    Ok(FoldSearch { folds: words.cv as usize, ..search })
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
    one.map_or_else(|| default_cs(several), |c| Choices::fixed(vec![c]))
}

/// The λ to choose from.
pub fn lambdas(one: Option<f64>, several: &[f64]) -> Choices {
    one.map_or_else(|| default_lambdas(several), |lambda| Choices::fixed(vec![lambda]))
}

/// What was chosen.
pub struct Chosen {
    pub kernel: Kernel,
    pub parameter: f64,
}

/// Runs a search by folds of a part of the rows; `of` is the number of all rows.
pub fn choose(
    learner: &'static str,
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
    let chosen = Chosen { kernel: best.kernel.clone(), parameter: best.parameter };
    Ok((chosen, Choice::by_folds(learner, search, (measure, name), &found, of)))
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
