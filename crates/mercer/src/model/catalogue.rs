//! The catalogue of learners: a line for each.

use crate::learner::LearnerEntry;

/// All learners, in the order of the documentation.
pub static LEARNERS: &[&LearnerEntry] = &[];

/// The learner of this name.
pub fn learner(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().find(|entry| entry.name == name).copied()
}
