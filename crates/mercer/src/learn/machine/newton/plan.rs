//! The plan of a fit, made before anything is allocated.

use std::fmt;

use crate::compute::{human_bytes, human_seconds};
use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::learn::PLANNED_THREADS;
use crate::learn::centers::{CenterMachine, Centers};
use crate::learn::ridge::approximation;
use crate::solve::KernelRows;
use crate::{Compute, Error, Result};

/// Points up to which a step of one function is solved exactly.
/// Conjugate gradients take 3.2 times as long at 800 points, and 1.16 times at 2000.
const EXACT: usize = 3000;
/// Unknowns (points times functions) up to which a step of several functions is: their matrix costs
/// more to make.
/// With one thread exact steps take 12 ms against 17 at 120 unknowns, 154 against 104 at 600, 681
/// against 258 at 1140.
const EXACT_SEVERAL: usize = 1200;
/// Columns of a preconditioner, over all functions; more make a step cost more than the products
/// that they save.
const MAX_RANK: usize = 512;
/// Columns of a preconditioner for one of many functions.
const MIN_RANK: usize = 64;
/// Operations from which steps over all pairs of rows are too many: hours on a few cores.
/// Any number of hours would do.
const TOO_MANY: f64 = 1e14;

/// How a regularized loss is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LossSolver {
    /// By the loss, the number of rows and the memory limit.
    #[default]
    Auto,
    /// Newton's method, each step by a Cholesky factor.
    Newton,
    /// Newton's method, each step by conjugate gradients with a partial Cholesky factor as
    /// preconditioner. `K` is stored where it fits.
    NewtonConjugateGradients,
    /// The dual problem of the losses with kinks, by pairs of variables.
    Dual,
    /// Functions on a few centers instead of all points, by Newton's method and preconditioned
    /// conjugate gradients: an approximation, for the smooth losses and samples of any length.
    Centers,
}

impl fmt::Display for LossSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Newton => "Newton with exact steps",
            Self::NewtonConjugateGradients => "Newton with conjugate gradients",
            Self::Dual => "dual problem",
            Self::Centers => "Newton on centers",
        })
    }
}

/// The plan of a fit: what will be run, and what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct LossPlan {
    /// The solver, never [`LossSolver::Auto`].
    pub solver: LossSolver,
    /// The most bytes that will be allocated at a time.
    pub bytes: u64,
    /// Floating-point operations, about: of ten Newton steps, with 30 products each for conjugate
    /// gradients; of one pass over all pairs for the dual problem.
    pub flops: f64,
    /// Columns of the preconditioner, at most, for conjugate gradients.
    pub rank: usize,
    /// Whether the kernel matrix is stored.
    pub stored: bool,
    /// The number of centers; 0 for an exact solver.
    pub centers: usize,
    /// The expected time, where the speed of the machine is known ([`Compute::with_speed`]).
    pub seconds: Option<f64>,
    /// Why this solver.
    pub reason: String,
}

impl LossPlan {
    /// What is approximated, and how the error is known; nothing for an exact answer.
    pub fn approximation(&self) -> Option<String> {
        approximation(self.centers)
    }
}

impl fmt::Display for LossPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        // A plan from a file does not store the cost of the run.
        if self.bytes > 0 {
            write!(f, ": {}, about {:.1e} operations", human_bytes(self.bytes), self.flops)?;
        }
        self.seconds.map_or(Ok(()), |seconds| write!(f, ", {}", human_seconds(seconds)))?;
        write!(f, "; {}", self.reason)?;
        self.approximation().map_or(Ok(()), |text| write!(f, "; an approximation: {text}"))
    }
}

/// What a plan of Newton's method depends on.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Request<'r> {
    pub(in crate::learn) rows: usize,
    pub(in crate::learn) columns: usize,
    pub(in crate::learn) functions: usize,
    pub(in crate::learn) solver: LossSolver,
    /// The explicit centers, and the learner that would fit on some; none on precomputed kernel
    /// values.
    pub(in crate::learn) centers: (Option<&'r Centers>, Option<CenterMachine>),
}

/// What to do where a fit by a solver takes too much memory.
fn advice(solver: LossSolver) -> &'static str {
    match solver {
        LossSolver::Centers => "use fewer centers, fewer rows, or a higher memory limit",
        LossSolver::NewtonConjugateGradients => "use centers (an approximation), fewer rows, or a higher memory limit",
        _ => "use the solver auto, conjugate gradients or centers, fewer rows, or a higher memory limit",
    }
}

impl Request<'_> {
    /// The plan, within the memory limit.
    pub(in crate::learn) fn plan(&self, compute: &Compute) -> Result<LossPlan> {
        let plan = match self.solver {
            LossSolver::Auto if self.centers.0.is_some() => self.on_centers(compute, "requested")?,
            LossSolver::Newton => self.exact("requested"),
            LossSolver::NewtonConjugateGradients => self.iterative(compute, "requested"),
            LossSolver::Centers => self.on_centers(compute, "requested")?,
            LossSolver::Auto | LossSolver::Dual => self.choose(compute)?,
        };
        compute.reserve(
            MemoryPurpose::Fit,
            &format!("a fit of {} rows by {}", self.rows, plan.solver),
            plan.bytes,
            advice(plan.solver),
        )?;
        Ok(LossPlan { seconds: compute.seconds(plan.flops), ..plan })
    }

    fn choose(&self, compute: &Compute) -> Result<LossPlan> {
        let all = self.choose_exact(compute);
        let late = !compute.is_in_time(all.flops);
        if self.centers.1.is_none() || !(late || (all.flops > TOO_MANY && !all.stored)) {
            return Ok(all);
        }
        let over = if late { "the time limit" } else { "what is reasonable" };
        let reason = format!("all points by {} would take {:.0e} operations: more than {over}", all.solver, all.flops);
        self.on_centers(compute, &reason)
    }

    fn choose_exact(&self, compute: &Compute) -> LossPlan {
        let exact = self.exact("the system of a step is small");
        if self.rows * self.functions > if self.functions > 1 { EXACT_SEVERAL } else { EXACT } {
            return self.iterative(compute, "the system of a step is large");
        }
        if exact.bytes <= compute.memory() {
            return exact;
        }
        self.iterative(compute, "the system of a step does not fit into the memory limit")
    }

    /// The learner on centers, with their number.
    pub(in crate::learn) fn machine(&self, compute: &Compute) -> Result<CenterMachine> {
        let machine = self
            .centers
            .1
            .clone()
            .ok_or_else(|| Error::precomputed("a fit on centers over precomputed()", PrecomputedNeed::Points))?;
        let centers = self.centers.0.cloned().unwrap_or_default();
        centers.sized(machine, (self.rows, self.columns, self.functions), compute)
    }

    fn on_centers(&self, compute: &Compute, reason: &str) -> Result<LossPlan> {
        let machine = self.machine(compute)?;
        let plan = machine.plan(self.rows, self.columns, self.functions, compute)?;
        Ok(LossPlan {
            solver: LossSolver::Centers,
            bytes: plan.bytes,
            flops: machine.steps() * plan.flops,
            rank: 0,
            stored: plan.stored,
            centers: plan.centers,
            seconds: None,
            reason: format!("{reason}; {}", plan.reason),
        })
    }

    fn exact(&self, reason: &str) -> LossPlan {
        let (n, size) = (self.rows as u64, (self.rows * self.functions) as u64);
        let bytes = 8 * n * n + 8 * size * size + self.vectors();
        let flops = 10.0 * ((size as f64).powi(3) / 3.0 + 4.0 * (n as f64).powi(2)) + self.kernel_flops();
        LossPlan {
            solver: LossSolver::Newton,
            bytes,
            flops,
            rank: 0,
            stored: true,
            centers: 0,
            seconds: None,
            reason: reason.into(),
        }
    }

    fn iterative(&self, compute: &Compute, reason: &str) -> LossPlan {
        let n = self.rows as u64;
        let tile = 8 * 192 * 192;
        let planned = (tile * PLANNED_THREADS).min(compute.memory() / 4) + 3 * self.vectors();
        let whole = 8 * n * n;
        let stored = planned + whole <= compute.memory() / 2;
        let spare = compute.memory().saturating_sub(planned + if stored { whole } else { 0 }) / 2;
        // The factor, its twin in the products, and the square of the inner system.
        let most = (MAX_RANK / self.functions.max(1)).max(MIN_RANK) as u64;
        let per_column = 8 * (3 * n.max(1) + 2 * most * (self.functions as u64).pow(2));
        let rank = (spare / per_column).min(n).min(most);
        let fixed = tile * compute.threads() as u64 + 3 * self.vectors();
        let bytes = fixed + if stored { whole } else { 0 } + per_column * rank;
        let product = if stored { 2.0 * (n as f64).powi(2) * self.functions as f64 } else { self.kernel_flops() };
        let flops = 10.0 * (30.0 * product + 2.0 * n as f64 * ((rank as usize * self.functions) as f64).powi(2));
        let solver = LossSolver::NewtonConjugateGradients;
        LossPlan { solver, bytes, flops, rank: rank as usize, stored, centers: 0, seconds: None, reason: reason.into() }
    }

    /// The points and the vectors of their size.
    fn vectors(&self) -> u64 {
        8 * self.rows as u64 * (2 * self.columns + 24 * self.functions + 8) as u64
    }

    /// One pass over the pairs.
    fn kernel_flops(&self) -> f64 {
        (self.rows as f64).powi(2) * (self.columns as f64 + 10.0 + 2.0 * self.functions as f64)
    }
}

/// The plan of the dual problem, which keeps as many rows of `K` as fit.
pub(in crate::learn) fn dual_plan(
    rows: usize,
    columns: usize,
    working_set: usize,
    compute: &Compute,
) -> Result<LossPlan> {
    let n = rows as u64;
    let vectors = 8 * n * (2 * columns + 32) as u64;
    let least = 8 * n * working_set.min(rows) as u64 + vectors;
    compute.reserve(
        MemoryPurpose::Fit,
        &format!("a fit of {rows} rows by the dual problem"),
        least,
        "use fewer rows or a higher memory limit",
    )?;
    // The rows of `K`. Problems of many steps copy those of the active variables, for which the limit
    // leaves as much room again.
    let bytes = (KernelRows::whole_bytes(rows) + vectors).min(compute.memory());
    let flops = (rows as f64).powi(2) * (columns as f64 + 10.0);
    let reason = "the loss has kinks".into();
    let seconds = compute.seconds(flops);
    Ok(LossPlan { solver: LossSolver::Dual, bytes, flops, rank: 0, stored: false, centers: 0, seconds, reason })
}
