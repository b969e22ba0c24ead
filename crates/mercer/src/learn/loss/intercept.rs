//! The optimal intercepts for fixed functions: elimination of the intercept.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::{Loss, LossTerm, Targets};
use crate::error::Remedy;
use crate::solve::newton::DataTerm;
use crate::solve::pinned_inverse;
use crate::{Error, Result};

/// Steps of a search in one or a few variables.
/// A safety limit: any value between 100 and 1000 would do.
const STEPS: usize = 200;

/// `b` with `Σ wᵢ∂ℓ/∂f(hᵢ + b) = 0` for every function; for classes, with sum 0.
pub(in crate::learn) fn intercepts(term: &LossTerm<'_>, h: &Array2<f64>, start: Array1<f64>) -> Result<Array1<f64>> {
    match &term.targets {
        Targets::Values { loss, values } => {
            let one = |j: usize| {
                let slope = |b: f64| slope_sum(term.weights.view(), *loss, values.column(j), h.column(j), b);
                root(&slope, start[j])
            };
            (0..values.ncols()).map(one).collect()
        }
        Targets::Classes { .. } => classes(term, h, start),
    }
}

/// `Σ wᵢℓ′(yᵢ, hᵢ + b)`, which grows with `b`; 0 when it is no more than rounding, infinite where a
/// term is.
fn slope_sum(weights: ArrayView1<f64>, loss: Loss, targets: ArrayView1<f64>, h: ArrayView1<f64>, b: f64) -> f64 {
    let counted = (0..targets.len()).filter(|&i| weights[i] > 0.0);
    let terms = counted.map(|i| weights[i] * loss.slope(targets[i], h[i] + b));
    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t: f64| (sum + t, size + t.abs()));
    if f64::abs(sum) <= f64::EPSILON * size { 0.0 } else { sum }
}

/// A root of a growing function near `start`: bracketed by doubling, then by halves and secants in
/// turn.
fn root(f: &dyn Fn(f64) -> f64, start: f64) -> Result<f64> {
    let first = f(start);
    if first == 0.0 {
        return Ok(start);
    }
    let (mut low, mut high) = bracket(f, (start, first)).ok_or_else(|| no_intercept(first))?;
    for step in 0..STEPS {
        let width = high.0 - low.0;
        let secant = high.0 - high.1 * width / (high.1 - low.1);
        let guess = if step % 3 < 2 && secant > low.0 && secant < high.0 { secant } else { low.0 + 0.5 * width };
        if guess <= low.0 || guess >= high.0 {
            break;
        }
        let value = f(guess);
        if value == 0.0 {
            return Ok(guess);
        }
        *(if value < 0.0 { &mut low } else { &mut high }) = (guess, value);
    }
    Ok(if -low.1 < high.1 { low.0 } else { high.0 })
}

type Bracket = (f64, f64);

/// Two positions with a root between them.
fn bracket(f: &dyn Fn(f64) -> f64, start: Bracket) -> Option<(Bracket, Bracket)> {
    let side = -start.1.signum();
    let mut near = start;
    for doubling in 0..1100 {
        let at = start.0 + side * 1e-8 * start.0.abs().max(1.0) * 2.0_f64.powi(doubling);
        let far = (at, f(at));
        if far.1 * side >= 0.0 {
            return Some(if side > 0.0 { (near, far) } else { (far, near) });
        }
        near = far;
    }
    None
}

/// Newton's method in as many variables as there are classes, halved until the loss falls.
fn classes(term: &LossTerm<'_>, h: &Array2<f64>, start: Array1<f64>) -> Result<Array1<f64>> {
    let mut b = start;
    let mut gradient = term.gradient(&(h + &b)).sum_axis(Axis(0));
    let rounding = f64::EPSILON * term.weights.sum();
    for _ in 0..STEPS {
        if gradient.iter().all(|g| g.abs() <= rounding) {
            break;
        }
        let step = class_step(term, h, &b, &gradient)?;
        let Some((next, slope)) = shorten(term, h, &b, &step, &gradient) else { break };
        (b, gradient) = (next, slope);
    }
    let mean = b.mean().unwrap_or_default();
    Ok(b - mean)
}

fn class_step(term: &LossTerm<'_>, h: &Array2<f64>, b: &Array1<f64>, gradient: &Array1<f64>) -> Result<Array1<f64>> {
    let (curvature, c) = (term.curvature(&(h + b)), b.len());
    let mut hessian = Array2::zeros((c, c));
    let (mut unit, mut image) = (vec![0.0; c], vec![0.0; c]);
    for j in 0..c {
        unit.fill(0.0);
        unit[j] = 1.0;
        for row in 0..h.nrows() {
            curvature.apply(row, &unit, &mut image);
            hessian.column_mut(j).iter_mut().zip(&image).for_each(|(sum, v)| *sum += v);
        }
    }
    Ok(pinned_inverse(&hessian)?.dot(gradient))
}

/// The first of the step, its half, … at which the largest slope is smaller.
fn shorten(
    term: &LossTerm<'_>,
    h: &Array2<f64>,
    b: &Array1<f64>,
    step: &Array1<f64>,
    gradient: &Array1<f64>,
) -> Option<(Array1<f64>, Array1<f64>)> {
    let size = |g: &Array1<f64>| g.dot(g);
    (0..40).find_map(|halving| {
        let next = b - &(step * 0.5_f64.powi(halving));
        let slope = term.gradient(&(h + &next)).sum_axis(Axis(0));
        (size(&slope) < size(gradient)).then_some((next, slope))
    })
}

fn no_intercept(slope: f64) -> Error {
    Error::undefined(
        format!("an intercept at which the slopes of the loss sum to 0 (at its start the sum is {slope:e})"),
        Remedy::Rescale,
    )
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::*;

    #[test]
    fn intercepts_of_constants_are_known() {
        let position = |loss: Loss, y: &[f64]| {
            let h = Array2::zeros((y.len(), 1));
            let targets = Array2::from_shape_fn((y.len(), 1), |(i, _)| y[i]);
            let term = LossTerm::of_values(loss, targets, Array1::ones(y.len()));
            intercepts(&term, &h, Array1::zeros(1)).unwrap()[0]
        };
        let y = [1.0, 2.0, 6.0, 3.0];
        assert_close!(position(Loss::Squared, &y), 3.0, abs = 1e-14);
        assert_close!(position(Loss::Poisson, &y), 3.0_f64.ln(), abs = 1e-14);
        assert_close!(position(Loss::Tweedie { power: 1.5 }, &y), 3.0_f64.ln(), abs = 1e-14);
        assert_close!(position(Loss::Gamma, &[1.0, 3.0, 5.0]), 3.0_f64.ln(), abs = 1e-14);
        assert_close!(position(Loss::Logistic, &[1.0, -1.0, 1.0, 1.0]), 3.0_f64.ln(), abs = 1e-14);
        // Three residuals between −δ and δ and one beyond: 3b = 6 + δ.
        assert_close!(position(Loss::Huber { delta: 1.5 }, &y), 2.5, abs = 1e-14);
        assert_close!(position(Loss::Squared, &[1e9, 1e9 + 2.0]), (1e9 + 1.0), abs = 1e-6);
    }

    #[test]
    fn intercepts_of_classes_are_log_shares() {
        let term = LossTerm::of_classes(vec![0, 0, 0, 1, 2, 2], 3, array![1.0, 1.0, 1.0, 1.0, 0.5, 1.5]);
        let found = intercepts(&term, &Array2::zeros((6, 3)), Array1::zeros(3)).unwrap();
        let mean = (3.0_f64.ln() + 2.0_f64.ln()) / 3.0;
        let expected = [3.0_f64.ln() - mean, -mean, 2.0_f64.ln() - mean];
        assert_close!(found.iter(), expected, each = 1e-14, "{found}");
    }
}
