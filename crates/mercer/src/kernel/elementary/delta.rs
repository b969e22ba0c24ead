//! The delta kernel.

use crate::kernel::prelude::*;

/// Delta kernel on vectors.
///
/// # Formula
/// `k(x, y) = 1` if `x = y`, else `0`.
///
/// # Theory
/// The Gram matrix of distinct points is the identity: strictly positive definite. White noise.
///
/// # Cost
/// `O(d)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "delta()".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 2.0], &[1.0, 2.0])?, 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta;

impl Leaf for Delta {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts {
            strictly_pd: Fact::Yes("the Gram matrix of distinct points is the identity"),
            universal: Fact::No("it is not continuous"),
            characteristic: Fact::No("every measure without atoms has embedding 0"),
            shift_invariant: Fact::Yes("it depends on x − y alone"),
            bound: Some(1.0),
            differentiable: false,
            continuous: false,
            ..Facts::psd("the Gram matrix is the identity, or has equal blocks of ones for repeated points")
        }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn is_column_product(&self) -> bool {
        true
    }
}

impl Columnwise for Delta {
    fn start(&self) -> f64 {
        1.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        N::select(x.value() == y.value(), sum, N::zero())
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "delta",
    family: Family::Elementary,
    formula: "1[x = y]",
    domain: Domain::Vectors,
    parameters: &[],
    theory: "Strictly positive definite; white noise.",
    cost: "O(d)",
    examples: &["delta()", "0.1*delta()"],
    build: |_| Ok(Delta.into()),
};
