//! The law of `‖ω‖` for a radial kernel of compact support, from a table of its distribution function.

use std::f64::consts::PI;

use crate::real::special::ln_gamma;

/// The largest radius in the table, in units of the inverse support. Beyond it the tail is a power. With the steps below,
/// the kernel of the table differs from the true one by less than 2e-4, and by 1e-3 at the edge of `1 − r` (measured): that
/// is below the noise of a hundred thousand features.
const LAST: usize = 512;
/// Radii up to this have steps of an eighth, where most of the frequencies are; above it steps are whole.
const FINE: usize = 64;
const STEPS: usize = 8;
/// The two nodes of Gauss and Legendre on `[0, 1]`; a panel is one of the fine steps.
const NODES: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];
/// The most columns: beyond them the integrals cancel to more digits than an `f64` has.
pub(super) const MOST_COLUMNS: usize = 12;

/// `P(‖ω‖ ≤ w)` at rising radii from 0, and the exponent of the tail.
#[derive(Clone, Debug)]
pub(crate) struct RadialTable {
    /// `(w, P(‖ω‖ ≤ w))`.
    steps: Vec<(f64, f64)>,
    tail: f64,
}

impl RadialTable {
    /// The table of a profile `φ` with `φ(0) = 1` and `φ(r) = 0` for `r ≥ 1`, on `d` columns.
    ///
    /// # Formula
    /// `P(‖ω‖ ≤ w) = 2^{1−d/2}/Γ(d/2) ∫₀ʷ φ(t/w) t^{d/2−1} J_{d/2}(t) dt`: the integral of the spectral density over a ball.
    pub(super) fn new(columns: usize, tail: f64, profile: impl Fn(f64) -> f64) -> Self {
        let order = 0.5 * columns as f64;
        let factor = ((1.0 - order) * 2.0_f64.ln() - ln_gamma(order)).exp();
        let width = 1.0 / STEPS as f64;
        let nodes: Vec<(f64, f64)> = (0..LAST * STEPS)
            .flat_map(|panel| NODES.map(|node| (panel as f64 + node) * width))
            .map(|t| (t, factor * 0.5 * width * t.powf(order - 1.0) * bessel_j(columns, t)))
            .collect();
        let mut largest = 0.0_f64;
        let at = |panels: usize| {
            let w = panels as f64 * width;
            let sum: f64 = nodes[..panels * NODES.len()].iter().map(|(t, weight)| weight * profile(t / w)).sum();
            largest = largest.max(sum.min(1.0));
            (w, largest)
        };
        let panels = (0..FINE * STEPS).chain((FINE..=LAST).map(|w| w * STEPS));
        Self { steps: panels.map(at).collect(), tail }
    }

    /// The share of the frequencies that lies beyond the table.
    fn beyond(&self) -> f64 {
        1.0 - self.steps[self.steps.len() - 1].1
    }

    /// The radius below which the share `u` of the frequencies lies.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let above = self.steps.partition_point(|(_, share)| *share <= u);
        match self.steps.get(above) {
            Some((high, share)) => {
                let (low, below) = self.steps[above - 1];
                low + (high - low) * (u - below) / (share - below)
            }
            None => LAST as f64 * (self.beyond() / (1.0 - u).max(f64::MIN_POSITIVE)).powf(1.0 / self.tail),
        }
    }

    /// `E‖ω‖²`, if it is finite.
    pub(super) fn second_moment(&self) -> Option<f64> {
        let step = |pair: &[(f64, f64)]| {
            let ((low, below), (high, share)) = (pair[0], pair[1]);
            (share - below) * (low * low + low * high + high * high) / 3.0
        };
        let inside: f64 = self.steps.windows(2).map(step).sum();
        let beyond = self.beyond() * (LAST * LAST) as f64 * self.tail / (self.tail - 2.0);
        (self.tail > 2.0).then_some(inside + beyond)
    }
}

/// Bessel's `J_{d/2}(t)` for `t > 0`.
fn bessel_j(columns: usize, t: f64) -> f64 {
    if t < 30.0 { by_recurrence(columns, t) } else { by_asymptotics(0.5 * columns as f64, t) }
}

/// Miller: `J_{ν−1} = (2ν/t)J_ν − J_{ν+1}` from far out, scaled by a sum or by a function that is known.
fn by_recurrence(columns: usize, t: f64) -> f64 {
    let half = columns % 2 == 1;
    let order = |m: usize| m as f64 + if half { 0.5 } else { 0.0 };
    let (mut above, mut here, mut wanted, mut evens) = (0.0, 1e-290, 0.0, 0.0);
    for m in (0..=(1.5 * t) as usize + 30).rev() {
        if m == columns / 2 {
            wanted = here;
        }
        if m % 2 == 0 {
            evens += if m == 0 { here } else { 2.0 * here };
        }
        if m == 0 && half {
            break;
        }
        (above, here) = (here, 2.0 * order(m) / t * here - above);
    }
    if !half {
        return wanted / evens;
    }
    // `here` stands for J_{1/2} = √(2/πt) sin t, the next for J_{−1/2} = √(2/πt) cos t: the larger gives the scale.
    let next = here / t - above;
    let root = (2.0 / (PI * t)).sqrt();
    let scale = if t.sin().abs() > t.cos().abs() { root * t.sin() / here } else { root * t.cos() / next };
    wanted * scale
}

/// Hankel's expansion, which reaches full precision for `ν ≤ 6` and `t ≥ 30`.
fn by_asymptotics(order: f64, t: f64) -> f64 {
    let (mut p, mut q, mut term) = (1.0, 0.0, 1.0);
    for k in 1..=20_i32 {
        let odd = f64::from(2 * k - 1);
        term *= (4.0 * order * order - odd * odd) / (8.0 * f64::from(k) * t);
        let signed = if (k / 2) % 2 == 0 { term } else { -term };
        if k % 2 == 0 { p += signed } else { q += signed }
    }
    let angle = t - (0.5 * order + 0.25) * PI;
    (2.0 / (PI * t)).sqrt() * (p * angle.cos() - q * angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_functions_have_their_values() {
        // Abramowitz and Stegun, tables 9.1, 9.2 and 10.1.
        let known =
            [(2, 1.0, 0.440_050_585_744_933_5), (4, 2.0, 0.352_834_028_615_637_7), (12, 5.0, 0.131_048_731_781_692)];
        for (columns, t, expected) in known {
            let found = bessel_j(columns, t);
            assert_close!(found, expected, abs = 1e-14, "J_{}({t}) = {found}", columns / 2);
        }
        for t in [0.01, 1.0, PI, 20.0, 29.0] {
            let expected = (2.0 / (PI * t)).sqrt() * (t.sin() / t - t.cos());
            assert_close!(bessel_j(3, t), expected, abs = 1e-14 * (1.0 + 1.0 / t), "J_1.5({t})");
        }
    }

    #[test]
    fn the_two_ways_to_a_bessel_function_meet() {
        for columns in 1..=MOST_COLUMNS {
            let (near, far) = (by_recurrence(columns, 31.0), by_asymptotics(0.5 * columns as f64, 31.0));
            assert_close!(near, far, abs = 1e-13, "{columns}: {near} {far}");
        }
    }

    /// `max(1 − r, 0)` on the line has the density `(1 − cos ω)/(πω²)`: `P(|ω| ≤ 10)` by Simpson's rule.
    #[test]
    fn the_triangle_has_its_distribution() {
        let table = RadialTable::new(1, 1.0, |r| (1.0 - r).max(0.0));
        let density = |w: f64| if w == 0.0 { 1.0 / PI } else { 4.0 * (0.5 * w).sin().powi(2) / (PI * w * w) };
        let step = 10.0 / 4000.0;
        let panel = |i: i32| {
            let low = f64::from(i) * step;
            step / 6.0 * (density(low) + 4.0 * density(low + 0.5 * step) + density(low + step))
        };
        let expected: f64 = (0..4000).map(panel).sum();
        let (w, found) = table.steps[10 * STEPS];
        assert!(w == 10.0, "{found} {expected}");
        assert_close!(found, expected, abs = 1e-6, "{found} {expected}");
        // The tail is 2/(πw) to first order.
        assert_close!(table.beyond() * PI * LAST as f64 / 2.0, 1.0, abs = 5e-3, "{}", table.beyond());
        assert!(table.second_moment().is_none());
    }

    /// `E sin(δR)/(δR)` over the quantiles is the kernel: for `(1 − r)²` and `(1 − r)⁴(4r + 1)` in three columns.
    #[test]
    fn quantiles_give_the_kernel_back() {
        for tail in [1.0, 3.0] {
            let inside = |r: f64| (1.0 - r).max(0.0);
            let profile = |r: f64| if tail == 1.0 { inside(r).powi(2) } else { inside(r).powi(4) * (4.0 * r + 1.0) };
            let table = RadialTable::new(3, tail, profile);
            assert!(table.steps.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            let draws: Vec<f64> = (0..100_000).map(|i| table.quantile((f64::from(i) + 0.5) / 100_000.0)).collect();
            for delta in [0.1, 0.3, 0.5, 0.9, 1.0, 1.5] {
                let mean = draws.iter().map(|r| (delta * r).sin() / (delta * r)).sum::<f64>() / draws.len() as f64;
                assert_close!(mean, profile(delta), abs = 3e-4, "{delta}: {mean} instead of {}", profile(delta));
            }
        }
    }
}
