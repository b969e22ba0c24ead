//! The loss functions.

use crate::error::AllowedRange;
use crate::{Error, Result};

/// The loss of predicting `f` where `y` was observed. With `r = y − f`:
///
/// # Formula
/// | loss | `ℓ(y, f)` | estimates |
/// |---|---|---|
/// | `Squared` | `r²` | the mean |
/// | `Huber` | `r²/2` for `\|r\| ≤ δ`, `δ\|r\| − δ²/2` beyond | a mean that outliers move little |
/// | `LogCosh` | `log cosh r` | the same, smoothly |
/// | `Absolute` | `\|r\|` | the median |
/// | `Quantile` | `τ max(r, 0) + (1 − τ) max(−r, 0)` | the quantile of level `τ` |
/// | `EpsilonInsensitive` | `max(\|r\| − ε, 0)` | a tube of half-width `ε` |
/// | `Hinge` | `max(1 − yf, 0)`, `y = ±1` | a class |
/// | `SquaredHinge` | `max(1 − yf, 0)²`, `y = ±1` | a class |
/// | `Logistic` | `log(1 + exp(−yf))`, `y = ±1` | the log-odds of a class |
/// | `Poisson` | `exp f − yf`, `y ≥ 0` | the logarithm of a mean count |
/// | `Gamma` | `y exp(−f) + f`, `y > 0` | the logarithm of a mean whose standard deviation grows with it |
/// | `Tweedie` | `exp((2 − p)f)/(2 − p) + y exp(−(p − 1)f)/(p − 1)`, `y ≥ 0` | the logarithm of a mean of amounts that may be 0 |
///
/// The last three are half of the deviance of their distribution with mean `exp f`, but for terms
/// without `f`.
///
/// # Theory
/// All are convex in `f`, so with `λ > 0` the minimizer `h ∈ ℋ` is unique.
///
/// # Example
/// ```
/// use mercer::learn::Loss;
/// assert_eq!(Loss::Quantile { level: 0.25 }.value(3.0, 1.0), 0.5);
/// assert_eq!(Loss::Quantile { level: 0.25 }.value(1.0, 3.0), 1.5);
/// assert_eq!(Loss::Huber { delta: 1.0 }.value(3.0, 0.0), 2.5);
/// mercer::assert_close!(Loss::Logistic.value(1.0, 0.0), 2.0_f64.ln(), abs = 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// `(y − f)²`.
    Squared,
    /// Quadratic up to `delta`, linear beyond.
    Huber {
        /// `δ > 0`.
        delta: f64,
    },
    /// `log cosh(y − f)`.
    LogCosh,
    /// `|y − f|`.
    Absolute,
    /// The pinball loss.
    Quantile {
        /// `0 < τ < 1`.
        level: f64,
    },
    /// `max(|y − f| − ε, 0)`.
    EpsilonInsensitive {
        /// `ε ≥ 0`.
        epsilon: f64,
    },
    /// `max(1 − yf, 0)`.
    Hinge,
    /// `max(1 − yf, 0)²`.
    SquaredHinge,
    /// `log(1 + exp(−yf))`.
    Logistic,
    /// `exp f − yf`.
    Poisson,
    /// `y exp(−f) + f`.
    Gamma,
    /// The deviance of a compound Poisson distribution of gamma amounts, whose variance is
    /// proportional to the mean to the power `p`.
    Tweedie {
        /// `1 < p < 2`.
        power: f64,
    },
}

/// Which targets a loss takes, and that in words.
type TargetRule = (fn(f64) -> bool, &'static str);

impl Loss {
    /// `ℓ(y, f)`.
    pub fn value(self, y: f64, f: f64) -> f64 {
        let r = y - f;
        match self {
            Self::Squared => r * r,
            Self::Huber { delta } if r.abs() <= delta => 0.5 * r * r,
            Self::Huber { delta } => delta * (r.abs() - 0.5 * delta),
            Self::LogCosh => r.abs() + (-2.0 * r.abs()).exp().ln_1p() - std::f64::consts::LN_2,
            Self::Absolute => r.abs(),
            Self::Quantile { level } => level * r.max(0.0) + (1.0 - level) * (-r).max(0.0),
            Self::EpsilonInsensitive { epsilon } => (r.abs() - epsilon).max(0.0),
            Self::Hinge => (1.0 - y * f).max(0.0),
            Self::SquaredHinge => (1.0 - y * f).max(0.0).powi(2),
            Self::Logistic => (-y * f).max(0.0) + (-(y * f).abs()).exp().ln_1p(),
            Self::Poisson => f.exp() - y * f,
            Self::Gamma => y * (-f).exp() + f,
            Self::Tweedie { power: p } => ((2.0 - p) * f).exp() / (2.0 - p) + decayed(y, (p - 1.0) * f) / (p - 1.0),
        }
    }

    /// `∂ℓ/∂f`; at a kink, the slope on the right.
    pub fn slope(self, y: f64, f: f64) -> f64 {
        let r = y - f;
        match self {
            Self::Squared => -2.0 * r,
            Self::Huber { delta } => -r.clamp(-delta, delta),
            Self::LogCosh => -r.tanh(),
            Self::Absolute => sign_or(r, -1.0, 1.0),
            Self::Quantile { level } => sign_or(r, -level, 1.0 - level),
            Self::EpsilonInsensitive { epsilon } if r > epsilon => -1.0,
            Self::EpsilonInsensitive { epsilon } => f64::from(u8::from(r <= -epsilon)),
            Self::Hinge if y > 0.0 => -f64::from(u8::from(f < 1.0)),
            Self::Hinge => f64::from(u8::from(f >= -1.0)),
            Self::SquaredHinge => -2.0 * y * (1.0 - y * f).max(0.0),
            Self::Logistic => -y * sigmoid(-y * f),
            Self::Poisson => f.exp() - y,
            Self::Gamma => 1.0 - y * (-f).exp(),
            Self::Tweedie { power: p } => ((2.0 - p) * f).exp() - decayed(y, (p - 1.0) * f),
        }
    }

    /// `∂²ℓ/∂f²` where it exists; 0 on straight pieces.
    pub fn curvature(self, y: f64, f: f64) -> f64 {
        let r = y - f;
        match self {
            Self::Squared => 2.0,
            Self::Huber { delta } => f64::from(u8::from(r.abs() <= delta)),
            Self::LogCosh => 1.0 / r.cosh().powi(2),
            Self::SquaredHinge => 2.0 * f64::from(u8::from(y * f < 1.0)),
            Self::Logistic => sigmoid(f) * sigmoid(-f),
            Self::Poisson => f.exp(),
            Self::Gamma => y * (-f).exp(),
            Self::Tweedie { power: p } => (2.0 - p) * ((2.0 - p) * f).exp() + (p - 1.0) * decayed(y, (p - 1.0) * f),
            Self::Absolute | Self::Quantile { .. } | Self::EpsilonInsensitive { .. } | Self::Hinge => 0.0,
        }
    }

    /// The curvature of a parabola that touches the loss at `f` and lies above it; the curvature
    /// itself for Poisson and Tweedie, for Gamma beyond its minimum that of the parabola with the same
    /// minimum, and for the logistic loss on the right side, where it is as large as the
    /// slope. It is positive wherever the loss still slopes.
    pub(super) fn majorant(self, y: f64, f: f64) -> f64 {
        let r = (y - f).abs();
        match self {
            Self::Huber { delta } => (delta / r).min(1.0),
            Self::LogCosh if r > 1e-4 => r.tanh() / r,
            Self::LogCosh => 1.0,
            Self::SquaredHinge => 2.0,
            Self::Gamma if y * (-f).exp() < 1.0 - 1e-4 => (1.0 - y * (-f).exp()) / (f - y.ln()),
            Self::Logistic if y * f < -1e-4 => 0.5 * (0.5 * f).tanh() / f,
            _ => self.curvature(y, f),
        }
    }

    /// Whether the slope is continuous: such losses are minimized by Newton's method, the others
    /// through their dual problem.
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Absolute | Self::Quantile { .. } | Self::EpsilonInsensitive { .. } | Self::Hinge)
    }

    /// Whether the targets are the classes −1 and 1.
    pub fn is_classification(self) -> bool {
        matches!(self, Self::Hinge | Self::SquaredHinge | Self::Logistic)
    }

    /// Whether `f` is the logarithm of what is predicted.
    pub fn has_log_link(self) -> bool {
        matches!(self, Self::Poisson | Self::Gamma | Self::Tweedie { .. })
    }

    /// What a target must satisfy, for losses that do not take every number.
    fn requirement(self) -> Option<TargetRule> {
        match self {
            Self::Poisson => Some((|v| v >= 0.0, "a count is at least 0")),
            Self::Tweedie { .. } => Some((|v| v >= 0.0, "an amount is at least 0")),
            Self::Gamma => Some((|v| v > 0.0, "the gamma loss takes targets above 0")),
            _ if self.is_classification() => Some((|v| v == 1.0 || v == -1.0, "a class is −1 or 1")),
            _ => None,
        }
    }

    /// The checks that need no data.
    pub(in crate::learn) fn check(self) -> Result<()> {
        match self {
            Self::Huber { delta } if !(delta.is_finite() && delta > 0.0) => {
                Err(Error::parameter("delta", delta, AllowedRange::POSITIVE))
            }
            Self::Quantile { level } if !(level > 0.0 && level < 1.0) => {
                Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT))
            }
            Self::EpsilonInsensitive { epsilon } if !(epsilon.is_finite() && epsilon >= 0.0) => {
                Err(Error::parameter("epsilon", epsilon, AllowedRange::NON_NEGATIVE))
            }
            Self::Tweedie { power } if !(power > 1.0 && power < 2.0) => {
                Err(Error::parameter("power", power, AllowedRange::above(1.0).below(2.0)))
            }
            _ => Ok(()),
        }
    }

    /// Whether the targets with weight are in the domain of the loss, and determine an intercept.
    pub(in crate::learn) fn check_targets(self, y: &[f64], weights: &[f64]) -> Result<()> {
        if let Some((allowed, requirement)) = self.requirement()
            && let Some((row, &value)) = y.iter().enumerate().find(|(_, v)| !allowed(**v))
        {
            return Err(Error::value("targets", (row, 0), value, requirement));
        }
        let seen = |requested: &dyn Fn(f64) -> bool| y.iter().zip(weights).any(|(y, w)| *w > 0.0 && requested(*y));
        if self.is_classification() && !(seen(&|y| y > 0.0) && seen(&|y| y < 0.0)) {
            return Err(Error::OneClass { class: None });
        }
        if self.has_log_link() && !seen(&|y| y > 0.0) {
            return Err(Error::all_zero(
                if self == Self::Poisson { "count" } else { "target" },
                "the mean would be 0, its logarithm −∞; give some targets above 0",
            ));
        }
        Ok(())
    }
}

/// `1/(1 + exp(−t))`, without overflow and with full relative accuracy where it is small.
pub(in crate::learn) fn sigmoid(t: f64) -> f64 {
    if t >= 0.0 { 1.0 / (1.0 + (-t).exp()) } else { t.exp() / (1.0 + t.exp()) }
}

/// `y exp(−t)`, and 0 where `y` is 0, however large the other factor.
fn decayed(y: f64, t: f64) -> f64 {
    if y == 0.0 { 0.0 } else { y * (-t).exp() }
}

fn sign_or(r: f64, positive: f64, otherwise: f64) -> f64 {
    if r > 0.0 { positive } else { otherwise }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTH: [Loss; 8] = [
        Loss::Squared,
        Loss::Huber { delta: 0.8 },
        Loss::LogCosh,
        Loss::SquaredHinge,
        Loss::Logistic,
        Loss::Poisson,
        Loss::Gamma,
        Loss::Tweedie { power: 1.6 },
    ];
    const KINKED: [Loss; 4] =
        [Loss::Absolute, Loss::Quantile { level: 0.3 }, Loss::EpsilonInsensitive { epsilon: 0.2 }, Loss::Hinge];

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        let h = 1e-5;
        for loss in SMOOTH.into_iter().chain(KINKED) {
            assert_eq!(loss.is_smooth(), SMOOTH.contains(&loss));
            for (y, f) in [(1.0, 0.3), (1.0, -2.1), (-1.0, 0.41), (1.0, 1.9)] {
                if y < 0.0 && loss.has_log_link() {
                    continue;
                }
                let slope = (loss.value(y, f + h) - loss.value(y, f - h)) / (2.0 * h);
                assert_close!(loss.slope(y, f), slope, abs = 1e-8, "{loss} at {y}, {f}: {slope}");
                let curvature = (loss.slope(y, f + h) - loss.slope(y, f - h)) / (2.0 * h);
                assert_close!(loss.curvature(y, f), curvature, abs = 1e-8, "{loss} at {y}, {f}: {curvature}");
            }
        }
    }

    #[test]
    fn majorants_lie_above() {
        for loss in SMOOTH.into_iter().filter(|l| !l.has_log_link()) {
            for (y, f) in [(1.0, 0.3), (1.0, -2.1), (-1.0, 0.41), (1.0, 1.9), (1.0, 1e-9), (-1.0, -1.0)] {
                if loss == Loss::Logistic && y * f >= 0.0 {
                    continue;
                }
                let bend = loss.majorant(y, f);
                for step in [-5.0, -0.3, 0.01, 0.8, 6.0] {
                    let above = loss.value(y, f) + step * loss.slope(y, f) + 0.5 * bend * step * step;
                    assert!(loss.value(y, f + step) <= above + 1e-12, "{loss} at {y}, {f} + {step}");
                }
            }
        }
    }

    #[test]
    fn extreme_values_stay_finite() {
        for loss in SMOOTH.into_iter().filter(|l| !l.has_log_link()) {
            for f in [-1e8, 1e8] {
                assert!([loss.value(1.0, f), loss.slope(1.0, f), loss.curvature(1.0, f)].iter().all(|v| v.is_finite()));
            }
        }
        assert_eq!(Loss::Logistic.slope(1.0, 800.0), 0.0);
        assert_close!(Loss::Logistic.slope(1.0, 40.0) / -(-40.0_f64).exp(), 1.0, abs = 1e-14);
    }
}
