//! The sequential two-sample test.

use mercer::hypothesis::{BettingEvidence, BettingTest, SequentialTwoSample};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::to_python;
use crate::kernel::{PyKernel, kernel_of};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;
use crate::samples::Real;

/// A sequential two-sample test, valid after every batch and at any stopping time (betting,
/// e-values).
///
/// ``update(X, Y)`` bets on new points of each sample against equal distributions. The
/// wealth starts at 1; the hypothesis is rejected when it reaches ``1/level``, which happens at any
/// time with probability at most ``level`` under the hypothesis. The points must be new.
///
/// Parameters
/// ----------
/// kernel : text or Kernel, default="auto"
///     The kernel of the bets; Gaussian ones of several lengthscales by default, for points of other kinds that of their
///     kind.
/// level : float, default=0.05
///     The probability of a rejection where the distributions are equal.
///
/// Examples
/// --------
/// >>> import mercer, numpy as np
/// >>> rng, test = np.random.default_rng(0), mercer.SequentialTwoSampleTest(level=0.05)
/// >>> while not test.reject and test.batches < 100:
/// ...     p = test.update(rng.normal(size=20), rng.normal(size=20) + 1)
/// >>> test.reject, test.p_value <= 0.05, test.batches < 20
/// (True, True, True)
#[pyclass(name = "SequentialTwoSampleTest", module = "mercer")]
pub struct PySequentialTwoSample(BettingTest);

#[pymethods]
#[allow(non_snake_case)]
impl PySequentialTwoSample {
    #[new]
    #[pyo3(signature = (kernel=None, level=Real::Number(0.05)), text_signature = "(kernel=\"auto\", level=0.05)")]
    fn new(kernel: Option<&Bound<'_, PyAny>>, level: Real<'_>) -> PyResult<Self> {
        let level = level.number("level")?;
        let auto = |k: &Bound<'_, PyAny>| k.cast::<PyString>().is_ok_and(|text| *text == "auto");
        let kernel = kernel.filter(|k| !k.is_none() && !auto(k)).map(kernel_of).transpose()?;
        SequentialTwoSample { kernel, level }.start().map(Self).map_err(to_python)
    }

    /// Bet on a new batch of each sample; gives the p-value so far. The batches may differ in size.
    #[pyo3(signature = (X, Y, **options))]
    fn update(
        &mut self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        Y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<f64> {
        let of = self.0.kernels().first();
        let (first, second) = (PointsInput::read(of, X, "X")?, PointsInput::read(of, Y, "Y")?);
        let options = Options::read(options)?;
        first.check_same_names(&second)?;
        let (x, y, test) = (first.points(), second.points(), &mut self.0);
        Ok(run(py, &options, || test.update(x, y, &options.compute))?.p_value)
    }

    /// How many times the stake was multiplied.
    #[getter]
    fn wealth(&self) -> f64 {
        self.0.evidence().wealth
    }

    /// ``1 / max wealth``: a p-value at every time.
    #[getter]
    fn p_value(&self) -> f64 {
        self.0.evidence().p_value
    }

    /// Whether the wealth has reached ``1/level``, now or before.
    #[getter]
    fn reject(&self) -> bool {
        self.0.evidence().reject
    }

    /// The level of the decision.
    #[getter]
    fn level(&self) -> f64 {
        self.0.level()
    }

    /// Pairs that were bet on.
    #[getter]
    fn pairs(&self) -> usize {
        self.0.evidence().pairs
    }

    /// Batches that were looked at.
    #[getter]
    fn batches(&self) -> usize {
        self.0.evidence().batches
    }

    /// The kernels that bet, once enough points were seen to choose them.
    #[getter]
    fn kernels(&self) -> Vec<PyKernel> {
        self.0.kernels().iter().cloned().map(PyKernel).collect()
    }

    /// The wealth after every batch.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.history().iter().map(|evidence| evidence.wealth))
    }

    fn __repr__(&self) -> String {
        let BettingEvidence { wealth, p_value, reject, pairs, batches, .. } = self.0.evidence();
        let decision = if reject { "rejected" } else { "not rejected" };
        format!(
            "SequentialTwoSampleTest: {decision} at level {} after {batches} batches and {pairs} pairs (p = {p_value:.4}, wealth {wealth:.4})",
            self.0.level()
        )
    }
}
