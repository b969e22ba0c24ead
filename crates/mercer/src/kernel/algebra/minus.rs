//! Differences, which are writable and never assumed positive.

use crate::kernel::prelude::*;

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "minus",
    family: Family::Algebra,
    formula: "k₁(x, y) − k₂(x, y)",
    domain: Domain::Inherited,
    parameters: &[KERNEL, KERNEL],
    theory: "Not positive semi-definite in general; it is checked, never assumed.",
    cost: "that of both",
    examples: &[
        "minus(gaussian(lengthscale=0.5), 0.5*gaussian(lengthscale=2))",
        "minus(constant(value=1), sinc(bandlimit=2))",
    ],
    build: |arguments| Ok(Kernel::Minus(Box::new(arguments.kernel()?), Box::new(arguments.kernel()?))),
};
