//! The number of clusters: given, or chosen from the data.

use crate::settings::Settings;
use crate::{Error, Result};

/// The number of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterCount {
    /// This many.
    Fixed(usize),
    /// Chosen from 2 to `max` by [`choose_clusters`](super::choose_clusters).
    Auto {
        /// The largest number.
        max: usize,
        /// How it is chosen.
        rule: CountRule,
    },
}

impl From<usize> for ClusterCount {
    fn from(clusters: usize) -> Self {
        Self::Fixed(clusters)
    }
}

impl ClusterCount {
    /// The largest number that the fit may have.
    pub(in crate::view) fn most(self) -> usize {
        match self {
            Self::Fixed(clusters) => clusters,
            Self::Auto { max, .. } => max,
        }
    }

    /// At least one cluster; at least two to choose from.
    pub(in crate::view) fn check(self) -> Result<()> {
        match self {
            Self::Fixed(0) => Err(Error::parameter("clusters", 0, 1..)),
            Self::Auto { max, .. } if max < 2 => Err(Error::parameter("max_clusters", max, 2..)),
            _ => Ok(()),
        }
    }

    /// `clusters`, or `max_clusters` and `rule`.
    pub(in crate::view) fn put(self, settings: Settings) -> Settings {
        match self {
            Self::Fixed(clusters) => settings.with("clusters", clusters),
            Self::Auto { max, rule } => settings.with("max_clusters", max).with("rule", rule.name()),
        }
    }

    /// What [`ClusterCount::put`] wrote: a number that is given, else a choice.
    pub(in crate::view) fn of(settings: &Settings) -> Result<Self> {
        match settings.optional_count("clusters")? {
            Some(clusters) => Ok(Self::Fixed(clusters)),
            None => Ok(Self::Auto { max: settings.count("max_clusters")?, rule: settings.word("rule", &RULES)? }),
        }
    }
}

/// How a number of clusters is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CountRule {
    /// The largest gap `μₖ − μₖ₊₁` between eigenvalues of `D^{−½}KD^{−½}`, descending, for `k ≥ 2`.
    /// It needs kernel values that are not negative.
    #[default]
    Eigengap,
    /// The agreement of clusterings of random halves of the data: the largest `k` whose mean
    /// adjusted Rand index is within one standard error of the best.
    Stability,
}

/// The words for them in settings.
pub(in crate::view) const RULES: [(CountRule, &str); 2] =
    [(CountRule::Eigengap, "eigengap"), (CountRule::Stability, "stability")];

impl CountRule {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        RULES.iter().find(|(rule, _)| *rule == self).map_or("", |(_, name)| name)
    }
}
