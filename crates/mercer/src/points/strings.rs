//! Strings: points that are sequences of characters.

use std::fmt;
use std::ops::Range;

use crate::error::RecordProblem;
use crate::{Error, Result};

/// A sample of strings: documents, sequences of letters, words. An empty string is a point.
///
/// # Example
/// ```
/// use mercer::points::Strings;
/// let strings: Strings = ["car", "", "cat"].into_iter().collect();
/// assert_eq!((strings.len(), strings.get(2)), (3, "cat"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A string.
    ///
    /// # Panics
    /// When there is no such string.
    pub fn get(&self, string: usize) -> &str {
        &self.text[self.range(string)]
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    fn range(&self, string: usize) -> Range<usize> {
        let start = string.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[string]
    }

    /// All strings, one after the other without separators.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a string.
    pub fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    /// Some of the strings, in this order.
    pub(crate) fn select(&self, strings: &[usize]) -> Self {
        strings.iter().map(|&at| self.get(at)).collect()
    }

    /// The strings of both.
    pub(crate) fn pooled(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.text.len() + size_of::<usize>() * self.ends.len()) as u64
    }

    /// The text of all strings, and where each of them ends, for a file.
    pub(crate) fn parts(&self) -> (&str, &[usize]) {
        (&self.text, &self.ends)
    }

    /// Strings from a file.
    pub(crate) fn from_parts(text: Vec<u8>, ends: Vec<usize>) -> Result<Self> {
        let damaged = |reason: &str| Error::record("strings", RecordProblem::Damaged(reason.into()));
        let text = String::from_utf8(text).map_err(|_| damaged("the text is not UTF-8"))?;
        let ascending = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let whole = ends.last().copied().unwrap_or(0) == text.len();
        if !ascending || !whole || ends.iter().any(|&end| !text.is_char_boundary(end)) {
            return Err(damaged("the ends of the strings do not fit"));
        }
        Ok(Self { text, ends })
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string.as_ref()));
        all
    }
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Strings({} strings, {} bytes)", self.len(), self.text.len())
    }
}
