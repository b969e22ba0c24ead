//! What the integration tests share.
#![allow(dead_code, unused_imports)]

mod definite;
pub mod dense_spline;
pub mod expressions;
pub mod golden;
pub mod graphs;
pub mod models;

pub use definite::*;
use ndarray::{ArrayBase, Data, Dimension};

/// How many cases a random test runs: `make test-full` sets `MERCER_FULL` and gets more.
pub fn effort(usual: u64, full: u64) -> u64 {
    if std::env::var_os("MERCER_FULL").is_some() { full } else { usual }
}

/// All numbers of two arrays of the same shape, by `assert_close!`.
#[track_caller]
pub fn assert_arrays_close<S, T, D>(found: &ArrayBase<S, D>, expected: &ArrayBase<T, D>, tolerance: f64, what: &str)
where
    S: Data<Elem = f64>,
    T: Data<Elem = f64>,
    D: Dimension,
{
    assert_eq!(found.shape(), expected.shape(), "{what}");
    assert_all_close(found, expected, tolerance, what);
}

/// All numbers of two lists of the same length, by `assert_close!`.
#[track_caller]
pub fn assert_all_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (found, expected): (Vec<&f64>, Vec<&f64>) = (found.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&f, &e)) in found.iter().zip(&expected).enumerate() {
        assert_close!(*f, *e, tolerance, "{what} [{i}]");
    }
}
