//! Options of learners on a few centers.

use super::{CenterMachine, EarlyStopping};
use crate::error::AllowedRange;
use crate::features::Landmarks;
use crate::learn::Loss;
use crate::learner::{Parameter, ParameterKind};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Result};

/// Centers for each root of the number of rows, where their number is left to the plan.
const PER_ROOT: f64 = 5.0;
/// The plan goes no lower.
const FEWEST: usize = 10;

/// The centers of a learner: how many, which, and when their coefficients are good enough.
///
/// # Theory
/// With `m` of the order of `√n` centers and the right λ, the error of a ridge regression is of the
/// order of that with all points (Rudi, Camoriano and Rosasco 2015). The plan takes `5√n` of them,
/// fewer where the memory or the time is short.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::{Ridge, centers::Centers}};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((500, 1), |(i, _)| i as f64 / 50.0);
/// let y = x.mapv(f64::sin);
/// let ridge = Ridge { centers: Some(Centers::new(30)), ..Ridge::new("gaussian()".parse()?, 1e-6) };
/// let fit = ridge.fit(x.view(), y.view(), None, &Compute::new())?;
/// assert_eq!(fit.points().len(), 30);
/// assert!(fit.residuals().iter().all(|r| r.abs() < 1e-3));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Centers {
    /// `m`: the centers, at most; the plan chooses where there is no number.
    pub count: Option<usize>,
    /// The selection of the landmarks.
    pub landmarks: Landmarks,
    /// Stop when the residual is at most this part of the right-hand side (squared loss), or a
    /// Newton step improves the objective by less than this part.
    pub tolerance: f64,
    /// Iterations of conjugate gradients, over all Newton steps.
    pub max_iterations: usize,
    /// Held-out rows for early stopping.
    pub held_out: Option<EarlyStopping>,
}

impl Default for Centers {
    /// As many as the plan specifies, drawn uniformly.
    fn default() -> Self {
        Self { count: None, landmarks: Landmarks::Uniform, tolerance: 1e-7, max_iterations: 200, held_out: None }
    }
}

impl Settings {
    /// With those of centers: `centers` (absent where the plan chooses), `landmarks`,
    /// `center_tolerance`, `center_iterations`, `held_out` and `held_out_patience`. Landmarks that
    /// are given are in the solution of the fit: its points.
    pub(in crate::learn) fn with_centers(self, centers: Option<&Centers>) -> Self {
        let Some(centers) = centers else { return self };
        self.with_some("centers", centers.count)
            .with("landmarks", centers.landmarks.name())
            .with("center_tolerance", centers.tolerance)
            .with("center_iterations", centers.max_iterations)
            .with_some("held_out", centers.held_out.map(|held| held.share))
            .with_some("held_out_patience", centers.held_out.map(|held| held.patience))
    }
}

/// Those of centers, for the declarations of learners.
pub(in crate::learn) const CENTERS: [Parameter; 6] = [
    Parameter::optional("centers", ParameterKind::Count(1), "functions on this many centers instead of all points"),
    Parameter::optional(
        "landmarks",
        ParameterKind::Word(&["uniform", "rpcholesky", "kmeans", "leverage", "greedy", "rows", "points"]),
        "how the centers are chosen",
    ),
    Parameter::optional(
        "center_tolerance",
        ParameterKind::Number(AllowedRange::POSITIVE),
        "stop the iteration on centers at this residual",
    ),
    Parameter::optional("center_iterations", ParameterKind::Count(1), "iterations on centers"),
    Parameter::optional(
        "held_out",
        ParameterKind::Number(AllowedRange::OPEN_UNIT),
        "share of the rows held out to stop early",
    ),
    Parameter::optional("held_out_patience", ParameterKind::Count(1), "iterations without a better score"),
];

impl Centers {
    /// Those of the settings, where there are some.
    pub(in crate::learn) fn of_settings(settings: &Settings) -> Result<Option<Self>> {
        if !CENTERS.iter().any(|parameter| settings.has(parameter.name)) {
            return Ok(None);
        }
        let plain = Self::default();
        let landmarks = match settings.optional_text("landmarks")? {
            Some(word) => Landmarks::named(word)?,
            None => plain.landmarks,
        };
        let share = settings.optional_number("held_out")?;
        let patience = settings.optional_count("held_out_patience")?.unwrap_or(5);
        Ok(Some(Self {
            count: settings.optional_count("centers")?,
            landmarks,
            tolerance: settings.optional_number("center_tolerance")?.unwrap_or(plain.tolerance),
            max_iterations: settings.optional_count("center_iterations")?.unwrap_or(plain.max_iterations),
            held_out: share.map(|share| EarlyStopping { share, patience }),
        }))
    }

    /// This many centers, drawn uniformly.
    pub fn new(count: usize) -> Self {
        Self { count: Some(count), ..Self::default() }
    }

    /// The learner that minimizes a loss on these centers.
    pub(in crate::learn) fn machine(&self, kernel: &Kernel, loss: Loss, lambda: f64, intercept: bool) -> CenterMachine {
        CenterMachine {
            kernel: kernel.clone(),
            loss,
            lambda,
            centers: self.count.unwrap_or(FEWEST),
            landmarks: self.landmarks.clone(),
            intercept,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            held_out: self.held_out,
        }
    }

    /// The learner with as many centers as `rows` rows and the limits of the computation allow.
    pub(in crate::learn) fn sized(
        &self,
        machine: CenterMachine,
        size: (usize, usize, usize),
        compute: &Compute,
    ) -> Result<CenterMachine> {
        self.check()?;
        if self.count.is_some() {
            return Ok(machine);
        }
        let most = (PER_ROOT * (size.0 as f64).sqrt()).ceil() as usize;
        let mut machine = CenterMachine { centers: most.max(FEWEST).min(size.0.max(1)), ..machine };
        while machine.centers > FEWEST && !machine.fits(size, compute) {
            machine.centers = (machine.centers * 7 / 10).max(FEWEST);
        }
        Ok(machine)
    }

    fn check(&self) -> Result<()> {
        if self.count == Some(0) {
            return Err(Error::parameter("centers", 0, 1..));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(Error::parameter("tolerance", self.tolerance, AllowedRange::POSITIVE));
        }
        if self.max_iterations == 0 {
            return Err(Error::parameter("max_iterations", 0, 1..));
        }
        Ok(())
    }
}
