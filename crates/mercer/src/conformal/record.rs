//! A calibrated fit as named texts and arrays.

use std::sync::Arc;

use super::fit::{ConformalFit, Rule};
use super::parts::Part;
use super::ranks::FoldScores;
use super::{ConformalMethod, SetScore};
use crate::learner::{Fitted, LearnerEntry};
use crate::record::Record;
use crate::{Compute, Error, Result, Seed};

/// What the names of a calibration begin with.
const PREFIX: &str = "conformal.";
const SCORES: [(SetScore, &str); 2] = [(SetScore::Lac, "lac"), (SetScore::Aps, "aps")];

impl SetScore {
    /// The word for it: `lac`, `aps`.
    pub fn name(self) -> &'static str {
        SCORES.iter().find(|(score, _)| *score == self).map_or("lac", |(_, name)| name)
    }

    /// The score of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word.
    pub fn of_name(name: &str) -> Result<Self> {
        let found = SCORES.iter().find(|(_, known)| *known == name);
        found.map(|(score, _)| *score).ok_or_else(|| Error::parameter("score", name, "one of lac, aps"))
    }
}

impl ConformalFit {
    /// Whether a record has a calibration.
    pub(crate) fn is_in(record: &Record) -> bool {
        record.has(&format!("{PREFIX}method"))
    }

    /// The calibration among the texts and arrays of a model.
    pub(crate) fn put_into(&self, record: &mut Record) {
        let mut own = Record::default();
        own.put_text("method", self.rule.method.name());
        own.put_text("score", self.rule.score.name());
        own.put_text("randomized", self.rule.randomized);
        own.put_text("seed", self.rule.seed.0);
        own.put_count("classes", self.classes);
        own.put_slice("rows", &counts(&self.rows));
        own.put_slice("fold_of", &counts(self.scores.fold_of()));
        own.put_matrix("scores", self.scores.scores());
        own.put_count("fits", self.parts.len());
        for (number, part) in self.parts.iter().enumerate() {
            let mut fit = part.fit.to_record();
            fit.put_settings(part.fit.settings());
            fit.put_slice("present", &counts(&part.present));
            if let Some(train) = &part.train {
                fit.put_slice("train", &counts(train));
            }
            own.put_nested(&format!("{number}."), fit);
        }
        record.put_nested(PREFIX, own);
    }

    /// The calibration of a model of this learner, from the texts and arrays that were nested in its
    /// record.
    pub(crate) fn take_from(
        own: &mut Record,
        entry: &'static LearnerEntry,
        fitted: &dyn Fitted,
        compute: &Compute,
    ) -> Result<Self> {
        let rule = Rule {
            method: ConformalMethod::of_name(own.text("method")?)?,
            score: SetScore::of_name(own.text("score")?)?,
            randomized: own.flag("randomized")?,
            seed: Seed(own.text("seed")?.parse().map_err(|_| Error::parameter("seed", "", "a whole number"))?),
        };
        let rows = own.take_all_counts("rows")?;
        let fold_of = own.take_counts("fold_of", rows.len())?;
        let classes = own.count("classes")?;
        if fitted.class_names().map_or(0, |names| names.len()) != classes {
            return Err(Error::parameter("conformal.classes", classes, "the number of classes of the model"));
        }
        let targets = if classes > 0 { 1 } else { fitted.targets() };
        let scores = FoldScores::new(fold_of, own.take_matrix("scores", (rows.len(), targets))?)?;
        let fits = own.count("fits")?;
        let part = |number: usize| {
            let mut fit = own.take_nested(&format!("{number}."));
            let settings = fit.take_settings()?;
            let present = fit.take_all_counts("present")?;
            let train = if fit.has("train") { Some(fit.take_all_counts("train")?) } else { None };
            Ok(Part { fit: Arc::from((entry.load)(&mut fit, settings, compute)?), present, train })
        };
        let parts = (0..fits).map(part).collect::<Result<Vec<_>>>()?;
        Self::of_parts(rule, fitted, rows, scores, parts)
    }
}

fn counts(values: &[usize]) -> Vec<f64> {
    values.iter().map(|&v| v as f64).collect()
}
