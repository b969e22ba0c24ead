//! What most programs need, in one line: `use mercer::prelude::*;`.
//!
//! # Example
//! ```
//! use mercer::prelude::*;
//! use ndarray::array;
//!
//! let compute = Compute::new();
//! let (x, y) = (array![[0.0], [1.0], [2.0]], array![[1.0], [2.0], [1.5]]);
//! let fit = Ridge::new("gaussian(lengthscale=1)".parse()?, 0.1).fit(x.view(), y.view(), None, &compute)?;
//! let predicted = fit.predict(array![[1.0]].view(), &compute)?;
//! assert!((predicted[[0, 0]] - 1.8).abs() < 0.1);
//! # Ok::<(), Error>(())
//! ```

pub use crate::compute::{Cancel, Compute, Precision, Progress};
pub use crate::error::{Error, Result};
pub use crate::features::FeatureMap;
pub use crate::function::{Expansion, Spectrum};
pub use crate::gram::{Pairs, Tiles};
pub use crate::hypothesis::{GoodnessOfFit, Independence, TestOutcome, TwoSample};
pub use crate::kernel::Kernel;
pub use crate::learn::svm::Classes;
pub use crate::learn::{GaussianProcess, KernelMachine, LogisticRegression, OneClass, Ridge, Svc, Svr};
pub use crate::measure::MeanEmbedding;
pub use crate::model::Model;
pub use crate::points::{Points, Sample, Table};
pub use crate::seed::Seed;
pub use crate::select::RidgeSearch;
pub use crate::view::KernelKMeans;
pub use crate::view::pca::KernelPca;
