//! Fits to files that are longer than memory: one pass to look at the columns, one to fit, and
//! checkpoints on the way.

mod checkpoint;
mod classes;
mod digest;
mod fit;
mod hypothesis;
mod logistic;
mod part;
mod passes;
mod repeated;
mod statistics;
mod survey;
mod views;

pub use checkpoint::Checkpoint;
pub use fit::{Resumed, StreamedModel};
pub use hypothesis::StreamedTest;
pub use part::Roles;
pub use passes::PassOptions;
pub use statistics::{PartStatistics, RowPart};
pub use survey::{FileRules, SurveyedFile};
