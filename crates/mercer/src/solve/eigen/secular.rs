//! The secular equation `f(λ) = 1/ρ + Σ wᵢ²/(dᵢ − λ) = 0`, whose roots are the eigenvalues of
//! `diag(d) + ρwwᵀ`.

use super::parallel::{PARALLEL, each_chunk};
use crate::gram::simd::poles::{ratios, sums};
use crate::{Compute, Result};

/// Roots that are computed together. 4 to 64 differ by less than 3 % of a decomposition of 500
/// rows.
const CHUNK: usize = 16;
/// Evaluations after which only bisection is used, and after which the bracket is as narrow as numbers
/// allow. Of 1.6 million roots of 14 kinds of matrices, chosen to be difficult, one took 3.2 on the
/// average; 5 in 1 000 took more than 8, and 8 in all more than 30.
const BISECTION: usize = 30;
const EVALUATIONS: usize = 160;

/// The equation for ascending poles, weights other than zero and `ρ > 0`.
pub(super) struct Secular<'a> {
    pub(super) poles: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) rho: f64,
}

/// Roots as offsets from the nearest pole, so that differences to poles have no cancellation.
pub(super) struct Roots {
    pub(super) origins: Vec<f64>,
    pub(super) offsets: Vec<f64>,
}

impl Roots {
    /// The roots, ascending.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        self.origins.iter().zip(&self.offsets).map(|(origin, offset)| origin + offset)
    }
}

impl Secular<'_> {
    /// All roots: root `k` is between the poles `k` and `k + 1`, the last one behind the last pole.
    pub(super) fn roots(&self, compute: &Compute) -> Result<Roots> {
        let count = self.poles.len();
        let mut roots = vec![(0.0, 0.0); count];
        each_chunk(count >= PARALLEL, &mut roots, CHUNK, compute, |number, chunk| {
            let mut shifted = vec![0.0; count];
            for (k, root) in chunk.iter_mut().enumerate() {
                *root = self.root(number * CHUNK + k, &mut shifted);
            }
            Ok(())
        })?;
        let (origins, offsets) = roots.into_iter().unzip();
        Ok(Roots { origins, offsets })
    }

    /// The weights for which the computed roots are exact, with the signs of the given ones: with
    /// these the eigenvectors are orthogonal even where roots are close (Gu and Eisenstat, 1994).
    ///
    /// # Formula
    /// `ŵᵢ² = Π(λₖ − dᵢ) / Π(dₖ − dᵢ)`, the second product without `k = i` (Löwner), up to a factor
    /// common to all.
    pub(super) fn consistent_weights(&self, roots: &Roots, compute: &Compute) -> Result<Vec<f64>> {
        let mut weights = self.weights.to_vec();
        each_chunk(weights.len() >= PARALLEL, &mut weights, CHUNK, compute, |number, chunk| {
            for (k, weight) in chunk.iter_mut().enumerate() {
                let i = number * CHUNK + k;
                let part = |range: std::ops::Range<usize>| {
                    let (origins, offsets) = (&roots.origins[range.clone()], &roots.offsets[range.clone()]);
                    ratios(origins, offsets, &self.poles[range], self.poles[i])
                };
                let own = (roots.origins[i] - self.poles[i]) + roots.offsets[i];
                let square = own * part(0..i) * part(i + 1..self.poles.len());
                *weight = square.abs().sqrt().copysign(*weight);
            }
            Ok(())
        })?;
        Ok(weights)
    }

    /// One root: its origin and its offset. The sign of `f` in the middle of its interval decides
    /// which pole is nearer.
    fn root(&self, k: usize, shifted: &mut [f64]) -> (f64, f64) {
        let count = self.poles.len();
        if count == 1 {
            return (self.poles[0], self.rho * self.weights[0] * self.weights[0]);
        }
        let is_last = k + 1 == count;
        let right = if is_last { k } else { k + 1 };
        shift(self.poles, self.poles[k], shifted);
        let range = if is_last { self.rho * squared_norm(self.weights) } else { shifted[k + 1] };
        let middle = 0.5 * range;
        let mut search = Search { secular: self, shifted, right, is_last, low: 0.0, high: middle };
        let value = search.evaluate(middle).value();
        let rest = value - search.term(right - 1, middle) - search.term(right, middle);
        let mut origin = k;
        if value < 0.0 && is_last {
            (search.low, search.high) = (middle, range);
        } else if value < 0.0 {
            origin = right;
            shift(self.poles, self.poles[right], search.shifted);
            (search.low, search.high) = (-middle, 0.0);
        }
        (self.poles[origin], search.run(search.first_guess(rest)))
    }
}

fn shift(poles: &[f64], origin: f64, shifted: &mut [f64]) {
    shifted.iter_mut().zip(poles).for_each(|(s, pole)| *s = pole - origin);
}

fn squared_norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// `f` at a point, in parts: the poles before [`Search::right`] and the others.
struct Value {
    constant: f64,
    /// Sum and derivative of both parts.
    left: (f64, f64),
    right: (f64, f64),
}

impl Value {
    fn value(&self) -> f64 {
        self.constant + self.left.0 + self.right.0
    }

    fn slope(&self) -> f64 {
        self.left.1 + self.right.1
    }

    /// A bound of the rounding error of the value.
    fn error(&self, at: f64) -> f64 {
        let terms = 8.0 * (self.left.0.abs() + self.right.0.abs()) + self.constant;
        f64::EPSILON * (terms + at.abs() * self.slope())
    }
}

/// The search for one root.
struct Search<'a> {
    secular: &'a Secular<'a>,
    /// Poles minus the origin.
    shifted: &'a mut [f64],
    /// The root is between the poles `right − 1` and `right`, or behind them if it is the last.
    right: usize,
    is_last: bool,
    /// A bracket of the root.
    low: f64,
    high: f64,
}

impl Search<'_> {
    fn evaluate(&self, at: f64) -> Value {
        let (weights, poles) = (self.secular.weights, &*self.shifted);
        let left = sums(&weights[..self.right], &poles[..self.right], at);
        let right = sums(&weights[self.right..], &poles[self.right..], at);
        Value { constant: 1.0 / self.secular.rho, left, right }
    }

    /// The term of one pole.
    fn term(&self, k: usize, at: f64) -> f64 {
        self.secular.weights[k] * self.secular.weights[k] / (self.shifted[k] - at)
    }

    /// The root if all other poles gave the constant `rest`.
    fn first_guess(&self, rest: f64) -> f64 {
        let (p, q) = (self.shifted[self.right - 1], self.shifted[self.right]);
        let square = |k: usize| self.secular.weights[k] * self.secular.weights[k];
        let (s, t) = (square(self.right - 1), square(self.right));
        self.inside(self.solve_quadratic(rest * (p + q) + s + t, rest * p * q + s * q + t * p, rest))
    }

    /// A guess, or the middle of the bracket if it is outside.
    fn inside(&self, guess: f64) -> f64 {
        if guess > self.low && guess < self.high { guess } else { self.low + 0.5 * (self.high - self.low) }
    }

    /// The root of `cx² − ax + b` that is between the two poles, or behind them.
    fn solve_quadratic(&self, a: f64, b: f64, c: f64) -> f64 {
        let root = (a * a - 4.0 * b * c).abs().sqrt();
        match (self.is_last, a > 0.0) {
            (false, true) => 2.0 * b / (a + root),
            (false, false) => (a - root) / (2.0 * c),
            (true, true) => (a + root) / (2.0 * c),
            (true, false) => 2.0 * b / (a - root),
        }
    }

    /// The root, from a first guess: steps to the root of a function with two poles, within a
    /// bracket.
    fn run(&mut self, mut at: f64) -> f64 {
        let mut fixed = !self.is_last;
        let mut previous = f64::INFINITY;
        for round in 0..EVALUATIONS {
            let found = self.evaluate(at);
            let value = found.value();
            if value.abs() <= found.error(at) {
                break;
            }
            if value < 0.0 {
                self.low = at
            } else {
                self.high = at
            }
            if value.abs() > 0.1 * previous && !self.is_last {
                fixed = !fixed;
            }
            previous = value.abs();
            let next = if round < BISECTION { at + self.step(&found, at, fixed) } else { f64::NAN };
            let next = self.inside(next);
            if next == at || next <= self.low || next >= self.high {
                break;
            }
            at = next;
        }
        at
    }

    /// A step to the root of `c + s/(p − x) + t/(q − x)`, which has the value and the slope of `f`:
    /// either both sums of `f` are matched, or the weight of the origin is kept (LAPACK's `dlaed4`).
    fn step(&self, found: &Value, at: f64, fixed: bool) -> f64 {
        let (value, slope) = (found.value(), found.slope());
        let (p, q) = (self.shifted[self.right - 1] - at, self.shifted[self.right] - at);
        let gap = p - q;
        let c = match fixed {
            true if self.low >= 0.0 => value - q * slope - gap * (self.secular.weights[self.right - 1] / p).powi(2),
            true => value - p * slope + gap * (self.secular.weights[self.right] / q).powi(2),
            false => value - p * found.left.1 - q * found.right.1,
        };
        let step = self.solve_quadratic((p + q) * value - p * q * slope, p * q * value, c);
        if step * value < 0.0 { step } else { -value / slope }
    }
}
