//! The law of `‖ω‖` for a radial kernel of compact support, from a table of its distribution function.

use std::f64::consts::PI;

use crate::real::special::ln_gamma;

/// The largest radius in the table, in units of the inverse support. Beyond it the tail is a power: that moves no value of
/// the kernel by more than about `1/(π·512) ≈ 6e-4`, below the noise of a million features.
const LAST: usize = 512;
/// Steps of the distribution function, and quadrature panels in each: with four nodes to a panel of length ½ the
/// quadrature is exact to 1e-12.
const PANELS: usize = 2;
/// Nodes and weights of Gauss and Legendre on `[0, 1]`.
const NODES: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];
/// The most columns: beyond them the integrals cancel to more digits than an `f64` has.
pub(super) const MOST_COLUMNS: usize = 12;

/// `P(‖ω‖ ≤ w)` at whole `w`, and the exponent of the tail.
#[derive(Clone, Debug)]
pub(crate) struct RadialTable {
    cumulative: Vec<f64>,
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
        let width = 1.0 / PANELS as f64;
        let nodes: Vec<(f64, f64)> = (0..LAST * PANELS)
            .flat_map(|panel| NODES.map(|(node, weight)| ((panel as f64 + node) * width, weight * width)))
            .map(|(t, weight)| (t, factor * weight * t.powf(order - 1.0) * bessel_j(columns, t)))
            .collect();
        let mut largest = 0.0_f64;
        let at = |w: usize| {
            let inside = &nodes[..w * PANELS * NODES.len()];
            let sum: f64 = inside.iter().map(|(t, weight)| weight * profile(t / w as f64)).sum();
            largest = largest.max(sum.min(1.0));
            largest
        };
        Self { cumulative: (0..=LAST).map(at).collect(), tail }
    }

    /// The radius below which the share `u` of the frequencies lies.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let above = self.cumulative.partition_point(|c| *c <= u);
        match self.cumulative.get(above) {
            Some(high) => {
                let low = self.cumulative[above - 1];
                (above - 1) as f64 + (u - low) / (high - low)
            }
            None => {
                LAST as f64 * ((1.0 - self.cumulative[LAST]) / (1.0 - u).max(f64::MIN_POSITIVE)).powf(1.0 / self.tail)
            }
        }
    }

    /// `E‖ω‖²`, if it is finite.
    pub(super) fn second_moment(&self) -> Option<f64> {
        let step = |(w, pair): (usize, &[f64])| {
            let (low, high) = (w as f64, (w + 1) as f64);
            (pair[1] - pair[0]) * (low * low + low * high + high * high) / 3.0
        };
        let inside: f64 = self.cumulative.windows(2).enumerate().map(step).sum();
        let beyond = (1.0 - self.cumulative[LAST]) * (LAST * LAST) as f64 * self.tail / (self.tail - 2.0);
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
            assert!((found - expected).abs() < 1e-14, "J_{}({t}) = {found}", columns / 2);
        }
        for t in [0.01, 1.0, PI, 20.0, 29.0] {
            let expected = (2.0 / (PI * t)).sqrt() * (t.sin() / t - t.cos());
            assert!((bessel_j(3, t) - expected).abs() < 1e-14 * (1.0 + 1.0 / t), "J_1.5({t})");
        }
    }

    #[test]
    fn the_two_ways_to_a_bessel_function_meet() {
        for columns in 1..=MOST_COLUMNS {
            let (near, far) = (by_recurrence(columns, 31.0), by_asymptotics(0.5 * columns as f64, 31.0));
            assert!((near - far).abs() < 1e-13, "{columns}: {near} {far}");
        }
    }

    /// `max(1 − r, 0)` on the line has the density `(1 − cos ω)/(πω²)`.
    #[test]
    fn the_triangle_has_its_distribution() {
        let table = RadialTable::new(1, 1.0, |r| (1.0 - r).max(0.0));
        let density = |w: f64| if w == 0.0 { 1.0 / PI } else { 2.0 * (0.5 * w).sin().powi(2) * 2.0 / (PI * w * w) };
        let panels = 4000;
        let step = 10.0 / f64::from(panels);
        // Simpson's rule on [0, 10].
        let sum: f64 = (0..panels)
            .map(|i| {
                let at = |x: f64| if x == 0.0 { 1.0 / PI } else { density(x) };
                let low = f64::from(i) * step;
                step / 6.0 * (at(low) + 4.0 * at(low + 0.5 * step) + at(low + step))
            })
            .sum();
        assert!((table.cumulative[10] - sum).abs() < 1e-6, "{} {sum}", table.cumulative[10]);
        // The tail is 2/(πw) to first order.
        let left = 1.0 - table.cumulative[LAST];
        assert!((left * PI * LAST as f64 / 2.0 - 1.0).abs() < 5e-3, "{left}");
        assert!(table.second_moment().is_none());
    }

    #[test]
    fn quantiles_invert_the_table() {
        let table = RadialTable::new(3, 1.0, |r| (1.0 - r).max(0.0).powi(2));
        assert!(table.cumulative.windows(2).all(|pair| pair[0] <= pair[1]));
        for w in [1.0_f64, 3.5, 20.25] {
            let (low, high) = (table.cumulative[w as usize], table.cumulative[w as usize + 1]);
            let u = low + (w - w.floor()) * (high - low);
            assert!((table.quantile(u) - w).abs() < 1e-9);
        }
        assert!(table.quantile(1.0 - 1e-9) > LAST as f64);
    }
}
