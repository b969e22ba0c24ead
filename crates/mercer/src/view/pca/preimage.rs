//! Pre-images: points whose scores are given ones.

use ndarray::{Array1, Array2, ArrayView2};

use super::{KernelPcaFit, fixed_point};
use crate::gram::Pairs;
use crate::{Compute, Error, Points, Result};

/// How a pre-image is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preimage {
    /// The nearest point in ℋ by a fixed point iteration, for Gaussian kernels.
    FixedPoint(FixedPoint),
    /// The value of a ridge regression of the points of the data on their scores, with the penalty
    /// `α`, for any kernel that takes the scores: see [`InverseMap`](super::InverseMap).
    Ridge {
        /// `α ≥ 0`.
        alpha: f64,
    },
}

/// When the fixed point iteration stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// Points of the data from which it starts, at most: the nearest in ℋ first, the next ones only
    /// where the iteration breaks down or does not converge.
    pub starts: usize,
    /// Stop when a step is at most this part of the spread of the data.
    pub tolerance: f64,
    /// Steps from a starting point.
    pub max_iterations: usize,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self { starts: 5, tolerance: 1e-8, max_iterations: 500 }
    }
}

/// Pre-images with the evidence for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Preimages {
    /// A point per row of scores.
    pub points: Array2<f64>,
    /// `‖φ(z) − P‖²` in ℋ: how far the image of the point is from the element with these scores.
    pub squared_distances: Array1<f64>,
    /// Steps of the fixed point iteration, over all starting points; 0 for a ridge regression.
    pub iterations: Vec<usize>,
    /// Whether the iteration converged. Where it did not, the point is the best that was seen.
    pub converged: Vec<bool>,
}

impl KernelPcaFit {
    /// Points in the input space whose images in ℋ are near the elements with these scores.
    ///
    /// # Formula
    /// `P = m + Σⱼ sⱼuⱼ = Σᵢ γᵢφ(xᵢ)` with `γ = As + w`, `w` the weights of the mean (`1/n`). The
    /// fixed point is `z ← Σ γᵢk(z, xᵢ)xᵢ / Σ γᵢk(z, xᵢ)` (Mika et al. 1998).
    ///
    /// # Theory
    /// For a Gaussian kernel `‖φ(z) − P‖² = k(z, z) − 2Σ γᵢk(z, xᵢ) + ‖P‖²` has its stationary
    /// points where `z` is the fixed point. There may be several; the iteration starts from the
    /// points of the data that are nearest to `P`.
    ///
    /// # Cost
    /// One kernel value per step, row of scores and point of the data.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] or [`Error::Precomputed`] unless the points are vectors,
    /// [`Error::Shape`] for another number of columns than components, [`Error::Value`] for scores
    /// that are not finite, [`Error::Unsupported`] for the fixed point of another kernel than a
    /// Gaussian one, [`Error::Parameter`] for options out of range; as
    /// [`KernelPcaFit::inverse_map`](super::KernelPcaFit::inverse_map).
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::pca::{FixedPoint, KernelPca, Preimage}};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let x = array![[0.0], [1.0], [3.0]];
    /// let fit = KernelPca::new("gaussian()".parse()?, None).fit(x.view(), &compute)?;
    /// // With all components the image of a point is its own projection.
    /// let method = Preimage::FixedPoint(FixedPoint::default());
    /// let found = fit.preimage(fit.scores().view(), method, &compute)?;
    /// mercer::assert_close!(found.points, x, each = 1e-6);
    /// mercer::assert_close!(found.squared_distances, [0.0; 3], each = 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn preimage(&self, scores: ArrayView2<f64>, method: Preimage, compute: &Compute) -> Result<Preimages> {
        self.points().vectors()?;
        self.check_scores(scores)?;
        match method {
            Preimage::FixedPoint(options) => fixed_point::preimages(self, scores, &options, compute),
            Preimage::Ridge { alpha } => {
                let stored = self.inverse().filter(|map| map.alpha() == alpha);
                let points = match stored {
                    Some(map) => map.transform(scores, compute)?,
                    None => self.inverse_map(alpha, compute)?.transform(scores, compute)?,
                };
                let squared_distances = self.squared_distances(points.view(), scores, compute)?;
                let rows = points.nrows();
                Ok(Preimages { points, squared_distances, iterations: vec![0; rows], converged: vec![true; rows] })
            }
        }
    }

    fn check_scores(&self, scores: ArrayView2<f64>) -> Result<()> {
        if scores.ncols() != self.components() {
            let expected = format!("one per component ({})", self.components());
            return Err(Error::shape("columns of the scores", expected, scores.ncols()));
        }
        Points::Vectors(scores).check_finite("scores")
    }

    /// `‖P‖²` of elements with these scores: `‖s‖² + 2⟨Σ sⱼuⱼ, m⟩ + ‖m‖²`, where `⟨uⱼ, m⟩ = −bⱼ`.
    pub(super) fn squared_norms(&self, scores: ArrayView2<f64>) -> Array1<f64> {
        let norm = |s: ndarray::ArrayView1<f64>| s.dot(&s) - 2.0 * s.dot(&self.offset()) + self.mean.square;
        scores.rows().into_iter().map(norm).collect()
    }

    /// `‖φ(z) − P‖²` for points and elements with scores.
    fn squared_distances(
        &self,
        points: ArrayView2<f64>,
        scores: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let diagonal = self.kernel().bind(Pairs::within(points), compute)?.diagonal()?;
        let (own, means) = self.scores_and_means(points.into(), compute)?;
        let inner = |i: usize| scores.row(i).dot(&(&own.row(i) - &self.offset())) + means[i];
        let norms = self.squared_norms(scores);
        Ok((0..points.nrows()).map(|i| (diagonal[i] - 2.0 * inner(i) + norms[i]).max(0.0)).collect())
    }
}
