//! In how many documents words occur.

use std::collections::BTreeMap;

use super::words::Document;
use crate::error::AllowedRange;
use crate::kernel::text::Arguments;
use crate::wording::quoted;
use crate::{Error, Result};

/// In how many of the fitted strings each word occurs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Vocabulary {
    documents: u64,
    counts: BTreeMap<String, u64>,
}

impl Vocabulary {
    /// The vocabulary of so many documents, with the number of them that contain each word.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a word that is given twice, and for a count that is 0 or above the
    /// number of documents.
    pub fn new(documents: u64, counts: impl IntoIterator<Item = (String, u64)>) -> Result<Self> {
        let mut all = BTreeMap::new();
        for (word, count) in counts {
            if !(1..=documents).contains(&count) {
                return Err(Error::parameter("counts", count, 1..=documents as usize));
            }
            if all.contains_key(&word) {
                return Err(Error::parameter("words", quoted(&word), "different from the other words"));
            }
            all.insert(word, count);
        }
        Ok(Self { documents, counts: all })
    }

    /// The number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The words, ascending, and the number of documents that contain each.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.counts.iter().map(|(word, count)| (word.as_str(), *count))
    }

    /// The words of documents.
    pub(crate) fn of(documents: &[Document]) -> Self {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (word, _) in documents.iter().flatten() {
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(counts.insert(word.clone(), 1)),
            }
        }
        Self { documents: documents.len() as u64, counts }
    }

    /// The inverse document frequency `ln((1 + n)/(1 + df)) + 1`; `df = 0` for an unknown word.
    pub fn inverse_frequency(&self, word: &str) -> f64 {
        let containing = self.counts.get(word).copied().unwrap_or(0);
        ((1.0 + self.documents as f64) / (1.0 + containing as f64)).ln() + 1.0
    }

    /// As arguments in the text of a kernel.
    pub(crate) fn arguments(&self) -> [(&'static str, String); 3] {
        let words: Vec<String> = self.counts.keys().map(|word| quoted(word)).collect();
        let counts: Vec<String> = self.counts.values().map(u64::to_string).collect();
        let list = |items: Vec<String>| format!("[{}]", items.join(", "));
        [("documents", self.documents.to_string()), ("words", list(words)), ("counts", list(counts))]
    }

    /// From the arguments `documents`, `words` and `counts`; `None` if all are left out.
    pub(crate) fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Option<Self>> {
        let documents = arguments.optional_number("documents")?;
        let (words, counts) = (arguments.quoted_list("words")?, arguments.numbers("counts")?);
        match (documents, words, counts) {
            (None, None, None) => Ok(None),
            (Some(documents), Some(words), Some(counts)) => Self::from_lists(documents, words, &counts).map(Some),
            _ => Err(arguments.refuse("a vocabulary consists of documents, words and counts")),
        }
    }

    fn from_lists(documents: f64, words: Vec<String>, counts: &[f64]) -> Result<Self> {
        if words.len() != counts.len() {
            let found = format!("a list of {}", counts.len());
            return Err(Error::parameter("counts", found, format!("one number for each of the {} words", words.len())));
        }
        let documents = whole("documents", documents)?;
        let counts = counts.iter().map(|&count| whole("counts", count)).collect::<Result<Vec<_>>>()?;
        Self::new(documents, words.into_iter().zip(counts))
    }
}

/// A whole number that a double holds exactly.
fn whole(name: &str, value: f64) -> Result<u64> {
    if value.fract() == 0.0 && (0.0..9e15).contains(&value) {
        return Ok(value as u64);
    }
    Err(Error::parameter(name, value, crate::error::Allowed::Whole(AllowedRange::NON_NEGATIVE)))
}
