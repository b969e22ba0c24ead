//! The forward pass: the square-root Kalman filter, which factors `SKS + λI`.

use std::sync::OnceLock;

use ndarray::ArrayView1;

use super::positions::Positions;
use super::process::{ProcessSum, Transition};
use super::small::{Matrix, Vector, dot, product, root_of_sum, times};
use crate::solve::chain::LogProduct;

/// `SKS + λI`, factored.
pub(super) struct System<const M: usize> {
    pub process_sum: ProcessSum,
    pub positions: Positions,
    /// `sᵢ`, in the order of the positions; absent where all are 1.
    pub scales: Option<Vec<f64>>,
    pub lambda: f64,
    /// One per place, in ascending order.
    pub known: Vec<Filtered<M>>,
    pub log_determinant: f64,
    /// The roots of `N` at every position, where variances were requested.
    pub spreads: OnceLock<Vec<Matrix<M>>>,
}

/// The filtered state: its distribution given the observations up to a position.
#[derive(Clone, Copy)]
pub(super) struct Filtered<const M: usize> {
    /// The lower triangular root of the covariance, the observation included.
    pub root: Matrix<M>,
    /// The gain `g`.
    pub gain: Vector<M>,
    /// `S`: the variance of the innovation.
    pub variance: f64,
}

impl<const M: usize> std::fmt::Debug for System<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MarkovSystem").field("states", &M).field("places", &self.positions.len()).finish()
    }
}

impl<const M: usize> System<M> {
    pub fn new(process_sum: &ProcessSum, positions: Positions, scales: Option<ArrayView1<f64>>, lambda: f64) -> Self {
        let scales = scales.map(|s| positions.row.iter().map(|&i| s[i]).collect());
        let mut system = Self {
            process_sum: process_sum.clone(),
            positions,
            scales,
            lambda,
            known: Vec::new(),
            log_determinant: 0.0,
            spreads: OnceLock::new(),
        };
        system.filter();
        system
    }

    fn filter(&mut self) {
        let t = &self.positions.t;
        let mut known: Vec<Filtered<M>> = Vec::with_capacity(t.len());
        let mut determinant = LogProduct::new();
        let noise = self.lambda.sqrt();
        for i in 0..t.len() {
            let root = match known.last() {
                None => self.process_sum.prior(t[0]),
                Some(before) => moved(&self.process_sum, &before.root, t[i - 1], t[i]),
            };
            let here = observed(root, &self.observe(i), noise);
            determinant.multiply(here.variance);
            known.push(here);
        }
        self.log_determinant = determinant.ln();
        self.known = known;
    }

    /// `h` of the observation at the `i`-th place: what it sees of the state.
    #[inline(always)]
    pub fn observe(&self, i: usize) -> Vector<M> {
        let h = self.process_sum.observe(self.positions.t[i]);
        match &self.scales {
            None => h,
            Some(s) => h.map(|v| s[i] * v),
        }
    }

    /// `A` from the `i`-th place to the next.
    #[inline(always)]
    pub fn transition(&self, i: usize) -> Matrix<M> {
        self.process_sum.transition(self.positions.t[i], self.positions.t[i + 1])
    }

    /// The filter of one column: `m⁺` and the innovation at every position, handed over in
    /// ascending order.
    #[inline(always)]
    pub fn means(&self, right: ArrayView1<f64>, mut each: impl FnMut(&Vector<M>, f64)) {
        let mut mean = [0.0; M];
        for i in 0..self.positions.len() {
            if i > 0 {
                mean = times(&self.transition(i - 1), &mean);
            }
            let innovation = right[self.positions.row[i]] - dot(&self.observe(i), &mean);
            for k in 0..M {
                mean[k] += self.known[i].gain[k] * innovation;
            }
            each(&mean, innovation);
        }
    }
}

/// The root of `A P Aᵀ + Q`.
#[inline(always)]
pub(super) fn moved<const M: usize>(process_sum: &ProcessSum, root: &Matrix<M>, from: f64, to: f64) -> Matrix<M> {
    if from == to {
        return *root;
    }
    let step: Transition<M> = process_sum.step(from, to);
    root_of_sum(product(&step.transition, root), step.root)
}

/// An observation `hᵀz + √λ ε` is taken in: rotations of `√λ` with the columns of the root, last to
/// first, keep it triangular and subtract no squares.
#[inline(always)]
fn observed<const M: usize>(mut root: Matrix<M>, h: &Vector<M>, noise: f64) -> Filtered<M> {
    let (mut deviation, mut cross) = (noise, [0.0; M]);
    for j in (0..M).rev() {
        let seen: f64 = (j..M).map(|i| h[i] * root[i][j]).sum();
        if seen == 0.0 {
            continue;
        }
        let total = (deviation * deviation + seen * seen).sqrt();
        let (cosine, sine) = (deviation / total, seen / total);
        for i in j..M {
            let own = root[i][j];
            root[i][j] = cosine * own - sine * cross[i];
            cross[i] = cosine * cross[i] + sine * own;
        }
        deviation = total;
    }
    Filtered { root, gain: cross.map(|c| c / deviation), variance: deviation * deviation }
}
