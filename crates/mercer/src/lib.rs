//! Kernel methods as one system: one kernel language, and every method of the field on top of it.
//!
//! # A tour
//! A kernel is a value, made from its text. Points bound to it are a matrix that is computed by
//! tiles; learners, views and tests stand on these tiles. [`Compute`] holds how to compute (threads,
//! memory limit, progress, cancellation), and never what. [`prelude`] has the names that most
//! programs need.
//!
//! ```
//! use mercer::prelude::*;
//! use ndarray::{Array2, array};
//!
//! let compute = Compute::new().with_threads(2)?.with_memory(1 << 30);
//! // 1. A kernel, with a proof that it is positive semi-definite.
//! let kernel: Kernel = "gaussian(lengthscale=1) + 0.1*linear()".parse()?;
//! assert!(kernel.proof().contains("a sum of PSD kernels"));
//! // 2. A fit, with exact leave-one-out errors.
//! let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
//! let y = x.mapv(f64::sin);
//! let fit = Ridge::new(kernel.clone(), 1e-3).fit(x.view(), y.view(), None, &compute)?;
//! let predicted = fit.predict(array![[2.0]].view(), &compute)?;
//! assert!((predicted[[0, 0]] - 2_f64.sin()).abs() < 1e-2);
//! // 3. Probabilities of classes.
//! let labels: Vec<usize> = y.iter().map(|v| usize::from(*v > 0.0)).collect();
//! let logistic = LogisticRegression::new(kernel, 0.1).fit(x.view(), &labels, None, &compute)?;
//! assert!(logistic.probabilities(array![[1.0]].view(), &compute)?[[0, 1]] > 0.8);
//! // 4. A test whether two samples have the same distribution.
//! let mut random = Seed(1).stream("tour", 0);
//! let a = Array2::from_shape_fn((60, 1), |_| random.normal());
//! let b = Array2::from_shape_fn((80, 1), |_| 3.0 * random.normal());
//! assert!(TwoSample { permutations: 199, ..TwoSample::default() }.test(&a, &b, &compute)?.reject);
//! # Ok::<(), Error>(())
//! ```
//!
//! `cargo run --release --example tour` of the repository has a part for every module.
//!
//! # Features
//! `parquet` (default): reading and writing Parquet files. Without it their dependencies, one of
//! them in C, are not compiled, and a Parquet file is refused by name.
//!
//! # Modules
//! Every method takes one path: points, [`Kernel::bind`], tiles of `K`, an operator, a solve, a
//! function or a statistic.
//!
//! | module | contents |
//! |---|---|
//! | [`real`] | ℝ: number types and special functions |
//! | [`points`] | 𝒳: samples, tables and their encoding |
//! | [`kernel`] | `k`: the algebra of kernels, their text, their properties with proofs |
//! | [`gram`] | `K = [k(xᵢ, xⱼ)]`: tiles, dense matrices, products without storing `K` |
//! | [`operator`] | `K` or `Z` as a linear map: tiled, shifted, weighted, centered, projected |
//! | [`solve`] | `Kα = y`, `Kv = λv`: factorizations and eigenvalues |
//! | [`definiteness`] | is `cᵀKc ≥ 0`? counterexamples, and repair of an indefinite `K` |
//! | [`conformance`] | what every kernel must satisfy, tested on kernels of the language and on your own |
//! | [`function`] | ℋ: functions `Σ αᵢk(·, xᵢ)` as values |
//! | [`features`] | `z(x)ᵀz(y) ≈ k(x, y)`: explicit features, random Fourier features |
//! | [`learner`] | what all learners have in common: how they are declared, built, fitted, reported and stored |
//! | [`learn`] | choosing `f ∈ ℋ` from data: ridge and logistic regression, general losses, Gaussian processes, splines, local smoothers, support vector machines |
//! | [`view`] | without labels and in several views: components, clusters, correlations, sources, embeddings |
//! | [`measure`] | probability measures in ℋ: mean embeddings, MMD, HSIC, distances, Stein discrepancy |
//! | [`hypothesis`] | measures made into decisions: two-sample, independence, interaction and goodness-of-fit tests |
//! | [`select`] | choosing λ and the kernel: leave-one-out, GCV, folds |
//! | [`conformal`] | intervals and sets of classes with finite-sample coverage, on top of every learner |
//! | [`model`] | a fitted thing with what it expects of new data |
//! | [`io`] | files |
//!
//! # Example
//! ```
//! use mercer::{Compute, Kernel, gram::{self, Pairs}};
//! use ndarray::array;
//!
//! let k: Kernel = "2*gaussian(lengthscale=0.5) + on([0], linear())".parse()?;
//! let x = array![[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]];
//! let compute = Compute::new();
//! let gram = gram::dense(&k.bind(Pairs::within(x.view()), &compute)?, &compute)?;
//! assert_eq!(gram[[0, 0]], 2.0);
//! assert_eq!(gram[[1, 1]], 3.0);
//! # Ok::<(), mercer::Error>(())
//! ```

#[macro_use]
mod close;
pub mod compute;
pub mod conformal;
pub mod conformance;
mod counterexample;
pub mod definiteness;
pub mod error;
pub mod features;
pub mod function;
pub mod gram;
pub mod hypothesis;
// Without Parquet some helpers have no user.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, unused_imports))]
pub mod io;
pub mod kernel;
pub mod learn;
pub mod learner;
pub mod measure;
pub mod model;
pub mod operator;
pub mod points;
pub mod prelude;
pub mod real;
mod record;
mod seed;
pub mod select;
pub mod settings;
pub mod solve;
pub mod view;
pub mod wording;

pub use compute::{Cancel, Compute, Precision, Progress};
pub use error::{Error, Result, SyntaxError};
pub use function::Expansion;
pub use kernel::Kernel;
pub use points::{Points, Sample};
pub use seed::{Seed, Stream};

/// The examples on the pages of the documentation are compiled and run with the doctests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/kernel.md")]
    struct KernelPage;
    #[doc = include_str!("../../../docs/definiteness.md")]
    struct DefinitenessPage;
    #[doc = include_str!("../../../docs/function.md")]
    struct FunctionPage;
    #[doc = include_str!("../../../docs/gram.md")]
    struct GramPage;
    #[doc = include_str!("../../../docs/conformance.md")]
    struct ConformancePage;
    #[doc = include_str!("../../../docs/features.md")]
    struct FeaturesPage;
    #[doc = include_str!("../../../docs/learn.md")]
    struct LearnPage;
    #[doc = include_str!("../../../docs/select.md")]
    struct SelectPage;
    #[doc = include_str!("../../../docs/model.md")]
    struct ModelPage;
    #[doc = include_str!("../../../docs/measure.md")]
    struct MeasurePage;
    #[doc = include_str!("../../../docs/hypothesis.md")]
    struct HypothesisPage;
    #[doc = include_str!("../../../docs/io.md")]
    struct IoPage;
    #[doc = include_str!("../../../docs/points.md")]
    struct PointsPage;
    #[doc = include_str!("../../../docs/real.md")]
    struct RealPage;
    #[doc = include_str!("../../../docs/solve.md")]
    struct SolvePage;
    #[doc = include_str!("../../../docs/operator.md")]
    struct OperatorPage;
    #[doc = include_str!("../../../docs/views.md")]
    struct ViewsPage;
    #[doc = include_str!("../../../docs/rust.md")]
    struct RustPage;
    #[doc = include_str!("../../../README.md")]
    struct ReadmePage;
}
