//! Pre-images of Gaussian kernels by fixed point iteration.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::{FixedPoint, KernelPcaFit, Preimages};
use crate::error::AllowedRange;
use crate::gram::{self, Pairs};
use crate::kernel::{Base, Kernel};
use crate::operator::products::multiply;
use crate::{Compute, Error, Result};

/// Rows of scores that are iterated together. Not tuned: few rows make many small products, many
/// rows large matrices of kernel values.
const ROWS: usize = 64;
/// A denominator below this part of its terms' sizes is rounding.
const CANCELED: f64 = 1e-10;

/// The pre-images of elements with these scores.
pub(super) fn preimages(
    fit: &KernelPcaFit,
    scores: ArrayView2<f64>,
    options: &FixedPoint,
    compute: &Compute,
) -> Result<Preimages> {
    check(fit.kernel(), options)?;
    let problem = Problem::new(fit, options, compute)?;
    let rows = scores.nrows();
    let mut found = Preimages {
        points: Array2::zeros((rows, problem.x.ncols())),
        squared_distances: Array1::zeros(rows),
        iterations: Vec::with_capacity(rows),
        converged: Vec::with_capacity(rows),
    };
    for start in (0..rows).step_by(ROWS) {
        compute.report("pre-images", start as u64, rows as u64);
        let part = start..rows.min(start + ROWS);
        let state = problem.solve(scores.slice(s![part.clone(), ..]), compute)?;
        found.points.slice_mut(s![part.clone(), ..]).assign(&state.points);
        found.squared_distances.slice_mut(s![part]).assign(&state.squared_distances);
        found.iterations.extend(state.iterations);
        found.converged.extend(state.converged);
    }
    compute.report("pre-images", rows as u64, rows as u64);
    Ok(found)
}

fn check(kernel: &Kernel, options: &FixedPoint) -> Result<()> {
    if !is_gaussian(kernel) {
        let reason = "its stationary points are not fixed points of this iteration";
        return Err(Error::unsupported(
            "fixed point pre-image",
            kernel,
            reason,
            "use the pre-images by ridge regression",
        ));
    }
    for (name, count) in [("starts", options.starts), ("max_iterations", options.max_iterations)] {
        if count == 0 {
            return Err(Error::parameter(name, 0, 1..));
        }
    }
    if !(options.tolerance.is_finite() && options.tolerance >= 0.0) {
        return Err(Error::parameter("tolerance", options.tolerance, AllowedRange::NON_NEGATIVE));
    }
    Ok(())
}

/// Whether the kernel is `a·exp(−Σ wⱼ(xⱼ − yⱼ)²)`: the weights of the columns do not matter.
fn is_gaussian(kernel: &Kernel) -> bool {
    match kernel {
        Kernel::Base(Base::Gaussian(_)) => true,
        Kernel::Scale(_, k) | Kernel::Power(k, _) | Kernel::On(_, k) => is_gaussian(k),
        Kernel::Product(terms) => terms.iter().all(is_gaussian),
        Kernel::Schoenberg(_, k) => matches!(&**k, Kernel::Base(Base::SquaredDistance(_))),
        _ => false,
    }
}

/// What all rows have in common.
struct Problem<'f> {
    fit: &'f KernelPcaFit,
    options: &'f FixedPoint,
    /// The centers.
    x: ArrayView2<'f, f64>,
    /// `w`.
    weights: Array1<f64>,
    /// `⟨φ(xᵢ), uⱼ⟩` for every center.
    inner: Array2<f64>,
    /// `k(x, x)`, the same for every point.
    diagonal: f64,
    /// The length of a step at which the iteration stops.
    shortest: f64,
}

/// The state of some rows.
struct State {
    points: Array2<f64>,
    squared_distances: Array1<f64>,
    iterations: Vec<usize>,
    converged: Vec<bool>,
}

impl<'f> Problem<'f> {
    fn new(fit: &'f KernelPcaFit, options: &'f FixedPoint, compute: &Compute) -> Result<Self> {
        let x = fit.points().vectors()?;
        let scores = if fit.evidence().landmarks > 0 { fit.transform(x, compute)? } else { fit.scores() };
        let first = fit.kernel().bind(Pairs::within(x.slice(s![..1, ..])), compute)?;
        let spread = x.mean_axis(Axis(0)).map_or(0.0, |mean| (&x - &mean).mapv(|v| v * v).sum() / x.nrows() as f64);
        Ok(Self {
            fit,
            options,
            x,
            weights: fit.mean.weights(),
            inner: scores - fit.offset(),
            diagonal: first.diagonal()?[0],
            shortest: options.tolerance * spread.sqrt(),
        })
    }

    fn solve(&self, scores: ArrayView2<f64>, compute: &Compute) -> Result<State> {
        let gamma = multiply(scores, self.fit.coefficients().t(), compute)? + &self.weights;
        let near = multiply(scores, self.inner.t(), compute)? + &self.fit.mean.at_centers;
        let norms = self.fit.squared_norms(scores);
        let starts: Vec<Vec<usize>> = near.rows().into_iter().map(|row| self.nearest(row.to_vec())).collect();
        let begin = |attempt: usize, rows: &[usize]| {
            self.x.select(Axis(0), &rows.iter().map(|&row| starts[row][attempt]).collect::<Vec<_>>())
        };
        let rows = scores.nrows();
        let distance = |row: usize, inner: f64| (self.diagonal - 2.0 * inner + norms[row]).max(0.0);
        let mut state = State {
            points: begin(0, &(0..rows).collect::<Vec<_>>()),
            squared_distances: (0..rows).map(|row| distance(row, near[[row, starts[row][0]]])).collect(),
            iterations: vec![0; rows],
            converged: vec![false; rows],
        };
        for attempt in 0..self.options.starts.min(self.x.nrows()) {
            let open: Vec<usize> = (0..rows).filter(|row| !state.converged[*row]).collect();
            if open.is_empty() {
                break;
            }
            let z = begin(attempt, &open);
            self.iterate(&mut state, (open, z), &gamma, &distance, compute)?;
        }
        Ok(state)
    }

    /// The centers nearest to an element, by their inner products with it.
    fn nearest(&self, near: Vec<f64>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..near.len()).collect();
        let count = self.options.starts.min(order.len());
        order.sort_by(|&a, &b| near[b].total_cmp(&near[a]));
        order.truncate(count);
        order
    }

    /// Iterates the open rows from their starting points until they converge or break down.
    fn iterate(
        &self,
        state: &mut State,
        (mut open, mut z): (Vec<usize>, Array2<f64>),
        gamma: &Array2<f64>,
        distance: &dyn Fn(usize, f64) -> f64,
        compute: &Compute,
    ) -> Result<()> {
        let quiet = compute.silent();
        for _ in 0..self.options.max_iterations {
            compute.check_canceled()?;
            let bound = self.fit.kernel().bind(Pairs::between(z.view(), self.x), &quiet)?;
            let weighted = gram::dense(&bound, &quiet)? * &gamma.select(Axis(0), &open);
            let sums = multiply(weighted.view(), self.x, &quiet)?;
            let mut going = Vec::new();
            for (at, &row) in open.iter().enumerate() {
                let terms = weighted.row(at);
                let inner = terms.sum();
                state.iterations[row] += 1;
                self.take_best(state, row, z.row(at), distance(row, inner));
                if inner.is_nan() || inner <= CANCELED * terms.iter().map(|t| t.abs()).sum::<f64>() {
                    continue;
                }
                let next = &sums.row(at) / inner;
                let step = (&next - &z.row(at)).mapv(|v| v * v).sum().sqrt();
                z.row_mut(at).assign(&next);
                if step <= self.shortest {
                    state.converged[row] = true;
                    // The last step shortens the distance by less than its rounding error.
                    state.points.row_mut(row).assign(&next);
                    state.squared_distances[row] = distance(row, inner);
                } else {
                    going.push(at);
                }
            }
            z = z.select(Axis(0), &going);
            open = going.iter().map(|&at| open[at]).collect();
            if open.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn take_best(&self, state: &mut State, row: usize, z: ndarray::ArrayView1<f64>, distance: f64) {
        if distance < state.squared_distances[row] {
            state.squared_distances[row] = distance;
            state.points.row_mut(row).assign(&z);
        }
    }
}
