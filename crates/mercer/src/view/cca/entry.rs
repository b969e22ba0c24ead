//! Kernel canonical correlation in the catalogue of learners.

use ndarray::Array2;

use super::{CcaFit, CcaForm, Criterion, KappaSearch, KernelCca, Rank};
use crate::error::AllowedRange;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
};
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result};

/// Kernel canonical correlation.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "cca",
    title: "Kernel canonical correlation",
    summary: "functions of two or more views of the same objects that correlate most",
    goal: Goal::Features,
    views: ViewCount::Several,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::with_default(
            "kernels",
            ParameterKind::Kernels,
            "gaussian(lengthscale=median)",
            "a kernel for each view, or one for all views",
        ),
        Parameter::with_default("components", ParameterKind::Count(1), "2", "the number of correlations"),
        Parameter::with_default(
            "kappa",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "0.02",
            "the strength of the regularization, for kernels with values of about 1 on the diagonal",
        ),
        Parameter::with_default(
            "choose_kappa",
            ParameterKind::Flag,
            "false",
            "choose kappa by permutations: where the first correlation exceeds permuted ones most",
        ),
        Parameter::with_default(
            "form",
            ParameterKind::Word(&["bach_jordan", "fukumizu"]),
            "bach_jordan",
            "how the problem is regularized; for fukumizu kappa is epsilon",
        ),
        Parameter::with_default(
            "criterion",
            ParameterKind::Word(&["smallest_eigenvalue", "largest_eigenvalue"]),
            "smallest_eigenvalue",
            "for three or more views: 1 - lambda of the smallest, or (lambda - 1)/(m - 1) of the largest eigenvalues",
        ),
        Parameter::with_default(
            "rank",
            ParameterKind::Word(&["auto", "exact"]),
            "auto",
            "low-rank kernel matrices with correlations to 1e-6, or whole ones",
        ),
        Parameter::optional(
            "tolerance",
            ParameterKind::Number(AllowedRange::OPEN_UNIT),
            "the share of the trace that low-rank kernel matrices may leave out",
        ),
        Parameter::with_default(
            "permutations",
            ParameterKind::Count(0),
            "0",
            "permutations for a p-value of each correlation",
        ),
        Parameter::optional("seed", ParameterKind::Seed, "the seed of the permutations"),
    ],
    build: |settings| Ok(Box::new(KernelCca::from_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(CcaFit::from_record(record, settings)?)),
};

impl KernelCca {
    /// The settings by name, as the entry `cca` of the catalogue lists them.
    pub fn settings(&self) -> Settings {
        let kernels: Vec<String> = self.kernels.iter().map(Kernel::to_string).collect();
        let tolerance = if let Rank::Tolerance(tolerance) = self.rank { Some(tolerance) } else { None };
        Settings::new()
            .with("kernels", &kernels[..])
            .with("components", self.components as f64)
            .with("kappa", self.kappa)
            .with("choose_kappa", self.kappa_search.is_some())
            .with("form", self.form.name())
            .with("criterion", self.criterion.name())
            .with("rank", if self.rank == Rank::Exact { "exact" } else { "auto" })
            .with_some("tolerance", tolerance)
            .with("permutations", self.permutations as f64)
    }

    fn from_settings(settings: &Settings) -> Result<Self> {
        let rank = match (settings.optional_number("tolerance")?, settings.text("rank")?) {
            (Some(tolerance), _) => Rank::Tolerance(tolerance),
            (None, "exact") => Rank::Exact,
            (None, _) => Rank::Auto,
        };
        Ok(Self {
            kernels: settings.kernels("kernels")?,
            components: settings.count("components")?,
            kappa: settings.number("kappa")?,
            kappa_search: settings.flag("choose_kappa")?.then(KappaSearch::default),
            form: CcaForm::parse(settings.text("form")?)?,
            criterion: Criterion::parse(settings.text("criterion")?)?,
            rank,
            permutations: settings.count("permutations")?,
        })
    }
}

impl Learner for KernelCca {
    fn settings(&self) -> Settings {
        self.settings()
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let rows = size.first()?.rows;
        self.plan(rows, size.views.len(), compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(self.fit(&input.views, compute)?))
    }
}

impl Fitted for CcaFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let evidence = self.evidence();
        let kernels = (0..self.views()).filter_map(|v| self.kernel(v).ok()).map(Kernel::to_string).collect::<Vec<_>>();
        Facts::new()
            .with("correlations", self.correlations(), "canonical correlations, descending")
            .with_some("p_values", self.p_values(), "p-value of each correlation by permutation of the rows")
            .with("kappa", self.kappa(), "strength of the regularization")
            .with("kernels", kernels, "kernel of each view, with medians resolved")
            .with("determined", evidence.determined, "components with a correlation above rounding")
            .with("ranks", &evidence.ranks[..], "rank of each view's centered kernel matrix")
            .with("trace_missed", &evidence.trace_missed[..], "share of each trace that its low-rank form leaves out")
            .with("error_bound", evidence.error_bound, "bound on the error of the correlations by low rank")
    }

    fn kernel(&self) -> Option<&Kernel> {
        self.kernel(0).ok()
    }

    fn views(&self) -> usize {
        self.views()
    }

    fn points(&self, view: usize) -> Option<Points<'_>> {
        self.points(view).ok()
    }

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.transform(0, x, compute)
    }

    fn transform(&self, view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.transform(view, x, compute)
    }
}
