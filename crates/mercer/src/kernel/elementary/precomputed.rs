//! Precomputed kernel values.

use crate::kernel::prelude::*;

/// Kernel values are taken from a precomputed matrix.
///
/// # Formula
/// `k(xᵢ, yⱼ) = Mᵢⱼ`.
///
/// # Theory
/// Nothing is known of the matrix until it is checked; the algebra acts on it as on any other
/// kernel.
///
/// # Cost
/// A read per pair.
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::{self, Pairs}};
/// use ndarray::array;
/// let given = array![[1.0, 0.5], [0.5, 1.0]];
/// let k: Kernel = "2*precomputed()^2".parse()?;
/// let compute = Compute::new();
/// let gram = gram::dense(&k.bind(Pairs::precomputed(given.view()), &compute)?, &compute)?;
/// assert_eq!(gram[[0, 1]], 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precomputed;

impl Leaf for Precomputed {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        let open = Fact::Open("the matrix itself has to be checked");
        Facts {
            psd: open,
            strictly_pd: open,
            nsd: open,
            shift_invariant: open,
            differentiable: false,
            continuous: false,
            ..Facts::psd("")
        }
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "precomputed",
    family: Family::Elementary,
    formula: "Mᵢⱼ",
    domain: Domain::Matrix,
    parameters: &[],
    theory: "The properties of a precomputed matrix are unknown until it is checked.",
    cost: "a read",
    examples: &["precomputed()", "2*precomputed() + 1"],
    build: |_| Ok(Precomputed.into()),
};
