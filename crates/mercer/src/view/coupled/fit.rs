//! A fitted coupled embedding.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::decompose::Mode;
use super::neighbors::{Matches, nearest};
use super::solve::Solution;
use crate::gram::{self, KeptCenters};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// A fitted [`CoupledEmbedding`](super::CoupledEmbedding).
#[derive(Clone, Debug)]
pub struct CoupledFit {
    pub(super) low: Side,
    pub(super) high: Side,
    pub(super) eigenvalues: Array1<f64>,
    pub(crate) settings: Settings,
}

/// The functions of one mode.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) kernel: Kernel,
    /// The points that carry the functions.
    pub(super) points: Sample,
    /// Their weights, a column per component.
    pub(super) coefficients: Array2<f64>,
    /// The coordinates of the points of the fit.
    pub(super) embedding: Array2<f64>,
    /// Directions in which the kernel matrix is nearly 0.
    pub(super) null: usize,
    pub(super) kept: KeptCenters,
}

impl Side {
    fn new(mode: Mode, embedding: Array2<f64>, coefficients: Array2<f64>) -> Self {
        Self {
            kernel: mode.kernel,
            points: mode.points,
            null: mode.null,
            coefficients,
            embedding,
            kept: KeptCenters::default(),
        }
    }

    fn transform(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        if x.is_empty() {
            return Ok(Array2::zeros((0, self.coefficients.ncols())));
        }
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        gram::multiply(&bound, self.coefficients.view(), compute)
    }
}

impl CoupledFit {
    pub(super) fn new(modes: [Mode; 2], solution: Solution, settings: Settings) -> Self {
        let [low, high] = modes;
        let ([of_low, of_high], [low_weights, high_weights]) = (solution.embedding, solution.coefficients);
        Self {
            low: Side::new(low, of_low, low_weights),
            high: Side::new(high, of_high, high_weights),
            eigenvalues: solution.values,
            settings,
        }
    }

    /// The coordinates of low points, one row each. For a kernel over `precomputed()` row `i` of `x`
    /// holds the values of the new point `i` with every low point of the fit.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn transform_low<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.low.transform(x.into(), compute)
    }

    /// The coordinates of high points, one row each; as [`CoupledFit::transform_low`].
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn transform_high<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.high.transform(x.into(), compute)
    }

    /// The `k` points of a gallery of high points that are nearest to each low point.
    ///
    /// # Cost
    /// `O(n_low · n_gallery · components)` beside the coordinates.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `k` is from 1 to the size of the gallery; as [`Kernel::bind`].
    pub fn matches<'x>(
        &self,
        low: impl Into<Points<'x>>,
        gallery: impl Into<Points<'x>>,
        k: usize,
        compute: &Compute,
    ) -> Result<Matches> {
        let (low, gallery) = (self.transform_low(low, compute)?, self.transform_high(gallery, compute)?);
        nearest(low.view(), gallery.view(), k, compute)
    }

    /// The part of low points whose nearest point of a labeled gallery of high points has their
    /// label.
    ///
    /// # Errors
    /// [`Error::Shape`] for labels of another number, [`Error::TooFew`] for no points; as
    /// [`CoupledFit::matches`].
    pub fn score<'x>(
        &self,
        low: impl Into<Points<'x>>,
        low_labels: &[usize],
        gallery: impl Into<Points<'x>>,
        gallery_labels: &[usize],
        compute: &Compute,
    ) -> Result<f64> {
        let (low, gallery) = (low.into(), gallery.into());
        let sides = [("low", low.len(), low_labels.len()), ("gallery", gallery.len(), gallery_labels.len())];
        for (side, points, labels) in sides {
            if points == 0 {
                return Err(Error::too_few("a score", format!("{side} points"), 1, 0));
            }
            if points != labels {
                return Err(Error::shape(&format!("labels of the {side} points"), points, labels));
            }
        }
        let found = self.matches(low, gallery, 1, compute)?;
        let right = found.indices.iter().zip(low_labels).filter(|(at, label)| gallery_labels[**at] == **label);
        Ok(right.count() as f64 / low_labels.len() as f64)
    }

    /// `μ`: the smallest eigenvalues, ascending, none of them skipped; one per component.
    pub fn eigenvalues(&self) -> ArrayView1<'_, f64> {
        self.eigenvalues.view()
    }

    /// `tr(UᵀZGZᵀU) = Σ Wᵢⱼ‖f_L(xᵢ) − f_H(yⱼ)‖²`: the sum of the eigenvalues.
    pub fn objective(&self) -> f64 {
        self.eigenvalues.sum()
    }

    /// The dimension of the embedding.
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The coordinates of the low points of the fit. In each column of both modes together the entry
    /// that is largest in absolute value is positive.
    pub fn embedding_low(&self) -> ArrayView2<'_, f64> {
        self.low.embedding.view()
    }

    /// The coordinates of the high points of the fit.
    pub fn embedding_high(&self) -> ArrayView2<'_, f64> {
        self.high.embedding.view()
    }

    /// `U_L`: the weights of the low points in every coordinate; of the landmarks if there are such.
    pub fn coefficients_low(&self) -> ArrayView2<'_, f64> {
        self.low.coefficients.view()
    }

    /// `U_H`; as [`CoupledFit::coefficients_low`].
    pub fn coefficients_high(&self) -> ArrayView2<'_, f64> {
        self.high.coefficients.view()
    }

    /// The kernel of the low points, with medians resolved.
    pub fn kernel_low(&self) -> &Kernel {
        &self.low.kernel
    }

    /// The kernel of the high points, with medians resolved.
    pub fn kernel_high(&self) -> &Kernel {
        &self.high.kernel
    }

    /// The low points that carry the functions: those of the fit, or landmarks.
    pub fn points_low(&self) -> Points<'_> {
        self.low.points.as_points()
    }

    /// The high points that carry the functions.
    pub fn points_high(&self) -> Points<'_> {
        self.high.points.as_points()
    }

    /// How many directions of the low and of the high kernel matrix were left out because the matrix
    /// is nearly 0 there, as for duplicated points or a linear kernel on more points than columns.
    pub fn null(&self) -> (usize, usize) {
        (self.low.null, self.high.null)
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
