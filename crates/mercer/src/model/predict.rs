//! Predictions of a model, in the units of its targets.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::{Fitted, Model};
use crate::error::AllowedRange;
use crate::learn::{SharedGaussianProcessFit, ridge};
use crate::points::{Affine, PointKind, Points, Table};
use crate::real::special::normal_quantile;
use crate::{Compute, Error, Result};

/// Predictions with an interval around each, one column per target.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The predictions.
    pub mean: Array2<f64>,
    /// The lower ends.
    pub lower: Array2<f64>,
    /// The upper ends.
    pub upper: Array2<f64>,
}

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
        let x = self.check(x.into())?;
        let values = match &self.fitted {
            Fitted::Ridge(fit) => fit.predict(x, compute)?,
            Fitted::GaussianProcess(fit) => column(fit.mean(x, compute)?),
            Fitted::SparseGaussianProcess(fit) => column(fit.predict(x.vectors()?, compute)?.mean),
            Fitted::SharedGaussianProcess(fit) => fit.mean(x, compute)?,
            Fitted::Spline(fit) => column(fit.predict(only_column(&x)?, 0)?),
            Fitted::Local(fit) => column(fit.predict(x.vectors()?, compute)?),
            Fitted::Svr(fit) => column(fit.predict(x, compute)?.into()),
            Fitted::Quantiles(fit) => fit.predict(x, compute)?,
            Fitted::StreamedRidge(fit) => fit.predict(x.vectors()?, compute)?,
            Fitted::OneClass(fit) => column(fit.decisions(x, compute)?.into_iter().map(side).collect()),
            Fitted::KernelMachine(fit) if self.classes.is_none() => column(fit.predict(x, compute)?),
            Fitted::Svc(_) | Fitted::Logistic(_) | Fitted::KernelMachine(_) => {
                return Ok(column(self.predict_classes(x, compute)?.into_iter().map(|c| c as f64).collect()));
            }
        };
        Ok(self.in_units(values))
    }

    /// The predictions for a table, whose columns are matched by name.
    ///
    /// # Errors
    /// As [`Inputs::encode`](super::Inputs::encode) and [`Model::predict`].
    pub fn predict_table(&self, table: &Table, compute: &Compute) -> Result<TablePrediction> {
        let encoded = self.inputs.encode(table)?;
        let (kept_rows, filled) = (encoded.kept_rows.clone(), encoded.filled);
        let sample = encoded.into_sample(self.fitted.point_kind())?;
        Ok(TablePrediction { values: self.predict(&sample, compute)?, kept_rows, filled })
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
        let x = self.check(x.into())?;
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT));
        }
        let (mean, deviation) = self.moments(x, compute)?;
        let half = deviation * normal_quantile(0.5 + 0.5 * level);
        let (lower, upper) = (self.in_units(&mean - &half), self.in_units(&mean + &half));
        let mean = self.in_units(mean);
        // A negative scale turns the interval around.
        let turned = lower.iter().zip(&upper).any(|(l, u)| l > u);
        let (lower, upper) = if turned { (min(&lower, &upper), max(&lower, &upper)) } else { (lower, upper) };
        Ok(Interval { mean, lower, upper })
    }

    /// Mean and standard deviation of a new observation, in the units of the fit.
    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        match &self.fitted {
            Fitted::Ridge(fit) => {
                Ok((fit.predict(x, compute)?, fit.standard_errors(x, ridge::IntervalTarget::Observation, compute)?))
            }
            Fitted::GaussianProcess(fit) => {
                let found = fit.predict(x, compute)?;
                Ok((column(found.mean), column(found.variance.mapv(|v| (v + fit.noise()).sqrt()))))
            }
            Fitted::SparseGaussianProcess(fit) => {
                let found = fit.predict(x.vectors()?, compute)?;
                Ok((column(found.mean), column(found.variance.mapv(|v| (v + fit.noise()).sqrt()))))
            }
            Fitted::SharedGaussianProcess(fit) => shared_moments(fit, x, compute),
            Fitted::Spline(fit) => {
                let errors = fit.standard_errors(only_column(&x)?)?;
                // Standard errors exist only beside a variance.
                let noise = fit.variance().unwrap_or(0.0);
                Ok((column(fit.predict(only_column(&x)?, 0)?), column(errors.mapv(|s| (s * s + noise).sqrt()))))
            }
            Fitted::Local(fit) => {
                let x = x.vectors()?;
                let errors = fit.standard_errors(x, compute)?;
                let noise = fit.variance(compute)?.unwrap_or(0.0);
                Ok((column(fit.predict(x, compute)?), column(errors.mapv(|s| (s * s + noise).sqrt()))))
            }
            _ => Err(Error::unsupported(
                "intervals",
                format!("a model of the kind {}", self.fitted.kind()),
                "",
                "use a Gaussian process, ridge regression, a spline or a local smoother",
            )),
        }
    }

    /// The points, if they are what was fitted.
    pub(super) fn check<'x>(&self, x: Points<'x>) -> Result<Points<'x>> {
        let (kind, found) = (self.fitted.point_kind(), x.kind());
        match (kind, &x) {
            (PointKind::Vectors | PointKind::Precomputed, Points::Vectors(matrix) | Points::Precomputed(matrix)) => {
                let expected = self.inputs.dimension();
                if matrix.ncols() != expected {
                    return Err(Error::shape("columns of x", expected, matrix.ncols()));
                }
                Ok(x)
            }
            (kind, _) if kind == found => Ok(x),
            (kind, _) => Err(Error::wrong_points("the model", kind, found)),
        }
    }

    /// `shift + scale·f`, output by output; a target that was fitted as it is stays as it is, to
    /// the bit.
    fn in_units(&self, mut values: Array2<f64>) -> Array2<f64> {
        // The quantiles of one target are all in its units.
        let targets = self.inputs.targets.iter().cycle();
        for (mut column, target) in values.columns_mut().into_iter().zip(targets) {
            let Affine { shift, scale } = target.map;
            if target.map != Affine::IDENTITY {
                column.mapv_inplace(|f| shift + scale * f);
            }
        }
        values
    }
}

/// Mean and standard deviation of new observations, where all rows of the data have the same noise.
fn shared_moments(
    fit: &SharedGaussianProcessFit,
    x: Points<'_>,
    compute: &Compute,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let noise = fit.common_noise().ok_or_else(|| {
        Error::undetermined(
            "the noise variance of a new observation",
            "the rows of the data have different noise variances",
            "use one noise variance",
        )
    })?;
    let (mean, variance) = (fit.mean(x, compute)?, fit.variance(x, compute)?);
    let deviation = column(variance.mapv(|v| (v.max(0.0) + noise).sqrt()));
    let deviation = deviation.broadcast(mean.dim()).map(|d| d.to_owned()).unwrap_or(deviation);
    Ok((mean, deviation))
}

/// Inside or outside.
fn side(decision: f64) -> f64 {
    if decision >= 0.0 { 1.0 } else { -1.0 }
}

fn column(values: Array1<f64>) -> Array2<f64> {
    values.insert_axis(Axis(1))
}

/// The one column of vectors whose number of columns was checked.
fn only_column<'x>(x: &Points<'x>) -> Result<ArrayView1<'x, f64>> {
    Ok(x.vectors()?.index_axis_move(Axis(1), 0))
}

fn min(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    ndarray::Zip::from(a).and(b).map_collect(|a, b| a.min(*b))
}

fn max(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    ndarray::Zip::from(a).and(b).map_collect(|a, b| a.max(*b))
}
