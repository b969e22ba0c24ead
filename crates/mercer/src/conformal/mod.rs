//! Conformal prediction: intervals and sets of classes that hold a new observation with at least a
//! stated probability, whatever the distribution and however wrong the model.
//!
//! [`Conformal`] says how, [`Conformal::fit`] calibrates a fit of any learner on its own data, and
//! [`ConformalFit`] gives intervals ([`ConformalFit::intervals`]) or sets of classes
//! ([`ConformalFit::sets`]) for new points of the kind that the fit takes.
//!
//! # Theory
//! All that is assumed is that the rows of the data and the new one are exchangeable (such as
//! independent draws from one distribution), and that the fit treats its rows alike. The
//! probability is over the data *and* the new observation, for one target: it is an average over
//! all `x`, not a statement for each of them.
//!
//! | method | fits | coverage is at least |
//! |---|---|---|
//! | split | 1 on the rows that are not held out | `level` (and at most `level + 1/(m + 1)` with `m` held-out rows and without ties) |
//! | CV+ of `K` folds | `K` | `2·level − 1 − min(2(1 − 1/K)/(n/K + 1), (1 − K/n)/(K + 1))` |
//! | jackknife+ | none: the closed form of leave-one-out | `2·level − 1` |
//!
//! On most data CV+ and jackknife+ cover about `level`; the factor 2 is the worst case. References:
//! Vovk, Gammerman and Shafer (2005); Barber, Candès, Ramdas and Tibshirani (2021) for jackknife+
//! and CV+; Romano, Sesia and Candès (2020) for sets of classes. What is chosen on all rows before
//! (a kernel or λ by cross-validation) is not part of the fit that is repeated: the bounds then
//! hold for the fit with these choices as if they had been made beforehand.
//!
//! Weights enter the fits. In the ranks every row of positive weight counts once; rows of weight 0
//! do not count.

mod classes;
mod fit;
mod parts;
mod ranks;
mod record;
mod spec;

pub use classes::{SetScore, class_scores, margin_scores};
pub use fit::{ConformalFit, IntervalEnds, Rule};
pub use parts::Part;
pub use ranks::FoldScores;
pub use spec::{Conformal, ConformalMethod};
