//! Many machines on one kernel matrix.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::evidence::Machine;
use super::probability::Calibrator;
use super::support::{bind, rebind, select};
use super::svc::Svc;
use super::task::{Task, Tasks};
use crate::gram::Tiles;
use crate::solve::KernelRows;
use crate::{Compute, Kernel, Result};

/// A machine for every `C` of a list, with its probabilities.
pub(super) type Along = Vec<(Machine, Option<Calibrator>)>;

/// How machines for two classes make one for many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    /// A machine for every pair of classes; each gives its vote to the winner.
    #[default]
    OneVersusOne,
    /// A machine for every class against all others; the largest decision value wins.
    OneVersusRest,
}

/// The machines of a classifier on the points in the order of the classes.
pub(super) struct Schedule {
    /// The kernel with medians resolved.
    pub(super) kernel: Kernel,
    pub(super) tasks: Tasks,
    ordered: Array2<f64>,
    /// The whole kernel matrix, where several machines share it and it fits into memory.
    shared: Option<KernelRows<'static>>,
    /// Rows that the solver needs at hand together.
    least: usize,
}

impl Schedule {
    pub(super) fn new(svc: &Svc, x: ArrayView2<f64>, tasks: Tasks, compute: &Compute) -> Result<Self> {
        let kernel = bind(&svc.kernel, x, svc.indefinite, compute)?.kernel().clone();
        let ordered = select(&kernel, x, &tasks.order);
        let n = ordered.nrows();
        // The largest parts of the matrix are in memory beside it, one per thread.
        let largest = tasks.list.iter().map(|task| task.rows.len()).max().unwrap_or(0);
        let parts = if largest < n { KernelRows::whole_bytes(largest) * compute.threads() as u64 } else { 0 };
        let needed = KernelRows::whole_bytes(n).saturating_add(parts);
        let shared = if tasks.list.len() > 1 && needed <= compute.memory() / 4 * 3 {
            Some(KernelRows::whole(&rebind(&kernel, ordered.view(), compute)?, compute)?)
        } else {
            None
        };
        Ok(Self { kernel, tasks, ordered, shared, least: svc.solver.working_set })
    }

    /// The machines of a list of classifiers that differ in `C` only: in parallel on the shared matrix, else one after the other. Each begins at
    /// its solution for the `C` before; for the first `C`, at what its classes needed against the first of all classes.
    pub(super) fn run(&self, specs: &[Svc], compute: &Compute) -> Result<Vec<Along>> {
        let tasks = &self.tasks.list;
        if let [only] = &tasks[..] {
            let bound = rebind(&self.kernel, self.ordered.view(), compute)?;
            return Ok(vec![along(specs, only, None, &mut self.rows(&bound, compute)?, compute)?]);
        }
        let (done, silent) = (AtomicU64::new(0), compute.silent());
        let tick = || compute.report("machines", done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len() as u64);
        let one = |task: &Task, guess: Option<Vec<f64>>| match &self.shared {
            Some(whole) => along(specs, task, guess, &mut whole.part(&task.rows), &silent).inspect(|_| tick()),
            None => {
                let x = select(&self.kernel, self.ordered.view(), &task.rows);
                let bound = rebind(&self.kernel, x.view(), &silent)?;
                along(specs, task, guess, &mut self.rows(&bound, &silent)?, &silent).inspect(|_| tick())
            }
        };
        let (leading, others) = tasks.split_at(self.tasks.leading());
        let mut found = self.each(leading, compute, |task| one(task, None))?;
        let rest = self.each(others, compute, |task| one(task, guess(task, leading, &found)))?;
        found.extend(rest);
        Ok(found)
    }

    /// All tasks of a list: in parallel where they share a matrix.
    fn each(
        &self,
        tasks: &[Task],
        compute: &Compute,
        one: impl Fn(&Task) -> Result<Along> + Sync,
    ) -> Result<Vec<Along>> {
        match self.shared {
            Some(_) => compute.install(|| tasks.par_iter().with_max_len(1).map(&one).collect()),
            None => tasks.iter().map(one).collect(),
        }
    }

    fn rows<'t>(&self, bound: &'t dyn Tiles, compute: &Compute) -> Result<KernelRows<'t>> {
        KernelRows::new(bound, self.least, compute)
    }
}

/// The machines of one task for a list of `C`.
fn along(
    specs: &[Svc],
    task: &Task,
    guess: Option<Vec<f64>>,
    rows: &mut KernelRows<'_>,
    compute: &Compute,
) -> Result<Along> {
    let mut last = guess;
    let one = |spec: &Svc| {
        let guesses: Vec<&[f64]> = last.as_deref().into_iter().collect();
        let machine = task.solve(spec, rows, &guesses, compute)?;
        last = Some(task.alpha(&machine));
        let calibrator = spec.calibration.map(|c| c.fit(spec, task, &machine, rows, compute)).transpose()?;
        Ok((machine, calibrator))
    };
    specs.iter().map(one).collect()
}

/// `α` of the two classes of a pair against the first of all classes.
fn guess(task: &Task, leading: &[Task], found: &[Along]) -> Option<Vec<f64>> {
    let against_first = |class: usize| {
        let at = leading.iter().position(|lead| lead.second == Some(class))?;
        let (lead, machine) = (&leading[at], &found[at].first()?.0);
        Some(lead.alpha(machine).into_iter().zip(&lead.signs).filter(|(_, s)| **s < 0.0).map(|(a, _)| a))
    };
    Some(against_first(task.first)?.chain(against_first(task.second?)?).collect())
}
