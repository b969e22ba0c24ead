//! Support vector regression and one-class support estimation.

use ndarray::{Array1, ArrayView1, Axis};

use super::evidence::{BinarySvm, SvmEvidence};
use super::method::SvmMethod;
use super::support::{InFeatures, Support, bind};
use super::translate::{epsilon_svr, nu_svr, one_class};
use super::weights::check_weights;
use crate::error::AllowedRange;
use crate::learn::observations::check_finite;
use crate::settings::Settings;
use crate::solve::{DualOptions, DualProblem};
use crate::{Compute, Error, Kernel, Points, Result};

/// How wide the tube is within which an error costs nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tube {
    /// `ε ≥ 0`, on the scale of the targets.
    Epsilon(f64),
    /// `0 < ν ≤ 1`: as wide as it must be so that at most this part of the rows lies outside.
    Nu(f64),
}

/// Support vector regression.
///
/// # Formula
/// `min ½‖f‖² + Σ Cwᵢ max(0, |yᵢ − f(xᵢ) − b| − ε)` over `f ∈ ℋ` and `b`; with [`Tube::Nu`] also
/// over `ε ≥ 0`, at the price `Cν Σwᵢ ε` (LIBSVM's scale).
///
/// # Theory
/// The minimizer is `f = Σ βᵢ k(·, xᵢ)` with `|βᵢ| ≤ Cwᵢ`; points inside the tube have `βᵢ = 0`.
///
/// # Cost
/// As [`Svc`](super::Svc), with two variables per row.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::Svr};
/// use ndarray::array;
/// let svr = Svr::new("linear()".parse()?, 100.0, 0.5);
/// let (x, y) = (array![[0.0], [1.0], [2.0]], array![0.0, 2.0, 4.0]);
/// let fit = svr.fit(x.view(), y.view(), None, &Compute::new())?;
/// // The flattest line with all errors at most ½: 1.5x + ½.
/// mercer::assert_close!(fit.predict(array![[3.0]].view(), &Compute::new())?[0], 5.0, abs = 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Svr {
    /// The kernel.
    pub kernel: Kernel,
    /// `C > 0`: what an error beyond the tube costs beside `½‖f‖²`.
    pub c: f64,
    /// The width of the tube.
    pub tube: Tube,
    /// Whether there is an offset `b`. A ν-regression always has one.
    pub offset: bool,
    /// Options of the solver.
    pub solver: DualOptions,
    /// Whether to accept a kernel that is not positive semi-definite.
    pub indefinite: bool,
}

impl Svr {
    /// An ε-regression with offset.
    pub fn new(kernel: Kernel, c: f64, epsilon: f64) -> Self {
        let (tube, solver) = (Tube::Epsilon(epsilon), DualOptions::default());
        Self { kernel, c, tube, offset: true, solver, indefinite: false }
    }

    /// A ν-regression.
    pub fn nu(kernel: Kernel, c: f64, nu: f64) -> Self {
        Self { tube: Tube::Nu(nu), ..Self::new(kernel, c, 0.0) }
    }

    /// Fits `y`. With a kernel over `precomputed()`, `x` is the matrix of kernel values.
    ///
    /// # Errors
    /// [`Error::Parameter`] for `C ≤ 0`, `ε < 0` or ν outside (0, 1]; otherwise as
    /// [`Svc::fit`](super::Svc::fit).
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<SvrFit> {
        let x = self.kernel.points(x);
        self.check()?;
        if y.len() != x.len() {
            return Err(Error::shape("targets", format!("one per row ({})", x.len()), y.len()));
        }
        check_finite("targets", y)?;
        let upper: Vec<f64> = check_weights(weights, x.len())?.iter().map(|w| self.c * w).collect();
        let bound = bind(&self.kernel, x, self.indefinite, compute)?;
        let mut rows = SvmMethod::rows(&bound, x, &self.solver, compute)?;
        let mut solve = |problem: &DualProblem| problem.solve(&mut rows, &self.solver, compute);
        let (svm, epsilon) = match self.tube {
            Tube::Epsilon(epsilon) => {
                let problem = epsilon_svr(&y.to_vec(), &upper, epsilon, self.offset);
                (BinarySvm::new(&problem, &solve(&problem)?), epsilon)
            }
            Tube::Nu(nu) => {
                let problem = nu_svr(&y.to_vec(), &upper, nu);
                BinarySvm::nu_svr(&problem, &solve(&problem)?)
            }
        };
        if !self.indefinite {
            svm.require_norm(&self.kernel)?;
        }
        Ok(SvrFit { function: Function::new(bound.kernel(), x, svm), epsilon, settings: self.settings() })
    }

    fn check(&self) -> Result<()> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            return Err(Error::parameter("C", self.c, AllowedRange::POSITIVE));
        }
        match self.tube {
            Tube::Epsilon(e) if !(e >= 0.0 && e.is_finite()) => {
                Err(Error::parameter("epsilon", e, AllowedRange::NON_NEGATIVE))
            }
            Tube::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                Err(Error::parameter("nu", nu, AllowedRange::above(0.0).at_most(1.0)))
            }
            Tube::Nu(_) if !self.offset => {
                Err(Error::unsupported("ν-regression", "offset = false", "it always has an offset", "use epsilon"))
            }
            _ => Ok(()),
        }
    }
}

/// The support of a distribution: a region of small size that holds most of it.
///
/// # Formula
/// `min ½‖f‖² + Σ wᵢ max(0, ρ − f(xᵢ)) − ρ ν Σwᵢ` over `f ∈ ℋ` and `ρ`: LIBSVM's scale, `νn` times
/// the one of Schölkopf et al. (2001). A point is inside when `f(x) ≥ ρ`.
///
/// # Theory
/// At most `νn` points of the data are outside, at least `νn` are support vectors.
///
/// # Cost
/// As [`Svc`](super::Svc).
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::OneClass};
/// use ndarray::array;
/// let x = array![[0.0], [0.1], [-0.1], [0.05], [4.0]];
/// let fit = OneClass::new("gaussian()".parse()?, 0.3).fit(x.view(), None, &Compute::new())?;
/// let inside = fit.decisions(array![[0.0], [9.0]].view(), &Compute::new())?;
/// assert!(inside[0] > 0.0 && inside[1] < 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OneClass {
    /// The kernel.
    pub kernel: Kernel,
    /// `0 < ν ≤ 1`: about this part of the data is outside.
    pub nu: f64,
    /// Options of the solver.
    pub solver: DualOptions,
    /// Whether to accept a kernel that is not positive semi-definite.
    pub indefinite: bool,
}

impl OneClass {
    /// A one-class SVM.
    pub fn new(kernel: Kernel, nu: f64) -> Self {
        Self { kernel, nu, solver: DualOptions::default(), indefinite: false }
    }

    /// Fits the region. With a kernel over `precomputed()`, `x` is the matrix of kernel values.
    ///
    /// # Errors
    /// [`Error::Parameter`] for ν outside (0, 1]; otherwise as [`Svc::fit`](super::Svc::fit).
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<OneClassFit> {
        let x = self.kernel.points(x);
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::parameter("nu", self.nu, AllowedRange::above(0.0).at_most(1.0)));
        }
        let weights = check_weights(weights, x.len())?;
        let bound = bind(&self.kernel, x, self.indefinite, compute)?;
        let problem = one_class(weights, self.nu);
        let mut rows = SvmMethod::rows(&bound, x, &self.solver, compute)?;
        let solution = problem.solve(&mut rows, &self.solver, compute)?;
        let svm = BinarySvm::new(&problem, &solution);
        if !self.indefinite {
            svm.require_norm(&self.kernel)?;
        }
        Ok(OneClassFit { function: Function::new(bound.kernel(), x, svm), settings: self.settings() })
    }
}

/// `f(x) + b` of a binary SVM with one output.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) support: Support,
    pub(super) coefficients: Vec<f64>,
    pub(super) offset: f64,
    pub(super) fitted: Vec<f64>,
    pub(super) evidence: SvmEvidence,
    pub(super) in_features: InFeatures,
}

impl Function {
    fn new(kernel: &Kernel, x: Points<'_>, svm: BinarySvm) -> Self {
        let carrying: Vec<usize> = (0..svm.coefficients.len()).filter(|&i| svm.coefficients[i] != 0.0).collect();
        Self {
            coefficients: carrying.iter().map(|&i| svm.coefficients[i]).collect(),
            support: Support::new(kernel, x, carrying),
            offset: svm.offset,
            fitted: svm.decisions,
            evidence: svm.evidence,
            in_features: InFeatures::default(),
        }
    }

    fn evaluate(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        let column = || Array1::from(self.coefficients.clone()).insert_axis(Axis(1));
        let mut values = match self.in_features.values(&self.support, column, x.reborrow(), compute)? {
            Some(values) => values.into_raw_vec_and_offset().0,
            None => self.support.evaluate(x, &self.coefficients, compute)?,
        };
        values.iter_mut().for_each(|v| *v += self.offset);
        Ok(values)
    }
}

/// Accessors of both fits.
macro_rules! function {
    ($fit:ident) => {
        impl $fit {
            /// The kernel, with medians resolved.
            pub fn kernel(&self) -> &Kernel {
                &self.function.support.kernel
            }

            /// Columns that new points must have.
            pub fn columns(&self) -> usize {
                self.function.support.columns()
            }

            /// The rows of the data that carry weight.
            pub fn support(&self) -> &[usize] {
                &self.function.support.indices
            }

            /// Those points.
            pub fn support_vectors(&self) -> Points<'_> {
                self.function.support.vectors.as_points()
            }

            /// The coefficient of each support vector.
            pub fn dual_coefficients(&self) -> &[f64] {
                &self.function.coefficients
            }

            /// `b`: LIBSVM's `−ρ`.
            pub fn offset(&self) -> f64 {
                self.function.offset
            }

            /// The values at the rows of the data.
            pub fn fitted(&self) -> &[f64] {
                &self.function.fitted
            }

            /// How good the solution is.
            pub fn evidence(&self) -> SvmEvidence {
                self.function.evidence
            }

            /// The settings of the fit; empty for a fit from a file that does not store them.
            pub fn settings(&self) -> &Settings {
                &self.settings
            }
        }
    };
}

/// A fitted [`Svr`].
#[derive(Clone, Debug)]
pub struct SvrFit {
    pub(super) function: Function,
    pub(super) epsilon: f64,
    pub(crate) settings: Settings,
}

function!(SvrFit);

impl SvrFit {
    /// `f(x) + b` for every row of `x`.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<f64>> {
        let x = x.into();
        self.function.evaluate(x, compute)
    }

    /// Half of the width of the tube: given, or found by a ν-regression.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }
}

/// A fitted [`OneClass`].
#[derive(Clone, Debug)]
pub struct OneClassFit {
    pub(super) function: Function,
    pub(crate) settings: Settings,
}

function!(OneClassFit);

impl OneClassFit {
    /// `f(x) − ρ` for every row of `x`: not negative inside.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn decisions<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<f64>> {
        let x = x.into();
        self.function.evaluate(x, compute)
    }
}
