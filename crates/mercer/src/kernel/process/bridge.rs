//! The Brownian bridge.

use crate::kernel::prelude::*;

/// Covariance of the Brownian bridge on the unit interval.
///
/// # Formula
/// `k(s, t) = min(s, t) − st = min(s, t)(1 − max(s, t))`.
///
/// # Theory
/// Brownian motion tied to 0 at both ends. Its RKHS is `{f : f(0) = f(1) = 0, f′ ∈ L²}` with
/// `‖f‖² = ∫ f′²`.
///
/// # Cost
/// `O(1)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "bridge()".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.25], &[0.5])?, 0.125, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bridge;

impl Leaf for Bridge {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        let no = Fact::No("every function of its RKHS vanishes at 0 and 1");
        Facts {
            strictly_pd: no,
            universal: no,
            characteristic: Fact::No("the point masses at 0 and at 1 have the same embedding"),
            bound: Some(0.25),
            differentiable: false,
            ..Facts::psd("covariance of the Brownian bridge W(t) − tW(1)")
        }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn markov_process(&self) -> Option<MarkovProcess> {
        Some(MarkovProcess::Bridge)
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::Bridge)
    }
}

impl Columnwise for Bridge {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        sum + x.min(y) * (N::one() - x.max(y))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "bridge",
    family: Family::Process,
    formula: "min(s, t) − st",
    domain: Domain::UnitInterval,
    parameters: &[],
    theory: "Covariance of the Brownian bridge; the RKHS has ‖f‖² = ∫ f′² with f(0) = f(1) = 0.",
    cost: "O(1)",
    examples: &["bridge()", "4*bridge()"],
    build: |_| Ok(Bridge.into()),
};
