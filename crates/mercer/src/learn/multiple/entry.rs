//! The declarations of the learners with several kernels.

use ndarray::{Array1, Array2};

use super::fit::{MultipleOneClassFit, MultipleRidgeFit, MultipleSvcFit};
use super::weights::KernelWeights;
use super::{
    MultipleKernelOneClass, MultipleKernelRidge, MultipleKernelSvc, MultipleKernels, Normalization, WeightMethod,
};
use crate::error::AllowedRange;
use crate::learn::svm::{Calibration, Classes, DecisionShape, Scheme};
use crate::learner::{Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind};
use crate::learner::{Plan, ViewCount, column};
use crate::record::Record;
use crate::settings::Settings;
use crate::solve::DualOptions;
use crate::{Compute, Error, Kernel, Points, Result};

const KERNELS: Parameter = Parameter::required("kernels", ParameterKind::Kernels, "the kernels that are weighted");
const METHOD: Parameter = Parameter::with_default(
    "method",
    ParameterKind::Word(&["simple", "alignment", "mean"]),
    "simple",
    "how the weights are found",
);
const NORM: Parameter = Parameter::with_default(
    "norm",
    ParameterKind::Number(AllowedRange::at_least(1.0)),
    "1",
    "p of the sum of w^p, which is 1",
);
const WEIGHT_TOLERANCE: Parameter = Parameter::optional(
    "weight_tolerance",
    ParameterKind::Number(AllowedRange::POSITIVE),
    "the duality gap of the weights, relative to the objective",
);
const WEIGHT_ITERATIONS: Parameter = Parameter::with_default(
    "weight_iterations",
    ParameterKind::Count(1),
    "300",
    "problems with fixed weights that are solved at most",
);
const NORMALIZE: Parameter = Parameter::with_default(
    "normalize",
    ParameterKind::Word(&["trace", "none"]),
    "trace",
    "whether kernels are divided by their mean variance, or weighed as given",
);
const TOLERANCE: Parameter = Parameter::with_default(
    "tolerance",
    ParameterKind::Number(AllowedRange::POSITIVE),
    "0.001",
    "the violation of the KKT conditions at which the solver stops",
);
const MAX_ITERATIONS: Parameter =
    Parameter::optional("max_iterations", ParameterKind::Count(1), "steps of the solver, as in LIBSVM when absent");
const WORKING_SET: Parameter =
    Parameter::with_default("working_set", ParameterKind::Count(2), "1536", "variables that are optimized together");

/// Ridge regression with several kernels.
pub static RIDGE_ENTRY: LearnerEntry = LearnerEntry {
    name: "multiple_ridge",
    title: "Ridge regression with multiple kernels",
    summary: "ridge regression with weights of several kernels learned from the data",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNELS,
        Parameter::with_default("lambda", ParameterKind::Number(AllowedRange::NON_NEGATIVE), "1", "the penalty"),
        METHOD,
        NORMALIZE,
        NORM,
        Parameter::with_default("intercept", ParameterKind::Flag, "false", "whether to fit an unpenalized intercept"),
        Parameter::with_default(
            "diagnostics",
            ParameterKind::Flag,
            "true",
            "whether to compute leave-one-out residuals and the like",
        ),
        WEIGHT_TOLERANCE,
        WEIGHT_ITERATIONS,
    ],
    build: |settings| {
        Ok(Box::new(MultipleKernelRidge {
            kernels: kernels(settings)?,
            lambda: settings.number("lambda")?,
            intercept: settings.flag("intercept")?,
            diagnostics: settings.flag("diagnostics")?,
        }))
    },
    load: |record, settings, _| Ok(Box::new(MultipleRidgeFit::from_record(record, settings)?)),
};

/// Support vector classification with several kernels.
pub static SVC_ENTRY: LearnerEntry = LearnerEntry {
    name: "multiple_svm",
    title: "Support vector classification with multiple kernels",
    summary: "a support vector machine with weights of several kernels learned from the data",
    goal: Goal::Classes,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        KERNELS,
        Parameter::with_default("C", ParameterKind::Number(AllowedRange::POSITIVE), "1", "the penalty of errors"),
        METHOD,
        NORMALIZE,
        NORM,
        Parameter::optional(
            "class_weights",
            ParameterKind::Numbers(AllowedRange::POSITIVE),
            "a factor of C for every class",
        ),
        Parameter::with_default(
            "scheme",
            ParameterKind::Word(&["one_versus_one", "one_versus_rest"]),
            "one_versus_one",
            "how many classes are made of two",
        ),
        Parameter::optional(
            "calibration",
            ParameterKind::Word(&["sigmoid", "isotonic"]),
            "how probabilities are calibrated; none when absent",
        ),
        Parameter::with_default("calibration_folds", ParameterKind::Count(2), "5", "folds of the calibration"),
        WEIGHT_TOLERANCE,
        WEIGHT_ITERATIONS,
        TOLERANCE,
        MAX_ITERATIONS,
        WORKING_SET,
        Parameter::optional("seed", ParameterKind::Seed, "the seed of the folds"),
    ],
    build: |settings| {
        let folds = settings.count("calibration_folds")?;
        let calibration = match settings.optional_text("calibration")? {
            None => None,
            Some("isotonic") => Some(Calibration::Isotonic { folds }),
            Some(_) => Some(Calibration::Sigmoid { folds }),
        };
        let paired = settings.text("scheme")? == "one_versus_one";
        Ok(Box::new(MultipleKernelSvc {
            kernels: kernels(settings)?,
            c: settings.number("C")?,
            class_weights: settings.optional_numbers("class_weights")?.map(<[f64]>::to_vec),
            scheme: if paired { Scheme::OneVersusOne } else { Scheme::OneVersusRest },
            calibration,
            solver: solver(settings)?,
        }))
    },
    load: |record, settings, _| Ok(Box::new(MultipleSvcFit::from_record(record, settings)?)),
};

/// One-class machines with several kernels.
pub static ONE_CLASS_ENTRY: LearnerEntry = LearnerEntry {
    name: "multiple_one_class",
    title: "One-class machine with multiple kernels",
    summary: "the support of a distribution with weights of several kernels learned from the data",
    goal: Goal::Novelty,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: true,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNELS,
        Parameter::with_default(
            "nu",
            ParameterKind::Number(AllowedRange::above(0.0).at_most(1.0)),
            "0.5",
            "about this part of the data is outside",
        ),
        METHOD,
        NORMALIZE,
        NORM,
        WEIGHT_TOLERANCE,
        WEIGHT_ITERATIONS,
        TOLERANCE,
        MAX_ITERATIONS,
        WORKING_SET,
    ],
    build: |settings| {
        let (nu, solver) = (settings.number("nu")?, solver(settings)?);
        Ok(Box::new(MultipleKernelOneClass { kernels: kernels(settings)?, nu, solver }))
    },
    load: |record, settings, _| Ok(Box::new(MultipleOneClassFit::from_record(record, settings)?)),
};

fn kernels(settings: &Settings) -> Result<MultipleKernels> {
    let method = match settings.text("method")? {
        "simple" => WeightMethod::Simple,
        "alignment" => WeightMethod::Alignment,
        "mean" => WeightMethod::Mean,
        other => return Err(Error::parameter("method", other, "simple, alignment or mean")),
    };
    let normalize = match settings.text("normalize")? {
        "trace" => Normalization::Trace,
        "none" => Normalization::None,
        other => return Err(Error::parameter("normalize", other, "trace or none")),
    };
    Ok(MultipleKernels {
        kernels: settings.kernels("kernels")?,
        method,
        normalize,
        norm: settings.number("norm")?,
        tolerance: settings.optional_number("weight_tolerance")?,
        max_iterations: settings.count("weight_iterations")?,
    })
}

fn solver(settings: &Settings) -> Result<DualOptions> {
    Ok(DualOptions {
        tolerance: settings.number("tolerance")?,
        max_steps: settings.optional_count("max_iterations")?.map(|steps| steps as u64),
        working_set: settings.count("working_set")?,
    })
}

/// The facts that all fits have.
fn facts<'f>(weights: &'f KernelWeights, shares: &'f [f64]) -> Facts<'f> {
    let evidence = weights.evidence();
    let notes: Vec<String> = weights.notes().iter().map(ToString::to_string).collect();
    Facts::new()
        .with("kernel", weights.kernel(), "the sum of the weighted kernels, of the learner")
        .with("weights", weights.weights(), "the weights of the kernels as given")
        .with("shares", shares, "the share of every kernel in the squared norm of the function")
        .with("normalized_weights", weights.normalized_weights(), "the weights of the normalized kernels")
        .with_some("alignment", weights.alignment(), "the centered alignment of the kernel with the targets")
        .with_some("weight_objective", evidence.map(|e| e.objective), "the objective that the weights minimize")
        .with_some("duality_gap", evidence.map(|e| e.gap), "by how much the objective may be above its minimum")
        .with_some("weight_iterations", evidence.map(|e| e.iterations), "problems with fixed weights that were solved")
        .with("notes", notes, "what there is to know of the weights")
}

macro_rules! learner {
    ($spec:ident, |$self:ident, $input:ident, $compute:ident| $fit:expr) => {
        impl Learner for $spec {
            fn settings(&self) -> Settings {
                $spec::settings(self)
            }

            fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
                $spec::plan(self, size, compute)
            }

            fn fit(&self, $input: &FitInput<'_>, $compute: &Compute) -> Result<Box<dyn Fitted>> {
                let $self = self;
                Ok(Box::new($fit))
            }
        }
    };
}

learner!(MultipleKernelRidge, |spec, input, compute| {
    MultipleKernelRidge::fit(spec, input.only()?, input.values()?, input.weights, compute)?
});
learner!(MultipleKernelSvc, |spec, input, compute| {
    let (of, names) = input.classes()?;
    let classes = Classes::from_indices(of.to_vec(), names.to_vec())?;
    MultipleKernelSvc::fit(spec, input.only()?, &classes, input.weights, compute)?
});
learner!(MultipleKernelOneClass, |spec, input, compute| {
    MultipleKernelOneClass::fit(spec, input.only()?, input.weights, compute)?
});

impl Fitted for MultipleRidgeFit {
    fn entry(&self) -> &'static LearnerEntry {
        &RIDGE_ENTRY
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn facts(&self) -> Facts<'_> {
        facts(&self.weights, &self.shares).with("lambda", self.fit.lambda(), "the penalty of the function").with(
            "norms",
            self.fit.norms(),
            "the norm of every output",
        )
    }

    fn to_record(&self) -> Record {
        MultipleRidgeFit::to_record(self)
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(self.fit.kernel())
    }

    fn points(&self, _: usize) -> Option<Points<'_>> {
        Some(self.fit.points())
    }

    fn targets(&self) -> usize {
        self.fit.dual_coefficients().ncols()
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        self.fit.point_weights(output)
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.fit.predict(x, compute)
    }
}

impl Fitted for MultipleSvcFit {
    fn entry(&self) -> &'static LearnerEntry {
        &SVC_ENTRY
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn facts(&self) -> Facts<'_> {
        let evidence = self.fit.evidence();
        facts(&self.weights, &self.shares)
            .with("support", self.fit.support(), "the rows of the support vectors")
            .with("objective", evidence.objective, "the dual objective of the classifier")
            .with("gap", evidence.gap, "the duality gap of the classifier")
    }

    fn to_record(&self) -> Record {
        MultipleSvcFit::to_record(self)
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(self.fit.kernel())
    }

    fn points(&self, _: usize) -> Option<Points<'_>> {
        Some(self.fit.support_vectors())
    }

    fn targets(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<Vec<String>> {
        Some(self.fit.names().to_vec())
    }

    fn point_weights(&self, class: usize) -> Option<Array1<f64>> {
        self.fit.class_weights(class)
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let classes = self.fit.predict(x, compute)?;
        Ok(column(classes.iter().map(|&class| class as f64).collect()))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        self.fit.predict(x, compute)
    }

    fn has_probabilities(&self) -> bool {
        self.fit.is_calibrated()
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.fit.probabilities(x, compute)
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.fit.decision_function(x, DecisionShape::OneVersusRest, compute)
    }
}

impl Fitted for MultipleOneClassFit {
    fn entry(&self) -> &'static LearnerEntry {
        &ONE_CLASS_ENTRY
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn facts(&self) -> Facts<'_> {
        let evidence = self.fit.evidence();
        facts(&self.weights, &self.shares)
            .with("support", self.fit.support(), "the rows of the support vectors")
            .with("offset", self.fit.offset(), "the offset −ρ")
            .with("objective", evidence.objective, "the dual objective of the machine")
            .with("gap", evidence.gap, "the duality gap of the machine")
    }

    fn to_record(&self) -> Record {
        MultipleOneClassFit::to_record(self)
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(self.fit.kernel())
    }

    fn points(&self, _: usize) -> Option<Points<'_>> {
        Some(self.fit.support_vectors())
    }

    fn targets(&self) -> usize {
        1
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        self.fit.point_weights(output)
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let inside = |v: &f64| if *v >= 0.0 { 1.0 } else { -1.0 };
        Ok(column(self.fit.decisions(x, compute)?.iter().map(inside).collect()))
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Array1::from(self.fit.decisions(x, compute)?)))
    }

    fn novelty(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        Ok(self.fit.decisions(x, compute)?.into_iter().map(|v| -v).collect())
    }
}
