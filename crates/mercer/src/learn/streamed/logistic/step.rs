//! From the statistics of a pass to the next functions.

use ndarray::{Array2, Axis, s};

use super::stream::{Functions, Past, pairs};
use super::{LogisticStream, StreamedLogisticFit};
use crate::error::MemoryPurpose;
use crate::features::FeatureMap;
use crate::solve::{Factored, factor, solve_positive};
use crate::{Compute, Error, Result};

/// An objective may rise by this share through rounding.
const ROUNDING: f64 = 1e-12;

/// What comes after a pass.
#[derive(Clone, Debug)]
pub enum LogisticStep {
    /// Another pass.
    Again(Box<LogisticStream>),
    /// The fit.
    Done(Box<StreamedLogisticFit>),
}

impl LogisticStream {
    /// Makes the step of the pass, of which no row may be missing.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no rows, [`Error::Mismatch`] unless they are numbered from 0 without a
    /// gap; [`Error::Memory`]; [`Error::Canceled`].
    pub fn next(mut self, compute: &Compute) -> Result<LogisticStep> {
        let rows = self.rows.rows();
        if rows == 0 {
            return Err(Error::too_few("a fit", "rows", 1, 0));
        }
        self.settle(compute)?;
        self.passes += 1;
        let norms: f64 = self.functions.weights.iter().map(|w| w * w).sum();
        let objective = self.loss.values(0).sum::<f64>() + 0.5 * self.spec.lambda * norms;
        let too_far = self.past.as_ref().filter(|past| objective > past.objective * (1.0 + ROUNDING));
        if let Some(past) = too_far.filter(|_| self.passes < self.spec.max_passes) {
            // Half of the step, from where the pass before was.
            let half = Functions {
                weights: (&self.functions.weights + &past.functions.weights) * 0.5,
                constants: (&self.functions.constants + &past.functions.constants) * 0.5,
            };
            let past = self.past.clone();
            return Ok(self.again(half, past));
        }
        let (next, decrease) = self.newton(compute)?;
        let first = self.past.as_ref().map_or(objective, |past| past.first);
        let converged = decrease <= self.spec.tolerance * first;
        if converged || self.passes >= self.spec.max_passes {
            let functions = if converged { next } else { self.functions.clone() };
            return Ok(LogisticStep::Done(Box::new(self.fit(functions, (objective, decrease, converged), rows))));
        }
        let past = Past { functions: self.functions.clone(), objective, first };
        Ok(self.again(next, Some(past)))
    }

    /// The functions after the step, and how much of the objective it promises to take away.
    fn newton(&mut self, compute: &Compute) -> Result<(Functions, f64)> {
        let (p, count) = self.functions.weights.dim();
        let size = count * (p + 1);
        compute.reserve(
            MemoryPurpose::Factorization,
            "the system of a Newton step",
            16 * (size as u64).pow(2),
            "use fewer features",
        )?;
        let (hessian, gradient) = self.system();
        let step = match factor(hessian, compute)? {
            Factored::Definite(factor) => factor.solve(gradient.view(), compute)?,
            Factored::Singular(matrix) => solve_positive(matrix.view(), gradient.view())?.solution,
        };
        let decrease = 0.5 * step.column(0).dot(&gradient.column(0)).max(0.0);
        let mut next = self.functions.clone();
        for c in 0..count {
            let own = step.slice(s![c * (p + 1)..(c + 1) * (p + 1), 0]);
            next.weights.column_mut(c).scaled_add(1.0, &own.slice(s![..p]));
            next.constants[c] += own[p];
        }
        Ok((next, decrease))
    }

    /// The Hessian with λ, and the gradient downhill: of every function the weights, then the
    /// constant.
    fn system(&mut self) -> (Array2<f64>, Array2<f64>) {
        let (p, count) = self.functions.weights.dim();
        let (width, lambda) = (p + 1, self.spec.lambda);
        let mut hessian = Array2::zeros((count * width, count * width));
        let mut gradient = Array2::zeros((count * width, 1));
        for (c, sums) in std::mem::take(&mut self.sums).into_iter().enumerate() {
            let (squares, products) = sums.statistics().bordered();
            let own = c * width..(c + 1) * width;
            hessian.slice_mut(s![own.clone(), own.clone()]).assign(&squares);
            gradient.slice_mut(s![own.clone(), ..]).assign(&products);
            hessian.slice_mut(s![own.clone(), own.clone()]).diag_mut().slice_mut(s![..p]).mapv_inplace(|d| d + lambda);
            let weights = self.functions.weights.column(c).insert_axis(Axis(1));
            gradient.slice_mut(s![own.start..own.start + p, ..]).scaled_add(-lambda, &weights);
        }
        for ((first, second), sums) in pairs(count).zip(std::mem::take(&mut self.cross)) {
            let (squares, _) = sums.statistics().bordered();
            let (first, second) = (first * width..(first + 1) * width, second * width..(second + 1) * width);
            hessian.slice_mut(s![first.clone(), second.clone()]).scaled_add(-1.0, &squares);
            hessian.slice_mut(s![second, first]).scaled_add(-1.0, &squares);
        }
        self.settle_constants(&mut hessian, &mut gradient);
        (hessian, gradient)
    }

    /// Keeps constants at 0 where none are fitted; of several, keeps their sum, which the softmax
    /// does not see.
    fn settle_constants(&self, hessian: &mut Array2<f64>, gradient: &mut Array2<f64>) {
        let (p, count) = self.functions.weights.dim();
        let constants: Vec<usize> = (0..count).map(|c| c * (p + 1) + p).collect();
        if !self.spec.intercept {
            for &at in &constants {
                hessian.row_mut(at).fill(0.0);
                hessian.column_mut(at).fill(0.0);
                hessian[[at, at]] = 1.0;
                gradient[[at, 0]] = 0.0;
            }
        } else if count > 1 {
            let scale = constants.iter().map(|&at| hessian[[at, at]]).sum::<f64>() / (count * count) as f64;
            for &row in &constants {
                constants.iter().for_each(|&column| hessian[[row, column]] += scale);
            }
        }
    }

    fn again(self, functions: Functions, past: Option<Past>) -> LogisticStep {
        let Self { features, spec, classes, passes, settings, .. } = self;
        LogisticStep::Again(Box::new(Self::of_pass(features, (spec, classes), functions, past, passes, settings)))
    }

    fn fit(
        self,
        mut functions: Functions,
        (objective, decrease, converged): (f64, f64, bool),
        rows: u64,
    ) -> StreamedLogisticFit {
        // The softmax does not see a constant that all functions share.
        if functions.constants.len() > 1 {
            let mean = functions.constants.mean().unwrap_or(0.0);
            functions.constants -= mean;
        }
        debug_assert_eq!(functions.weights.nrows(), self.features.components());
        StreamedLogisticFit {
            features: self.features,
            functions,
            classes: self.classes,
            lambda: self.spec.lambda,
            objective,
            decrease,
            converged,
            passes: self.passes,
            rows,
            settings: self.settings,
        }
    }
}
