//! The backward pass: `B⁻¹y` and the diagonal of `B⁻¹` by the adjoint of the filter.

use ndarray::ArrayView1;

use super::filter::{Filtered, System};
use super::slopes::Slopes;
use super::small::{Matrix, Vector, dot, root_of_sum, transposed_product, transposed_times};
use super::{MarkovSystem, slopes, variance};
use crate::Kernel;

/// The slope of the log likelihood by the mean of the state: `r` before a step, `ρ` after it.
pub(super) struct Adjoint<const M: usize>(pub Vector<M>);

impl<const M: usize> Adjoint<M> {
    /// Takes in the observation and gives `u`.
    #[inline(always)]
    pub fn observe(&mut self, known: &Filtered<M>, h: &Vector<M>, innovation: f64) -> f64 {
        let u = innovation / known.variance - dot(&known.gain, &self.0);
        for k in 0..M {
            self.0[k] += h[k] * u;
        }
        u
    }

    #[inline(always)]
    pub fn step(&mut self, transition: &Matrix<M>) {
        self.0 = transposed_times(transition, &self.0);
    }
}

/// A root of `N`, the covariance of the adjoint.
pub(super) struct Spread<const M: usize>(pub Matrix<M>);

impl<const M: usize> Spread<M> {
    /// Takes in the observation and gives `D`.
    #[inline(always)]
    pub fn observe(&mut self, known: &Filtered<M>, h: &Vector<M>) -> f64 {
        let seen = transposed_times(&self.0, &known.gain);
        let own = 1.0 / known.variance;
        let mut added = [[0.0; M]; M];
        for i in 0..M {
            for j in 0..M {
                self.0[i][j] -= h[i] * seen[j];
            }
            added[i][0] = h[i] * own.sqrt();
        }
        self.0 = root_of_sum(self.0, added);
        own + dot(&seen, &seen)
    }

    #[inline(always)]
    pub fn step(&mut self, transition: &Matrix<M>) {
        self.0 = transposed_product(transition, &self.0);
    }
}

impl<const M: usize> System<M> {
    /// The spread at every position with its own observation, from the last position to the first.
    #[inline(always)]
    pub fn each_spread(&self, mut each: impl FnMut(usize, f64, &Matrix<M>)) {
        let mut spread = Spread([[0.0; M]; M]);
        for i in (0..self.positions.len()).rev() {
            if i + 1 < self.positions.len() {
                spread.step(&self.transition(i));
            }
            let own = spread.observe(&self.known[i], &self.observe(i));
            each(i, own, &spread.0);
        }
    }
}

impl<const M: usize> MarkovSystem for System<M> {
    fn solve(&self, right: ArrayView1<f64>) -> Vec<f64> {
        let n = self.positions.len();
        let mut innovations = Vec::with_capacity(n);
        self.means(right, |_, v| innovations.push(v));
        let mut adjoint = Adjoint([0.0; M]);
        let mut solution = vec![0.0; n];
        for i in (0..n).rev() {
            if i + 1 < n {
                adjoint.step(&self.transition(i));
            }
            solution[self.positions.row[i]] = adjoint.observe(&self.known[i], &self.observe(i), innovations[i]);
        }
        solution
    }

    fn inverse_diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.positions.len()];
        self.each_spread(|i, own, _| diagonal[self.positions.row[i]] = own);
        diagonal
    }

    fn log_determinant(&self) -> f64 {
        self.log_determinant
    }

    fn slopes(&self, kernel: &Kernel, y: ArrayView1<f64>) -> Slopes {
        slopes::slopes(self, kernel, y)
    }

    fn variances(&self, positions: ArrayView1<f64>) -> Vec<f64> {
        variance::variances(self, positions)
    }
}
