//! Ridge regression for fixed weights of the kernels.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::grams::Grams;
use super::inner::{Inner, Solved, without};
use crate::error::MemoryPurpose;
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Result};

/// `J(β) = min Σ wᵢ‖yᵢ − f(xᵢ) − b‖² + λ‖f‖²`.
///
/// # Formula
/// `max_α λ(2αᵀy − λαᵀW⁻¹α − αᵀKα)` over `1ᵀα = 0`, so that `κ = λ`; in `a = W^{−½}α` the system is
/// `(W^½KW^½ + λI)a + W^½1b = W^½y`. Without intercept `b = 0`, and the sum of `α` is free.
pub(super) struct RidgeInner {
    lambda: f64,
    intercept: bool,
    /// `W^½`.
    roots: Array1<f64>,
    /// `W^½y`.
    targets: Array2<f64>,
    last: Option<CholeskyFactor>,
}

impl RidgeInner {
    pub(super) fn new(lambda: f64, intercept: bool, y: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> Self {
        let roots = weights.map_or_else(|| Array1::ones(y.nrows()), |w| w.mapv(f64::sqrt));
        let targets = &y * &roots.view().insert_axis(Axis(1));
        Self { lambda, intercept, roots, targets, last: None }
    }

    fn ones(&self) -> ArrayView2<'_, f64> {
        self.roots.view().insert_axis(Axis(1))
    }
}

impl Inner for RidgeInner {
    fn solve(&mut self, grams: &Grams<'_>, which: &[usize], beta: &[f64], compute: &Compute) -> Result<Solved> {
        let bytes = 24 * (grams.len() as u64).pow(2);
        let remedy = "use fewer rows, the method `alignment` or `mean`, or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, "the weighted kernel matrix and its factor", bytes, remedy)?;
        // The memory of the last factor is free for this one.
        self.last = None;
        let mut matrix = grams.combine(which, beta, compute)?;
        matrix *= &self.roots;
        matrix *= &self.ones();
        matrix.diag_mut().mapv_inplace(|v| v + self.lambda);
        let Factored::Definite(factor) = factor(matrix, compute)? else {
            let what = "the weighted kernel matrix with lambda on its diagonal";
            return Err(Error::singular(what, crate::error::Remedy::larger("lambda")));
        };
        let outputs = self.targets.ncols();
        let right = ndarray::concatenate(Axis(1), &[self.targets.view(), self.ones()])
            .map_err(|e| Error::shape("targets", grams.len(), e))?;
        let solved = factor.solve(right.view(), compute)?;
        let (free, ones) = (solved.slice(s![.., ..outputs]), solved.column(outputs));
        let offsets = match self.intercept {
            true => self.roots.dot(&free) / self.roots.dot(&ones),
            false => Array1::zeros(outputs),
        };
        let a = &free - &(&ones.insert_axis(Axis(1)) * &offsets.insert_axis(Axis(0)));
        let cross = (&a * &self.targets).sum();
        let linear = self.lambda * (2.0 * cross - self.lambda * a.iter().map(|v| v * v).sum::<f64>());
        self.last = Some(factor);
        Ok(Solved { value: self.lambda * cross, gap: 0.0, linear, alpha: a * self.ones() })
    }

    /// The targets, centered.
    fn guess(&self) -> Array2<f64> {
        let total = self.roots.dot(&self.roots);
        let means = self.roots.dot(&self.targets) / total;
        let centered = &self.targets - &(&self.ones() * &means.insert_axis(Axis(0)));
        centered * self.ones()
    }

    fn factor(&self) -> f64 {
        self.lambda
    }

    /// `∂²J/∂βₘ∂βₗ = 2λ Σ (Kₘα)ᵀB(Kₗα)` over the outputs.
    fn curvature(&self, images: &[Array2<f64>], compute: &Compute) -> Result<Array2<f64>> {
        let (n, outputs) = self.targets.dim();
        let Some(factor) = &self.last else { return Ok(Array2::zeros((0, images.len()))) };
        let direction = factor.half_solve(self.ones(), compute)?;
        let size = (2.0 * self.lambda).sqrt();
        let mut stacked = Array2::zeros((n * outputs, images.len()));
        for output in 0..outputs {
            let columns =
                Array2::from_shape_fn((n, images.len()), |(i, m)| size * self.roots[i] * images[m][[i, output]]);
            let half = factor.half_solve(columns.view(), compute)?;
            let half = if self.intercept { without(half, &direction) } else { half };
            stacked.slice_mut(s![output * n..(output + 1) * n, ..]).assign(&half);
        }
        Ok(stacked)
    }
}
