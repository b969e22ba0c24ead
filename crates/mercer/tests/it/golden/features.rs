//! Golden numbers of explicit features and low-rank approximations (cases c14).

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::features::{
    FeatureMap, FourierFeatures, FourierGuarantee, Landmarks, Nystrom, RandomBinning, Region, SpectralMeasure,
    binning_bound, ridge_leverage_scores,
};
use mercer::gram::{self, Pairs};
use mercer::learn::CenterMachine;
use mercer::solve::{eigenvalues, pivoted_cholesky};
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

#[test]
fn bounds_and_the_frequencies_they_ask_for() {
    let golden = Golden::load("c14_random_feature_bounds");
    let (epsilons, deltas) = (numbers(golden.input("eps")), numbers(golden.input("delta")));
    let l = number(golden.input("l"));
    let dimension = number(golden.input("d")) as usize;
    let gaussian = SpectralMeasure::of(&kernel(&format!("gaussian(lengthscale={l})")), dimension).unwrap();
    let second_moment = gaussian.second_moment();
    golden.check("sigma_p", "", second_moment.sqrt(), number(&golden.expected()["sigma_p"]));
    let region = Region { dimension, diameter: number(golden.input("diam")), second_moment };
    let cases = [
        ("hoeffding_cossin", FourierGuarantee::Pair),
        ("hoeffding_offset", FourierGuarantee::Offset),
        ("rahimi_recht_uniform", FourierGuarantee::Uniform(region)),
        ("sutherland_schneider", FourierGuarantee::Sharp(region)),
    ];
    for (key, guarantee) in cases {
        let bounds = matrix(&golden.expected()[key]["bound_D_by_eps"]);
        for (i, d) in numbers(golden.input("D")).into_iter().enumerate() {
            for (j, &epsilon) in epsilons.iter().enumerate() {
                golden.check(key, &format!("D = {d}"), guarantee.bound(d as usize, epsilon), bounds[[i, j]]);
            }
        }
        check_counts(&golden, guarantee, &matrix(&golden.expected()[key]["minimal_D_eps_by_delta"]), &deltas);
    }
    let union = FourierGuarantee::Points(number(golden.input("union_n")) as usize);
    check_counts(&golden, union, &matrix(&golden.expected()["union_D"]), &deltas);
}

fn check_counts(golden: &Golden, guarantee: FourierGuarantee, expected: &Array2<f64>, deltas: &[f64]) {
    for (i, epsilon) in numbers(golden.input("eps")).into_iter().enumerate() {
        for (j, &delta) in deltas.iter().enumerate() {
            assert_eq!(guarantee.frequencies(epsilon, delta).unwrap() as f64, expected[[i, j]], "{guarantee:?}");
        }
    }
}

/// Four and a half standard deviations of the mean and of the share below each place.
#[test]
fn binning_pitches_are_gamma() {
    let golden = Golden::load("c14_random_binning");
    let text = format!("laplacian(lengthscale={}, norm=l1)", number(golden.input("l")));
    let grids = RandomBinning { buckets: 1, ..RandomBinning::new(kernel(&text), 20_000) };
    let pitches = grids.draw(1, &Compute::new()).unwrap().pitches().iter().copied().collect::<Vec<_>>();
    let (mean, variance) = (number(&golden.expected()["pitch_mean"]), number(&golden.expected()["pitch_variance"]));
    let found = pitches.iter().sum::<f64>() / pitches.len() as f64;
    assert_close!(found, mean, abs = 4.5 * (variance / pitches.len() as f64).sqrt(), "{found}");
    let shares = numbers(&golden.expected()["pitch_cdf"]);
    for (position, p) in numbers(golden.input("pitch")).into_iter().zip(shares) {
        let found = pitches.iter().filter(|t| **t <= position).count() as f64 / pitches.len() as f64;
        assert_close!(found, p, abs = 4.5 * (p * (1.0 - p) / pitches.len() as f64).sqrt(), "{position}: {found} ≠ {p}");
    }
    let bounds = numbers(&golden.expected()["hoeffding_eps_0p1"]);
    for (grids, bound) in numbers(golden.input("P")).into_iter().zip(bounds) {
        golden.check("hoeffding_eps_0p1", "", binning_bound(grids as usize, 0.1), bound);
    }
}

/// Frobenius, spectral and trace norm of a symmetric matrix.
fn norms(matrix: &Array2<f64>) -> [f64; 3] {
    let values = eigenvalues(matrix.view(), &Compute::new()).unwrap();
    let frobenius = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    [frobenius, values.iter().fold(0.0, |m, v| m.max(v.abs())), values.iter().sum()]
}

#[test]
fn nystrom_approximations_and_leverage_scores() {
    let golden = Golden::load("c14_nystrom_approximation");
    let (x, compute) = (matrix(golden.input("X")), Compute::new());
    let gaussian = kernel(&format!("gaussian(lengthscale={})", number(golden.input("l"))));
    let exact = gram::dense(&gaussian.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
    let rows: Vec<usize> = numbers(golden.input("landmarks")).into_iter().map(|r| r as usize).collect();
    let k = number(golden.input("k")) as usize;
    for (key, rank) in [("nystrom", None), ("rank_k", Some(k))] {
        let landmarks = Landmarks::Rows(rows.clone());
        let spec = Nystrom { landmarks, rank, ..Nystrom::new(gaussian.clone(), rows.len()) };
        let map = spec.fit(x.view(), &compute).unwrap();
        let z = map.transform(x.view(), &compute).unwrap();
        let approximation = z.dot(&z.t());
        let expected = &golden.expected()[key];
        for (norm, found) in ["frobenius", "spectral", "trace"].iter().zip(norms(&(&exact - &approximation))) {
            golden.check(key, norm, found, number(&expected[*norm]));
        }
        golden.check(key, "trace error", map.trace_error(), number(&expected["trace"]));
        if rank.is_none() {
            golden.check_all(key, "row", &approximation.row(0).to_vec(), &numbers(&expected["approx_first_row"]));
            golden.check_all(key, "diagonal", &approximation.diag().to_vec(), &numbers(&expected["approx_diagonal"]));
        }
    }
    let lambda = x.nrows() as f64 * number(golden.input("lambda"));
    let scores = ridge_leverage_scores(&gaussian, x.view(), lambda, &compute).unwrap();
    golden.check_all("ridge_leverage", "", &scores.to_vec(), &numbers(&golden.expected()["ridge_leverage"]));
    golden.check("effective_dimension", "", scores.sum(), number(&golden.expected()["effective_dimension"]));
}

#[test]
fn pivots_and_factors() {
    let golden = Golden::load("c14_pivoted_cholesky");
    let (x, compute) = (matrix(golden.input("X")), Compute::new());
    let polynomial = golden.input("poly");
    let (s, c, m) = (number(&polynomial["scale"]), number(&polynomial["c"]), number(&polynomial["m"]));
    let cases = [
        ("gaussian", format!("gaussian(lengthscale={})", number(golden.input("l")))),
        ("polynomial", format!("polynomial(degree={m}, offset={c}, scale={s})")),
    ];
    for (key, text) in cases {
        let k = kernel(&text);
        let bound = k.bind(Pairs::within(x.view()), &compute).unwrap();
        let expected = &golden.expected()[key];
        let pivots: Vec<usize> = numbers(&expected["pivots"]).into_iter().map(|p| p as usize).collect();
        let traces = numbers(&expected["residual_trace"]);
        for steps in 1..=pivots.len() {
            let found = pivoted_cholesky(&bound, steps, 0.0, &compute).unwrap();
            assert_eq!(found.pivots, pivots[..steps]);
            golden.check(key, "trace", found.trace_left, traces[steps]);
            let column = numbers(&expected["L_columns"][steps - 1]);
            golden.check_all(key, "column", &found.factor.column(steps - 1).to_vec(), &column);
        }
    }
}

#[test]
fn ridge_regression_on_a_subset_of_regressors() {
    let golden = Golden::load("c14_nystrom_approximation");
    let (x, y, compute) = (matrix(golden.input("X")), matrix(golden.input("y")), Compute::new());
    let gaussian = kernel(&format!("gaussian(lengthscale={})", number(golden.input("l"))));
    let rows: Vec<usize> = numbers(golden.input("landmarks")).into_iter().map(|r| r as usize).collect();
    let machine = CenterMachine {
        tolerance: 1e-14,
        landmarks: Landmarks::Rows(rows.clone()),
        ..CenterMachine::new(gaussian, number(golden.input("lambda")), rows.len())
    };
    let fit = machine.fit(x.view(), y.view(), None, &compute).unwrap();
    let expected = &golden.expected()["subset_of_regressors"];
    let key = "subset_of_regressors";
    golden.check_all(key, "beta", &fit.coefficients().column(0).to_vec(), &numbers(&expected["beta"]));
    let fitted = fit.predict(x.view(), &compute).unwrap().column(0).to_vec();
    golden.check_all(key, "fitted", &fitted, &numbers(&expected["fitted"]));
}
