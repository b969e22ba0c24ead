//! Empirically induced kernels.

use super::transformed::PointList;
use crate::kernel::prelude::*;

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "induced",
    family: Family::Algebra,
    formula: "Σₗ k(x, zₗ) k(y, zₗ)",
    domain: Domain::Inherited,
    parameters: &[
        KERNEL,
        ParameterEntry { name: "at", default: None, range: "a list of points", meaning: "z₁, …, zₘ" },
    ],
    theory: "The inner product of empirical kernel maps: positive semi-definite for every k, even an indefinite one.",
    cost: "O(m) per pair, after m values of k per point",
    examples: &[
        "induced(gaussian(lengthscale=1), at=[[0, 0, 0], [1, 1, 0]])",
        "induced(tanh(scale=1), at=[[1, 0, 0]])",
    ],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let Some(piece) = arguments.named("at")? else {
        return Err(arguments.refuse("induced needs at=[[…], …], the points zₗ"));
    };
    let points = PointList::new("at", arguments.as_matrix("at", piece)?)?;
    Ok(Kernel::Induced(points, Box::new(arguments.kernel()?)))
}
