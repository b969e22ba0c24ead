//! Objects in a few words, for reports.

use super::Points;
use crate::wording::counted;

/// Characters of a string that are shown.
const SHOWN: usize = 24;

impl Points<'_> {
    /// A point in a few words: a string cut to its first characters, a graph by its size. `None` for
    /// vectors, whose numbers stand for themselves.
    ///
    /// # Example
    /// ```
    /// use mercer::{Points, points::Strings};
    /// let strings: Strings = ["a long string of many words and more"].into_iter().collect();
    /// assert_eq!(Points::from(&strings).describe(0).unwrap(), "\"a long string of many wo…\"");
    /// ```
    pub fn describe(&self, point: usize) -> Option<String> {
        match self {
            Self::Vectors(_) => None,
            Self::Sparse(rows) => Some(format!("sparse({} nonzero)", rows.row(point).0.len())),
            Self::Strings(strings) => Some(quoted(strings.get(point))),
            Self::Graphs(graphs) => Some(graphs.describe(point)),
            Self::Bags(bags) => Some(format!("bag({})", counted(bags.range(point).len(), "instance"))),
            Self::Diagrams(diagrams) => Some(format!("diagram({})", counted(diagrams.range(point).len(), "interval"))),
            Self::Mixed(rows) => {
                let columns = rows.objects().iter().filter_map(|(_, column)| column.as_points().describe(point));
                Some(columns.collect::<Vec<_>>().join(", "))
            }
            Self::Precomputed(_) => Some(format!("point {point}")),
            Self::References(references) => {
                Some(format!("point {}", references.kept().map_or(point, |kept| kept[point])))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{shown}{more}"))
}
