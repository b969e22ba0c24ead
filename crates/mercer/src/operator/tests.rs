//! All operators of this room against dense matrices, from one table.

use std::borrow::Cow;

use ndarray::{Array1, Array2, Axis};

use super::testing::{Products, assert_conforms};
use super::*;
use crate::gram::{self, Pairs, SparseRows};
use crate::kernel::sparse_rows::{Part, concat};
use crate::{Compute, Kernel, Precision, Seed};

fn points(n: usize, stream: u64) -> Array2<f64> {
    let mut stream = Seed(7).stream("points of operators", stream);
    Array2::from_shape_fn((n, 3), |_| stream.normal())
}

/// `I − QQᵀ` for the columns of `Q`.
fn complement(q: &Array2<f64>) -> Array2<f64> {
    Array2::<f64>::eye(q.nrows()) - q.dot(&q.t())
}

/// Two orthonormal columns.
fn orthonormal(n: usize) -> Array2<f64> {
    let constant = Array1::from_elem(n, 1.0 / (n as f64).sqrt());
    let line = Array1::from_shape_fn(n, |i| i as f64 - (n - 1) as f64 / 2.0);
    let line = &line / line.dot(&line).sqrt();
    ndarray::stack(Axis(1), &[constant.view(), line.view()]).unwrap()
}

fn sparse_rows(n: usize) -> (SparseRows, Array2<f64>) {
    let (mut part, mut dense) = (Part::default(), Array2::zeros((n, 9)));
    for i in 0..n {
        for column in (0..9).filter(|j| (i + j) % 3 == 0) {
            let value = 1.0 + ((i * column) % 5) as f64;
            part.push(column as u32, value);
            dense[[i, column]] = value;
        }
        part.end_row();
    }
    (concat(vec![part], 9), dense)
}

/// A name, an operator, its matrix, and a tolerance.
type Case<'a> = (&'static str, Box<dyn Operator + 'a>, Array2<f64>, f64);

/// Checks every operator, and returns its products.
fn all(threads: usize) -> Vec<Products> {
    let compute = Compute::new().with_threads(threads).unwrap();
    let single = compute.clone().with_precision(Precision::SingleTiles);
    let kernel: Kernel = "gaussian(lengthscale=1.5) + 0.5".parse().unwrap();
    let (x, z) = (points(530, 0), points(37, 1));
    let within = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    let between = kernel.bind(Pairs::between(x.view(), z.view()), &compute).unwrap();
    let (k, cross) = (gram::dense(&within, &compute).unwrap(), gram::dense(&between, &compute).unwrap());
    let n = k.nrows();
    let roots = Array1::from_shape_fn(n, |i| 0.5 + (i % 4) as f64);
    let q = orthonormal(n);
    let ones = Array2::from_elem((n, 1), 1.0 / (n as f64).sqrt());
    let by_rows = roots.view().insert_axis(Axis(1)).to_owned();
    let (sparse, sparse_dense) = sparse_rows(60);

    let matrix = Dense::new(k.view(), &compute);
    let tall = Dense::new(cross.view(), &compute);
    let features = Sparse::new(Cow::Owned(sparse), &compute);
    let half = HalfMatrix::new(&within, &roots.to_vec(), &compute).unwrap();
    let weighted_dense = &k * &roots * &by_rows;
    let table: Vec<Case<'_>> = vec![
        ("dense", Box::new(matrix.clone()), k.clone(), 1e-14),
        ("dense features", Box::new(tall.clone()), cross.clone(), 1e-14),
        ("tiled", Box::new(Tiled::new(&within, &compute)), k.clone(), 1e-14),
        ("tiled, stored", Box::new(Tiled::stored(&within, &compute).unwrap()), k.clone(), 1e-14),
        ("tiled, single", Box::new(Tiled::new(&within, &single)), k.clone(), 1e-6),
        ("tiled, single, stored", Box::new(Tiled::stored(&within, &single).unwrap()), k.clone(), 1e-6),
        ("tiled between", Box::new(Tiled::new(&between, &compute)), cross.clone(), 1e-14),
        ("tiled between, stored", Box::new(Tiled::stored(&between, &compute).unwrap()), cross.clone(), 1e-14),
        ("tiled between, single", Box::new(Tiled::new(&between, &single)), cross.clone(), 1e-6),
        ("tiled between, single, stored", Box::new(Tiled::stored(&between, &single).unwrap()), cross.clone(), 1e-6),
        ("half", Box::new(half), weighted_dense.clone(), 1e-6),
        ("shifted", Box::new(Shifted::new(&matrix, 0.7)), &k + &(Array2::<f64>::eye(n) * 0.7), 1e-14),
        ("weighted", Box::new(Weighted::new(&matrix, roots.view())), weighted_dense, 1e-14),
        ("centered", Box::new(Centered::new(&matrix)), complement(&ones).dot(&k).dot(&complement(&ones)), 1e-12),
        ("projected", Box::new(Projected::new(&matrix, q.view())), complement(&q).dot(&k).dot(&complement(&q)), 1e-12),
        ("sparse", Box::new(Sparse::new(Cow::Borrowed(features.map().rows()), &compute)), sparse_dense.clone(), 1e-14),
        ("outer of sparse", Box::new(Outer::new(&features)), sparse_dense.dot(&sparse_dense.t()), 1e-14),
        ("outer of dense", Box::new(Outer::new(&tall)), cross.dot(&cross.t()), 1e-14),
        ("by product", Box::new(ByProduct::new(n, |v| matrix.apply(v))), k.clone(), 1e-14),
        ("identity", Box::new(Identity(12)), Array2::eye(12), 1e-16),
    ];
    table
        .iter()
        .map(|(name, operator, dense, tolerance)| assert_conforms(name, operator.as_ref(), dense, *tolerance))
        .collect()
}

#[test]
fn every_operator_is_its_matrix_with_the_same_bytes_for_any_number_of_threads() {
    let one = all(1);
    for threads in [2, 3] {
        assert_eq!(all(threads), one, "{threads} threads");
    }
}

#[test]
fn a_stored_matrix_does_not_need_its_tiles_any_more() {
    let compute = Compute::new();
    let kernel: Kernel = "linear()".parse().unwrap();
    let stored = {
        let x = points(20, 2);
        let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
        Tiled::stored(&bound, &compute).unwrap()
    };
    let x = points(20, 2);
    assert_close!(stored.values().unwrap(), &x.dot(&x.t()), each = 1e-13);
    assert!(stored.tiles().symmetric());
    let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
    assert!(Tiled::new(&bound, &compute).values().is_none());
}
