//! Local smoothers: weighted means and lines around each point, to compare with functions of an
//! RKHS.

mod bandwidth;
pub(crate) mod entry;
mod fit;
mod interval;
mod local;
mod positions;
mod record;
mod weights;

use ndarray::{ArrayView1, ArrayView2};

use self::local::Degree;
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

pub use self::fit::LocalFit;
pub use self::weights::LocalWeight;

/// How the bandwidth `h` is chosen.
///
/// # Example
/// ```
/// use mercer::learn::smoother::Bandwidth;
/// assert_eq!(Bandwidth::default(), Bandwidth::LeaveOneOut);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Bandwidth {
    /// This bandwidth; for Gaussian weights it is their standard deviation.
    Fixed(f64),
    /// The bandwidth of least mean squared leave-one-out error, in closed form for each `h`: a grid
    /// from a quarter of the mean spacing to twice the diameter, then golden sections. With uniform
    /// weights the error is a step function of `h`, and the best step that was met is taken.
    #[default]
    LeaveOneOut,
}

/// The Nadaraya–Watson smoother: a weighted mean around each point.
///
/// # Formula
/// `f(x) = Σ wᵢ(x)yᵢ / Σ wᵢ(x)` with `wᵢ(x) = W(‖x − xᵢ‖/h)`.
///
/// # Theory
/// The local fit of a constant. `f` is linear in `y`, with leverage `Sᵢᵢ = W(0)/Σⱼ wⱼ(xᵢ)`, and
/// leaving observation `i` out gives the residual `(yᵢ − f(xᵢ))/(1 − Sᵢᵢ)` exactly.
///
/// # Cost
/// `O(n k)` with `k` observations in a neighborhood on a line, `O(n² d)` in several columns; per
/// bandwidth tried.
///
/// # Example
/// ```
/// use mercer::learn::smoother::{Bandwidth, LocalWeight, NadarayaWatson};
/// use mercer::Compute;
/// use ndarray::array;
/// let spec = NadarayaWatson { bandwidth: Bandwidth::Fixed(2.0), weights: LocalWeight::Epanechnikov };
/// let fit = spec.fit(array![[0.0], [1.0], [5.0]].view(), array![0.0, 7.0, 2.0].view(), &Compute::new())?;
/// // At 0: weights 1 and 3/4.
/// mercer::assert_close!(fit.fitted()[0], 3.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct NadarayaWatson {
    /// How the bandwidth is chosen.
    pub bandwidth: Bandwidth,
    /// How weights fall with distance.
    pub weights: LocalWeight,
}

/// The local linear smoother on a line: a weighted least-squares line around each point.
///
/// # Formula
/// `(f(x), f′(x))` minimizes `Σ wᵢ(x)(yᵢ − a − b(xᵢ − x))²` over `(a, b)`, with
/// `wᵢ(x) = W(|x − xᵢ|/h)`.
///
/// # Theory
/// Lines are reproduced exactly, also at the ends and between uneven positions, where a local mean
/// is biased. Leaving observation `i` out gives the residual `(yᵢ − f(xᵢ))/(1 − Sᵢᵢ)` exactly.
///
/// # Cost
/// `O(n k)` with `k` observations in a neighborhood; per bandwidth tried.
///
/// # Example
/// ```
/// use mercer::learn::smoother::{Bandwidth, LocalLinear, LocalWeight};
/// use mercer::Compute;
/// use ndarray::array;
/// let spec = LocalLinear { bandwidth: Bandwidth::Fixed(2.5), weights: LocalWeight::Tricube };
/// let fit = spec.fit(array![[0.0], [1.0], [2.0]].view(), array![1.0, 3.0, 5.0].view(), &Compute::new())?;
/// mercer::assert_close!(fit.predict(array![[-1.0]].view(), &Compute::new())?[0], -1.0, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct LocalLinear {
    /// How the bandwidth is chosen.
    pub bandwidth: Bandwidth,
    /// How weights fall with distance.
    pub weights: LocalWeight,
}

impl NadarayaWatson {
    /// The settings by name: `degree`, `weights`, and `bandwidth` where it is given.
    pub fn settings(&self) -> Settings {
        record::settings(Degree::Mean, self.weights, self.bandwidth)
    }

    /// Fits the smoother to rows `x` and values `y`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a bandwidth that is not positive, [`Error::Shape`] when sizes
    /// differ or nothing is given, [`Error::Value`] for NaN and infinities, [`Error::AllEqual`] or
    /// [`Error::Undetermined`] when no bandwidth can be chosen, [`Error::Canceled`].
    pub fn fit(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, compute: &Compute) -> Result<LocalFit> {
        LocalFit::new(Degree::Mean, self.weights, self.bandwidth, x, y, compute)
    }
}

impl LocalLinear {
    /// As [`NadarayaWatson::settings`].
    pub fn settings(&self) -> Settings {
        record::settings(Degree::Line, self.weights, self.bandwidth)
    }

    /// Fits the smoother to positions `x` (one column) and values `y`.
    ///
    /// # Errors
    /// As [`NadarayaWatson::fit`]; also [`Error::Shape`] unless `x` has one column, and
    /// [`Error::Undetermined`], naming the observation, where a neighborhood holds only one
    /// distinct place.
    pub fn fit(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, compute: &Compute) -> Result<LocalFit> {
        if x.ncols() != 1 {
            return Err(Error::shape("columns of x for a local line", 1, x.ncols()));
        }
        LocalFit::new(Degree::Line, self.weights, self.bandwidth, x, y, compute)
    }
}

/// Checks of the data of local smoothers.
fn check(x: ArrayView2<f64>, y: ArrayView1<f64>) -> Result<()> {
    if x.nrows() == 0 || x.ncols() == 0 {
        return Err(Error::shape("x", "at least one row and one column", format!("{:?}", x.dim())));
    }
    if y.len() != x.nrows() {
        return Err(Error::shape("values of y", format!("one per row of x ({})", x.nrows()), y.len()));
    }
    Points::Vectors(x).check_finite("x")?;
    crate::learn::observations::check_finite("y", y)
}
