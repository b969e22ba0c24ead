//! Sums of Gaussian kernels on a line, on a grid.

use ndarray::ArrayView1;

/// Steps of the grid in one standard deviation of the kernel: sums to about five digits, at a cost
/// that is linear in it.
const STEPS: f64 = 8.0;
/// Standard deviations at which the kernel is cut off: `e^{−24.5}` of its largest value.
const REACH: f64 = 7.0;

/// A function on equidistant nodes: `Σ w φ_ℓ(t − v)` for values `v` with weights `w`.
///
/// # Formula
/// A cubic B-spline spreads every value over four nodes, a discrete Gaussian kernel smooths, and a
/// cubic B-spline reads the result. Each spline has the variance `step²/3`, which the kernel leaves
/// out: what remains is an error of the fourth order in the step, and sums that are twice
/// differentiable in every value.
pub(super) struct Grid {
    step: f64,
    /// The place of node 0, in steps.
    first: f64,
    nodes: Vec<f64>,
    /// Half of the kernel, with its center.
    kernel: Vec<f64>,
}

impl Grid {
    /// An empty grid around 0 and these values.
    pub(super) fn over(values: ArrayView1<f64>, lengthscale: f64) -> Self {
        let step = lengthscale / STEPS;
        let (low, high) = values.fold((0.0_f64, 0.0_f64), |(low, high), &v| (low.min(v), high.max(v)));
        // Two nodes more on either side for the splines.
        let (first, last) = ((low / step).floor() - 2.0, (high / step).floor() + 3.0);
        let deviation = (STEPS * STEPS - 2.0 / 3.0).sqrt();
        let density = |k: usize| (-0.5 * (k as f64 / deviation).powi(2)).exp();
        let scale = 1.0 / (deviation * step * (2.0 * std::f64::consts::PI).sqrt());
        let kernel = (0..=(REACH * STEPS) as usize).map(|k| scale * density(k)).collect();
        Self { step, first, nodes: vec![0.0; (last - first) as usize + 1], kernel }
    }

    /// The first of four nodes, and where the value is between the second and the third.
    fn place(&self, value: f64) -> (usize, f64) {
        let place = value / self.step - self.first;
        let below = place.floor().clamp(1.0, self.nodes.len() as f64 - 3.0);
        (below as usize - 1, place - below)
    }

    /// A weight at a value.
    pub(super) fn add(&mut self, value: f64, weight: f64) {
        let (start, between) = self.place(value);
        for (node, share) in self.nodes[start..start + 4].iter_mut().zip(spline(between)) {
            *node += weight * share;
        }
    }

    /// No weights.
    pub(super) fn clear(&mut self) {
        self.nodes.fill(0.0);
    }

    /// The sum of kernels at every node.
    pub(super) fn smoothed(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.nodes.len()];
        let last = self.nodes.len() - 1;
        for (at, &weight) in self.nodes.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let up = &mut sums[at..=last.min(at + self.kernel.len() - 1)];
            up.iter_mut().zip(&self.kernel).for_each(|(sum, k)| *sum += weight * k);
            let down = &mut sums[(at + 1).saturating_sub(self.kernel.len())..at];
            down.iter_mut().rev().zip(&self.kernel[1..]).for_each(|(sum, k)| *sum += weight * k);
        }
        sums
    }

    /// A function on the nodes at a value.
    pub(super) fn at(&self, sums: &[f64], value: f64) -> f64 {
        let (start, between) = self.place(value);
        sums[start..start + 4].iter().zip(spline(between)).map(|(sum, share)| sum * share).sum()
    }

    /// Its derivative.
    pub(super) fn slope_at(&self, sums: &[f64], value: f64) -> f64 {
        let (start, between) = self.place(value);
        sums[start..start + 4].iter().zip(spline_slope(between)).map(|(sum, share)| sum * share).sum::<f64>()
            / self.step
    }
}

/// The cubic B-splines of four nodes between the second and the third.
fn spline(f: f64) -> [f64; 4] {
    let (g, f2) = (1.0 - f, f * f);
    let f3 = f2 * f;
    [g * g * g / 6.0, (3.0 * f3 - 6.0 * f2 + 4.0) / 6.0, (3.0 * (f + f2 - f3) + 1.0) / 6.0, f3 / 6.0]
}

/// Their derivatives.
fn spline_slope(f: f64) -> [f64; 4] {
    let g = 1.0 - f;
    [-0.5 * g * g, 1.5 * f * f - 2.0 * f, 0.5 + f - 1.5 * f * f, 0.5 * f * f]
}
