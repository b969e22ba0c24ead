//! The system of a Newton step.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{Curvature, joined, parted};
use crate::operator::{Operator, check_rows, mapped};
use crate::{Error, Result};

/// `[ZᵀWZ + 2λI, ZᵀW1; 1ᵀWZ, 1ᵀW1]`, without its border where there is no intercept.
pub(super) struct Hessian<'s> {
    pub(super) features: &'s dyn Operator,
    pub(super) curvature: Curvature,
    pub(super) penalty: f64,
    pub(super) intercept: bool,
}

impl Hessian<'_> {
    /// `W(u + b)` for some rows `u`.
    fn bend(&self, rows: Range<usize>, values: &[f64], b: &Array1<f64>, out: &mut [f64]) {
        let count = b.len().max(1);
        let mut moved = vec![0.0; count];
        for (i, (values, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
            moved.iter_mut().zip(values).zip(b).for_each(|((moved, v), b)| *moved = v + b);
            self.curvature.apply(i, &moved, out);
        }
    }
}

impl Operator for Hessian<'_> {
    fn shape(&self) -> (usize, usize) {
        let size = self.features.shape().1 + usize::from(self.intercept);
        (size, size)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.shape().0)?;
        let (w, b) = parted(v, self.intercept);
        let doubled = self.features.double(w, &|rows, values, out| self.bend(rows, values, &b, out))?;
        let mut image = doubled.backward;
        image.scaled_add(self.penalty, &w);
        if !self.intercept {
            return Ok(image);
        }
        let bent = mapped(&doubled.forward, &|rows, values, out| self.bend(rows, values, &b, out));
        Ok(joined(image, bent.sum_axis(Axis(0)), true))
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "the system of a Newton step", "", "use products with unit vectors"))
    }
}
