//! The words kernel: counts of words, or TF–IDF weights.

use std::sync::Arc;

use super::features::vocabulary::Vocabulary;
use super::features::words::{word_features, words_of};
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::kernel::sparse_rows::SparseTiles;

/// Words kernel on strings.
///
/// # Formula
/// `k(s, t) = Σ_w φ_w(s) φ_w(t)` over all words `w`; words are maximal runs of letters and digits,
/// in lower case. `weights=counts`: `φ_w(s)` is the number of occurrences of `w` in `s`.
/// `weights=tfidf`: that number times `ln((1 + n)/(1 + df)) + 1`, where `df` of the `n` fitted
/// strings contain `w`.
///
/// The fitted strings are those that the kernel is bound to; from then on it carries their
/// vocabulary, so that predictions use the weights of the fit. A word that no fitted string
/// contains has `df = 0`.
///
/// # Theory
/// An inner product of weighted counts: positive semi-definite. The order of the words does not
/// count, so that it is neither strictly positive definite nor characteristic.
///
/// # Cost
/// `O(|s| log |s|)` per string, then one multiplication per word that two strings have in common.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::Strings};
/// let strings: Strings = ["The cat and the dog", "A cat!"].into_iter().collect();
/// let (k, compute): (Kernel, _) = ("words(weights=tfidf)".parse()?, Compute::new());
/// let bound = k.bind(gram::Pairs::Within((&strings).into()), &compute)?;
/// // Both strings contain `cat`: (ln(3/3) + 1)².
/// assert_eq!(gram::dense(&bound, &compute)?[[0, 1]], 1.0);
/// let fitted = r#"words(weights=tfidf, documents=2, words=["a", "and", "cat", "dog", "the"], counts=[1, 1, 2, 1, 1])"#;
/// assert_eq!(bound.kernel().to_string(), fitted);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    weights: WordWeights,
}

/// How occurrences of words are weighted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WordWeights {
    /// Every occurrence counts 1.
    Counts,
    /// By how few of the fitted strings contain the word; the vocabulary of the fitted strings once
    /// it is known.
    TfIdf(Option<Arc<Vocabulary>>),
}

impl Words {
    /// The words kernel with these weights.
    pub fn new(weights: WordWeights) -> Self {
        Self { weights }
    }

    /// How occurrences are weighted.
    pub fn weights(&self) -> &WordWeights {
        &self.weights
    }

    fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
        let choice = arguments.choice("weights", &["tfidf", "counts"], "tfidf")?;
        let vocabulary = Vocabulary::from_arguments(arguments)?;
        let weights = match (choice, vocabulary) {
            ("counts", None) => WordWeights::Counts,
            ("counts", Some(_)) => return Err(arguments.refuse("words(weights=counts) has no vocabulary")),
            (_, vocabulary) => WordWeights::TfIdf(vocabulary.map(Arc::new)),
        };
        Ok(Self { weights }.into())
    }
}

/// The words of the strings of both sides.
fn vocabulary_of(pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Arc<Vocabulary>> {
    let (rows, cols) = pairs.strings()?;
    Ok(Arc::new(Vocabulary::of(&words_of(rows, cols, compute)?)))
}

impl Leaf for Words {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        match &self.weights {
            WordWeights::Counts => vec![("weights", "counts".into())],
            WordWeights::TfIdf(vocabulary) => {
                let fitted = vocabulary.iter().flat_map(|vocabulary| vocabulary.arguments());
                std::iter::once(("weights", "tfidf".into())).chain(fitted).collect()
            }
        }
    }

    fn facts(&self) -> Facts {
        Facts::shared_counts("an inner product of weighted counts of words", "the order of the words does not count")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for Words {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.strings()?;
        let vocabulary = match &self.weights {
            WordWeights::Counts => None,
            WordWeights::TfIdf(Some(vocabulary)) => Some(vocabulary.clone()),
            WordWeights::TfIdf(None) => Some(vocabulary_of(pairs, compute)?),
        };
        let (rows, cols) = word_features(rows, cols, vocabulary.as_deref(), compute)?;
        Ok(Box::new(SparseTiles::new(rows, cols)))
    }

    fn resolve(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Option<Kernel>> {
        match &self.weights {
            WordWeights::TfIdf(None) => {
                let weights = WordWeights::TfIdf(Some(vocabulary_of(pairs, compute)?));
                Ok(Some(Self { weights }.into()))
            }
            _ => Ok(None),
        }
    }

    fn has_features(&self) -> bool {
        true
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "words",
    family: Family::Strings,
    formula: "Σ_w φ_w(s) φ_w(t), φ_w weighted counts of words",
    domain: Domain::Strings,
    parameters: &[
        ParameterEntry {
            name: "weights",
            default: Some("tfidf"),
            range: "tfidf or counts",
            meaning: "tfidf: counts times ln((1 + n)/(1 + df)) + 1",
        },
        ParameterEntry {
            name: "documents",
            default: None,
            range: "a whole number ≥ 0",
            meaning: "n, the number of fitted strings; without it, the strings at hand are fitted",
        },
        ParameterEntry {
            name: "words",
            default: None,
            range: "a list of texts",
            meaning: "the words of the fitted strings",
        },
        ParameterEntry {
            name: "counts",
            default: None,
            range: "a list of whole numbers from 1 to documents",
            meaning: "df, the fitted strings that contain each word",
        },
    ],
    theory: "An inner product of weighted counts of words: positive semi-definite. Words are runs of letters and digits in lower case.",
    cost: "the words in common",
    examples: &[
        "words(weights=counts)",
        "words(weights=tfidf)",
        "words(weights=tfidf, documents=3, words=[\"cat\", \"dog\"], counts=[3, 1])",
    ],
    build: Words::build,
};
