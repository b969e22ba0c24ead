use ndarray::{Array2, array};

use super::{Metric, MetricKind};
use crate::gram::Rows;
use crate::gram::simd::Element;

const KINDS: [MetricKind; 3] = [MetricKind::SquaredEuclidean, MetricKind::Manhattan, MetricKind::Dot];

/// Numbers in `[−1, 1)`, the same in every run.
fn points(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    Array2::from_shape_simple_fn((n, d), || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// The value and the sum of the magnitudes of its terms, with the rounding errors of the sum kept.
fn oracle(kind: MetricKind, x: &[f64], y: &[f64], weights: Option<&[f64]>) -> (f64, f64) {
    let (mut sum, mut rest, mut size) = (0.0, 0.0, 0.0);
    for k in 0..x.len() {
        let w = weights.map_or(1.0, |w| w[k]);
        let term: f64 = match kind {
            MetricKind::SquaredEuclidean => ((x[k] - y[k]) * w).powi(2),
            MetricKind::Manhattan => ((x[k] - y[k]) * w).abs(),
            MetricKind::Dot => (x[k] * w) * (y[k] * w),
        };
        let next: f64 = sum + term;
        rest += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        size += term.abs();
        sum = next;
    }
    (sum + rest, size)
}

fn check<T: Element>(kind: MetricKind, x: &Array2<f64>, y: Option<&Array2<f64>>, weights: Option<Vec<f64>>) {
    let metric = Metric::new(kind, x.view(), y.map(|y| y.view()), weights.clone()).unwrap();
    let other = y.unwrap_or(x);
    let (n, m) = metric.shape();
    // Four ulps of the oracle's own terms on top of the stated bound.
    let bound = metric.relative_error::<T>() + 1e-15;
    for (rows, columns) in [(0..n, 0..m), (n / 3..n, m / 2..m), (0..n / 2, 1.min(m)..m - m / 4)] {
        let mut tile = vec![T::from_f64(f64::NAN); rows.len() * columns.len()];
        metric.fill(rows.clone(), columns.clone(), &mut tile);
        for (at, found) in tile.iter().map(|v| v.to_f64()).enumerate() {
            let (i, j) = (rows.start + at / columns.len(), columns.start + at % columns.len());
            let (xi, yj) = (x.row(i).to_vec(), other.row(j).to_vec());
            let (expected, size) = oracle(kind, &xi, &yj, weights.as_deref());
            assert_close!(
                found,
                expected,
                abs = bound * size,
                "{kind:?} {}×{}: ({i}, {j}) is {found:e}, expected {expected:e} (bound {bound:e})",
                x.ncols(),
                std::any::type_name::<T>()
            );
        }
    }
}

#[test]
fn values_of_every_shape() {
    for kind in KINDS {
        for d in [0, 1, 2, 7, 31, 32, 50, 254, 255, 256, 257, 600] {
            for (n, m) in [(1, 1), (5, 8), (6, 9), (13, 31), (19, 17)] {
                let (x, y) = (points(n, d, 1), points(m, d, 2));
                check::<f64>(kind, &x, Some(&y), None);
                check::<f32>(kind, &x, Some(&y), None);
                check::<f64>(kind, &x, None, None);
                check::<f32>(kind, &x, None, None);
            }
        }
    }
}

#[test]
fn weights_scale_each_coordinate() {
    for kind in KINDS {
        for d in [1, 3, 50, 300] {
            let (x, y) = (points(17, d, 3), points(33, d, 4));
            let weights: Vec<f64> = (0..d).map(|k| 0.3 + 0.7 * k as f64).collect();
            check::<f64>(kind, &x, Some(&y), Some(weights.clone()));
            check::<f32>(kind, &x, Some(&y), Some(weights.clone()));
            check::<f64>(kind, &x, None, Some(weights));
        }
    }
}

/// Offsets of a million, and twins `1e-8` apart: the distances keep their digits.
#[test]
fn ill_scaled_points_keep_their_digits() {
    for kind in [MetricKind::SquaredEuclidean, MetricKind::Manhattan] {
        for d in [1, 4, 50, 300] {
            let mut x = points(40, d, 5) + 1e6;
            for i in 0..20 {
                for k in 0..d {
                    x[[i + 20, k]] = x[[i, k]] + 1e-8 * (1 + (i + k) % 5) as f64;
                }
            }
            let weights: Vec<f64> = (0..d).map(|k| 1.0 / 3.0 + k as f64).collect();
            for weights in [None, Some(weights)] {
                check::<f64>(kind, &x, None, weights.clone());
                check::<f32>(kind, &x, None, weights);
            }
        }
    }
}

#[test]
fn tight_clusters_in_single_precision() {
    let mut x = points(64, 10, 6) * 1e-4;
    for i in 0..32 {
        x.row_mut(i).mapv_inplace(|v| v + 1000.0);
    }
    check::<f32>(MetricKind::SquaredEuclidean, &x, None, None);
    check::<f32>(MetricKind::Manhattan, &x, None, None);
}

/// Far clusters: within them the expanded form has lost its digits, between them it has not.
#[test]
fn clusters_keep_their_digits_in_many_dimensions() {
    for (d, spread, shift) in [(40, 1e-3, 1.0), (64, 1e-9, 1e3), (300, 0.2, 1e6)] {
        for count in [2, 3, 40] {
            let mut x = points(120, d, 8) * spread;
            for i in 0..120 {
                let center = shift * (i % count) as f64;
                x.row_mut(i).mapv_inplace(|v| v + center);
            }
            let weights: Vec<f64> = (0..d).map(|k| 0.1 + (k % 7) as f64).collect();
            check::<f64>(MetricKind::SquaredEuclidean, &x, None, None);
            check::<f64>(MetricKind::SquaredEuclidean, &x, Some(&(&x + 1e-7)), Some(weights));
        }
    }
}

#[test]
fn many_dimensions_are_symmetric_to_the_last_bit() {
    let mut x = points(70, 48, 9) + 10.0;
    let twin = &x.row(2) + 1e-9;
    x.row_mut(40).assign(&twin);
    let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, None).unwrap();
    let mut tile = vec![0.0_f64; 4900];
    metric.fill(0..70, 0..70, &mut tile);
    assert!((0..4900).all(|at| tile[at].to_bits() == tile[at % 70 * 70 + at / 70].to_bits()));
    assert!(metric.expanded.get().is_some_and(|e| e.is_some()), "the product is used");
}

#[test]
fn twelve_digits_are_stated_up_to_ten_thousand_dimensions() {
    for d in [32, 784, 10_000] {
        let metric = Metric::new(MetricKind::SquaredEuclidean, points(1, d, 1).view(), None, Some(vec![2.0; d]));
        assert!(metric.unwrap().relative_error::<f64>() < 1e-12);
    }
}

#[test]
fn squares_beyond_the_range_are_not_expanded() {
    let x = Array2::from_shape_fn((2, 40), |(i, _)| if i == 0 { 1e200 } else { -1e200 });
    let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, None).unwrap();
    let mut tile = [1.0_f64; 4];
    metric.fill(0..2, 0..2, &mut tile);
    assert_eq!(tile, [0.0, f64::INFINITY, f64::INFINITY, 0.0]);
}

#[test]
fn equal_points_are_at_distance_zero() {
    let mut x = points(20, 50, 7) + 1e6;
    let twin = x.row(3).to_owned();
    x.row_mut(11).assign(&twin);
    for weights in [None, Some(vec![0.1; 50])] {
        let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, weights).unwrap();
        let (mut double, mut single) = (vec![1.0_f64; 400], vec![1.0_f32; 400]);
        metric.fill(0..20, 0..20, &mut double);
        metric.fill(0..20, 0..20, &mut single);
        for i in 0..20 {
            assert_eq!((double[i * 21], single[i * 21]), (0.0, 0.0));
        }
        assert_eq!((double[3 * 20 + 11], single[11 * 20 + 3]), (0.0, 0.0));
        assert!(metric.diagonal().iter().all(|&v| v == 0.0));
    }
}

#[test]
fn sizes_must_fit() {
    let (x, y) = (points(2, 3, 1), points(2, 4, 1));
    assert!(Metric::new(MetricKind::Dot, x.view(), Some(y.view()), None).is_err());
    assert!(Metric::new(MetricKind::Dot, x.view(), None, Some(vec![1.0; 2])).is_err());
}

#[test]
fn no_points_and_no_columns() {
    for kind in KINDS {
        let metric = Metric::new(kind, points(0, 3, 1).view(), None, Some(vec![2.0; 3])).unwrap();
        metric.fill::<f64>(0..0, 0..0, &mut []);
        metric.fill::<f32>(0..0, 0..0, &mut []);
        let metric = Metric::new(kind, points(3, 2, 1).view(), Some(points(0, 2, 1).view()), None).unwrap();
        metric.fill::<f64>(0..3, 0..0, &mut []);
        metric.fill::<f32>(0..3, 0..0, &mut []);
    }
}

#[test]
fn numbers_beyond_single_precision_are_not_nan() {
    let x = array![[1e300, 0.0], [-1e300, 1.0]];
    let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, None).unwrap();
    let mut tile = [0.0_f32; 4];
    metric.fill(0..2, 0..2, &mut tile);
    assert_eq!(tile, [0.0, f32::INFINITY, f32::INFINITY, 0.0]);
}

#[test]
fn sparse_whole_numbers_are_exact_in_single_precision() {
    // Coded categories, a few counts, and a pair of equal points.
    let x = ndarray::Array2::from_shape_fn((70, 40), |(i, j)| match (j, (i * i + 3 * j) % 13) {
        (39, rest) => rest as f64 - 4.0,
        (_, 0) => 1.0 + (i % 3) as f64,
        _ => 0.0,
    });
    let metric = Metric::new(MetricKind::SquaredEuclidean, x.view(), None, None).unwrap();
    assert!(metric.sparse().is_some());
    let rows = [3_usize, 60, 0, 16, 29];
    for columns in [0..70, 5..37, 69..70, 9..9] {
        let mut tile = vec![f32::NAN; rows.len() * columns.len()];
        metric.fill_rows(&Rows::List(&rows), columns.clone(), &mut tile);
        for (at, found) in tile.iter().enumerate() {
            let pair = (rows[at / columns.len()], columns.start + at % columns.len());
            assert_eq!(f64::from(*found), metric.pair(pair.0, pair.1), "{pair:?}");
        }
    }
    let fractions = &x * 0.3;
    let metric = Metric::new(MetricKind::SquaredEuclidean, fractions.view(), None, None).unwrap();
    assert!(metric.sparse().is_none());
}
