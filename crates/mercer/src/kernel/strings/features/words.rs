//! Counts of words, weighted.

use super::vocabulary::Vocabulary;
use crate::kernel::sparse_rows::{Part, RowsAndColumns, concat};
use crate::points::Strings;
use crate::{Compute, Error, Result};

/// Strings per parallel task.
const TASK: usize = 32;

/// The distinct words of a string, ascending, and how often each occurs.
pub(crate) type Document = Vec<(String, usize)>;

/// The words of the rows and of the columns. Words are maximal runs of letters and digits
/// (Unicode), in lower case.
pub(crate) fn words_of(rows: &Strings, cols: Option<&Strings>, compute: &Compute) -> Result<Vec<Document>> {
    let all: Vec<&str> = rows.iter().chain(cols.into_iter().flat_map(Strings::iter)).collect();
    let tasks: Vec<&[&str]> = all.chunks(TASK).collect();
    let documents = compute.try_map_tasks(tasks.len(), |task| {
        compute.check_canceled()?;
        Ok(tasks[task].iter().map(|text| document(text)).collect::<Vec<_>>())
    })?;
    Ok(documents.into_iter().flatten().collect())
}

/// The features of the words kernel of the rows and the columns, on common columns: occurrences of
/// a word times its weight. Columns are the words that occur, ascending.
///
/// # Errors
/// [`Error::Unsupported`] if there are more than `2³² − 1` different words.
pub(crate) fn word_features(
    rows: &Strings,
    cols: Option<&Strings>,
    vocabulary: Option<&Vocabulary>,
    compute: &Compute,
) -> Result<RowsAndColumns> {
    let documents = words_of(rows, cols, compute)?;
    let columns = columns(&documents, vocabulary);
    if columns.len() > u32::MAX as usize {
        let reason = "at most 2³² − 1 are supported";
        return Err(Error::unsupported("words kernel", format!("{} different words", columns.len()), reason, ""));
    }
    let tasks: Vec<&[Document]> = documents.chunks(TASK).collect();
    let parts = compute.try_map_tasks(tasks.len(), |task| {
        compute.check_canceled()?;
        Ok(weighted(tasks[task], &columns))
    })?;
    Ok(concat(parts, columns.len()).into_rows_and_columns(rows.len(), cols.is_some()))
}

fn document(text: &str) -> Document {
    let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    let mut words: Vec<String> = runs.map(str::to_lowercase).collect();
    words.sort_unstable();
    let mut counts: Document = Vec::new();
    for word in words {
        match counts.last_mut() {
            Some((last, count)) if *last == word => *count += 1,
            _ => counts.push((word, 1)),
        }
    }
    counts
}

/// The distinct words of all documents, ascending, with their weights.
fn columns<'d>(documents: &'d [Document], vocabulary: Option<&Vocabulary>) -> Vec<(&'d str, f64)> {
    let mut words: Vec<&str> = documents.iter().flatten().map(|(word, _)| word.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    let weight = |word: &str| vocabulary.map_or(1.0, |vocabulary| vocabulary.inverse_frequency(word));
    words.into_iter().map(|word| (word, weight(word))).collect()
}

fn weighted(documents: &[Document], columns: &[(&str, f64)]) -> Part {
    let mut part = Part::default();
    for document in documents {
        for (word, count) in document {
            let column = columns.partition_point(|(other, _)| other < &word.as_str());
            part.push(column as u32, *count as f64 * columns[column].1);
        }
        part.end_row();
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sparse_rows::testing::dense;

    fn sample() -> Strings {
        ["The cat, the CAT!", "", "a_b  Élan élan 42nd", "— …", "the élan"].into_iter().collect()
    }

    #[test]
    fn words_are_counted() {
        let found = word_features(&sample(), None, None, &Compute::new()).unwrap().0;
        // 42nd, a, b, cat, the, élan
        let expected = [
            vec![0.0, 0.0, 0.0, 2.0, 2.0, 0.0],
            vec![0.0; 6],
            vec![1.0, 1.0, 1.0, 0.0, 0.0, 2.0],
            vec![0.0; 6],
            vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0],
        ];
        assert_eq!(dense(&found), expected);
    }

    #[test]
    fn weights_are_those_of_the_fitted_documents() {
        let compute = Compute::new();
        let vocabulary = Vocabulary::of(&words_of(&sample(), None, &compute).unwrap());
        let counts = ["42nd", "a", "b", "cat", "the", "élan"].into_iter().zip([1, 1, 1, 1, 2, 2]);
        assert_eq!(vocabulary.documents(), 5);
        assert!(vocabulary.counts().eq(counts));
        let new: Strings = ["the new cat", "cat cat"].into_iter().collect();
        let (rows, cols) = word_features(&new, Some(&sample()), Some(&vocabulary), &compute).unwrap();
        let [the, cat, unknown] = [2.0f64, 3.0, 6.0].map(|ratio| ratio.ln() + 1.0);
        assert_eq!(dense(&rows)[0], [0.0, 0.0, 0.0, cat, unknown, the, 0.0]);
        assert_eq!(dense(&rows)[1], [0.0, 0.0, 0.0, 2.0 * cat, 0.0, 0.0, 0.0]);
        assert_eq!(dense(&cols.unwrap())[0], [0.0, 0.0, 0.0, 2.0 * cat, 0.0, 2.0 * the, 0.0]);
        assert_eq!(Vocabulary::of(&[]), Vocabulary::default());
    }
}
