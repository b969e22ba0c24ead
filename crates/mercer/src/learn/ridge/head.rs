//! The heaviest columns of sparse features as preconditioner of conjugate gradients.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::kernel::sparse_rows::{Part, SparseMap, SparseRows, concat};
use crate::operator::{Operator, Sparse};
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Result};

/// Rows of the inner matrix that one task computes.
const CHUNK: usize = 32;

/// `(HHᵀ + D)⁻¹ = D⁻¹ − D⁻¹H(I + HᵀD⁻¹H)⁻¹HᵀD⁻¹`, where `H` are the columns of `Z` with the largest
/// norms, and `D` the diagonal of `λI` plus that of the other columns.
///
/// # Theory
/// Few features occur in most objects and carry the large eigenvalues; the many rare ones have few
/// objects in common. Where `H` is all columns, this is the inverse itself.
pub(super) struct Head<'a> {
    head: Sparse<'a>,
    /// `1/D`.
    inverse: Array1<f64>,
    inner: CholeskyFactor,
    compute: Compute,
}

impl<'a> Head<'a> {
    /// From at most `rank` columns; fewer where the inner matrix is singular to working precision.
    pub(super) fn new(map: &'a SparseMap<'a>, lambda: f64, rank: usize, compute: &Compute) -> Result<Self> {
        let mut rank = rank.min(map.rows().width);
        loop {
            let (rows, tail) = split(map, rank);
            let inverse = tail.mapv(|t| 1.0 / (lambda + t));
            let head = Sparse::new(rows, compute);
            match factor(inner(head.map(), &inverse, compute)?, compute)? {
                Factored::Definite(inner) => return Ok(Self { head, inverse, inner, compute: compute.clone() }),
                Factored::Singular(_) => rank /= 2,
            }
        }
    }

    /// Columns of the factor.
    pub(super) fn rank(&self) -> usize {
        self.head.shape().1
    }
}

/// `(HHᵀ + D)⁻¹`.
impl Operator for Head<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.inverse.len(), self.inverse.len())
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let inverse = self.inverse.view().insert_axis(Axis(1));
        let scaled = &v * &inverse;
        let inner = self.inner.solve(self.head.apply_transposed(scaled.view())?.view(), &self.compute)?;
        Ok(scaled - self.head.apply(inner.view())? * inverse)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "an inverse", "", "solve for unit vectors"))
    }
}

/// The `rank` columns with the largest norms, renumbered, and the squared norms of the rows of the others.
fn split<'a>(map: &'a SparseMap<'_>, rank: usize) -> (Cow<'a, SparseRows>, Array1<f64>) {
    let (rows, width) = (map.rows(), map.rows().width);
    if rank == width {
        return (Cow::Borrowed(rows), Array1::zeros(rows.len()));
    }
    let norms = map.transposed().squared_norms();
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]).then(a.cmp(&b)));
    let mut chosen = order[..rank].to_vec();
    chosen.sort_unstable();
    let mut number = vec![None; width];
    chosen.iter().enumerate().for_each(|(new, &column)| number[column] = Some(new as u32));
    let (mut part, mut tail) = (Part::default(), Array1::zeros(rows.len()));
    for (i, tail) in tail.iter_mut().enumerate() {
        let (columns, values) = rows.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            match number[column as usize] {
                Some(new) => part.push(new, value),
                None => *tail += value * value,
            }
        }
        part.end_row();
    }
    (Cow::Owned(concat(vec![part], rank)), tail)
}

/// `I + HᵀD⁻¹H`.
fn inner(head: &SparseMap<'_>, inverse: &Array1<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let m = head.rows().width;
    let mut matrix = Array2::eye(m);
    let values = matrix.as_slice_mut().expect("standard layout");
    compute.try_each_chunk(values, CHUNK * m.max(1), |chunk, lines| {
        compute.check_canceled()?;
        for (at, line) in lines.chunks_exact_mut(m.max(1)).enumerate() {
            let (objects, counts) = head.transposed().row(chunk * CHUNK + at);
            for (&i, count) in objects.iter().zip(counts) {
                let (columns, values) = head.rows().row(i as usize);
                let factor = count * inverse[i as usize];
                columns.iter().zip(values).for_each(|(&column, value)| line[column as usize] += factor * value);
            }
        }
        Ok(())
    })?;
    Ok(matrix)
}
