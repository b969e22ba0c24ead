//! The mismatch kernel.

use super::features::mismatch::Substrings;
use super::features::mismatch_products::MismatchTiles;
use super::features::symbols::symbols_of;
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::points::Strings;
use crate::wording::quoted;

/// Mismatch kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_u φ_u(s) φ_u(t)` over all strings `u` of the given length over the alphabet, where
/// `φ_u(s)` counts the substrings of `s` that differ from `u` in at most `mismatches` places
/// [Leslie, Eskin, Cohen, Weston, Noble 2004]. Without an alphabet its symbols are those of all
/// strings that the kernel is bound to, rows and columns; a fit keeps those of its strings. Symbols
/// of new strings that are not among them differ from all others (`others=mismatch`); with an
/// alphabet of the user's they are refused (`others=refuse`).
///
/// # Theory
/// An inner product of counts: positive semi-definite. Strings shorter than the length have the
/// value 0, so that it is neither strictly positive definite nor characteristic. With
/// `mismatches=0` it is the spectrum kernel.
///
/// # Cost
/// Each distinct substring has `Σ_{i≤m} C(k, i) (A − 1)^i` neighbors for `A` symbols, which are
/// listed once for the sample; then one multiplication per feature that two strings have in common.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::Strings};
/// let strings: Strings = ["AC", "AG"].into_iter().collect();
/// let (k, compute): (Kernel, _) = ("mismatch(length=2, mismatches=1, alphabet=\"ACGT\")".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&strings).into()), &compute)?, &compute)?;
/// // AC has the neighbors AC, AA, AG, AT, CC, GC, TC; AG shares AA, AC, AG, AT with it.
/// assert_eq!((gram[[0, 0]], gram[[0, 1]]), (7.0, 4.0));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    length: Whole,
    mismatches: u32,
    alphabet: Option<String>,
    others: bool,
}

impl Mismatch {
    /// The mismatch kernel of a length, a number of mismatches and an alphabet, or the symbols of
    /// the strings.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the length is a whole number from 1 to 1 000 000, the mismatches
    /// one from 0 to the length minus 1, and the alphabet not empty.
    pub fn new(length: f64, mismatches: f64, alphabet: Option<String>) -> Result<Self> {
        let length = Whole::new("length", length, 1_000_000)?;
        if mismatches.fract() != 0.0 || !(0.0..f64::from(length.get())).contains(&mismatches) {
            return Err(Error::parameter("mismatches", mismatches, 0..=length.get() as usize - 1));
        }
        if alphabet.as_deref() == Some("") {
            return Err(Error::parameter("alphabet", "\"\"", "a text of at least one symbol"));
        }
        Ok(Self { length, mismatches: mismatches as u32, alphabet, others: false })
    }

    /// The same kernel with symbols outside the alphabet allowed: they differ from all of its
    /// symbols.
    pub fn with_others(self) -> Self {
        Self { others: true, ..self }
    }
}

impl Leaf for Mismatch {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        let numbers = [("length", self.length.get().to_string()), ("mismatches", self.mismatches.to_string())];
        let alphabet = self.alphabet.as_deref().map(|symbols| ("alphabet", quoted(symbols)));
        let others = self.others.then(|| ("others", "mismatch".to_string()));
        numbers.into_iter().chain(alphabet).chain(others).collect()
    }

    fn facts(&self) -> Facts {
        Facts::shared_counts("an inner product of counts of substrings", "different strings have the same substrings")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for Mismatch {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.strings()?;
        let substrings = Substrings {
            length: self.length.get() as usize,
            mismatches: self.mismatches as usize,
            alphabet: self.alphabet.as_deref(),
            others: self.others,
        };
        Ok(Box::new(MismatchTiles::new(rows, cols, substrings, compute)?))
    }

    /// With the symbols of the strings as the alphabet: those of new strings must not change the
    /// values of a fit.
    fn resolve(&self, pairs: ObjectPairs<'_>, _compute: &Compute) -> Result<Option<Kernel>> {
        let (rows, cols) = pairs.strings()?;
        let symbols = || symbols_of(&[rows.text(), cols.map_or("", Strings::text)]);
        let alphabet = if self.alphabet.is_none() { symbols() } else { String::new() };
        // Strings without a symbol have no substrings and no alphabet.
        Ok((!alphabet.is_empty()).then(|| Self { alphabet: Some(alphabet), others: true, ..self.clone() }.into()))
    }

    fn has_features(&self) -> bool {
        true
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "mismatch",
    family: Family::Strings,
    formula: "Σ_u φ_u(s) φ_u(t), φ_u counts substrings that differ from u in few places",
    domain: Domain::Strings,
    parameters: &[
        ParameterEntry {
            name: "length",
            default: Some("3"),
            range: "a whole number ≥ 1",
            meaning: "symbols of the substrings u",
        },
        ParameterEntry {
            name: "mismatches",
            default: Some("1"),
            range: "a whole number from 0 to length − 1",
            meaning: "places in which a substring may differ from u",
        },
        ParameterEntry {
            name: "alphabet",
            default: None,
            range: "a text such as \"ACGT\"",
            meaning: "the symbols of u; without it, those of the strings (of a fit: those that it was fitted to)",
        },
        ParameterEntry {
            name: "others",
            default: Some("refuse"),
            range: "refuse or mismatch",
            meaning: "symbols outside the alphabet: an error, or different from all others",
        },
    ],
    theory: "An inner product of counts of substrings: positive semi-definite. Strings shorter than the length have the value 0.",
    cost: "the substrings in common, up to mismatches",
    examples: &["mismatch(length=3, mismatches=1)", "mismatch(length=4, mismatches=2, alphabet=\"ACGT\")"],
    build: |arguments| {
        let (length, mismatches) = (arguments.number("length", 3.0)?, arguments.number("mismatches", 1.0)?);
        let kernel = Mismatch::new(length, mismatches, arguments.quoted("alphabet")?)?;
        let others = arguments.choice("others", &["refuse", "mismatch"], "refuse")?;
        Ok(if others == "mismatch" { kernel.with_others() } else { kernel }.into())
    },
};
