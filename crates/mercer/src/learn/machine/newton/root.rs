//! The root `B` of the second derivative of the data term: `BBᵀ = W`, point by point.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Compute;
use crate::solve::newton::Curvature;

/// A root of the curvature at every point, a square matrix of the size of the number of functions.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// `sᵢ`, for one function.
    Diagonal(Array1<f64>),
    /// `√wᵢ diag(q)(I − qqᵀ)` with `q = √p`: the root of `wᵢ(diag p − ppᵀ)`, because `q` has
    /// norm 1.
    Softmax { roots: Array2<f64>, weights: Array1<f64> },
}

impl Root {
    pub(super) fn new(curvature: Curvature) -> Self {
        match curvature {
            Curvature::Diagonal(bends) => Self::Diagonal(bends.mapv_into(f64::sqrt)),
            Curvature::Softmax { probabilities, weights } => {
                Self::Softmax { roots: probabilities.mapv_into(f64::sqrt), weights: weights.mapv_into(f64::sqrt) }
            }
        }
    }

    /// `Bv`, for `v` with one row per point.
    pub(super) fn apply(&self, v: ArrayView2<f64>) -> Array2<f64> {
        match self {
            Self::Diagonal(s) => &v * &s.view().insert_axis(Axis(1)),
            Self::Softmax { roots, weights } => {
                without_mean(v.to_owned(), roots) * roots * weights.view().insert_axis(Axis(1))
            }
        }
    }

    /// `Bᵀv`.
    pub(super) fn transposed(&self, v: ArrayView2<f64>) -> Array2<f64> {
        match self {
            Self::Diagonal(_) => self.apply(v),
            Self::Softmax { roots, weights } => without_mean(&v * roots * weights.view().insert_axis(Axis(1)), roots),
        }
    }

    /// The diagonal matrix `W_cd` over the points.
    pub(super) fn block(&self, c: usize, d: usize) -> Array1<f64> {
        match self {
            Self::Diagonal(s) => s * s,
            Self::Softmax { roots, weights } => {
                let p = |c: usize| roots.column(c).mapv(|q| q * q);
                let own = if c == d { p(c) } else { Array1::zeros(weights.len()) };
                (own - p(c) * p(d)) * weights * weights
            }
        }
    }

    /// `BᵀKB + μI`, of the size of points times functions; the functions of a point stand together.
    pub(super) fn congruence(&self, k: &Array2<f64>, mu: f64, compute: &Compute) -> Array2<f64> {
        let (n, c) = (k.nrows(), self.functions());
        let size = n * c;
        let mut out = Array2::zeros((size, size));
        let line = |at: usize, line: &mut [f64]| {
            let (i, a) = (at / c, at % c);
            for j in 0..n {
                let value = k[[i, j]];
                (0..c).for_each(|b| line[j * c + b] = value * self.entry(i, j, a, b));
            }
            line[at] += mu;
        };
        if let Some(values) = out.as_slice_mut() {
            compute.each_chunk(values, size, line);
        }
        out
    }

    fn functions(&self) -> usize {
        match self {
            Self::Diagonal(_) => 1,
            Self::Softmax { roots, .. } => roots.ncols(),
        }
    }

    /// `(BᵢᵀBᵢ)_aa`.
    pub(super) fn square(&self, i: usize, a: usize) -> f64 {
        self.entry(i, i, a, a)
    }

    /// `(BᵢᵀBⱼ)_ab`.
    fn entry(&self, i: usize, j: usize, a: usize, b: usize) -> f64 {
        match self {
            Self::Diagonal(s) => s[i] * s[j],
            Self::Softmax { roots, weights } => {
                let (q, r) = (roots.row(i), roots.row(j));
                let both = |f: &dyn Fn(usize) -> f64| (0..q.len()).map(|c| f(c) * q[c] * r[c]).sum::<f64>();
                let own = if a == b { q[a] * r[a] } else { 0.0 };
                let middle = both(&|c| q[c] * r[c]);
                let value = own - q[a] * q[b] * q[b] * r[b] - q[a] * r[a] * r[a] * r[b] + q[a] * middle * r[b];
                weights[i] * weights[j] * value
            }
        }
    }
}

/// `v − q(qᵀv)`, row by row.
fn without_mean(mut v: Array2<f64>, q: &Array2<f64>) -> Array2<f64> {
    let shares = (&v * q).sum_axis(Axis(1)).insert_axis(Axis(1));
    v -= &(q * &shares);
    v
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_root_is_a_root() {
        let root = Root::Softmax {
            roots: array![[0.2_f64, 0.3, 0.5], [0.6, 0.3, 0.1]].mapv(f64::sqrt),
            weights: array![1.0, 2.0_f64.sqrt()],
        };
        for point in 0..2 {
            for d in 0..3 {
                let mut unit = Array2::zeros((2, 3));
                unit[[point, d]] = 1.0;
                let column = root.apply(root.transposed(unit.view()).view());
                for c in 0..3 {
                    assert_close!(column[[point, c]], root.block(c, d)[point], abs = 1e-15);
                }
            }
        }
    }

    #[test]
    fn the_matrix_is_the_product() {
        let root = Root::Softmax {
            roots: array![[0.2_f64, 0.3, 0.5], [0.6, 0.3, 0.1]].mapv(f64::sqrt),
            weights: array![1.0, 2.0_f64.sqrt()],
        };
        let k = array![[1.0, 0.4], [0.4, 2.0]];
        let found = root.congruence(&k, 0.5, &Compute::new());
        for column in 0..6 {
            let mut unit = Array2::zeros((2, 3));
            unit[[column / 3, column % 3]] = 1.0;
            let expected = root.transposed(k.dot(&root.apply(unit.view())).view()) + &unit * 0.5;
            assert!((0..6).all(|row| (found[[row, column]] - expected[[row / 3, row % 3]]).abs() < 1e-14));
        }
    }
}
