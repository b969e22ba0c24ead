//! The binary SVMs of a classifier: which rows they see, on which side, with which weight.

use std::ops::Range;

use super::classes::Classes;
use super::evidence::BinarySvm;
use super::schedule::Scheme;
use super::svc::{Penalty, Svc};
use super::translate::{c_svc, nu_svc};
use crate::solve::{Constraint, DualProblem, KernelRows};
use crate::{Compute, Error, Result};

/// One binary SVM: a first class against a second one or the rest.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Task {
    pub(super) first: usize,
    /// `None` for the rest.
    pub(super) second: Option<usize>,
    /// Rows, as positions in the order by class.
    pub(in crate::learn) rows: Vec<usize>,
    /// 1 for the first class, −1 for the others.
    pub(super) signs: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

/// All binary SVMs of a classifier, and the order of the rows by class that they share.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Tasks {
    /// Rows of the data by class, in their order within a class.
    pub(in crate::learn) order: Vec<usize>,
    /// The class at each position.
    class_at: Vec<usize>,
    pub(in crate::learn) list: Vec<Task>,
}

impl Tasks {
    pub(in crate::learn) fn new(svc: &Svc, classes: &Classes, weights: &[f64]) -> Result<Self> {
        let k = classes.count();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&row| classes.of()[row]);
        let class_at: Vec<usize> = order.iter().map(|&row| classes.of()[row]).collect();
        for (class, name) in classes.names().iter().enumerate() {
            if !order.iter().any(|&row| classes.of()[row] == class && weights[row] > 0.0) {
                return Err(Error::EmptyClass { class: name.to_owned(), outside_fold: None });
            }
        }
        let pairs: Vec<(usize, Option<usize>)> = if svc.scheme == Scheme::OneVersusOne || k == 2 {
            (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, Some(b)))).collect()
        } else {
            (0..k).map(|a| (a, None)).collect()
        };
        let task = |(first, second): (usize, Option<usize>)| {
            let seen = |c: usize| second.is_none_or(|second| c == first || c == second);
            let rows: Vec<usize> = (0..order.len()).filter(|&at| seen(class_at[at])).collect();
            let signs = rows.iter().map(|&at| if class_at[at] == first { 1.0 } else { -1.0 }).collect();
            let weights = rows.iter().map(|&at| weights[order[at]]).collect();
            Task { first, second, rows, signs, weights }
        };
        Ok(Self { list: pairs.into_iter().map(task).collect(), order, class_at })
    }
}

impl Tasks {
    /// The positions of each class.
    pub(super) fn classes(&self) -> Vec<Range<usize>> {
        let runs = self.class_at.chunk_by(|a, b| a == b);
        runs.scan(0, |end, run| {
            *end += run.len();
            Some(*end - run.len()..*end)
        })
        .collect()
    }

    /// How many tasks at the beginning of the list do not begin at the solutions of others: of
    /// pairs, those of the first class.
    pub(super) fn leading(&self) -> usize {
        self.list.iter().take_while(|task| task.first == 0 || task.second.is_none()).count()
    }
}

impl Task {
    /// The dual problem of some of the rows, with guesses of `α` of all rows.
    pub(in crate::learn) fn problem(&self, svc: &Svc, points: Vec<usize>, guesses: &[&[f64]]) -> Result<DualProblem> {
        let signs = points.iter().map(|&p| self.signs[p]).collect();
        let weights = points.iter().map(|&p| svc.bound() * self.weights[p]).collect();
        match svc.penalty {
            Penalty::C(_) => {
                let mut problem = c_svc(points, signs, weights, svc.offset);
                // Of an indefinite kernel there are several stationary points, and the one that is
                // meant is LIBSVM's, which begins at 0.
                if !svc.indefinite {
                    problem.guesses = guesses.iter().map(|guess| feasible(&problem, guess)).collect();
                }
                Ok(problem)
            }
            Penalty::Nu(nu) => nu_svc(points, signs, weights, nu),
        }
    }

    /// The SVM of all rows, begun at the best of some guesses of `α`.
    pub(super) fn solve(
        &self,
        svc: &Svc,
        rows: &mut KernelRows<'_>,
        guesses: &[&[f64]],
        compute: &Compute,
    ) -> Result<BinarySvm> {
        let problem = self.problem(svc, (0..self.rows.len()).collect(), guesses)?;
        let svm = self.solve_problem(svc, &problem, rows, compute)?;
        if !svc.indefinite {
            svm.require_norm(&svc.kernel)?;
        }
        Ok(svm)
    }

    /// The SVM of a problem on some of the rows; its decisions are those of all rows.
    pub(super) fn solve_problem(
        &self,
        svc: &Svc,
        problem: &DualProblem,
        rows: &mut KernelRows<'_>,
        compute: &Compute,
    ) -> Result<BinarySvm> {
        let solution = problem.solve(rows, &svc.solver, compute)?;
        match svc.penalty {
            Penalty::C(_) => Ok(BinarySvm::new(problem, &solution)),
            Penalty::Nu(_) => BinarySvm::nu_svc(problem, &solution),
        }
    }

    /// `α` of a C-SVM of all rows.
    pub(super) fn alpha(&self, svm: &BinarySvm) -> Vec<f64> {
        self.signs.iter().zip(&svm.coefficients).map(|(s, c)| s * c).collect()
    }
}

/// A guess of `α` of all rows within the bounds of a C-SVM of some and with the sum that it keeps:
/// smaller as a whole, then on the side that weighs more.
fn feasible(problem: &DualProblem, guess: &[f64]) -> Vec<f64> {
    let guess: Vec<f64> = problem.points.iter().map(|&p| guess[p]).collect();
    let room = |(a, c): (&f64, &f64)| if *a > 0.0 { c / a } else { 1.0 };
    let whole = guess.iter().zip(&problem.upper).map(room).fold(1.0, f64::min);
    let sum = |sign: f64| guess.iter().zip(&problem.signs).filter(|(_, s)| **s == sign).map(|(a, _)| a).sum::<f64>();
    let (first, second) = (sum(1.0), sum(-1.0));
    let least = if problem.constraint == Constraint::Sum { first.min(second) } else { f64::INFINITY };
    let part = |side: f64| if side > least { least / side } else { 1.0 };
    let (first, second) = (whole * part(first), whole * part(second));
    let one = |((a, s), c): ((&f64, &f64), &f64)| (a * if *s > 0.0 { first } else { second }).min(*c);
    guess.iter().zip(&problem.signs).zip(&problem.upper).map(one).collect()
}
