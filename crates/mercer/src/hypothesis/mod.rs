//! Kernel hypothesis tests.
//!
//! | question | test |
//! |---|---|
//! | do two samples have the same distribution? | [`TwoSample`]; batch after batch: [`SequentialTwoSample`] |
//! | are two variables independent? | [`Independence`]; several: [`JointIndependence`] |
//! | … given a third? | [`ConditionalIndependence`] |
//! | do three variables interact? | [`Interaction`] |
//! | is a sample from this density? | [`GoodnessOfFit`] |
//! | the first two, for data longer than memory | [`StreamedTwoSample`], [`StreamedIndependence`] |
//!
//! Many tests at once are adjusted by a [`Correction`]. Every permutation test goes through one
//! engine ([`resample`]): the statistic defines its relabelings and evaluates many of them at once
//! ([`Relabeled`]); the engine draws or enumerates them, counts the observed one, counts ties
//! against the rejection, and so never gives `p = 0`.

mod betting;
mod conditional;
mod dependence;
mod engine;
mod factors;
mod feature_means;
mod fit;
mod groups;
mod interaction;
mod joint_factors;
mod joint_orders;
mod labels;
mod multiplicity;
mod order_walk;
mod orders;
mod outcome;
mod plan;
mod precomputed;
mod streamed;
mod two_sample;

pub use betting::{BettingEvidence, BettingTest, SequentialTwoSample};
pub use conditional::{ConditionalIndependence, ConditionalMethod, ConditionalSmoothing};
pub use dependence::{Independence, IndependenceMethod, JointIndependence};
pub use engine::{Enumeration, Group, Relabeled, Relabeling, Resampled, Resampling, resample};
pub use fit::GoodnessOfFit;
pub use groups::Strata;
pub use interaction::Interaction;
pub use multiplicity::Correction;
pub use outcome::TestOutcome;
pub use streamed::{StreamedIndependence, StreamedTwoSample, TestStream};
pub use two_sample::{ColumnOutcome, KernelWeights, TwoSample, TwoSampleMethod};
