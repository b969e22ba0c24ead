//! Golden numbers of explicit features (cases c14).

mod common;

use common::golden::{Golden, matrix, number, numbers};
use mercer::features::{FeatureMap, FourierFeatures, SpectralMeasure};
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn check_matrix(golden: &Golden, key: &str, found: &Array2<f64>) {
    let expected = matrix(&golden.expected()[key]);
    assert_eq!(found.dim(), expected.dim(), "{key}");
    for ((i, j), value) in found.indexed_iter() {
        golden.check(key, &format!("[{i}, {j}]"), *value, expected[[i, j]]);
    }
}

#[test]
fn features_at_given_frequencies() {
    let golden = Golden::load("c14_random_fourier_features");
    let (w, x) = (matrix(golden.input("w")), matrix(golden.input("X")));
    let gaussian = kernel(&format!("gaussian(lengthscale={})", number(golden.input("l"))));
    let offsets = Array1::from(numbers(golden.input("b")));
    for (offsets, features, approximation) in
        [(None, "z_cossin", "approx_cossin"), (Some(offsets), "z_offset", "approx_offset")]
    {
        let map = FourierFeatures::at(gaussian.clone(), w.clone(), offsets).unwrap();
        let z = map.transform(x.view(), &Compute::new()).unwrap();
        check_matrix(&golden, features, &z);
        check_matrix(&golden, approximation, &z.dot(&z.t()));
    }
}

#[test]
fn second_moments_of_spectral_measures() {
    let golden = Golden::load("c14_spectral_densities");
    let l = number(golden.input("l"));
    let cases = [
        ("gaussian_d1", format!("gaussian(lengthscale={l})"), 1),
        ("gaussian_d3", format!("gaussian(lengthscale={l})"), 3),
        ("matern32_d1", format!("matern(nu=3/2, lengthscale={l})"), 1),
        ("matern52_d3", format!("matern(nu=5/2, lengthscale={l})"), 3),
        ("cauchy_product_d1", "cauchy()".into(), 1),
        ("sinc", format!("sinc(bandlimit={})", number(golden.input("sinc_a"))), 1),
        ("rq_d1", format!("rational_quadratic(lengthscale={l}, shape={})", number(golden.input("rq_a"))), 1),
    ];
    let expected = &golden.expected()["second_moment_d"];
    for (key, text, columns) in cases {
        let found = SpectralMeasure::of(&kernel(&text), columns).unwrap().second_moment();
        golden.check("second_moment_d", key, found, number(&expected[key]));
    }
    assert_eq!(SpectralMeasure::of(&kernel("laplacian()"), 1).unwrap().second_moment(), f64::INFINITY);
}
