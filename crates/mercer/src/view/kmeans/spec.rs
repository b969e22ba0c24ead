//! The specification of kernel k-means.

use ndarray::ArrayView1;

use super::choose::ChosenClusters;
use super::plan::{ClusterPlan, ClusterSolver, Work};
use super::{ClusterCount, KMeansInit, KernelKMeansFit, Search, choose_clusters};
use crate::definiteness::require_psd_for;
use crate::learn::observations::check_weights;
use crate::learner::Plan;
use crate::points::Size;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Passes over the kernel matrix that a plan counts with; later steps of Lloyd change few labels
/// and read few rows.
const PASSES: f64 = 5.0;
/// Passes over features that a plan counts with.
const FEATURE_PASSES: f64 = 30.0;

/// Kernel k-means: `k` clusters with the smallest squared distances from their means in ℋ.
///
/// # Formula
/// `min Σ wᵢ‖φ(xᵢ) − m_c‖²` over partitions into `k` clusters that are not empty, with `m_c = Σ_{i
/// ∈ c} wᵢφ(xᵢ)/W_c` and `W_c = Σ_{i ∈ c} wᵢ`; this is `Σ wᵢk(xᵢ, xᵢ) − Σ_c (1/W_c) Σ_{i, j ∈ c}
/// wᵢwⱼk(xᵢ, xⱼ)`. A sum, not divided by the number of points.
///
/// # Theory
/// Finding the best partition is NP-hard. Each of several starts begins with k-means++ in ℋ, of
/// which one draw for each mean has an expected objective within `8(2 + ln k)` of the best [Arthur and
/// Vassilvitskii 2007]. Here the best of `2 + ⌊ln k⌋` draws is taken, as those authors and scikit-learn
/// do: better on most data, with a weaker bound. Lloyd's steps follow (every point to the nearest mean), and then moves of single points until none
/// improves the objective [Hartigan 1975], a stronger optimum than that of Lloyd's steps alone. The
/// best start is returned. A cluster that becomes empty is opened by the point that is farthest
/// from the mean of its own cluster. Weights count like repetitions; points of weight 0 are
/// assigned at the end. Clusters are numbered by first appearance. On the linear kernel it is
/// ordinary k-means.
///
/// The kernel must be positive semi-definite unless [`indefinite`](Self::indefinite) is set. With
/// an indefinite kernel the objective may be negative, and the partition minimizes it still: a
/// multiple of the identity added to `K` changes the objective of all partitions of points of
/// weight 1 by the same number. Steps of Lloyd that lead up are taken back.
///
/// # Cost
/// `n²` kernel values, `n` additions for every point that changes its cluster, in each start; `8n²`
/// bytes for the kernel matrix where they fit into the memory limit, `4n²` in single precision,
/// else none, and `8nk` for every start. Beyond some 10⁵ points it runs on Nyström features, in
/// time linear in the points; [`KernelKMeans::plan`] reports it in advance.
///
/// # Example
/// ```
/// use mercer::{Compute, view::KernelKMeans};
/// use ndarray::array;
/// let (x, compute) = (array![[0.0], [1.0], [10.0], [12.0]], Compute::new());
/// let fit = KernelKMeans::new("linear()".parse()?, 2).fit(x.view(), None, &compute)?;
/// assert_eq!(fit.labels(), [0, 0, 1, 1]);
/// // ½² + ½² around 0.5, 1² + 1² around 11.
/// mercer::assert_close!(fit.evidence().objective, 2.5, 1e-12);
/// let new = array![[2.0]];
/// assert_eq!(fit.predict(new.view(), &compute)?, [0]);
/// mercer::assert_close!(fit.distances(new.view(), &compute)?[[0, 1]], 9.0, 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelKMeans {
    /// The kernel.
    pub kernel: Kernel,
    /// `k`: given, or chosen from the data (without regard to weights).
    pub clusters: ClusterCount,
    /// Starts from different first means, of which the best is returned.
    pub starts: usize,
    /// Lloyd's steps and passes of single moves of every start, at most.
    pub max_iterations: usize,
    /// How the first means are chosen.
    pub init: KMeansInit,
    /// How the clusters are found.
    pub solver: ClusterSolver,
    /// The number of landmarks; if it is set, [`ClusterSolver::Auto`] uses them.
    pub landmarks: Option<usize>,
    /// Whether a kernel that is not positive semi-definite is accepted.
    pub indefinite: bool,
}

impl KernelKMeans {
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
            indefinite: false,
        }
    }

    /// The plan for `rows` points of `columns` numbers: what [`KernelKMeans::fit`] will run.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit, [`Error::Parameter`] for settings
    /// out of range.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::KernelKMeans};
    /// let spec = KernelKMeans::new("gaussian()".parse()?, 5);
    /// let compute = Compute::new().with_memory(1 << 30);
    /// assert!(spec.plan(5_000, 10, &compute)?.approximation.is_none());
    /// assert!(spec.plan(200_000, 10, &compute)?.approximation.is_some());
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

    pub(super) fn plan_for(&self, rows: usize, work: f64, clusters: usize, compute: &Compute) -> Result<ClusterPlan> {
        if self.indefinite && (self.solver == ClusterSolver::Landmarks || self.landmarks.is_some()) {
            let reason = "features of landmarks are those of a positive semi-definite kernel";
            return Err(Error::unsupported(
                "landmarks",
                "a kernel that may be indefinite",
                reason,
                "use another solver",
            ));
        }
        let (k, starts) = (clusters.min(rows).max(1), self.starts.max(1));
        let request = Work {
            what: "kernel k-means",
            rows,
            pair: 2.0 * work + 10.0,
            value: 2.0 * starts as f64,
            feature: 2.0 * (k * starts) as f64 * FEATURE_PASSES / PASSES,
            passes: PASSES,
            // The sums of at least one start (more where there is room), the coefficients of the
            // means and products with them.
            vectors: 8 * rows as u64 * (4 * k as u64 + 8),
            clusters: k,
            landmarks: !self.kernel.is_precomputed() && !self.indefinite,
        };
        request.plan(self.solver, self.landmarks, compute)
    }

    /// Clusters the points. With a kernel over `precomputed()`, `x` is the matrix of kernel values.
    ///
    /// # Errors
    /// [`Error::Parameter`] for settings out of range; [`Error::TooFew`] for no points, or fewer
    /// distinct points of positive weight than clusters; [`Error::Shape`], [`Error::Value`] and
    /// [`Error::AllZero`] for weights that do not fit; [`Error::NotPositiveDefinite`],
    /// [`Error::Memory`], [`Error::Canceled`]; as [`choose_clusters`] and [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let x = self.kernel.points(x);
        // Steps of few points are over before another thread is awake: all of them run in the pool.
        compute.install(|| self.fit_points(x, weights, compute))
    }

    fn fit_points(
        &self,
        x: Points<'_>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let weights = self.checked(x, weights, compute)?;
        let chosen = self.choose(x, compute)?;
        let clusters = chosen.as_ref().map_or(self.clusters.most(), |chosen| chosen.clusters);
        let search = self.search(clusters);
        let counted = weights.iter().filter(|w| **w > 0.0).count();
        if clusters > counted {
            return Err(search.too_few(counted));
        }
        let plan = self.plan_for(x.len(), x.size().work, clusters, compute)?;
        let fit = match plan.solver {
            ClusterSolver::Landmarks => self.on_landmarks(x, weights, search, plan, compute)?,
            _ => self.on_values(x, weights, search, plan, compute)?,
        };
        Ok(KernelKMeansFit { chosen, ..fit })
    }

    /// The fit of a partition that is given: its means, objective and distances, without
    /// improvement. Labels are `0, 1, …`, in any order; every cluster must have a point of positive
    /// weight.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a label per point, [`Error::EmptyClass`] for a cluster
    /// without a point; as [`KernelKMeans::fit`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::KernelKMeans};
    /// use ndarray::array;
    /// let x = array![[0.0], [1.0], [3.0]];
    /// let fit = KernelKMeans::new("linear()".parse()?, 2).assign(x.view(), &[1, 0, 0], None, &Compute::new())?;
    /// // 1² + 1² around 2.
    /// mercer::assert_close!(fit.evidence().objective, 2.0, 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn assign<'x>(
        &self,
        x: impl Into<Points<'x>>,
        labels: &[usize],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let x = self.kernel.points(x);
        let weights = self.checked(x, weights, compute)?;
        if labels.len() != x.len() {
            return Err(Error::shape("labels", format!("one per point ({})", x.len()), labels.len()));
        }
        let clusters = labels.iter().max().map_or(0, |most| most + 1);
        let has = |c: &usize| labels.iter().zip(&weights).any(|(label, w)| label == c && *w > 0.0);
        // Every missing cluster is below the number of points, or there are more clusters than
        // points.
        if let Some(empty) = (0..clusters.min(labels.len() + 1)).find(|c| !has(c)) {
            return Err(Error::EmptyClass { class: empty.to_string(), outside_fold: None });
        }
        self.of_labels(x, weights, labels.to_vec(), clusters, compute)
    }

    /// Checks of the settings, the points and the kernel; the weights, all 1 where none are given.
    fn checked(&self, x: Points<'_>, weights: Option<ArrayView1<f64>>, compute: &Compute) -> Result<Vec<f64>> {
        self.check()?;
        if x.is_empty() {
            return Err(Error::too_few("clustering", "points", 1, 0));
        }
        x.check_finite("points")?;
        let weights = match weights {
            None => vec![1.0; x.len()],
            Some(weights) => {
                check_weights(weights, x.len())?;
                weights.to_vec()
            }
        };
        if !self.indefinite {
            require_psd_for(&self.kernel, x, compute)?;
        }
        Ok(weights)
    }

    fn check(&self) -> Result<()> {
        self.clusters.check()?;
        self.search(self.clusters.most()).check()
    }

    pub(super) fn search(&self, clusters: usize) -> Search {
        Search { clusters, starts: self.starts, max_iterations: self.max_iterations, init: self.init }
    }

    fn choose(&self, x: Points<'_>, compute: &Compute) -> Result<Option<ChosenClusters>> {
        match self.clusters {
            ClusterCount::Fixed(_) => Ok(None),
            ClusterCount::Auto { max, rule } => choose_clusters(self, x, max, rule, compute).map(Some),
        }
    }

    /// The settings by name: `kernel`, `clusters` (or `max_clusters` and `rule`), `starts`,
    /// `max_iterations`, `init`, `solver`, `landmarks`, `indefinite`.
    pub fn settings(&self) -> Settings {
        self.clusters
            .put(Settings::new())
            .with("kernel", &self.kernel)
            .with("starts", self.starts)
            .with("max_iterations", self.max_iterations)
            .with("init", self.init.name())
            .with("solver", self.solver.name())
            .with_some("landmarks", self.landmarks)
            .with("indefinite", self.indefinite)
    }
}
