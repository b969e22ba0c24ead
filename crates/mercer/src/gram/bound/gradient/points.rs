//! Nodes whose value needs more than one pair of points: normalized, conformal, based and induced
//! kernels.

use super::TileGradient;
use crate::gram::bound::node::{Kind, Node};
use crate::gram::simd::dot;
use crate::kernel::{ConformalFactor, Kernel};
use crate::real::{Dual, Real};

impl TileGradient<'_> {
    pub(super) fn by_points(&mut self, node: &Node<'_>, w: &[f64], factor: f64) {
        match (&node.kind, &node.kernel) {
            (Kind::Outer { rows, cols, unit: true, inner }, _) => self.normalized(rows, cols, inner, w, factor),
            (Kind::Outer { rows, cols, unit: false, inner }, Kernel::Conformal(f, _)) => {
                self.conformal(rows, cols, f, node, inner, w, factor);
            }
            (Kind::Based { inner, .. }, Kernel::Based(at, _)) => {
                self.node(inner, w, -factor, false);
                let (by_row, by_column) = self.margins(w);
                let at = at.coordinates();
                let mut terms = PairSlopes::new(inner, inner.parameters.start);
                for (i, w) in self.rows.clone().zip(&by_row) {
                    terms.add(&self.slots.row(inner.slot, i), at, factor * w, self.requested, self.sums);
                }
                for (j, w) in self.cols.clone().zip(&by_column) {
                    terms.add(&self.slots.column(inner.slot, j), at, factor * w, self.requested, self.sums);
                }
                terms.add(at, at, -factor * by_row.iter().sum::<f64>(), self.requested, self.sums);
            }
            (Kind::Features { metric }, Kernel::Induced(anchors, k)) => {
                self.induced(*metric, anchors.rows(), k, node, w, factor);
            }
            _ => self.by_formula(node, w, factor),
        }
    }

    /// `Σⱼ wᵢⱼ` and `Σᵢ wᵢⱼ`.
    fn margins(&self, w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut by_row, mut by_column) = (Vec::with_capacity(self.rows.len()), vec![0.0; self.cols.len()]);
        for line in w.chunks_exact(self.cols.len().max(1)) {
            by_row.push(line.iter().sum());
            by_column.iter_mut().zip(line).for_each(|(sum, w)| *sum += w);
        }
        (by_row, by_column)
    }

    /// `v = aᵢ bⱼ k` with `aᵢ = k(xᵢ, xᵢ)^{−½}`:
    /// `dv = aᵢ bⱼ dk − ½v(aᵢ² dk(xᵢ, xᵢ) + bⱼ² dk(yⱼ, yⱼ))`. Where both are the same point `v` is
    /// constant.
    fn normalized(&mut self, rows: &[f64], cols: &[f64], inner: &Node<'_>, w: &[f64], factor: f64) {
        let mut weights = w.to_vec();
        self.each(&mut weights, |i, j, w| *w *= rows[i] * cols[j]);
        if self.symmetric {
            self.each(&mut weights, |i, j, w| *w = if i == j { 0.0 } else { *w });
        }
        self.node(inner, &weights, factor, false);
        let mut values = self.values(inner);
        values.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w);
        let (by_row, by_column) = self.margins(&values);
        let mut terms = PairSlopes::new(inner, inner.parameters.start);
        for (i, v) in self.rows.clone().zip(&by_row) {
            let x = self.slots.row(inner.slot, i);
            terms.add(&x, &x, -0.5 * factor * v * rows[i] * rows[i], self.requested, self.sums);
        }
        for (j, v) in self.cols.clone().zip(&by_column) {
            let y = self.slots.column(inner.slot, j);
            terms.add(&y, &y, -0.5 * factor * v * cols[j] * cols[j], self.requested, self.sums);
        }
    }

    /// `f(x) k f(y)`.
    #[allow(clippy::too_many_arguments)]
    fn conformal(
        &mut self,
        rows: &[f64],
        cols: &[f64],
        f: &ConformalFactor,
        node: &Node<'_>,
        inner: &Node<'_>,
        w: &[f64],
        factor: f64,
    ) {
        let mut weights = w.to_vec();
        self.each(&mut weights, |i, j, w| *w *= rows[i] * cols[j]);
        if let ConformalFactor::Gaussian(l) = f
            && self.requested[node.parameters.start]
        {
            // d log f = ‖x‖²/ℓ³ dℓ.
            let mut values = self.values(inner);
            values.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w);
            let (by_row, by_column) = self.margins(&values);
            let square = |x: Vec<f64>| dot(&x, &x);
            let of_rows: f64 =
                self.rows.clone().zip(&by_row).map(|(i, v)| v * square(self.slots.row(node.slot, i))).sum();
            let columns = self.cols.clone().zip(&by_column);
            let of_columns: f64 = columns.map(|(j, v)| v * square(self.slots.column(node.slot, j))).sum();
            self.sums[node.parameters.start] += factor * (of_rows + of_columns) / l.get().powi(3);
        }
        self.node(inner, &weights, factor, false);
    }

    /// `Σ_l k(x, z_l) k(y, z_l)`: the weights of the features of each side go to the pairs with the
    /// anchors.
    fn induced(&mut self, metric: usize, anchors: &[Vec<f64>], k: &Kernel, node: &Node<'_>, w: &[f64], factor: f64) {
        let features = &self.slots.points[self.slots.metrics[metric].slot()];
        let (left, right) = (&features.rows, features.columns());
        let width = self.cols.len().max(1);
        let mut terms =
            PairSlopes { kernel: k, values: k.parameter_values(), start: node.parameters.end - k.parameter_count() };
        for (l, z) in anchors.iter().enumerate() {
            let of_columns: Vec<f64> = self.cols.clone().map(|j| right[[j, l]]).collect();
            for (i, line) in self.rows.clone().zip(w.chunks_exact(width)) {
                let weight = factor * dot(line, &of_columns);
                terms.add(&self.slots.row(node.slot, i), z, weight, self.requested, self.sums);
            }
            let mut by_column = vec![0.0; self.cols.len()];
            for (i, line) in self.rows.clone().zip(w.chunks_exact(width)) {
                by_column.iter_mut().zip(line).for_each(|(sum, w)| *sum += w * left[[i, l]]);
            }
            for (j, weight) in self.cols.clone().zip(&by_column) {
                terms.add(&self.slots.column(node.slot, j), z, factor * weight, self.requested, self.sums);
            }
        }
    }

    /// Pair by pair, by the formula in dual numbers: for a Hurst index that was freed.
    pub(super) fn by_formula(&mut self, node: &Node<'_>, w: &[f64], factor: f64) {
        let mut terms = PairSlopes::new(node, node.parameters.start);
        let columns: Vec<Vec<f64>> = self.cols.clone().map(|j| self.slots.column(node.slot, j)).collect();
        for (i, line) in self.rows.clone().zip(w.chunks_exact(self.cols.len().max(1))) {
            let x = self.slots.row(node.slot, i);
            for (y, w) in columns.iter().zip(line) {
                terms.add(&x, y, factor * w, self.requested, self.sums);
            }
        }
    }

    fn each(&self, values: &mut [f64], visit: impl Fn(usize, usize, &mut f64)) {
        for (i, line) in self.rows.clone().zip(values.chunks_exact_mut(self.cols.len().max(1))) {
            self.cols.clone().zip(line).for_each(|(j, value)| visit(i, j, value));
        }
    }
}

/// `Σ w ∂k(x, y)/∂θ` of single pairs, by the formula in dual numbers.
struct PairSlopes<'k> {
    kernel: &'k Kernel,
    values: Vec<Dual<f64>>,
    /// The number of its first parameter in the whole expression.
    start: usize,
}

impl<'k> PairSlopes<'k> {
    fn new(node: &'k Node<'_>, start: usize) -> Self {
        Self { kernel: &node.kernel, values: node.kernel.parameter_values(), start }
    }

    fn add(&mut self, x: &[f64], y: &[f64], weight: f64, requested: &[bool], sums: &mut [f64]) {
        let lift = |v: &[f64]| v.iter().map(|&v| Dual::<f64>::from_f64(v)).collect::<Vec<_>>();
        let (x, y) = (lift(x), lift(y));
        for p in (0..self.values.len()).filter(|p| requested[self.start + p]) {
            self.values[p].derivative = 1.0;
            sums[self.start + p] += weight * self.kernel.value(&self.values, &x, &y).derivative;
            self.values[p].derivative = 0.0;
        }
    }
}
