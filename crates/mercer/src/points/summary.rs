//! Summary of a table by column.

use super::moments::Moments;
use super::{Column, ColumnData, PointKind, Points, Table};

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numbers,
    /// Categories.
    Categories,
    /// Objects: strings, graphs, bags, persistence diagrams.
    Objects(PointKind),
}

/// Statistics of the finite numbers of a column. All are NaN if there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberSummary {
    /// The smallest finite number.
    pub min: f64,
    /// The largest finite number.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation with divisor `n − 1`; NaN for fewer than two numbers.
    pub sd: f64,
    /// How many values are infinite. They are counted in no other statistic.
    pub infinite: usize,
}

/// What is in a column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSummary {
    /// The column's name.
    pub name: String,
    /// Numbers, categories or objects.
    pub kind: ColumnKind,
    /// How many values are there.
    pub count: usize,
    /// How many values are missing.
    pub missing: usize,
    /// How many different values there are, counted exactly (missing is not a value; 0 = −0).
    pub distinct: usize,
    /// Statistics, for numbers.
    pub numbers: Option<NumberSummary>,
    /// For categories: the values that occur and how often, the most frequent first, ties in sorted
    /// order.
    pub levels: Vec<(String, usize)>,
}

impl ColumnSummary {
    /// Whether the values that are there are all the same.
    pub fn is_constant(&self) -> bool {
        self.distinct <= 1
    }
}

impl Table {
    /// A summary of every column.
    ///
    /// # Cost
    /// `O(n log n)` per column of numbers (to count the distinct ones exactly), `O(n)` per column
    /// of categories.
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Column, Table};
    /// let table = Table::from_columns(vec![Column::numbers("x", vec![1.0, 3.0, f64::NAN])])?;
    /// let summary = &table.summary()[0];
    /// assert_eq!((summary.count, summary.missing, summary.distinct), (2, 1, 2));
    /// assert_eq!(summary.numbers.unwrap().mean, 2.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn summary(&self) -> Vec<ColumnSummary> {
        self.columns().iter().map(summarize).collect()
    }
}

fn summarize(column: &Column) -> ColumnSummary {
    match &column.data {
        ColumnData::Numbers(values) => summarize_numbers(&column.name, values),
        ColumnData::Categories { codes, levels } => summarize_categories(&column.name, codes, levels),
        ColumnData::Objects(sample) => summarize_objects(&column.name, sample.as_points()),
        ColumnData::Groups { ends, .. } => objects(&column.name, PointKind::Bags, ends.len(), ends.len()),
    }
}

fn summarize_objects(name: &str, points: Points<'_>) -> ColumnSummary {
    let first = points.first_equal();
    let distinct = first.iter().enumerate().filter(|(i, first)| *i == **first).count();
    objects(name, points.kind(), points.len(), distinct)
}

fn objects(name: &str, kind: PointKind, count: usize, distinct: usize) -> ColumnSummary {
    let (kind, name) = (ColumnKind::Objects(kind), name.to_owned());
    ColumnSummary { name, kind, count, missing: 0, distinct, numbers: None, levels: Vec::new() }
}

fn summarize_numbers(name: &str, values: &[f64]) -> ColumnSummary {
    let mut present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    present.sort_unstable_by(f64::total_cmp);
    let distinct = present.chunk_by(|a, b| a == b).count();
    let finite = || present.iter().copied().filter(|v| v.is_finite());
    let moments = Moments::of(finite());
    let numbers = NumberSummary {
        min: finite().next().unwrap_or(f64::NAN),
        max: finite().next_back().unwrap_or(f64::NAN),
        mean: if moments.count == 0 { f64::NAN } else { moments.mean },
        sd: moments.sample_sd(),
        infinite: present.len() - moments.count,
    };
    ColumnSummary {
        name: name.to_owned(),
        kind: ColumnKind::Numbers,
        count: present.len(),
        missing: values.len() - present.len(),
        distinct,
        numbers: Some(numbers),
        levels: Vec::new(),
    }
}

fn summarize_categories(name: &str, codes: &[Option<u32>], levels: &[String]) -> ColumnSummary {
    let mut counts = vec![0_usize; levels.len()];
    codes.iter().flatten().for_each(|&code| counts[code as usize] += 1);
    let count = counts.iter().sum();
    let mut levels: Vec<(String, usize)> = levels.iter().cloned().zip(counts).filter(|(_, n)| *n > 0).collect();
    levels.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    ColumnSummary {
        name: name.to_owned(),
        kind: ColumnKind::Categories,
        count,
        missing: codes.len() - count,
        distinct: levels.len(),
        numbers: None,
        levels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(column: Column) -> ColumnSummary {
        Table::from_columns(vec![column]).unwrap().summary().remove(0)
    }

    #[test]
    fn numbers_are_summarized_by_hand() {
        let s = of(Column::numbers("x", vec![2.0, 0.0, -0.0, f64::NAN, 7.0, f64::INFINITY]));
        assert_eq!((s.count, s.missing, s.distinct, s.is_constant()), (5, 1, 4, false));
        let n = s.numbers.unwrap();
        assert_eq!((n.min, n.max, n.mean, n.infinite), (0.0, 7.0, 2.25, 1));
        let expected = ((0.0625 + 2.0 * 5.0625 + 22.5625) / 3.0_f64).sqrt();
        assert_close!(n.sd, expected, abs = 1e-14 * expected);
    }

    #[test]
    fn categories_come_most_frequent_first() {
        let s = of(Column::categories("c", [Some("b"), Some("a"), Some("b"), None, Some("c")]));
        assert_eq!((s.count, s.missing, s.distinct), (4, 1, 3));
        assert_eq!(s.levels, [("b".into(), 2), ("a".into(), 1), ("c".into(), 1)]);
        assert_eq!(s.numbers, None);
    }

    #[test]
    fn empty_and_constant_columns() {
        let s = of(Column::numbers("x", vec![]));
        assert!(s.is_constant() && s.numbers.unwrap().mean.is_nan());
        assert!(of(Column::numbers("x", vec![3.0, 3.0, f64::NAN])).is_constant());
        assert!(!of(Column::numbers("x", vec![3.0, 4.0])).is_constant());
    }
}
