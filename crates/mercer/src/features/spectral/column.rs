//! Distributions with independent coordinates, for kernels that are products over the columns.

use crate::features::sampling::Source;

/// The distribution of one coordinate before its scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnDistribution {
    /// `1/(π(1 + ω²))`: `exp(−|δ|)`.
    Cauchy,
    /// `½e^{−|ω|}`: `1/(1 + δ²)`.
    Laplace,
    /// Uniform on `[−1, 1]`: `sin δ/δ`.
    Uniform,
    /// Integers `n` with probabilities `e^{−b}Iₙ(b)`, for each column its own `b`:
    /// `exp(b(cos δ − 1))`.
    Circle(Vec<Circle>),
}

impl ColumnDistribution {
    pub(crate) fn draw(&self, column: usize, source: &mut Source) -> f64 {
        let u = source.uniform();
        match self {
            Self::Cauchy => (std::f64::consts::PI * (u - 0.5)).tan(),
            Self::Laplace => -(2.0 * u.min(1.0 - u)).ln() * (u - 0.5).signum(),
            Self::Uniform => 2.0 * u - 1.0,
            Self::Circle(circles) => circles[column.min(circles.len() - 1)].quantile(u),
        }
    }
}

/// The distribution of the frequencies of a periodic kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Circle {
    /// `P(|n| ≤ j)`.
    cumulative: Vec<f64>,
}

impl Circle {
    /// Probabilities in proportion to `Iₙ(b)`, by Miller's recurrence `Iₙ₋₁ = Iₙ₊₁ + (2n/b)Iₙ` from
    /// far out; it needs no value of `I₀`, because the probabilities sum to 1.
    pub(crate) fn new(b: f64) -> Self {
        let last = (20.0 + 12.0 * b.sqrt()) as usize;
        let (mut above, mut here, mut values) = (0.0, 1e-290_f64, vec![0.0; last + 1]);
        for n in (0..=last).rev() {
            values[n] = here;
            (above, here) = (here, above + 2.0 * n as f64 / b * here);
            if here > 1e280 {
                values[n..].iter_mut().for_each(|v| *v *= 1e-290);
                (above, here) = (above * 1e-290, here * 1e-290);
            }
        }
        let total = values[0] + 2.0 * values[1..].iter().sum::<f64>();
        let mut sum = 0.0;
        let add = |(n, v): (usize, &f64)| {
            sum += if n == 0 { *v } else { 2.0 * v };
            sum / total
        };
        Self { cumulative: values.iter().enumerate().map(add).collect() }
    }

    /// `E n² = b`, from the table.
    pub(super) fn second_moment(&self) -> f64 {
        let steps = self.cumulative.windows(2).map(|w| w[1] - w[0]);
        steps.enumerate().map(|(n, p)| ((n + 1) * (n + 1)) as f64 * p).sum()
    }

    /// An integer whose sign is the side of ½ that `u` is on.
    fn quantile(&self, u: f64) -> f64 {
        let size = (2.0 * u - 1.0).abs();
        let n = self.cumulative.partition_point(|c| *c < size).min(self.cumulative.len() - 1);
        (n as f64).copysign(u - 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_on_the_circle_has_its_moments() {
        for b in [1e-3, 0.3, 1.0, 25.0, 1e4] {
            let circle = Circle::new(b);
            // The second derivative of exp(b(cos δ − 1)) at 0.
            assert_close!(circle.second_moment(), b, abs = 1e-12 * b.max(1.0), "{b}: {}", circle.second_moment());
        }
        // e⁻¹I₀(1), from a table.
        assert_close!(Circle::new(1.0).cumulative[0], 0.465_759_607_593_640_4, abs = 1e-15);
    }
}
