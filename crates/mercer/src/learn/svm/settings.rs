//! Support vector machines as names with values.

use super::{Calibration, OneClass, Penalty, Scheme, Svc, Svr, Tube};
use crate::Compute;
use crate::settings::Settings;
use crate::solve::DualOptions;

impl Svc {
    /// The settings by name: `C` or `nu`, `kernel`, `class_weights`, `scheme`, `offset`,
    /// `break_ties`, `calibration` with `calibration_folds`, `tolerance`, `max_iterations`,
    /// `indefinite`.
    pub fn settings(&self) -> Settings {
        let (c, nu) = match self.penalty {
            Penalty::C(c) => (Some(c), None),
            Penalty::Nu(nu) => (None, Some(nu)),
        };
        let calibration = self.calibration.map(|calibration| match calibration {
            Calibration::Sigmoid { folds } => ("sigmoid", folds),
            Calibration::Isotonic { folds } => ("isotonic", folds),
        });
        let paired = self.scheme == Scheme::OneVersusOne;
        with_solver(&self.solver)
            .with("kernel", &self.kernel)
            .with_some("C", c)
            .with_some("nu", nu)
            .with_some("class_weights", self.class_weights.as_deref())
            .with("scheme", if paired { "one_versus_one" } else { "one_versus_rest" })
            .with("offset", self.offset)
            .with("break_ties", self.break_ties)
            .with_some("calibration", calibration.map(|(name, _)| name))
            .with_some("calibration_folds", calibration.map(|(_, folds)| folds))
            .with("indefinite", self.indefinite)
    }

    /// The settings of a fit: with the seed, where the folds of the calibration are drawn from it.
    pub(super) fn recorded(&self, compute: &Compute) -> Settings {
        self.settings().with_some("seed", self.calibration.map(|_| compute.seed()))
    }
}

impl Svr {
    /// The settings by name: `kernel`, `C`, `epsilon` or `nu`, `offset`, `tolerance`,
    /// `max_iterations`, `indefinite`.
    pub fn settings(&self) -> Settings {
        let (epsilon, nu) = match self.tube {
            Tube::Epsilon(epsilon) => (Some(epsilon), None),
            Tube::Nu(nu) => (None, Some(nu)),
        };
        with_solver(&self.solver)
            .with("kernel", &self.kernel)
            .with("C", self.c)
            .with_some("epsilon", epsilon)
            .with_some("nu", nu)
            .with("offset", self.offset)
            .with("indefinite", self.indefinite)
    }
}

impl OneClass {
    /// The settings by name: `kernel`, `nu`, `tolerance`, `max_iterations`, `indefinite`.
    pub fn settings(&self) -> Settings {
        with_solver(&self.solver).with("kernel", &self.kernel).with("nu", self.nu).with("indefinite", self.indefinite)
    }
}

/// `max_iterations` is absent where LIBSVM's limit holds.
fn with_solver(options: &DualOptions) -> Settings {
    Settings::new()
        .with("tolerance", options.tolerance)
        .with_some("max_iterations", options.max_steps)
        .with("working_set", options.working_set)
}
