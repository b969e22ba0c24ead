//! Conditional independence tests (KCI).

mod dense;
mod regression;
mod relevance;
mod smoother;

use ndarray::{Array2, ArrayView2, Axis};

use self::regression::{Regressions, centered};
use self::smoother::RANK;
use super::TestOutcome;
use super::dependence::{Independence, IndependenceMethod};
use super::engine::{Enumeration, Resampling, resample};
use super::labels::{Matrices, SignForms};
use super::outcome::check_level;
use super::precomputed::{check_variable, variable};
use crate::error::MemoryPurpose;
use crate::gram::{self, Bound, Pairs};
use crate::measure::check_same_rows;
use crate::points::PointKind;
use crate::real::special::gamma_tail;
use crate::{Compute, Error, Kernel, Points, Result};

/// A test of `X ⫫ Y | Z` (kernel conditional independence, KCI).
///
/// # Formula
/// With centered matrices `K` of `(x, z/2)`, `L` of `y` and `M` of `z`, and `R = ε(M + εI)⁻¹`:
/// `Σᵢⱼ (RKR)ᵢⱼ(RLR)ᵢⱼ`, the inner product of the covariances of what ridge regression on `z`
/// leaves of the features of `(x, z)` and `y`. The columns are brought to mean 0 and variance 1
/// first.
///
/// # Theory
/// Zhang et al. (2011). Under the hypothesis the statistic is, in the limit, a quadratic form
/// `Σ εᵢεⱼAᵢⱼ`, `A = RKR ∘ RLR`, of independent variables: its distribution is approximated by a
/// gamma distribution with the moments of the normal ones, or resampled with random signs. Both are
/// approximations whose level depends on how well the regressions remove the influence of `z`; no
/// test of conditional independence has its level for all distributions [Shah, Peters 2020]. A
/// constant `Z` gives the unconditional test by [`Independence`] with the same method.
///
/// Residuals of regressions are shorter than the noise, and they are correlated. With `P = HR²H` of
/// one regression and `Q` of the other, noise of variance 1 gives the statistic the mean
/// `Σᵢⱼ PᵢⱼQᵢⱼ`, and the forms of random signs of its residuals the mean `Σᵢ PᵢᵢQᵢᵢ`: these are
/// multiplied by the ratio (`inflation` in the details; `n/(n − 1)` without any regression, as for
/// permutations). The gamma distribution is the published one, without it.
///
/// # Example
/// ```
/// use mercer::{Compute, Seed, hypothesis::ConditionalIndependence};
/// use ndarray::Array2;
/// let mut random = Seed(1).stream("example", 0);
/// let z = Array2::from_shape_fn((80, 1), |_| random.normal());
/// let x = z.mapv(|z| z + 0.3 * random.normal());
/// // y depends on z and on x.
/// let y = &z + &x.mapv(|x| 2.0 * x);
/// let outcome = ConditionalIndependence::default().test(&x, &y, &z, &Compute::new())?;
/// assert!(outcome.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalIndependence {
    /// The kernel of `(x, z/2)`, with the columns of `x` first; `None` for a Gaussian kernel with
    /// the median lengthscale.
    pub kernel_x: Option<Kernel>,
    /// The kernel of `y`; `None` likewise.
    pub kernel_y: Option<Kernel>,
    /// How the influence of `z` is removed.
    pub smoothing: ConditionalSmoothing,
    /// The method of the p-value.
    pub method: ConditionalMethod,
    /// How many vectors of signs are drawn.
    pub permutations: usize,
    /// The significance level.
    pub level: f64,
}

/// How the p-value of a conditional independence test is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionalMethod {
    /// The null distribution resampled with random signs.
    Permutation,
    /// Moments of a gamma distribution.
    Gamma,
}

/// How the regressions on `z` are made.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionalSmoothing {
    /// A Gaussian kernel; its lengthscale and the ridge of each regression by the least
    /// leave-one-out error, in closed form. Where `z` has several columns, kernels with a lengthscale
    /// per column take part, which maximize the likelihood of Gaussian processes for the leading
    /// features of `x` and `y`: one lengthscale for all columns cannot remove the influence of a few
    /// among many.
    LeaveOneOut,
    /// This kernel of `z` and this ridge `ε`, the same for both regressions.
    Fixed {
        /// The kernel of `z`.
        kernel: Kernel,
        /// `ε`.
        ridge: f64,
    },
}

impl Default for ConditionalIndependence {
    /// Gaussian kernels with median lengthscales, regressions by leave-one-out, 1999 vectors of
    /// signs, level 0.05.
    fn default() -> Self {
        Self {
            kernel_x: None,
            kernel_y: None,
            smoothing: ConditionalSmoothing::LeaveOneOut,
            method: ConditionalMethod::Permutation,
            permutations: 1999,
            level: 0.05,
        }
    }
}

impl ConditionalIndependence {
    /// Tests whether `x` and `y` are independent given `z`.
    ///
    /// Kernel values that were precomputed may stand for the points, with kernels over `precomputed()`
    /// for `x` and `y`. The kernel of `(x, z)` is then the product of the two; with
    /// [`ConditionalSmoothing::LeaveOneOut`] the ridges are chosen, and the kernel of `z` is as it was
    /// given.
    ///
    /// # Cost
    /// Up to 512 rows, `O(n³)` for each lengthscale and ridge that is tried. More rows take factors
    /// `M ≈ FFᵀ` of rank 512 or less where these leave out so little of every kernel matrix of `z` that
    /// `‖R − R_F‖ ≤ tr(M − FFᵀ)/ε ≤ 10⁻³` for the smallest ridge: `O(512 n²)` for each lengthscale, and the
    /// share of the trace that is left out is in the details (`left_out_x`, `left_out_y`). Where they
    /// leave out more, as with many columns, 512 random rows choose the lengthscales, the leave-one-out
    /// errors of 256 rows the ridges, and the regressions on all rows are exact: `n³/3` for each ridge
    /// and some `16n³` for the rest. Ten matrices of `n × n` and twelve of `n × 512`.
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of rows or fewer than 6, [`Error::Value`] for NaN and
    /// infinities, [`Error::Parameter`] for a level outside of (0, 1), no permutations or a ridge
    /// that is not positive, [`Error::Undetermined`] for a constant `x` or `y`, [`Error::Precomputed`]
    /// for kernel values without a kernel or that are not symmetric, [`Error::Memory`].
    ///
    /// # Example
    /// Variables known by their kernel values:
    /// ```
    /// use mercer::{Compute, Points, Seed, gram::{self, Pairs}, hypothesis::ConditionalIndependence};
    /// use ndarray::Array2;
    /// let (mut random, compute) = (Seed(1).stream("example", 0), Compute::new());
    /// let z = Array2::from_shape_fn((80, 1), |_| random.normal());
    /// let x = z.mapv(|z| z + 0.3 * random.normal());
    /// let y = &z + &x.mapv(|x| 2.0 * x);
    /// let k: mercer::Kernel = "gaussian()".parse()?;
    /// let values = |x: &Array2<f64>| gram::dense(&k.bind(Pairs::within(x.view()), &compute)?, &compute);
    /// let precomputed = Some("precomputed()".parse()?);
    /// let test = ConditionalIndependence { kernel_x: precomputed.clone(), kernel_y: precomputed, ..ConditionalIndependence::default() };
    /// let condition = values(&z)?;
    /// assert!(test.test(&values(&x)?, &values(&y)?, Points::Precomputed(condition.view()), &compute)?.reject);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test<'a, 'b, 'c>(
        &self,
        x: impl Into<Points<'a>>,
        y: impl Into<Points<'b>>,
        z: impl Into<Points<'c>>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        check_level(self.level)?;
        let (x, y) = (variable(self.kernel_x.as_ref(), x.into())?, variable(self.kernel_y.as_ref(), y.into())?);
        let z = z.into();
        let rows = (check_variable("first sample", x, 6)?, check_variable("second sample", y, 6)?);
        check_same_rows(&[("x", rows.0), ("y", rows.1), ("z", check_variable("condition", z, 6)?)])?;
        if let (Points::Precomputed(k), Points::Precomputed(l), Points::Precomputed(m)) = (x, y, z) {
            return self.test_values([k, l, m], compute);
        }
        let (Points::Vectors(first), Points::Vectors(second), Points::Vectors(condition)) = (x, y, z) else {
            return self.test_objects([x.reborrow(), y.reborrow(), z.reborrow()], compute);
        };
        if condition.axis_iter(Axis(0)).all(|row| row == condition.row(0)) {
            return self.without_condition().test(x, y, compute);
        }
        reserve(x.len(), self.eigenvectors(x.len()), self.search_bytes(x.len(), condition.ncols(), compute), compute)?;
        let (x, y, z) = (standardized(first), standardized(second), standardized(condition));
        let joint = ndarray::concatenate![Axis(1), x, z.mapv(|v| 0.5 * v)];
        let [x, y, z] = [&joint, &y, &z].map(|points| Pairs::within(points.view()));
        let median: Kernel = "gaussian(lengthscale=median)".parse()?;
        let kernel_x = self.kernel_x.as_ref().unwrap_or(&median).bind(x, compute)?;
        let kernel_y = self.kernel_y.as_ref().unwrap_or(&median).bind(y, compute)?;
        self.decide(self.products(&kernel_x, &kernel_y, z, compute)?, compute)
    }

    /// From the kernel values of the three variables.
    fn test_values(&self, [x, y, z]: [ArrayView2<'_, f64>; 3], compute: &Compute) -> Result<TestOutcome> {
        let precomputed = Kernel::default_for(PointKind::Precomputed)?;
        let (kernel_x, kernel_y) =
            (self.kernel_x.as_ref().unwrap_or(&precomputed), self.kernel_y.as_ref().unwrap_or(&precomputed));
        if z.iter().all(|v| *v == z[[0, 0]]) {
            return self.without_condition().test(Points::Precomputed(x), Points::Precomputed(y), compute);
        }
        reserve(x.nrows(), x.nrows(), 0, compute)?;
        let joint = gram::dense(&kernel_x.bind(Pairs::precomputed(x.view()), compute)?, compute)? * z;
        let kernel_x = precomputed.bind(Pairs::precomputed(joint.view()), compute)?;
        let kernel_y = kernel_y.bind(Pairs::precomputed(y.view()), compute)?;
        self.decide(self.products(&kernel_x, &kernel_y, Pairs::precomputed(z.view()), compute)?, compute)
    }

    /// From the kernel values of the three variables, each with its own kernel or that of its kind.
    fn test_objects(&self, [x, y, z]: [Points<'_>; 3], compute: &Compute) -> Result<TestOutcome> {
        reserve(x.len(), x.len(), 0, compute)?;
        let matrix = |kernel: Option<&Kernel>, points: Points<'_>| {
            let pairs = Pairs::Within(points.reborrow());
            let kernel = kernel.cloned().map_or_else(|| pairs.default_kernel(), Ok)?;
            gram::dense(&kernel.bind(pairs, compute)?, compute)
        };
        let (k, l) = (matrix(self.kernel_x.as_ref(), x)?, matrix(self.kernel_y.as_ref(), y)?);
        let precomputed = Some(Kernel::default_for(PointKind::Precomputed)?);
        let test = Self { kernel_x: precomputed.clone(), kernel_y: precomputed, ..self.clone() };
        test.test_values([k.view(), l.view(), matrix(None, z)?.view()], compute)
    }

    /// The eigenvectors of a matrix of this many rows that are used, at most.
    pub(super) fn eigenvectors(&self, rows: usize) -> usize {
        if self.smoothing == ConditionalSmoothing::LeaveOneOut { rows.min(RANK) } else { rows }
    }

    /// The bytes of the search for a lengthscale per column of the condition.
    pub(super) fn search_bytes(&self, rows: usize, columns: usize, compute: &Compute) -> u64 {
        let chosen = self.smoothing == ConditionalSmoothing::LeaveOneOut;
        if chosen && columns > 1 { relevance::bytes(rows, compute) } else { 0 }
    }

    /// The test without a condition.
    fn without_condition(&self) -> Independence {
        let method = match self.method {
            ConditionalMethod::Permutation => IndependenceMethod::Permutation,
            ConditionalMethod::Gamma => IndependenceMethod::Gamma,
        };
        Independence {
            kernel_x: self.kernel_x.clone(),
            kernel_y: self.kernel_y.clone(),
            method,
            permutations: self.permutations,
            level: self.level,
            ..Independence::default()
        }
    }

    /// `A = RKR ∘ RLR`, with what was chosen.
    fn products(&self, x: &Bound<'_>, y: &Bound<'_>, z: Pairs<'_>, compute: &Compute) -> Result<Products> {
        let (k, l) = (centered(x, compute)?, centered(y, compute)?);
        let found = Regressions::new([&k, &l], z, &self.smoothing, compute)?;
        let named =
            |names: [&str; 2], values: [f64; 2]| names.into_iter().map(str::to_string).zip(values).collect::<Vec<_>>();
        let mut details = named(["ridge_x", "ridge_y"], found.ridges());
        details.extend(found.left_out().into_iter().flat_map(|left| named(["left_out_x", "left_out_y"], left)));
        let [left, right] = found.kernels();
        let kernel = format!("{}, {}; given z: {left}, {right}", x.kernel(), y.kernel());
        let inflation = found.inflation(compute)?;
        let [left, right] = found.residuals([k, l], compute)?;
        Ok(Products { inflation, matrix: left * &right, kernel, details })
    }

    fn decide(&self, products: Products, compute: &Compute) -> Result<TestOutcome> {
        let Products { matrix, inflation, kernel, details } = products;
        let statistic = matrix.sum();
        let mean = matrix.diag().sum();
        let variance = 2.0 * matrix.iter().map(|v| v * v).sum::<f64>();
        if !(mean > 0.0 && variance > 0.0) {
            return Err(Error::undetermined(
                "the null distribution",
                "it has no spread: z determines x or y, or one of them is constant",
                "leave such columns out",
            ));
        }
        let mut outcome = match self.method {
            ConditionalMethod::Gamma => {
                let (shape, scale) = (mean * mean / variance, variance / mean);
                TestOutcome::new(
                    "gamma",
                    statistic,
                    gamma_tail(shape, statistic / scale),
                    self.level,
                    kernel,
                    compute.seed(),
                )
                .with_detail("null_mean", mean)
                .with_detail("null_variance", variance)
                .with_detail("shape", shape)
                .with_detail("scale", scale)
                .with_detail("effect", (statistic - mean) / variance.sqrt())
            }
            ConditionalMethod::Permutation => {
                // Symmetric to the last bit, as a matrix of given values has to be.
                let symmetric = (&matrix + &matrix.t()) * 0.5;
                let precomputed: Kernel = "precomputed()".parse()?;
                let bound = precomputed.bind(Pairs::precomputed(symmetric.view()), compute)?;
                let form = SignForms::new(Matrices::One(&bound), false, 1.0);
                let how = Resampling { enumeration: Enumeration::Never, ..Resampling::new(self.permutations) };
                let found = resample(&form, &how, compute)?.with_null_times(inflation);
                TestOutcome::of_resampled("wild bootstrap", &found, self.level, kernel, compute.seed())
                    .with_detail("inflation", inflation)
            }
        };
        outcome.details.extend(details);
        Ok(outcome)
    }
}

/// The bytes of ten matrices, and of twelve with as many columns as there are eigenvectors.
pub(super) fn matrix_bytes(n: usize, eigenvectors: usize) -> u64 {
    8 * (n as u64) * (10 * n as u64 + 12 * n.min(eigenvectors) as u64)
}

/// Reserves the matrices, and the bytes of a search for lengthscales.
fn reserve(n: usize, eigenvectors: usize, search: u64, compute: &Compute) -> Result<()> {
    let bytes = matrix_bytes(n, eigenvectors) + search;
    compute.reserve(
        MemoryPurpose::Test,
        "the matrices of a conditional test",
        bytes,
        "use fewer points or a higher memory limit",
    )
}

/// What the decision is made from.
struct Products {
    matrix: Array2<f64>,
    /// By how much the statistic is larger in the mean than the forms of random signs.
    inflation: f64,
    kernel: String,
    details: Vec<(String, f64)>,
}

/// Columns of mean 0 and variance 1 (divisor `n − 1`); a constant column becomes 0.
fn standardized(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let n = x.nrows() as f64;
    let mut scaled = x.to_owned();
    for mut column in scaled.columns_mut() {
        let mean = column.sum() / n;
        column.mapv_inplace(|v| v - mean);
        let spread = (column.iter().map(|v| v * v).sum::<f64>() / (n - 1.0)).sqrt();
        if spread > 0.0 {
            column.mapv_inplace(|v| v / spread);
        }
    }
    scaled
}
