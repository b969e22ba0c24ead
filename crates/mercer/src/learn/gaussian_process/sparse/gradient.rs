//! The gradient of the objective.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::Approximation;
use super::basis::{column_products, strips};
use super::input_gradient::input_slopes;
use super::posterior::{Posterior, SparseData};
use crate::gram::Pairs;
use crate::operator::products::{add_symmetric, mirror, multiply};
use crate::{Compute, Result};

/// Points whose own values one task looks at. 16 to 1024 differ by less than 4 % (20 000 rows, 20
/// inducing points).
const OWN: usize = 64;

/// Slopes of the objective.
pub(super) struct Slopes {
    /// By the logarithms of the parameters of the kernel (by the parameter where it may be
    /// negative), then of the noise.
    pub(super) parameters: Vec<f64>,
    /// By the inducing points that are used, if requested.
    pub(super) inducing: Option<Array2<f64>>,
}

/// What the slopes by `K_ZX`, `diag K` and the noise are made from, strip by strip.
struct Strip {
    /// The slopes by `K(Z, x)`.
    cross: Array2<f64>,
    /// `e`; the slopes by `k(x, x)` are `−e`.
    slack: Option<Array1<f64>>,
    /// `Σ (ααᵀ − A⁻¹)ᵢᵢ`.
    trace: f64,
}

impl Posterior {
    /// The gradient of the objective.
    ///
    /// # Formula
    /// With `A = VᵀV + Λ`, `α = A⁻¹y`, `N = ½(ααᵀ − A⁻¹) + diag e` and `W = L⁻ᵀV`: slope `2WN` by
    /// `K_ZX`, `−WNWᵀ` by `K_ZZ`, `−e` by `diag K`. In white coordinates `Vα = β`, `VA⁻¹ = B⁻¹VΛ⁻¹`
    /// and `VA⁻¹Vᵀ = I − B⁻¹`, so that nothing of size `n²` occurs.
    pub(super) fn slopes(
        &self,
        data: SparseData<'_>,
        requested: &[bool],
        inducing: bool,
        compute: &Compute,
    ) -> Result<Slopes> {
        let m = self.basis.points.nrows();
        let root = self.basis.factor.half_solve(Array2::eye(m).view(), compute)?;
        let parameters = self.basis.kernel.parameters();
        let mut slopes = vec![0.0; parameters.len()];
        let mut moved = inducing.then(|| Array2::zeros(self.basis.points.dim()));
        let (mut slacks, mut trace) = (Array2::zeros((m, m)), 0.0);
        for rows in strips(data.x.nrows()) {
            compute.check_canceled()?;
            let part = data.rows(rows);
            let strip = self.strip(part, &root, &mut slacks, compute)?;
            self.add_strip(&strip, part.x, requested, &mut slopes, compute)?;
            if let Some(moved) = &mut moved {
                *moved += &input_slopes(&self.basis, part.x, strip.cross.view(), compute)?;
            }
            trace += strip.trace;
        }
        let within = self.within(&root, slacks, compute)?;
        let bound = self.basis.kernel.bind(Pairs::within(self.basis.points.view()), compute)?;
        add(&mut slopes, &bound.contract_requested(within.view(), requested, compute)?);
        if let Some(moved) = &mut moved {
            // Every pair of inducing points stands twice in K_ZZ, and a point with itself moves
            // both arguments.
            let both = &within * 2.0;
            *moved += &input_slopes(&self.basis, self.basis.points.view(), both.view(), compute)?;
        }
        let chain = slopes.iter().zip(&parameters).map(|(s, p)| if p.positive { s * p.value } else { *s });
        let penalty = self.approximation.penalty(self.trace_left, self.noise);
        let parameters = chain.chain([0.5 * trace * self.noise + penalty]).collect();
        Ok(Slopes { parameters, inducing: moved })
    }

    /// The slopes of one strip; adds `V diag(e) Vᵀ` to `slacks` where it has no closed form.
    fn strip(
        &self,
        data: SparseData<'_>,
        root: &Array2<f64>,
        slacks: &mut Array2<f64>,
        compute: &Compute,
    ) -> Result<Strip> {
        let white = self.basis.whiten(data.x, compute)?;
        let left = self.basis.left(data.x, &white, compute)?;
        let diagonal = self.approximation.diagonal(&left, self.noise);
        let solved = self.inner.solve(white.view(), compute)?;
        let alpha = (&data.y - &white.t().dot(&self.beta)) / &diagonal;
        let inverse = (1.0 - column_products(&white, &solved) / &diagonal) / &diagonal;
        let twice_m = &alpha * &alpha - &inverse;
        let slack = self.approximation.slack(&twice_m, self.noise);
        let mut product = -solved / &diagonal;
        product += &(&self.beta.view().insert_axis(Axis(1)) * &alpha);
        if let Some(slack) = &slack {
            product += &(&white * &(slack * 2.0));
            if self.approximation == Approximation::Fitc {
                add_symmetric(slacks, &(&white * slack), &white, compute)?;
            }
        }
        Ok(Strip { cross: multiply(root.t(), product.view(), compute)?, slack, trace: twice_m.sum() })
    }

    /// `−WNWᵀ = −L⁻ᵀ(½ββᵀ − ½(I − B⁻¹) + V diag(e) Vᵀ)L⁻¹`.
    fn within(&self, root: &Array2<f64>, mut slacks: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        mirror(&mut slacks);
        let column = self.beta.view().insert_axis(Axis(1));
        let unit = Array2::eye(self.beta.len());
        if self.approximation == Approximation::Variational {
            // V(2σ²)⁻¹Vᵀ
            slacks = (&self.matrix - &unit) * 0.5;
        }
        let inverse = self.inner.solve(unit.view(), compute)?;
        let middle = slacks + (column.dot(&column.t()) - unit + inverse) * 0.5;
        let right = multiply(middle.view(), root.view(), compute)?;
        Ok(-multiply(root.t(), right.view(), compute)?)
    }

    /// Adds the contribution of one strip to the gradient by the parameters of the kernel.
    fn add_strip(
        &self,
        strip: &Strip,
        x: ArrayView2<f64>,
        requested: &[bool],
        slopes: &mut [f64],
        compute: &Compute,
    ) -> Result<()> {
        let kernel = &self.basis.kernel;
        let bound = kernel.bind(Pairs::between(self.basis.points.view(), x), compute)?;
        add(slopes, &bound.contract_requested(strip.cross.view(), requested, compute)?);
        let Some(slack) = &strip.slack else { return Ok(()) };
        let bound = kernel.bind(Pairs::within(x), compute)?;
        let own = |k: usize| {
            let mut sums = vec![0.0; slopes.len()];
            for i in k * OWN..slack.len().min((k + 1) * OWN) {
                bound.contract_tile(i..i + 1, i..i + 1, &[-slack[i]], requested, &mut sums);
            }
            sums
        };
        let parts: Vec<Vec<f64>> =
            compute.install(|| (0..slack.len().div_ceil(OWN)).into_par_iter().map(own).collect());
        parts.iter().for_each(|part| add(slopes, part));
        Ok(())
    }
}

fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(s, t)| *s += t);
}
