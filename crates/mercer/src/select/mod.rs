//! Choosing λ and the kernel: the whole λ path from one decomposition, and searches over
//! lengthscales and kernels.
//!
//! [`ridge_path`] scores every λ for one kernel by leave-one-out, GCV and folds; [`RidgeSearch`]
//! does so for every kernel and lengthscale of a grid, and fits the winner again on all of the
//! data; [`RidgeTuner`] follows the gradient of the score, for many parameters at once.
//! [`logistic_path`] scores the λ of a logistic regression by folds, [`svm_grid`] the `C` and the
//! kernel of a support vector classifier; [`FoldSearch`] selects these for every learner by the
//! loss on held-out rows: descent from a coarse grid, extended beyond its ends where needed.
//! [`Search`] is all of them: the best learner of the catalogue with its settings, and the table of
//! what was tried.

mod ard;
mod automatic;
mod choices;
mod criterion;
mod defaults;
mod finals;
mod fold_search;
mod folds;
mod grid;
mod held_out;
mod logistic;
mod path;
mod plan;
mod process;
mod range;
mod refine;
mod report;
mod screening;
mod search;
mod smooth_score;
mod svm;
mod tuner;

pub use ard::with_column_lengthscales;
pub use automatic::{Search, SearchChoice};
pub use choices::Choices;
pub use criterion::Criterion;
pub use defaults::{default_cs, default_lambdas, selection_rows};
pub use finals::RidgeFinals;
pub use fold_search::{FoldChoice, FoldSearch, Tried};
pub use folds::{sample_rows, stratified_folds};
pub use grid::{log_grid, median_lengthscales, with_lengthscale};
pub use held_out::{ClassLoss, HeldOut, HeldOutLogistic, HeldOutSvc, HeldOutSvr, HeldRows};
pub use logistic::{LogisticPath, logistic_path};
pub use path::{RidgePath, ridge_path};
pub use process::{ProcessChoice, ProcessSearch};
pub use range::SearchedRange;
pub use report::{Measure, ScoreSurface, SearchReport, SearchResult};
pub use screening::Screening;
pub use search::{Candidate, RidgeChoice, RidgeSearch, RidgeSearchFit, Winner};
pub use svm::{SvmGrid, svm_grid};
pub use tuner::{RidgeTuner, RidgeTunerFit};
