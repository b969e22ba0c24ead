//! The all-subsequences kernel.

use super::recursion::RecursionTiles;
use super::recursion::all_lengths::AllLengths;
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;

/// All-subsequences kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_u c_u(s) c_u(t)` over all strings `u` with the empty one; `c_u(s)` is the number of
/// ascending index lists `i` with `s[i] = u` [Shawe-Taylor and Cristianini 2004, chapter 11].
///
/// # Theory
/// An inner product of counts: positive semi-definite. Strictly so on distinct strings: sorted by
/// length, the counts of the strings in each other are a triangular matrix with ones on the
/// diagonal.
///
/// # Cost
/// Two additions per cell of `|s| × |t|`. Values are exact below `2⁵³`. They grow exponentially:
/// `k(s, s) ≥ 2^|s|`, so that strings of more than 1023 symbols are refused.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::Strings};
/// let strings: Strings = ["bar", "baa", ""].into_iter().collect();
/// let (k, compute): (Kernel, _) = ("all_subsequences()".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&strings).into()), &compute)?, &compute)?;
/// // Common to bar and baa: nothing, b, a (twice in baa), ba (twice in baa): 1 + 1 + 2 + 2.
/// assert_eq!((gram[[0, 0]], gram[[0, 1]], gram[[0, 2]]), (8.0, 6.0, 1.0));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllSubsequences;

impl Leaf for AllSubsequences {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        let triangular = "the counts of distinct strings in each other are a triangular matrix";
        Facts {
            strictly_pd: Fact::Yes(triangular),
            positive: true,
            ..Facts::counts("an inner product of counts of subsequences")
        }
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for AllSubsequences {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let remedy = "use shorter strings";
        Ok(Box::new(RecursionTiles::new(pairs.strings()?, AllLengths, remedy, compute)?))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "all_subsequences",
    family: Family::Strings,
    formula: "Σ_u c_u(s) c_u(t), c_u counts the index lists i with s[i] = u",
    domain: Domain::Strings,
    parameters: &[],
    theory: "An inner product of counts of subsequences: strictly positive definite. Values grow as 2^|s|.",
    cost: "O(|s| · |t|)",
    examples: &["all_subsequences()", "normalized(all_subsequences())"],
    build: |_| Ok(AllSubsequences.into()),
};
