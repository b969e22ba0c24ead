//! The centers, in coordinates in which the norm of ℋ is that of ℝᵐ.

use ndarray::{Array1, Array2, ArrayView2};

use crate::gram::{self, Pairs};
use crate::operator::{Doubled, Operator, RowMap, Tiled, check_rows};
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Kernel, Precision, Result, Sample};

/// The jitter of single precision, as a part of the largest kernel value.
const SINGLE_JITTER: f64 = 1e-6;

/// `K_ZZ + εI = LLᵀ`: `w = Lᵀα` has `‖w‖² = ‖f‖² + ε‖α‖²`.
pub(super) struct CenterBasis {
    pub(super) points: Sample,
    pub(super) factor: CholeskyFactor,
    /// `ε`: 0 unless `K_ZZ` is singular to the precision of the tiles.
    pub(super) jitter: f64,
}

impl CenterBasis {
    pub(super) fn new(kernel: &Kernel, points: Sample, compute: &Compute) -> Result<Self> {
        let exact = &compute.clone().with_precision(Precision::Double);
        let mut matrix = gram::dense(&kernel.bind(Pairs::Within(points.as_points()), exact)?, exact)?;
        let m = points.len() as f64;
        let largest = matrix.diag().iter().fold(0.0_f64, |a, b| a.max(*b));
        if largest <= 0.0 {
            return Err(Error::all_zero(
                format!("value of {kernel} at the centers"),
                "choose other centers or another kernel",
            ));
        }
        // Directions in which kernel values of single precision are rounding must not be blown up.
        let single = compute.precision() == Precision::SingleTiles;
        let (mut jitter, mut added) = (if single { SINGLE_JITTER * largest } else { 0.0 }, 0.0);
        loop {
            matrix.diag_mut().mapv_inplace(|d| d + (jitter - added));
            added = jitter;
            match factor(matrix, compute)? {
                Factored::Definite(factor) => return Ok(Self { points, factor, jitter }),
                Factored::Singular(back) => matrix = back,
            }
            jitter = if jitter == 0.0 { 4.0 * m * f64::EPSILON * largest } else { 10.0 * jitter };
            if jitter > 1e-4 * largest {
                return Err(Error::singular(
                    format!("the matrix of {kernel} at the centers"),
                    "use fewer centers, or a kernel that is positive semi-definite",
                ));
            }
        }
    }

    pub(super) fn count(&self) -> usize {
        self.points.len()
    }

    /// `α = L⁻ᵀw`.
    pub(super) fn coefficients(&self, w: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.factor.half_solve_transposed(w, compute)
    }

    /// `L⁻¹v`: sums of kernel values as sums of features.
    pub(super) fn features(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.factor.half_solve(v, compute)
    }
}

/// The features `Z = K_nm L⁻ᵀ` of points, whose inner products are those of ℋ.
pub(super) struct CenterFeatures<'p> {
    /// `K_nm`.
    pub(super) matrix: Tiled<'p>,
    pub(super) basis: &'p CenterBasis,
    pub(super) compute: &'p Compute,
}

impl Operator for CenterFeatures<'_> {
    fn shape(&self) -> (usize, usize) {
        self.matrix.shape()
    }

    fn apply(&self, w: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(w, self.shape().1)?;
        self.matrix.apply(self.basis.coefficients(w, self.compute)?.view())
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.basis.features(self.matrix.apply_transposed(v)?.view(), self.compute)
    }

    fn double(&self, w: ArrayView2<f64>, map: &RowMap<'_>) -> Result<Doubled> {
        check_rows(w, self.shape().1)?;
        let doubled = self.matrix.double(self.basis.coefficients(w, self.compute)?.view(), map)?;
        let backward = self.basis.features(doubled.backward.view(), self.compute)?;
        Ok(Doubled { forward: doubled.forward, backward })
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "features of centers", "", "use products with unit vectors"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Points;
    use crate::operator::testing::assert_conforms;

    #[test]
    fn features_of_centers_are_their_matrix() {
        let compute = Compute::new();
        let kernel: Kernel = "matern(nu=5/2)".parse().unwrap();
        let x = Array2::from_shape_fn((90, 2), |(i, j)| ((2 * i + j) as f64).sin());
        let centers = Sample::select(Points::Vectors(x.view()), &[0, 7, 20, 41, 66]);
        let basis = CenterBasis::new(&kernel, centers, &compute).unwrap();
        let between = Pairs::Between(Points::Vectors(x.view()), basis.points.as_points());
        let bound = kernel.bind(between, &compute).unwrap();
        let k = gram::dense(&bound, &compute).unwrap();
        // Z = K L⁻ᵀ, whose rows are L⁻¹k(Z, xᵢ).
        let dense = basis.factor.half_solve(k.t(), &compute).unwrap().reversed_axes();
        for matrix in [Tiled::new(&bound, &compute), Tiled::stored(&bound, &compute).unwrap()] {
            let features = CenterFeatures { matrix, basis: &basis, compute: &compute };
            assert_conforms("features of centers", &features, &dense.as_standard_layout().to_owned(), 1e-12);
        }
    }
}
