//! Functions on common centers, with their constants: what learners return.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::Expansion;
use crate::gram::{self, KeptCenters};
use crate::record::{Record, take_points_or_references};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// `f_c = Σ αᵢ_c k(·, xᵢ) + b_c`: one function or several (outputs, classes, curves) on the same
/// centers, whose packed copy is kept for predictions.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, Sample, function::Function};
/// use ndarray::array;
/// let kernel: Kernel = "linear()".parse()?;
/// let centers = Sample::from(mercer::Points::Vectors(array![[1.0], [2.0]].view()));
/// let f = Function::new(kernel, centers, array![[1.0, 0.0], [1.0, -1.0]], array![0.5, 0.0])?;
/// // f₀(x) = 3x + 1/2, f₁(x) = −2x.
/// assert_eq!(f.evaluate(array![[2.0]].view(), &Compute::new())?, array![[6.5, -4.0]]);
/// assert_eq!(f.expansion(1, &Compute::new())?.norm(&Compute::new())?, 2.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    kernel: Kernel,
    centers: Sample,
    /// One row per center, one column per function.
    weights: Array2<f64>,
    offset: Array1<f64>,
    kept: KeptCenters,
}

impl Function {
    /// The functions with these coefficients and constants.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a row of coefficients per center and a constant per column.
    pub fn new(kernel: Kernel, centers: Sample, weights: Array2<f64>, offset: Array1<f64>) -> Result<Self> {
        if weights.nrows() != centers.len() {
            return Err(Error::shape("rows of the coefficients", centers.len(), weights.nrows()));
        }
        if offset.len() != weights.ncols() {
            return Err(Error::shape("constants", weights.ncols(), offset.len()));
        }
        Ok(Self { kernel, centers, weights, offset, kept: KeptCenters::default() })
    }

    /// `f(x)`, one row per point and one column per function.
    ///
    /// # Cost
    /// A kernel value per point and center, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn evaluate<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.centers, compute)?;
        Ok(gram::multiply(&bound, self.weights.view(), compute)? + &self.offset)
    }

    /// The part of one function that lies in ℋ, with its geometry: norm, gradient, components.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such function; as [`Expansion::new`].
    pub fn expansion(&self, function: usize, compute: &Compute) -> Result<Expansion> {
        if function >= self.weights.ncols() {
            return Err(Error::parameter("function", function, ..self.weights.ncols()));
        }
        Expansion::new(&self.kernel, self.centers(), self.weights.column(function), compute)
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The centers.
    pub fn centers(&self) -> Points<'_> {
        self.centers.as_points()
    }

    /// `α`, one row per center and one column per function.
    pub fn weights(&self) -> ArrayView2<'_, f64> {
        self.weights.view()
    }

    /// `b` of every function.
    pub fn offset(&self) -> ArrayView1<'_, f64> {
        self.offset.view()
    }

    /// The same functions with other coefficients and constants.
    pub(crate) fn with(&self, weights: Array2<f64>, offset: Array1<f64>) -> Self {
        Self { weights, offset, ..self.clone() }
    }

    /// One of the functions.
    pub(crate) fn column(&self, function: usize) -> Self {
        let weights = self.weights.column(function).to_owned().insert_axis(Axis(1));
        self.with(weights, Array1::from_elem(1, self.offset[function]))
    }

    /// The functions with their constants moved by a common amount.
    pub(crate) fn moved(mut self, by: f64) -> Self {
        self.offset += by;
        self
    }

    /// Into a file. A fit on precomputed kernel values needs none of them for predictions, and
    /// leaves them out.
    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_text("kernel", &self.kernel);
        record.put_points("points", self.centers());
        record.put_matrix("dual_coefficients", self.weights());
        record.put_vector("intercept", self.offset());
    }

    /// The functions that [`Function::put_into`] wrote.
    pub(crate) fn take_from(record: &mut Record) -> Result<Self> {
        let kernel = record.kernel()?;
        let weights = record.take_leading_matrix("dual_coefficients")?;
        let (n, functions) = weights.dim();
        if n == 0 || functions == 0 {
            let found = format!("{:?}", weights.dim());
            return Err(Error::shape("array `dual_coefficients`", "at least one row and one column", found));
        }
        let centers = take_points_or_references(record, "points", kernel.is_precomputed(), n)?;
        let offset = record.take_finite_vector("intercept", functions)?;
        Self::new(kernel, centers, weights, offset)
    }
}
