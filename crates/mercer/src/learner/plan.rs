//! What a fit will run.

use std::fmt;

use crate::Compute;
use crate::compute::{human_bytes, human_seconds};

/// The plan of a fit: what will be run, and what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The solver.
    pub solver: String,
    /// The most bytes that will be allocated at a time, beside the data; 0 where it is not known.
    pub bytes: u64,
    /// Floating-point operations, about.
    pub flops: f64,
    /// The expected time, where the speed of the machine is known ([`Compute::with_speed`]).
    pub seconds: Option<f64>,
    /// Why this solver.
    pub reason: String,
    /// What is approximated, and how the error is known; nothing for an exact answer.
    pub approximation: Option<String>,
}

impl Plan {
    /// The plan of an exact solver.
    pub fn new(
        solver: impl Into<String>,
        bytes: u64,
        flops: f64,
        reason: impl Into<String>,
        compute: &Compute,
    ) -> Self {
        let (solver, reason, seconds) = (solver.into(), reason.into(), compute.seconds(flops));
        Self { solver, bytes, flops, seconds, reason, approximation: None }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        if self.bytes > 0 {
            write!(f, ": {}, about {:.1e} operations", human_bytes(self.bytes), self.flops)?;
        }
        self.seconds.map_or(Ok(()), |seconds| write!(f, ", {}", human_seconds(seconds)))?;
        if !self.reason.is_empty() {
            write!(f, "; {}", self.reason)?;
        }
        self.approximation.as_ref().map_or(Ok(()), |text| write!(f, "; an approximation: {text}"))
    }
}
