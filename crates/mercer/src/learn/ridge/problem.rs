//! The checked problem, in coordinates in which every weight is 1.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};

use super::null_space::{NullSpace, design};
use crate::gram::{self, Bound, KernelList};
use crate::learn::observations::{bind_fit, check_weights};
use crate::{Compute, Error, Kernel, Points, Result};

/// What all solvers see.
pub(crate) struct Problem<'a> {
    pub(crate) bound: Bound<'a>,
    /// `Sy`, one column per output.
    pub(crate) targets: Array2<f64>,
    /// `S = diag(√w)`; all ones without weights.
    pub(crate) roots: Array1<f64>,
    pub(crate) null_space: NullSpace,
    /// `P`: the unpenalized functions at the data.
    pub(crate) design: Array2<f64>,
}

/// The data of a fit, as it was given.
#[derive(Clone, Copy)]
pub(crate) struct RidgeData<'a> {
    pub(crate) x: Points<'a>,
    pub(crate) y: ArrayView2<'a, f64>,
    pub(crate) basis: Option<ArrayView2<'a, f64>>,
    pub(crate) weights: Option<ArrayView1<'a, f64>>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(kernel: &Kernel, intercept: bool, data: RidgeData<'a>, compute: &Compute) -> Result<Self> {
        check_shapes(data)?;
        Self::of(bind_fit(kernel, data.x, compute)?, intercept, data)
    }

    /// The problem of a kernel that shares features with others.
    pub(crate) fn shared(
        kernel: &Kernel,
        list: &KernelList,
        intercept: bool,
        data: RidgeData<'a>,
        compute: &Compute,
    ) -> Result<Self> {
        check_shapes(data)?;
        Self::of(list.bind(kernel, data.x, compute)?, intercept, data)
    }

    fn of(bound: Bound<'a>, intercept: bool, data: RidgeData<'a>) -> Result<Self> {
        let n = data.x.len();
        let roots = data.weights.map_or_else(|| Array1::ones(n), |w| w.mapv(f64::sqrt));
        let design = design(n, intercept, data.basis);
        let by_row = roots.view().insert_axis(Axis(1));
        let null_space = NullSpace::new(&(&design * &by_row))?;
        let targets = &data.y * &by_row;
        Ok(Self { bound, targets, roots, null_space, design })
    }

    pub(crate) fn rows(&self) -> usize {
        self.targets.nrows()
    }

    /// The right sides of the system, `[Sy | Q]`.
    pub(crate) fn right_sides(&self) -> Array2<f64> {
        concatenate(Axis(1), &[self.targets.view(), self.null_space.q.view()]).expect("one row per point")
    }

    /// `SKS`, stored.
    pub(crate) fn matrix(&self, compute: &Compute) -> Result<Array2<f64>> {
        let mut matrix = gram::dense(&self.bound, compute)?;
        if self.roots.iter().any(|s| *s != 1.0) {
            matrix *= &self.roots;
            matrix *= &self.roots.view().insert_axis(Axis(1));
        }
        Ok(matrix)
    }
}

fn check_shapes(data: RidgeData<'_>) -> Result<()> {
    let n = data.x.len();
    if n == 0 {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    if data.y.nrows() != n {
        return Err(Error::shape("rows of the targets", n, data.y.nrows()));
    }
    if data.y.ncols() == 0 {
        return Err(Error::too_few("a fit", "columns of the targets", 1, 0));
    }
    Points::Vectors(data.y).check_finite("targets")?;
    if let Some(basis) = data.basis {
        if basis.nrows() != n {
            return Err(Error::shape("rows of the unpenalized functions", n, basis.nrows()));
        }
        Points::Vectors(basis).check_finite("unpenalized functions")?;
    }
    data.weights.map_or(Ok(()), |w| check_weights(w, n))
}
