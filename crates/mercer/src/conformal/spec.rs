//! The specification of a conformal prediction.

use super::SetScore;
use super::fit::ConformalFit;
use super::parts::Calibration;
use crate::error::AllowedRange;
use crate::learner::{FitInput, Fitted};
use crate::{Compute, Error, Result};

/// Rows up to which [`ConformalMethod::Auto`] takes jackknife+ where it has a closed form: every
/// new point takes `2n²` operations and the data a factor of `n³/3`.
const JACKKNIFE_ROWS: usize = 4000;
/// Rows up to which it takes CV+: beyond, one more fit is enough, as there are many rows to hold
/// out.
const CV_ROWS: usize = 20_000;

/// How held-out scores are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConformalMethod {
    /// Jackknife+ up to 4000 rows where it has a closed form, else CV+ up to 20 000 rows, else a
    /// split.
    #[default]
    Auto,
    /// Leave-one-out predictions in closed form, without a further fit: ridge regression and
    /// Gaussian processes.
    JackknifePlus,
    /// One fit without each of the folds.
    CvPlus,
    /// One fit without the held-out rows.
    Split,
}

/// The words for the methods.
const METHODS: [(ConformalMethod, &str); 4] = [
    (ConformalMethod::Auto, "auto"),
    (ConformalMethod::JackknifePlus, "jackknife+"),
    (ConformalMethod::CvPlus, "cv+"),
    (ConformalMethod::Split, "split"),
];

impl ConformalMethod {
    /// The word for it: `auto`, `jackknife+`, `cv+`, `split`.
    pub fn name(self) -> &'static str {
        METHODS.iter().find(|(method, _)| *method == self).map_or("auto", |(_, name)| name)
    }

    /// The method of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word.
    ///
    /// # Example
    /// ```
    /// use mercer::conformal::ConformalMethod;
    /// assert_eq!(ConformalMethod::of_name("cv+")?, ConformalMethod::CvPlus);
    /// assert!(ConformalMethod::of_name("bootstrap").is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_name(name: &str) -> Result<Self> {
        let found = METHODS.iter().find(|(_, known)| *known == name);
        found
            .map(|(method, _)| *method)
            .ok_or_else(|| Error::parameter("conformal method", name, "one of auto, jackknife+, cv+, split"))
    }

    /// What [`ConformalMethod::Auto`] takes for so many rows, and a fit whose leave-one-out has a
    /// closed form or not.
    ///
    /// # Example
    /// ```
    /// use mercer::conformal::ConformalMethod;
    /// assert_eq!(ConformalMethod::automatic(150, true), ConformalMethod::JackknifePlus);
    /// assert_eq!(ConformalMethod::automatic(150, false), ConformalMethod::CvPlus);
    /// assert_eq!(ConformalMethod::automatic(100_000, true), ConformalMethod::Split);
    /// ```
    pub fn automatic(rows: usize, closed_form: bool) -> Self {
        match rows {
            ..=JACKKNIFE_ROWS if closed_form => Self::JackknifePlus,
            ..=CV_ROWS => Self::CvPlus,
            _ => Self::Split,
        }
    }

    /// The probability that an interval or a set of this level holds a new observation, at least, for
    /// exchangeable rows: the table of the [module](super), not below 0. `rows` were held out by
    /// `fits` fits.
    ///
    /// # Example
    /// ```
    /// use mercer::conformal::ConformalMethod;
    /// mercer::assert_close!(ConformalMethod::JackknifePlus.guarantee(100, 0, 0.9), 0.8, abs = 1e-15);
    /// // 0.8 − min(2·0.9/11, 0.9/11).
    /// mercer::assert_close!(ConformalMethod::CvPlus.guarantee(100, 10, 0.9), 0.8 - 0.9 / 11.0, abs = 1e-15);
    /// ```
    pub fn guarantee(self, rows: usize, fits: usize, level: f64) -> f64 {
        let (n, k) = (rows as f64, fits as f64);
        let bound = match self {
            Self::Split => level,
            Self::CvPlus => {
                let by_fold = 2.0 * (1.0 - 1.0 / k) / (n / k + 1.0);
                2.0 * level - 1.0 - by_fold.min((1.0 - k / n) / (k + 1.0))
            }
            _ => 2.0 * level - 1.0,
        };
        bound.max(0.0)
    }
}

/// A conformal prediction on top of a fit.
///
/// # Example
/// ```
/// use mercer::conformal::{Conformal, ConformalMethod};
/// use mercer::learner::{FitInput, Targets};
/// use mercer::{Compute, learn::Ridge};
/// use ndarray::{Array2, array};
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y = Array2::from_shape_fn((40, 1), |(i, _)| x[[i, 0]].sin() + if i % 2 == 0 { 0.1 } else { -0.1 });
/// let fit = Ridge::new("gaussian()".parse()?, 0.01).fit(x.view(), y.view(), None, &compute)?;
/// let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
/// let conformal = Conformal::default().fit(&fit, &input, &compute)?;
/// assert_eq!(conformal.method(), ConformalMethod::JackknifePlus);
/// let ends = conformal.intervals(&fit, array![[2.0]].view(), 0.9, &compute)?;
/// assert!(ends.lower[[0, 0]] < 2f64.sin() && 2f64.sin() < ends.upper[[0, 0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Conformal {
    /// How held-out scores are made.
    pub method: ConformalMethod,
    /// The folds of CV+: at most one per row.
    pub folds: usize,
    /// The share of the rows that a split holds out.
    pub held_out: f64,
    /// The score of classes.
    pub score: SetScore,
    /// Whether [`SetScore::Aps`] counts a class with a random share, from the seed.
    pub randomized: bool,
}

impl Default for Conformal {
    fn default() -> Self {
        Self { method: ConformalMethod::Auto, folds: 10, held_out: 0.25, score: SetScore::default(), randomized: false }
    }
}

impl Conformal {
    /// The defaults with this method.
    pub fn new(method: ConformalMethod) -> Self {
        Self { method, ..Self::default() }
    }

    /// Calibrates a fit on the data that it was fitted on.
    ///
    /// # Cost
    /// Jackknife+: a factor of `n³/3`. CV+: as many fits as folds. Split: one fit. All of them with
    /// the settings of the fit.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than 2 folds or a share outside `(0, 1)`; [`Error::TooFew`]
    /// for a single row; [`Error::Unsupported`] for a fit without targets, for one of several
    /// views, for jackknife+ without a closed form (classes, centers, precomputed kernel values),
    /// and for [`SetScore::Aps`] without probabilities; as the fits.
    pub fn fit(&self, fitted: &dyn Fitted, input: &FitInput<'_>, compute: &Compute) -> Result<ConformalFit> {
        if self.folds < 2 {
            return Err(Error::parameter("folds", self.folds, 2..));
        }
        if !(self.held_out > 0.0 && self.held_out < 1.0) {
            return Err(Error::parameter("held_out", self.held_out, AllowedRange::OPEN_UNIT));
        }
        let calibration = Calibration::new(self, fitted, input)?;
        if calibration.rows.len() < 2 {
            return Err(Error::too_few("conformal prediction", "rows of the data", 2, calibration.rows.len()));
        }
        match self.method {
            ConformalMethod::JackknifePlus => calibration.jackknife(compute)?.ok_or_else(|| no_closed_form(fitted)),
            ConformalMethod::CvPlus => calibration.cross_validated(compute),
            ConformalMethod::Split => calibration.split(compute),
            ConformalMethod::Auto => self.automatic(&calibration, compute),
        }
    }

    fn automatic(&self, calibration: &Calibration<'_, '_>, compute: &Compute) -> Result<ConformalFit> {
        let rows = calibration.rows.len();
        if ConformalMethod::automatic(rows, true) == ConformalMethod::JackknifePlus {
            match calibration.jackknife(compute) {
                Ok(None) | Err(Error::Singular { .. } | Error::Memory { .. } | Error::Undetermined { .. }) => {}
                Ok(Some(found)) => return Ok(found),
                Err(error) => return Err(error),
            }
        }
        match ConformalMethod::automatic(rows, false) {
            ConformalMethod::CvPlus => calibration.cross_validated(compute),
            _ => calibration.split(compute),
        }
    }
}

fn no_closed_form(fitted: &dyn Fitted) -> Error {
    Error::unsupported(
        "jackknife+",
        format!("this model of the kind {}", fitted.kind()),
        "its leave-one-out predictions have no closed form",
        "use cv+",
    )
}
