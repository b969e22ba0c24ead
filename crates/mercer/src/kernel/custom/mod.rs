//! Kernels that a program defines itself.

pub(crate) mod leaf;
mod tiles;

use std::fmt::Debug;
use std::sync::Arc;

use ndarray::{Array2, ArrayViewMut2};

pub use leaf::Custom;

use super::{Kernel, Property};
use crate::points::PointKind;
use crate::{Error, Points, Result};

/// A kernel of your own: a name, the points that it takes, and rectangles of its values.
///
/// [`Kernel::custom`] makes it a [`Kernel`]: sums, products and all other operations take it, and so
/// does everything that takes a kernel on these points.
///
/// # Contract
/// `k(x, y)` is symmetric, depends on `x` and `y` alone (not on the rectangle, the thread or the
/// time), and is finite. Symmetry is tested on 8 points at most when the kernel is bound.
///
/// # Cost
/// Binding computes every value once (one half of them within a sample), in parallel, and refuses
/// one that is not finite with its row and column. They are kept, unless they would take more than
/// a quarter of the memory limit: then they are computed again as often as a method reads them.
///
/// # Theory
/// Nothing is known of it but what [`declared`](Self::declared) says, which proofs quote as
/// "declared by its author". It has no parameters, no derivatives, and no second evaluation with
/// more digits.
///
/// # Serial form
/// Its text is `custom("name")`. A text cannot be made a kernel of a program again, so that it is
/// refused where a kernel is read, and a model with such a kernel is refused where it is saved.
///
/// # Example
/// Strings by the letters that they begin with, in a support vector machine:
/// ```
/// use mercer::kernel::CustomKernel;
/// use mercer::learn::svm::{Classes, Svc};
/// use mercer::points::{PointKind, Strings};
/// use mercer::{Compute, Kernel, Points, Result};
/// use ndarray::ArrayViewMut2;
///
/// #[derive(Debug)]
/// struct CommonStart;
///
/// impl CustomKernel for CommonStart {
///     fn name(&self) -> String {
///         "common start".into()
///     }
///
///     fn point_kind(&self) -> PointKind {
///         PointKind::Strings
///     }
///
///     fn tile(&self, rows: Points<'_>, cols: Points<'_>, mut out: ArrayViewMut2<'_, f64>) -> Result<()> {
///         let (rows, cols) = (rows.strings()?, cols.strings()?);
///         for ((i, j), value) in out.indexed_iter_mut() {
///             let pairs = rows.get(i).chars().zip(cols.get(j).chars());
///             *value = pairs.take_while(|(a, b)| a == b).count() as f64;
///         }
///         Ok(())
///     }
/// }
///
/// let words: Strings = ["unhappy", "untrue", "unseen", "react", "redo", "reread"].into_iter().collect();
/// let classes = Classes::from_texts(["un", "un", "un", "re", "re", "re"]);
/// let kernel = Kernel::custom(CommonStart)?;
/// assert_eq!(kernel.to_string(), r#"custom("common start")"#);
/// let compute = Compute::new();
/// let svc = Svc::new(kernel.normalized(), 10.0).fit(&words, &classes, None, &compute)?;
/// let new: Strings = ["unknown", "rename"].into_iter().collect();
/// assert_eq!(svc.predict(&new, &compute)?, [1, 0]);
/// # Ok::<(), mercer::Error>(())
/// ```
/// Vectors, in a ridge regression, as a sum with another kernel:
/// ```
/// use mercer::kernel::{CustomKernel, Property};
/// use mercer::learn::ridge::Ridge;
/// use mercer::points::PointKind;
/// use mercer::{Compute, Kernel, Points, Result};
/// use ndarray::{ArrayViewMut2, array};
///
/// /// `min(|x|, |y|)` where both have the same sign, else 0.
/// #[derive(Debug)]
/// struct Branches;
///
/// impl CustomKernel for Branches {
///     fn name(&self) -> String {
///         "branches".into()
///     }
///
///     fn point_kind(&self) -> PointKind {
///         PointKind::Vectors
///     }
///
///     fn tile(&self, rows: Points<'_>, cols: Points<'_>, mut out: ArrayViewMut2<'_, f64>) -> Result<()> {
///         let (x, y) = (rows.vectors()?, cols.vectors()?);
///         for ((i, j), value) in out.indexed_iter_mut() {
///             let (x, y) = (x[[i, 0]], y[[j, 0]]);
///             *value = if x * y > 0.0 { x.abs().min(y.abs()) } else { 0.0 };
///         }
///         Ok(())
///     }
///
///     fn declared(&self, property: Property) -> Option<bool> {
///         (property == Property::PositiveSemidefinite).then_some(true)
///     }
/// }
///
/// let kernel = Kernel::custom(Branches)? + Kernel::constant(1.0)?;
/// assert!(kernel.proof().contains("declared by its author"));
/// let (x, y) = (array![[-2.0], [-1.0], [0.0], [1.0], [2.0]], array![[2.0], [1.0], [0.0], [1.0], [2.0]]);
/// let compute = Compute::new();
/// let fit = Ridge::new(kernel, 1e-6).fit(&x, y.view(), None, &compute)?;
/// mercer::assert_close!(fit.predict(&array![[1.5]], &compute)?[[0, 0]], 1.5, abs = 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait CustomKernel: Debug + Send + Sync {
    /// What texts, reports and errors call it.
    fn name(&self) -> String;

    /// The points that it takes: vectors, strings, graphs, bags or persistence diagrams.
    fn point_kind(&self) -> PointKind;

    /// Writes `k(xᵢ, yⱼ)` to every entry of `out`, which has a row for every point of `rows` and a
    /// column for every point of `cols`. The points are of the kind of
    /// [`point_kind`](Self::point_kind).
    ///
    /// # Errors
    /// If a point is outside of the domain, as [`Error::request`] or [`Error::value`] say.
    fn tile(&self, rows: Points<'_>, cols: Points<'_>, out: ArrayViewMut2<'_, f64>) -> Result<()>;

    /// `k(xᵢ, xᵢ)` of every point; from tiles with one entry where there is no faster way.
    ///
    /// # Errors
    /// As [`tile`](Self::tile).
    fn diagonal(&self, points: Points<'_>) -> Result<Vec<f64>> {
        (0..points.len())
            .map(|i| {
                let point = points.part(i..i + 1);
                let mut value = Array2::zeros((1, 1));
                self.tile(point.as_points(), point.as_points(), value.view_mut())?;
                Ok(value[[0, 0]])
            })
            .collect()
    }

    /// What you know of it: `Some(true)` or `Some(false)`, or `None` where nothing is claimed. Nothing
    /// tests it; [`Property::Bounded`] is told by [`bound`](Self::bound) instead.
    fn declared(&self, _property: Property) -> Option<bool> {
        None
    }

    /// The least upper bound of `k(x, x)`, infinity if there is none, or `None` where nothing is
    /// claimed.
    fn bound(&self) -> Option<f64> {
        None
    }
}

impl Kernel {
    /// A kernel of your own.
    ///
    /// # Errors
    /// [`Error::Request`] for an empty name, and for rows of tables or precomputed values as points:
    /// `on([column], …)` and `precomputed()` are there for these.
    ///
    /// # Example
    /// See [`CustomKernel`].
    pub fn custom(kernel: impl CustomKernel + 'static) -> Result<Self> {
        let kernel = Custom::new(Arc::new(kernel));
        if kernel.name().is_empty() {
            return Err(Error::request("a kernel of your own needs a name, which is empty"));
        }
        match kernel.point_kind() {
            PointKind::Sparse | PointKind::Mixed | PointKind::Precomputed => Err(Error::request(format!(
                "{} takes {}: a kernel of your own takes vectors, strings, graphs, bags or persistence diagrams",
                Self::from(kernel.clone()),
                kernel.point_kind()
            ))),
            _ => Ok(kernel.into()),
        }
    }

    /// Refuses what a kernel of a program cannot do.
    pub(crate) fn refuse_custom(&self, what: &str, reason: &str) -> Result<()> {
        match self.first_custom() {
            None => Ok(()),
            Some(custom) => Err(Error::unsupported(what, Self::from(custom.clone()), reason, "")),
        }
    }

    /// The first kernel in it that a program defined.
    pub(crate) fn first_custom(&self) -> Option<&Custom> {
        match self {
            Self::Base(base) => base.as_custom(),
            other => other.children().into_iter().find_map(Self::first_custom),
        }
    }
}
