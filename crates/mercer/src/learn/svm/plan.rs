//! Cost estimates of support vector machines.

use std::fmt;

use super::method::SvmMethod;
use super::regression::{OneClass, Svr};
use super::schedule::{Kept, Scheme};
use super::svc::Svc;
use crate::compute::human_bytes;
use crate::solve::{ClassBlocks, KernelRows};
use crate::{Compute, Kernel};

/// Steps of the interior-point method, about.
const STEPS: f64 = 30.0;
/// Numbers per variable that it allocates: those of the problem, the variables with their multipliers,
/// and two directions.
const NUMBERS: u64 = 24;

/// The plan of a fit. The number of steps depends on the data and is not known in advance.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::{KeptValues, Svc}};
/// let compute = Compute::new().with_memory(1 << 30);
/// let plan = Svc::new("gaussian()".parse()?, 1.0).plan(1000, 8, 3, &compute);
/// assert_eq!((plan.binary, plan.kept, plan.bytes), (3, KeptValues::Whole, 8_000_000));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SvmPlan {
    /// How they are solved.
    pub method: SvmMethod,
    /// How many binary SVMs are solved.
    pub binary: usize,
    /// Variables of the dual problem of the largest.
    pub variables: usize,
    /// Variables that are optimized together.
    pub working_set: usize,
    /// Which kernel values stay in memory.
    pub kept: KeptValues,
    /// Bytes of kernel values, at most; for classes of the same size, and without the explicit
    /// features themselves. For [`SvmMethod::InteriorPoint`] all that is allocated.
    pub bytes: u64,
    /// Floating-point operations of one pass over all pairs of rows: what the kernel values cost. For
    /// [`SvmMethod::InteriorPoint`] those of 30 steps.
    pub flops: f64,
}

/// Which kernel values stay in memory during a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptValues {
    /// All of them.
    Whole,
    /// Those within classes; the values between two classes are computed for their SVM.
    Classes,
    /// The rows requested last.
    Rows,
    /// Those of a working set, if any: others come from the explicit features of the points.
    Features,
}

impl SvmPlan {
    fn new(
        kernel: &Kernel,
        (rows, columns): (usize, usize),
        binary: usize,
        per_row: usize,
        set: usize,
        compute: &Compute,
    ) -> Self {
        let plan = Self::of_values((rows, columns), binary, per_row, set, compute);
        if !kernel.has_features() || KernelRows::is_made_whole(rows, compute) {
            return plan;
        }
        let bytes = KernelRows::feature_bytes(set, plan.variables, 0);
        Self { kept: KeptValues::Features, bytes, ..plan }
    }

    /// The plan of problems with this many rows each, of which `at_once` are solved at a time, in the
    /// features of a kernel with few; this plan for a kernel with many.
    fn in_features(self, kernel: &Kernel, columns: usize, each: usize, at_once: usize, rows: usize) -> Self {
        let method = SvmMethod::choose(kernel, each, columns);
        let SvmMethod::InteriorPoint { features } = method else { return self };
        let per_row = self.variables / rows.max(1);
        let one = KernelRows::finite_rank_bytes(each, features) + 8 * NUMBERS * (each * per_row) as u64;
        // Several problems copy the features of their points.
        let all = if self.binary > 1 { 8 * (rows * features) as u64 } else { 0 };
        Self {
            method,
            variables: each * per_row,
            kept: KeptValues::Features,
            bytes: all + one * at_once as u64,
            flops: STEPS * self.binary as f64 * each as f64 * (features as f64).powi(2),
            ..self
        }
    }

    /// The plan with kernel values that are kept as far as memory allows.
    fn of_values(
        (rows, columns): (usize, usize),
        binary: usize,
        per_row: usize,
        set: usize,
        compute: &Compute,
    ) -> Self {
        let all = KernelRows::whole_bytes(rows);
        let room = compute.memory() / 4 * 3;
        let least = 4 * (set.min(rows) as u64).saturating_mul(rows as u64);
        Self {
            method: SvmMethod::WorkingSets,
            binary,
            variables: rows.saturating_mul(per_row),
            working_set: set,
            kept: if all <= room { KeptValues::Whole } else { KeptValues::Rows },
            bytes: if all <= room { all } else { room.max(least) },
            flops: (rows as f64).powi(2) * (2.0 * columns as f64 + 20.0),
        }
    }
}

impl fmt::Display for SvmPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = if self.binary == 1 { "one machine".into() } else { format!("{} machines", self.binary) };
        let kept = match self.kept {
            KeptValues::Whole => "the kernel matrix is kept",
            KeptValues::Classes => "the kernel matrices of the classes are kept",
            KeptValues::Rows => "the last rows of the kernel matrix are kept",
            KeptValues::Features => {
                "the kernel values of a working set are kept, the others come from explicit features"
            }
        };
        let (variables, set, bytes) = (self.variables, self.working_set, human_bytes(self.bytes));
        if let SvmMethod::InteriorPoint { .. } = self.method {
            let method = self.method;
            write!(f, "dual problem: {binary}, {variables} variables; {method} ({bytes}), ")?;
            return write!(f, "about {:.1e} operations for {STEPS} steps", self.flops);
        }
        write!(f, "dual problem: {binary}, {variables} variables, {set} at a time; {kept} ({bytes}), ")?;
        write!(f, "about {:.1e} operations for a pass over all pairs of rows", self.flops)
    }
}

impl Svc {
    /// The plan for this many rows, columns and classes.
    pub fn plan(&self, rows: usize, columns: usize, classes: usize, compute: &Compute) -> SvmPlan {
        let binary = match self.scheme {
            Scheme::OneVersusRest if classes > 2 => classes,
            _ => classes * classes.saturating_sub(1) / 2,
        };
        let plan = SvmPlan::new(&self.kernel, (rows, columns), binary, 1, self.solver.working_set, compute);
        let sizes = vec![rows.div_ceil(classes.max(1)); classes];
        let each = if self.scheme == Scheme::OneVersusRest { rows } else { rows.min(sizes.iter().take(2).sum()) };
        let plan = plan.in_features(&self.kernel, columns, each, binary.min(compute.threads()), rows);
        if self.scheme == Scheme::OneVersusRest || plan.kept == KeptValues::Features {
            return plan;
        }
        match Kept::choose(&sizes, compute) {
            Kept::Blocks { pairs } => {
                let (blocks, pair) = ClassBlocks::bytes(&sizes);
                let bytes = blocks + pair * pairs.min(compute.threads()) as u64;
                SvmPlan { kept: KeptValues::Classes, bytes, ..plan }
            }
            _ => plan,
        }
    }
}

impl Svr {
    /// The plan for this many rows and columns.
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> SvmPlan {
        let plan = SvmPlan::new(&self.kernel, (rows, columns), 1, 2, self.solver.working_set, compute);
        plan.in_features(&self.kernel, columns, rows, 1, rows)
    }
}

impl OneClass {
    /// The plan for this many rows and columns.
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> SvmPlan {
        let plan = SvmPlan::new(&self.kernel, (rows, columns), 1, 1, self.solver.working_set, compute);
        plan.in_features(&self.kernel, columns, rows, 1, rows)
    }
}
