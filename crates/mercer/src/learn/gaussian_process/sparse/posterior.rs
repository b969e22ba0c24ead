//! The process given the data: `B = I + VΛ⁻¹Vᵀ` factored, and the objective.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::Approximation;
use super::basis::{InducingBasis, strips};
use crate::error::Remedy;
use crate::operator::products::{add_symmetric, mirror};
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Result};

/// The observations.
#[derive(Clone, Copy)]
pub(super) struct SparseData<'a> {
    pub(super) x: ArrayView2<'a, f64>,
    pub(super) y: ArrayView1<'a, f64>,
}

impl SparseData<'_> {
    /// The same for a shorter time.
    pub(super) fn view(&self) -> SparseData<'_> {
        SparseData { x: self.x.view(), y: self.y.view() }
    }

    /// Some of the rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> SparseData<'_> {
        SparseData { x: self.x.slice(s![rows.clone(), ..]), y: self.y.slice(s![rows]) }
    }
}

/// The posterior in white coordinates: `N(β, B⁻¹)`.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) basis: InducingBasis,
    pub(super) noise: f64,
    pub(super) approximation: Approximation,
    /// `B`, and its factor.
    pub(super) matrix: Array2<f64>,
    pub(super) inner: CholeskyFactor,
    /// `β = B⁻¹VΛ⁻¹y`.
    pub(super) beta: Array1<f64>,
    /// `tr(K − Q)`.
    pub(super) trace_left: f64,
    /// The log marginal likelihood of the approximation, or its bound.
    pub(super) objective: f64,
}

/// Sums over the strips.
struct Sums {
    /// `B`, below its diagonal.
    matrix: Array2<f64>,
    /// `VΛ⁻¹y`.
    image: Array1<f64>,
    /// `yᵀΛ⁻¹y`.
    square: f64,
    /// `log det Λ`.
    log_determinant: f64,
    trace_left: f64,
}

impl Posterior {
    /// # Formula
    /// `log p(y) = −½(yᵀΛ⁻¹y − ‖L_B⁻¹VΛ⁻¹y‖² + log det B + log det Λ + n log 2π)`, and less
    /// `tr(K − Q)/(2σ²)` for the bound.
    pub(super) fn new(
        basis: InducingBasis,
        noise: f64,
        approximation: Approximation,
        data: SparseData<'_>,
        compute: &Compute,
    ) -> Result<Self> {
        let sums = Sums::new(&basis, noise, approximation, data, compute)?;
        // B − I is positive semi-definite: only overflow of VΛ⁻¹Vᵀ can break this.
        let Factored::Definite(inner) = factor(sums.matrix.clone(), compute)? else {
            return Err(Error::singular(
                format!("I + VΛ⁻¹Vᵀ of {} at a noise of {noise}", basis.kernel),
                Remedy::larger("noise"),
            ));
        };
        let image = sums.image.view().insert_axis(Axis(1));
        let beta = inner.solve(image, compute)?.index_axis_move(Axis(1), 0);
        let fit = sums.square - beta.dot(&sums.image);
        let constant = data.y.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        let likelihood = -0.5 * (fit + inner.log_determinant() + sums.log_determinant + constant);
        let objective = likelihood - approximation.penalty(sums.trace_left, noise);
        let (matrix, trace_left) = (sums.matrix, sums.trace_left);
        Ok(Self { basis, noise, approximation, matrix, inner, beta, trace_left, objective })
    }
}

impl Sums {
    fn new(
        basis: &InducingBasis,
        noise: f64,
        approximation: Approximation,
        data: SparseData<'_>,
        compute: &Compute,
    ) -> Result<Self> {
        let m = basis.points.nrows();
        let (matrix, image) = (Array2::eye(m), Array1::zeros(m));
        let mut sums = Self { matrix, image, square: 0.0, log_determinant: 0.0, trace_left: 0.0 };
        for rows in strips(data.x.nrows()) {
            compute.check_canceled()?;
            let part = data.rows(rows);
            let mut white = basis.whiten(part.x, compute)?;
            let left = basis.left(part.x, &white, compute)?;
            let diagonal = approximation.diagonal(&left, noise);
            let roots = diagonal.mapv(|d| d.sqrt().recip());
            white *= &roots;
            sums.add(&white, &(&part.y * &roots), compute)?;
            sums.log_determinant += diagonal.mapv(f64::ln).sum();
            sums.trace_left += left.sum();
        }
        mirror(&mut sums.matrix);
        Ok(sums)
    }

    /// Adds a strip of `VΛ^{−½}` and `Λ^{−½}y`.
    fn add(&mut self, white: &Array2<f64>, y: &Array1<f64>, compute: &Compute) -> Result<()> {
        add_symmetric(&mut self.matrix, white, white, compute)?;
        self.image += &white.dot(y);
        self.square += y.dot(y);
        Ok(())
    }
}
