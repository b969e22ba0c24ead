//! Repair of an indefinite Gram matrix: what was changed is part of the result.

use ndarray::{Array2, ArrayView2};

use super::matrix::symmetric_part;
use super::side::rounding;
use crate::solve::symmetric_eigen;
use crate::{Compute, Result};

/// How negative eigenvalues are made non-negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// `λ → max(λ, 0)`: the nearest PSD matrix in Frobenius norm (Higham 1988).
    Clip,
    /// `λ → |λ|`.
    Flip,
    /// `λ → λ − λ_min`: adds a multiple of the identity, so that values between different points
    /// stay.
    Shift,
}

/// A repaired matrix and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The matrix, exactly symmetric; the input itself, bit for bit, if that was PSD already (up to
    /// rounding).
    pub matrix: Array2<f64>,
    /// What was added to the diagonal by [`Repair::Shift`]; 0 otherwise.
    pub shift: f64,
    /// The sum of the sizes of the negative eigenvalues.
    pub negative_mass: f64,
    /// How many eigenvalues were negative (below `−n·ε·trace`).
    pub negative_count: usize,
    /// The Frobenius norm of the change.
    pub change: f64,
    /// The eigenvalues before, ascending.
    pub eigenvalues: Vec<f64>,
}

/// Makes a symmetric matrix positive semi-definite.
///
/// # Cost
/// One eigendecomposition, `O(n³)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless the matrix is square,
/// [`Error::Value`](crate::Error::Value) for entries that are not finite or not symmetric,
/// [`Error::Canceled`](crate::Error::Canceled).
///
/// # Example
/// ```
/// use mercer::{Compute, definiteness::{Repair, repair}};
/// // Eigenvalues 3 and −1.
/// let k = ndarray::array![[1.0, 2.0], [2.0, 1.0]];
/// let repaired = repair(k.view(), Repair::Shift, &Compute::new())?;
/// mercer::assert_close!(repaired.shift, 1.0, abs = 1e-14);
/// assert!((repaired.matrix[[0, 0]] - 2.0).abs() < 1e-14 && repaired.matrix[[0, 1]] == 2.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn repair(matrix: ArrayView2<f64>, method: Repair, compute: &Compute) -> Result<Repaired> {
    let symmetric = symmetric_part(matrix)?;
    let eigen = symmetric_eigen(symmetric.view(), compute)?;
    let tolerance = rounding(&symmetric);
    let negative: Vec<f64> = eigen.values.iter().copied().filter(|&v| v < -tolerance).collect();
    let lowest = negative.first().copied().unwrap_or(0.0);
    let repaired = match (negative.is_empty(), method) {
        (true, _) => matrix.to_owned(),
        (_, Repair::Clip) => eigen.map(|v| v.max(0.0)),
        (_, Repair::Flip) => eigen.map(f64::abs),
        (_, Repair::Shift) => shifted(&symmetric, -lowest),
    };
    Ok(Repaired {
        change: (&repaired - &matrix).iter().map(|v| v * v).sum::<f64>().sqrt(),
        matrix: repaired,
        shift: if method == Repair::Shift { -lowest + 0.0 } else { 0.0 },
        negative_mass: negative.iter().map(|v| v.abs()).sum::<f64>() + 0.0,
        negative_count: negative.len(),
        eigenvalues: eigen.values,
    })
}

fn shifted(matrix: &Array2<f64>, shift: f64) -> Array2<f64> {
    let mut out = matrix.clone();
    out.diag_mut().mapv_inplace(|v| v + shift);
    out
}
