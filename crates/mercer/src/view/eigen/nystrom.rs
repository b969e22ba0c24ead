//! Eigenpairs of Nyström features: the covariance of the features of all points.

use ndarray::{Array1, Array2, Axis, s};

use super::centered::{is_negative, rounding};
use super::plan::STRIP;
use super::{EigenEvidence, Projection};
use crate::features::{FeatureMap, Landmarks, Nystrom, NystromFeatures};
use crate::gram::{self, Pairs};
use crate::operator::products::{add_symmetric, mirror};
use crate::solve::symmetric_eigen;
use crate::{Compute, Kernel, Points, Result};

/// Which features are decomposed.
#[derive(Clone, Debug)]
pub(crate) struct NystromRequest<'r> {
    pub(crate) kernel: &'r Kernel,
    pub(crate) landmarks: Landmarks,
    /// Landmarks, at most.
    pub(crate) count: usize,
    /// Eigenpairs; all of the features where there is no number.
    pub(crate) components: Option<usize>,
}

/// The eigenpairs of the centered features, with the functions of new points.
///
/// # Formula
/// `C = Σ(zᵢ − z̄)(zᵢ − z̄)ᵀ = U diag(μ) Uᵀ` with `z(x) = Mᵀk(Z, x)`; the scores are
/// `Uᵀ(z(x) − z̄)`, so that `A = MU` and `b = −Uᵀz̄`, and the mean in ℋ is `Σ wₗφ(zₗ)` with
/// `w = Mz̄`.
#[derive(Clone, Debug)]
pub(crate) struct NystromEigen {
    /// Descending.
    pub(crate) values: Vec<f64>,
    /// `√μ⁻¹` times the scores of the points, a column each; 0 for an eigenvalue of 0.
    pub(crate) vectors: Array2<f64>,
    pub(crate) projection: Projection,
    /// `w`.
    pub(crate) mean_weights: Array1<f64>,
    /// `‖z̄‖²`.
    pub(crate) mean_square: f64,
    /// `Σ‖φ(xᵢ) − Σ wₗφ(zₗ)‖² = tr K − n‖z̄‖²`.
    pub(crate) trace: f64,
    pub(crate) rounding: f64,
    pub(crate) evidence: EigenEvidence,
}

impl NystromRequest<'_> {
    /// The eigenpairs.
    ///
    /// # Errors
    /// As [`Nystrom::fit`].
    pub(crate) fn solve(&self, x: Points<'_>, compute: &Compute) -> Result<NystromEigen> {
        let spec = Nystrom { landmarks: self.landmarks.clone(), ..Nystrom::new(self.kernel.clone(), self.count) };
        let map = spec.unmeasured(x, compute)?;
        let moments = Moments::of(&map, x, compute)?;
        let eigen = symmetric_eigen(moments.covariance.view(), compute)?;
        let rank = eigen.values.len();
        let kept = self.components.map_or(rank, |count| count.min(rank));
        let order: Vec<usize> = (rank - kept..rank).rev().collect();
        let rounding = rounding(x.len(), moments.diagonal.iter().copied());
        let directions = eigen.vectors.select(Axis(1), &order);
        let values: Vec<f64> = order.iter().map(|&j| eigen.values[j]).collect();
        let mut found = NystromEigen {
            vectors: Array2::zeros((x.len(), 0)),
            projection: Projection {
                kept: Default::default(),
                kernel: map.kernel().clone(),
                centers: map.landmarks().into(),
                coefficients: map.map().dot(&directions),
                offset: -directions.t().dot(&moments.mean),
            },
            mean_weights: map.map().dot(&moments.mean),
            mean_square: moments.mean.dot(&moments.mean),
            trace: moments.trace - x.len() as f64 * moments.mean.dot(&moments.mean),
            evidence: EigenEvidence {
                residual: 0.0,
                products: 0,
                landmarks: map.landmarks().len(),
                trace_missed: if moments.trace > 0.0 { moments.missed / moments.trace } else { 0.0 },
                smallest: None,
            },
            values,
            rounding,
        };
        found.take_vectors(x, compute)?;
        found.fill_up(self.components.map_or(kept, |count| count.min(x.len())));
        Ok(found)
    }
}

impl NystromEigen {
    /// The eigenvectors from the scores of the points, with their signs.
    fn take_vectors(&mut self, x: Points<'_>, compute: &Compute) -> Result<()> {
        self.vectors = self.projection.evaluate(x, compute)?;
        for (j, mut column) in self.vectors.columns_mut().into_iter().enumerate() {
            let root = if self.values[j] > self.rounding { self.values[j].sqrt() } else { f64::INFINITY };
            let sign = if is_negative(column.iter().copied()) { -1.0 } else { 1.0 };
            column /= sign * root;
            self.projection.coefficients.column_mut(j).mapv_inplace(|a| sign * a);
            self.projection.offset[j] *= sign;
        }
        Ok(())
    }

    /// As many components as requested: those beyond the features are 0.
    fn fill_up(&mut self, count: usize) {
        let widened = |matrix: &Array2<f64>| {
            let mut wide = Array2::zeros((matrix.nrows(), count));
            wide.slice_mut(s![.., ..matrix.ncols()]).assign(matrix);
            wide
        };
        if self.values.len() < count {
            self.vectors = widened(&self.vectors);
            self.projection.coefficients = widened(&self.projection.coefficients);
            let known = self.projection.offset.iter().copied();
            self.projection.offset = known.chain(std::iter::repeat(0.0)).take(count).collect();
            self.values.resize(count, 0.0);
        }
    }
}

/// Sums over the features of all points.
struct Moments {
    /// `z̄`.
    mean: Array1<f64>,
    /// `Σ(zᵢ − z̄)(zᵢ − z̄)ᵀ`.
    covariance: Array2<f64>,
    /// `k(xᵢ, xᵢ)`.
    diagonal: Vec<f64>,
    /// `tr K`.
    trace: f64,
    /// `tr(K − K̂)`.
    missed: f64,
}

impl Moments {
    /// In strips, so that the features of all points are never stored.
    fn of(map: &NystromFeatures, x: Points<'_>, compute: &Compute) -> Result<Self> {
        let (n, rank, quiet) = (x.len(), map.components(), compute.silent());
        let mut covariance = Array2::zeros((rank, rank));
        let (mut shift, mut sum) = (Array1::zeros(rank), Array1::<f64>::zeros(rank));
        let (mut diagonal, mut missed) = (Vec::with_capacity(n), 0.0);
        for start in (0..n).step_by(STRIP) {
            compute.check_canceled()?;
            compute.report("Nyström features", start as u64, n as u64);
            let part = x.part(start..n.min(start + STRIP));
            let mut z = map.transform(part.as_points(), &quiet)?;
            let own = map.kernel().bind(Pairs::Within(part.as_points()), &quiet)?.diagonal()?;
            missed += z.rows().into_iter().zip(&own).map(|(z, k)| (k - z.dot(&z)).max(0.0)).sum::<f64>();
            diagonal.extend(own);
            // Far from 0 the squares of a mean would cancel: the mean of the first strip goes
            // first.
            if start == 0 {
                shift = z.mean_axis(Axis(0)).unwrap_or(shift);
            }
            z -= &shift;
            sum += &z.sum_axis(Axis(0));
            let columns = z.t().as_standard_layout().into_owned();
            add_symmetric(&mut covariance, &columns, &columns, compute)?;
        }
        compute.report("Nyström features", n as u64, n as u64);
        mirror(&mut covariance);
        let rest = sum / n.max(1) as f64;
        let outer = rest.view().insert_axis(Axis(1)).dot(&rest.view().insert_axis(Axis(0)));
        covariance.scaled_add(-(n as f64), &outer);
        let trace = gram::sum(&diagonal);
        Ok(Self { mean: shift + rest, covariance, diagonal, trace, missed })
    }
}
