//! The system of a Newton step on a part of the sample, as preconditioner of the whole.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::basis::CenterBasis;
use crate::error::Remedy;
use crate::gram::{self, Pairs};
use crate::operator::products::{add_symmetric, mirror};
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Kernel, Points, Precision, Result, Sample};

/// Rows of the sample whose products are added at a time.
const STRIP: usize = 1024;

/// The features `L⁻¹k(Z, xᵢ)` of some rows of the sample, one column each.
pub(super) struct Part {
    pub(super) rows: Vec<usize>,
    features: Array2<f64>,
    /// The number of rows of the sample per row used.
    share: f64,
    /// The share of `tr K` on these rows that the centers miss.
    pub(super) missed: f64,
}

impl Part {
    /// This many rows, drawn from the seed; all of them in their order where they are not more.
    pub(super) fn new(
        kernel: &Kernel,
        basis: &CenterBasis,
        x: Points<'_>,
        count: usize,
        compute: &Compute,
    ) -> Result<Self> {
        let n = x.len();
        let mut rows = compute.seed().stream("preconditioner", 0).permutation(n);
        rows.truncate(count);
        rows.sort_unstable();
        let chosen = Sample::select(x, &rows);
        let exact = &compute.clone().with_precision(Precision::Double);
        let cross =
            gram::dense(&kernel.bind(Pairs::Between(basis.points.as_points(), chosen.as_points()), exact)?, exact)?;
        let share = n as f64 / rows.len().max(1) as f64;
        let features = basis.features(cross.view(), compute)?;
        let diagonal = kernel.bind(Pairs::Within(chosen.as_points()), compute)?.diagonal()?;
        Ok(Self { rows, missed: missed(diagonal.view(), &features), features, share })
    }

    /// The factor of `share·Z_SᵀD_SZ_S + penalty·I`, with a constant as last unknown where there is
    /// an intercept.
    pub(super) fn factor(
        &self,
        curvatures: ArrayView1<f64>,
        penalty: f64,
        intercept: bool,
        compute: &Compute,
    ) -> Result<CholeskyFactor> {
        let weights = self.weights(curvatures);
        let (matrix, sums) = self.products(&weights, compute)?;
        if !intercept {
            return factor_of(matrix, penalty, compute);
        }
        let m = sums.len();
        let mut bordered = Array2::zeros((m + 1, m + 1));
        bordered.slice_mut(s![..m, ..m]).assign(&matrix);
        bordered.slice_mut(s![m, ..m]).assign(&sums);
        bordered.slice_mut(s![..m, m]).assign(&sums);
        bordered[[m, m]] = weights.sum();
        factor_of(bordered, penalty, compute)
    }

    fn weights(&self, curvatures: ArrayView1<f64>) -> Array1<f64> {
        self.rows.iter().map(|&i| self.share * curvatures[i]).collect()
    }

    /// `FDFᵀ` and `FD1`, strip by strip so that no second copy of the features is made.
    fn products(&self, weights: &Array1<f64>, compute: &Compute) -> Result<(Array2<f64>, Array1<f64>)> {
        let m = self.features.nrows();
        let mut matrix = Array2::zeros((m, m));
        let strips = self.features.axis_chunks_iter(Axis(1), STRIP).zip(weights.axis_chunks_iter(Axis(0), STRIP));
        for (features, weights) in strips {
            add_symmetric(&mut matrix, &(&features * &weights), &features.to_owned(), compute)?;
        }
        mirror(&mut matrix);
        Ok((matrix, self.features.dot(weights)))
    }
}

/// `1 − Σ‖zᵢ‖²/Σk(xᵢ, xᵢ)`, without the rounding of single points.
fn missed(diagonal: ArrayView1<f64>, features: &Array2<f64>) -> f64 {
    let seen = features.columns().into_iter().map(|z| z.dot(&z));
    let left: f64 = diagonal.iter().zip(seen).map(|(k, z)| (k - z).max(0.0)).sum();
    if diagonal.sum() > 0.0 { left / diagonal.sum() } else { 0.0 }
}

/// The factor of `A + penalty·I`.
fn factor_of(mut matrix: Array2<f64>, penalty: f64, compute: &Compute) -> Result<CholeskyFactor> {
    let size = matrix.nrows() as f64;
    matrix.diag_mut().mapv_inplace(|d| d + penalty);
    match factor(matrix, compute)? {
        Factored::Definite(factor) => Ok(factor),
        Factored::Singular(mut matrix) => {
            // λ is below rounding beside the rest: the preconditioner need not be exact.
            let largest = matrix.diag().iter().fold(0.0_f64, |a, b| a.max(*b));
            matrix.diag_mut().mapv_inplace(|d| d + 1e-12 * largest * size);
            match factor(matrix, compute)? {
                Factored::Definite(factor) => Ok(factor),
                Factored::Singular(_) => Err(Error::singular("the preconditioner", Remedy::larger("lambda"))),
            }
        }
    }
}
