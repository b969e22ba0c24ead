//! Gaussian processes in the catalogue of learners.

use ndarray::{Array1, Array2, Axis};

use super::sparse::{APPROXIMATIONS, Inducing};
use super::spec::EVALUATIONS;
use super::{
    GaussianProcess, GaussianProcessFit, SharedGaussianProcess, SharedGaussianProcessFit, SparseGaussianProcess,
    SparseGaussianProcessFit,
};
use crate::error::AllowedRange;
use crate::learn::conditional::Observed;
use crate::learn::linear::Linear;
use crate::learner::common::{KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, LeaveOneOut, Parameter, ParameterKind, Plan,
    ViewCount, column, declared, on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

const NOISE: Parameter = Parameter::with_default(
    "noise",
    ParameterKind::Number(AllowedRange::NON_NEGATIVE),
    "0.1",
    "variance of the noise; where the optimization starts",
);
const OPTIMIZE: Parameter = Parameter::with_default(
    "optimize",
    ParameterKind::Flag,
    "true",
    "choose the parameters of the kernel and the noise by the marginal likelihood",
);
const FIXED: Parameter = Parameter::optional("fixed", ParameterKind::Texts, "parameters that keep their values");
const FREE: Parameter =
    Parameter::optional("free", ParameterKind::Texts, "parameters that move only when asked, such as nu");
const RESTARTS: Parameter =
    Parameter::with_default("restarts", ParameterKind::Count(0), "0", "further starts of the optimization");

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "gaussian_process",
    title: "Gaussian process",
    summary: "regression with variances; the kernel is chosen by the marginal likelihood",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[KERNEL, NOISE, OPTIMIZE, FIXED, FREE, RESTARTS, SEED],
    build: |settings| {
        Ok(Box::new(GaussianProcess {
            optimize: settings.flag("optimize")?,
            fixed: texts(settings, "fixed")?,
            free: texts(settings, "free")?,
            restarts: settings.count("restarts")?,
            ..GaussianProcess::new(settings.kernel("kernel")?, settings.number("noise")?)
        }))
    },
    load: |record, settings, _| {
        Ok(Box::new(GaussianProcessFit { settings, ..GaussianProcessFit::from_record(record)? }))
    },
};

pub(crate) static SPARSE: LearnerEntry = LearnerEntry {
    name: "sparse_gaussian_process",
    title: "Gaussian process with inducing points",
    summary: "a Gaussian process in linear time, approximated through a few points",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: false,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        KERNEL,
        NOISE,
        Parameter::with_default(
            "inducing",
            ParameterKind::Word(&["greedy", "random", "points"]),
            "greedy",
            "how the inducing points are chosen",
        ),
        Parameter::with_default("inducing_count", ParameterKind::Count(1), "100", "inducing points, at most"),
        Parameter::with_default(
            "approximation",
            ParameterKind::Word(&["sor", "dtc", "fitc", "variational"]),
            "variational",
            "how the observations are seen through them",
        ),
        OPTIMIZE,
        Parameter::with_default("move_inducing", ParameterKind::Flag, "false", "move the inducing points too"),
        FIXED,
        FREE,
        RESTARTS,
        SEED,
    ],
    build: |settings| {
        let count = settings.count("inducing_count")?;
        let inducing = match settings.text("inducing")? {
            "greedy" => Inducing::Greedy(count),
            "random" => Inducing::Random(count),
            other => return Err(Error::parameter("inducing", other, "points that are chosen, not given")),
        };
        Ok(Box::new(SparseGaussianProcess {
            approximation: settings.word("approximation", &APPROXIMATIONS)?,
            optimize: settings.flag("optimize")?,
            move_inducing: settings.flag("move_inducing")?,
            fixed: texts(settings, "fixed")?,
            free: texts(settings, "free")?,
            restarts: settings.count("restarts")?,
            ..SparseGaussianProcess::new(settings.kernel("kernel")?, settings.number("noise")?, inducing)
        }))
    },
    load: |record, settings, compute| {
        let mut fit = SparseGaussianProcessFit::from_record(record, compute)?;
        fit.settings = settings;
        Ok(Box::new(fit))
    },
};

pub(crate) static SHARED: LearnerEntry = LearnerEntry {
    name: "shared_gaussian_process",
    title: "Gaussian process",
    summary: "one kernel for all targets, and a noise variance for every row",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        Parameter::with_default(
            "noise",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "1e-10",
            "variance of the noise of every row",
        ),
    ],
    build: |settings| {
        let process = SharedGaussianProcess::new(settings.kernel("kernel")?);
        Ok(Box::new(SharedWithNoise { process, noise: settings.number("noise")? }))
    },
    load: |record, settings, _| {
        let mut fit = SharedGaussianProcessFit::from_record(record)?;
        fit.settings = settings;
        Ok(Box::new(fit))
    },
};

fn texts(settings: &Settings, name: &str) -> Result<Vec<String>> {
    if settings.has(name) { settings.texts(name).map(<[String]>::to_vec) } else { Ok(Vec::new()) }
}

/// `8n²` bytes and `n³/3` operations for every evaluation of the likelihood.
fn exact_plan(size: &FitSize, evaluations: f64, compute: &Compute) -> Result<Plan> {
    let rows = size.first()?.rows as f64;
    // With a gradient two strips of columns of the inverse for every thread.
    let strips = if evaluations >= 1.0 { 2.0 * rows.min(192.0) * compute.threads() as f64 } else { 0.0 };
    let (bytes, flops) = (8.0 * rows * (rows + strips), evaluations * rows.powi(3));
    Ok(Plan::new("Cholesky", bytes as u64, flops, "the posterior is exact", compute))
}

impl Learner for GaussianProcess {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        exact_plan(size, if self.optimize { self.evaluations() } else { 1.0 / 3.0 }, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.value()?, compute)?))
    }
}

impl Fitted for GaussianProcessFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel that was chosen")
            .with("noise", self.noise(), "variance of the noise")
            .with("log_marginal_likelihood", self.log_marginal_likelihood(), "log p(y)")
            .with("parameter_names", self.parameter_names(), "parameters of the kernel, and the noise")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of the posterior mean")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        1
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        (output == 0).then(|| self.dual_coefficients().to_owned())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(self.mean(x, compute)?))
    }

    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let found = Self::predict(self, x, compute)?;
        Ok((column(found.mean), column(found.variance.mapv(|v| (v + self.noise()).sqrt()))))
    }

    fn leave_one_out(&self, compute: &Compute) -> Result<Option<Box<dyn LeaveOneOut>>> {
        let design = Array2::zeros((self.points().len(), 0));
        let observed = Observed {
            kernel: Self::kernel(self),
            points: Self::points(self),
            roots: Array1::ones(design.nrows()),
            design: design.view(),
            lambda: self.noise(),
        };
        let dual = self.dual_coefficients().insert_axis(Axis(1));
        Linear { observed, dual, residuals: None, own: None }.leave_one_out(compute)
    }
}

impl Learner for SparseGaussianProcess {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let (rows, count) = (size.first()?.rows as f64, self.settings().count("inducing_count")? as f64);
        let evaluations = if self.optimize { EVALUATIONS } else { 1.0 };
        let (bytes, flops) = (self.bytes(rows as usize), 4.0 * evaluations * rows * count * count);
        let plan = Plan::new("inducing points", bytes, flops, "linear in the rows", compute);
        Ok(Plan { approximation: Some(format!("the process is seen through {count} points")), ..plan })
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, input.value()?, compute)?))
    }
}

impl Fitted for SparseGaussianProcessFit {
    declared!(SPARSE);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel that was chosen")
            .with("noise", self.noise(), "variance of the noise")
            .with(
                "log_marginal_likelihood",
                self.log_marginal_likelihood(),
                "the bound, or the likelihood of the approximation",
            )
            .with("inducing", self.inducing(), "the inducing points")
            .with("trace_left", self.trace_left(), "tr(K − Q): what the inducing points miss")
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        None
    }

    fn dimension(&self, _view: usize) -> usize {
        self.inducing().ncols()
    }

    fn targets(&self) -> usize {
        1
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x.vectors()?, compute)?.mean))
    }

    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let found = Self::predict(self, x.vectors()?, compute)?;
        Ok((column(found.mean), column(found.variance.mapv(|v| (v + self.noise()).sqrt()))))
    }
}

/// Processes of several targets with one noise variance for all rows.
#[derive(Clone, Debug)]
struct SharedWithNoise {
    process: SharedGaussianProcess,
    noise: f64,
}

impl Learner for SharedWithNoise {
    fn settings(&self) -> Settings {
        self.process.settings().with("noise", self.noise)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        exact_plan(size, 1.0 / 3.0, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (x, y) = (input.only()?, input.values()?);
        let noise = Array1::from_elem(y.nrows(), self.noise);
        let mut fit = self.process.fit(x, y, noise.view(), compute)?;
        fit.settings = Learner::settings(self);
        Ok(Box::new(fit))
    }
}

impl Fitted for SharedGaussianProcessFit {
    declared!(SHARED);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel")
            .with("noise", self.noise(), "variance of the noise of every row")
            .with("log_marginal_likelihood", self.log_marginal_likelihood(), "log p(y), summed over the targets")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of the posterior means")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        Self::targets(self).ncols()
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        let weights = self.dual_coefficients();
        (output < weights.ncols()).then(|| weights.column(output).to_owned())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.mean(x, compute)
    }

    /// Where all rows of the data have the same noise.
    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let noise = self.common_noise().ok_or_else(|| {
            Error::undetermined(
                "the noise variance of a new observation",
                "the rows of the data have different noise variances",
                "use one noise variance",
            )
        })?;
        let (mean, variance) = (self.mean(x.reborrow(), compute)?, self.variance(x, compute)?);
        let deviation = column(variance.mapv(|v| (v.max(0.0) + noise).sqrt()));
        let deviation = deviation.broadcast(mean.dim()).map(|d| d.to_owned()).unwrap_or(deviation);
        Ok((mean, deviation))
    }

    /// A row of noise `σᵢ²` is one of weight `1/σᵢ²` beside λ = 1; absent where a row has no noise.
    fn leave_one_out(&self, compute: &Compute) -> Result<Option<Box<dyn LeaveOneOut>>> {
        if self.noise().iter().any(|v| *v == 0.0) {
            return Ok(None);
        }
        let design = Array2::zeros((self.points().len(), 0));
        let observed = Observed {
            kernel: Self::kernel(self),
            points: Self::points(self),
            roots: self.noise().mapv(|v| v.sqrt().recip()),
            design: design.view(),
            lambda: 1.0,
        };
        Linear { observed, dual: self.dual_coefficients(), residuals: None, own: None }.leave_one_out(compute)
    }
}
