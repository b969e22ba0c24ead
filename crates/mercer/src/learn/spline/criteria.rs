//! The criteria of the selection of λ.

use crate::solve::chain::Pass;

/// What the criteria need beside a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Criteria {
    /// The number of observations of positive weight.
    pub count: f64,
    /// `Σ w(y − ȳ)²` inside the ties.
    pub within: f64,
    /// The dimension of the space without penalty.
    pub null: f64,
    /// Residual sums below this are rounding: they do not distinguish values of λ.
    pub floor: f64,
}

impl Criteria {
    /// `(1/n) Σ w r² / (1 − df/n)²`.
    pub fn gcv(&self, pass: &Pass, _lambda: f64) -> f64 {
        let rest = 1.0 - pass.trace / self.count;
        if rest <= 0.0 { f64::INFINITY } else { self.residual(pass).max(self.floor) / self.count / (rest * rest) }
    }

    /// Twice the negative restricted log likelihood with σ² at its maximum, up to a constant.
    pub fn reml(&self, pass: &Pass, lambda: f64) -> f64 {
        let freedom = self.count - self.null;
        let sum = (self.within + pass.objective).max(self.floor);
        freedom * (sum / freedom).ln() + self.null * lambda.ln() + 2.0 * pass.log_root
    }

    /// `Σ w r²` over the observations.
    pub fn residual(&self, pass: &Pass) -> f64 {
        self.within + pass.residual
    }
}
