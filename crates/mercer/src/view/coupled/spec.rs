//! The specification of a coupled embedding, and its fit.

use super::affinity::{Affinity, Coupling, Weights};
use super::decompose::Mode;
use super::fit::CoupledFit;
use super::solve::solve;
use crate::definiteness::require_psd_for;
use crate::error::{AllowedRange, PrecomputedNeed};
use crate::gram::{Bound, Pairs, Tiles};
use crate::learner::{FitSize, Plan};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Coupled kernel embedding (Ren, Dai and Yan 2012): points of two modes, such as images of low and
/// of high resolution, in one space, in which points that belong together are near.
///
/// # Formula
/// `Z = blkdiag(K_L, K_H)`, `G = [[D_L, −W], [−Wᵀ, D_H]]`, where `W ≥ 0` are the weights of the pairs
/// of a low and a high point ([`Affinity`]), `D_L` and `D_H` its sums of rows and of columns.
/// `min tr(UᵀZGZᵀU) = Σ Wᵢⱼ‖f_L(xᵢ) − f_H(yⱼ)‖²` subject to `Uᵀ(ZZᵀ + ρI)U = I`, solved by
/// `ZGZᵀu = μ(ZZᵀ + ρI)u` for the smallest `μ`; `ρ` is [`CoupledEmbedding::reg`]. The coordinates of
/// new points are `f_L(x) = U_Lᵀk_L(X, x)` and `f_H(y) = U_Hᵀk_H(Y, y)`. Kernel matrices are not
/// centered.
///
/// # Theory
/// For `ρ = 0` and invertible kernel matrices the `μ` are the eigenvalues of `G`, for `ρ > 0` each is
/// at most that (interlacing). `G` has one eigenvalue 0 for every set of points that hang together by
/// `W`: one for pairs that are all linked, and one per class for [`Affinity::Class`], with the
/// functions that are constant on each class.
///
/// **None of them is skipped.** `components` counts the smallest `μ` from the first one: with class
/// affinity the first coordinates are the class indicators, which is what recognition needs, and a
/// basis of them that is determined only as a whole. Use at least as many components as classes.
/// What is left out beforehand are directions in which a kernel matrix is nearly 0
/// ([`CoupledEmbedding::cutoff`], [`CoupledFit::null`]): for `ρ > 0` they have a small `μ` although no
/// points meet there, because their functions are nearly 0 at all points.
///
/// # Settings that work
/// `gaussian(lengthscale=median)` for both modes, the defaults, class affinity, and as many components
/// as classes. On the Olivetti faces (40 persons, 5 pairs of images each to train and 5 to test, 10
/// random splits, `examples/faces.rs`) the right person is found among images of 64×64 pixels for
/// 94.5 % of images of 8×8 pixels and 95.8 % of 12×12, with linear kernels for 86 % and 91 %, and by
/// the nearest neighbor of the enlarged image for 69 % and 84 %. With Gaussian kernels `ρ` from 1e-6
/// to 10 and 20 to 120 components differ by less than 3 %.
///
/// # Cost
/// Eigendecompositions of both kernel matrices and of one matrix of their common size: `47n³` for
/// `n` points of each mode, about `144n²` bytes. With [`CoupledEmbedding::landmarks`] `m` takes the
/// place of `n`, beside `O(nm²)`.
///
/// # Example
/// ```
/// use mercer::{Compute, view::coupled::{CoupledEmbedding, Coupling}};
/// use ndarray::array;
/// let compute = Compute::new();
/// let linear: mercer::Kernel = "linear()".parse()?;
/// let spec = CoupledEmbedding { reg: 0.0, ..CoupledEmbedding::new(linear.clone(), linear, 2) };
/// // Two points per mode, one of each class: G = [[1, 0, −1, 0], …] has the eigenvalues 0, 0, 2, 2.
/// let (low, high) = (array![[1.0, 0.0], [0.0, 2.0]], array![[0.0, 1.0], [3.0, 0.0]]);
/// let fit = spec.fit(&low, &high, &Coupling::labels(&[7, 9], &[7, 9]), &compute)?;
/// mercer::assert_close!(fit.objective(), 0.0, abs = 1e-15);
/// assert_eq!(fit.matches(&low, &high, 1, &compute)?.indices, array![[0], [1]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CoupledEmbedding {
    /// The kernel of the low points.
    pub kernel_low: Kernel,
    /// The kernel of the high points.
    pub kernel_high: Kernel,
    /// The dimension of the embedding: how many of the smallest `μ` are used.
    pub components: usize,
    /// `ρ ≥ 0`, beside the squares of the kernel matrices. Larger values make functions smoother, and
    /// let directions of small eigenvalues of the kernel matrices come first.
    pub reg: f64,
    /// Eigenvectors of a kernel matrix with an eigenvalue of at most this part of the largest are
    /// left out; 0 leaves out those that are rounding, whose functions are 0 everywhere.
    ///
    /// The default `1e-6` changes nothing where kernel matrices are well conditioned, as for images.
    /// Smooth kernels on few columns have many tiny eigenvalues, whose directions then fill the first
    /// components: for six classes in 2 and 5 columns 46 % of new points are matched to their class
    /// with 0, 85 % with 1e-6, 93 % with 1e-4; with 1e-2 too few directions are left.
    pub cutoff: f64,
    /// How the weights of the pairs are made.
    pub affinity: Affinity,
    /// Functions on this many landmarks of each mode, drawn by random pivots: an approximation for
    /// modes whose kernel matrices do not fit into memory.
    pub landmarks: Option<usize>,
}

impl CoupledEmbedding {
    /// Class affinity, `reg = 1e-6`, `cutoff = 1e-6`.
    pub fn new(kernel_low: Kernel, kernel_high: Kernel, components: usize) -> Self {
        let (affinity, landmarks) = (Affinity::Class, None);
        Self { kernel_low, kernel_high, components, reg: 1e-6, cutoff: 1e-6, affinity, landmarks }
    }

    /// Fits both modes. With a kernel over `precomputed()` the points of that mode are the matrix of
    /// its kernel values.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no component, more than the ranks of the kernel matrices, a negative
    /// `reg`, a `cutoff` outside [0, 1) or a number of neighbors that the data does not have; [`Error::Unsupported`] for an
    /// affinity without its labels or weights; [`Error::Shape`] and [`Error::Value`] for labels or
    /// weights that do not fit the points or are negative; [`Error::AllZero`] for a point without
    /// partner; [`Error::TooFew`] for a mode without points; [`Error::NotPositiveDefinite`],
    /// [`Error::Memory`], [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        low: impl Into<Points<'x>>,
        high: impl Into<Points<'x>>,
        coupling: &Coupling<'_>,
        compute: &Compute,
    ) -> Result<CoupledFit> {
        let (low, high) = (self.kernel_low.points(low), self.kernel_high.points(high));
        self.check()?;
        let bound_low = bind(&self.kernel_low, low, "low", compute)?;
        let bound_high = bind(&self.kernel_high, high, "high", compute)?;
        let sizes = (low.len(), high.len());
        let weights = Weights::new(self.affinity, coupling, sizes, &bound_high, compute)?;
        compute.report("coupled embedding", 0, 3);
        let first = self.mode(&bound_low, low, compute)?;
        compute.report("coupled embedding", 1, 3);
        let second = self.mode(&bound_high, high, compute)?;
        compute.report("coupled embedding", 2, 3);
        let solution = solve([&first, &second], &weights, self.reg, self.components, compute)?;
        compute.report("coupled embedding", 3, 3);
        let settings = self.settings().with_some("seed", self.landmarks.map(|_| compute.seed()));
        Ok(CoupledFit::new([first, second], solution, settings))
    }

    fn mode(&self, bound: &Bound<'_>, x: Points<'_>, compute: &Compute) -> Result<Mode> {
        match self.landmarks {
            Some(count) if count < x.len() => Mode::on_landmarks(bound.kernel(), x, count, self.cutoff, compute),
            _ => Mode::whole(bound, x, self.cutoff, compute),
        }
    }

    fn check(&self) -> Result<()> {
        if self.components == 0 {
            return Err(Error::parameter("components", 0, 1..));
        }
        if self.landmarks == Some(0) {
            return Err(Error::parameter("landmarks", 0, 1..));
        }
        if !(0.0..1.0).contains(&self.cutoff) {
            return Err(Error::parameter("cutoff", self.cutoff, AllowedRange::at_least(0.0).below(1.0)));
        }
        if self.reg.is_finite() && self.reg >= 0.0 {
            return Ok(());
        }
        Err(Error::parameter("reg", self.reg, AllowedRange::NON_NEGATIVE))
    }

    /// The plan for modes of these sizes.
    ///
    /// # Errors
    /// [`Error::Memory`] when the matrices do not fit into the memory limit; [`Error::Shape`] unless
    /// there are two modes.
    pub fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let [low, high] = size.views.as_slice() else {
            return Err(Error::shape("samples of points", 2, size.views.len()));
        };
        let of = |rows: usize| self.landmarks.map_or(rows, |count| count.min(rows)) as u64;
        let (first, second) = (of(low.rows), of(high.rows));
        let features = 8 * (low.rows as u64 * first + high.rows as u64 * second);
        let bytes = features + 24 * (first + second).pow(2);
        let remedy = "use fewer points, landmarks, or a higher memory limit";
        compute.reserve(crate::error::MemoryPurpose::Fit, "the coupled embedding", bytes, remedy)?;
        let cube = |n: u64| 14.0 / 3.0 * (n as f64).powi(3);
        let flops = cube(first) + cube(second) + cube(first + second) + 2.0 * (first + second) as f64 * features as f64;
        let reason = "eigendecompositions of both kernel matrices, and of the matrix that couples them";
        let plan = Plan::new("eigen", bytes, flops, reason, compute);
        let approximation = self.landmarks.map(|count| format!("functions on at most {count} landmarks of each mode"));
        Ok(Plan { approximation, ..plan })
    }

    /// The settings by name: `kernel_low`, `kernel_high`, `components`, `reg`, `cutoff`, `affinity`
    /// with `neighbors`, `landmarks`.
    pub fn settings(&self) -> Settings {
        let neighbors = if let Affinity::Neighbors { k } = self.affinity { Some(k) } else { None };
        Settings::new()
            .with("kernel_low", &self.kernel_low)
            .with("kernel_high", &self.kernel_high)
            .with("components", self.components)
            .with("reg", self.reg)
            .with("cutoff", self.cutoff)
            .with("affinity", self.affinity.name())
            .with_some("neighbors", neighbors)
            .with_some("landmarks", self.landmarks)
    }
}

/// A kernel on the points of one mode.
fn bind<'a>(kernel: &Kernel, x: Points<'a>, mode: &str, compute: &Compute) -> Result<Bound<'a>> {
    if x.is_empty() {
        return Err(Error::too_few("a coupled embedding", format!("{mode} points"), 1, 0));
    }
    require_psd_for(kernel, x, compute)?;
    let bound = kernel.bind(Pairs::Within(x), compute)?;
    if bound.shape() != (x.len(), x.len()) || !bound.symmetric() {
        return Err(Error::precomputed(format!("the {mode} mode of an embedding"), PrecomputedNeed::Symmetric));
    }
    Ok(bound)
}
