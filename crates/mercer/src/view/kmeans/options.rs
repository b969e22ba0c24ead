//! What the solvers of k-means are asked for.

use crate::{Error, Result};

/// How the first means of a start are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KMeansInit {
    /// k-means++ in ℋ: each mean a point that is drawn with a probability in proportion to its
    /// squared distance from the nearest one before, the best of `2 + ⌊ln k⌋` draws.
    #[default]
    KMeansPlusPlus,
    /// Points drawn uniformly (in proportion to their weights).
    Random,
}

/// The words for them in settings.
pub(in crate::view) const INITS: [(KMeansInit, &str); 2] =
    [(KMeansInit::KMeansPlusPlus, "k-means++"), (KMeansInit::Random, "random")];

impl KMeansInit {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        INITS.iter().find(|(init, _)| *init == self).map_or("", |(_, name)| name)
    }
}

/// What a solver is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::view) struct Search {
    pub(in crate::view) clusters: usize,
    pub(in crate::view) starts: usize,
    pub(in crate::view) max_iterations: usize,
    pub(in crate::view) init: KMeansInit,
}

impl Search {
    /// At least one of everything.
    pub(in crate::view) fn check(&self) -> Result<()> {
        let counts = [("clusters", self.clusters), ("starts", self.starts), ("max_iterations", self.max_iterations)];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, count)) => Err(Error::parameter(name, count, 1..)),
            None => Ok(()),
        }
    }

    /// Draws of k-means++ at a time.
    pub(super) fn trials(&self) -> usize {
        2 + (self.clusters.max(1) as f64).ln() as usize
    }

    /// The error for fewer distinct points than clusters.
    pub(in crate::view) fn too_few(&self, found: usize) -> Error {
        let purpose = format!("{} clusters", self.clusters);
        Error::too_few(purpose, "distinct points with a positive weight", self.clusters, found)
    }
}
