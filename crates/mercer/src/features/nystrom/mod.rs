//! Nyström features: approximation of a kernel from a few landmarks.

mod empirical;
mod landmarks;
mod leverage;
mod map;
mod spec;

pub use empirical::empirical_kernel_map;
pub use landmarks::Landmarks;
pub use leverage::ridge_leverage_scores;
pub use map::NystromFeatures;
pub use spec::Nystrom;
