//! Every λ from one decomposition in the features of a kernel with few: time linear in the rows.

use ndarray::{Array1, Array2, Axis, s};

use super::finite_rank::{SMALLEST, centered};
use super::problem::Problem;
use super::spectrum::AtLambda;
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::gram::Pairs;
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::{Solved, solve_positive, symmetric_eigen};
use crate::{Compute, Kernel, Points, Result};

/// Rows from which features are tried: matrices of fewer are decomposed in a millisecond.
const ROWS: usize = 96;
/// Rows per feature from which they are taken. A path by them takes about `9p³ + 4np²` operations,
/// one by a band `8n³/3`.
const ROWS_PER_FEATURE: usize = 4;
/// The smallest `λGᵢᵢ` that is the difference of numbers near 1 with some right digits.
const ALONE: f64 = 1e-8;
/// Refinements of every solution: each removes what the subtraction in `(r − Bw)/λ` lost.
const REFINEMENTS: usize = 2;

/// `SKS = ZZᵀ` on the complement of the unpenalized functions, `Z̃ = (I − QQᵀ)Z`: with
/// `Z̃ᵀZ̃ = V diag(d) Vᵀ` and `B = Z̃V`,
/// `G = (I − QQᵀ − B diag(1/(d + λ)) Bᵀ)/λ`.
pub(crate) struct FeatureSpectrum {
    values: Array1<f64>,
    /// The geometric mean of the traces of `ZᵀZ` and `Z̃ᵀZ̃`.
    scale: f64,
    /// `B`.
    rotated: Array2<f64>,
    /// `Q`.
    null: Array2<f64>,
    /// `(I − QQᵀ)Sy`.
    targets: Array2<f64>,
    /// The diagonal of `QQᵀ`.
    lengths: Array1<f64>,
}

/// Rows of `[Q | B]` that are held out together, and their products.
pub(crate) struct HeldOutRows {
    rows: Vec<usize>,
    both: Array2<f64>,
    gram: Array2<f64>,
}

impl FeatureSpectrum {
    /// The spectrum, where the kernel has few features beside the rows and there is room.
    pub(crate) fn new(problem: &Problem<'_>, x: Points<'_>, compute: &Compute) -> Result<Option<Self>> {
        let n = problem.rows();
        let Some(count) = feature_count(problem, x).filter(|p| are_few(*p, n)) else { return Ok(None) };
        let null = problem.null_space.q.clone();
        let wide = (count + null.ncols()) as u64;
        if 8 * (3 * n as u64 * wide + 8 * wide * wide) > compute.memory() {
            return Ok(None);
        }
        let (features, _, scale) = centered(features(problem, x, count, compute)?, problem, compute)?;
        let gram = multiply_transposed(features.view(), features.view(), compute)?;
        let eigen = symmetric_eigen(gram.view(), compute)?;
        let rotated = multiply(features.view(), eigen.vectors.view(), compute)?;
        let targets = &problem.targets - &null.dot(&null.t().dot(&problem.targets));
        let lengths = (&null * &null).sum_axis(Axis(1));
        let values = eigen.values.into_iter().map(|d| d.max(0.0)).collect();
        Ok(Some(Self { values, scale, rotated, null, targets, lengths }))
    }

    /// `c` and `diag G` for one λ: `O(np)` for `p` features. `None` where too few digits are left: λ is
    /// too small beside the features, or a row nearly determines its own fitted value.
    pub(crate) fn at(&self, lambda: f64) -> Option<AtLambda> {
        if lambda <= SMALLEST * self.scale {
            return None;
        }
        let filter = self.values.mapv(|d| 1.0 / (d + lambda));
        let by_feature = filter.view().insert_axis(Axis(1));
        let solve = |right: &Array2<f64>| {
            let weights = self.rotated.t().dot(right) * by_feature;
            (right - &self.rotated.dot(&weights)) / lambda
        };
        let mut dual = solve(&self.targets);
        for _ in 0..REFINEMENTS {
            let left = self.rotated.dot(&self.rotated.t().dot(&dual)) + &dual * lambda;
            dual += &solve(&(&self.targets - &left));
        }
        dual -= &self.null.dot(&self.null.t().dot(&dual));
        let leverage = |row: ndarray::ArrayView1<f64>| row.iter().zip(&filter).map(|(b, f)| b * b * f).sum::<f64>();
        let rows = self.rotated.rows().into_iter().zip(&self.lengths);
        let free: Array1<f64> = rows.map(|(row, length)| 1.0 - length - leverage(row)).collect();
        let rank = free.len() - self.null.ncols();
        free.iter().all(|&v| v > ALONE).then(|| AtLambda::regular(dual, free / lambda, rank))
    }

    /// The bytes of this and of so many folds: their rows, and a product for each.
    pub(crate) fn held_out_bytes(&self, folds: usize) -> u64 {
        let (n, wide) = (self.rotated.nrows() as u64, (self.rotated.ncols() + self.null.ncols()) as u64);
        8 * (2 * n * wide + (folds as u64).saturating_mul(wide * wide))
    }

    /// Prepares folds for [`Self::residuals`].
    pub(crate) fn held_out(&self, folds: &[Vec<usize>], compute: &Compute) -> Result<Vec<HeldOutRows>> {
        let prepare = |rows: &Vec<usize>| {
            compute.check_canceled()?;
            let free = self.null.ncols();
            let mut both = Array2::zeros((rows.len(), free + self.rotated.ncols()));
            both.slice_mut(s![.., ..free]).assign(&self.null.select(Axis(0), rows));
            both.slice_mut(s![.., free..]).assign(&self.rotated.select(Axis(0), rows));
            let gram = multiply_transposed(both.view(), both.view(), compute)?;
            Ok(HeldOutRows { rows: rows.clone(), both, gram })
        };
        folds.iter().map(prepare).collect()
    }

    /// The sum of squares of the scaled residuals of all folds, NaN when a fold leaves the unpenalized
    /// part undetermined.
    ///
    /// # Formula
    /// `(G_FF)⁻¹ = λ(I + W(M − WᵀW)⁻¹Wᵀ)` with the rows `W` of `[Q | B]` and
    /// `M = diag(1, …, d + λ, …)`.
    pub(crate) fn residuals(&self, dual: &Array2<f64>, lambda: f64, folds: &[HeldOutRows]) -> Result<f64> {
        let mut sum = 0.0;
        for HeldOutRows { rows, both, gram } in folds {
            let mut inner = gram.mapv(|v| -v);
            let free = self.null.ncols();
            inner.diag_mut().slice_mut(s![..free]).mapv_inplace(|v| v + 1.0);
            inner.diag_mut().slice_mut(s![free..]).zip_mut_with(&self.values, |v, d| *v += d + lambda);
            let part = dual.select(Axis(0), rows);
            let found = solve_positive(inner.view(), both.t().dot(&part).view())?;
            if found.solved != Solved::Cholesky {
                return Ok(f64::NAN);
            }
            sum += (part + both.dot(&found.solution)).iter().map(|v| (lambda * v).powi(2)).sum::<f64>();
        }
        Ok(sum)
    }
}

/// Whether the paths of a kernel with so many features are found in them.
fn are_few(count: usize, rows: usize) -> bool {
    rows >= ROWS && rows / ROWS_PER_FEATURE >= count
}

/// Bytes and operations of a path in the features of a kernel that has few on these points.
///
/// # Errors
/// As [`Kernel::bind`].
pub(crate) fn path_in_features(kernel: &Kernel, x: Points<'_>, compute: &Compute) -> Result<Option<(u64, f64)>> {
    let count = match x {
        Points::Vectors(x) => super::finite_rank::rank(kernel, x.ncols()),
        _ if kernel.has_features_on(x.kind()) => {
            kernel.bind(Pairs::Within(x), compute)?.features().map(|(rows, _)| rows.width)
        }
        _ => None,
    };
    let n = x.len();
    Ok(count.filter(|p| are_few(*p, n)).map(|count| {
        let (bytes, p) = (8 * count as u64 * (3 * n as u64 + 8 * count as u64), count as f64);
        (bytes, 9.0 * p.powi(3) + 4.0 * n as f64 * p * p)
    }))
}

/// The number of features of the kernel on these points, where they are finitely many.
fn feature_count(problem: &Problem<'_>, x: Points<'_>) -> Option<usize> {
    match x {
        Points::Vectors(x) => super::finite_rank::rank(problem.bound.kernel(), x.ncols()),
        _ => problem.bound.features().map(|(rows, _)| rows.width),
    }
}

fn features(problem: &Problem<'_>, x: Points<'_>, count: usize, compute: &Compute) -> Result<Array2<f64>> {
    if let Points::Vectors(x) = x {
        return ExplicitFeatures::new(problem.bound.kernel().clone(), x.ncols())?.transform(x, compute);
    }
    let mut all = Array2::zeros((problem.rows(), count));
    if let Some((rows, _)) = problem.bound.features() {
        for (i, mut line) in all.rows_mut().into_iter().enumerate() {
            let (columns, values) = rows.row(i);
            columns.iter().zip(values).for_each(|(&column, value)| line[column as usize] += value);
        }
    }
    Ok(all)
}
