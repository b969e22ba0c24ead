//! The generalized eigenvalue problem.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::affinity::Weights;
use super::decompose::Mode;
use crate::error::MemoryPurpose;
use crate::operator::products::{mirror, multiply};
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Result};

/// The directions of the embedding.
pub(super) struct Solution {
    /// `μ`, ascending.
    pub(super) values: Array1<f64>,
    /// `Zᵀu` at the low and at the high points.
    pub(super) embedding: [Array2<f64>; 2],
    /// `u`: the weights of the functions at the points of their mode.
    pub(super) coefficients: [Array2<f64>; 2],
}

/// The `count` smallest eigenvalues of `ZGZᵀu = μ(ZZᵀ + ρI)u`.
///
/// # Formula
/// With `K = VΛVᵀ` of both modes, `u = V(Λ² + ρ)^{−½}c` and `s = Λ(Λ² + ρ)^{−½}` it is
/// `(diag(s) VᵀGV diag(s)) c = μc`: no product of kernel matrices is formed, and `s` lies in (0, 1]
/// however singular they are. The embedding is `Zᵀu = V diag(s) c`.
pub(super) fn solve(
    modes: [&Mode; 2],
    weights: &Weights<'_>,
    reg: f64,
    count: usize,
    compute: &Compute,
) -> Result<Solution> {
    let [low, high] = modes;
    let rank = low.rank() + high.rank();
    if !(1..=rank).contains(&count) {
        return Err(Error::parameter("components", count, 1..=rank));
    }
    let bytes = 32 * (rank as u64).pow(2);
    let remedy = "use fewer points, landmarks, or a higher memory limit";
    compute.reserve(MemoryPurpose::Factorization, "the matrix of the embedding", bytes, remedy)?;
    let damped = |mode: &Mode| mode.values.mapv(|v| v / v.hypot(reg.sqrt()));
    let scaled = [&low.vectors * &damped(low), &high.vectors * &damped(high)];
    let matrix = coupled_matrix(&scaled, weights, compute)?;
    let eigen = symmetric_eigen(matrix.view(), compute)?;
    // The matrix is positive semi-definite: what is below 0 is rounding.
    let values: Array1<f64> = eigen.values[..count].iter().map(|v| v.max(0.0)).collect();
    let mut vectors = eigen.vectors.slice(s![.., ..count]).to_owned();
    let split = |vectors: &Array2<f64>| {
        let (first, second) = vectors.view().split_at(Axis(0), low.rank());
        [first.to_owned(), second.to_owned()]
    };
    let embed = |vectors: &Array2<f64>| -> Result<[Array2<f64>; 2]> {
        let [first, second] = split(vectors);
        Ok([multiply(scaled[0].view(), first.view(), compute)?, multiply(scaled[1].view(), second.view(), compute)?])
    };
    let mut embedding = embed(&vectors)?;
    for j in 0..count {
        if is_negative(&embedding, j) {
            vectors.column_mut(j).mapv_inplace(|v| -v);
            embedding.iter_mut().for_each(|of| of.column_mut(j).mapv_inplace(|v| -v));
        }
    }
    let coordinates = split(&vectors);
    let of = |mode: &Mode, c: &Array2<f64>| {
        let roots = mode.values.mapv(|v| v.hypot(reg.sqrt())).insert_axis(Axis(1));
        mode.coefficients((c / &roots).view(), compute)
    };
    let coefficients = [of(low, &coordinates[0])?, of(high, &coordinates[1])?];
    Ok(Solution { values, embedding, coefficients })
}

/// `SᵀGS` for `S = blkdiag(S_L, S_H)`, `G = [[D_L, −W], [−Wᵀ, D_H]]`.
fn coupled_matrix(scaled: &[Array2<f64>; 2], weights: &Weights<'_>, compute: &Compute) -> Result<Array2<f64>> {
    let [low, high] = scaled;
    let degrees = weights.degrees();
    let block = |of: &Array2<f64>, degrees: &Array1<f64>| {
        let weighted = of * &degrees.view().insert_axis(Axis(1));
        multiply(of.t(), weighted.view(), compute)
    };
    let across = multiply(weights.times(high.view(), compute)?.t(), low.view(), compute)?.mapv(|v| -v);
    let above = block(low, &degrees.0)?;
    let empty = Array2::zeros((low.ncols(), high.ncols()));
    let rows = |left: ArrayView2<f64>, right: ArrayView2<f64>| {
        concatenate(Axis(1), &[left, right]).expect("blocks have the same rows")
    };
    // The lower triangle is read; the block above the diagonal is filled by symmetry.
    let first = rows(above.view(), empty.view());
    let second = rows(across.view(), block(high, &degrees.1)?.view());
    let mut matrix = concatenate(Axis(0), &[first.view(), second.view()]).expect("blocks have the same columns");
    mirror(&mut matrix);
    Ok(matrix)
}

/// Whether the entry of a column that is largest in absolute value, low points first, is negative.
fn is_negative(embedding: &[Array2<f64>; 2], column: usize) -> bool {
    let entries = embedding.iter().flat_map(|of| of.column(column).to_vec());
    entries.fold(0.0_f64, |largest, v| if v.abs() > largest.abs() { v } else { largest }) < 0.0
}
