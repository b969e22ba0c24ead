//! Classes: their names, their probabilities, and the decision values behind them.

use ndarray::Array2;

use super::Model;
use crate::{Compute, Error, Points, Result};

impl Model {
    /// The same model with other names for its classes, in the order of the classes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model of numbers; [`Error::Shape`] unless there is one name per
    /// class.
    ///
    /// # Example
    /// ```
    /// use mercer::model::{Inputs, Model};
    /// use mercer::{Compute, learn::LogisticRegression};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let spec = LogisticRegression::new("linear()".parse()?, 1.0);
    /// let fit = spec.fit(array![[-1.0], [1.0]].view(), &[0, 1], None, &compute)?;
    /// let model = Model::new(fit, Inputs::vectors(1, 1))?.with_classes(vec!["no".into(), "yes".into()])?;
    /// let classes = model.predict_classes(array![[2.0]].view(), &compute)?;
    /// assert_eq!(model.classes().unwrap()[classes[0]], "yes");
    /// // P(yes) = 1/(1 + exp(−2a)) with a = 2/(1 + exp a).
    /// mercer::assert_close!(model.probabilities(array![[2.0]].view(), &compute)?[[0, 1]], 0.794075, abs = 1e-6);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_classes(mut self, names: Vec<String>) -> Result<Self> {
        let count = self.classes.as_ref().map(Vec::len).ok_or_else(|| self.no_classes())?;
        if names.len() != count {
            return Err(Error::shape("names of the classes", count, names.len()));
        }
        self.classes = Some(names);
        Ok(self)
    }

    /// The names of the classes, for a model of classes.
    pub fn classes(&self) -> Option<&[String]> {
        self.classes.as_deref()
    }

    /// The class of every row of `x`, as its place in [`Model::classes`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model of numbers; as [`Model::predict`].
    pub fn predict_classes<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        self.require_classes()?;
        self.fitted.predict_classes(self.check(0, x.into())?, compute)
    }

    /// The probability of every class, one column each.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without probabilities: one of numbers, a machine that was
    /// fitted without them, or a loss that has none; as [`Model::predict`].
    pub fn probabilities<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.require_classes()?;
        self.fitted.probabilities(self.check(0, x.into())?, compute)
    }

    /// Whether [`Model::probabilities`] gives some.
    pub fn has_probabilities(&self) -> bool {
        self.fitted.has_probabilities()
    }

    /// The decision values: for two classes one column that is positive for the second; for more
    /// one column per class, of which the largest wins (but for ties among votes); for the support
    /// of a distribution one column that is not negative inside.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model that decides nothing; as [`Model::predict`].
    pub fn decision_values<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        self.fitted.decision_values(self.check(0, x.into())?, compute)
    }

    fn require_classes(&self) -> Result<()> {
        if self.classes.is_some() { Ok(()) } else { Err(self.no_classes()) }
    }

    fn no_classes(&self) -> Error {
        Error::unsupported("classes", format!("a model of the kind {}", self.fitted.kind()), "", "fit a classifier")
    }
}
