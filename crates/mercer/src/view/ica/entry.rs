//! Kernel independent component analysis in the catalogue of learners.

use ndarray::Array2;

use super::{Contrast, IcaFit, KernelIca};
use crate::error::AllowedRange;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

/// Kernel independent component analysis.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "ica",
    title: "Kernel independent components",
    summary: "a linear map to components that are as independent as possible",
    goal: Goal::Features,
    views: ViewCount::One,
    weighted: false,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::optional("components", ParameterKind::Count(1), "the number of components; all columns when absent"),
        Parameter::with_default(
            "contrast",
            ParameterKind::Word(&["negentropy", "kgv", "kcc", "hsic"]),
            "negentropy",
            "what is minimized: negentropy, kernel generalized variance, kernel canonical correlation or HSIC",
        ),
        Parameter::optional(
            "lengthscale",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "of the Gaussian kernel on components of variance 1; when absent, for negentropy 0.4 (less from 1000 rows), \
             else 1 (0.5 from 1000 rows)",
        ),
        Parameter::optional(
            "kappa",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "the strength of the regularization of kgv and kcc; 0.02, or 0.002 from 1000 rows, when absent",
        ),
        Parameter::with_default(
            "starts",
            ParameterKind::Count(1),
            "3",
            "rotations to begin with, for three or more components",
        ),
        Parameter::with_default(
            "tolerance",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "1e-6",
            "the gradient at which the steps end, relative to the contrast",
        ),
        Parameter::optional("seed", ParameterKind::Seed, "the seed of the rotations to begin with"),
    ],
    build: |settings| Ok(Box::new(KernelIca::from_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(IcaFit::from_record(record, settings)?)),
};

impl KernelIca {
    /// The settings by name, as the entry `ica` of the catalogue lists them.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with_some("components", self.components.map(|count| count as f64))
            .with("contrast", self.contrast.name())
            .with_some("lengthscale", self.lengthscale)
            .with_some("kappa", self.kappa)
            .with("starts", self.starts as f64)
            .with("tolerance", self.tolerance)
    }

    fn from_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            components: settings.optional_count("components")?,
            contrast: Contrast::parse(settings.text("contrast")?)?,
            lengthscale: settings.optional_number("lengthscale")?,
            kappa: settings.optional_number("kappa")?,
            starts: settings.count("starts")?,
            tolerance: settings.number("tolerance")?,
        })
    }
}

impl Learner for KernelIca {
    fn settings(&self) -> Settings {
        self.settings()
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let size = size.first()?;
        self.plan(size.rows, size.numbers(), compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(self.fit(input.only()?, compute)?))
    }
}

impl Fitted for IcaFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let evidence = self.evidence();
        Facts::new()
            .with("components", self.components(), "unmixing matrix, a row per component")
            .with("mixing", self.mixing(), "mixing matrix, a column per component")
            .with("mean", self.mean(), "mean of the data")
            .with("contrast", self.contrast(), "contrast of the components")
            .with("lengthscale", self.lengthscale(), "lengthscale of the Gaussian kernel")
            .with("kappa", self.kappa(), "strength of the regularization")
            .with("start_contrasts", &evidence.contrasts[..], "contrast after the sweeps from each start")
            .with("sweeps", &evidence.sweeps[..], "sweeps from each start")
            .with("n_iter", evidence.steps, "gradient steps")
            .with("converged", evidence.converged, "whether the gradient steps reached their tolerance")
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        None
    }

    fn dimension(&self, _view: usize) -> usize {
        self.mean.len()
    }

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components.nrows()
    }

    fn predict(&self, x: Points<'_>, _compute: &Compute) -> Result<Array2<f64>> {
        self.transform(x)
    }

    fn transform(&self, view: usize, x: Points<'_>, _compute: &Compute) -> Result<Array2<f64>> {
        if view > 0 {
            return Err(crate::Error::parameter("view", view, ..1));
        }
        self.transform(x)
    }
}
