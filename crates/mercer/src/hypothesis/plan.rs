//! What a test will run, and what it will take.

use super::conditional::matrix_bytes as conditional_bytes;
use super::dependence::MULTIPLES;
use super::orders::{SINGLE_FROM, matrix_bytes};
use super::two_sample::{COUNT, spectrum_cost};
use super::{
    ConditionalIndependence, GoodnessOfFit, Independence, IndependenceMethod, Interaction, JointIndependence,
    TwoSample, TwoSampleMethod,
};
use crate::Compute;
use crate::learner::Plan;
use crate::points::Size;

/// Operations of a kernel value beside those on the coordinates: an exponential and a few sums.
const PER_VALUE: f64 = 20.0;
/// Products with a matrix that the regressions on the condition take, about. Not measured.
const REGRESSIONS: f64 = 60.0;

/// Operations of all kernel values among the points of a sample.
fn kernel_values(size: Size) -> f64 {
    0.5 * (size.rows as f64).powi(2) * (2.0 * size.work + PER_VALUE)
}

/// Operations of a statistic for every relabeling, when each takes half of the pairs.
fn relabelings(rows: usize, count: usize) -> f64 {
    (rows as f64).powi(2) * count as f64
}

fn stored(solver: &str, bytes: u64, flops: f64, compute: &Compute) -> Plan {
    Plan::new(solver, bytes, flops, "the matrices are stored", compute)
}

fn streamed(solver: &str, flops: f64, compute: &Compute) -> Plan {
    Plan::new(solver, 0, flops, "nothing is stored", compute)
}

impl TwoSample {
    /// What a test of two samples of these sizes will run, and what it will take.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::{TwoSample, TwoSampleMethod}, points::Size};
    /// let size = Size::of_vectors(1000, 3);
    /// let plan = TwoSample::permutation("gaussian()".parse()?).plan(size, size, &Compute::new());
    /// // 2000²/2 pairs with 26 operations each, and 2000² for each of 1999 relabelings.
    /// assert_eq!((plan.bytes, plan.flops), (0, 2e6 * 26.0 + 4e6 * 1999.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, first: Size, second: Size, compute: &Compute) -> Plan {
        let (rows, work) = (first.rows + second.rows, first.work.max(second.work));
        let pooled = Size { rows, work, bytes: first.bytes + second.bytes, bound: first.bound + second.bound };
        let (kernel, relabeled) = (kernel_values(pooled), relabelings(rows, self.permutations));
        match self.method {
            TwoSampleMethod::Aggregated { .. } | TwoSampleMethod::Fused if self.kernel.is_none() => {
                let kernels = 2 * COUNT;
                let solver = format!("tiles of {kernels} kernel matrices times all label vectors");
                streamed(&solver, kernels as f64 * (kernel + relabeled), compute)
            }
            TwoSampleMethod::Gamma | TwoSampleMethod::BiasedBound | TwoSampleMethod::UnbiasedBound => {
                streamed("one pass over the pairs", kernel, compute)
            }
            TwoSampleMethod::Spectral => {
                let (bytes, flops) = spectrum_cost(rows);
                stored("the eigenvalues of the centered matrix", bytes, kernel + flops, compute)
            }
            TwoSampleMethod::Features(count) => {
                let each = 2.0 * work + PER_VALUE + 2.0 * self.permutations as f64;
                streamed("random features block by block", (rows * count) as f64 * each, compute)
            }
            TwoSampleMethod::Linear => {
                streamed("one pass over the points", rows as f64 * (2.0 * work + PER_VALUE), compute)
            }
            TwoSampleMethod::Block(size) => {
                streamed("blocks of pairs", (rows * size) as f64 * (2.0 * work + PER_VALUE), compute)
            }
            _ => streamed("tiles of the kernel matrix times all label vectors", kernel + relabeled, compute),
        }
    }
}

impl Independence {
    /// What a test of two variables of these sizes will run, and what it will take: an upper bound
    /// where kernels with low-rank factors need less.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::{Independence, IndependenceMethod}, points::Size};
    /// let size = Size::of_vectors(500, 1);
    /// let test = Independence { method: IndependenceMethod::Aggregated { wild: false }, ..Independence::default() };
    /// let plan = test.plan(size, size, &Compute::new());
    /// // Five kernels for each variable: ten matrices of 500² doubles.
    /// assert_eq!(plan.bytes, 10 * 8 * 500 * 500);
    /// ```
    pub fn plan(&self, x: Size, y: Size, compute: &Compute) -> Plan {
        let n = x.rows;
        let (kernel, relabeled) = (kernel_values(x) + kernel_values(y), relabelings(n, self.permutations));
        let (kernels, pairs) = (2 * MULTIPLES.len(), (MULTIPLES.len() * MULTIPLES.len()) as f64);
        match self.method {
            IndependenceMethod::Gamma => streamed("two passes over the pairs", 2.0 * kernel, compute),
            IndependenceMethod::Aggregated { wild: true } => {
                // Half as many points, each paired with another one.
                streamed("products of paired kernel values", pairs * 0.25 * (kernel + relabeled), compute)
            }
            IndependenceMethod::Aggregated { wild: false } => {
                let bytes = matrix_bytes(n, kernels, kernels / 2);
                let solver = format!("{kernels} centered matrices");
                stored(&solver, bytes, (kernels / 2) as f64 * kernel + pairs * relabeled, compute)
            }
            IndependenceMethod::Features(count) => {
                let each = (count * self.permutations) as f64 + 2.0 * (x.work + y.work);
                let flops = (n * count) as f64 * each;
                stored("products of random features", 8 * (n * count) as u64, flops, compute)
            }
            _ => {
                stored("two centered matrices, or low-rank factors", matrix_bytes(n, 2, 1), kernel + relabeled, compute)
            }
        }
    }
}

impl JointIndependence {
    /// What a test of variables of these sizes will run, and what it will take: an upper bound where
    /// kernels with low-rank factors need less.
    pub fn plan(&self, variables: &[Size], compute: &Compute) -> Plan {
        let (n, count) = (variables.first().map_or(0, |size| size.rows), variables.len());
        let kernel: f64 = variables.iter().copied().map(kernel_values).sum();
        let flops = kernel + count as f64 * relabelings(n, self.permutations);
        let solver =
            if n < SINGLE_FROM { "one matrix per variable" } else { "one matrix per variable, or low-rank factors" };
        stored(solver, matrix_bytes(n, count, 0), flops, compute)
    }
}

impl ConditionalIndependence {
    /// What a test of variables and a condition of these sizes will run, and what it will take: an
    /// upper bound where kernels with low-rank factors need less. For vectors: a test of objects or of
    /// kernel values reserves all eigenvectors.
    pub fn plan(&self, x: Size, y: Size, condition: Size, compute: &Compute) -> Plan {
        let (n, eigenvectors) = (x.rows, self.eigenvectors(x.rows));
        let kernel: f64 = [x, y, condition].into_iter().map(kernel_values).sum();
        let regressions = REGRESSIONS * (n as f64).powi(2) * eigenvectors as f64;
        let flops = kernel + regressions + relabelings(n, self.permutations);
        let solver = "regressions on the condition for a grid of lengthscales and ridges";
        let search = self.search_bytes(n, condition.numbers(), compute);
        stored(solver, conditional_bytes(n, eigenvectors) + search, flops, compute)
    }
}

impl Interaction {
    /// What a test of three variables of these sizes will run, and what it will take.
    pub fn plan(&self, variables: [Size; 3], compute: &Compute) -> Plan {
        let n = variables[0].rows;
        let kernel: f64 = variables.into_iter().map(kernel_values).sum();
        stored(
            "six centered matrices",
            matrix_bytes(n, 6, 1),
            kernel + 3.0 * relabelings(n, self.permutations),
            compute,
        )
    }
}

impl GoodnessOfFit {
    /// What a test of a sample of this size will run, and what it will take.
    pub fn plan(&self, size: Size, compute: &Compute) -> Plan {
        let flops = kernel_values(size) + relabelings(size.rows, self.permutations);
        streamed("tiles of the Stein kernel times all vectors of signs", flops, compute)
    }
}
