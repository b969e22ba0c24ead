//! Matérn processes of smoothness `ν = d − ½` as `d` states, in units in which the rate `√(2ν)/ℓ`
//! is 1.
//!
//! The states are `f, f′, f″` (as many as there are), each derivative divided by the rate. They
//! solve `dz = Fz ds + e_d √q dW` with `F` the companion matrix of `(x + 1)ᵈ`, so that
//! `A(s) = exp(Fs)` and `Q(s) = q ∫₀ˢ e^{−2τ} p(τ)p(τ)ᵀ dτ` with `p` the last column of `e^τ A(τ)`.

use super::small::Matrix;

/// Beyond this distance `exp(−s)` is 0, and so is the rest of `A`.
const FAR: f64 = 800.0;
/// Below this `x = 2s` the moments come from a series of positive terms, above it from the
/// recursion upward.
const NEAR: f64 = 2.0;

/// Writes `A(s)` into the block at `at`.
#[inline(always)]
pub(super) fn transition<const M: usize>(dimension: usize, s: f64, at: usize, out: &mut Matrix<M>) {
    let s = s.min(FAR);
    let decay = (-s).exp();
    match dimension {
        1 => out[at][at] = decay,
        2 => put(out, at, &[[1.0 + s, s], [-s, 1.0 - s]], decay),
        _ => {
            let (square, half) = (s * s, 0.5 * s * s);
            let block = [
                [1.0 + s + half, s + square, half],
                [-half, 1.0 + s - square, s - half],
                [half - s, square - 3.0 * s, 1.0 - 2.0 * s + half],
            ];
            put(out, at, &block, decay);
        }
    }
}

/// Writes the lower triangular root of `c²Q(s)` into the block at `at`.
#[inline(always)]
pub(super) fn root<const M: usize>(dimension: usize, s: f64, c: f64, at: usize, out: &mut Matrix<M>) {
    let s = s.min(FAR);
    match dimension {
        1 => out[at][at] = c * (-(-2.0 * s).exp_m1()).sqrt(),
        2 => {
            let [j0, j1, j2] = moments::<3>(s);
            let shape = [[j2, 0.0], [j1 - s * j2, j0 - s * (2.0 * j1 - s * j2)]];
            put_root(out, at, shape, s, 2.0 * c);
        }
        _ => {
            let [j0, j1, j2, j3, j4] = moments::<5>(s);
            let q = 0.25 * j4;
            let shape = [
                [q, 0.0, 0.0],
                [0.5 * j3 - s * q, j2 - s * (j3 - s * q), 0.0],
                [
                    0.5 * j2 - s * (j3 - s * q),
                    j1 - s * (2.5 * j2 - s * (1.5 * j3 - s * q)),
                    j0 - s * (4.0 * j1 - s * (5.0 * j2 - s * (2.0 * j3 - s * q))),
                ],
            ];
            put_root(out, at, shape, s, c * (16.0_f64 / 3.0).sqrt());
        }
    }
}

/// Writes the lower triangular root of `c²` times the stationary covariance into the block at `at`.
pub(super) fn stationary_root<const M: usize>(dimension: usize, c: f64, at: usize, out: &mut Matrix<M>) {
    match dimension {
        1 => out[at][at] = c,
        2 => put(out, at, &[[1.0, 0.0], [0.0, 1.0]], c),
        _ => {
            let third = 1.0_f64 / 3.0;
            put(out, at, &[[1.0, 0.0, 0.0], [0.0, third.sqrt(), 0.0], [-third, 0.0, (8.0_f64 / 9.0).sqrt()]], c);
        }
    }
}

/// `F`, of which the first `dimension` rows and columns count.
pub(super) fn generator(dimension: usize) -> Matrix<3> {
    match dimension {
        1 => [[-1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]],
        2 => [[0.0, 1.0, 0.0], [-1.0, -2.0, 0.0], [0.0; 3]],
        _ => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -3.0, -3.0]],
    }
}

/// `√q e^{−s} p(s)`: the square of this is `dQ/ds`.
#[inline(always)]
pub(super) fn injection(dimension: usize, s: f64) -> [f64; 3] {
    let s = s.min(FAR);
    let decay = (-s).exp();
    let half = 0.5 * s * s;
    let (root, shape) = match dimension {
        1 => (2.0_f64.sqrt(), [1.0, 0.0, 0.0]),
        2 => (2.0, [s, 1.0 - s, 0.0]),
        _ => ((16.0_f64 / 3.0).sqrt(), [half, s - half, 1.0 - 2.0 * s + half]),
    };
    shape.map(|p| root * decay * p)
}

/// `Jₖ = ∫₀¹ tᵏ e^{−2st} dt` for `k < K`, each to full relative precision.
#[inline(always)]
fn moments<const K: usize>(s: f64) -> [f64; K] {
    let x = 2.0 * s;
    let decay = (-x).exp();
    let mut j = [0.0; K];
    if x > NEAR {
        j[0] = (1.0 - decay) / x;
        for k in 1..K {
            j[k] = (k as f64 * j[k - 1] - decay) / x;
        }
        return j;
    }
    let (mut term, mut sum, mut k) = (1.0 / K as f64, 0.0, K as f64);
    while term > f64::EPSILON * 0.1 * sum {
        sum += term;
        k += 1.0;
        term *= x / k;
    }
    j[K - 1] = decay * sum;
    for k in (1..K).rev() {
        j[k - 1] = (x * j[k] + decay) / k as f64;
    }
    j
}

#[inline(always)]
fn put<const M: usize, const D: usize>(out: &mut Matrix<M>, at: usize, block: &Matrix<D>, factor: f64) {
    for i in 0..D {
        for j in 0..D {
            out[at + i][at + j] = factor * block[i][j];
        }
    }
}

/// Writes `c diag(s^{D−½−i}) R` with `RRᵀ` the matrix whose lower triangle is given: no power of
/// `s` is divided by.
#[inline(always)]
fn put_root<const M: usize, const D: usize>(out: &mut Matrix<M>, at: usize, mut shape: Matrix<D>, s: f64, c: f64) {
    for j in 0..D {
        for i in j..D {
            let rest = shape[i][j] - (0..j).map(|k| shape[i][k] * shape[j][k]).sum::<f64>();
            shape[i][j] = if i == j { rest.max(0.0).sqrt() } else { rest / shape[j][j] };
        }
    }
    let mut scale = c * s.sqrt();
    for i in (0..D).rev() {
        for j in 0..=i {
            out[at + i][at + j] = scale * shape[i][j];
        }
        scale *= s;
    }
}

#[cfg(test)]
mod tests {
    use super::super::small::{product, square};
    use super::*;

    fn parts(dimension: usize, s: f64) -> (Matrix<3>, Matrix<3>, Matrix<3>) {
        let (mut a, mut q, mut p) = ([[0.0; 3]; 3], [[0.0; 3]; 3], [[0.0; 3]; 3]);
        transition(dimension, s, 0, &mut a);
        root(dimension, s, 1.0, 0, &mut q);
        stationary_root(dimension, 1.0, 0, &mut p);
        (a, square(&q), square(&p))
    }

    #[test]
    fn stationary_covariance_stays() {
        for dimension in 1..=3 {
            for s in [1e-3, 0.3, 0.99, 1.01, 2.5, 40.0, 1e9] {
                let (a, q, p) = parts(dimension, s);
                let moved = product(&product(&a, &p), &std::array::from_fn(|i| std::array::from_fn(|j| a[j][i])));
                for i in 0..dimension {
                    for j in 0..dimension {
                        assert_close!(moved[i][j] + q[i][j], p[i][j], abs = 2e-14, "{dimension} {s} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn small_steps_keep_their_digits() {
        // Q₀₀ = q s^{2d−1}/((2d−1)((d−1)!)²)(1 + O(s)).
        for (dimension, q, factor) in [(1, 2.0, 1.0), (2, 4.0, 3.0), (3, 16.0 / 3.0, 20.0)] {
            let s = 1e-9_f64;
            let (_, covariance, _) = parts(dimension, s);
            let expected = q * s.powi(2 * dimension as i32 - 1) / factor;
            assert_close!(covariance[0][0] / expected, 1.0, abs = 4e-9, "{dimension}");
        }
    }

    #[test]
    fn injection_is_the_slope_of_the_covariance() {
        let (s, h) = (0.7, 1e-5);
        for dimension in 1..=3 {
            let (above, below) = (parts(dimension, s + h).1, parts(dimension, s - h).1);
            let p = injection(dimension, s);
            for i in 0..dimension {
                for j in 0..dimension {
                    let slope = (above[i][j] - below[i][j]) / (2.0 * h);
                    assert_close!(slope, p[i] * p[j], abs = 1e-8, "{dimension} {i} {j}");
                }
            }
        }
    }
}
