//! Passes over the columns: one forward for the slope by one parameter; for several, forward with
//! every sum kept for one row of the tile, then backward with the slopes of each step.

use super::TileGradient;
use crate::gram::bound::slots::Slot;
use crate::gram::simd::{self, DualSteps, Formula, StepSlopes, Steps, differentiate, dot, dual_steps, step_back};
use crate::kernel::elementary::finite_rank::FiniteRank;
use crate::kernel::leaf::{Columnwise, Shape};
use crate::kernel::{Base, ColumnwiseVisitor, Lengthscale};
use crate::real::{Dual, Real};

impl TileGradient<'_> {
    /// `finish(step(… step(start)))`.
    pub(super) fn columnwise(
        &mut self,
        base: &Base,
        lengths: &[f64],
        slot: usize,
        own: usize,
        w: &[f64],
        factor: f64,
    ) -> f64 {
        let counted = base.lengthscale().map_or(0, Lengthscale::count);
        if let Some((parameter, seed)) = self.only_one(base, own, counted) {
            let mut one =
                OneSlope { base, lengths, seed, sums: Vec::new(), slopes: Vec::new(), slope: 0.0, total: 0.0 };
            let points = &self.slots.points[slot];
            for (row, w) in self.rows.clone().zip(w.chunks_exact(self.cols.len().max(1))) {
                base.visit_columnwise(Forward { one: &mut one, slot: points, row, cols: self.cols.clone(), w });
            }
            self.add(parameter, factor * one.slope);
            return one.total;
        }
        let mut slopes = ColumnSlopes { lengths: vec![0.0; lengths.len()], shape: 0.0, total: 0.0 };
        let slot = &self.slots.points[slot];
        let mut back = Back {
            base,
            lengths,
            slot,
            partial: Vec::new(),
            last: Default::default(),
            slopes: &mut slopes,
            row: 0,
            cols: 0..0,
            w: &[],
        };
        for (row, w) in self.rows.clone().zip(w.chunks_exact(self.cols.len().max(1))) {
            (back.row, back.cols, back.w) = (row, self.cols.clone(), w);
            base.visit_columnwise(&mut back);
        }
        for (column, slope) in slopes.lengths.iter().enumerate().filter(|_| counted > 0) {
            self.add(own + column.min(counted - 1), factor * slope);
        }
        if !base.shape().is_empty() {
            self.add(own + counted, factor * slopes.shape);
        }
        slopes.total
    }

    /// The parameter requested and the derivatives of lengthscale and shape by it, if it is the only
    /// one: then one pass forward is enough.
    fn only_one(&self, base: &Base, own: usize, counted: usize) -> Option<(usize, [f64; 2])> {
        let by_length = counted == 1 && self.requested[own];
        let by_shape = !base.shape().is_empty() && self.requested[own + counted];
        match (by_length, by_shape) {
            (true, false) => Some((own, [1.0, 0.0])),
            (false, true) if counted <= 1 => Some((own + counted, [0.0, 1.0])),
            _ => None,
        }
    }

    /// `Σₖ ηₖ φₖ(x) φₖ(y)`: the slope by a weight is a product of functions of one point each.
    pub(super) fn finite_rank(&mut self, kernel: &FiniteRank, slot: usize, own: usize, w: &[f64], factor: f64) -> f64 {
        let weights = kernel.weights();
        let functions = |x: f64| {
            let mut values = vec![0.0; weights.len()];
            kernel.basis().values(weights.len(), x, |k, phi| values[k] = phi);
            values
        };
        let points = &self.slots.points[slot];
        let columns = points.columns();
        let right: Vec<Vec<f64>> = self.cols.clone().map(|j| functions(columns[[j, 0]])).collect();
        let mut slopes = vec![0.0; weights.len()];
        for (i, w) in self.rows.clone().zip(w.chunks_exact(self.cols.len().max(1))) {
            let left = functions(points.rows[[i, 0]]);
            for (k, slope) in slopes.iter_mut().enumerate() {
                *slope += left[k] * w.iter().zip(&right).map(|(w, phi)| w * phi[k]).sum::<f64>();
            }
        }
        slopes.iter().enumerate().for_each(|(k, slope)| self.add(own + k, factor * slope));
        dot(&weights, &slopes)
    }
}

/// The slopes by the lengthscale of every column and by the shape, and `Σ w k`.
struct ColumnSlopes {
    lengths: Vec<f64>,
    shape: f64,
    total: f64,
}

/// One row point against the column points of a tile.
struct Back<'l> {
    base: &'l Base,
    lengths: &'l [f64],
    slot: &'l Slot,
    /// The sums before every column, and after the last.
    partial: Vec<f64>,
    /// The values and what is multiplied on the way back.
    last: [Vec<f64>; 2],
    slopes: &'l mut ColumnSlopes,
    row: usize,
    cols: std::ops::Range<usize>,
    w: &'l [f64],
}

impl ColumnwiseVisitor for &mut Back<'_> {
    type Output = ();

    fn visit<C: Columnwise>(self, kernel: &C) {
        let (shape, width, count) = (self.base.shape_array::<f64>(), self.cols.len(), self.lengths.len());
        let (point, transposed) = (self.slot.rows.row(self.row), self.slot.transposed());
        let step = |column: usize| ColumnTermGradient { kernel, shape, length: self.lengths[column], x: point[column] };
        let coordinates = |column: usize| &transposed.row(column).to_slice().unwrap_or_default()[self.cols.clone()];
        self.partial.resize((count + 1) * width, 0.0);
        self.partial[..width].fill(kernel.start());
        for column in 0..count {
            let (before, after) = self.partial[column * width..][..2 * width].split_at_mut(width);
            after.copy_from_slice(before);
            simd::steps(&step(column), coordinates(column), after);
        }
        let last = &self.partial[count * width..][..width];
        self.last.iter_mut().for_each(|buffer| buffer.resize(width, 0.0));
        let [values, adjoint] = &mut self.last;
        differentiate(&Finish { kernel, shape }, false, last, values, adjoint);
        self.slopes.total += dot(self.w, values);
        adjoint.iter_mut().zip(self.w).for_each(|(a, w)| *a *= w);
        if !self.base.shape().is_empty() {
            simd::map(&FinishByShape { kernel, shape }, 1.0, simd::Mode::Set, last, values);
            self.slopes.shape += dot(self.w, values);
        }
        for column in (0..count).rev() {
            let before = &self.partial[column * width..][..width];
            let [by_length, by_shape] = step_back(&step(column), before, coordinates(column), adjoint);
            self.slopes.lengths[column] += by_length;
            self.slopes.shape += by_shape;
        }
    }
}

/// `Σ w k` and its slope by one parameter.
struct OneSlope<'l> {
    base: &'l Base,
    lengths: &'l [f64],
    /// The derivatives of the lengthscale and of the shape.
    seed: [f64; 2],
    sums: Vec<f64>,
    slopes: Vec<f64>,
    slope: f64,
    total: f64,
}

/// One row point against the column points of a tile, with the slope by one parameter.
struct Forward<'f, 'l> {
    one: &'f mut OneSlope<'l>,
    slot: &'f Slot,
    row: usize,
    cols: std::ops::Range<usize>,
    w: &'f [f64],
}

impl ColumnwiseVisitor for Forward<'_, '_> {
    type Output = ();

    fn visit<C: Columnwise>(self, kernel: &C) {
        let (one, width) = (self.one, self.cols.len());
        let (point, transposed) = (self.slot.rows.row(self.row), self.slot.transposed());
        let [by_length, by_shape] = one.seed;
        let [first, second] = one.base.shape_array::<f64>();
        let shape = [Dual { value: first, derivative: by_shape }, Dual { value: second, derivative: 0.0 }];
        one.sums.clear();
        one.sums.resize(width, kernel.start());
        one.slopes.clear();
        one.slopes.resize(width, 0.0);
        for (column, &value) in one.lengths.iter().enumerate() {
            let length = Dual { value, derivative: by_length };
            let step = ColumnTermTangent { kernel, shape, length, x: point[column] };
            let y = &transposed.row(column).to_slice().unwrap_or_default()[self.cols.clone()];
            dual_steps(&step, y, &mut one.sums, &mut one.slopes);
        }
        dual_steps(&FinishTangent { kernel, shape }, self.w, &mut one.sums, &mut one.slopes);
        one.total += dot(self.w, &one.sums);
        one.slope += dot(self.w, &one.slopes);
    }
}

/// One column with the derivative by one parameter.
struct ColumnTermTangent<'k, C> {
    kernel: &'k C,
    shape: Shape<Dual<f64>>,
    length: Dual<f64>,
    x: f64,
}

impl<C: Columnwise> DualSteps for ColumnTermTangent<'_, C> {
    #[inline(always)]
    fn step<N: Real>(&self, sum: Dual<N>, y: N) -> Dual<N> {
        let shape = [lifted(self.shape[0]), lifted(self.shape[1])];
        self.kernel.step(shape, lifted(self.length), sum, Dual::from_f64(self.x), Dual::constant(y))
    }
}

/// The last step with the derivative by one parameter; whatever the points are.
struct FinishTangent<'k, C> {
    kernel: &'k C,
    shape: Shape<Dual<f64>>,
}

impl<C: Columnwise> DualSteps for FinishTangent<'_, C> {
    #[inline(always)]
    fn step<N: Real>(&self, sum: Dual<N>, _: N) -> Dual<N> {
        self.kernel.finish([lifted(self.shape[0]), lifted(self.shape[1])], sum)
    }
}

#[inline(always)]
fn lifted<N: Real>(number: Dual<f64>) -> Dual<N> {
    Dual { value: N::from_f64(number.value), derivative: N::from_f64(number.derivative) }
}

struct ColumnTermGradient<'k, C> {
    kernel: &'k C,
    shape: Shape<f64>,
    length: f64,
    x: f64,
}

impl<C: Columnwise> Steps for ColumnTermGradient<'_, C> {
    #[inline(always)]
    fn step<N: Real>(&self, sum: N, y: N) -> N {
        self.kernel.step(self.shape.map(N::from_f64), N::from_f64(self.length), sum, N::from_f64(self.x), y)
    }
}

impl<C: Columnwise> StepSlopes for ColumnTermGradient<'_, C> {
    #[inline(always)]
    fn slopes<N: Real>(&self, sum: N, y: N) -> [N; 3] {
        // Three seeds of one formula: what they share is computed once. Not a closure over an
        // array: it would be compiled on its own, without the vector arithmetic of the caller.
        [self.slope(sum, y, [1.0, 0.0, 0.0]), self.slope(sum, y, [0.0, 1.0, 0.0]), self.slope(sum, y, [0.0, 0.0, 1.0])]
    }
}

impl<C: Columnwise> ColumnTermGradient<'_, C> {
    /// The derivative by the sum, the lengthscale or the shape.
    #[inline(always)]
    fn slope<N: Real>(&self, sum: N, y: N, [by_sum, by_length, by_shape]: [f64; 3]) -> N {
        let length = Dual { value: N::from_f64(self.length), derivative: N::from_f64(by_length) };
        let first = Dual { value: N::from_f64(self.shape[0]), derivative: N::from_f64(by_shape) };
        let sum = Dual { value: sum, derivative: N::from_f64(by_sum) };
        let shape = [first, Dual::from_f64(self.shape[1])];
        self.kernel.step(shape, length, sum, Dual::from_f64(self.x), Dual::constant(y)).derivative
    }
}

struct Finish<'k, C> {
    kernel: &'k C,
    shape: Shape<f64>,
}

impl<C: Columnwise> Formula for Finish<'_, C> {
    #[inline(always)]
    fn apply<N: Real>(&self, sum: N) -> N {
        self.kernel.finish(self.shape.map(N::from_f64), sum)
    }
}

/// The derivative of the last step by the shape.
struct FinishByShape<'k, C> {
    kernel: &'k C,
    shape: Shape<f64>,
}

impl<C: Columnwise> Formula for FinishByShape<'_, C> {
    #[inline(always)]
    fn apply<N: Real>(&self, sum: N) -> N {
        let mut shape = self.shape.map(|v| Dual::constant(N::from_f64(v)));
        shape[0].derivative = N::one();
        self.kernel.finish(shape, Dual::constant(sum)).derivative
    }
}
