//! The fit: by kernel values, or on features of landmarks.

use ndarray::{Array1, Array2, Axis};

use super::means::{Means, coefficients, smallest};
use super::partition::{Sizes, order_of_appearance, renamed};
use super::plan::ClusterPlan;
use super::rows::KernelRows;
use super::starts::{Problem, Start};
use super::vectors;
use super::{KMeansEvidence, KernelKMeans, KernelKMeansFit, Search};
use crate::definiteness::check_matrix;
use crate::error::MemoryPurpose;
use crate::features::{FeatureMap, Nystrom};
use crate::gram::{self, Bound, Pairs};
use crate::learn::observations::bind_fit;
use crate::operator::products::multiply;
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result, Sample};

/// Rows of a precomputed matrix up to which its eigenvalues are checked before the fit, as for
/// support vector machines. Beyond, negative squared distances and objectives are refused when they
/// appear.
const CHECKED: usize = 400;
/// Objectives this far below 0, relative to the trace, prove that a kernel is not positive
/// semi-definite.
const NEGATIVE: f64 = 1e-9;

impl KernelKMeans {
    /// By kernel values.
    pub(super) fn on_values(
        &self,
        x: Points<'_>,
        weights: Vec<f64>,
        search: Search,
        plan: ClusterPlan,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let bound = self.bind(x.reborrow(), compute)?;
        let exact = bound.diagonal()?.to_vec();
        let rows = KernelRows::new(&bound, plan.solver, compute)?;
        let problem = Problem::new(&bound, rows, (&exact, &weights), search, self.indefinite, compute);
        let (best, starts) = self.best_start(&problem, &plan)?;
        let evidence = KMeansEvidence {
            objective: best.objective.value,
            iterations: best.iterations,
            converged: best.converged,
            starts,
            trace_missed: 0.0,
        };
        let matrix = if let KernelRows::Double(matrix) = &problem.rows { Some(matrix) } else { None };
        let made = Made { spec: self, x: x.reborrow(), bound: &bound, matrix, diagonal: exact.clone(), plan, compute };
        made.fit(best.labels, weights.clone(), search.clusters, evidence)
    }

    /// A partition that is given.
    pub(super) fn of_labels(
        &self,
        x: Points<'_>,
        weights: Vec<f64>,
        labels: Vec<usize>,
        clusters: usize,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let bound = self.bind(x.reborrow(), compute)?;
        let plan = ClusterPlan::given(x.len(), clusters, compute);
        let evidence =
            KMeansEvidence { objective: 0.0, iterations: 0, converged: false, starts: Vec::new(), trace_missed: 0.0 };
        let diagonal = bound.diagonal()?.to_vec();
        Made { spec: self, x: x.reborrow(), bound: &bound, matrix: None, diagonal, plan, compute }
            .fit(labels, weights, clusters, evidence)
    }

    /// Binds the kernel, and refuses small matrices of kernel values that are not positive
    /// semi-definite.
    fn bind<'x>(&self, x: Points<'x>, compute: &Compute) -> Result<Bound<'x>> {
        let bound = bind_fit(&self.kernel, x, compute)?;
        if !self.indefinite && self.kernel.is_precomputed() && x.len() <= CHECKED {
            let found = check_matrix(gram::dense(&bound, compute)?.view(), compute)?;
            if let Some(counterexample) = found.counterexample() {
                let (kernel, reason) = (self.kernel.short(), counterexample.to_string());
                let counterexample = Some(Box::new(counterexample.clone()));
                return Err(Error::NotPositiveDefinite { kernel, reason, counterexample });
            }
        }
        Ok(bound)
    }

    /// The best start, and the objectives of all. As many starts run together as their sums fit
    /// into the memory limit beside the matrix; a start does not depend on the others.
    fn best_start(&self, problem: &Problem<'_>, plan: &ClusterPlan) -> Result<(Start, Vec<f64>)> {
        let compute = problem.compute;
        let one = 8 * problem.weights.len() as u64 * problem.search.clusters as u64;
        let room = compute.memory().saturating_sub(plan.plan.bytes) / one.max(1);
        let together = (room as usize).saturating_add(1).min(self.starts);
        let (mut best, mut objectives): (Option<Start>, Vec<f64>) = (None, Vec::new());
        for first in (0..self.starts).step_by(together) {
            for start in problem.run(first..self.starts.min(first + together))? {
                objectives.push(start.objective.value);
                if best.as_ref().is_none_or(|best| start.objective.value < best.objective.value) {
                    best = Some(start);
                }
            }
            compute.report("starts of k-means", objectives.len() as u64, self.starts as u64);
        }
        best.map(|best| (best, objectives)).ok_or_else(|| Error::parameter("starts", self.starts, 1..))
    }

    /// On Nyström features.
    pub(super) fn on_landmarks(
        &self,
        x: Points<'_>,
        weights: Vec<f64>,
        search: Search,
        plan: ClusterPlan,
        compute: &Compute,
    ) -> Result<KernelKMeansFit> {
        let features = Nystrom::new(self.kernel.clone(), plan.landmarks).fit(x, compute)?;
        let columns = features.map().ncols();
        compute.reserve(
            MemoryPurpose::Features,
            "the features of the points",
            8 * x.len() as u64 * columns as u64,
            "use fewer landmarks or a higher memory limit",
        )?;
        let z = features.transform(x, compute)?;
        let diagonal = features.kernel().bind(Pairs::Within(x), compute)?.diagonal()?;
        let missed: Vec<f64> = z.rows().into_iter().zip(&diagonal).map(|(z, k)| (k - z.dot(&z)).max(0.0)).collect();
        let trace_missed: f64 = missed.iter().zip(&weights).map(|(m, w)| m * w).sum();
        let found = vectors::cluster(z, &weights, search, compute)?;
        let means = Means {
            kept: Default::default(),
            kernel: features.kernel().clone(),
            points: Sample::from(features.landmarks()),
            coefficients: multiply(features.map(), found.centers.t(), compute)?,
            squared_norms: found.centers.rows().into_iter().map(|row| row.dot(&row)).collect(),
        };
        let evidence = KMeansEvidence {
            objective: found.objective + trace_missed,
            iterations: found.iterations,
            converged: found.converged,
            starts: found.starts.iter().map(|objective| objective + trace_missed).collect(),
            trace_missed,
        };
        let own_distances = missed.iter().zip(&found.squared_distances).map(|(m, d)| (m + d).sqrt()).collect();
        let (labels, settings) = (found.labels, self.fitted_settings(compute));
        Ok(KernelKMeansFit { means, labels, weights, own_distances, evidence, chosen: None, plan, settings })
    }

    fn fitted_settings(&self, compute: &Compute) -> Settings {
        self.settings().with("seed", compute.seed())
    }
}

/// What a fit by kernel values is made from.
struct Made<'m> {
    spec: &'m KernelKMeans,
    x: Points<'m>,
    bound: &'m Bound<'m>,
    /// The kernel matrix, where it is stored in double precision.
    matrix: Option<&'m Array2<f64>>,
    diagonal: Vec<f64>,
    plan: ClusterPlan,
    compute: &'m Compute,
}

impl Made<'_> {
    /// The fit of labels, with everything in double precision and from nothing but them.
    fn fit(
        self,
        mut labels: Vec<usize>,
        weights: Vec<f64>,
        clusters: usize,
        evidence: KMeansEvidence,
    ) -> Result<KernelKMeansFit> {
        let products = self.products(&labels, &weights, clusters)?;
        let means = coefficients(&labels, &weights, clusters);
        let squared_norms: Array1<f64> = (&products * &means).sum_axis(Axis(0));
        // Points of weight 0 belong to the nearest mean.
        for (i, label) in labels.iter_mut().enumerate().filter(|(i, _)| weights[*i] == 0.0) {
            *label = smallest((&squared_norms - &(&products.row(i) * 2.0)).view());
        }
        let order = order_of_appearance(&labels, clusters);
        let (labels, squared_norms) = (renamed(&labels, &order), squared_norms.select(Axis(0), &order));
        let products = products.select(Axis(1), &order);
        let squared: Vec<f64> = (labels.iter().enumerate())
            .map(|(i, &c)| self.diagonal[i] - 2.0 * products[[i, c]] + squared_norms[c])
            .collect();
        let objective = self.objective(&labels, &weights, &squared_norms)?;
        let coefficients = coefficients(&labels, &weights, clusters);
        let (kernel, points) = (self.bound.kernel().clone(), Sample::kept(self.x));
        Ok(KernelKMeansFit {
            means: Means { kept: Default::default(), kernel, points, coefficients, squared_norms },
            labels,
            weights,
            own_distances: squared.into_iter().map(|v| v.max(0.0).sqrt()).collect(),
            evidence: KMeansEvidence { objective, ..evidence },
            chosen: None,
            settings: self.spec.fitted_settings(self.compute),
            plan: self.plan,
        })
    }

    /// `⟨φ(xᵢ), m_c⟩`.
    fn products(&self, labels: &[usize], weights: &[f64], clusters: usize) -> Result<Array2<f64>> {
        let means = coefficients(labels, weights, clusters);
        match self.matrix {
            Some(matrix) => multiply(matrix.view(), means.view(), self.compute),
            None => gram::multiply(self.bound, means.view(), self.compute),
        }
    }

    /// `Σ wᵢk(xᵢ, xᵢ) − Σ_c W_c‖m_c‖²`.
    fn objective(&self, labels: &[usize], weights: &[f64], squared_norms: &Array1<f64>) -> Result<f64> {
        let sizes = Sizes::of(labels, weights, squared_norms.len());
        let trace: f64 = self.diagonal.iter().zip(weights).map(|(k, w)| k * w).sum();
        let explained: f64 = sizes.mass.iter().zip(squared_norms).map(|(mass, norm)| mass * norm).sum();
        let objective = trace - explained;
        if self.spec.indefinite {
            return Ok(objective);
        }
        if objective < -NEGATIVE * trace.abs() {
            let reason = format!("the sum of squared distances from the means of clusters is {objective}");
            let kernel = self.bound.kernel().short();
            return Err(Error::NotPositiveDefinite { kernel, reason, counterexample: None });
        }
        Ok(objective.max(0.0))
    }
}
