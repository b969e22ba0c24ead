//! Normalization to unit diagonal.

use crate::kernel::prelude::*;

/// `k(x, y)/√(k(x, x) k(y, y))`, 0 where a diagonal is 0.
#[inline(always)]
pub(crate) fn normalize<N: Real>(value: N, left: N, right: N) -> N {
    if left.value() > 0.0 && right.value() > 0.0 { value / (left.sqrt() * right.sqrt()) } else { N::zero() }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "normalized",
    family: Family::Algebra,
    formula: "k(x, y) / √(k(x, x) k(y, y)), 0 where a diagonal is 0",
    domain: Domain::Inherited,
    parameters: &[KERNEL],
    theory: "Conformal with f(x) = k(x, x)^(−1/2): keeps positive semi-definiteness; features of norm zero stay zero.",
    cost: "that of k",
    examples: &["normalized(exponential(scale=1.5))", "normalized(polynomial(degree=3, offset=1))"],
    build: |arguments| Ok(Kernel::Normalized(Box::new(arguments.kernel()?))),
};
