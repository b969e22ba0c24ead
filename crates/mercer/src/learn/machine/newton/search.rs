//! Line search along a step.

use super::state::{NewtonState, NewtonStep, Setting, dot};
use crate::solve::newton::DataTerm;

/// The part of the first slope that may be left.
const LEFT: f64 = 0.1;
/// Halvings before a step is given up. 2⁻⁶⁰ is below rounding.
const TRIALS: usize = 60;

/// The length of a step along which the objective falls: 1 where that is good, otherwise near the
/// minimum on `[0, 1]`. `None` when the step does not lead downhill.
///
/// # Theory
/// The objective is convex along the step, so that a slope below 0 at the end proves that it fell:
/// no difference of objectives, in which rounding would drown the last steps, is needed.
pub(super) fn length(state: &NewtonState, step: &NewtonStep, at: Setting<'_>) -> Option<f64> {
    let line = Line::new(state, step, at);
    let first = line.slope(0.0);
    if first >= 0.0 {
        return None;
    }
    let last = line.slope(1.0);
    if last <= 0.0 || (last <= -LEFT * first && line.value(1.0) <= line.value(0.0) * (1.0 + f64::EPSILON)) {
        return Some(1.0);
    }
    line.bracket(first)
}

/// The objective along a step.
struct Line<'s> {
    state: &'s NewtonState,
    at: Setting<'s>,
    values: ndarray::Array2<f64>,
    /// `Δf`.
    change: ndarray::Array2<f64>,
    /// `αᵀKΔα` and `ΔαᵀKΔα`.
    products: (f64, f64),
}

impl<'s> Line<'s> {
    fn new(state: &'s NewtonState, step: &'s NewtonStep, at: Setting<'s>) -> Self {
        let products = (dot(&state.alpha, &step.image), dot(&step.alpha, &step.image));
        Self { state, at, values: state.values(), change: &step.image + &step.intercept, products }
    }

    fn value(&self, t: f64) -> f64 {
        let f = &self.values + &(&self.change * t);
        let norm = self.state.squared_norm + 2.0 * t * self.products.0 + t * t * self.products.1;
        self.at.model.loss(&f) + 0.5 * self.at.mu * norm
    }

    /// The derivative; infinite where a loss is.
    fn slope(&self, t: f64) -> f64 {
        let f = &self.values + &(&self.change * t);
        let data = dot(&self.at.model.gradient(&f), &self.change);
        let slope = data + self.at.mu * (self.products.0 + t * self.products.1);
        if slope.is_nan() { f64::INFINITY } else { slope }
    }

    /// A length at which the slope is still negative, but little is left of it.
    fn bracket(&self, first: f64) -> Option<f64> {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..TRIALS {
            let middle = 0.5 * (low + high);
            let slope = self.slope(middle);
            if slope > 0.0 {
                high = middle;
            } else {
                low = middle;
                if slope >= LEFT * first {
                    break;
                }
            }
        }
        (low > 0.0).then_some(low)
    }
}
