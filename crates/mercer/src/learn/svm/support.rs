//! Support vectors.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2};

use crate::definiteness::{check_matrix, require_psd_for};
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::gram::{self, Bound, KeptCenters, Pairs};
use crate::learn::observations::bind_fit;
use crate::learn::ridge::FeatureFunction;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Rows of a precomputed matrix up to which its eigenvalues are checked before the fit: the cubic
/// cost is then small. About 9·400³ = 6·10⁸ operations.
const CHECKED: usize = 400;

/// Binds a kernel to the points of a fit, after the checks of support vector machines.
pub(super) fn bind<'a>(kernel: &Kernel, x: Points<'a>, indefinite: bool, compute: &Compute) -> Result<Bound<'a>> {
    check(kernel, x, indefinite, compute)?;
    let bound = bind_fit(kernel, x, compute)?;
    if !indefinite && matches!(x, Points::Precomputed(_)) && x.len() <= CHECKED {
        refuse_indefinite(kernel, &bound, compute)?;
    }
    Ok(bound)
}

/// Refuses fits without rows, and kernels that are not positive semi-definite unless they are allowed.
pub(super) fn check(kernel: &Kernel, x: Points<'_>, indefinite: bool, compute: &Compute) -> Result<()> {
    if x.is_empty() {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    if indefinite { Ok(()) } else { require_psd_for(kernel, x, compute) }
}

/// Binds a kernel that was checked.
pub(super) fn rebind<'a>(kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
    kernel.bind(Pairs::Within(x), compute)
}

fn refuse_indefinite(kernel: &Kernel, bound: &Bound<'_>, compute: &Compute) -> Result<()> {
    let found = check_matrix(gram::dense(bound, compute)?.view(), compute)?;
    found.counterexample().map_or(Ok(()), |counterexample| {
        Err(Error::NotPositiveDefinite {
            kernel: kernel.short(),
            reason: counterexample.to_string(),
            counterexample: Some(Box::new(counterexample.clone())),
        })
    })
}

/// The support vectors of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Support {
    pub(super) kernel: Kernel,
    /// Their rows in the data.
    pub(super) indices: Vec<usize>,
    /// The points themselves.
    pub(super) vectors: Sample,
    pub(super) kept: KeptCenters,
}

impl Support {
    pub(super) fn new(kernel: &Kernel, x: Points<'_>, indices: Vec<usize>) -> Self {
        Self { kernel: kernel.clone(), vectors: Sample::kept_some(x, &indices), indices, kept: KeptCenters::default() }
    }

    /// Columns that new points must have: those of the vectors, or one per point of the kernel
    /// values that were fitted.
    pub(super) fn columns(&self) -> usize {
        self.vectors.as_points().columns()
    }

    /// Whether the kernel has at most as many features as there are support vectors.
    fn has_few_features(&self) -> bool {
        let map = ExplicitFeatures::new(self.kernel.clone(), self.columns());
        map.is_ok_and(|map| map.components() <= self.indices.len())
    }

    /// `K(x, support vectors) · V`.
    pub(super) fn apply(&self, x: Points<'_>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.with_values(x, v.ncols(), compute, |bound| gram::multiply(bound, v, compute))
    }

    /// The same for some of the support vectors at a time, each time with their rows of `V`: the
    /// answers side by side.
    pub(super) fn apply_parts(
        &self,
        x: Points<'_>,
        parts: &[Range<usize>],
        v: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let columns = parts.len() * v.ncols();
        self.with_values(x, columns, compute, |bound| gram::multiply_parts(bound, parts, v, compute))
    }

    /// Work on the kernel values of new points and the support vectors; zeros where there are none.
    fn with_values(
        &self,
        x: Points<'_>,
        columns: usize,
        compute: &Compute,
        work: impl FnOnce(&Bound<'_>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        let x = self.kernel.points(x);
        if x.kind() == self.vectors.as_points().kind() && x.columns() != self.columns() {
            return Err(Error::shape("columns of the points", self.columns(), x.columns()));
        }
        if self.indices.is_empty() || x.is_empty() {
            return Ok(Array2::zeros((x.len(), columns)));
        }
        work(&self.kept.bind(&self.kernel, x.reborrow(), &self.vectors, compute)?)
    }

    /// `Σ cᵢ k(x, xᵢ)` over all support vectors.
    pub(super) fn evaluate(&self, x: Points<'_>, coefficients: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        let column = ArrayView2::from_shape((coefficients.len(), 1), coefficients)
            .map_err(|e| Error::shape("coefficients", self.indices.len(), e))?;
        Ok(self.apply(x, column, compute)?.into_raw_vec_and_offset().0)
    }
}

/// The functions `z(x)ᵀw` of a model in the features of its kernel, made when they are first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct InFeatures(OnceLock<Arc<FeatureFunction>>);

impl InFeatures {
    /// The values of the functions with these coefficients of the support vectors, a column for
    /// each; `None` where the kernel has more features than there are support vectors.
    pub(super) fn values(
        &self,
        support: &Support,
        coefficients: impl FnOnce() -> Array2<f64>,
        x: Points<'_>,
        compute: &Compute,
    ) -> Result<Option<Array2<f64>>> {
        let (Points::Vectors(x), Points::Vectors(vectors)) = (support.kernel.points(x), support.vectors.as_points())
        else {
            return Ok(None);
        };
        if x.ncols() != vectors.ncols() || !support.has_few_features() {
            return Ok(None);
        }
        let function = match self.0.get() {
            Some(function) => function,
            None => {
                let made = FeatureFunction::new(&support.kernel, vectors, coefficients().view(), false, compute)?;
                self.0.get_or_init(|| Arc::new(made))
            }
        };
        function.values(x, compute).map(Some)
    }
}
