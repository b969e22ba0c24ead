//! The slopes of the log likelihood by every parameter from one backward pass.

use ndarray::ArrayView1;

use super::backward::{Adjoint, Spread};
use super::filter::System;
use super::matern;
use super::process::{Component, Process};
use super::recognize::by_parameters;
use super::small::{Matrix, Vector, dot, product, square};
use crate::Kernel;

/// The slopes of `log p(y)`, `y ~ N(0, B)`.
#[derive(Clone, Debug)]
pub(crate) struct Slopes {
    /// `θ ∂/∂θ log p(y)` for the parameters of the kernel in order; NaN for parameters without a
    /// state-space derivative.
    pub by_parameters: Vec<f64>,
    /// `∂/∂λ log p(y) = ½ Σ (αᵢ² − Dᵢ)`, for `S = I`.
    pub by_noise: f64,
}

/// The slopes by the logarithms of the variance and of the lengthscale of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PartSlope {
    pub variance: f64,
    pub length: f64,
}

/// How the likelihood depends on one step: `½ tr(C dQ) + tr(Wᵀ dA)` with `C = rrᵀ − N`,
/// `W = r m⁺ᵀ + C A P⁺`.
struct Sensitivity<const M: usize> {
    c: Matrix<M>,
    w: Matrix<M>,
}

pub(super) fn slopes<const M: usize>(system: &System<M>, kernel: &Kernel, y: ArrayView1<f64>) -> Slopes {
    let n = system.positions.len();
    let (mut means, mut innovations) = (Vec::with_capacity(n), Vec::with_capacity(n));
    system.means(y, |m, v| {
        means.push(*m);
        innovations.push(v);
    });
    let (mut adjoint, mut spread) = (Adjoint([0.0; M]), Spread([[0.0; M]; M]));
    let mut parts = vec![PartSlope::default(); system.process_sum.parts.len()];
    let mut noise = 0.0;
    for i in (0..n).rev() {
        if i + 1 < n {
            let transition = system.transition(i);
            step_slopes(system, i, &transition, &adjoint, &spread, &means[i], &mut parts);
            adjoint.step(&transition);
            spread.step(&transition);
        }
        let h = system.observe(i);
        let u = adjoint.observe(&system.known[i], &h, innovations[i]);
        noise += u * u - spread.observe(&system.known[i], &h);
    }
    prior_slopes(system, &adjoint, &spread, &mut parts);
    Slopes { by_parameters: by_parameters(kernel, &parts), by_noise: 0.5 * noise }
}

/// `C = rrᵀ − N`.
#[inline(always)]
fn contrast<const M: usize>(adjoint: &Adjoint<M>, spread: &Spread<M>) -> Matrix<M> {
    let (r, n) = (&adjoint.0, square(&spread.0));
    std::array::from_fn(|i| std::array::from_fn(|j| r[i] * r[j] - n[i][j]))
}

/// Adds the contribution of the step from the `i`-th position to the next.
#[inline(always)]
fn step_slopes<const M: usize>(
    system: &System<M>,
    i: usize,
    transition: &Matrix<M>,
    adjoint: &Adjoint<M>,
    spread: &Spread<M>,
    mean: &Vector<M>,
    parts: &mut [PartSlope],
) {
    let (from, to) = (system.positions.t[i], system.positions.t[i + 1]);
    if from == to {
        return;
    }
    let c = contrast(adjoint, spread);
    let mut w = product(&product(&c, transition), &square(&system.known[i].root));
    for a in 0..M {
        for b in 0..M {
            w[a][b] += adjoint.0[a] * mean[b];
        }
    }
    let root = system.process_sum.step::<M>(from, to).root;
    let sensitivity = Sensitivity { c, w };
    for ((at, part), slope) in system.process_sum.blocks().zip(parts) {
        slope.variance += sensitivity.by_variance(&root, at, part);
        if let Process::Matern { dimension, rate } = part.process {
            let s = rate * (to - from);
            slope.length -= s * sensitivity.by_distance(transition, at, dimension, s, part.variance);
        }
    }
}

/// Adds the contribution of the first state.
fn prior_slopes<const M: usize>(system: &System<M>, adjoint: &Adjoint<M>, spread: &Spread<M>, parts: &mut [PartSlope]) {
    let Some(&first) = system.positions.t.first() else { return };
    let root = system.process_sum.prior::<M>(first);
    let sensitivity = Sensitivity { c: contrast(adjoint, spread), w: [[0.0; M]; M] };
    for ((at, part), slope) in system.process_sum.blocks().zip(parts) {
        slope.variance += sensitivity.by_variance(&root, at, part);
    }
}

impl<const M: usize> Sensitivity<M> {
    /// `½ tr(C Q)` over the block: the slope by the logarithm of the variance.
    #[inline(always)]
    fn by_variance(&self, root: &Matrix<M>, at: usize, part: &Component) -> f64 {
        let block = at..at + part.process.dimension();
        let mut sum = 0.0;
        for i in block.clone() {
            for j in block.clone() {
                sum += self.c[i][j] * dot(&root[i], &root[j]);
            }
        }
        0.5 * sum
    }

    /// The slope by the length `s` of a Matérn step: `dA = FA`, `dQ = c²q e^{−2s}ppᵀ`.
    #[inline(always)]
    fn by_distance(&self, transition: &Matrix<M>, at: usize, dimension: usize, s: f64, variance: f64) -> f64 {
        let (generator, p) = (matern::generator(dimension), matern::injection(dimension, s));
        let mut sum = 0.0;
        for i in 0..dimension {
            for j in 0..dimension {
                let slope: f64 = (0..dimension).map(|k| generator[i][k] * transition[at + k][at + j]).sum();
                sum += slope * self.w[at + i][at + j] + 0.5 * variance * self.c[at + i][at + j] * p[i] * p[j];
            }
        }
        sum
    }
}
