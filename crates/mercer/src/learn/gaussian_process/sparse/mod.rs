//! Sparse Gaussian processes: `n` observations summarized by `m` inducing points, in `O(nm²)` time.
//!
//! With `Q = K_XZ K_ZZ⁻¹ K_ZX` instead of `K`, `K_ZZ = LLᵀ`, `V = L⁻¹K_ZX` and a diagonal `Λ`, the
//! covariance of `y` is `VᵀV + Λ`, and all that is needed of it is `B = I + VΛ⁻¹Vᵀ` of size `m`.
//! The data is looked at in strips: nothing of size `nm` is stored.

mod approximation;
mod basis;
mod fit;
mod gradient;
mod inducing;
mod input_gradient;
mod optimize;
mod posterior;
mod record;
mod spec;

pub use approximation::Approximation;
pub use fit::SparseGaussianProcessFit;
pub use inducing::Inducing;
pub(super) use record::APPROXIMATIONS;
pub use spec::SparseGaussianProcess;
