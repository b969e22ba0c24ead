//! Residuals of a feature space after ridge regression on `z`: `RKR` with `R = ε(M + εI)⁻¹`.

use std::sync::Arc;

use ndarray::{Array1, Array2, Axis, concatenate};

use super::ConditionalSmoothing;
use super::dense::{self, DenseRegression};
use super::relevance;
use super::smoother::{RANK, Smoother, Weighted};
use crate::error::AllowedRange;
use crate::gram::{Bound, MetricKind, Pairs, Tiles, median_distance};
use crate::hypothesis::orders::centered as stored;
use crate::hypothesis::precomputed::check_symmetric;
use crate::measure::{Centering, row_sums};
use crate::operator::products::{add_symmetric, mirror, multiply};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Lengthscales that are tried, in multiples of the median distance.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Ridges that are tried, in multiples of the largest eigenvalue.
pub(super) const RIDGES: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0];

/// The regressions of two variables on `z`.
pub(super) enum Regressions {
    /// In eigenvectors of the kernel matrix of `z`.
    Eigen([Regression; 2]),
    /// Of many rows, by Cholesky factors.
    Dense([DenseRegression; 2]),
}

impl Regressions {
    /// Few rows take all eigenvectors; many take those of low-rank factors where these are accurate,
    /// Cholesky factors otherwise.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a ridge that is not positive; as the factorizations.
    pub(super) fn new(
        targets: [&Array2<f64>; 2],
        z: Pairs<'_>,
        smoothing: &ConditionalSmoothing,
        compute: &Compute,
    ) -> Result<Self> {
        match smoothing {
            ConditionalSmoothing::Fixed { ridge, .. } if !(ridge.is_finite() && *ridge > 0.0) => {
                Err(Error::parameter("ridge", ridge, AllowedRange::POSITIVE))
            }
            ConditionalSmoothing::Fixed { kernel, ridge } => fixed(&kernel.bind(z, compute)?, *ridge, compute),
            ConditionalSmoothing::LeaveOneOut => least_errors(targets, z, compute),
        }
    }

    /// The ridges.
    pub(super) fn ridges(&self) -> [f64; 2] {
        match self {
            Self::Eigen(both) => [both[0].ridge, both[1].ridge],
            Self::Dense(both) => [both[0].ridge, both[1].ridge],
        }
    }

    /// The kernels of `z`.
    pub(super) fn kernels(&self) -> [&Kernel; 2] {
        match self {
            Self::Eigen(both) => [&both[0].smoother.kernel, &both[1].smoother.kernel],
            Self::Dense(both) => [&both[0].kernel, &both[1].kernel],
        }
    }

    /// What low-rank factors leave out of the trace of the kernel matrices of `z`.
    pub(super) fn left_out(&self) -> Option<[f64; 2]> {
        match self {
            Self::Eigen([left, right]) if !left.smoother.complete => {
                Some([left.smoother.left_out, right.smoother.left_out])
            }
            _ => None,
        }
    }

    /// `RKR` of both variables.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn residuals(&self, [k, l]: [Array2<f64>; 2], compute: &Compute) -> Result<[Array2<f64>; 2]> {
        Ok(match self {
            Self::Eigen([left, right]) => [left.residual(k, compute)?, right.residual(l, compute)?],
            Self::Dense([left, right]) => [left.residual(&k, compute)?, right.residual(&l, compute)?],
        })
    }

    /// `Σᵢⱼ PᵢⱼQᵢⱼ/Σᵢ PᵢᵢQᵢᵢ` for `P = HR²H` of one regression and `Q` of the other.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn inflation(&self, compute: &Compute) -> Result<f64> {
        match self {
            Self::Eigen([left, right]) => inflation(left, right, compute),
            Self::Dense([left, right]) => dense::inflation(left, right, compute),
        }
    }
}

/// Both regressions with one kernel of `z` and one ridge.
fn fixed(bound: &Bound<'_>, ridge: f64, compute: &Compute) -> Result<Regressions> {
    let both = |smoother: Smoother| {
        let smoother = Arc::new(smoother);
        Regressions::Eigen([(); 2].map(|()| Regression { smoother: smoother.clone(), ridge, error: f64::NAN }))
    };
    if let Some(smoother) = Smoother::for_ridge(bound, ridge, compute)? {
        return Ok(both(smoother));
    }
    if bound.shape().0 > RANK
        && let Some(left) = DenseRegression::new(bound, ridge, compute)?
    {
        let right = left.clone();
        return Ok(Regressions::Dense([left, right]));
    }
    Ok(both(Smoother::whole(bound, compute)?))
}

/// The regressions with the least leave-one-out errors. Where many rows have no accurate factors of
/// low rank, some rows choose the lengthscales, and all of them are regressed with the ridges.
fn least_errors(targets: [&Array2<f64>; 2], z: Pairs<'_>, compute: &Compute) -> Result<Regressions> {
    let kernels = candidates(targets, z, compute)?;
    let whole = |bound: &Bound<'_>| Smoother::whole(bound, compute).map(Some);
    let many = targets[0].nrows() > RANK;
    if many {
        let factors = |bound: &Bound<'_>| Smoother::for_ridges(bound, RIDGES[0], compute);
        if let Some(found) = chosen(&kernels, z, targets, &factors, compute)? {
            return Ok(Regressions::Eigen(found));
        }
        let kernels = if kernels.len() == 1 {
            [kernels[0].clone(), kernels[0].clone()]
        } else {
            lengthscales(&kernels, z, targets, compute)?
        };
        if let Some(found) = dense::chosen(targets, z, &kernels, compute)? {
            return Ok(Regressions::Dense(found));
        }
        super::reserve(targets[0].nrows(), targets[0].nrows(), 0, compute)?;
    }
    let found = chosen(&kernels, z, targets, &whole, compute)?;
    found.map(Regressions::Eigen).ok_or_else(|| Error::too_few("the regression on z", "lengthscales", 1, 0))
}

/// The kernels of the regressions on [`RANK`] random rows with the least leave-one-out errors.
fn lengthscales(
    kernels: &[Kernel],
    z: Pairs<'_>,
    targets: [&Array2<f64>; 2],
    compute: &Compute,
) -> Result<[Kernel; 2]> {
    let mut rows = compute.seed().stream("rows of lengthscales", 0).permutation(targets[0].nrows());
    rows.truncate(RANK);
    let points = Sample::select(z.rows().reborrow(), &rows);
    let some = targets.map(|target| centered_part(target, &rows));
    let whole = |bound: &Bound<'_>| Smoother::whole(bound, compute).map(Some);
    let found = chosen(kernels, Pairs::Within(points.as_points()), [&some[0], &some[1]], &whole, compute)?;
    let [left, right] = found.ok_or_else(|| Error::too_few("the regression on z", "lengthscales", 1, 0))?;
    Ok([left.smoother.kernel.clone(), right.smoother.kernel.clone()])
}

/// The values among some points, centered anew.
pub(super) fn centered_part(target: &Array2<f64>, rows: &[usize]) -> Array2<f64> {
    let part = target.select(Axis(0), rows).select(Axis(1), rows);
    let sums: Vec<f64> = part.rows().into_iter().map(|row| row.sum()).collect();
    let centering = Centering::double(&sums);
    Array2::from_shape_fn(part.dim(), |(i, j)| centering.value(i, j, part[[i, j]]))
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
        let column = fitted.view().insert_axis(Axis(1));
        let scaled = inner * &fitted * column;
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
fn inflation(left: &Regression, right: &Regression, compute: &Compute) -> Result<f64> {
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

/// How the eigenvectors of a kernel matrix of `z` are found; `None` where they are not.
type Eigenvectors<'a> = dyn Fn(&Bound<'_>) -> Result<Option<Smoother>> + 'a;

/// The regressions with the least leave-one-out errors of some kernels of `z`, all of which have
/// eigenvectors.
fn chosen(
    kernels: &[Kernel],
    z: Pairs<'_>,
    targets: [&Array2<f64>; 2],
    eigenvectors: &Eigenvectors<'_>,
    compute: &Compute,
) -> Result<Option<[Regression; 2]>> {
    let mut best: [Option<Regression>; 2] = [None, None];
    for kernel in kernels {
        compute.check_canceled()?;
        let Some(smoother) = eigenvectors(&kernel.bind(z, compute)?)? else { return Ok(None) };
        let smoother = Arc::new(smoother);
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
    let [left, right] = best;
    Ok(left.zip(right).map(|(left, right)| [left, right]))
}

/// Gaussian kernels around the median distance, and for several columns those with a lengthscale per
/// column that suit the two variables; of precomputed values there is one kernel, and only the ridge
/// is chosen.
fn candidates(targets: [&Array2<f64>; 2], z: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let Pairs::Within(Points::Vectors(points)) = z else { return Ok(vec!["precomputed()".parse()?]) };
    let median = median_distance(points, MetricKind::SquaredEuclidean, compute)?;
    let mut kernels: Vec<Kernel> =
        MULTIPLES.iter().map(|multiple| Kernel::gaussian(multiple * median)).collect::<Result<_>>()?;
    if points.ncols() > 1 {
        for target in targets {
            kernels.extend(relevance::kernel(target, points, median, compute)?);
        }
    }
    Ok(kernels)
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
        let whole = Smoother::whole(&bound, &compute).unwrap();
        let projected = Projected::new(&whole, &target, &compute).unwrap();
        let found = projected.leave_one_out(&whole, &whole.weighted(ridge, &compute).unwrap());
        assert_close!(found, expected, 1e-10);
        let factors = Smoother::of_factors(&bound, n, 0.0, &compute).unwrap();
        let projected = Projected::new(&factors, &target, &compute).unwrap();
        let found = projected.leave_one_out(&factors, &factors.weighted(ridge, &compute).unwrap());
        assert_close!(found, expected, 1e-9);
    }

    /// Factors of low rank, Cholesky factors and all eigenvectors give the same residuals.
    #[test]
    fn all_ways_give_the_same_regression() {
        let compute = Compute::new();
        let (z, x, y) = (normal(530, 1, 3), normal(530, 1, 4), normal(530, 1, 5));
        let kernels = || [matrix("gaussian()", &(&x + &z)), matrix("gaussian()", &(&y + &z))];
        let [k, l] = kernels();
        let m = matrix("gaussian()", &z);
        let with = |text: &str, pairs: Pairs<'_>| {
            let smoothing = ConditionalSmoothing::Fixed { kernel: text.parse().unwrap(), ridge: 0.5 };
            Regressions::new([&k, &l], pairs, &smoothing, &compute).unwrap()
        };
        let factors = with("gaussian()", Pairs::within(z.view()));
        // Nothing is known of given values.
        let dense = with("precomputed()", Pairs::precomputed(m.view()));
        assert!(factors.left_out().is_some() && matches!(dense, Regressions::Dense(_)));
        let bound: Kernel = "gaussian()".parse().unwrap();
        let bound = bound.bind(Pairs::within(z.view()), &compute).unwrap();
        let smoother = Arc::new(Smoother::whole(&bound, &compute).unwrap());
        let whole = Regression { smoother, ridge: 0.5, error: f64::NAN };
        let whole = Regressions::Eigen([whole.clone(), whole]);
        let expected = whole.residuals(kernels(), &compute).unwrap();
        for found in [&factors, &dense] {
            assert_close!(found.inflation(&compute).unwrap(), whole.inflation(&compute).unwrap(), 1e-8);
            for (found, expected) in found.residuals(kernels(), &compute).unwrap().iter().zip(&expected) {
                assert_close!(found, expected, each = 1e-8);
            }
        }
    }
}
