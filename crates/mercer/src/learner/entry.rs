//! The declaration of a learner.

use super::{Fitted, Learner, Parameter};
use crate::record::Record;
use crate::settings::{Setting, Settings};
use crate::{Compute, Error, Result};

/// What a fit gives for a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A number for every target.
    Values,
    /// A class.
    Classes,
    /// Whether it is like the points of the fit.
    Novelty,
    /// Coordinates.
    Features,
    /// A cluster.
    Clusters,
}

impl Goal {
    /// The word of reports and files: `values`, `classes`, `novelty`, `features`, `clusters`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Classes => "classes",
            Self::Novelty => "novelty",
            Self::Features => "features",
            Self::Clusters => "clusters",
        }
    }

    /// Whether a fit needs targets.
    pub fn has_targets(self) -> bool {
        matches!(self, Self::Values | Self::Classes)
    }
}

/// How many samples of points go in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewCount {
    /// One.
    One,
    /// Two: two modes of objects.
    Two,
    /// Two or more views of the same objects, row by row.
    Several,
}

/// The declaration of a learner: everything that the doors need to know of it.
#[derive(Debug)]
pub struct LearnerEntry {
    /// The name in files, settings and programs: `pca`.
    pub name: &'static str,
    /// What people call it: `Kernel principal components`.
    pub title: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What comes out.
    pub goal: Goal,
    /// How many samples go in.
    pub views: ViewCount,
    /// Whether the rows may have weights.
    pub weighted: bool,
    /// Whether vectors may be sparse, without a dense copy; where they may not, the learner looks
    /// at every column.
    pub sparse: bool,
    /// Whether a fit measures how novel points are ([`Fitted::novelty`]).
    pub novelty: bool,
    /// The name of the learner that does the same on features, chunk by chunk, for data longer than
    /// memory.
    pub streamed: Option<&'static str>,
    /// Whether a fit that is [canceled](crate::Cancel::cancel) after its first step returns the model
    /// of that moment. Other learners return [`Error::Canceled`].
    pub anytime: bool,
    /// The parameters, in the order of the help.
    pub parameters: &'static [Parameter],
    /// Makes the learner from complete settings.
    pub(crate) build: fn(&Settings) -> Result<Box<dyn Learner>>,
    /// Reads a fit from a record; the settings were taken out before.
    pub(crate) load: fn(&mut Record, Settings, &Compute) -> Result<Box<dyn Fitted>>,
}

impl LearnerEntry {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The settings with defaults for what is missing, every value checked against its parameter.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that the learner does not have, a value of another type or
    /// out of range, or a missing value without default.
    ///
    /// # Example
    /// ```
    /// use mercer::{model, settings::Settings};
    /// let entry = model::learner("ridge").unwrap();
    /// let complete = entry.complete(&Settings::new().with("kernel", "linear()").with("lambda", 0.5))?;
    /// assert_eq!(complete.flag("intercept")?, false);
    /// assert!(entry.complete(&Settings::new().with("lambda", -1.0)).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn complete(&self, given: &Settings) -> Result<Settings> {
        for (name, _) in given.iter() {
            if self.parameter(name).is_none() {
                let known = self.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
                return Err(Error::parameter("setting", name, format!("a parameter of {}: {known}", self.name)));
            }
        }
        let mut complete = Settings::new();
        for parameter in self.parameters {
            let value =
                given.get(parameter.name).cloned().map_or_else(|| parameter.default_value(), |v| Ok(Some(v)))?;
            if let Some(value) = value {
                complete.insert(parameter.name, parameter.check(&value)?);
            }
        }
        Ok(complete)
    }

    /// The learner of these settings; what is missing has its default.
    ///
    /// # Errors
    /// As [`LearnerEntry::complete`], and as the learner's own checks.
    pub fn build(&self, given: &Settings) -> Result<Box<dyn Learner>> {
        (self.build)(&self.complete(given)?)
    }

    /// The value of a setting as a person writes it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name, or a text that is no value of the parameter.
    pub fn parse(&self, name: &str, text: &str) -> Result<Setting> {
        let parameter = self.parameter(name).ok_or_else(|| Error::parameter("setting", name, "a known parameter"))?;
        parameter.parse(text)
    }
}
