//! The dual problem of support vector machines, and its solver.
//!
//! `min ½ Σᵢⱼ sᵢsⱼαᵢαⱼ k(xᵢ, xⱼ) + pᵀα` subject to `0 ≤ αᵢ ≤ Cᵢ` and, depending on the SVM,
//! `Σ sᵢαᵢ` fixed, `Σ αᵢ` fixed for each sign, or nothing. Machines translate; they do not
//! optimize.
//!
//! What the solver keeps is `F(x) = Σ sᵢαᵢ k(x, xᵢ)` at every point. The signed negative gradient
//! of a variable is `vᵢ = −F(xᵢ) − sᵢpᵢ`: at the optimum (KKT) the maximum of `vᵢ` over variables
//! that can increase is at most the minimum over variables that can decrease.

mod blocks;
mod cache;
mod features;
mod finite_rank;
mod inner;
mod interior;
mod kkt;
mod lines;
mod newton;
mod polish;
mod rows;
mod screening;
mod shrinking;
mod solver;
mod working_set;

#[cfg(test)]
mod tests;

use crate::error::AllowedRange;
use crate::gram::Tiles;
use crate::{Compute, Error, Result};

pub(crate) use blocks::{ClassBlocks, PairRoom};
pub use rows::KernelRows;

/// Which sums of the variables are kept fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// `Σ sᵢαᵢ`: SVMs with an offset.
    Sum,
    /// `Σ αᵢ` over `sᵢ = 1` and over `sᵢ = −1`: the ν-SVMs.
    SumPerSign,
    /// None: SVMs without an offset.
    Free,
}

/// `min ½ Σᵢⱼ sᵢsⱼαᵢαⱼ K[pᵢ, pⱼ] + linearᵀα` over `0 ≤ α ≤ upper` and a [`Constraint`].
#[derive(Clone, Debug, PartialEq)]
pub struct DualProblem {
    /// The point of each variable: several variables may share one.
    pub points: Vec<usize>,
    /// `sᵢ`: 1 or −1.
    pub signs: Vec<f64>,
    /// `p`.
    pub linear: Vec<f64>,
    /// `C`: not negative; a variable with 0 stays at 0.
    pub upper: Vec<f64>,
    /// Where to begin: within the bounds, with the sums that the constraint keeps.
    pub start: Vec<f64>,
    /// Other points within the bounds with the same sums. The solver begins at the best point on
    /// the rays from `start` through each of them.
    pub guesses: Vec<Vec<f64>>,
    /// Which sums are kept fixed.
    pub constraint: Constraint,
}

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualOptions {
    /// Stop when the KKT conditions hold to this: the `ε` of LIBSVM.
    pub tolerance: f64,
    /// Steps of pairs of variables; `None` for LIBSVM's limit, ten million or a hundred per
    /// variable.
    pub max_steps: Option<u64>,
    /// Variables that are optimized together while the others wait.
    pub working_set: usize,
}

impl Default for DualOptions {
    fn default() -> Self {
        Self { tolerance: 1e-3, max_steps: None, working_set: 1536 }
    }
}

/// Why the solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The KKT conditions hold to the tolerance.
    Converged,
    /// The steps were used up.
    StepLimit,
    /// The work was canceled; the variables are those of that moment.
    Canceled,
    /// No step of the precision in use makes progress.
    Stalled,
}

/// The solution and the evidence for it. It is feasible however the solver stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct DualSolution {
    /// `α`.
    pub alpha: Vec<f64>,
    /// `F(xⱼ) = Σ sᵢαᵢ k(xⱼ, xᵢ)` at every point.
    pub values: Vec<f64>,
    /// `½αᵀQα + pᵀα`.
    pub objective: f64,
    /// By how much the objective may lie above its minimum: the duality gap, at the offsets found.
    pub gap: f64,
    /// By how much the KKT conditions are violated.
    pub violation: f64,
    /// The offset of each sign, for [`Constraint::SumPerSign`]; twice the same number otherwise.
    pub offsets: [f64; 2],
    /// Steps that were made.
    pub steps: u64,
    /// Why it stopped.
    pub stopped: Stopped,
}

impl DualSolution {
    /// `b` of `f(x) = F(x) + b`.
    pub fn offset(&self) -> f64 {
        0.5 * (self.offsets[0] + self.offsets[1])
    }

    /// Half of the distance of the two offsets: `ε` of a ν-regression, and of a ν-classifier its
    /// margin with a minus.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.offsets[0] - self.offsets[1])
    }
}

impl DualProblem {
    /// The number of variables.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Solves the problem on the rows of a symmetric kernel matrix.
    ///
    /// # Formula
    /// Sequential minimal optimization with second-order selection (Fan, Chen and Lin 2005) inside
    /// working sets of the most violating variables; `F` is updated for a whole set at a time, by
    /// rows of the kernel matrix that are cached. On few features of the points
    /// ([`KernelRows::of_finite_rank`]) it begins where an interior-point method ended, and rarely
    /// has a step to make.
    ///
    /// # Cost
    /// A row of the kernel matrix for every variable that ever moves, and `O(working set)` per
    /// step. On `d` features of `n` points 15 to 40 steps of `n·d²`.
    ///
    /// # Errors
    /// [`Error::Shape`] for lists of different lengths, [`Error::Parameter`] for a start outside
    /// the bounds, [`Error::Memory`] when not even a working set of rows fits.
    pub fn solve(&self, rows: &mut KernelRows<'_>, options: &DualOptions, compute: &Compute) -> Result<DualSolution> {
        self.check(rows.points())?;
        if options.tolerance.is_nan() || options.tolerance <= 0.0 {
            return Err(Error::parameter("tolerance", options.tolerance, AllowedRange::POSITIVE));
        }
        compute.check_canceled()?;
        let near = rows.finite_rank().map(|features| screening::solve(self, features, options, compute)).transpose()?;
        match near.flatten() {
            Some(near) => solver::DualSolver::near(self, near, rows, options, compute)?.run(),
            None => solver::DualSolver::new(self, rows, options, compute)?.run(),
        }
    }

    /// Solves the problem on a kernel bound to points, with rows made and kept as the memory limit
    /// allows.
    ///
    /// # Errors
    /// As [`DualProblem::solve`].
    pub fn solve_on(&self, tiles: &dyn Tiles, options: &DualOptions, compute: &Compute) -> Result<DualSolution> {
        self.solve(&mut KernelRows::new(tiles, options.working_set, compute)?, options, compute)
    }

    fn check(&self, points: usize) -> Result<()> {
        let n = self.len();
        let lists = [("signs", &self.signs), ("linear terms", &self.linear), ("upper bounds", &self.upper)];
        let begun = || std::iter::once(("start", &self.start)).chain(self.guesses.iter().map(|guess| ("guess", guess)));
        if let Some((what, list)) = lists.into_iter().chain(begun()).find(|(_, list)| list.len() != n) {
            return Err(Error::shape(what, n, list.len()));
        }
        if let Some(&point) = self.points.iter().find(|&&p| p >= points) {
            return Err(Error::parameter("points", point, ..points));
        }
        for (what, list) in begun() {
            if let Some((a, c)) = list.iter().zip(&self.upper).find(|(a, c)| !(**a >= 0.0 && a <= c)) {
                return Err(Error::parameter(what, a, format!("between 0 and {c}")));
            }
        }
        let sums = self.sums(&self.start);
        match self.guesses.iter().find(|guess| !same(self.sums(guess), sums, guess.iter().sum())) {
            Some(guess) => Err(Error::parameter("guess", format!("{:?}", self.sums(guess)), format!("sums {sums:?}"))),
            None => Ok(()),
        }
    }

    /// The sums that the constraint keeps.
    fn sums(&self, alpha: &[f64]) -> [f64; 2] {
        let of = |sign: f64| alpha.iter().zip(&self.signs).filter(|(_, s)| **s == sign).map(|(a, _)| a).sum::<f64>();
        match self.constraint {
            Constraint::Free => [0.0; 2],
            Constraint::Sum => [of(1.0) - of(-1.0), 0.0],
            Constraint::SumPerSign => [of(1.0), of(-1.0)],
        }
    }
}

/// Whether sums of numbers with this total are the same but for rounding.
fn same(one: [f64; 2], other: [f64; 2], total: f64) -> bool {
    one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-9 * total)
}
