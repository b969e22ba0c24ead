//! Brownian motion.

use crate::kernel::prelude::*;

/// Covariance of Brownian motion on the half line.
///
/// # Formula
/// `k(s, t) = min(s, t)`, `s, t ≥ 0`.
///
/// # Theory
/// `min(s, t) = ∫ 1[u ≤ s] 1[u ≤ t] du`. Its RKHS is `{f : f(0) = 0, f′ ∈ L²}` with `‖f‖² = ∫ f′²`.
///
/// # Cost
/// `O(1)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "wiener()".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.25], &[0.75])?, 0.25, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wiener;

impl Leaf for Wiener {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        let no = Fact::No("every function of its RKHS vanishes at 0");
        Facts {
            strictly_pd: no,
            universal: no,
            characteristic: Fact::Yes("its mean embedding ∫₀ˢ P(T > u) du determines P"),
            bound: Some(f64::INFINITY),
            differentiable: false,
            separates: true,
            ..Facts::psd("min(s,t) = ∫ 1[u ≤ s] 1[u ≤ t] du")
        }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn markov_process(&self) -> Option<MarkovProcess> {
        Some(MarkovProcess::Integrated { order: 1, free: false })
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::Minimum { constant: 0.0 })
    }
}

impl Columnwise for Wiener {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        sum + x.min(y)
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "wiener",
    family: Family::Process,
    formula: "min(s, t)",
    domain: Domain::HalfLine,
    parameters: &[],
    theory: "Covariance of Brownian motion; the RKHS has ‖f‖² = ∫ f′² with f(0) = 0.",
    cost: "O(1)",
    examples: &["wiener()", "1 + wiener()"],
    build: |_| Ok(Wiener.into()),
};
