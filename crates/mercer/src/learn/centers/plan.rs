//! The plan of a fit, made before anything is allocated.

use std::fmt;

use super::CenterMachine;
use crate::compute::human_bytes;
use crate::error::MemoryPurpose;
use crate::learn::Loss;
use crate::{Compute, Precision, Result};

/// Rows of the sample that the preconditioner sees, for each center: the fewest and the most. More
/// make each pass count for more, and pay where passes are long.
const ROWS_PER_CENTER: (usize, usize) = (2, 8);
/// Rows of the sample for one of the preconditioner, between these.
/// 10 and 240 change the time of 10 000 rows and 500 centers by less than 15 %.
const ROWS_PER_ROW: usize = 60;
/// Passes over points and centers that a plan counts with.
const PASSES: f64 = 20.0;
/// Newton steps that a plan counts with, where the loss is not quadratic.
const STEPS: f64 = 5.0;

/// The plan of a fit with centers: what will be run, and what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct CenterPlan {
    /// `m`: the centers, at most.
    pub centers: usize,
    /// Whether the kernel matrix between points and centers is stored.
    pub stored: bool,
    /// Rows of the sample that the preconditioner is made of.
    pub preconditioner_rows: usize,
    /// The most bytes that will be allocated at a time.
    pub bytes: u64,
    /// Floating-point operations, about: those of 20 products with the matrix and its transpose.
    pub flops: f64,
    /// Why in this way.
    pub reason: String,
}

impl fmt::Display for CenterPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, bytes) = (self.centers, human_bytes(self.bytes));
        write!(f, "conjugate gradients on {m} centers: {bytes}, about {:.1e} operations; {}", self.flops, self.reason)
    }
}

impl CenterMachine {
    /// Whether so many centers fit into the memory and the time of the computation.
    pub(super) fn fits(&self, (rows, columns, outputs): (usize, usize, usize), compute: &Compute) -> bool {
        let fits = |plan: CenterPlan| compute.is_in_time(self.steps() * plan.flops);
        self.plan(rows, columns, outputs, compute).is_ok_and(fits)
    }

    /// Newton steps assumed by a plan; a plan is that of one step.
    pub(in crate::learn) fn steps(&self) -> f64 {
        if self.loss == Loss::Squared { 1.0 } else { STEPS }
    }

    /// The plan for `rows` points of `columns` numbers and `outputs` targets: what
    /// [`CenterMachine::fit`] will run.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when the centers alone do not fit into the memory
    /// limit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::CenterMachine};
    /// let machine = CenterMachine::new("gaussian()".parse()?, 1e-3, 2000);
    /// let plan = machine.plan(1_000_000, 20, 1, &Compute::new().with_memory(2 << 30))?;
    /// assert!(!plan.stored && plan.bytes < 1 << 30);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, rows: usize, columns: usize, outputs: usize, compute: &Compute) -> Result<CenterPlan> {
        let centers = self.centers.min(rows);
        let (n, m) = (rows as u64, centers as u64);
        let preconditioner_rows = self.preconditioner_rows(rows, columns, outputs, compute);
        let needed = needed(rows, columns, outputs, centers, preconditioner_rows);
        let value = if compute.precision() == Precision::SingleTiles { 4 } else { 8 };
        let whole = value * n * m;
        let stored = needed + whole <= compute.memory() / 4 * 3;
        let bytes = needed + if stored { whole } else { 0 };
        let advice = "use fewer centers or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, &format!("a fit of {rows} rows with {centers} centers"), bytes, advice)?;
        let reason = if stored {
            "the kernel matrix between points and centers fits into the memory limit"
        } else {
            "the kernel matrix between points and centers does not fit: its tiles are computed anew in every pass"
        };
        let (products, values) = (4.0 * outputs as f64, 2.0 * columns as f64 + 10.0);
        let passes = PASSES * products + if stored { values } else { PASSES * values };
        let flops = (n * m) as f64 * passes + 2.0 * (m * m) as f64 * (preconditioner_rows as u64 + m) as f64;
        Ok(CenterPlan { centers, stored, preconditioner_rows, bytes, flops, reason: reason.into() })
    }

    /// More rows where passes are long, as the memory limit allows.
    fn preconditioner_rows(&self, rows: usize, columns: usize, outputs: usize, compute: &Compute) -> usize {
        let centers = self.centers.min(rows);
        let (fewest, most) = (ROWS_PER_CENTER.0 * centers, ROWS_PER_CENTER.1 * centers);
        let requested = (rows / ROWS_PER_ROW).clamp(fewest, most).min(rows);
        if needed(rows, columns, outputs, centers, requested) <= compute.memory() {
            requested
        } else {
            fewest.min(rows)
        }
    }
}

/// The bytes without the kernel matrix between points and centers.
fn needed(rows: usize, columns: usize, outputs: usize, centers: usize, preconditioner_rows: usize) -> u64 {
    let (n, m) = (rows as u64, centers as u64);
    let vectors = 8 * n * (columns + 4 * outputs + 6) as u64;
    // Two factors, the matrix that one is made of, and the features of the rows of the
    // preconditioner.
    let squares = 8 * m * (3 * m + 2 * preconditioner_rows as u64);
    let sums = 8 * 256 * m * outputs as u64;
    vectors + squares + sums
}
