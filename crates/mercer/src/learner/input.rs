//! The data of a fit.

use ndarray::{ArrayView1, ArrayView2};

use crate::points::Size;
use crate::{Error, Points, Result};

/// What is to be predicted.
#[derive(Clone, Debug)]
pub enum Targets<'a> {
    /// Nothing.
    None,
    /// Numbers: a row for every point, a column for every target.
    Values(ArrayView2<'a, f64>),
    /// The number of the class of every point, and the names of the classes.
    Classes(&'a [usize], &'a [String]),
}

/// The data of a fit: one or more samples of points, and what is known of them.
#[derive(Clone, Debug)]
pub struct FitInput<'a> {
    /// The points: one sample, or one for every view.
    pub views: Vec<Points<'a>>,
    /// What is to be predicted.
    pub targets: Targets<'a>,
    /// The weights of the points.
    pub weights: Option<ArrayView1<'a, f64>>,
    /// Labels of the points of every view, for learners that couple views by them.
    pub labels: Vec<&'a [usize]>,
    /// The affinity of the points of two views, a row for every point of the first.
    pub affinity: Option<ArrayView2<'a, f64>>,
}

impl<'a> FitInput<'a> {
    /// Points alone.
    pub fn points(x: impl Into<Points<'a>>) -> Self {
        Self::views(vec![x.into()])
    }

    /// Several views.
    pub fn views(views: Vec<Points<'a>>) -> Self {
        Self { views, targets: Targets::None, weights: None, labels: Vec::new(), affinity: None }
    }

    /// The same with targets.
    pub fn with_targets(self, targets: Targets<'a>) -> Self {
        Self { targets, ..self }
    }

    /// The same with weights.
    pub fn with_weights(self, weights: Option<ArrayView1<'a, f64>>) -> Self {
        Self { weights, ..self }
    }

    /// The only sample.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are several views.
    pub fn only(&self) -> Result<Points<'_>> {
        match self.views.as_slice() {
            [only] => Ok(only.reborrow()),
            other => Err(Error::shape("samples of points", 1, other.len())),
        }
    }

    /// The targets as numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are none.
    pub fn values(&self) -> Result<ArrayView2<'a, f64>> {
        match self.targets {
            Targets::Values(values) => Ok(values),
            _ => Err(Error::shape("targets", "a number for every point", "none")),
        }
    }

    /// The only target.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are none or several.
    pub fn value(&self) -> Result<ArrayView1<'a, f64>> {
        let values = self.values()?;
        if values.ncols() != 1 {
            return Err(Error::shape("targets", 1, values.ncols()));
        }
        Ok(values.index_axis_move(ndarray::Axis(1), 0))
    }

    /// The classes, and their names.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are none.
    pub fn classes(&self) -> Result<(&'a [usize], &'a [String])> {
        match self.targets {
            Targets::Classes(of, names) => Ok((of, names)),
            _ => Err(Error::shape("targets", "a class for every point", "none")),
        }
    }

    /// The size, for a plan.
    pub fn size(&self) -> FitSize {
        let (outputs, classes) = match &self.targets {
            Targets::None => (0, 0),
            Targets::Values(values) => (values.ncols(), 0),
            Targets::Classes(_, names) => (1, names.len()),
        };
        FitSize { views: self.views.iter().map(Points::size).collect(), outputs, classes }
    }
}

/// The sizes that a plan depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct FitSize {
    /// Of the samples.
    pub views: Vec<Size>,
    /// Targets.
    pub outputs: usize,
    /// Classes; 0 where there are none.
    pub classes: usize,
}

impl FitSize {
    /// The first sample.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is none.
    pub fn first(&self) -> Result<Size> {
        self.views.first().copied().ok_or_else(|| Error::shape("samples of points", "at least 1", 0))
    }
}
