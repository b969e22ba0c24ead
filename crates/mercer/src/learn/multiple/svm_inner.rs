//! Support vector machines for fixed weights of the kernels.

use ndarray::{Array2, Axis, concatenate};

use super::grams::Grams;
use super::inner::{Inner, Solved, without};
use crate::error::MemoryPurpose;
use crate::solve::{DualOptions, DualProblem, DualSolution, Factored, KernelRows, factor};
use crate::{Compute, Result};

/// The gap of the machines, relative to the gap that the weights are to reach. A smaller part makes
/// gradients of the weights more exact; 0.1 is the usual choice for inner problems and not tuned.
const PART: f64 = 0.1;
/// The first and the least violation of the KKT conditions at which a machine ends.
const FIRST_TOLERANCE: f64 = 1e-3;
const LEAST_TOLERANCE: f64 = 1e-12;
/// A variable this close to a bound, relative to it, is at the bound.
const AT_BOUND: f64 = 1e-9;
/// What is added to the kernel matrix of the free points, relative to its mean diagonal: points may
/// stand twice.
const JITTER: f64 = 1e-10;

/// One dual problem on some of the points.
pub(super) struct Machine {
    /// The points of the matrix that the problem is about; its own points are numbered among them.
    pub(super) rows: Vec<usize>,
    pub(super) problem: DualProblem,
}

/// The sum of the dual problems of one or more machines with the same kernel.
///
/// # Formula
/// `J(β) = Σ max pᵀα − ½(sα)ᵀK(sα)`, so that `κ = ½` and the columns of `α` are `sα`.
pub(super) struct SvmInner {
    machines: Vec<Machine>,
    options: DualOptions,
    /// The relative gap that the weights are to reach.
    tolerance: f64,
    violation: f64,
    /// The kernel matrix of the free points of every machine, with the points.
    free: Vec<(Vec<usize>, Array2<f64>)>,
}

impl SvmInner {
    pub(super) fn new(machines: Vec<Machine>, options: DualOptions, tolerance: f64) -> Self {
        Self { machines, options, tolerance, violation: FIRST_TOLERANCE, free: Vec::new() }
    }

    /// All machines on one matrix, each begun at its last solution.
    fn run(&mut self, matrix: &Array2<f64>, compute: &Compute) -> Result<Vec<DualSolution>> {
        let values = matrix.as_slice().expect("a matrix of its own");
        let (rows, silent) = (KernelRows::of(values, matrix.nrows()), compute.silent());
        let options = DualOptions { tolerance: self.violation, ..self.options };
        let machines = &self.machines;
        let one = |at: usize| {
            let machine: &Machine = &machines[at];
            machine.problem.solve(&mut rows.subset(&machine.rows), &options, &silent)
        };
        let solutions = compute.try_map_tasks(machines.len(), one)?;
        for (machine, solution) in self.machines.iter_mut().zip(&solutions) {
            let within = |(a, c): (&f64, &f64)| a.clamp(0.0, *c);
            machine.problem.guesses = vec![solution.alpha.iter().zip(&machine.problem.upper).map(within).collect()];
        }
        Ok(solutions)
    }

    /// The free points of every machine with their kernel matrix, for the curvature.
    fn set_free(&mut self, matrix: &Array2<f64>, solutions: &[DualSolution]) {
        let free = |(machine, solution): (&Machine, &DualSolution)| {
            let upper = &machine.problem.upper;
            let between = |i: &usize| {
                let (a, c) = (solution.alpha[*i], upper[*i]);
                a > AT_BOUND * c && a < (1.0 - AT_BOUND) * c
            };
            let points: Vec<usize> =
                (0..upper.len()).filter(between).map(|i| machine.rows[machine.problem.points[i]]).collect();
            let block = matrix.select(Axis(0), &points).select(Axis(1), &points);
            (points, block)
        };
        self.free = self.machines.iter().zip(solutions).map(free).collect();
    }
}

impl Inner for SvmInner {
    fn solve(&mut self, grams: &Grams<'_>, which: &[usize], beta: &[f64], compute: &Compute) -> Result<Solved> {
        let n = grams.len();
        let remedy = "use fewer rows, the method `alignment` or `mean`, or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, "the weighted kernel matrix", 16 * (n as u64).pow(2), remedy)?;
        let matrix = grams.combine(which, beta, compute)?;
        let (solutions, value, gap) = loop {
            let solutions = self.run(&matrix, compute)?;
            let value: f64 = solutions.iter().map(|s| -s.objective).sum();
            let gap: f64 = solutions.iter().map(|s| s.gap).sum();
            if gap <= PART * self.tolerance * value.abs() || self.violation <= LEAST_TOLERANCE {
                break (solutions, value, gap);
            }
            self.violation *= 0.1;
        };
        self.set_free(&matrix, &solutions);
        let (mut alpha, mut linear) = (Array2::zeros((n, solutions.len())), 0.0);
        for (at, (machine, solution)) in self.machines.iter().zip(&solutions).enumerate() {
            let problem = &machine.problem;
            for (i, &point) in problem.points.iter().enumerate() {
                alpha[[machine.rows[point], at]] += problem.signs[i] * solution.alpha[i];
                linear -= problem.linear[i] * solution.alpha[i];
            }
        }
        Ok(Solved { value, gap, linear, alpha })
    }

    /// The upper bounds, in proportions that the constraint allows.
    fn guess(&self) -> Array2<f64> {
        let rows = self.machines.iter().flat_map(|machine| &machine.rows).max().map_or(0, |row| row + 1);
        let mut alpha = Array2::zeros((rows, self.machines.len()));
        for (at, machine) in self.machines.iter().enumerate() {
            let problem = &machine.problem;
            let sum = |sign: f64| -> f64 {
                problem.upper.iter().zip(&problem.signs).filter(|(_, s)| **s == sign).map(|(c, _)| c).sum()
            };
            let (positive, negative) = (sum(1.0), sum(-1.0));
            for (i, &point) in problem.points.iter().enumerate() {
                let sign = problem.signs[i];
                let share = problem.upper[i] / if sign > 0.0 { positive } else { negative };
                alpha[[machine.rows[point], at]] += sign * share;
            }
        }
        alpha
    }

    fn factor(&self) -> f64 {
        0.5
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn refine(&mut self) -> bool {
        let finer = self.violation > LEAST_TOLERANCE;
        if finer {
            self.violation *= 0.1;
        }
        finer
    }

    /// `∂²J/∂βₘ∂βₗ = Σ (Kₘα)ᵀB(Kₗα)` over the machines, at their free points: those at a bound stay
    /// there.
    fn curvature(&self, images: &[Array2<f64>], compute: &Compute) -> Result<Array2<f64>> {
        let mut parts = Vec::new();
        for (at, (points, block)) in self.free.iter().enumerate().filter(|(_, (points, _))| !points.is_empty()) {
            let mean = block.diag().sum() / points.len() as f64;
            let mut added = JITTER * if mean > 0.0 { mean } else { 1.0 };
            let factor = loop {
                let mut matrix = block.clone();
                matrix.diag_mut().mapv_inplace(|v| v + added);
                match factor(matrix, compute)? {
                    Factored::Definite(factor) => break factor,
                    Factored::Singular(_) => added *= 100.0,
                }
            };
            let columns = Array2::from_shape_fn((points.len(), images.len()), |(i, m)| images[m][[points[i], at]]);
            let direction = factor.half_solve(Array2::ones((points.len(), 1)).view(), compute)?;
            parts.push(without(factor.half_solve(columns.view(), compute)?, &direction));
        }
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        if views.is_empty() {
            return Ok(Array2::zeros((0, images.len())));
        }
        concatenate(Axis(0), &views).map_err(|e| crate::Error::shape("curvature", images.len(), e))
    }
}
