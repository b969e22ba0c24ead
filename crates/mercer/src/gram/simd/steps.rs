//! One step of a pass over the columns, for all column points of a tile at once.

use pulp::{Arch, Simd, WithSimd};

use super::Fast64;
use super::element::{Lane, Width};
use crate::real::Real;

/// A step `sum ← step(sum, y)`, written once for every arithmetic; mark it `#[inline(always)]`.
pub trait Steps: Sync {
    /// The sum after taking in `y`.
    fn step<N: Real>(&self, sum: N, y: N) -> N;
}

/// `sums[j] ← step(sums[j], values[j])`.
pub fn steps<F: Steps>(step: &F, values: &[f64], sums: &mut [f64]) {
    Arch::new().dispatch(Walk { step, values, sums });
}

struct Walk<'a, F> {
    step: &'a F,
    values: &'a [f64],
    sums: &'a mut [f64],
}

impl<F: Steps> WithSimd for Walk<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<Fast64<false>>() } else { self.run::<Fast64<true>>() }
    }
}

impl<F: Steps> Walk<'_, F> {
    #[inline(always)]
    fn run<N: Lane<f64>>(self) {
        for (sum, &y) in self.sums.iter_mut().zip(self.values) {
            *sum = self.step.step(N::load(*sum), N::load(y)).store();
        }
    }
}
