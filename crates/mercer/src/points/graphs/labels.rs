//! Labels of vertices and edges: a sorted table of texts and one code per item.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// A label: an integer or a text. An integer is the same label as its decimal text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// An integer, for example an atomic number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<i64> for Label {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A list of labels: the distinct texts in ascending order, and one code per item. Every text
/// of the table occurs, so equal lists have equal codes.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    table: Vec<String>,
    codes: Vec<u32>,
}

impl Labels {
    /// The list of these labels; `O(n)` and a sort of the distinct ones.
    pub(super) fn new<'a>(labels: impl Iterator<Item = &'a Label>) -> Self {
        let mut distinct: Vec<&Label> = Vec::new();
        let mut seen: HashMap<&Label, u32> = HashMap::new();
        let codes = labels.map(|label| {
            *seen.entry(label).or_insert_with(|| {
                distinct.push(label);
                distinct.len() as u32 - 1
            })
        });
        let codes: Vec<u32> = codes.collect();
        Self::sorted(&distinct.into_iter().map(Label::to_string).collect::<Vec<_>>(), codes)
    }

    /// The same labels with the texts sorted, merged where equal, and dropped where unused.
    pub(super) fn sorted(texts: &[String], codes: Vec<u32>) -> Self {
        let mut used = vec![false; texts.len()];
        codes.iter().for_each(|&code| used[code as usize] = true);
        let mut table: Vec<String> =
            texts.iter().zip(&used).filter(|(_, used)| **used).map(|(t, _)| t.clone()).collect();
        table.sort_unstable();
        table.dedup();
        let place = |text: &String| table.partition_point(|t| t < text) as u32;
        let places: Vec<u32> = texts.iter().map(place).collect();
        let codes = codes.into_iter().map(|code| places[code as usize]).collect();
        Self { table, codes }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The distinct labels, ascending as texts.
    pub fn table(&self) -> &[String] {
        &self.table
    }

    /// For every item its place in the table.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The label of item `i`.
    pub fn text(&self, i: usize) -> &str {
        &self.table[self.codes[i] as usize]
    }

    /// The memory held, in bytes.
    pub(super) fn size(&self) -> usize {
        4 * self.codes.len() + self.table.iter().map(|t| t.len() + size_of::<String>()).sum::<usize>()
    }

    /// The items of these ranges, in this order.
    pub(super) fn select(&self, ranges: &[Range<usize>]) -> Self {
        Self::sorted(&self.table, ranges.iter().flat_map(|r| &self.codes[r.clone()]).copied().collect())
    }

    /// The items of both lists, one after the other.
    pub(super) fn pooled(&self, other: &Self) -> Self {
        let shift = self.table.len() as u32;
        let codes = self.codes.iter().copied().chain(other.codes.iter().map(|code| code + shift));
        Self::sorted(&[self.table.as_slice(), &other.table].concat(), codes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_texts_are_one_kind_of_label() {
        let labels = [Label::from(3), Label::from("C"), Label::from("3"), Label::from("A".to_string())];
        let list = Labels::new(labels.iter());
        assert_eq!(list.table(), ["3", "A", "C"]);
        assert_eq!(list.codes(), [0, 2, 0, 1]);
        assert_eq!((list.text(1), list.len(), list.is_empty()), ("C", 4, false));
    }

    #[test]
    fn tables_hold_used_labels_only() {
        let labels = [Label::from("x"), Label::from("y"), Label::from("z")];
        let list = Labels::new(labels.iter());
        let part = list.select(&[2..3, 0..1]);
        assert_eq!((part.table(), part.codes()), (["x", "z"].map(String::from).as_slice(), [1, 0].as_slice()));
        assert_eq!(part.pooled(&list).codes(), [2, 0, 0, 1, 2]);
    }
}
