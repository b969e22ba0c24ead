//! The dense matrix and the product without storing, against plain loops.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use mercer::gram::simd::{Element, Formula, map_in_place};
use mercer::gram::{Metric, MetricKind, Tiles, dense, dense_single, multiply};
use mercer::real::Real;
use mercer::{Cancel, Compute, Error, Precision, Progress, Result};
use ndarray::Array2;

struct Gaussian;

impl Formula for Gaussian {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        (N::from_f64(-0.5) * s).exp()
    }
}

struct Bound(Metric);

impl Bound {
    fn new(x: &Array2<f64>, y: Option<&Array2<f64>>) -> Self {
        Self(Metric::new(MetricKind::SquaredEuclidean, x.view(), y.map(|y| y.view()), None).unwrap())
    }

    fn tile<T: Element>(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [T]) {
        self.0.fill(rows, cols, out);
        map_in_place(&Gaussian, 1.0, out);
    }
}

impl Tiles for Bound {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        self.tile(rows, cols, out);
    }
    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        self.tile(rows, cols, out);
    }
    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(vec![1.0; self.0.shape().0])
    }
}

fn points(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    Array2::from_shape_simple_fn((n, d), || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

fn naive(x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        let s: f64 = x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
        (-0.5 * s).exp()
    })
}

fn threads(count: usize) -> Compute {
    Compute::new().with_threads(count).unwrap()
}

/// Sizes around the borders of the tiles (192) and of the register blocks.
const SIZES: [usize; 10] = [0, 1, 2, 7, 191, 192, 193, 383, 385, 600];

#[test]
fn dense_matches_plain_loops() {
    let compute = threads(2);
    for n in SIZES {
        let (x, y) = (points(n, 5, 1), points(211, 5, 2));
        for (tiles, expected) in [(Bound::new(&x, None), naive(&x, &x)), (Bound::new(&x, Some(&y)), naive(&x, &y))] {
            let found = dense(&tiles, &compute).unwrap();
            let single = dense_single(&tiles, &compute).unwrap();
            assert_eq!(found.dim(), expected.dim());
            for ((at, e), s) in expected.indexed_iter().zip(&single) {
                assert_close!(found[at], *e, abs = 1e-14, "n = {n}, {at:?}: {} instead of {e}", found[at]);
                assert_close!(f64::from(*s), *e, abs = 2e-6, "n = {n}, {at:?}: {s} instead of {e}");
            }
        }
    }
}

#[test]
fn symmetric_to_the_last_bit_with_ones_on_the_diagonal() {
    let x = points(500, 20, 3);
    let k = dense(&Bound::new(&x, None), &threads(2)).unwrap();
    assert_eq!(k, k.t());
    assert!(k.diag().iter().all(|&v| v == 1.0));
}

#[test]
fn product_matches_the_stored_matrix() {
    for n in SIZES {
        let (x, y) = (points(n, 5, 1), points(201, 5, 2));
        for count in [0, 1, 2, 5] {
            for (tiles, k) in [(Bound::new(&x, None), naive(&x, &x)), (Bound::new(&x, Some(&y)), naive(&x, &y))] {
                let v = points(k.ncols(), count, 4);
                let expected = k.dot(&v);
                let found = multiply(&tiles, v.view(), &threads(2)).unwrap();
                let rough = multiply(&tiles, v.view(), &threads(2).with_precision(Precision::SingleTiles)).unwrap();
                for (at, e) in expected.indexed_iter() {
                    assert_close!(
                        found[at],
                        *e,
                        abs = 1e-12 * e.abs().max(1.0),
                        "n = {n}: {} instead of {e}",
                        found[at]
                    );
                    assert_close!(
                        rough[at],
                        *e,
                        abs = 2e-6 * e.abs().max(1.0),
                        "n = {n}: {} instead of {e}",
                        rough[at]
                    );
                }
            }
        }
    }
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let (x, y, v) = (points(1000, 13, 5), points(700, 13, 6), points(1000, 3, 7));
    let (within, between) = (Bound::new(&x, None), Bound::new(&y, Some(&x)));
    for tiles in [&within, &between] {
        for columns in [1, 3] {
            let run = |count: usize, precision: Precision| {
                let compute = threads(count).with_precision(precision);
                multiply(tiles, v.slice(ndarray::s![.., ..columns]), &compute).unwrap()
            };
            for precision in [Precision::Double, Precision::SingleTiles] {
                let one = run(1, precision);
                assert_eq!(one, run(2, precision));
                assert_eq!(one, run(3, precision));
            }
        }
        let one = dense(tiles, &threads(1)).unwrap();
        assert_eq!(one, dense(tiles, &threads(2)).unwrap());
        assert_eq!(one, dense(tiles, &threads(3)).unwrap());
    }
}

#[test]
fn the_memory_limit_is_checked_first() {
    let x = points(1000, 2, 8);
    let tiles = Bound::new(&x, None);
    let tight = Compute::new().with_memory(7_999_999);
    match dense(&tiles, &tight) {
        Err(Error::Memory { needed, limit, remedy, .. }) => {
            assert_eq!((needed, limit), (8_000_000, 7_999_999));
            assert!(remedy.contains("single precision"));
        }
        other => panic!("expected a memory error, found {other:?}"),
    }
    assert!(dense_single(&tiles, &tight).is_ok());
    assert!(multiply(&tiles, points(1000, 1, 1).view(), &tight).is_ok());
    assert!(multiply(&tiles, points(999, 1, 1).view(), &tight).is_err());
}

#[derive(Default)]
struct Recorded(Mutex<Vec<(u64, u64)>>);

impl Progress for Recorded {
    fn report(&self, _: &str, done: u64, total: u64) {
        self.0.lock().unwrap().push((done, total));
    }
}

#[test]
fn progress_ends_with_the_total_and_canceling_stops() {
    let tiles = Bound::new(&points(500, 2, 9), None);
    let recorded = Arc::new(Recorded::default());
    let compute = threads(2).with_progress(recorded.clone());
    dense(&tiles, &compute).unwrap();
    let calls = recorded.0.lock().unwrap().clone();
    assert_eq!((calls.len(), calls.last()), (6, Some(&(6, 6))));
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = threads(2).with_cancel(cancel);
    assert!(matches!(dense(&tiles, &stopped), Err(Error::Canceled)));
    assert!(matches!(multiply(&tiles, points(500, 1, 1).view(), &stopped), Err(Error::Canceled)));
}
