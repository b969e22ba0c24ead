//! Scaling of numbers, fitted on one table and applied to others.

use super::moments::Moments;

/// How the numbers of a column are scaled. Indicators of categories stay 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scaling {
    /// As they are.
    #[default]
    None,
    /// `(x − mean)/sd` with the divisor `n` in the standard deviation.
    Standardize,
    /// `(x − min)/(max − min)`: the fitted values lie in `[0, 1]`.
    UnitInterval,
}

/// The map `x ↦ (x − shift)/scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// What is subtracted.
    pub shift: f64,
    /// What the difference is divided by: never 0.
    pub scale: f64,
}

impl Affine {
    /// `x ↦ x`.
    pub const IDENTITY: Self = Self { shift: 0.0, scale: 1.0 };

    /// `(x − shift)/scale`.
    pub fn apply(self, x: f64) -> f64 {
        (x - self.shift) / self.scale
    }
}

impl Scaling {
    /// The map that this rule gives for these numbers. A constant column is only shifted.
    pub(super) fn fit(self, values: &[f64]) -> Affine {
        match self {
            Self::None => Affine::IDENTITY,
            Self::Standardize => {
                let moments = Moments::of(values.iter().copied());
                affine(moments.mean, if is_constant(values) { 0.0 } else { moments.population_sd })
            }
            Self::UnitInterval => {
                let min = values.iter().copied().fold(f64::INFINITY, f64::min);
                let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                affine(min, max - min)
            }
        }
    }
}

fn affine(shift: f64, scale: f64) -> Affine {
    Affine { shift, scale: if scale == 0.0 { 1.0 } else { scale } }
}

/// Whether all numbers are the same.
pub(super) fn is_constant(values: &[f64]) -> bool {
    values.windows(2).all(|w| w[0] == w[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_on_three_numbers() {
        let x = [1.0, 2.0, 6.0];
        assert_eq!(Scaling::None.fit(&x), Affine::IDENTITY);
        assert_eq!(Scaling::UnitInterval.fit(&x), Affine { shift: 1.0, scale: 5.0 });
        let standard = Scaling::Standardize.fit(&x);
        let sd = (14.0_f64 / 3.0).sqrt();
        assert_close!(standard.shift, 3.0, abs = 1e-15);
        assert_close!(standard.scale, sd, abs = 1e-15 * sd);
        assert_close!(standard.apply(6.0), 3.0 / sd, abs = 1e-15);
    }

    #[test]
    fn a_constant_column_is_only_shifted() {
        for rule in [Scaling::Standardize, Scaling::UnitInterval] {
            let map = rule.fit(&[0.1; 7]);
            assert!(map.scale == 1.0 && map.apply(0.1).abs() <= 1e-16, "{map:?}");
        }
    }
}
