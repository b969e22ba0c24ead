//! The gap-weighted subsequence kernel.

use super::recursion::RecursionTiles;
use super::recursion::gap_weighted::GapWeighted;
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;

/// Gap-weighted subsequence kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_u Σ_{i: s[i] = u} Σ_{j: t[j] = u} λ^(l(i) + l(j))` over all strings `u` of the given
/// length `p` and all ascending index lists `i`, `j` of length `p`; `l(i) = i_p − i_1 + 1` is the
/// span with the gaps, and `λ` the decay [Lodhi et al. 2002]. With `λ = 1` it counts common
/// subsequences of length `p`.
///
/// # Theory
/// An inner product of weighted counts: positive semi-definite. Strings shorter than the length
/// have the value 0, so that it is neither strictly positive definite nor characteristic.
///
/// # Cost
/// `2(p − 1)` multiply-adds per cell of `|s| × |t|`, several pairs at once in vectors.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::Strings};
/// let strings: Strings = ["cat", "car"].into_iter().collect();
/// let (k, compute): (Kernel, _) = ("subsequence(length=2, decay=0.5)".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&strings).into()), &compute)?, &compute)?;
/// // Both contain `ca` of span 2: λ⁴. cat has ca and at of span 2 and ct of span 3: 2λ⁴ + λ⁶.
/// assert_eq!((gram[[0, 1]], gram[[0, 0]]), (0.0625, 0.140625));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subsequence {
    length: Whole,
    decay: Positive,
}

impl Subsequence {
    /// The subsequence kernel of a length and a decay.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the length is a whole number from 1 to 1 000, and the decay in
    /// `(0, 1]` and so large that `decay^(2·length)` is not below the smallest normal number.
    pub fn new(length: f64, decay: f64) -> Result<Self> {
        let (length, decay) = (Whole::new("length", length, 1000)?, Positive::new("decay", decay)?);
        let smallest = f64::MIN_POSITIVE.powf(0.5 / f64::from(length.get()));
        if decay.get() > 1.0 || GapWeighted::new(length.get() as usize, decay.get()).underflows() {
            return Err(Error::parameter("decay", decay.get(), format!("at least {smallest:.2e} and at most 1")));
        }
        Ok(Self { length, decay })
    }
}

impl Leaf for Subsequence {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("length", self.length.get().to_string()), ("decay", number_text(self.decay.get()))]
    }

    fn facts(&self) -> Facts {
        let reason = "an inner product of weighted counts of subsequences";
        Facts::shared_counts(reason, "different strings have the same subsequences of one length")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for Subsequence {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let recursion = GapWeighted::new(self.length.get() as usize, self.decay.get());
        let remedy = "use shorter strings, a smaller decay or a smaller length";
        Ok(Box::new(RecursionTiles::new(pairs.strings()?, recursion, remedy, compute)?))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "subsequence",
    family: Family::Strings,
    formula: "Σ_u Σ_{s[i] = u} Σ_{t[j] = u} λ^(l(i) + l(j)), l the span of the indices",
    domain: Domain::Strings,
    parameters: &[
        ParameterEntry {
            name: "length",
            default: Some("3"),
            range: "a whole number from 1 to 1000",
            meaning: "symbols of the subsequences u",
        },
        ParameterEntry {
            name: "decay",
            default: Some("0.5"),
            range: "in (0, 1]",
            meaning: "λ, the factor for each place of a span",
        },
    ],
    theory: "An inner product of weighted counts of subsequences: positive semi-definite. Strings shorter than the length have the value 0.",
    cost: "O(length · |s| · |t|)",
    examples: &["subsequence(length=3, decay=0.5)", "normalized(subsequence(length=2, decay=0.9))"],
    build: |arguments| Ok(Subsequence::new(arguments.number("length", 3.0)?, arguments.number("decay", 0.5)?)?.into()),
};
