//! The specification of classical scaling, and its fit.

use ndarray::ArrayView2;

use super::fit::embedding;
use super::halved::Halved;
use super::negative::NegativePart;
use super::{ClassicalScalingFit, EigenPlan, EigenSolver, stress};
use crate::error::{PrecomputedNeed, Requirement};
use crate::gram::{Pairs, Tiles};
use crate::kernel::{Property, Verdict};
use crate::points::Size;
use crate::settings::Settings;
use crate::view::eigen::{EigenRequest, Projection};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Rows up to which all eigenvalues are computed for a kernel that is not proven negative definite:
/// seconds on a few cores.
const WHOLE: usize = 2500;

/// Classical scaling: vectors whose squared distances are the values of a negative-definite kernel.
///
/// # Formula
/// `B = −½HDH` with `Dᵢⱼ = κ(xᵢ, xⱼ)` and `H = I − 11ᵀ/n`; `Bvⱼ = μⱼvⱼ`, `μ₁ ≥ μ₂ ≥ …`; the
/// coordinates are `√μⱼ vⱼ`. A new point has the coordinates `Σᵢ v_ij b(t, xᵢ)/√μⱼ` with
/// `b(t, xᵢ) = −½(κ(t, xᵢ) − meanₗ κ(t, xₗ) − meanₗ κ(xₗ, xᵢ) + meanₗₘ κ(xₗ, xₘ))` (Gower 1968). Of
/// every `vⱼ` the entry that is the largest in size is positive.
///
/// # Theory
/// `B` is positive semi-definite for all points if and only if `κ` is negative definite (Schoenberg
/// 1938): then `κ(x, y) − ½κ(x, x) − ½κ(y, y)` are squared distances of points in a Euclidean
/// space, and classical scaling finds these, up to a motion; fewer coordinates are their principal
/// components. Otherwise the negative eigenvalues are the part that no Euclidean space holds:
/// [`ClassicalScalingFit::negative_part`].
///
/// # Cost
/// As [`KernelPca`](crate::view::pca::KernelPca), without landmarks, and one pass over the pairs
/// for the stress.
///
/// # Example
/// ```
/// use mercer::{Compute, view::scaling::ClassicalScaling};
/// use ndarray::array;
/// let compute = Compute::new();
/// // Three points on a line, known by their squared distances 1, 4 and 9.
/// let squares = array![[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]];
/// let spec = ClassicalScaling::new("precomputed()".parse()?, Some(1));
/// let fit = spec.fit(squares.view(), &compute)?;
/// let y = fit.embedding();
/// mercer::assert_close!((y[[0, 0]] - y[[1, 0]]).abs(), 1.0, abs = 1e-13);
/// mercer::assert_close!((y[[1, 0]] - y[[2, 0]]).abs(), 2.0, abs = 1e-13);
/// mercer::assert_close!(fit.stress(), 0.0, abs = 1e-13);
/// assert_eq!(fit.negative_part().lower, 0.0);
/// // The point halfway between the first two.
/// let between = fit.transform(array![[0.25, 0.25, 6.25]].view(), &compute)?;
/// mercer::assert_close!(between[[0, 0]], (y[[0, 0]] + y[[1, 0]]) / 2.0, abs = 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicalScaling {
    /// The negative-definite kernel: `sqdist()`, `distance(power=…)`, `log_distance()`,
    /// `squared_mmd(…)` on bags, or `precomputed()` squared distances.
    pub kernel: Kernel,
    /// The number of coordinates; as many as there are positive eigenvalues where there is none. At
    /// most as many as points. Coordinates beyond the positive eigenvalues are 0.
    pub components: Option<usize>,
    /// The solver; never [`EigenSolver::Nystrom`] or [`EigenSolver::FiniteRank`].
    pub solver: EigenSolver,
    /// Whether to accept a kernel that is known not to be negative definite.
    pub indefinite: bool,
}

impl ClassicalScaling {
    /// Coordinates of a negative-definite kernel, with an automatic choice of the solver.
    pub fn new(kernel: Kernel, components: Option<usize>) -> Self {
        Self { kernel, components, solver: EigenSolver::Auto, indefinite: false }
    }

    /// The plan for points of this size: what [`ClassicalScaling::fit`] will run. All eigenvalues
    /// are computed up to 2500 points of a kernel that is not proven negative definite, so that its
    /// negative part is known exactly.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit, [`Error::Unsupported`] for
    /// [`EigenSolver::Nystrom`].
    pub fn plan(&self, size: Size, compute: &Compute) -> Result<EigenPlan> {
        self.request(size, self.kernel.property(Property::NegativeSemidefinite).is_proven())?.plan(compute)
    }

    fn request(&self, size: Size, proven: bool) -> Result<EigenRequest> {
        if let EigenSolver::Nystrom | EigenSolver::FiniteRank = self.solver {
            let reason = "a negative-definite kernel has no features";
            return Err(Error::unsupported("features", "classical scaling", reason, "use the solver leading"));
        }
        Ok(EigenRequest {
            size,
            features: None,
            rank: None,
            components: self.components,
            solver: self.solver,
            landmarks: None,
            nystrom: false,
            whole: if proven { 0 } else { WHOLE },
        })
    }

    /// Finds the coordinates of the points of a sample. With a kernel over `precomputed()`, `x` is
    /// the symmetric matrix of squared distances.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no points, [`Error::Parameter`] for 0 components, [`Error::Value`] for
    /// data that is not finite or a negative squared distance, [`Error::Precomputed`] for a matrix
    /// that is not symmetric, [`Error::Unsupported`] for a kernel that is known not to be negative
    /// definite (a positive definite one above all), [`Error::Memory`], [`Error::NotConverged`],
    /// [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<ClassicalScalingFit> {
        let x = self.kernel.points(x);
        if x.is_empty() {
            return Err(Error::too_few("classical scaling", "points", 1, 0));
        }
        if self.components == Some(0) {
            return Err(Error::parameter("components", 0, 1..));
        }
        let proven = self.check_kernel(x)?;
        let bound = self.kernel.bind(Pairs::Within(x), compute)?;
        if bound.shape() != (x.len(), x.len()) || !bound.symmetric() {
            return Err(Error::precomputed("a fit on precomputed squared distances", PrecomputedNeed::Symmetric));
        }
        if let Points::Precomputed(values) = x {
            check_squares(values)?;
        }
        let request = self.request(EigenRequest::size_of(x), proven)?;
        let plan = request.plan(compute)?;
        let inner = Halved(&bound);
        let (mut eigen, plan) = request.solve(&inner, plan, compute)?;
        let values = self.kept(&eigen.values, eigen.rounding);
        eigen.vectors = eigen.vectors.slice_move(ndarray::s![.., ..values.len()]);
        let (coefficients, offset) = eigen.functions(&values);
        let embedding = embedding(&eigen.vectors, &values);
        let negative = NegativePart::of(&eigen, proven, &inner, compute)?;
        let stress = stress::kruskal(&bound, embedding.view(), compute)?;
        let centers = Sample::kept(x);
        let kernel = bound.kernel().clone();
        Ok(ClassicalScalingFit {
            // b(t, xᵢ) = −½κ(t, xᵢ) + …: the factor goes into the coefficients.
            projection: Projection {
                kept: Default::default(),
                kernel,
                centers,
                coefficients: coefficients * -0.5,
                offset,
            },
            eigenvalues: values.into(),
            embedding,
            negative,
            stress,
            evidence: eigen.evidence,
            plan,
            settings: self.settings(),
        })
    }

    /// Whether the kernel is proven negative definite on these points; an error where it is known
    /// not to be.
    fn check_kernel(&self, x: Points<'_>) -> Result<bool> {
        let property = |property| match x {
            Points::Vectors(_) | Points::Sparse(_) => self.kernel.property_on(property, x.columns()),
            _ => self.kernel.property(property),
        };
        let found = property(Property::NegativeSemidefinite);
        if found.is_proven() || self.indefinite {
            return Ok(found.is_proven());
        }
        if property(Property::PositiveSemidefinite).is_proven() {
            let instead = "use kernel principal components, or a negative-definite kernel such as sqdist(), \
                           distance(power=1), log_distance() or squared_mmd(…) on bags";
            return Err(
                self.refusal("it is positive definite: its values are inner products, not squared distances", instead)
            );
        }
        match found {
            Verdict::Refuted(proof) => {
                Err(self.refusal(&format!("it is not negative definite ({proof})"), "allow an indefinite kernel"))
            }
            _ => Ok(false),
        }
    }

    fn refusal(&self, reason: &str, instead: &str) -> Error {
        Error::unsupported("classical scaling", self.kernel.short(), reason, instead)
    }

    /// The eigenvalues of the coordinates: 0 for rounding errors, and without those that are not
    /// positive unless so many were requested.
    fn kept(&self, values: &[f64], rounding: f64) -> Vec<f64> {
        let rounded = values.iter().map(|&v| if v.abs() > rounding { v } else { 0.0 });
        rounded.filter(|v| self.components.is_some() || *v > 0.0).collect()
    }

    /// The settings by name: `kernel`, `components`, `solver`, `indefinite`.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.kernel)
            .with_some("components", self.components)
            .with("solver", self.solver.name())
            .with("indefinite", self.indefinite)
    }
}

/// Refuses negative squared distances.
fn check_squares(values: ArrayView2<f64>) -> Result<()> {
    match values.indexed_iter().find(|(_, v)| **v < 0.0) {
        None => Ok(()),
        Some(((row, column), value)) => {
            let requirement = Requirement::Words("a squared distance must be at least 0".into());
            Err(Error::value("squared distances", (row, column), value, requirement))
        }
    }
}
