//! How large a sample is: what plans are made from.

use super::{Graphs, PointKind, Points};

/// Bytes of an entry of a sparse row: a number and its column.
const ENTRY: usize = 16;
/// Bytes of a column of sparse vectors, empty or not: its count of rows, and the start of its list.
const COLUMN: u64 = 16;

/// The size of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Size {
    /// Points.
    pub rows: usize,
    /// Bytes of a copy, such as a fit keeps.
    pub bytes: u64,
    /// Bytes of what a kernel makes of the points when it is bound to them, about: a copy of
    /// vectors, an entry for every character of strings, every vertex and arc of graphs.
    pub bound: u64,
    /// Operations for a pair of points, about: the columns of vectors, the entries of two sparse
    /// rows, the pairs of instances of two bags.
    pub work: f64,
}

impl Size {
    /// That of vectors.
    pub fn of_vectors(rows: usize, columns: usize) -> Self {
        let bytes = 8 * rows as u64 * columns as u64;
        Self { rows, bytes, bound: bytes, work: columns as f64 }
    }

    /// That of a part of the sample with this many points.
    pub fn with_rows(self, rows: usize) -> Self {
        let part = |bytes: u64| (bytes as f64 * rows as f64 / self.rows.max(1) as f64) as u64;
        Self { rows, bytes: part(self.bytes), bound: part(self.bound), work: self.work }
    }

    /// The numbers of vectors with as many bytes, for points that are copied once and bound once:
    /// the columns of vectors.
    pub fn numbers(&self) -> usize {
        (self.bytes + self.bound).div_ceil(16 * self.rows.max(1) as u64) as usize
    }
}

impl Points<'_> {
    /// The size of the sample.
    ///
    /// # Example
    /// ```
    /// use mercer::{Points, points::Strings};
    /// use ndarray::Array2;
    /// let x = Array2::zeros((10, 3));
    /// let size = Points::from(&x).size();
    /// assert_eq!((size.rows, size.bytes, size.numbers(), size.work), (10, 240, 3, 3.0));
    /// let strings: Strings = ["a string of 24 characters"; 2].into_iter().collect();
    /// assert!(Points::from(&strings).size().bound > 2 * 24 * 8);
    /// ```
    pub fn size(&self) -> Size {
        let (rows, bytes) = (self.len(), self.bytes());
        let per_point = |total: usize| total as f64 / rows.max(1) as f64;
        let (bound, work) = match self {
            Self::Vectors(x) | Self::Precomputed(x) => (bytes, x.ncols() as f64),
            Self::Sparse(all) => (2 * bytes + COLUMN * all.width() as u64, 2.0 * per_point(all.stored())),
            Self::References(references) => (0, references.of() as f64),
            Self::Strings(strings) => {
                let characters = strings.parts().0.len();
                ((ENTRY * characters) as u64, 2.0 * per_point(characters))
            }
            Self::Graphs(graphs) => {
                let parts = parts(graphs);
                ((ENTRY * parts) as u64 + bytes, 2.0 * per_point(parts))
            }
            Self::Bags(bags) => (bytes, pairs_of_instances(bags.instances().dim(), rows)),
            Self::Diagrams(diagrams) => (2 * bytes, 2.0 * pairs_of_instances(diagrams.intervals().dim(), rows)),
            Self::Mixed(all) => {
                let numbers = all.numbers();
                let columns = all.objects().iter().map(|(_, column)| column.as_points().size());
                columns.fold((8 * numbers.len() as u64, numbers.ncols() as f64), |(bound, work), size| {
                    (bound + size.bound, work + size.work)
                })
            }
        };
        Size { rows, bytes, bound, work }
    }
}

impl Points<'_> {
    /// Bytes of objects and of sparse vectors, kept and bound; those of dense vectors and kernel
    /// values are few beside a matrix.
    pub(crate) fn object_bytes(&self) -> u64 {
        let size = self.size();
        if self.kind().is_object() || self.kind() == PointKind::Sparse { size.bytes + size.bound } else { 0 }
    }
}

/// Vertices and arcs.
fn parts(graphs: &Graphs) -> usize {
    graphs.total_vertices() + graphs.total_arcs()
}

/// Operations for all pairs of instances of two bags of the mean size.
fn pairs_of_instances((instances, columns): (usize, usize), bags: usize) -> f64 {
    (instances as f64 / bags.max(1) as f64).powi(2) * columns as f64
}
