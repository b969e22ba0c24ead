//! Exact Gaussian inference along a line in linear time, for kernels that are covariances of Markov
//! processes.
//!
//! `f(t) = h(t)ᵀz(t)` with `z(t′) = A z(t) + Lε` has a covariance `k(s, t)` whose matrix has
//! structure: with `B = SKS + λI`, `S = diag(sᵢ)`, a Kalman filter in square-root form is the
//! Cholesky factor of `B` (the innovations have variance `Sᵢ`, so `log det B = Σ log Sᵢ`), and the
//! adjoint recursion backward gives `B⁻¹y` and the diagonal of `B⁻¹` themselves, with nothing
//! subtracted and no matrix inverted:
//!
//! | pass | recursion |
//! |---|---|
//! | forward | `m⁻ = Am⁺`, `v = y − hᵀm⁻`, `m⁺ = m⁻ + gv` with the gain `g = P⁻h/S` |
//! | backward | `u = v/S − gᵀρ`, `r = hu + ρ`, `ρ ← Aᵀr`; `u = B⁻¹y` |
//! | spread | `D = 1/S + gᵀN⁺g`, `N⁻ = hhᵀ/S + (I − hgᵀ)N⁺(I − ghᵀ)`, `N⁺ ← AᵀN⁻A`; `D = diag B⁻¹` |
//!
//! Only forward steps `A` occur, which decay over large gaps, and no gap is divided by, so ties and
//! near ties do no harm.
//!
//! Why this beside [`chain`](super::chain), which smooths in information form: here every state
//! has a prior covariance, also one of rank zero (Brownian motion at 0, a bridge at its ends),
//! whose inverse does not exist; what is asked for is `B⁻¹y`, `log det B` and slopes by the
//! parameters of a kernel, which the covariance form gives directly and the information form does
//! not; and sums of up to six states of different processes run side by side.

// Small matrices of fixed size: loops over indices follow the formulas.
#![allow(clippy::needless_range_loop)]

mod backward;
mod filter;
mod matern;
mod positions;
mod process;
mod recognize;
mod slopes;
mod small;
mod sum;
mod variance;

use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView1, ArrayView2};

use self::filter::System;
use self::positions::Positions;
pub(crate) use self::process::ProcessSum;
pub(crate) use self::slopes::Slopes;
use self::sum::Sum;
use crate::Kernel;

/// `B = SKS + λI`, factored along the line. Rows are in the order of the data.
pub(crate) trait MarkovSystem: fmt::Debug + Send + Sync {
    /// `B⁻¹y`.
    fn solve(&self, right: ArrayView1<f64>) -> Vec<f64>;
    /// The diagonal of `B⁻¹`.
    fn inverse_diagonal(&self) -> Vec<f64>;
    /// `log det B`.
    fn log_determinant(&self) -> f64;
    /// The slopes of `log p(y)`, `y ~ N(0, B)`, by the parameters of the kernel and by λ.
    fn slopes(&self, kernel: &Kernel, y: ArrayView1<f64>) -> Slopes;
    /// `var f(t)` given the observations at every position.
    fn variances(&self, positions: ArrayView1<f64>) -> Vec<f64>;
}

/// `f = Σ αᵢk(·, xᵢ)` along the line, for every column of `α`.
pub(crate) trait LineFunction: fmt::Debug + Send + Sync {
    /// The values at positions, one column per function.
    fn values(&self, positions: ArrayView1<f64>) -> Array2<f64>;
}

/// Factors `B` for points at these positions.
pub(crate) fn system(
    process_sum: &ProcessSum,
    positions: ArrayView1<f64>,
    scales: Option<ArrayView1<f64>>,
    lambda: f64,
) -> Arc<dyn MarkovSystem> {
    let positions = Positions::new(positions);
    match process_sum.dimension() {
        1 => Arc::new(System::<1>::new(process_sum, positions, scales, lambda)),
        2 => Arc::new(System::<2>::new(process_sum, positions, scales, lambda)),
        3 => Arc::new(System::<3>::new(process_sum, positions, scales, lambda)),
        4 => Arc::new(System::<4>::new(process_sum, positions, scales, lambda)),
        5 => Arc::new(System::<5>::new(process_sum, positions, scales, lambda)),
        _ => Arc::new(System::<6>::new(process_sum, positions, scales, lambda)),
    }
}

/// The functions `Σ αᵢk(·, xᵢ)`, one per column of `α`, prepared for evaluation in `O(log n)`.
pub(crate) fn line_function(
    process_sum: &ProcessSum,
    positions: ArrayView1<f64>,
    alpha: ArrayView2<f64>,
) -> Arc<dyn LineFunction> {
    let positions = Positions::new(positions);
    match process_sum.dimension() {
        1 => Arc::new(Sum::<1>::new(process_sum, positions, alpha)),
        2 => Arc::new(Sum::<2>::new(process_sum, positions, alpha)),
        3 => Arc::new(Sum::<3>::new(process_sum, positions, alpha)),
        4 => Arc::new(Sum::<4>::new(process_sum, positions, alpha)),
        5 => Arc::new(Sum::<5>::new(process_sum, positions, alpha)),
        _ => Arc::new(Sum::<6>::new(process_sum, positions, alpha)),
    }
}
