//! The machines of a classifier: which rows they see, on which side, with which weight.

use super::classes::Classes;
use super::evidence::Machine;
use super::schedule::Scheme;
use super::svc::{Penalty, Svc};
use super::translate::{c_svc, nu_svc};
use crate::solve::{DualProblem, KernelRows};
use crate::{Compute, Error, Result};

/// One machine: a first class against a second one or the rest.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) first: usize,
    /// `None` for the rest.
    pub(super) second: Option<usize>,
    /// Rows, as places in the order by class.
    pub(super) rows: Vec<usize>,
    /// 1 for the first class, −1 for the others.
    pub(super) signs: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

/// All machines of a classifier, and the order of the rows by class that they share.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    /// Rows of the data by class, in their order within a class.
    pub(super) order: Vec<usize>,
    pub(super) list: Vec<Task>,
}

impl Tasks {
    pub(super) fn new(svc: &Svc, classes: &Classes, weights: &[f64]) -> Result<Self> {
        let k = classes.count();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&row| classes.of()[row]);
        let class_at: Vec<usize> = order.iter().map(|&row| classes.of()[row]).collect();
        for (class, name) in classes.names().iter().enumerate() {
            if !order.iter().any(|&row| classes.of()[row] == class && weights[row] > 0.0) {
                return Err(Error::request(format!("the class {name} has no rows with weight")));
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
        Ok(Self { list: pairs.into_iter().map(task).collect(), order })
    }
}

/// A solution of a task, from which the next one can begin.
pub(super) struct Solved {
    bound: f64,
    alpha: Vec<f64>,
    objective: f64,
}

impl Task {
    /// The dual problem of some of the rows.
    pub(super) fn problem(&self, svc: &Svc, points: Vec<usize>) -> Result<DualProblem> {
        let signs = points.iter().map(|&p| self.signs[p]).collect();
        let weights = points.iter().map(|&p| svc.bound() * self.weights[p]).collect();
        match svc.penalty {
            Penalty::C(_) => Ok(c_svc(points, signs, weights, svc.offset)),
            Penalty::Nu(nu) => nu_svc(points, signs, weights, nu),
        }
    }

    /// The machine of all rows, from a start if there is one.
    pub(super) fn solve(
        &self,
        svc: &Svc,
        rows: &mut KernelRows<'_>,
        start: Option<Vec<f64>>,
        compute: &Compute,
    ) -> Result<Machine> {
        let mut problem = self.problem(svc, (0..self.rows.len()).collect())?;
        if let Some(start) = start {
            problem.start = start.iter().zip(&problem.upper).map(|(a, c)| a.min(*c)).collect();
        }
        let machine = self.solve_problem(svc, &problem, rows, compute)?;
        if !svc.indefinite {
            machine.require_norm(&svc.kernel)?;
        }
        Ok(machine)
    }

    /// The machine of the next classifier of a list that differs in `C` only, begun at the one before.
    ///
    /// # Formula
    /// `tα` is feasible up to `t = C'/C`. Along this ray the objective `tΣα − ½t²αᵀQα` is largest at `t = Σα/αᵀQα`: near 1 where most variables are
    /// between their bounds and `C` hardly matters, beyond `C'/C` where most are at the upper one.
    pub(super) fn solve_next(
        &self,
        svc: &Svc,
        rows: &mut KernelRows<'_>,
        last: &mut Option<Solved>,
        compute: &Compute,
    ) -> Result<Machine> {
        let start = last.take().map(|last| {
            let most = svc.bound() / last.bound;
            let sum: f64 = last.alpha.iter().sum();
            let best = sum / (2.0 * (sum - last.objective)).max(f64::MIN_POSITIVE);
            let factor = if best.is_finite() { best.max(1.0).min(most) } else { most };
            last.alpha.iter().map(|a| a * factor).collect()
        });
        let machine = self.solve(svc, rows, start, compute)?;
        let objective = machine.evidence.objective;
        *last = Some(Solved { bound: svc.bound(), alpha: self.alpha(&machine), objective });
        Ok(machine)
    }

    /// The machine of a problem on some of the rows; its decisions are those of all rows.
    pub(super) fn solve_problem(
        &self,
        svc: &Svc,
        problem: &DualProblem,
        rows: &mut KernelRows<'_>,
        compute: &Compute,
    ) -> Result<Machine> {
        let solution = problem.solve(rows, &svc.solver, compute)?;
        match svc.penalty {
            Penalty::C(_) => Ok(Machine::new(problem, &solution)),
            Penalty::Nu(_) => Machine::nu_svc(problem, &solution),
        }
    }

    /// `α` of a machine of all rows.
    pub(super) fn alpha(&self, machine: &Machine) -> Vec<f64> {
        self.signs.iter().zip(&machine.coefficients).map(|(s, c)| s * c).collect()
    }
}
