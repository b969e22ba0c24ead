//! Plans, evidence and projections as named texts and arrays.

use super::{EigenEvidence, EigenPlan, EigenSolver, Projection};
use crate::learn::FROM_FILE;
use crate::record::{Record, require};
use crate::{Error, Result};

impl EigenPlan {
    /// What the solution depends on, and nothing about the run.
    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_text("plan_solver", self.solver.name());
        record.put_count("plan_landmarks", self.landmarks);
    }

    /// Takes what [`EigenPlan::put_into`] wrote.
    pub(crate) fn take_from(record: &Record) -> Result<Self> {
        let name = record.text("plan_solver")?;
        let unknown = || Error::parameter("plan_solver", name, "a solver that this version knows");
        let solver = EigenSolver::from_name(name).ok_or_else(unknown)?;
        let landmarks = record.count("plan_landmarks")?;
        let reason = FROM_FILE.into();
        Ok(Self { solver, stored: false, landmarks, bytes: 0, flops: 0.0, seconds: None, reason })
    }
}

impl EigenEvidence {
    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_number("residual", self.residual);
        record.put_count("products", self.products);
        record.put_count("landmarks", self.landmarks);
        record.put_number("trace_missed", self.trace_missed);
        record.put_optional_number("smallest_eigenvalue", self.smallest);
    }

    /// Takes what [`EigenEvidence::put_into`] wrote.
    pub(crate) fn take_from(record: &Record) -> Result<Self> {
        Ok(Self {
            residual: record.finite_number("residual")?,
            products: record.count("products")?,
            landmarks: record.count("landmarks")?,
            trace_missed: record.finite_number("trace_missed")?,
            smallest: record.optional_number("smallest_eigenvalue")?,
        })
    }
}

impl Projection {
    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_text("kernel", &self.kernel);
        record.put_points("points", self.centers.as_points());
        record.put_matrix("coefficients", self.coefficients.view());
        record.put_vector("offset", self.offset.view());
    }

    /// Takes what [`Projection::put_into`] wrote, with so many functions.
    pub(crate) fn take_from(record: &mut Record, functions: usize) -> Result<Self> {
        let kernel = record.kernel()?;
        let centers = record.take_points("points")?;
        require("points", centers.len() as f64, !centers.is_empty(), "at least 1")?;
        let coefficients = record.take_finite_matrix("coefficients", (centers.len(), functions))?;
        let offset = record.take_finite_vector("offset", functions)?;
        Ok(Self { kept: Default::default(), kernel, centers, coefficients, offset })
    }
}
