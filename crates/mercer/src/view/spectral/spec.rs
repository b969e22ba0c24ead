//! The specification of spectral clustering.

use super::SpectralFit;
use super::gaps::spectrum_of;
use super::spectrum::Spectrum;
use crate::learner::Plan;
use crate::points::Size;
use crate::settings::Settings;
use crate::solve::leading_bytes;
use crate::view::kmeans::{
    ChosenClusters, ClusterCount, ClusterPlan, ClusterSolver, CountRule, KMeansInit, Search, Work, stability, vectors,
};
use crate::{Compute, Error, Kernel, Points, Result};

/// Products with the kernel matrix that a plan counts with.
const PRODUCTS: f64 = 30.0;
/// Vectors beyond the eigenvectors in a product.
const SPARE: usize = 8;
/// Eigenvalues of `D^{−½}KD^{−½}` up to this size are rounding.
const ROUNDING: f64 = 1e-10;

/// Spectral clustering: k-means on the leading eigenvectors of the normalized Gram matrix.
///
/// # Formula
/// `A = K` with its diagonal, `D = diag(K1)`, `L = I − D^{−½}AD^{−½}`. With orthonormal
/// eigenvectors `u₁, …, uₖ` of the `k` smallest eigenvalues of `L`, point `i` has the coordinates
/// `uᵢc/√dᵢ`; k-means on these coordinates gives the clusters. A new point has the coordinates `Σᵢ
/// k(x, xᵢ)eᵢc / (d(x)(1 − λ_c))`, with `eᵢ` those of point `i` and `d(x) = Σᵢ k(x, xᵢ)`: for a
/// point of the fit, its own.
///
/// # Theory
/// The eigenvectors solve the relaxation of the normalized cut [Shi and Malik 2000; von Luxburg
/// 2007]: `Σ_c cut(c)/Σ_{i ∈ c} dᵢ`. `k` groups without affinity between them have `k` eigenvalues
/// 0, and coordinates that are constant on each group; scikit-learn's `SpectralClustering` has the
/// same coordinates, of affinities without the diagonal. Affinities must not be negative; the
/// kernel need not be positive semi-definite. Isolated points, whose affinities are all 0, have
/// coordinates 0, do not move the centers, and belong to the center nearest to 0;
/// [`SpectralFit::isolated`] lists them.
///
/// # Cost
/// The kernel matrix once, and some tens of products with `k + 8` vectors, or, if the eigenvalues
/// lie too close together for these, a Cholesky factor (`n³/3`). `8n²` bytes for the matrix where
/// they fit into the memory limit; beyond some 10⁵ points Nyström features, in time linear in the
/// points.
///
/// # Example
/// ```
/// use mercer::{Compute, view::SpectralClustering};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]];
/// let compute = Compute::new();
/// let fit = SpectralClustering::new("gaussian()".parse()?, 2).fit(x.view(), &compute)?;
/// assert_eq!(fit.labels(), [0, 0, 0, 1, 1, 1]);
/// mercer::assert_close!(fit.eigenvalues()[0], 0.0, abs = 1e-14);
/// assert!(fit.eigenvalues()[1] < 1e-7);
/// assert_eq!(fit.predict(array![[-1.0], [12.0]].view(), &compute)?, [0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralClustering {
    /// The kernel, with values that are not negative.
    pub kernel: Kernel,
    /// `k`: given, or chosen from the data.
    pub clusters: ClusterCount,
    /// Starts of k-means on the coordinates.
    pub starts: usize,
    /// Lloyd's steps and passes of single moves of every start, at most.
    pub max_iterations: usize,
    /// How the first means are chosen.
    pub init: KMeansInit,
    /// How the eigenvectors are found.
    pub solver: ClusterSolver,
    /// The number of landmarks; if it is set, [`ClusterSolver::Auto`] uses them.
    pub landmarks: Option<usize>,
}

impl SpectralClustering {
    /// Ten starts by k-means++, at most 300 iterations, an automatic choice of the solver.
    pub fn new(kernel: Kernel, clusters: impl Into<ClusterCount>) -> Self {
        Self {
            kernel,
            clusters: clusters.into(),
            starts: 10,
            max_iterations: 300,
            init: KMeansInit::KMeansPlusPlus,
            solver: ClusterSolver::Auto,
            landmarks: None,
        }
    }

    /// The plan for `rows` points of `columns` numbers: what [`SpectralClustering::fit`] will run.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit, [`Error::Parameter`] for settings
    /// out of range.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::SpectralClustering};
    /// let spec = SpectralClustering::new("gaussian()".parse()?, 5);
    /// let plan = spec.plan(200_000, 10, &Compute::new().with_memory(1 << 30))?;
    /// assert!(plan.to_string().contains("landmarks"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> Result<Plan> {
        self.check()?;
        Ok(self.plan_for(rows, columns as f64, self.clusters.most(), compute)?.plan)
    }

    /// The plan for a sample of this size.
    pub(super) fn plan_of(&self, size: Size, compute: &Compute) -> Result<Plan> {
        Ok(self.plan_for(size.rows, size.work, self.clusters.most(), compute)?.plan)
    }

    pub(super) fn plan_for(&self, rows: usize, work: f64, vectors: usize, compute: &Compute) -> Result<ClusterPlan> {
        let width = vectors.min(rows) + SPARE;
        let request = Work {
            what: "spectral clustering",
            rows,
            pair: 2.0 * work + 10.0,
            value: 2.0 * width as f64,
            feature: 2.0 * vectors as f64,
            passes: PRODUCTS,
            vectors: leading_bytes(rows, vectors) + 8 * rows as u64 * width as u64,
            clusters: vectors,
            landmarks: !self.kernel.is_precomputed(),
        };
        request.plan(self.solver, self.landmarks, compute)
    }

    /// Clusters the points. With a kernel over `precomputed()`, `x` is the symmetric matrix of
    /// affinities.
    ///
    /// # Errors
    /// [`Error::Parameter`] for settings out of range; [`Error::TooFew`] for no points, or fewer
    /// distinct points than clusters; [`Error::Value`] with the pair of a negative kernel value;
    /// [`Error::AllZero`] when all are 0; [`Error::Memory`], [`Error::NotConverged`],
    /// [`Error::Canceled`]; as [`Kernel::bind`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<SpectralFit> {
        let x = self.kernel.points(x);
        // Steps of few points are over before another thread is awake: all of them run in the pool.
        compute.install(|| self.fit_points(x, compute))
    }

    fn fit_points(&self, x: Points<'_>, compute: &Compute) -> Result<SpectralFit> {
        self.check()?;
        if x.is_empty() {
            return Err(Error::too_few("clustering", "points", 1, 0));
        }
        x.check_finite("points")?;
        let (spectrum, chosen) = match self.clusters {
            ClusterCount::Auto { max, rule: CountRule::Eigengap } => {
                let (spectrum, chosen) = spectrum_of(self, x, max, compute)?;
                (spectrum.truncated(chosen.clusters), Some(chosen))
            }
            ClusterCount::Auto { max, rule: CountRule::Stability } => {
                let chosen = self.stable_count(x, max, compute)?;
                (self.spectrum(x, chosen.clusters, compute)?, Some(chosen))
            }
            ClusterCount::Fixed(clusters) => (self.spectrum(x, clusters, compute)?, None),
        };
        let clusters = chosen.as_ref().map_or(self.clusters.most(), |chosen| chosen.clusters);
        let plan = self.plan_for(x.len(), x.size().work, clusters, compute)?;
        self.cluster(spectrum, self.search(clusters), chosen, plan, compute)
    }

    fn spectrum(&self, x: Points<'_>, clusters: usize, compute: &Compute) -> Result<Spectrum> {
        if clusters > x.len() {
            return Err(self.search(clusters).too_few(x.len()));
        }
        let plan = self.plan_for(x.len(), x.size().work, clusters, compute)?;
        Spectrum::new(&self.kernel, x, clusters, &plan, compute)
    }

    fn stable_count(&self, x: Points<'_>, max: usize, compute: &Compute) -> Result<ChosenClusters> {
        stability(x, max, compute, &|half, all, clusters, compute| {
            Self { clusters: clusters.into(), ..self.clone() }.fit(half, compute)?.predict(all, compute)
        })
    }

    /// k-means on the coordinates of the points that are not isolated.
    fn cluster(
        &self,
        spectrum: Spectrum,
        search: Search,
        chosen: Option<ChosenClusters>,
        plan: ClusterPlan,
        compute: &Compute,
    ) -> Result<SpectralFit> {
        let meaningful = spectrum.values.iter().filter(|value| value.abs() > ROUNDING).count();
        if meaningful < search.clusters {
            return Err(search.too_few(meaningful));
        }
        let mut weights = vec![1.0; spectrum.embedding.nrows()];
        spectrum.isolated.iter().for_each(|&point| weights[point] = 0.0);
        let found = vectors::cluster(spectrum.embedding.clone(), &weights, search, compute)?;
        let settings = self.settings().with("seed", compute.seed());
        Ok(SpectralFit::new(spectrum, found, chosen, plan, settings))
    }

    fn check(&self) -> Result<()> {
        self.clusters.check()?;
        self.search(self.clusters.most()).check()
    }

    fn search(&self, clusters: usize) -> Search {
        Search { clusters, starts: self.starts, max_iterations: self.max_iterations, init: self.init }
    }

    /// The settings by name: `kernel`, `clusters` (or `max_clusters` and `rule`), `starts`,
    /// `max_iterations`, `init`, `solver`, `landmarks`.
    pub fn settings(&self) -> Settings {
        self.clusters
            .put(Settings::new())
            .with("kernel", &self.kernel)
            .with("starts", self.starts)
            .with("max_iterations", self.max_iterations)
            .with("init", self.init.name())
            .with("solver", self.solver.name())
            .with_some("landmarks", self.landmarks)
    }
}
