//! The weighted Sobolev kernel.

use crate::kernel::prelude::*;

/// Weighted Sobolev kernel on the open unit interval.
///
/// # Formula
/// `k(x, y) = (xy)⁻¹ e^{−max(x,y)} sinh(min(x,y))`.
///
/// # Theory
/// `e^{−max} sinh(min)` is the Green function of `h − h″` with `h(0) = 0`, the reproducing kernel
/// for `∫ h² + h′²`; division by `x` and `y` gives the functions `f = h/x` (conformal rule).
///
/// # Cost
/// `O(1)` per pair, two exponentials.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "weighted_sobolev()".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.5], &[0.5])?, 4.0 * (-0.5_f64).exp() * 0.5_f64.sinh(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedSobolev;

impl Leaf for WeightedSobolev {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts {
            strictly_pd: Fact::Yes("its RKHS interpolates any values at distinct points"),
            universal: Fact::Yes("its RKHS contains every smooth function on a compact subset of (0, 1)"),
            characteristic: Fact::Yes("its embedding u of a measure satisfies (xu) − (xu)″ = P/x, which gives P back"),
            bound: Some(f64::INFINITY),
            differentiable: false,
            ..Facts::psd("Green function of h − h″ with h(0) = 0, divided by x and y")
        }
    }
}

impl Columnwise for WeightedSobolev {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        let grown = x.min(y).exp_m1();
        let sinh = N::from_f64(0.5) * (grown + grown / (grown + N::one()));
        sum + (-x.max(y)).exp() * sinh / (x * y)
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "weighted_sobolev",
    family: Family::Process,
    formula: "(xy)⁻¹ e^(−max(x,y)) sinh(min(x,y))",
    domain: Domain::OpenUnitInterval,
    parameters: &[],
    theory: "Positive definite: f(x) = h(x)/x with ‖f‖² = ∫ h² + h′².",
    cost: "O(1), two exponentials",
    examples: &["weighted_sobolev()", "0.5*weighted_sobolev()"],
    build: |_| Ok(WeightedSobolev.into()),
};
