//! Which solver finds the eigenpairs, and what it takes.

use std::fmt;

use crate::compute::{human_bytes, human_seconds};
use crate::error::MemoryPurpose;
use crate::learn::PLANNED_THREADS;
use crate::learner::Plan;
use crate::points::Size;
use crate::solve::{leading_bytes, leading_width};
use crate::{Compute, Points, Result};

/// Rows for every vector of the iterated block from which leading eigenpairs are faster than a
/// whole decomposition, for normal points in ten columns, whose eigenvalues are close together:
/// with 16 vectors 7.5 against 7.4 ms at 300 rows and 11 against 28 ms at 500, with 24 vectors 42
/// against 25 ms at 500 rows and 40 against 78 ms at 800, with 48 vectors 88 against 65 ms at 800
/// and 94 against 138 ms at 1200.
const ROWS_PER_VECTOR: usize = 22;
/// Blocks that the basis of iterated vectors has at least.
const BLOCKS: usize = 4;
/// Products with the matrix that a plan counts with. 20 components of 5000 images needed 10.
const ROUNDS: f64 = 12.0;
/// Operations from which eigenpairs by products with tiles take too long: about a minute on two
/// cores. Those of 50 000 rows in 50 columns are 4.6e12, and took 167 s on two cores that others
/// shared.
const TOO_MANY: f64 = 2e12;
/// Pairs from which products with a matrix are made by its explicit features.
const MANY_PAIRS: usize = 1 << 20;
/// Landmarks where their number is left to the plan, at least; and so many for each component. More
/// miss less of the trace, at a quadratic cost: of 50 000 rows in 50 columns 1000 take 2.5 s and
/// miss 44 % of the trace (the first of 20 eigenvalues is 2 % too small), 2000 take 10 s and miss
/// 36 % (1 %).
const LANDMARKS: usize = 1000;
const LANDMARKS_PER_COMPONENT: usize = 10;
/// Rows among which random pivots are drawn: those of [`Landmarks`](crate::features::Landmarks).
const CANDIDATES: usize = 10_000;
/// Rows whose features are held at a time.
pub(super) const STRIP: usize = 2048;

const ADVICE: &str = "ask for fewer components, use fewer rows, the solver nystrom, or a higher memory limit";
const ADVICE_ALL: &str = "give the number of components, use fewer rows, or a higher memory limit";

/// How the eigenpairs of the centered matrix are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EigenSolver {
    /// A whole decomposition for few rows or many components, else the leading pairs by products
    /// with the matrix (stored where it fits into the memory limit), and Nyström where products
    /// would take minutes. In the features of a kernel with few of them.
    #[default]
    Auto,
    /// All eigenpairs of the stored matrix.
    Dense,
    /// The leading eigenpairs by products with the matrix, to a residual of `1e-10` of the largest
    /// eigenvalue; the whole decomposition where the iterated vectors would span all of the space.
    Leading,
    /// The eigenpairs of Nyström features of some landmarks: an approximation, with the part of the
    /// trace that it misses.
    Nystrom,
    /// In the features of a kernel with finitely many, such as `linear`: exact, in time linear in
    /// the rows.
    FiniteRank,
}

impl EigenSolver {
    /// The words for them in settings.
    pub(crate) const WORDS: &'static [&'static str] = &["auto", "dense", "leading", "nystrom", "finite_rank"];

    const ALL: [Self; 5] = [Self::Auto, Self::Dense, Self::Leading, Self::Nystrom, Self::FiniteRank];

    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The solver of this word.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|solver| solver.name() == name)
    }
}

impl fmt::Display for EigenSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Dense => "eigendecomposition",
            Self::Leading => "leading eigenpairs by products",
            Self::Nystrom => "eigenpairs of Nyström features",
            Self::FiniteRank => "eigenpairs in the features of the kernel",
        })
    }
}

/// The plan of a decomposition: what will be run, and what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct EigenPlan {
    /// The solver, never [`EigenSolver::Auto`].
    pub solver: EigenSolver,
    /// Whether the kernel matrix is stored.
    pub stored: bool,
    /// The number of landmarks, at most; 0 for an exact solver.
    pub landmarks: usize,
    /// The most bytes that will be allocated at a time.
    pub bytes: u64,
    /// Floating-point operations, about: of 12 products for the leading eigenpairs.
    pub flops: f64,
    /// The expected time, where the speed of the machine is known ([`Compute::with_speed`]).
    pub seconds: Option<f64>,
    /// Why this solver.
    pub reason: String,
}

impl EigenPlan {
    /// What is approximated, and how the error is known; nothing for an exact answer.
    pub fn approximation(&self) -> Option<String> {
        (self.landmarks > 0).then(|| {
            format!(
                "the kernel is projected on {} landmarks; the fit measures the part of the trace that they miss, \
                 which bounds the error of every eigenvalue",
                self.landmarks
            )
        })
    }
}

impl fmt::Display for EigenPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        // A plan from a file does not store the cost of the run.
        if self.bytes > 0 {
            write!(f, ": {}, about {:.1e} operations", human_bytes(self.bytes), self.flops)?;
        }
        self.seconds.map_or(Ok(()), |seconds| write!(f, ", {}", human_seconds(seconds)))?;
        write!(f, "; {}", self.reason)?;
        self.approximation().map_or(Ok(()), |text| write!(f, "; an approximation: {text}"))
    }
}

impl From<EigenPlan> for Plan {
    fn from(plan: EigenPlan) -> Self {
        let approximation = plan.approximation();
        let EigenPlan { solver, bytes, flops, seconds, reason, .. } = plan;
        Self { solver: solver.to_string(), bytes, flops, seconds, reason, approximation }
    }
}

/// What a plan depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EigenRequest {
    /// The size of the sample.
    pub(crate) size: Size,
    /// Entries of sparse features by which products with the matrix are cheap.
    pub(crate) features: Option<usize>,
    /// The number of features of the kernel, if they are finitely many.
    pub(crate) rank: Option<usize>,
    /// The number of eigenpairs; all that are not 0 where there is none.
    pub(crate) components: Option<usize>,
    pub(crate) solver: EigenSolver,
    /// The number of landmarks, where it is requested.
    pub(crate) landmarks: Option<usize>,
    /// Whether landmarks do: not on precomputed values, nor for kernels that are not positive.
    pub(crate) nystrom: bool,
    /// Rows up to which all eigenvalues are computed in any case.
    pub(crate) whole: usize,
}

impl EigenRequest {
    /// The size of points; a matrix of kernel values is neither copied nor kept.
    pub(crate) fn size_of(x: Points<'_>) -> Size {
        let size = x.size();
        if let Points::Precomputed(_) = x { Size { bytes: 0, bound: 0, work: 1.0, ..size } } else { size }
    }

    /// The plan, within the memory limit.
    pub(crate) fn plan(&self, compute: &Compute) -> Result<EigenPlan> {
        let plan = match self.solver {
            EigenSolver::Auto if self.landmarks.is_some() && self.nystrom => self.on_landmarks(compute, "requested"),
            EigenSolver::Auto => self.choose(compute),
            EigenSolver::Dense => self.dense("requested"),
            EigenSolver::Leading if self.spans_all() => {
                self.dense("requested, and the iterated vectors would span all of the space")
            }
            EigenSolver::Leading => self.leading(compute, "requested"),
            EigenSolver::Nystrom => self.on_landmarks(compute, "requested"),
            EigenSolver::FiniteRank => match self.rank.filter(|_| self.components.is_some()) {
                Some(rank) => self.in_features(rank, "requested"),
                None => self.choose(compute),
            },
        };
        let what = format!("{} of {} rows", plan.solver, self.size.rows);
        let advice = if self.components.is_some() { ADVICE } else { ADVICE_ALL };
        compute.reserve(MemoryPurpose::Fit, &what, plan.bytes, advice)?;
        Ok(EigenPlan { seconds: compute.seconds(plan.flops), ..plan })
    }

    /// The whole decomposition instead of iterations that did not converge, if it fits.
    pub(crate) fn instead(&self, compute: &Compute) -> Option<EigenPlan> {
        let plan = self.dense("the iterated eigenpairs did not converge");
        (self.solver == EigenSolver::Auto && plan.bytes <= compute.memory()).then_some(plan)
    }

    fn choose(&self, compute: &Compute) -> EigenPlan {
        let (n, fits) = (self.size.rows, |plan: &EigenPlan| plan.bytes <= compute.memory());
        if self.components.is_none() {
            return self.dense("all components are wanted");
        }
        if let Some(rank) = self.rank.filter(|rank| self.count() <= *rank && self.whole == 0) {
            let plan = self.in_features(rank, &format!("the kernel has {rank} features"));
            let other = self.dense("").flops.min(self.leading(compute, "").flops);
            if plan.flops < other && fits(&plan) {
                return plan;
            }
        }
        if n <= (ROWS_PER_VECTOR * self.width()).max(self.whole) {
            let whole = self.dense(if n <= self.whole { "all eigenvalues are wanted" } else { "few rows" });
            if fits(&whole) {
                return whole;
            }
        }
        let exact = self.leading(compute, "few components of many rows");
        let late = !compute.is_in_time(exact.flops);
        let long = !exact.stored && exact.flops > TOO_MANY;
        if !self.nystrom || (fits(&exact) && !late && !long) {
            return exact;
        }
        let why = match (fits(&exact), late) {
            (false, _) => "does not fit into the memory limit",
            (_, true) => "would take longer than the time limit",
            _ => "would take minutes, as the matrix does not fit into the memory limit",
        };
        self.on_landmarks(compute, &format!("all points by {} {why}", exact.solver))
    }

    /// Vectors of the iterated block.
    fn width(&self) -> usize {
        leading_width(self.size.rows, self.count())
    }

    /// Eigenpairs that are wanted.
    fn count(&self) -> usize {
        self.components.unwrap_or(self.size.rows).min(self.size.rows)
    }

    fn spans_all(&self) -> bool {
        BLOCKS * self.width() >= self.size.rows
    }

    /// The matrix, its copy, the eigenvectors twice, and the work space of the decomposition.
    fn dense(&self, reason: &str) -> EigenPlan {
        let n = self.size.rows as u64;
        let bytes = (5 * 8 * n).saturating_mul(n).saturating_add(self.vectors());
        let flops = 9.0 * (n as f64).powi(3) + self.kernel_flops();
        made(EigenSolver::Dense, true, (bytes, flops), reason)
    }

    /// The features, their centered copy and its products, and matrices of their number.
    fn in_features(&self, rank: usize, reason: &str) -> EigenPlan {
        let (n, m) = (self.size.rows as u64, rank as u64);
        let bytes = (8 * 2 * n + 8 * 6 * m).saturating_mul(m).saturating_add(self.vectors());
        let (rows, features) = (n as f64, m as f64);
        let flops = 2.0 * rows * features * (features + 2.0 * self.count() as f64) + 9.0 * features.powi(3);
        made(EigenSolver::FiniteRank, false, (bytes, flops), reason)
    }

    /// The same request where the features do not have so many eigenvalues above 0.
    pub(crate) fn without_features(self) -> Self {
        Self { rank: None, ..self }
    }

    /// The matrix or tiles of it, and the iterated vectors.
    fn leading(&self, compute: &Compute, reason: &str) -> EigenPlan {
        let (n, width) = (self.size.rows as u64, self.width() as u64);
        let tile = 8 * 192 * 192;
        let basis = leading_bytes(self.size.rows, self.count()) + self.vectors();
        let whole = (8 * n).saturating_mul(n);
        let planned = basis + (tile * PLANNED_THREADS).min(compute.memory() / 4);
        let pairs = self.size.rows.saturating_mul(self.size.rows);
        let cheap = self.features.is_some_and(|values| pairs > MANY_PAIRS && values < pairs / 8);
        let stored = !cheap && planned.saturating_add(whole) <= compute.memory();
        let bytes = basis + if stored { whole } else { tile * compute.threads() as u64 };
        let product = 2.0 * (n as f64).powi(2) * width as f64;
        let flops = match self.features.filter(|_| cheap) {
            Some(values) => ROUNDS * 4.0 * values as f64 * width as f64,
            None if stored => self.kernel_flops() + ROUNDS * product,
            None => ROUNDS * (self.kernel_flops() + product),
        };
        made(EigenSolver::Leading, stored, (bytes, flops), reason)
    }

    fn on_landmarks(&self, compute: &Compute, reason: &str) -> EigenPlan {
        let n = self.size.rows.max(1);
        let usual = LANDMARKS.max(LANDMARKS_PER_COMPONENT.saturating_mul(self.components.unwrap_or(0)));
        let mut landmarks = self.landmarks.unwrap_or(usual).clamp(1, n);
        while self.landmarks.is_none() && self.landmark_bytes(landmarks) > compute.memory() && landmarks > 1 {
            landmarks = landmarks * 3 / 4;
        }
        let (m, rows) = (landmarks as f64, n as f64);
        let candidates = CANDIDATES.max(10 * landmarks).min(n) as f64;
        let pass = rows * m * (2.0 * self.size.work + 20.0);
        let flops = 2.0 * pass + 2.0 * rows * m * m + candidates * m * (m + self.size.work) + 12.0 * m.powi(3);
        let sizes = (self.landmark_bytes(landmarks), flops);
        EigenPlan { landmarks, ..made(EigenSolver::Nystrom, false, sizes, reason) }
    }

    /// The factor of the candidates, or a strip of features; squares of the number of landmarks;
    /// the eigenvectors and the scores.
    fn landmark_bytes(&self, landmarks: usize) -> u64 {
        let (n, m) = (self.size.rows as u64, landmarks as u64);
        let candidates = (CANDIDATES as u64).max(10 * m).min(n);
        let factor = 8 * candidates * m + candidates * (self.size.bytes / n.max(1));
        let strip = 8 * 4 * (STRIP as u64).min(n) * m;
        let count = self.components.map_or(m, |count| m.min(count as u64));
        factor.max(strip) + 8 * 7 * m * m + 8 * 4 * n * count + self.size.bytes
    }

    /// Copies of the points, and vectors of eigenvectors' size.
    fn vectors(&self) -> u64 {
        let n = self.size.rows as u64;
        let count = self.components.map_or(0, |count| count as u64).min(n);
        self.size.bytes + self.size.bound + 8 * n * (3 * count + 16)
    }

    /// One pass over the pairs.
    fn kernel_flops(&self) -> f64 {
        (self.size.rows as f64).powi(2) * (self.size.work + 10.0)
    }
}

fn made(solver: EigenSolver, stored: bool, (bytes, flops): (u64, f64), reason: &str) -> EigenPlan {
    EigenPlan { solver, stored, landmarks: 0, bytes, flops, seconds: None, reason: reason.into() }
}
