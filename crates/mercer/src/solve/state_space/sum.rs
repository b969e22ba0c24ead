//! `Σ αᵢk(x, xᵢ)` at any point from two states: one gathers the points on the left, one those on
//! the right.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::LineFunction;
use super::positions::Positions;
use super::process::ProcessSum;
use super::small::{Matrix, Vector, dot, square, times, transposed_times};
use crate::compute::in_pool;

/// Functions on the line.
///
/// For `s ≤ t`, `k(s, t) = hᵀA(s→t)P(s)h`, so with `Fⱼ = Σ_{i≤j} αᵢA(xᵢ→xⱼ)P(xᵢ)h` and
/// `bⱼ = Σ_{i≥j} αᵢA(xⱼ→xᵢ)ᵀh`, `f(x) = hᵀ(A(xⱼ→x)Fⱼ + P(x)A(x→xⱼ₊₁)ᵀbⱼ₊₁)` between two neighbors.
pub(super) struct Sum<const M: usize> {
    process_sum: ProcessSum,
    positions: Positions,
    functions: Vec<Gathered<M>>,
}

struct Gathered<const M: usize> {
    left: Vec<Vector<M>>,
    right: Vec<Vector<M>>,
}

impl<const M: usize> std::fmt::Debug for Sum<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineFunction").field("states", &M).field("places", &self.positions.len()).finish()
    }
}

impl<const M: usize> Sum<M> {
    pub fn new(process_sum: &ProcessSum, positions: Positions, alpha: ArrayView2<f64>) -> Self {
        let functions = alpha.axis_iter(Axis(1)).map(|column| Gathered::new(process_sum, &positions, column)).collect();
        Self { process_sum: process_sum.clone(), positions, functions }
    }

    fn value(&self, function: &Gathered<M>, t: f64) -> f64 {
        let before = self.positions.before(t);
        let mut state = [0.0; M];
        if let Some(j) = before {
            state = times(&self.process_sum.transition(self.positions.t[j], t), &function.left[j]);
        }
        let after = before.map_or(0, |j| j + 1);
        if let Some(right) = function.right.get(after) {
            let adjoint = transposed_times(&self.process_sum.transition(t, self.positions.t[after]), right);
            let seen = times(&square(&self.process_sum.prior(t)), &adjoint);
            (0..M).for_each(|k| state[k] += seen[k]);
        }
        dot(&self.process_sum.observe(t), &state)
    }
}

impl<const M: usize> Gathered<M> {
    fn new(process_sum: &ProcessSum, positions: &Positions, alpha: ArrayView1<f64>) -> Self {
        let (t, n) = (&positions.t, positions.len());
        let mut gathered = Self { left: vec![[0.0; M]; n], right: vec![[0.0; M]; n] };
        let mut left = [0.0; M];
        for i in 0..n {
            if i > 0 {
                left = times(&process_sum.transition(t[i - 1], t[i]), &left);
            }
            let own = times(&square::<M>(&process_sum.prior(t[i])), &process_sum.observe(t[i]));
            (0..M).for_each(|k| left[k] += alpha[positions.row[i]] * own[k]);
            gathered.left[i] = left;
        }
        let mut right = [0.0; M];
        for i in (0..n).rev() {
            if i + 1 < n {
                let transition: Matrix<M> = process_sum.transition(t[i], t[i + 1]);
                right = transposed_times(&transition, &right);
            }
            let own: Vector<M> = process_sum.observe(t[i]);
            (0..M).for_each(|k| right[k] += alpha[positions.row[i]] * own[k]);
            gathered.right[i] = right;
        }
        gathered
    }
}

impl<const M: usize> LineFunction for Sum<M> {
    fn values(&self, positions: ArrayView1<f64>) -> Array2<f64> {
        let mut values = Array2::zeros((positions.len(), self.functions.len()));
        for (function, mut column) in self.functions.iter().zip(values.columns_mut()) {
            let at = |t| self.value(function, t);
            let found: Vec<f64> = in_pool(|| positions.to_vec().into_par_iter().map(at).collect());
            column.assign(&ArrayView1::from(&found));
        }
        values
    }
}
