//! Leave-one-out decision values.

use ndarray::Array1;

use crate::learn::loss::{Loss, LossTerm};

/// Leave-one-out estimates of a fit for two classes.
///
/// # Formula
/// `f₋ᵢ(xᵢ) ≈ fᵢ − (αᵢ/Wᵢ)(1/Gᵢᵢ − λ)`, with `Wᵢ = wᵢp(1−p)` and `G = (W^½KW^½ + λI)⁻¹` on the
/// complement of the intercept: one Newton step from the fit toward the fit without point `i`
/// [Cawley and Talbot 2008]. Exact for a quadratic loss; for the logistic one the error is of
/// second order in the influence of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticLeaveOneOut {
    /// `f₋ᵢ(xᵢ)` for every point.
    pub decisions: Array1<f64>,
    /// The (weighted) mean of `log(1 + exp(−yᵢf₋ᵢ(xᵢ)))`.
    pub log_loss: f64,
    /// The (weighted) share of points on the wrong side.
    pub error: f64,
}

impl LogisticLeaveOneOut {
    /// Of a model for two classes.
    pub(super) fn new(decisions: Array1<f64>, term: &LossTerm<'_>) -> Option<Self> {
        let (_, targets) = term.single()?;
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            let sum: f64 = decisions.iter().zip(targets).zip(&term.weights).map(|((f, y), w)| w * of(*y, *f)).sum();
            sum / term.weights.sum()
        };
        let log_loss = mean(&|y, f| Loss::Logistic.value(y, f));
        let error = mean(&|y, f| f64::from(u8::from((f >= 0.0) != (y > 0.0))));
        Some(Self { decisions, log_loss, error })
    }
}
