//! Smoothing splines in the catalogue of learners.

use ndarray::{Array2, ArrayView1, Axis};

use super::{Smoothing, SmoothingSpline, SplineFit};
use crate::error::AllowedRange;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared,
};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "spline",
    title: "Smoothing spline",
    summary: "a smooth curve through the observations of one column, in linear time",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::with_default("order", ParameterKind::Count(1), "2", "order of the derivative that is penalized"),
        Parameter::with_default(
            "smoothing",
            ParameterKind::Word(&["gcv", "reml", "lambda", "degrees_of_freedom"]),
            "gcv",
            "how λ is chosen",
        ),
        Parameter::optional(
            "lambda",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "penalty of the integral of the squared derivative, beside a sum of squares",
        ),
        Parameter::optional(
            "degrees_of_freedom",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "trace of the hat matrix to reach",
        ),
        Parameter::optional("period", ParameterKind::Number(AllowedRange::POSITIVE), "period of a periodic spline"),
    ],
    build: |settings| Ok(Box::new(SmoothingSpline::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(SplineFit { settings, ..SplineFit::from_record(record)? })),
};

impl SmoothingSpline {
    fn of_settings(settings: &Settings) -> Result<Self> {
        let smoothing = match settings.text("smoothing")? {
            "lambda" => Smoothing::Lambda(settings.number("lambda")?),
            "degrees_of_freedom" => Smoothing::DegreesOfFreedom(settings.number("degrees_of_freedom")?),
            "reml" => Smoothing::Reml,
            _ => Smoothing::Gcv,
        };
        Ok(Self { order: settings.count("order")?, smoothing, period: settings.optional_number("period")? })
    }
}

/// The one column of vectors.
fn only_column<'x>(x: &Points<'x>) -> Result<ArrayView1<'x, f64>> {
    let x = x.vectors()?;
    if x.ncols() != 1 {
        return Err(Error::shape("columns of x", 1, x.ncols()));
    }
    Ok(x.index_axis_move(Axis(1), 0))
}

impl Learner for SmoothingSpline {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let rows = size.first()?.rows as u64;
        // As measured for orders 1 to 3 without a period; a fit reserves more.
        let bytes = rows * 8 * (15 + 3 * self.order + 4 * self.order * self.order) as u64;
        let flops = (rows * 100 * (self.order * self.order) as u64) as f64;
        Ok(Plan::new("banded systems", bytes, flops, "linear in the rows", compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, only_column(&input.only()?)?, input.value()?, input.weights, compute)?))
    }
}

impl Fitted for SplineFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("lambda", self.lambda(), "penalty of the integral of the squared derivative")
            .with("degrees_of_freedom", self.degrees_of_freedom(), "trace of the hat matrix")
            .with("gcv", self.gcv(), "generalized cross-validation")
            .with("reml", self.reml(), "restricted likelihood criterion")
            .with_some("variance", self.variance(), "estimated variance of the noise")
            .with("roughness", self.roughness(), "the integral that is penalized")
            .with("fitted", self.fitted(), "values at the points of the fit")
            .with("loo_residuals", self.loo_residuals(), "leave-one-out residuals")
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        None
    }

    fn dimension(&self, _view: usize) -> usize {
        1
    }

    fn targets(&self) -> usize {
        1
    }

    fn predict(&self, x: Points<'_>, _compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, only_column(&x)?, 0)?))
    }

    fn moments(&self, x: Points<'_>, _compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let x = only_column(&x)?;
        let errors = self.standard_errors(x)?;
        // Standard errors exist only beside a variance.
        let noise = self.variance().unwrap_or(0.0);
        Ok((column(Self::predict(self, x, 0)?), column(errors.mapv(|s| (s * s + noise).sqrt()))))
    }
}
