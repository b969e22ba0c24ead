//! Tests of the individual columns.

use ndarray::ArrayView2;

use super::TwoSample;
use crate::hypothesis::{Correction, TestOutcome};
use crate::measure::{Estimator, Pooled, mmd};
use crate::{Compute, Kernel, Result};

/// The test of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnOutcome {
    /// The column, from 0.
    pub column: usize,
    /// The unbiased squared MMD of the column, by the kernel of the test (for tests of several
    /// kernels: Gaussian with the median lengthscale).
    pub mmd: f64,
    /// The test of the column.
    pub outcome: TestOutcome,
    /// Its p-value, adjusted for the number of columns.
    pub adjusted: f64,
}

impl TwoSample {
    /// The test on every column by itself, with p-values adjusted for the number of columns: which
    /// columns differ.
    ///
    /// A column in which all points are equal has `p = 1`. Differences of the joint distribution
    /// that no column shows by itself are not seen here.
    ///
    /// # Cost
    /// As [`TwoSample::test`] for every column.
    ///
    /// # Errors
    /// As [`TwoSample::test`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Seed, hypothesis::{Correction, TwoSample}};
    /// use ndarray::Array2;
    /// let mut random = Seed(1).stream("example", 0);
    /// let x = Array2::from_shape_fn((40, 3), |_| random.normal());
    /// let y = Array2::from_shape_fn((40, 3), |(_, j)| random.normal() + if j == 1 { 2.0 } else { 0.0 });
    /// let test = TwoSample { permutations: 199, ..TwoSample::default() };
    /// let columns = test.by_column(x.view(), y.view(), Correction::Holm, &Compute::new())?;
    /// let differ: Vec<usize> = columns.iter().filter(|c| c.adjusted <= 0.05).map(|c| c.column).collect();
    /// assert_eq!(differ, [1]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn by_column(
        &self,
        x: ArrayView2<'_, f64>,
        y: ArrayView2<'_, f64>,
        correction: Correction,
        compute: &Compute,
    ) -> Result<Vec<ColumnOutcome>> {
        Pooled::new(x.into(), y.into(), 2)?;
        let columns = (0..x.ncols()).map(|column| self.column(x, y, column, compute)).collect::<Result<Vec<_>>>()?;
        let p_values: Vec<f64> = columns.iter().map(|c| c.outcome.p_value).collect();
        let adjusted = correction.adjust(&p_values)?;
        Ok(columns.into_iter().zip(adjusted).map(|(c, adjusted)| ColumnOutcome { adjusted, ..c }).collect())
    }

    fn column(
        &self,
        x: ArrayView2<'_, f64>,
        y: ArrayView2<'_, f64>,
        column: usize,
        compute: &Compute,
    ) -> Result<ColumnOutcome> {
        let one = |z: ArrayView2<'_, f64>| z.column(column).to_owned().insert_axis(ndarray::Axis(1));
        let (x, y) = (one(x), one(y));
        let first = x[[0, 0]];
        if x.iter().chain(&y).all(|v| *v == first) {
            let outcome = TestOutcome::new("constant column", 0.0, 1.0, self.level, String::new(), compute.seed());
            return Ok(ColumnOutcome { column, mmd: 0.0, outcome, adjusted: 1.0 });
        }
        let outcome = self.test(&x, &y, compute)?;
        let kernel = match &self.kernel {
            Some(kernel) if !matches!(kernel, Kernel::Sum(_)) => kernel.clone(),
            _ => "gaussian(lengthscale=median)".parse()?,
        };
        let mmd = mmd(&x, &y, &kernel, Estimator::Unbiased, compute)?;
        Ok(ColumnOutcome { column, mmd, adjusted: outcome.p_value, outcome })
    }
}
