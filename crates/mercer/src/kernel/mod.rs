//! `k`: kernels as values. A [`Kernel`] is plain data, validated at construction, printed as the
//! text that makes it again. [`Kernel::bind`](crate::gram) turns it into tiles of numbers.

pub mod algebra;
pub mod bags;
mod base;
pub mod catalogue;
pub(crate) mod check_domain;
pub(crate) mod closed_forms;
mod column_product;
pub mod columnwise;
pub mod custom;
mod default;
mod domain;
pub mod elementary;
pub(crate) mod equal_objects;
mod evaluate;
pub(crate) mod facts;
pub mod graphs;
pub mod inner_product;
mod kinks;
pub(crate) mod leaf;
mod lengthscale;
pub mod negative;
pub mod number;
pub(crate) mod object;
mod operators;
mod parameters;
mod prelude;
pub mod process;
mod properties;
pub mod radial;
pub(crate) mod sparse_rows;
pub mod strings;
mod terms;
pub mod text;
mod used_columns;
mod whole;

pub use crate::counterexample::Counterexample;
use crate::points::{PointKind, Points};
pub use algebra::columns::ColumnRef;
pub use algebra::conformal::ConformalFactor;
pub use algebra::schoenberg::BasePoint;
pub use algebra::series::Series;
pub use algebra::transformed::{PointList, PointMap};
pub use bags::embedding::EmbeddingForm;
pub use base::Base;
pub(crate) use base::{ColumnwiseVisitor, Form, ProfileVisitor};
pub use custom::CustomKernel;
pub use domain::Domain;
pub use leaf::MetricKind;
pub use lengthscale::Lengthscale;
use number::{NonNegative, Positive, Whole};
pub use parameters::Parameter;
pub use properties::{Proof, Property, Verdict};
pub use terms::Terms;
pub use whole::WholeParameter;

/// A kernel: an expression over base kernels.
///
/// Its text is its serial form, its Python `repr`, its command-line argument and its name in error
/// messages.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "2*gaussian(lengthscale=0.5) + on([0, 1], linear())".parse()?;
/// assert_eq!(k.to_string().parse::<Kernel>()?, k);
/// assert_eq!(k.evaluate(&[1.0, 0.0], &[1.0, 0.0])?, 3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kernel {
    /// A base kernel.
    Base(Base),
    /// `a·k`, `a ≥ 0`.
    Scale(NonNegative, Box<Kernel>),
    /// `k₁ + … + kₘ`.
    Sum(Terms),
    /// `k₁ · … · kₘ`.
    Product(Terms),
    /// `kᵐ` for whole `m ≥ 1`.
    Power(Box<Kernel>, Whole),
    /// `exp(k)`.
    Exp(Box<Kernel>),
    /// `Σ aₙkⁿ`, `aₙ ≥ 0`.
    Series(Series, Box<Kernel>),
    /// `k(x, y)/√(k(x, x)k(y, y))`.
    Normalized(Box<Kernel>),
    /// `k` on some of the columns.
    On(Vec<ColumnRef>, Box<Kernel>),
    /// `k₁ − k₂`: writable, never assumed positive.
    Minus(Box<Kernel>, Box<Kernel>),
    /// `f(x)k(x, y)f(y)`.
    Conformal(ConformalFactor, Box<Kernel>),
    /// `k(s(x), s(y))`.
    Transformed(PointMap, Box<Kernel>),
    /// `exp(−tκ)`.
    Schoenberg(Positive, Box<Kernel>),
    /// `κ(x, x₀) + κ(y, x₀) − κ(x, y) − κ(x₀, x₀)`.
    Based(BasePoint, Box<Kernel>),
    /// `Σₗ k(x, zₗ)k(y, zₗ)`.
    Induced(PointList, Box<Kernel>),
    /// A kernel on bags, through their mean embeddings by `k`.
    Embedded(EmbeddingForm, Box<Kernel>),
    /// The shortest path kernel on graphs with `k` on the vectors of the vertices, and whether the
    /// labels must be equal, too.
    NodePaths(bool, Box<Kernel>),
}

impl Kernel {
    /// The kernels directly inside this one.
    pub fn children(&self) -> Vec<&Kernel> {
        match self {
            Self::Base(_) => Vec::new(),
            Self::Sum(terms) | Self::Product(terms) => terms.iter().collect(),
            Self::Minus(a, b) => vec![a, b],
            Self::Scale(_, k)
            | Self::Power(k, _)
            | Self::Exp(k)
            | Self::Series(_, k)
            | Self::Normalized(k)
            | Self::On(_, k)
            | Self::Conformal(_, k)
            | Self::Transformed(_, k)
            | Self::Schoenberg(_, k)
            | Self::Based(_, k)
            | Self::Induced(_, k)
            | Self::Embedded(_, k)
            | Self::NodePaths(_, k) => vec![k],
        }
    }

    /// Whether it uses a precomputed matrix.
    pub fn is_precomputed(&self) -> bool {
        matches!(self, Self::Base(base) if base.form() == Form::Matrix)
            || self.children().into_iter().any(Self::is_precomputed)
    }

    /// Whether nothing is known of some part but its values: they were precomputed, or a program
    /// computes them and does not declare that they are positive semi-definite. No search for
    /// counterexamples has been made, so that a method must look at the values itself.
    pub(crate) fn has_unknown_values(&self) -> bool {
        let unknown = self.is_precomputed() || self.first_custom().is_some();
        unknown && !self.property(Property::PositiveSemidefinite).is_proven()
    }

    /// Whether its values are inner products of explicit features of objects: what
    /// [`Bound::features`](crate::gram::Bound::features) then gives.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// assert!("2*normalized(spectrum(length=3)) + 1".parse::<Kernel>()?.has_features());
    /// assert!(!"exp(spectrum(length=3))".parse::<Kernel>()?.has_features());
    /// assert!(!"gaussian()".parse::<Kernel>()?.has_features());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn has_features(&self) -> bool {
        // Constants alone are features of nothing.
        self.is_of_features() && self.point_kind().is_some()
    }

    /// Whether its values on points of a kind are inner products of explicit features: as
    /// [`Kernel::has_features`], and `linear()` on sparse vectors, whose features are the vectors
    /// themselves.
    pub fn has_features_on(&self, kind: PointKind) -> bool {
        self.has_features() || kind == PointKind::Sparse && self.is_of_coordinates()
    }

    fn is_of_coordinates(&self) -> bool {
        match self {
            Self::Base(base) => base.constant().is_some() || base.is_inner_product(),
            Self::Scale(..) | Self::Normalized(_) | Self::On(..) | Self::Sum(_) => {
                self.children().into_iter().all(Self::is_of_coordinates)
            }
            _ => false,
        }
    }

    fn is_of_features(&self) -> bool {
        match self {
            Self::Base(base) => {
                base.constant().is_some() || base.as_object().is_some_and(|object| object.has_features())
            }
            Self::Scale(..) | Self::Normalized(_) | Self::On(..) | Self::Conformal(..) | Self::Sum(_) => {
                self.children().into_iter().all(Self::is_of_features)
            }
            _ => false,
        }
    }

    /// The kind of points that it takes; `None` where any kind will do, as for a constant.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::PointKind};
    /// let k: Kernel = "2*normalized(spectrum(length=3)) + 1".parse()?;
    /// assert_eq!(k.point_kind(), Some(PointKind::Strings));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn point_kind(&self) -> Option<PointKind> {
        match self {
            Self::Base(base) if base.form() == Form::Matrix => Some(PointKind::Precomputed),
            Self::Base(base) if base.constant().is_some() => None,
            Self::Base(base) => Some(base.domain().objects().unwrap_or(PointKind::Vectors)),
            Self::Embedded(..) => Some(PointKind::Bags),
            Self::NodePaths(..) => Some(PointKind::Graphs),
            Self::On(_, k) => k.point_kind().map(|kind| if kind.is_object() { PointKind::Mixed } else { kind }),
            other => {
                let kinds: Vec<PointKind> = other.children().into_iter().filter_map(Self::point_kind).collect();
                kinds.iter().find(|kind| **kind == PointKind::Mixed).or(kinds.first()).copied()
            }
        }
    }

    /// Points as this kernel takes them: a matrix holds kernel values for a kernel over
    /// `precomputed()`, and vectors for any other.
    pub fn points<'a>(&self, x: impl Into<Points<'a>>) -> Points<'a> {
        match x.into() {
            Points::Vectors(values) if self.is_precomputed() => Points::Precomputed(values),
            points => points,
        }
    }

    /// The same operation on other kernels: `rebuild` is called for each child in order.
    pub(crate) fn map_children(
        &self,
        rebuild: &mut dyn FnMut(&Kernel) -> crate::Result<Kernel>,
    ) -> crate::Result<Kernel> {
        let mut boxed = |k: &Kernel| rebuild(k).map(Box::new);
        Ok(match self {
            Self::Base(base) => Self::Base(base.clone()),
            Self::Sum(terms) => Self::Sum(terms.map(rebuild)?),
            Self::Product(terms) => Self::Product(terms.map(rebuild)?),
            Self::Minus(a, b) => Self::Minus(boxed(a)?, boxed(b)?),
            Self::Scale(a, k) => Self::Scale(*a, boxed(k)?),
            Self::Power(k, m) => Self::Power(boxed(k)?, *m),
            Self::Exp(k) => Self::Exp(boxed(k)?),
            Self::Series(s, k) => Self::Series(s.clone(), boxed(k)?),
            Self::Normalized(k) => Self::Normalized(boxed(k)?),
            Self::On(c, k) => Self::On(c.clone(), boxed(k)?),
            Self::Conformal(f, k) => Self::Conformal(f.clone(), boxed(k)?),
            Self::Transformed(m, k) => Self::Transformed(m.clone(), boxed(k)?),
            Self::Schoenberg(t, k) => Self::Schoenberg(*t, boxed(k)?),
            Self::Based(at, k) => Self::Based(at.clone(), boxed(k)?),
            Self::Induced(z, k) => Self::Induced(z.clone(), boxed(k)?),
            Self::Embedded(form, k) => Self::Embedded(form.clone(), boxed(k)?),
            Self::NodePaths(labels, k) => Self::NodePaths(*labels, boxed(k)?),
        })
    }
}
