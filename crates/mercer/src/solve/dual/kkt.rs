//! The KKT check: which variables can increase or decrease, and the violation of the conditions.

use super::{Constraint, DualProblem};

/// Whether `sᵢαᵢ` can grow.
pub(super) fn can_rise(sign: f64, alpha: f64, upper: f64) -> bool {
    if sign > 0.0 { alpha < upper } else { alpha > 0.0 }
}

/// Whether `sᵢαᵢ` can shrink.
pub(super) fn can_fall(sign: f64, alpha: f64, upper: f64) -> bool {
    if sign > 0.0 { alpha > 0.0 } else { alpha < upper }
}

/// By how much `sᵢαᵢ` can grow.
pub(super) fn room_above(sign: f64, alpha: f64, upper: f64) -> f64 {
    if sign > 0.0 { upper - alpha } else { alpha }
}

/// By how much `sᵢαᵢ` can shrink.
pub(super) fn room_below(sign: f64, alpha: f64, upper: f64) -> f64 {
    if sign > 0.0 { alpha } else { upper - alpha }
}

/// The largest `vᵢ` over variables that can increase and the smallest over variables that can
/// decrease, for one group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extremes {
    pub(super) rising: f64,
    pub(super) falling: f64,
}

impl Extremes {
    const NONE: Self = Self { rising: f64::NEG_INFINITY, falling: f64::INFINITY };

    fn see(&mut self, gradient: f64, rises: bool, falls: bool) {
        if rises && gradient > self.rising {
            self.rising = gradient;
        }
        if falls && gradient < self.falling {
            self.falling = gradient;
        }
    }

    /// By how much the best pair violates the KKT conditions.
    pub(super) fn violation(&self) -> f64 {
        (self.rising - self.falling).max(0.0)
    }
}

/// The extremes of both signs together, or of each sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kkt {
    pub(super) groups: [Extremes; 2],
    constraint: Constraint,
}

impl Kkt {
    /// From the values `vᵢ` of the variables.
    pub(super) fn of(problem: &DualProblem, alpha: &[f64], gradient: impl Fn(usize) -> f64) -> Self {
        let mut groups = [Extremes::NONE; 2];
        for (i, &a) in alpha.iter().enumerate() {
            let (sign, upper) = (problem.signs[i], problem.upper[i]);
            let (rises, falls) = (can_rise(sign, a, upper), can_fall(sign, a, upper));
            groups[group(problem.constraint, sign)].see(gradient(i), rises, falls);
        }
        Self { groups, constraint: problem.constraint }
    }

    /// By how much the KKT conditions are violated.
    pub(super) fn violation(&self) -> f64 {
        match self.constraint {
            Constraint::Free => self.groups[0].rising.max(-self.groups[0].falling).max(0.0),
            _ => self.groups[0].violation().max(self.groups[1].violation()),
        }
    }
}

/// The group of variables among which weight can be moved.
pub(super) fn group(constraint: Constraint, sign: f64) -> usize {
    usize::from(constraint == Constraint::SumPerSign && sign < 0.0)
}

/// How many groups there are.
pub(super) fn groups(constraint: Constraint) -> usize {
    if constraint == Constraint::SumPerSign { 2 } else { 1 }
}
