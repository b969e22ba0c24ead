//! The eigendecomposition of a ridge problem: every λ from one decomposition, and the minimum-norm
//! solution at λ = 0.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::problem::Problem;
use super::solution::{Influence, RidgeMethod, Solution, gcv};
use crate::solve::symmetric_eigen;
use crate::{Compute, Result};

/// A diagonal entry of a projector below this counts as 0.
const NEGLIGIBLE: f64 = 1e-10;

/// `SKS` on the complement of the unpenalized functions, `(I − QQᵀ)SKS(I − QQᵀ) = U diag(d) Uᵀ`, so
/// that `G = U diag(1/(d + λ)) Uᵀ`.
pub(crate) struct RidgeSpectrum {
    values: Array1<f64>,
    vectors: Array2<f64>,
    /// `UᵀSy`.
    coordinates: Array2<f64>,
    /// `SKSQ`.
    image: Array2<f64>,
    largest: f64,
}

/// `c` and the diagonal of `G` at one λ, with the parts that belong to directions in which the
/// matrix is singular.
pub(crate) struct AtLambda {
    pub(crate) dual: Array2<f64>,
    pub(super) gain: Array1<f64>,
    /// `Nz` and `diag N`, for the projector `N` on those directions.
    pub(super) singular: Option<(Array2<f64>, Array1<f64>)>,
    pub(super) rank: usize,
    pub(super) threshold: f64,
}

impl RidgeSpectrum {
    /// Decomposes `SKS`.
    pub(crate) fn new(matrix: Array2<f64>, problem: &Problem<'_>, compute: &Compute) -> Result<Self> {
        let q = &problem.null_space.q;
        let image = matrix.dot(q);
        let n = matrix.nrows();
        let kept = n - q.ncols();
        let eigen = symmetric_eigen(project(matrix, q, &image).0.view(), compute)?;
        let values = Array1::from(eigen.values).slice(s![..kept]).to_owned();
        let vectors = eigen.vectors.slice_move(s![.., ..kept]);
        let coordinates = vectors.t().dot(&problem.targets);
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        Ok(Self { values, vectors, coordinates, image, largest })
    }

    /// `U`, one column per direction.
    pub(crate) fn vectors(&self) -> ArrayView2<'_, f64> {
        self.vectors.view()
    }

    /// `1/(d + λ)`, and 0 where that is singular to working precision.
    pub(crate) fn filter(&self, lambda: f64) -> Array1<f64> {
        let threshold = self.threshold(lambda);
        self.values.mapv(|d| if (d + lambda).abs() > threshold { 1.0 / (d + lambda) } else { 0.0 })
    }

    fn threshold(&self, lambda: f64) -> f64 {
        self.vectors.nrows() as f64 * f64::EPSILON * (self.largest + lambda)
    }

    /// `c` and `diag G` for one λ: `O(n²)`.
    pub(crate) fn at(&self, lambda: f64) -> AtLambda {
        let filter = self.filter(lambda);
        let rank = filter.iter().filter(|f| **f != 0.0).count();
        let null = filter.mapv(|f| f64::from(u8::from(f == 0.0)));
        let singular = (rank < filter.len()).then(|| self.weighted(&null));
        let (dual, gain) = self.weighted(&filter);
        AtLambda { dual, gain, singular, rank, threshold: self.threshold(lambda) }
    }

    /// `U diag(f) Uᵀz` and the diagonal of `U diag(f) Uᵀ`.
    fn weighted(&self, filter: &Array1<f64>) -> (Array2<f64>, Array1<f64>) {
        let product = self.vectors.dot(&(&self.coordinates * &filter.view().insert_axis(Axis(1))));
        let diagonal =
            self.vectors.rows().into_iter().map(|u| u.iter().zip(filter).map(|(u, f)| u * u * f).sum()).collect();
        (product, diagonal)
    }

    /// The whole answer for one λ.
    pub(super) fn solution(&self, lambda: f64, problem: &Problem<'_>, diagnostics: bool) -> Result<Solution> {
        let at = self.at(lambda);
        // SPβ is what of z − SKSc lies along Q; λc has no part there.
        let gamma = problem.null_space.q.t().dot(&problem.targets) - self.image.t().dot(&at.dual);
        let null = problem.null_space.coefficients(&gamma);
        let mut residual = &at.dual * lambda;
        if let Some((part, _)) = &at.singular {
            residual += part;
        }
        let influence = diagnostics.then(|| at.influence(lambda, &problem.roots));
        let smallest = self.values.iter().fold(f64::INFINITY, |m, d| m.min((d + lambda).abs()));
        let condition = if self.values.is_empty() { 1.0 } else { (self.largest + lambda) / smallest };
        // Half of the digits: rounding makes eigenvalues negative by far less.
        let negative = self.values.iter().map(|d| d + lambda).find(|d| *d < -f64::EPSILON.sqrt() * self.largest);
        let condition = Some(condition);
        let method = at.method();
        Ok(Solution { null, residual, influence, condition, negative, method, dual: at.dual, feature_weights: None })
    }
}

impl AtLambda {
    /// Of a matrix that is definite to working precision.
    pub(super) fn regular(dual: Array2<f64>, gain: Array1<f64>, rank: usize) -> Self {
        Self { dual, gain, singular: None, rank, threshold: 0.0 }
    }

    /// Whether the regularized matrix is definite to working precision.
    pub(crate) fn is_regular(&self) -> bool {
        self.singular.is_none()
    }

    fn method(&self) -> RidgeMethod {
        match self.singular {
            None => RidgeMethod::Eigen,
            Some(_) => RidgeMethod::MinimumNorm { rank: self.rank, threshold: self.threshold },
        }
    }

    /// The influence, in the limit `λ → 0` where the matrix is singular: `(G z)ᵢ/Gᵢᵢ → (Nz)ᵢ/Nᵢᵢ`
    /// where `Nᵢᵢ > 0`.
    pub(crate) fn influence(&self, lambda: f64, roots: &Array1<f64>) -> Influence {
        let regular = Influence::new(lambda, &self.dual, &self.gain, roots);
        let Some((part, diagonal)) = &self.singular else { return regular };
        let mut limit = regular;
        for (i, &share) in diagonal.iter().enumerate().filter(|(_, d)| **d > NEGLIGIBLE) {
            limit.hat[i] -= share;
            limit.leave_one_out.row_mut(i).assign(&(&part.row(i) / share));
        }
        if diagonal.iter().zip(roots).any(|(d, s)| *d > NEGLIGIBLE && *s > 0.0) {
            limit.gcv = gcv(part, diagonal, roots);
        }
        limit
    }
}

/// `(I − QQᵀ)B(I − QQᵀ) + τQQᵀ` and `τ > ‖B‖`: the directions of `Q` come last in ascending order.
/// `image` is `BQ`.
pub(super) fn project(matrix: Array2<f64>, q: &Array2<f64>, image: &Array2<f64>) -> (Array2<f64>, f64) {
    if q.ncols() == 0 {
        return (matrix, 0.0);
    }
    let norm = matrix.rows().into_iter().map(|r| r.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    let shift = 2.0 * norm + f64::MIN_POSITIVE;
    // B − QHᵀ − HQᵀ with H = BQ − ½Q(QᵀBQ) − ½τQ.
    let half = image - &(q.dot(&(q.t().dot(image) * 0.5))) - &(q * (0.5 * shift));
    let mut projected = matrix;
    projected -= &q.dot(&half.t());
    projected -= &half.dot(&q.t());
    (projected, shift)
}
