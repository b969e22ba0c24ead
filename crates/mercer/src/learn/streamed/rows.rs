//! Sources of rows for several passes, in blocks of a fixed size.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use super::spec::BLOCK;
use crate::error::{AllowedRange, Requirement};
use crate::{Error, Points, Result};

/// Takes some rows: points, targets and, where there are any, weights.
pub type TakeRows<'a> = dyn FnMut(ArrayView2<f64>, ArrayView2<f64>, Option<ArrayView1<f64>>) -> Result<()> + 'a;

/// Rows that can be gone over again and again: a file, or chunks that are made anew.
pub trait RowSource {
    /// Returns all rows, chunk after chunk: the same ones in the same order every time.
    ///
    /// # Errors
    /// Those of the source, and those of `take`.
    fn each_chunk(&self, take: &mut TakeRows<'_>) -> Result<()>;
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct ArrayRows<'a> {
    /// The points.
    pub x: ArrayView2<'a, f64>,
    /// The targets, one column each.
    pub y: ArrayView2<'a, f64>,
    /// The weights, where there are any.
    pub weights: Option<ArrayView1<'a, f64>>,
}

impl RowSource for ArrayRows<'_> {
    fn each_chunk(&self, take: &mut TakeRows<'_>) -> Result<()> {
        for start in (0..self.x.nrows()).step_by(BLOCK) {
            let rows = start..self.x.nrows().min(start + BLOCK);
            let weights = self.weights.as_ref().map(|w| w.slice(s![rows.clone()]));
            take(self.x.slice(s![rows.clone(), ..]), self.y.slice(s![rows, ..]), weights)?;
        }
        Ok(())
    }
}

/// Takes a block of rows: points, targets and weights.
type TakeBlock<'a> = dyn FnMut(ArrayView2<f64>, ArrayView2<f64>, ArrayView1<f64>) -> Result<()> + 'a;

/// All rows in blocks of a fixed size, however they are cut into chunks.
pub(super) fn in_blocks(
    rows: &dyn RowSource,
    (columns, outputs): (usize, usize),
    take: &mut TakeBlock<'_>,
) -> Result<()> {
    let mut waiting = Waiting::default();
    rows.each_chunk(&mut |x, y, weights| {
        check_chunk((columns, outputs), x, y, weights)?;
        for row in 0..x.nrows() {
            waiting.push(x.row(row), y.row(row), weights.map_or(1.0, |w| w[row]));
            if waiting.len() == BLOCK {
                let block = waiting.take(columns, outputs)?;
                take(block.x.view(), block.y.view(), block.weights.view())?;
            }
        }
        Ok(())
    })?;
    if waiting.len() == 0 {
        return Ok(());
    }
    let block = waiting.take(columns, outputs)?;
    take(block.x.view(), block.y.view(), block.weights.view())
}

/// Rows that wait until a block is full.
#[derive(Clone, Debug, Default, PartialEq)]
struct Waiting {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
}

/// A block of rows.
struct Block {
    x: Array2<f64>,
    y: Array2<f64>,
    weights: Array1<f64>,
}

impl Waiting {
    fn push(&mut self, x: ArrayView1<f64>, y: ArrayView1<f64>, weight: f64) {
        self.x.extend(x);
        self.y.extend(y);
        self.weights.push(weight);
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    /// The rows, of which none is left.
    fn take(&mut self, columns: usize, outputs: usize) -> Result<Block> {
        let Self { x, y, weights } = std::mem::take(self);
        let rows = weights.len();
        let shaped = |values: Vec<f64>, columns: usize| {
            Array2::from_shape_vec((rows, columns), values).map_err(|e| Error::shape("rows that wait", rows, e))
        };
        Ok(Block { x: shaped(x, columns)?, y: shaped(y, outputs)?, weights: weights.into() })
    }
}

/// A chunk of the right sizes, all finite, with weights that make sense.
pub(super) fn check_chunk(
    (columns, outputs): (usize, usize),
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    weights: Option<ArrayView1<f64>>,
) -> Result<()> {
    if x.ncols() != columns {
        return Err(Error::shape("columns of the points", columns, x.ncols()));
    }
    if y.dim() != (x.nrows(), outputs) {
        let expected = format!("{} × {outputs}", x.nrows());
        return Err(Error::shape("targets", expected, format!("{} × {}", y.nrows(), y.ncols())));
    }
    Points::Vectors(x).check_finite("points")?;
    Points::Vectors(y).check_finite("targets")?;
    weights.map_or(Ok(()), |weights| check_chunk_weights(weights, x.nrows()))
}

/// A weight for every row of a chunk, none negative. All of them may be 0: other chunks have others.
pub(crate) fn check_chunk_weights(weights: ArrayView1<f64>, rows: usize) -> Result<()> {
    if weights.len() != rows {
        return Err(Error::shape("weights", format!("one per row ({rows})"), weights.len()));
    }
    match weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
        None => Ok(()),
        Some((row, value)) => {
            Err(Error::value("weights", (row, 0), value, Requirement::Range(AllowedRange::NON_NEGATIVE)))
        }
    }
}
