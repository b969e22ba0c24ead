//! Kernel regressions that are linear in their targets: the weights of the observations at new
//! points, and the leave-one-out residuals.

use ndarray::{Array2, ArrayView2};

use super::conditional::{Conditional, Observed};
use crate::gram::{self, Pairs};
use crate::learner::LeaveOneOut;
use crate::points::PointKind;
use crate::{Compute, Kernel, Points, Result, Sample};

/// What a regression is made of, for its weights.
pub(super) struct Linear<'a> {
    /// The data that the fit is conditioned on.
    pub(super) observed: Observed<'a>,
    /// `α`, one column per target.
    pub(super) dual: ArrayView2<'a, f64>,
    /// The leave-one-out residuals, where they are known.
    pub(super) residuals: Option<ArrayView2<'a, f64>>,
    /// `y − f`, for rows of weight 0.
    pub(super) own: Option<ArrayView2<'a, f64>>,
}

/// The factor with what evaluates the kernel at new points.
#[derive(Debug)]
struct LinearFit {
    kernel: Kernel,
    points: Sample,
    conditional: Conditional,
    residuals: Array2<f64>,
    rows: Vec<usize>,
}

impl Linear<'_> {
    /// The closed form; `None` on precomputed kernel values, of which a fit keeps none, and for
    /// unpenalized functions beyond the intercept, whose values at new points are not known.
    ///
    /// # Cost
    /// `n³/3`, `8n²` bytes; `n³/3` more where the leave-one-out residuals are not known.
    pub(super) fn leave_one_out(self, compute: &Compute) -> Result<Option<Box<dyn LeaveOneOut>>> {
        let Observed { kernel, points, ref design, .. } = self.observed;
        if matches!(points.kind(), PointKind::Precomputed) || design.ncols() > 1 {
            return Ok(None);
        }
        let (no_weight, rows): (Vec<usize>, Vec<usize>) =
            (0..points.len()).partition(|&i| self.observed.roots[i] == 0.0);
        let (kernel, points) = (kernel.clone(), Sample::from(points));
        let conditional = Conditional::new(self.observed, compute)?;
        let mut residuals = match self.residuals {
            Some(residuals) => residuals.to_owned(),
            None => conditional.leave_one_out(self.dual, compute)?,
        };
        if let Some(own) = self.own {
            no_weight.iter().for_each(|&i| residuals.row_mut(i).assign(&own.row(i)));
        }
        Ok(Some(Box::new(LinearFit { kernel, points, conditional, residuals, rows })))
    }
}

impl LeaveOneOut for LinearFit {
    fn residuals(&self) -> ArrayView2<'_, f64> {
        self.residuals.view()
    }

    fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn weights(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let cross =
            gram::dense(&self.kernel.bind(Pairs::Between(self.points.as_points(), x.reborrow()), compute)?, compute)?;
        let design = Array2::ones((x.len(), self.conditional.functions()));
        self.conditional.weights(cross, design.view(), compute)
    }
}
