//! Functions of new points: kernel values with centers, and an offset.

use ndarray::{Array1, Array2, s};

use crate::gram::{self, Bound, KeptCenters};
use crate::{Compute, Kernel, Points, Result, Sample};

/// Functions `fⱼ(x) = Σᵢ A_ij k(x, xᵢ) + bⱼ` on common centers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Projection {
    pub(crate) kernel: Kernel,
    pub(crate) centers: Sample,
    /// `A`, a row per center and a column per function.
    pub(crate) coefficients: Array2<f64>,
    /// `b`.
    pub(crate) offset: Array1<f64>,
    pub(crate) kept: KeptCenters,
}

impl Projection {
    /// The functions of these eigenvalues, the first ones: 0 for an eigenvalue of 0.
    pub(crate) fn keep(&mut self, eigenvalues: &[f64]) {
        let signs = Array1::from_iter(eigenvalues.iter().map(|mu| if *mu > 0.0 { 1.0 } else { 0.0 }));
        self.coefficients = &self.coefficients.slice(s![.., ..signs.len()]) * &signs;
        self.offset = &self.offset.slice(s![..signs.len()]) * &signs;
    }

    /// The kernel between points and the centers.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn bind<'a>(&'a self, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
        self.kept.bind(&self.kernel, x, &self.centers, compute)
    }

    /// The values of the functions, a row per point.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn evaluate(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        let bound = self.bind(x.reborrow(), compute)?;
        if self.coefficients.ncols() == 0 {
            return Ok(Array2::zeros((x.len(), 0)));
        }
        Ok(gram::multiply(&bound, self.coefficients.view(), compute)? + &self.offset)
    }
}
