//! Local smoothers in the catalogue of learners.

use ndarray::Array2;

use super::record::WEIGHTS;
use super::{Bandwidth, LocalFit, LocalLinear, NadarayaWatson};
use crate::error::AllowedRange;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "local",
    title: "Local smoother",
    summary: "a weighted mean or line around every point",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: false,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::with_default(
            "degree",
            ParameterKind::Word(&["mean", "line"]),
            "mean",
            "Nadaraya–Watson means, or local lines of one column",
        ),
        Parameter::with_default(
            "weights",
            ParameterKind::Word(&["gaussian", "epanechnikov", "tricube", "uniform", "biweight"]),
            "gaussian",
            "how weights fall with the distance",
        ),
        Parameter::optional(
            "bandwidth",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "the bandwidth; without one it is chosen by leave-one-out",
        ),
    ],
    build: |settings| {
        let bandwidth = settings.optional_number("bandwidth")?.map_or(Bandwidth::LeaveOneOut, Bandwidth::Fixed);
        let weights = settings.word("weights", &WEIGHTS)?;
        Ok(match settings.text("degree")? {
            "line" => Box::new(LocalLinear { bandwidth, weights }),
            _ => Box::new(NadarayaWatson { bandwidth, weights }),
        })
    },
    load: |record, settings, _| Ok(Box::new(LocalFit { settings, ..LocalFit::from_record(record)? })),
};

/// Pairs of points for every bandwidth that is tried.
fn plan(bandwidth: Bandwidth, size: &FitSize, compute: &Compute) -> Result<Plan> {
    let x = size.first()?;
    let tried = if matches!(bandwidth, Bandwidth::Fixed(_)) { 1.0 } else { 30.0 };
    let flops = tried * (x.rows as f64).powi(2) * (x.work + 10.0);
    // The points, and ten numbers for each: targets, fits, slopes, leverages and residuals.
    let bytes = x.bytes + 80 * x.rows as u64;
    Ok(Plan::new("weighted means", bytes, flops, "the weights are never stored", compute))
}

impl Learner for NadarayaWatson {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        plan(self.bandwidth, size, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, input.value()?, compute)?))
    }
}

impl Learner for LocalLinear {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        plan(self.bandwidth, size, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, input.value()?, compute)?))
    }
}

impl Fitted for LocalFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("bandwidth", self.bandwidth(), "the bandwidth")
            .with("degrees_of_freedom", self.degrees_of_freedom(), "sum of the leverages")
            .with("fitted", self.fitted(), "values at the points of the fit")
            .with("loo_residuals", self.loo_residuals(), "leave-one-out residuals")
            .with("loo_score", self.loo_score(), "their mean square")
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        None
    }

    fn dimension(&self, _view: usize) -> usize {
        Self::points(self).ncols()
    }

    fn targets(&self) -> usize {
        1
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x.vectors()?, compute)?))
    }

    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let x = x.vectors()?;
        let errors = self.standard_errors(x, compute)?;
        let noise = self.variance(compute)?.unwrap_or(0.0);
        Ok((column(Self::predict(self, x, compute)?), column(errors.mapv(|s| (s * s + noise).sqrt()))))
    }
}
