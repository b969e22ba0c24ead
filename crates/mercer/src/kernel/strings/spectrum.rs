//! The spectrum kernel.

use std::ops::RangeInclusive;

use super::features::spectrum::{counts_by_length, substring_counts};
use crate::kernel::object::{Blocks, ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::kernel::sparse_rows::{SparseRows, SparseTiles};
use crate::{Compute, Points};

/// Spectrum kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_u c_u(s) c_u(t)` over all strings `u` of the given length, where `c_u(s)` counts how
/// often `u` occurs in `s` without gaps; blended: summed over the lengths `1, …, length`. Symbols
/// are Unicode scalar values. A string shorter than the length has the value 0.
///
/// # Theory
/// An inner product of counts: positive semi-definite. Different strings may have the same counts,
/// `ab` and `ba` for the length 1, so that it is neither strictly positive definite nor
/// characteristic [Leslie, Eskin, Noble 2002].
///
/// # Cost
/// `O(|s| log |s|)` per string, then one multiplication per substring that two strings have in
/// common. Searches over a list of lengths read the strings once; the matrix of a blended kernel is
/// that of the length before plus the products of the new substrings.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::Strings};
/// let strings: Strings = ["statistics", "computation"].into_iter().collect();
/// let (k, compute): (Kernel, _) = ("spectrum(length=3)".parse()?, Compute::new());
/// // Both contain `tat` and `ati`.
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&strings).into()), &compute)?, &compute)?;
/// assert_eq!(gram[[0, 1]], 2.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spectrum {
    length: Whole,
    blended: bool,
}

impl Spectrum {
    /// The spectrum kernel of a length, or blended over all lengths up to it.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the length is a whole number from 1 to 1 000 000.
    pub fn new(length: f64, blended: bool) -> Result<Self> {
        Ok(Self { length: Whole::new("length", length, 1_000_000)?, blended })
    }
}

impl Leaf for Spectrum {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        let blended = self.blended.then(|| ("blended", "true".into()));
        std::iter::once(("length", self.length.get().to_string())).chain(blended).collect()
    }

    fn facts(&self) -> Facts {
        Facts::shared_counts("an inner product of counts of substrings", "different strings have the same substrings")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for Spectrum {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.strings()?;
        let (rows, cols) = substring_counts(rows, cols, self.length.get() as usize, self.blended, compute)?;
        Ok(Box::new(SparseTiles::new(rows, cols)))
    }

    fn has_features(&self) -> bool {
        true
    }

    fn blocks(&self) -> Option<Blocks> {
        let last = self.length.get() as usize;
        Some(Blocks { name: ENTRY.name, range: if self.blended { 1 } else { last }..=last, count: count_lengths })
    }
}

/// The counts of all lengths of some ranges.
fn count_lengths(
    x: Points<'_>,
    ranges: &[RangeInclusive<usize>],
    compute: &Compute,
) -> Result<Vec<(usize, SparseRows)>> {
    let (strings, _) = ObjectPairs { rows: x, cols: None }.strings()?;
    counts_by_length(strings, |length| ranges.iter().any(|range| range.contains(&length)), compute)
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "spectrum",
    family: Family::Strings,
    formula: "Σ_u c_u(s) c_u(t), u of the given length",
    domain: Domain::Strings,
    parameters: &[
        ParameterEntry {
            name: "length",
            default: Some("3"),
            range: "a whole number ≥ 1",
            meaning: "symbols of the substrings u",
        },
        ParameterEntry {
            name: "blended",
            default: Some("false"),
            range: "true or false",
            meaning: "whether all lengths from 1 are summed",
        },
    ],
    theory: "An inner product of counts of substrings: positive semi-definite. Strings shorter than the length have the value 0.",
    cost: "the substrings in common",
    examples: &["spectrum(length=3)", "spectrum(length=4, blended=true)"],
    build: |arguments| Ok(Spectrum::new(arguments.number("length", 3.0)?, arguments.flag("blended", false)?)?.into()),
};
