//! How well the distances of the coordinates are those of the data.

use ndarray::ArrayView2;

use crate::gram::{Tile, Tiles, fold_tiles};
use crate::{Compute, Result};

/// Kruskal's stress `√(Σ(d̂ − d)²/Σd²)` over all pairs: `d̂` are the distances of the coordinates,
/// `d` the roots of `κ(x, y) − ½κ(x, x) − ½κ(y, y)`. Where that is negative, which only a kernel
/// that is not negative definite allows, `d` is 0. 0 where all distances are 0.
pub(super) fn kruskal(tiles: &dyn Tiles, embedding: ArrayView2<f64>, compute: &Compute) -> Result<f64> {
    let diagonal = tiles.diagonal()?;
    let add = |sums: &mut [f64; 2], tile: &Tile<'_>| {
        for (i, line) in tile.lines(0) {
            let own = embedding.row(i);
            let mut row = [0.0; 2];
            for (j, value) in tile.cols.clone().zip(line).filter(|(j, _)| *j != i) {
                let distance = (value - 0.5 * (diagonal[i] + diagonal[j])).max(0.0).sqrt();
                let found = own.iter().zip(embedding.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                row[0] += (found - distance) * (found - distance);
                row[1] += distance * distance;
            }
            sums.iter_mut().zip(row).for_each(|(sum, row)| *sum += tile.weight() * row);
        }
    };
    let strips = fold_tiles(&[tiles], compute, || [0.0; 2], add)?;
    let [error, total] = strips.iter().fold([0.0; 2], |all, strip| [all[0] + strip[0], all[1] + strip[1]]);
    Ok(if total > 0.0 { (error / total).sqrt() } else { 0.0 })
}
