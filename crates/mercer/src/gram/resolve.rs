//! A kernel as it will be used on a sample, without binding it.

use super::median;
use crate::error::PrecomputedNeed;
use crate::kernel::object::ObjectPairs;
use crate::kernel::{Form, Kernel};
use crate::{Compute, Error, Points, Result};

impl Kernel {
    /// The kernel as it will be used on a sample: every `median` is a number, a column by name is a
    /// position, and what a kernel takes from the points (the vocabulary of TF–IDF weights) is in it.
    /// The result of [`Bound::kernel`](super::Bound::kernel), without the work per point.
    ///
    /// # Cost
    /// That of the medians: at most 1000 points enter each. One pass over the points for the domain.
    ///
    /// # Errors
    /// As [`Kernel::bind`] for points that it cannot take; values that overflow are not looked for.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel};
    /// use ndarray::array;
    /// let k: Kernel = "2*gaussian(lengthscale=median)".parse()?;
    /// let resolved = k.resolve(&array![[0.0], [1.0], [3.0]], &Compute::new())?;
    /// assert_eq!(resolved.to_string(), "2*gaussian(lengthscale=2)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn resolve<'a>(&self, points: impl Into<Points<'a>>, compute: &Compute) -> Result<Self> {
        let points = self.points(points);
        points.check_finite(if let Points::Precomputed(_) = points { "precomputed matrix" } else { "first sample" })?;
        match points {
            Points::Vectors(x) => {
                let kernel = median::resolve(self, x, None, compute)?;
                kernel.check_vectors(x)?;
                Ok(kernel)
            }
            Points::Sparse(x) => {
                let kernel = median::resolve_sparse(self, x, None, compute)?;
                kernel.check_sparse(x)?;
                Ok(kernel)
            }
            Points::Mixed(rows) => {
                let kernel = median::resolve_mixed(&self.with_mixed_names(rows)?, rows, None, compute)?;
                kernel.check_mixed(rows)?;
                Ok(kernel)
            }
            Points::Precomputed(_) | Points::References(_) => {
                self.check_values()?;
                Ok(self.clone())
            }
            rows => {
                self.check_objects(rows.kind())?;
                median::resolve_objects(self, ObjectPairs { rows, cols: None }, compute)
            }
        }
    }

    /// Checks that no node needs the points themselves.
    fn check_values(&self) -> Result<()> {
        let needs_points = match self {
            Self::Base(base) => base.form() != Form::Matrix && base.constant().is_none(),
            Self::On(..) | Self::Transformed(..) | Self::Conformal(..) | Self::Based(..) | Self::Induced(..) => true,
            _ => false,
        };
        if needs_points {
            return Err(Error::precomputed(self, PrecomputedNeed::Points));
        }
        self.children().into_iter().try_for_each(Self::check_values)
    }
}
