//! The Gram matrix of the data, in an order that shows its blocks.

use mercer::gram::{self, Pairs};
use mercer::solve::symmetric_eigen;
use mercer::{Compute, Kernel, Result};
use ndarray::Array2;
use serde_json::{Value, json};

use super::curves::decay;
use crate::lab::numbers::{drawn, number};
use crate::lab::training::Training;

/// Rows that are drawn; of more, every so many-th.
const MOST: usize = 160;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As in the file.
    File,
    /// By the classes of the target, or by its values.
    Target,
    /// By the leading eigenvector.
    Spectrum,
}

/// Names of orders.
pub const ORDERS: [(&str, Order); 3] =
    [("target", Order::Target), ("spectrum", Order::Spectrum), ("file", Order::File)];

/// The matrix and its eigenvalues.
pub fn matrix(kernel: &Kernel, training: &Training, order: Order, compute: &Compute) -> Result<(Value, Value)> {
    let n = training.rows();
    let chosen: Vec<usize> = if n <= MOST { (0..n).collect() } else { (0..MOST).map(|i| i * n / MOST).collect() };
    let sample = training.sample.taken(&chosen);
    let resolved = kernel.resolve(training.points(), compute)?;
    let matrix = gram::dense(&resolved.bind(Pairs::Within(sample.as_points()), compute)?, compute)?;
    let m = chosen.len();
    let eigen = symmetric_eigen((&matrix / m as f64).view(), compute)?;
    let places = ordered(&chosen, training, order, &eigen.vectors);
    let cells: Vec<Value> =
        places.iter().flat_map(|&i| places.iter().map(move |&j| (i, j))).map(|at| drawn(matrix[at])).collect();
    let (low, high) = matrix.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let rows: Vec<usize> = places.iter().map(|&i| training.kept[chosen[i]]).collect();
    let groups: Vec<Option<String>> = places.iter().map(|&i| training.label_of(chosen[i])).collect();
    let shown = if m < n { format!("{m} of {n} rows, equally spaced") } else { format!("{n} rows") };
    let gram = json!({
        "size": m, "rows": rows, "groups": groups, "cells": cells, "low": number(low), "high": number(high),
        "shown": shown, "kernel": resolved.to_string(),
    });
    Ok((gram, decay(eigen.values, format!("of K/n of the data ({shown})"))))
}

fn ordered(chosen: &[usize], training: &Training, order: Order, vectors: &Array2<f64>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..chosen.len()).collect();
    match order {
        Order::File => {}
        Order::Target => places.sort_by(|&a, &b| training.compare_targets(chosen[a], chosen[b])),
        Order::Spectrum => {
            // Eigenvalues ascend; the second of a kernel without negative values separates better than the first.
            let last = vectors.ncols() - 1;
            let leading = vectors.column(last);
            let signed = leading.iter().any(|v| *v > 1e-12) && leading.iter().any(|v| *v < -1e-12);
            let column = vectors.column(if signed || last == 0 { last } else { last - 1 });
            places.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        }
    }
    places
}
