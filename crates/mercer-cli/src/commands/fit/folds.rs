//! Choices by folds for machines: kernels with their lengthscales, each with a list of C or λ.

use mercer::learn::svm::{Classes, Svc};
use mercer::select::{median_lengthscales, stratified_folds, svm_grid, with_lengthscale};
use mercer::{Compute, Error, Kernel, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::Training;
use super::choice::{Candidate, Choice, Measure};
use crate::arguments::{ClassWeight, FoldWords, given};
use crate::failure::Failure;
use crate::session::Session;

/// Lengthscales around the median.
const LENGTHSCALES: usize = 5;
/// The C of a choice.
const CS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// The λ of a choice.
const LAMBDAS: [f64; 7] = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3];

/// Some of the rows of the data.
pub struct Part {
    pub x: Array2<f64>,
    pub y: Array1<f64>,
    pub weights: Option<Array1<f64>>,
}

impl Part {
    /// These rows.
    pub fn of(training: &Training, rows: &[usize]) -> Self {
        Self {
            x: training.x.select(Axis(0), rows),
            y: training.y.column(0).select(Axis(0), rows),
            weights: training.weights.as_ref().map(|w| w.select(Axis(0), rows)),
        }
    }

    /// The numbers of the classes.
    pub fn labels(&self) -> Vec<usize> {
        self.y.iter().map(|&c| c as usize).collect()
    }

    /// The classes by their names. A class may be missing in a part: then it is not told apart.
    pub fn classes(&self, all: &Classes) -> Result<Classes> {
        Classes::from_indices(self.labels(), all.names().to_vec())
    }

    /// How many rows get another class.
    pub fn wrong(&self, predicted: &[usize]) -> Result<f64> {
        Ok(predicted.iter().zip(self.labels()).filter(|(p, t)| **p != *t).count() as f64)
    }

    /// The weights, where there are some.
    pub fn weights(&self) -> Option<ndarray::ArrayView1<'_, f64>> {
        self.weights.as_ref().map(|w| w.view())
    }
}

/// The kernels of a choice: the one that is given, with each lengthscale if there are some; else linear and gaussian ones.
pub fn kernels(
    text: &str,
    words: &FoldWords,
    training: &Training,
    rows: &[usize],
    compute: &Compute,
) -> Result<Vec<(String, Kernel)>, Failure> {
    let x = training.x.select(Axis(0), rows);
    let base: Kernel =
        given(text).unwrap_or("gaussian()").parse::<Kernel>()?.with_column_names(&training.coordinates)?;
    let lengthscales = match (words.lengthscales.is_empty(), given(text)) {
        (false, _) => words.lengthscales.clone(),
        (true, Some(_)) => return Ok(vec![(base.to_string(), base)]),
        (true, None) => match median_lengthscales(x.view(), LENGTHSCALES, compute) {
            Ok(found) => found,
            // Fewer than two distinct points: there is no distance to measure by, and the linear kernel has to do.
            Err(Error::Request(_)) => Vec::new(),
            Err(other) => return Err(other.into()),
        },
    };
    let family = base.to_string();
    let mut kernels: Vec<(String, Kernel)> = Vec::new();
    if given(text).is_none() {
        kernels.push(("linear()".into(), "linear()".parse()?));
    }
    for lengthscale in lengthscales {
        kernels.push((family.clone(), with_lengthscale(&base, lengthscale)?));
    }
    Ok(kernels)
}

/// The C to choose from.
pub fn cs(one: Option<f64>, several: &[f64]) -> Vec<f64> {
    match one {
        Some(c) => vec![c],
        None if several.is_empty() => CS.to_vec(),
        None => several.to_vec(),
    }
}

/// The λ to choose from.
pub fn lambdas(one: Option<f64>, several: &[f64]) -> Vec<f64> {
    match one {
        Some(lambda) => vec![lambda],
        None if several.is_empty() => LAMBDAS.to_vec(),
        None => several.to_vec(),
    }
}

/// What was chosen.
pub struct Chosen {
    pub kernel: Kernel,
    pub parameter: f64,
    pub score: f64,
}

/// Scores every kernel along the parameters by `score`, which gives the sum of the losses of a held-out part per parameter.
pub fn choose(
    kernels: &[(String, Kernel)],
    parameters: &[f64],
    (measure, name): (Measure, &'static str),
    (training, rows, words): (&Training, &[usize], &FoldWords),
    session: &Session,
    score: impl Fn(&Kernel, &Part, &Part) -> Result<Vec<f64>>,
) -> Result<(Chosen, Choice), Failure> {
    let labels: Vec<usize> = match &training.classes {
        Some(classes) => rows.iter().map(|&row| classes.of()[row]).collect(),
        None => vec![0; rows.len()],
    };
    let parts = stratified_folds(&labels, words.cv as usize, &session.compute)?;
    let mut scores = Array2::zeros((kernels.len(), parameters.len()));
    for (at, (_, kernel)) in kernels.iter().enumerate() {
        for held in &parts {
            let others: Vec<usize> =
                (0..rows.len()).filter(|i| held.binary_search(i).is_err()).map(|i| rows[i]).collect();
            let held: Vec<usize> = held.iter().map(|&i| rows[i]).collect();
            let losses = score(kernel, &Part::of(training, &others), &Part::of(training, &held))?;
            scores.row_mut(at).iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss / rows.len() as f64);
        }
        session.compute.report("folds", at as u64 + 1, kernels.len() as u64);
    }
    best(kernels, parameters, scores.view(), (measure, name), (training, rows, words))
}

/// The best machine by the errors of folds, on kernel values that all folds and C share.
pub fn choose_machine(
    base: &Svc,
    kernels: &[(String, Kernel)],
    cs: &[f64],
    name: &'static str,
    (training, rows, words): (&Training, &[usize], &FoldWords),
    session: &Session,
) -> Result<(Chosen, Choice), Failure> {
    let part = Part::of(training, rows);
    let classes = part.classes(training.classes()?)?;
    let folds = stratified_folds(classes.of(), words.cv as usize, &session.compute)?;
    let of: Vec<Kernel> = kernels.iter().map(|(_, kernel)| kernel.clone()).collect();
    let grid = svm_grid(base, &of, cs, &folds, part.x.view(), &classes, part.weights(), &session.compute)?;
    let scores = grid.accuracy.mapv(|accuracy| 1.0 - accuracy);
    best(kernels, cs, scores.view(), (Measure::WrongClasses, name), (training, rows, words))
}

/// The candidate with the smallest score, and the table of all: a row of scores per kernel, a column per parameter.
fn best(
    kernels: &[(String, Kernel)],
    parameters: &[f64],
    scores: ArrayView2<f64>,
    (measure, name): (Measure, &'static str),
    (training, rows, words): (&Training, &[usize], &FoldWords),
) -> Result<(Chosen, Choice), Failure> {
    let mut candidates = Vec::new();
    for ((family, kernel), scores) in kernels.iter().zip(scores.rows()) {
        for (&parameter, &score) in parameters.iter().zip(scores) {
            let name = kernel.to_string();
            candidates.push((kernel, Candidate { name, family: family.clone(), lambda: Some(parameter), score }));
        }
    }
    // Of equals the first: the simpler kernel, the smaller parameter.
    let best = candidates.iter().min_by(|a, b| a.1.score.total_cmp(&b.1.score));
    let (kernel, winner) = best.ok_or_else(|| Failure::request("there is nothing to choose from"))?;
    let parameter = winner.lambda.unwrap_or(f64::NAN);
    let chosen = Chosen { kernel: (*kernel).clone(), parameter, score: winner.score };
    let candidates = candidates.into_iter().map(|(_, candidate)| candidate).collect();
    Ok((chosen, Choice::by_folds(words.cv as usize, measure, name, (rows.len(), training.rows()), candidates)))
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
                let place = classes.names().iter().position(|known| known == name).ok_or_else(|| {
                    let known = classes.names().join(", ");
                    Failure::request(format!("--class-weight: there is no class `{name}`; there are {known}"))
                })?;
                factors[place] = *factor;
            }
        }
    }
    Ok(Some(factors))
}
