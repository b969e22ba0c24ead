//! Many machines on one kernel matrix.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::support::{bind, rebind, select};
use super::svc::Svc;
use super::task::{Task, Tasks};
use crate::gram::Tiles;
use crate::solve::KernelRows;
use crate::{Compute, Kernel, Result};

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

    /// Does the work of every machine: in parallel on the shared matrix, else one after the other.
    pub(super) fn run<R: Send>(
        &self,
        compute: &Compute,
        work: impl Fn(&Task, &mut KernelRows<'_>, &Compute) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let tasks = &self.tasks.list;
        if let [only] = &tasks[..] {
            let bound = rebind(&self.kernel, self.ordered.view(), compute)?;
            return Ok(vec![work(only, &mut self.rows(&bound, compute)?, compute)?]);
        }
        let (done, silent) = (AtomicU64::new(0), compute.silent());
        let tick = || compute.report("machines", done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len() as u64);
        match &self.shared {
            Some(whole) => compute.install(|| {
                let one = |task: &Task| work(task, &mut whole.part(&task.rows), &silent).inspect(|_| tick());
                tasks.par_iter().with_max_len(1).map(one).collect()
            }),
            None => {
                let one = |task: &Task| {
                    let x = select(&self.kernel, self.ordered.view(), &task.rows);
                    let bound = rebind(&self.kernel, x.view(), &silent)?;
                    work(task, &mut self.rows(&bound, &silent)?, &silent).inspect(|_| tick())
                };
                tasks.iter().map(one).collect()
            }
        }
    }

    fn rows<'t>(&self, bound: &'t dyn Tiles, compute: &Compute) -> Result<KernelRows<'t>> {
        KernelRows::new(bound, self.least, compute)
    }
}
