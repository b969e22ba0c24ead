//! Counterexamples.

use pyo3::prelude::*;

/// Points and weights with ``cᵀKc < 0``.
#[pyclass(frozen, name = "Counterexample", module = "mercer")]
pub struct PyCounterexample(mercer::kernel::Counterexample);

impl From<mercer::kernel::Counterexample> for PyCounterexample {
    fn from(found: mercer::kernel::Counterexample) -> Self {
        Self(found)
    }
}
