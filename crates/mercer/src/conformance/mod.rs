//! What every kernel must satisfy, as a suite that runs on kernels of the language and on kernels of your own.
//!
//! [`check`] takes a kernel and points of its domain and tests one [`Law`] after another: symmetry, tiles that equal the values
//! pair by pair, the error bound of single precision, derivatives against differences, the text form, the claims that its
//! rules make, and the same bytes for any number of threads. It neither panics nor prints: a [`Report`] names every law with
//! its outcome.
//!
//! A kernel of the language has all laws. A kernel of your own implements [`TestedKernel`]: its values are enough, and a law
//! whose method it leaves out is reported as not applicable.
//!
//! # Example
//! ```
//! use mercer::conformance::{Law, Options, TestedKernel, check};
//! use mercer::kernel::Property;
//! use mercer::{Compute, Kernel, Result};
//! use ndarray::array;
//!
//! let x = array![[0.0, 0.2], [0.5, 0.1], [0.9, 0.8]];
//! let kernel: Kernel = "2*matern(nu=3/2, lengthscale=0.5) + linear()".parse()?;
//! assert!(check(&kernel, x.view(), &Options::default(), &Compute::new()).passed());
//!
//! /// The distance is symmetric but not positive semi-definite.
//! struct Distance;
//! impl TestedKernel for Distance {
//!     fn name(&self) -> String {
//!         "my distance".into()
//!     }
//!     fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
//!         Ok(x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum())
//!     }
//!     fn claims(&self, property: Property, _columns: usize) -> bool {
//!         property == Property::PositiveSemidefinite
//!     }
//! }
//! let report = check(&Distance, x.view(), &Options::default(), &Compute::new());
//! let violated: Vec<Law> = report.violations().map(|(law, _)| law).collect();
//! assert_eq!(violated, [Law::PositiveSemidefinite]);
//! assert!(report.into_result().is_err());
//! # Ok::<(), mercer::Error>(())
//! ```

mod language;
mod laws;
mod numbered;
mod report;
mod subject;

use ndarray::ArrayView2;

pub use report::{Law, Outcome, Report};
pub use subject::{SingleTile, TestedKernel};

use crate::{Compute, Kernel, Points};

/// How much rounding is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The largest difference of two ways to one value, relative to the value.
    pub relative: f64,
    /// What is allowed besides, relative to the largest value of the matrix: values that are differences of like numbers are
    /// judged by the terms they are made of.
    pub absolute: f64,
    /// The largest relative difference of a derivative and a central difference.
    pub derivative: f64,
}

impl Default for Options {
    /// Twelve digits of every value, nine of every derivative.
    fn default() -> Self {
        Self { relative: 1e-12, absolute: 1e-15, derivative: 1e-9 }
    }
}

/// Tests every law on these points, which have to lie in the domain of the kernel.
///
/// # Cost
/// `O(n²)` values and derivatives and `O(n³)` for eigenvalues: a few dozen points are enough.
///
/// # Example
/// See the [module](self).
pub fn check(kernel: &dyn TestedKernel, points: ArrayView2<f64>, options: &Options, compute: &Compute) -> Report {
    let suite = laws::Suite { kernel, x: points, options, compute };
    let finite = suite.outcome(Law::FiniteValues);
    // Values that are no numbers would violate the other laws in ways that explain nothing.
    let tested = !matches!(finite, Outcome::Violated(_));
    let outcome = |law: Law| match law {
        Law::FiniteValues => (law, finite.clone()),
        _ if tested => (law, suite.outcome(law)),
        _ => (law, Outcome::NotApplicable),
    };
    Report { kernel: kernel.name(), outcomes: Law::ALL.into_iter().map(outcome).collect() }
}

/// [`check`] of a kernel of the language on points of its domain, whatever they are: vectors, strings, graphs, bags or
/// persistence diagrams. Medians and vocabularies are those of the points.
///
/// # Cost
/// As [`check`], with a binding for every pair of objects: a dozen of them are enough.
///
/// # Example
/// ```
/// use mercer::conformance::{Options, check_points};
/// use mercer::{Compute, Kernel, points::Strings};
/// let strings: Strings = ["gattaca", "tacat", ""].into_iter().collect();
/// let kernel: Kernel = "normalized(spectrum(length=2))".parse()?;
/// assert!(check_points(&kernel, &strings, &Options::default(), &Compute::new()).passed());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn check_points<'a>(
    kernel: &Kernel,
    points: impl Into<Points<'a>>,
    options: &Options,
    compute: &Compute,
) -> Report {
    match points.into() {
        Points::Vectors(x) => check(kernel, x, options, compute),
        objects => numbered::check_objects(kernel, objects, options, compute),
    }
}
