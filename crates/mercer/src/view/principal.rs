//! Principal axes of vectors: where a picture of many columns looks from.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::error::MemoryPurpose;
use crate::operator::products::multiply;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Points, Result};

/// The mean of a sample of vectors and the directions of its largest variances.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// The mean of the rows.
    pub mean: Array1<f64>,
    /// A unit vector in every row, the largest variance first; zeros beyond the rank.
    pub directions: Array2<f64>,
    /// The parts of the variance along the directions; 0 where all rows are equal.
    pub shares: Vec<f64>,
}

impl PrincipalAxes {
    /// The first axes of a sample.
    ///
    /// # Formula
    /// The leading eigenvectors of `CᵀC/n`, with `C` the centered rows; from those of `CCᵀ/n`, as
    /// `Cᵀu` divided by its norm, where there are fewer rows than columns.
    ///
    /// # Cost
    /// `n·d·min(n, d)` operations and an eigendecomposition of `min(n, d)` rows, stored.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no rows or columns, [`Error::Value`] for NaN and infinities,
    /// [`Error::Memory`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::PrincipalAxes};
    /// use ndarray::array;
    /// let x = array![[0.0, 1.0, 0.0], [3.0, 5.0, 0.0], [6.0, 9.0, 0.0]];
    /// let axes = PrincipalAxes::new(x.view(), 2, &Compute::new())?;
    /// mercer::assert_close!(axes.directions[[0, 1]].abs(), 0.8, abs = 1e-12);
    /// mercer::assert_close!(axes.project(x.view())[[2, 0]].abs(), 5.0, abs = 1e-12);
    /// mercer::assert_close!(axes.shares[0], 1.0, abs = 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn new(x: ArrayView2<f64>, count: usize, compute: &Compute) -> Result<Self> {
        Points::Vectors(x).check_finite("points")?;
        let (n, d) = x.dim();
        let mean = x.mean_axis(Axis(0)).ok_or_else(|| Error::too_few("principal axes", "rows", 1, 0))?;
        if d == 0 {
            return Err(Error::too_few("principal axes", "columns", 1, 0));
        }
        let side = n.min(d) as u64;
        let bytes = 24 * side * side + 8 * (n * d) as u64;
        compute.reserve(MemoryPurpose::Factorization, "the principal axes", bytes, "use fewer columns or rows")?;
        let centered = &x - &mean;
        let by_columns = d <= n;
        let products = if by_columns {
            multiply(centered.t(), centered.view(), compute)?
        } else {
            multiply(centered.view(), centered.t(), compute)?
        };
        let eigen = symmetric_eigen(products.view(), compute)?;
        let (total, size) = (eigen.values.iter().map(|v| v.max(0.0)).sum::<f64>(), eigen.values.len());
        let mut axes = Self { mean, directions: Array2::zeros((count, d)), shares: vec![0.0; count] };
        // Eigenvalues ascend.
        for (k, j) in (0..size).rev().take(count).enumerate() {
            let value = eigen.values[j].max(0.0);
            let vector = eigen.vectors.column(j);
            let direction = if by_columns { vector.to_owned() } else { centered.t().dot(&vector) };
            let norm = direction.dot(&direction).sqrt();
            if value > 0.0 && norm > 0.0 {
                axes.directions.row_mut(k).assign(&(direction / norm));
                axes.shares[k] = value / total;
            }
        }
        Ok(axes)
    }

    /// The coordinates of points along the axes.
    pub fn project(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (&x - &self.mean).dot(&self.directions.t())
    }

    /// The points with these coordinates in the plane (or space) of the axes.
    pub fn points(&self, coordinates: ArrayView2<f64>) -> Array2<f64> {
        coordinates.dot(&self.directions) + &self.mean
    }
}
