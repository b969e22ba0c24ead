//! Objective, duality gap and KKT violation of a solution.

use crate::solve::{DualProblem, DualSolution, Stopped};
use crate::{Error, Kernel, Result};

/// The evidence of the solver for its solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SvmEvidence {
    /// The dual objective; larger is better (LIBSVM prints its negative).
    pub objective: f64,
    /// The primal objective minus the dual one: the solution is at most this far from the best. It
    /// is exact for the kernel values that the solver used, which are in single precision for more
    /// than 2048 points.
    pub gap: f64,
    /// By how much the KKT conditions are violated.
    pub violation: f64,
    /// Steps that were made.
    pub steps: u64,
    /// Why the solver stopped. The model is valid in any case, and `gap` bounds its distance from
    /// the optimum.
    pub stopped: Stopped,
}

impl SvmEvidence {
    /// The evidence for several binary SVMs: sums of objectives, gaps and steps, the largest
    /// violation, the first reason that is not convergence.
    pub(super) fn of_all(all: impl Iterator<Item = Self>) -> Self {
        let none = Self { objective: 0.0, gap: 0.0, violation: 0.0, steps: 0, stopped: Stopped::Converged };
        all.fold(none, |sum, e| Self {
            objective: sum.objective + e.objective,
            gap: sum.gap + e.gap,
            violation: sum.violation.max(e.violation),
            steps: sum.steps + e.steps,
            stopped: if sum.stopped == Stopped::Converged { e.stopped } else { sum.stopped },
        })
    }

    /// Whether the KKT conditions hold to the tolerance.
    pub fn converged(&self) -> bool {
        self.stopped == Stopped::Converged
    }
}

/// A solved SVM: `f = Σ cᵢ k(·, xᵢ) + b`.
#[derive(Clone, Debug)]
pub(super) struct BinarySvm {
    /// `cᵢ = Σ sα` of every point.
    pub(super) coefficients: Vec<f64>,
    /// `f` at every point.
    pub(super) decisions: Vec<f64>,
    pub(super) offset: f64,
    pub(super) evidence: SvmEvidence,
}

impl BinarySvm {
    /// The SVM of a dual problem: C-SVC, ε-SVR, one-class.
    pub(super) fn new(problem: &DualProblem, solution: &DualSolution) -> Self {
        let mut coefficients = vec![0.0; solution.values.len()];
        for (i, &point) in problem.points.iter().enumerate() {
            coefficients[point] += problem.signs[i] * solution.alpha[i];
        }
        let offset = solution.offset();
        let evidence = SvmEvidence {
            objective: -solution.objective,
            gap: solution.gap,
            violation: solution.violation,
            steps: solution.steps,
            stopped: solution.stopped,
        };
        let decisions = solution.values.iter().map(|f| f + offset).collect();
        Self { coefficients, decisions, offset, evidence }
    }

    /// A ν-classifier, divided by its margin `r`: the C-SVC with `C = 1/r` has the same solution,
    /// objective and gap.
    ///
    /// # Errors
    /// [`Error::Undetermined`] when there is no margin.
    pub(super) fn nu_svc(problem: &DualProblem, solution: &DualSolution) -> Result<Self> {
        let margin = -solution.half_width();
        // Kernel values of 1e-320 have a margin whose square is 0.
        if margin.is_nan() || margin <= 0.0 || !(margin * margin).recip().is_finite() {
            return Err(Error::undetermined(
                "the ν-classifier",
                format!("there is no margin (it is {margin:e})"),
                "use a smaller ν, a kernel that separates the classes better, or data on another scale",
            ));
        }
        let mut svm = Self::new(problem, solution);
        svm.coefficients.iter_mut().chain(&mut svm.decisions).for_each(|v| *v /= margin);
        svm.offset /= margin;
        let total: f64 = solution.alpha.iter().sum();
        svm.evidence.objective = total / margin - solution.objective / (margin * margin);
        svm.evidence.gap /= margin * margin;
        svm.evidence.violation /= margin;
        Ok(svm)
    }

    /// A ν-regression with the half width `ε` of its tube: the ε-SVR with that ε has the same
    /// solution, objective and gap.
    pub(super) fn nu_svr(problem: &DualProblem, solution: &DualSolution) -> (Self, f64) {
        let mut svm = Self::new(problem, solution);
        let epsilon = solution.half_width();
        svm.evidence.objective -= epsilon * solution.alpha.iter().sum::<f64>();
        (svm, epsilon)
    }

    /// Refuses a solution with `‖f‖² < 0` on kernel values of which nothing is known, which only an indefinite matrix
    /// can have. Kernels with a proof need no such evidence: with a large `C` the sum is rounding.
    pub(super) fn require_norm(&self, kernel: &Kernel) -> Result<()> {
        if !kernel.has_unknown_values() {
            return Ok(());
        }
        let terms = || self.coefficients.iter().zip(&self.decisions).map(|(c, f)| c * (f - self.offset));
        let (square, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
        if square >= -1e-6 * size {
            return Ok(());
        }
        let reason = format!("the function that was found has the squared norm {square:e}");
        Err(Error::NotPositiveDefinite { kernel: kernel.short(), reason, counterexample: None })
    }
}
