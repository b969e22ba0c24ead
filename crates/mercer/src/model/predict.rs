//! Predictions of a model, in the units of its targets.

use ndarray::Array2;

use super::Model;
use crate::learner::Interval;
use crate::points::{Affine, PointKind, Points, Table};
use crate::{Compute, Error, Result, Sample};

/// Predictions for the rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePrediction {
    /// One row per row that was kept, one column per target.
    pub values: Array2<f64>,
    /// The rows of the table that were kept: all, unless the rule of the fit for missing values is
    /// to leave rows out.
    pub kept_rows: Vec<usize>,
    /// How many missing cells were filled.
    pub filled: usize,
}

impl Model {
    /// The predictions for points as the fit saw them (encoded and scaled): one row per point of
    /// `x`, one column per target (per level, for quantiles). For classes the number of the class
    /// in [`Model::classes`]; for the support of a distribution 1 inside and −1 outside.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns, [`Error::WrongPoints`] for points of another
    /// kind; as the `predict` of the fit.
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let values = self.fitted.predict(self.check(0, x.into())?, compute)?;
        // Classes have no units.
        Ok(if self.classes.is_some() { values } else { self.in_units(values) })
    }

    /// The coordinates of points of a view, as the fit saw them (encoded and scaled).
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without coordinates; [`Error::Parameter`] for a view that
    /// there is not; as [`Model::predict`].
    pub fn transform<'x>(&self, view: usize, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        if view >= self.inputs.len() {
            return Err(Error::parameter("view", view, 0..=self.inputs.len() - 1));
        }
        self.fitted.transform(view, self.check(view, x.into())?, compute)
    }

    /// How far points are from what the fit describes: large is novel.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model that does not measure it; as [`Model::predict`].
    pub fn novelty<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<f64>> {
        self.fitted.novelty(self.check(0, x.into())?, compute)
    }

    /// The predictions for a table, whose columns are matched by name.
    ///
    /// # Errors
    /// As [`Inputs::encode`](super::Inputs::encode) and [`Model::predict`].
    pub fn predict_table(&self, table: &Table, compute: &Compute) -> Result<TablePrediction> {
        let (sample, kept_rows, filled) = self.encode(0, table)?;
        Ok(TablePrediction { values: self.predict(&sample, compute)?, kept_rows, filled })
    }

    /// The points of a view of a table, the rows that were kept, and how many missing cells were
    /// filled.
    ///
    /// # Errors
    /// As [`Inputs::encode`](super::Inputs::encode).
    pub fn encode(&self, view: usize, table: &Table) -> Result<(Sample, Vec<usize>, usize)> {
        let inputs = self.inputs.get(view);
        let inputs = inputs.ok_or_else(|| Error::parameter("view", view, 0..=self.inputs.len() - 1))?;
        let encoded = inputs.encode(table)?;
        let (kept_rows, filled) = (encoded.kept_rows.clone(), encoded.filled);
        Ok((encoded.into_sample(self.fitted.point_kind(view))?, kept_rows, filled))
    }

    /// Predictions with intervals that hold a new observation with probability `level`, for points
    /// as the fit saw them.
    ///
    /// # Formula
    /// `mean ± z √(s²(x) + σ²)` with `z` the normal quantile of `(1 + level)/2`, `s²(x)` the
    /// variance of `f(x)` and `σ²` that of the noise: for a Gaussian process from its posterior,
    /// for ridge regression and splines Wahba's posterior variance, for local smoothers `σ²‖l(x)‖²`
    /// (without the bias). Estimates of `σ²` count as if they were exact.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level outside `(0, 1)`; [`Error::Undetermined`],
    /// [`Error::Precomputed`] or [`Error::Unsupported`] where the noise cannot be estimated (λ = 0,
    /// an interpolating spline), the kernel is precomputed, or the kind of the model has no
    /// intervals; as [`Model::predict`].
    ///
    /// # Example
    /// ```
    /// use mercer::model::{Inputs, Model};
    /// use mercer::{Compute, learn::GaussianProcess};
    /// use ndarray::array;
    /// let process = GaussianProcess { optimize: false, ..GaussianProcess::new("gaussian()".parse()?, 1.0) };
    /// let fit = process.fit(array![[0.0]].view(), array![2.0].view(), &Compute::new())?;
    /// let model = Model::new(fit, Inputs::vectors(1, 1))?;
    /// // Mean 1, variance 1/2 of f and 1 of the noise.
    /// let interval = model.predict_interval(array![[0.0]].view(), 0.95, &Compute::new())?;
    /// assert!((interval.upper[[0, 0]] - 1.0 - 1.959963984540054 * 1.5_f64.sqrt()).abs() < 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn predict_interval<'x>(&self, x: impl Into<Points<'x>>, level: f64, compute: &Compute) -> Result<Interval> {
        let x = self.check(0, x.into())?;
        let Interval { mean, lower, upper } = self.fitted().interval(x, level, compute)?;
        Ok(Interval::between(self.in_units(mean), self.in_units(lower), self.in_units(upper)))
    }

    /// The points, if they are what was fitted.
    pub(super) fn check<'x>(&self, view: usize, x: Points<'x>) -> Result<Points<'x>> {
        let (kind, found) = (self.fitted.point_kind(view), x.kind());
        match (kind, &x) {
            (PointKind::Vectors | PointKind::Precomputed, Points::Vectors(matrix) | Points::Precomputed(matrix)) => {
                let expected = self.inputs[view].dimension();
                if matrix.ncols() != expected {
                    return Err(Error::shape("columns of x", expected, matrix.ncols()));
                }
                Ok(x)
            }
            // Either may be dense.
            (PointKind::Vectors | PointKind::Sparse, Points::Vectors(_) | Points::Sparse(_)) => {
                let expected = self.inputs[view].dimension();
                if x.columns() != expected {
                    return Err(Error::shape("columns of x", expected, x.columns()));
                }
                Ok(x)
            }
            (kind, _) if kind == found => Ok(x),
            (kind, _) => Err(Error::wrong_points("the model", kind, found)),
        }
    }

    /// `shift + scale·f`, output by output; a target that was fitted as it is stays as it is, to
    /// the bit.
    pub(super) fn in_units(&self, mut values: Array2<f64>) -> Array2<f64> {
        // The quantiles of one target are all in its units.
        let targets = self.inputs[0].targets.iter().cycle();
        for (mut column, target) in values.columns_mut().into_iter().zip(targets) {
            let Affine { shift, scale } = target.map;
            if target.map != Affine::IDENTITY {
                column.mapv_inplace(|f| shift + scale * f);
            }
        }
        values
    }
}
