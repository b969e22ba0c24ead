//! Values, derivatives and standard errors at any point.

use ndarray::{Array1, ArrayView1};

use super::SplineFit;
use crate::error::Remedy;
use crate::solve::chain::{derivative_gap, inverse_factorial};
use crate::{Error, Result};

/// Where a position lies: at distance `s` from node `i`, inside a gap of length `h` or outside all
/// of them.
struct NodePosition {
    node: usize,
    s: f64,
    gap: Option<f64>,
}

/// `βⱼ(θ) = Σ_{k=m}^{2m−1} cⱼₖ θᵏ`: vanishes to order `m` at 0, and at 1 only its `j`-th derivative
/// is 1.
fn blending(order: usize) -> [[f64; 3]; 3] {
    match order {
        1 => [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]],
        2 => [[3.0, -2.0, 0.0], [-1.0, 1.0, 0.0], [0.0; 3]],
        _ => [[10.0, -15.0, 6.0], [-4.0, 7.0, -3.0], [0.5, -1.0, 0.5]],
    }
}

/// The `r`-th derivative of `θᵏ`.
fn power_derivative(theta: f64, k: usize, r: usize) -> f64 {
    if r > k {
        return 0.0;
    }
    (k - r + 1..=k).map(|i| i as f64).product::<f64>() * theta.powi((k - r) as i32)
}

impl SplineFit {
    /// The derivative of this order of `f` at each position (order 0 is `f` itself).
    ///
    /// Outside the data the spline continues as the polynomial of degree `m − 1`; a periodic spline
    /// is periodic. At a knot, where derivative `2m − 1` jumps, the value to the right is given.
    ///
    /// # Cost
    /// `O(log n)` per place.
    ///
    /// # Errors
    /// [`Error::Parameter`] for derivatives above `2m − 1`, which vanish between the knots and do
    /// not exist at them; [`Error::Value`] for NaN and infinities.
    ///
    /// # Example
    /// ```
    /// use mercer::learn::spline::{SmoothingSpline, Smoothing};
    /// use mercer::Compute;
    /// use ndarray::array;
    /// let (x, y) = (array![0.0, 1.0, 2.0, 3.0], array![1.0, 3.0, 5.0, 7.0]);
    /// let spline = SmoothingSpline { smoothing: Smoothing::Lambda(1.0), ..SmoothingSpline::default() };
    /// let fit = spline.fit(x.view(), y.view(), None, &Compute::new())?;
    /// mercer::assert_close!(fit.predict(array![-1.0, 1.5].view(), 1)?[0], 2.0, abs = 1e-13);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn predict(&self, x: ArrayView1<f64>, derivative: usize) -> Result<Array1<f64>> {
        if derivative > 2 * self.order - 1 {
            let requirement = format!("at most {} for a spline of order {}", 2 * self.order - 1, self.order);
            return Err(Error::parameter("derivative", derivative, &requirement));
        }
        crate::learn::observations::check_finite("x", x)?;
        Ok(x.mapv(|v| self.value_at(v, derivative)))
    }

    /// Standard errors of `f` at each position: the square root of the posterior variance.
    ///
    /// # Theory
    /// Wahba's Bayesian intervals: with `f` a polynomial of flat prior plus `σ/√λ` times integrated
    /// Brownian motion, the spline is the posterior mean and `±1.96` standard errors cover `f`
    /// about 95 % of the time on average over the positions. At an observation of weight `w` the
    /// square is `σ² Sᵢᵢ/w`.
    ///
    /// # Errors
    /// [`Error::Undetermined`] when the spline interpolates, which leaves no estimate of the noise;
    /// [`Error::Value`] for NaN and infinities.
    ///
    /// # Example
    /// ```
    /// use mercer::learn::spline::{SmoothingSpline, Smoothing};
    /// use mercer::Compute;
    /// use ndarray::array;
    /// let (x, y) = (array![0.0, 1.0, 2.0, 3.0], array![1.0, 0.0, 1.0, 0.0]);
    /// let spline = SmoothingSpline { smoothing: Smoothing::Lambda(1.0), ..SmoothingSpline::default() };
    /// let fit = spline.fit(x.view(), y.view(), None, &Compute::new())?;
    /// let expected = (fit.variance().unwrap() * fit.leverages()[0]).sqrt();
    /// mercer::assert_close!(fit.standard_errors(array![0.0].view())?[0], expected, abs = 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn standard_errors(&self, x: ArrayView1<f64>) -> Result<Array1<f64>> {
        crate::learn::observations::check_finite("x", x)?;
        let Some(variance) = self.variance() else {
            return Err(Error::undetermined("the noise variance", "the spline interpolates", Remedy::larger("lambda")));
        };
        let unit = variance / self.scaled_lambda;
        Ok(x.mapv(|v| (unit * self.unit_variance(v).max(0.0)).sqrt()))
    }

    /// The derivative at one position.
    pub(super) fn value_at(&self, x: f64, derivative: usize) -> f64 {
        let position = self.locate(x);
        let m = self.order;
        let state = &self.states.mean[position.node * m..][..m];
        let taylor = (derivative..m)
            .map(|k| state[k] * position.s.powi((k - derivative) as i32) * inverse_factorial(k - derivative));
        let mut value = taylor.sum::<f64>();
        if let Some(h) = position.gap {
            let steps = &self.states.step[position.node * m..][..m];
            let bend: f64 =
                (0..m).map(|j| steps[j] * h.powi(j as i32) * self.blend(j, position.s / h, derivative)).sum();
            value += bend / h.powi(derivative as i32);
        }
        if derivative == 0 {
            value += self.data.center;
        }
        value / self.data.scale.powi(derivative as i32)
    }

    /// The derivative of `βⱼ` at `θ`.
    fn blend(&self, j: usize, theta: f64, derivative: usize) -> f64 {
        let row = blending(self.order)[j];
        (0..self.order).map(|k| row[k] * power_derivative(theta, self.order + k, derivative)).sum()
    }

    fn locate(&self, x: f64) -> NodePosition {
        let nodes = &self.data.nodes;
        let (first, last) = (nodes[0].t, nodes[nodes.len() - 1].t);
        let mut t = (x - self.data.origin) / self.data.scale;
        if self.periodic {
            t = first + (t - first).rem_euclid(1.0);
        }
        let node = nodes.partition_point(|n| n.t <= t).max(1) - 1;
        let s = t - nodes[node].t;
        let gap = match nodes.get(node + 1) {
            Some(_) if t < first => None,
            Some(next) => Some(next.t - nodes[node].t),
            None => self.periodic.then_some(1.0 - (last - first)),
        };
        NodePosition { node, s, gap }
    }

    /// The variance of `f(x)` in units of `σ²/λ`.
    fn unit_variance(&self, x: f64) -> f64 {
        let position = self.locate(x);
        let m = self.order;
        let own = (2 * m - 1) as f64;
        let constant = inverse_factorial(m - 1).powi(2) / own;
        let Some(h) = position.gap else {
            let weights: Vec<f64> = (0..m).map(|k| position.s.powi(k as i32) * inverse_factorial(k)).collect();
            let free = position.s.abs().powi(2 * m as i32 - 1) * constant;
            return free + self.quadratic(&self.states.covariance, position.node, &weights, &weights);
        };
        let (from, to) = self.end_weights(position.s, h);
        let next = (position.node + 1) % self.data.nodes.len();
        // Between two known states only the bridge is free: (s(h−s)/h)^{2m−1}/((2m−1)((m−1)!)²).
        let bridge = (position.s * (h - position.s) / h).max(0.0).powi(2 * m as i32 - 1) * constant;
        bridge
            + self.quadratic(&self.states.covariance, position.node, &from, &from)
            + 2.0 * self.quadratic(&self.states.cross, position.node, &from, &to)
            + self.quadratic(&self.states.covariance, next, &to, &to)
    }

    /// `f(s) = fromᵀzᵢ + toᵀz_{i+1}` inside a gap.
    fn end_weights(&self, s: f64, h: f64) -> (Vec<f64>, Vec<f64>) {
        let m = self.order;
        let taylor = derivative_gap::<3>(h);
        let to: Vec<f64> = (0..m).map(|j| self.blend(j, s / h, 0) * h.powi(j as i32)).collect();
        let carried = |l: usize| (0..=l).map(|j| to[j] * taylor[j][l]).sum::<f64>();
        let from = (0..m).map(|l| s.powi(l as i32) * inverse_factorial(l) - carried(l)).collect();
        (from, to)
    }

    /// `aᵀ C b` for the block of one node.
    fn quadratic(&self, blocks: &[f64], node: usize, a: &[f64], b: &[f64]) -> f64 {
        let m = self.order;
        let block = &blocks[node * m * m..][..m * m];
        (0..m).map(|i| a[i] * (0..m).map(|j| block[i * m + j] * b[j]).sum::<f64>()).sum()
    }

    /// `∫ (f⁽ᵐ⁾)²` on the scale of the nodes: a polynomial of degree `m − 1` squared in each gap.
    pub(super) fn scaled_roughness(&self) -> f64 {
        let nodes = &self.data.nodes;
        let gaps = nodes.windows(2).map(|w| w[1].t - w[0].t);
        let closing = self.periodic.then(|| 1.0 - (nodes[nodes.len() - 1].t - nodes[0].t));
        gaps.chain(closing).enumerate().map(|(i, h)| self.gap_roughness(i, h)).sum()
    }

    fn gap_roughness(&self, node: usize, h: f64) -> f64 {
        let m = self.order;
        let steps = &self.states.step[node * m..][..m];
        // f⁽ᵐ⁾ = Σₖ aₖ θᵏ / hᵐ.
        let coefficient = |k: usize| -> f64 {
            let factor: f64 = (k + 1..=m + k).map(|i| i as f64).product();
            factor * (0..m).map(|j| steps[j] * h.powi(j as i32) * blending(m)[j][k]).sum::<f64>()
        };
        let a: Vec<f64> = (0..m).map(coefficient).collect();
        let square: f64 =
            (0..m).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| a[i] * a[j] / (i + j + 1) as f64).sum();
        square / h.powi(2 * m as i32 - 1)
    }
}
