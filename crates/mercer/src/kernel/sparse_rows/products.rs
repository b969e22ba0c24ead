//! The matrix of the inner products of sparse rows: the Gram matrix of kernels with explicit features.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::SparseRows;
use super::lists::Lists;
use super::panels::Panels;
use crate::compute::filled;

/// The time of a multiply-add of the panels, as a part of that of the lists. Measured on 1 000 rows
/// with 64 to 8 192 features (32-byte vectors, one thread): 0.11 to 0.25 ns per multiply-add of the
/// panels, 0.6 to 2.1 ns of the lists; both methods are equal at ratios of 6 to 8.
const PANEL_COST: f64 = 1.0 / 6.0;

/// Panels are not used if they take more memory.
const MAX_PANEL_BYTES: f64 = (1u64 << 28) as f64;

/// Lists are of the features that occur alone where there are this many times more features than
/// values, and this many of these at least: finding the place of a feature takes longer than its
/// list where most features occur. Not tuned.
const WIDE: usize = 8;
const LEAST: usize = 1 << 13;

/// `F Gᵀ` for sparse rows `F` and columns `G` (or `F Fᵀ`), prepared for any rectangle.
///
/// # Formula
/// `out[i][j] = Σ_f F[i][f] · G[j][f]`, features ascending, without fused operations: the value
/// does not depend on the rectangle or the method, and `F Fᵀ` is symmetric to the last bit.
///
/// # Cost
/// The smaller of the estimates for two methods: `Σ_f n_f m_f` multiply-adds through the list of
/// the columns that have feature `f` (`n_f` rows and `m_f` columns have it), or `nnz(F) · m` of
/// them in vectors through dense columns. Rectangles of all columns are the quickest.
#[derive(Debug)]
pub(crate) struct SparseProducts {
    /// None where the rows are the columns.
    rows: Option<SparseRows>,
    /// The rows on the columns that the lists are of, where these are not all.
    listed: Option<SparseRows>,
    columns: Arc<SparseColumns>,
    is_dense: bool,
    /// About how many operations a value takes.
    operations: usize,
}

/// The columns of products, with what is made of them once for any rows.
#[derive(Debug)]
pub(crate) struct SparseColumns {
    features: SparseRows,
    /// The features that occur, and the columns on these alone, where most features do not occur: one
    /// large index must not cost an entry for each below it.
    used: Option<(Vec<u32>, SparseRows)>,
    /// How many columns have each feature, of those in lists.
    occurrences: Vec<u32>,
    /// Made with the first rectangle: who reads the features alone does not need them.
    lists: OnceLock<Lists>,
    panels: OnceLock<Panels>,
}

impl SparseColumns {
    pub(crate) fn new(features: SparseRows) -> Self {
        let used = (features.width > WIDE * features.columns.len().max(LEAST)).then(|| {
            let used = features.used_columns();
            let compact = features.among(&used);
            (used, compact)
        });
        let occurrences = used.as_ref().map_or(&features, |(_, compact)| compact).occurrences();
        Self { features, used, occurrences, lists: OnceLock::new(), panels: OnceLock::new() }
    }

    /// The columns as the lists have them.
    fn listed(&self) -> &SparseRows {
        self.used.as_ref().map_or(&self.features, |(_, compact)| compact)
    }

    /// The features of the columns.
    pub(crate) fn features(&self) -> &SparseRows {
        &self.features
    }

    /// The bytes that are held at most, where dense columns take at most this many.
    pub(crate) fn bytes(&self, panel_bytes: f64) -> u64 {
        let SparseRows { starts, columns, width, .. } = &self.features;
        let panels = Panels::bytes(self.features.len(), *width);
        let panels = if panels <= panel_bytes { panels as u64 } else { 0 };
        // The features, and their lists with marks; on the features that occur, both once more.
        let (copies, features) = self.used.as_ref().map_or((2, *width), |(used, _)| (3, used.len()));
        (copies * (8 * starts.len() + 12 * columns.len()) + 16 * features) as u64 + panels
    }

    /// The number of products with these rows, on the features of the lists, that are not 0: `Σ_f n_f m_f`.
    fn list_work(&self, rows: &SparseRows) -> f64 {
        rows.columns.iter().map(|&feature| f64::from(self.occurrences[feature as usize])).sum()
    }
}

impl SparseProducts {
    /// Prepares products of rows and columns, or of rows and rows if `columns` is `None`. Both have
    /// the same width.
    pub(crate) fn new(rows: SparseRows, columns: Option<SparseRows>) -> Self {
        Self::within(MAX_PANEL_BYTES, rows, columns)
    }

    /// The same with dense columns only if they take at most this many bytes.
    pub(crate) fn within(panel_bytes: f64, rows: SparseRows, columns: Option<SparseRows>) -> Self {
        match columns {
            Some(columns) => Self::beside(panel_bytes, Some(rows), Arc::new(SparseColumns::new(columns))),
            None => Self::beside(panel_bytes, None, Arc::new(SparseColumns::new(rows))),
        }
    }

    /// Products of rows, or of the columns themselves, and columns that are kept.
    pub(crate) fn beside(panel_bytes: f64, rows: Option<SparseRows>, columns: Arc<SparseColumns>) -> Self {
        let (own, of) = (rows.as_ref().unwrap_or(&columns.features), &columns.features);
        let listed = columns.used.as_ref().and_then(|(used, _)| Some(rows.as_ref()?.among(used)));
        let on_lists = listed.as_ref().or(rows.as_ref()).unwrap_or(columns.listed());
        let (lists, panels) = (columns.list_work(on_lists), PANEL_COST * panel_work(own, of));
        let is_dense = Panels::bytes(of.len(), of.width) <= panel_bytes && panels <= lists;
        let work = if is_dense { panels } else { lists };
        let values = (own.len() * of.len()).max(1) as f64;
        Self { is_dense, operations: 1 + (work / values) as usize, rows, listed, columns }
    }

    /// The number of rows and of columns.
    #[cfg(test)]
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows().len(), self.columns().len())
    }

    /// The features of the rows.
    pub(crate) fn rows(&self) -> &SparseRows {
        self.rows.as_ref().unwrap_or(&self.columns.features)
    }

    /// The features of the columns, or of the rows if there are no others.
    pub(crate) fn columns(&self) -> &SparseRows {
        &self.columns.features
    }

    /// About how many operations a value takes.
    pub(crate) fn operations(&self) -> usize {
        self.operations
    }

    /// Makes what rectangles need, while nothing is locked: for columns that outlive the call.
    pub(crate) fn prepare(&self) {
        let columns = &self.columns;
        match self.is_dense {
            true => drop(filled(&columns.panels, || Panels::new(&columns.features))),
            false => drop(filled(&columns.lists, || Lists::new(columns.listed()))),
        }
    }

    /// Writes the rectangle of the given rows and columns, row after row, on the calling thread.
    pub(crate) fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let columns = &self.columns;
        match self.is_dense {
            true => {
                columns.panels.get_or_init(|| Panels::new(&columns.features)).fill(self.rows(), rows, cols, out);
            }
            false => {
                let on_lists = self.listed.as_ref().or(self.rows.as_ref()).unwrap_or(columns.listed());
                columns.lists.get_or_init(|| Lists::new(columns.listed())).fill(on_lists, rows, cols, out);
            }
        }
    }
}

/// The multiply-adds of the panels.
fn panel_work(rows: &SparseRows, columns: &SparseRows) -> f64 {
    rows.columns.len() as f64 * columns.len() as f64
}

/// The number of products that are not 0: `Σ_f n_f m_f`.
pub(crate) fn list_work(rows: &SparseRows, columns: &SparseRows) -> f64 {
    let [n, m] = [rows.occurrences(), columns.occurrences()];
    n.iter().zip(&m).map(|(&n, &m)| f64::from(n) * f64::from(m)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::product;
    use super::super::{Part, concat};
    use super::*;
    use crate::Seed;

    /// Rows where a feature occurs with the given probability (in percent); values are no integers.
    fn random_rows(seed: u64, count: usize, width: usize, percent: usize) -> SparseRows {
        let (mut part, mut random) = (Part::default(), Seed(seed).stream("sparse rows", 0));
        for _ in 0..count {
            for column in 0..width {
                if random.below(100) < percent {
                    part.push(column as u32, (1 + random.below(1000)) as f64 / 7.0);
                }
            }
            part.end_row();
        }
        concat(vec![part], width)
    }

    fn both_methods(rows: &SparseRows, columns: Option<&SparseRows>) -> [SparseProducts; 2] {
        [true, false].map(|is_dense| {
            let of = Arc::new(SparseColumns::new(columns.unwrap_or(rows).clone()));
            let rows = columns.map(|_| rows.clone());
            SparseProducts { rows, listed: None, columns: of, is_dense, operations: 1 }
        })
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|v| v.to_bits()).collect()
    }

    #[test]
    fn rectangles_of_both_methods_have_the_same_bits() {
        for (width, percent) in [(1, 50), (40, 0), (40, 10), (40, 70), (300, 5)] {
            let (rows, columns) = random_rows(1, 40 + 77, width, percent).split(40);
            let expected = product(&rows, &columns).concat();
            for products in both_methods(&rows, Some(&columns)) {
                assert_eq!(products.shape(), (40, 77));
                let mut random = Seed(2).stream("rectangles", 0);
                for _ in 0..30 {
                    let (top, left) = (random.below(41), random.below(78));
                    let (bottom, right) = (top + random.below(41 - top), left + random.below(78 - left));
                    let mut out = vec![f64::NAN; (bottom - top) * (right - left)];
                    products.fill(&(top..bottom).collect::<Vec<_>>(), left..right, &mut out);
                    let part: Vec<f64> =
                        (top..bottom).flat_map(|i| &expected[i * 77 + left..i * 77 + right]).copied().collect();
                    assert_eq!(bits(&out), bits(&part));
                }
                let mut out = vec![f64::NAN; 3 * 77];
                products.fill(&[7, 39, 7], 0..77, &mut out);
                assert_eq!(out[77..154], expected[39 * 77..]);
                assert_eq!(out[..77], out[154..]);
            }
        }
    }

    #[test]
    fn gram_matrices_are_symmetric_to_the_last_bit() {
        let rows = random_rows(5, 50, 60, 40);
        for products in both_methods(&rows, None) {
            let mut out = vec![f64::NAN; 2500];
            products.fill(&(0..50).collect::<Vec<_>>(), 0..50, &mut out);
            let diagonal = products.rows().squared_norms();
            assert_eq!(diagonal, products.columns().squared_norms());
            for i in 0..50 {
                assert_eq!(out[i * 51].to_bits(), diagonal[i].to_bits());
                assert!((0..50).all(|j| out[i * 50 + j].to_bits() == out[j * 50 + i].to_bits()));
            }
        }
    }

    #[test]
    fn one_large_feature_costs_no_entry_for_those_below_it() {
        let spread = |rows: &SparseRows| {
            let columns = rows.columns.iter().map(|&column| column * 90_000_000 + 7).collect();
            SparseRows { columns, width: u32::MAX as usize, ..rows.clone() }
        };
        let (rows, columns) = random_rows(3, 9 + 12, 40, 20).split(9);
        // Features that the columns do not have.
        let few = columns.among(&(0..30).collect::<Vec<_>>());
        let few = SparseRows { width: 40, ..few };
        for (rows, columns) in [(rows.clone(), Some(columns)), (rows.clone(), Some(few)), (rows, None)] {
            let (m, n) = (columns.as_ref().map_or(9, SparseRows::len), 9);
            let mut found = [vec![f64::NAN; n * m], vec![f64::NAN; n * m]];
            let wide = SparseProducts::new(spread(&rows), columns.as_ref().map(spread));
            assert!(wide.columns.used.is_some() && wide.columns.bytes(0.0) < 1 << 20);
            wide.fill(&(0..n).collect::<Vec<_>>(), 0..m, &mut found[0]);
            SparseProducts::within(0.0, rows, columns).fill(&(0..n).collect::<Vec<_>>(), 0..m, &mut found[1]);
            assert_eq!(bits(&found[0]), bits(&found[1]));
        }
    }

    #[test]
    fn the_method_follows_the_work() {
        let dense = SparseProducts::new(random_rows(1, 100, 50, 60), None);
        let sparse = SparseProducts::new(random_rows(1, 100, 2000, 1), None);
        assert!(dense.is_dense && !sparse.is_dense);
        let empty = SparseProducts::new(random_rows(1, 0, 5, 1), None);
        empty.fill(&[], 0..0, &mut []);
        assert!(empty.rows().squared_norms().is_empty());
    }
}
