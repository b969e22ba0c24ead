//! Probability measures as elements of ℋ: `μ_P = E k(·, X)`, and distances and dependence measured
//! there.
//!
//! | quantity | formula |
//! |---|---|
//! | [`MeanEmbedding`] | `μ = Σ wᵢk(·, xᵢ)`; [`LawEmbedding`] where the distribution is known in closed form; [`EmbeddingSketch`] of few numbers, mergeable |
//! | [`mmd`] | `‖μ_P − μ_Q‖²`, five estimators, with the [`witness`] `μ_P − μ_Q` |
//! | [`energy_distance`] | `2E‖X−Y‖ − E‖X−X′‖ − E‖Y−Y′‖` |
//! | [`hsic`] | `‖μ_{XY} − μ_X ⊗ μ_Y‖²`; [`distance_covariance`] is its case of distances |
//! | [`dhsic`], [`lancaster`] | joint independence and interaction of several variables |
//! | [`SteinKernel`] | how far a sample is from a density known up to its constant |
//!
//! Every statistic is a sum over tiles in a fixed order: no matrix is stored, and the bytes do not
//! depend on the number of threads.

mod centered;
mod compression;
mod dependence_witness;
mod distance_covariance;
mod distribution;
mod distribution_forms;
mod embedding;
mod energy;
mod fast_distance_covariance;
mod hsic;
mod joint;
mod mmd;
mod named;
mod pairwise;
mod samples;
mod sketch;
mod stein;
mod stein_kernel;
mod witness;

pub(crate) use centered::{Centering, row_sums};
pub use compression::Compression;
pub use dependence_witness::{dependence_shares, dependence_witness};
pub use distance_covariance::{
    DistanceCovariance, distance_correlation, distance_covariance, distance_statistics, unbiased_distance_statistics,
};
pub use distribution::{Distribution, LawEmbedding};
pub use embedding::MeanEmbedding;
pub use energy::{energy_distance, wasserstein};
pub(crate) use hsic::aligned_hsic;
pub use hsic::{HsicEstimator, hsic, hsic_of, normalized_hsic, normalized_hsic_of};
pub use joint::{dhsic, dhsic_of, lancaster, lancaster_of};
pub use mmd::{BlockMmd, Estimator, SupMmd, block_mmd, mmd, mmd_of, sup_mmd};
pub(crate) use mmd::{TwoSampleSums, block_values};
pub(crate) use pairwise::PairTiles;
pub(crate) use samples::{Pooled, check_same_rows, check_sizes};
pub use sketch::EmbeddingSketch;
pub use stein::{Density, stein_discrepancy};
pub use stein_kernel::SteinKernel;
pub(crate) use stein_kernel::SteinTiles;
pub use witness::{Side, WitnessExtremes, WitnessPoint, WitnessValues, witness, witness_values, witness_values_of};
