//! Losses as texts: what they print, and what is read back.

use std::fmt;
use std::str::FromStr;

use super::Loss;
use crate::{Error, Result};

/// All losses, with the usual values of their parameters.
const ALL: [Loss; 12] = [
    Loss::Squared,
    Loss::Huber { delta: 1.0 },
    Loss::LogCosh,
    Loss::Absolute,
    Loss::Quantile { level: 0.5 },
    Loss::EpsilonInsensitive { epsilon: 0.1 },
    Loss::Hinge,
    Loss::SquaredHinge,
    Loss::Logistic,
    Loss::Poisson,
    Loss::Gamma,
    Loss::Tweedie { power: 1.5 },
];

impl Loss {
    /// The name without the parameter, such as `huber`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::Huber { .. } => "huber",
            Self::LogCosh => "log_cosh",
            Self::Absolute => "absolute",
            Self::Quantile { .. } => "quantile",
            Self::EpsilonInsensitive { .. } => "epsilon_insensitive",
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared_hinge",
            Self::Logistic => "logistic",
            Self::Poisson => "poisson",
            Self::Gamma => "gamma",
            Self::Tweedie { .. } => "tweedie",
        }
    }

    /// The name and the value of the parameter, for losses that have one.
    pub fn parameter(self) -> Option<(&'static str, f64)> {
        match self {
            Self::Huber { delta } => Some(("delta", delta)),
            Self::Quantile { level } => Some(("level", level)),
            Self::EpsilonInsensitive { epsilon } => Some(("epsilon", epsilon)),
            Self::Tweedie { power } => Some(("power", power)),
            _ => None,
        }
    }

    /// The loss with another value of its parameter; itself where it has none.
    ///
    /// # Errors
    /// [`Error::Parameter`] outside the range of the parameter.
    pub fn with_parameter(self, value: f64) -> Result<Self> {
        let loss = match self {
            Self::Huber { .. } => Self::Huber { delta: value },
            Self::Quantile { .. } => Self::Quantile { level: value },
            Self::EpsilonInsensitive { .. } => Self::EpsilonInsensitive { epsilon: value },
            Self::Tweedie { .. } => Self::Tweedie { power: value },
            other => other,
        };
        loss.check()?;
        Ok(loss)
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter() {
            None => f.write_str(self.name()),
            Some((name, value)) => write!(f, "{}({name}={value})", self.name()),
        }
    }
}

/// What [`Loss`] prints, or a name alone: δ = 1, τ = ½, ε = 0.1 and p = 3/2 are the usual values.
impl FromStr for Loss {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rest) = text.split_once('(').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let known = ALL.into_iter().find(|loss| loss.name() == name.trim());
        let names = || format!("one of {}", ALL.map(Self::name).join(", "));
        let loss = known.ok_or_else(|| Error::parameter("loss", text, names()))?;
        let Some(rest) = rest else { return Ok(loss) };
        let value = loss.parameter().and_then(|(name, _)| {
            rest.trim_end()
                .strip_suffix(')')?
                .trim()
                .strip_prefix(name)?
                .trim_start()
                .strip_prefix('=')?
                .trim()
                .parse()
                .ok()
        });
        let requested = || loss.parameter().map_or_else(|| loss.to_string(), |_| format!("such as {loss}"));
        loss.with_parameter(value.ok_or_else(|| Error::parameter("loss", text, requested()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        for loss in ALL {
            assert_eq!(loss.to_string().parse::<Loss>().unwrap(), loss);
            assert_eq!(loss.name().parse::<Loss>().unwrap(), loss);
        }
        assert_eq!(" quantile( level = 0.9 )".parse::<Loss>().unwrap(), Loss::Quantile { level: 0.9 });
        for wrong in [
            "",
            "hubber",
            "huber(delta)",
            "huber(delta=-1)",
            "hinge(delta=1)",
            "quantile(level=1.5)",
            "tweedie(power=2)",
        ] {
            assert!(matches!(wrong.parse::<Loss>(), Err(Error::Parameter { .. })), "{wrong}");
        }
    }
}
