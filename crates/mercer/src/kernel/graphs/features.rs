//! Explicit features of graphs: sparse counts on columns common to two samples.

use std::borrow::Cow;

use crate::kernel::object::ObjectTiles;
use crate::kernel::sparse_rows::{SparseRows, SparseTiles};
use crate::points::Graphs;
use crate::{Compute, Error, Result};

/// Graphs per task: large enough to hide the cost of a task, small enough for two threads on
/// the 188 graphs of MUTAG.
pub(super) const BLOCK: usize = 32;

/// The features of one or two samples. Both have the same columns, so that the inner product of
/// a row of one and a row of the other is the kernel value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Features {
    /// One row per graph of the first sample.
    pub rows: SparseRows,
    /// One row per graph of the second sample, if there is one.
    pub cols: Option<SparseRows>,
}

impl Features {
    /// The features of several kernels side by side: the features of the sum of the kernels.
    /// All must belong to the same samples.
    pub(super) fn concatenated(parts: &[Self]) -> Result<Self> {
        let rows: Vec<&SparseRows> = parts.iter().map(|p| &p.rows).collect();
        let cols: Vec<&SparseRows> = parts.iter().filter_map(|p| p.cols.as_ref()).collect();
        let cols = if cols.is_empty() { None } else { Some(side_by_side(&cols)?) };
        Ok(Self { rows: side_by_side(&rows)?, cols })
    }

    /// The inner products of the features.
    pub(super) fn tiles(self) -> Box<dyn ObjectTiles> {
        Box::new(SparseTiles::new(self.rows, self.cols))
    }

    /// Splits the features of a pooled sample; the first `rows` graphs are the rows.
    pub(super) fn split(pooled: SparseRows, rows: usize, two_samples: bool) -> Self {
        if two_samples {
            let (rows, cols) = split_rows(pooled, rows);
            Self { rows, cols: Some(cols) }
        } else {
            Self { rows: pooled, cols: None }
        }
    }
}

/// Both samples as one, so that equal labels have equal codes.
pub(super) fn pool<'a>(rows: &'a Graphs, cols: Option<&Graphs>) -> Result<Cow<'a, Graphs>> {
    let pooled = match cols {
        None => Cow::Borrowed(rows),
        Some(cols) => Cow::Owned(rows.pooled(cols)?),
    };
    match u32::try_from(pooled.total_vertices()) {
        Ok(_) => Ok(pooled),
        Err(_) => Err(Error::shape("vertices of all graphs", "at most 4294967295", pooled.total_vertices())),
    }
}

/// Splits a matrix after `count` rows.
fn split_rows(mut matrix: SparseRows, count: usize) -> (SparseRows, SparseRows) {
    let cut = matrix.starts[count];
    let starts = matrix.starts[count..].iter().map(|start| start - cut).collect();
    let (columns, values) = (matrix.columns.split_off(cut), matrix.values.split_off(cut));
    matrix.starts.truncate(count + 1);
    let width = matrix.width;
    (matrix, SparseRows { starts, columns, values, width })
}

/// Matrices of equally many rows, one beside the other.
fn side_by_side(parts: &[&SparseRows]) -> Result<SparseRows> {
    let width = parts.iter().map(|p| p.width).sum::<usize>();
    if u32::try_from(width).is_err() {
        return Err(too_many(width));
    }
    let entries = parts.iter().map(|p| p.columns.len()).sum();
    let (mut columns, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let count = parts.first().map_or(0, |p| p.starts.len() - 1);
    let mut starts = vec![0];
    for row in 0..count {
        let mut shift = 0;
        for part in parts {
            let range = part.starts[row]..part.starts[row + 1];
            columns.extend(part.columns[range.clone()].iter().map(|column| column + shift));
            values.extend_from_slice(&part.values[range]);
            shift += part.width as u32;
        }
        starts.push(columns.len());
    }
    Ok(SparseRows { starts, columns, values, width })
}

fn too_many(features: usize) -> Error {
    Error::shape("features of the graphs", "at most 4294967295", features)
}

/// How often each code occurs among the vertices of each graph; column `c` counts code `c`.
pub(super) fn count_codes(graphs: &Graphs, codes: &[u32], width: usize, compute: &Compute) -> Result<SparseRows> {
    let blocks = compute.try_map_tasks(graphs.len().div_ceil(BLOCK), |block| {
        compute.check_canceled()?;
        let mut counts = Block::default();
        let mut sorted = Vec::new();
        for graph in block * BLOCK..graphs.len().min((block + 1) * BLOCK) {
            sorted.clear();
            sorted.extend_from_slice(&codes[graphs.graph(graph).vertex_range()]);
            sorted.sort_unstable();
            sorted.chunk_by(|a, b| a == b).for_each(|run| counts.push(run[0], run.len() as f64));
            counts.ends.push(counts.columns.len());
        }
        Ok(counts)
    })?;
    Ok(stack(blocks, width))
}

/// Counts by key, as rows on columns: one column per key that occurs, in ascending order.
/// The keys of every row ascend.
pub(super) fn number_keys(rows: &[Vec<(u128, u64)>], compute: &Compute) -> Result<SparseRows> {
    let count = rows.len().div_ceil(BLOCK);
    let part = |block: usize| &rows[block * BLOCK..rows.len().min((block + 1) * BLOCK)];
    let keys = compute.try_map_tasks(count, |block| {
        compute.check_canceled()?;
        Ok(distinct(part(block).iter().flatten().map(|entry| entry.0).collect()))
    })?;
    let keys = distinct(keys.into_iter().flatten().collect());
    if u32::try_from(keys.len()).is_err() {
        return Err(too_many(keys.len()));
    }
    let blocks = compute.try_map_tasks(count, |block| {
        compute.check_canceled()?;
        Ok(part(block).iter().fold(Block::default(), |counts, row| counts.with_row(row, &keys)))
    })?;
    Ok(stack(blocks, keys.len()))
}

fn distinct(mut keys: Vec<u128>) -> Vec<u128> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Some consecutive rows; row `i` ends at `ends[i]`.
#[derive(Default)]
struct Block {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Block {
    fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// The block with one more row, whose columns are the places of its keys among all keys.
    fn with_row(mut self, row: &[(u128, u64)], keys: &[u128]) -> Self {
        let mut place = 0;
        for &(key, count) in row {
            place += keys[place..].partition_point(|k| *k < key);
            self.push(place as u32, count as f64);
        }
        self.ends.push(self.columns.len());
        self
    }
}

/// The blocks, one below the other.
fn stack(blocks: Vec<Block>, width: usize) -> SparseRows {
    let mut all = SparseRows { starts: vec![0], columns: Vec::new(), values: Vec::new(), width };
    for block in blocks {
        let before = all.columns.len();
        all.starts.extend(block.ends.iter().map(|end| end + before));
        all.columns.extend(block.columns);
        all.values.extend(block.values);
    }
    all
}
