//! The losses of held-out rows, for every learner that is chosen by folds.

use ndarray::{Array2, ArrayView1, Axis};

use crate::learn::svm::{Classes, Penalty, Svc, Svr};
use crate::learn::{LogisticFit, LogisticRegression};
use crate::solve::DualOptions;
use crate::{Compute, Kernel, Points, Result, Sample};

/// Steps of a binary SVM per row that a candidate may take: those that need more, such as linear
/// kernels with a large `C`, are scored by what they reached.
const STEPS_PER_ROW: u64 = 50;
/// Digits of a logistic regression that a score needs, as a squared relative norm.
const TOLERANCE: f64 = 1e-9;
/// Minimum number of rows for a selection: with fewer the scores are too noisy.
const LEAST_ROWS: usize = 200;
/// Maximum number of Newton steps of a candidate: a score does not need full convergence.
const NEWTON_STEPS: u64 = 30;

/// The rows that candidates are scored on, and their folds as places in this list.
#[derive(Clone, Copy, Debug)]
pub struct HeldRows<'h> {
    /// Rows of the data, ascending.
    pub rows: &'h [usize],
    /// The places of every fold.
    pub folds: &'h [Vec<usize>],
}

impl HeldRows<'_> {
    /// For every fold the places outside and inside of it.
    fn parts(&self) -> impl Iterator<Item = (Vec<usize>, &[usize])> {
        let others = |held: &[usize]| (0..self.rows.len()).filter(|at| held.binary_search(at).is_err()).collect();
        self.folds.iter().map(move |held| (others(held), held.as_slice()))
    }

    fn rows_at(&self, positions: &[usize]) -> Vec<usize> {
        positions.iter().map(|&at| self.rows[at]).collect()
    }
}

/// A learner that is fitted without a fold and scored on it.
pub trait HeldOut: Sync {
    /// The loss of every row (one row each) by fits without its fold, for every parameter of a
    /// list, the smoothest first (one column each).
    ///
    /// # Errors
    /// As the fits.
    fn losses(&self, kernel: &Kernel, parameters: &[f64], held: HeldRows<'_>, compute: &Compute)
    -> Result<Array2<f64>>;
}

/// Classification: 1 for a row whose class is wrong.
#[derive(Clone, Debug)]
pub struct HeldOutSvc<'d> {
    /// The classifier; its kernel and `C` (or `ν`) are replaced.
    pub spec: Svc,
    /// The points.
    pub x: Points<'d>,
    /// Their classes.
    pub classes: &'d Classes,
    /// Their weights.
    pub weights: Option<ArrayView1<'d, f64>>,
}

/// The classes of some rows, numbered anew without those that do not occur, and which they are.
fn numbered(labels: &[usize], rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let of: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
    let mut present = of.clone();
    present.sort_unstable();
    present.dedup();
    (of.iter().map(|class| present.binary_search(class).unwrap_or(0)).collect(), present)
}

/// The factors of the classes that occur.
fn factors(all: Option<&Vec<f64>>, present: &[usize]) -> Option<Vec<f64>> {
    all.map(|all| present.iter().filter_map(|&class| all.get(class).copied()).collect())
}

impl HeldOutSvc<'_> {
    /// The classes of some rows, and which they are.
    fn classes(&self, rows: &[usize]) -> Result<(Classes, Vec<usize>)> {
        let (of, present) = numbered(self.classes.of(), rows);
        let names = present.iter().map(|&class| self.classes.names()[class].clone()).collect();
        Ok((Classes::from_indices(of, names)?, present))
    }

    fn spec(&self, kernel: &Kernel, rows: usize, present: &[usize]) -> Svc {
        let class_weights = factors(self.spec.class_weights.as_ref(), present);
        let solver = limited(self.spec.solver, rows);
        Svc { kernel: kernel.clone(), calibration: None, solver, class_weights, ..self.spec.clone() }
    }

    /// ν-classifiers one by one.
    fn by_fits(&self, kernel: &Kernel, nus: &[f64], held: HeldRows<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let mut losses = Array2::zeros((held.rows.len(), nus.len()));
        for (others, positions) in held.parts() {
            let (rows, test) = (held.rows_at(&others), held.rows_at(positions));
            let (classes, present) = self.classes(&rows)?;
            let x = Sample::select(kernel.points(self.x), &rows);
            let weights = self.weights.map(|w| w.select(Axis(0), &rows));
            let x_test = Sample::select_new(kernel.points(self.x), &test, &rows);
            for (column, &nu) in nus.iter().enumerate() {
                let spec = Svc { penalty: Penalty::Nu(nu), ..self.spec(kernel, rows.len(), &present) };
                let fit = spec.fit(&x, &classes, weights.as_ref().map(|w| w.view()), compute)?;
                let found = fit.predict(&x_test, compute)?;
                for ((&at, &row), class) in positions.iter().zip(&test).zip(found) {
                    losses[[at, column]] = wrong(present[class], self.classes.of()[row]);
                }
            }
        }
        Ok(losses)
    }
}

impl HeldOut for HeldOutSvc<'_> {
    fn losses(
        &self,
        kernel: &Kernel,
        parameters: &[f64],
        held: HeldRows<'_>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        kernel.points(self.x).check_square()?;
        if matches!(self.spec.penalty, Penalty::Nu(_)) {
            return self.by_fits(kernel, parameters, held, compute);
        }
        let (classes, present) = self.classes(held.rows)?;
        let mut fold_of = vec![0; held.rows.len()];
        for (fold, positions) in held.folds.iter().enumerate() {
            positions.iter().for_each(|&at| fold_of[at] = fold);
        }
        let x = Sample::select(kernel.points(self.x), held.rows);
        let weights = self.weights.map(|w| w.select(Axis(0), held.rows));
        let spec = self.spec(kernel, held.rows.len(), &present);
        let weights = weights.as_ref().map(|w| w.view());
        let found = spec.validate(&x, &classes, weights, parameters, &fold_of, compute)?;
        Ok(Array2::from_shape_fn(found.dim(), |at| wrong(found[at], classes.of()[at.0])))
    }
}

fn wrong(found: usize, class: usize) -> f64 {
    if found == class { 0.0 } else { 1.0 }
}

/// The solver with a bound on its steps.
fn limited(solver: DualOptions, rows: usize) -> DualOptions {
    let most = STEPS_PER_ROW * rows as u64 + 1000;
    DualOptions { max_steps: Some(solver.max_steps.map_or(most, |steps| steps.min(most))), ..solver }
}

/// Support vector regression: the squared error.
#[derive(Clone, Debug)]
pub struct HeldOutSvr<'d> {
    /// The regression; its kernel and `C` are replaced.
    pub spec: Svr,
    /// The points.
    pub x: Points<'d>,
    /// The target.
    pub y: ArrayView1<'d, f64>,
    /// The weights.
    pub weights: Option<ArrayView1<'d, f64>>,
}

impl HeldOut for HeldOutSvr<'_> {
    fn losses(
        &self,
        kernel: &Kernel,
        parameters: &[f64],
        held: HeldRows<'_>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        kernel.points(self.x).check_square()?;
        let mut losses = Array2::zeros((held.rows.len(), parameters.len()));
        for (others, positions) in held.parts() {
            let (rows, test) = (held.rows_at(&others), held.rows_at(positions));
            let (x, y) = (Sample::select(kernel.points(self.x), &rows), self.y.select(Axis(0), &rows));
            let weights = self.weights.map(|w| w.select(Axis(0), &rows));
            let x_test = Sample::select_new(kernel.points(self.x), &test, &rows);
            for (column, &c) in parameters.iter().enumerate() {
                let solver = limited(self.spec.solver, rows.len());
                let spec = Svr { kernel: kernel.clone(), c, solver, ..self.spec.clone() };
                let fit = spec.fit(&x, y.view(), weights.as_ref().map(|w| w.view()), compute)?;
                let found = fit.predict(&x_test, compute)?;
                for ((&at, &row), f) in positions.iter().zip(&test).zip(&found) {
                    losses[[at, column]] = (f - self.y[row]).powi(2);
                }
            }
        }
        Ok(losses)
    }
}

/// What a held-out row of a logistic regression costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassLoss {
    /// `−log P` of its class.
    Log,
    /// 1 where another class is more probable.
    Wrong,
}

/// Logistic regression.
#[derive(Clone, Debug)]
pub struct HeldOutLogistic<'d> {
    /// The regression; its kernel and λ are replaced.
    pub spec: LogisticRegression,
    /// The points.
    pub x: Points<'d>,
    /// The classes `0, 1, …`.
    pub labels: &'d [usize],
    /// The weights.
    pub weights: Option<ArrayView1<'d, f64>>,
    /// What a row costs.
    pub loss: ClassLoss,
}

impl HeldOut for HeldOutLogistic<'_> {
    fn losses(
        &self,
        kernel: &Kernel,
        parameters: &[f64],
        held: HeldRows<'_>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        kernel.points(self.x).check_square()?;
        let mut losses = Array2::zeros((held.rows.len(), parameters.len()));
        for (others, positions) in held.parts() {
            let (rows, test) = (held.rows_at(&others), held.rows_at(positions));
            let (labels, present) = numbered(self.labels, &rows);
            let spec = self.spec(kernel, &present);
            let weights = self.weights.map(|w| w.select(Axis(0), &rows));
            let x = Sample::select(kernel.points(self.x), &rows);
            let fits = spec.path(parameters, &x, &labels, weights.as_ref().map(|w| w.view()), compute)?;
            let x_test = Sample::select_new(kernel.points(self.x), &test, &rows);
            for (column, fit) in fits.iter().enumerate() {
                let found = self.losses_of(fit, (x_test.as_points(), &test), &present, compute)?;
                positions.iter().zip(found).for_each(|(&at, loss)| losses[[at, column]] = loss);
            }
        }
        Ok(losses)
    }
}

impl HeldOutLogistic<'_> {
    /// The rows on which so many fits take about this many floating-point operations, at most
    /// `rows`, at least 200.
    ///
    /// # Errors
    /// As [`LogisticRegression::plan`].
    pub fn affordable_rows(&self, rows: usize, fits: usize, flops: f64, compute: &Compute) -> Result<usize> {
        let classes = self.labels.iter().max().map_or(0, |m| m + 1);
        let (mut rows, numbers) = (rows, self.x.size().numbers());
        while rows > LEAST_ROWS && fits as f64 * self.spec.plan(rows, numbers, classes, compute)?.flops > flops {
            rows = (rows * 4 / 5).max(LEAST_ROWS);
        }
        Ok(rows)
    }

    /// Few digits and few steps: a score needs no more.
    fn spec(&self, kernel: &Kernel, present: &[usize]) -> LogisticRegression {
        LogisticRegression {
            kernel: kernel.clone(),
            class_weights: factors(self.spec.class_weights.as_ref(), present),
            tolerance: self.spec.tolerance.max(TOLERANCE),
            max_iterations: self.spec.max_iterations.min(NEWTON_STEPS),
            leave_one_out: false,
            ..self.spec.clone()
        }
    }

    /// A class that was not among the rows of the fit has no probability.
    fn losses_of(
        &self,
        fit: &LogisticFit,
        (x, rows): (Points<'_>, &[usize]),
        present: &[usize],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let p = fit.probabilities(x, compute)?;
        let loss = |(row, p): (&usize, ArrayView1<f64>)| {
            let own = present.binary_search(&self.labels[*row]).map_or(0.0, |position| p[position]);
            match self.loss {
                ClassLoss::Log => -own.max(f64::MIN_POSITIVE).ln(),
                ClassLoss::Wrong => f64::from(u8::from(p.iter().any(|other| *other > own))),
            }
        };
        Ok(rows.iter().zip(p.rows()).map(loss).collect())
    }
}
