//! How far components are from Gaussian, by kernel density estimates.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::grid::Grid;
use crate::error::AllowedRange;
use crate::{Compute, Error, Points, Result};

/// `½ log 2πe`, the entropy of a standard Gaussian variable.
const GAUSSIAN_ENTROPY: f64 = 1.418_938_533_204_672_7;
/// `E log cosh ν` for a standard Gaussian variable ν.
const GAUSSIAN_LOG_COSH: f64 = 0.374_567_207_477;
/// The variance of `log cosh ν` without its projection on polynomials of degree 2.
const LOG_COSH_VARIANCE: f64 = 0.006_327_866_991;
/// β, the weight of `log cosh`: more is better for components near a Gaussian, less for mixtures of
/// many modes.
///
/// It was chosen with the default lengthscale on the 18 densities of Bach and Jordan, 150 draws of 250
/// rows and 100 of 1000, with other seeds than those of `docs/views.md`. Mean Amari errors times 100
/// for β = 1, 2, 3 were 5.9, 6.1, 6.5 and 2.6, 2.7, 2.7, beside 15.0 and 9.2 of FastICA; from β = 2 on
/// no density was worse than with FastICA by more than 1.5 standard errors.
const WEIGHT: f64 = 2.0;
/// The smallest lengthscale: the grid of `n` values has up to `16√n/ℓ` nodes.
const SMALLEST: f64 = 1e-3;
/// What is added to densities, so that the logarithm of one far from all points is finite. Not tuned.
const FLOOR: f64 = 1e-9;

/// The negentropy contrast of components, a column each, scaled to mean 0 and variance 1.
///
/// # Formula
/// `−Σ_j [J_j + β(M_j − E log cosh ν)²/(2δ²)]` with β = 2. `J_j` is the negentropy
/// `½ log 2πe + (1/n)Σ_a log p_j(y_aj)` by a kernel density estimate of variance 1,
/// `p_j(t) = (1/n)Σ_b φ_ℓ(t − √(1 − ℓ²) y_bj)` with the density `φ_ℓ` of a Gaussian variable of standard
/// deviation ℓ. `M_j` is the mean of `log cosh y_aj`, ν is Gaussian, and `δ² = 0.00633` is the variance of
/// `log cosh ν` beside polynomials of degree 2, with which the second term without β is an estimate of
/// the same negentropy [Hyvärinen 1998].
///
/// # Theory
/// The mutual information of uncorrelated components of variance 1 is the sum of their entropies and
/// a constant, which no rotation changes: the least dependent components are those farthest from
/// Gaussian. At independent components the derivative by every rotation is 0 in the limit, whatever
/// ℓ and β. Density estimates see every shape [Chen and Bickel 2006]; of components that are
/// nearly Gaussian `log cosh`, the function of FastICA, has the smaller variance.
///
/// # Cost
/// `O(n)` for each component. Sums of kernels are computed on a grid of `ℓ/8`, to about five digits.
///
/// # Errors
/// [`Error::Parameter`] for a lengthscale below 0.001 or from 1 on, [`Error::TooFew`] without rows
/// or columns, [`Error::Value`] for NaN and infinities, [`Error::AllEqual`] for a constant column.
///
/// # Example
/// ```
/// use mercer::view::ica::negentropy_contrast;
/// use ndarray::array;
/// // Two values: p(1) = ½φ(1 − c) + ½φ(1 + c) with c = √(1 − ℓ²).
/// let (l, c) = (0.6_f64, 0.8_f64);
/// let phi = |t: f64| (-t * t / (2.0 * l * l)).exp() / (l * (2.0 * std::f64::consts::PI).sqrt());
/// let j = 1.418_938_533 + (0.5 * phi(1.0 - c) + 0.5 * phi(1.0 + c)).ln();
/// let m = 1.0_f64.cosh().ln() - 0.374_567_207;
/// let expected = -(j + 2.0 * m * m / (2.0 * 0.006_327_867));
/// let found = negentropy_contrast(array![[5.0], [7.0]].view(), 0.6)?;
/// mercer::assert_close!(found, expected, 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn negentropy_contrast(y: ArrayView2<f64>, lengthscale: f64) -> Result<f64> {
    check_lengthscale(lengthscale)?;
    let (rows, columns) = y.dim();
    if rows == 0 || columns == 0 {
        let what = if rows == 0 { "rows" } else { "components" };
        return Err(Error::too_few("a contrast", what, 1, 0));
    }
    Points::Vectors(y).check_finite("components")?;
    let mut sum = 0.0;
    for (j, column) in y.columns().into_iter().enumerate() {
        sum += value(standardized(column, j)?.view(), lengthscale);
    }
    Ok(sum)
}

/// The contrast of columns of mean 0 and variance 1.
pub(super) fn contrast(y: ArrayView2<f64>, lengthscale: f64, compute: &Compute) -> f64 {
    compute.map_tasks(y.ncols(), |j| value(y.column(j), lengthscale)).iter().sum()
}

/// The same with its gradient by the values.
pub(super) fn with_gradient(y: ArrayView2<f64>, lengthscale: f64, compute: &Compute) -> (f64, Array2<f64>) {
    let found = compute.map_tasks(y.ncols(), |j| value_and_slope(y.column(j), lengthscale));
    let mut gradient = Array2::zeros(y.dim());
    for (mut column, (_, slope)) in gradient.columns_mut().into_iter().zip(&found) {
        column.assign(slope);
    }
    (found.iter().map(|(value, _)| value).sum(), gradient)
}

/// A lengthscale below 1, as the estimate has the variance 1 of a component, and not so small that the
/// grid is long.
pub(super) fn check_lengthscale(lengthscale: f64) -> Result<()> {
    if (SMALLEST..1.0).contains(&lengthscale) {
        return Ok(());
    }
    if lengthscale > 0.0 && lengthscale < 1.0 {
        return Err(Error::parameter("lengthscale", lengthscale, "at least 0.001"));
    }
    Err(Error::parameter("lengthscale", lengthscale, AllowedRange::OPEN_UNIT))
}

fn standardized(column: ArrayView1<f64>, j: usize) -> Result<Array1<f64>> {
    let n = column.len() as f64;
    let mean = column.iter().map(|v| v / n).sum::<f64>();
    let centered = column.mapv(|v| v - mean);
    let largest = centered.fold(0.0_f64, |most, v| most.max(v.abs()));
    if largest <= 4.0 * f64::EPSILON * mean.abs() {
        return Err(Error::all_equal("the contrast", format!("values of column {j}"), "leave the column out"));
    }
    let scaled = centered / largest;
    let deviation = (scaled.dot(&scaled) / n).sqrt();
    Ok(scaled / deviation)
}

/// Log densities at the values, and what the gradient needs of them.
struct Estimate {
    grid: Grid,
    density: Vec<f64>,
    negentropy: f64,
    shrink: f64,
}

impl Estimate {
    fn new(y: ArrayView1<f64>, lengthscale: f64) -> Self {
        let (n, shrink) = (y.len() as f64, (1.0 - lengthscale * lengthscale).sqrt());
        let mut grid = Grid::over(y, lengthscale);
        y.iter().for_each(|&v| grid.add(shrink * v, 1.0 / n));
        let density = grid.smoothed();
        let negentropy = GAUSSIAN_ENTROPY + y.iter().map(|&v| (grid.at(&density, v) + FLOOR).ln()).sum::<f64>() / n;
        Self { grid, density, negentropy, shrink }
    }
}

/// `M − E log cosh ν`.
fn log_cosh_excess(y: ArrayView1<f64>) -> f64 {
    // log cosh t = |t| + log(1 + e^{−2|t|}) − log 2.
    let of = |t: f64| t.abs() + (-2.0 * t.abs()).exp().ln_1p() - std::f64::consts::LN_2;
    y.iter().map(|&v| of(v)).sum::<f64>() / y.len() as f64 - GAUSSIAN_LOG_COSH
}

fn value(y: ArrayView1<f64>, lengthscale: f64) -> f64 {
    let excess = log_cosh_excess(y);
    -(Estimate::new(y, lengthscale).negentropy + WEIGHT * excess * excess / (2.0 * LOG_COSH_VARIANCE))
}

/// The value of one component and its gradient.
///
/// # Formula
/// With `c = √(1 − ℓ²)`, `n dJ/dy_a = p'(y_a)/p(y_a) + c q'(cy_a)` with `q(t) = (1/n)Σ_b φ_ℓ(t − y_b)/p(y_b)`.
fn value_and_slope(y: ArrayView1<f64>, lengthscale: f64) -> (f64, Array1<f64>) {
    let n = y.len() as f64;
    let Estimate { mut grid, density, negentropy, shrink } = Estimate::new(y, lengthscale);
    let excess = log_cosh_excess(y);
    let value = -(negentropy + WEIGHT * excess * excess / (2.0 * LOG_COSH_VARIANCE));
    let inverse: Vec<f64> = y.iter().map(|&v| 1.0 / (grid.at(&density, v) + FLOOR)).collect();
    grid.clear();
    y.iter().zip(&inverse).for_each(|(&v, inverse)| grid.add(v, inverse / n));
    let others = grid.smoothed();
    let by_mean = WEIGHT * excess / LOG_COSH_VARIANCE;
    let slope = |(&v, inverse): (&f64, &f64)| {
        let own = grid.slope_at(&density, v) * inverse + shrink * grid.slope_at(&others, shrink * v);
        -(own + by_mean * v.tanh()) / n
    };
    (value, y.iter().zip(&inverse).map(slope).collect())
}
