//! The spectrum kernel.

use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::kernel::sparse_rows::{SparseRows, SparseTiles};
use crate::points::Strings;

/// Spectrum kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_u c_u(s) c_u(t)` over all strings `u` of the given length, where `c_u(s)` counts how
/// often `u` occurs in `s`; blended: summed over the lengths `1, …, length`.
///
/// # Theory
/// An inner product of counts: positive semi-definite, with as many features as there are strings
/// of the length.
///
/// # Cost
/// `O(|s|)` per string, then the features that two strings have in common.
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
    /// # Errors
    /// [`Error::Parameter`] unless the length is a whole number of at least 1.
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
        Facts::counts("an inner product of counts of substrings")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for Spectrum {
    fn bind(&self, pairs: ObjectPairs<'_>, _compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.strings()?;
        let mut dictionary = std::collections::BTreeMap::new();
        let from = if self.blended { 1 } else { self.length.get() };
        let lengths = from..=self.length.get();
        let rows = counts(rows, lengths.clone(), &mut dictionary);
        let cols = cols.map(|cols| counts(cols, lengths, &mut dictionary));
        let width = dictionary.len();
        let widen = |rows: SparseRows| SparseRows { width, ..rows };
        Ok(Box::new(SparseTiles::new(widen(rows), cols.map(widen))))
    }
}

fn counts<'s>(
    strings: &'s Strings,
    lengths: std::ops::RangeInclusive<u32>,
    dictionary: &mut std::collections::BTreeMap<&'s str, u32>,
) -> SparseRows {
    let mut rows = SparseRows { starts: vec![0], columns: Vec::new(), values: Vec::new(), width: 0 };
    for string in strings.iter() {
        let mut ends: Vec<usize> = string.char_indices().map(|(at, _)| at).collect();
        ends.push(string.len());
        let mut counts = std::collections::BTreeMap::new();
        for length in lengths.clone() {
            for window in ends.windows(length as usize + 1) {
                let next = dictionary.len() as u32;
                let column = *dictionary.entry(&string[window[0]..window[length as usize]]).or_insert(next);
                *counts.entry(column).or_insert(0.0) += 1.0;
            }
        }
        rows.columns.extend(counts.keys());
        rows.values.extend(counts.values());
        rows.starts.push(rows.columns.len());
    }
    rows
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "spectrum",
    family: Family::Strings,
    formula: "Σ_u c_u(s) c_u(t), u of the given length",
    domain: Domain::Strings,
    parameters: &[
        ParameterEntry {
            name: "length", default: Some("3"), range: "a whole number ≥ 1", meaning: "characters of u"
        },
        ParameterEntry {
            name: "blended",
            default: Some("false"),
            range: "true or false",
            meaning: "whether all lengths from 1 are summed",
        },
    ],
    theory: "An inner product of counts of substrings: positive semi-definite.",
    cost: "the substrings in common",
    examples: &["spectrum(length=3)", "spectrum(length=4, blended=true)"],
    build: |arguments| Ok(Spectrum::new(arguments.number("length", 3.0)?, arguments.flag("blended", false)?)?.into()),
};
