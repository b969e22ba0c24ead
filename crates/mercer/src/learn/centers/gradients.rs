//! Conjugate gradients that stop on the residual, or when a callback stops them.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Result;

/// The system and how long to work on it.
pub(in crate::learn) struct System<'s> {
    pub(in crate::learn) apply: &'s dyn Fn(ArrayView2<f64>) -> Result<Array2<f64>>,
    pub(in crate::learn) precondition: &'s dyn Fn(ArrayView2<f64>) -> Result<Array2<f64>>,
    /// Stop when every `‖r‖_P ≤ tolerance·‖b‖_P` in the norm of the preconditioner.
    pub(in crate::learn) tolerance: f64,
    pub(in crate::learn) max_iterations: usize,
    /// Whether the columns are parts of one unknown, and not systems of their own.
    pub(in crate::learn) joint: bool,
}

/// Where the iteration ended.
pub(in crate::learn) struct Outcome {
    pub(in crate::learn) solution: Array2<f64>,
    pub(in crate::learn) iterations: usize,
    /// The largest `‖r‖_P/‖b‖_P`, by recurrence.
    pub(in crate::learn) residual: f64,
}

impl System<'_> {
    /// Solves for all columns of `b` at once, from 0. `watch` sees every iterate and may stop the
    /// work.
    pub(in crate::learn) fn solve(
        &self,
        b: ArrayView2<f64>,
        watch: &mut dyn FnMut(ArrayView2<f64>) -> Result<bool>,
    ) -> Result<Outcome> {
        let mut x = Array2::zeros(b.dim());
        let mut residual = b.to_owned();
        let mut z = (self.precondition)(residual.view())?;
        let mut rho = self.inner(&residual, &z);
        let (start, mut direction, mut iterations) = (rho.clone(), z.clone(), 0);
        while iterations < self.max_iterations && worst(&rho, &start) > self.tolerance {
            let image = (self.apply)(direction.view())?;
            let step = ratio(&rho, &self.inner(&direction, &image));
            // In place: vectors may be as long as memory allows.
            add_columns(&mut x, &step, &direction);
            add_columns(&mut residual, &-step, &image);
            drop(image);
            iterations += 1;
            z = (self.precondition)(residual.view())?;
            let next = self.inner(&residual, &z);
            direction *= &ratio(&next, &rho);
            direction += &z;
            rho = next;
            if watch(x.view())? {
                break;
            }
        }
        Ok(Outcome { solution: x, iterations, residual: worst(&rho, &start) })
    }

    /// The inner products of corresponding columns, or their sum for each.
    fn inner(&self, x: &Array2<f64>, y: &Array2<f64>) -> Array1<f64> {
        let products: Array1<f64> = x.axis_iter(Axis(1)).zip(y.axis_iter(Axis(1))).map(|(x, y)| x.dot(&y)).collect();
        if self.joint { Array1::from_elem(products.len(), products.sum()) } else { products }
    }
}

/// Adds a multiple of every column.
fn add_columns(sums: &mut Array2<f64>, factors: &Array1<f64>, columns: &Array2<f64>) {
    for ((mut sum, factor), column) in sums.columns_mut().into_iter().zip(factors).zip(columns.columns()) {
        sum.scaled_add(*factor, &column);
    }
}

/// `a/b`, and 0 for columns that are finished.
fn ratio(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}

/// The largest root of a quotient.
fn worst(now: &Array1<f64>, start: &Array1<f64>) -> f64 {
    ratio(now, start).into_iter().fold(0.0, |m, r| m.max(r.max(0.0).sqrt()))
}
