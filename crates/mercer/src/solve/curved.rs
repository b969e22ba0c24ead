//! Minimization of a function whose Hessian is known in part: a damped Newton method with a secant
//! correction.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::{Factored, MinimizeOptions, Minimum, factor};
use crate::{Compute, Result};

// The constants were chosen in a prototype of this method that is not in the repository, by the
// evaluations of 88 Gaussian processes: eleven kernels of `bench/gaussian_process.py`, 100 and 200
// rows with 2, 5 and 8 columns, 400 rows with 5 and 8. With these it took 1 593, L-BFGS-B 3 481.
// Those of tails by 55 of them (without 200 rows in 2 columns and 400 rows): 1 104 without tails,
// 968 with them.

/// The damping to start from, and the least: parts of the diagonal of the Hessian. Between 1e-3 and
/// 3e-2 the evaluations differ by less than a tenth.
const DAMPING: (f64, f64) = (1e-2, 1e-7);
/// The part of the largest diagonal entry that is damped in every coordinate. With none most searches
/// of many columns follow a flat coordinate into a plateau; with 1e-2 one in 88 does.
const FLOOR: f64 = 0.1;
/// The longest step of a coordinate, which is the logarithm of a parameter: a factor of 7.4. With 1
/// it is 1.5 times the evaluations, with 3 about as many.
const LONGEST: f64 = 2.0;
/// The part of the predicted decrease that a step must reach; below and above the next two the
/// damping grows and falls.
const ENOUGH: f64 = 1e-4;
const POOR: f64 = 0.3;
const GOOD: f64 = 0.7;
/// By how much the damping changes: with 2 it is 8 % more evaluations.
const CHANGE: f64 = 3.0;
/// By how much it grows after a step that was rejected, and the least that it is then.
const REJECTED: (f64, f64) = (4.0, 1e-2);
/// A change of the value that is rounding error, as a part of it.
const ROUNDING: f64 = 1e-12;
/// A parameter that belongs at infinity (a noise of 0, the shape of a rational quadratic kernel on
/// Gaussian data) has a tail like `e⁻ᵗ`: Newton steps of equal length, each with `2(1 − 1/e) = 1.26`
/// times the predicted decrease, which leave the same share of the rest. After a decrease between
/// these multiples of the predicted one the next step may be several in one.
const TAIL: (f64, f64) = (1.2, 1.8);
/// Steps of equal length differ by less than this factor; with 1.25 as many evaluations.
const EQUAL: f64 = 1.1;
/// A coordinate is on the tail if its part of the step is at least this part of the largest.
const LARGE: f64 = 0.3;
/// So many steps are made at once, and the longest that they are together: with 8 and 4 it is 1 %
/// more evaluations, with 4 5 %; a length of 6 saves 3 % and loses the fourth digit of a likelihood.
const AT_ONCE: f64 = 16.0;
const LONGEST_TAIL: f64 = 4.0;

/// A function with its gradient and a positive semi-definite part of its Hessian.
pub trait CurvedObjective {
    /// The value; infinity where the function is not defined.
    ///
    /// # Errors
    /// What ends the search.
    fn value(&mut self, point: &[f64]) -> Result<f64>;

    /// The gradient and the part of the Hessian at the last point, where the value was finite. Not
    /// asked for at points that are rejected.
    ///
    /// # Errors
    /// What ends the search.
    fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)>;
}

/// A local minimum of `objective` from `start`.
///
/// # Formula
/// `(A + S + μD) s = −∇f` with `A` the part of the Hessian that is known and `S` an estimate of the
/// rest from the change of the gradient along the last steps; `D` is the diagonal of `A`.
///
/// # Theory
/// The secant updates of Dennis, Gay and Welsch (1981) for sums of squares, where `A = JᵀJ`. `S` is
/// used after steps that `A + S` predicted better than `A` did. Towards a minimum at infinity, where
/// Newton steps have equal lengths, several are made at once.
///
/// # Errors
/// Those of the objective.
///
/// # Example
/// ```
/// use mercer::solve::{CurvedObjective, MinimizeOptions, minimize_curved};
/// use ndarray::{Array2, array};
/// /// (x² + y − 11)² + (x + y² − 7)², with 2JᵀJ.
/// struct Himmelblau(f64, f64);
/// impl CurvedObjective for Himmelblau {
///     fn value(&mut self, point: &[f64]) -> mercer::Result<f64> {
///         (self.0, self.1) = (point[0], point[1]);
///         Ok((self.0.powi(2) + self.1 - 11.0).powi(2) + (self.0 + self.1.powi(2) - 7.0).powi(2))
///     }
///     fn slopes(&mut self) -> mercer::Result<(Vec<f64>, Array2<f64>)> {
///         let residuals = array![self.0.powi(2) + self.1 - 11.0, self.0 + self.1.powi(2) - 7.0];
///         let jacobian = array![[2.0 * self.0, 1.0], [1.0, 2.0 * self.1]];
///         Ok(((2.0 * jacobian.t().dot(&residuals)).to_vec(), 2.0 * jacobian.t().dot(&jacobian)))
///     }
/// }
/// let found = minimize_curved(&mut Himmelblau(0.0, 0.0), &[2.0, 1.0], &MinimizeOptions::default())?;
/// mercer::assert_close!(found.point[0], 3.0, 1e-6);
/// mercer::assert_close!(found.point[1], 2.0, 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn minimize_curved(
    objective: &mut dyn CurvedObjective,
    start: &[f64],
    options: &MinimizeOptions,
) -> Result<Minimum> {
    let value = objective.value(start)?;
    let gradient = vec![0.0; start.len()];
    let mut at = Minimum { point: start.to_vec(), value, gradient, iterations: 0, converged: false };
    if !value.is_finite() {
        return Ok(at);
    }
    let (gradient, known) = objective.slopes()?;
    at.gradient = gradient;
    let (mut model, mut tail) = (Model::new(known), Tail::default());
    let mut evaluations = 1;
    while at.iterations < options.max_iterations && evaluations < options.max_evaluations {
        let size = at.value.abs().max(options.scale);
        if at.is_flat(options.tolerance) || model.decrement(&at.gradient)? <= options.decrease * size {
            at.converged = at.is_level(options.scale);
            break;
        }
        let Some(newton) = model.step(&at.gradient)? else { break };
        let several = tail.several(&newton);
        let step = several.as_ref().unwrap_or(&newton);
        let point: Vec<f64> = at.point.iter().zip(step).map(|(p, s)| p + s).collect();
        let value = objective.value(&point)?;
        evaluations += 1;
        let decrease = at.value - value;
        if !model.is_enough(&at.gradient, step, decrease) {
            if several.is_some() {
                tail.reject();
                continue;
            }
            model.reject();
            tail.last = None;
            if decrease.abs() <= ROUNDING * size {
                at.converged = at.is_level(options.scale);
                break;
            }
            continue;
        }
        let (gradient, known) = objective.slopes()?;
        if several.is_some() {
            // So long a step says little of the Hessian at its end.
            (model.known, tail.last) = (known, None);
        } else {
            tail.last = Some((newton.clone(), decrease / model.prediction(&at.gradient, &newton)));
            let change = Array1::from_iter(gradient.iter().zip(&at.gradient).map(|(a, b)| a - b));
            model.update(&at.gradient, &newton, &gradient, change, decrease, known);
        }
        at = Minimum { point, value, gradient, iterations: at.iterations + 1, converged: false };
    }
    Ok(at)
}

/// Coordinates along which the function decreases like `e⁻ᵗ`.
struct Tail {
    /// The last Newton step, if it was accepted, and its decrease as a multiple of the predicted one.
    last: Option<(Array1<f64>, f64)>,
    /// How many steps are made at once.
    at_once: f64,
}

impl Default for Tail {
    fn default() -> Self {
        Self { last: None, at_once: AT_ONCE }
    }
}

impl Tail {
    /// Several of the next step at once in the coordinates of a tail; absent where there is none.
    fn several(&self, next: &Array1<f64>) -> Option<Array1<f64>> {
        let (last, gain) = self.last.as_ref()?;
        let longest = next.fold(0.0_f64, |m, s| m.max(s.abs()));
        let times = self.at_once.min(LONGEST_TAIL / longest);
        let is_large = |s: f64| s.abs() >= LARGE * longest;
        let is_equal = |(s, l): (&f64, &f64)| !is_large(*s) || (s / l < EQUAL && l / s < EQUAL && s * l > 0.0);
        let is_tail = *gain > TAIL.0 && *gain < TAIL.1 && next.iter().zip(last).all(is_equal);
        (is_tail && times > 1.0).then(|| next.mapv(|s| if is_large(s) { times * s } else { s }))
    }

    /// The function is not lower there.
    fn reject(&mut self) {
        (self.last, self.at_once) = (None, self.at_once / 2.0);
    }
}

/// The quadratic model around a point.
struct Model {
    /// `A`, the part of the Hessian that is known.
    known: Array2<f64>,
    /// `S`, the estimate of the rest.
    rest: Array2<f64>,
    /// Whether the rest is used.
    whole: bool,
    /// `μ`.
    damping: f64,
}

impl Model {
    fn new(known: Array2<f64>) -> Self {
        Self { rest: Array2::zeros(known.dim()), known, whole: false, damping: DAMPING.0 }
    }

    /// How much smaller the function is at the minimum of the model, `½∇fᵀ(A + S + μD)⁻¹∇f` for a
    /// small `μ`; infinity where the model has none.
    fn decrement(&self, gradient: &[f64]) -> Result<f64> {
        let step = self.solve(self.damping.min(DAMPING.0), gradient)?;
        Ok(step.map_or(f64::INFINITY, |step| -0.5 * ArrayView1::from(gradient).dot(&step)))
    }

    /// The next step, at most [`LONGEST`]; absent where the Hessian is not finite.
    fn step(&mut self, gradient: &[f64]) -> Result<Option<Array1<f64>>> {
        while self.damping.is_finite() && self.known.iter().all(|v| v.is_finite()) {
            if let Some(step) = self.solve(self.damping, gradient)? {
                let longest = step.fold(0.0_f64, |m, s| m.max(s.abs()));
                return Ok(Some(step * (LONGEST / longest.max(LONGEST))));
            }
            // A + S may be indefinite; A is not but for rounding.
            self.damping = if self.whole { self.damping } else { self.damping * REJECTED.0 };
            self.whole = false;
        }
        Ok(None)
    }

    /// `−(A + S + μD)⁻¹∇f`, if the matrix is positive definite.
    fn solve(&self, damping: f64, gradient: &[f64]) -> Result<Option<Array1<f64>>> {
        let diagonal = self.known.diag().to_owned();
        let largest = diagonal.fold(0.0_f64, |m, v| m.max(*v));
        let floor = if largest > 0.0 { FLOOR * largest } else { 1.0 };
        let mut matrix = if self.whole { &self.known + &self.rest } else { self.known.clone() };
        matrix.diag_mut().zip_mut_with(&diagonal, |m, d| *m += damping * (d + floor));
        if matrix.iter().any(|v| !v.is_finite()) {
            return Ok(None);
        }
        let Factored::Definite(factor) = factor(matrix, &Compute::unlimited())? else { return Ok(None) };
        let right = -Array1::from(gradient.to_vec()).insert_axis(Axis(1));
        Ok(Some(factor.solve(right.view(), &Compute::unlimited())?.remove_axis(Axis(1))))
    }

    /// The decrease that a quadratic function with this Hessian would have.
    fn predicted(hessian: &Array2<f64>, gradient: &[f64], step: &Array1<f64>) -> f64 {
        -(ArrayView1::from(gradient).dot(step) + 0.5 * step.dot(&hessian.dot(step)))
    }

    fn prediction(&self, gradient: &[f64], step: &Array1<f64>) -> f64 {
        let known = Self::predicted(&self.known, gradient, step);
        if self.whole { known - 0.5 * step.dot(&self.rest.dot(step)) } else { known }
    }

    /// Whether the step made the function smaller by enough.
    fn is_enough(&self, gradient: &[f64], step: &Array1<f64>, decrease: f64) -> bool {
        // A decrease of −∞ or NaN is one of a point where the function is not defined.
        decrease.is_finite() && decrease >= ENOUGH * self.prediction(gradient, step)
    }

    /// The step was too long: the next is shorter.
    fn reject(&mut self) {
        self.damping = (self.damping * REJECTED.0).max(REJECTED.1);
        self.whole = false;
    }

    /// Takes over what an accepted step has shown.
    fn update(
        &mut self,
        before: &[f64],
        step: &Array1<f64>,
        after: &[f64],
        change: Array1<f64>,
        decrease: f64,
        known: Array2<f64>,
    ) {
        let predicted = self.prediction(before, step);
        if decrease > GOOD * predicted && ArrayView1::from(after).dot(step) < 0.0 {
            self.damping = (self.damping / CHANGE).max(DAMPING.1);
        } else if decrease < POOR * predicted {
            self.damping *= CHANGE;
        }
        let by_known = Self::predicted(&self.known, before, step);
        let by_whole = by_known - 0.5 * step.dot(&self.rest.dot(step));
        self.whole = (by_whole - decrease).abs() < (by_known - decrease).abs();
        self.known = known;
        self.correct(step, &change);
    }

    /// The symmetric change of `S`, least in the norm that the change of the gradient suggests, after
    /// which `(A + S) step = change`.
    fn correct(&mut self, step: &Array1<f64>, change: &Array1<f64>) {
        let slope = change.dot(step);
        if slope <= 0.0 {
            return;
        }
        let missing = change - &self.known.dot(step);
        let curved = step.dot(&self.rest.dot(step));
        if curved != 0.0 {
            self.rest *= (step.dot(&missing) / curved).abs().min(1.0);
        }
        let error = missing - self.rest.dot(step);
        let along = step.dot(&error) / (slope * slope);
        for ((i, j), entry) in self.rest.indexed_iter_mut() {
            *entry += (error[i] * change[j] + change[i] * error[j]) / slope - along * change[i] * change[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ rᵢ²` for the residuals of a curve, with `2JᵀJ` and the number of evaluations.
    struct Fit<F> {
        residuals: F,
        at: Vec<f64>,
        evaluations: usize,
    }

    impl<F: Fn(&[f64]) -> Vec<f64>> Fit<F> {
        fn new(residuals: F) -> Self {
            Self { residuals, at: Vec::new(), evaluations: 0 }
        }

        fn jacobian(&self) -> Array2<f64> {
            let at = |p: usize, h: f64| {
                let mut point = self.at.clone();
                point[p] += h;
                (self.residuals)(&point)
            };
            let (count, h) = ((self.residuals)(&self.at).len(), 1e-6);
            Array2::from_shape_fn((count, self.at.len()), |(i, p)| (at(p, h)[i] - at(p, -h)[i]) / (2.0 * h))
        }
    }

    impl<F: Fn(&[f64]) -> Vec<f64>> CurvedObjective for Fit<F> {
        fn value(&mut self, point: &[f64]) -> Result<f64> {
            self.at = point.to_vec();
            self.evaluations += 1;
            Ok((self.residuals)(point).iter().map(|r| r * r).sum())
        }

        fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)> {
            let (residuals, jacobian) = (Array1::from((self.residuals)(&self.at)), self.jacobian());
            Ok(((2.0 * jacobian.t().dot(&residuals)).to_vec(), 2.0 * jacobian.t().dot(&jacobian)))
        }
    }

    #[test]
    fn a_curved_valley_is_followed() {
        // Rosenbrock's function.
        let mut valley = Fit::new(|p: &[f64]| vec![10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0]]);
        let found = minimize_curved(&mut valley, &[-1.2, 1.0], &MinimizeOptions::default()).unwrap();
        assert!(found.converged && valley.evaluations < 40, "{found:?} after {} evaluations", valley.evaluations);
        assert_close!(found.point[0], 1.0, abs = 1e-5);
        assert_close!(found.point[1], 1.0, abs = 1e-5);
    }

    #[test]
    fn the_secant_makes_up_for_a_poor_curvature() {
        // Residuals that stay large: 2JᵀJ misses half of the Hessian at the minimum.
        let curve = |p: &[f64]| (1..6).map(|t| (p[0] * t as f64).sin() + p[1] * p[1] - 2.0 + p[0]).collect::<Vec<_>>();
        let mut fit = Fit::new(curve);
        let options = MinimizeOptions { tolerance: 1e-9, ..MinimizeOptions::default() };
        let found = minimize_curved(&mut fit, &[0.5, 1.0], &options).unwrap();
        assert!(found.converged && fit.evaluations < 30, "{found:?} after {} evaluations", fit.evaluations);
        // No neighbor is lower.
        for (p, h) in [(0, 1e-3), (0, -1e-3), (1, 1e-3), (1, -1e-3)] {
            let mut point = found.point.clone();
            point[p] += h;
            assert!(fit.value(&point).unwrap() > found.value, "{p} {h}");
        }
    }

    #[test]
    fn a_tail_takes_few_steps() {
        /// `e⁻ˣ + y²`, whose Newton steps along `x` are 1.
        struct Slope([f64; 2], usize);
        impl CurvedObjective for Slope {
            fn value(&mut self, p: &[f64]) -> Result<f64> {
                *self = Self([p[0], p[1]], self.1 + 1);
                Ok((-p[0]).exp() + p[1] * p[1])
            }
            fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)> {
                let [x, y] = self.0;
                Ok((vec![-(-x).exp(), 2.0 * y], ndarray::array![[(-x).exp(), 0.0], [0.0, 2.0]]))
            }
        }
        let mut slope = Slope([0.0; 2], 0);
        let options = MinimizeOptions { tolerance: 1e-14, decrease: 1e-6, ..MinimizeOptions::default() };
        let found = minimize_curved(&mut slope, &[0.0, 0.5], &options).unwrap();
        // One step at a time takes 15.
        assert!(found.converged && slope.1 <= 12, "{found:?} after {} evaluations", slope.1);
        assert!(found.value < 2e-6, "{found:?}");
    }

    #[test]
    fn undefined_points_and_no_curvature_end_well() {
        /// The last point.
        struct Edge(f64);
        impl CurvedObjective for Edge {
            fn value(&mut self, p: &[f64]) -> Result<f64> {
                self.0 = p[0];
                // −log x + x, defined to the right of 0.
                Ok(if p[0] > 0.0 { p[0] - p[0].ln() } else { f64::INFINITY })
            }
            fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)> {
                assert!(self.0 > 0.0, "slopes where there is no value");
                Ok((vec![1.0 - 1.0 / self.0], Array2::zeros((1, 1))))
            }
        }
        let found = minimize_curved(&mut Edge(0.0), &[7.0], &MinimizeOptions::default()).unwrap();
        assert!(found.converged, "{found:?}");
        assert_close!(found.point[0], 1.0, abs = 1e-5);
        assert!(!minimize_curved(&mut Edge(0.0), &[-1.0], &MinimizeOptions::default()).unwrap().converged);
    }
}
