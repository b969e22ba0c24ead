//! Many binary SVMs on one kernel matrix.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::evidence::BinarySvm;
use super::method::SvmMethod;
use super::probability::Calibrator;
use super::support::{bind, rebind};
use super::svc::Svc;
use super::task::{Task, Tasks};
use crate::gram::Tiles;
use crate::solve::{ClassBlocks, KernelRows, PairRoom};
use crate::{Compute, Kernel, Points, Result, Sample};

/// A binary SVM for every `C` of a list, with its probabilities.
pub(super) type Along = Vec<(BinarySvm, Option<Calibrator>)>;

/// How binary SVMs are combined to a classifier of many classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    /// A binary SVM for every pair of classes; each gives its vote to the winner.
    #[default]
    OneVersusOne,
    /// A binary SVM for every class against all others; the largest decision value wins.
    OneVersusRest,
}

/// The binary SVMs of a classifier on the points in the order of the classes.
pub(super) struct Schedule {
    /// The kernel with medians resolved.
    pub(super) kernel: Kernel,
    pub(super) tasks: Tasks,
    ordered: Sample,
    kept: Kept,
    /// Rows that the solver needs at hand together.
    least: usize,
}

/// Which kernel values stay in memory for several binary SVMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// The blocks of the classes; this many pairs fit into memory beside them.
    Blocks { pairs: usize },
    /// The whole matrix.
    Whole,
    /// None, but the explicit features of the points; this many working sets fit into memory.
    Features { sets: usize },
    /// None, but the few features of the points ([`SvmMethod::InteriorPoint`]).
    FiniteRank,
    /// None: the binary SVMs come one after the other, each with its own rows.
    Nothing,
}

/// The same with the values; whole are the rows of all points.
enum Shared<'b> {
    Blocks(ClassBlocks<'b>),
    Whole(KernelRows<'b>),
    Nothing,
}

impl Kept {
    /// Whatever takes least memory for the pairs of classes of these sizes, if it fits; the whole
    /// matrix, in double precision, for few points. It does not depend on the number of threads, so
    /// that the bytes do not either.
    pub(super) fn choose(sizes: &[usize], compute: &Compute) -> Self {
        let (n, room) = (sizes.iter().sum(), compute.memory() / 4 * 3);
        let ((blocks, pair), whole) = (ClassBlocks::bytes(sizes), KernelRows::whole_bytes(n));
        if !KernelRows::are_few(n) && blocks + 2 * pair < whole && blocks + pair <= room {
            return Self::Blocks { pairs: usize::try_from((room - blocks) / pair.max(1)).unwrap_or(usize::MAX) };
        }
        if whole <= room { Self::Whole } else { Self::Nothing }
    }

    /// The explicit features of this many points, where they take the place of a matrix: if that is
    /// large or does not fit.
    pub(super) fn features(n: usize, set: usize, compute: &Compute) -> Option<Self> {
        let bytes = KernelRows::feature_bytes(set, n, 0);
        let sets = usize::try_from(compute.memory() / 2 / bytes.max(1)).unwrap_or(usize::MAX);
        (!KernelRows::is_made_whole(n, compute)).then_some(Self::Features { sets: sets.max(1) })
    }
}

impl Schedule {
    pub(super) fn new(svc: &Svc, x: Points<'_>, tasks: Tasks, compute: &Compute) -> Result<Self> {
        let bound = bind(&svc.kernel, x, svc.indefinite, compute)?;
        let kernel = bound.kernel().clone();
        let ordered = Sample::select(x, &tasks.order);
        let n = ordered.len();
        let sizes: Vec<usize> = tasks.classes().iter().map(ExactSizeIterator::len).collect();
        let paired = tasks.list.iter().all(|task| task.second.is_some());
        // Binary SVMs of a class against the rest have the points of all classes.
        let sizes = if paired { &sizes[..] } else { std::slice::from_ref(&n) };
        let least = svc.solver.working_set;
        let largest = tasks.list.iter().map(|task| task.rows.len()).max().unwrap_or(0);
        let features = match SvmMethod::of(&kernel, x, largest) {
            SvmMethod::InteriorPoint { .. } => Some(Kept::FiniteRank),
            SvmMethod::WorkingSets => bound.features().and_then(|_| Kept::features(n, least, compute)),
        };
        let kept = features.unwrap_or_else(|| Kept::choose(sizes, compute));
        Ok(Self { kernel, tasks, ordered, kept, least })
    }

    /// The binary SVMs of a list of classifiers that differ in `C` only: in parallel on the shared
    /// matrix, else one after the other. Each begins at its solution for the `C` before; for the
    /// first `C`, at what its classes needed against the first of all classes.
    pub(super) fn run(&self, specs: &[Svc], compute: &Compute) -> Result<Vec<Along>> {
        let tasks = &self.tasks.list;
        let bound = rebind(&self.kernel, self.ordered.as_points(), compute)?;
        if let [only] = &tasks[..] {
            return Ok(vec![along(specs, only, None, &mut self.rows(&bound, compute)?, compute)?]);
        }
        let (done, silent) = (AtomicU64::new(0), compute.silent());
        let tick = |_: &Along| {
            compute.report("support vector machines", done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len() as u64)
        };
        let shared = match self.kept {
            Kept::Blocks { .. } => Shared::Blocks(ClassBlocks::new(&bound, self.tasks.classes(), compute)?),
            Kept::Whole => Shared::Whole(KernelRows::whole(&bound, compute)?),
            Kept::Features { .. } | Kept::FiniteRank => Shared::Whole(self.rows(&bound, compute)?),
            Kept::Nothing => Shared::Nothing,
        };
        let one = |task: &Task, guess: Option<Vec<f64>>, room: &mut PairRoom| match (&shared, task.second) {
            (Shared::Blocks(blocks), Some(second)) => {
                along(specs, task, guess, &mut blocks.pair(task.first, second, room), &silent).inspect(tick)
            }
            (Shared::Whole(whole), _) => {
                along(specs, task, guess, &mut whole.subset(&task.rows), &silent).inspect(tick)
            }
            _ => {
                let x = Sample::select(self.ordered.as_points(), &task.rows);
                let bound = rebind(&self.kernel, x.as_points(), &silent)?;
                along(specs, task, guess, &mut self.rows(&bound, &silent)?, &silent).inspect(tick)
            }
        };
        let (leading, others) = tasks.split_at(self.tasks.leading());
        let mut found = self.each(leading, compute, |task, room| one(task, None, room))?;
        let rest = self.each(others, compute, |task, room| one(task, guess(task, leading, &found), room))?;
        found.extend(rest);
        Ok(found)
    }

    /// All tasks of a list: in parallel where they share kernel values.
    fn each(
        &self,
        tasks: &[Task],
        compute: &Compute,
        one: impl Fn(&Task, &mut PairRoom) -> Result<Along> + Sync,
    ) -> Result<Vec<Along>> {
        let at_once = match self.kept {
            Kept::Nothing => return tasks.iter().map(|task| one(task, &mut PairRoom::default())).collect(),
            Kept::Blocks { pairs: count } | Kept::Features { sets: count } if count < compute.threads() => count,
            _ => tasks.len(),
        };
        let work = |room: &mut PairRoom, task: &Task| one(task, room);
        let mut found = Vec::with_capacity(tasks.len());
        for some in tasks.chunks(at_once.max(1)) {
            let some: Result<Vec<Along>> =
                compute.install(|| some.par_iter().with_max_len(1).map_init(PairRoom::default, work).collect());
            found.extend(some?);
        }
        Ok(found)
    }

    fn rows<'t>(&self, bound: &'t dyn Tiles, compute: &Compute) -> Result<KernelRows<'t>> {
        match self.kept {
            Kept::FiniteRank => SvmMethod::features(&self.kernel, self.ordered.as_points(), compute),
            _ => KernelRows::new(bound, self.least, compute),
        }
    }
}

/// The binary SVMs of one task for a list of `C`.
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
        let svm = task.solve(spec, rows, &guesses, compute)?;
        last = Some(task.alpha(&svm));
        let calibrator = spec.calibration.map(|c| c.fit(spec, task, &svm, rows, compute)).transpose()?;
        Ok((svm, calibrator))
    };
    specs.iter().map(one).collect()
}

/// `α` of the two classes of a pair against the first of all classes.
fn guess(task: &Task, leading: &[Task], found: &[Along]) -> Option<Vec<f64>> {
    let against_first = |class: usize| {
        let at = leading.iter().position(|lead| lead.second == Some(class))?;
        let (lead, svm) = (&leading[at], &found[at].first()?.0);
        Some(lead.alpha(svm).into_iter().zip(&lead.signs).filter(|(_, s)| **s < 0.0).map(|(a, _)| a))
    };
    Some(against_first(task.first)?.chain(against_first(task.second?)?).collect())
}
