//! Conformal intervals and sets of a model, in the units of its targets.

use ndarray::Array2;

use super::Model;
use crate::conformal::{ConformalFit, IntervalEnds};
use crate::learner::Interval;
use crate::{Compute, Error, Points, Result};

impl Model {
    /// The same model with a calibration of its fit.
    ///
    /// # Errors
    /// [`Error::Shape`] when the calibration has another number of targets or classes.
    ///
    /// # Example
    /// ```
    /// use mercer::conformal::Conformal;
    /// use mercer::learner::{FitInput, Targets};
    /// use mercer::model::{Inputs, Model};
    /// use mercer::{Compute, learn::Ridge};
    /// use ndarray::Array2;
    /// let compute = Compute::new();
    /// let x = Array2::from_shape_fn((50, 1), |(i, _)| i as f64);
    /// let y = Array2::from_shape_fn((50, 1), |(i, _)| i as f64 + ((i * 7) % 10) as f64);
    /// let ridge = Ridge { intercept: true, ..Ridge::new("linear()".parse()?, 1.0) };
    /// let fit = ridge.fit(x.view(), y.view(), None, &compute)?;
    /// let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    /// let conformal = Conformal::default().fit(&fit, &input, &compute)?;
    /// let model = Model::new(fit, Inputs::vectors(1, 1))?.with_conformal(conformal)?;
    /// let found = model.conformal_interval(x.view(), 0.8, &compute)?;
    /// let held = (0..50).filter(|&i| found.lower[[i, 0]] <= y[[i, 0]] && y[[i, 0]] <= found.upper[[i, 0]]);
    /// assert!(held.count() >= 40);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_conformal(mut self, conformal: ConformalFit) -> Result<Self> {
        let classes = self.classes.as_ref().map_or(0, Vec::len);
        if conformal.classes() != classes {
            return Err(Error::shape("classes of the calibration", classes, conformal.classes()));
        }
        let targets = self.inputs[0].targets.len();
        if conformal.targets() != targets {
            return Err(Error::shape("targets of the calibration", targets, conformal.targets()));
        }
        self.conformal = Some(conformal);
        Ok(self)
    }

    /// The same model with a calibration: its own, or jackknife+ from the closed form of
    /// leave-one-out, which ridge regression and Gaussian processes have.
    ///
    /// # Cost
    /// None for a model that is calibrated, else as [`ConformalFit::jackknife`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without calibration whose fit has no closed form; as
    /// [`ConformalFit::jackknife`].
    ///
    /// # Example
    /// ```
    /// use mercer::model::{Inputs, Model};
    /// use mercer::{Compute, learn::Ridge};
    /// use ndarray::Array2;
    /// let compute = Compute::new();
    /// let x = Array2::from_shape_fn((50, 1), |(i, _)| i as f64);
    /// let y = Array2::from_shape_fn((50, 1), |(i, _)| i as f64 + ((i * 7) % 10) as f64);
    /// let fit = Ridge::new("linear()".parse()?, 1.0).fit(x.view(), y.view(), None, &compute)?;
    /// let model = Model::new(fit, Inputs::vectors(1, 1))?.calibrated(&compute)?;
    /// let found = model.conformal_interval(x.view(), 0.8, &compute)?;
    /// let held = (0..50).filter(|&i| found.lower[[i, 0]] <= y[[i, 0]] && y[[i, 0]] <= found.upper[[i, 0]]);
    /// assert!(held.count() >= 40);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn calibrated(self, compute: &Compute) -> Result<Self> {
        if self.conformal.is_some() {
            return Ok(self);
        }
        match ConformalFit::jackknife(self.fitted(), compute)? {
            Some(found) => self.with_conformal(found),
            None => Err(not_calibrated()),
        }
    }

    /// The calibration, where the model has one.
    pub fn conformal(&self) -> Option<&ConformalFit> {
        self.conformal.as_ref()
    }

    /// Predictions with conformal intervals, for points as the fit saw them: [`Model::predict`], and
    /// [`ConformalFit::intervals`] in the units of the targets.
    ///
    /// The prediction is that of the fit on all rows; the interval is built from the fits without
    /// some of them, so that the prediction may lie outside of it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without calibration; as [`ConformalFit::intervals`].
    pub fn conformal_interval<'x>(&self, x: impl Into<Points<'x>>, level: f64, compute: &Compute) -> Result<Interval> {
        let x = self.check(0, x.into())?;
        let IntervalEnds { lower, upper } = self.calibration()?.intervals(self.fitted(), x, level, compute)?;
        let mean = self.predict(x, compute)?;
        Ok(Interval::between(mean, self.in_units(lower), self.in_units(upper)))
    }

    /// Whether every class belongs to the conformal set of a point: one row per point, one column
    /// per class, as [`ConformalFit::sets`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without calibration; as [`ConformalFit::sets`].
    pub fn conformal_sets<'x>(&self, x: impl Into<Points<'x>>, level: f64, compute: &Compute) -> Result<Array2<bool>> {
        let x = self.check(0, x.into())?;
        self.calibration()?.sets(self.fitted(), x, level, compute)
    }

    fn calibration(&self) -> Result<&ConformalFit> {
        self.conformal.as_ref().ok_or_else(not_calibrated)
    }
}

fn not_calibrated() -> Error {
    Error::unsupported(
        "conformal prediction",
        "this model",
        "it was saved without a calibration",
        "fit it again with one (mercer fit … --conformal auto)",
    )
}
