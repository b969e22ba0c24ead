//! The linear kernel.

use crate::kernel::prelude::*;

/// Linear kernel on vectors.
///
/// # Formula
/// `k(x, y) = ⟨x, y⟩`.
///
/// # Theory
/// The Gram matrix `XXᵀ` is positive semi-definite; the RKHS is the linear functions with
/// `‖f‖ = ‖w‖`.
///
/// # Cost
/// `O(d)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "linear()".parse()?;
/// assert_eq!(k.evaluate(&[1.0, 2.0], &[3.0, 4.0])?, 11.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear;

impl Leaf for Linear {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts { bound: Some(f64::INFINITY), separates: true, ..Facts::finite_features("its Gram matrix is XXᵀ") }
    }

    fn markov_process(&self) -> Option<MarkovProcess> {
        Some(MarkovProcess::Linear)
    }

    fn power_series(&self) -> Option<PowerSeries> {
        Some(PowerSeries::Power { degree: 1, offset: 0.0, scale: 1.0 })
    }
}

impl Profile for Linear {
    fn metric(&self) -> MetricKind {
        MetricKind::Dot
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        s
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "linear",
    family: Family::InnerProduct,
    formula: "⟨x, y⟩",
    domain: Domain::Vectors,
    parameters: &[],
    theory: "Positive semi-definite; the RKHS is the linear functions.",
    cost: "O(d)",
    examples: &["linear()", "2*linear()"],
    build: |_| Ok(Linear.into()),
};
