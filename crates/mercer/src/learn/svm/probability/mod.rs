//! Probabilities from held-out decision values: each row's value comes from a binary SVM that was
//! fitted without it.

mod coupling;
mod isotonic;
mod sigmoid;

use super::evidence::BinarySvm;
use super::svc::{Penalty, Svc};
use super::task::Task;
use super::translate::largest_nu;
use crate::solve::KernelRows;
use crate::{Compute, Error, Result};

pub(super) use coupling::couple;
pub use isotonic::Isotonic;
pub use sigmoid::Sigmoid;

/// How decision values become probabilities.
///
/// # Theory
/// The rows are split into folds by the seed, class by class; the decision values of a fold come
/// from a binary SVM fitted to the others. So the probabilities are not those of values that the
/// SVM was made to get right. Weights of rows and classes count here as they do for the SVM: the
/// probabilities are those of a population in which the rows occur that often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// Platt's `1/(1 + exp(Af + B))`, by maximum likelihood.
    Sigmoid {
        /// The number of folds, at least 2.
        folds: usize,
    },
    /// The increasing function of `f` with the least squared error.
    Isotonic {
        /// The number of folds, at least 2.
        folds: usize,
    },
}

/// The probability of the first class as a function of the decision value.
#[derive(Clone, Debug, PartialEq)]
pub enum Calibrator {
    /// A sigmoid.
    Sigmoid(Sigmoid),
    /// Steps, joined by lines.
    Isotonic(Isotonic),
}

/// What became of a row that was held out.
#[derive(Clone, Copy)]
struct Outcome {
    decision: f64,
    /// Whether it is of the first class.
    first: bool,
    weight: f64,
}

impl Outcome {
    /// Of all rows with weight.
    fn list(decisions: &[f64], signs: &[f64], weights: &[f64]) -> Vec<Self> {
        let all = decisions.iter().zip(signs).zip(weights);
        let one = |((&decision, sign), &weight): ((&f64, &f64), &f64)| Self { decision, first: *sign > 0.0, weight };
        all.map(one).filter(|outcome| outcome.weight > 0.0).collect()
    }
}

impl Calibrator {
    /// The probability of the first class where the decision value is `f`.
    pub fn probability(&self, f: f64) -> f64 {
        match self {
            Self::Sigmoid(sigmoid) => sigmoid.probability(f),
            Self::Isotonic(isotonic) => isotonic.probability(f),
        }
    }
}

impl Calibration {
    pub(super) fn fit(
        self,
        svc: &Svc,
        task: &Task,
        svm: &BinarySvm,
        rows: &mut KernelRows<'_>,
        compute: &Compute,
    ) -> Result<Calibrator> {
        let (Self::Sigmoid { folds } | Self::Isotonic { folds }) = self;
        if folds < 2 {
            return Err(Error::parameter("folds", folds, 2..));
        }
        let decisions = held_out(svc, task, &task.alpha(svm), rows, folds, compute)?;
        let outcomes = Outcome::list(&decisions, &task.signs, &task.weights);
        Ok(match self {
            Self::Sigmoid { .. } => Calibrator::Sigmoid(Sigmoid::fit(&outcomes)),
            Self::Isotonic { .. } => Calibrator::Isotonic(Isotonic::fit(&outcomes)),
        })
    }
}

/// The decision value of every row, by a binary SVM that was fitted without it; `alpha` is that of
/// the SVM of all rows.
fn held_out(
    svc: &Svc,
    task: &Task,
    alpha: &[f64],
    rows: &mut KernelRows<'_>,
    folds: usize,
    compute: &Compute,
) -> Result<Vec<f64>> {
    let fold_of = deal(task, folds, compute);
    let mut decisions = vec![0.0; task.signs.len()];
    for fold in 0..folds {
        let others: Vec<usize> = (0..fold_of.len()).filter(|&i| fold_of[i] != fold && task.weights[i] > 0.0).collect();
        let found = fold_decisions(svc, task, alpha, others, rows, compute)?;
        for i in (0..fold_of.len()).filter(|&i| fold_of[i] == fold) {
            decisions[i] = found.as_ref().map_or_else(|constant| *constant, |values| values[i]);
        }
    }
    Ok(decisions)
}

/// The decisions of a binary SVM on some rows, or a constant where only one class is left.
fn fold_decisions(
    svc: &Svc,
    task: &Task,
    alpha: &[f64],
    points: Vec<usize>,
    rows: &mut KernelRows<'_>,
    compute: &Compute,
) -> Result<std::result::Result<Vec<f64>, f64>> {
    let has = |sign: f64| points.iter().any(|&p| task.signs[p] == sign);
    match (has(1.0), has(-1.0)) {
        (true, true) => {}
        (first, second) => return Ok(Err(f64::from(u8::from(first)) - f64::from(u8::from(second)))),
    }
    let mut svc = svc.clone();
    if let Penalty::Nu(nu) = &mut svc.penalty {
        let of = |list: &[f64]| points.iter().map(|&p| list[p]).collect::<Vec<f64>>();
        *nu = nu.min(largest_nu(&of(&task.signs), &of(&task.weights)));
    }
    let problem = task.problem(&svc, points, &[alpha])?;
    Ok(Ok(task.solve_problem(&svc, &problem, rows, compute)?.decisions))
}

/// The fold of every row: each class is dealt out in a random order.
fn deal(task: &Task, folds: usize, compute: &Compute) -> Vec<usize> {
    let index = (task.first as u64) << 32 | task.second.map_or(u64::from(u32::MAX), |second| second as u64);
    let mut stream = compute.seed().stream("folds of a calibration", index);
    let mut fold_of = vec![0; task.signs.len()];
    let mut next = 0;
    for sign in [1.0, -1.0] {
        let members: Vec<usize> = (0..task.signs.len()).filter(|&i| task.signs[i] == sign).collect();
        for at in stream.permutation(members.len()) {
            fold_of[members[at]] = next % folds;
            next += 1;
        }
    }
    fold_of
}
