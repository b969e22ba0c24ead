//! What every operator must satisfy, whatever it computes: the oracle is a dense matrix.

use std::ops::Range;

use ndarray::{Array2, Axis};

use super::{Doubled, Operator};
use crate::{Error, Seed};

/// What an operator computes, to be compared with the same for another number of threads.
pub(crate) type Products = (Array2<f64>, Array2<f64>, Doubled);

/// Compares all products of an operator with those of its matrix, within a tolerance relative to the
/// sizes of the terms.
pub(crate) fn assert_conforms(name: &str, operator: &dyn Operator, dense: &Array2<f64>, tolerance: f64) -> Products {
    let (rows, columns) = dense.dim();
    assert_eq!(operator.shape(), (rows, columns), "{name}");
    let mut last = None;
    for count in [1, 3] {
        let mut stream = Seed(11).stream("operator", count as u64);
        let v = Array2::from_shape_fn((columns, count), |_| stream.normal());
        let u = Array2::from_shape_fn((rows, count), |_| stream.normal());
        // The map depends on the row, mixes the columns, and is not linear.
        let map = |chosen: Range<usize>, values: &[f64], out: &mut [f64]| {
            for (i, (value, out)) in chosen.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
                let sum: f64 = value.iter().sum();
                out.iter_mut().zip(value).for_each(|(o, v)| *o = (1.0 + i as f64).sqrt() * v + (sum - v).sin());
            }
        };
        let forward = dense.dot(&v);
        let middle = super::mapped(&forward, &map);
        let absolute = dense.mapv(f64::abs);
        let size = |a: &Array2<f64>, v: &Array2<f64>| a.dot(&v.mapv(f64::abs)).fold(1.0_f64, |m, s| m.max(*s));
        let bound = tolerance * size(&absolute, &v);
        let found = operator.apply(v.view()).unwrap();
        assert_close!(&found, &forward, each = bound, "{name}: AV");
        let back = operator.apply_transposed(u.view()).unwrap();
        let transposed = absolute.t().to_owned();
        assert_close!(&back, &dense.t().dot(&u), each = tolerance * size(&transposed, &u), "{name}: AᵀV");
        let doubled = operator.double(v.view(), &map).unwrap();
        assert_close!(&doubled.forward, &forward, each = bound, "{name}: forward");
        // An error of AV passes through the map, whose slopes are at most √rows + columns.
        let slope = (rows as f64).sqrt() + count as f64;
        let bound = tolerance * size(&transposed, &middle) + slope * bound * absolute.sum_axis(Axis(0)).sum();
        assert_close!(&doubled.backward, &dense.t().dot(&middle), each = bound, "{name}: backward");
        last = Some((found, back, doubled));
    }
    match operator.diagonal() {
        Ok(found) => {
            let largest = dense.diag().fold(1.0_f64, |m, d| m.max(d.abs()));
            assert_close!(&found, &dense.diag().to_owned(), each = 10.0 * tolerance * largest, "{name}: diagonal");
        }
        Err(Error::Shape { .. }) => assert_ne!(rows, columns, "{name}"),
        Err(Error::Unsupported { .. }) => {}
        Err(other) => panic!("{name}: {other}"),
    }
    let wrong = Array2::zeros((columns + rows + 1, 1));
    assert!(matches!(operator.apply(wrong.view()), Err(Error::Shape { .. })), "{name}: rows are counted");
    assert!(matches!(operator.apply_transposed(wrong.view()), Err(Error::Shape { .. })), "{name}");
    last.unwrap()
}
