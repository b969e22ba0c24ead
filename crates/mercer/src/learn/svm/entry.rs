//! Support vector machines in the catalogue of learners.

use ndarray::{Array1, Array2};

use super::{
    Calibration, Classes, DecisionShape, OneClass, OneClassFit, Penalty, Scheme, Svc, SvcFit, SvmEvidence, SvmPlan,
    Svr, SvrFit, Tube,
};
use crate::error::AllowedRange;
use crate::learn::stopped;
use crate::learner::common::{INDEFINITE, KERNEL, SEED, tolerance};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared,
};
use crate::settings::Settings;
use crate::solve::DualOptions;
use crate::{Compute, Kernel, Points, Result};

const SCHEMES: [(Scheme, &str); 2] =
    [(Scheme::OneVersusOne, "one_versus_one"), (Scheme::OneVersusRest, "one_versus_rest")];
const C: Parameter = Parameter::optional(
    "C",
    ParameterKind::Limit(AllowedRange::POSITIVE),
    "penalty of violations, beside half of the squared norm (1 without nu)",
);
const NU: ParameterKind = ParameterKind::Number(AllowedRange::above(0.0).at_most(1.0));
const TOLERANCE: Parameter = tolerance("1e-3", "violation of the KKT conditions at which the solver stops");
const STEPS: Parameter = Parameter::optional(
    "max_iterations",
    ParameterKind::Count(0),
    "steps of pairs of variables; LIBSVM's limit without",
);
const WORKING_SET: Parameter = Parameter::with_default(
    "working_set",
    ParameterKind::Count(2),
    "1536",
    "variables that are optimized together while the others wait",
);
const OFFSET: Parameter = Parameter::with_default("offset", ParameterKind::Flag, "true", "fit an offset");

pub(crate) static SVC: LearnerEntry = LearnerEntry {
    name: "svc",
    title: "Support vector classification",
    summary: "separates two or more classes by the widest margin",
    goal: Goal::Classes,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        KERNEL,
        C,
        Parameter::optional("nu", NU, "bound on the share of margin errors, instead of C"),
        Parameter::optional(
            "class_weights",
            ParameterKind::Numbers(AllowedRange::POSITIVE),
            "a factor of C for every class",
        ),
        Parameter::with_default(
            "scheme",
            ParameterKind::Word(&["one_versus_one", "one_versus_rest"]),
            "one_versus_one",
            "how binary machines are combined",
        ),
        OFFSET,
        Parameter::with_default(
            "break_ties",
            ParameterKind::Flag,
            "false",
            "break ties of votes by the sum of the decision values",
        ),
        Parameter::optional(
            "calibration",
            ParameterKind::Word(&["sigmoid", "isotonic"]),
            "probabilities from held-out decision values",
        ),
        Parameter::optional("calibration_folds", ParameterKind::Count(2), "folds of the calibration"),
        TOLERANCE,
        STEPS,
        WORKING_SET,
        INDEFINITE,
        SEED,
    ],
    build: |settings| Ok(Box::new(Svc::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(SvcFit { settings, ..SvcFit::from_record(record)? })),
};

pub(crate) static SVR: LearnerEntry = LearnerEntry {
    name: "svr",
    title: "Support vector regression",
    summary: "a function with most targets inside a tube around it",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        KERNEL,
        Parameter::with_default(
            "C",
            ParameterKind::Limit(AllowedRange::POSITIVE),
            "1",
            "penalty of errors beyond the tube, beside half of the squared norm",
        ),
        Parameter::optional(
            "epsilon",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "half of the width of the tube (0.1 without nu)",
        ),
        Parameter::optional("nu", NU, "bound on the share of points outside, instead of epsilon"),
        OFFSET,
        TOLERANCE,
        STEPS,
        WORKING_SET,
        INDEFINITE,
    ],
    build: |settings| {
        let tube = match settings.optional_number("nu")? {
            Some(nu) => Tube::Nu(nu),
            None => Tube::Epsilon(settings.optional_number("epsilon")?.unwrap_or(0.1)),
        };
        Ok(Box::new(Svr {
            tube,
            offset: settings.flag("offset")?,
            solver: solver(settings)?,
            indefinite: settings.flag("indefinite")?,
            ..Svr::new(settings.kernel("kernel")?, settings.number("C")?, 0.1)
        }))
    },
    load: |record, settings, _| Ok(Box::new(SvrFit { settings, ..SvrFit::from_record(record)? })),
};

pub(crate) static ONE_CLASS: LearnerEntry = LearnerEntry {
    name: "one_class",
    title: "Support of the distribution",
    summary: "the support of a distribution: which points are like those of the fit",
    goal: Goal::Novelty,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: true,
    streamed: None,
    anytime: true,
    parameters: &[
        KERNEL,
        Parameter::with_default("nu", NU, "0.5", "bound on the share of points outside"),
        TOLERANCE,
        STEPS,
        WORKING_SET,
        INDEFINITE,
    ],
    build: |settings| {
        Ok(Box::new(OneClass {
            solver: solver(settings)?,
            indefinite: settings.flag("indefinite")?,
            ..OneClass::new(settings.kernel("kernel")?, settings.number("nu")?)
        }))
    },
    load: |record, settings, _| Ok(Box::new(OneClassFit { settings, ..OneClassFit::from_record(record)? })),
};

fn solver(settings: &Settings) -> Result<DualOptions> {
    Ok(DualOptions {
        tolerance: settings.number("tolerance")?,
        max_steps: settings.optional_count("max_iterations")?.map(|steps| steps as u64),
        working_set: settings.count("working_set")?,
    })
}

impl Svc {
    fn of_settings(settings: &Settings) -> Result<Self> {
        let penalty = match settings.optional_number("nu")? {
            Some(nu) => Penalty::Nu(nu),
            None => Penalty::C(settings.optional_number("C")?.unwrap_or(1.0)),
        };
        let folds = settings.optional_count("calibration_folds")?.unwrap_or(5);
        let calibration = settings.optional_text("calibration")?.map(|word| match word {
            "isotonic" => Calibration::Isotonic { folds },
            _ => Calibration::Sigmoid { folds },
        });
        Ok(Self {
            penalty,
            class_weights: settings.optional_numbers("class_weights")?.map(<[f64]>::to_vec),
            scheme: settings.word("scheme", &SCHEMES)?,
            offset: settings.flag("offset")?,
            break_ties: settings.flag("break_ties")?,
            calibration,
            solver: solver(settings)?,
            indefinite: settings.flag("indefinite")?,
            ..Self::new(settings.kernel("kernel")?, 1.0)
        })
    }
}

fn plan_of(plan: &SvmPlan, compute: &Compute) -> Plan {
    let text = plan.to_string();
    let reason = text.strip_prefix("dual problem: ").unwrap_or(&text);
    Plan::new("dual problem", plan.bytes, plan.flops, reason, compute)
}

fn evidence<'f>(facts: Facts<'f>, evidence: &SvmEvidence) -> Facts<'f> {
    facts
        .with("dual_objective", evidence.objective, "the dual objective; larger is better")
        .with("duality_gap", evidence.gap, "how far from the optimum it can be")
        .with("kkt_violation", evidence.violation, "largest violation of the KKT conditions")
        .with("n_iter", evidence.steps, "steps of pairs of variables, and of the interior-point method")
        .with("stopped", stopped::word(evidence.stopped), "why the solver stopped")
}

impl Learner for Svc {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(plan_of(&Self::plan(self, x.rows, x.numbers(), size.classes, compute), compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (of, names) = input.classes()?;
        let classes = Classes::from_indices(of.to_vec(), names.to_vec())?;
        Ok(Box::new(Self::fit(self, input.only()?, &classes, input.weights, compute)?))
    }
}

impl Fitted for SvcFit {
    declared!(SVC);

    fn facts(&self) -> Facts<'_> {
        let offsets: Array1<f64> = self.binary().iter().map(|machine| machine.offset).collect();
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("support", self.support(), "rows that are support vectors")
            .with("support_sizes", self.support_sizes(), "support vectors of every class")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of the support vectors")
            .with("offsets", offsets, "offsets of the binary machines")
            .with("calibrated", self.is_calibrated(), "whether there are probabilities");
        evidence(facts, &Self::evidence(self))
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        Some(self.support_vectors())
    }

    fn dimension(&self, _view: usize) -> usize {
        self.columns()
    }

    fn targets(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<Vec<String>> {
        Some(self.names().to_vec())
    }

    fn point_weights(&self, class: usize) -> Option<Array1<f64>> {
        self.class_weights(class)
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x, compute)?.into_iter().map(|class| class as f64).collect()))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        Self::predict(self, x, compute)
    }

    fn has_probabilities(&self) -> bool {
        self.is_calibrated()
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::probabilities(self, x, compute)
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.decision_function(x, DecisionShape::OneVersusRest, compute)
    }
}

impl Learner for Svr {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(plan_of(&Self::plan(self, x.rows, x.numbers(), compute), compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.value()?, input.weights, compute)?))
    }
}

impl Fitted for SvrFit {
    declared!(SVR);

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("epsilon", self.epsilon(), "half of the width of the tube")
            .with("support", self.support(), "rows that are support vectors")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of the support vectors")
            .with("offset", self.offset(), "the offset");
        evidence(facts, &Self::evidence(self))
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        Some(self.support_vectors())
    }

    fn dimension(&self, _view: usize) -> usize {
        self.columns()
    }

    fn targets(&self) -> usize {
        1
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        (output == 0).then(|| Array1::from(self.dual_coefficients().to_vec()))
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x, compute)?.into()))
    }
}

impl Learner for OneClass {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(plan_of(&Self::plan(self, x.rows, x.numbers(), compute), compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.weights, compute)?))
    }
}

impl Fitted for OneClassFit {
    declared!(ONE_CLASS);

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("support", self.support(), "rows that are support vectors")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of the support vectors")
            .with("offset", self.offset(), "the offset −ρ");
        evidence(facts, &Self::evidence(self))
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        Some(self.support_vectors())
    }

    fn dimension(&self, _view: usize) -> usize {
        self.columns()
    }

    fn targets(&self) -> usize {
        1
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        (output == 0).then(|| Array1::from(self.dual_coefficients().to_vec()))
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let side = |decision: f64| if decision >= 0.0 { 1.0 } else { -1.0 };
        Ok(column(self.decisions(x, compute)?.into_iter().map(side).collect()))
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(self.decisions(x, compute)?.into()))
    }

    fn novelty(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        Ok(self.decisions(x, compute)?.into_iter().map(|decision| -decision).collect())
    }
}
