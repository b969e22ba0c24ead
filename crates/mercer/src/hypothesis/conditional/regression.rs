//! Residuals of a feature space after ridge regression on `z`: `RKR` with `R = ε(M + εI)⁻¹`.

use std::sync::Arc;

use ndarray::{Array1, Array2, Axis, concatenate};

use super::ConditionalSmoothing;
use super::smoother::{Smoother, Weighted};
use crate::error::AllowedRange;
use crate::gram::{Bound, MetricKind, Pairs, median_distance};
use crate::hypothesis::orders::centered as stored;
use crate::hypothesis::precomputed::check_symmetric;
use crate::measure::{Centering, row_sums};
use crate::solve::products::{add_symmetric, mirror, multiply};
use crate::{Compute, Error, Kernel, Points, Result};

/// Lengthscales that are tried, in multiples of the median distance.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Ridges that are tried, in multiples of the largest eigenvalue.
const RIDGES: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0];

/// The regressions of two variables on `z`.
///
/// # Errors
/// [`Error::Parameter`] for a ridge that is not positive; as the factorizations.
pub(super) fn regressions(
    targets: [&Array2<f64>; 2],
    z: Pairs<'_>,
    smoothing: &ConditionalSmoothing,
    compute: &Compute,
) -> Result<[Regression; 2]> {
    let ConditionalSmoothing::Fixed { kernel, ridge } = smoothing else { return chosen(z, targets, compute) };
    if !(ridge.is_finite() && *ridge > 0.0) {
        return Err(Error::parameter("ridge", ridge, AllowedRange::POSITIVE));
    }
    let smoother = Arc::new(Smoother::for_ridge(&kernel.bind(z, compute)?, *ridge, compute)?);
    Ok([(); 2].map(|()| Regression { smoother: smoother.clone(), ridge: *ridge, error: f64::NAN }))
}

/// A ridge regression on `z`.
#[derive(Clone)]
pub(super) struct Regression {
    pub(super) smoother: Arc<Smoother>,
    /// `ε`.
    pub(super) ridge: f64,
    /// The leave-one-out error by which it was chosen.
    error: f64,
}

impl Regression {
    /// `RKR`. With `D = I − ε(Λ + ε)⁻¹` it is `K − UDUᵀK − KUDUᵀ + UDUᵀKUDUᵀ`.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn residual(&self, target: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let Projected { images, inner, .. } = Projected::new(&self.smoother, &target, compute)?;
        let (vectors, shrinkage) = (&self.smoother.vectors, self.smoother.shrinkage(self.ridge));
        if self.smoother.complete {
            let shrunk = vectors * &shrinkage;
            return multiply(multiply(shrunk.view(), inner.view(), compute)?.view(), shrunk.t(), compute);
        }
        let fitted = shrinkage.mapv(|s| 1.0 - s);
        let scaled = inner * &fitted * &fitted.view().insert_axis(Axis(1));
        let sides = multiply(vectors.view(), scaled.view(), compute)? * 0.5 - images * &fitted;
        let both = |a: &Array2<f64>, b: &Array2<f64>| concatenate![Axis(1), a.view(), b.view()];
        let mut matrix = target;
        add_symmetric(&mut matrix, &both(vectors, &sides), &both(&sides, vectors), compute)?;
        mirror(&mut matrix);
        Ok(matrix)
    }
}

/// `Σᵢⱼ PᵢⱼQᵢⱼ/Σᵢ PᵢᵢQᵢᵢ` for `P = HR²H = R² − 11ᵀ/n` of one regression (`R1 = 1`) and `Q` of the
/// other.
///
/// # Errors
/// [`Error::Canceled`].
pub(super) fn inflation(left: &Regression, right: &Regression, compute: &Compute) -> Result<f64> {
    let squares = |r: &Regression| r.smoother.shrinkage(r.ridge).mapv(|s| s * s);
    let (p, q) = (squares(left), squares(right));
    let own = left.smoother.diagonal(&p).dot(&right.smoother.diagonal(&q));
    let mut shared = multiply(left.smoother.vectors.t(), right.smoother.vectors.view(), compute)?;
    shared.mapv_inplace(|v| v * v);
    let all = if left.smoother.complete && right.smoother.complete {
        p.dot(&shared.dot(&q)) - 1.0
    } else {
        // P = I − 11ᵀ/n − U(1 − p)Uᵀ.
        let (p, q) = (p.mapv(|v| 1.0 - v), q.mapv(|v| 1.0 - v));
        left.smoother.vectors.nrows() as f64 - 1.0 - p.sum() - q.sum() + p.dot(&shared.dot(&q))
    };
    Ok(if own > 0.0 { all / own } else { 1.0 })
}

/// The regressions with the least leave-one-out errors.
fn chosen(z: Pairs<'_>, targets: [&Array2<f64>; 2], compute: &Compute) -> Result<[Regression; 2]> {
    let mut best: [Option<Regression>; 2] = [None, None];
    for kernel in candidates(z, compute)? {
        compute.check_canceled()?;
        let smoother = Arc::new(Smoother::new(&kernel.bind(z, compute)?, compute)?);
        let projected =
            [Projected::new(&smoother, targets[0], compute)?, Projected::new(&smoother, targets[1], compute)?];
        for best in &mut best {
            best.get_or_insert_with(|| Regression {
                smoother: smoother.clone(),
                ridge: smoother.largest(),
                error: f64::INFINITY,
            });
        }
        for ridge in RIDGES.map(|ridge| ridge * smoother.largest()) {
            let weighted = smoother.weighted(ridge, compute)?;
            for (best, projected) in best.iter_mut().flatten().zip(&projected) {
                let error = projected.leave_one_out(&smoother, &weighted);
                if error < best.error {
                    *best = Regression { smoother: smoother.clone(), ridge, error };
                }
            }
        }
    }
    match best {
        [Some(left), Some(right)] => Ok([left, right]),
        _ => Err(Error::too_few("the regression on z", "lengthscales", 1, 0)),
    }
}

/// Gaussian kernels around the median distance; of given values there is one kernel, and only the
/// ridge is chosen.
fn candidates(z: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let Pairs::Within(Points::Vectors(points)) = z else { return Ok(vec!["precomputed()".parse()?]) };
    let median = median_distance(points, MetricKind::SquaredEuclidean, compute)?;
    MULTIPLES.iter().map(|multiple| Kernel::gaussian(multiple * median)).collect()
}

/// A variable in the eigenvectors of `z`.
struct Projected {
    /// `KU`.
    images: Array2<f64>,
    /// `UᵀKU`.
    inner: Array2<f64>,
    /// `Kᵢᵢ`.
    diagonal: Array1<f64>,
}

impl Projected {
    fn new(smoother: &Smoother, target: &Array2<f64>, compute: &Compute) -> Result<Self> {
        let images = multiply(target.view(), smoother.vectors.view(), compute)?;
        let inner = multiply(smoother.vectors.t(), images.view(), compute)?;
        Ok(Self { images, inner, diagonal: target.diag().to_owned() })
    }

    /// `Σᵢ (RKR)ᵢᵢ/(Rᵢᵢ − 1/n)²`: the squared errors in the feature space of predictions without the
    /// point itself. Means are predictions too: without `1/n`, a point would be known from the sum
    /// of the centered others, which is minus its own features.
    fn leave_one_out(&self, smoother: &Smoother, weighted: &Weighted) -> f64 {
        let Weighted { shrinkage, weights, products } = weighted;
        let form = |factors: &Array1<f64>| factors.dot(&(&self.inner * products).dot(factors));
        if smoother.complete {
            return form(shrinkage);
        }
        let fitted = shrinkage.mapv(|s| 1.0 - s);
        let crossed = (&smoother.vectors * &self.images).t().dot(weights);
        weights.dot(&self.diagonal) - 2.0 * crossed.dot(&fitted) + form(&fitted)
    }
}

/// `HKH`, stored.
pub(super) fn centered(bound: &Bound<'_>, compute: &Compute) -> Result<Array2<f64>> {
    check_symmetric(bound)?;
    let centering = Centering::double(&row_sums(bound, compute)?);
    stored(bound, &centering, compute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::solve::symmetric_eigen;

    fn normal(n: usize, d: usize, which: u64) -> Array2<f64> {
        let mut random = Seed(which).stream("normal", 0);
        Array2::from_shape_fn((n, d), |_| random.normal())
    }

    fn matrix(text: &str, x: &Array2<f64>) -> Array2<f64> {
        let (kernel, compute): (Kernel, _) = (text.parse().unwrap(), Compute::new());
        centered(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
    }

    /// Predictions without a point, one after the other, in the features of a linear kernel: the
    /// mean and the ridge regression of the others.
    #[test]
    fn the_leave_one_out_error_is_that_of_predictions_without_the_point() {
        let (n, ridge, compute) = (12, 0.7, Compute::new());
        let (z, x) = (normal(n, 2, 1), normal(n, 2, 2));
        let mut expected = 0.0;
        for i in 0..n {
            let others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            // Means without the point change the mean of the ridge penalty, not its sum: the
            // intercept is not penalized.
            let design = concatenate![Axis(1), Array2::ones((n, 1)), z.view()];
            let some = design.select(Axis(0), &others);
            let mut normal_matrix = some.t().dot(&some);
            (1..3).for_each(|a| normal_matrix[[a, a]] += ridge);
            let inverse = symmetric_eigen(normal_matrix.view(), &compute).unwrap().map(|v| 1.0 / v);
            let coefficients = inverse.dot(&some.t().dot(&x.select(Axis(0), &others)));
            let error = &x.row(i) - &design.row(i).dot(&coefficients);
            expected += error.dot(&error);
        }
        let kernel: Kernel = "linear()".parse().unwrap();
        let bound = kernel.bind(Pairs::within(z.view()), &compute).unwrap();
        let target = matrix("linear()", &x);
        let factors = Smoother::for_ridge(&bound, ridge, &compute).unwrap();
        let projected = Projected::new(&factors, &target, &compute).unwrap();
        let found = projected.leave_one_out(&factors, &factors.weighted(ridge, &compute).unwrap());
        assert_close!(found, expected, 1e-10);
    }

    /// Factors that leave nothing out give what all eigenvectors give.
    #[test]
    fn factors_and_eigenvectors_give_the_same_regression() {
        let compute = Compute::new();
        let (z, x, y) = (normal(700, 1, 3), normal(700, 1, 4), normal(700, 1, 5));
        let targets = [matrix("gaussian()", &(&x + &z)), matrix("gaussian()", &(&y + &z))];
        let with = |text: &str| {
            // A sum with nothing is the same matrix without a proof: all eigenvectors.
            let m = matrix("gaussian()", &z);
            let kernel: Kernel = text.parse().unwrap();
            let pairs = if text == "gaussian()" { Pairs::within(z.view()) } else { Pairs::precomputed(m.view()) };
            let smoothing = ConditionalSmoothing::Fixed { kernel, ridge: 0.5 };
            let [left, right] = regressions([&targets[0], &targets[1]], pairs, &smoothing, &compute).unwrap();
            let matrices = [&left, &right].map(|r| r.smoother.complete);
            let residual = left.residual(targets[0].clone(), &compute).unwrap();
            (matrices, inflation(&left, &right, &compute).unwrap(), residual)
        };
        let (low, whole) = (with("gaussian()"), with("precomputed()"));
        assert_eq!((low.0, whole.0), ([false; 2], [true; 2]));
        assert_close!(low.1, whole.1, 1e-9);
        assert_close!(&low.2, &whole.2, each = 1e-9);
    }
}
