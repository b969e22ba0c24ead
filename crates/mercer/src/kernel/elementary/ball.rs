//! The ball indicator.

use crate::kernel::prelude::*;

/// Indicator of a ball. Not positive semi-definite for a positive radius.
///
/// # Formula
/// `k(x, y) = 1` if `‖x − y‖ ≤ ε`, else `0`.
///
/// # Theory
/// Three points spaced by `ε` on a line give the eigenvalue `1 − √2 < 0`. At `ε = 0` it is the
/// delta kernel.
///
/// # Cost
/// `O(d)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "ball(radius=1)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[1.0])?, 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    radius: NonNegative,
}

impl Ball {
    /// The indicator of a ball of this radius.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the radius is finite and at least 0.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(Self { radius: NonNegative::new("radius", radius)? })
    }
}

impl Leaf for Ball {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("radius", number_text(self.radius.get()))]
    }

    fn facts(&self) -> Facts {
        if self.radius.get() == 0.0 {
            return crate::kernel::elementary::delta::Delta.facts();
        }
        let no = Fact::No("three points spaced by ε on a line give the eigenvalue 1 − √2");
        Facts {
            psd: no,
            strictly_pd: no,
            nsd: Fact::No("its diagonal is 1 and far points give 0"),
            universal: Fact::No("it is not continuous"),
            characteristic: Fact::Open("defined for positive semi-definite kernels"),
            shift_invariant: Fact::Yes("it depends on x − y alone"),
            bound: Some(1.0),
            differentiable: false,
            continuous: false,
            positive: false,
            separates: false,
            strong_negative: false,
        }
    }

    /// On the sphere, where it jumps.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        let squared: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        squared.sqrt() == self.radius.get()
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn growth(&self) -> Growth {
        Growth::Step
    }
}

impl Profile for Ball {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        let inside = s.sqrt().value() <= self.radius.get();
        N::select(inside, N::one(), N::zero())
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "ball",
    family: Family::Elementary,
    formula: "1[‖x−y‖ ≤ ε]",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry { name: "radius", default: Some("1"), range: "≥ 0", meaning: "ε" }],
    theory: "Not positive semi-definite for ε > 0: three points spaced by ε give the eigenvalue 1 − √2.",
    cost: "O(d)",
    examples: &["ball(radius=1)", "ball(radius=0.5)"],
    build: |arguments| Ok(Ball::new(arguments.number("radius", 1.0)?)?.into()),
};
