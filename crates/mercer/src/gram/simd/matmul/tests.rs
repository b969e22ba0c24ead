use ndarray::{Array2, ShapeBuilder, s};

use super::*;
use crate::Seed;
use crate::gram::simd::unit;

fn random<T: Element>(rows: usize, columns: usize, name: &str) -> Array2<T> {
    let mut stream = Seed(6).stream(name, (rows * 1000 + columns) as u64);
    Array2::from_shape_fn((rows, columns), |_| T::from_f64(stream.normal()))
}

/// `C + sAB` by its definition, in double precision.
fn plain<T: Element>(c: &Array2<T>, a: &Array2<T>, b: &Array2<T>, s: f64) -> Array2<f64> {
    let sum = |(i, j): (usize, usize)| (0..a.ncols()).map(|k| a[[i, k]].to_f64() * b[[k, j]].to_f64()).sum::<f64>();
    Array2::from_shape_fn(c.dim(), |at| c[at].to_f64() + s * sum(at))
}

fn check<T: Element>(rows: usize, depth: usize, columns: usize, tolerance: f64) {
    let (a, b, c) = (random::<T>(rows, depth, "a"), random(depth, columns, "b"), random(rows, columns, "c"));
    let zero = Array2::default(c.dim());
    let expected = [plain(&c, &a, &b, -0.5), plain(&zero, &a, &b, -0.5)];
    for (a_order, b_order, c_order) in [(0, 0, 0), (1, 1, 1), (0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)] {
        let ordered = |m: &Array2<T>, order: usize| {
            let mut copy = Array2::default(m.dim().set_f(order == 1));
            copy.assign(m);
            copy
        };
        for (target, expected) in [Target::Add, Target::Replace].into_iter().zip(&expected) {
            let mut found = ordered(&c, c_order);
            matmul(
                found.view_mut(),
                target,
                ordered(&a, a_order).view(),
                ordered(&b, b_order).view(),
                T::from_f64(-0.5),
            );
            let error = expected.iter().zip(&found).fold(0.0_f64, |m, (e, f)| m.max((e - f.to_f64()).abs()));
            assert!(error <= tolerance * (depth as f64 + 1.0), "{rows} × {depth} × {columns}, {target:?}: {error}");
        }
    }
}

#[test]
fn products_are_those_of_the_definition_for_every_shape_and_order() {
    let sizes = [0, 1, 2, 5, 7, 8, 9, 16, 23, 25, 49, 100];
    for (i, &rows) in sizes.iter().enumerate() {
        for (j, &columns) in sizes.iter().enumerate() {
            let depth = sizes[(i + 3 * j) % sizes.len()];
            check::<f64>(rows, depth, columns, 1e-15);
            check::<f32>(rows, depth, columns, 1e-6);
        }
    }
    check::<f64>(300, 530, 600, 1e-15);
    check::<f32>(700, 300, 30, 1e-6);
}

#[test]
fn any_strides_will_do() {
    let (a, b) = (random::<f64>(60, 80, "a"), random::<f64>(80, 50, "b"));
    let expected = a.slice(s![..;-2, ..;3]).dot(&b.slice(s![..;-3, 1..;2]));
    let mut c = Array2::zeros((90, 75));
    let part = c.slice_mut(s![..;-3, ..;3]);
    matmul(part, Target::Replace, a.slice(s![..;-2, ..;3]), b.slice(s![..;-3, 1..;2]), 1.0);
    for (found, expected) in c.slice(s![..;-3, ..;3]).iter().zip(&expected) {
        assert_close!(*found, *expected, abs = 1e-13);
    }
    assert_eq!(c.iter().filter(|v| **v != 0.0).count(), expected.len());
}

#[test]
fn an_entry_has_the_same_bytes_however_a_product_is_cut_and_whatever_the_vectors() {
    let (a, b) = (random::<f64>(70, 600, "a"), random::<f64>(600, 40, "b"));
    let mut whole = Array2::zeros((70, 40));
    matmul(whole.view_mut(), Target::Replace, a.view(), b.view(), 1.0);
    let mut part = Array2::zeros((33, 11).f());
    matmul(part.view_mut(), Target::Replace, a.slice(s![5..38, ..]), b.slice(s![.., 20..31]), 1.0);
    assert_eq!(part, whole.slice(s![5..38, 20..31]));
    let mut portable = Array2::zeros((70, 40).f());
    let product = Product { c: portable.view_mut(), target: Target::Replace, a: a.view(), b: b.view(), s: 1.0 };
    unit::ported(product);
    // Machines without fused instructions round twice in the one and once in the other.
    #[cfg(target_arch = "x86_64")]
    let tolerance = if is_x86_feature_detected!("fma") { 0.0 } else { 1e-12 };
    #[cfg(not(target_arch = "x86_64"))]
    let tolerance = 0.0;
    for (wide, narrow) in whole.iter().zip(&portable) {
        assert_close!(*wide, *narrow, abs = tolerance);
    }
}
